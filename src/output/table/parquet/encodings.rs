//! The encodings of pages, as the Parquet format has them.

/// The values of a block of differences, and of each of its four parts.
const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// Appends a number as ULEB128.
fn push_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number as ULEB128 of its zigzag code.
fn push_zigzag(number: i64, out: &mut Vec<u8>) {
    push_varint((number << 1 ^ number >> 63) as u64, out);
}

/// Returns the number of bits that a number takes.
pub(super) fn width(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

/// Appends numbers of so many bits each, the first one in the lowest bits.
fn push_packed(numbers: &[u64], width: u32, out: &mut Vec<u8>) {
    let (mut bits, mut length) = (0, 0);
    for &number in numbers {
        bits |= number << length;
        length += width;
        if length >= u64::BITS {
            out.extend_from_slice(&bits.to_le_bytes());
            length -= u64::BITS;
            bits = match length {
                0 => 0,
                _ => number >> (width - length),
            };
        }
    }
    out.extend_from_slice(&bits.to_le_bytes()[..length.div_ceil(8) as usize]);
}

/// Runs of the same number.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The number and the length of each run.
    runs: Vec<(u32, u32)>,
}

impl Runs {
    #[inline(always)]
    pub(super) fn push(&mut self, number: u32, count: usize) {
        // INVARIANT: a page has fewer than 2^32 rows.
        let count = count as u32;
        match self.runs.last_mut() {
            Some(last) if last.0 == number => last.1 += count,
            _ if count > 0 => self.runs.push((number, count)),
            _ => {}
        }
    }

    /// Appends the numbers, of so many bits each, in the hybrid of RLE and bit-packing, and removes them.
    pub(super) fn finish(&mut self, width: u32, out: &mut Vec<u8>) {
        // Runs shorter than eight are packed together, in groups of eight.
        let mut packed = Vec::new();
        for (number, mut count) in self.runs.drain(..) {
            if width > 0 {
                let missing = packed.len().next_multiple_of(8) - packed.len();
                let taken = match count as usize - missing.min(count as usize) {
                    0..8 => count as usize,
                    _ => missing,
                };
                packed.extend(std::iter::repeat_n(u64::from(number), taken));
                count -= taken as u32;
            }
            if count > 0 {
                push_groups(&mut packed, width, out);
                push_varint(u64::from(count) << 1, out);
                out.extend_from_slice(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
            }
        }
        packed.resize(packed.len().next_multiple_of(8), 0);
        push_groups(&mut packed, width, out);
    }
}

/// Appends groups of eight packed numbers, and removes them.
fn push_groups(numbers: &mut Vec<u64>, width: u32, out: &mut Vec<u8>) {
    if !numbers.is_empty() {
        push_varint((numbers.len() as u64 / 8) << 1 | 1, out);
        push_packed(numbers, width, out);
        numbers.clear();
    }
}

/// Numbers by their differences (`DELTA_BINARY_PACKED`).
#[derive(Debug)]
pub(super) struct Differences {
    first: i64,
    last: i64,
    /// How many numbers there are.
    count: usize,
    /// The differences of the block that is not full.
    block: [i64; BLOCK],
    /// Full blocks.
    blocks: Vec<u8>,
}

impl Default for Differences {
    fn default() -> Self {
        Differences {
            first: 0,
            last: 0,
            count: 0,
            block: [0; BLOCK],
            blocks: Vec::new(),
        }
    }
}

impl Differences {
    #[inline(always)]
    pub(super) fn push(&mut self, number: i64) {
        if self.count == 0 {
            self.first = number;
        } else {
            let at = (self.count - 1) % BLOCK;
            self.block[at] = number.wrapping_sub(self.last);
            if at == BLOCK - 1 {
                push_block(&self.block, &mut self.blocks);
            }
        }
        self.last = number;
        self.count += 1;
    }

