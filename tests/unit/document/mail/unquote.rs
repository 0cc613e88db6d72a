use super::*;

#[test]
    #[rustfmt::skip]
    fn quoting_and_nul_runs_are_undone_in_pieces_of_any_size() {
        let rows: &[(&str, &str)] = &[
            (">From a\n>>From b\n> From c\nx>From d\n>Fro", "From a\n>From b\n> From c\nx>From d\n>Fro"),
            ("a\0b\0\0\0c\0\0\0\0\0d\n\0\0\0\0>From x\n", "a\0b\0\0\0cd\n>From x\n"),
            ("\n>>>>From \n>", "\n>>>From \n>"),
            ("\0\0", "\0\0"),
        ];
        for (text, expected) in rows {
            for size in 1..20 {
                let mut unquoter = LineUnquoter::default();
                let mut out = Vec::new();
                for piece in text.as_bytes().chunks(size) {
                    unquoter.push(piece, |bytes| out.extend_from_slice(bytes));
                }
                unquoter.end(|bytes| out.extend_from_slice(bytes));
                assert_eq!(String::from_utf8_lossy(&out), *expected, "{text:?} by {size}");
            }
        }
    }

#[test]
fn marks_that_wait_for_the_rest_of_their_line_change_nothing() {
    for (start, rest, changes) in [
        ("> ", "text", false),
        (">", " text", false),
        (">", "text", false),
        (">>Fro", "m here", true),
        (">", "From here", true),
        ("\0", "\0\0\0", true),
    ] {
        let mut unquoter = LineUnquoter::default();
        unquoter.push(start.as_bytes(), |_| {});
        assert_eq!(
            unquoter.changes(rest.as_bytes()),
            changes,
            "{start:?} {rest:?}"
        );
    }
}
