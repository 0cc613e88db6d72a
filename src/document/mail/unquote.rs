//! What a mailbox did to the lines of its messages: `>From ` gets its mark removed (mboxrd), and
//! runs of NUL bytes, which damaged spools have, are dropped.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memmem};

static QUOTED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b">From "));

/// Undoes it, piece by piece.
#[derive(Clone, Debug, Default)]
pub(super) struct LineUnquoter {
    on: bool,
    /// Runs of NUL were dropped.
    pub(super) dropped: bool,
    /// The end of what came so far: marks at a line's start, or NULs.
    held: Vec<u8>,
    /// What came so far ends inside a line.
    inside: bool,
    /// In a run of NULs that is dropped.
    run: bool,
}

/// The longest line start that is held: marks and `From `.
const HELD: usize = 128;
/// Shorter runs of NUL may be UTF-16 or UTF-32.
const RUN: usize = 4;
const FROM: &[u8] = b"From ";

impl LineUnquoter {
    /// For messages of a mailbox.
    pub(super) fn mailbox() -> Self {
        LineUnquoter {
            on: true,
            ..LineUnquoter::default()
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Whether nothing is held, and nothing was left out.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && !self.dropped
    }

    /// Whether there is anything to undo in a whole part, in which a line may be `quoted`.
    pub(super) fn concerns(raw: &[u8], quoted: bool) -> bool {
        quoted && QUOTED.find(raw).is_some() || memchr(0, raw).is_some()
    }

    /// Takes a piece and hands on what is to be read.
    pub(super) fn push(&mut self, raw: &[u8], mut sink: impl FnMut(&[u8])) {
        let joined;
        let raw = if self.held.is_empty() {
            raw
        } else {
            joined = [&self.held, raw].concat();
            self.held.clear();
            joined.as_slice()
        };
        let end = raw.len() - self.undecided(raw);
        self.held.extend_from_slice(&raw[end..]);
        let raw = &raw[..end];
        if self.run || Self::concerns(raw, true) {
            self.pieces(raw, &mut sink);
        } else if !raw.is_empty() {
            sink(raw);
        }
        if let Some(&last) = raw.last() {
            self.inside = last != b'\n';
        }
    }

    /// How many bytes at the end may be the start of a quoted line, or of a run.
    fn undecided(&self, raw: &[u8]) -> usize {
        let tail = &raw[raw.len().saturating_sub(HELD)..];
        let nuls = tail.iter().rev().take_while(|&&byte| byte == 0).count();
        if nuls > 0 {
            let running = self.run && nuls == raw.len();
            return if nuls < RUN && !running { nuls } else { 0 };
        }
        let line = match memchr::memrchr(b'\n', tail) {
            Some(at) => &tail[at + 1..],
            None if tail.len() == raw.len() && !self.inside => tail,
            None => return 0,
        };
        let marks = line.iter().take_while(|&&byte| byte == b'>').count();
        let rest = &line[marks..];
        if marks > 0 && line.len() < HELD && rest.len() < FROM.len() && FROM.starts_with(rest) {
            line.len()
        } else {
            0
        }
    }

    fn pieces(&mut self, raw: &[u8], sink: &mut impl FnMut(&[u8])) {
        let mut at = 0;
        while at < raw.len() {
            if self.run {
                let end = raw[at..].iter().position(|&byte| byte != 0);
                at += end.unwrap_or(raw.len() - at);
                self.run = end.is_none();
                continue;
            }
            let rest = &raw[at..];
            let run = memmem::find(rest, &[0; RUN]).unwrap_or(rest.len());
            self.unquote(&raw[..at + run], at, sink);
            at += run;
            if at < raw.len() {
                self.run = true;
                self.dropped = true;
            }
        }
    }

    /// Hands on `raw[from..]` without the first mark of each quoted line.
    fn unquote(&self, raw: &[u8], from: usize, sink: &mut impl FnMut(&[u8])) {
        let mut start = from;
        for at in QUOTED.find_iter(&raw[from..]) {
            let at = from + at;
            let line = raw[..at]
                .iter()
                .rposition(|&byte| byte != b'>')
                .map_or(0, |at| at + 1);
            let starts = match line.checked_sub(1) {
                Some(before) => raw[before] == b'\n',
                None => !self.inside,
            };
            if starts && line >= start {
                if start < line {
                    sink(&raw[start..line]);
                }
                start = line + 1;
            }
        }
        if start < raw.len() {
            sink(&raw[start..]);
        }
    }

    /// Everything has come.
    pub(super) fn end(&mut self, mut sink: impl FnMut(&[u8])) {
        if !self.held.is_empty() {
            sink(&self.held);
            self.held.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[rustfmt::skip]
    fn quoting_and_nul_runs_are_undone_in_pieces_of_any_size() {
        let rows: &[(&str, &str)] = &[
            (">From a\n>>From b\n> From c\nx>From d\n>Fro", "From a\n>From b\n> From c\nx>From d\n>Fro"),
            ("a\0b\0\0\0c\0\0\0\0\0d\n\0\0\0\0>From x\n", "a\0b\0\0\0cd\n>From x\n"),
            ("\n>>>>From \n>", "\n>>>From \n>"),
            ("\0\0", "\0\0"),
        ];
        for (text, expected) in rows {
            for size in 1..20 {
                let mut clean = LineUnquoter::mailbox();
                let mut out = Vec::new();
                for piece in text.as_bytes().chunks(size) {
                    clean.push(piece, |bytes| out.extend_from_slice(bytes));
                }
                clean.end(|bytes| out.extend_from_slice(bytes));
                assert_eq!(String::from_utf8_lossy(&out), *expected, "{text:?} by {size}");
            }
        }
    }
}
