use super::*;

#[test]
fn references_start_at_the_report() {
    let place = |directory: &str| ReportPlace {
        directory: directory.as_bytes().to_vec(),
        here: b"/srv/docs/".to_vec(),
    };
    for (directory, path, expected) in [
        ("/srv/docs/", "site/a.html", "./site/a.html"),
        ("/srv/docs/site/", "site/a.html", "./a.html"),
        ("/srv/docs/out/x/", "site/a.html", "../../site/a.html"),
        ("/srv/", "site/a.html", "./docs/site/a.html"),
        ("/srv/do/", "site/a.html", "../docs/site/a.html"),
        ("/", "site/a.html", "./srv/docs/site/a.html"),
        ("/srv/docs/", "javascript:alert(1)", "./javascript:alert(1)"),
        (
            "/srv/docs/",
            "a?b#c d\\%.html",
            "./a%3Fb%23c%20d%5C%25.html",
        ),
        (
            "/srv/docs/",
            "\"><script>.html",
            "./%22%3E%3Cscript%3E.html",
        ),
        ("", "site/a.html", ""),
    ] {
        let reference = place(directory).reference_to(path.as_bytes());
        assert_eq!(String::from_utf8_lossy(&reference), expected, "{directory}");
    }
}
