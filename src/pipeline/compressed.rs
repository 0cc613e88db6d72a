//! Compressed files, also those that are compressed more than once.

use std::io::{self, Cursor, Read};

use super::input::{self, Input};
use super::sniff::HEAD;
use crate::bytes::source::Shared;
use crate::decode::compression::{Codec, DecompressError, DecompressFault, Decompressed, Members};
use crate::document::NestingLimit;

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
    /// Opens a file whose first bytes are those of the codec; `reader` reads it from the first byte on.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn new(
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

    /// Returns the contents.
    pub(crate) fn input(&self) -> Input<'_> {
        Input::Stream(&self.head, Box::new(self.rest.clone()))
    }

    /// Skips what nobody has read, for the damage in it: an archive may end before its compression does.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn read_to_end(&self) -> io::Result<()> {
        io::copy(&mut self.rest.clone(), &mut io::sink()).map(drop)
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

/// Removes an extension from a path, if the path has it.
fn without<'a>(path: &'a [u8], extension: &str) -> &'a [u8] {
    let shorter = path.strip_suffix(extension.as_bytes());
    let shorter = shorter.and_then(|path| path.strip_suffix(b"."));
    shorter.unwrap_or(path)
}
