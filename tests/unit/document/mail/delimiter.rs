use super::*;

#[test]
    #[rustfmt::skip]
    fn delimiters_are_recognized() {
        let delimiter = |level, close, text, line| DelimiterLine::Delimiter(Delimiter { level, close, text, line });
        let rows: &[(&str, bool, DelimiterLine)] = &[
            ("--out\nx", false, delimiter(0, false, 5, 6)),
            ("--out--  \r\nx", false, delimiter(0, true, 9, 11)),
            ("--out2\n", false, DelimiterLine::No),
            ("--out", true, delimiter(0, false, 5, 5)),
            ("--out", false, DelimiterLine::Unknown),
            ("--o", false, DelimiterLine::Unknown),
            ("--o", true, DelimiterLine::No),
            ("-", false, DelimiterLine::Unknown),
            ("--in-", false, DelimiterLine::Unknown),
            ("--in--x\n", false, DelimiterLine::No),
            ("--in \t", false, DelimiterLine::Unknown),
            ("--in\r", true, delimiter(1, false, 4, 5)),
        ];
        let boundaries: [(usize, &[u8]); 2] = [(1, b"in"), (0, b"out")];
        for (line, end, expected) in rows {
            assert_eq!(test(line.as_bytes(), *end, boundaries.into_iter()), *expected, "{line:?}");
        }
    }
