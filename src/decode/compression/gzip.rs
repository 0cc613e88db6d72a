//! gzip members (RFC 1952).

use std::io::BufRead;

use crc32fast::Hasher;
use flate2::{Decompress, FlushDecompress, Status};
use smart_default::SmartDefault;

use super::member::{DecompressFault, MemberDecoder, MemberEnd, drive};
use crate::bytes::buffered::BufferedSource;

/// Flags of the header (RFC 1952 section 2.3.1).
const HEADER_CRC: u8 = 0x02;
const EXTRA: u8 = 0x04;
const NAME: u8 = 0x08;
const COMMENT: u8 = 0x10;
const RESERVED: u8 = 0xE0;

/// Bytes of the header before the optional fields.
const FIXED: usize = 10;
/// Bytes after the compressed data: checksum and length.
const TRAILER: usize = 8;

#[derive(SmartDefault)]
pub(super) struct Gzip {
    #[default(Decompress::new(false))]
    inflate: Decompress,
    /// Checksum and length, modulo 2^32, of the decompressed bytes of the member.
    crc: Hasher,
    length: u32,
    /// The compressed data of the member has ended; the trailer follows.
    ended: bool,
}

fn skip(source: &mut BufferedSource, n: usize, crc: &mut Hasher) -> Result<(), DecompressFault> {
    let bytes = source.peek(n);
    if bytes.len() < n {
        return Err(DecompressFault::Truncated);
    }
    crc.update(bytes);
    source.consume(n);
    Ok(())
}

/// Consumes a string of any length and its zero byte.
fn skip_string(source: &mut BufferedSource, crc: &mut Hasher) -> Result<(), DecompressFault> {
    loop {
        let bytes = source.available();
        let end = memchr::memchr(0, bytes);
        let length = end.map_or(bytes.len(), |end| end + 1);
        skip(source, length.max(1), crc)?;
        if end.is_some() {
            return Ok(());
        }
    }
}

impl MemberDecoder for Gzip {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        self.inflate.reset(false);
        self.crc.reset();
        self.length = 0;
        self.ended = false;
        let mut crc = Hasher::new();
        let flags = source.peek(FIXED).get(3).copied().unwrap_or_default();
        skip(source, FIXED, &mut crc)?;
        if flags & RESERVED != 0 {
            return Err(DecompressFault::Unsupported);
        }
        if flags & EXTRA != 0 {
            let [low, high] = source.peek_array().ok_or(DecompressFault::Truncated)?;
            skip(source, 2, &mut crc)?;
            skip(source, u16::from_le_bytes([low, high]).into(), &mut crc)?;
        }
        for flag in [NAME, COMMENT] {
            if flags & flag != 0 {
                skip_string(source, &mut crc)?;
            }
        }
        if flags & HEADER_CRC != 0 {
            let stored = source.peek_array().ok_or(DecompressFault::Truncated)?;
            source.consume(2);
            // After a wrong checksum the trailer cannot match.
            self.length = (u16::from_le_bytes(stored) != crc.finalize() as u16).into();
        }
        Ok(())
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        if !self.ended {
            let (produced, end) = inflate(&mut self.inflate, source, into);
            // Bytes before damage are content, also when one call meets both.
            self.crc.update(&into[..produced]);
            self.length = self.length.wrapping_add(produced as u32);
            self.ended = end == Some(Ok(()));
            if !self.ended {
                return (produced, end);
            }
            if produced > 0 {
                return (produced, None);
            }
        }
        let Some(trailer) = source.peek_array() else {
            return (0, Some(Err(DecompressFault::Truncated)));
        };
        source.consume(TRAILER);
        let sum = u64::from(self.crc.clone().finalize()) | u64::from(self.length) << 32;
        let holds = u64::from_le_bytes(trailer) == sum;
        (0, Some(holds.then_some(()).ok_or(DecompressFault::Corrupt)))
    }
}

/// Deflate data alone.
impl MemberDecoder for Decompress {
    fn begin(&mut self, _source: &mut BufferedSource) -> Result<(), DecompressFault> {
        Ok(())
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        inflate(self, source, into)
    }
}

/// Decompresses deflate data until there is output, or they end.
pub(crate) fn inflate(
    decoder: &mut Decompress,
    source: &mut BufferedSource,
    into: &mut [u8],
) -> (usize, MemberEnd) {
    drive(source, into, |input, into| {
        // A member that ends within the output needs no window.
        let flush = FlushDecompress::Finish;
        let before = (decoder.total_in(), decoder.total_out());
        let end = match decoder.decompress(input, into, flush) {
            Ok(Status::StreamEnd) => Some(Ok(())),
            Ok(_) => None,
            Err(_) => Some(Err(DecompressFault::Corrupt)),
        };
        let consumed = decoder.total_in() - before.0;
        (consumed, decoder.total_out() - before.1, end)
    })
}
