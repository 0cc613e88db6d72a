//! One header block, line by line: what it says of its entity, and the references in its fields.

use std::sync::Arc;

use memchr::{memchr, memchr2, memchr2_iter};

use super::Headers;
use super::envelope::{self, Envelope};
use super::field_value::{self, ParameterCache, Parameters, brackets};
use super::part_scanners::PartScanners;
use crate::bytes::class::ByteSet;
use crate::bytes::lines::Position;
use crate::bytes::simd::Block;
use crate::bytes::window::Window;
use crate::document::ScanStart;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{Batch, Context, Event, Events, FoundReference, NameRange, Span};

/// The longest field that is kept.
const FIELD: usize = 64 << 10;
/// The longest line of a message (RFC 5322 section 2.1.1): what every record repeats is not longer.
const LINE: usize = 998;
/// What is kept of one block: references and their texts.
const BLOCK: usize = 1 << 20;

/// What a heading says of its entity. Repeated fields: the first one counts.
#[derive(Debug, Default)]
pub(super) struct Entity {
    pub(super) content_type: Option<Arc<Parameters>>,
    pub(super) transfer: Option<Vec<u8>>,
    pub(super) disposition: Option<Parameters>,
    pub(super) location: Option<Vec<u8>>,
    pub(super) base: Option<Vec<u8>>,
    pub(super) snapshot: Option<Vec<u8>>,
    pub(super) content_id: Option<Vec<u8>>,
    pub(super) message_id: Option<Vec<u8>>,
    pub(super) length: Option<u64>,
    /// Empty unless it is asked for.
    pub(super) envelope: Envelope,
}

/// Why a block stopped taking lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderStop {
    /// It needs more bytes.
    More,
    /// An empty line, which is taken.
    Empty,
    /// A line that is no field; it belongs to the body.
    NoField,
    /// A line that starts with two hyphens, which may be a delimiter.
    Hyphens,
    /// The bytes end.
    End,
}

/// How the block treats a line that starts with two hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hyphens {
    /// It stops there.
    Stop,
    /// It takes the first one for what it is.
    Take,
    /// It takes all of them: no boundary is open.
    TakeAll,
}

/// A header block in the making.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) entity: Entity,
    /// The values that the entity's envelope names.
    pub(super) kept: Vec<u8>,
    /// References found, until it is known what they resolve against.
    pub(super) events: Batch,
    /// Something to tell, each with the offset in the block.
    pub(super) diagnostics: Vec<(&'static Code, u64)>,
    /// Bytes of the block so far.
    offset: u64,
    line: u64,
    field: Option<OpenField>,
    name: Vec<u8>,
    value: Vec<u8>,
    /// Values of Content-Type, which archives repeat.
    types: ParameterCache,
    /// In the rest of a line that was too long.
    long_line: bool,
}

/// The field at hand.
#[derive(Clone, Copy, Debug)]
struct OpenField {
    field: &'static HeaderField,
    line: u64,
    /// Offset of its value in the block.
    value: u64,
}

impl Header {
    /// Starts a block.
    pub(super) fn begin(&mut self) {
        self.entity = Entity::default();
        self.kept.clear();
        self.events.clear();
        self.diagnostics.clear();
        self.offset = 0;
        self.line = 0;
        self.field = None;
        self.long_line = false;
    }

