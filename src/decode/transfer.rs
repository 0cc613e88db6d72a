//! Transfer encodings: quoted-printable and base64, lenient, piece by piece (RFC 2045 section 6).

use memchr::memchr;

/// How a body is encoded for transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TransferEncoding {
    /// Not at all.
    #[default]
    Identity,
    QuotedPrintable,
    Base64,
}

impl TransferEncoding {
    /// The encoding that a Content-Transfer-Encoding field names; none when nobody knows it.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if is("quoted-printable") || is("quoted_printable") {
            Some(TransferEncoding::QuotedPrintable)
        } else if is("base64") {
            Some(TransferEncoding::Base64)
        } else if ["", "7bit", "8bit", "binary", "7-bit", "8-bit"]
            .iter()
            .any(|known| is(known))
        {
            Some(TransferEncoding::Identity)
        } else {
            None
        }
    }
}

/// Decodes quoted-printable.
#[derive(Debug, Default)]
pub(crate) struct QuotedPrintable {
    /// An equals sign and what came behind it so far.
    escape: Vec<u8>,
    /// Bad escapes since the last time someone asked.
    pub(crate) bad: u64,
}

/// Blanks between `=` and the line end that are still taken for a soft line break.
const SOFT_BREAK_BLANKS: usize = 256;

impl QuotedPrintable {
    pub(crate) fn begin(&mut self) {
        self.escape.clear();
        self.bad = 0;
    }

    /// Appends the decoded bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        loop {
            if !self.escape.is_empty() {
                let taken = self.escape(bytes, out);
                bytes = &bytes[taken..];
                if !self.escape.is_empty() {
                    return;
                }
            }
            let Some(at) = memchr(b'=', bytes) else {
                out.extend_from_slice(bytes);
                return;
            };
            out.extend_from_slice(&bytes[..at]);
            bytes = &bytes[at + 1..];
            if let [high, low, ..] = *bytes
                && let (Some(high), Some(low)) = (hexadecimal(high), hexadecimal(low))
            {
                out.push(high << 4 | low);
                bytes = &bytes[2..];
            } else if let [b'\n', ..] = *bytes {
                bytes = &bytes[1..];
            } else {
                self.escape.push(b'=');
            }
        }
    }

    /// Takes bytes behind an equals sign until it is clear what it means; returns how many.
    fn escape(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        for (taken, &byte) in bytes.iter().enumerate() {
            let first = self.escape.get(1).copied();
            match (first, byte) {
                // A soft line break: CR LF, or LF.
                (_, b'\n') if first.is_none_or(is_blank) => {
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
                        self.escape.clear();
                        return taken + 1;
                    }
                    self.literal(out);
                    return taken;
                }
                // A lone CR ends the line, too.
                _ if self.escape.last() == Some(&b'\r') => {
                    self.escape.clear();
                    return taken;
                }
                _ => {
                    self.literal(out);
                    return taken;
                }
            }
        }
        bytes.len()
    }

    /// A bad escape stands for itself.
    fn literal(&mut self, out: &mut Vec<u8>) {
        self.bad += 1;
        out.extend_from_slice(&self.escape);
        self.escape.clear();
    }

    /// The body ends; an equals sign at its end is a soft line break.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) {
        let soft = self.escape.get(1).copied().is_none_or(is_blank);
        if soft {
            self.escape.clear();
        } else {
            self.literal(out);
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn hexadecimal(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
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

/// The value of a digit of base64.
pub(crate) fn sextet(byte: u8) -> Option<u8> {
    let value = SEXTETS[usize::from(byte)];
    (value < 64).then_some(value)
}

/// Decodes base64: bytes outside the alphabet are skipped, padding may lack, and padded sections
/// may follow each other.
#[derive(Debug, Default)]
pub(crate) struct Base64 {
    bits: u32,
    count: u32,
    /// Bytes outside the alphabet since the last time someone asked.
    pub(crate) garbage: u64,
}

impl Base64 {
    pub(crate) fn begin(&mut self) {
        *self = Base64::default();
    }

    /// Appends the decoded bytes.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut at = 0;
        while at < bytes.len() {
            if self.count == 0 {
                at += quanta(&bytes[at..], out);
            }
            let Some(&byte) = bytes.get(at) else { return };
            at += 1;
            match SEXTETS[usize::from(byte)] {
                OUTSIDE => self.garbage += 1,
                PADDING => drop(self.flush(out)),
                BREAK => {}
                value => {
                    self.bits = self.bits << 6 | u32::from(value);
                    self.count += 1;
                    if self.count == 4 {
                        let [_, bytes @ ..] = self.bits.to_be_bytes();
                        out.extend_from_slice(&bytes);
                        (self.bits, self.count) = (0, 0);
                    }
                }
            }
        }
    }

    /// A section ends, with padding or without; true when a stray sextet was left.
    fn flush(&mut self, out: &mut Vec<u8>) -> bool {
        let bits = self.bits << (6 * (4 - self.count.min(4)));
        let [_, bytes @ ..] = bits.to_be_bytes();
        let stray = self.count == 1;
        out.extend_from_slice(&bytes[..(self.count.saturating_sub(1)) as usize]);
        (self.bits, self.count) = (0, 0);
        stray
    }

    /// The body ends; returns whether it does so inside a byte.
    pub(crate) fn end(&mut self, out: &mut Vec<u8>) -> bool {
        self.flush(out)
    }
}

/// Decodes whole groups of four digits; returns how many bytes they were.
fn quanta(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut taken = 0;
    out.reserve(bytes.len() / 4 * 3);
    for group in bytes.chunks_exact(4) {
        let values = [
            SEXTETS[usize::from(group[0])],
            SEXTETS[usize::from(group[1])],
            SEXTETS[usize::from(group[2])],
            SEXTETS[usize::from(group[3])],
        ];
        if (values[0] | values[1] | values[2] | values[3]) & 0xC0 != 0 {
            break;
        }
        let bits = u32::from(values[0]) << 18
            | u32::from(values[1]) << 12
            | u32::from(values[2]) << 6
            | u32::from(values[3]);
        let [_, decoded @ ..] = bits.to_be_bytes();
        out.extend_from_slice(&decoded);
        taken += 4;
    }
    taken
}
