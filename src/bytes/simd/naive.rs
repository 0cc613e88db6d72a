//! Blocks compared byte by byte: for other targets, and as the oracle.

use std::ops::{BitAnd, BitOr};

/// A vector of sixteen bytes, compared byte by byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block([u8; 16]);

impl Block {
    /// Loads a block.
    pub(crate) fn new(bytes: &[u8; 16]) -> Block {
        Block(*bytes)
    }

    fn mask(self, holds: impl Fn(u8) -> bool) -> u32 {
        let bits = self.0.iter().enumerate();
        bits.fold(0, |mask, (i, &byte)| mask | u32::from(holds(byte)) << i)
    }

    /// Marks each byte equal to `byte`.
    pub(crate) fn marks(self, byte: u8) -> Marks {
        Marks(self.mask(|other| other == byte))
    }

    /// Marks each byte below `first` or above `last`, which are ASCII, and each beyond ASCII.
    pub(crate) fn outside(self, first: u8, last: u8) -> Marks {
        Marks(self.mask(|byte| !(first..=last).contains(&byte)))
    }

    /// Sets bits in each byte.
    pub(crate) fn with(self, bits: u8) -> Block {
        Block(self.0.map(|byte| byte | bits))
    }

    /// Returns one bit for each byte less than or equal to `byte`.
    pub(crate) fn up_to(self, byte: u8) -> u32 {
        self.mask(|other| other <= byte)
    }

    /// Returns one bit for each byte above 0x7F.
    pub(crate) fn beyond_ascii(self) -> u32 {
        self.mask(|other| other >= 0x80)
    }
}

/// Marks on the bytes of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks(u32);

impl Marks {
    /// Returns one bit for each marked byte, the first byte's lowest.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// Returns the bits of four blocks, those of the first lowest.
    pub(crate) fn bits_of_four(four: [Marks; 4]) -> u64 {
        let bits = four.iter().enumerate();
        bits.fold(0, |all, (i, marks)| {
            all | u64::from(marks.bits()) << (16 * i)
        })
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
