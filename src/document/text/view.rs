//! The window as the rules read it: a read past its end is noticed, so that nothing is decided
//! before the bytes that decide it are there.

use std::cell::Cell;

use super::TextSource;
use crate::bytes::steps::step;

/// One bit of a byte's class says whether it belongs to a set.
pub(super) type ByteClassSet = [bool; 256];

/// WS of the rules: HT LF VT FF CR SP.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// A byte that ends a line.
pub(super) const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`
pub(super) const fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// A window, the index before which nothing may start, and whether a rule looked past its end.
pub(super) struct TextView<'a> {
    /// Look-behind and pending bytes.
    pub(super) bytes: &'a [u8],
    /// The outer end of the last find: schemes and delimiters start here at the earliest.
    pub(super) floor: usize,
    /// The text is a man page's source (B14).
    pub(super) source: TextSource,
    beyond: Cell<bool>,
    escape: Cell<bool>,
}

impl<'a> TextView<'a> {
    pub(super) fn new(bytes: &'a [u8], floor: usize) -> Self {
        TextView {
            bytes,
            floor,
            source: TextSource::Prose,
            beyond: Cell::new(false),
            escape: Cell::new(false),
        }
    }

    /// The byte at an index. There is none behind the window's end, and it is noticed.
    #[inline]
    pub(super) fn at(&self, at: usize) -> Option<u8> {
        step(1);
        let byte = self.bytes.get(at).copied();
        if byte.is_none() {
            self.beyond.set(true);
        }
        byte
    }

    /// The byte before an index, unless the text starts there.
    #[inline]
    pub(super) fn before(&self, at: usize) -> Option<u8> {
        self.bytes.get(at.checked_sub(1)?).copied()
    }

    /// Whether a rule looked past the end since the last call.
    pub(super) fn take_beyond(&self) -> bool {
        self.beyond.replace(false)
    }

    /// Notices that a rule wants to see more than there is.
    pub(super) fn look_beyond(&self) {
        self.beyond.set(true);
    }

    /// B14: notices a backslash at which a bare URI stops, if it may begin an escape of troff.
    #[cold]
    pub(super) fn stop_at_backslash(&self, at: usize) {
        if self.at(at + 1).is_some_and(is_escape) {
            self.escape.set(true);
        }
    }

    /// B14: whether a bare URI stopped at an escape since the last call.
    pub(super) fn take_escape(&self) -> bool {
        self.escape.replace(false)
    }

    /// The first index from `at` on whose byte is in the set, or `limit`, or the window's end.
    #[inline]
    pub(super) fn first(&self, at: usize, limit: usize, set: &ByteClassSet) -> usize {
        let end = limit.min(self.bytes.len());
        let bytes = self.bytes.get(at..end).unwrap_or_default();
        // Eight lookups before each branch: URIs are long.
        let (eights, _) = bytes.as_chunks::<8>();
        let holds = |eight: &&[u8; 8]| eight.iter().fold(false, |any, &b| any | set[b as usize]);
        let skipped = 8 * eights.iter().take_while(|eight| !holds(eight)).count();
        let rest = &bytes[skipped..];
        step(skipped);
        match rest.iter().position(|&byte| set[byte as usize]) {
            Some(n) => at + skipped + n,
            None => {
                if end < limit {
                    self.beyond.set(true);
                }
                end.max(at)
            }
        }
    }

    /// Whether these letters, given in lower case, stand at an index in any case.
    pub(super) fn spells(&self, at: usize, lower: &[u8]) -> bool {
        lower.iter().enumerate().all(|(n, &byte)| {
            self.at(at + n)
                .is_some_and(|b| b.to_ascii_lowercase() == byte)
        })
    }

    /// The scalar value at an index and its length, or nothing where the bytes are not UTF-8.
    pub(super) fn scalar(&self, at: usize) -> Option<(u32, usize)> {
        let lead = self.at(at)?;
        let (low, high) = match lead {
            0xE0 => (0xA0, 0xBF),
            0xED => (0x80, 0x9F),
            0xF0 => (0x90, 0xBF),
            0xF4 => (0x80, 0x8F),
            _ => (0x80, 0xBF),
        };
        let length = match lead {
            0..=0x7F => return Some((u32::from(lead), 1)),
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return None,
        };
        let second = self.at(at + 1).filter(|byte| (low..=high).contains(byte))?;
        let mut code = u32::from(lead & (0x7F >> length)) << 6 | u32::from(second & 0x3F);
        for n in 2..length {
            let next = self.at(at + n).filter(|byte| byte & 0xC0 == 0x80)?;
            code = code << 6 | u32::from(next & 0x3F);
        }
        Some((code, length))
    }

    /// The scalar value that ends before an index, and its length.
    pub(super) fn scalar_before(&self, end: usize, floor: usize) -> Option<(u32, usize)> {
        let lead = (floor.max(end.saturating_sub(4))..end)
            .rev()
            .find(|&at| self.bytes[at] & 0xC0 != 0x80)?;
        let text = std::str::from_utf8(&self.bytes[lead..end]).ok()?;
        text.chars().next().map(|c| (c as u32, end - lead))
    }

    /// Goes back over at most 64 bytes of WS with at most one line break.
    pub(super) fn back_over_blanks(&self, from: usize) -> usize {
        let least = self.floor.max(from.saturating_sub(PADDING));
        let mut at = from;
        let mut broken = false;
        while at > least && is_blank(self.bytes[at - 1]) {
            if is_break(self.bytes[at - 1]) {
                let pair = self.bytes[at - 1] == b'\n' && at - 1 > least;
                if broken {
                    break;
                }
                broken = true;
                if pair && self.bytes[at - 2] == b'\r' {
                    at -= 1;
                }
            }
            at -= 1;
        }
        at
    }

    /// Goes back over at most 64 spaces and tabs.
    pub(super) fn back_over_spaces(&self, from: usize) -> usize {
        let least = from.saturating_sub(PADDING);
        let mut at = from;
        while at > least && matches!(self.bytes[at - 1], b' ' | b'\t') {
            at -= 1;
        }
        at
    }

    /// The start of the line that `at` stands in, if it is at most 1024 bytes back.
    pub(super) fn line_start(&self, at: usize) -> Option<usize> {
        let least = at.saturating_sub(LINE_START);
        step(at - least);
        match memchr::memrchr2(b'\n', b'\r', &self.bytes[least..at]) {
            Some(n) => Some(least + n + 1),
            // The look-behind is longer than this look back: index 0 is the start of the text.
            None => (least == 0).then_some(0),
        }
    }
}

/// D1: WS between a delimiter and what it delimits.
pub(super) const PADDING: usize = 64;

/// How far back a line's start is looked for.
pub(super) const LINE_START: usize = 1024;

/// What a character does to the URI it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It belongs to it: letters, marks, joiners, emoji, the en dash.
    Part,
    /// It belongs to it unless it stands at its end (UTS #58 calls it soft).
    Soft,
    /// White space.
    Blank,
    /// Invisible, and ends it.
    Invisible,
    /// Punctuation that ends it, controls, noncharacters.
    Stop,
}

/// Dropped inside delimiters: they only aid or prevent breaking lines (D3).
pub(super) fn is_ignorable(code: u32) -> bool {
    matches!(code, 0xAD | 0x200B | 0x2060 | 0xFEFF)
}

/// The role of a scalar value from U+0080 on.
pub(super) fn role(code: u32) -> Role {
    match code {
        0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 => {
            Role::Blank
        }
        0x200B | 0x200E | 0x200F | 0x061C | 0x202A..=0x202E | 0x2060..=0x2069 | 0xFEFF => {
            Role::Invisible
        }
        // Controls and quotation marks of the West.
        0x80..=0x9F | 0xAB | 0xBB | 0x2014 | 0x2015 | 0x2018 | 0x201A..=0x201F => Role::Stop,
        0x2026 | 0x2039 | 0x203A | 0x27E8 | 0x27E9 => Role::Stop,
        // CJK and full-width punctuation.
        0x3001..=0x3003 | 0x3008..=0x3011 | 0x3014..=0x301B | 0x301D..=0x301F => Role::Stop,
        0xFE10..=0xFE19 | 0xFE50..=0xFE61 | 0xFF01..=0xFF0F | 0xFF1A..=0xFF20 => Role::Stop,
        0xFF3B..=0xFF40 | 0xFF5B..=0xFF65 | 0xFFFC..=0xFFFF => Role::Stop,
        // Soft: the right single quotation mark, then punctuation script by script.
        0x2019 | 0x037E | 0x0589 | 0x05C3 | 0x060C | 0x061B | 0x061D..=0x061F | 0x06D4 => {
            Role::Soft
        }
        0x0964..=0x0965 | 0x0E5A..=0x0E5B | 0x0F0D..=0x0F12 | 0x104A..=0x104B => Role::Soft,
        0x1361..=0x1368 | 0x17D4..=0x17D6 | 0x17DA | 0x1802..=0x1805 => Role::Soft,
        0x203C..=0x203D | 0x2047..=0x2049 => Role::Soft,
        _ => Role::Part,
    }
}

/// Whether a byte behind a backslash makes an escape of troff that a URI may hold (B14).
pub(super) fn is_escape(byte: u8) -> bool {
    matches!(byte, b':' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_decoded_as_the_standard_library_does() {
        let mut bytes = Vec::new();
        let leads = [
            0x41, 0x80, 0xC1, 0xC2, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
        ];
        for lead in leads {
            for second in [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] {
                for third in [0x41, 0x80, 0xBF, 0xC2] {
                    bytes.extend_from_slice(&[lead, second, third, 0x80]);
                }
            }
        }
        for at in 0..bytes.len() {
            let view = TextView::new(&bytes, 0);
            let chunk = bytes[at..].utf8_chunks().next().unwrap();
            let expected = chunk.valid().chars().next();
            let got = view.scalar(at);
            let expected = expected.map(|c| (c as u32, c.len_utf8()));
            assert_eq!(
                got,
                expected,
                "at {at}: {:x?}",
                &bytes[at..(at + 4).min(bytes.len())]
            );
        }
    }
}
