//! MDX: its parts other than Markdown (K16).
//!
//! Tags, expressions and modules become blanks, so that Markdown continues around them, and indentation that
//! means code elsewhere is taken away. Tags of HTML are copied for the scanner of HTML.

use std::ops::Range;

use memchr::memmem;

use super::source::REPLACED;
use super::split::fence_of;
use crate::bytes::class::run_end;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::document::html::{CharacterContext, decode_reference};
use crate::document::source_text::DecodedText;

/// The attributes of components that are references.
const ATTRIBUTES: [&str; 4] = ["href", "src", "to", "link"];

/// Elements whose contents are text up to their end tag.
static TEXT_ELEMENT: Pattern =
    Pattern::new(r"^(?i:iframe|noembed|noframes|script|style|textarea|title|xmp)$");
/// A run of backquotes, or the end of a paragraph.
static CODE_END: Pattern = Pattern::new(r"`+|\n[ \t\r\f]*(?:\n|$)");
/// The end of a line before a blank line.
static PARAGRAPH_END: Pattern = Pattern::new(r"\n[ \t\r\f]*(?:\n|$)");
/// The parts of JavaScript by which its end is found: quotation marks, comments, brackets and blank lines. The
/// slashes of a URI in text begin no comment.
static SCRIPT: Pattern =
    Pattern::new(r#"://|/\*.*?(?:\*/|$)|//[^\n]*|["'`(){}\[\]]|\n[ \t\r\f]*(?:\n|$)"#);
/// The text of a string, by its quotation mark.
static STRINGS: [Pattern; 2] = [
    Pattern::new(r#"^(?:\\.|[^"\\\n])*"#),
    Pattern::new(r"^(?:\\.|[^'\\\n])*"),
];
/// The same in a template literal.
static TEMPLATE: Pattern = Pattern::new(r"\\.|`|\$\{");
/// A line after which `import` and `export` may begin: blank, a heading, its underline, or a thematic break.
static BEFORE_MODULE: Pattern = Pattern::new(
    r"^[ \t]*(?:#{1,6}[ \t\r\n]|(?:=+|-+|(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})?)[ \t\n\f\r]*$)",
);
/// An expression that is a string; the group is the string.
static LITERAL: Pattern =
    Pattern::new(r#"^\{[ \t\n\f\r]*("[^"]*"|'[^']*'|`(?:[^`$]|\$+[^`{$])*\$*`)[ \t\n\f\r]*\}$"#);
/// An expression that names the anchor of a heading.
static COMMENTED_ID: Pattern = Pattern::new(r"^\{/\*[ \t]*(#[^\s{}*]+)[ \t]*\*/\}$");
static ESCAPE: Pattern = Pattern::new(r"\\(.)");
/// The marks of block quotes and list items at the start of a line.
static MARKS: Pattern =
    Pattern::new(r"^(?:[ \t\n\f\r]*(?:>|[-+*][ \t]|[0-9]+[.)][ \t]))*[ \t\n\f\r]*");
/// A destination and its end, or the start of a title.
static DESTINATION: Pattern = Pattern::new(
    r#"^[ \t\r]*(?:\n[ \t\r]*)?(?:<(?:\\[^\n]|[^<>\\\n])*>|[^<{\s()](?:[^\s()]|\([^\s()]*\))*)(?:[ \t\r]*(?m:$)|\)|\s+[)"'(])"#,
);
/// The label of a definition, but not of a footnote, without its end.
static LABEL: Pattern = Pattern::new(r"^\[(?:\\.|[^\^\[\]\\])(?:\\.|[^\[\]\\])*$");
/// The marker of a list item; the group is the blanks after it.
static MARKER: Pattern = Pattern::new(r"^(?:[-+*]|[0-9]{1,9}[.)])( +)");

pub(super) struct ComponentReference {
    /// The value in the document.
    pub(super) range: Range<usize>,
    pub(super) text: Vec<u8>,
    pub(super) element: Vec<u8>,
    pub(super) attribute: &'static str,
}

/// A document of MDX, taken apart.
#[derive(Default)]
pub(super) struct MdxParts {
    /// The Markdown: everything else is blank.
    pub(super) markdown: Vec<u8>,
    /// The tags of HTML and comments: everything else is blank.
    pub(super) html: Vec<u8>,
    /// The ends of elements that close themselves, where the HTML is cut.
    pub(super) cuts: Vec<usize>,
    pub(super) references: Vec<ComponentReference>,
    /// Lines of modules.
    pub(super) modules: Vec<Range<usize>>,
    /// The lines of fenced code.
    code: Vec<Range<usize>>,
}

pub(super) fn parts(bytes: &[u8], start: usize) -> MdxParts {
    let mut reader = MdxReader {
        bytes,
        parts: MdxParts {
            markdown: bytes.to_vec(),
            html: blank(bytes),
            ..MdxParts::default()
        },
        budget: 4 * bytes.len() + (64 << 10),
    };
    reader.read(start);
    // A line of tags and expressions alone is blank; any other continues as text.
    for line in reader.parts.markdown.split_mut(|&byte| byte == b'\n') {
        let marks = MARKS.find(line).map_or(0, |marks| marks.len());
        let own = &mut line[marks..];
        let is_erased = |byte: &u8| *byte == REPLACED as u8 || byte.is_ascii_whitespace();
        if own.iter().all(is_erased) {
            fill(own, b' ');
        }
    }
    reader.parts
}

/// Replaces all bytes but line breaks by spaces.
pub(super) fn blank(bytes: &[u8]) -> Vec<u8> {
    let mut blank = bytes.to_vec();
    fill(&mut blank, b' ');
    blank
}

/// Replaces all bytes but line breaks.
fn fill(bytes: &mut [u8], by: u8) {
    let bytes = bytes
        .iter_mut()
        .filter(|byte| !matches!(byte, b'\n' | b'\r'));
    bytes.for_each(|byte| *byte = by);
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$-.:".contains(&byte) || byte >= 0x80
}

struct Attribute {
    /// The range of the attribute with its value.
    whole: Range<usize>,
    name: Range<usize>,
    kind: AttributeKind,
    /// The value, without its quotes, if it is a string.
    value: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AttributeKind {
    Empty,
    /// A string of HTML.
    Quoted,
    /// A string of JavaScript in braces.
    Literal,
    /// Any other expression.
    Expression,
}

struct MdxReader<'a> {
    bytes: &'a [u8],
    parts: MdxParts,
    /// How many bytes may be read in vain after an unclosed bracket: past that brackets are text.
    budget: usize,
}

impl MdxReader<'_> {
    fn read(&mut self, start: usize) {
        let bytes = self.bytes;
        let mut at = start;
        // The line before; blank after a block of code.
        let mut before: &[u8] = b"";
        let mut is_line_start = true;
        while at < bytes.len() {
            step(1);
            if std::mem::take(&mut is_line_start) {
                let line = line_at(bytes, at);
                let is_module = line.starts_with(b"import ") || line.starts_with(b"export ");
                if is_module && BEFORE_MODULE.is_match(before) {
                    let end = self.module(at);
                    self.erase(at..end);
                    self.parts.modules.push(at..end);
                    (at, is_line_start) = (end, true);
                    continue;
                }
                before = line;
                if let Some(end) = fence_end(bytes, at) {
                    self.parts.code.push(at + line.len()..end);
                    (at, is_line_start, before) = (end, true, b"");
                    continue;
                }
            }
            let Some(next) = bytes[at..]
                .iter()
                .position(|byte| b"\n\\`{<]".contains(byte))
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
                b']' => destination_end(bytes, at).unwrap_or(at + 1),
                _ => self.angle(at),
            };
        }
    }

    /// Erases a part that is not Markdown. Blanks would indent the text after it, or make that a block.
    fn erase(&mut self, range: Range<usize>) {
        fill(&mut self.parts.markdown[range], REPLACED as u8);
    }

    fn copy(&mut self, range: Range<usize>) {
        self.parts.html[range.clone()].copy_from_slice(&self.bytes[range]);
    }

    /// Charges bytes that were read in vain.
    fn pay(&mut self, length: usize) {
        self.budget = self.budget.saturating_sub(length);
    }

    /// Returns the index after a code span, or after the backquotes if nothing closes it.
    fn code_span(&mut self, at: usize) -> usize {
        let start = run_end(self.bytes, at, |byte| byte == b'`');
        let mut end = start;
        while self.budget > 0
            && let Some(found) = CODE_END.find_at(self.bytes, end)
        {
            step(found.end() - end);
            end = found.end();
            match found.as_bytes() {
                [b'\n', ..] => break,
                run if run.len() == start - at => return end,
                _ => {}
            }
        }
        self.pay(end - at);
        start
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
        // `{/* #id */}` at the end of a heading is its identifier, as is `{#id}`.
        if let Some([_, id]) = COMMENTED_ID.group_at(inner, 0) {
            let markdown = &mut self.parts.markdown[at..end];
            fill(markdown, b' ');
            markdown[0] = b'{';
            markdown[1..=id.len()].copy_from_slice(&inner[id.clone()]);
            markdown[id.len() + 1] = b'}';
        }
        end
    }

    /// Returns the index after lines of a module, which ends at a blank line outside of brackets.
    fn module(&mut self, at: usize) -> usize {
        self.script(at, None).unwrap_or_else(|| {
            let end = PARAGRAPH_END.find_at(self.bytes, at);
            end.map_or(self.bytes.len(), |end| end.start() + 1)
        })
    }

    /// Returns the index after JavaScript that ends with `close`, or else at a blank line outside of
    /// brackets; `None` if it does not end.
    fn script(&mut self, start: usize, close: Option<u8>) -> Option<usize> {
        if self.budget == 0 {
            return None;
        }
        let bytes = self.bytes;
        let mut open: Vec<u8> = close.into_iter().collect();
        let mut at = start;
        let mut unclosed = [0; 2];
        loop {
            let is_template = open.last() == Some(&b'`');
            let parts = if is_template { &TEMPLATE } else { &SCRIPT };
            let Some(found) = parts.find_at(bytes, at) else {
                break;
            };
            step(found.end() - at);
            at = found.end();
            match found.as_bytes() {
                [b'\n', ..] if open.is_empty() => return Some(found.start() + 1),
                [b'\n', ..] => at = found.start() + 1,
                [quote @ (b'"' | b'\'')] if !is_template => {
                    let kind = usize::from(*quote == b'\'');
                    // Quotation marks in a text that none of the kind ends are not the start of another.
                    if at > unclosed[kind] {
                        let text = STRINGS[kind].find(&bytes[at..]);
                        let end = at + text.map_or(0, |text| text.len());
                        step(end - at);
                        match bytes.get(end) {
                            Some(closer) if closer == quote => at = end + 1,
                            _ => unclosed[kind] = end,
                        }
                    }
                }
                [byte] if open.last() == Some(byte) => {
                    open.pop();
                    if open.is_empty() && close.is_some() {
                        return Some(at);
                    }
                }
                [b'`'] => open.push(b'`'),
                [b'{'] | b"${" => open.push(b'}'),
                [b'('] => open.push(b')'),
                [b'['] => open.push(b']'),
                _ => {}
            }
        }
        if close.is_none() && open.is_empty() {
            return Some(bytes.len());
        }
        self.pay(bytes.len() - start);
        None
    }

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
        let end = if is_tag {
            self.attributes(name.end, &mut attributes)
        } else {
            Err(start)
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

    /// Reads the attributes of a tag. Returns the index after the tag, or `Err` with the index of a fault.
    fn attributes(&mut self, mut at: usize, found: &mut Vec<Attribute>) -> Result<usize, usize> {
        let bytes = self.bytes;
        let skip = |at: usize| run_end(bytes, at, |byte| byte.is_ascii_whitespace());
        loop {
            step(1);
            let start = skip(at);
            let name = start..run_end(bytes, start, is_name);
            let equals = skip(name.end);
            at = match &bytes[start..] {
                [b'>', ..] => return Ok(start + 1),
                [b'/', b'>', ..] => return Ok(start + 2),
                [b'{', ..] => start,
                _ if name.is_empty() => return Err(start),
                _ if bytes.get(equals) == Some(&b'=') => skip(equals + 1),
                _ => name.end,
            };
            let (mut kind, mut value) = (AttributeKind::Empty, at..at);
            match bytes.get(at) {
                Some(&quote @ (b'"' | b'\'')) if at > name.end => {
                    let length = memchr::memchr(quote, &bytes[at + 1..]).ok_or(bytes.len())?;
                    (kind, value) = (AttributeKind::Quoted, at + 1..at + 1 + length);
                    at = value.end + 1;
                }
                Some(b'{') if at > name.end || name.is_empty() => {
                    let end = self.script(at + 1, Some(b'}')).ok_or(at)?;
                    kind = AttributeKind::Expression;
                    if let Some([_, string]) = LITERAL.group_at(&bytes[at..end], 0)
                        && !name.is_empty()
                    {
                        kind = AttributeKind::Literal;
                        value = at + string.start + 1..at + string.end - 1;
                    }
                    at = end;
                }
                _ if at > name.end => return Err(at),
                _ => {}
            }
            found.push(Attribute {
                whole: start..at,
                name,
                kind,
                value,
            });
        }
    }

    /// Erases a tag from the Markdown. Reports the references of a component; the scanner of HTML reads tags
    /// of HTML.
    fn tag(&mut self, whole: Range<usize>, name: Range<usize>, attributes: &[Attribute]) {
        let bytes = self.bytes;
        self.erase(whole.clone());
        let element = &bytes[name.clone()];
        if element.is_empty() {
            return;
        }
        let is_component = !element[0].is_ascii_lowercase() || element.contains(&b'.');
        self.copy(whole.clone());
        let html = &mut self.parts.html;
        if is_component {
            // An element that HTML does not know, for its `id`.
            html[name].fill(b'x');
        }
        for given in attributes {
            let (kind, whole) = (given.kind, &given.whole);
            let (name, value) = (&given.name, &given.value);
            let written = &bytes[name.clone()];
            let text = &bytes[value.clone()];
            let is_kept = match kind {
                AttributeKind::Literal => !text.contains(&b'"'),
                kind => kind != AttributeKind::Expression,
            };
            if !is_kept || is_component && written != b"id" {
                html[whole.clone()].fill(b' ');
            } else if kind == AttributeKind::Literal {
                html[name.end..value.start].fill(b' ');
                html[name.end] = b'=';
                html[value.start - 1] = b'"';
                html[value.end..whole.end].fill(b' ');
                html[value.end] = b'"';
            }
            let text = match kind {
                AttributeKind::Literal => ESCAPE.replace_all(text, b"$1").into_owned(),
                AttributeKind::Quoted => plain(text),
                _ => continue,
            };
            if let Some(&attribute) = ATTRIBUTES.iter().find(|row| row.as_bytes() == written)
                && is_component
                && !text.is_empty()
                && !text.iter().any(u8::is_ascii_whitespace)
            {
                self.parts.references.push(ComponentReference {
                    range: value.clone(),
                    text,
                    element: element.to_vec(),
                    attribute,
                });
            }
        }
        // An element that closes itself has no end tag.
        if TEXT_ELEMENT.is_match(element) && bytes[whole.clone()].ends_with(b"/>") {
            self.parts.cuts.push(whole.end);
        }
    }
}

/// Returns a string of HTML without character references.
fn plain(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        let decode = || decode_reference(&raw[at..], CharacterContext::Attribute, &mut text);
        let length = (raw[at] == b'&').then(decode).flatten();
        text.extend(length.is_none().then_some(raw[at]));
        at += length.unwrap_or(1);
    }
    text
}

/// The longest label of a link, in bytes.
const MAX_LABEL_LEN: usize = 999;

/// Returns the index after the destination of a link or a definition whose text ends at `at`.
fn destination_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'(' => {}
        b':' => {
            let nearby = &bytes[at.saturating_sub(MAX_LABEL_LEN)..at];
            let line = &nearby[memchr::memrchr(b'\n', nearby).map_or(0, |end| end + 1)..];
            LABEL.find(&line[MARKS.find(line)?.end()..])?;
        }
        _ => return None,
    }
    Some(at + 2 + DESTINATION.find(&bytes[at + 2..])?.end())
}

