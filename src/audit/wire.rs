//! A compact binary form of links, diagnostics and findings.
//!
//! The first pass keeps what the second pass needs in this form, and the workers of the second pass
//! hand it to the reports, which take it in the order of the walk.

use crate::bytes::lines::Position;
use crate::document::diagnostic::{self, CODES, Code};
use crate::document::events::{Context, RemarkKind, Span};
use crate::document::flags::Flags;
use crate::linker::{Diagnostic, Envelope, Link, LinkMember, Remark};
use crate::pipeline::reorder::OutputBlock;
use crate::uri::ResolveErrorKind;

/// The errors of links without a target, in the order of their numbers.
const ERRORS: [ResolveErrorKind; 5] = [
    ResolveErrorKind::NoBase,
    ResolveErrorKind::UnsuitableBase,
    ResolveErrorKind::InvalidReference,
    ResolveErrorKind::ExcessDots,
    ResolveErrorKind::Template,
];

/// The rotation that puts bits 57 to 63 of flags first.
const FLAG_SHIFT: u32 = 7;

/// Appends a number in LEB128: seven bits a byte, the lowest first.
#[inline]
pub(super) fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends the length of some bytes, then the bytes.
pub(super) fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Appends bytes that may be missing.
#[inline]
pub(super) fn push_optional(bytes: Option<&[u8]>, out: &mut Vec<u8>) {
    match bytes {
        Some(bytes) => {
            push_number(bytes.len() as u64 + 1, out);
            out.extend_from_slice(bytes);
        }
        None => out.push(0),
    }
}

/// Appends a link: its context, and then the rest.
pub(super) fn push_link(link: &Link<'_>, out: &mut Vec<u8>) {
    push_context(link, out);
    push_reference(link, out);
}

/// Appends the parts of a link that those after it often share.
pub(super) fn push_context(link: &Link<'_>, out: &mut Vec<u8>) {
    let (base, source) = link.base.unzip();
    push_optional(base, out);
    push_optional(source.map(str::as_bytes), out);
    push_optional(link.member.map(str::as_bytes), out);
    if link.member.is_some() {
        push_part(link.part, out);
    }
}

/// How the target of a link is written.
const NO_TARGET: u8 = 0;
const WHOLE_TARGET: u8 = 1;
/// The start of the base, and then the reference.
const JOINED_TARGET: u8 = 2;

/// Appends a link without its context.
pub(super) fn push_reference(link: &Link<'_>, out: &mut Vec<u8>) {
    push_position(link.position, out);
    push_span(link.span, out);
    push_bytes(link.reference, out);
    let base = link.base.map_or(&b""[..], |(base, _)| base);
    match link.target {
        Ok(target) => match target.strip_suffix(link.reference) {
            Some(start) if base.starts_with(start) => {
                out.push(JOINED_TARGET);
                push_number(start.len() as u64, out);
            }
            _ => {
                out.push(WHOLE_TARGET);
                push_bytes(target, out);
            }
        },
        Err(kind) => {
            let number = ERRORS.iter().position(|known| *known == kind);
            out.extend([NO_TARGET, number.unwrap_or(0) as u8]);
        }
    }
    out.push(link.context as u8);
    push_optional(link.element.map(str::as_bytes), out);
    push_optional(link.attribute.map(str::as_bytes), out);
    let has_more = !link.alternatives.is_empty() || link.unwrapped.is_some();
    // INVARIANT: no flag has bit 57, which is the lowest here. The internal flags follow it, so that a set
    // without the others takes one byte.
    let flags = link.flags.bits().rotate_left(FLAG_SHIFT);
    push_number(flags | u64::from(has_more), out);
    if has_more {
        push_number(link.alternatives.len() as u64, out);
        for alternative in link.alternatives {
            push_bytes(alternative, out);
        }
        push_optional(link.unwrapped, out);
    }
}

/// Appends a line and a column, if they are known.
#[inline]
pub(super) fn push_position(position: Option<Position>, out: &mut Vec<u8>) {
    push_number(position.map_or(0, |position| position.line), out);
    push_number(position.map_or(0, |position| position.column), out);
}

fn push_span(span: Span, out: &mut Vec<u8>) {
    push_number(span.start, out);
    push_number(span.end - span.start, out);
}

