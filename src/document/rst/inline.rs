//! Inline markup: references with embedded URIs, roles, and standalone URIs between them.
//!
//! Start-strings are tried from left to right, and the first construct that is complete is used, as in
//! docutils (`docutils.parsers.rst.states.Inliner`). A backslash that escapes comes as NUL.

use std::ops::Range;

use super::body::BodyReader;
use super::boundary::{
    ends, escaped, explicit_title, is_word, label_end, simple_name, starts, unescape,
};
use super::uri::standalone;
use crate::bytes::class::{run_end, run_start};
use crate::bytes::steps::step;
use crate::document::blocks::{char_at, char_before};
use crate::document::source_text::DecodedText;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Emphasis,
    Strong,
    Literal,
    Target,
    Substitution,
    Backquote,
}

pub(super) struct RstInlineText<'a> {
    text: &'a [u8],
    joined: &'a DecodedText,
    reader: &'a mut BodyReader,
    /// The index after the last construct tried, where any start-string may be.
    from: usize,
    /// The index from which on there is no end-string, for each kind.
    none_from: [usize; 6],
}

impl BodyReader {
    /// Reports the references of a text, and appends the text without markup to `plain`.
    pub(super) fn text(&mut self, joined: &DecodedText, mut plain: Option<&mut Vec<u8>>) {
        let text = &escaped(&joined.bytes)[..];
        let mut inline = RstInlineText {
            text,
            joined,
            reader: self,
            from: 0,
            none_from: [usize::MAX; 6],
        };
        let mut show = |range: Range<usize>| {
            if let Some(plain) = &mut plain {
                plain.extend_from_slice(&unescape(&text[range]));
            }
        };
        // The index after the last construct.
        let mut after = 0;
        let mut at = 0;
        while let Some(next) = text[at..].iter().position(|byte| b"*`_|[".contains(byte)) {
            step(1);
            at += next;
            match inline.construct(at) {
                InlineConstruct::None => at += 1,
                InlineConstruct::Quoted(end) => (inline.from, at) = (end, end),
                InlineConstruct::Markup(range, contents) => {
                    inline.standalone(after..range.start);
                    show(after..range.start);
                    show(contents);
                    (after, inline.from, at) = (range.end, range.end, range.end);
                }
            }
        }
        inline.standalone(after..text.len());
        show(after..text.len());
    }
}

/// The result of trying a start-string.
enum InlineConstruct {
    /// Not a start-string.
    None,
    /// In quotes, which make it text; the index after it.
    Quoted(usize),
    /// A construct, or a start-string without an end; and its visible text.
    Markup(Range<usize>, Range<usize>),
}

