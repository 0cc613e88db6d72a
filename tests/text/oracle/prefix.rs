//! Prefixes of lines in a reply or a comment (T15).

use super::chars::{Text, is_blank, is_ws};

/// The longest distance to the start of the opening line, in bytes.
pub(super) const LONGEST: usize = 1024;

/// The spelling of reply marks (T14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// `>`
    Plain,
    /// `&gt;`
    Entity,
    /// Either.
    Either,
}

/// The line prefix of an opening line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    None,
    /// This many reply marks, in a spelling.
    Reply(usize, Written),
    /// A comment leader, as later lines repeat it.
    Comment(Vec<u8>),
}

/// Returns the prefix of the line of `at`.
pub(super) fn of_line(text: Text<'_>, at: usize) -> Prefix {
    let Some(start) = text.line_start(at, LONGEST) else {
        return Prefix::None;
    };
    let markers = markers(text, start, at, Written::Plain);
    if markers > 0 {
        return Prefix::Reply(markers, Written::Plain);
    }
    comment_leader(text.from(behind_blanks(text, start)))
}

/// T14: like [`of_line`], but marks may be written `&gt;`.
pub(super) fn of_line_from_html(text: Text<'_>, at: usize) -> Prefix {
    let start = text.line_start(at, LONGEST);
    let markers = start.map_or(0, |start| markers(text, start, at, Written::Either));
    match markers {
        0 => of_line(text, at),
        _ => Prefix::Reply(markers, Written::Either),
    }
}

/// T14: returns the marks of the line at `at`, all written `&gt;`.
pub(super) fn entities(text: Text<'_>, at: usize) -> Prefix {
    match markers(text, at, text.0.len(), Written::Entity) {
        0 => Prefix::None,
        count => Prefix::Reply(count, Written::Entity),
    }
}

/// Returns the number of marks between `start` and `end`.
fn markers(text: Text<'_>, start: usize, end: usize, written: Written) -> usize {
    let mut count = 0;
    let mut at = start;
    while let Some(next) = behind_marker(text, at, written).filter(|&next| next <= end) {
        at = next;
        count += 1;
    }
    count
}

/// T39: returns whether the line of `at` starts with `.`, behind marks, blanks and the sign of a patch.
pub(super) fn is_control_line(text: Text<'_>, at: usize) -> bool {
    let Some(mut start) = text.line_start(at, LONGEST) else {
        return false;
    };
    while let Some(next) = behind_marker(text, start, Written::Either).filter(|&next| next <= at) {
        start = next;
    }
    start = behind_blanks(text, start);
    start += usize::from(matches!(text.byte(start), Some(b'+' | b'-')));
    start < at && text.byte(start) == Some(b'.')
}

impl Prefix {
    /// Returns the end of the prefix of the line at `at`, unless it lacks reply marks.
    pub(super) fn skip(&self, text: Text<'_>, at: usize) -> Option<usize> {
        match self {
            Prefix::None => Some(at),
            Prefix::Reply(markers, written) => {
                (0..*markers).try_fold(at, |at, _| behind_marker(text, at, *written))
            }
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

/// `[ \t]*>` or `[ \t]*&gt;`
fn behind_marker(text: Text<'_>, at: usize, written: Written) -> Option<usize> {
    let at = behind_blanks(text, at);
    if written != Written::Entity && text.byte(at) == Some(b'>') {
        return Some(at + 1);
    }
    let is_entity = written != Written::Plain && text.has_any_case_at(at, b"&gt;");
    is_entity.then_some(at + 4)
}

/// `L[ \t]` with L one of `#+ ;+ %+ *+ |+ !+ // /// --`, or `/*`, which `*` continues.
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
