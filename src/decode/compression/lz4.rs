//! lz4 frames (LZ4 Frame Format 1.6.4).

use std::io::{Cursor, Read};

use lz4_flex::frame::FrameDecoder;
use smart_default::SmartDefault;

use super::member::{DecompressFault, MemberDecoder, MemberEnd, skip_frame};
use crate::bytes::buffered::BufferedSource;

pub(super) const MAGIC: &[u8] = b"\x04\x22\x4d\x18";

/// Returns whether a frame follows the skippable one that starts here, which may be zstd's too.
pub(super) fn follows(head: &[u8]) -> bool {
    let length = head.get(4..8).and_then(|length| length.try_into().ok());
    let end = length.map_or(0, |length| u32::from_le_bytes(length).saturating_add(8));
    let end = end as usize;
    head.get(end..).is_some_and(|next| next.starts_with(MAGIC))
}

const DICTIONARY: u8 = 0x01;
const CONTENT_CHECKSUM: u8 = 0x04;
const CONTENT_SIZE: u8 = 0x08;
const BLOCK_CHECKSUM: u8 = 0x10;

/// Length of the frame header without its optional fields, in bytes.
const FIXED: usize = 7;
/// Lengths of a block's size and of a checksum, in bytes.
const SIZE: usize = 4;
const CHECKSUM: usize = 4;
/// The bit of a block's size that says that the block is stored.
const STORED: u32 = 1 << 31;

#[derive(SmartDefault)]
pub(super) struct Lz4 {
    /// Gets the header, then one block after the other, each whole.
    #[default(FrameDecoder::new(Cursor::default()))]
    decoder: FrameDecoder<Cursor<Vec<u8>>>,
    flags: u8,
    max_block: usize,
    is_skipped: bool,
    /// Reported after the bytes of the current block.
    fault: Option<DecompressFault>,
}

impl Lz4 {
    /// Moves the next `n` bytes from the source to the decoder; returns whether all are there.
    fn feed(&mut self, source: &mut BufferedSource, n: usize) -> bool {
        let input = self.decoder.get_mut();
        input.set_position(0);
        let bytes = input.get_mut();
        bytes.clear();
        source.read_up_to(n, bytes);
        bytes.len() == n
    }

    /// Feeds the next block, or the end mark; returns whether that ends the frame.
    fn feed_block(&mut self, source: &mut BufferedSource) -> Result<bool, DecompressFault> {
        let size = source.peek_array().ok_or(DecompressFault::Truncated)?;
        let size = u32::from_le_bytes(size);
        let length = (size & !STORED) as usize;
        let checksum = match size {
            0 => CONTENT_CHECKSUM,
            _ => BLOCK_CHECKSUM,
        };
        let has_checksum = self.flags & checksum != 0;
        if length > self.max_block {
            return Err(DecompressFault::Corrupt);
        }
        let whole = SIZE + length + if has_checksum { CHECKSUM } else { 0 };
        // A block whose length is damaged may take members that follow: it is not consumed.
        if source.peek(whole).len() < whole && (size & STORED == 0 || has_checksum) {
            return Err(DecompressFault::Truncated);
        }
        if self.feed(source, whole) {
            return Ok(size == 0);
        }
        let bytes = self.decoder.get_mut().get_mut();
        // The start of a block that is stored is still good.
        let have = (bytes.len() - SIZE) as u32 | STORED;
        bytes[..SIZE].copy_from_slice(&have.to_le_bytes());
        self.fault = Some(DecompressFault::Truncated);
        Ok(false)
    }
}

impl MemberDecoder for Lz4 {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        self.fault = None;
        self.is_skipped = skip_frame(source)?;
        if self.is_skipped {
            return Ok(());
        }
        let head = source.peek(FIXED);
        let &[_, _, _, _, flags, sizes] = head.first_chunk().ok_or(DecompressFault::Truncated)?;
        if flags & DICTIONARY != 0 {
            return Err(DecompressFault::Unsupported);
        }
        self.flags = flags;
        self.max_block = 1 << (8 + 2 * (sizes >> 4 & 7));
        // The decoder does not see the end of a frame that fails.
        self.decoder = FrameDecoder::new(Cursor::default());
        let size = if flags & CONTENT_SIZE != 0 { 8 } else { 0 };
        if !self.feed(source, FIXED + size) {
            return Err(DecompressFault::Truncated);
        }
        let read = self.decoder.read(&mut [0]);
        read.map(drop).map_err(|_| DecompressFault::Corrupt)
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        if self.is_skipped {
            return (0, Some(Ok(())));
        }
        let mut is_end = false;
        loop {
            match self.decoder.read(into) {
                Ok(0) if is_end => return (0, Some(Ok(()))),
                Ok(0) => {}
                Ok(n) => return (n, None),
                Err(_) => return (0, Some(Err(DecompressFault::Corrupt))),
            }
            match self.fault.map_or_else(|| self.feed_block(source), Err) {
                Ok(end) => is_end = end,
                Err(fault) => return (0, Some(Err(fault))),
            }
        }
    }
}
