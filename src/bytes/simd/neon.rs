//! Blocks of AArch64, by NEON.

use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vcgtq_u8, vcleq_u8, vcltq_u8, vdupq_n_u8, vgetq_lane_u16,
    vgetq_lane_u64, vld1q_u8, vorrq_u8, vpaddq_u8, vreinterpretq_u16_u8, vreinterpretq_u64_u8,
};

/// A vector of sixteen bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block(uint8x16_t);

impl Block {
    #[inline(always)]
    pub(crate) fn new(bytes: &[u8; 16]) -> Block {
        // SAFETY: the array has the sixteen bytes that are read, and they need no alignment.
        Block(unsafe { vld1q_u8(bytes.as_ptr()) })
    }

    #[inline(always)]
    pub(crate) fn splat(byte: u8) -> Block {
        // SAFETY: NEON is part of the architecture.
        Block(unsafe { vdupq_n_u8(byte) })
    }

    /// Marks each byte equal to `byte`.
    #[inline(always)]
    pub(crate) fn marks(self, byte: u8) -> Block {
        // SAFETY: NEON is part of the architecture.
        Block(unsafe { vceqq_u8(self.0, vdupq_n_u8(byte)) })
    }

    /// Marks each byte less than or equal to `byte`.
    #[inline(always)]
    pub(super) fn at_most(self, byte: u8) -> Block {
        // SAFETY: NEON is part of the architecture.
        Block(unsafe { vcleq_u8(self.0, vdupq_n_u8(byte)) })
    }

    /// Marks each byte below `first` or above `last`, which are ASCII, and each beyond ASCII.
    #[inline(always)]
    pub(crate) fn outside(self, first: u8, last: u8) -> Block {
        // SAFETY: NEON is part of the architecture.
        unsafe {
            let below = vcltq_u8(self.0, vdupq_n_u8(first));
            Block(vorrq_u8(below, vcgtq_u8(self.0, vdupq_n_u8(last))))
        }
    }

    /// Keeps of each byte its bit in the mask of its half.
    #[inline(always)]
    fn weighted(self) -> uint8x16_t {
        const WEIGHTS: [u8; 16] = [
            1, 2, 4, 8, 16, 32, 64, 128, //
            1, 2, 4, 8, 16, 32, 64, 128,
        ];
        (self & Block::new(&WEIGHTS)).0
    }

    /// Returns one bit for each marked byte, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        // SAFETY: NEON is part of the architecture.
        unsafe {
            let bits = self.weighted();
            // Three sums of neighbours leave one byte for each half.
            let pairs = vpaddq_u8(bits, bits);
            let fours = vpaddq_u8(pairs, pairs);
            let halves = vpaddq_u8(fours, fours);
            u32::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(halves)))
        }
    }

    /// Returns one bit for each byte above 0x7F.
    #[inline(always)]
    pub(crate) fn beyond_ascii(self) -> u32 {
        // SAFETY: NEON is part of the architecture.
        Block(unsafe { vcgtq_u8(self.0, vdupq_n_u8(0x7F)) }).bits()
    }

    /// Returns the bits of four blocks, the first block's lowest.
    #[inline(always)]
    pub(super) fn bits_of_four(four: [Block; 4]) -> u64 {
        // SAFETY: NEON is part of the architecture.
        unsafe {
            let [a, b, c, d] = four.map(Block::weighted);
            let fours = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            let halves = vpaddq_u8(fours, fours);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(halves))
        }
    }
}

operators!(BitOr bitor vorrq_u8, BitAnd bitand vandq_u8);
