//! Searches for delimiters in markup: the inner loops of the HTML tag scanner.
//!
//! Tags are short: the delimiter is nearly always within sixteen bytes, where one inlined [`Block`]
//! finds it at less than the cost of a call. Longer distances are searched by `memchr` or a loop.

use memchr::memchr;

use super::simd::{self, Block};

/// Returns whether a byte is white space in HTML, or a CR, which normalises to LF.
#[inline(always)]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}

const SPACE: u8 = 1;
const SLASH: u8 = 2;
const MORE: u8 = 4;
const EQUALS: u8 = 8;

/// The class of each byte within a tag.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    class[b' ' as usize] = SPACE;
    class[b'\n' as usize] = SPACE;
    class[b'\t' as usize] = SPACE;
    class[b'\r' as usize] = SPACE;
    class[0x0C] = SPACE;
    class[b'/' as usize] = SLASH;
    class[b'>' as usize] = MORE;
    class[b'=' as usize] = EQUALS;
    class
};

/// Returns the index of the first byte from `at` on of the classes in `stop`, byte by byte.
fn until(bytes: &[u8], at: usize, stop: u8) -> usize {
    let is_stop = |byte: &u8| CLASS[*byte as usize] & stop != 0;
    let found = bytes[at..].iter().position(is_stop);
    found.map_or(bytes.len(), |found| at + found)
}

/// Returns the index of the first byte from `at` on of the classes in `stop`.
/// `mask` marks candidates in a block.
#[inline(always)]
fn seek(bytes: &[u8], at: usize, stop: u8, mask: impl Fn(Block) -> u32) -> usize {
    if let Some(block) = simd::at(bytes, at) {
        let mask = mask(block);
        if mask != 0 {
            let found = at + mask.trailing_zeros() as usize;
            // `up_to` also marks control characters.
            if CLASS[bytes[found] as usize] & stop != 0 {
                return found;
            }
        }
    }
    until(bytes, at, stop)
}

/// Returns the end of a tag's name: the index of white space, `/`, `>` or the length.
#[inline(always)]
pub(crate) fn tag_name_end(bytes: &[u8], at: usize) -> usize {
    seek(bytes, at, SPACE | SLASH | MORE, |block| {
        block.up_to(b' ') | block.equal(b'/') | block.equal(b'>')
    })
}

/// Returns the end of an attribute's name; `at` is past the name's first byte.
#[inline(always)]
pub(crate) fn attribute_name_end(bytes: &[u8], at: usize) -> usize {
    seek(bytes, at, SPACE | SLASH | MORE | EQUALS, |block| {
        block.up_to(b' ') | block.equal(b'/') | block.equal(b'>') | block.equal(b'=')
    })
}

#[inline(always)]
pub(crate) fn bare_value_end(bytes: &[u8], at: usize) -> usize {
    seek(bytes, at, SPACE | MORE, |block| {
        block.up_to(b' ') | block.equal(b'>')
    })
}

/// Returns the index of the first byte from `at` on that is not white space.
#[inline]
pub(crate) fn skip_space(bytes: &[u8], at: usize) -> usize {
    skip(bytes, at, SPACE)
}

/// Returns the index of the first byte from `at` on that is neither white space nor `/`.
#[inline]
pub(crate) fn skip_separators(bytes: &[u8], at: usize) -> usize {
    skip(bytes, at, SPACE | SLASH)
}

#[inline(always)]
fn skip(bytes: &[u8], mut at: usize, over: u8) -> usize {
    while at < bytes.len() && CLASS[bytes[at] as usize] & over != 0 {
        at += 1;
    }
    at
}

/// Returns the index of the next `byte` from `at` on, or the length.
#[inline(always)]
pub(crate) fn next(byte: u8, bytes: &[u8], mut at: usize) -> usize {
    if let Some(near) = bytes.get(at..).and_then(<[u8]>::first_chunk::<48>) {
        for block in near.as_chunks().0 {
            let mask = Block::new(block).equal(byte);
            if mask != 0 {
                return at + mask.trailing_zeros() as usize;
            }
            at += simd::LENGTH;
        }
    }
    next_far(byte, bytes, at)
}

#[inline(never)]
fn next_far(byte: u8, bytes: &[u8], at: usize) -> usize {
    memchr(byte, &bytes[at..]).map_or(bytes.len(), |found| at + found)
}

/// Returns whether a value needs no decoding: ASCII without `&`, CR and NUL.
#[inline(always)]
pub(crate) fn is_plain(bytes: &[u8], start: usize, end: usize) -> bool {
    let mut at = start;
    let mut odd = 0;
    while at < end {
        let Some(block) = simd::at(bytes, at) else {
            let is_odd = |byte: &u8| matches!(byte, b'&' | b'\r' | 0 | 0x80..);
            return odd == 0 && !bytes[at..end].iter().any(is_odd);
        };
        let mut mask = block.any_of([b'&', b'\r', 0]) | block.beyond_ascii();
        if end - at < simd::LENGTH {
            mask &= (1 << (end - at)) - 1;
        }
        odd |= mask;
        at += simd::LENGTH;
    }
    odd == 0
}

#[cfg(test)]
#[path = "../../tests/unit/bytes/seek.rs"]
mod tests;
