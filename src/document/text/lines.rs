//! What stands before the content of every line: reply marks, or a comment's leader (rule D6).

use super::TextSource;
use super::view::{ByteClassSet, TextView, is_blank, is_break};

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

/// Whether escapes count in the line of an index.
pub(super) fn is_troff(view: &TextView<'_>, at: usize) -> bool {
    view.source == TextSource::Troff || is_control_line(view, at)
}

/// B14: whether the line in which `end` stands starts with the control character of troff, `.`, behind reply marks and
/// the sign of a patch.
fn is_control_line(view: &TextView<'_>, end: usize) -> bool {
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

/// So many bytes of the next line's first token are looked at.
const LONGEST_TOKEN: usize = 1024;

/// So many spaces and tabs behind it.
const LONGEST_BLANKS: usize = 64;

/// White space.
static BLANKS: ByteClassSet = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = is_blank(byte as u8);
        byte += 1;
    }
    set
};

/// Whether the token at an index, the first of its line, continues a URI: it stands there alone, or it holds what words
/// do not, and it is no field's name, list mark or rule.
pub(super) fn goes_on(view: &TextView<'_>, at: usize) -> bool {
    let end = view.first(at, at + LONGEST_TOKEN, &BLANKS);
    let token = &view.bytes[at..end];
    if is_field(token) || is_list_mark(token) || is_rule(token) || is_entity(token) {
        return false;
    }
    let is_alone = || {
        let mut blank = end;
        while blank < end + LONGEST_BLANKS && matches!(view.at(blank), Some(b' ' | b'\t')) {
            blank += 1;
        }
        view.at(blank).is_none_or(is_break)
    };
    is_evident(token) || token.iter().copied().all(is_uri_byte) && is_alone()
}

/// `unreserved`, `reserved` and `%` (RFC 3986 section 2).
fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

/// A header field's name, and what looks like one.
fn is_field(token: &[u8]) -> bool {
    let name = token.strip_suffix(b":");
    name.is_some_and(|name| {
        let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        name.iter().all(in_name)
    })
}

/// `-`, `12.`, `12)`, `a.`, `a)`
fn is_list_mark(token: &[u8]) -> bool {
    match token {
        [b'-'] => true,
        [count @ .., b'.' | b')'] => {
            !count.is_empty() && count.iter().all(u8::is_ascii_digit)
                || matches!(count, [letter] if letter.is_ascii_alphabetic())
        }
        _ => false,
    }
}

/// `---`, `-- `, `____`
fn is_rule(token: &[u8]) -> bool {
    let first = token[0];
    let run = token.iter().take_while(|&&byte| byte == first).count();
    matches!(first, b'-' | b'_' | b'=' | b'~' | b'#')
        && run >= 2
        && (run == token.len() || run >= 4)
}

/// B1: `&lt;`, `&gt;` or `&quot;`, at which a URI stops.
fn is_entity(token: &[u8]) -> bool {
    [&b"&lt;"[..], b"&gt;", b"&quot;"].iter().any(|entity| {
        let start = token.get(..entity.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(entity))
    })
}

/// Whether the token holds one of `/ ? = & % #`, punctuation at its end aside.
///
/// `%` counts only in a triplet. `and/or`, `Linux/UNIX` and `AT&T` are words: one `/` or `&` between letters.
fn is_evident(token: &[u8]) -> bool {
    let is_punctuation = |byte: &u8| b".,:;!?)]}'*".contains(byte);
    let end = token.iter().rposition(|byte| !is_punctuation(byte));
    let token = &token[..end.map_or(0, |last| last + 1)];
    let has_triplet = || {
        let mut triplets = token.windows(3);
        triplets.any(|three| three[0] == b'%' && three[1..].iter().all(u8::is_ascii_hexdigit))
    };
    let joints = token.iter().filter(|byte| matches!(byte, b'/' | b'&'));
    let is_word_pair = || {
        let mut words = token.split(|byte| matches!(byte, b'/' | b'&'));
        words.all(|word| !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic))
    };
    token.iter().any(|byte| matches!(byte, b'?' | b'=' | b'#'))
        || has_triplet()
        || match joints.count() {
            0 => false,
            1 => !is_word_pair(),
            _ => true,
        }
}
