//! zstd frames (RFC 8878).

use std::io::Read;

use ruzstd::decoding::errors::{FrameDecoderError, FrameHeaderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder, StreamingDecoder};
use smart_default::SmartDefault;

use super::member::{
    DecompressFault, MemberDecoder, MemberEnd, SKIPPABLE_HEADER, WINDOW, is_skippable, skip_frame,
};
use crate::bytes::buffered::BufferedSource;

pub(super) const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
/// The first byte of a skippable frame that holds a dictionary for the frames after it.
const DICTIONARY_FRAME: u8 = 0x5d;
const DICTIONARY: usize = 8 << 20;
/// The number of bytes of a frame in which its first block is whole: that and a frame header.
pub(super) const FIRST_BLOCK: usize = BLOCK_MOST + 32;

/// Bits of the frame header descriptor (RFC 8878 section 3.1.1.1.1).
const CONTENT_SIZE: u8 = 0xC0;
const SINGLE_SEGMENT: u8 = 0x20;
const RESERVED: u8 = 0x08;
const CHECKSUM: u8 = 0x04;

/// Types of blocks (RFC 8878 section 3.1.1.2.2).
const RAW: u32 = 0;
const RLE: u32 = 1;
const BLOCK_RESERVED: u32 = 3;
/// The longest block, in bytes as stored (RFC 8878 section 3.1.1.2.4).
const BLOCK_MOST: usize = 128 << 10;
/// Lengths of a block's header and of a frame's checksum, in bytes.
const BLOCK_HEADER: usize = 3;
const CHECKSUM_SIZE: usize = 4;
/// The last block of a frame, raw and empty, and a checksum.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

#[derive(SmartDefault)]
pub(super) struct Zstd {
    decoder: FrameDecoder,
    is_skipped: bool,
    /// The length of the content as the frame header has it, in bytes.
    content_size: Option<u64>,
    checksum: bool,
    /// Decoded bytes of the frame that have been returned.
    produced: u64,
    block: Vec<u8>,
    /// Set when no more blocks can be decoded; the window is returned before the fault.
    fault: Option<DecompressFault>,
    /// The dictionary of frames that name none.
    dictionary: Option<u32>,
    #[default(true)]
    is_first: bool,
}

/// Returns the length of the skippable frame with a dictionary that starts with these bytes, if any.
fn dictionary_frame(head: &[u8]) -> Option<usize> {
    let &[kind, _, _, _, a, b, c, d] = head.first_chunk::<SKIPPABLE_HEADER>()?;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let is_dictionary = is_skippable(head) && kind == DICTIONARY_FRAME && length <= DICTIONARY;
    is_dictionary.then_some(SKIPPABLE_HEADER + length)
}

impl Zstd {
    pub(super) fn new() -> Self {
        let mut zstd = Zstd::default();
        zstd.decoder.set_max_window_size(WINDOW);
        zstd
    }

    /// Reads the dictionary in a skippable frame of this content, which may be compressed itself (the
    /// proposal "ZSTD WARC files" of the IIPC). Other frames are skipped.
    fn read_dictionary(&mut self, stored: &[u8]) {
        let mut unpacked = Vec::new();
        let dictionary = match StreamingDecoder::new(stored) {
            Ok(frame) if stored.starts_with(MAGIC) => {
                // A cut frame leaves a dictionary that does not parse.
                let _ = frame.take(DICTIONARY as u64).read_to_end(&mut unpacked);
                &unpacked
            }
            _ => stored,
        };
        if let Ok(dictionary) = Dictionary::decode_dict(dictionary) {
            let id = dictionary.id;
            if self.decoder.add_dict(dictionary).is_ok() {
                self.dictionary = Some(id);
            }
        }
    }

