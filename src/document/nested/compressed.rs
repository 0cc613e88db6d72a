//! Members that may be compressed, or be files of other files.

use std::io::{Cursor, Read};
use std::sync::Arc;

use memchr::memchr;

use crate::decode::compression::{Codec, Decompressed};
use crate::document::diagnostic::Code;

/// The longest member that is kept, in bytes.
const MAX_COMPRESSED: usize = 8 << 20;
/// The number of first bytes that tell whether something is compressed.
const MAGIC: usize = 8;
/// The first bytes of web archives, which have no NULs.
const RECORDS: [&[u8]; 2] = [b"WARC/", b"filedesc:"];
/// The number of bytes that are decompressed at a time.
const BLOCK: usize = 64 << 10;

#[derive(Debug, Default)]
pub(in crate::document) struct CompressedMember {
    bytes: Vec<u8>,
    /// Bytes that are not compressed are kept, too.
    keeps_all: bool,
}

/// Whether a member takes more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum CompressedNeed {
    More,
    Nothing,
}

impl CompressedMember {
    /// A member without bytes; one that may be a file of other files is kept in any case.
    pub(in crate::document) fn new(may_hold_files: bool) -> Self {
        CompressedMember {
            bytes: Vec::new(),
            keeps_all: may_hold_files,
        }
    }

    pub(in crate::document) fn push(&mut self, bytes: &[u8]) -> CompressedNeed {
        self.bytes.extend_from_slice(bytes);
        let is_kept =
            self.keeps_all || self.bytes.len() < MAGIC || Codec::of(&self.bytes).is_some();
        match is_kept && self.bytes.len() <= MAX_COMPRESSED {
            true => CompressedNeed::More,
            false => CompressedNeed::Nothing,
        }
    }

    /// Starts decompression, if the member is compressed text; else returns its bytes.
    pub(in crate::document) fn open(self) -> Result<DecompressedMember, Arc<[u8]>> {
        let bytes: Arc<[u8]> = self.bytes.into();
        let Some(codec) = Codec::of(&bytes) else {
            return Err(bytes);
        };
        let mut member = DecompressedMember {
            reader: Decompressed::new(codec, Box::new(Cursor::new(Arc::clone(&bytes)))),
            block: Vec::new(),
        };
        member.read();
        // An archive of files has NULs; text has none.
        let is_text = memchr(0, &member.block).is_none()
            && Codec::of(&member.block).is_none()
            && !RECORDS.iter().any(|start| member.block.starts_with(start));
        match is_text {
            true => Ok(member),
            false => Err(bytes),
        }
    }
}

/// The contents of a compressed member, block by block.
pub(in crate::document) struct DecompressedMember {
    reader: Decompressed,
    /// The current block; empty behind the last one.
    pub(in crate::document) block: Vec<u8>,
}

impl DecompressedMember {
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
