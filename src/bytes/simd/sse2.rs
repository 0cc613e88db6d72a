//! Blocks of x86-64, by SSE2.

use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_min_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
};

/// A vector of sixteen bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block(__m128i);

impl Block {
    #[inline(always)]
    pub(crate) fn new(bytes: &[u8; 16]) -> Block {
        // SAFETY: the array has the sixteen bytes that are read, and they need no alignment.
        Block(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    pub(crate) fn splat(byte: u8) -> Block {
        // SAFETY: SSE2 is part of the architecture.
        Block(unsafe { _mm_set1_epi8(byte as i8) })
    }

    /// Marks each byte equal to `byte`.
    #[inline(always)]
    pub(crate) fn marks(self, byte: u8) -> Block {
        // SAFETY: SSE2 is part of the architecture.
        Block(unsafe { _mm_cmpeq_epi8(self.0, Block::splat(byte).0) })
    }

    /// Marks each byte less than or equal to `byte`.
    #[inline(always)]
    pub(super) fn at_most(self, byte: u8) -> Block {
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            let least = _mm_min_epu8(self.0, Block::splat(byte).0);
            Block(_mm_cmpeq_epi8(least, self.0))
        }
    }

    /// Marks each byte below `first` or above `last`, which are ASCII, and each beyond ASCII.
    #[inline(always)]
    pub(crate) fn outside(self, first: u8, last: u8) -> Block {
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            // As signed numbers, the bytes beyond ASCII are below all others.
            let below = _mm_cmpgt_epi8(Block::splat(first).0, self.0);
            let above = _mm_cmpgt_epi8(self.0, Block::splat(last).0);
            Block(_mm_or_si128(below, above))
        }
    }

    /// Returns one bit for each marked byte, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        unsafe { _mm_movemask_epi8(self.0) as u32 }
    }

    /// Returns one bit for each byte above 0x7F.
    #[inline(always)]
    pub(crate) fn beyond_ascii(self) -> u32 {
        self.bits()
    }

    /// Returns the bits of four blocks, the first block's lowest.
    #[inline(always)]
    pub(super) fn bits_of_four(four: [Block; 4]) -> u64 {
        let [a, b, c, d] = four;
        let low = a.bits() | b.bits() << 16;
        u64::from(low) | u64::from(c.bits() | d.bits() << 16) << 32
    }
}

operators!(BitOr bitor _mm_or_si128, BitAnd bitand _mm_and_si128);
