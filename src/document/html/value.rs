//! Values of attributes: source positions, decoding, and character references.
//!
//! [`ValueSource`] is bytes with their offsets in the document: a window as it stands, or decoded
//! bytes with an [`Offsets`] map.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8};
use html5ever::data::NAMED_ENTITIES;

use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::document::events::{Events, Span, TextRange};

/// Bytes, and where they stand.
#[derive(Clone, Copy)]
pub(super) struct ValueSource<'a> {
    pub(super) bytes: &'a [u8],
    place: SourcePlace<'a>,
}

#[derive(Clone, Copy)]
enum SourcePlace<'a> {
    /// They are the window; the offset is that of its first byte.
    Window(u64),
    /// They were decoded.
    Decoded(&'a Offsets),
}

impl<'a> ValueSource<'a> {
    /// The bytes of a window.
    pub(super) fn window(bytes: &'a [u8], offset: u64) -> Self {
        let place = SourcePlace::Window(offset);
        ValueSource { bytes, place }
    }

    /// Decoded bytes.
    pub(super) fn decoded(bytes: &'a [u8], offsets: &'a Offsets) -> Self {
        let place = SourcePlace::Decoded(offsets);
        ValueSource { bytes, place }
    }

    /// The same without what stands from `end` on.
    pub(super) fn until(&self, end: usize) -> Self {
        let bytes = &self.bytes[..end];
        ValueSource { bytes, ..*self }
    }

    /// Where bytes stand in the document.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        match self.place {
            SourcePlace::Window(offset) => Span {
                start: offset + range.start as u64,
                end: offset + range.end as u64,
            },
            SourcePlace::Decoded(offsets) => {
                let start = offsets.start_of(range.start);
                let end = match range.is_empty() {
                    true => start,
                    false => offsets.end_of(range.end),
                };
                Span { start, end }
            }
        }
    }

    /// The offset in the document of one byte.
    pub(super) fn offset(&self, at: usize) -> u64 {
        self.span(at..at).start
    }

    /// Bytes as the text of an event.
    pub(super) fn text(&self, range: Range<usize>, events: &mut Events) -> TextRange {
        match self.place {
            SourcePlace::Window(_) => TextRange::window(range),
            SourcePlace::Decoded(_) => events.store(&self.bytes[range]),
        }
    }
}

/// Where each piece of decoded bytes stands in the document.
#[derive(Debug, Default)]
pub(super) struct Offsets {
    pieces: Vec<DecodedPiece>,
}

/// A stretch of decoded bytes: small, for a value may have one for each of its bytes.
#[derive(Clone, Copy, Debug)]
struct DecodedPiece {
    /// Offset in the document of its first byte.
    start: u64,
    /// Index of its first decoded byte.
    at: u32,
    /// Its bytes in the document; with the highest bit, each of them stands there as it is.
    length: u32,
}

