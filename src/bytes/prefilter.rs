//! The next place where a reference can begin in text: a colon whose neighbours are right.
//!
//! The naive version calls the rules at every `:`. In prose and source text most colons end a word
//! before a blank, stand between digits or between two names; looking at two bytes behind the
//! colon and three before it leaves a few in a thousand to the rules. `memchr` finds the colons.
//!
//! A branch for each colon is hard to foresee, and costs more than the bytes between two of them.
//! Where thirty-two bytes can be looked up at once, all places are asked without a branch whether a
//! colon has one of the words' last two letters before it, by half of their bits, or `/` behind it.

use memchr::memchr_iter;

use super::simd::avx2::{AsciiPairs, Avx2, NeighbourPattern};

/// The last three letters of the words after which a colon counts although no `//` follows.
#[derive(Debug)]
pub struct WordEndings {
    /// Open addressing without collisions: the letters, and `BREAKS`.
    table: [u32; SLOTS],
    multiplier: u32,
    neighbours: NeighbourPattern,
}

const SLOTS: usize = 128;

/// The word counts in front of white space, too.
const BREAKS: u32 = 1 << 31;

/// No three letters look like this.
const VACANT: u32 = 0xFF_FFFF;

impl WordEndings {
    /// The words that end in these letters, given in lower case; those of `breaking` also in front
    /// of white space. `groups` has every last letter once: in a group, what stands before any of
    /// them may stand before each when many places are asked at once.
    pub const fn new(
        plain: &[&[u8; 3]],
        breaking: &[&[u8; 3]],
        groups: &[&[u8]; AsciiPairs::GROUPS],
    ) -> Self {
        let pairs = AsciiPairs::NONE;
        let neighbours = NeighbourPattern {
            byte: b':',
            before: add_pairs(add_pairs(pairs, plain, groups), breaking, groups),
            behind: b'/',
        };
        let mut multiplier = 0x9E37_79B1;
        loop {
            let mut words = WordEndings {
                table: [VACANT; SLOTS],
                multiplier,
                neighbours,
            };
            if words.insert(plain, 0) && words.insert(breaking, BREAKS) {
                return words;
            }
            multiplier = multiplier.wrapping_mul(0x2C92_77B5).wrapping_add(2);
        }
    }

    /// False when two words collide.
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

    /// The first colon from `from` on at which a reference can begin.
    ///
    /// A colon too near to the end to tell counts.
    #[inline]
    pub fn next_colon(&self, wide: Option<Avx2>, bytes: &[u8], from: usize) -> Option<usize> {
        let mut from = from;
        if let Some(wide) = wide {
            // So near to the start every colon counts.
            let mut first = bytes.iter().take(BEFORE).skip(from);
            if let Some(n) = first.position(|&byte| byte == b':') {
                return Some(from + n);
            }
            from = from.max(BEFORE);
            let counts = |at: usize| self.counts(bytes, at);
            match wide.find(bytes, from, &self.neighbours, counts) {
                Ok(at) => return Some(at),
                Err(until) => from = until,
            }
        }
        memchr_iter(b':', bytes.get(from..)?)
            .map(|n| from + n)
            .find(|&at| self.counts(bytes, at))
    }

    /// Whether the colon at an index counts.
    #[inline]
    fn counts(&self, bytes: &[u8], at: usize) -> bool {
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

/// How many bytes before a colon are needed to tell.
const BEFORE: usize = 4;

/// Adds the last two letters of words, by the groups of the last ones.
const fn add_pairs(
    mut pairs: AsciiPairs,
    words: &[&[u8; 3]],
    groups: &[&[u8]; AsciiPairs::GROUPS],
) -> AsciiPairs {
    let mut n = 0;
    while n < words.len() {
        let [_, first, second] = *words[n];
        pairs = pairs.with(group(groups, second), first, second);
        n += 1;
    }
    pairs
}

/// The group that holds a letter.
const fn group(groups: &[&[u8]; AsciiPairs::GROUPS], letter: u8) -> usize {
    let mut group = 0;
    while group < groups.len() {
        let mut n = 0;
        while n < groups[group].len() {
            if groups[group][n] == letter {
                return group;
            }
            n += 1;
        }
        group += 1;
    }
    panic!("a last letter is in no group")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &[u8] = b"";
    static WORDS: WordEndings = WordEndings::new(
        &[b"lto", b"tel", b"ile"],
        &[b"url", b"tps"],
        &[b"o", b"le", b"s", NONE, NONE, NONE, NONE, NONE],
    );

    /// The naive twin.
    fn naive(bytes: &[u8], from: usize) -> Option<usize> {
        (from..bytes.len()).find(|&at| {
            let ends = |word: &&[u8; 3]| at >= 3 && bytes[at - 3..at].eq_ignore_ascii_case(*word);
            let next = bytes.get(at + 1..at + 3);
            let plain = [b"lto", b"tel", b"ile"].iter().any(ends);
            let breaking = [b"url", b"tps"].iter().any(ends);
            bytes[at] == b':'
                && (at < 4
                    || next
                        .is_none_or(|next| next == b"//" || breaking || (plain && next[0] > b' ')))
        })
    }

    #[test]
    fn finds_what_the_naive_twin_finds() {
        let tokens = [
            "a", ":", "//", " ", "mailto", "URL", "https", "tel", "xtel", "file", "\n", "é", "::",
            "/",
        ];
        let mut state = 1u64;
        for n in 0..20_000 {
            let mut text = String::new();
            while text.len() < 40 + 160 * usize::from(n % 8 == 0) {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                text.push_str(tokens[(state >> 33) as usize % tokens.len()]);
            }
            let mut from = 0;
            loop {
                let got = WORDS.next_colon(None, text.as_bytes(), from);
                assert_eq!(got, naive(text.as_bytes(), from), "{text:?} from {from}");
                let wide = WORDS.next_colon(Avx2::new(), text.as_bytes(), from);
                assert_eq!(wide, got, "{text:?} from {from}");
                match got {
                    Some(at) => from = at + 1,
                    None => break,
                }
            }
        }
    }
}
