//! Members that may be compressed.

use std::io::{Cursor, Read};

use memchr::memchr;

use crate::decode::compression::{Codec, Decompressed};
use crate::document::diagnostic::Code;

/// The longest member that is decompressed, in bytes; it is kept in memory.
const MAX_COMPRESSED: usize = 8 << 20;
/// The number of first bytes that tell whether something is compressed.
const MAGIC: usize = 8;
/// The number of bytes that are decompressed at a time.
const BLOCK: usize = 64 << 10;

/// The bytes of a member that may be compressed.
#[derive(Debug, Default)]
pub(in crate::document) struct CompressedMember {
    bytes: Vec<u8>,
}

/// Whether a compressed member takes more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum CompressedNeed {
    More,
    Nothing,
}

impl CompressedMember {
    /// Appends bytes.
    pub(in crate::document) fn push(&mut self, bytes: &[u8]) -> CompressedNeed {
        self.bytes.extend_from_slice(bytes);
        let known = self.bytes.len() < MAGIC || Codec::of(&self.bytes).is_some();
        match known && self.bytes.len() <= MAX_COMPRESSED {
            true => CompressedNeed::More,
            false => CompressedNeed::Nothing,
        }
    }

    /// Starts decompression, if the member is compressed text.
    pub(in crate::document) fn open(self) -> Option<DecompressedMember> {
        let codec = Codec::of(&self.bytes)?;
        let mut member = DecompressedMember {
            reader: Decompressed::new(codec, Box::new(Cursor::new(self.bytes))),
            block: Vec::new(),
        };
        member.read();
        // An archive of files has NULs; text has none.
        let is_text = memchr(0, &member.block).is_none() && Codec::of(&member.block).is_none();
        is_text.then_some(member)
    }
}

/// The contents of a compressed member, block by block.
pub(in crate::document) struct DecompressedMember {
    reader: Decompressed,
    /// The current block; empty behind the last one.
    pub(in crate::document) block: Vec<u8>,
}

impl DecompressedMember {
    /// Reads the next block.
    pub(in crate::document) fn read(&mut self) {
        self.block.clear();
        // Reading from memory does not fail, and damage ends the contents.
        let _ = (&mut self.reader)
            .take(BLOCK as u64)
            .read_to_end(&mut self.block);
    }

    /// Returns the code of damage in what was read.
    pub(in crate::document) fn fault(&self) -> Option<&'static Code> {
        self.reader.error().map(|error| error.fault.into())
    }
}