/// Returns the line at an index, with its line break.
fn line_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at..];
    &rest[..memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)]
}

/// Returns the index after the code that the line at `at` opens, if any.
fn fence_end(bytes: &[u8], at: usize) -> Option<usize> {
    let line = line_at(bytes, at);
    let opening = line.trim_ascii_end();
    let opening = &opening[MARKS.find(opening)?.end()..];
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
        let line = line.trim_ascii_end();
        let is_mark = |byte: u8| byte == b'>' || byte.is_ascii_whitespace();
        let line = &line[run_end(line, 0, is_mark)..];
        if run(line) >= length && run(line) == line.len() {
            break;
        }
    }
    Some(end)
}

/// Removes the indentation that makes lines code: a line is indented by at most three columns more than
/// the list item that holds it.
pub(super) fn without_code(text: &str, parts: &MdxParts) -> DecodedText {
    // The columns at which the contents of open items begin, before and after.
    let mut items: Vec<(usize, usize)> = Vec::new();
    let mut out = DecodedText::default();
    out.bytes.reserve(text.len());
    let mut code = parts.code.iter().peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        step(1);
        let at = start;
        start += line.len();
        let content = line.trim_start_matches([' ', '\t']);
        if content.trim_ascii().is_empty() {
            out.copy(line.as_bytes());
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
            out.copy(line.as_bytes());
        } else {
            out.copy(&b" ".repeat(indent));
            out.map.resume((at + blanks) as u64);
            out.copy(content.as_bytes());
        }
        if !is_code {
            let mut distance = 0;
            while let Some([marker, blanks]) = MARKER.group_at(&content.as_bytes()[distance..], 0) {
                distance += match blanks.len() {
                    1..=4 => marker.len(),
                    // The contents begin with code.
                    _ => blanks.start + 1,
                };
                items.push((column + distance, indent + distance));
            }
        }
    }
    out
}
