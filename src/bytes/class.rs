//! Sets of byte values: built at compile time, tested with one load.

use std::ops::Range;
use std::str::FromStr;

/// A set of byte values.
///
/// ```
/// use uriscan::bytes::class::ByteSet;
///
/// const HEXADECIMAL: ByteSet = ByteSet::DIGIT.with(b"ABCDEFabcdef");
/// assert!(HEXADECIMAL.contains(b'f'));
/// assert_eq!(HEXADECIMAL.first_outside(b"2Fx0"), Some(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSet([bool; 256]);

impl ByteSet {
    pub(crate) const EMPTY: Self = Self([false; 256]);
    /// `0-9`.
    pub const DIGIT: Self = Self::EMPTY.with_range(b'0', b'9');
    /// `A-Z a-z`.
    pub(crate) const ALPHA: Self = Self::EMPTY.with_range(b'A', b'Z').with_range(b'a', b'z');
    /// `A-Z a-z 0-9`.
    pub(crate) const ALPHANUMERIC: Self = Self::ALPHA.with_range(b'0', b'9');

    /// Returns the set with these members added.
    #[must_use]
    pub const fn with(mut self, members: &[u8]) -> Self {
        let mut i = 0;
        while i < members.len() {
            self.0[members[i] as usize] = true;
            i += 1;
        }
        self
    }

    /// Returns the set with `first` to `last`, both included, added.
    #[must_use]
    pub(crate) const fn with_range(mut self, first: u8, last: u8) -> Self {
        let mut byte = first as usize;
        while byte <= last as usize {
            self.0[byte] = true;
            byte += 1;
        }
        self
    }

    /// Returns the set without these members.
    #[must_use]
    pub(crate) const fn without(self, members: &[u8]) -> Self {
        self.complement().with(members).complement()
    }

    /// Returns the set of all bytes that are not members.
    #[must_use]
    pub(crate) const fn complement(mut self) -> Self {
        let mut byte = 0;
        while byte < self.0.len() {
            self.0[byte] = !self.0[byte];
            byte += 1;
        }
        self
    }

    /// Returns whether `byte` is a member.
    #[inline]
    #[must_use]
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }

    /// Returns the index of the first byte that is not a member.
    #[inline]
    #[must_use]
    pub fn first_outside(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| !self.contains(byte))
    }

    /// Returns the index of the first byte that is a member.
    #[inline]
    #[must_use]
    pub(crate) fn first_inside(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| self.contains(byte))
    }
}

/// Returns the value of a hexadecimal digit.
#[inline]
pub(crate) fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Returns the decimal number between white space.
pub(crate) fn number<N: FromStr>(digits: &[u8]) -> Option<N> {
    str::from_utf8(digits.trim_ascii()).ok()?.parse().ok()
}

/// Returns the index after the run of bytes that begins at `from`.
#[inline]
pub(crate) fn run_end(text: &[u8], from: usize, is_part: impl Fn(u8) -> bool) -> usize {
    let run = text[from..].iter().position(|&byte| !is_part(byte));
    run.map_or(text.len(), |length| from + length)
}

/// Returns the index of the first byte of the run at the end of a range.
#[inline]
pub(crate) fn run_start(text: &[u8], range: Range<usize>, is_part: impl Fn(u8) -> bool) -> usize {
    let before = text[range.clone()].iter().rposition(|&byte| !is_part(byte));
    range.start + before.map_or(0, |before| before + 1)
}

/// Splits at the first `delimiter`, which is dropped; `None` without one.
pub(crate) fn split_once(bytes: &[u8], delimiter: u8) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(delimiter, bytes) {
        Some(at) => (&bytes[..at], Some(&bytes[at + 1..])),
        None => (bytes, None),
    }
}
