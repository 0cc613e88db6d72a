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

/// Compares the format with the slow transcription of the rules for text, whole and in windows.
pub(crate) fn check(source: &[u8], window: usize) {
    check_windows(FORMAT, source, window);
    let options = Options {
        non_ascii: NonAscii::Iri,
        www: false,
        email: false,
        strict: false,
        troff: true,
    };
    // The transcription reads bytes as they are, and a document may have another encoding.
    if let Some(source) = str::from_utf8(source)
        .ok()
        .filter(|source| !source.starts_with('\u{feff}'))
    {
        let expected = find_all(source.as_bytes(), &options).into_iter();
        let expected: Vec<_> = expected
            .map(|find| (find.start as u64, find.end as u64))
            .collect();
        let found = rows(FORMAT, source, false).into_iter();
        let found: Vec<_> = found.map(|row| row.span).collect();
        assert_eq!(found, expected, "{source:?}");
    }
}

#[test]
fn generated_sources_agree_with_the_rules() {
    for seed in 0..500 {
        let mut numbers = crate::text::soup::Numbers::seeded(seed);
        let source = crate::text::soup::soup(&mut numbers, 200);
        check(&source, 1 + numbers.below(40));
    }
}
