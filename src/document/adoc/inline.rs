//! Inline markup: macros, URIs and cross references, in the order in which Asciidoctor replaces them.

use std::ops::Range;

use memchr::memmem;

use super::super::blocks::{char_at, char_before};
use super::attributes::attribute_reference;
use crate::bytes::class::{run_end, run_start};
use crate::bytes::steps::step;

/// A find in a text; ranges are of that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AdocFind {
    /// The target of a macro: its name, and the range of what is in its brackets.
    Macro(&'static str, Range<usize>, Range<usize>),
    /// A URI that stands alone.
    Bare(Range<usize>),
    /// A URI with a text in brackets.
    Link(Range<usize>),
    /// A mail address.
    Email(Range<usize>),
    /// The target of `<<target,text>>`.
    Internal(Range<usize>),
    /// The name in `[[name]]`, `anchor:name[]` or `[#name]#text#`.
    Anchor(Range<usize>),
}

/// Longer URIs are none.
const LONGEST_URI: usize = 64 << 10;
/// Longer targets of macros are none.
const LONGEST_TARGET: usize = 4 << 10;

/// Overwrites what was replaced.
const REPLACED: u8 = 1;
/// Overwrites what is passed through.
const PASSED: u8 = 2;

/// A text while it is read.
struct AdocInlineText<'a> {
    /// The text, in which what was replaced is overwritten.
    text: Vec<u8>,
    found: &'a mut dyn FnMut(AdocFind),
    /// The index from which on there is no closing bracket.
    no_close: usize,
}

/// Calls `found` for what is in a text, in no order. In documents that are compatible with AsciiDoc.py
/// backquotes pass text through, and single plus signs do not.
pub(super) fn read(text: &[u8], email: bool, compatible: bool, found: &mut dyn FnMut(AdocFind)) {
    let has_macro = memchr::memchr2(b':', b'[', text).is_some();
    if !has_macro && memmem::find(text, b"<<").is_none() && !email {
        return;
    }
    step(text.len());
    let mut inline = AdocInlineText {
        text: text.to_vec(),
        found,
        no_close: usize::MAX,
    };
    inline.pass(if compatible { b'`' } else { b'+' });
    inline.macros("image", b"image:");
    inline.uris();
    inline.macros("link", b"link:");
    inline.macros("mailto", b"mailto:");
    if email {
        inline.addresses();
    }
    inline.anchors();
    inline.macros("xref", b"xref:");
    inline.internal();
}

