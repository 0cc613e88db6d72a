//! However a document is cut into windows, whatever its format: the same links and diagnostics, with
//! spans that hold what was reported.

use uriscan::document::{self, AnchorReporting};
use uriscan::extractor::{Document, Extractor, ExtractorOptions, Positions};

use super::Input;
use crate::mail::run::{Found, Got, read, this_message};

pub(super) fn check(mut input: Input<'_>) {
    let all: Vec<_> = document::Format::all().collect();
    let format = all[input.below(all.len())];
    let mut formats = document::FormatOptions::default();
    formats.html.extended = input.flag();
    formats.html.text = input.flag();
    formats.anchors = input.pick(&[AnchorReporting::Leave, AnchorReporting::Report]);
    let window = 1 + input.below(256);
    let bytes = input.document();

    let whole = read(format.name, bytes, &formats, 1 << 20);
    let cut = read(format.name, bytes, &formats, window);
    cut.expect_same(&whole, &format!("{}, windows of {window}", format.name));
    let viewed = in_memory(format.name, bytes, &formats, window);
    viewed.expect_same(&whole, &format!("{}, in memory", format.name));
    let pushed = in_chunks(format.name, bytes, &formats, window);
    pushed.expect_same(&whole, &format!("{}, chunks of {window}", format.name));
    for link in whole.links.iter().filter(|link| link.member.is_empty()) {
        check_span(bytes, link);
    }
}

fn in_memory(
    format: &str,
    bytes: &[u8],
    formats: &document::FormatOptions,
    window: usize,
) -> Found {
    let mut found = Found::default();
    let mut extractor = Extractor::new(
        &ExtractorOptions::default()
            .with_formats(formats.clone())
            .with_positions(Positions::Lines)
            .with_window(window),
    );
    let base = this_message();
    let format = document::Format::named(format).expect("it is a format");
    extractor.extract_bytes(&Document::new(format, Some(&base)), bytes, &mut found);
    found
}

fn in_chunks(format: &str, bytes: &[u8], formats: &document::FormatOptions, chunk: usize) -> Found {
    let mut found = Found::default();
    let mut extractor = Extractor::new(
        &ExtractorOptions::default()
            .with_formats(formats.clone())
            .with_positions(Positions::Lines),
    );
    let base = this_message();
    let format = document::Format::named(format).expect("it is a format");
    let mut stream = extractor.stream(&Document::new(format, Some(&base)), &mut found);
    for chunk in bytes.chunks(chunk) {
        stream.write(chunk).expect("memory is left");
    }
    stream.finish().expect("memory is left");
    found
}

fn check_span(bytes: &[u8], link: &Got) {
    let (start, end) = (link.span.0 as usize, link.span.1 as usize);
    assert!(start <= end && end <= bytes.len(), "{link:#?}");
    let raw = &bytes[start..end];
    // What a format may write in another way is that format's affair, and that of its own oracle.
    let rewritten = |byte: &u8| matches!(byte, b'&' | b'\\' | 0..=b' ' | 0x7F..);
    let is_guess = ["www", "email"].contains(&link.context);
    if bytes.iter().any(|&byte| byte >= 0x7F || byte == 0x1B)
        || raw.iter().any(rewritten)
        || is_guess
    {
        return;
    }
    assert_eq!(String::from_utf8_lossy(raw), link.reference, "{link:#?}");
}
