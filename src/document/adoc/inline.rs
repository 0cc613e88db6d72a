//! Inline markup: macros, URIs and cross references, in the order in which Asciidoctor replaces them.

use std::ops::Range;

use memchr::memmem;

use super::attributes::{REFERENCE, replaced};
use super::body::AdocReader;
use super::ids::ANCHORS;
use crate::bytes::class::run_end;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::document::blocks::{BlockResults, Line, char_at, char_before};
use crate::document::events::{Context, FoundReference, NameRange};
use crate::document::flags::Flags;
use crate::document::html::xml::decode_reference;
use crate::document::source_text::DecodedText;

/// Maximum length of a URI, in bytes.
const MAX_URI_LEN: usize = 64 << 10;
/// Maximum length of the target of a macro, in bytes.
const MAX_TARGET_LEN: usize = 4 << 10;

/// Overwrites replaced text.
const REPLACED: u8 = 1;
/// Overwrites text that is passed through.
const PASSED: u8 = 2;

// The starts of macros with a target, up to the bracket.
static IMAGE: Pattern = Pattern::new(r"i(?:mage|con):([^: \n\t\[](?:[^\n\[]*[^ \n\[])?)\[");
static LINK: Pattern = Pattern::new(r"link:((?:[^: \t\n\f\r\[][^ \t\n\f\r\[]*)?)\[");
static MAILTO: Pattern = Pattern::new(r"mailto:((?:[^: \t\n\f\r\[][^ \t\n\f\r\[]*)?)\[");
// Its target may have blanks, but neither another macro, which is replaced, nor the end of a code span.
static XREF: Pattern = Pattern::new(r"xref:([A-Za-z0-9\x80-\xff_#/.:{][^\t\n\f\r\[\]`\x01]*)\[");
/// The start of a macro whose text is passed through, up to the bracket.
static PASS: Pattern = Pattern::new(r"(?:pass|stem|latexmath|asciimath):[a-z,-]{0,64}\[");
/// The start of a URI of the schemes that Asciidoctor knows.
static URI: Pattern = Pattern::new(r"(?:https?|file|ftp|irc)://");
static ADDRESS: Pattern =
    Pattern::new(r"[A-Za-z0-9_][A-Za-z0-9_.%+-]{0,319}@([A-Za-z0-9_.-]{0,319}[A-Za-z])");
/// Maximum length of an identifier, in bytes.
const MAX_ID_LEN: usize = 1 << 10;
/// Characters that replace a sequence of others.
static REPLACEMENT: Pattern = Pattern::new(r"^(?:\.\.\.|\((?:C|R|TM)\)|[-=]>|<[-=])");

struct AdocInlineText<'a> {
    /// The text, in which replaced parts are overwritten.
    text: Vec<u8>,
    source: &'a DecodedText,
    reader: &'a mut AdocReader,
    /// No closing bracket is at or after this index.
    no_close: usize,
}

impl AdocReader {
    /// Reports the references in lines of text. In documents compatible with AsciiDoc.py backquotes pass text
    /// through, and single plus signs do not.
    pub(super) fn inline(&mut self, lines: &[Line<'_>]) {
        let source = &replaced(lines, &self.attributes);
        let email = self.text.email;
        let compatible = self.is_compatible || self.attributes.get(b"compat-mode").is_some();
        let text = source.bytes.clone();
        let has_macro = memchr::memchr2(b':', b'[', &text).is_some();
        if !has_macro && memmem::find(&text, b"<<").is_none() && !email {
            return;
        }
        step(text.len());
        let mut inline = AdocInlineText {
            text,
            source,
            reader: self,
            no_close: usize::MAX,
        };
        inline.pass(if compatible { b'`' } else { b'+' });
        inline.macros(&IMAGE);
        inline.uris();
        inline.macros(&LINK);
        inline.macros(&MAILTO);
        if email {
            inline.addresses();
        }
        inline.anchors();
        inline.macros(&XREF);
        inline.internal();
    }
}

impl AdocInlineText<'_> {
    fn replace(&mut self, range: Range<usize>, with: u8) {
        self.text[range].fill(with);
    }

    /// Returns the index of the bracket that closes the one at `open`, skipping those after a backslash.
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

