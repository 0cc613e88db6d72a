//! Header blocks, read line by line: properties of an entity, and references (rules M10 and M13).

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memmem};

use super::Headers;
use super::field_value::{self, Parameters, brackets};
use super::header_field::{EntityProperty, FieldSyntax, HeaderField, slot};
use super::part_scanners::PartScanners;
use crate::bytes::class::{ByteSet, number};
use crate::bytes::lines::{Position, without_break};
use crate::bytes::simd::{self, Block, Indices};
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    Batch, Context, Event, Events, FoundReference, NameRange, Quoting, Span,
};
use crate::document::source_text::SourceText;
use crate::uri::percent;

/// The longest field that is kept, in bytes.
const MAX_FIELD: usize = 64 << 10;
/// The longest line of a message, in bytes (RFC 5322 section 2.1.1), and the longest value that every
/// record repeats.
const MAX_LINE: usize = 998;
/// The longest value of the envelope, in bytes: an encoded word of 75 bytes holds at least one character.
const MAX_ENVELOPE: usize = 32 << 10;
/// The most bytes of references and their texts that are kept of one block.
const MAX_BLOCK: usize = 1 << 20;

/// The number of parsed values that are kept, and the longest of them in bytes.
const CACHE_SIZE: usize = 16;
const MAX_CACHED: usize = 256;

