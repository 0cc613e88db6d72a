//! Percent-encoding: RFC 3986 section 2.1.

use crate::bytes::class::ByteSet;

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// Appends bytes, the members of `set` as triplets.
pub(crate) fn encode(mut bytes: &[u8], set: &ByteSet, out: &mut Vec<u8>) {
    while let Some(at) = set.first_inside(bytes) {
        out.extend_from_slice(&bytes[..at]);
        out.extend([
            b'%',
            DIGITS[usize::from(bytes[at] >> 4)],
            DIGITS[usize::from(bytes[at] & 15)],
        ]);
        bytes = &bytes[at + 1..];
    }
    out.extend_from_slice(bytes);
}

/// Undoes triplets; anything else stays.
pub(crate) fn decode(mut bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    while let Some((&byte, rest)) = bytes.split_first() {
        bytes = rest;
        decoded.push(match rest {
            [high, low, after @ ..]
                if byte == b'%' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                bytes = after;
                value(*high) << 4 | value(*low)
            }
            _ => byte,
        });
    }
    decoded
}

/// The value of a hexadecimal digit.
fn value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}
