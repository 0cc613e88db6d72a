//! Vectors: sixteen bytes compared at once here, thirty-two in [`avx2`].
//!
//! SSE2 is part of the x86-64 architecture and NEON of AArch64, so nothing is detected; other targets
//! compare byte by byte, which is the oracle of both, too. This folder holds all unsafe code of the
//! crate: a block reads nothing but the sixteen bytes of an array that it borrows.

/// Implements operators of blocks by instructions of the architecture.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! operators {
    ($($operator:ident $method:ident $instruction:ident),*) => {$(
        impl std::ops::$operator for Block {
            type Output = Block;

            #[inline(always)]
            fn $method(self, other: Block) -> Block {
                // SAFETY: the instruction is part of the architecture.
                Block(unsafe { $instruction(self.0, other.0) })
            }
        }
    )*};
}

pub(crate) mod avx2;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod naive;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse2;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use naive::Block;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Block;
#[cfg(target_arch = "x86_64")]
pub(crate) use sse2::Block;

/// A marked byte has all bits set, the others none.
impl Block {
    /// Returns one bit for each byte equal to `byte`, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn equal(self, byte: u8) -> u32 {
        self.marks(byte).bits()
    }

    /// Returns one bit for each byte equal to one of the bytes.
    #[inline(always)]
    pub(crate) fn any_of<const N: usize>(self, bytes: [u8; N]) -> u32 {
        let mut marks = Block::splat(0);
        for byte in bytes {
            marks = marks | self.marks(byte);
        }
        marks.bits()
    }

    /// Returns one bit for each byte less than or equal to `byte`.
    #[inline(always)]
    pub(crate) fn up_to(self, byte: u8) -> u32 {
        self.at_most(byte).bits()
    }

    /// Returns one bit for each ASCII digit.
    #[inline(always)]
    pub(crate) fn digits(self) -> u32 {
        self.outside(b'0', b'9').bits() ^ 0xFFFF
    }

    /// Sets bits in each byte.
    #[inline(always)]
    pub(crate) fn with(self, bits: u8) -> Block {
        self | Block::splat(bits)
    }
}

/// The number of bytes in a block.
pub(crate) const LENGTH: usize = 16;

/// Loads the block at an index; `None` if it exceeds the bytes.
#[inline(always)]
pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Block> {
    bytes.get(at..)?.first_chunk().map(Block::new)
}

/// Returns whether any byte is marked: `mask` marks the bytes of a block, `marks` a single byte alike.
/// Reads everything, without a branch for each block: meant for values, which are short and mostly
/// have no such byte.
#[inline(always)]
pub(crate) fn any(bytes: &[u8], mask: impl Fn(Block) -> u32, marks: impl Fn(u8) -> bool) -> bool {
    // Bytes that two loads have in common are looked at twice.
    if let Some(last) = bytes.last_chunk() {
        let mut found = mask(Block::new(last));
        for block in bytes.as_chunks::<LENGTH>().0 {
            found |= mask(Block::new(block));
        }
        return found != 0;
    }
    let ends = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>());
    if let (Some(first), Some(last)) = ends {
        let both = [*first, *last];
        return (both.as_flattened().first_chunk()).is_none_or(|both| mask(Block::new(both)) != 0);
    }
    bytes.iter().fold(false, |any, &byte| any | marks(byte))
}

/// Returns whether all bytes are ASCII, in a third of the instructions of the slice's method for a URI.
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    !any(bytes, Block::beyond_ascii, |byte| !byte.is_ascii())
}

/// Returns a length that no byte beyond ASCII follows, the least or less than a block more.
pub(crate) fn wide_length(bytes: &[u8]) -> usize {
    let (first, blocks) = bytes.as_rchunks::<LENGTH>();
    let marks = blocks.iter().map(|block| Block::new(block).beyond_ascii());
    let last = marks.enumerate().rfind(|(_, bits)| *bits != 0);
    let length = |(at, bits): (usize, u32)| at * LENGTH + bits.ilog2() as usize + 1;
    first.len() + last.map_or(0, length)
}

/// Returns whether all bytes are ASCII that a string in quotes holds unescaped.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let mask =
        |block: Block| block.up_to(0x1F) | block.any_of([b'"', b'\\', 0x7F]) | block.beyond_ascii();
    let is_odd = |byte| matches!(byte, 0..0x20 | b'"' | b'\\' | 0x7F..);
    !any(bytes, mask, is_odd)
}

/// Returns one bit for each of the 64 bytes at an index that equals `byte`, the first lowest.
/// `None` if the 64 bytes exceed the slice.
#[inline(always)]
pub(crate) fn equal_of_64(byte: u8, bytes: &[u8], at: usize) -> Option<u64> {
    four(bytes, at, |block| block.marks(byte)).map(Block::bits_of_four)
}

#[inline(always)]
fn four(bytes: &[u8], at: usize, marks: impl Fn(Block) -> Block) -> Option<[Block; 4]> {
    let (blocks, _) = bytes.get(at..)?.as_chunks::<LENGTH>();
    let four: &[_; 4] = blocks.first_chunk()?;
    Some([0, 1, 2, 3].map(|at: usize| marks(Block::new(&four[at]))))
}

/// The indices of a byte from an index on, the marks of 64 bytes at a time: for a byte that is frequent.
pub(crate) struct Indices<'a> {
    byte: u8,
    /// Whether all bytes below it are marked in its place, and those beyond ASCII.
    pub(crate) is_limit: bool,
    bytes: &'a [u8],
    /// The index of the next bytes whose marks are wanted, and the marks that are left of those before.
    next: usize,
    left: u64,
}

impl<'a> Indices<'a> {
    #[inline]
    pub(crate) fn new(byte: u8, bytes: &'a [u8], next: usize) -> Self {
        Indices {
            byte,
            is_limit: false,
            bytes,
            next,
            left: 0,
        }
    }
}

impl Iterator for Indices<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            if self.next >= self.bytes.len() {
                return None;
            }
            let marks = |block: Block| {
                if self.is_limit {
                    block.outside(self.byte, 0x7F)
                } else {
                    block.marks(self.byte)
                }
            };
            self.left = match four(self.bytes, self.next, marks) {
                Some([a, b, c, d]) if self.is_limit && (a | b | (c | d)).bits() == 0 => 0,
                Some(four) => Block::bits_of_four(four),
                None => last_bits(self.bytes, self.next, marks),
            };
            self.next += 64;
        }
        let found = self.next - 64 + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(found)
    }
}

/// Returns one bit for each of the bytes from an index on, fewer than 64, that is marked.
#[inline(always)]
fn last_bits(bytes: &[u8], at: usize, marks: impl Fn(Block) -> Block) -> u64 {
    let length = bytes.len() - at;
    if let Some(before) = bytes.len().checked_sub(64) {
        let four = four(bytes, before, marks);
        return four.map_or(0, Block::bits_of_four) >> (64 - length);
    }
    let mut padded = [0; 64];
    padded[..length].copy_from_slice(&bytes[at..]);
    four(&padded, 0, marks).map_or(0, Block::bits_of_four) & ((1 << length) - 1)
}

#[cfg(test)]
#[path = "../../../tests/unit/bytes/simd.rs"]
mod tests;