    fn decode_block(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        let [a, b, c] = source.peek_array().ok_or(DecompressFault::Truncated)?;
        let header = u32::from_le_bytes([a, b, c, 0]);
        let (kind, size) = (header >> 1 & 3, (header >> 3) as usize);
        if kind == BLOCK_RESERVED || size > BLOCK_MOST {
            return Err(DecompressFault::Corrupt);
        }
        let stored = if kind == RLE { 1 } else { size };
        let has_checksum = self.checksum && header & 1 == 1;
        let whole = BLOCK_HEADER + stored + if has_checksum { CHECKSUM_SIZE } else { 0 };
        // A block whose length is damaged may take members that follow: it is not consumed.
        let available = source.peek(whole).len();
        if available < BLOCK_HEADER + stored && kind != RAW {
            return Err(DecompressFault::Truncated);
        }
        self.block.clear();
        source.read_up_to(whole, &mut self.block);
        let have = self.block.len();
        if have >= BLOCK_HEADER + stored {
            // Without its checksum the last block is still good.
            self.block.resize(whole, 0);
        } else {
            // So is the start of a raw block.
            let header = ((have - BLOCK_HEADER) as u32) << 3;
            self.block[..BLOCK_HEADER].copy_from_slice(&header.to_le_bytes()[..BLOCK_HEADER]);
        }
        let one = BlockDecodingStrategy::UptoBlocks(1);
        match self.decoder.decode_blocks(self.block.as_slice(), one) {
            Ok(_) if have == whole => Ok(()),
            Ok(_) => Err(DecompressFault::Truncated),
            Err(_) => Err(DecompressFault::Corrupt),
        }
    }

    /// Ends the frame after damage, so that the library returns the window.
    fn end_frame(&mut self) {
        if !self.decoder.is_finished() {
            let one = BlockDecodingStrategy::UptoBlocks(1);
            // An empty block does not fail; if it did, only the window would be lost.
            let _ = self.decoder.decode_blocks(LAST_BLOCK, one);
        }
    }

    fn verify(&self) -> Result<(), DecompressFault> {
        let stored = self.decoder.get_checksum_from_data();
        let holds = self.content_size.is_none_or(|size| size == self.produced)
            && stored.is_none_or(|stored| self.decoder.get_calculated_checksum() == Some(stored));
        holds.then_some(()).ok_or(DecompressFault::Corrupt)
    }
}

fn fault(error: &FrameDecoderError) -> DecompressFault {
    use ReadFrameHeaderError as Header;
    match error {
        FrameDecoderError::WindowSizeTooBig { .. }
        | FrameDecoderError::FrameHeaderError(FrameHeaderError::WindowTooBig { .. }) => {
            DecompressFault::Memory
        }
        FrameDecoderError::DictNotProvided { .. } => DecompressFault::Unsupported,
        FrameDecoderError::ReadFrameHeaderError(
            Header::BadMagicNumber(_) | Header::InvalidFrameDescriptor(_),
        ) => DecompressFault::Corrupt,
        FrameDecoderError::ReadFrameHeaderError(_) => DecompressFault::Truncated,
        _ => DecompressFault::Corrupt,
    }
}

impl MemberDecoder for Zstd {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        self.fault = None;
        self.produced = 0;
        let is_first = std::mem::replace(&mut self.is_first, false);
        if let Some(length) = dictionary_frame(source.peek(SKIPPABLE_HEADER)).filter(|_| is_first) {
            let frame = source.peek(length);
            self.read_dictionary(frame.get(SKIPPABLE_HEADER..).unwrap_or_default());
        }
        self.is_skipped = skip_frame(source)?;
        if self.is_skipped {
            return Ok(());
        }
        let head = source.peek(SKIPPABLE_HEADER);
        let descriptor = *head.get(4).ok_or(DecompressFault::Truncated)?;
        if descriptor & RESERVED != 0 {
            return Err(DecompressFault::Unsupported);
        }
        let result = self.decoder.reset(source);
        result.map_err(|error| fault(&error))?;
        if let Some(id) = self.dictionary {
            self.decoder.force_dict(id).map_err(|error| fault(&error))?;
        }
        let has_size = descriptor & (CONTENT_SIZE | SINGLE_SEGMENT) != 0;
        self.content_size = has_size.then(|| self.decoder.content_size());
        self.checksum = descriptor & CHECKSUM != 0;
        Ok(())
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        if self.is_skipped {
            return (0, Some(Ok(())));
        }
        loop {
            // Reading from the decoder's memory does not fail.
            let n = self.decoder.read(into).unwrap_or(0);
            if n > 0 {
                self.produced += n as u64;
                return (n, None);
            }
            if let Some(fault) = self.fault {
                return (0, Some(Err(fault)));
            }
            if self.decoder.is_finished() {
                return (0, Some(self.verify()));
            }
            if let Err(fault) = self.decode_block(source) {
                self.fault = Some(fault);
                self.end_frame();
            }
        }
    }
}
