use super::*;

#[test]
fn agrees_with_the_naive_search() {
    let literals = [
        Literal::new(b"From", 3),
        Literal::new(b"\n--", 2),
        Literal::new(b"-- ", 1),
        Literal::ignoring_case(b"begin ", 2),
        Literal::ignoring_case(b"<meta", 1),
    ];
    // The step of lengths and places: under Miri, which interprets, a few of them do.
    let step = if cfg!(miri) { 41 } else { 1 };
    for literal in &literals {
        let ignored = literal
            .ignores_case
            .then(|| literal.bytes.to_ascii_uppercase());
        let spellings = [Some(literal.bytes.to_vec()), ignored];
        for (length, other) in (0..400)
            .step_by(step)
            .flat_map(|length| [(length, b'.'), (length, literal.bytes[0])])
        {
            for spelling in spellings.iter().flatten() {
                for at in (0..length).step_by(step.max(7)) {
                    let mut bytes = vec![other; length];
                    let end = length.min(at + spelling.len());
                    bytes[at..end].copy_from_slice(&spelling[..end - at]);
                    for from in [0, at, at + 1, length] {
                        let found = literal.find(&bytes, from);
                        assert_eq!(
                            found,
                            literal.find_naive(&bytes, from),
                            "{} {from}",
                            bytes.escape_ascii()
                        );
                        let is_there = end - at == spelling.len() && from <= at;
                        assert!(!is_there || found.is_some_and(|found| found <= at));
                    }
                }
            }
        }
    }
}

#[test]
fn all_of_a_text_are_found_in_order() {
    let literal = Literal::ignoring_case(b"begin ", 2);
    let text = b"begin BEGIN -----BEGIN PGP begin".repeat(9);
    let naive: Vec<usize> = (0..text.len())
        .filter(|&at| literal.is_at(&text, at))
        .collect();
    let found: Vec<usize> = literal.find_iter(&text, 3).collect();
    assert_eq!(found, naive[1..]);
}
