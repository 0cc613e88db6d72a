//! Tokens of XML 1.0 in a window: where they end.

use memchr::memmem;

use crate::bytes::seek::is_space;
use crate::bytes::simd;

/// The end of a token, if the bytes have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenEnd {
    /// The index after it.
    At(usize),
    /// The bytes end first.
    Cut,
}

impl TokenEnd {
    /// Returns the index after it, if the bytes have it.
    #[inline]
    pub(super) fn index(self) -> Option<usize> {
        match self {
            TokenEnd::At(end) => Some(end),
            TokenEnd::Cut => None,
        }
    }
}

#[inline]
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// Returns the index after `marker`, from `at` on.
pub(super) fn end_of(bytes: &[u8], at: usize, marker: &[u8]) -> TokenEnd {
    match memmem::find(&bytes[at.min(bytes.len())..], marker) {
        Some(found) => TokenEnd::At(at + found + marker.len()),
        None => TokenEnd::Cut,
    }
}

/// The bytes at which text that is read may end, or is not what it stands for.
pub(super) const TEXT_END: [u8; 4] = *b"<&\r\0";
/// The bytes at which text that is not read may end, or has a reference.
pub(super) const SKIPPED_END: [u8; 2] = *b"<&";

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