    /// Takes lines from `at` on; returns where it stopped and why.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        end: bool,
        mut hyphens: Hyphens,
        readers: &mut PartScanners,
    ) -> (usize, HeaderStop) {
        while at < bytes.len() {
            let rest = &bytes[at..];
            let Some(length) = line_length(rest) else {
                if end {
                    let stop = self.line(rest, hyphens, readers);
                    if stop != HeaderStop::More {
                        return (at, stop);
                    }
                    self.offset += rest.len() as u64;
                    at = bytes.len();
                } else if rest.len() >= FIELD {
                    if !self.long_line {
                        let stop = self.line(rest, hyphens, readers);
                        if stop != HeaderStop::More {
                            return (at, stop);
                        }
                        self.diagnose(&diagnostic::HEADER_TOO_LONG);
                        self.long_line = true;
                    }
                    self.offset += rest.len() as u64;
                    at = bytes.len();
                }
                break;
            };
            let line = &rest[..length];
            if self.long_line {
                self.long_line = false;
            } else {
                match self.line(line, hyphens, readers) {
                    HeaderStop::More => {}
                    HeaderStop::Empty => {
                        self.offset += length as u64;
                        return (at + length, HeaderStop::Empty);
                    }
                    stop => return (at, stop),
                }
            }
            if hyphens == Hyphens::Take {
                hyphens = Hyphens::Stop;
            }
            self.offset += length as u64;
            at += length;
        }
        if end {
            self.finish_field(readers);
            return (at, HeaderStop::End);
        }
        (at, HeaderStop::More)
    }

    /// Takes one line.
    fn line(&mut self, line: &[u8], hyphens: Hyphens, readers: &mut PartScanners) -> HeaderStop {
        match line {
            [b' ' | b'\t', ..] if self.line > 0 => {
                self.line += 1;
                if self.field.is_some() {
                    self.keep(line);
                }
                return HeaderStop::More;
            }
            [b'\n', ..] | [b'\r', b'\n'] | [b'\r'] => {
                self.finish_field(readers);
                return HeaderStop::Empty;
            }
            [b'-', b'-', ..] if hyphens == Hyphens::Stop => return HeaderStop::Hyphens,
            _ => {}
        }
        let Some((name, value)) = split_field(line) else {
            if is_from_line(line, self.line == 0) {
                // Writers leave their separators, quoted or not; the first is no line.
                if self.line > 0 {
                    self.line += 1;
                }
                return HeaderStop::More;
            }
            self.finish_field(readers);
            return HeaderStop::NoField;
        };
        self.finish_field(readers);
        self.line += 1;
        let field = HeaderField::named(name).unwrap_or(&OTHER);
        let options = &readers.options;
        if field.tells.is_wanted(options.envelope)
            || field.is_reported(options.headers, options.ids)
        {
            if field.name.is_empty() {
                self.name.clear();
                let name = &name[..name.len().min(LINE)];
                self.name.extend(name.iter().map(u8::to_ascii_lowercase));
            }
            self.value.clear();
            self.field = Some(OpenField {
                field,
                line: self.line,
                value: self.offset + value as u64,
            });
            self.keep(&line[value..]);
        }
        HeaderStop::More
    }

    /// Keeps a line of the field at hand.
    fn keep(&mut self, line: &[u8]) {
        if self.value.len() + line.len() > FIELD {
            self.diagnose(&diagnostic::HEADER_TOO_LONG);
            let room = FIELD.saturating_sub(self.value.len());
            self.value.extend_from_slice(&line[..room.min(line.len())]);
        } else {
            self.value.extend_from_slice(line);
        }
    }

    fn diagnose(&mut self, code: &'static Code) {
        if self.diagnostics.len() < 64 {
            self.diagnostics.push((code, self.offset));
        }
    }

    /// Reads the field at hand, which is complete.
    fn finish_field(&mut self, readers: &mut PartScanners) {
        let Some(open) = self.field.take() else {
            return;
        };
        let raw = std::mem::take(&mut self.value);
        let trimmed = raw.strip_suffix(b"\n").unwrap_or(&raw);
        let trimmed = trimmed.strip_suffix(b"\r").unwrap_or(trimmed);
        if open.field.tells.is_wanted(readers.options.envelope) {
            let (types, kept) = (&mut self.types, &mut self.kept);
            self.entity.note(open.field.tells, trimmed, types, kept);
        }
        let (headers, ids) = (readers.options.headers, readers.options.ids);
        if self.events.size() > BLOCK {
            self.diagnose(&diagnostic::HEADER_TOO_LONG);
        } else {
            let place = FieldPlace {
                name: if open.field.name.is_empty() {
                    Attribute::Other(&self.name)
                } else {
                    Attribute::Known(open.field.name)
                },
                line: open.line,
                offset: open.value,
            };
            if open.field.is_reported(headers, ids) {
                report_references(open.field.rule, trimmed, place, readers, &mut self.events);
            }
            if open.field.tells == EntityField::Type && headers != Headers::None {
                report_external_body(&self.entity, trimmed, place, &mut self.events);
            }
        }
        self.value = raw;
    }
}

