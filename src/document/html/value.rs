//! Values of attributes: source positions, decoding, and character references.
//!
//! [`ValueSource`] is bytes with their offsets in the document: those of a window, or decoded bytes
//! with an [`Offsets`] map.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8};
use html5ever::data::NAMED_ENTITIES;

use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::decode::offset_map::OffsetMap;
use crate::document::events::{Events, Span, TextRange};

/// Bytes, and their positions in the document.
#[derive(Clone, Copy)]
pub(super) struct ValueSource<'a> {
    pub(super) bytes: &'a [u8],
    positions: SourcePositions<'a>,
}

#[derive(Clone, Copy)]
enum SourcePositions<'a> {
    /// The bytes are a window, whose first byte has this offset.
    Window(u64),
    /// The bytes were decoded.
    Decoded(&'a Offsets),
    /// The bytes were decoded by a reader of XML, after whose rules nothing is left to decode.
    Final(&'a OffsetMap),
}

impl<'a> ValueSource<'a> {
    /// A window whose first byte has an offset in the document.
    pub(super) fn window(bytes: &'a [u8], offset: u64) -> Self {
        let positions = SourcePositions::Window(offset);
        ValueSource { bytes, positions }
    }

    /// Decoded bytes with their offset map.
    pub(super) fn decoded(bytes: &'a [u8], offsets: &'a Offsets) -> Self {
        let positions = SourcePositions::Decoded(offsets);
        ValueSource { bytes, positions }
    }

    /// Bytes that a reader of XML decoded, with the map to the document.
    #[cfg(feature = "documents")]
    pub(super) fn decoded_xml(bytes: &'a [u8], map: &'a OffsetMap) -> Self {
        let positions = SourcePositions::Final(map);
        ValueSource { bytes, positions }
    }

    /// Whether values have been decoded by a reader of XML.
    pub(super) fn is_final(&self) -> bool {
        matches!(self.positions, SourcePositions::Final(_))
    }

    /// Whether the decoded value differs from the bytes of the source.
    #[inline]
    pub(super) fn needs_decoding(&self, range: Range<usize>, encoding: &'static Encoding) -> bool {
        !self.is_final() && needs_decoding(self.bytes, range, encoding)
    }

    /// Cuts the source off at `end`.
    pub(super) fn until(&self, end: usize) -> Self {
        let bytes = &self.bytes[..end];
        ValueSource { bytes, ..*self }
    }

    /// Returns the span of a range in the document.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        match self.positions {
            SourcePositions::Window(offset) => Span {
                start: offset + range.start as u64,
                end: offset + range.end as u64,
            },
            SourcePositions::Decoded(offsets) => {
                let start = offsets.start_of(range.start);
                let end = match range.is_empty() {
                    true => start,
                    false => offsets.end_of(range.end),
                };
                Span { start, end }
            }
            SourcePositions::Final(map) => {
                let start = map.start(range.start as u64);
                let end = match range.is_empty() {
                    true => start,
                    false => map.end(range.end as u64),
                };
                Span { start, end }
            }
        }
    }

    /// Returns the offset of an index in the document.
    pub(super) fn offset(&self, at: usize) -> u64 {
        self.span(at..at).start
    }

    /// Returns a range as the text of an event.
    pub(super) fn text(&self, range: Range<usize>, events: &mut Events) -> TextRange {
        match self.positions {
            SourcePositions::Window(_) => TextRange::window(range),
            SourcePositions::Decoded(_) | SourcePositions::Final(_) => {
                events.store(&self.bytes[range])
            }
        }
    }
}

/// Offset map: the position of each piece of decoded bytes in the document.
#[derive(Debug, Default)]
pub(super) struct Offsets {
    pieces: Vec<DecodedPiece>,
}

/// A piece of decoded bytes. Kept small: a value may have one for each byte.
#[derive(Clone, Copy, Debug)]
struct DecodedPiece {
    /// Offset of the first byte in the document.
    start: u64,
    /// Index of the first decoded byte.
    at: u32,
    /// Length in the document, in bytes; [`VERBATIM`] is set if the bytes are unchanged.
    length: u32,
}

/// Marks a piece whose decoded bytes are those of the document.
const VERBATIM: u32 = 1 << 31;

impl DecodedPiece {
    fn at(self) -> usize {
        self.at as usize
    }

    fn end(self) -> u64 {
        self.start + u64::from(self.length & !VERBATIM)
    }

