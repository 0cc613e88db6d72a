//! Removes one mark from `>From ` lines (mboxrd), and drops runs of NUL bytes, which damaged spools have.

use memchr::{memchr, memmem};

use crate::bytes::literal::Literal;

static QUOTED: Literal = Literal::new(b">From ", 1);

#[derive(Clone, Debug, Default)]
pub(super) struct LineUnquoter {
    pub(super) has_dropped: bool,
    /// The end of the input that may begin a quoted line or a run: marks at a line's start, or NULs.
    pending: Vec<u8>,
    /// The input so far ends inside a line.
    in_line: bool,
    in_run: bool,
}

/// The longest start of a line that is kept pending, in bytes: marks and `From `.
const MAX_PENDING: usize = 128;
/// Shorter runs of NUL may be UTF-16 or UTF-32.
const MIN_RUN: usize = 4;
const FROM: &[u8] = b"From ";

impl LineUnquoter {
    /// Returns whether a complete part, in which a line may be `quoted`, has nothing to undo.
    pub(super) fn leaves(&self, raw: &[u8], quoted: bool) -> bool {
        self.pending.is_empty() && !self.has_dropped && !Self::has_any(raw, quoted)
    }

    /// Returns whether a piece may have anything to undo.
    pub(super) fn changes(&self, raw: &[u8]) -> bool {
        let joined = || [&self.pending, &raw[..raw.len().min(FROM.len())]].concat();
        self.in_run
            || Self::has_any(raw, true)
            || !self.pending.is_empty() && Self::has_any(&joined(), true)
    }

    /// Returns whether bytes, in which a line may be `quoted`, have anything to undo.
    fn has_any(raw: &[u8], quoted: bool) -> bool {
        quoted && QUOTED.find(raw, 0).is_some() || memchr(0, raw).is_some()
    }

    /// Passes the contents of a piece to `sink`.
    pub(super) fn push(&mut self, raw: &[u8], mut sink: impl FnMut(&[u8])) {
        let joined;
        let raw = if self.pending.is_empty() {
            raw
        } else {
            joined = [&self.pending, raw].concat();
            self.pending.clear();
            joined.as_slice()
        };
        let end = raw.len() - self.undecided(raw);
        self.pending.extend_from_slice(&raw[end..]);
        let raw = &raw[..end];
        if self.in_run || Self::has_any(raw, true) {
            self.pieces(raw, &mut sink);
        } else if !raw.is_empty() {
            sink(raw);
        }
        if let Some(&last) = raw.last() {
            self.in_line = last != b'\n';
        }
    }

    /// Returns how many bytes at the end may begin a quoted line or a run.
    fn undecided(&self, raw: &[u8]) -> usize {
        let tail = &raw[raw.len().saturating_sub(MAX_PENDING)..];
        let nuls = tail.iter().rev().take_while(|&&byte| byte == 0).count();
        if nuls > 0 {
            let continues = self.in_run && nuls == raw.len();
            let is_run = nuls >= MIN_RUN || continues;
            return if is_run { 0 } else { nuls };
        }
        let line = match memchr::memrchr(b'\n', tail) {
            Some(at) => &tail[at + 1..],
            None if tail.len() == raw.len() && !self.in_line => tail,
            None => return 0,
        };
        let marks = line.iter().take_while(|&&byte| byte == b'>').count();
        let may_begin = marks > 0 && line.len() < MAX_PENDING;
        let is_start = FROM.starts_with(&line[marks..]) && line.len() - marks < FROM.len();
        if may_begin && is_start { line.len() } else { 0 }
    }

    fn pieces(&mut self, raw: &[u8], sink: &mut impl FnMut(&[u8])) {
        let mut at = 0;
        while at < raw.len() {
            if self.in_run {
                let end = raw[at..].iter().position(|&byte| byte != 0);
                at += end.unwrap_or(raw.len() - at);
                self.in_run = end.is_none();
                continue;
            }
            let rest = &raw[at..];
            let run = memmem::find(rest, &[0; MIN_RUN]).unwrap_or(rest.len());
            self.unquote(&raw[..at + run], at, sink);
            at += run;
            if at < raw.len() {
                self.in_run = true;
                self.has_dropped = true;
            }
        }
    }

    /// Passes `raw[from..]` to `sink` without the first mark of each quoted line.
    fn unquote(&self, raw: &[u8], from: usize, sink: &mut impl FnMut(&[u8])) {
        let mut start = from;
        for at in QUOTED.find_iter(raw, from) {
            let before = raw[..at].iter().rposition(|&byte| byte != b'>');
            let line = before.map_or(0, |before| before + 1);
            let starts = before.map_or(!self.in_line, |before| raw[before] == b'\n');
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

    /// Passes pending input to `sink`.
    pub(super) fn end(&mut self, mut sink: impl FnMut(&[u8])) {
        if !self.pending.is_empty() {
            sink(&self.pending);
            self.pending.clear();
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/unquote.rs"]
mod tests;
