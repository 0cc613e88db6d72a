use super::*;

#[test]
fn texts_cannot_end_the_block_of_data() {
    for text in [
        "</script>",
        "<!--<script>",
        "]]>",
        "&lt;",
        "\u{2028}\u{2029}\u{202e}\u{1b}",
    ] {
        let json = json(shown(text.as_bytes()));
        assert!(!json.contains(['<', '>', '&']), "{json}");
        let read: String = serde_json::from_str(&json).unwrap();
        assert_eq!(read, crate::output::escape::visible(text));
        assert!(json.is_ascii(), "{json}");
    }
}

#[test]
fn the_page_has_its_marks_once_and_nothing_of_elsewhere() {
    let before = ["{script-hash}", "{style-hash}", "{style}", "{version}"];
    for mark in before
        .into_iter()
        .chain(["{findings}", "{totals}", "{script}"])
    {
        assert_eq!(PAGE.matches(mark).count(), 1, "{mark}");
    }
    for text in [PAGE, STYLE, SCRIPT] {
        for outside in [
            "http:",
            "https:",
            "url(",
            "@import",
            "innerHTML",
            "unsafe-inline",
        ] {
            assert!(!text.contains(outside), "{outside}");
        }
    }
    for text in [STYLE, SCRIPT] {
        assert!(!text.contains("</") && !text.contains("<!--"));
    }
    assert!(PAGE.len() + STYLE.len() + SCRIPT.len() < 200 << 10);
}

#[test]
fn hashes_are_those_of_the_standard() {
    // FIPS 180-4, the empty message, in base64.
    let expected = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
    assert_eq!(hash(""), expected);
}

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
