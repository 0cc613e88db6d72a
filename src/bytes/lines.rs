//! Converts offsets to lines and columns, reading each byte once and only for positions requested.
//!
//! Lines end at LF, CR or CRLF and count from 1. Columns count from 1, in Unicode scalar values of
//! the decoded line and in bytes where the line cannot be decoded. A byte order mark has no column.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{Encoding, UTF_8};
use memchr::{memchr, memchr_iter, memchr2_iter, memrchr};
use smart_default::SmartDefault;

use super::simd::{Indices, is_ascii, wide_length};
use super::window::Window;

/// The look-behind in bytes that keeps a character from being split between two counts.
pub(crate) const LOOK_BEHIND: usize = 4;

/// U+FEFF in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the length of the byte order mark that the bytes start with; 0 without one.
pub(crate) fn mark_length(bytes: &[u8]) -> usize {
    let has_mark = bytes.starts_with(BYTE_ORDER_MARK);
    BYTE_ORDER_MARK.len() * usize::from(has_mark)
}

/// A line and a column, both 1-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line number.
    pub line: u64,
    /// The column in Unicode scalar values.
    pub column: u64,
}

/// Counts the lines and columns of one document, window by window.
///
/// ```
/// use uriscan::bytes::{lines::{LineCounter, Position}, window::Window};
/// let mut lines = LineCounter::new();
/// let window = Window::whole("é\r\nü: http://example.com/".as_bytes());
/// assert_eq!(lines.position(&window, 8), Position { line: 2, column: 4 });
/// ```
#[derive(Clone, Debug, SmartDefault)]
pub struct LineCounter {
    #[default(UTF_8)]
    encoding: &'static Encoding,
    /// The offset up to which bytes are counted.
    offset: u64,
    #[default(1)]
    line: u64,
    /// Characters between the line's start and `offset`.
    column: u64,
    /// Bytes between the line's start and `offset`.
    bytes: u64,
    after_cr: bool,
    /// Whether the next bytes may start with a byte order mark.
    #[default(true)]
    may_have_mark: bool,
}

impl LineCounter {
    /// A counter at the start of a document in UTF-8.
    pub fn new() -> Self {
        LineCounter::default()
    }

    /// A counter at the start of line `line`, which begins at `offset`.
    pub(crate) fn starting(offset: u64, line: u64) -> Self {
        LineCounter {
            offset,
            line,
            may_have_mark: offset == 0,
            ..LineCounter::default()
        }
    }

    /// Counts U+FEFF at the start as a character: a converter removed the byte order mark.
    pub(crate) fn expect_no_mark(&mut self) {
        self.may_have_mark = false;
    }

    /// Counts columns in characters of `encoding` from here on.
    /// For a single-byte encoding the current line is recounted from its start.
    pub(crate) fn set_encoding(&mut self, encoding: &'static Encoding) {
        self.encoding = encoding;
        if encoding.is_single_byte() {
            self.column = self.bytes;
        }
    }

    /// Returns the position of an offset of the window; offsets must ascend from call to call.
    pub fn position(&mut self, window: &Window<'_>, offset: u64) -> Position {
        debug_assert!(offset >= self.offset, "offsets must ascend");
        let from = window.at_offset(self.offset);
        let to = window.at_offset(offset).max(from);
        self.count(window.bytes, from..to);
        let (line, column) = (self.line, self.column + 1);
        Position { line, column }
    }

    /// Counts up to index `at` of the window, before the bytes up to there are consumed.
    pub(crate) fn pass(&mut self, window: &Window<'_>, at: usize) {
        let from = window.at_offset(self.offset);
        let to = whole_characters(self.encoding, window.bytes, from, at);
        self.count(window.bytes, from..to);
    }

    fn count(&mut self, bytes: &[u8], mut range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        if std::mem::take(&mut self.may_have_mark) && self.encoding == UTF_8 {
            let mark = mark_length(&bytes[range.clone()]);
            range.start += mark;
            self.offset = mark as u64;
        }
        let bytes = &bytes[..range.end];
        self.offset += range.len() as u64;
        if self.after_cr && bytes.get(range.start) == Some(&b'\n') {
            range.start += 1;
        }
        self.after_cr = bytes.last() == Some(&b'\r');
        let (mut line, mut wide) = (None, bytes.len());
        // Controls up to CR and bytes beyond ASCII, which are few in most texts.
        let mut indices = Indices::new(b'\r' + 1, bytes, range.start);
        indices.is_limit = true;
        for at in indices {
            match bytes[at] {
                b'\n' if range.len() < LONG => (self.line, line) = (self.line + 1, Some(at + 1)),
                b'\r' | b'\n' | 0x80.. => {
                    let (breaks, last) = count_breaks(bytes, at);
                    (self.line, line) = (self.line + breaks, last.or(line));
                    wide = at;
                    break;
                }
                _ => {}
            }
        }
        if let Some(line) = line {
            (self.column, self.bytes) = (0, 0);
            range.start = line;
        }
        self.bytes += range.len() as u64;
        let wide = &bytes[wide.max(range.start)..];
        self.column += (range.len() - wide.len()) as u64;
        if !wide.is_empty() {
            self.column += characters(self.encoding, wide);
        }
    }
}

