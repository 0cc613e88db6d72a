//! Compressed files, also those that are compressed more than once.

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;

use super::input::{self, Input};
use super::sniff::HEAD;
use crate::bytes::source::Shared;
use crate::decode::compression::{Codec, DecompressError, DecompressFault, Decompressed, Members};
use crate::document::NestingLimit;
use crate::linker::{Found, Link, LinkMember, Sink};

/// A compressed file, with the first bytes of its content read.
pub(crate) struct OpenedFile {
    /// The path without the extensions of its codecs.
    pub path: Vec<u8>,
    /// The first bytes of the content.
    pub head: Vec<u8>,
    /// The members of its layers, which grow while the layers are read.
    pub members: Members,
    /// The content after the first bytes.
    rest: Shared<Decompressed>,
    /// The content is compressed, too: deeper than [`NestingLimit::COMPRESSION`].
    too_deep: bool,
}

impl OpenedFile {
    /// Opens a file whose first bytes are those of the codec.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn new(path: &[u8], codec: &'static Codec, input: Input<'_>) -> io::Result<Self> {
        let before = Cursor::new(input.head().to_vec());
        OpenedFile::over(
            path,
            codec,
            match input {
                Input::Whole(_) => Box::new(before),
                Input::File(_, file) => Box::new(before.chain(file)),
                Input::Stream(_, stream) => Box::new(before.chain(stream)),
            },
        )
    }

    /// Opens a file whose first bytes are those of the codec; `reader` reads it from the first byte on.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn over(
        path: &[u8],
        mut codec: &'static Codec,
        mut reader: Box<dyn Read + Send>,
    ) -> io::Result<Self> {
        let (mut members, mut path) = (Members::default(), path);
        loop {
            let mut layer = Decompressed::new(codec, reader).within(&members);
            members.push(&layer);
            path = without(path, codec.extension);
            let mut head = Vec::new();
            let length = input::read(&mut layer, &mut head, HEAD)?.len();
            head.truncate(length);
            match Codec::of(&head) {
                Some(inner) if NestingLimit::COMPRESSION.admits(members.layers()) => {
                    codec = inner;
                    reader = Box::new(Cursor::new(head).chain(layer));
                }
                inner => {
                    return Ok(OpenedFile {
                        path: path.to_vec(),
                        head,
                        members,
                        rest: Shared::new(layer),
                        too_deep: inner.is_some(),
                    });
                }
            }
        }
    }

    /// Returns a reader of the innermost layer.
    pub(crate) fn reader(&self) -> impl Read + Send + use<> {
        Cursor::new(self.head.clone()).chain(self.rest.clone())
    }

    /// Passes over what nobody has read, for the damage in it.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn read_to_end(&self) -> io::Result<u64> {
        io::copy(&mut self.rest.clone(), &mut io::sink())
    }

    /// Returns the errors of the layers, as far as they have been read.
    pub(crate) fn errors(&self) -> Vec<DecompressError> {
        let too_deep = self.too_deep.then_some(DecompressError {
            fault: DecompressFault::DepthLimit,
            offset: 0,
        });
        self.members.errors().chain(too_deep).collect()
    }
}

/// Adds to links the offset of the member of a compressed file in which their message begins.
pub(super) struct Located<'a> {
    pub(super) members: Members,
    pub(super) sink: &'a mut dyn Sink,
}

impl Sink for Located<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let offset = link.part.message_offset;
        let Some(offset) = offset.and_then(|offset| self.members.offset(offset)) else {
            return self.sink.link(link);
        };
        let part = &LinkMember {
            member_offset: Some(offset),
            ..*link.part
        };
        self.sink.link(&Link { part, ..*link })
    }

    fn event(&mut self, found: &Found<'_>) {
        self.sink.event(found);
    }
}

/// Removes an extension from a path, if the path has it.
fn without<'a>(path: &'a [u8], extension: &str) -> &'a [u8] {
    let shorter = path.strip_suffix(extension.as_bytes());
    let shorter = shorter.and_then(|path| path.strip_suffix(b"."));
    shorter.unwrap_or(path)
}
