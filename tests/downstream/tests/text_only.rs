//! A user of plain text alone.

use uriscan::text::{self, Certainty, TextOptions};
use uriscan::{Document, Extractor, ExtractorOptions, Format, FormatOptions, Link};

#[test]
fn addresses_without_a_scheme_are_found_where_asked_for() {
    let text = TextOptions {
        www: true,
        ..TextOptions::default()
    };
    let options = ExtractorOptions {
        formats: FormatOptions {
            text,
            ..FormatOptions::default()
        },
        ..ExtractorOptions::default()
    };
    let mut targets = Vec::new();
    Extractor::new(&options).extract_bytes(
        &Document::new(Format::TEXT, None),
        b"www.example.com, <http://example.org/a\nb>",
        &mut |link: &Link<'_>| targets.extend(link.target_str().map(str::to_owned)),
    );
    assert_eq!(targets, ["http://www.example.com", "http://example.org/ab"]);
}

#[test]
fn each_reference_has_a_certainty() {
    let line = b"It is at <http://www.example.com/a>, perhaps at http://www.example.com/b...";
    let found = text::find(line, &TextOptions::default());
    let found: Vec<_> = found.map(|one| (one.certainty(), one.span)).collect();
    assert_eq!(
        found,
        [(Certainty::Exact, 10..34), (Certainty::Doubtful, 48..72)]
    );
    assert_eq!(Certainty::Exact.to_string(), "exact");
}