/// The properties of an entity; of repeated fields the first one sets them.
#[derive(Debug, Default)]
pub(super) struct Entity {
    pub(super) content_type: Option<Arc<Parameters>>,
    pub(super) length: Option<u64>,
    /// The ranges of the other properties in [`Header::values`], by [`EntityProperty`].
    ranges: [Option<Range<usize>>; EntityProperty::COUNT],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderStop {
    /// More bytes are needed.
    NeedMore,
    /// An empty line, which was consumed.
    Empty,
    /// A line that is not a field and belongs to the body.
    NoField,
    /// A line that starts with two hyphens, which may be a delimiter.
    Hyphens,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hyphens {
    /// Stop before it.
    Stop,
    /// Take the first one as any other line.
    Take,
    /// Take all of them, because no boundary is open.
    TakeAll,
}

#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) entity: Entity,
    values: Vec<u8>,
    /// The references found, until the base is known.
    pub(super) events: Batch,
    pub(super) diagnostics: Vec<&'static Code>,
    /// The number of bytes of the block so far.
    offset: u64,
    /// The number of lines of the block so far.
    line: u64,
    extent: FieldExtent,
    /// The field was too long: its start has been taken, up to somewhere in a line.
    is_cut: bool,
    /// Parsed values of Content-Type, which archives repeat.
    types: Vec<(Vec<u8>, Arc<Parameters>)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct FieldExtent {
    /// The length in bytes of the lines after which another one is known to follow.
    length: usize,
    lines: u64,
    /// Some are separators, which mailers leave in headers, quoted.
    has_separators: bool,
}

impl FieldExtent {
    /// Adds the lines that belong to the field at an index; returns whether the field's end is in view.
    #[inline]
    fn extend(&mut self, at: usize, bytes: &[u8], breaks: &mut Indices, end: bool) -> bool {
        loop {
            let next = match breaks.next() {
                Some(found) => found + 1,
                None if end => bytes.len(),
                None => return false,
            };
            let after = &bytes[next..];
            let continues = match after.first() {
                None if !end => return false,
                Some(b' ' | b'\t') => true,
                Some(b'>') => {
                    if !end && after.len() < MAX_FIELD && memchr(b'\n', after).is_none() {
                        return false;
                    }
                    self.has_separators |= is_from_line(after, false);
                    is_from_line(after, false)
                }
                _ => false,
            };
            self.length = next - at;
            self.lines += 1;
            if !continues {
                return true;
            }
        }
    }
}

impl Header {
    pub(super) fn begin(&mut self) {
        self.entity = Entity::default();
        self.values.clear();
        self.events.clear();
        self.diagnostics.clear();
        (self.offset, self.line) = (0, 0);
        self.extent = FieldExtent::default();
        self.is_cut = false;
    }

    /// Returns whether the block has not begun.
    pub(super) fn is_empty(&self) -> bool {
        self.offset == 0
    }

    pub(super) fn report(&self, out: &mut Events) {
        for event in &self.events.list {
            let copy = out.adopt(event, &self.events, &[]);
            out.push(copy);
        }
    }

    /// Takes fields from `at` on, and returns the index where it stopped and why; `end`: no more bytes
    /// follow. Copies no value, and skips the lines of unused fields.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        end: bool,
        mut hyphens: Hyphens,
        scanners: &mut PartScanners,
    ) -> (usize, HeaderStop) {
        let mut extent = std::mem::take(&mut self.extent);
        let mut breaks = Indices::new(b'\n', bytes, at + extent.length);
        while at < bytes.len() {
            let rest = &bytes[at..];
            let field = if self.is_cut { None } else { split_field(rest) };
            if field.is_none() && !self.is_cut {
                let blank = match rest {
                    [b'\n', ..] => 1,
                    [b'\r', b'\n', ..] => 2,
                    [b'\r'] if end => 1,
                    _ => 0,
                };
                if blank > 0 {
                    return (at + blank, HeaderStop::Empty);
                }
                let next = breaks.next().map(|found| found + 1);
                if next.is_none() && !end && rest.len() < MAX_FIELD {
                    break;
                }
                if rest.starts_with(b"--") && hyphens == Hyphens::Stop {
                    return (at, HeaderStop::Hyphens);
                }
                if !is_from_line(rest, self.line == 0) {
                    return (at, HeaderStop::NoField);
                }
                self.take_separator(rest, scanners.options.envelope);
                // An unquoted one before all fields is not counted as a line.
                self.line += u64::from(rest[0] == b'>');
                self.is_cut = next.is_none() && !end;
                let next = next.unwrap_or(bytes.len());
                self.offset += (next - at) as u64;
                at = next;
                continue;
            }
            if field.is_some() && hyphens == Hyphens::Stop && rest.starts_with(b"--") {
                return (at, HeaderStop::Hyphens);
            }
            let is_whole = extent.extend(at, bytes, &mut breaks, end);
            if !is_whole {
                if field.is_some_and(|(_, value)| rest.len() - value <= MAX_FIELD) {
                    self.extent = extent;
                    break;
                }
                // The rest of the field begins inside a line.
                extent.length = rest.len() - usize::from(rest.ends_with(b"\n"));
                extent.lines = memchr_iter(b'\n', &rest[..extent.length]).count() as u64;
            }
            if let Some((name, value)) = field
                && scanners.wanted_fields[slot(name)]
                && let row = HeaderField::named(name)
                && row.is_wanted(&scanners.options)
            {
                let raw = &rest[value..extent.length];
                let unmarked = extent.has_separators.then(|| without_separators(raw));
                let raw = unmarked.as_deref().unwrap_or(raw);
                let field = FieldPosition {
                    name: &name[..name.len().min(MAX_LINE)],
                    line: self.line + 1,
                    offset: self.offset + value as u64,
                    is_encoded: extent.has_separators,
                };
                self.take_field(row, field, raw, scanners);
            }
            self.is_cut = !is_whole;
            self.line += extent.lines;
            self.offset += extent.length as u64;
            at += extent.length;
            extent = FieldExtent::default();
            if hyphens == Hyphens::Take {
                hyphens = Hyphens::Stop;
            }
            if !is_whole {
                break;
            }
        }
        let stops = [HeaderStop::NeedMore, HeaderStop::End];
        (at, stops[usize::from(end)])
    }

    /// Reads the value of a field.
    fn take_field(
        &mut self,
        row: HeaderField,
        field: FieldPosition,
        raw: &[u8],
        scanners: &mut PartScanners,
    ) {
        if raw.len() > MAX_FIELD {
            self.diagnose(&diagnostic::HEADER_TOO_LONG);
        }
        let raw = without_break(&raw[..raw.len().min(MAX_FIELD)]);
        if row.property.is_wanted(&scanners.options) {
            self.set(row.property, raw);
        }
        if self.events.size() > MAX_BLOCK {
            return self.diagnose(&diagnostic::HEADER_TOO_LONG);
        }
        if row.is_reported(&scanners.options) {
            report_references(row.syntax, raw, field, scanners, &mut self.events);
        }
        if row.property == EntityProperty::Type && scanners.options.headers != Headers::None {
            report_external_body(&self.entity, raw, field, &mut self.events);
        }
    }

    /// Keeps a separator, whose date may take the place of a field's.
    pub(super) fn take_separator(&mut self, line: &[u8], envelope: bool) {
        if envelope && let Some(rest) = line.strip_prefix(b"From ") {
            let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len()).min(MAX_LINE)];
            self.set(EntityProperty::Separator, line);
        }
    }

    fn diagnose(&mut self, code: &'static Code) {
        if self.diagnostics.len() < 64 {
            self.diagnostics.push(code);
        }
    }

    pub(super) fn value(&self, property: EntityProperty) -> Option<&[u8]> {
        let range = self.entity.ranges[property as usize].clone()?;
        Some(&self.values[range])
    }

    fn set(&mut self, property: EntityProperty, raw: &[u8]) {
        let values = &mut self.values;
        let start = values.len();
        match property {
            _ if self.entity.ranges[property as usize].is_some() => return,
            EntityProperty::None => return,
            EntityProperty::Type => {
                if self.entity.content_type.is_none() {
                    self.entity.content_type = Some(self.parameters(raw));
                }
                return;
            }
            EntityProperty::Length => {
                self.entity.length = self.entity.length.or_else(|| number(raw));
                return;
            }
            EntityProperty::Transfer => {
                values.extend_from_slice(field_value::main_value(raw).as_bytes());
            }
            EntityProperty::Location | EntityProperty::Base | EntityProperty::Snapshot => {
                values.extend_from_slice(&field_value::lone_uri(raw));
            }
            EntityProperty::ContentId => extend_unfolded(values, bracketed(raw)),
            EntityProperty::MessageId => {
                // A comment may follow.
                let end = memchr(b'>', raw).map_or(raw.len(), |end| end + 1);
                extend_unfolded(values, raw[..end].trim_ascii());
                values.truncate(start + MAX_LINE);
            }
            EntityProperty::Date | EntityProperty::From | EntityProperty::Subject => {
                values.extend_from_slice(&raw[..raw.len().min(MAX_ENVELOPE)]);
            }
            _ => values.extend_from_slice(raw),
        }
        self.entity.ranges[property as usize] = Some(start..values.len());
    }

    fn parameters(&mut self, raw: &[u8]) -> Arc<Parameters> {
        if let Some((_, known)) = self.types.iter().find(|(known, _)| known == raw) {
            return Arc::clone(known);
        }
        let parsed = Arc::new(Parameters::parse(raw));
        // Values with a boundary do not recur.
        if raw.len() <= MAX_CACHED && parsed.parameter("boundary").is_none() {
            if self.types.len() == CACHE_SIZE {
                self.types.clear();
            }
            self.types.push((raw.to_vec(), Arc::clone(&parsed)));
        }
        parsed
    }
}

