use super::mount;

#[test]
fn a_root_is_a_directory_a_uri_or_both() {
    for (root, directory, uri) in [
        ("site", Some("site"), None),
        ("a=b", Some("a=b"), None),
        ("site=/docs/", Some("site"), Some("/docs/")),
        ("/docs/", Some("/docs/"), None),
        (
            "site=http://example.com/",
            Some("site"),
            Some("http://example.com/"),
        ),
        (
            "a=b=http://example.com/?x=y",
            Some("a=b"),
            Some("http://example.com/?x=y"),
        ),
        (
            "https://example.com/?a=b",
            None,
            Some("https://example.com/?a=b"),
        ),
    ] {
        let got = mount(root.as_bytes());
        let expected = (directory.map(str::as_bytes), uri.map(str::as_bytes));
        assert_eq!(got, expected, "{root}");
    }
}
