//! Clear text behind base64.

use memchr::memchr;

use crate::decode::transfer::sextet;

/// Separates base64 from clear text that list software appended to it.
///
/// The clear text starts at the first line behind which no line has [`LINE`] digits of base64, if
/// that line has a blank, `_`, `:`, `.` or `<`, or follows a padded line.
#[derive(Debug, Default)]
pub(super) struct Trailer {
    /// Lines that may be clear text, and the line at hand.
    held: Vec<u8>,
    /// Where in `held` the line at hand starts.
    line: usize,
    /// Clear text has begun, unless a line of base64 follows.
    begun: bool,
    padded: bool,
    /// It can no longer turn out to be anything else.
    certain: bool,
}

/// A line of base64 is at least this long.
const LINE: usize = 40;
/// Clear text of this length is certain.
const CERTAIN: usize = 64 << 10;

/// What stands before a possible trailer.
pub(super) enum TrailerSplit {
    /// All of it may be decoded.
    Encoded,
    /// It is clear text.
    Clear,
}

impl Trailer {
    pub(super) fn begin(&mut self) {
        self.held.clear();
        self.line = 0;
        (self.begun, self.padded, self.certain) = (false, false, false);
    }

    /// Takes bytes, and hands on those that are certain.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut sink: impl FnMut(TrailerSplit, &[u8])) {
        if self.certain {
            return sink(TrailerSplit::Clear, bytes);
        }
        while let Some(at) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(at + 1);
            bytes = rest;
            // The usual line, whole and full of digits, is not copied.
            if self.held.is_empty() && !self.padded && is_encoded(line.trim_ascii_end()) {
                self.padded = line.trim_ascii_end().ends_with(b"=");
                sink(TrailerSplit::Encoded, line);
                continue;
            }
            self.held.extend_from_slice(line);
            self.judge(&mut sink);
            if self.certain {
                return sink(TrailerSplit::Clear, bytes);
            }
        }
        self.held.extend_from_slice(bytes);
        if self.held.len() - self.line > CERTAIN {
            self.judge(&mut sink);
        }
    }

    /// Looks at the line at hand, which is complete.
    fn judge(&mut self, sink: &mut impl FnMut(TrailerSplit, &[u8])) {
        let line = self.held[self.line..].trim_ascii();
        if is_encoded(line) || (!self.begun && line.len() >= CERTAIN) {
            // What looked like clear text was noise inside.
            self.padded = line.ends_with(b"=");
            self.begun = false;
            self.release(sink, &TrailerSplit::Encoded);
            return;
        }
        if !self.begun && !line.is_empty() {
            let clear = line
                .iter()
                .any(|byte| matches!(byte, b' ' | b'\t' | b'_' | b':' | b'.' | b'<'));
            if clear || self.padded {
                self.begun = true;
            } else {
                self.padded = line.ends_with(b"=");
            }
        }
        if !self.begun {
            return self.release(sink, &TrailerSplit::Encoded);
        }
        self.line = self.held.len();
        if self.held.len() > CERTAIN {
            self.certain = true;
            self.release(sink, &TrailerSplit::Clear);
        }
    }

    fn release(&mut self, sink: &mut impl FnMut(TrailerSplit, &[u8]), split: &TrailerSplit) {
        let split = match split {
            TrailerSplit::Encoded => TrailerSplit::Encoded,
            TrailerSplit::Clear => TrailerSplit::Clear,
        };
        sink(split, &self.held);
        self.held.clear();
        self.line = 0;
    }

    /// The body ends.
    pub(super) fn end(&mut self, mut sink: impl FnMut(TrailerSplit, &[u8])) {
        if self.held.len() > self.line {
            self.judge(&mut sink);
        }
        if !self.held.is_empty() {
            let split = if self.begun {
                TrailerSplit::Clear
            } else {
                TrailerSplit::Encoded
            };
            self.release(&mut sink, &split);
        }
    }
}

fn is_encoded(line: &[u8]) -> bool {
    line.len() >= LINE
        && line
            .iter()
            .all(|&byte| sextet(byte).is_some() || byte == b'=')
}
