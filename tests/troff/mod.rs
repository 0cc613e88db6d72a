//! The source of troff: the rules for text, with every line as source.

use crate::markup::{check_windows, references, rows};
use crate::text::oracle::{NonAscii, Options, find_all};

const FORMAT: &str = "troff";

#[test]
fn every_line_is_source() {
    for (source, expected) in [
        (".UR http://e.example/a\\-b\\:c", "http://e.example/a-bc"),
        ("see http://e.example/a\\-b\\:c.", "http://e.example/a-bc"),
        ("\\fBhttp://e.example/a\\fR", "http://e.example/a"),
        ("<http://e.example/a\\:\nb>", "http://e.example/ab"),
        (".\\\" a comment: http://e.example/", "http://e.example/"),
    ] {
        assert_eq!(references(FORMAT, source), [expected], "{source}");
    }
    // Spans are those of the source.
    let rows = rows(FORMAT, "x http://e.example/a\\-b y", false);
    assert_eq!(rows[0].span, (2, 23));
}

#[test]
fn font_escapes_and_break_hints_vanish_inside_and_beside_a_uri() {
    for (source, expected) in [
        ("http://e.example/a\\fIb\\fPc", "http://e.example/abc"),
        ("\\f[CW]http://e.example/a\\f[R]", "http://e.example/a"),
        ("\\f(CWhttp://e.example/a\\fR\\f(BIb", "http://e.example/ab"),
        ("\\%http://e.example/\\&a\\:b", "http://e.example/ab"),
        ("mailto:a\\-b\\:@e.example\\&", "mailto:a-b@e.example"),
        ("irc:\\:\\fI//e.example/a", "irc://e.example/a"),
        ("http://e.example/\\(tia/\\[ti]b", "http://e.example/~a/~b"),
        ("http://e.example/a\\(emb", "http://e.example/a"),
        ("http://e.example/a\\fRx", "http://e.example/ax"),
    ] {
        assert_eq!(references(FORMAT, source), [expected], "{source}");
    }
    // The span is that of the URI, without what vanishes beside it.
    let rows = rows(FORMAT, "\\fBhttp://e.example/\\:a\\fR x", false);
    assert_eq!(rows[0].span, (3, 23));
    assert!(rows[0].flags.is_empty());
}

#[test]
fn a_backslash_at_the_end_of_a_line_of_ur_continues_it() {
    for (source, expected) in [
        (
            ".UR http://e.example/a\\\n/b\ntext\n.UE",
            "http://e.example/a/b",
        ),
        (
            ".UR http://e.example/a\\\r\n/b\r\n.UE",
            "http://e.example/a/b",
        ),
        ("http://e.example/a\\\n/b", "http://e.example/a"),
    ] {
        assert_eq!(references(FORMAT, source), [expected], "{source}");
    }
}

#[test]
fn long_sources_are_read_in_pieces_that_lose_nothing() {
    let line = ".PP\nSee \\fIhttp://e.example/a\\-b\\fR.\n";
    let count = (3 << 20) / line.len();
    let found = references(FORMAT, &line.repeat(count));
    assert_eq!(found.len(), count);
    assert!(found.iter().all(|found| found == "http://e.example/a-b"));
}

/// Returns a source without escapes, and for each byte of it the range in the source: the slow way.
fn without_escapes(source: &str) -> (String, Vec<(u64, u64)>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let is_control = source[..at].rsplit('\n').next().unwrap().starts_with('.');
        let font = |rest: &str| -> Option<usize> {
            let name = rest.strip_prefix("\\f")?;
            match name.as_bytes().first()? {
                b'(' => {
                    let font = name.as_bytes().get(1..3)?;
                    font.iter().all(u8::is_ascii_graphic).then_some(5)
                }
                b'[' => {
                    let mut inside = name.as_bytes()[1..].iter().take(64);
                    let end = inside.position(|byte| b"]\n".contains(byte))?;
                    (name.as_bytes()[1 + end] == b']').then_some(end + 4)
                }
                byte => byte.is_ascii_alphanumeric().then_some(3),
            }
        };
        let starts = |prefixes: &[&'static str]| {
            let mut prefixes = prefixes.iter().copied();
            prefixes.find(|prefix| rest.starts_with(prefix))
        };
        let (length, printed) = if let Some(length) = font(rest) {
            (length, "")
        } else if let Some(escape) = starts(&["\\&", "\\:", "\\%", "\\/", "\\,"]) {
            (escape.len(), "")
        } else if rest.starts_with("\\-") {
            (2, "-")
        } else if let Some(escape) = starts(&["\\(ti", "\\[ti]"]) {
            (escape.len(), "~")
        } else if let Some(escape) = starts(&["\\\n", "\\\r\n"]).filter(|_| is_control) {
            (escape.len(), "")
        } else if starts(&["\\\\", "\\e"]).is_some() {
            places.push((at as u64, at as u64 + 1));
            text.push('\\');
            at += 1;
            (1, &source[at..=at])
        } else {
            let length = rest.chars().next().unwrap().len_utf8();
            (length, &rest[..length])
        };
        text.push_str(printed);
        for index in 0..printed.len() as u64 {
            let start = at as u64 + index;
            let is_copy = printed.len() == length;
            places.push(if is_copy {
                (start, start + 1)
            } else {
                (at as u64, (at + length) as u64)
            });
        }
        at += length;
    }
    (text, places)
}

/// Compares the format with the slow transcription of the rules for text, whole and in windows.
pub(crate) fn check(source: &[u8], window: usize) {
    check_windows(FORMAT, source, window);
    let options = Options {
        non_ascii: NonAscii::Iri,
        www: false,
        email: false,
        strict: false,
        troff: false,
    };
    // The transcription reads bytes as they are, and a document may have another encoding.
    if let Some(source) = str::from_utf8(source)
        .ok()
        .filter(|source| !source.starts_with('\u{feff}'))
    {
        let (text, places) = without_escapes(source);
        let expected = find_all(text.as_bytes(), &options).into_iter();
        let expected: Vec<_> = expected
            .map(|find| (places[find.start].0, places[find.end - 1].1))
            .collect();
        let found = rows(FORMAT, source, false).into_iter();
        let found: Vec<_> = found.map(|row| row.span).collect();
        assert_eq!(found, expected, "{source:?}");
    }
}

#[test]
fn generated_sources_agree_with_the_rules() {
    for seed in 0..crate::rounds(150, 500) {
        let mut numbers = crate::text::soup::Numbers::seeded(seed);
        let source = crate::text::soup::soup(&mut numbers, 200);
        check(&source, 1 + numbers.below(40));
    }
}
