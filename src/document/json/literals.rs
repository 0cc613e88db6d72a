//! Strings, numbers and words of JSON: where they end, and the text of strings.

use std::ops::Range;

use crate::bytes::class::ByteSet;
use crate::bytes::simd::avx2::Avx2;
use crate::bytes::simd::{self, Block};
use crate::decode::RecordOffsets;

/// The longest string that is read, in bytes between its quotes.
pub(in crate::document) const LONGEST_STRING: usize = 4 << 20;
/// The longest number or word that is checked, in bytes.
pub(super) const LONGEST_WORD: usize = 1024;

/// The bytes of numbers and words.
pub(super) const WORD: ByteSet = ByteSet::ALPHANUMERIC.with(b"+-._$");

/// Where a string ends, or the bytes do.
pub(super) enum StringEnd {
    /// The index of the quote.
    Closed(usize),
    /// The index of a line break.
    Break(usize),
    /// The index of the end of the bytes, or of an escape that may be cut by it.
    Open(usize),
}

/// Returns the end of a string, from `at` on, and the index of its first fault.
pub(super) fn string_end(bytes: &[u8], mut at: usize, last: bool) -> (StringEnd, Option<usize>) {
    let mut fault = None;
    loop {
        (at, _) = special(bytes, at);
        match bytes.get(at) {
            None => return (StringEnd::Open(at), fault.or(last.then_some(at))),
            Some(b'"') => return (StringEnd::Closed(at), fault),
            Some(b'\n') => return (StringEnd::Break(at), fault.or(Some(at))),
            Some(b'\\') if at + 6 > bytes.len() && !last => {
                // The escape may be whole; the quote behind it may not be missed.
                match bytes.get(at + 1) {
                    Some(b'u') | None => return (StringEnd::Open(at), fault),
                    Some(b'\n') => return (StringEnd::Break(at + 1), fault.or(Some(at))),
                    Some(byte) => {
                        if !is_escape(*byte) {
                            fault = fault.or(Some(at));
                        }
                        at += 2;
                    }
                }
            }
            Some(b'\\') => {
                let digits = bytes.get(at + 2..at + 6);
                let is_right = match bytes.get(at + 1) {
                    Some(b'u') => {
                        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
                    }
                    Some(&byte) => is_escape(byte),
                    None => false,
                };
                if !is_right {
                    fault = fault.or(Some(at));
                }
                at = match bytes.get(at + 1) {
                    None | Some(b'\n') => at + 1,
                    Some(_) => at + 2,
                };
            }
            Some(_) => {
                fault = fault.or(Some(at));
                at += 1;
            }
        }
    }
}

/// Returns the end of a string of JSON5 with a quote, from `at` on. A line break after a backslash is in it.
pub(super) fn relaxed_string_end(bytes: &[u8], mut at: usize, quote: u8) -> StringEnd {
    while let Some(found) = memchr::memchr3(quote, b'\\', b'\n', &bytes[at..]) {
        at += found;
        match bytes[at] {
            b'\\' if at + 2 >= bytes.len() => return StringEnd::Open(at),
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\\' => at += 2,
            b'\n' => return StringEnd::Break(at),
            _ => return StringEnd::Closed(at),
        }
    }
    StringEnd::Open(bytes.len())
}

/// Returns whether a word is a number of JSON5 that is none of JSON.
pub(super) fn is_relaxed_value(word: &[u8]) -> bool {
    let word = word
        .strip_prefix(b"+")
        .or(word.strip_prefix(b"-"))
        .unwrap_or(word);
    if let [b'0', b'x' | b'X', digits @ ..] = word {
        return !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    }
    let has_digit = word.iter().any(u8::is_ascii_digit);
    let in_number = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
    matches!(word, b"Infinity" | b"NaN") || has_digit && word.iter().all(in_number)
}

/// A string in a window, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::document) struct JsonText {
    /// The indices of its contents.
    pub(in crate::document) range: Range<usize>,
    /// Whether it has escapes.
    pub(in crate::document) has_escapes: bool,
    /// Whether a colon is in it, or an escape that may stand for one.
    pub(in crate::document) may_have_colon: bool,
}

