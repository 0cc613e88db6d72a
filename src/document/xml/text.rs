//! Decoded text: character references, entities and line ends, with the way back to the document.

use std::collections::HashMap;
use std::ops::Range;

use regex::bytes::Captures;

use super::tokens::{RawXmlAttribute, first_of, name_end};
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::decode::RecordOffsets;
use crate::document::diagnostic::{Code, XML_ENTITY_LIMIT, XML_NOT_WELL_FORMED};
use crate::document::events::{Escapes, Event, Events, Quoting};
use crate::document::html::xml::decode_reference;
use crate::document::source_text::DecodedText;

pub(super) const LONGEST_ENTITY: usize = 128;
/// Maximum length of all expansions of a document, in bytes.
const MOST_EXPANDED: u64 = 1 << 20;
/// Maximum length of all expansions as a multiple of the bytes read so far.
const MOST_GROWTH: u64 = 10;
const MOST_ENTITIES: usize = 10_000;
const DEEPEST: usize = 32;

/// A reference to a character by its number.
static CHARACTER: Pattern = Pattern::new(r"&#(?:[0-9]+|[xX][0-9A-Fa-f]+);");
/// The same, or a reference by a name of at most [`LONGEST_ENTITY`] bytes with its marks; the group is between these.
static REFERENCE: Pattern =
    Pattern::new(r"&(#(?:[0-9]+|[xX][0-9A-Fa-f]+)|[A-Za-z0-9._:\x80-\xFF-]{1,126});");

#[derive(Debug, Default)]
pub(super) struct Entities {
    /// Replacement texts, in which references to other entities are as written.
    declared: HashMap<Vec<u8>, Vec<u8>>,
    /// Lengths of expansions; `None` while one is computed, so that recursion shows.
    lengths: HashMap<Vec<u8>, Option<u64>>,
    expanded: u64,
    /// The first fault of each kind in the text that was decoded last, and its offset.
    pub(super) faults: Vec<(&'static Code, u64)>,
    /// Whether entities may be declared elsewhere: unknown names are not faults.
    pub(super) is_open: bool,
}

impl Entities {
    /// Declares an entity with a literal value; the first declaration is used (XML 1.0, 4.2).
    pub(super) fn declare(&mut self, name: &[u8], literal: &[u8]) {
        if self.declared.len() >= MOST_ENTITIES || self.declared.contains_key(name) {
            return;
        }
        // Character references are expanded in the literal, others where the entity is used (4.5).
        let text = CHARACTER.replace_all(literal, |reference: &Captures<'_>| {
            let mut text = Vec::new();
            decode_reference(&reference[0], &mut text);
            text
        });
        self.declared.insert(name.to_vec(), text.into_owned());
    }

    /// Returns the length of an expansion; `None` for one that is recursive or nests too deep.
    fn length(&mut self, name: &[u8], depth: usize) -> Option<u64> {
        if let Some(known) = self.lengths.get(name) {
            return *known;
        }
        if depth > DEEPEST {
            return None;
        }
        self.lengths.insert(name.to_vec(), None);
        let text = self.declared.get(name)?.clone();
        let mut sum = text.len() as u64;
        for [_, inner] in REFERENCE.groups(&text, 0) {
            if self.declared.contains_key(&text[inner.clone()]) {
                sum = sum.saturating_add(self.length(&text[inner], depth + 1)?);
            }
        }
        self.lengths.insert(name.to_vec(), Some(sum));
        Some(sum)
    }

    /// Returns the state before a text that may have to be decoded again.
    pub(super) fn mark(&self) -> (u64, usize) {
        (self.expanded, self.faults.len())
    }

    /// Takes back the expansions and the faults since a mark.
    pub(super) fn rollback(&mut self, (expanded, faults): (u64, usize)) {
        self.expanded = expanded;
        self.faults.truncate(faults);
    }

    fn expand(&self, name: &[u8], out: &mut Vec<u8>) {
        let Some(text) = self.declared.get(name) else {
            return;
        };
        step(text.len());
        let mut at = 0;
        for [whole, inner] in REFERENCE.groups(text, 0) {
            out.extend_from_slice(&text[at..whole.start]);
            at = whole.end;
            let (inner, reference) = (&text[inner], &text[whole]);
            if self.declared.contains_key(inner) {
                self.expand(inner, out);
            } else if decode_reference(reference, out).is_none() {
                out.extend_from_slice(reference);
            }
        }
        // A number in a replacement text comes from a reference that was written twice (4.4.8).
        out.extend_from_slice(&text[at..]);
    }
}

/// Returns the character of a predefined entity (XML 1.0, 4.6) at the start of `bytes`, and the length
/// of the reference.
#[inline]
fn predefined(bytes: &[u8]) -> Option<(u8, usize)> {
    match bytes {
        [b'&', b'l', b't', b';', ..] => Some((b'<', 4)),
        [b'&', b'g', b't', b';', ..] => Some((b'>', 4)),
        [b'&', b'a', b'm', b'p', b';', ..] => Some((b'&', 5)),
        [b'&', b'q', b'u', b'o', b't', b';', ..] => Some((b'"', 6)),
        [b'&', b'a', b'p', b'o', b's', b';', ..] => Some((b'\'', 6)),
        _ => None,
    }
}

