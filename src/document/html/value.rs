//! The values of attributes: decoded where they must be, with the way back to the document.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8};

use super::character_references::{self, CharacterContext};
use super::source::{Offsets, ValueSource};
use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::document::events::{Events, TextRange};

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
                let length = references
                    .and_then(|place| character_references::decode(&raw[at..], place, out));
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