/// Marks a piece that stands in the document as it is.
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

    /// Takes what stands right behind it in the same way; false when that is another piece.
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
    /// Forgets everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Says that the bytes from `at` on are `range` of `source`, unchanged.
    pub(super) fn verbatim(&mut self, at: usize, source: &ValueSource<'_>, range: Range<usize>) {
        match source.place {
            SourcePlace::Window(_) => self.push(at, source.span(range), true),
            SourcePlace::Decoded(offsets) => {
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

    /// Says that the bytes from `at` on stand for `range` of `source`.
    pub(super) fn replaced(&mut self, at: usize, source: &ValueSource<'_>, range: Range<usize>) {
        self.push(at, source.span(range), false);
    }

    /// Says where the end stands: `at` is the number of bytes.
    pub(super) fn finish(&mut self, at: usize, source: &ValueSource<'_>, end: usize) {
        let end = match source.place {
            SourcePlace::Window(_) => source.span(end..end).end,
            SourcePlace::Decoded(offsets) if end > 0 => offsets.end_of(end),
            SourcePlace::Decoded(offsets) => offsets.start_of(0),
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
        // INVARIANT: what is decoded at one time is shorter than 2 GiB.
        let length = (span.end - span.start) as u32;
        self.pieces.push(DecodedPiece {
            start: span.start,
            at: at as u32,
            length: length | if verbatim { VERBATIM } else { 0 },
        });
    }

    /// The piece of a byte, and the index at which it ends.
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

/// Decodes values, and keeps the memory for it.
#[derive(Debug, Default)]
pub(super) struct ValueDecoder {
    pub(super) bytes: Vec<u8>,
    pub(super) offsets: Offsets,
}

/// What a raw value must be decoded for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DecodingNeeds {
    Nothing,
    Decoding,
}

/// Whether a raw value differs from what a parser makes of it.
#[inline]
pub(super) fn needs(
    bytes: &[u8],
    range: Range<usize>,
    encoding: &'static Encoding,
) -> DecodingNeeds {
    if seek::is_plain(bytes, range.start, range.end) {
        return DecodingNeeds::Nothing;
    }
    let raw = &bytes[range];
    let odd = raw.iter().any(|byte| matches!(byte, b'&' | b'\r' | 0));
    match odd || encoding != UTF_8 || str::from_utf8(raw).is_err() {
        true => DecodingNeeds::Decoding,
        false => DecodingNeeds::Nothing,
    }
}

/// The decoded value as the text of an event.
pub(super) fn text(
    source: &ValueSource<'_>,
    range: Range<usize>,
    encoding: &'static Encoding,
    events: &mut Events,
) -> TextRange {
    if needs(source.bytes, range.clone(), encoding) == DecodingNeeds::Nothing {
        return source.text(range, events);
    }
    events.store_with(|store| {
        decode(
            source,
            range,
            encoding,
            Some(CharacterContext::Attribute),
            store,
            None,
        )
    })
}

/// A value that decides something: its character references decoded, beyond ASCII as it comes.
pub(super) fn plain<'a>(source: &ValueSource<'a>, range: Range<usize>) -> Cow<'a, [u8]> {
    if needs(source.bytes, range.clone(), UTF_8) == DecodingNeeds::Nothing {
        return Cow::Borrowed(&source.bytes[range]);
    }
    let mut out = Vec::new();
    decode(
        source,
        range,
        UTF_8,
        Some(CharacterContext::Attribute),
        &mut out,
        None,
    );
    Cow::Owned(out)
}

impl ValueDecoder {
    /// Decodes a value and remembers where its bytes come from.
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

    /// Forgets everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.clear();
    }

    /// Decodes more behind it.
    pub(super) fn append(
        &mut self,
        source: &ValueSource<'_>,
        range: Range<usize>,
        encoding: &'static Encoding,
        references: Option<CharacterContext>,
    ) {
        let end = range.end;
        decode(
            source,
            range,
            encoding,
            references,
            &mut self.bytes,
            Some(&mut self.offsets),
        );
        self.offsets.finish(self.bytes.len(), source, end);
    }

    /// What was decoded.
    pub(super) fn source(&self) -> ValueSource<'_> {
        ValueSource::decoded(&self.bytes, &self.offsets)
    }
}

/// Decodes character references and characters; CR and CRLF become LF, NUL becomes U+FFFD.
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
                let length = references.and_then(|place| decode_reference(&raw[at..], place, out));
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
                let end = cluster(raw, at);
                wide(source, at..end, encoding, out, &mut offsets);
                at = end;
                continue;
            }
        }
        if let Some(offsets) = &mut offsets {
            // One byte for one, as for an ampersand that starts nothing, is as good as verbatim.
            match (out.len() - before, at - start) {
                (1, 1) => offsets.verbatim(before, source, start..at),
                _ => offsets.replaced(before, source, start..at),
            }
        }
    }
}

