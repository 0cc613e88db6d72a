//! One header block, line by line: what it says of its entity, and the references in its fields.

mod date;
pub(crate) mod envelope;
mod fields;
mod parameters;
mod report;
mod value;

use std::sync::Arc;

use memchr::memchr;

use super::part_scanners::PartScanners;
use crate::bytes::class::ByteSet;
use crate::bytes::simd::Block;
use crate::document::diagnostic::{self, Code};
use crate::document::events::Batch;
use envelope::Envelope;
use fields::{EntityField, HeaderField, OTHER};
use parameters::ParameterCache;
pub(super) use parameters::Parameters;
use report::FieldPlace;

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
        let field = fields::field(name).unwrap_or(&OTHER);
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
                    report::Attribute::Other(&self.name)
                } else {
                    report::Attribute::Known(open.field.name)
                },
                line: open.line,
                offset: open.value,
            };
            if open.field.is_reported(headers, ids) {
                report::field(open.field.rule, trimmed, place, readers, &mut self.events);
            }
            if open.field.tells == EntityField::Type && headers != super::Headers::None {
                report::external_body(&self.entity, trimmed, place, &mut self.events);
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
            EntityField::Transfer => {
                first(&mut self.transfer, || parameters::value(raw).into_bytes())
            }
            EntityField::Location => first(&mut self.location, || value::lone_uri(raw)),
            EntityField::Base => first(&mut self.base, || value::lone_uri(raw)),
            EntityField::Snapshot => first(&mut self.snapshot, || value::lone_uri(raw)),
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
