//! Values of attributes: decoding, and character references.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{CoderResult, Encoding, UTF_8, WINDOWS_1252};
use html5ever::data::NAMED_ENTITIES;

use crate::bytes::class::run_end;
use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::decode::RecordOffsets;
use crate::document::events::{Events, TextRange};
use crate::document::source_text::{DecodedText, OffsetsThrough, SourceText};

pub(super) type Coding = &'static Encoding;

impl<'a> SourceText<'a> {
    /// Whether the decoded value differs from the bytes of the source.
    #[inline]
    pub(super) fn needs_decoding(&self, range: Range<usize>, encoding: Coding) -> bool {
        if self.is_final || seek::is_plain(self.bytes, range.start, range.end) {
            return false;
        }
        let raw = &self.bytes[range];
        let special = raw.iter().any(|byte| matches!(byte, b'&' | b'\r' | 0));
        special || encoding != UTF_8 || str::from_utf8(raw).is_err()
    }

    pub(super) fn value(
        &self,
        range: Range<usize>,
        encoding: Coding,
        events: &mut Events,
    ) -> TextRange {
        if !self.needs_decoding(range.clone(), encoding) {
            return self.text(range, events);
        }
        let context = Some(CharacterContext::Attribute);
        events.store_with(|store| decode(self.bytes, range, encoding, context, store, &mut ()))
    }

    /// Returns the text of a range whose bytes were decoded, if they had to be.
    pub(super) fn stored(
        &self,
        range: Range<usize>,
        text: Cow<[u8]>,
        events: &mut Events,
    ) -> TextRange {
        match text {
            Cow::Borrowed(_) => self.text(range, events),
            Cow::Owned(text) => events.store(&text),
        }
    }

    pub(super) fn decoded_value(&self, range: Range<usize>, encoding: Coding) -> Cow<'a, [u8]> {
        if !self.needs_decoding(range.clone(), encoding) {
            return Cow::Borrowed(&self.bytes[range]);
        }
        let mut out = Vec::new();
        let context = Some(CharacterContext::Attribute);
        decode(self.bytes, range, encoding, context, &mut out, &mut ());
        Cow::Owned(out)
    }

    /// Decodes a value that is compared with ASCII keywords; other characters are read as UTF-8.
    pub(super) fn keyword(&self, range: Range<usize>) -> Cow<'a, [u8]> {
        self.decoded_value(range, UTF_8)
    }

    pub(super) fn name(&self, range: Range<usize>, encoding: Coding) -> Cow<'a, [u8]> {
        let name = &self.bytes[range.clone()];
        let is_lower = |byte: &u8| byte.is_ascii() && *byte != 0 && !byte.is_ascii_uppercase();
        if name.iter().all(is_lower) {
            return Cow::Borrowed(name);
        }
        let mut out = Vec::new();
        decode(self.bytes, range, encoding, None, &mut out, &mut ());
        out.make_ascii_lowercase();
        Cow::Owned(out)
    }
}

impl DecodedText {
    /// Appends a decoded value; without `references`, character references are not replaced.
    pub(super) fn append(
        &mut self,
        source: &SourceText,
        range: Range<usize>,
        encoding: Coding,
        references: Option<CharacterContext>,
    ) {
        let mut offsets = OffsetsThrough::new(&mut self.map, source.origin, range.start);
        let (bytes, out) = (source.bytes, &mut self.bytes);
        decode(bytes, range, encoding, references, out, &mut offsets);
    }
}

/// Decodes bytes and character references; CR and CRLF become LF, NUL becomes U+FFFD.
pub(super) fn decode(
    bytes: &[u8],
    range: Range<usize>,
    encoding: Coding,
    references: Option<CharacterContext>,
    out: &mut Vec<u8>,
    offsets: &mut impl RecordOffsets,
) {
    step(range.len());
    let mut rest = &bytes[range];
    while let Some(&first) = rest.first() {
        let before = out.len();
        let length = match first {
            b'&' => {
                let length = references.and_then(|context| decode_reference(rest, context, out));
                if length.is_none() {
                    out.push(b'&');
                }
                length.unwrap_or(1)
            }
            b'\r' => {
                out.push(b'\n');
                1 + usize::from(rest.get(1) == Some(&b'\n'))
            }
            0 => {
                out.extend_from_slice("\u{fffd}".as_bytes());
                1
            }
            _ => {
                // No encoding that is scanned has a byte of markup inside a character.
                let ends = |byte: &u8| match first {
                    0x80.. => matches!(byte, 0..=b'/'),
                    _ => matches!(byte, b'&' | b'\r' | 0 | 0x80..),
                };
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                let run = &rest[..length];
                rest = &rest[length..];
                if first < 0x80 {
                    out.extend_from_slice(run);
                    offsets.copy(length);
                } else {
                    decode_run(run, encoding, out, offsets);
                }
                continue;
            }
        };
        rest = &rest[length..];
        offsets.put(out.len() - before, length);
    }
}

/// Decodes a run that may hold non-ASCII characters, one at a time.
///
/// A byte of markup follows the run. The decoder gets a space in its place, so that it emits a
/// character that the end of the run cuts short.
fn decode_run(run: &[u8], encoding: Coding, out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = [0; 16];
    let mut start = 0;
    for at in 0..=run.len() {
        let before = out.len();
        let mut byte = run.get(at..=at).unwrap_or(b" ");
        loop {
            let (result, read, written, _) = decoder.decode_to_utf8(byte, &mut buffer, false);
            byte = &byte[read..];
            out.extend_from_slice(&buffer[..written]);
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        let end = run.len().min(at + 1);
        if at == run.len() {
            out.pop();
        } else if out.len() == before {
            continue;
        }
        offsets.put(out.len() - before, end - start);
        start = end;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum CharacterContext {
    Attribute,
    Text,
}

const MAX_NAME: usize = 40;

/// Decodes the character reference at the start of `bytes`, a `&`, and appends its characters to `out`
/// (WHATWG HTML 13.2.5.72 to 13.2.5.80). Returns its length; `None` if it is not a reference.
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
    let length = run_end(name, 0, |byte| byte.is_ascii_alphanumeric());
    let with_semicolon = length + usize::from(name.get(length) == Some(&b';'));
    let text = str::from_utf8(&name[..with_semicolon.min(MAX_NAME)]).ok()?;
    let (length, &(first, second)) = (1..=text.len()).rev().find_map(|length| {
        let characters = NAMED_ENTITIES.get(&text[..length])?;
        (characters.0 != 0).then_some((length, characters))
    })?;
    if context == CharacterContext::Attribute && !text[..length].ends_with(';') {
        // "For historical reasons": `?a&copy=1` is unchanged.
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
