//! Finds the next candidate for a reference in text: a colon with certain neighbours.
//!
//! The naive version applies the grammar at every `:`. In prose and source text most colons end a
//! word before a space, or are between digits or names; testing the two bytes after the colon
//! and the three before it leaves a few in a thousand. `memchr` finds the colons.
//!
//! A branch for each colon is hard to predict and costs more than the bytes between two colons.
//! With AVX2, 32 positions are tested at once, without a branch, for a colon that has `/` after it
//! or before it the last two letters of one of the words, compared by half of their bits.

use memchr::memchr_iter;

use super::simd::avx2::{AsciiPairs, Avx2};

/// The last three letters of the words after which a colon is accepted without `//` after it.
#[derive(Debug)]
pub(crate) struct WordEndings {
    /// A hash table without collisions: the three letters, and `BREAKS`.
    table: [u32; SLOTS],
    multiplier: u32,
    pairs: AsciiPairs,
}

const SLOTS: usize = 128;

/// The word is also accepted before white space.
const BREAKS: u32 = 1 << 31;

/// An empty slot: no three letters have this value.
const VACANT: u32 = 0xFF_FFFF;

impl WordEndings {
    /// Makes a table of endings in lower case; a word of `breaking` is also accepted before white space.
    pub(crate) const fn new(plain: &[&[u8; 3]], breaking: &[&[u8; 3]]) -> Self {
        let pairs = add_pairs(add_pairs(AsciiPairs::NONE, plain), breaking);
        let mut multiplier = 0x9E37_79B1;
        loop {
            let mut words = WordEndings {
                table: [VACANT; SLOTS],
                multiplier,
                pairs,
            };
            if words.insert(plain, 0) && words.insert(breaking, BREAKS) {
                return words;
            }
            multiplier = multiplier.wrapping_mul(0x2C92_77B5).wrapping_add(2);
        }
    }

    /// Adds endings; false when two collide.
    const fn insert(&mut self, list: &[&[u8; 3]], flag: u32) -> bool {
        let mut n = 0;
        while n < list.len() {
            let [a, b, c] = *list[n];
            let word = a as u32 | (b as u32) << 8 | (c as u32) << 16;
            let slot = self.slot(word);
            if self.table[slot] != VACANT && self.table[slot] & !BREAKS != word {
                return false;
            }
            self.table[slot] = word | flag;
            n += 1;
        }
        true
    }

    #[inline]
    const fn slot(&self, word: u32) -> usize {
        (word.wrapping_mul(self.multiplier) >> (32 - SLOTS.trailing_zeros())) as usize
    }

    /// Returns the index of the first colon from `from` on that may belong to a reference.
    /// A colon too near to the start or the end for its neighbours to be read is accepted.
    #[inline]
    pub(crate) fn next_colon(
        &self,
        avx2: Option<Avx2>,
        bytes: &[u8],
        mut from: usize,
    ) -> Option<usize> {
        if let Some(avx2) = avx2 {
            // Every colon this near to the start is accepted.
            let first = bytes.get(from..BEFORE.min(bytes.len()));
            if let Some(n) = first.and_then(|first| first.iter().position(|&byte| byte == b':')) {
                return Some(from + n);
            }
            from = from.max(BEFORE);
            match avx2.find(bytes, from, &self.pairs, |at| self.accepts(bytes, at)) {
                Ok(at) => return Some(at),
                Err(until) => from = until,
            }
        }
        memchr_iter(b':', bytes.get(from..)?)
            .map(|n| from + n)
            .find(|&at| self.accepts(bytes, at))
    }

    /// Returns whether the colon at an index may belong to a reference.
    #[inline]
    fn accepts(&self, bytes: &[u8], at: usize) -> bool {
        let around = at.checked_sub(4).and_then(|from| bytes.get(from..at + 3));
        let Some(&[w, x, y, z, _, next, second]) = around.and_then(<[u8]>::first_chunk) else {
            return true;
        };
        let word = (u32::from_le_bytes([w, x, y, z]) >> 8) | 0x20_2020;
        let entry = self.table[self.slot(word)];
        let is_word = entry & !BREAKS == word && (next > b' ' || entry & BREAKS != 0);
        is_word || (next == b'/' && second == b'/')
    }
}

/// The number of bytes before a colon that are read.
const BEFORE: usize = 4;

/// Adds the last two letters of each word.
const fn add_pairs(mut pairs: AsciiPairs, words: &[&[u8; 3]]) -> AsciiPairs {
    let mut n = 0;
    while n < words.len() {
        let [_, first, second] = *words[n];
        pairs = pairs.with(first, second);
        n += 1;
    }
    pairs
}

#[cfg(test)]
#[path = "../../tests/unit/bytes/prefilter.rs"]
mod tests;
