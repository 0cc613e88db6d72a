//! D6: what stands before every line of a reply or a comment.

use super::chars::{Text, is_blank, is_ws};

/// How far back the start of the opening line may be, and so how long its prefix.
pub(super) const LONGEST: usize = 1024;

/// The line prefix of an opening line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    None,
    /// Q: so many reply markers.
    Reply(usize),
    /// C: a comment leader, as later lines repeat it.
    Comment(Vec<u8>),
}

/// The prefix of the line that `at` stands in.
pub(super) fn of_line(text: Text<'_>, at: usize) -> Prefix {
    let Some(start) = text.line_start(at, LONGEST) else {
        return Prefix::None;
    };
    let mut markers = 0;
    let mut behind = start;
    while let Some(next) = behind_marker(text, behind) {
        behind = next;
        markers += 1;
    }
    if markers > 0 {
        return Prefix::Reply(markers);
    }
    comment_leader(text.from(behind_blanks(text, start)))
}

impl Prefix {
    /// Where the line that starts at `at` goes on behind its prefix; none where it has fewer reply
    /// markers than the opening line.
    pub(super) fn skip(&self, text: Text<'_>, at: usize) -> Option<usize> {
        match self {
            Prefix::None => Some(at),
            Prefix::Reply(markers) => (0..*markers).try_fold(at, |at, _| behind_marker(text, at)),
            Prefix::Comment(leader) => {
                let behind = behind_blanks(text, at) + leader.len();
                // The end of the text counts as white space, so that splitting changes nothing.
                let repeated = text.has_at(behind - leader.len(), leader)
                    && text.byte(behind).is_none_or(is_ws);
                Some(if repeated { behind } else { at })
            }
        }
    }
}

fn behind_blanks(text: Text<'_>, mut at: usize) -> usize {
    while text.byte(at).is_some_and(is_blank) {
        at += 1;
    }
    at
}

/// `[ \t]*>`
fn behind_marker(text: Text<'_>, at: usize) -> Option<usize> {
    let at = behind_blanks(text, at);
    (text.byte(at) == Some(b'>')).then_some(at + 1)
}

/// `T[ \t]` with T one of `#+ ;+ %+ *+ |+ !+ // /// --`, or `/*`, which `*` continues.
fn comment_leader(line: &[u8]) -> Prefix {
    let Some(&first) = line.first() else {
        return Prefix::None;
    };
    let same = line.iter().take_while(|&&byte| byte == first).count();
    let (length, continued): (usize, &[u8]) = match first {
        b'#' | b';' | b'%' | b'*' | b'|' | b'!' => (same, &line[..same]),
        b'/' if line.starts_with(b"/*") => (2, b"*"),
        b'/' if matches!(same, 2 | 3) => (same, &line[..same]),
        b'-' if same == 2 => (2, b"--"),
        _ => return Prefix::None,
    };
    if line.get(length).copied().is_some_and(is_blank) {
        Prefix::Comment(continued.to_vec())
    } else {
        Prefix::None
    }
}
