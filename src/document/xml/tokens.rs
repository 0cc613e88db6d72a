//! Tokens of XML 1.0 in a window: names, and where tokens end.

use memchr::memmem;

use crate::bytes::class::ByteSet;
use crate::bytes::seek::is_space;
use crate::bytes::simd;

/// The bytes of names; those beyond ASCII are not checked.
static IN_NAME: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._:").with_range(0x80, 0xFF);

/// Whether a byte may begin a name.
#[inline]
pub(super) fn starts_name(byte: u8) -> bool {
    IN_NAME.contains(byte) && !matches!(byte, b'0'..=b'9' | b'-' | b'.')
}

#[inline]
pub(super) fn name_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && IN_NAME.contains(bytes[at]) {
        at += 1;
    }
    at
}

/// Returns the prefix of a name and its local part.
pub(super) fn split_name(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().position(|&byte| byte == b':') {
        Some(colon) => (&name[..colon], &name[colon + 1..]),
        None => (b"", name),
    }
}

/// Returns the end of the name at `at`, and a hash of it (FNV-1a).
#[inline]
pub(super) fn hashed_name(bytes: &[u8], mut at: usize) -> (usize, u64) {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    while at < bytes.len() && IN_NAME.contains(bytes[at]) {
        hash = (hash ^ u64::from(bytes[at])).wrapping_mul(0x100_0000_01B3);
        at += 1;
    }
    (at, hash)
}

#[inline]
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// Returns the index after `marker`, from `at` on; `None` if the bytes end first.
pub(super) fn end_of(bytes: &[u8], at: usize, marker: &[u8]) -> Option<usize> {
    let found = memmem::find(&bytes[at.min(bytes.len())..], marker)?;
    Some(at + found + marker.len())
}

/// Returns the index of the first of the bytes `ends` from `at` on, or the length.
#[inline(always)]
pub(super) fn first_of<const N: usize>(ends: [u8; N], bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = simd::at(bytes, at) {
        let found = block.any_of(ends);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += simd::LENGTH;
    }
    let rest = bytes[at..].iter().position(|byte| ends.contains(byte));
    rest.map_or(bytes.len(), |length| at + length)
}