impl Entity {
    fn note(
        &mut self,
        tells: EntityField,
        raw: &[u8],
        types: &mut ParameterCache,
        kept: &mut Vec<u8>,
    ) {
        fn first<T>(slot: &mut Option<T>, value: impl FnOnce() -> T) {
            if slot.is_none() {
                *slot = Some(value());
            }
        }
        match tells {
            EntityField::Nothing => {}
            EntityField::Type => first(&mut self.content_type, || types.parse(raw)),
            EntityField::Disposition => first(&mut self.disposition, || Parameters::parse(raw)),
            EntityField::Transfer => first(&mut self.transfer, || {
                field_value::main_value(raw).into_bytes()
            }),
            EntityField::Location => first(&mut self.location, || field_value::lone_uri(raw)),
            EntityField::Base => first(&mut self.base, || field_value::lone_uri(raw)),
            EntityField::Snapshot => first(&mut self.snapshot, || field_value::lone_uri(raw)),
            EntityField::ContentId => first(&mut self.content_id, || bracketed(raw)),
            EntityField::MessageId => first(&mut self.message_id, || {
                let mut id = unfolded(raw.trim_ascii());
                id.truncate(LINE);
                id
            }),
            EntityField::Date => first(&mut self.envelope.date, || envelope::keep(raw, kept)),
            EntityField::From => first(&mut self.envelope.from, || envelope::keep(raw, kept)),
            EntityField::Subject => first(&mut self.envelope.subject, || envelope::keep(raw, kept)),
            EntityField::Length => {
                let digits = std::str::from_utf8(raw.trim_ascii()).ok();
                let length = digits.and_then(|digits| digits.parse().ok());
                if self.length.is_none() {
                    self.length = length;
                }
            }
        }
    }
}

/// What stands in angle brackets, or all of it.
fn bracketed(raw: &[u8]) -> Vec<u8> {
    let raw = raw.trim_ascii();
    let inner = raw.strip_prefix(b"<").unwrap_or(raw);
    let inner = memchr(b'>', inner).map_or(inner, |end| &inner[..end]);
    unfolded(inner)
}

/// The bytes without line breaks.
fn unfolded(raw: &[u8]) -> Vec<u8> {
    let mut bytes = raw.to_vec();
    bytes.retain(|byte| !matches!(byte, b'\r' | b'\n'));
    bytes
}

/// The name of the field at the start of a line, and the index of its value. Blanks before the
/// colon are accepted (RFC 5322 section 4.5). A name that `//` follows is the scheme of a URI.
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

/// The index of the first byte that belongs to no name.
fn name_length(line: &[u8]) -> Option<usize> {
    let Some(start) = line.first_chunk() else {
        return NAME.first_outside(line);
    };
    // Most names end in the first sixteen bytes.
    let block = Block::new(start);
    let outside = block.equal(b':') | block.up_to(b' ') | block.equal(127) | block.beyond_ascii();
    match outside.trailing_zeros() as usize {
        at @ 0..16 => Some(at),
        _ => Some(16 + NAME.first_outside(&line[16..])?),
    }
}

/// The index behind the first line break. Lines of a header are short: a look at a few blocks is
/// faster than a search that is made for long ones.
fn line_length(bytes: &[u8]) -> Option<usize> {
    let (blocks, _) = bytes.as_chunks();
    for (index, block) in blocks.iter().take(6).enumerate() {
        let found = Block::new(block).equal(b'\n');
        if found != 0 {
            return Some(16 * index + found.trailing_zeros() as usize + 1);
        }
    }
    let from = 16 * blocks.len().min(6);
    memchr(b'\n', &bytes[from..]).map(|at| from + at + 1)
}

