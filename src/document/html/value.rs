//! Values of attributes: decoding, and character references.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, WINDOWS_1252};
use html5ever::data::NAMED_ENTITIES;

use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::decode::RecordOffsets;
use crate::document::events::{Events, TextRange};
use crate::document::source_text::{DecodedText, OffsetsThrough, SourceText};

/// Bytes of HTML: those of a window, or a decoded value.
pub(super) type ValueSource<'a> = SourceText<'a>;

/// A decoded value. Reused, to keep the buffers.
pub(super) type ValueDecoder = DecodedText;

impl SourceText<'_> {
    /// Whether the decoded value differs from the bytes of the source.
    #[inline]
    pub(super) fn needs_decoding(&self, range: Range<usize>, encoding: &'static Encoding) -> bool {
        !self.is_final && needs_decoding(self.bytes, range, encoding)
    }
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

impl DecodedText {
    /// Decodes a value; without `references`, character references do not count.
    pub(super) fn fill(
        &mut self,
        source: &ValueSource<'_>,
        range: Range<usize>,
        encoding: &'static Encoding,
        references: Option<CharacterContext>,
    ) {
        self.begin(0);
        self.append(source, range, encoding, references);
    }

    /// Decodes a further piece of a value.
    pub(super) fn append(
        &mut self,
        source: &ValueSource<'_>,
        range: Range<usize>,
        encoding: &'static Encoding,
        references: Option<CharacterContext>,
    ) {
        let offsets = OffsetsThrough::new(&mut self.map, source.origin, range.start);
        decode(
            source,
            range,
            encoding,
            references,
            &mut self.bytes,
            Some(offsets),
        );
    }
}

/// Decodes bytes and character references; CR and CRLF become LF, NUL becomes U+FFFD.
fn decode(
    source: &ValueSource<'_>,
    range: Range<usize>,
    encoding: &'static Encoding,
    references: Option<CharacterContext>,
    out: &mut Vec<u8>,
    mut offsets: Option<OffsetsThrough<'_>>,
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
                offsets.copy(at - start);
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
            offsets.put(out.len() - before, at - start);
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
    offsets: &mut Option<OffsetsThrough<'_>>,
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
            offsets.put(out.len() - before, at + 1 - start);
            start = at + 1;
        }
    }
    let before = out.len();
    decode_all(&mut decoder, b" ", out);
    out.pop();
    offsets.put(out.len() - before, range.end - start);
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
    // Controls are read as windows-1252.
    if let 0x80..=0x9F = number {
        let byte = [number as u8];
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(&byte);
        out.extend_from_slice(text.as_bytes());
    } else {
        push_scalar(number, out);
    }
    Some(at + usize::from(bytes.get(at) == Some(&b';')))
}

fn push_scalar(number: u32, out: &mut Vec<u8>) {
    let character = char::from_u32(number).filter(|&it| it != '\0');
    let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/value.rs"]
mod tests;
