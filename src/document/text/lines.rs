//! Lines: reply marks and comment leaders before their content, and lines that continue a URI.

use super::TextSource;
use super::view::{TextView, is_blank, is_break};
use crate::bytes::class::ByteSet;
use crate::bytes::pattern::Pattern;

/// T15: the text before the content of every line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinePrefix {
    /// No text.
    Nothing,
    /// This many reply marks, in this spelling.
    Replies(usize, ReplyMark),
    /// A comment leader: the bytes between these indices of the window.
    Leader(usize, usize),
    /// A comment opened by `/*`, whose further lines start with `*`.
    Block,
}

impl LinePrefix {
    /// Returns the prefix of the line of `end`, before `end`, with reply marks in a spelling.
    pub(super) fn before(view: &TextView, end: usize, spelling: ReplyMark) -> LinePrefix {
        let Some(start) = view.line_start(end) else {
            return LinePrefix::Nothing;
        };
        let line = &view.bytes[start..end];
        let (marks, _) = replies(line, spelling);
        if marks > 0 {
            return LinePrefix::Replies(marks, spelling);
        }
        let indent = line.iter().take_while(|&&byte| is_space(byte)).count();
        let text = &line[indent..];
        match leader(text) {
            0 => LinePrefix::Nothing,
            n if !text.get(n).is_some_and(|&byte| is_space(byte)) => LinePrefix::Nothing,
            _ if text.starts_with(b"/*") => LinePrefix::Block,
            n => LinePrefix::Leader(start + indent, start + indent + n),
        }
    }

    /// Returns the reply marks at the start of a line, all written `&gt;`, up to `limit`.
    pub(super) fn entities(view: &TextView, from: usize, limit: usize) -> Option<LinePrefix> {
        let mut marks = 0;
        let mut at = from;
        while let Some(end) = mark(view, at, limit, ReplyMark::Entity) {
            at = end;
            marks += 1;
        }
        (marks > 0).then_some(LinePrefix::Replies(marks, ReplyMark::Entity))
    }

    pub(super) fn marks(self) -> usize {
        match self {
            LinePrefix::Replies(marks, _) => marks,
            _ => 0,
        }
    }

    /// Skips the same prefix at the start of another line, up to `limit`; `None` if reply marks are missing:
    /// somebody else wrote that line.
    pub(super) fn skip(self, view: &TextView, from: usize, limit: usize) -> Option<usize> {
        let leader = match self {
            LinePrefix::Nothing => return Some(from),
            LinePrefix::Replies(count, spelling) => {
                return (0..count).try_fold(from, |at, _| mark(view, at, limit, spelling));
            }
            LinePrefix::Leader(start, end) => &view.bytes[start..end],
            LinePrefix::Block => b"*",
        };
        let at = skip_spaces(view, from, limit);
        let end = at + leader.len();
        // The end of the text acts as a blank, so that splitting changes nothing.
        let found = view.spells(at, leader) && view.at(end).is_none_or(is_blank);
        Some(if found { end } else { from })
    }
}

/// The spelling of reply marks (T14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyMark {
    /// `>`
    Plain,
    /// `&gt;`, on the lines after one without marks.
    Entity,
    /// `>` or `&gt;`.
    Either,
}

/// The character reference of `>`.
const ENTITY: &[u8] = b"&gt;";

/// Returns the index after one reply mark and the spaces before it.
fn mark(view: &TextView, from: usize, limit: usize, spelling: ReplyMark) -> Option<usize> {
    let at = skip_spaces(view, from, limit);
    match view.at(at) {
        _ if at >= limit => None,
        Some(b'>') if spelling != ReplyMark::Entity => Some(at + 1),
        Some(b'&') if spelling != ReplyMark::Plain => {
            view.spells(at, ENTITY).then_some(at + ENTITY.len())
        }
        _ => None,
    }
}

fn skip_spaces(view: &TextView, from: usize, limit: usize) -> usize {
    let mut at = from;
    while at < limit && view.at(at).is_some_and(is_space) {
        at += 1;
    }
    at
}

fn replies(line: &[u8], spelling: ReplyMark) -> (usize, usize) {
    let (mut count, mut end, mut at) = (0, 0, 0);
    while let Some(&byte) = line.get(at) {
        at += match byte {
            b' ' | b'\t' | b'>' => 1,
            _ if spelling == ReplyMark::Plain => break,
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

/// Returns the length of the comment leader at the start of a text (T15).
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

/// T39: returns whether the line of an index is the source of a man page.
pub(super) fn is_troff(view: &TextView, at: usize) -> bool {
    view.source == TextSource::Troff || is_control_line(view, at)
}

/// T39: returns whether the line of `end` starts with `.`, the control character of troff, after reply
/// marks and the sign of a patch.
fn is_control_line(view: &TextView, end: usize) -> bool {
    let Some(start) = view.line_start(end) else {
        return false;
    };
    let line = &view.bytes[start..end];
    let line = line[replies(line, ReplyMark::Either).1..].trim_ascii_start();
    matches!(line, [b'.', ..] | [b'+' | b'-', b'.', ..])
}

/// The maximum length of the next line's first token, in bytes.
const LONGEST_TOKEN: usize = 1024;

/// The most spaces and tabs after that token.
const LONGEST_BLANKS: usize = 64;

static BLANKS: ByteSet = ByteSet::EMPTY.with_range(b'\t', b'\r').with(b" ");

/// T34: returns whether the token at an index, the first of its line, may continue a URI.
pub(super) fn continues_uri(view: &TextView, at: usize) -> bool {
    let end = view.first(at, at + LONGEST_TOKEN, &BLANKS, |block| block.up_to(b' '));
    let token = &view.bytes[at..end];
    if OTHER_TOKEN.is_match(token) {
        return false;
    }
    let is_alone = || {
        let blank = skip_spaces(view, end, end + LONGEST_BLANKS);
        view.at(blank).is_none_or(is_break)
    };
    let is_punctuation = |byte: &u8| b".,:;!?)]}'*".contains(byte);
    let text = token.iter().rposition(|byte| !is_punctuation(byte));
    let text = &token[..text.map_or(0, |last| last + 1)];
    EVIDENT.is_match(text) || URI.first_outside(token).is_none() && is_alone()
}

/// The name of a header field, the mark of an item of a list, a drawn rule or the mark of a signature, and
/// the entities at which a URI stops (T25).
static OTHER_TOKEN: Pattern = Pattern::new(concat!(
    "^(?:[0-9A-Za-z_-]*:|-|[0-9]+[.)]|[A-Za-z][.)]|--+|__+|==+|~~+|##+)$",
    "|^(?:-{4}|_{4}|={4}|~{4}|#{4})|^&(?i:lt|gt|quot);",
));

/// `unreserved`, `reserved` and `%` (RFC 3986 section 2).
static URI: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._~:/?#[]@!$&'()*+,;=%");

/// One of `/ ? = & #` or a percent-encoded byte. `and/or`, `Linux/UNIX` and `AT&T` are words: one `/` or
/// `&` between letters.
static EVIDENT: Pattern =
    Pattern::new("[?=#]|%[0-9A-Fa-f]{2}|^[/&]|[/&]$|[/&].*[^A-Za-z]|[^A-Za-z].*[/&]");
