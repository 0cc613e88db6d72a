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

#[cfg(feature = "audit")]
#[test]
fn hosts_are_a_labels_without_a_final_dot_and_invalid_ones_are_null() {
    for (written, expected, expected_rev) in [
        ("WWW.Example.COM", "www.example.com", "com.example.www"),
        ("www.example.com.", "www.example.com", "com.example.www"),
        ("localhost", "localhost", "localhost"),
        ("3.example", "3.example", "example.3"),
        (
            "b\u{fc}cher.example",
            "xn--bcher-kva.example",
            "example.xn--bcher-kva",
        ),
        (
            "b%C3%BCcher.example.",
            "xn--bcher-kva.example",
            "example.xn--bcher-kva",
        ),
        ("ex%61mple.com", "example.com", "com.example"),
        ("192.0.2.1", "192.0.2.1", "192.0.2.1"),
        ("192.0.2.1.", "192.0.2.1", "192.0.2.1"),
        ("[2001:DB8::1]", "[2001:db8::1]", "[2001:db8::1]"),
    ] {
        assert_eq!(valid_host(written.as_bytes()).as_deref(), Some(expected));
        assert_eq!(
            reversed_host(written.as_bytes()).as_deref(),
            Some(expected_rev)
        );
    }
    for invalid in [
        &b""[..],
        b".",
        b"..",
        b"a..example",
        b".example",
        b"ex%ZZample.com",
        b"a b.example",
        b"a%00b.example",
        b"example.com:x",
        b"[2001:db8::1.2]",
        b"[::1",
        b"256.0.0.1",
        b"\xFF.example",
        b"a%FF.example",
        b"a<b.example",
    ] {
        assert_eq!(valid_host(invalid), None, "{invalid:?}");
        assert_eq!(reversed_host(invalid), None, "{invalid:?}");
    }
}

/// From the test vectors of publicsuffix.org.
#[cfg(feature = "audit")]
#[test]
fn registered_domains_are_public_suffixes_with_one_label_more() {
    for (host, expected) in [
        ("com", None),
        ("example.com", Some("example.com")),
        ("WwW.example.COM", Some("example.com")),
        ("a.b.example.com.", Some("example.com")),
        ("b.c.kobe.jp", Some("b.c.kobe.jp")),
        ("a.b.c.kobe.jp", Some("b.c.kobe.jp")),
        ("city.kobe.jp", Some("city.kobe.jp")),
        ("www.city.kobe.jp", Some("city.kobe.jp")),
        ("www.example.co.uk", Some("example.co.uk")),
        ("www.www.ck", Some("www.ck")),
        ("\u{98df}\u{72ee}.com.cn", Some("xn--85x722f.com.cn")),
        (
            "www.xn--85x722f.xn--55qx5d.cn",
            Some("xn--85x722f.xn--55qx5d.cn"),
        ),
        ("user.github.io", Some("user.github.io")),
        ("a.b.example.example", Some("example.example")),
        ("localhost", None),
        ("192.0.2.1", None),
        ("[2001:db8::1]", None),
        ("", None),
    ] {
        let domain = registered_domain(host.as_bytes());
        assert_eq!(domain.as_deref(), expected, "{host}");
    }
}
