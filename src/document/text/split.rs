//! Split points of a text: its pieces have the references of the whole.

use memchr::{memchr_iter, memrchr, memrchr2, memrchr3};

use crate::uri::SCHEME;

/// Returns the first index after an empty line, at which a text can be split.
///
/// Scanning `bytes[..n]` and `bytes[n..]` separately finds the same references, as no rule reaches
/// across an empty line. The first line of `bytes` may have begun before, and is never taken for empty.
/// Only LF ends a line here. Returns `None` if `bytes` holds no empty line.
///
/// ```
/// use uriscan::document::text::split_at;
/// let text = b"<http://example.com/a\n \t\r\nhttp://example.com/b>\n\nend";
/// assert_eq!(split_at(text), Some(26));
/// assert_eq!(&text[26..30], b"http");
/// assert_eq!(split_at(b"\nthe first line may have begun before"), None);
/// ```
pub fn split_at(bytes: &[u8]) -> Option<usize> {
    let mut line = None;
    for end in memchr_iter(b'\n', bytes) {
        if let Some(start) = line.replace(end + 1)
            && bytes[start..end]
                .iter()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        {
            return Some(end + 1);
        }
    }
    None
}

/// Bytes that are searched for an empty line before other line breaks are tried.
const NEAR: usize = 32 << 10;

/// More bytes than a delimited reference can have (T13), with its surroundings.
const REACH: usize = 20 << 10;

/// Line breaks that are tried per call.
const TRIES: usize = 256;

/// Returns the first split point of a text: the end of an empty line, or in a text without any, such as
/// a log, a line break that no rule reaches across. The caller tries again with all bytes so far.
pub(super) fn split_point(bytes: &[u8]) -> Option<usize> {
    if let Some(at) = split_at(&bytes[..bytes.len().min(NEAR)]) {
        return Some(at);
    }
    // The first half was tried when there were half as many bytes.
    let from = REACH.max(bytes.len() / 2);
    let breaks = memchr_iter(b'\n', bytes.get(from..)?).take(TRIES);
    breaks
        .map(|at| from + at + 1)
        .find(|&at| is_split_point(bytes, at))
}

/// Returns whether no rule reaches across the line break that ends at `at`: not a delimited reference,
/// whose delimiter and scheme no other delimiter follows, nor a bare one at the end of the line (T33),
/// nor `URL:` (T35).
fn is_split_point(bytes: &[u8], at: usize) -> bool {
    !ends_in_reference(&bytes[..at]) && !may_be_open(bytes, at)
}

/// Returns whether the last word may belong to a reference, or may have begun before the bytes.
fn ends_in_reference(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let Some(blank) = line.iter().rposition(u8::is_ascii_whitespace) else {
        return true;
    };
    let word = &line[blank + 1..];
    word.iter().any(|byte| matches!(byte, b':' | b'@' | 0x1b))
        || word
            .windows(3)
            .any(|three| three.eq_ignore_ascii_case(b"www"))
}

/// Returns whether a delimiter before `at` may open a reference that continues after it.
fn may_be_open(bytes: &[u8], at: usize) -> bool {
    let start = at.saturating_sub(REACH);
    let near = &bytes[start..at];
    let delimiter = memrchr3(b'<', b'>', b'"', near);
    let control = memrchr2(0x1b, 0x07, near);
    let Some(delimiter) = delimiter.max(control) else {
        return false;
    };
    match near[delimiter] {
        b'>' => false,
        b'<' | b'"' => may_open(&bytes[start + delimiter + 1..]),
        // T24: delimiters do not end a terminal's hyperlink.
        _ => true,
    }
}

/// Returns whether a scheme or `URL:` may follow a delimiter, with only white space between.
fn may_open(behind: &[u8]) -> bool {
    let word = behind.trim_ascii_start();
    let padding = &behind[..behind.len() - word.len()];
    match (SCHEME.first_outside(word), word.first()) {
        (_, Some(b'0'..=b'9')) => false,
        // The word ends in view, and in no colon.
        (Some(end), Some(b'a'..=b'z' | b'A'..=b'Z')) => word[end] == b':' || !word[end].is_ascii(),
        // T15: a reply mark or a comment leader may follow a line break.
        (_, Some(first)) => !first.is_ascii() || memrchr(b'\n', padding).is_some(),
        (_, None) => true,
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/text/split.rs"]
mod tests;
