use super::*;

#[test]
fn hosts_stand_between_user_and_port() {
    for (authority, expected) in [
        ("example.com", "example.com"),
        ("example.com:80", "example.com"),
        ("example.com:", "example.com"),
        ("user:secret@example.com:80", "example.com"),
        ("[::1]", "[::1]"),
        ("[::1]:80", "[::1]"),
        ("", ""),
    ] {
        assert_eq!(
            host(authority.as_bytes()),
            expected.as_bytes(),
            "{authority}"
        );
    }
}

#[test]
fn hosts_that_are_the_same_have_one_form() {
    for (written, expected) in [
        ("example.com", "example.com"),
        ("Example.COM.", "example.com"),
        ("b\u{fc}cher.example", "xn--bcher-kva.example"),
        ("B%C3%9Ccher.example", "xn--bcher-kva.example"),
        ("127.0.0.01", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("[::0:1]", "[::1]"),
        ("A b", "a b"),
        ("", ""),
    ] {
        let canonical = canonical_host(written.as_bytes());
        assert_eq!(canonical, expected.as_bytes(), "{written}");
        assert_eq!(canonical_host(&canonical), canonical, "{written}");
    }
}