impl RstInlineText<'_> {
    fn standalone(&mut self, part: Range<usize>) {
        let (text, joined, email) = (self.text, self.joined, self.reader.email);
        standalone(text, part, email, &mut |range| {
            let raw = &text[range.clone()];
            let range = joined.range(range);
            if !raw.contains(&b':') {
                return self.reader.results.mail(range, &unescape(raw));
            }
            self.reader.results.bare(range, &unescape(raw));
        });
    }

    /// Tries the start-string at `at`.
    fn construct(&mut self, at: usize) -> InlineConstruct {
        let text = self.text;
        let next = text.get(at + 1).copied();
        match (text[at], next) {
            (b'*', Some(b'*')) => self.simple(at, at + 2, End::Strong),
            (b'*', _) => self.simple(at, at + 1, End::Emphasis),
            (b'`', Some(b'`')) => self.simple(at, at + 2, End::Literal),
            (b'|', Some(b'|')) => InlineConstruct::None,
            (b'|', _) => self.simple(at, at + 1, End::Substitution),
            (b'_', Some(b'`')) => self.simple(at, at + 2, End::Target),
            (b'_', _) => self.name_reference(at),
            (b'[', _) => self.footnote(at),
            _ => self.backquote(at),
        }
    }

    /// Reads a construct between a start-string, which ends at `start`, and an end-string.
    fn simple(&mut self, at: usize, start: usize, kind: End) -> InlineConstruct {
        let (text, from) = (self.text, self.from);
        if !starts(text, from, at) || char_at(text, start).is_some_and(char::is_whitespace) {
            return InlineConstruct::None;
        }
        if is_quoted(text, from, at, start) {
            return InlineConstruct::Quoted(start);
        }
        let Some(end) = self.end(kind, start) else {
            return InlineConstruct::Markup(at..start, at..start);
        };
        if kind == End::Target {
            let name = start..end.start;
            (self.reader).target(self.joined.range(name.clone()), &unescape(&text[name]));
        }
        InlineConstruct::Markup(at..end.end, start..end.start)
    }

    /// Finds the first end-string of a kind after `start`; one directly there is not used, and hides later ones.
    fn end(&mut self, kind: End, start: usize) -> Option<Range<usize>> {
        let text = self.text;
        if start >= self.none_from[kind as usize] {
            return None;
        }
        // Each ends with the last byte of its start-string.
        let mark = text[start - 1];
        let mut at = start;
        while let Some(next) = memchr::memchr(mark, &text[at..]) {
            step(1);
            at += next;
            if let Some(end) = self.end_at(kind, start, at) {
                return (at > start).then_some(at..end);
            }
            at += 1;
        }
        self.none_from[kind as usize] = start;
        None
    }

    /// Returns the index after the end-string at `at`.
    fn end_at(&self, kind: End, start: usize, at: usize) -> Option<usize> {
        let text = self.text;
        if at > start {
            let before = char_before(text, at)?;
            let blank = before.is_whitespace();
            let is_bad = match kind {
                End::Literal => blank,
                // An escaped blank may be before it.
                End::Backquote => (blank || before == '\0') && (at < 2 || text[at - 2] != 0),
                _ => blank || before == '\0',
            };
            if is_bad {
                return None;
            }
        }
        match kind {
            End::Strong | End::Literal => {
                let double = text.get(at + 1) == Some(&text[at]);
                (double && ends(text, at + 2)).then_some(at + 2)
            }
            End::Emphasis | End::Target => ends(text, at + 1).then_some(at + 1),
            End::Substitution => marks_end(text, at + 1),
            End::Backquote => {
                let role = role_end(text, at + 1);
                let role = role.and_then(|role| marks_end(text, role));
                role.or_else(|| marks_end(text, at + 1))
            }
        }
    }

    /// Reads interpreted text or a phrase reference.
    fn backquote(&mut self, at: usize) -> InlineConstruct {
        let (text, from) = (self.text, self.from);
        let start = at + 1;
        if char_at(text, start).is_some_and(char::is_whitespace) {
            return InlineConstruct::None;
        }
        let before = role_start(text, from, at).filter(|&role| starts(text, from, role));
        if before.is_none() {
            if !starts(text, from, at) {
                return InlineConstruct::None;
            }
            if is_quoted(text, from, at, start) {
                return InlineConstruct::Quoted(start);
            }
        }
        let Some(end) = self.end(End::Backquote, start) else {
            return InlineConstruct::Markup(at..start, at..start);
        };
        let range = before.unwrap_or(at)..end.end;
        let mut contents = start..end.start;
        let after = end.start + 1..end.end;
        let is_reference = text[after.clone()].ends_with(b"_");
        let has_role_after = text[after.clone()].starts_with(b":");
        let name = match (before, has_role_after, is_reference) {
            (None, false, true) => {
                if let Some((words, uri)) = embedded(text, contents.clone()) {
                    if is_alias(&text[uri.clone()]) {
                        // Without backquotes, a name is known by the brackets.
                        let (place, name) = (uri.start - 1..uri.end + 1, uri.start..uri.end - 1);
                        (self.reader).name_use(self.joined, place, &text[name]);
                    } else {
                        let place = self.joined.range(uri.clone());
                        self.reader.uri(&text[uri], place, "reference");
                    }
                    contents.end = words;
                } else {
                    let place = at..end.start + 1;
                    (self.reader).name_use(self.joined, place, &text[contents.clone()]);
                }
                None
            }
            (Some(role), false, false) => Some(role + 1..at - 1),
            (None, true, false) => Some(after.start + 1..after.end - 1),
            _ => None,
        };
        if let Some(name) = name {
            (self.reader).role(text, contents.clone(), &text[name], self.joined);
            contents.end = explicit_title(text, contents.clone()).map_or(contents.end, |t| t.0);
        }
        InlineConstruct::Markup(range, contents)
    }

    /// Reads the name whose underscore is at `at`.
    fn name_reference(&mut self, at: usize) -> InlineConstruct {
        let text = self.text;
        let end = at + 1 + usize::from(text.get(at + 1) == Some(&b'_'));
        if !ends(text, end) {
            return InlineConstruct::None;
        }
        let Some(start) = name_start(text, self.from, at) else {
            return InlineConstruct::None;
        };
        (self.reader).name_use(self.joined, start..at, &text[start..at]);
        InlineConstruct::Markup(start..end, start..at)
    }

    /// Reads the footnote reference at `at`.
    fn footnote(&self, at: usize) -> InlineConstruct {
        let text = self.text;
        let label = at + 1;
        let Some(end) = label_end(text, label) else {
            return InlineConstruct::None;
        };
        let is_reference = text[end..].starts_with(b"]_");
        if !is_reference || !ends(text, end + 2) || !starts(text, self.from, at) {
            return InlineConstruct::None;
        }
        InlineConstruct::Markup(at..end + 2, label..end)
    }
}

