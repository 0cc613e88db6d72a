//! Strings, numbers and words of JSON: where they end, and the text of strings.

use std::borrow::Cow;
use std::ops::Range;

use crate::bytes::class::ByteSet;
use crate::bytes::pattern::Pattern;
use crate::bytes::simd::{self, Block};
use crate::decode::RecordOffsets;

/// The longest string that is read, in bytes between its quotes.
pub(in crate::document) const LONGEST_STRING: usize = 4 << 20;
/// The longest number or word that is checked, in bytes.
pub(super) const LONGEST_WORD: usize = 1024;

pub(super) const WORD: ByteSet = ByteSet::ALPHANUMERIC.with(b"+-._$");

/// The bytes that end a URI without quotes.
pub(super) const URI_END: ByteSet = ByteSet::EMPTY.with(b"\t\n\r \"',]}");

static NUMBER: Pattern = Pattern::new(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$");
static RELAXED_NUMBER: Pattern =
    Pattern::new(r"^[+-]?(?:0[xX][0-9A-Fa-f]+|Infinity|NaN|[.eE+-]*[0-9][0-9.eE+-]*)$");

pub(super) enum StringEnd {
    Closed(usize),
    Break(usize),
    /// The index of the end of the bytes, or of an escape that may be cut by it.
    Open(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::document) struct JsonText {
    pub(in crate::document) range: Range<usize>,
    pub(in crate::document) is_quoted: bool,
    pub(in crate::document) has_escapes: bool,
    /// Whether a colon is in it, or an escape that may stand for one.
    pub(in crate::document) may_have_colon: bool,
}

pub(super) struct StringScan {
    pub(super) text: JsonText,
    pub(super) end: StringEnd,
    pub(super) fault: Option<usize>,
}

/// Searches the contents of a string for their end, from `at` on. `last`: no byte follows.
#[inline(always)]
pub(super) fn scan_string(bytes: &[u8], start: usize, last: bool) -> StringScan {
    let mut at = start;
    let (mut has_escapes, mut may_have_colon, mut fault) = (false, false, None);
    let end = loop {
        let (next, has_colon) = special(bytes, at);
        may_have_colon |= has_colon;
        at = next;
        let escaped = match bytes.get(at) {
            Some(b'"') => break StringEnd::Closed(at),
            Some(b'\\') => bytes.get(at + 1),
            Some(b'\n') => {
                fault = fault.or(Some(at));
                break StringEnd::Break(at);
            }
            Some(_) => {
                fault = fault.or(Some(at));
                at += 1;
                continue;
            }
            None => {
                fault = fault.or(last.then_some(at));
                break StringEnd::Open(at);
            }
        };
        has_escapes = true;
        let (length, is_right) = match escaped {
            Some(b'u') => {
                may_have_colon = true;
                match hex(bytes, at + 2, 4) {
                    Some(_) => (6, true),
                    None if at + 6 > bytes.len() && !last => break StringEnd::Open(at),
                    None => (2, false),
                }
            }
            None if !last => break StringEnd::Open(at),
            None | Some(b'\n') => (1, false),
            Some(&byte) => (2, is_escape(byte)),
        };
        if !is_right {
            fault = fault.or(Some(at));
        }
        at += length;
    };
    let range = start..at;
    StringScan {
        text: JsonText {
            range,
            is_quoted: true,
            has_escapes,
            may_have_colon,
        },
        end,
        fault,
    }
}

/// Does the same for a string of JSON5, which has no faults: a line break may be escaped.
pub(super) fn scan_relaxed_string(bytes: &[u8], start: usize, quote: u8) -> StringScan {
    let mut at = start;
    let end = loop {
        let Some(found) = memchr::memchr3(quote, b'\\', b'\n', &bytes[at..]) else {
            break StringEnd::Open(bytes.len());
        };
        at += found;
        match bytes[at] {
            b'\\' if at + 2 >= bytes.len() => break StringEnd::Open(at),
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\\' => at += 2,
            b'\n' => break StringEnd::Break(at),
            _ => break StringEnd::Closed(at),
        }
    };
    let (StringEnd::Closed(index) | StringEnd::Break(index) | StringEnd::Open(index)) = end;
    let text = &bytes[start..index];
    let has_escapes = memchr::memchr(b'\\', text).is_some();
    StringScan {
        text: JsonText {
            range: start..index,
            is_quoted: true,
            has_escapes,
            may_have_colon: has_escapes || memchr::memchr(b':', text).is_some(),
        },
        end,
        fault: None,
    }
}

/// Returns whether a word is a number in JSON5 only.
pub(super) fn is_relaxed_value(word: &[u8]) -> bool {
    RELAXED_NUMBER.is_match(word)
}

/// Returns the end of a plain part of a string: the index of a quote, a backslash or a control
/// character, or the length; and whether a colon precedes it.
#[inline(always)]
fn special(bytes: &[u8], mut at: usize) -> (usize, bool) {
    let mut colons = 0;
    while let Some(block) = simd::at(bytes, at) {
        let found = block.equal(b'"') | block.equal(b'\\') | block.up_to(0x1F);
        let here = block.equal(b':');
        if found != 0 {
            let before = found ^ (found - 1);
            let end = at + found.trailing_zeros() as usize;
            return (end, colons | here & before != 0);
        }
        colons |= here;
        at += simd::LENGTH;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let found = (rest.iter()).position(|&byte| matches!(byte, b'"' | b'\\' | ..=0x1F));
    let plain = &rest[..found.unwrap_or(rest.len())];
    (at + plain.len(), colons != 0 || plain.contains(&b':'))
}

fn is_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}

/// Appends a raw string to `out`, escapes replaced, and records where its bytes come from.
pub(crate) fn unescape(bytes: &[u8], out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
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
            b'x' | b'u' if let Some((code, length)) = code_point(&bytes[at..], escaped) => {
                at += length;
                let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => out.push(escaped),
        }
        offsets.put(out.len() - length, at - start);
    }
}

pub(in crate::document) fn unescaped(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = Vec::new();
    unescape(raw, &mut text, &mut ());
    Cow::Owned(text)
}

/// Returns the code point of an escape whose letter, `x` or `u`, precedes `rest`, and its length there.
fn code_point(rest: &[u8], letter: u8) -> Option<(u32, usize)> {
    if letter == b'x' {
        return Some((hex(rest, 0, 2)?, 2));
    }
    let unit = hex(rest, 0, 4)?;
    if (0xD800..0xDC00).contains(&unit)
        && rest[4..].starts_with(b"\\u")
        && let Some(low) = hex(rest, 6, 4)
        && (0xDC00..0xE000).contains(&low)
    {
        return Some((0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00), 10));
    }
    Some((unit, 4))
}

