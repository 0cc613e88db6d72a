//! What stands before the content of every line: reply marks, or a comment's leader (rule D6).

use super::view::{TextView, is_blank};

/// The prefix of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// None.
    Nothing,
    /// So many reply marks, `>`.
    Replies(usize),
    /// So many reply marks, each `>` or `&gt;` (D5a).
    MixedReplies(usize),
    /// So many reply marks, each `&gt;`, on the lines behind one that has none (D5a).
    EntityReplies(usize),
    /// A comment leader: the bytes at this range of the window.
    Leader(usize, usize),
    /// A comment opened by `/*`, whose further lines start with `*`.
    Block,
}

impl Prefix {
    /// The prefix of the line in which `end` stands, as far as it lies before `end`.
    pub(super) fn before(view: &TextView<'_>, end: usize) -> Prefix {
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

    /// The same, where a reply mark may also be written as `&gt;`: HTML that was turned into text (D5a).
    pub(super) fn with_entities(view: &TextView<'_>, end: usize) -> Prefix {
        let start = view.line_start(end);
        match start.map_or(0, |start| mixed_replies(&view.bytes[start..end]).0) {
            0 => Prefix::before(view, end),
            marks => Prefix::MixedReplies(marks),
        }
    }

    /// The reply marks at the start of a line, all written as `&gt;`, up to `limit`.
    pub(super) fn entities(view: &TextView<'_>, from: usize, limit: usize) -> Option<Prefix> {
        let mut marks = 0;
        let mut at = from;
        while let Some(end) = mark(view, at, limit, Marks::Entities) {
            at = end;
            marks += 1;
        }
        (marks > 0).then_some(Prefix::EntityReplies(marks))
    }

    /// Whether lines start with reply marks.
    pub(super) fn is_reply(self) -> bool {
        matches!(
            self,
            Prefix::Replies(_) | Prefix::MixedReplies(_) | Prefix::EntityReplies(_)
        )
    }

    /// Skips the same prefix at the start of another line, looking hardly further than `limit`.
    ///
    /// None where reply marks are missing: that is another speaker.
    pub(super) fn skip(self, view: &TextView<'_>, from: usize, limit: usize) -> Option<usize> {
        let spaces = |mut at: usize| {
            while at < limit && view.at(at).is_some_and(is_space) {
                at += 1;
            }
            at
        };
        let leader = match self {
            Prefix::Nothing => &b""[..],
            Prefix::Replies(marks) => return skip_marks(view, from, limit, marks, Marks::Plain),
            Prefix::MixedReplies(marks) => {
                return skip_marks(view, from, limit, marks, Marks::Mixed);
            }
            Prefix::EntityReplies(marks) => {
                return skip_marks(view, from, limit, marks, Marks::Entities);
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

/// How reply marks are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    Plain,
    Entities,
    Mixed,
}

/// The entity that stands for `>`.
const ENTITY: &[u8] = b"&gt;";

/// The index behind one reply mark and the spaces before it.
fn mark(view: &TextView<'_>, from: usize, limit: usize, marks: Marks) -> Option<usize> {
    let mut at = from;
    while at < limit && view.at(at).is_some_and(is_space) {
        at += 1;
    }
    match view.at(at) {
        _ if at >= limit => None,
        Some(b'>') if marks != Marks::Entities => Some(at + 1),
        Some(b'&') if marks != Marks::Plain => view.spells(at, ENTITY).then_some(at + ENTITY.len()),
        _ => None,
    }
}

fn skip_marks(
    view: &TextView<'_>,
    from: usize,
    limit: usize,
    count: usize,
    marks: Marks,
) -> Option<usize> {
    (0..count).try_fold(from, |at, _| mark(view, at, limit, marks))
}

/// The number of reply marks that a line starts with, each `>` or `&gt;`, and their length.
fn mixed_replies(line: &[u8]) -> (usize, usize) {
    let (mut count, mut end, mut at) = (0, 0, 0);
    while let Some(&byte) = line.get(at) {
        at += match byte {
            b' ' | b'\t' => 1,
            b'>' => 1,
            _ => match line.get(at..at + ENTITY.len()) {
                Some(entity) if entity.eq_ignore_ascii_case(ENTITY) => ENTITY.len(),
                _ => break,
            },
        };
        if !is_space(byte) {
            count += 1;
            end = at;
        }
    }
    (count, end)
}

/// B14: whether the line in which `end` stands starts with the control character of troff, `.`, behind reply marks and
/// the sign of a patch.
pub(super) fn is_control_line(view: &TextView<'_>, end: usize) -> bool {
    let Some(start) = view.line_start(end) else {
        return false;
    };
    let line = &view.bytes[start..end];
    let line = line[mixed_replies(line).1..].trim_ascii_start();
    let line = line
        .strip_prefix(b"+")
        .or(line.strip_prefix(b"-"))
        .unwrap_or(line);
    line.first() == Some(&b'.')
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
