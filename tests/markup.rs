//! What the tests of formats share whose documents are read in blocks of lines.

use std::ops::ControlFlow;

use uriscan::document::flags::Flags;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::formats::AnchorReporting;
use uriscan::linker::{self, Link, Sink};
use uriscan::uri::{Base, BaseSource};
use uriscan::{Format, FormatOptions};

use crate::text::soup::Numbers;

/// A reference that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) reference: String,
    pub(crate) target: String,
    pub(crate) element: Option<String>,
    pub(crate) span: (u64, u64),
    pub(crate) flags: Flags,
}

/// What was found in a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) rows: Vec<Row>,
    pub(crate) anchors: Vec<String>,
    pub(crate) codes: Vec<(&'static str, u64)>,
}

impl Sink for Found {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.rows.push(Row {
            reference: text(link.reference),
            target: link.target.map_or_else(|_| String::new(), text),
            element: link.element.map(str::to_owned),
            span: (link.span.start, link.span.end),
            flags: link.flags,
        });
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        match found {
            linker::Found::Diagnostic(diagnostic) => {
                self.codes.push((diagnostic.code.name, diagnostic.count));
            }
            linker::Found::Anchor(name, _) => {
                self.anchors
                    .push(String::from_utf8_lossy(name).into_owned());
            }
            _ => {}
        }
    }
}

/// Reads a document `window` bytes at a time.
fn read(format: &str, bytes: &[u8], window: usize, change: fn(&mut FormatOptions)) -> Found {
    let base = Base {
        uri: b"http://example.com/dir/a".to_vec(),
        source: BaseSource::RetrievalFile,
    };
    let mut formats = FormatOptions {
        anchors: AnchorReporting::Report,
        ..FormatOptions::default()
    };
    change(&mut formats);
    let options = ExtractorOptions::default()
        .with_formats(formats)
        .with_window(window);
    let mut found = Found::default();
    let document = Document::new(Format::named(format).unwrap(), Some(&base));
    let outcome = Extractor::new(&options).extract(&document, bytes, &mut found);
    outcome.expect("a slice reads without errors");
    found
}

/// Reads a document whole and in small windows, which give the same.
pub(crate) fn both(format: &str, text: &str) -> Found {
    both_with(format, text, |_| {})
}

fn both_with(format: &str, text: &str, change: fn(&mut FormatOptions)) -> Found {
    let whole = read(format, text.as_bytes(), 1 << 20, change);
    let windows: &[usize] = if text.len() < 10_000 {
        &[1, 7]
    } else {
        &[1 << 16]
    };
    for &window in windows {
        assert_eq!(
            read(format, text.as_bytes(), window, change),
            whole,
            "{window}"
        );
    }
    whole
}

/// The references of a document, with mail addresses or without.
pub(crate) fn rows(format: &str, text: &str, email: bool) -> Vec<Row> {
    let change = match email {
        true => |options: &mut FormatOptions| options.text.email = true,
        false => |_: &mut FormatOptions| {},
    };
    both_with(format, text, change).rows
}

/// The references of a document when text that is not read by default is read too.
pub(crate) fn extended(format: &str, text: &str) -> Vec<String> {
    let found = both_with(format, text, |options| options.html.extended = true);
    found.rows.into_iter().map(|row| row.reference).collect()
}

/// The references of a document.
pub(crate) fn references(format: &str, text: &str) -> Vec<String> {
    let rows = both(format, text).rows.into_iter();
    rows.map(|row| row.reference).collect()
}

/// The diagnostics of a document, and how often each occurred.
pub(crate) fn codes(format: &str, text: &str) -> Vec<(&'static str, u64)> {
    both(format, text).codes
}

/// Reads a document whole and in windows, which give the same; spans ascend and lie in the document.
pub(crate) fn check_windows(format: &str, bytes: &[u8], window: usize) {
    let whole = read(format, bytes, 4 << 20, |_| {});
    assert_eq!(
        read(format, bytes, window, |_| {}),
        whole,
        "windows of {window}"
    );
    let mut last = 0;
    for row in &whole.rows {
        let (start, end) = row.span;
        assert!(
            last <= start && start < end && end <= bytes.len() as u64,
            "{row:?}"
        );
        last = start;
    }
}

/// Reads documents of tokens in any order, which need not make sense. `MARKUP_SEEDS=100000` in the
/// environment runs more of them.
pub(crate) fn check_soups(format: &str, tokens: &[&str]) {
    let seeds = std::env::var("MARKUP_SEEDS").map(|seeds| seeds.parse());
    let seeds = seeds.unwrap_or(Ok(100)).expect("MARKUP_SEEDS is a number");
    for seed in 0..seeds {
        let mut numbers = Numbers::seeded(seed);
        let count = 1 + numbers.below(60);
        let document: String = (0..count).map(|_| *numbers.pick(tokens)).collect();
        check_windows(format, document.as_bytes(), 1 + numbers.below(40));
    }
}

#[test]
fn line_breaks_of_each_kind_end_lines() {
    for (format, name) in [
        ("rst", "directives"),
        ("rst", "links"),
        ("rst", "sphinx"),
        ("adoc", "blocks"),
        ("adoc", "macros"),
        ("adoc", "xrefs"),
    ] {
        let path = format!("tests/vectors/documents/{name}.{format}");
        let text = std::fs::read_to_string(path).unwrap();
        let found = |text: &str| {
            let found = both(format, text);
            let rows = found.rows.into_iter();
            (
                rows.map(|row| (row.reference, row.element))
                    .collect::<Vec<_>>(),
                found.anchors,
            )
        };
        for line_break in ["\r", "\r\n"] {
            assert_eq!(
                found(&text.replace('\n', line_break)),
                found(&text),
                "{name} {line_break:?}"
            );
        }
    }
    // The last byte of the first bytes of a line that is skipped.
    let line = ".. ".to_owned() + &"x".repeat(4092);
    for length in 4092..4096 {
        let text = format!("{}\r   x\r\r.. image:: a.png\r", &line[..length]);
        assert_eq!(references("rst", &text), ["a.png"], "{length}");
    }
}
