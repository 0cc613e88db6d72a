//! URIs that were made harmless (`hxxp://example[.]com`), as reports of incidents show them (rule T44).

use super::rewritten::Rewrite;
use crate::document::events::Span;
use crate::document::flags::Flags;
use crate::document::source_text::DecodedText;

/// Harmless spellings of parts of a URI, in lower case, and the parts.
static PARTS: [(&[u8], &[u8]); 8] = [
    (b"hxxps", b"https"),
    (b"hxxp", b"http"),
    (b"fxp", b"ftp"),
    (b"[.]", b"."),
    (b"(.)", b"."),
    (b"[dot]", b"."),
    (b"[:]", b":"),
    (b"[://]", b"://"),
];

/// The length of the longest spelling, and of the bytes that decide after it.
const LOOK_AHEAD: usize = 7;

/// The most parts of a line that are undone, so that the text does not become much shorter.
const MAX_PARTS: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Refang {
    offset: u64,
    in_line: usize,
    before: u8,
    /// The offsets of parts that were undone and may be in a later reference.
    undone: Vec<u64>,
}

impl Refang {
    /// Returns the part that bytes begin with, as written and as meant.
    fn part(&self, rest: &[u8]) -> Option<(usize, &'static [u8])> {
        let (written, meant) = PARTS.iter().find(|(written, _)| {
            let head = rest.get(..written.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(written))
        })?;
        let behind = &rest[written.len()..];
        let is_scheme = written[0].is_ascii_alphabetic();
        let is_right = !is_scheme
            || !self.before.is_ascii_alphanumeric()
                && (behind.starts_with(b":") || behind.starts_with(b"[:"));
        is_right.then_some((written.len(), *meant))
    }
}

/// Returns whether a text has a part that is undone.
#[cfg(feature = "documents")]
pub(in crate::document) fn is_defanged(text: &[u8]) -> bool {
    let refang = Refang::default();
    (0..text.len()).any(|at| refang.part(&text[at..]).is_some())
}

impl Rewrite for Refang {
    fn begin(&mut self, offset: u64) {
        self.undone.clear();
        (self.offset, self.in_line, self.before) = (offset, 0, 0);
    }

    fn push(&mut self, text: &[u8], last: bool, out: &mut DecodedText) -> usize {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            if rest.len() < LOOK_AHEAD && !last {
                break;
            }
            let is_start = |byte: &u8| matches!(byte, b'h' | b'H' | b'f' | b'F' | b'[' | b'(');
            match self.part(rest).filter(|_| self.in_line < MAX_PARTS) {
                Some((written, meant)) => {
                    out.put(meant, written);
                    self.undone.push(self.offset + at as u64);
                    self.in_line += 1;
                    at += written;
                    self.before = meant[meant.len() - 1];
                }
                None => {
                    let limit = rest.len() - if last { 0 } else { LOOK_AHEAD - 1 };
                    let run = (rest[1..limit].iter().position(is_start)).map_or(limit, |at| at + 1);
                    if rest[..run].iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
                        self.in_line = 0;
                    }
                    out.copy(&rest[..run]);
                    self.before = rest[run - 1];
                    at += run;
                }
            }
        }
        self.offset += at as u64;
        at
    }

    fn flags(&mut self, span: Span) -> Flags {
        // References ascend.
        let passed = self.undone.partition_point(|&at| at < span.start);
        self.undone.drain(..passed);
        Flags::REFANGED.when(self.undone.first().is_some_and(|&at| at < span.end))
    }
}
