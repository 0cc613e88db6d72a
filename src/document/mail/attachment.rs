//! A compressed attachment: gathered, and decompressed when it is complete.

use std::io::{Cursor, Read};

use memchr::memchr;

use super::part::PartContent;
use crate::decode::compression::{Codec, Decompressed};
use crate::document::diagnostic::Code;

/// A longer attachment is passed over: what is gathered takes memory.
const MOST: usize = 8 << 20;
/// So many first bytes tell whether something is compressed.
const MAGIC: usize = 8;
/// How much is decompressed at a time.
const BLOCK: usize = 64 << 10;

/// An attachment that may turn out to be compressed.
#[derive(Debug)]
pub(super) struct Attachment {
    bytes: Vec<u8>,
    /// What it holds is read as this.
    inner: PartContent,
}

/// Whether an attachment is worth more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttachmentState {
    Some,
    None,
}

impl Attachment {
    pub(super) fn new(inner: PartContent) -> Self {
        Attachment {
            bytes: Vec::new(),
            inner,
        }
    }

    /// Gathers decoded bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> AttachmentState {
        self.bytes.extend_from_slice(bytes);
        let known = self.bytes.len() < MAGIC || Codec::of(&self.bytes).is_some();
        match known && self.bytes.len() <= MOST {
            true => AttachmentState::Some,
            false => AttachmentState::None,
        }
    }

    /// Decompresses it, if it is compressed and holds text; and what that is read as.
    pub(super) fn open(self) -> Option<(AttachmentReader, PartContent)> {
        let codec = Codec::of(&self.bytes)?;
        let mut opened = AttachmentReader {
            reader: Decompressed::new(codec, Box::new(Cursor::new(self.bytes))),
            block: Vec::new(),
        };
        opened.read();
        // Text has no NUL; an archive of files has.
        if memchr(0, &opened.block).is_some() || Codec::of(&opened.block).is_some() {
            return None;
        }
        Some((opened, self.inner))
    }
}

/// What a compressed attachment holds, block by block.
pub(super) struct AttachmentReader {
    reader: Decompressed,
    /// The block at hand; empty behind the last one.
    pub(super) block: Vec<u8>,
}

impl AttachmentReader {
    /// Goes on to the next block.
    pub(super) fn read(&mut self) {
        self.block.clear();
        // Memory reads without errors, and damage ends the content.
        let _ = (&mut self.reader)
            .take(BLOCK as u64)
            .read_to_end(&mut self.block);
    }

    /// What is wrong with it, as far as it was read.
    pub(super) fn trouble(&self) -> Option<&'static Code> {
        self.reader.trouble().map(|trouble| trouble.fault.into())
    }
}