fn hex(bytes: &[u8], at: usize, digits: usize) -> Option<u32> {
    let mut digits = bytes.get(at..at + digits)?.iter();
    digits.try_fold(0, |number, &digit| {
        Some(number * 16 + (digit as char).to_digit(16)?)
    })
}

/// Returns the length of the number at an index if it is shorter than a block and has no exponent.
#[inline(always)]
pub(super) fn short_number_length(bytes: &[u8], at: usize) -> Option<usize> {
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
    (!WORD.contains(block[end])).then_some(end)
}

/// Returns whether a word is a number (RFC 8259 section 6), `true`, `false` or `null`.
pub(super) fn is_value(word: &[u8]) -> bool {
    matches!(word, b"true" | b"false" | b"null") || NUMBER.is_match(word)
}

/// The properties of schema.org whose values are addresses, in order.
#[rustfmt::skip]
const ADDRESSES: [&[u8]; 18] = [
    b"archivedAt", b"codeRepository", b"contentUrl", b"discussionUrl", b"downloadUrl", b"embedUrl",
    b"hasMap", b"image", b"installUrl", b"item", b"logo", b"mainEntityOfPage", b"relatedLink",
    b"sameAs", b"screenshot", b"significantLink", b"thumbnailUrl", b"url",
];

/// Returns whether a name is a property whose values are addresses: by itself, or of schema.org.
pub(in crate::document) fn is_address(name: &[u8]) -> bool {
    const HOST: &[u8] = b"://schema.org/";
    let after_host = || memchr::memmem::find(name, HOST).map(|at| &name[at + HOST.len()..]);
    let local = name.strip_prefix(b"schema:").or_else(after_host);
    ADDRESSES.binary_search(&local.unwrap_or(name)).is_ok()
}
