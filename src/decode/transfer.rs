//! Transfer encodings: quoted-printable and base64 (RFC 2045 section 6).

use base64_simd::STANDARD_NO_PAD;

use super::{Decode, RecordOffsets};
use crate::bytes::class::hex_digit;
use crate::bytes::simd::Indices;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TransferEncoding {
    /// `7bit`, `8bit` and `binary`.
    #[default]
    Identity,
    QuotedPrintable,
    Base64,
}

/// Names of transfer encodings, some of them misspelt as writers of mail do.
#[rustfmt::skip]
static NAMES: [(&str, TransferEncoding); 9] = [
    ("", TransferEncoding::Identity), ("7bit", TransferEncoding::Identity),
    ("8bit", TransferEncoding::Identity), ("binary", TransferEncoding::Identity),
    ("7-bit", TransferEncoding::Identity), ("8-bit", TransferEncoding::Identity),
    ("quoted-printable", TransferEncoding::QuotedPrintable),
    ("quoted_printable", TransferEncoding::QuotedPrintable), ("base64", TransferEncoding::Base64),
];

impl TransferEncoding {
    /// Returns the encoding that a Content-Transfer-Encoding field names, if that is known.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let row = NAMES
            .iter()
            .find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
        row.map(|&(_, encoding)| encoding)
    }
}

#[derive(Debug, Default)]
pub(crate) struct TransferDecoder {
    encoding: TransferEncoding,
    quoted_printable: QuotedPrintable,
    base64: Base64,
}

impl TransferDecoder {
    pub(crate) fn new(encoding: TransferEncoding) -> Self {
        TransferDecoder {
            encoding,
            ..TransferDecoder::default()
        }
    }

    /// Decodes a piece of the body into the buffer, whose contents are lost; returns the decoded bytes.
    pub(crate) fn push<'a>(&mut self, raw: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        if self.encoding == TransferEncoding::Identity {
            return raw;
        }
        buffer.clear();
        self.push_onto(raw, buffer);
        buffer
    }

    /// Decodes a piece of the body onto the end of the buffer.
    pub(crate) fn push_onto(&mut self, raw: &[u8], buffer: &mut Vec<u8>) {
        match self.encoding {
            TransferEncoding::Identity => buffer.extend_from_slice(raw),
            TransferEncoding::QuotedPrintable => self.quoted_printable.push(raw, buffer, &mut ()),
            TransferEncoding::Base64 => self.base64.push(raw, buffer, &mut ()),
        }
    }

    /// Ends the body, and decodes the pending bytes into the buffer, whose contents are lost.
    pub(crate) fn finish(&mut self, buffer: &mut Vec<u8>) {
        buffer.clear();
        // Only one of them has any.
        self.quoted_printable.finish(buffer, &mut ());
        self.base64.finish(buffer, &mut ());
    }

    /// Returns the faults of the body, after its end: whether a malformed escape of quoted-printable was
    /// kept, base64 was truncated, and bytes outside its alphabet were left out.
    pub(crate) fn faults(&self) -> [bool; 3] {
        let base64 = &self.base64;
        let has_bad_escape = self.quoted_printable.faults > 0;
        [has_bad_escape, base64.is_truncated, base64.faults > 0]
    }
}

/// Decodes quoted-printable. A malformed escape is kept.
#[derive(Debug, Default)]
pub(crate) struct QuotedPrintable {
    /// An equals sign and the bytes after it, while their meaning is open.
    escape: Vec<u8>,
    faults: u64,
}

/// Maximum number of blanks between `=` and the line end of a soft line break.
const SOFT_BREAK_BLANKS: usize = 256;

impl QuotedPrintable {
    /// Takes bytes after an equals sign until their meaning is clear; returns how many.
    fn push_escaped(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        offsets: &mut impl RecordOffsets,
    ) -> usize {
        for (taken, &byte) in input.iter().enumerate() {
            let first = self.escape.get(1).copied();
            match (first, byte) {
                // A soft line break: CR LF, or LF.
                (_, b'\n') if first.is_none_or(is_blank) => {
                    offsets.skip(self.escape.len() + 1);
                    self.escape.clear();
                    return taken + 1;
                }
                (None, b'\r' | b' ' | b'\t') => self.escape.push(byte),
                (Some(first), b'\r' | b' ' | b'\t')
                    if is_blank(first)
                        && self.escape.last() != Some(&b'\r')
                        && self.escape.len() < SOFT_BREAK_BLANKS =>
                {
                    self.escape.push(byte);
                }
                (None, _) if hex_digit(byte).is_some() => self.escape.push(byte),
                (Some(high), _) if hex_digit(high).is_some() => {
                    if let (Some(high), Some(low)) = (hex_digit(high), hex_digit(byte)) {
                        out.push(high << 4 | low);
                        offsets.put(1, 3);
                        self.escape.clear();
                        return taken + 1;
                    }
                    self.keep_escape(out, offsets);
                    return taken;
                }
                // A lone CR ends the line, too.
                _ if self.escape.last() == Some(&b'\r') => {
                    offsets.skip(self.escape.len());
                    self.escape.clear();
                    return taken;
                }
                _ => {
                    self.keep_escape(out, offsets);
                    return taken;
                }
            }
        }
        input.len()
    }

