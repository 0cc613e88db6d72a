use super::*;

#[test]
fn times_are_microseconds_since_1970() {
    for (text, seconds) in [
        ("20240301000000", Some(1_709_251_200)),
        ("2024030100000", None),
        ("2024030100000x", None),
        ("2024-13-01T00:00:00Z", None),
        ("2024-02-31T00:00:00Z", None),
        ("20230229000000", None),
        ("2024-01-00T00:00:00Z", None),
        ("2024-03-01T24:00:00Z", None),
        ("2024-03-01T00:00:00,5Z", None),
        ("2024-03-01T00:00:00.xZ", None),
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
    for (text, fraction) in [("1", 100_000), ("678901", 678_901), ("6789019", 678_901)] {
        let text = format!("1970-01-01T00:00:01.{text}Z");
        assert_eq!(microseconds(text.as_bytes()), Some(1_000_000 + fraction));
    }
}
