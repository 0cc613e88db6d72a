//! Texts that scanners read, and the way back from them to the document.

use std::ops::Range;

use super::events::{Batch, Context, Escapes, FoundReference, Quoting, Span, TextRange};
use crate::decode::RecordOffsets;
use crate::decode::offset_map::OffsetMap;

#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    /// The text is an unchanged part of the document, from this offset on.
    Offset(u64),
    Decoded(&'a OffsetMap),
}

impl Origin<'_> {
    #[inline]
    pub(super) fn span(self, span: Span) -> Span {
        let (start, end) = match self {
            Origin::Offset(offset) => (offset + span.start, offset + span.end),
            Origin::Decoded(map) if span.start == span.end => {
                let start = map.start(span.start);
                (start, start)
            }
            Origin::Decoded(map) => (map.start(span.start), map.end(span.end)),
        };
        Span { start, end }
    }

    pub(super) fn offset(self, at: u64) -> u64 {
        match self {
            Origin::Offset(offset) => offset + at,
            Origin::Decoded(map) => map.start(at),
        }
    }
}

/// Bytes that hold references: a window, or text that was decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceText<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) origin: Origin<'a>,
    /// The escapes of the text in the document.
    pub(super) quoting: Quoting,
    /// Whether a reader of XML has decoded the values.
    pub(super) is_final: bool,
}

impl<'a> SourceText<'a> {
    pub(super) fn window(bytes: &'a [u8], offset: u64) -> Self {
        SourceText {
            bytes,
            origin: Origin::Offset(offset),
            quoting: Quoting::DOCUMENT,
            is_final: false,
        }
    }

    pub(super) fn decoded(bytes: &'a [u8], map: &'a OffsetMap, quoting: Quoting) -> Self {
        SourceText {
            origin: Origin::Decoded(map),
            quoting,
            ..SourceText::window(bytes, 0)
        }
    }

    pub(super) fn until(&self, end: usize) -> Self {
        let bytes = &self.bytes[..end];
        SourceText { bytes, ..*self }
    }

    pub(super) fn offset(&self, at: usize) -> u64 {
        self.origin.offset(at as u64)
    }

    #[inline]
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        self.origin.span(Span::at(0, &range))
    }

    #[inline]
    pub(super) fn text(&self, range: Range<usize>, events: &mut Batch) -> TextRange {
        match self.origin {
            Origin::Offset(_) => TextRange::window(range),
            Origin::Decoded(_) => events.store(&self.bytes[range]),
        }
    }

    pub(super) fn reference(
        &self,
        range: Range<usize>,
        context: Context,
        events: &mut Batch,
    ) -> FoundReference {
        let span = self.span(range.clone());
        FoundReference {
            quoting: self.quoted(Escapes::Plain),
            ..FoundReference::new(span, self.text(range, events), context)
        }
    }

    /// Returns the escapes of a reference that is in the text with these.
    pub(super) fn quoted(&self, escapes: Escapes) -> Quoting {
        Quoting::of(escapes).within(self.quoting)
    }
}

/// Bytes that are decoded from a document piece by piece, with the map to it.
#[derive(Debug, Default)]
pub(super) struct DecodedText {
    pub(super) bytes: Vec<u8>,
    pub(super) map: OffsetMap,
    /// The escapes that were undone.
    pub(super) quoting: Quoting,
}

impl DecodedText {
    /// Returns an empty text, from which escapes are undone.
    pub(super) fn without(quoting: Quoting) -> Self {
        DecodedText {
            quoting,
            ..DecodedText::default()
        }
    }

    /// Empties the text; the first byte comes from an offset of the document.
    pub(super) fn begin(&mut self, offset: u64) {
        self.bytes.clear();
        self.map.starting(offset);
    }

    pub(super) fn copy(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.map.copy(bytes.len());
    }

    /// Appends bytes that come from `length` bytes of the document as a whole.
    pub(super) fn put(&mut self, bytes: &[u8], length: usize) {
        self.bytes.extend_from_slice(bytes);
        self.map.put(bytes.len(), length);
    }

    pub(super) fn join(&mut self, other: &DecodedText) {
        self.bytes.extend_from_slice(&other.bytes);
        let length = other.bytes.len() as u64;
        self.map.copy_range(&other.map, 0..length);
    }

    pub(super) fn source(&self) -> SourceText<'_> {
        SourceText::decoded(&self.bytes, &self.map, self.quoting)
    }
}

/// Records the offsets of a text that is decoded from another, possibly decoded text.
pub(super) struct OffsetsThrough<'a> {
    map: &'a mut OffsetMap,
    origin: Origin<'a>,
    at: u64,
}

impl<'a> OffsetsThrough<'a> {
    /// Continues a map with bytes decoded from an index of a text on.
    pub(super) fn new(map: &'a mut OffsetMap, origin: Origin<'a>, at: usize) -> Self {
        let at = at as u64;
        map.resume(origin.offset(at));
        OffsetsThrough { map, origin, at }
    }
}

impl RecordOffsets for OffsetsThrough<'_> {
    fn units(&mut self, count: usize, derived: usize, source: usize) {
        let (start, end) = (self.at, self.at + (count * source) as u64);
        self.at = end;
        match self.origin {
            Origin::Offset(_) => self.map.units(count, derived, source),
            Origin::Decoded(from) if derived == 1 && source == 1 => {
                self.map.copy_range(from, start..end);
            }
            // Two characters may come from one reference.
            Origin::Decoded(_) => {
                for unit in 0..count {
                    let start = start + (unit * source) as u64;
                    let end = start + source as u64;
                    let span = self.origin.span(Span { start, end });
                    self.map.resume(span.start);
                    self.map.put(derived, (span.end - span.start) as usize);
                }
            }
        }
    }

    fn skip(&mut self, n: usize) {
        self.at += n as u64;
        self.map.resume(self.origin.offset(self.at));
    }
}

#[cfg(test)]
#[path = "../../tests/unit/document/source_text.rs"]
mod tests;