    /// Adds numbers, many differences at a time.
    pub(super) fn extend(&mut self, mut numbers: &[i64]) {
        if self.count == 0 {
            let Some((&first, rest)) = numbers.split_first() else {
                return;
            };
            self.push(first);
            numbers = rest;
        }
        while let Some(&first) = numbers.first() {
            let at = (self.count - 1) % BLOCK;
            let (next, rest) = numbers.split_at(numbers.len().min(BLOCK - at));
            let block = &mut self.block[at..at + next.len()];
            block[0] = first.wrapping_sub(self.last);
            for (difference, pair) in block[1..].iter_mut().zip(next.windows(2)) {
                *difference = pair[1].wrapping_sub(pair[0]);
            }
            self.last = next[next.len() - 1];
            self.count += next.len();
            if at + next.len() == BLOCK {
                push_block(&self.block, &mut self.blocks);
            }
            numbers = rest;
        }
    }

    /// Returns the bytes that full blocks take.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Appends the numbers, and removes them.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        let rest = self.count.saturating_sub(1) % BLOCK;
        if rest > 0 {
            push_block(&self.block[..rest], &mut self.blocks);
        }
        push_varint(BLOCK as u64, out);
        push_varint((BLOCK / MINIBLOCK) as u64, out);
        push_varint(self.count as u64, out);
        push_zigzag(self.first, out);
        out.extend_from_slice(&self.blocks);
        self.blocks.clear();
        (self.first, self.last, self.count) = (0, 0, 0);
    }
}

/// Appends the least difference of a block, the widths of its parts, and what is above the least.
fn push_block(differences: &[i64], out: &mut Vec<u8>) {
    let least = differences.iter().copied().min().unwrap_or_default();
    push_zigzag(least, out);
    let widths = out.len();
    out.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
    for (index, part) in differences.chunks(MINIBLOCK).enumerate() {
        let mut above = [0; MINIBLOCK];
        for (above, difference) in above.iter_mut().zip(part) {
            *above = difference.wrapping_sub(least) as u64;
        }
        let width = width(above.iter().fold(0, |bits, above| bits | above));
        out[widths + index] = width as u8;
        push_packed(&above, width, out);
    }
}

/// Strings by what differs from the one before (`DELTA_BYTE_ARRAY`).
#[derive(Debug, Default)]
pub(super) struct FrontCoded {
    prefixes: Differences,
    suffixes: Differences,
    bytes: Vec<u8>,
}

impl FrontCoded {
    /// Adds a string that has so many of the first bytes of the one before; the first one has none.
    #[inline(always)]
    pub(super) fn push(&mut self, string: &[u8], shared: usize) {
        // INVARIANT: strings are shorter than 2^31 bytes.
        self.prefixes.push(shared as i64);
        self.suffixes.push((string.len() - shared) as i64);
        self.bytes.extend_from_slice(&string[shared..]);
    }

    /// Returns about how many bytes the strings take.
    pub(super) fn len(&self) -> usize {
        self.prefixes.len() + self.suffixes.len() + self.bytes.len()
    }

    /// Appends the strings, and removes them.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.prefixes.finish(out);
        self.suffixes.finish(out);
        out.extend_from_slice(&self.bytes);
        self.bytes.clear();
    }
}

