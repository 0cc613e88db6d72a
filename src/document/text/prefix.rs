//! What stands before the content of every line: reply marks, or a comment's leader (rule D6).

use super::view::{View, is_blank};

/// The prefix of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// None.
    Nothing,
    /// So many reply marks, `>`.
    Replies(usize),
    /// A comment leader: the bytes at this range of the window.
    Leader(usize, usize),
    /// A comment opened by `/*`, whose further lines start with `*`.
    Block,
}

impl Prefix {
    /// The prefix of the line in which `end` stands, as far as it lies before `end`.
    pub(super) fn before(view: &View<'_>, end: usize) -> Prefix {
        let Some(start) = view.line_start(end) else {
            return Prefix::Nothing;
        };
        let line = &view.bytes[start..end];
        let marks = replies(line);
        if marks > 0 {
            return Prefix::Replies(marks);
        }
        let indent = line.iter().take_while(|&&byte| is_space(byte)).count();
        let text = &line[indent..];
        match leader(text) {
            0 => Prefix::Nothing,
            n if !text.get(n).is_some_and(|&byte| is_space(byte)) => Prefix::Nothing,
            _ if text.starts_with(b"/*") => Prefix::Block,
            n => Prefix::Leader(start + indent, start + indent + n),
        }
    }

    /// Skips the same prefix at the start of another line, looking hardly further than `limit`.
    ///
    /// None where reply marks are missing: that is another speaker.
    pub(super) fn skip(self, view: &View<'_>, from: usize, limit: usize) -> Option<usize> {
        let spaces = |mut at: usize| {
            while at < limit && view.at(at).is_some_and(is_space) {
                at += 1;
            }
            at
        };
        let leader = match self {
            Prefix::Nothing => &b""[..],
            Prefix::Replies(marks) => {
                let mut at = from;
                for _ in 0..marks {
                    at = spaces(at);
                    if at >= limit || view.at(at) != Some(b'>') {
                        return None;
                    }
                    at += 1;
                }
                return Some(at);
            }
            Prefix::Leader(start, end) => &view.bytes[start..end],
            Prefix::Block => b"*",
        };
        if leader.is_empty() {
            return Some(from);
        }
        let at = spaces(from);
        let end = at + leader.len();
        // The end of the text counts as WS, so that splitting changes nothing.
        let found = view.spells(at, leader) && view.at(end).is_none_or(is_blank);
        Some(if found { end } else { from })
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The number of reply marks that a line starts with: `([ \t]*>)+`.
fn replies(line: &[u8]) -> usize {
    line.iter()
        .take_while(|&&byte| is_space(byte) || byte == b'>')
        .filter(|&&byte| byte == b'>')
        .count()
}

/// The length of the comment leader that a text starts with: `#+ ;+ %+ *+ |+ !+ // /// -- /*`.
fn leader(text: &[u8]) -> usize {
    let Some(&first) = text.first() else { return 0 };
    let run = text.iter().take_while(|&&byte| byte == first).count();
    match (first, run) {
        (b'#' | b';' | b'%' | b'*' | b'|' | b'!', _) => run,
        (b'/', 2 | 3) | (b'-', 2) => run,
        (b'/', 1) if text.get(1) == Some(&b'*') => 2,
        _ => 0,
    }
}
