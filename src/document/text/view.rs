//! The window as the rules read it. A view records reads past its end: no rule decides before its bytes
//! are there.

use std::cell::Cell;

use super::{NonAscii, TextSource};
use crate::bytes::class::{ByteSet, run_start};
use crate::bytes::lines::mark_length;
use crate::bytes::simd::{self, Block};
use crate::bytes::steps::step;
use crate::uri::SCHEME;

/// Returns whether a byte is a blank: HT, LF, VT, FF, CR or SP.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Returns whether a byte ends a line.
pub(super) const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns whether a byte may stand in a scheme (RFC 3986, section 3.1).
pub(super) fn is_scheme_byte(byte: u8) -> bool {
    SCHEME.contains(byte)
}

/// A window, and the reads that the rules noticed.
#[derive(Default)]
pub(super) struct TextView<'a> {
    /// The look-behind and pending bytes.
    pub(super) bytes: &'a [u8],
    /// The outer end of the last reference: schemes and delimiters start here at the earliest.
    pub(super) floor: usize,
    /// The kind of text (T39).
    pub(super) source: TextSource,
    pub(super) non_ascii: NonAscii,
    /// No limits on the white space inside delimiters.
    pub(super) strict: bool,
    /// A rule read past the end.
    beyond: Cell<bool>,
    /// T39: a bare URI stopped at an escape of troff.
    escape: Cell<bool>,
}

impl<'a> TextView<'a> {
    pub(super) fn new(bytes: &'a [u8], floor: usize) -> Self {
        TextView {
            bytes,
            floor,
            ..TextView::default()
        }
    }

    /// Returns the byte at an index; records a read past the window's end.
    #[inline]
    pub(super) fn at(&self, at: usize) -> Option<u8> {
        step(1);
        let byte = self.bytes.get(at).copied();
        if byte.is_none() {
            self.beyond.set(true);
        }
        byte
    }

    /// Returns the byte before an index, unless the text starts there.
    #[inline]
    pub(super) fn before(&self, at: usize) -> Option<u8> {
        self.bytes.get(at.checked_sub(1)?).copied()
    }

    pub(super) fn take_beyond(&self) -> bool {
        self.beyond.replace(false)
    }

    pub(super) fn look_beyond(&self) {
        self.beyond.set(true);
    }

    /// T39: records a backslash at which a bare URI stops, if it may begin an escape of troff.
    #[cold]
    pub(super) fn stop_at_backslash(&self, at: usize) {
        if self.at(at + 1).is_some_and(is_escape) {
            self.escape.set(true);
        }
    }

    /// T39: returns whether a bare URI stopped at an escape since the last call.
    pub(super) fn take_escape(&self) -> bool {
        self.escape.replace(false)
    }

    /// Returns the first index of a byte of `set`, or `limit`, or the window's end. `mask` marks these
    /// bytes of a block, and may mark others.
    #[inline]
    pub(super) fn first(
        &self,
        at: usize,
        limit: usize,
        set: &ByteSet,
        mask: impl Fn(Block) -> u32,
    ) -> usize {
        let end = limit.min(self.bytes.len());
        let bytes = self.bytes.get(at..end).unwrap_or_default();
        let mut skipped = 0;
        while let Some(block) = simd::at(bytes, skipped) {
            let marks = mask(block);
            step(1);
            if marks == 0 {
                skipped += simd::LENGTH;
                continue;
            }
            skipped += marks.trailing_zeros() as usize;
            if set.contains(bytes[skipped]) {
                return at + skipped;
            }
            skipped += 1;
        }
        let rest = &bytes[skipped..];
        match set.first_inside(rest) {
            Some(n) => at + skipped + n,
            None => {
                if end < limit {
                    self.beyond.set(true);
                }
                end.max(at)
            }
        }
    }

    /// Returns whether the letters of `lower` are at an index, in any case.
    pub(super) fn spells(&self, at: usize, lower: &[u8]) -> bool {
        lower.iter().enumerate().all(|(n, &byte)| {
            self.at(at + n)
                .is_some_and(|b| b.to_ascii_lowercase() == byte)
        })
    }

    /// Returns the scalar value at an index and its length, unless the bytes are not UTF-8.
    pub(super) fn scalar(&self, at: usize) -> Option<(u32, usize)> {
        step(1);
        let rest = &self.bytes[at.min(self.bytes.len())..];
        let chunk = rest[..rest.len().min(4)].utf8_chunks().next();
        let first = chunk
            .as_ref()
            .and_then(|chunk| chunk.valid().chars().next());
        // The bytes at the end may be the start of a character.
        let is_cut = |e: std::str::Utf8Error| e.error_len().is_none();
        if rest.is_empty() || first.is_none() && std::str::from_utf8(rest).is_err_and(is_cut) {
            self.beyond.set(true);
        }
        first.map(|char| (char as u32, char.len_utf8()))
    }

    /// Returns the scalar value that ends at `end`, and its length.
    pub(super) fn scalar_before(&self, end: usize, floor: usize) -> Option<(u32, usize)> {
        let lead = (floor.max(end.saturating_sub(4))..end)
            .rev()
            .find(|&at| self.bytes[at] & 0xC0 != 0x80)?;
        let text = std::str::from_utf8(&self.bytes[lead..end]).ok()?;
        text.chars().next().map(|c| (c as u32, end - lead))
    }

    /// T9: goes back over at most 64 blanks with at most one line break.
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
        let near = from.saturating_sub(PADDING)..from;
        run_start(self.bytes, near, |byte| matches!(byte, b' ' | b'\t'))
    }

    /// Returns the start of the line of `at`, if it is at most 1024 bytes back.
    pub(super) fn line_start(&self, at: usize) -> Option<usize> {
        let least = at.saturating_sub(LINE_START);
        step(at - least);
        match memchr::memrchr2(b'\n', b'\r', &self.bytes[least..at]) {
            Some(n) => Some(least + n + 1),
            // The look-behind is longer than `LINE_START`: index 0 is the start of the text.
            None => (least == 0).then(|| mark_length(self.bytes).min(at)),
        }
    }
}

/// T9: the most blanks between a delimiter and the delimited text.
pub(super) const PADDING: usize = 64;

/// The distance in which a line's start is searched, in bytes.
const LINE_START: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Belongs to the URI: letters, marks, joiners, emoji, the en dash.
    Part,
    /// Belongs to the URI, except at its end (soft in UTS #58).
    Soft,
    /// White space.
    Blank,
    /// Invisible, and ends the URI.
    Invisible,
    /// Ends the URI: punctuation, controls, noncharacters.
    Stop,
}

/// T11: returns whether a character only aids or prevents line breaks.
pub(super) fn is_ignorable(code: u32) -> bool {
    matches!(code, 0xAD | 0x200B | 0x2060 | 0xFEFF)
}

/// Returns the role of a scalar value from U+0080 on (T26).
pub(super) fn role(code: u32) -> Role {
    match code {
        0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 => {
            Role::Blank
        }
        0x200B | 0x200E | 0x200F | 0x061C | 0x202A..=0x202E | 0x2060..=0x2069 | 0xFEFF => {
            Role::Invisible
        }
        // Controls and western quotation marks.
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

/// T39: returns whether a byte after a backslash makes an escape of troff that a URI may hold.
pub(super) fn is_escape(byte: u8) -> bool {
    matches!(byte, b':' | b'-')
}

#[cfg(test)]
#[path = "../../../tests/unit/document/text/view.rs"]
mod tests;