fn push_part(part: &LinkMember<'_>, out: &mut Vec<u8>) {
    for offset in [part.message_offset, part.member_offset] {
        push_number(offset.map_or(0, |offset| offset + 1), out);
    }
    for text in [
        part.message_id,
        part.media_type,
        part.charset,
        part.target_part,
    ] {
        push_optional(text.map(str::as_bytes), out);
    }
    out.push(u8::from(part.envelope.is_some()));
    if let Some(envelope) = part.envelope {
        for text in [envelope.date, envelope.from, envelope.subject] {
            push_optional(text.map(str::as_bytes), out);
        }
    }
}

/// Appends a remark.
pub(super) fn push_remark(remark: &Remark<'_>, out: &mut Vec<u8>) {
    out.push(remark.kind as u8);
    push_bytes(remark.text, out);
    push_span(remark.span, out);
    push_position(remark.position, out);
}

/// Every code, in the order of their numbers: two of them share a name with another one.
fn codes() -> impl Iterator<Item = &'static Code> {
    let shared = [&diagnostic::ENCRYPTED, &diagnostic::SIGNED];
    CODES.iter().copied().chain(shared)
}

/// Appends a diagnostic.
pub(super) fn push_diagnostic(diagnostic: &Diagnostic<'_>, out: &mut Vec<u8>) {
    let number = codes().position(|code| code == diagnostic.code);
    push_optional(diagnostic.member.map(str::as_bytes), out);
    push_number(number.unwrap_or(0) as u64, out);
    push_number(diagnostic.count, out);
    push_number(diagnostic.offset, out);
}

/// Reads what was appended, in the same order; past the end it reads zeros.
#[derive(Clone, Debug)]
pub(super) struct WireReader<'a>(&'a [u8]);

