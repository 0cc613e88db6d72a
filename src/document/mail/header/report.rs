//! References in the fields of a header block.

use memchr::{memchr2, memchr2_iter};

use super::Entity;
use super::fields::FieldSyntax;
use super::value::{self, brackets};
use crate::bytes::lines::Position;
use crate::bytes::window::Window;
use crate::document::ScanStart;
use crate::document::events::{Batch, Context, Event, Events, FoundReference, NameRange, Span};
use crate::document::mail::part_scanners::PartScanners;

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
pub(super) fn field(
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
    value::text(raw, &mut text, &mut map);
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
pub(super) fn external_body(
    entity: &Entity,
    raw: &[u8],
    place: FieldPlace<'_>,
    events: &mut Batch,
) {
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
