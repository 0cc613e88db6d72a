//! Thirty-two bytes classified at once, where the processor has AVX2.
//!
//! The shuffle instruction looks up four bits of each byte in a table of sixteen entries, so a byte
//! is looked up by its two halves. Each entry has eight bits; a byte is a member where the entries
//! of both halves have a bit in common.

// Patterns are made for every processor; only those with AVX2 read them.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_variables))]

use crate::bytes::class::ByteSet;

/// A set of ASCII bytes, as two tables by the halves of each byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NibbleSet {
    low: [u8; 16],
    high: [u8; 16],
}

impl NibbleSet {
    /// Makes the set of these bytes.
    ///
    /// # Panics
    ///
    /// When a byte is not ASCII.
    pub(crate) const fn new(members: &ByteSet) -> Self {
        let (low, high) = ([0; 16], [0; 16]);
        let mut halves = NibbleSet { low, high };
        // ASCII has eight high halves: one bit for each.
        let mut byte = 0;
        while byte < 256 {
            if members.contains(byte as u8) {
                assert!(byte < 0x80, "only ASCII has a bit for each half");
                halves.low[byte & 15] |= 1 << (byte >> 4);
                halves.high[byte >> 4] = 1 << (byte >> 4);
            }
            byte += 1;
        }
        halves
    }

    /// Makes eight sets, one bit for each. Each also holds every byte that has the high half of one
    /// member and the low half of another.
    pub(crate) const fn of_each(sets: [&[u8]; 8]) -> Self {
        let (low, high) = ([0; 16], [0; 16]);
        let mut halves = NibbleSet { low, high };
        let (mut set, mut n) = (0, 0);
        while set < sets.len() {
            if n == sets[set].len() {
                (set, n) = (set + 1, 0);
                continue;
            }
            let byte = sets[set][n] as usize;
            halves.low[byte & 15] |= 1 << set;
            halves.high[byte >> 4] |= 1 << set;
            n += 1;
        }
        halves
    }
}

/// Pairs of ASCII bytes, by the low half of each: the test has false positives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsciiPairs {
    first: [u8; 16],
    second: [u8; 16],
}

impl AsciiPairs {
    /// The empty set.
    pub(crate) const NONE: Self = AsciiPairs {
        first: [0; 16],
        second: [0; 16],
    };

    /// Adds a pair. Where second bytes have the low three bits in common, each matches with all their
    /// first bytes.
    #[must_use]
    pub(crate) const fn with(mut self, first: u8, second: u8) -> Self {
        assert!(first < 0x80 && second < 0x80, "pairs are of ASCII bytes");
        self.first[first as usize & 15] |= 1 << (second & 7);
        self.second[second as usize & 15] |= 1 << (second & 7);
        self
    }
}

/// Proof that the processor has AVX2; elsewhere uninhabited.
///
/// INVARIANT: a value is only made where AVX2 was detected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(Proof);

#[cfg(target_arch = "x86_64")]
type Proof = ();
#[cfg(not(target_arch = "x86_64"))]
type Proof = std::convert::Infallible;

