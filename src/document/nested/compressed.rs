//! Members that may be compressed, or be files of other files.

use std::io::{Cursor, Read};
use std::sync::Arc;

use memchr::memchr;

use crate::decode::compression::{Codec, Decompressed};
use crate::document::diagnostic::Code;

const MAX_COMPRESSED: usize = 8 << 20;
const MAGIC: usize = 8;
/// The first bytes of web archives, which have no NULs.
const RECORDS: [&[u8]; 2] = [b"WARC/", b"filedesc:"];
const BLOCK: usize = 64 << 10;

#[derive(Debug, Default)]
pub(crate) struct CompressedMember {
    bytes: Vec<u8>,
    keeps_all: bool,
}

impl CompressedMember {
    /// A member without bytes; one that may be a file of other files is kept in any case.
    pub(crate) fn new(may_hold_files: bool) -> Self {
        CompressedMember {
            bytes: Vec::new(),
            keeps_all: may_hold_files,
        }
    }

    /// Appends bytes; returns whether the member takes more.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        self.bytes.extend_from_slice(bytes);
        let is_known = self.bytes.len() >= MAGIC && Codec::of(&self.bytes).is_none();
        (self.keeps_all || !is_known) && self.bytes.len() <= MAX_COMPRESSED
    }

    /// Starts decompression, if the member is compressed text; else returns its bytes.
    pub(crate) fn open(self) -> Result<DecompressedMember, Arc<[u8]>> {
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
        if is_text { Ok(member) } else { Err(bytes) }
    }
}

/// The contents of a compressed member, block by block.
pub(crate) struct DecompressedMember {
    reader: Decompressed,
    /// The current block; empty after the last one.
    pub(crate) block: Vec<u8>,
}

impl DecompressedMember {
    pub(crate) fn read(&mut self) {
        self.block.clear();
        // Reading from memory does not fail, and damage ends the contents.
        let _ = (&mut self.reader)
            .take(BLOCK as u64)
            .read_to_end(&mut self.block);
    }

    pub(crate) fn fault(&self) -> Option<&'static Code> {
        self.reader.error().map(|error| error.fault.into())
    }
}