    fn is_verbatim(self) -> bool {
        self.length & VERBATIM != 0
    }

    /// Appends adjacent verbatim bytes; returns false if they need a piece of their own.
    fn extend(&mut self, at: usize, span: Span) -> bool {
        let length = span.end - self.start;
        let follows = self.is_verbatim()
            && self.end() == span.start
            && at.checked_sub(self.at()) == usize::try_from(span.start - self.start).ok()
            && length < u64::from(VERBATIM);
        if follows {
            self.length = length as u32 | VERBATIM;
        }
        follows
    }
}

impl Offsets {
    /// Removes all pieces and keeps the memory.
    fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Maps the decoded bytes from `at` on to `range` of `source`, unchanged.
    pub(super) fn verbatim(&mut self, at: usize, source: &ValueSource<'_>, range: Range<usize>) {
        match source.positions {
            SourcePositions::Final(_) => {
                for (index, from) in range.enumerate() {
                    let span = source.span(from..from + 1);
                    self.push(at + index, span, span.end - span.start == 1);
                }
            }
            SourcePositions::Window(_) => self.push(at, source.span(range), true),
            SourcePositions::Decoded(offsets) => {
                let mut from = range.start;
                while from < range.end {
                    let (piece, end) = offsets.piece(from);
                    let to = end.min(range.end);
                    self.push(
                        at + from - range.start,
                        source.span(from..to),
                        piece.is_verbatim(),
                    );
                    from = to;
                }
            }
        }
    }

    /// Maps the decoded bytes from `at` on to `range` of `source` as a whole.
    pub(super) fn replaced(&mut self, at: usize, source: &ValueSource<'_>, range: Range<usize>) {
        self.push(at, source.span(range), false);
    }

    /// Maps the end of the decoded bytes, at index `at`, to `end` of `source`.
    fn finish(&mut self, at: usize, source: &ValueSource<'_>, end: usize) {
        let end = match source.positions {
            SourcePositions::Window(_) | SourcePositions::Final(_) => source.span(end..end).end,
            SourcePositions::Decoded(offsets) if end > 0 => offsets.end_of(end),
            SourcePositions::Decoded(offsets) => offsets.start_of(0),
        };
        self.push(at, Span { start: end, end }, true);
    }

    fn push(&mut self, at: usize, span: Span, verbatim: bool) {
        if verbatim && span.end > span.start {
            let last = self.pieces.last_mut();
            if last.is_some_and(|last| last.extend(at, span)) {
                return;
            }
        }
        // INVARIANT: one value is shorter than 2 GiB.
        let length = (span.end - span.start) as u32;
        self.pieces.push(DecodedPiece {
            start: span.start,
            at: at as u32,
            length: length | if verbatim { VERBATIM } else { 0 },
        });
    }

    /// Returns the piece of a decoded byte, and the index at which the piece ends.
    fn piece(&self, at: usize) -> (DecodedPiece, usize) {
        let next = self.pieces.partition_point(|piece| piece.at() <= at);
        let end = self.pieces.get(next).map_or(usize::MAX, |piece| piece.at());
        // INVARIANT: the first piece starts at 0, so one precedes `next`.
        (self.pieces[next.saturating_sub(1)], end)
    }

    fn start_of(&self, at: usize) -> u64 {
        let (piece, _) = self.piece(at);
        match piece.is_verbatim() {
            true => piece.start + (at - piece.at()) as u64,
            false => piece.start,
        }
    }

    fn end_of(&self, end: usize) -> u64 {
        let (piece, _) = self.piece(end - 1);
        match piece.is_verbatim() {
            true => piece.start + (end - piece.at()) as u64,
            false => piece.end(),
        }
    }
}

/// A decoded value with its offset map. Reused, to keep the buffers.
#[derive(Debug, Default)]
pub(super) struct ValueDecoder {
    pub(super) bytes: Vec<u8>,
    pub(super) offsets: Offsets,
}

/// Whether the decoded value differs from the raw bytes.
#[inline]
pub(super) fn needs_decoding(
    bytes: &[u8],
    range: Range<usize>,
    encoding: &'static Encoding,
) -> bool {
    if seek::is_plain(bytes, range.start, range.end) {
        return false;
    }
    let raw = &bytes[range];
    let special = raw.iter().any(|byte| matches!(byte, b'&' | b'\r' | 0));
    special || encoding != UTF_8 || str::from_utf8(raw).is_err()
}

