//! The structure of lines: blocks, titles, lists, tables, attribute entries and directives.

use std::ops::Range;

use memchr::memchr;

use super::attributes::{DocumentAttributes, REFERENCE, replaced};
use super::ids::{ANCHORS, SectionIds};
use crate::bytes::class::run_end;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::document::ScanStart;
use crate::document::blocks::{BlockReader, BlockResults, Line, columns, lines, text_references};
use crate::document::diagnostic;
use crate::document::events::{BaseSelector, Escapes, FoundReference, NameRange, Quoting};
use crate::document::flags::Flags;
use crate::document::options::TextOptions;
use crate::document::source_text::DecodedText;

/// Skipped lines, up to a delimiter.
#[derive(Debug)]
struct Verbatim {
    delimiter: Vec<u8>,
    is_comment: bool,
}

/// A block's properties from a line of block attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BlockStyle {
    #[default]
    Plain,
    Verbatim,
    Comment,
}

/// An attribute entry up to its value; the group is its name.
static ENTRY: Pattern = Pattern::new(r"^:(!?[A-Za-z0-9_\x80-\xff][^:]*):(?:[ \t]|$)");
/// A value that is passed through; the group is its text.
static PASSED_VALUE: Pattern = Pattern::new(r"^pass:[^\[]*\[(.*)\]$");
/// A directive of the preprocessor; the group is its name.
static DIRECTIVE: Pattern = Pattern::new(r"^(include|ifn?def|ifeval|endif)::.*\]$");
/// A line of block attributes, or an anchor.
static ATTRIBUTES: Pattern = Pattern::new(r#"^\[(?:\[.*\]|[A-Za-z0-9\x80-\xff_.#%{,"'].*)?\]$"#);
/// A line that delimits a block.
static DELIMITER: Pattern =
    Pattern::new(r"^(?:--|```.*|[|,:!]={3,}|-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,})$");
/// The marks before a title.
static TITLE: Pattern = Pattern::new(r"^(?:={1,6}|#{1,6})[ \t]");
/// The marker of an item of a list, or a term of a description list.
static ITEM: Pattern = Pattern::new(
    r"^(?:-|\*+|\.+|[A-Za-z]\.|[0-9]+\.|[IVXivx]+\)|<(?:\.|[0-9]+)>|\xE2\x80\xA2)[ \t\n\f\r]|(?:[^:]|^::)::+(?:[ \t]|$)|(?:[^;]|^;;);;+(?:[ \t]|$)",
);
/// An underline of a title.
static UNDERLINE: Pattern = Pattern::new(r"^(?:=+|-+|~+|\^+|\++)$");
/// A title that may be underlined.
static UNDERLINED: Pattern = Pattern::new(r"^[^.].*[A-Za-z0-9\x80-\xff]|^[A-Za-z0-9\x80-\xff]");

#[derive(Debug, Default)]
pub(super) struct AdocReader {
    pub(super) results: BlockResults,
    pub(super) attributes: DocumentAttributes,
    ids: SectionIds,
    verbatim: Option<Verbatim>,
    style: BlockStyle,
    /// The attributes before a block have its identifier.
    has_id: bool,
    /// The delimiters of open tables, each in a cell of the one before, and what separates their cells.
    tables: Vec<(Vec<u8>, u8)>,
    /// What separates the values of a table, by the block attributes before it.
    separator: Option<u8>,
    /// The term of a description list has no text yet.
    awaits_text: bool,
    /// Single quotes and the like are read as AsciiDoc.py did.
    pub(super) is_compatible: bool,
    /// A block was read.
    has_begun: bool,
    pub(super) text: TextOptions,
    extended: bool,
}

impl BlockReader for AdocReader {
    fn begin(&mut self, _start: &ScanStart) {
        *self = AdocReader {
            results: std::mem::take(&mut self.results),
            ..AdocReader::new(std::mem::take(&mut self.text), self.extended)
        };
    }

    fn passes_over(&mut self, head: &[u8]) -> bool {
        let Some(verbatim) = &self.verbatim else {
            return false;
        };
        let line = head.trim_ascii_end();
        let is_read = line == verbatim.delimiter
            || !verbatim.is_comment
                && (line.starts_with(b"include::") || self.extended && !line.is_empty());
        !is_read
    }

    fn is_apart(&self, head: &[u8], previous: Option<&[u8]>) -> bool {
        let line = head.trim_ascii_end();
        match &self.verbatim {
            Some(verbatim) => line == verbatim.delimiter || line.starts_with(b"include::"),
            None if DELIMITER.is_match(line) => {
                !previous.is_some_and(|previous| is_underlined(previous.trim_ascii_end(), line))
            }
            None => false,
        }
    }

    fn is_attributes(&self, head: &[u8]) -> bool {
        let line = head.trim_ascii_end();
        ATTRIBUTES.is_match(line)
            || line.starts_with(b"//")
            || line.starts_with(b":")
            || line.starts_with(b".") && !matches!(line.get(1), None | Some(b' ' | b'.'))
    }

    fn results(&mut self) -> &mut BlockResults {
        &mut self.results
    }

    fn read(&mut self, bytes: &[u8], block: Range<usize>) {
        let lines = lines(bytes, block.clone());
        let first = lines[0];
        let text = first.text();
        if let Some(verbatim) = &self.verbatim {
            let whole = &bytes[block.clone()];
            let line = whole.trim_ascii_end();
            if line == verbatim.delimiter {
                self.verbatim = None;
            } else if text.starts_with(b"include::") {
                self.include(first);
            } else {
                text_references(whole, block.start, &self.text, &mut self.results);
            }
        } else if lines.len() == 1 && DELIMITER.is_match(text) && first.indent == 0 {
            self.delimiter(text);
        } else if let Some(&(_, separator)) = self.tables.last() {
            self.table_lines(&lines, separator);
        } else {
            self.lines(&lines);
            let last = lines[lines.len() - 1].text();
            if !self.is_attributes(last) && !is_directive(last) {
                self.separator = None;
            }
        }
        // Directives of the preprocessor may be before the header.
        let is_directive = |line: &Line| line.indent == 0 && is_directive(line.text());
        self.has_begun |= !lines.iter().all(is_directive);
    }
}

impl AdocReader {
    pub(super) fn new(text: TextOptions, extended: bool) -> Self {
        AdocReader {
            text,
            extended,
            ..AdocReader::default()
        }
    }

    /// Opens or closes the block of a delimiter.
    fn delimiter(&mut self, line: &[u8]) {
        let style = std::mem::take(&mut self.style);
        let separator = self.separator.take();
        self.has_id = false;
        let is_comment = style == BlockStyle::Comment || line.starts_with(b"//");
        let is_verbatim = match line {
            [b'-', b'-'] => style != BlockStyle::Plain,
            [b'-' | b'.' | b'+' | b'/' | b'`', ..] => true,
            [first @ (b'|' | b',' | b':' | b'!'), ..] => {
                // Colons would separate the parts of URIs.
                let usual = if *first == b':' { b'|' } else { *first };
                let separator = separator.unwrap_or(usual);
                match self.tables.iter().position(|(open, _)| open == line) {
                    Some(at) => self.tables.truncate(at),
                    None => self.tables.push((line.to_vec(), separator)),
                }
                false
            }
            _ => style == BlockStyle::Comment,
        };
        if is_verbatim {
            let fence = run_end(line, 0, |byte| byte == b'`');
            let delimiter = if fence > 0 { &line[..fence] } else { line };
            self.verbatim = Some(Verbatim {
                delimiter: delimiter.to_vec(),
                is_comment,
            });
        }
    }

    /// Reads lines without delimiters.
    fn lines(&mut self, lines: &[Line<'_>]) {
        let passed = lines.iter().take_while(|line| is_directive(line.text()));
        let first = if self.has_begun { 0 } else { passed.count() };
        let is_header = !self.has_begun
            && (lines.get(first)).is_some_and(|line| line.text().starts_with(b"= "));
        let mut at = 0;
        // The target of an image, from the attributes before it.
        let mut link = None;
        while at < lines.len() {
            step(1);
            let line = lines[at];
            let text = line.text();
            if self.directive(line) {
                at += 1;
            } else if let Some((name, value)) = entry(line) {
                at += self.attribute(name, value, &lines[at..]);
            } else if line.indent == 0 && self.block_attributes(line) {
                let text = replaced(&[line], &self.attributes);
                let inside = 1..text.bytes.len() - 1;
                link = self
                    .attribute_reference(&text, inside, "image", "link")
                    .or(link);
                at += 1;
            } else if let Some(mark) = TITLE.find(text).filter(|_| line.indent == 0) {
                let title = line.rest(line.start + mark.len());
                self.title(title, !(is_header && at == first));
                at += 1;
            } else if let Some(under) = lines.get(at + 1)
                && is_underlined(text, under.text())
                && line.indent == 0
            {
                let is_document = !self.has_begun && at == first && under.text().starts_with(b"=");
                self.is_compatible |= is_document;
                self.title(line, !is_document);
                at += 2;
            } else if self.style != BlockStyle::Plain {
                self.style = BlockStyle::Plain;
                return;
            } else if let [b'.', next, ..] = text
                && line.indent == 0
                && !matches!(next, b' ' | b'\t' | b'.')
            {
                self.inline(&[line.rest(line.start + 1)]);
                at += 1;
            } else if text == b"+" || line.indent == 0 && self.block_macro(line, &mut link) {
                self.has_id = false;
                at += 1;
            } else if line.indent > 0 && !ITEM.is_match(text) && !self.awaits_text {
                // A literal paragraph.
                return;
            } else {
                link = None;
                at += self.paragraph(&lines[at..], is_header);
            }
        }
    }

    /// Reads the text at the start of lines; returns the number of its lines.
    fn paragraph(&mut self, lines: &[Line<'_>], is_header: bool) -> usize {
        self.has_id = false;
        let in_list = self.awaits_text || ITEM.is_match(lines[0].text());
        let mut own = vec![lines[0]];
        let mut count = 1;
        while let Some(&line) = lines.get(count).filter(|_| !is_header) {
            step(1);
            let text = line.text();
            if in_list && (text == b"+" || ITEM.is_match(text))
                || line.indent == 0 && ATTRIBUTES.is_match(text)
            {
                break;
            }
            if !self.directive(line) {
                own.push(line);
            }
            count += 1;
        }
        let last = own[own.len() - 1].text();
        self.awaits_text = own.len() == 1 && (last.ends_with(b"::") || last.ends_with(b";;"));
        self.inline(&own);
        count
    }

    /// Reads the cells of lines in a table.
    fn table_lines(&mut self, lines: &[Line<'_>], separator: u8) {
        let has_quotes = b",;\t".contains(&separator);
        let mut cell = Vec::new();
        for &line in lines {
            step(1);
            if self.directive(line) {
                continue;
            }
            let mut from = line.start;
            loop {
                let rest = &line.text()[from - line.start..];
                let mut is_quoted = false;
                let bar = (0..rest.len()).find(|&at| {
                    is_quoted ^= has_quotes && rest[at] == b'"';
                    rest[at] == separator && !is_quoted && (at == 0 || rest[at - 1] != b'\\')
                });
                let mut part = line.part(from..bar.map_or(line.end, |bar| from + bar));
                if has_quotes && let [b'"', .., b'"'] = part.text() {
                    part = part.part(part.start + 1..part.end - 1);
                }
                if !part.is_empty() && !self.block_macro(part, &mut None) {
                    cell.push(part);
                }
                if bar.is_some() || has_quotes {
                    self.inline(&cell);
                    cell.clear();
                }
                let Some(bar) = bar else {
                    break;
                };
                from += bar + 1;
            }
        }
        self.inline(&cell);
    }

    /// Reads a comment or a directive of the preprocessor; returns whether the line was either.
    fn directive(&mut self, line: Line<'_>) -> bool {
        let text = line.text();
        if line.indent > 0 {
            return false;
        }
        if is_comment(text) {
            self.results.comment(line.range(), &text[2..]);
            return true;
        }
        let Some([_, name]) = DIRECTIVE.group_at(text, 0) else {
            return false;
        };
        match &text[name] {
            b"include" => self.include(line),
            // A line of text may be in the brackets.
            b"ifdef" | b"ifndef" => {
                let open = memchr(b'[', text).unwrap_or(text.len());
                let inside = line.part((line.start + open + 1).min(line.end - 1)..line.end - 1);
                let inside = inside.part(inside.range());
                if !inside.is_empty() && !self.directive(inside) {
                    self.inline(&[inside]);
                }
            }
            _ => {}
        }
        true
    }

    fn include(&mut self, line: Line<'_>) {
        const START: usize = "include::".len();
        let length = memchr(b'[', &line.text()[START..]).unwrap_or(0);
        let target = line.part(line.start + START..line.start + START + length);
        let text = replaced(&[target], &self.attributes);
        let whole = 0..text.bytes.len();
        let mut found = self.results.target(&text, whole, "include");
        found.quoting = Quoting::of(Escapes::Name);
        self.results.file(found);
    }

    /// Applies an attribute entry; returns the number of its lines.
    fn attribute(&mut self, name: &[u8], value: Line<'_>, lines: &[Line<'_>]) -> usize {
        let mut text = value.text().to_vec();
        let mut count = 1;
        while let Some(start) = text.strip_suffix(b" \\")
            && let Some(line) = lines.get(count)
        {
            let length = start.trim_ascii_end().len();
            text.truncate(length);
            text.push(b' ');
            text.extend_from_slice(line.text());
            count += 1;
        }
        let passed = PASSED_VALUE.group_at(&text, 0);
        let inner = passed.map_or(&text[..], |[_, inner]| &text[inner]);
        if !self.attributes.set(name, inner) {
            (self.results).diagnostic(&diagnostic::ADOC_ATTRIBUTE_LIMIT, lines[0].start + 1);
        }
        count
    }

    /// Reads a line of block attributes; returns whether it was read.
    fn block_attributes(&mut self, line: Line<'_>) -> bool {
        let text = line.text();
        if !ATTRIBUTES.is_match(text) {
            return false;
        }
        if text.starts_with(b"[[") {
            if let Some([_, id]) = ANCHORS[0].group_at(text, 0) {
                self.anchor(line.start + 2, &text[id]);
                self.has_id = true;
            }
            return true;
        }
        let inner = &text[1..text.len() - 1];
        let position = inner.split(|&byte| byte == b',').next().unwrap_or_default();
        let style = run_end(position, 0, |byte| !b"#.%,".contains(&byte));
        match &position[..style] {
            b"source" | b"listing" | b"literal" | b"pass" => self.style = BlockStyle::Verbatim,
            b"stem" | b"latexmath" | b"asciimath" => self.style = BlockStyle::Verbatim,
            b"comment" => self.style = BlockStyle::Comment,
            _ => {}
        }
        if let Some(hash) = memchr(b'#', position) {
            let id = &position[hash + 1..];
            let length = run_end(id, 0, |byte| !b".%".contains(&byte));
            self.anchor(line.start + 1 + hash + 1, &id[..length]);
            self.has_id = true;
        }
        if attribute_value(inner, b"format").is_some_and(|(format, _)| format == b"csv") {
            self.separator = Some(match attribute_value(inner, b"separator") {
                Some((&[separator], _)) => separator,
                Some((br"\t", _)) => b'\t',
                _ => b',',
            });
        }
        if let Some((value, at)) = attribute_value(inner, b"id") {
            self.anchor(line.start + 1 + at, value);
            self.has_id = true;
        }
        true
    }

    pub(super) fn anchor(&mut self, at: usize, id: &[u8]) {
        if self.results.marks {
            self.ids.reserve(id);
            self.results.anchor(at, id);
        }
    }

    fn title(&mut self, title: Line<'_>, is_section: bool) {
        self.style = BlockStyle::Plain;
        let has_id = std::mem::take(&mut self.has_id);
        self.inline(&[title]);
        if self.results.marks && is_section {
            let text = replaced(&[title], &self.attributes);
            let ends_with_id =
                text.bytes.ends_with(b"]]") && memchr::memmem::find(&text.bytes, b" [[").is_some();
            let plain = plain_title(&text.bytes);
            // An identifier of the author's replaces the derived one.
            if !has_id && !ends_with_id {
                let id = self.ids.next(&plain, &self.attributes);
                self.results.anchor(title.start, &id);
            }
            // Cross references may name a title.
            if plain.contains(|character: char| character == ' ' || character.is_uppercase()) {
                self.results.anchor(title.start, plain.as_bytes());
            }
        }
    }

    /// Reads a block macro for an image or the like; returns whether it was read.
    fn block_macro(&mut self, line: Line<'_>, link: &mut Option<FoundReference>) -> bool {
        /// The group is the target.
        static MACRO: Pattern = Pattern::new(r"^(?:image|video|audio)::([^\[]+)\[.*\]$");
        if !MACRO.is_match(line.text()) {
            return false;
        }
        let text = replaced(&[line], &self.attributes);
        let mut names = ["image", "video", "audio"].into_iter();
        let name = names.find(|name| text.bytes.starts_with(name.as_bytes()));
        let (Some(name), Some([_, target])) = (name, MACRO.group_at(&text.bytes, 0)) else {
            return false;
        };
        if let Some(link) = link.take().filter(|_| name == "image") {
            self.results.reference(link);
        }
        let inside = target.end + 1..text.bytes.len() - 1;
        self.media(&text, name, target, inside);
        true
    }

    /// Reports an image or the like, and what its attributes name.
    pub(super) fn media(
        &mut self,
        text: &DecodedText,
        name: &'static str,
        target: Range<usize>,
        inside: Range<usize>,
    ) {
        let attributes = &text.bytes[inside.clone()];
        let first = attributes.split(|&byte| byte == b',').next();
        let is_hosted = matches!(first, Some(b"youtube" | b"vimeo" | b"wistia"));
        let (mut folder, mut flags) = (BaseSelector::Document, Flags::NONE);
        if let Some(path @ [_, ..]) = self.attributes.get(b"imagesdir") {
            let slash = if path.ends_with(b"/") { "" } else { "/" };
            let path = [path, slash.as_bytes()].concat();
            folder = BaseSelector::Codebase(self.results.store(&path));
            flags = Flags::TEMPLATE.when(REFERENCE.is_match(&path));
        }
        if name != "icon" && (name != "video" || !is_hosted) {
            let mut found = self.results.target(text, target, name);
            found.base = folder;
            found.flags |= flags;
            self.results.file(found);
        }
        for (attribute, base) in [("link", BaseSelector::Document), ("poster", folder)] {
            if let Some(found) = self.attribute_reference(text, inside.clone(), name, attribute) {
                self.results.reference(FoundReference { base, ..found });
            }
        }
    }

    /// Returns the reference in a named attribute of an image or the like.
    fn attribute_reference(
        &mut self,
        text: &DecodedText,
        inside: Range<usize>,
        element: &'static str,
        attribute: &'static str,
    ) -> Option<FoundReference> {
        let (value, at) = attribute_value(&text.bytes[inside.clone()], attribute.as_bytes())?;
        if matches!(value, b"self" | b"none") {
            return None;
        }
        let start = inside.start + at;
        let found = self
            .results
            .target(text, start..start + value.len(), element);
        let attribute = NameRange::Known(attribute);
        Some(FoundReference { attribute, ..found })
    }
}

/// Returns the value of a named attribute in a list, and its index.
fn attribute_value<'a>(list: &'a [u8], name: &[u8]) -> Option<(&'a [u8], usize)> {
    let start = memchr::memmem::find_iter(list, name).find_map(|at| {
        let begins = at == 0 || matches!(list[at - 1], b',' | b' ');
        let end = at + name.len();
        (begins && list.get(end) == Some(&b'=')).then_some(end + 1)
    })?;
    let (start, stop) = match list.get(start) {
        Some(&quote @ (b'"' | b'\'')) => (start + 1, quote),
        _ => (start, b','),
    };
    let length = memchr(stop, &list[start..]).unwrap_or(list.len() - start);
    let value = list[start..start + length].trim_ascii_end();
    let value = value.strip_suffix(b"^").unwrap_or(value);
    (!value.is_empty()).then_some((value, start))
}

fn entry(line: Line<'_>) -> Option<(&[u8], Line<'_>)> {
    let [whole, name] = ENTRY
        .group_at(line.text(), 0)
        .filter(|_| line.indent == 0)?;
    Some((&line.text()[name], line.rest(line.start + whole.len())))
}

/// Returns whether a line is a comment, an attribute entry or a directive, which may be before a header.
fn is_directive(text: &[u8]) -> bool {
    is_comment(text) || ENTRY.is_match(text) || DIRECTIVE.is_match(text)
}

fn is_comment(text: &[u8]) -> bool {
    text.starts_with(b"//") && !text.starts_with(b"///")
}

/// Returns whether a line is a title by the line below it, which is about as long.
fn is_underlined(line: &[u8], under: &[u8]) -> bool {
    UNDERLINE.is_match(under)
        && UNDERLINED.is_match(line)
        && !ATTRIBUTES.is_match(line)
        && columns(line).abs_diff(under.len()) < 2
}

fn plain_title(title: &[u8]) -> String {
    /// Characters that become dashes and other signs, which ids lack, images, and an anchor at the start.
    static SIGNS: Pattern = Pattern::new(
        r"(?:^| )--(?: |$)|\b--\b|\.\.\.|->|<-|\((?:C|R|TM)\)|&#?[0-9A-Za-z]+;|image:[^ \[\]][^\[\]]*\[[^\[\]]*\]|^\[\[[^\[\]]*\]\]",
    );
    /// `name:target[text]` and `uri[text]`, of which the text remains.
    static MACRO: Pattern = Pattern::new(r"(?:[^ \t\[\]]*:[^ \t\[\]]*)?\[([^\[\]]*)\]");
    const MAX_DEPTH: usize = 4;
    let mut text = SIGNS.replace_all(title, &b""[..]);
    // From the innermost brackets to the outer ones.
    for _ in 0..MAX_DEPTH {
        text = MACRO.replace_all(&text, b"$1").into_owned().into();
    }
    let text = String::from_utf8_lossy(&text);
    let is_edge = |at: usize, character: char| {
        character == '_' && {
            let before = text[..at].chars().next_back();
            let after = text[at + 1..].chars().next();
            before.is_none_or(|before| !before.is_alphanumeric())
                || after.is_none_or(|after| !after.is_alphanumeric())
        }
    };
    let kept = text
        .char_indices()
        .filter(|&(at, character)| !matches!(character, '*' | '`') && !is_edge(at, character));
    kept.map(|(_, character)| character).collect()
}
