//! Lines that delimit the parts of a multipart entity (RFC 2046 section 5.1.1; rule M11).

use memchr::memchr_iter;

use crate::bytes::literal::Literal;

/// The meaning of a line for the open multipart entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DelimiterLine {
    No,
    /// More bytes are needed to decide.
    Unknown,
    Delimiter(Delimiter),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delimiter {
    /// The number that the caller gave the boundary.
    pub(super) level: usize,
    /// Whether it is the close delimiter, `--boundary--`.
    pub(super) close: bool,
    /// The length of the delimiter and the blanks after it, in bytes.
    pub(super) text: usize,
    /// The length of the line with its line end, in bytes.
    pub(super) line: usize,
}

/// The most blanks after a delimiter.
const PADDING: usize = 4096;

/// Tests the start of a line against boundaries, innermost first; `end`: no more bytes follow.
pub(super) fn test<'a>(
    line: &[u8],
    end: bool,
    boundaries: impl Iterator<Item = (usize, &'a [u8])>,
) -> DelimiterLine {
    let mut tests = boundaries.map(|(level, boundary)| test_one(line, end, level, boundary));
    let found = tests.find(|found| *found != DelimiterLine::No);
    found.unwrap_or(DelimiterLine::No)
}

fn test_one(line: &[u8], end: bool, level: usize, boundary: &[u8]) -> DelimiterLine {
    let (hyphens, rest) = line.split_at(line.len().min(2));
    let Some(rest) = rest.strip_prefix(boundary).filter(|_| hyphens == b"--") else {
        let is_cut = !end && b"--".starts_with(hyphens) && boundary.starts_with(rest);
        return [DelimiterLine::No, DelimiterLine::Unknown][usize::from(is_cut)];
    };
    let closed = rest.strip_prefix(b"--");
    let rest = closed.unwrap_or(rest);
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let blanks = rest.iter().take_while(blank).take(PADDING).count();
    let text = line.len() - rest.len() + blanks;
    let ending = match rest[blanks..] {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        [] | [b'\r'] if end => rest.len() - blanks,
        [] | [b'\r'] => return DelimiterLine::Unknown,
        [b'-'] if blanks == 0 && closed.is_none() && !end => return DelimiterLine::Unknown,
        _ => return DelimiterLine::No,
    };
    DelimiterLine::Delimiter(Delimiter {
        level,
        close: closed.is_some(),
        text,
        line: text + ending,
    })
}

static HYPHENS: Literal = Literal::new(b"\n--", 2);

/// Returns the next index from `at` on, after a line end, where a line starts with two hyphens.
pub(super) fn next_candidate(bytes: &[u8], at: usize, base64: bool) -> Option<usize> {
    if base64 {
        // No digit of base64 is a hyphen: most searches for one byte reach the end.
        let mut hyphens = memchr_iter(b'-', &bytes[at..]).map(|found| at + found);
        return hyphens.find(|&found| found > at && bytes[found - 1..].starts_with(b"\n--"));
    }
    HYPHENS.find(bytes, at).map(|found| found + 1)
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/delimiter.rs"]
mod tests;
