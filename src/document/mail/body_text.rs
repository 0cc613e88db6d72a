//! Clear text after base64, and signatures (rules M14 and M19).

use memchr::memchr;

use crate::bytes::literal::Literal;
use crate::bytes::simd::{self, Block, Indices};
use crate::bytes::window::Window;
use crate::decode::transfer::sextet;
use crate::document::flags::Flags;

/// Separates base64 from clear text that list software appended to it.
///
/// The clear text starts at the first line after which no line has [`MIN_LINE`] digits of base64, if it
/// has a blank, `_`, `:`, `.` or `<`, or follows a padded line.
#[derive(Debug, Default)]
pub(super) struct Trailer {
    /// The lines that may be clear text, and the current line.
    pending: Vec<u8>,
    /// The index in `pending` where the current line starts.
    line: usize,
    /// Whether clear text has begun, unless a line of base64 follows.
    has_begun: bool,
    is_padded: bool,
    /// Whether the clear text is long enough to be certain.
    is_certain: bool,
}

/// The shortest line that is taken for base64, in digits.
const MIN_LINE: usize = 40;
/// The length of clear text that is certain, in bytes.
const MIN_CERTAIN: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrailerSplit {
    Encoded,
    Clear,
}

impl Trailer {
    /// Passes the bytes that are certain to `sink`.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut sink: impl FnMut(TrailerSplit, &[u8])) {
        if self.is_certain {
            return sink(TrailerSplit::Clear, bytes);
        }
        while !bytes.is_empty() {
            // Complete lines of digits are not copied.
            if self.pending.is_empty() && !self.is_padded {
                let encoded = self.encoded_lines(bytes);
                if encoded > 0 {
                    let (lines, rest) = bytes.split_at(encoded);
                    bytes = rest;
                    sink(TrailerSplit::Encoded, lines);
                }
            }
            let Some(at) = memchr(b'\n', bytes) else {
                break;
            };
            let (line, rest) = bytes.split_at(at + 1);
            bytes = rest;
            self.pending.extend_from_slice(line);
            self.end_line(&mut sink);
            if self.is_certain {
                return sink(TrailerSplit::Clear, bytes);
            }
        }
        self.pending.extend_from_slice(bytes);
        if self.pending.len() - self.line > MIN_CERTAIN {
            self.end_line(&mut sink);
        }
    }

    /// Returns the length of the complete lines of base64 at the start, up to the first padded one.
    fn encoded_lines(&mut self, bytes: &[u8]) -> usize {
        let mut length = 0;
        for at in Indices::new(b'\n', bytes, 0) {
            let line = bytes[length..at].trim_ascii_end();
            if self.is_padded || !is_encoded(line) {
                break;
            }
            self.is_padded = line.ends_with(b"=");
            length = at + 1;
        }
        length
    }

    fn end_line(&mut self, sink: &mut impl FnMut(TrailerSplit, &[u8])) {
        let line = self.pending[self.line..].trim_ascii();
        if is_encoded(line) || (!self.has_begun && line.len() >= MIN_CERTAIN) {
            // The lines that looked like clear text were noise in base64.
            self.is_padded = line.ends_with(b"=");
            self.has_begun = false;
            self.release(sink, TrailerSplit::Encoded);
            return;
        }
        if !self.has_begun && !line.is_empty() {
            let is_clear = |byte| matches!(byte, b' ' | b'\t' | b'_' | b':' | b'.' | b'<');
            // The line before a signature ends with a blank.
            let is_clear = line == b"--" || line.iter().copied().any(is_clear);
            self.has_begun = self.is_padded || is_clear;
            self.is_padded |= line.ends_with(b"=") && !self.has_begun;
        }
        if !self.has_begun {
            return self.release(sink, TrailerSplit::Encoded);
        }
        self.line = self.pending.len();
        if self.pending.len() > MIN_CERTAIN {
            self.is_certain = true;
            self.release(sink, TrailerSplit::Clear);
        }
    }

    fn release(&mut self, sink: &mut impl FnMut(TrailerSplit, &[u8]), split: TrailerSplit) {
        sink(split, &self.pending);
        self.pending.clear();
        self.line = 0;
    }

    pub(super) fn end(&mut self, mut sink: impl FnMut(TrailerSplit, &[u8])) {
        if self.pending.len() > self.line {
            self.end_line(&mut sink);
        }
        if !self.pending.is_empty() {
            let splits = [TrailerSplit::Encoded, TrailerSplit::Clear];
            self.release(&mut sink, splits[usize::from(self.has_begun)]);
        }
    }
}

fn is_encoded(line: &[u8]) -> bool {
    let others = |block: Block| {
        let letters = block.with(0x20).outside(b'a', b'z');
        (letters & block.outside(b'/', b'9')).bits() & !block.any_of([b'+', b'='])
    };
    let is_other = |byte| sextet(byte).is_none() && byte != b'=';
    line.len() >= MIN_LINE && !simd::any(line, others, is_other)
}

static MARK: Literal = Literal::new(b"-- ", 1);

/// Finds the signature of one text, window by window.
#[derive(Debug, Default)]
pub(super) struct SignatureFinder {
    mark: Option<u64>,
    searched: u64,
}

impl SignatureFinder {
    /// Returns the flags of a reference at an offset in the text.
    pub(super) fn at(&self, offset: u64) -> Flags {
        Flags::IN_SIGNATURE.when(self.mark.is_some_and(|mark| offset > mark))
    }

    pub(super) fn read(&mut self, text: &Window) {
        if self.mark.is_some() {
            return;
        }
        let from = text.at_offset(self.searched.max(text.offset));
        let bytes = text.bytes;
        let is_line = |&at: &usize| {
            let before = at.checked_sub(1).map(|before| bytes[before]);
            let rest = &bytes[at + 3..];
            before.map_or(text.offset == 0, |before| before == b'\n')
                && matches!(rest, [] | [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..])
        };
        let mut found = MARK.find_iter(bytes, from);
        self.mark = found.find(is_line).map(|at| text.offset_at(at));
        // A mark that the window's end may have cut is searched for again.
        let searched = text.offset_at(bytes.len().saturating_sub(4));
        self.searched = searched.max(self.searched);
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/body_text.rs"]
mod tests;
