//! Blocks compared byte by byte: for other targets, and as the oracle.

use std::ops::{BitAnd, BitOr};

/// A vector of sixteen bytes, compared byte by byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block([u8; 16]);

impl Block {
    pub(crate) fn new(bytes: &[u8; 16]) -> Block {
        Block(*bytes)
    }

    pub(crate) fn splat(byte: u8) -> Block {
        Block([byte; 16])
    }

    fn each(self, holds: impl Fn(u8) -> bool) -> Block {
        Block(self.0.map(|byte| if holds(byte) { 0xFF } else { 0 }))
    }

    /// Marks each byte equal to `byte`.
    pub(crate) fn marks(self, byte: u8) -> Block {
        self.each(|other| other == byte)
    }

    /// Marks each byte less than or equal to `byte`.
    pub(super) fn at_most(self, byte: u8) -> Block {
        self.each(|other| other <= byte)
    }

    /// Marks each byte below `first` or above `last`, which are ASCII, and each beyond ASCII.
    pub(crate) fn outside(self, first: u8, last: u8) -> Block {
        self.each(|byte| !(first..=last).contains(&byte))
    }

    /// Returns one bit for each marked byte, the first byte's lowest.
    pub(crate) fn bits(self) -> u32 {
        let bits = self.0.iter().enumerate();
        bits.fold(0, |all, (at, &byte)| all | u32::from(byte >> 7) << at)
    }

    /// Returns one bit for each byte above 0x7F.
    pub(crate) fn beyond_ascii(self) -> u32 {
        self.bits()
    }

    /// Returns the bits of four blocks, the first block's lowest.
    pub(super) fn bits_of_four(four: [Block; 4]) -> u64 {
        let latest_first = four.iter().rev();
        latest_first.fold(0, |all, marks| all << 16 | u64::from(marks.bits()))
    }
}

impl BitOr for Block {
    type Output = Block;

    fn bitor(self, other: Block) -> Block {
        Block(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}

impl BitAnd for Block {
    type Output = Block;

    fn bitand(self, other: Block) -> Block {
        Block(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}