    fn keep_escape(&mut self, out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        self.faults += 1;
        out.extend_from_slice(&self.escape);
        offsets.copy(self.escape.len());
        self.escape.clear();
    }
}

impl Decode for QuotedPrintable {
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        out.reserve(input.len());
        let mut escapes = Indices::new(b'=', input, 0);
        let mut at = 0;
        loop {
            if !self.escape.is_empty() {
                at += self.push_escaped(&input[at..], out, offsets);
                if !self.escape.is_empty() {
                    return;
                }
            }
            let escape = escapes.find(|&escape| escape >= at);
            let literal = &input[at..escape.unwrap_or(input.len())];
            out.extend_from_slice(literal);
            offsets.copy(literal.len());
            let Some(escape) = escape else { return };
            at = escape + 1;
            if let [high, low, ..] = input[at..]
                && let (Some(high), Some(low)) = (hex_digit(high), hex_digit(low))
            {
                out.push(high << 4 | low);
                offsets.put(1, 3);
                at += 2;
            } else if let [b'\n', ..] = input[at..] {
                offsets.skip(2);
                at += 1;
            } else if let [b'\r', b'\n', ..] = input[at..] {
                offsets.skip(3);
                at += 2;
            } else {
                self.escape.push(b'=');
            }
        }
    }

    /// An equals sign at the end of a body is a soft line break.
    fn finish(&mut self, out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        if self.escape.get(1).copied().is_none_or(is_blank) {
            offsets.skip(self.escape.len());
            self.escape.clear();
        } else {
            self.keep_escape(out, offsets);
        }
    }

    fn faults(&self) -> u64 {
        self.faults
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

const OUTSIDE: u8 = 0xFF;
const PADDING: u8 = 0xFE;
const BREAK: u8 = 0xFD;

/// Values of the base64 alphabet (RFC 4648 section 4).
static SEXTETS: [u8; 256] = {
    let mut table = [OUTSIDE; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        table[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    table[b'=' as usize] = PADDING;
    table[b'\n' as usize] = BREAK;
    table[b'\r' as usize] = BREAK;
    table[b' ' as usize] = BREAK;
    table[b'\t' as usize] = BREAK;
    table
};

#[inline]
pub(crate) fn sextet(byte: u8) -> Option<u8> {
    let value = SEXTETS[usize::from(byte)];
    (value < 64).then_some(value)
}

/// Decodes base64, with or without padding, in one or more sections; counts bytes outside the alphabet.
#[derive(Debug, Default)]
pub(crate) struct Base64 {
    bits: u32,
    digits: u32,
    /// Input bytes since the last decoded byte.
    pending: usize,
    faults: u64,
    /// Whether the body has ended inside a byte.
    is_truncated: bool,
}

impl Base64 {
    fn end_section(&mut self, out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        let bits = self.bits << (6 * (4 - self.digits));
        let [_, bytes @ ..] = bits.to_be_bytes();
        let length = self.digits.saturating_sub(1) as usize;
        out.extend_from_slice(&bytes[..length]);
        offsets.put(length, std::mem::take(&mut self.pending));
        (self.bits, self.digits) = (0, 0);
    }
}

impl Decode for Base64 {
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        out.reserve(input.len());
        let mut breaks = Indices::new(b'\n', input, 0);
        // The index after the last line whose groups were tried as a whole.
        let (mut at, mut tried) = (0, 0);
        while at < input.len() {
            if self.digits == 0 {
                offsets.skip(std::mem::take(&mut self.pending));
                if at >= tried {
                    let end = breaks.find(|&end| end >= at).unwrap_or(input.len());
                    tried = end + 1;
                    let groups = groups(&input[at..end]);
                    if STANDARD_NO_PAD.decode_append(groups, out).is_ok() {
                        offsets.units(groups.len() / 4, 3, 4);
                        at += groups.len();
                    }
                }
            }
            let Some(&byte) = input.get(at) else { return };
            at += 1;
            self.pending += 1;
            match SEXTETS[usize::from(byte)] {
                OUTSIDE => self.faults += 1,
                PADDING => self.end_section(out, offsets),
                BREAK => {}
                value => {
                    self.bits = self.bits << 6 | u32::from(value);
                    self.digits += 1;
                    if self.digits == 4 {
                        self.end_section(out, offsets);
                    }
                }
            }
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        self.is_truncated = self.digits == 1;
        self.end_section(out, offsets);
    }

    fn faults(&self) -> u64 {
        self.faults
    }
}

/// Returns the groups of four bytes at the start of a line, without white space and padding at the end.
fn groups(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    let groups = &line[..line.len() / 4 * 4];
    let padding = if groups.ends_with(b"=") { 4 } else { 0 };
    &groups[..groups.len() - padding]
}

#[cfg(test)]
#[path = "../../tests/unit/decode/transfer.rs"]
mod tests;
