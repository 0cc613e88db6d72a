//! The tokens of CSS that the reader uses: escapes, names, strings, raw URLs (CSS Syntax Level 3,
//! section 4.3).

use std::ops::Range;

use memchr::{memchr2, memchr3};

use crate::bytes::class::{ByteSet, run_start};
use crate::bytes::seek::skip_space;

/// An escape has a backslash, six digits and a line break of two bytes at most.
pub(super) const LONGEST_ESCAPE: usize = 9;

/// Longer names are not names of functions with references.
pub(super) const LONGEST_FUNCTION: usize = 32;

/// Appends a raw reference to `out`, escapes replaced.
pub(crate) fn unescape(bytes: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match (byte, bytes.get(at)) {
            (b'\\', Some(_)) => at = escape(bytes, at, out),
            // A backslash at the end of an unclosed `url(`.
            (b'\\', None) | (0, _) => out.extend_from_slice("\u{fffd}".as_bytes()),
            _ => out.push(byte),
        }
    }
}

/// Decodes the escape whose backslash is before `at`; returns its end.
pub(super) fn escape(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let end = escape_end(bytes, at);
    match bytes[at] {
        // An escaped line break in a string is removed.
        b'\n' | b'\r' | 0x0C => {}
        first if !first.is_ascii_hexdigit() => out.push(first),
        _ => {
            let number = bytes[at..end]
                .iter()
                .map_while(|&digit| (digit as char).to_digit(16))
                .fold(0, |number, digit| number * 16 + digit);
            let character = char::from_u32(number).filter(|_| number != 0);
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    end
}

/// Returns the end of the escape whose backslash is before `at`.
pub(super) fn escape_end(bytes: &[u8], at: usize) -> usize {
    let Some(first) = bytes.get(at) else {
        return at;
    };
    let digits = bytes[at..].iter().take(6);
    let length = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
    if length == 0 && *first != b'\r' {
        return at + 1;
    }
    // One white space after the digits belongs to the escape.
    match bytes[at + length..] {
        [b'\r', b'\n', ..] => at + length + 2,
        [b' ' | b'\t' | b'\n' | b'\r' | 0x0C, ..] => at + length + 1,
        _ => at + length,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenEnd {
    Closed,
    /// At a line break in a string, or at the first byte that no URL has.
    Bad,
    /// At the end of the window, or at an escape that may be cut by it.
    Open,
}

pub(super) fn string_end(quote: u8, bytes: &[u8], mut at: usize, last: bool) -> (TokenEnd, usize) {
    // A backslash at the end of the sheet is dropped.
    let longest_escape = if last { 2 } else { LONGEST_ESCAPE };
    loop {
        let rest = &bytes[at..];
        let near = memchr3(quote, b'\\', b'\n', rest).unwrap_or(rest.len());
        if let Some(found) = memchr2(b'\r', 0x0C, &rest[..near]) {
            return (TokenEnd::Bad, at + found);
        }
        at += near;
        match bytes.get(at) {
            None => return (TokenEnd::Open, at),
            Some(b'\n') => return (TokenEnd::Bad, at),
            Some(b'\\') if at + longest_escape > bytes.len() => return (TokenEnd::Open, at),
            Some(b'\\') => at = escape_end(bytes, at + 1),
            Some(_) => return (TokenEnd::Closed, at),
        }
    }
}

const URL: ByteSet = ByteSet::EMPTY
    .with(b"\"'()\\ \x7F")
    .with_range(1, 0x1F)
    .complement();

/// Returns the end of a raw URL, from `at` on (CSS Syntax 4.3.6): the indices after the URL, and after the
/// white space and the parenthesis that follow.
pub(super) fn url_end(bytes: &[u8], mut at: usize, last: bool) -> (TokenEnd, usize, usize) {
    loop {
        let rest = &bytes[at..];
        at += URL.first_outside(rest).unwrap_or(rest.len());
        match bytes.get(at) {
            Some(b'\\') if !last && at + LONGEST_ESCAPE > bytes.len() => {
                return (TokenEnd::Open, at, at);
            }
            Some(b'\\') if is_escape(bytes, at) => at = escape_end(bytes, at + 1),
            _ => break,
        }
    }
    let end = skip_space(bytes, at);
    match bytes.get(end) {
        None => (TokenEnd::Open, at, end),
        Some(b')') => (TokenEnd::Closed, at, end + 1),
        Some(_) => (TokenEnd::Bad, at, end),
    }
}

/// Returns the range of the URL in a comment that names a source map (ECMA-426, section 11.1).
pub(super) fn source_map(comment: &[u8]) -> Option<Range<usize>> {
    let text = comment.get(1..)?.trim_ascii_start();
    let text = text.strip_prefix(b"sourceMappingURL=")?;
    let start = comment.len() - text.len();
    let url = text.trim_ascii_end();
    let is_one = !url.is_empty() && !url.iter().any(u8::is_ascii_whitespace);
    is_one.then_some(start..start + url.len())
}

/// Returns the start of the name that ends at `at`, at most [`LONGEST_FUNCTION`] + 1 bytes before.
pub(super) fn name_start(bytes: &[u8], at: usize, floor: usize) -> usize {
    let nearest = floor.max(at.saturating_sub(LONGEST_FUNCTION + 1));
    let start = run_start(bytes, nearest..at, is_name);
    // The hyphens of `<!--` are a part of that token.
    let is_token = bytes[floor..start].ends_with(b"<!") && bytes[start..at].starts_with(b"--");
    start + 2 * usize::from(is_token)
}

/// Whether an escape begins at `at`, outside a string (CSS Syntax 4.3.8).
pub(super) fn is_escape(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'\\') && !matches!(bytes.get(at + 1), Some(b'\n' | b'\r' | 0x0C))
}

/// Whether an identifier starts at `at` (CSS Syntax 4.3.9).
pub(super) fn starts_name(bytes: &[u8], at: usize) -> bool {
    let is_start = |at: usize| {
        let byte = bytes.get(at).copied().unwrap_or(b' ');
        is_name(byte) && !byte.is_ascii_digit() && byte != b'-' || is_escape(bytes, at)
    };
    let hyphen = bytes.get(at) == Some(&b'-');
    is_start(at) || hyphen && (is_start(at + 1) || bytes.get(at + 1) == Some(&b'-'))
}

/// A name in lower case; longer ones than the buffer equal no name.
#[derive(Debug, Default)]
pub(super) struct CssName {
    bytes: [u8; 20],
    length: usize,
}

impl CssName {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut name = CssName::default();
        bytes.iter().for_each(|&byte| name.push(byte));
        name
    }

    pub(super) fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte.to_ascii_lowercase();
        }
        self.length += 1;
    }

    pub(super) fn escape(&mut self, bytes: &[u8], at: &mut usize) {
        *at += 1;
        if *at == bytes.len() {
            return self.push(0xFF);
        }
        let mut out = Vec::new();
        *at = escape(bytes, *at, &mut out);
        out.iter().for_each(|&byte| self.push(byte));
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

const NAME: ByteSet = ByteSet::ALPHANUMERIC.with(b"-_\0").with_range(0x80, 0xFF);

/// Whether a byte is part of a name. NUL is read as U+FFFD, which is.
pub(super) fn is_name(byte: u8) -> bool {
    NAME.contains(byte)
}
