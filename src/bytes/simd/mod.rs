//! Vectors: sixteen bytes compared at once here, thirty-two in [`avx2`].
//!
//! SSE2 is part of the x86-64 architecture, so nothing is detected; other targets compare byte by
//! byte. This folder holds all unsafe code of the crate: this file reads nothing but the sixteen
//! bytes of an array that it borrows.

pub(crate) mod avx2;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_min_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_setzero_si128, _mm_sub_epi8,
};
#[cfg(target_arch = "x86_64")]
use std::ops::{BitAnd, BitOr};

/// A vector of sixteen bytes.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block(__m128i);

#[cfg(target_arch = "x86_64")]
impl Block {
    /// Loads a block.
    #[inline(always)]
    pub(crate) fn new(bytes: &[u8; 16]) -> Block {
        // SAFETY: the array has the sixteen bytes that are read, and they need no alignment.
        Block(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    /// Marks each byte equal to `byte`.
    #[inline(always)]
    pub(crate) fn marks(self, byte: u8) -> Marks {
        // SAFETY: SSE2 is part of the architecture.
        Marks(unsafe { _mm_cmpeq_epi8(self.0, _mm_set1_epi8(byte as i8)) })
    }

    /// Marks each byte below `first` or above `last`, which are ASCII, and each beyond ASCII.
    #[inline(always)]
    pub(crate) fn outside(self, first: u8, last: u8) -> Marks {
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            // As signed numbers, the bytes beyond ASCII are below all others.
            let below = _mm_cmpgt_epi8(_mm_set1_epi8(first as i8), self.0);
            let above = _mm_cmpgt_epi8(self.0, _mm_set1_epi8(last as i8));
            Marks(_mm_or_si128(below, above))
        }
    }

    /// Sets bits in each byte.
    #[inline(always)]
    pub(crate) fn with(self, bits: u8) -> Block {
        // SAFETY: SSE2 is part of the architecture.
        Block(unsafe { _mm_or_si128(self.0, _mm_set1_epi8(bits as i8)) })
    }

    /// Returns one bit for each byte equal to `byte`, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn equal(self, byte: u8) -> u32 {
        self.marks(byte).bits()
    }

    /// Returns one bit for each byte equal to one of the bytes.
    #[inline(always)]
    pub(crate) fn any_of<const N: usize>(self, bytes: [u8; N]) -> u32 {
        let marks = bytes.iter().map(|&byte| self.marks(byte));
        marks.fold(Marks::default(), BitOr::bitor).bits()
    }

    /// Returns one bit for each byte less than or equal to `byte`.
    #[inline(always)]
    pub(crate) fn up_to(self, byte: u8) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            let limit = _mm_set1_epi8(byte as i8);
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(self.0, limit), self.0)) as u32
        }
    }

    /// Returns one bit for each ASCII digit.
    #[inline(always)]
    pub(crate) fn digits(self) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        Block(unsafe { _mm_sub_epi8(self.0, _mm_set1_epi8(b'0' as i8)) }).up_to(9)
    }

    /// Returns one bit for each byte above 0x7F.
    #[inline(always)]
    pub(crate) fn beyond_ascii(self) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        unsafe { _mm_movemask_epi8(self.0) as u32 }
    }
}

/// Marks on the bytes of a block.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks(__m128i);

#[cfg(target_arch = "x86_64")]
impl Marks {
    /// Returns one bit for each marked byte, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        unsafe { _mm_movemask_epi8(self.0) as u32 }
    }
}

#[cfg(target_arch = "x86_64")]
impl Default for Marks {
    #[inline(always)]
    fn default() -> Self {
        // SAFETY: SSE2 is part of the architecture.
        Marks(unsafe { _mm_setzero_si128() })
    }
}

#[cfg(target_arch = "x86_64")]
impl BitOr for Marks {
    type Output = Marks;

    #[inline(always)]
    fn bitor(self, other: Marks) -> Marks {
        // SAFETY: SSE2 is part of the architecture.
        Marks(unsafe { _mm_or_si128(self.0, other.0) })
    }
}

#[cfg(target_arch = "x86_64")]
impl BitAnd for Marks {
    type Output = Marks;

    #[inline(always)]
    fn bitand(self, other: Marks) -> Marks {
        // SAFETY: SSE2 is part of the architecture.
        Marks(unsafe { _mm_and_si128(self.0, other.0) })
    }
}

impl std::ops::BitOrAssign for Marks {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Marks) {
        *self = *self | other;
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub use naive::{Block, Marks};

/// The number of bytes in a block.
pub(crate) const LENGTH: usize = 16;

/// Loads the block at an index; `None` if it exceeds the bytes.
#[inline(always)]
pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Block> {
    bytes.get(at..)?.first_chunk().map(Block::new)
}

/// Returns whether any byte is marked: `mask` marks the bytes of a block, `marks` a single byte alike.
///
/// Reads everything, without a branch for each block: meant for values, which are short and mostly
/// have no such byte.
#[inline(always)]
pub(crate) fn any(bytes: &[u8], mask: impl Fn(Block) -> u32, marks: impl Fn(u8) -> bool) -> bool {
    // Bytes that two loads have in common are looked at twice.
    if let Some(last) = bytes.last_chunk() {
        let blocks = bytes.as_chunks::<LENGTH>().0.iter();
        let found = mask(Block::new(last));
        return blocks.fold(found, |found, block| found | mask(Block::new(block))) != 0;
    }
    let ends = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>());
    if let (Some(first), Some(last)) = ends {
        let both = [*first, *last];
        return (both.as_flattened().first_chunk()).is_none_or(|both| mask(Block::new(both)) != 0);
    }
    bytes.iter().fold(false, |any, &byte| any | marks(byte))
}