/// Returns the lines of a value that are not quoted separators.
fn without_separators(raw: &[u8]) -> Vec<u8> {
    let lines = raw.split_inclusive(|&byte| byte == b'\n');
    let kept: Vec<&[u8]> = lines.filter(|line| !line.starts_with(b">")).collect();
    kept.concat()
}

/// Appends a value without its line breaks.
fn extend_unfolded(values: &mut Vec<u8>, raw: &[u8]) {
    let mut from = 0;
    for at in memchr2_iter(b'\r', b'\n', raw).chain([raw.len()]) {
        values.extend_from_slice(&raw[from..at]);
        from = at + 1;
    }
}

/// Returns the text in angle brackets, or all of it.
fn bracketed(raw: &[u8]) -> &[u8] {
    let inner = memchr(b'<', raw).map_or(raw.trim_ascii(), |at| &raw[at + 1..]);
    memchr(b'>', inner).map_or(inner, |end| &inner[..end])
}

/// Returns the name of the field at the start of a line, and the index of its value. Blanks may precede
/// the colon (RFC 5322 section 4.5); a name before `://` is the scheme of a URI.
#[inline(always)]
pub(super) fn split_field(line: &[u8]) -> Option<(&[u8], usize)> {
    let name = name_length(line)?;
    if name == 0 {
        return None;
    }
    let mut colon = name;
    if line[name] != b':' {
        let blanks = |byte: &u8| !matches!(byte, b' ' | b'\t');
        colon += line[name..].iter().position(blanks)?;
    }
    let field = line[colon] == b':' && !line[colon + 1..].starts_with(b"//");
    field.then_some((&line[..name], colon + 1))
}