/// The end of the characters beyond ASCII that start at an index: no encoding has a byte of markup
/// inside a character.
fn cluster(raw: &[u8], at: usize) -> usize {
    let rest = &raw[at..];
    at + rest
        .iter()
        .position(|byte| matches!(byte, 0..=b'/'))
        .unwrap_or(rest.len())
}

/// Decodes bytes that hold characters beyond ASCII, one character at a time where their places are
/// wanted. Whatever follows, it is a byte of markup, and a character that it cuts short may give
/// its last bytes back.
fn wide(
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

/// Where a character reference stands; it decides about names without a semicolon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharacterContext {
    /// In the value of an attribute.
    Attribute,
    /// In character data.
    Text,
}

/// The longest character reference that can wait for more bytes, without its digits.
const LONGEST: usize = 40;

/// Reads the character reference at the start of `bytes`, which starts with `&`, appends what it
/// stands for, and returns its length; none when it is not one.
pub(super) fn decode_reference(
    bytes: &[u8],
    place: CharacterContext,
    out: &mut Vec<u8>,
) -> Option<usize> {
    // Nearly all of them are this one.
    if bytes.starts_with(b"&amp;") {
        out.push(b'&');
        return Some(5);
    }
    if bytes.get(1) == Some(&b'#') {
        return numeric(bytes, out);
    }
    named(bytes, place, out)
}

fn named(bytes: &[u8], place: CharacterContext, out: &mut Vec<u8>) -> Option<usize> {
    let name = &bytes[1..];
    let length = name
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let with_semicolon = length + usize::from(name.get(length) == Some(&b';'));
    let text = str::from_utf8(&name[..with_semicolon.min(LONGEST)]).ok()?;
    let (length, &(first, second)) = (1..=text.len()).rev().find_map(|length| {
        let characters = NAMED_ENTITIES.get(&text[..length])?;
        (characters.0 != 0).then_some((length, characters))
    })?;
    if place == CharacterContext::Attribute && !text[..length].ends_with(';') {
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

/// What windows-1252 has at 0x80 to 0x9F; 0 where the number stays as it is.
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
mod tests {
    use super::*;

    fn in_attribute(text: &str) -> Option<(String, usize)> {
        let mut out = Vec::new();
        let length = decode_reference(text.as_bytes(), CharacterContext::Attribute, &mut out)?;
        Some((String::from_utf8(out).unwrap(), length))
    }

    #[test]
    fn references_are_read_as_the_standard_says() {
        for (text, expected) in [
            ("&amp;b", Some(("&", 5))),
            ("&copy&y", Some(("\u{a9}", 5))),
            ("&copy=1", None),
            ("&copyright", None),
            ("&hearts=1", None),
            ("&hearts;", Some(("\u{2665}", 8))),
            ("&notin;", Some(("\u{2209}", 7))),
            ("&notit;", None),
            ("&Amp;", None),
            ("&lt", Some(("<", 3))),
            ("&NotEqualTilde;", Some(("\u{2242}\u{338}", 15))),
            ("&CounterClockwiseContourIntegral;", Some(("\u{2233}", 33))),
            ("&#104;", Some(("h", 6))),
            ("&#x2Fc", Some(("\u{2fc}", 6))),
            ("&#46b", Some((".", 4))),
            ("&#146;", Some(("\u{2019}", 6))),
            ("&#0;", Some(("\u{fffd}", 4))),
            ("&#xD800;", Some(("\u{fffd}", 8))),
            ("&#99999999999999999999;", Some(("\u{fffd}", 23))),
            ("&#;", None),
            ("&#x;", None),
            ("&", None),
        ] {
            let expected = expected.map(|(text, length): (&str, _)| (text.to_owned(), length));
            assert_eq!(in_attribute(text), expected, "{text}");
        }
        let mut out = Vec::new();
        assert_eq!(
            decode_reference(b"&notit;", CharacterContext::Text, &mut out),
            Some(4)
        );
        assert_eq!(out, "\u{ac}".as_bytes());
    }
}
