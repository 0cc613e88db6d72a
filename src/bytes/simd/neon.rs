//! Blocks of AArch64, by NEON.

use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vcgtq_u8, vcleq_u8, vcltq_u8, vdupq_n_u8, vgetq_lane_u16,
    vgetq_lane_u64, vld1q_u8, vorrq_u8, vpaddq_u8, vreinterpretq_u16_u8, vreinterpretq_u64_u8,
};
use std::ops::{BitAnd, BitOr};

/// A vector of sixteen bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block(uint8x16_t);

impl Block {
    /// Loads a block.
    #[inline(always)]
    pub(crate) fn new(bytes: &[u8; 16]) -> Block {
        // SAFETY: the array has the sixteen bytes that are read, and they need no alignment.
        Block(unsafe { vld1q_u8(bytes.as_ptr()) })
    }

    /// Marks each byte equal to `byte`.
    #[inline(always)]
    pub(crate) fn marks(self, byte: u8) -> Marks {
        // SAFETY: NEON is part of the architecture.
        Marks(unsafe { vceqq_u8(self.0, vdupq_n_u8(byte)) })
    }

    /// Marks each byte below `first` or above `last`, which are ASCII, and each beyond ASCII.
    #[inline(always)]
    pub(crate) fn outside(self, first: u8, last: u8) -> Marks {
        // SAFETY: NEON is part of the architecture.
        unsafe {
            let below = vcltq_u8(self.0, vdupq_n_u8(first));
            let above = vcgtq_u8(self.0, vdupq_n_u8(last));
            Marks(vorrq_u8(below, above))
        }
    }

    /// Sets bits in each byte.
    #[inline(always)]
    pub(crate) fn with(self, bits: u8) -> Block {
        // SAFETY: NEON is part of the architecture.
        Block(unsafe { vorrq_u8(self.0, vdupq_n_u8(bits)) })
    }

    /// Returns one bit for each byte less than or equal to `byte`.
    #[inline(always)]
    pub(crate) fn up_to(self, byte: u8) -> u32 {
        // SAFETY: NEON is part of the architecture.
        Marks(unsafe { vcleq_u8(self.0, vdupq_n_u8(byte)) }).bits()
    }

    /// Returns one bit for each byte above 0x7F.
    #[inline(always)]
    pub(crate) fn beyond_ascii(self) -> u32 {
        // SAFETY: NEON is part of the architecture.
        Marks(unsafe { vcgtq_u8(self.0, vdupq_n_u8(0x7F)) }).bits()
    }
}

/// Marks on the bytes of a block: all bits of a marked byte are set, none of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks(uint8x16_t);

impl Marks {
    /// Keeps of each byte its bit in the mask of its half.
    #[inline(always)]
    fn weighted(self) -> uint8x16_t {
        const WEIGHTS: [u8; 16] = [
            1, 2, 4, 8, 16, 32, 64, 128, //
            1, 2, 4, 8, 16, 32, 64, 128,
        ];
        // SAFETY: NEON is part of the architecture, and the array has the sixteen bytes that are read.
        unsafe { vandq_u8(self.0, vld1q_u8(WEIGHTS.as_ptr())) }
    }

    /// Returns one bit for each marked byte, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        let bits = self.weighted();
        // Three sums of neighbours leave one byte for each half.
        // SAFETY: NEON is part of the architecture.
        unsafe {
            let pairs = vpaddq_u8(bits, bits);
            let fours = vpaddq_u8(pairs, pairs);
            let halves = vpaddq_u8(fours, fours);
            u32::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(halves)))
        }
    }

    /// Returns the bits of four blocks, those of the first lowest.
    #[inline(always)]
    pub(crate) fn bits_of_four(four: [Marks; 4]) -> u64 {
        let [a, b, c, d] = four.map(Marks::weighted);
        // SAFETY: NEON is part of the architecture.
        unsafe {
            let fours = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            let halves = vpaddq_u8(fours, fours);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(halves))
        }
    }
}

impl Default for Marks {
    #[inline(always)]
    fn default() -> Self {
        // SAFETY: NEON is part of the architecture.
        Marks(unsafe { vdupq_n_u8(0) })
    }
}

impl BitOr for Marks {
    type Output = Marks;

    #[inline(always)]
    fn bitor(self, other: Marks) -> Marks {
        // SAFETY: NEON is part of the architecture.
        Marks(unsafe { vorrq_u8(self.0, other.0) })
    }
}

impl BitAnd for Marks {
    type Output = Marks;

    #[inline(always)]
    fn bitand(self, other: Marks) -> Marks {
        // SAFETY: NEON is part of the architecture.
        Marks(unsafe { vandq_u8(self.0, other.0) })
    }
}
