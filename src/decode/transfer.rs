//! Transfer encodings: quoted-printable and base64 (RFC 2045 section 6).

use memchr::memchr;

use super::{Decode, RecordOffsets};

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
        buffer.clear();
        match self.encoding {
            TransferEncoding::Identity => return raw,
            TransferEncoding::QuotedPrintable => self.quoted_printable.push(raw, buffer, &mut ()),
            TransferEncoding::Base64 => self.base64.push(raw, buffer, &mut ()),
        }
        buffer
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
        let has_bad_escape = self.quoted_printable.faults > 0;
        [
            has_bad_escape,
            self.base64.is_truncated,
            self.base64.faults > 0,
        ]
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
                (None, _) if hexadecimal(byte).is_some() => self.escape.push(byte),
                (Some(high), _) if hexadecimal(high).is_some() => {
                    if let (Some(high), Some(low)) = (hexadecimal(high), hexadecimal(byte)) {
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
    fn push(&mut self, mut input: &[u8], out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        loop {
            if !self.escape.is_empty() {
                let taken = self.push_escaped(input, out, offsets);
                input = &input[taken..];
                if !self.escape.is_empty() {
                    return;
                }
            }
            let at = memchr(b'=', input);
            let (literal, rest) = input.split_at(at.unwrap_or(input.len()));
            out.extend_from_slice(literal);
            offsets.copy(literal.len());
            let [_, rest @ ..] = rest else { return };
            input = rest;
            if let [high, low, ..] = *input
                && let (Some(high), Some(low)) = (hexadecimal(high), hexadecimal(low))
            {
                out.push(high << 4 | low);
                offsets.put(1, 3);
                input = &input[2..];
            } else if let [b'\n', ..] = *input {
                offsets.skip(2);
                input = &input[1..];
            } else if let [b'\r', b'\n', ..] = *input {
                offsets.skip(3);
                input = &input[2..];
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

fn hexadecimal(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    Some(value as u8)
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
        let mut at = 0;
        while at < input.len() {
            if self.digits == 0 {
                offsets.skip(std::mem::take(&mut self.pending));
                let quanta = decode_quanta(&input[at..], out);
                offsets.units(quanta, 3, 4);
                at += 4 * quanta;
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

/// The bits of a digit by its place in a group of four; negative for other bytes.
static GROUP_BITS: [[i32; 256]; 4] = {
    let mut table = [[-1; 256]; 4];
    let mut byte = 0;
    while byte < 256 {
        let mut place = 0;
        while place < 4 && SEXTETS[byte] < 64 {
            table[place][byte] = (SEXTETS[byte] as i32) << (18 - 6 * place);
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Returns the three bytes of four digits in the low bits, or a negative number.
#[inline(always)]
fn group(digits: [u8; 4]) -> i32 {
    let [first, second, third, fourth] = GROUP_BITS.each_ref();
    let [a, b, c, d] = digits.map(usize::from);
    first[a] | second[b] | third[c] | fourth[d]
}

/// Decodes whole groups of four digits; returns how many there are.
fn decode_quanta(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let (groups, _) = bytes.as_chunks::<4>();
    out.reserve(3 * groups.len());
    let mut quanta = 0;
    for four in groups.as_chunks::<4>().0 {
        let [a, b, c, d] = four.map(group);
        if a | b | c | d < 0 {
            break;
        }
        let [a, b, c, d] = [a, b, c, d].map(|bits| bits as u64);
        let first = (a << 40 | b << 16 | c >> 8).to_be_bytes();
        let last = ((c << 24 | d) as u32).to_be_bytes();
        let mut decoded = [0; 12];
        decoded[..8].copy_from_slice(&first);
        decoded[8..].copy_from_slice(&last);
        out.extend_from_slice(&decoded);
        quanta += 4;
    }
    for digits in &groups[quanta..] {
        let bits = group(*digits);
        if bits < 0 {
            break;
        }
        let [_, decoded @ ..] = bits.to_be_bytes();
        out.extend_from_slice(&decoded);
        quanta += 1;
    }
    quanta
}

#[cfg(test)]
#[path = "../../tests/unit/decode/transfer.rs"]
mod tests;
