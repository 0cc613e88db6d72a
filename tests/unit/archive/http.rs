use super::*;

#[test]
fn a_body_is_chunked_if_it_parses() {
    for (body, whole, expected) in [
        ("5\r\nhello\r\n0\r\n\r\n", true, true),
        ("005 ; a=b\nhello\n0\n", true, true),
        ("5\r\nhello\r\n", true, true),
        ("5\r\nhello", true, true),
        ("5\r\nhello world", true, false),
        ("5\r\nhello\r\n1f", true, true),
        ("5\r\nhello\r\n0\r", true, true),
        ("5\r\nhello\r\n1f ; a=\"b", true, true),
        ("5\r\nhello\r\nworld; a", true, false),
        ("5\r\nhel", true, false),
        ("5\r\nhel", false, true),
        ("<html>", true, false),
        ("2006\nwas a year", true, false),
        ("0\r\n\r\n", true, true),
        ("", true, false),
        ("5\r\nhello\r\nworld", true, false),
    ] {
        assert_eq!(is_chunked(body.as_bytes(), whole), expected, "{body:?}");
    }
}
