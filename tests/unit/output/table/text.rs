use super::*;

#[test]
fn times_are_microseconds_since_1970() {
    for (text, seconds) in [
        ("1970-01-01T00:00:00Z", Some(0)),
        ("1969-12-31T23:59:59Z", Some(-1)),
        ("2000-02-29T12:00:00Z", Some(951_825_600)),
        ("2024-03-01T00:00:00Z", Some(1_709_251_200)),
        ("9999-12-31T23:59:59Z", Some(253_402_300_799)),
        ("2024-03-01", None),
        ("2024-03-01T00:00:00", None),
        ("x024-03-01T00:00:00Z", None),
    ] {
        let expected = seconds.map(|seconds: i64| seconds * 1_000_000);
        assert_eq!(microseconds(text.as_bytes()), expected, "{text}");
    }
}

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
        let formed = |kind| formed(written.as_bytes(), kind).map(Cow::into_owned);
        assert_eq!(formed(ColumnKind::Host).as_deref(), Some(expected));
        assert_eq!(
            formed(ColumnKind::ReversedHost).as_deref(),
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
        assert_eq!(formed(invalid, ColumnKind::Host), None, "{invalid:?}");
        assert_eq!(
            formed(invalid, ColumnKind::ReversedHost),
            None,
            "{invalid:?}"
        );
    }
}