/// The number of bytes in which searches for a byte take less time than a look at each line feed.
const LONG: usize = 1 << 10;

/// Returns the number of line breaks of any kind from an index on, and the index after the last one.
fn count_breaks(bytes: &[u8], from: usize) -> (u64, Option<usize>) {
    let rest = &bytes[from..];
    if rest.len() >= LONG && memchr(b'\r', rest).is_none() {
        let last = memrchr(b'\n', rest).map(|last| from + last + 1);
        return (memchr_iter(b'\n', rest).count() as u64, last);
    }
    let (mut breaks, mut line) = (0, None);
    for at in memchr2_iter(b'\r', b'\n', rest) {
        let at = from + at;
        // CRLF is one line break.
        if bytes[at] == b'\r' || at == from || bytes[at - 1] != b'\r' {
            breaks += 1;
        }
        line = Some(at + 1);
    }
    (breaks, line)
}

/// Makes each CR that ends a line an LF.
pub(crate) fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(bytes);
    for at in memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n')) {
        text.to_mut()[at] = b'\n';
    }
    text
}

/// Returns a line without its end, LF or CR LF.
pub(crate) fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the number of line breaks.
///
/// ```
/// assert_eq!(uriscan::bytes::lines::breaks(b"a\nb\r\nc\rd"), 3);
/// ```
pub fn breaks(bytes: &[u8]) -> u64 {
    let mut lines = LineCounter::new();
    lines.count(bytes, 0..bytes.len());
    lines.line - 1
}

/// Returns the number of Unicode scalar values; each undecodable byte is one.
fn characters(encoding: &'static Encoding, bytes: &[u8]) -> u64 {
    if encoding == UTF_8 {
        // Most texts between two links have one such character, or a few at their start.
        let (bytes, ascii) = bytes.split_at(wide_length(bytes));
        let chunks = bytes.utf8_chunks();
        let counts = chunks.map(|chunk| chunk.valid().chars().count() + chunk.invalid().len());
        // Chunks are cut byte by byte; text that is valid throughout is checked by words.
        let count = str::from_utf8(bytes).map(|text| text.chars().count());
        return (ascii.len() + count.unwrap_or_else(|_| counts.sum())) as u64;
    }
    if encoding.is_single_byte() || is_ascii(bytes) {
        return bytes.len() as u64;
    }
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    text.chars().count() as u64
}

/// Returns the last index up to `at` that splits no character.
fn whole_characters(encoding: &'static Encoding, bytes: &[u8], from: usize, at: usize) -> usize {
    if from >= at || encoding.is_single_byte() {
        return at;
    }
    if encoding == UTF_8 {
        let floor = from.max(at.saturating_sub(LOOK_BEHIND - 1));
        let lead = (floor..at).rev().find(|&i| bytes[i] & 0xC0 != 0x80);
        return match lead {
            Some(i) if bytes[i] >= 0xC0 && i + bytes[i].leading_ones().min(4) as usize > at => i,
            _ => at,
        };
    }
    // No byte below 0x30 is part of a longer character in any legacy encoding.
    if bytes[at - 1] < 0x30 {
        return at;
    }
    // The bytes that a decoder still withholds, expecting more, are left for the next call.
    let mut complete = String::with_capacity(3 * (at - from) + 8);
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let _ = decoder.decode_to_string(&bytes[from..at], &mut complete, false);
    let complete = complete.chars().count() as u64;
    let ends = (at.saturating_sub(LOOK_BEHIND - 1).max(from)..=at).rev();
    let mut whole = ends.filter(|&end| characters(encoding, &bytes[from..end]) == complete);
    whole.next().unwrap_or(at)
}

#[cfg(test)]
#[path = "../../tests/unit/bytes/lines.rs"]
mod tests;
