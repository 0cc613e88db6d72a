//! Tests the scanner with the laws of the oracle, in windows of every size.

use std::io::Read;

use uriscan::bytes::window::Windows;
use uriscan::document::events::{Event, Events, FoundReference};
use uriscan::document::text::{self, TextScanner};
use uriscan::document::{Format, Scan, ScanStart};

use super::laws::{self, WHOLE};
use super::oracle::{Find, NonAscii, Options};
use super::{choices, limits, soup};

fn options(options: &Options) -> text::TextOptions {
    text::TextOptions {
        non_ascii: match options.non_ascii {
            NonAscii::Iri => text::NonAscii::Iri,
            NonAscii::Ascii => text::NonAscii::Ascii,
        },
        www: options.www,
        email: options.email,
        strict: options.strict,
        ..text::TextOptions::default()
    }
}

fn find(found: &FoundReference, events: &Events, window: &[u8]) -> Find {
    let bytes = |text| events.bytes(text, window).to_vec();
    Find {
        start: found.span.start as usize,
        end: found.span.end as usize,
        uri: bytes(found.text),
        kind: found.context.name(),
        flags: found.flags.names().collect(),
        alternatives: events
            .alternatives(found)
            .iter()
            .map(|&text| bytes(text))
            .collect(),
    }
}

/// Scans a text in windows of `size` bytes.
pub(crate) fn scan(mut text: &[u8], chosen: &Options, size: usize) -> Vec<Find> {
    let format = Format::named("text").expect("text is a format");
    let mut scanner = TextScanner::new(options(chosen));
    let mut windows = Windows::new(size.min(text.len() + 1));
    let mut events = Events::default();
    let mut finds = Vec::new();
    scanner.begin(&ScanStart {
        source: match chosen.troff {
            true => text::TextSource::Troff,
            false => text::TextSource::Prose,
        },
        ..ScanStart::default()
    });
    windows.begin(format.bounds);
    loop {
        windows
            .fill(&mut text.by_ref())
            .expect("a slice can be read");
        let window = windows.window();
        let consumed = scanner.scan(window, &mut events);
        for event in &events.list {
            if let Event::Reference(found) = event {
                let pending = window.offset_at(window.start)..=window.offset_at(consumed);
                assert!(pending.contains(&found.span.start) && pending.contains(&found.span.end));
                finds.push(find(found, &events, window.bytes));
            }
        }
        events.clear();
        if windows.consume(consumed) {
            return finds;
        }
    }
}

/// Returns every size up to 64, and larger ones.
fn sizes() -> Vec<usize> {
    (1..=64)
        .chain([100, 128, 200, 256, 1024, 4096, 65_536, WHOLE])
        .collect()
}

#[test]
fn cases_hold_in_every_window() {
    laws::cases_hold(&scan, &sizes());
}

/// Tries 4000 soups, or the number in `URISCAN_SOUPS`.
#[test]
fn soups_agree_with_the_oracle() {
    let count = std::env::var("URISCAN_SOUPS").map(|count| count.parse());
    let count = count
        .unwrap_or(Ok(4000))
        .expect("URISCAN_SOUPS is a number");
    laws::soups_agree(&scan, 0..count, &[1, 3, 64, WHOLE]);
}

#[test]
fn choices_hold_in_every_window() {
    choices::choices_hold(&scan, &sizes());
}

#[test]
fn repetitions_agree_with_the_oracle() {
    laws::repetitions_agree(&scan, crate::rounds(1 << 10, 1 << 12), &[1, 64, WHOLE]);
}

#[test]
fn white_space_in_angles_is_ignored() {
    laws::white_space_in_angles_is_ignored(&scan, 0..20);
}

#[test]
fn line_prefixes_are_ignored() {
    laws::line_prefixes_are_ignored(&scan);
}

#[test]
fn empty_lines_separate_cases() {
    laws::empty_lines_separate_cases(&scan, 0..10);
}

#[test]
fn limits_hold() {
    limits::limits_hold(&scan, &[1, 64, WHOLE]);
    limits::strict_lifts_limits(&scan);
}

/// Reads every file of `corpus/text`, or of the folder in `URISCAN_TEXTS`.
#[test]
fn files_agree_with_the_oracle() {
    let corpus = || concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/text").to_owned();
    let folder = std::env::var("URISCAN_TEXTS").unwrap_or_else(|_| corpus());
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let text = std::fs::read(&path).expect("a file can be read");
        for www in [false, true] {
            let options = Options {
                www,
                email: www,
                ..Options::default()
            };
            let name = path.display().to_string();
            laws::agrees(&scan, &text, &options, &[77, 1 << 18], &name);
        }
    }
}

/// Reads 256 KiB of each hostile token.
#[test]
fn long_repetitions_end() {
    let options = Options {
        www: true,
        email: true,
        ..Options::default()
    };
    for token in soup::HOSTILE {
        let text = soup::repeated(token, crate::rounds(1 << 17, 1 << 18));
        let finds = scan(&text, &options, 1 << 16);
        laws::check_spans(&text, &finds);
    }
}

/// A window of the look-ahead is enough for any number of break hints (T37, T39).
#[test]
fn break_hints_without_end_are_no_more_than_any_text() {
    for (escape, expected) in [("\\:", 9), ("\\-", 9 + 32_763), ("x\\:", 9 + 21_843)] {
        let text = format!(".http://a/{}", escape.repeat(200_000));
        for window in [1 << 12, 1 << 16, WHOLE] {
            let finds = scan(text.as_bytes(), &Options::default(), window);
            assert_eq!(
                finds[0].uri.len(),
                expected,
                "{escape} in windows of {window}"
            );
        }
    }
}

/// The pieces of a text that is split by `split_at` have the finds of the whole.
#[test]
fn pieces_have_the_finds_of_the_whole() {
    for seed in 0..3000 {
        let mut numbers = soup::Numbers::seeded(seed);
        let text = soup::soup(&mut numbers, 200);
        let chosen = soup::options(&mut numbers);
        let mut finds = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let boundary = (start + 1 + numbers.below(300)).min(text.len());
            let end = text::split_at(&text[boundary..]).map_or(text.len(), |n| boundary + n);
            for mut find in scan(&text[start..end], &chosen, WHOLE) {
                find.start += start;
                find.end += start;
                finds.push(find);
            }
            start = end;
        }
        let expected = scan(&text, &chosen, WHOLE);
        assert_eq!(finds, expected, "seed {seed}: {}", text.escape_ascii());
    }
}

/// Compares the iterator of the library with the scanner.
#[test]
fn the_iterator_finds_the_same() {
    for seed in 0..500 {
        let mut numbers = soup::Numbers::seeded(seed);
        let text = soup::soup(&mut numbers, 200);
        let chosen = Options {
            troff: false,
            ..soup::options(&mut numbers)
        };
        let expected = scan(&text, &chosen, WHOLE);
        let finds = text::find(&text, &options(&chosen));
        let got: Vec<_> = finds
            .map(|find| (find.span, find.reference.into_owned()))
            .collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|find| (find.start..find.end, find.uri))
            .collect();
        assert_eq!(got, expected, "{}", text.escape_ascii());
    }
}