/// Returns the decoded value as the text of an event.
pub(super) fn decoded_text(
    source: &ValueSource<'_>,
    range: Range<usize>,
    encoding: &'static Encoding,
    events: &mut Events,
) -> TextRange {
    if !source.needs_decoding(range.clone(), encoding) {
        return source.text(range, events);
    }
    let context = Some(CharacterContext::Attribute);
    events.store_with(|store| decode(source, range, encoding, context, store, None))
}

/// Decodes a value that is compared with ASCII keywords; other characters are read as UTF-8.
pub(super) fn decoded_value<'a>(source: &ValueSource<'a>, range: Range<usize>) -> Cow<'a, [u8]> {
    if !source.needs_decoding(range.clone(), UTF_8) {
        return Cow::Borrowed(&source.bytes[range]);
    }
    let mut out = Vec::new();
    let context = Some(CharacterContext::Attribute);
    decode(source, range, UTF_8, context, &mut out, None);
    Cow::Owned(out)
}

impl ValueDecoder {
    /// Decodes a value; without `references`, character references do not count.
    pub(super) fn fill(
        &mut self,
        source: &ValueSource<'_>,
        range: Range<usize>,
        encoding: &'static Encoding,
        references: Option<CharacterContext>,
    ) {
        self.clear();
        self.append(source, range, encoding, references);
    }

    /// Takes a value as it is.
    pub(super) fn copy(&mut self, source: &ValueSource<'_>, range: Range<usize>) {
        self.clear();
        self.bytes.extend_from_slice(&source.bytes[range.clone()]);
        self.offsets.verbatim(0, source, range.clone());
        self.offsets.finish(self.bytes.len(), source, range.end);
    }

    /// Removes all bytes and keeps the memory.
    fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.clear();
    }

    /// Decodes a further piece of a value.
    pub(super) fn append(
        &mut self,
        source: &ValueSource<'_>,
        range: Range<usize>,
        encoding: &'static Encoding,
        references: Option<CharacterContext>,
    ) {
        let end = range.end;
        let (out, offsets) = (&mut self.bytes, Some(&mut self.offsets));
        decode(source, range, encoding, references, out, offsets);
        self.offsets.finish(self.bytes.len(), source, end);
    }

    /// Returns the decoded bytes as a source.
    pub(super) fn source(&self) -> ValueSource<'_> {
        ValueSource::decoded(&self.bytes, &self.offsets)
    }
}

/// Decodes bytes and character references; CR and CRLF become LF, NUL becomes U+FFFD.
fn decode(
    source: &ValueSource<'_>,
    range: Range<usize>,
    encoding: &'static Encoding,
    references: Option<CharacterContext>,
    out: &mut Vec<u8>,
    mut offsets: Option<&mut Offsets>,
) {
    let raw = &source.bytes[..range.end];
    let mut at = range.start;
    step(range.len());
    while at < raw.len() {
        let start = at;
        let before = out.len();
        while raw
            .get(at)
            .is_some_and(|byte| !matches!(byte, b'&' | b'\r' | 0 | 0x80..))
        {
            at += 1;
        }
        if at > start {
            out.extend_from_slice(&raw[start..at]);
            if let Some(offsets) = &mut offsets {
                offsets.verbatim(before, source, start..at);
            }
            continue;
        }
        match raw[at] {
            b'&' => {
                let length =
                    references.and_then(|context| decode_reference(&raw[at..], context, out));
                if length.is_none() {
                    out.push(b'&');
                }
                at += length.unwrap_or(1);
            }
            b'\r' => {
                out.push(b'\n');
                at += 1 + usize::from(raw.get(at + 1) == Some(&b'\n'));
            }
            0 => {
                out.extend_from_slice("\u{fffd}".as_bytes());
                at += 1;
            }
            _ => {
                let end = non_ascii_end(raw, at);
                decode_non_ascii(source, at..end, encoding, out, &mut offsets);
                at = end;
                continue;
            }
        }
        if let Some(offsets) = &mut offsets {
            // One byte for one (an ampersand that starts no reference) counts as verbatim.
            match (out.len() - before, at - start) {
                (1, 1) => offsets.verbatim(before, source, start..at),
                _ => offsets.replaced(before, source, start..at),
            }
        }
    }
}

/// Returns the end of a run that may hold non-ASCII characters: no encoding that is scanned has a
/// byte of markup inside a character.
fn non_ascii_end(raw: &[u8], at: usize) -> usize {
    let rest = &raw[at..];
    at + rest
        .iter()
        .position(|byte| matches!(byte, 0..=b'/'))
        .unwrap_or(rest.len())
}

