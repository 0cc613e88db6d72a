//! Where a long document is cut: what parsing a piece takes is bounded, whatever stands in it.

use crate::bytes::steps::step;

/// The longest piece, in bytes.
pub(super) const LONGEST: usize = 4 << 20;
/// What parsing one piece may take, in bytes.
const MOST: usize = 16 << 20;
/// Bytes that the parser takes for a mark that may open or close something, and for a line.
const MARK: usize = 80;
/// Bytes that a reference takes on its way.
const REFERENCE: usize = 430;

/// The length of the next piece; all that there is, where that takes little enough. There are more
/// than [`LONGEST`] bytes, or all that follow.
///
/// A piece ends before a heading, else behind a blank line, else with a line, and outside of fenced
/// code where that can be.
pub(super) fn next(bytes: &[u8]) -> usize {
    let limit = affordable(bytes);
    if limit == bytes.len() {
        return limit;
    }
    let mut cut = Cut::default();
    let mut fence = None;
    let mut start = 0;
    let mut blank = false;
    for end in memchr::memchr_iter(b'\n', &bytes[..limit]) {
        let line = &bytes[start..end];
        if start > 0 {
            let rank = match (fence, blank, line.first()) {
                (None, true, Some(b'#')) => Rank::Heading,
                (None, true, Some(byte)) if !byte.is_ascii_whitespace() => Rank::Block,
                (None, ..) => Rank::Line,
                (Some(_), ..) => Rank::Code,
            };
            cut.consider(rank, start, limit);
        }
        fence = match (fence, fence_of(line)) {
            (None, opened) => opened,
            (Some(open), Some(closed)) if open == closed => None,
            (open, _) => open,
        };
        blank = line.iter().all(u8::is_ascii_whitespace);
        start = end + 1;
    }
    if start > 0 {
        cut.consider(Rank::Code, start, limit);
    }
    match cut.at {
        0 => limit,
        at => at,
    }
}

/// How far parsing takes little enough; not into a character.
fn affordable(bytes: &[u8]) -> usize {
    let mut cost = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        step(1);
        cost += match byte {
            b':' | b'<' | b'@' => REFERENCE,
            0x21..=0x7E if !byte.is_ascii_alphanumeric() => MARK,
            b'\n' | b'\r' => MARK,
            _ => 0,
        };
        if at >= LONGEST || cost > MOST {
            return (0..=at)
                .rev()
                .find(|&at| bytes[at] & 0xC0 != 0x80)
                .filter(|&at| at > 0)
                .unwrap_or(at);
        }
    }
    bytes.len()
}

/// How good a place is to cut at, the best last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    #[default]
    None,
    /// In fenced code.
    Code,
    /// Between two lines.
    Line,
    /// Behind a blank line.
    Block,
    /// Behind a blank line and before a heading.
    Heading,
}

#[derive(Debug, Default)]
struct Cut {
    rank: Rank,
    at: usize,
}

impl Cut {
    /// Takes the last of the best places; those in the first half of what can be had are worse than
    /// any later one, or pieces would be short.
    fn consider(&mut self, rank: Rank, at: usize, limit: usize) {
        if rank >= self.rank || self.at < limit / 2 {
            *self = Cut { rank, at };
        }
    }
}

/// The character of the fence that a line opens or closes.
fn fence_of(line: &[u8]) -> Option<u8> {
    let indent = line.iter().take_while(|&&byte| byte == b' ').count();
    match line.get(indent..indent + 3) {
        Some(b"```") if indent < 4 => Some(b'`'),
        Some(b"~~~") if indent < 4 => Some(b'~'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_document_is_one_piece() {
        assert_eq!(next(b"# a\n\n[b](c)\n"), 12);
        assert_eq!(next(b""), 0);
    }

    #[test]
    fn pieces_end_before_headings_and_outside_of_code() {
        let paragraph = "word ".repeat(200_000);
        let text = format!("{paragraph}\n\n# one\n\n```\n\n# two\n\n```\n\n").repeat(8);
        let mut rest = text.as_bytes();
        let mut count = 0;
        while !rest.is_empty() {
            let length = next(rest);
            count += 1;
            if length < rest.len() {
                assert!(rest[length..].starts_with(b"# one"), "{}", length);
            }
            rest = &rest[length..];
        }
        assert_eq!(count, 2);
    }

    #[test]
    fn no_piece_is_empty_or_cuts_a_character() {
        for text in [
            "[".repeat(1 << 20),
            "é".repeat(3 << 20),
            "\n".repeat(1 << 20),
        ] {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let length = next(rest.as_bytes());
                assert!(length > 0 && length <= LONGEST);
                rest = &rest[length..];
            }
        }
    }
}
