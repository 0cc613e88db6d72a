//! The format of `compress` (`.Z`), which news batches hold: LZW with codes of 9 to 16 bits.

use std::io::Read;

use super::member::{DecompressFault, MemberDecoder, MemberEnd};
use crate::bytes::buffered::BufferedSource;

pub(super) const MAGIC: &[u8] = b"\x1f\x9d";

const NARROW: u32 = 9;
const WIDEST: u32 = 16;
/// The code that empties the table, and the bit of the header that says so.
const CLEAR: u32 = 256;
const CLEARS: u8 = 0x80;

/// Decodes the rest of the input.
#[derive(Default)]
pub(super) struct Lzw {
    /// Bits of the longest codes, as the header has it.
    widest: u32,
    /// Whether [`CLEAR`] empties the table, as the header has it.
    clears: bool,
    width: u32,
    /// The bytes of up to eight codes of the same width, and how many codes of them are used.
    group: Vec<u8>,
    used: u32,
    /// The text of each code: a code for the text without the last byte, and that byte.
    table: Vec<(u16, u8)>,
    /// The code before, and the first byte of its text.
    before: Option<u16>,
    first: u8,
    /// Decoded bytes that have not been returned, the last byte first.
    text: Vec<u8>,
}

impl Lzw {
    fn clear_table(&mut self) {
        self.table.clear();
        self.table.extend((0..=255).map(|byte| (0, byte)));
        self.set_width(NARROW);
    }

    /// Continues with codes of another width, which begin a group.
    fn set_width(&mut self, width: u32) {
        self.width = width;
        self.group.clear();
        self.used = 0;
    }

    /// Reads the next code; none at the end.
    fn read_code(&mut self, source: &mut BufferedSource) -> Result<Option<u32>, DecompressFault> {
        let full = self.table.len() as u32 >= 1 << self.width;
        if full && self.width < self.widest {
            self.set_width(self.width + 1);
        }
        let mut at = (self.used * self.width) as usize;
        if at + self.width as usize > self.group.len() * 8 {
            // The last byte is padded with up to seven bits; more bits are a truncated code.
            let mut left = self.group.len() * 8 - at;
            if left == 0 {
                self.group.clear();
                source.read_up_to(self.width as usize, &mut self.group);
                (self.used, at) = (0, 0);
                left = self.group.len() * 8;
            }
            if left < self.width as usize {
                let is_padding = left < 8;
                return is_padding.then_some(None).ok_or(DecompressFault::Truncated);
            }
        }
        self.used += 1;
        let bytes = self.group[at / 8..].iter().take(3).rev();
        let bits = bytes.fold(0, |bits, &byte| bits << 8 | u32::from(byte));
        Ok(Some(bits >> (at % 8) & ((1 << self.width) - 1)))
    }

    /// Decodes the next code into `text`; false at the end.
    fn decode_code(&mut self, source: &mut BufferedSource) -> Result<bool, DecompressFault> {
        let Some(code) = self.read_code(source)? else {
            return Ok(false);
        };
        if self.clears && code == CLEAR {
            if self.before.is_some() {
                self.clear_table();
                return Ok(true);
            }
            return Err(DecompressFault::Corrupt);
        }
        let Some(before) = self.before else {
            let byte = u8::try_from(code).map_err(|_| DecompressFault::Corrupt)?;
            self.first = byte;
            self.text.push(byte);
            self.before = Some(u16::from(byte));
            // The code that empties the table has an entry.
            self.table.extend(self.clears.then_some((0, 0)));
            return Ok(true);
        };
        let known = self.table.len() as u32;
        let mut next = code as u16;
        if code >= known {
            if code > known {
                return Err(DecompressFault::Corrupt);
            }
            // The entry that this code makes: the text before, and its first byte again.
            self.text.push(self.first);
            next = before;
        }
        while next > 255 {
            let (rest, last) = self.table[usize::from(next)];
            self.text.push(last);
            next = rest;
        }
        self.first = next as u8;
        self.text.push(self.first);
        if known < 1 << self.widest {
            self.table.push((before, self.first));
        }
        self.before = Some(code as u16);
        Ok(true)
    }
}

impl MemberDecoder for Lzw {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        let mut header = [0; 3];
        let read = source.read_exact(&mut header);
        read.map_err(|_| DecompressFault::Truncated)?;
        let widest = u32::from(header[2] & 0x1F);
        if !header.starts_with(MAGIC) || !(NARROW..=WIDEST).contains(&widest) {
            return Err(DecompressFault::Corrupt);
        }
        self.widest = widest;
        self.clears = header[2] & CLEARS != 0;
        self.before = None;
        self.text.clear();
        self.clear_table();
        Ok(())
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        for (n, byte) in into.iter_mut().enumerate() {
            while self.text.is_empty() {
                match self.decode_code(source) {
                    Ok(true) => {}
                    end => return (n, Some(end.map(drop))),
                }
            }
            *byte = self.text.pop().unwrap_or_default();
        }
        (into.len(), None)
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/decode/compression/lzw.rs"]
mod tests;