    /// Overwrites text that is passed through: `+x+`, `++x++`, `+++x+++`, `$$x$$`, `pass:[x]`, `stem:[x]`,
    /// and text with one `single` at each edge.
    fn pass(&mut self, single: u8) {
        let mut at = 0;
        while let Some(found) = PASS.find_at(&self.text, at) {
            step(1);
            at = found.end();
            if let Some(close) = self.close(at - 1) {
                self.replace(at..close, PASSED);
                at = close;
            }
        }
        at = 0;
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
            let end = if length == 1 {
                self.constrained(at)
            } else {
                let end = memmem::find(&self.text[start..], &self.text[at..start]);
                end.map(|end| start + end)
            };
            at = start;
            if let Some(end) = end {
                self.replace(start..end, PASSED);
                at = end + length;
            } else if length > 1 {
                none[kind] = start;
            }
        }
    }

    /// Returns the index of the mark that closes the one at `at`, if both are at the edges of words.
    fn constrained(&self, at: usize) -> Option<usize> {
        const LONGEST: usize = 1 << 10;
        let text = &self.text;
        let next = text.get(at + 1).filter(|byte| !byte.is_ascii_whitespace());
        if next.is_none() || char_before(text, at).is_some_and(is_word) {
            return None;
        }
        let limit = text.len().min(at + LONGEST);
        let mut ends = memchr::memchr_iter(text[at], &text[at + 1..limit]).map(|n| at + 1 + n);
        ends.find(|&end| {
            end > at + 1
                && !text[end - 1].is_ascii_whitespace()
                && !char_at(text, end + 1).is_some_and(is_word)
        })
    }

    /// Reports `name:target[text]`.
    fn macros(&mut self, start: &Pattern) {
        let mut at = 0;
        while let Some([whole, mut target]) = start.group_at(&self.text, at) {
            step(1);
            // A shorter target may begin within one that is too long.
            let nearest = target.end.saturating_sub(MAX_TARGET_LEN + "mailto:".len());
            at = target.start.max(nearest);
            let mut open = target.end;
            if self.is_escaped(whole.start) || target.len() >= MAX_TARGET_LEN {
                continue;
            }
            // `link:pass:[target][text]`
            if self.text[target.clone()] == *b"pass:" {
                let Some(inner) = self.close(open) else {
                    continue;
                };
                (target, open) = (open + 1..inner, inner + 1);
            }
            let Some(close) = self.close(open) else {
                continue;
            };
            let kind = [self.text[whole.start], self.text[whole.start + 1]];
            let (source, reader) = (self.source, &mut *self.reader);
            let results = &mut reader.results;
            match &kind {
                b"im" => reader.media(source, "image", target, open + 1..close),
                b"ic" => reader.media(source, "icon", target, open + 1..close),
                b"xr" => results.cross_reference(source, target, true),
                b"ma" => {
                    let mut found = results.target(source, target.clone(), "link");
                    found.text = results.store(&[b"mailto:", &source.bytes[target]].concat());
                    results.reference(found);
                }
                _ => {
                    for marks in [&b"+++"[..], b"++", b"$$"] {
                        let inner = &source.bytes[target.clone()];
                        if inner.len() > 2 * marks.len()
                            && inner.starts_with(marks)
                            && inner.ends_with(marks)
                        {
                            target = target.start + marks.len()..target.end - marks.len();
                        }
                    }
                    let found = results.link(source, target);
                    results.file(found);
                }
            }
            // The text of a link may hold other macros.
            let is_over = matches!(&kind, b"im" | b"ic" | b"ma");
            let end = if is_over { close + 1 } else { open };
            self.replace(whole.start..end, REPLACED);
            at = close;
        }
    }

    /// Reports URIs of the schemes that Asciidoctor knows.
    fn uris(&mut self) {
        let mut at = 0;
        while let Some(found) = URI.find_at(&self.text, at) {
            step(1);
            let (start, floor) = (found.start(), found.end());
            at = self.uri(start, floor).unwrap_or(floor);
        }
    }

    /// Reports the URI at `start`, whose authority begins at `floor`, if it is a link; returns the index
    /// after it, or `None` where no URI may begin.
    fn uri(&mut self, start: usize, floor: usize) -> Option<usize> {
        let text = &self.text;
        let is_macro = text[..start].ends_with(b"link:");
        let before = start.checked_sub(1).map(|at| text[at]);
        let is_mark = |byte| b"*_`#".contains(&byte);
        let is_marked =
            before.is_some_and(is_mark) && !char_before(text, start - 1).is_some_and(is_word);
        let mark = if is_marked {
            before
        } else {
            open_mark(text, start)
        };
        match before {
            None | Some(b' ' | b'\t' | b'\n' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b';') => {}
            Some(b'"' | b'\'' | REPLACED) => {}
            _ if is_macro || char_before(text, start).is_some_and(char::is_whitespace) => {}
            _ if is_marked => {}
            _ => return None,
        }
        let limit = text.len().min(floor + MAX_URI_LEN);
        let is_escaped = text[..start].ends_with(b"&lt;");
        let is_stop = |(at, &byte): (usize, &u8)| match byte {
            b'[' | b']' | REPLACED => true,
            b'&' if is_escaped => text[floor + at..].starts_with(b"&gt;"),
            // Not part of a URI in angle brackets.
            b'>' if before == Some(b'<') => true,
            byte if Some(byte) == mark => !char_at(text, floor + at + 1).is_some_and(is_word),
            byte => byte.is_ascii_whitespace(),
        };
        let run = text[floor..limit].iter().enumerate().position(is_stop);
        let mut end = run.map_or(limit, |run| floor + run);
        if end > floor
            && text.get(end) == Some(&b'[')
            && !matches!(text[end - 1], b'.' | b',')
            && let Some(close) = self.close(end)
        {
            let found = self.reader.results.link(self.source, start..end);
            self.reader.results.reference(found);
            self.replace(start..close + 1, REPLACED);
            return Some(close + 1);
        }
        let text = &self.text;
        if is_macro || matches!(before, Some(b'"' | b'\'')) {
            return Some(end);
        }
        let trim = |end: &mut usize, marks: &[u8]| {
            let trims = *end > floor && marks.contains(&text[*end - 1]);
            *end -= usize::from(trims);
            trims
        };
        // The marker of a term is more than one colon or semicolon.
        while text[floor..end].ends_with(b"::") || text[floor..end].ends_with(b";;") {
            end -= 1;
        }
        while trim(&mut end, b".,?!)") {}
        if trim(&mut end, b";:") {
            trim(&mut end, b")");
        }
        if end == floor {
            return None;
        }
        let mut found = self.reader.results.link(self.source, start..end);
        (found.element, found.context) = (NameRange::None, Context::Bare);
        self.reader.results.reference(found);
        self.replace(start..end, REPLACED);
        Some(end)
    }

    fn addresses(&mut self) {
        let mut at = 0;
        while let Some([whole, host]) = ADDRESS.group_at(&self.text, at) {
            step(1);
            at = host.start;
            let last = self.text[host].rsplit(|&byte| byte == b'.').next();
            let is_quoted = whole.start > 0 && b"\\>:/".contains(&self.text[whole.start - 1]);
            let has_domain = last
                .is_some_and(|last| (2..=5).contains(&last.len()) && at + last.len() < whole.end);
            if has_domain && !is_quoted {
                at = whole.end;
                let address = &self.source.bytes[whole.clone()];
                (self.reader.results).mail(self.source.range(whole), address);
            }
        }
    }

    /// Reports names that fragments can refer to.
    fn anchors(&mut self) {
        for pattern in &ANCHORS {
            let mut at = 0;
            while let Some([whole, id]) = pattern.group_at(&self.text, at) {
                step(1);
                at = whole.start + 2;
                let is_styled = self.text[whole.start..].starts_with(b"[#");
                let is_escaped = self.is_escaped(whole.start) && !is_styled;
                if (1..=MAX_ID_LEN).contains(&id.len()) && !is_escaped {
                    let name = &self.source.bytes[id.clone()];
                    self.reader.anchor(self.source.range(id).start, name);
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
            if length <= MAX_TARGET_LEN {
                let target = start..start + target;
                (self.reader.results).cross_reference(self.source, target, false);
            }
            at = start + length;
        }
    }
}

/// Returns the mark of the formatted text that is open at an index.
fn open_mark(text: &[u8], at: usize) -> Option<u8> {
    const MAX_DISTANCE: usize = 256;
    let mut open = None;
    for place in at.saturating_sub(MAX_DISTANCE)..at {
        let (mark, next) = (text[place], text[place + 1]);
        if b"*_`#".contains(&mark) {
            let before = char_before(text, place);
            let is_end = !char_at(text, place + 1).is_some_and(is_word);
            let is_inside = |before| is_word(before) || matches!(before, ';' | ':' | '}' | '\\');
            if open.is_none() && !before.is_some_and(is_inside) && !next.is_ascii_whitespace() {
                open = Some(mark);
            } else if open == Some(mark) && is_end && !before.is_some_and(char::is_whitespace) {
                open = None;
            }
        }
    }
    open
}

/// Returns whether a backslash at `at` keeps the rest from being replaced: formatting, a reference to
/// an attribute, or characters such as `...`.
fn escapes(text: &[u8], at: usize) -> bool {
    const MAX_SPAN: usize = 1 << 10;
    if text[at] != b'\\' {
        return false;
    }
    let rest = &text[at + 1..text.len().min(at + MAX_SPAN)];
    let is_edge = |end: usize| !char_at(rest, end).is_some_and(is_word);
    let follows_word = char_before(text, at).is_some_and(is_word);
    match rest {
        [b'{', ..] => begins_attribute(rest),
        [mark @ (b'*' | b'_' | b'`' | b'#'), second, inner @ ..] if mark == second => {
            memmem::find(inner, &[*mark; 2]).is_some_and(|length| length > 0)
        }
        [mark @ (b'*' | b'_' | b'`' | b'#'), first, ..] if !first.is_ascii_whitespace() => {
            let mut ends = memchr::memchr_iter(*mark, rest);
            ends.any(|end| end > 1 && !rest[end - 1].is_ascii_whitespace() && is_edge(end + 1))
        }
        [mark @ (b'^' | b'~'), inner @ ..] => {
            let is_end = |byte: &u8| byte == mark || byte.is_ascii_whitespace();
            let end = inner.iter().position(is_end);
            end.is_some_and(|end| end > 0 && inner[end] == *mark)
        }
        [b'-', b'-', ..] => follows_word && !is_edge(2),
        [b'\'', ..] => follows_word && !is_edge(1),
        rest => REPLACEMENT.is_match(rest),
    }
}

/// Returns whether a cross reference may begin with a byte.
fn starts_id(first: u8) -> bool {
    first.is_ascii_alphanumeric()
        || first >= 0x80
        || matches!(first, b'_' | b'#' | b'/' | b'.' | b':' | b'{')
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

impl BlockResults {
    /// Returns a link, without character references and the backslashes that keep Asciidoctor from replacing.
    fn link(&mut self, text: &DecodedText, range: Range<usize>) -> FoundReference {
        let mut found = self.target(text, range.clone(), "link");
        if memchr::memchr2(b'\\', b'&', &text.bytes[range.clone()]).is_none() {
            return found;
        }
        let (mut written, mut is_template) = (Vec::new(), false);
        let mut at = range.start;
        while at < range.end {
            let rest = &text.bytes[at..range.end];
            let length = match rest[0] {
                b'&' => decode_reference(rest, &mut written),
                _ => None,
            };
            if length.is_none() && !escapes(&text.bytes, at) {
                let is_escaped = at > 0 && text.bytes[at - 1] == b'\\';
                is_template |= !is_escaped && begins_attribute(&text.bytes[at..]);
                written.push(text.bytes[at]);
            }
            at += length.unwrap_or(1);
        }
        found.text = self.store(&written);
        if !is_template {
            found.flags = Flags::NONE;
        }
        found
    }
}

/// Returns whether a text begins with a reference to an attribute.
fn begins_attribute(text: &[u8]) -> bool {
    const MAX_LEN: usize = 130;
    text.starts_with(b"{") && {
        let found = REFERENCE.find(&text[..text.len().min(MAX_LEN)]);
        found.is_some_and(|found| found.start() == 0)
    }
}