impl JsonText {
    /// Returns the string at a range of the bytes.
    pub(in crate::document) fn new(bytes: &[u8], range: Range<usize>) -> Self {
        let text = &bytes[range.clone()];
        let escape = memchr::memchr(b'\\', text);
        JsonText {
            range,
            has_escapes: escape.is_some(),
            may_have_colon: memchr::memchr(b':', text).is_some()
                || escape.is_some_and(|at| memchr::memmem::find(&text[at..], b"\\u").is_some()),
        }
    }
}

/// Returns the string that starts at an index, if it ends in the bytes, has no fault and is not too long.
#[inline(always)]
pub(super) fn usual_string(bytes: &[u8], start: usize) -> Option<JsonText> {
    let (mut end, mut has_escapes, mut may_have_colon) = (start, false, false);
    loop {
        let (next, has_colon) = special(bytes, end);
        may_have_colon |= has_colon;
        end = next;
        match *bytes.get(end)? {
            b'"' => break,
            b'\\' => has_escapes = true,
            _ => return None,
        }
        end += match *bytes.get(end + 1)? {
            b'u' => {
                four_digits(bytes, end + 2)?;
                may_have_colon = true;
                6
            }
            escaped if is_escape(escaped) => 2,
            _ => return None,
        };
    }
    (end - start <= LONGEST_STRING).then_some(JsonText {
        range: start..end,
        has_escapes,
        may_have_colon,
    })
}

/// Returns the index of the first byte from `at` on that a string does not go on with, a quote, a backslash
/// or a control character, or of the end if there is none; and whether a colon stands before it.
#[inline(always)]
fn special(bytes: &[u8], mut at: usize) -> (usize, bool) {
    let mut colons = 0;
    for _ in 0..BLOCKS {
        let Some(block) = simd::at(bytes, at) else {
            break;
        };
        let found = block.equal(b'"') | block.equal(b'\\') | block.up_to(0x1F);
        let here = block.equal(b':');
        if found != 0 {
            let before = found ^ (found - 1);
            return (
                at + found.trailing_zeros() as usize,
                colons | here & before != 0,
            );
        }
        colons |= here;
        at += simd::LENGTH;
    }
    let (end, has_colon) = special_far(bytes, at);
    (end, colons != 0 || has_colon)
}

/// The number of blocks that are searched in line.
const BLOCKS: usize = 4;

/// Does the same for long strings, and at the end of the bytes.
#[inline(never)]
fn special_far(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = start;
    if let Some(avx2) = Avx2::new() {
        at = match avx2.find_low_or(bytes, at, 0x1F, [b'"', b'\\']) {
            Ok(found) | Err(found) => found,
        };
    }
    while let Some(block) = simd::at(bytes, at) {
        let found = block.equal(b'"') | block.equal(b'\\') | block.up_to(0x1F);
        if found != 0 {
            at += found.trailing_zeros() as usize;
            return (at, memchr::memchr(b':', &bytes[start..at]).is_some());
        }
        at += simd::LENGTH;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let found = rest
        .iter()
        .position(|&byte| matches!(byte, b'"' | b'\\' | ..=0x1F));
    let end = at + found.unwrap_or(rest.len());
    let passed = bytes.get(start..end).unwrap_or_default();
    (end, memchr::memchr(b':', passed).is_some())
}

/// Returns whether a byte behind a backslash stands for a character by itself.
fn is_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}

