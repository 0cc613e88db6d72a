use super::*;

fn decode(label: &str, bytes: &[u8]) -> String {
    let mut out = Vec::new();
    to_utf8(label.as_bytes(), bytes, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
    #[rustfmt::skip]
    fn labels_decode() {
        let rows: &[(&str, &[u8], &str)] = &[
            ("us-ascii", b"caf\xC3\xA9", "café"),
            ("us-ascii", b"caf\xE9", "café"),
            ("iso-8859-1", b"caf\xC3\xA9", "cafÃ©"),
            ("", b"\x1B$B$\"\x1B(B http", "あ http"),
            ("ISO-2022-JP", b"\x1B$B$\"\x1B(B http", "あ http"),
            ("shift_jis", b"A\x83mm", "Aノm"),
            ("gb18030", b"\x81\x30\x81\x30x", "\u{80}x"),
            ("utf-7", b"a+ADw-http+ADo-//x+AD4-+-", "a<http://x>+"),
            ("utf-7", b"Hi Mom -+Jjo--!", "Hi Mom -☺-!"),
            ("utf-7", b"+2D3eAA-.", "\u{1F600}."),
            ("utf-16", b"\xFF\xFEa\0=\xD8\0\xDE", "a\u{1F600}"),
            ("utf-16", b"\0a\0b", "ab"),
            ("utf-32", b"a\0\0\0b\0\0\0", "ab"),
            ("hz-gb-2312", b"~{5ZHU~} <x>~~~\n!", "\u{FFFD}\u{FFFD} <x>~!"),
            ("iso-2022-kr", b"\x1B$)C\x0ENQ19\x0F <x>", "\u{FFFD}\u{FFFD} <x>"),
            ("x-nowhere", b"caf\xC3\xA9", "café"),
        ];
        for (label, bytes, expected) in rows {
            assert_eq!(decode(label, bytes), *expected, "{label}: {bytes:?}");
        }
    }

#[test]
fn a_mark_wins_over_the_transport_and_that_over_the_prescan() {
    let prescan: Option<Prescan> = Some(|_| Some(BIG5));
    for (declared, first, expected) in [
        (Some(GBK), &b"\xEF\xBB\xBFx"[..], (UTF_8, 3, true)),
        (Some(GBK), b"x", (GBK, 0, true)),
        (None, b"x", (BIG5, 0, false)),
    ] {
        let detected = detect(prescan, declared, first);
        let found = (detected.mark, detected.is_certain);
        assert_eq!(detected.encoding, Some(expected.0));
        assert_eq!(found, (expected.1, expected.2));
    }
    assert_eq!(detect(None, None, b"x").encoding, None);
}
