//! Escapes and digits. Control characters are escaped in text for people, since a terminal or a CI
//! log acts on them.

use std::borrow::Cow;

use crate::bytes::simd::{self, Block};

/// Which characters of names and references are escaped in text output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Escape {
    /// None, for records that end in NUL.
    Nothing,
    /// Line breaks, so that each record is one line.
    #[default]
    LineBreaks,
    /// Control characters, as [`push_visible`] escapes them.
    Controls,
}

impl Escape {
    /// Appends escaped bytes. [`Escape::Controls`] also replaces invalid UTF-8 by U+FFFD.
    pub(crate) fn push(self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Escape::Nothing => out.extend_from_slice(bytes),
            Escape::LineBreaks => push_on_one_line(bytes, out),
            Escape::Controls => push_visible(bytes, out),
        }
    }
}

/// Returns whether a terminal could act on a character, or show the rest of its line elsewhere: C0,
/// DEL, C1, line and paragraph separators, and bidirectional controls (UAX #9, 2.1 to 2.4).
pub(super) fn is_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Appends bytes with control characters as `\x1b` or `\u{202e}`, and invalid UTF-8 as U+FFFD.
///
/// ```
/// use uriscan::output::escape::push_visible;
///
/// let mut out = Vec::new();
/// push_visible("a\n\x1b[2J\u{202E}é".as_bytes(), &mut out);
/// assert_eq!(out, "a\\x0a\\x1b[2J\\u{202e}é".as_bytes());
/// ```
pub fn push_visible(bytes: &[u8], out: &mut Vec<u8>) {
    if is_plain(bytes) {
        return out.extend_from_slice(bytes);
    }
    push_escaping(bytes, out, is_control, push_escape);
}

/// Appends bytes, with invalid UTF-8 as U+FFFD, and characters that need it by `escape`.
pub(super) fn push_escaping(
    bytes: &[u8],
    out: &mut Vec<u8>,
    needs_escape: impl Fn(char) -> bool,
    escape: fn(char, &mut Vec<u8>),
) {
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(&needs_escape) {
            out.extend_from_slice(&rest.as_bytes()[..at]);
            let mut after = rest[at..].chars();
            // INVARIANT: `find` returns the index of a character.
            escape(after.next().unwrap_or_default(), out);
            rest = after.as_str();
        }
        out.extend_from_slice(rest.as_bytes());
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
}

/// Escapes the end of a buffer from an index as [`push_visible`] does.
pub(super) fn make_visible(start: usize, out: &mut Vec<u8>) {
    if !is_plain(&out[start..]) {
        let bytes = out.split_off(start);
        push_visible(&bytes, out);
    }
}

/// Returns a text with its control characters escaped as by [`push_visible`].
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::new();
    push_visible(text.as_bytes(), &mut out);
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// Appends bytes with LF and CR as `\x0a` and `\x0d`.
pub(super) fn push_on_one_line(bytes: &[u8], out: &mut Vec<u8>) {
    let mut from = 0;
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        out.extend_from_slice(&bytes[from..at]);
        push_escape(char::from(bytes[at]), out);
        from = at + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

/// Returns whether all bytes are printable ASCII.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let mask = |block: Block| block.up_to(0x1F) | block.equal(0x7F) | block.beyond_ascii();
    !simd::any(bytes, mask, |byte| !(b' '..0x7F).contains(&byte))
}

fn push_escape(control: char, out: &mut Vec<u8>) {
    let code = u32::from(control);
    let escape = match control {
        '\0'..='\x7F' => format!("\\x{code:02x}"),
        _ => format!("\\u{{{code:x}}}"),
    };
    out.extend_from_slice(escape.as_bytes());
}

/// Appends a number in decimal digits.
///
/// ```
/// let mut out = b"line ".to_vec();
/// uriscan::output::escape::push_decimal(10_240, &mut out);
/// assert_eq!(out, b"line 10240");
/// ```
#[inline]
pub fn push_decimal(number: u64, out: &mut Vec<u8>) {
    if number >= EIGHT_DIGITS {
        return push_long(number, out);
    }
    let digits = decimal_digits(number);
    // One digit is left of zero.
    let zeros = (digits | 1 << 56).trailing_zeros() & !7;
    // Eight bytes are written without a call, in place of as many as there are digits.
    out.extend_from_slice(&((digits | ZEROS) >> zeros).to_le_bytes());
    out.truncate(out.len() - zeros as usize / 8);
}

#[cold]
fn push_long(number: u64, out: &mut Vec<u8>) {
    push_decimal(number / EIGHT_DIGITS, out);
    let digits = decimal_digits(number % EIGHT_DIGITS);
    out.extend_from_slice(&(digits | ZEROS).to_le_bytes());
}

/// Eight digits 0.
const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);

const EIGHT_DIGITS: u64 = 100_000_000;

/// Returns the eight digits of a number below [`EIGHT_DIGITS`], one a byte, the first in the lowest.
/// Halves all groups of digits at once, by products with reciprocals that are exact in the range of a group.
fn decimal_digits(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007F_0000_007F;
    let pairs = hundreds | (fours - hundreds * 100) << 16;
    let tens = (pairs * 103) >> 10 & 0x000F_000F_000F_000F;
    tens | (pairs - tens * 10) << 8
}

#[cfg(test)]
#[path = "../../tests/unit/output/escape.rs"]
mod tests;