/// What the name of a field is made of (RFC 5322 section 2.2).
const NAME: ByteSet = ByteSet::EMPTY.with_range(33, 126).without(b":");

/// A separator among the fields: `From ` at the start, `>From ` anywhere.
pub(super) fn is_from_line(line: &[u8], first: bool) -> bool {
    let unquoted = line.iter().position(|&byte| byte != b'>').unwrap_or(0);
    (first || unquoted > 0) && line[unquoted..].starts_with(b"From ")
}

/// How a field's value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldSyntax {
    /// URIs in angle brackets, between comments and commas (RFC 2369, RFC 5064).
    Brackets,
    /// Free text, by the rules for text.
    FreeText,
    /// Message identifiers, as `mid:` (RFC 2392).
    MessageIds,
    /// Names of news groups, as `news:`.
    Groups,
    /// Places of a message in news groups.
    Places,
    /// Never reported.
    Nothing,
}

/// What the field tells about the entity itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityField {
    Nothing,
    Type,
    Transfer,
    Disposition,
    Location,
    Base,
    Snapshot,
    ContentId,
    MessageId,
    Length,
    Date,
    From,
    Subject,
}

impl EntityField {
    /// Whether the entity notes it; `envelope`: the date, the sender and the subject, too.
    pub(super) fn is_wanted(self, envelope: bool) -> bool {
        match self {
            EntityField::Nothing => false,
            EntityField::Date | EntityField::From | EntityField::Subject => envelope,
            _ => true,
        }
    }
}

/// Which choice of header fields includes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reported {
    Known,
    All,
    Ids,
}

/// A header field.
#[derive(Debug)]
pub(super) struct HeaderField {
    /// Its name in lower case.
    pub(super) name: &'static str,
    pub(super) rule: FieldSyntax,
    reported: Reported,
    pub(super) tells: EntityField,
}

const fn row(
    name: &'static str,
    rule: FieldSyntax,
    reported: Reported,
    tells: EntityField,
) -> HeaderField {
    HeaderField {
        name,
        rule,
        reported,
        tells,
    }
}

