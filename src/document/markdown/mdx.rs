//! MDX: what is not Markdown in it (K16).
//!
//! Tags, expressions and modules become blanks, so that Markdown goes on around them, and indentation that
//! means code elsewhere is taken away. Tags of HTML are copied for the scanner of HTML.

use std::ops::Range;

use memchr::memmem;

use super::source::REPLACED;
use super::split::fence_of;
use crate::bytes::class::run_end;
use crate::bytes::steps::step;
use crate::decode::RecordOffsets;
use crate::decode::offset_map::OffsetMap;
use crate::document::html::{CharacterContext, decode_reference};

/// The attributes of components that are references.
const ATTRIBUTES: [&str; 4] = ["href", "src", "to", "link"];

/// A reference in an attribute of a component.
pub(super) struct ComponentReference {
    /// The value in the document.
    pub(super) range: Range<usize>,
    pub(super) text: Vec<u8>,
    pub(super) element: Vec<u8>,
    pub(super) attribute: &'static str,
}

/// A document of MDX, taken apart.
pub(super) struct MdxParts {
    /// The Markdown: everything else is blank.
    pub(super) markdown: Vec<u8>,
    /// The tags of HTML and comments: everything else is blank.
    pub(super) html: Vec<u8>,
    /// Where the HTML is cut: after elements that close themselves, which HTML has not.
    pub(super) cuts: Vec<usize>,
    pub(super) references: Vec<ComponentReference>,
    /// The lines of fenced code.
    code: Vec<Range<usize>>,
}

/// Takes MDX apart that begins at `start`.
pub(super) fn parts(bytes: &[u8], start: usize) -> MdxParts {
    let mut reader = MdxReader {
        bytes,
        parts: MdxParts {
            markdown: bytes.to_vec(),
            html: blank(bytes),
            cuts: Vec::new(),
            references: Vec::new(),
            code: Vec::new(),
        },
        budget: 4 * bytes.len() + (64 << 10),
    };
    reader.read(start);
    reader.parts
}

/// Replaces all bytes but line breaks by spaces.
pub(super) fn blank(bytes: &[u8]) -> Vec<u8> {
    let mut blank = bytes.to_vec();
    erase(&mut blank);
    blank
}

fn erase(bytes: &mut [u8]) {
    let bytes = bytes
        .iter_mut()
        .filter(|byte| !matches!(byte, b'\n' | b'\r'));
    bytes.for_each(|byte| *byte = b' ');
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$-.:".contains(&byte) || byte >= 0x80
}

/// An attribute of a tag.
struct Attribute {
    /// With its value.
    whole: Range<usize>,
    name: Range<usize>,
    value: AttributeValue,
}

enum AttributeValue {
    None,
    /// A string of HTML, without its quotes.
    Quoted(Range<usize>),
    /// A string of JavaScript in braces, without its quotes.
    Literal(Range<usize>),
    /// Any other expression.
    Expression,
}

struct MdxReader<'a> {
    bytes: &'a [u8],
    parts: MdxParts,
    /// How many bytes may be read in vain, behind a bracket that nothing closes: past that brackets are text.
    budget: usize,
}

