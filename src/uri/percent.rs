//! Percent-encoding, RFC 3986 section 2.1.

use percent_encoding::{percent_decode, percent_encode_byte};

use crate::bytes::class::ByteSet;

/// RFC 3986 section 2.3.
pub(super) const UNRESERVED: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._~");

/// Appends bytes, the members of `set` as triplets.
/// One load a byte: a third faster than the encoder of `percent-encoding`, which tests bits.
pub(crate) fn encode(mut bytes: &[u8], set: &ByteSet, out: &mut Vec<u8>) {
    while let Some(at) = set.first_inside(bytes) {
        out.extend_from_slice(&bytes[..at]);
        out.extend_from_slice(percent_encode_byte(bytes[at]).as_bytes());
        bytes = &bytes[at + 1..];
    }
    out.extend_from_slice(bytes);
}

/// Appends bytes as UTF-8, with triplets for invalid bytes.
pub(crate) fn encode_invalid(bytes: &[u8], out: &mut Vec<u8>) {
    for chunk in bytes.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        encode(chunk.invalid(), &ByteSet::EMPTY.complement(), out);
    }
}

/// Appends bytes, their triplets in upper case, or decoded once if unreserved (RFC 3986 section 6.2.2).
pub(super) fn normalize(mut bytes: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr(b'%', bytes) {
        out.extend_from_slice(&bytes[..at]);
        bytes = &bytes[at..];
        let (triplet, rest) = bytes.split_at(bytes.len().min(3));
        if triplet.len() < 3 || !triplet[1..].iter().all(u8::is_ascii_hexdigit) {
            out.push(b'%');
            bytes = &bytes[1..];
            continue;
        }
        match percent_decode(triplet).next() {
            Some(byte) if UNRESERVED.contains(byte) => out.push(byte),
            _ => out.extend(triplet.iter().map(u8::to_ascii_uppercase)),
        }
        bytes = rest;
    }
    out.extend_from_slice(bytes);
}
