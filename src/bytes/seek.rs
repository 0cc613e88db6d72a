//! The next byte of a few kinds in markup: the inner loops of the HTML scanner.

use memchr::memchr;

/// White space of HTML: CR counts, for it stands for a line feed.
#[inline]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}

const SPACE: u8 = 1;
const SLASH: u8 = 2;
const MORE: u8 = 4;
const EQUALS: u8 = 8;

/// What each byte is within a tag.
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

#[inline]
fn until(bytes: &[u8], at: usize, stop: u8) -> usize {
    let rest = &bytes[at..];
    at + rest
        .iter()
        .position(|&byte| CLASS[byte as usize] & stop != 0)
        .unwrap_or(rest.len())
}

/// The end of a tag's name: white space, `/`, `>` or the end.
#[inline]
pub fn tag_name_end(bytes: &[u8], at: usize) -> usize {
    until(bytes, at, SPACE | SLASH | MORE)
}

/// The end of an attribute's name, once its first byte has been passed.
#[inline]
pub fn attribute_name_end(bytes: &[u8], at: usize) -> usize {
    until(bytes, at, SPACE | SLASH | MORE | EQUALS)
}

/// The end of a value without quotes.
#[inline]
pub fn bare_value_end(bytes: &[u8], at: usize) -> usize {
    until(bytes, at, SPACE | MORE)
}

/// The first byte from `at` on that is no white space.
#[inline]
pub fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    at + rest
        .iter()
        .position(|&byte| CLASS[byte as usize] & SPACE == 0)
        .unwrap_or(rest.len())
}

/// The first byte from `at` on that is neither white space nor `/`.
#[inline]
pub fn skip_separators(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    at + rest
        .iter()
        .position(|&byte| CLASS[byte as usize] & (SPACE | SLASH) == 0)
        .unwrap_or(rest.len())
}

/// The next `byte` from `at` on, or the end.
#[inline]
pub fn next(byte: u8, bytes: &[u8], at: usize) -> usize {
    memchr(byte, &bytes[at..]).map_or(bytes.len(), |found| at + found)
}