/// Returns the name in the reference at the start of `bytes`, a `&`; `None` for a number.
fn reference_name(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = &bytes[1..bytes.len().min(LONGEST_ENTITY)];
    let end = memchr::memchr(b';', bytes)?;
    let name = &bytes[..end];
    (!name.is_empty() && name_end(name, 0) == name.len()).then_some(name)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RawText {
    Data,
    /// The value of an attribute: white space becomes blanks (XML 1.0, 3.3.3).
    Value,
    Cdata,
}

impl Entities {
    fn append(&mut self, to: &mut DecodedText, raw: &[u8], offset: u64, piece: RawText) {
        to.map.resume(offset);
        step(raw.len());
        if piece == RawText::Cdata {
            to.quoting = Quoting::default();
        } else if to.bytes.is_empty() {
            to.quoting = Quoting::of(Escapes::Xml);
        }
        to.bytes.reserve(raw.len());
        let mut at = 0;
        while at < raw.len() {
            let rest = &raw[at..];
            let plain = match piece {
                RawText::Data => first_of(*b"&\r\0", rest, 0),
                RawText::Cdata => first_of(*b"\r\0", rest, 0),
                RawText::Value => first_of(*b"&\r\n\t\0", rest, 0),
            };
            to.copy(&rest[..plain]);
            at += plain;
            let Some(&byte) = raw.get(at) else {
                return;
            };
            let rest = &raw[at..];
            let line_end: &[u8] = if piece == RawText::Value { b" " } else { b"\n" };
            let (decoded, length) = match byte {
                b'\r' => (line_end, 1 + usize::from(rest.get(1) == Some(&b'\n'))),
                b'\n' | b'\t' => (line_end, 1),
                0 => ("\u{fffd}".as_bytes(), 1),
                _ => {
                    at += self.append_reference(to, rest, offset + at as u64);
                    continue;
                }
            };
            to.put(decoded, length);
            at += length;
        }
    }

    /// Appends the expansion of the reference at the start of `raw`, a `&`; returns its length.
    #[inline]
    fn append_reference(&mut self, text: &mut DecodedText, raw: &[u8], offset: u64) -> usize {
        if let Some((byte, length)) = predefined(raw) {
            text.put(&[byte], length);
            return length;
        }
        let before = text.bytes.len();
        let name = reference_name(raw);
        let declared = name.filter(|name| self.declared.contains_key(*name));
        let mut length = name.map_or(1, |name| name.len() + 2);
        let (mut fault, mut is_copied) = (None, false);
        if let Some(name) = declared {
            let expansion = self.length(name, 0);
            let grown = expansion.map(|length| self.expanded.saturating_add(length));
            let is_small = |grown: &u64| *grown <= MOST_EXPANDED.min(MOST_GROWTH * offset);
            if let Some(grown) = grown.filter(is_small) {
                self.expanded = grown;
                self.expand(name, &mut text.bytes);
            } else {
                fault = Some(&XML_ENTITY_LIMIT);
            }
        } else {
            let decoded = decode_reference(raw, &mut text.bytes);
            is_copied = decoded.is_none();
            let is_number = name.is_none() && raw.starts_with(b"&#");
            if is_number {
                length = decoded.unwrap_or(1);
            }
            let is_right = is_number && !is_copied || name.is_some() && self.is_open;
            fault = (!is_right).then_some(&XML_NOT_WELL_FORMED);
        }
        if let Some(fault) = fault
            && self.faults.iter().all(|(known, _)| *known != fault)
        {
            self.faults.push((fault, offset));
        }
        if is_copied {
            text.copy(&raw[..length]);
        } else {
            text.map.put(text.bytes.len() - before, length);
        }
        length
    }
}

#[derive(Default)]
pub(super) struct XmlValues {
    pub(super) entities: Entities,
    pub(super) text: DecodedText,
}

impl XmlValues {
    pub(super) fn append(&mut self, window: &Window<'_>, range: Range<usize>, piece: RawText) {
        let offset = window.offset_at(range.start);
        let raw = &window.bytes[range];
        self.entities.append(&mut self.text, raw, offset, piece);
    }

    /// Expands the reference at an index of a window for its faults alone.
    pub(super) fn pass_reference(&mut self, window: &Window<'_>, at: usize) {
        let offset = window.offset_at(at);
        self.text.begin(offset);
        (self.entities).append_reference(&mut self.text, &window.bytes[at..], offset);
    }

    pub(super) fn value(&mut self, window: &Window<'_>, given: &RawXmlAttribute) -> &DecodedText {
        self.text.begin(window.offset_at(given.value.start));
        self.append(window, given.value.clone(), RawText::Value);
        &self.text
    }

    pub(super) fn report_faults(&mut self, events: &mut Events) {
        for (fault, at) in self.entities.faults.drain(..) {
            events.push(Event::Diagnostic(fault, at));
        }
    }
}