/// Decodes a run of [`non_ascii_end`], one character at a time if an offset map is needed.
///
/// A byte of markup follows the run. The decoder is given a space in its place, so that it emits a
/// character that the end of the run cuts short.
fn decode_non_ascii(
    source: &ValueSource<'_>,
    range: Range<usize>,
    encoding: &'static Encoding,
    out: &mut Vec<u8>,
    offsets: &mut Option<&mut Offsets>,
) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let Some(offsets) = offsets else {
        decode_all(&mut decoder, &source.bytes[range], out);
        decode_all(&mut decoder, b" ", out);
        out.pop();
        return;
    };
    let mut start = range.start;
    for at in range.clone() {
        let before = out.len();
        decode_all(&mut decoder, &source.bytes[at..=at], out);
        if out.len() > before {
            offsets.replaced(before, source, start..at + 1);
            start = at + 1;
        }
    }
    let before = out.len();
    decode_all(&mut decoder, b" ", out);
    out.pop();
    if out.len() > before {
        offsets.replaced(before, source, start..range.end);
    }
}

fn decode_all(decoder: &mut Decoder, mut bytes: &[u8], out: &mut Vec<u8>) {
    let mut buffer = [0; 256];
    loop {
        let (result, read, written, _) = decoder.decode_to_utf8(bytes, &mut buffer, false);
        bytes = &bytes[read..];
        out.extend_from_slice(&buffer[..written]);
        if result == CoderResult::InputEmpty {
            return;
        }
    }
}

/// The context of a character reference, which decides about names without a semicolon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum CharacterContext {
    /// In the value of an attribute.
    Attribute,
    /// In character data.
    Text,
}

/// An upper bound of the length of names, in bytes.
const MAX_NAME: usize = 40;

/// Decodes the character reference at the start of `bytes`, a `&`, and appends its characters to
/// `out` (WHATWG HTML 13.2.5.72 to 13.2.5.80). Returns its length; none if it is not one.
pub(in crate::document) fn decode_reference(
    bytes: &[u8],
    context: CharacterContext,
    out: &mut Vec<u8>,
) -> Option<usize> {
    // The common case.
    if bytes.starts_with(b"&amp;") {
        out.push(b'&');
        return Some(5);
    }
    if bytes.get(1) == Some(&b'#') {
        return numeric(bytes, out);
    }
    named(bytes, context, out)
}

fn named(bytes: &[u8], context: CharacterContext, out: &mut Vec<u8>) -> Option<usize> {
    let name = &bytes[1..];
    let length = name
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let with_semicolon = length + usize::from(name.get(length) == Some(&b';'));
    let text = str::from_utf8(&name[..with_semicolon.min(MAX_NAME)]).ok()?;
    let (length, &(first, second)) = (1..=text.len()).rev().find_map(|length| {
        let characters = NAMED_ENTITIES.get(&text[..length])?;
        (characters.0 != 0).then_some((length, characters))
    })?;
    if context == CharacterContext::Attribute && !text[..length].ends_with(';') {
        // "For historical reasons": `?a&copy=1` stays as it is.
        let next = name.get(length);
        if next.is_some_and(|&next| next == b'=' || next.is_ascii_alphanumeric()) {
            return None;
        }
    }
    push_scalar(first, out);
    if second != 0 {
        push_scalar(second, out);
    }
    Some(1 + length)
}

fn numeric(bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let hexadecimal = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (digits, radix) = if hexadecimal { (3, 16) } else { (2, 10) };
    let mut number = 0u32;
    let mut at = digits;
    while let Some(digit) = bytes
        .get(at)
        .and_then(|&byte| (byte as char).to_digit(radix))
    {
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == digits {
        return None;
    }
    push_scalar(scalar(number), out);
    Some(at + usize::from(bytes.get(at) == Some(&b';')))
}

/// The characters of windows-1252 at 0x80 to 0x9F; 0 where the number is kept.
const C1: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

fn scalar(number: u32) -> u32 {
    match number {
        0 | 0xD800..=0xDFFF | 0x11_0000.. => 0xFFFD,
        0x80..=0x9F => match C1[number as usize - 0x80] {
            0 => number,
            remapped => u32::from(remapped),
        },
        _ => number,
    }
}

fn push_scalar(number: u32, out: &mut Vec<u8>) {
    let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/value.rs"]
mod tests;