/// Returns the index of the first byte that cannot belong to a name.
#[inline]
fn name_length(line: &[u8]) -> Option<usize> {
    let Some(start) = line.first_chunk::<32>() else {
        return NAME.first_outside(line);
    };
    // Nearly all names end in the first 32 bytes.
    let (halves, _) = start.as_chunks();
    for (half, before) in halves.iter().zip([0, 16]) {
        let block = Block::new(half);
        let outside = (block.outside(b'!', b'~') | block.marks(b':')).bits();
        if outside != 0 {
            return Some(before + outside.trailing_zeros() as usize);
        }
    }
    Some(32 + NAME.first_outside(&line[32..])?)
}

/// The bytes of field names (RFC 5322 section 2.2).
const NAME: ByteSet = ByteSet::EMPTY.with_range(33, 126).without(b":");

/// Returns whether a line is a separator among the fields: `From ` first, `>From ` on any line.
pub(super) fn is_from_line(line: &[u8], first: bool) -> bool {
    let unquoted = line.iter().position(|&byte| byte != b'>').unwrap_or(0);
    (first || unquoted > 0) && line[unquoted..].starts_with(b"From ")
}

#[derive(Clone, Copy)]
pub(super) struct FieldPosition<'a> {
    name: &'a [u8],
    line: u64,
    /// The offset of its value in the block.
    offset: u64,
    /// Its references cannot be written.
    is_encoded: bool,
}

impl FieldPosition<'_> {
    fn complete(&self, found: &mut FoundReference, events: &mut Batch) {
        found.context = Context::Header;
        let name = events.store_with(|store| {
            let start = store.len();
            store.extend_from_slice(self.name);
            store[start..].make_ascii_lowercase();
        });
        found.attribute = NameRange::other(name);
        found.position = Some(Position {
            line: self.line,
            // The text of a folded and decoded field has no columns.
            column: 0,
        });
        if self.is_encoded {
            found.quoting = Quoting::default();
        }
    }

    /// Reports a reference without its white space, after a prefix.
    fn report(&self, span: Span, prefix: &[u8], reference: &[u8], events: &mut Batch) {
        let text = events.store_with(|store| {
            store.extend_from_slice(prefix);
            if simd::any(reference, |block| block.up_to(b' '), |byte| byte <= b' ') {
                store.extend(reference.iter().filter(|byte| !byte.is_ascii_whitespace()));
            } else {
                store.extend_from_slice(reference);
            }
        });
        let mut found = FoundReference::new(span, text, Context::Header);
        self.complete(&mut found, events);
        events.push(Event::Reference(found));
    }
}

/// The bytes of an identifier that a `mid:` URI encodes: a slash begins the identifier of a part (RFC 2392
/// section 2).
const NOT_IN_MID: ByteSet = ByteSet::EMPTY.with(b"%/?#[]\"\\^`{|}").with_range(127, 255);