/// The methods of [`Avx2`], each of which calls the function of its name.
macro_rules! methods {
    ($($(#[$about:meta])*
    fn $name:ident $(<const $flag:ident>)? ($($value:ident: $type:ty),*) -> $result:ty;)*) => {$(
        $(#[$about])*
        #[inline]
        pub(crate) fn $name $(<const $flag: bool>)? (self, $($value: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx2` is proof of AVX2.
            return unsafe { detected::$name $(::<$flag>)? ($($value),*) };
            #[cfg(not(target_arch = "x86_64"))]
            match self.0 {}
        }
    )*};
}

impl Avx2 {
    /// Detects AVX2.
    #[inline]
    pub(crate) fn new() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return is_x86_feature_detected!("avx2").then_some(Avx2(()));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    methods! {
        /// Returns one bit for each byte that is in the set, the first byte's lowest.
        fn members(bytes: &[u8; 32], set: &NibbleSet) -> u32;
        /// Returns the sets that hold one of the bytes, one bit for each, and whether a byte is beyond ASCII
        /// or not above the blank, or a dot is after a slash.
        fn sets_of(bytes: &[u8], sets: &NibbleSet) -> (u8, bool);
        /// Returns the first colon from `from` on that `accept` confirms, with `/` after it or one of the pairs
        /// before it.
        /// `Err` is an index before which no colon matches: the last bytes, and a match with only one byte
        /// after it, are left to the caller.
        fn find(bytes: &[u8], from: usize, before: &AsciiPairs, accept: impl Fn(usize) -> bool)
            -> Result<usize, usize>;
        /// Returns the first index from `from` on that `accept` confirms, with one byte there and another
        /// at a distance from it; with `FOLDS`, in either case of letters, given in lower case.
        /// `Err` is an index before which nothing matches: the last bytes are left to the caller.
        fn find_pair<const FOLDS>(
            bytes: &[u8], from: usize, pair: (u8, u8, usize), accept: impl Fn(usize) -> bool
        ) -> Result<usize, usize>;
    }
}

#[cfg(target_arch = "x86_64")]
mod detected {
    use std::arch::x86_64::*;

    use super::{AsciiPairs, NibbleSet};

    #[target_feature(enable = "avx2")]
    fn table(bytes: &[u8; 16]) -> __m256i {
        // SAFETY: the array has the sixteen bytes that are read, and they need no alignment.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn members(bytes: &[u8; 32], set: &NibbleSet) -> u32 {
        marks(in_sets(load(bytes), set))
    }

    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8; 32]) -> __m256i {
        // SAFETY: the array has the bytes that are read, and they need no alignment.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    /// Returns the sets of each byte.
    #[target_feature(enable = "avx2")]
    fn in_sets(bytes: __m256i, sets: &NibbleSet) -> __m256i {
        // An index above 0x7F selects zero.
        let low = _mm256_shuffle_epi8(table(&sets.low), bytes);
        let halves = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(15));
        _mm256_and_si256(low, _mm256_shuffle_epi8(table(&sets.high), halves))
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sets_of(bytes: &[u8], sets: &NibbleSet) -> (u8, bool) {
        let (mut found, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        let mut add = |pairs: &[u8; 33], is_start: bool| {
            let ([before @ .., _], [_, after @ ..]) = (pairs, pairs);
            let (before, after) = (load(before), load(after));
            let slash = _mm256_cmpeq_epi8(before, _mm256_set1_epi8(b'/' as i8));
            let dot = _mm256_cmpeq_epi8(after, _mm256_set1_epi8(b'.' as i8));
            let bytes = if is_start { before } else { after };
            // As signed numbers, the bytes beyond ASCII are below all others.
            let low = _mm256_cmpgt_epi8(_mm256_set1_epi8(b'!' as i8), bytes);
            odd = _mm256_or_si256(odd, _mm256_or_si256(low, _mm256_and_si256(slash, dot)));
            found = _mm256_or_si256(found, in_sets(bytes, sets));
        };
        if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            add(first, true);
            for at in (31..bytes.len() - 33).step_by(32) {
                let pairs = bytes[at..].first_chunk();
                pairs.into_iter().for_each(|pairs| add(pairs, false));
            }
            add(last, false);
        } else {
            let mut padded = [b'a'; 33];
            padded[..bytes.len()].copy_from_slice(bytes);
            add(&padded, true);
        }
        let halves = [
            _mm256_castsi256_si128(found),
            _mm256_extracti128_si256::<1>(found),
        ];
        let half = _mm_or_si128(halves[0], halves[1]);
        let joined = _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)));
        let joined = joined.to_ne_bytes().iter().fold(0, |all, each| all | each);
        (joined, _mm256_testz_si256(odd, odd) == 0)
    }

    /// Returns one bit for each byte that is not zero.
    #[target_feature(enable = "avx2")]
    fn marks(bytes: __m256i) -> u32 {
        let zero = _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256());
        !(_mm256_movemask_epi8(zero) as u32)
    }

    /// A search that tests 32 positions at once.
    trait Search {
        /// The number of bytes before a position that the test reads.
        const BEFORE: usize;

        /// Returns the number of bytes after 32 positions that the test reads.
        fn after(&self) -> usize;

        fn bytes(&self) -> &[u8];

        /// Returns bytes that are not zero where the search matches.
        ///
        /// # Safety
        ///
        /// The processor has AVX2, and the bytes before the index and after 32 positions are there.
        unsafe fn at(&self, at: usize) -> __m256i;

        /// # Safety
        ///
        /// The processor has AVX2, `at + offset` is not negative, and there are 32 bytes from there on.
        #[target_feature(enable = "avx2")]
        unsafe fn load(&self, at: usize, offset: isize) -> __m256i {
            debug_assert!(at as isize + offset >= 0);
            debug_assert!(at as isize + offset + 32 <= self.bytes().len() as isize);
            // SAFETY: as the caller ensures.
            unsafe { _mm256_loadu_si256(self.bytes().as_ptr().add(at).offset(offset).cast()) }
        }
    }

    /// The search for colons with neighbours: its tables and bytes, in registers.
    struct NeighbourSearch<'a> {
        bytes: &'a [u8],
        colon: __m256i,
        first: __m256i,
        second: __m256i,
        slash: __m256i,
    }

    impl Search for NeighbourSearch<'_> {
        const BEFORE: usize = 2;

        #[inline(always)]
        fn after(&self) -> usize {
            2
        }

        #[inline(always)]
        fn bytes(&self) -> &[u8] {
            self.bytes
        }

        #[target_feature(enable = "avx2")]
        unsafe fn at(&self, at: usize) -> __m256i {
            // SAFETY: as the caller ensures.
            let [first, second, byte, after] = unsafe {
                [
                    self.load(at, -2),
                    self.load(at, -1),
                    self.load(at, 0),
                    self.load(at, 1),
                ]
            };
            let first = _mm256_shuffle_epi8(self.first, first);
            let second = _mm256_shuffle_epi8(self.second, second);
            let after = _mm256_cmpeq_epi8(after, self.slash);
            let either = _mm256_or_si256(_mm256_and_si256(first, second), after);
            _mm256_and_si256(_mm256_cmpeq_epi8(byte, self.colon), either)
        }
    }

    /// The search for two bytes at a distance, in either case of a letter if `FOLDS`.
    struct PairSearch<'a, const FOLDS: bool> {
        bytes: &'a [u8],
        first: __m256i,
        second: __m256i,
        distance: usize,
    }

    impl<const FOLDS: bool> Search for PairSearch<'_, FOLDS> {
        const BEFORE: usize = 0;

        #[inline(always)]
        fn after(&self) -> usize {
            self.distance
        }

        #[inline(always)]
        fn bytes(&self) -> &[u8] {
            self.bytes
        }

        #[target_feature(enable = "avx2")]
        unsafe fn at(&self, at: usize) -> __m256i {
            // SAFETY: as the caller ensures.
            let mut pair = unsafe { [self.load(at, 0), self.load(at, self.distance as isize)] };
            if FOLDS {
                pair = pair.map(|byte| _mm256_or_si256(byte, _mm256_set1_epi8(0x20)));
            }
            let first = _mm256_cmpeq_epi8(pair[0], self.first);
            _mm256_and_si256(first, _mm256_cmpeq_epi8(pair[1], self.second))
        }
    }

    /// Skips steps of 128 bytes without a match, as far as they go.
    ///
    /// # Safety
    ///
    /// The processor has AVX2, and the bytes that the search reads before the index are there.
    #[target_feature(enable = "avx2")]
    unsafe fn skip(search: &impl Search, mut at: usize) -> usize {
        while at + 128 + search.after() <= search.bytes().len() {
            // SAFETY: the bytes before `at` are there, and 128 and those after them.
            let any = unsafe {
                let first = _mm256_or_si256(search.at(at), search.at(at + 32));
                let second = _mm256_or_si256(search.at(at + 64), search.at(at + 96));
                _mm256_or_si256(first, second)
            };
            if _mm256_testz_si256(any, any) == 0 {
                break;
            }
            at += 128;
        }
        at
    }

    /// Returns the first match from an index on that `accept` confirms; `Err` is an index before which
    /// nothing matches.
    #[target_feature(enable = "avx2")]
    fn first<S: Search>(
        search: &S,
        mut from: usize,
        accept: impl Fn(usize) -> bool,
    ) -> Result<usize, usize> {
        let last = search.bytes().len().checked_sub(32 + search.after());
        let Some(last) = last.filter(|&last| (S::BEFORE..=last).contains(&from)) else {
            return Err(from);
        };
        let confirm = |at: usize, mut marks: u32| {
            while marks != 0 {
                let found = at + marks.trailing_zeros() as usize;
                if accept(found) {
                    return Some(found);
                }
                marks &= marks - 1;
            }
            None
        };
        // Up to here a match is near: in the first bytes, and in a block that has one.
        let mut near = from + 32;
        while from <= last {
            if from >= near {
                // SAFETY: the bytes before `from` are there.
                let block = unsafe { skip(search, from) };
                near = block + 128;
                if block > from {
                    from = block;
                    continue;
                }
            }
            // SAFETY: the bytes before `from` are there, and 32 and those after them.
            let marks = marks(unsafe { search.at(from) });
            if marks != 0
                && let Some(found) = confirm(from, marks)
            {
                return Ok(found);
            }
            from += 32;
        }
        // The last positions are tested together with some before them.
        // SAFETY: the bytes before `last` are there, and 32 and those after them.
        let rest = marks(unsafe { search.at(last) });
        let new = u32::MAX.checked_shl((from - last) as u32);
        confirm(last, rest & new.unwrap_or(0)).ok_or(last + 32)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn find(
        bytes: &[u8],
        from: usize,
        before: &AsciiPairs,
        accept: impl Fn(usize) -> bool,
    ) -> Result<usize, usize> {
        let search = NeighbourSearch {
            bytes,
            colon: _mm256_set1_epi8(b':' as i8),
            first: table(&before.first),
            second: table(&before.second),
            slash: _mm256_set1_epi8(b'/' as i8),
        };
        first(&search, from, accept)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn find_pair<const FOLDS: bool>(
        bytes: &[u8],
        from: usize,
        (a, b, distance): (u8, u8, usize),
        accept: impl Fn(usize) -> bool,
    ) -> Result<usize, usize> {
        let search = PairSearch::<FOLDS> {
            bytes,
            first: _mm256_set1_epi8(a as i8),
            second: _mm256_set1_epi8(b as i8),
            distance,
        };
        first(&search, from, accept)
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/bytes/simd/avx2.rs"]
mod tests;
