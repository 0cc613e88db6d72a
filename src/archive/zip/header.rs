//! The headers of zip, which the central directory and streams share.

use memchr::memmem;

use crate::archive::content::{Method, StoredContents};
use crate::bytes::buffered::BufferedSource;

pub(super) const LOCAL: &[u8] = b"PK\x03\x04";
pub(super) const CENTRAL: &[u8] = b"PK\x01\x02";
pub(super) const SIGNATURE: &[u8] = b"PK\x05\x05";
pub(super) const END: &[u8] = b"PK\x05\x06";
pub(super) const END_64: &[u8] = b"PK\x06\x06";
pub(super) const LOCATOR_64: &[u8] = b"PK\x06\x07";
/// Lengths of the fixed parts of headers, in bytes.
pub(super) const LOCAL_SIZE: usize = 30;
pub(super) const CENTRAL_SIZE: usize = 46;
pub(super) const END_SIZE: usize = 22;
pub(super) const END_64_SIZE: usize = 56;
pub(super) const LOCATOR_SIZE: usize = 20;
/// The offsets of the flags in the headers.
pub(super) const LOCAL_FLAGS: usize = 6;
pub(super) const CENTRAL_FLAGS: usize = 8;
/// The longest contents that are unpacked as a whole, in bytes, packed or not.
pub(super) const HELD: u64 = 4 << 20;
/// A 32-bit field whose value is in the extra field.
pub(super) const IN_EXTRA: u64 = 0xffff_ffff;

/// Flags (APPNOTE 4.4.4).
const ENCRYPTED: u16 = 1;
pub(super) const HAS_DESCRIPTOR: u16 = 1 << 3;
const IS_UTF8: u16 = 1 << 11;

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let number = bytes.get(at..).and_then(<[u8]>::first_chunk);
    number.map_or(0, |number| u16::from_le_bytes(*number))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// A local header of a member, or its header in the central directory.
pub(super) struct ZipHeader {
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) length: u64,
    /// The offset of the local header.
    pub(super) offset: u64,
    pub(super) name: Vec<u8>,
}

impl ZipHeader {
    /// Reads a header whose fixed part has `size` bytes; the common fields begin at the flags, at an offset.
    pub(super) fn new(bytes: &[u8], size: usize, flags: usize) -> Self {
        let (fixed, rest) = bytes.split_at(size);
        let fields = &fixed[flags..];
        let (name, extra) = rest.split_at(rest.len().min(u16_at(fields, 20).into()));
        let mut header = ZipHeader {
            flags: u16_at(fields, 0),
            method: u16_at(fields, 2),
            crc: u32_at(fields, 8),
            packed: u32_at(fields, 12).into(),
            length: u32_at(fields, 16).into(),
            offset: u32_at(fields, 34).into(),
            name: Vec::new(),
        };
        let mut unicode = None;
        let mut rest = extra;
        while let Some(field) = rest.get(4..) {
            let (id, size) = (u16_at(rest, 0), usize::from(u16_at(rest, 2)));
            let value = &field[..size.min(field.len())];
            match id {
                // zip64: the numbers that do not fit, in this order.
                1 => {
                    let mut at = 0;
                    for number in [&mut header.length, &mut header.packed, &mut header.offset] {
                        if *number == IN_EXTRA && value.len() >= at + 8 {
                            *number = u64_at(value, at);
                            at += 8;
                        }
                    }
                }
                // The name in UTF-8, with the checksum of the one in the header.
                0x7075 if value.len() > 5 && u32_at(value, 1) == crc32fast::hash(name) => {
                    unicode = Some(value[5..].to_vec());
                }
                _ => {}
            }
            rest = field.get(size..).unwrap_or_default();
        }
        header.name = match unicode {
            Some(name) => name,
            None if header.flags & IS_UTF8 != 0 || name.is_ascii() => name.to_vec(),
            None => from_cp437(name),
        };
        header
    }

    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with(b"/") && self.length == 0
    }

    pub(super) fn contents(&self, start: u64) -> Option<StoredContents> {
        let method = Method::of(self.method).filter(|_| self.flags & ENCRYPTED == 0)?;
        Some(StoredContents {
            method,
            start,
            packed: self.packed,
            length: self.length,
            crc: self.crc,
        })
    }
}

/// The characters 0x80 to 0xFF of code page 437.
#[rustfmt::skip]
const CP437: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

fn from_cp437(name: &[u8]) -> Vec<u8> {
    let ascii = (0..0x80).map(char::from);
    let all: Vec<char> = ascii.chain(CP437.chars()).collect();
    let characters = name.iter().map(|&byte| all[usize::from(byte)]);
    characters.collect::<String>().into_bytes()
}

/// Returns the length of a local header with its name and extra field.
pub(super) fn local_size(local: &[u8]) -> usize {
    LOCAL_SIZE + usize::from(u16_at(local, 26)) + usize::from(u16_at(local, 28))
}

/// Returns the index of the first local header.
pub(super) fn find_local(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, LOCAL).find(|&start| {
        let local = &bytes[start..];
        (1..=512).contains(&u16_at(local, 26))
            && local.len() > LOCAL_SIZE
            && u16_at(local, 4) & 0xff <= 63
            && Method::of(u16_at(local, 8)).is_some()
    })
}

/// Returns whether an end record, which has 16 bits for it, has this number of members.
pub(super) fn is_count(count: u64, members: u64) -> bool {
    (count ^ members) & 0xffff == 0
}

/// Returns the lengths of the next header in a central directory and of the comment after it.
pub(super) fn header_lengths(directory: &mut BufferedSource) -> Option<(usize, usize)> {
    let fixed = directory.peek(CENTRAL_SIZE);
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
    let size = CENTRAL_SIZE + name + extra;
    let is_header = fixed.starts_with(CENTRAL) && directory.peek(size).len() == size;
    is_header.then_some((size, comment))
}