/// Returns how many first bytes strings have in common.
#[inline(always)]
pub(super) fn shared_prefix(one: &[u8], other: &[u8]) -> usize {
    let (ones, others) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    let mut length = 0;
    for (one, other) in ones.iter().zip(others) {
        let differing = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differing != 0 {
            return length + differing.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = one[length..].iter().zip(&other[length..]);
    length + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(input: &mut &[u8]) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn zigzag(input: &mut &[u8]) -> i64 {
        let code = varint(input);
        (code >> 1) as i64 ^ -((code & 1) as i64)
    }

    /// Bit by bit.
    fn packed(input: &mut &[u8], width: u32, count: usize) -> Vec<u64> {
        let (bytes, rest) = input.split_at((count * width as usize).div_ceil(8));
        *input = rest;
        let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
        let number =
            |index: usize| (0..width as usize).map(move |at| (index * width as usize + at, at));
        (0..count)
            .map(|index| number(index).map(|(bit_at, at)| bit(bit_at) << at).sum())
            .collect()
    }

    fn hybrid(mut input: &[u8], width: u32) -> Vec<u64> {
        let mut numbers = Vec::new();
        while !input.is_empty() {
            let header = varint(&mut input);
            let count = (header >> 1) as usize;
            if header & 1 == 1 {
                numbers.extend(packed(&mut input, width, count * 8));
            } else {
                let (bytes, rest) = input.split_at(width.div_ceil(8) as usize);
                input = rest;
                let number = bytes
                    .iter()
                    .rev()
                    .fold(0, |number, &byte| number << 8 | u64::from(byte));
                numbers.extend(std::iter::repeat_n(number, count));
            }
        }
        numbers
    }

    fn differences(input: &mut &[u8]) -> Vec<i64> {
        assert_eq!((varint(input), varint(input)), (128, 4));
        let count = varint(input) as usize;
        let mut last = zigzag(input);
        let mut numbers = Vec::from_iter((count > 0).then_some(last));
        while numbers.len() < count {
            let least = zigzag(input);
            let (widths, rest) = input.split_at(4);
            *input = rest;
            for &width in widths {
                if numbers.len() == count {
                    assert_eq!(width, 0);
                    continue;
                }
                for above in packed(input, width.into(), 32) {
                    last = last.wrapping_add(least).wrapping_add(above as i64);
                    if numbers.len() < count {
                        numbers.push(last);
                    }
                }
            }
        }
        numbers
    }

    /// Numbers that look random, and are always the same.
    fn random(seed: u64) -> impl Iterator<Item = u64> {
        let next = |state: &u64| {
            Some(
                state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1),
            )
        };
        std::iter::successors(Some(seed), next).map(|state| state >> 13 ^ state << 40)
    }

    #[test]
    fn runs_are_read_back() {
        for seed in 0..200 {
            let mut random = random(seed);
            let mut next = |below: u64| random.next().unwrap() % below;
            let width = (seed % 21) as u32;
            let (mut runs, mut numbers) = (Runs::default(), Vec::new());
            for _ in 0..next(60) {
                let number = next(1 << width);
                let count = [1, 2, 3, 7, 8, 9, 20, 1000][next(8) as usize];
                runs.push(number as u32, count);
                numbers.extend(std::iter::repeat_n(number, count));
            }
            let mut out = Vec::new();
            runs.finish(width, &mut out);
            let read = hybrid(&out, width);
            assert!(read.len() < numbers.len() + 8, "{seed}");
            assert_eq!(read[..numbers.len()], numbers, "{seed}");
        }
    }

    #[test]
    fn differences_are_read_back() {
        let mut written = Differences::default();
        for seed in 0..300 {
            let shift = seed % 64;
            let count = [0, 1, 2, 33, 128, 129, 130, 256, 257, 1000][seed as usize % 10];
            let numbers: Vec<_> = random(seed)
                .take(count)
                .map(|number| number.rotate_left(20) as i64 >> shift)
                .collect();
            // One by one, and in pieces of any length.
            let (some, others) = numbers.split_at(count * 3 / 7);
            some.iter().for_each(|&number| written.push(number));
            let pieces = others.chunks(1 + seed as usize % 150);
            pieces.for_each(|piece| written.extend(piece));
            let mut out = Vec::new();
            written.finish(&mut out);
            let mut input = out.as_slice();
            assert_eq!(differences(&mut input), numbers, "{seed}");
            assert_eq!(input, b"", "{seed}");
        }
        let extremes = [i64::MIN, i64::MAX, 0, i64::MIN, -1, i64::MAX];
        extremes.iter().for_each(|&number| written.push(number));
        let mut out = Vec::new();
        written.finish(&mut out);
        assert_eq!(differences(&mut out.as_slice()), extremes);
    }

    #[test]
    fn the_shared_prefix_is_that_of_the_bytes_one_by_one() {
        for length in 0..40 {
            let one: Vec<u8> = (0..length).collect();
            for other in 0..40 {
                let mut other: Vec<u8> = (0..other).collect();
                for at in 0..=other.len() {
                    if let Some(byte) = other.get_mut(at) {
                        *byte ^= 0x80;
                    }
                    let expected = one
                        .iter()
                        .zip(&other)
                        .take_while(|(one, other)| one == other);
                    assert_eq!(shared_prefix(&one, &other), expected.count());
                    if let Some(byte) = other.get_mut(at) {
                        *byte ^= 0x80;
                    }
                }
            }
        }
    }
}
