//! Compressed files, also those that are compressed more than once.

use std::cell::RefCell;
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use super::input::{self, Input};
use super::prefetch::{IdleWorkers, Layer, LayerReader, SharedInput};
use super::sniff::HEAD;
use crate::decode::compression::{Codec, DecompressError, DecompressFault, Decompressed, Members};
use crate::document::NestingLimit;
use crate::linker::{Found, Link, LinkMember, Sink};

/// A compressed file, with the first bytes of its content read.
pub(crate) struct OpenedFile<'a> {
    /// The path without the extensions of its codecs.
    pub path: &'a [u8],
    /// The first bytes of the content.
    pub head: Vec<u8>,
    /// The layers, outermost first.
    layers: Vec<Layer>,
    /// The content behind the first bytes.
    rest: SharedReader,
    /// The file, if it can be read in another thread.
    input: Option<SharedInput>,
    /// The content is compressed, too: deeper than [`NestingLimit::COMPRESSION`].
    too_deep: bool,
}

/// The reader of the content, which the file shares with those who read it.
#[derive(Clone)]
struct SharedReader(Rc<RefCell<LayerReader>>);

impl Read for SharedReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(into)
    }
}

impl<'a> OpenedFile<'a> {
    /// Opens a file whose first bytes are those of the codec.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn new(path: &'a [u8], codec: &'static Codec, input: Input<'_>) -> io::Result<Self> {
        let before: Cursor<Vec<u8>> = Cursor::new(input.head().to_vec());
        let input = match input {
            Input::Whole(_) => SharedInput::new(before),
            Input::File(_, file) => SharedInput::new(before.chain(file)),
            Input::Stream(_, stream) => SharedInput::new(before.chain(stream)),
        };
        let mut this = OpenedFile::over(path, codec, Box::new(input.clone()))?;
        this.input = Some(input);
        Ok(this)
    }

    /// Opens a file whose first bytes are those of the codec; `reader` reads it from the first byte on.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn over(
        path: &'a [u8],
        codec: &'static Codec,
        reader: Box<dyn Read>,
    ) -> io::Result<Self> {
        let mut this = OpenedFile {
            path,
            head: Vec::new(),
            layers: Vec::new(),
            rest: SharedReader(Rc::new(RefCell::new(LayerReader::new(Vec::new())))),
            input: None,
            too_deep: false,
        };
        this.open(codec, reader)?;
        while let Some(codec) = Codec::of(&this.head) {
            if !NestingLimit::COMPRESSION.admits(this.layers.len()) {
                this.too_deep = true;
                break;
            }
            let reader = Box::new(this.reader());
            this.open(codec, reader)?;
        }
        Ok(this)
    }

    fn open(&mut self, codec: &'static Codec, reader: Box<dyn Read>) -> io::Result<()> {
        let layer = Decompressed::new(codec, reader);
        self.layers.push(Rc::new(RefCell::new(layer)));
        self.path = without(self.path, codec.extension);
        let rest = LayerReader::new(self.layers.clone());
        self.rest = SharedReader(Rc::new(RefCell::new(rest)));
        let length = input::read(&mut self.rest, &mut self.head, HEAD)?.len();
        self.head.truncate(length);
        Ok(())
    }

    /// Lets a thread decompress in the place of an idle worker.
    pub(crate) fn allow_thread(&self, idle: Option<&Arc<IdleWorkers>>) {
        if let (Some(input), Some(idle)) = (&self.input, idle) {
            self.rest.0.borrow_mut().allow_thread(input.clone(), idle);
        }
    }

    /// Returns a reader of the innermost layer.
    pub(crate) fn reader(&self) -> impl Read + use<> {
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

    /// Returns the offsets of members, which grow while the layers are read.
    pub(crate) fn members(&self) -> Members {
        Members::new(self.layers.clone())
    }

    /// Returns the errors of the layers, as far as they have been read.
    pub(crate) fn errors(&self) -> Vec<DecompressError> {
        let layers = self.layers.iter();
        let mut errors: Vec<_> = layers.filter_map(|layer| layer.borrow().error()).collect();
        if self.too_deep {
            errors.push(DecompressError {
                fault: DecompressFault::DepthLimit,
                offset: 0,
            });
        }
        errors
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