impl AdocInlineText<'_> {
    fn replace(&mut self, range: Range<usize>, with: u8) {
        self.text[range].fill(with);
    }

    /// Returns the index of the bracket that closes the one at `open`: one behind a backslash does not.
    fn close(&mut self, open: usize) -> Option<usize> {
        if self.text.get(open) != Some(&b'[') || open >= self.no_close {
            return None;
        }
        let mut at = open + 1;
        while let Some(next) = memchr::memchr(b']', &self.text[at..]) {
            step(next);
            at += next;
            if at == open + 1 || self.text[at - 1] != b'\\' {
                return Some(at);
            }
            at += 1;
        }
        self.no_close = open;
        None
    }

    fn is_escaped(&self, at: usize) -> bool {
        at > 0 && self.text[at - 1] == b'\\'
    }

    /// Overwrites what is passed through: `+x+`, `++x++`, `+++x+++`, `$$x$$`, `pass:[x]`, `stem:[x]`.
    /// One `single` at each edge of a text passes it through, too.
    fn pass(&mut self, single: u8) {
        for name in [&b"pass:"[..], b"stem:", b"latexmath:", b"asciimath:"] {
            let mut at = 0;
            while let Some(next) = memmem::find(&self.text[at..], name) {
                step(1);
                at += next + name.len();
                let head = &self.text[..self.text.len().min(at + 64)];
                let is_word = |byte: u8| byte.is_ascii_lowercase() || b",-".contains(&byte);
                let open = run_end(head, at, is_word);
                if let Some(close) = self.close(open) {
                    self.replace(open + 1..close, PASSED);
                    at = close;
                }
            }
        }
        let mut at = 0;
        let mut none = [usize::MAX; 4];
        while let Some(next) = memchr::memchr3(b'+', b'$', single, &self.text[at..]) {
            step(1);
            at += next;
            let mark = self.text[at];
            let head = &self.text[..self.text.len().min(at + 3)];
            let start = run_end(head, at, |byte| byte == mark);
            let length = start - at;
            let kind = if mark == b'$' { 0 } else { length };
            let is_mark = match mark {
                b'$' => length == 2,
                b'`' => length == 1,
                // In compatible documents `++x++` is formatted.
                _ => length == 3 || single == b'+',
            };
            if !is_mark || self.is_escaped(at) || start >= none[kind] {
                at = start;
                continue;
            }
            let end = match (mark, length) {
                (b'+' | b'`', 1) => self.constrained(at),
                _ => {
                    let marks = vec![mark; length];
                    memmem::find(&self.text[start..], &marks).map(|end| start + end)
                }
            };
            match end {
                Some(end) => {
                    self.replace(start..end, PASSED);
                    at = end + length;
                }
                None => {
                    if length > 1 {
                        none[kind] = start;
                    }
                    at = start;
                }
            }
        }
    }

    /// Returns the index of the mark that closes the one at `at`, if both stand at the edges of words.
    fn constrained(&self, at: usize) -> Option<usize> {
        const LONGEST: usize = 1 << 10;
        let text = &self.text;
        let opens = char_before(text, at).is_none_or(|before| !is_word(before))
            && text
                .get(at + 1)
                .is_some_and(|byte| !byte.is_ascii_whitespace());
        if !opens {
            return None;
        }
        let limit = text.len().min(at + LONGEST);
        let mut ends = memchr::memchr_iter(text[at], &text[at + 1..limit]).map(|n| at + 1 + n);
        ends.find(|&end| {
            end > at + 1
                && !text[end - 1].is_ascii_whitespace()
                && char_at(text, end + 1).is_none_or(|after| !is_word(after))
        })
    }

    /// Reports `name:target[text]`.
    fn macros(&mut self, name: &'static str, start: &[u8]) {
        let mut at = 0;
        while let Some(next) = memmem::find(&self.text[at..], start) {
            step(1);
            let begin = at + next;
            at = begin + start.len();
            if self.is_escaped(begin) {
                continue;
            }
            let limit = self.text.len().min(at + LONGEST_TARGET);
            let Some(length) = memchr::memchr(b'[', &self.text[at..limit]) else {
                continue;
            };
            let target = &self.text[at..at + length];
            let has_blank = target.iter().any(u8::is_ascii_whitespace);
            let is_target = match name {
                "image" => {
                    !matches!(target.first(), None | Some(b':' | b' ' | b'\n' | b'\t'))
                        && !target.contains(&b'\n')
                        && !target.ends_with(b" ")
                }
                "xref" => target.first().is_some_and(|&first| starts_id(first)) && !has_blank,
                _ => !has_blank && target.first() != Some(&b':'),
            };
            if !is_target {
                continue;
            }
            let mut open = at + length;
            let mut target = at..open;
            // `link:pass:[target][text]`
            if self.text[target.clone()] == *b"pass:" {
                let Some(inner) = self.close(open) else {
                    continue;
                };
                target = open + 1..inner;
                open = inner + 1;
            }
            let Some(close) = self.close(open) else {
                continue;
            };
            (self.found)(AdocFind::Macro(name, target, open + 1..close));
            // The text of a link may hold other macros.
            match name {
                "link" | "xref" => self.replace(begin..open, REPLACED),
                _ => self.replace(begin..close + 1, REPLACED),
            }
            at = close;
        }
    }

    /// Reports URIs of the schemes that Asciidoctor knows.
    fn uris(&mut self) {
        let mut from = 0;
        let mut at = 0;
        while let Some(next) = memmem::find(&self.text[at..], b"://") {
            step(1);
            at += next + 3;
            let before = &self.text[from..at - 3];
            let schemes = [&b"https"[..], b"http", b"file", b"ftp", b"irc"];
            let Some(scheme) = schemes.iter().find(|scheme| before.ends_with(scheme)) else {
                continue;
            };
            let start = at - 3 - scheme.len();
            let Some((find, end)) = self.uri(start, at) else {
                continue;
            };
            if let Some(find) = find {
                (self.found)(find);
                self.replace(start..end, REPLACED);
            }
            (from, at) = (end, end.max(at));
        }
    }

    /// Returns the URI at `start`, whose authority begins at `floor`, if it is a link, and the index
    /// behind it and its text; `None` where no URI may begin.
    fn uri(&mut self, start: usize, floor: usize) -> Option<(Option<AdocFind>, usize)> {
        let text = &self.text;
        let is_macro = text[..start].ends_with(b"link:");
        let before = start.checked_sub(1).map(|at| text[at]);
        let mut mark = None;
        match before {
            None | Some(b' ' | b'\t' | b'\n' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b';') => {}
            Some(b'"' | b'\'' | REPLACED) => {}
            _ if is_macro => {}
            Some(byte @ (b'*' | b'_' | b'`' | b'#')) => {
                let opens = char_before(text, start - 1).is_none_or(|before| !is_word(before));
                if !opens {
                    return None;
                }
                mark = Some(byte);
            }
            _ => return None,
        }
        let limit = text.len().min(floor + LONGEST_URI);
        let is_stop = |(at, &byte): (usize, &u8)| match byte {
            b'[' | b']' | REPLACED => true,
            // Not part of a URI that stands in angle brackets.
            b'>' if before == Some(b'<') => true,
            byte if Some(byte) == mark => {
                char_at(text, floor + at + 1).is_none_or(|after| !is_word(after))
            }
            byte => byte.is_ascii_whitespace(),
        };
        let run = text[floor..limit].iter().enumerate().position(is_stop);
        let mut end = run.map_or(limit, |run| floor + run);
        if end > floor
            && text.get(end) == Some(&b'[')
            && !matches!(text[end - 1], b'.' | b',')
            && let Some(close) = self.close(end)
        {
            return Some((Some(AdocFind::Link(start..end)), close + 1));
        }
        let text = &self.text;
        if is_macro || matches!(before, Some(b'"' | b'\'')) {
            return Some((None, end));
        }
        let trim = |end: &mut usize, marks: &[u8]| {
            let trims = *end > floor && marks.contains(&text[*end - 1]);
            *end -= usize::from(trims);
            trims
        };
        while trim(&mut end, b".,") {}
        if trim(&mut end, b")") {
            trim(&mut end, b".?!");
        } else if !trim(&mut end, b"?!") && trim(&mut end, b";:") {
            trim(&mut end, b")");
        }
        (end > floor).then_some((Some(AdocFind::Bare(start..end)), end))
    }

    fn addresses(&mut self) {
        const LONGEST: usize = 320;
        let mut from = 0;
        let mut at = 0;
        while let Some(next) = memchr::memchr(b'@', &self.text[at..]) {
            step(1);
            at += next;
            let text = &self.text;
            let floor = from.max(at.saturating_sub(LONGEST));
            let is_local = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.%+".contains(&byte);
            let start = run_start(text, floor..at, is_local);
            let start = run_end(&text[..at], start, |byte| b"-.%+".contains(&byte));
            let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            let end = run_end(&text[..text.len().min(at + 1 + LONGEST)], at + 1, is_host);
            let end = run_start(text, at + 1..end, |byte| !byte.is_ascii_alphabetic());
            let last = text[at + 1..end].rsplit(|&byte| byte == b'.').next();
            let has_dot = text[at + 1..end].contains(&b'.');
            let is_host = has_dot && last.is_some_and(|last| (2..=5).contains(&last.len()));
            let is_quoted = start > 0 && b"\\>:/".contains(&text[start - 1]);
            if start < at && is_host && !is_quoted {
                (self.found)(AdocFind::Email(start..end));
                from = end;
            }
            at += 1;
        }
    }

    /// Reports names that fragments can refer to.
    fn anchors(&mut self) {
        for mark in [&b"[["[..], b"anchor:", b"[#"] {
            let mut at = 0;
            while let Some(next) = memmem::find(&self.text[at..], mark) {
                step(1);
                let begin = at + next;
                at = begin + mark.len();
                let end = at + id_length(&self.text[at..]);
                let rest = &self.text[end..self.text.len().min(end + 256)];
                let is_anchor = match mark {
                    b"[[" => matches!(rest, [b',' | b']', ..]) && !self.is_escaped(begin),
                    b"anchor:" => rest.starts_with(b"[") && !self.is_escaped(begin),
                    _ => memchr::memchr(b']', rest).is_some_and(|close| {
                        matches!(rest.get(close + 1), Some(b'#' | b'*' | b'_' | b'`'))
                    }),
                };
                if end > at && is_anchor {
                    (self.found)(AdocFind::Anchor(at..end));
                }
            }
        }
    }

    /// Reports cross references in double angle brackets.
    fn internal(&mut self) {
        let mut at = 0;
        while let Some(next) = memmem::find(&self.text[at..], b"<<") {
            step(1);
            let start = at + next + 2;
            at = start;
            let starts = self.text.get(start).is_some_and(|&first| starts_id(first));
            if !starts || self.is_escaped(start - 2) {
                continue;
            }
            let Some(length) = memmem::find(&self.text[start..], b">>") else {
                return;
            };
            let inner = &self.text[start..start + length];
            let target = memchr::memchr(b',', inner).unwrap_or(length);
            if length <= LONGEST_TARGET {
                (self.found)(AdocFind::Internal(start..start + target));
            }
            at = start + length;
        }
    }
}

