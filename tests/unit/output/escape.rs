use super::*;

#[test]
fn control_characters_are_escaped_and_nothing_else() {
    for code in 0..=0x2100 {
        let Some(character) = char::from_u32(code) else {
            continue;
        };
        let escaped = matches!(code, 0..=0x1F | 0x7F..=0x9F | 0x2028..=0x202E | 0x2066..=0x2069);
        let expected = match (escaped, code < 0x80) {
            (false, _) => character.to_string(),
            (true, true) => format!("\\x{code:02x}"),
            (true, false) => format!("\\u{{{code:x}}}"),
        };
        let text = format!("a{character}b");
        assert_eq!(visible(&text), format!("a{expected}b"), "U+{code:04X}");
    }
}

#[test]
fn line_breaks_alone_are_escaped_where_bytes_must_stay() {
    let mut out = Vec::new();
    push_on_one_line(b"a\r\n\x1B\xFFb\n", &mut out);
    assert_eq!(out, b"a\\x0d\\x0a\x1B\xFFb\\x0a");
}

#[test]
fn numbers_of_any_length_have_all_digits() {
    let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(10));
    let near = powers.flat_map(|power| [power - 1, power, power + 1, power / 7 * 3]);
    for number in near.chain([u64::MAX, 10_000_000_200_000_003]) {
        let mut out = b"-".to_vec();
        push_decimal(number, &mut out);
        assert_eq!(out, format!("-{number}").as_bytes());
    }
}
