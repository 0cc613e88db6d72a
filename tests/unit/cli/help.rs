use super::*;

#[test]
fn words_near_a_subcommand_suggest_that_subcommand() {
    for (word, expected) in [
        ("check", Some("audit")),
        ("audti", Some("audit")),
        ("extrct", Some("extract")),
        ("docs", None),
        ("a", None),
    ] {
        assert_eq!(subcommand(word), expected, "{word}");
    }
}

#[test]
fn urls_are_distinguished_from_paths() {
    for (path, expected) in [
        ("https://example.com/", true),
        ("git+ssh://example.com/x", true),
        ("a/b://c", false),
        ("://x", false),
        ("mailto:a@example.com", false),
        ("dir/file.txt", false),
    ] {
        assert_eq!(is_url(path.as_bytes()), expected, "{path}");
    }
}
