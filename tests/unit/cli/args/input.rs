use super::size;

#[test]
fn sizes() {
    for (text, expected) in [
        ("0", Ok(0)),
        ("1000", Ok(1000)),
        ("4K", Ok(4096)),
        ("4k", Ok(4096)),
        ("2M", Ok(2 << 20)),
        ("1G", Ok(1 << 30)),
    ] {
        assert_eq!(size(text), expected, "{text}");
    }
    for text in ["", "K", "-1", "1T", "99999999999G"] {
        assert!(size(text).is_err(), "{text}");
    }
}