/// Appends a raw string to `out`, escapes replaced, and records where its bytes come from.
pub(in crate::document) fn unescape(
    bytes: &[u8],
    out: &mut Vec<u8>,
    offsets: &mut impl RecordOffsets,
) {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        offsets.copy(plain);
        at += plain;
        if at == bytes.len() {
            return;
        }
        let (start, length) = (at, out.len());
        let escaped = bytes.get(at + 1).copied().unwrap_or(b'\\');
        at = bytes.len().min(at + 2);
        match escaped {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            // Those of JSON5.
            b'v' => out.push(11),
            b'0' => out.push(0),
            b'\n' => {}
            b'\r' => at += usize::from(bytes.get(at) == Some(&b'\n')),
            b'x' if let Some(unit) = hex(bytes, at, 2) => {
                at += 2;
                let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            b'u' => {
                if let Some(mut unit) = four_digits(bytes, at) {
                    at += 4;
                    if (0xD800..0xDC00).contains(&unit)
                        && bytes[at..].starts_with(b"\\u")
                        && let Some(low) = four_digits(bytes, at + 2)
                        && (0xDC00..0xE000).contains(&low)
                    {
                        unit = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        at += 6;
                    }
                    let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                } else {
                    out.push(b'u');
                }
            }
            _ => out.push(escaped),
        }
        match out.len() - length {
            0 => offsets.skip(at - start),
            written => offsets.put(written, at - start),
        }
    }
}

fn four_digits(bytes: &[u8], at: usize) -> Option<u32> {
    hex(bytes, at, 4)
}

/// Returns the number that hexadecimal digits are.
fn hex(bytes: &[u8], at: usize, digits: usize) -> Option<u32> {
    let mut digits = bytes.get(at..at + digits)?.iter();
    digits.try_fold(0, |number, &digit| {
        Some(number * 16 + (digit as char).to_digit(16)?)
    })
}

/// Returns the index behind the number at an index, if it is well-formed and ends in the bytes.
#[inline(always)]
pub(super) fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    short_number_end(bytes, at).or_else(|| long_number_end(bytes, at))
}

/// Does that for numbers of less than a block without an exponent.
#[inline(always)]
fn short_number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let block: &[u8; simd::LENGTH] = bytes.get(at..)?.first_chunk()?;
    let others = !Block::new(block).digits();
    let digits = |from: usize| (others >> from).trailing_zeros() as usize;
    let sign = usize::from(block[0] == b'-');
    let mut end = sign + digits(sign);
    let has_zero = block[sign] == b'0' && end > sign + 1;
    if end == sign || end >= simd::LENGTH || has_zero {
        return None;
    }
    if block[end] == b'.' {
        let fraction = digits(end + 1);
        end += 1 + fraction;
        if fraction == 0 || end >= simd::LENGTH {
            return None;
        }
    }
    (!WORD.contains(block[end])).then_some(at + end)
}

#[inline(never)]
fn long_number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let limit = bytes.len().min(at + LONGEST_WORD + 1);
    let length = value_length(&bytes[at..limit]);
    let next = *bytes.get(at + length)?;
    let is_number = (1..=LONGEST_WORD).contains(&length) && !WORD.contains(next);
    is_number.then_some(at + length)
}

/// Returns the index behind `true`, `false` or `null` at an index, if that ends in the bytes.
#[inline(always)]
pub(super) fn word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let length = match rest.first_chunk()? {
        b"true" | b"null" => 4,
        b"fals" if rest.get(4) == Some(&b'e') => 5,
        _ => return None,
    };
    (!WORD.contains(*rest.get(length)?)).then_some(at + length)
}

/// Returns the length of the number (RFC 8259 section 6), `true`, `false` or `null` at the start; 0 if there
/// is none.
pub(super) fn value_length(word: &[u8]) -> usize {
    let digits = |at: usize| {
        let rest = word.get(at..).unwrap_or_default();
        let end = rest.iter().position(|byte| !byte.is_ascii_digit());
        at + end.unwrap_or(rest.len())
    };
    let whole = usize::from(word.first() == Some(&b'-'));
    let mut end = digits(whole);
    match end - whole {
        0 => {
            let words: [&[u8]; 3] = [b"true", b"false", b"null"];
            let found = words.iter().find(|known| word.starts_with(known));
            return found.map_or(0, |word| word.len());
        }
        1 => {}
        _ if word[whole] == b'0' => return 0,
        _ => {}
    }
    if word.get(end) == Some(&b'.') {
        let start = end + 1;
        end = digits(start);
        if end == start {
            return 0;
        }
    }
    if matches!(word.get(end), Some(b'e' | b'E')) {
        let start = end + 1 + usize::from(matches!(word.get(end + 1), Some(b'+' | b'-')));
        end = digits(start);
        if end <= start {
            return 0;
        }
    }
    end
}
