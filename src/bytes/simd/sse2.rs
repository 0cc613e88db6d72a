//! Blocks of x86-64, by SSE2.

use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_min_epu8,
    _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_setzero_si128,
};
use std::ops::{BitAnd, BitOr};

/// A vector of sixteen bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block(__m128i);

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

    /// Returns one bit for each byte less than or equal to `byte`.
    #[inline(always)]
    pub(crate) fn up_to(self, byte: u8) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        unsafe {
            let limit = _mm_set1_epi8(byte as i8);
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(self.0, limit), self.0)) as u32
        }
    }

    /// Returns one bit for each byte above 0x7F.
    #[inline(always)]
    pub(crate) fn beyond_ascii(self) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        unsafe { _mm_movemask_epi8(self.0) as u32 }
    }
}

/// Marks on the bytes of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks(__m128i);

impl Marks {
    /// Returns one bit for each marked byte, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        // SAFETY: SSE2 is part of the architecture.
        unsafe { _mm_movemask_epi8(self.0) as u32 }
    }

    /// Returns the bits of four blocks, those of the first lowest.
    #[inline(always)]
    pub(crate) fn bits_of_four(four: [Marks; 4]) -> u64 {
        let bits = four.iter().enumerate();
        bits.fold(0, |all, (i, marks)| {
            all | u64::from(marks.bits()) << (16 * i)
        })
    }
}

impl Default for Marks {
    #[inline(always)]
    fn default() -> Self {
        // SAFETY: SSE2 is part of the architecture.
        Marks(unsafe { _mm_setzero_si128() })
    }
}

impl BitOr for Marks {
    type Output = Marks;

    #[inline(always)]
    fn bitor(self, other: Marks) -> Marks {
        // SAFETY: SSE2 is part of the architecture.
        Marks(unsafe { _mm_or_si128(self.0, other.0) })
    }
}

impl BitAnd for Marks {
    type Output = Marks;

    #[inline(always)]
    fn bitand(self, other: Marks) -> Marks {
        // SAFETY: SSE2 is part of the architecture.
        Marks(unsafe { _mm_and_si128(self.0, other.0) })
    }
}
