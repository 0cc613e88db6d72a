//! References in the source of manual pages and other documents of troff: text without troff's escapes.
#![doc = include_str!("rules.md")]

use super::events::{Events, Quoting};
use super::nested::NestedScanners;
use super::source_text::DecodedText;
use super::{Format, Scan, ScanStart, text};
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::bytes::window::{Bounds, Window};

/// The source of troff.
pub(super) const FORMAT: Format = Format {
    name: "troff",
    extensions: &[
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "man", "mdoc", "ms", "me",
    ],
    bounds: Bounds::new(0, MAX_PIECE + 1),
    scanner: |options| {
        let scanners = NestedScanners::new(options.clone());
        Box::new(TroffScanner { scanners })
    },
    ..text::UNSPLIT
};

/// A line that begins with a macro by which a file is recognized: titles of manual pages (man, mdoc), and
/// headings.
static MACRO_LINE: Pattern = Pattern::new(r"(?m)^\.(?:TH|Dd|SH|Sh|TL|NH|sh)(?:[\t\r ]|$)");

/// Returns whether the first bytes of a file begin a document for troff: a line begins with a macro that
/// such documents have near their start.
pub(crate) fn is_troff(head: &[u8]) -> bool {
    MACRO_LINE.is_match(head)
}

/// A backslash, with the rest of an escape that prints nothing or one character.
static ESCAPE: Pattern = Pattern::new(
    r"\\(?:[&:%/,-]|f(?:\([!-~]{2}|\[[^\]\n]{0,63}\]|[A-Za-z0-9])|\(ti|\[ti\]|\r?\n|[e\\])?",
);

/// The longest piece of a document that is read at a time, in bytes.
const MAX_PIECE: usize = 1 << 20;

struct TroffScanner {
    scanners: NestedScanners,
}

impl Scan for TroffScanner {
    fn begin(&mut self, _start: &ScanStart) {}

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let mut at = window.start;
        while at < window.bytes.len() {
            let rest = &window.bytes[at..];
            if rest.len() <= MAX_PIECE && !window.last {
                break;
            }
            let length = piece_length(rest);
            let text = without_escapes(&rest[..length], window.offset_at(at));
            self.scanners.free_text(text.source(), events, |_, _| {});
            events.forget_stored();
            at += length;
        }
        at
    }
}

/// Returns the length of the next piece: all bytes, or up to a control line, else up to any line.
fn piece_length(bytes: &[u8]) -> usize {
    if bytes.len() <= MAX_PIECE {
        return bytes.len();
    }
    let piece = &bytes[..MAX_PIECE];
    let control = memchr::memmem::rfind(piece, b"\n.");
    let end = control.or_else(|| memchr::memrchr(b'\n', piece));
    end.map_or(MAX_PIECE, |end| end + 1)
}

/// Returns a text at an offset, without escapes that print nothing, and with a hyphen for `\-`.
fn without_escapes(bytes: &[u8], offset: u64) -> DecodedText {
    let mut text = DecodedText::without(Quoting::DOCUMENT);
    text.begin(offset);
    text.bytes.reserve(bytes.len());
    // The start of the line of the last escape.
    let (mut at, mut line) = (0, 0);
    while let Some(found) = ESCAPE.find_at(bytes, at) {
        text.copy(&bytes[at..found.start()]);
        // The last escape may be the end of a line.
        let from = at.saturating_sub(1);
        let since = &bytes[from..found.start()];
        step(since.len());
        if let Some(end) = memchr::memrchr(b'\n', since) {
            line = from + end + 1;
        }
        at = found.end();
        let escape = found.as_bytes();
        match escape {
            b"\\-" => text.put(b"-", 2),
            b"\\(ti" | b"\\[ti]" => text.put(b"~", escape.len()),
            // A backslash that is printed.
            b"\\" | b"\\e" | b"\\\\" => text.copy(escape),
            // Only the line of a macro continues.
            [.., b'\n'] if bytes[line] != b'.' => text.copy(escape),
            _ => text.put(b"", escape.len()),
        }
    }
    text.copy(&bytes[at..]);
    text
}
