//! References in the source of manual pages and other documents of troff: those of text, in which every
//! line may have troff's escapes (T39).
#![doc = include_str!("rules.md")]

use super::options::TextSource;
use super::text::{self, TextScanner};
use super::{Format, Scan, ScanStart};
use crate::bytes::window::Window;
use crate::document::events::Events;

/// The source of troff.
pub(super) const FORMAT: Format = Format {
    name: "troff",
    extensions: &[
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "man", "mdoc", "ms", "me",
    ],
    scanner: |options| Box::new(TroffScanner(TextScanner::new(options.text.clone()))),
    ..text::FORMAT
};

/// The macros by which a file is known: titles of manual pages (man, mdoc), and headings.
const MACROS: [&[u8]; 7] = [b"TH", b"Dd", b"SH", b"Sh", b"TL", b"NH", b"sh"];

/// Returns whether the first bytes of a file are those of a document for troff: a line begins with
/// a macro that such documents have near their start.
#[cfg(feature = "audit")]
pub(crate) fn is_troff(head: &[u8]) -> bool {
    head.split(|&byte| byte == b'\n').any(|line| {
        let name = line.strip_prefix(b".").unwrap_or_default();
        MACROS.iter().any(|row| {
            let rest = name.strip_prefix(*row);
            rest.is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\r')))
        })
    })
}

/// The scanner for troff: that for text, for which every line is source.
struct TroffScanner(TextScanner);

impl Scan for TroffScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.0.begin(&ScanStart {
            source: TextSource::Troff,
            ..*start
        });
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        self.0.scan(window, events)
    }
}