/// Every field that we know, one row each.
#[rustfmt::skip]
static FIELDS: &[HeaderField] = &[
    // RFC 2369, RFC 5064.
    row("list-help", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-unsubscribe", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-subscribe", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-post", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-owner", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-archive", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("archived-at", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("x-archived-at", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-id", FieldSyntax::Nothing, Reported::Known, EntityField::Nothing),
    // Free text.
    row("subject", FieldSyntax::FreeText, Reported::Known, EntityField::Subject),
    row("comments", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("organization", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("openpgp", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("x-url", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("x-homepage", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("link", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    // Names of messages and groups.
    row("message-id", FieldSyntax::MessageIds, Reported::Ids, EntityField::MessageId),
    row("references", FieldSyntax::MessageIds, Reported::Ids, EntityField::Nothing),
    row("in-reply-to", FieldSyntax::MessageIds, Reported::Ids, EntityField::Nothing),
    row("supersedes", FieldSyntax::MessageIds, Reported::Ids, EntityField::Nothing),
    row("newsgroups", FieldSyntax::Groups, Reported::Ids, EntityField::Nothing),
    row("followup-to", FieldSyntax::Groups, Reported::Ids, EntityField::Nothing),
    row("xref", FieldSyntax::Places, Reported::Ids, EntityField::Nothing),
    // RFC 5322 section 3.6.
    row("date", FieldSyntax::FreeText, Reported::All, EntityField::Date),
    row("from", FieldSyntax::FreeText, Reported::All, EntityField::From),
    // What the entity is, and its bases and labels (RFC 2045, 2557, 2110).
    row("content-type", FieldSyntax::Nothing, Reported::Known, EntityField::Type),
    row("content-transfer-encoding", FieldSyntax::Nothing, Reported::Known, EntityField::Transfer),
    row("content-disposition", FieldSyntax::FreeText, Reported::All, EntityField::Disposition),
    row("content-location", FieldSyntax::Nothing, Reported::Known, EntityField::Location),
    row("content-base", FieldSyntax::Nothing, Reported::Known, EntityField::Base),
    row("snapshot-content-location", FieldSyntax::Nothing, Reported::Known, EntityField::Snapshot),
    row("content-id", FieldSyntax::Nothing, Reported::Known, EntityField::ContentId),
    row("content-length", FieldSyntax::Nothing, Reported::Known, EntityField::Length),
];

/// Any field that no row names.
pub(super) static OTHER: HeaderField = row(
    "",
    FieldSyntax::FreeText,
    Reported::All,
    EntityField::Nothing,
);

/// The longest name of a row, and one.
const LONGEST_NAME: usize = 32;

/// For each length of a name and each first letter, the rows that have them: from the first to
/// behind the last.
static ROWS: [[(u8, u8); 26]; LONGEST_NAME] = {
    let mut rows = [[(0, 0); 26]; LONGEST_NAME];
    let mut row = 0;
    while row < FIELDS.len() {
        let name = FIELDS[row].name.as_bytes();
        let found = &mut rows[name.len()][(name[0] - b'a') as usize];
        if found.1 == 0 {
            found.0 = row as u8;
        }
        found.1 = row as u8 + 1;
        row += 1;
    }
    rows
};

impl HeaderField {
    /// The row of a name, in any case.
    fn named(name: &[u8]) -> Option<&'static Self> {
        let first = name.first()? | 0x20;
        let letter = usize::from(first.wrapping_sub(b'a'));
        // Trace fields, most of a header, have no rows.
        let &(from, to) = ROWS.get(name.len())?.get(letter)?;
        FIELDS[usize::from(from)..usize::from(to)]
            .iter()
            .find(|field| field.name.as_bytes().eq_ignore_ascii_case(name))
    }

    /// Whether references of this field are reported.
    pub(super) fn is_reported(&self, headers: Headers, ids: bool) -> bool {
        match self.reported {
            _ if self.rule == FieldSyntax::Nothing => false,
            Reported::Known => headers != Headers::None,
            Reported::All => headers == Headers::All,
            Reported::Ids => ids,
        }
    }
}

/// Where a field stands.
#[derive(Clone, Copy)]
pub(super) struct FieldPlace<'a> {
    pub(super) name: Attribute<'a>,
    pub(super) line: u64,
    /// Offset of its value in the block.
    pub(super) offset: u64,
}

/// The field's name, as records give it.
#[derive(Clone, Copy)]
pub(super) enum Attribute<'a> {
    Known(&'static str),
    Other(&'a [u8]),
}

impl FieldPlace<'_> {
    fn found(&self, span: Span, reference: &[u8], events: &mut Batch) -> FoundReference {
        let text = events.store(reference);
        let mut found = FoundReference::new(span, text, Context::Header);
        found.attribute = match self.name {
            Attribute::Known(name) => NameRange::Known(name),
            Attribute::Other(name) => NameRange::Other(events.store(name)),
        };
        found.position = Some(Position {
            line: self.line,
            // A folded and decoded field has no columns.
            column: 0,
        });
        found
    }

    fn report(&self, span: Span, reference: &[u8], events: &mut Batch) {
        let found = self.found(span, reference, events);
        events.push(Event::Reference(found));
    }
}

/// Reports the references of one field's value.
fn report_references(
    rule: FieldSyntax,
    raw: &[u8],
    place: FieldPlace<'_>,
    readers: &mut PartScanners,
    events: &mut Batch,
) {
    let span = |start: usize, end: usize| Span {
        start: place.offset + start as u64,
        end: place.offset + end as u64,
    };
    let mut reference = Vec::new();
    match rule {
        FieldSyntax::Nothing => {}
        FieldSyntax::FreeText => free_text(raw, place, readers, events),
        FieldSyntax::Brackets => brackets(raw, |start, end| {
            // RFC 2369 section 2: white space inside the brackets is ignored.
            reference.clear();
            reference.extend(
                raw[start..end]
                    .iter()
                    .filter(|byte| !byte.is_ascii_whitespace()),
            );
            if !reference.is_empty() {
                place.report(span(start, end), &reference, events);
            }
        }),
        FieldSyntax::MessageIds => brackets(raw, |start, end| {
            if raw.get(start.wrapping_sub(1)) == Some(&b'<') && start < end {
                reference.clear();
                reference.extend_from_slice(b"mid:");
                reference.extend(
                    raw[start..end]
                        .iter()
                        .filter(|byte| !byte.is_ascii_whitespace()),
                );
                place.report(span(start, end), &reference, events);
            }
        }),
        FieldSyntax::Groups | FieldSyntax::Places => {
            let mut at = 0;
            let mut words = raw
                .split(|byte| byte.is_ascii_whitespace() || *byte == b',')
                .map(|word| {
                    let start = at;
                    at += word.len() + 1;
                    (start, word)
                })
                .filter(|(_, word)| !word.is_empty());
            if rule == FieldSyntax::Places {
                // RFC 5536 section 3.2.14: the first word is the server.
                words.next();
            }
            for (start, word) in words {
                let group = word.split(|&byte| byte == b':').next().unwrap_or(word);
                reference.clear();
                reference.extend_from_slice(b"news:");
                reference.extend_from_slice(group);
                place.report(span(start, start + group.len()), &reference, events);
            }
        }
    }
}

/// Free text, by the rules for text.
fn free_text(raw: &[u8], place: FieldPlace<'_>, readers: &mut PartScanners, events: &mut Batch) {
    if !readers.abbreviated && !is_promising(raw) {
        return;
    }
    let mut text = std::mem::take(&mut readers.scratch);
    text.clear();
    let mut map = std::mem::take(&mut readers.map);
    map.starting(place.offset);
    field_value::text(raw, &mut text, &mut map);
    let mut inner = Events::from(std::mem::take(&mut readers.inner));
    inner.clear();
    readers.text.begin(&ScanStart::default());
    readers.text.scan(Window::whole(&text), &mut inner);
    for event in &inner.list {
        let Event::Reference(ref found) = *event else {
            continue;
        };
        let span = Span {
            start: map.start(found.span.start),
            end: map.end(found.span.end),
        };
        let mut copy = place.found(span, inner.bytes(found.text, &text), events);
        copy.flags = found.flags;
        copy.wants = found.wants;
        copy.alternatives = events.copy_alternatives(found, &inner, &text);
        events.push(Event::Reference(copy));
    }
    readers.inner = inner.into();
    readers.scratch = text;
    readers.map = map;
}

/// Whether a URI can stand in a value: its colon is followed by something, unless a delimiter stands
/// before it; or it may hide in an encoded word. Most subjects end here.
fn is_promising(raw: &[u8]) -> bool {
    memchr2(b'<', b'"', raw).is_some()
        || memchr2_iter(b':', b'=', raw).any(|at| match raw.get(at + 1) {
            Some(b' ' | b'\t' | b'\r' | b'\n') | None => false,
            Some(&next) => raw[at] == b':' || next == b'?',
        })
}

/// `message/external-body; access-type=URL; URL="..."` (RFC 2017).
fn report_external_body(entity: &Entity, raw: &[u8], place: FieldPlace<'_>, events: &mut Batch) {
    let Some(content_type) = &entity.content_type else {
        return;
    };
    if content_type.value != "message/external-body" || !content_type.is("access-type", "url") {
        return;
    }
    if let Some(uri) = content_type.parameter("url") {
        let uri: Vec<u8> = uri
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        let span = Span {
            start: place.offset,
            end: place.offset + raw.len() as u64,
        };
        place.report(span, &uri, events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_lower_case_and_stand_once() {
        for (index, row) in FIELDS.iter().enumerate() {
            assert_eq!(row.name, row.name.to_ascii_lowercase());
            assert!(FIELDS[..index].iter().all(|other| other.name != row.name));
        }
        assert_eq!(
            HeaderField::named(b"SUBJECT").map(|field| field.name),
            Some("subject")
        );
        assert!(HeaderField::named(b"Received").is_none());
    }
}