impl<'a> WireReader<'a> {
    /// Creates a reader at the start of some bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        WireReader(bytes)
    }

    /// Returns whether everything has been read.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads a byte.
    pub(super) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// Reads a number in LEB128.
    pub(super) fn number(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte();
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    /// Reads a number of eight bytes, little-endian.
    pub(super) fn fixed(&mut self) -> u64 {
        let bytes = self.take(8);
        bytes.try_into().map_or(0, u64::from_le_bytes)
    }

    /// Reads `length` bytes.
    pub(super) fn take(&mut self, length: u64) -> &'a [u8] {
        let at = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(self.0.len());
        let (taken, rest) = self.0.split_at(at);
        self.0 = rest;
        taken
    }

    /// Reads the length of some bytes, then the bytes.
    pub(super) fn bytes(&mut self) -> &'a [u8] {
        let length = self.number();
        self.take(length)
    }

    /// Reads bytes that may be missing.
    pub(super) fn optional(&mut self) -> Option<&'a [u8]> {
        let length = self.number().checked_sub(1)?;
        Some(self.take(length))
    }

    fn text(&mut self) -> Option<&'a str> {
        self.optional().map(text)
    }

    /// Reads a link and passes it to a closure, as its parts live no longer.
    pub(super) fn link<T>(&mut self, then: impl FnOnce(&Link<'_>) -> T) -> T {
        let context = self.context();
        self.reference(&context, then)
    }

    /// Reads the parts of links that several share.
    pub(super) fn context(&mut self) -> LinkContext<'a> {
        let base = self.optional();
        let source = self.text();
        let member = self.text();
        LinkContext {
            base: base.zip(source),
            member,
            part: member.map_or(LinkMember::default(), |_| self.part()),
        }
    }

    /// Reads a link that was appended without its context.
    pub(super) fn reference<T>(
        &mut self,
        context: &LinkContext<'a>,
        then: impl FnOnce(&Link<'_>) -> T,
    ) -> T {
        let position = self.position();
        let span = self.span();
        let reference = self.bytes();
        let joined;
        let target = match self.byte() {
            NO_TARGET => Err(ERRORS[usize::from(self.byte()) % ERRORS.len()]),
            JOINED_TARGET => {
                let base = context.base.map_or(&b""[..], |(base, _)| base);
                joined = [&base[..self.number() as usize], reference].concat();
                Ok(joined.as_slice())
            }
            _ => Ok(self.bytes()),
        };
        let kind = usize::from(self.byte()) % Context::NAMES.len();
        let element = self.text();
        let attribute = self.text();
        let flags = self.number();
        let (mut alternatives, mut unwrapped) = (Vec::new(), None);
        if flags & 1 == 1 {
            alternatives = (0..self.number()).map(|_| self.bytes()).collect();
            unwrapped = self.optional();
        }
        then(&Link {
            member: context.member,
            position,
            span,
            reference,
            target,
            base: context.base,
            context: Context::NAMES[kind].0,
            element,
            attribute,
            flags: Flags::from_bits((flags & !1).rotate_right(FLAG_SHIFT)),
            alternatives: &alternatives,
            unwrapped,
            part: match context.member {
                Some(_) => &context.part,
                None => LinkMember::none(),
            },
            // Findings do not show it.
            description: None,
        })
    }

    /// Reads a line and a column, if they are known.
    pub(super) fn position(&mut self) -> Option<Position> {
        let (line, column) = (self.number(), self.number());
        (line > 0).then_some(Position { line, column })
    }

    fn span(&mut self) -> Span {
        let start = self.number();
        let end = start + self.number();
        Span { start, end }
    }

    fn part(&mut self) -> LinkMember<'a> {
        LinkMember {
            message_offset: self.number().checked_sub(1),
            member_offset: self.number().checked_sub(1),
            name_bytes: None,
            member_length: None,
            record: None,
            message_id: self.text(),
            media_type: self.text(),
            charset: self.text(),
            target_part: self.text(),
            envelope: (self.byte() > 0).then(|| self.envelope()),
        }
    }

    fn envelope(&mut self) -> Envelope<'a> {
        Envelope {
            date: self.text(),
            from: self.text(),
            subject: self.text(),
        }
    }

    /// Reads a remark.
    pub(super) fn remark(&mut self) -> Remark<'a> {
        let kind = RemarkKind::ALL[usize::from(self.byte()) % RemarkKind::ALL.len()];
        Remark {
            kind,
            text: self.bytes(),
            span: self.span(),
            position: self.position(),
        }
    }

    /// Reads a diagnostic.
    pub(super) fn diagnostic(&mut self) -> Diagnostic<'a> {
        Diagnostic {
            member: self.text(),
            code: codes().nth(self.number() as usize).unwrap_or(CODES[0]),
            count: self.number(),
            offset: self.number(),
        }
    }
}

/// The parts of a link that those after it often share.
#[derive(Default)]
pub(super) struct LinkContext<'a> {
    base: Option<(&'a [u8], &'a str)>,
    member: Option<&'a str>,
    part: LinkMember<'a>,
}

/// Returns bytes that were appended from a string as a string.
pub(super) fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// The kinds of records, by the byte that each begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireRecord {
    /// The path of the document that the following records belong to.
    Document,
    /// The path of the archive that the following records belong to, as may those before it.
    Continued,
    /// A finding.
    Finding,
    /// The number of a link's state, and the link.
    Link,
    /// A target elsewhere on the network.
    External,
    /// A diagnostic.
    Diagnostic,
    /// A message: why the document could not be read.
    Failure,
    /// The key of a finding that the baseline accepts.
    Forgiven,
}

impl WireRecord {
    const ALL: [WireRecord; 8] = [
        WireRecord::Document,
        WireRecord::Continued,
        WireRecord::Finding,
        WireRecord::Link,
        WireRecord::External,
        WireRecord::Diagnostic,
        WireRecord::Failure,
        WireRecord::Forgiven,
    ];

    /// Returns the kind of a byte.
    pub(super) fn of(byte: u8) -> Self {
        Self::ALL[usize::from(byte) % Self::ALL.len()]
    }
}

/// Consecutive records for the reports.
#[derive(Debug, Default)]
pub(super) struct WireRecords(pub(super) Vec<u8>);

impl OutputBlock for WireRecords {
    fn weight(&self) -> usize {
        self.0.len() + size_of::<Self>()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn take(&mut self, _spare: &mut Vec<Vec<u8>>) -> Self {
        let taken = WireRecords(self.0.as_slice().to_vec());
        self.clear();
        taken
    }
}