/// Returns whether the backslash at `at`, if there is one, keeps what is after it from being replaced:
/// formatting, a reference to an attribute, or characters such as `...`.
pub(super) fn escapes(text: &[u8], at: usize) -> bool {
    const MAX_SPAN: usize = 1 << 10;
    if text[at] != b'\\' {
        return false;
    }
    let rest = &text[at + 1..text.len().min(at + MAX_SPAN)];
    let is_edge = |end: usize| char_at(rest, end).is_none_or(|after| !is_word(after));
    let follows_word = char_before(text, at).is_some_and(is_word);
    match rest {
        [b'{', ..] => attribute_reference(rest).is_some(),
        [mark @ (b'*' | b'_' | b'`' | b'#'), second, inner @ ..] if mark == second => {
            memmem::find(inner, &[*mark; 2]).is_some_and(|length| length > 0)
        }
        [mark @ (b'*' | b'_' | b'`' | b'#'), first, ..] if !first.is_ascii_whitespace() => {
            let mut ends = memchr::memchr_iter(*mark, rest);
            ends.any(|end| end > 1 && !rest[end - 1].is_ascii_whitespace() && is_edge(end + 1))
        }
        [mark @ (b'^' | b'~'), inner @ ..] => {
            let end = inner
                .iter()
                .position(|byte| byte == mark || byte.is_ascii_whitespace());
            end.is_some_and(|end| end > 0 && inner[end] == *mark)
        }
        [b'-', b'-', ..] => follows_word && !is_edge(2),
        [b'\'', ..] => follows_word && !is_edge(1),
        rest => {
            let replaced = [
                &b"..."[..],
                b"(C)",
                b"(R)",
                b"(TM)",
                b"->",
                b"=>",
                b"<-",
                b"<=",
            ];
            replaced.iter().any(|replaced| rest.starts_with(replaced))
        }
    }
}

/// Returns whether a cross reference may begin with a byte.
fn starts_id(first: u8) -> bool {
    first.is_ascii_alphanumeric()
        || first >= 0x80
        || matches!(first, b'_' | b'#' | b'/' | b'.' | b':' | b'{')
}

/// Returns the length of the identifier that a text begins with.
pub(super) fn id_length(text: &[u8]) -> usize {
    const LONGEST: usize = 1 << 10;
    if !(text.first())
        .is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, b'_' | b':' | 0x80..))
    {
        return 0;
    }
    run_end(&text[..text.len().min(LONGEST)], 0, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.' | 0x80..)
    })
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