impl MdxReader<'_> {
    fn read(&mut self, start: usize) {
        let bytes = self.bytes;
        let mut at = start;
        // Whether `import` and `export` may begin here.
        let mut may_import = true;
        let mut is_line_start = true;
        while at < bytes.len() {
            step(1);
            if std::mem::take(&mut is_line_start) {
                let line = line_at(bytes, at);
                if may_import && (line.starts_with(b"import ") || line.starts_with(b"export ")) {
                    let end = self.module(at);
                    self.erase(at..end);
                    (at, is_line_start) = (end, true);
                    continue;
                }
                may_import = line.trim_ascii().is_empty();
                if let Some(end) = fence_end(bytes, at) {
                    self.parts.code.push(at + line.len()..end);
                    (at, is_line_start) = (end, true);
                    continue;
                }
            }
            let Some(next) = bytes[at..]
                .iter()
                .position(|byte| b"\n\\`{<".contains(byte))
            else {
                break;
            };
            at += next;
            at = match bytes[at] {
                b'\n' => {
                    is_line_start = true;
                    at + 1
                }
                b'\\' if matches!(bytes.get(at + 1), Some(b'\n') | None) => at + 1,
                b'\\' => at + 2,
                b'`' => self.code_span(at),
                b'{' => self.expression(at),
                _ => self.angle(at),
            };
        }
    }

    fn erase(&mut self, range: Range<usize>) {
        erase(&mut self.parts.markdown[range]);
    }

    fn copy(&mut self, range: Range<usize>) {
        self.parts.html[range.clone()].copy_from_slice(&self.bytes[range]);
    }

    /// Pays for bytes that were read in vain.
    fn pay(&mut self, length: usize) {
        self.budget = self.budget.saturating_sub(length);
    }

    /// Returns the index after a code span, or after the backquotes if nothing closes it.
    fn code_span(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let run = |at: usize| run_end(bytes, at, |byte| byte == b'`');
        let length = run(at) - at;
        let mut end = at + length;
        while self.budget > 0
            && let Some(next) = bytes[end..].iter().position(|byte| b"`\n".contains(byte))
        {
            step(1);
            end += next;
            if bytes[end] == b'\n' {
                end += 1;
                // A paragraph ends.
                if line_at(bytes, end).trim_ascii().is_empty() {
                    break;
                }
                continue;
            }
            let closing = run(end);
            if closing - end == length {
                return closing;
            }
            end = closing;
        }
        self.pay(end - at);
        at + length
    }

    /// Erases the expression at `at`; returns the index after it, or after its brace if nothing closes it.
    fn expression(&mut self, at: usize) -> usize {
        // An identifier of a heading, `{#id}`.
        if self.bytes.get(at + 1) == Some(&b'#') {
            return at + 1;
        }
        let Some(end) = self.script(at + 1, Some(b'}')) else {
            return at + 1;
        };
        self.erase(at..end);
        let inner = &self.bytes[at..end];
        if inner.starts_with(b"{/* ") && inner.ends_with(b" */}") {
            self.copy(at + 4..end - 4);
            self.parts.html[at..at + 4].copy_from_slice(b"<!--");
            self.parts.html[end - 4..end - 1].copy_from_slice(b"-->");
        }
        end
    }

    /// Returns the index after lines of a module: they end at a blank line outside of brackets.
    fn module(&mut self, at: usize) -> usize {
        self.script(at, None).unwrap_or_else(|| {
            let lines = self.bytes[at..].split_inclusive(|&byte| byte == b'\n');
            let lines = lines.take_while(|line| !line.trim_ascii().is_empty());
            at + lines.map(<[u8]>::len).sum::<usize>()
        })
    }

    /// Returns the index after JavaScript that ends with `close`, or else at a blank line outside of
    /// brackets; `None` if nothing ends it.
    fn script(&mut self, start: usize, close: Option<u8>) -> Option<usize> {
        if self.budget == 0 {
            return None;
        }
        let bytes = self.bytes;
        let mut open: Vec<u8> = close.into_iter().collect();
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            step(1);
            at += 1;
            let rest = &bytes[at..];
            if open.last() == Some(&b'`') {
                match byte {
                    b'\\' => at += 1,
                    b'`' => drop(open.pop()),
                    b'$' if rest.starts_with(b"{") => {
                        open.push(b'}');
                        at += 1;
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'\'' | b'"' => at += string_length(rest, byte).unwrap_or(0),
                b'`' => open.push(b'`'),
                b'{' => open.push(b'}'),
                b'(' => open.push(b')'),
                b'[' => open.push(b']'),
                b'/' if rest.starts_with(b"*") => {
                    at += memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                }
                // Not that of a URI in text.
                b'/' if rest.starts_with(b"/") && bytes[at - 2] != b':' => {
                    at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                b'\n' if open.is_empty() && line_at(bytes, at).trim_ascii().is_empty() => {
                    return Some(at);
                }
                byte if open.last() == Some(&byte) => {
                    open.pop();
                    if open.is_empty() && close.is_some() {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        if close.is_none() && open.is_empty() {
            return Some(bytes.len());
        }
        self.pay(bytes.len() - start);
        None
    }

    /// Reads a comment or a tag; returns the index after it.
    fn angle(&mut self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        if rest.starts_with(b"<!--") && self.budget > 0 {
            if let Some(end) = memmem::find(rest, b"-->") {
                let end = at + end + 3;
                self.erase(at..end);
                self.copy(at..end);
                return end;
            }
            self.pay(rest.len());
        }
        let start = at + 1 + usize::from(rest.get(1) == Some(&b'/'));
        let name = start..run_end(self.bytes, start, is_name);
        let is_start =
            |byte: &u8| *byte == b'>' || is_name(*byte) && !b"-.:0123456789".contains(byte);
        let is_tag = self.budget > 0 && self.bytes.get(start).is_some_and(is_start);
        let mut attributes = Vec::new();
        let end = match is_tag {
            true => self.attributes(name.end, &mut attributes),
            false => Err(start),
        };
        match end {
            Ok(end) => {
                self.tag(at..end, name, &attributes);
                end
            }
            Err(end) => {
                self.pay(end - at);
                // `<https://example.com>` and `<user@example.com>` are links.
                let inner = &self.bytes[at + 1..];
                let inner = inner.iter().take_while(|byte| !b"<> \t\r\n".contains(byte));
                if !inner.take(256).any(|byte| b":@".contains(byte)) {
                    self.parts.markdown[at] = REPLACED as u8;
                }
                at + 1
            }
        }
    }

    /// Reads the attributes of a tag. Returns the index after the tag, or where it is none.
    fn attributes(&mut self, mut at: usize, found: &mut Vec<Attribute>) -> Result<usize, usize> {
        let bytes = self.bytes;
        let skip = |at: usize| run_end(bytes, at, |byte| byte.is_ascii_whitespace());
        loop {
            step(1);
            let start = skip(at);
            match bytes.get(start) {
                Some(b'>') => return Ok(start + 1),
                Some(b'/') if bytes.get(start + 1) == Some(&b'>') => return Ok(start + 2),
                Some(&byte) if is_name(byte) => {
                    let name = start..run_end(bytes, start, is_name);
                    at = name.end;
                    let equals = skip(at);
                    let mut value = AttributeValue::None;
                    if bytes.get(equals) == Some(&b'=') {
                        (value, at) = self.value(skip(equals + 1))?;
                    }
                    found.push(Attribute {
                        whole: start..at,
                        name,
                        value,
                    });
                }
                Some(b'{') => {
                    at = self.script(start + 1, Some(b'}')).ok_or(start)?;
                    found.push(Attribute {
                        whole: start..at,
                        name: start..start,
                        value: AttributeValue::Expression,
                    });
                }
                _ => return Err(start),
            }
        }
    }

    /// Reads the value of an attribute; returns it and the index after it, or where it is none.
    fn value(&mut self, at: usize) -> Result<(AttributeValue, usize), usize> {
        let bytes = self.bytes;
        match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let length = memchr::memchr(quote, &bytes[at + 1..]).ok_or(bytes.len())?;
                let end = at + 1 + length;
                Ok((AttributeValue::Quoted(at + 1..end), end + 1))
            }
            Some(b'{') => {
                let end = self.script(at + 1, Some(b'}')).ok_or(at)?;
                let inner = &bytes[at + 1..end - 1];
                let text = inner.trim_ascii();
                let value = match text {
                    [quote @ (b'"' | b'\'' | b'`'), string @ .., last]
                        if last == quote
                            && !string.contains(quote)
                            && (*quote != b'`' || memmem::find(string, b"${").is_none()) =>
                    {
                        let start = at + 1 + (inner.len() - inner.trim_ascii_start().len());
                        AttributeValue::Literal(start + 1..start + 1 + string.len())
                    }
                    _ => AttributeValue::Expression,
                };
                Ok((value, end))
            }
            _ => Err(at),
        }
    }

    /// Erases a tag from the Markdown. Reports what a component refers to, and leaves tags of HTML to the
    /// scanner of HTML.
    fn tag(&mut self, whole: Range<usize>, name: Range<usize>, attributes: &[Attribute]) {
        let bytes = self.bytes;
        // A line that is more than a tag goes on as text.
        self.erase(whole.clone());
        let element = &bytes[name.clone()];
        if element.is_empty() {
            return;
        }
        let is_component = element[0].is_ascii_uppercase() || element.contains(&b'.');
        self.copy(whole.clone());
        let html = &mut self.parts.html;
        if is_component {
            // An element that HTML does not know, for its `id`.
            html[name].fill(b'x');
        }
        for attribute in attributes {
            let written = &bytes[attribute.name.clone()];
            let known = ATTRIBUTES.iter().find(|row| row.as_bytes() == written);
            let has_quote = |value: &Range<usize>| bytes[value.clone()].contains(&b'"');
            let is_kept = !is_component || written == b"id";
            match &attribute.value {
                AttributeValue::None if is_kept => {}
                AttributeValue::Quoted(_) if is_kept => {}
                AttributeValue::Literal(value) if is_kept && !has_quote(value) => {
                    html[attribute.name.end..value.start].fill(b' ');
                    html[attribute.name.end] = b'=';
                    html[value.start - 1] = b'"';
                    html[value.end..attribute.whole.end].fill(b' ');
                    html[value.end] = b'"';
                }
                _ => html[attribute.whole.clone()].fill(b' '),
            }
            if let AttributeValue::Quoted(value) | AttributeValue::Literal(value) = &attribute.value
                && let Some(&name) = known.filter(|_| is_component)
            {
                let is_literal = matches!(attribute.value, AttributeValue::Literal(_));
                let text = plain(&bytes[value.clone()], is_literal);
                if !text.is_empty() && !text.iter().any(u8::is_ascii_whitespace) {
                    self.parts.references.push(ComponentReference {
                        range: value.clone(),
                        text,
                        element: element.to_vec(),
                        attribute: name,
                    });
                }
            }
        }
        // Elements whose contents are text up to their end tag, which one that closes itself does not have.
        let is_text = matches!(
            &*element.to_ascii_lowercase(),
            b"iframe"
                | b"noembed"
                | b"noframes"
                | b"script"
                | b"style"
                | b"textarea"
                | b"title"
                | b"xmp"
        );
        if is_text && bytes[whole.clone()].ends_with(b"/>") {
            self.parts.cuts.push(whole.end);
        }
    }
}

/// Returns the value of a string, of JavaScript or of HTML.
fn plain(raw: &[u8], is_literal: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        match raw[at] {
            b'\\' if is_literal && at + 1 < raw.len() => at += 1,
            b'&' if !is_literal => {
                if let Some(length) =
                    decode_reference(&raw[at..], CharacterContext::Attribute, &mut text)
                {
                    at += length;
                    continue;
                }
            }
            _ => {}
        }
        text.push(raw[at]);
        at += 1;
    }
    text
}

/// Returns the length of a string of JavaScript and its closing quote; `None` if it does not end in its line.
fn string_length(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        match *rest.get(at)? {
            b'\n' => return None,
            b'\\' => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Returns the line at an index, with its line break.
fn line_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at..];
    &rest[..memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)]
}

/// Returns the line without blanks and the marks of block quotes at its start, and, for an opening line, those of
/// list items.
fn without_marks(mut line: &[u8], opens: bool) -> &[u8] {
    loop {
        line = line.trim_ascii();
        line = match line {
            [b'>', rest @ ..] => rest,
            [b'-' | b'+' | b'*', b' ' | b'\t', rest @ ..] if opens => rest,
            [b'0'..=b'9', ..] if opens => {
                let digits = run_end(line, 0, |byte| byte.is_ascii_digit());
                match &line[digits..] {
                    [b'.' | b')', b' ' | b'\t', rest @ ..] => rest,
                    _ => return line,
                }
            }
            _ => return line,
        };
    }
}

/// Returns the index after the code that the line at `at` opens, if it opens any.
fn fence_end(bytes: &[u8], at: usize) -> Option<usize> {
    let line = line_at(bytes, at);
    let opening = without_marks(line, true);
    let mark = fence_of(opening)?;
    let run = |line: &[u8]| run_end(line, 0, |byte| byte == mark);
    let length = run(opening);
    if mark == b'`' && opening[length..].contains(&b'`') {
        return None;
    }
    let mut end = at + line.len();
    while end < bytes.len() {
        step(1);
        let line = line_at(bytes, end);
        end += line.len();
        let line = without_marks(line, false);
        if run(line) >= length && run(line) == line.len() {
            break;
        }
    }
    Some(end)
}

/// Takes the indentation of lines away that makes them code: a line is indented by at most three columns more
/// than the item of a list that it is in.
pub(super) fn without_code(text: &str, parts: &MdxParts) -> (String, OffsetMap) {
    // The columns at which the contents of open items begin, before and after.
    let mut items: Vec<(usize, usize)> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut map = OffsetMap::default();
    let mut code = parts.code.iter().peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        step(1);
        let at = start;
        start += line.len();
        let content = line.trim_start_matches([' ', '\t']);
        if content.trim_ascii().is_empty() {
            out.push_str(line);
            map.copy(line.len());
            continue;
        }
        let blanks = line.len() - content.len();
        let column = line[..blanks].bytes().fold(0, |column, byte| match byte {
            b'\t' => (column | 3) + 1,
            _ => column + 1,
        });
        while code.next_if(|code| code.end <= at).is_some() {}
        let is_code = code.peek().is_some_and(|code| code.start <= at);
        while !is_code && items.pop_if(|item| column < item.0).is_some() {}
        let item = items.iter().rfind(|item| item.0 <= column);
        let (before, after) = item.copied().unwrap_or_default();
        let indent = after + (column - before).min(3);
        if indent == column {
            out.push_str(line);
            map.copy(line.len());
        } else {
            out.extend(std::iter::repeat_n(' ', indent));
            map.copy(indent);
            out.push_str(content);
            map.resume((at + blanks) as u64);
            map.copy(content.len());
        }
        if !is_code {
            let mut distance = 0;
            while let Some(width) = marker_width(&content.as_bytes()[distance..]) {
                distance += width;
                items.push((column + distance, indent + distance));
            }
        }
    }
    (out, map)
}

/// Returns the width of the marker of a list item and of the blanks after it.
fn marker_width(content: &[u8]) -> Option<usize> {
    let digits = run_end(&content[..content.len().min(9)], 0, |byte| {
        byte.is_ascii_digit()
    });
    let marker = match (digits, content.get(digits)?) {
        (0, b'-' | b'+' | b'*') => 1,
        (1.., b'.' | b')') => digits + 1,
        _ => return None,
    };
    match run_end(content, marker, |byte| byte == b' ') - marker {
        0 => None,
        blanks @ 1..=4 => Some(marker + blanks),
        _ => Some(marker + 1),
    }
}