fn report_references(
    syntax: FieldSyntax,
    raw: &[u8],
    mut field: FieldPosition,
    scanners: &mut PartScanners,
    events: &mut Batch,
) {
    let mut source = SourceText::window(raw, field.offset);
    match syntax {
        FieldSyntax::Ignored => {}
        FieldSyntax::FreeText | FieldSyntax::OtherText => free_text(raw, field, scanners, events),
        FieldSyntax::Brackets => {
            let has_words = memchr_iter(b'=', raw).any(|at| raw[at + 1..].starts_with(b"?"));
            field.is_encoded |= has_words;
            if field.is_encoded {
                let text = &mut scanners.field_text;
                text.begin(field.offset);
                field_value::text(raw, text);
                source = text.source();
            }
            brackets(source.bytes, |start, end| {
                let uri = &source.bytes[start..end];
                // RFC 2369 section 2 ignores white space inside the brackets.
                if !uri.trim_ascii().is_empty() {
                    field.report(source.span(start..end), b"", uri, events);
                }
            });
        }
        FieldSyntax::MessageIds => brackets(raw, |start, end| {
            if raw[end..].starts_with(b">") && start < end {
                let mut id = Vec::new();
                percent::encode(&raw[start..end], &NOT_IN_MID, &mut id);
                field.report(source.span(start..end), b"mid:", &id, events);
            }
        }),
        FieldSyntax::Groups | FieldSyntax::GroupPositions => {
            let words = raw.split(|byte| byte.is_ascii_whitespace() || *byte == b',');
            // RFC 5536 section 3.1.4: no group has the name `poster`.
            let words =
                words.filter(|word| !(word.is_empty() || word.eq_ignore_ascii_case(b"poster")));
            // RFC 5536 section 3.2.14: the first word is the server.
            let server = usize::from(syntax == FieldSyntax::GroupPositions);
            for word in words.skip(server) {
                let group = word.split(|&byte| byte == b':').next().unwrap_or(word);
                let start = group.as_ptr().addr() - raw.as_ptr().addr();
                let span = source.span(start..start + group.len());
                field.report(span, b"news:", group, events);
            }
        }
    }
}

fn free_text(raw: &[u8], field: FieldPosition, scanners: &mut PartScanners, events: &mut Batch) {
    if !scanners.finds_schemeless && !may_hold_uri(raw) {
        return;
    }
    let text = &mut scanners.field_text;
    text.begin(field.offset);
    // Encoded words cannot be written.
    let words = memmem::find(raw, b"=?");
    text.quoting = words.map_or(Quoting::DOCUMENT, |_| Quoting::default());
    field_value::text(raw, text);
    let mut out = Events::from(std::mem::take(events));
    let nested = &mut scanners.nested;
    nested.free_text(text.source(), &mut out, |found, events| {
        field.complete(found, events);
    });
    *events = out.batch;
}

/// Returns whether a value may hold a URI: a delimiter, a colon before a byte other than white space,
/// or an encoded word. Most subjects have none.
fn may_hold_uri(raw: &[u8]) -> bool {
    memchr2(b'<', b'"', raw).is_some()
        || memchr2_iter(b':', b'=', raw).any(|at| match raw.get(at + 1) {
            Some(b' ' | b'\t' | b'\r' | b'\n') | None => false,
            Some(&next) => raw[at] == b':' || next == b'?',
        })
}

/// Reports the URI of `message/external-body; access-type=URL; URL="..."` (RFC 2017).
fn report_external_body(entity: &Entity, raw: &[u8], field: FieldPosition, events: &mut Batch) {
    let Some(content_type) = &entity.content_type else {
        return;
    };
    if content_type.value() != "message/external-body" || !content_type.is("access-type", "url") {
        return;
    }
    if let Some(uri) = content_type.parameter("url") {
        field.report(Span::at(field.offset, &(0..raw.len())), b"", uri, events);
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/header.rs"]
mod tests;
