use super::*;

#[test]
fn a_short_document_is_one_piece() {
    assert_eq!(next(b"# a\n\n[b](c)\n"), 12);
    assert_eq!(next(b""), 0);
}

#[test]
fn pieces_end_before_headings_and_outside_of_code() {
    let paragraph = "word ".repeat(200_000);
    let text = format!("{paragraph}\n\n# one\n\n```\n\n# two\n\n```\n\n").repeat(8);
    let mut rest = text.as_bytes();
    let mut count = 0;
    while !rest.is_empty() {
        let length = next(rest);
        count += 1;
        if length < rest.len() {
            assert!(rest[length..].starts_with(b"# one"), "{}", length);
        }
        rest = &rest[length..];
    }
    assert_eq!(count, 2);
}

#[test]
fn no_piece_is_empty_or_cuts_a_character() {
    for text in [
        "[".repeat(1 << 20),
        "é".repeat(3 << 20),
        "\n".repeat(1 << 20),
    ] {
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let length = next(rest.as_bytes());
            assert!(length > 0 && length <= MAX_PIECE);
            rest = &rest[length..];
        }
    }
}
