//! Split points of long documents: the memory for parsing one piece is bounded.

use crate::bytes::class::run_end;
use crate::bytes::steps::step;

/// The longest piece, in bytes.
pub(super) const MAX_PIECE: usize = 4 << 20;
/// The memory for parsing one piece, in bytes.
const MAX_MEMORY: usize = 16 << 20;
/// Memory of the parser for a character that may open or close a span, and for a line, in bytes.
const DELIMITER_SIZE: usize = 80;
/// Memory of a reference until it is reported, in bytes.
const REFERENCE_SIZE: usize = 430;

/// Returns the length of the next piece. `bytes` is longer than [`MAX_PIECE`] or ends with the document.
/// A piece ends before a heading, else after a blank line, else after a line, and outside fenced code
/// if possible.
pub(super) fn next(bytes: &[u8]) -> usize {
    let limit = max_length(bytes);
    if limit == bytes.len() {
        return limit;
    }
    let (mut best, mut at) = (SplitRank::None, 0);
    // Keeps the last of the best split points. In the first half they are worse than any later one, so that
    // pieces are not short.
    let mut consider = |rank: SplitRank, start: usize| {
        if rank >= best || at < limit / 2 {
            (best, at) = (rank, start);
        }
    };
    let mut fence = None;
    let mut start = 0;
    let mut blank = false;
    for end in memchr::memchr_iter(b'\n', &bytes[..limit]) {
        let line = &bytes[start..end];
        if start > 0 {
            let rank = match (fence, blank, line.first()) {
                (None, true, Some(b'#')) => SplitRank::Heading,
                (None, true, Some(byte)) if !byte.is_ascii_whitespace() => SplitRank::Block,
                (None, ..) => SplitRank::Line,
                (Some(_), ..) => SplitRank::Code,
            };
            consider(rank, start);
        }
        fence = fence_after(fence, line);
        blank = line.iter().all(u8::is_ascii_whitespace);
        start = end + 1;
    }
    if start > 0 {
        consider(SplitRank::Code, start);
    }
    match at {
        0 => limit,
        at => at,
    }
}

/// Returns the longest length within both limits, at a character boundary.
fn max_length(bytes: &[u8]) -> usize {
    let mut cost = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        step(1);
        cost += match byte {
            b':' | b'<' | b'@' => REFERENCE_SIZE,
            0x21..=0x7E if !byte.is_ascii_alphanumeric() => DELIMITER_SIZE,
            b'\n' | b'\r' => DELIMITER_SIZE,
            _ => 0,
        };
        if at >= MAX_PIECE || cost > MAX_MEMORY {
            let boundary = bytes[..=at].iter().rposition(|byte| byte & 0xC0 != 0x80);
            return boundary.filter(|&boundary| boundary > 0).unwrap_or(at);
        }
    }
    bytes.len()
}

/// The rank of a split point, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SplitRank {
    None,
    /// In fenced code.
    Code,
    /// Between two lines.
    Line,
    /// After a blank line.
    Block,
    /// After a blank line and before a heading.
    Heading,
}

pub(super) fn fence_after(fence: Option<u8>, line: &[u8]) -> Option<u8> {
    match (fence, fence_of(line)) {
        (None, opened) => opened,
        (Some(open), Some(closed)) if open == closed => None,
        (open, _) => open,
    }
}

/// Returns the character of the code fence that a line opens or closes.
pub(super) fn fence_of(line: &[u8]) -> Option<u8> {
    let indent = run_end(line, 0, |byte| byte == b' ');
    match line.get(indent..indent + 3) {
        Some(b"```") if indent < 4 => Some(b'`'),
        Some(b"~~~") if indent < 4 => Some(b'~'),
        _ => None,
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/markdown/split.rs"]
mod tests;