/// Finds the `<uri>` at the end of a phrase reference; returns the end of the words before it, too.
fn embedded(text: &[u8], contents: Range<usize>) -> Option<(usize, Range<usize>)> {
    let close = contents.end.checked_sub(1).filter(|&at| text[at] == b'>')?;
    let inside = &text[contents.start..close];
    let mut open = close;
    loop {
        step(1);
        open = contents.start + memchr::memrchr2(b'<', b'>', &inside[..open - contents.start])?;
        let is_escaped = open > contents.start && text[open - 1] == 0;
        match (text[open], is_escaped) {
            (_, true) => {}
            (b'<', false) => break,
            _ => return None,
        }
    }
    let uri = open + 1..close;
    let is_apart = open == contents.start || matches!(text[open - 1], b' ' | b'\n');
    let ends = [text[uri.clone()].first(), text[uri.clone()].last()];
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    if !is_apart || ends.into_iter().any(is_blank) || ends[1] == Some(&0) {
        return None;
    }
    Some((open, uri))
}

/// Returns whether the target of a phrase reference is the name of another one: `name_`.
fn is_alias(raw: &[u8]) -> bool {
    raw.ends_with(b"_") && !raw.ends_with(b"\0_") && !super::uri::begins_uri(raw)
}

/// Returns the index after the most underscores at an index, up to two, after which an end-string may end.
fn marks_end(text: &[u8], at: usize) -> Option<usize> {
    let most = run_end(&text[..text.len().min(at + 2)], at, |byte| byte == b'_');
    (at..=most).rev().find(|&end| ends(text, end))
}

/// Returns whether a start-string is between matching quotes or brackets, or at the end.
fn is_quoted(text: &[u8], from: usize, at: usize, end: usize) -> bool {
    if at == from {
        return false;
    }
    let Some(after) = char_at(text, end) else {
        return true;
    };
    let sides = char_before(text, at).into_iter().chain([after]);
    QUOTES.iter().any(|pair| pair.chars().eq(sides.clone()))
}

/// Pairs of quotes and brackets, between which a start-string is text.
const QUOTES: [&str; 17] = [
    "\"\"", "''", "()", "<>", "[]", "{}", "«»", "»«", "»»", "‘’", "‚’", "‚‘", "“”", "„”", "„“",
    "’’", "””",
];

/// Returns the start of the simple name that ends at `end`, if markup may begin there.
fn name_start(text: &[u8], from: usize, end: usize) -> Option<usize> {
    let mut best = None;
    let mut at = end;
    loop {
        let word = at;
        while at > from
            && let Some(before) = char_before(text, at).filter(|&before| is_word(before))
        {
            at -= before.len_utf8();
        }
        if at == word {
            return best;
        }
        if starts(text, from, at) {
            best = Some(at);
        }
        // Only after such a mark may a shorter name begin.
        match at.checked_sub(1).filter(|&before| before > from) {
            Some(before) if matches!(text[before], b'-' | b'.' | b'_' | b'+' | b':') => at = before,
            _ => return best,
        }
    }
}

/// Longer names of roles are not looked for before their text.
const LONGEST_ROLE: usize = 128;

/// Returns the start of the `:role:` that ends at an index.
fn role_start(text: &[u8], from: usize, end: usize) -> Option<usize> {
    let close = end.checked_sub(1).filter(|&at| text[at] == b':')?;
    let floor = close.saturating_sub(LONGEST_ROLE).max(from);
    let floor = Some(floor).filter(|&floor| floor <= close)?;
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"-._+:".contains(&byte);
    let floor = run_start(text, floor..close, is_part);
    (floor..close).find(|&at| text[at] == b':' && simple_name(text, at + 1) == close)
}

/// Returns the index after the `:role:` at an index.
fn role_end(text: &[u8], at: usize) -> Option<usize> {
    let end = simple_name(text, at + 1);
    let is_role = text.get(at) == Some(&b':') && end > at + 1 && text.get(end) == Some(&b':');
    is_role.then_some(end + 1)
}