/// Returns one bit for each of the 64 bytes at an index that equals `byte`, the first lowest.
///
/// `None` if the 64 bytes exceed the slice.
#[inline(always)]
pub(crate) fn equal_of_64(byte: u8, bytes: &[u8], at: usize) -> Option<u64> {
    let four = bytes.get(at..at.checked_add(4 * LENGTH)?)?;
    let mut mask = 0;
    for quarter in 0..4 {
        let found = self::at(four, quarter * LENGTH)?.equal(byte);
        mask |= u64::from(found) << (quarter * LENGTH);
    }
    Some(mask)
}

#[cfg(any(test, not(target_arch = "x86_64")))]
// Public where it is re-exported, and not in tests on x86-64.
#[allow(unreachable_pub)]
mod naive {
    use std::ops::{BitAnd, BitOr};

    /// A vector of sixteen bytes, compared byte by byte.
    #[derive(Clone, Copy, Debug)]
    pub struct Block([u8; 16]);

    impl Block {
        /// Loads a block.
        pub fn new(bytes: &[u8; 16]) -> Block {
            Block(*bytes)
        }

        fn mask(self, holds: impl Fn(u8) -> bool) -> u32 {
            let bits = self.0.iter().enumerate();
            bits.fold(0, |mask, (i, &byte)| mask | u32::from(holds(byte)) << i)
        }

        /// Marks each byte equal to `byte`.
        pub fn marks(self, byte: u8) -> Marks {
            Marks(self.equal(byte))
        }

        /// Marks each byte below `first` or above `last`, which are ASCII, and each beyond ASCII.
        pub fn outside(self, first: u8, last: u8) -> Marks {
            Marks(self.mask(|byte| !(first..=last).contains(&byte)))
        }

        /// Sets bits in each byte.
        pub fn with(self, bits: u8) -> Block {
            Block(self.0.map(|byte| byte | bits))
        }

        /// Returns one bit for each byte equal to `byte`, the first byte's lowest.
        pub fn equal(self, byte: u8) -> u32 {
            self.mask(|other| other == byte)
        }

        /// Returns one bit for each byte equal to one of the bytes.
        pub fn any_of<const N: usize>(self, bytes: [u8; N]) -> u32 {
            self.mask(|other| bytes.contains(&other))
        }

        /// Returns one bit for each byte less than or equal to `byte`.
        pub fn up_to(self, byte: u8) -> u32 {
            self.mask(|other| other <= byte)
        }

        /// Returns one bit for each ASCII digit.
        pub fn digits(self) -> u32 {
            self.mask(|other| other.is_ascii_digit())
        }

        /// Returns one bit for each byte above 0x7F.
        pub fn beyond_ascii(self) -> u32 {
            self.mask(|other| other >= 0x80)
        }
    }

    /// Marks on the bytes of a block.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Marks(u32);

    impl Marks {
        /// Returns one bit for each marked byte, the first byte's lowest.
        pub fn bits(self) -> u32 {
            self.0
        }
    }

    impl BitOr for Marks {
        type Output = Marks;

        fn bitor(self, other: Marks) -> Marks {
            Marks(self.0 | other.0)
        }
    }

    impl BitAnd for Marks {
        type Output = Marks;

        fn bitand(self, other: Marks) -> Marks {
            Marks(self.0 & other.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_byte_is_found_wherever_it_is() {
        let any = |bytes: &[u8]| any(bytes, |block| block.equal(b'x'), |byte| byte == b'x');
        for length in 0..70 {
            let mut bytes = vec![b'-'; length];
            assert!(!any(&bytes), "{length}");
            for at in 0..length {
                bytes[at] = b'x';
                assert!(any(&bytes), "{length}, {at}");
                bytes[at] = b'-';
            }
        }
    }

    #[test]
    fn a_block_compares_as_its_bytes_do() {
        let mut state = 1u32;
        // Miri interprets some hundred times slower than code runs.
        let rounds = if cfg!(miri) { 50 } else { 5000 };
        for _ in 0..rounds {
            let bytes: [u8; 16] = std::array::from_fn(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            });
            let (block, naive) = (Block::new(&bytes), naive::Block::new(&bytes));
            assert_eq!(block.digits(), naive.digits(), "{bytes:?}");
            for byte in [bytes[3], bytes[12], 0, 0x20, 0x7F, 0x80, 0xFF] {
                assert_eq!(block.equal(byte), naive.equal(byte), "{bytes:?} {byte}");
                assert_eq!(block.up_to(byte), naive.up_to(byte), "{bytes:?} {byte}");
            }
            let some = [bytes[5], b'<', bytes[9]];
            assert_eq!(block.any_of(some), naive.any_of(some), "{bytes:?}");
            assert_eq!(block.beyond_ascii(), naive.beyond_ascii(), "{bytes:?}");
            let (outside, others) = (block.outside(b'!', b'z'), naive.outside(b'!', b'z'));
            assert_eq!(outside.bits(), others.bits(), "{bytes:?}");
            let (set, other) = (block.with(2).marks(b'>'), naive.with(2).marks(b'>'));
            assert_eq!((set | outside).bits(), (other | others).bits(), "{bytes:?}");
            assert_eq!((set & outside).bits(), (other & others).bits(), "{bytes:?}");
        }
    }
}
