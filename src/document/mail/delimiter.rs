//! Lines that delimit the parts of a multipart entity (RFC 2046 section 5.1.1; rule M11).

use memchr::{memchr_iter, memmem};

/// The meaning of a line for the open multipart entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DelimiterLine {
    /// No delimiter.
    No,
    /// More bytes are needed to tell.
    Unknown,
    /// A delimiter.
    Delimiter(Delimiter),
}

/// A delimiter line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delimiter {
    /// The number that the caller gave the boundary.
    pub(super) level: usize,
    /// Whether it is the close delimiter, `--boundary--`.
    pub(super) close: bool,
    /// The length of the delimiter and the blanks behind it, in bytes.
    pub(super) text: usize,
    /// The length of the line with its line end, in bytes.
    pub(super) line: usize,
}

/// The most blanks behind a delimiter.
const PADDING: usize = 4096;

/// Tests the start of a line against boundaries, innermost first; `end`: no more bytes follow.
pub(super) fn test<'a>(
    line: &[u8],
    end: bool,
    boundaries: impl Iterator<Item = (usize, &'a [u8])>,
) -> DelimiterLine {
    let Some(rest) = line.strip_prefix(b"--") else {
        return if !end && b"--".starts_with(line) {
            DelimiterLine::Unknown
        } else {
            DelimiterLine::No
        };
    };
    let mut unknown = false;
    for (level, boundary) in boundaries {
        let Some(rest) = rest.strip_prefix(boundary) else {
            unknown |= !end && boundary.starts_with(rest);
            continue;
        };
        let (close, rest) = match rest.strip_prefix(b"--") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        if !close && !end && rest == b"-" {
            unknown = true;
            continue;
        }
        let blanks = rest
            .iter()
            .take_while(|&&byte| matches!(byte, b' ' | b'\t'))
            .take(PADDING)
            .count();
        let text = line.len() - rest.len() + blanks;
        let ending = match rest[blanks..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            [] | [b'\r'] if end => rest.len() - blanks,
            [] | [b'\r'] => {
                unknown = true;
                continue;
            }
            _ => continue,
        };
        if !unknown {
            return DelimiterLine::Delimiter(Delimiter {
                level,
                close,
                text,
                line: text + ending,
            });
        }
    }
    if unknown {
        DelimiterLine::Unknown
    } else {
        DelimiterLine::No
    }
}

/// Returns the next index from `at` on, behind a line end, where a line starts with two hyphens.
pub(super) fn next_candidate(
    bytes: &[u8],
    at: usize,
    base64: bool,
    finder: &memmem::Finder<'_>,
) -> Option<usize> {
    if base64 {
        // No digit of base64 is a hyphen: most searches for one byte reach the end.
        return memchr_iter(b'-', &bytes[at..])
            .map(|found| at + found)
            .find(|&found| {
                found > at && bytes[found - 1] == b'\n' && bytes.get(found + 1) == Some(&b'-')
            });
    }
    finder.find(&bytes[at..]).map(|found| at + found + 1)
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/delimiter.rs"]
mod tests;
