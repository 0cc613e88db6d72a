//! One file after the other: opened, recognised, given its base, and extracted.

use std::io;

use super::input::{Input, Joined};
use super::sniff::{self, Content};
use super::walk::{Entry, Kind};
use super::{Options, Report, bases};
use crate::document::Format;
use crate::extractor::{Document, Extractor};
use crate::resolver::Sink;

/// What became of a file.
pub enum Read {
    /// It was read as a document of a format, up to a length or an error.
    Document(&'static Format, io::Result<u64>),
    /// It is a document, and nothing more was asked for.
    Listed,
    /// It is of no format that holds references: what it is called.
    Skipped(&'static str),
    /// It is of no format that was asked for.
    Unwanted,
}

/// Reads files, with buffers that serve the next one too.
pub struct Reader<'a> {
    options: &'a Options,
    extractor: Extractor,
    head: Vec<u8>,
    names: bases::Names,
}

impl<'a> Reader<'a> {
    /// A reader for one worker.
    pub fn new(options: &'a Options) -> Self {
        Reader {
            options,
            extractor: Extractor::new(&options.extractor),
            head: Vec::new(),
            names: bases::Names::default(),
        }
    }

    /// Reads a file and hands on what it holds.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or its first bytes not be read.
    pub fn read(&mut self, entry: &Entry, sink: &mut impl Sink) -> io::Result<Read> {
        let mut head = std::mem::take(&mut self.head);
        let read = Input::open(entry, &mut head).map(|input| self.document(entry, input, sink));
        self.head = head;
        read
    }

    fn document(&mut self, entry: &Entry, input: Input<'_>, sink: &mut impl Sink) -> Read {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let wanted = &self.options.formats;
        let format = match (sniff::content(path, input.head()), wanted.as_slice()) {
            // What is named is taken for what the user says that it is.
            (_, [format]) if entry.named => format,
            (Content::Other(name), _) => return Read::Skipped(name),
            (Content::Document(format), []) => format,
            (Content::Document(format), wanted) => {
                if !wanted.iter().any(|one| one.name == format.name) {
                    return Read::Unwanted;
                }
                format
            }
        };
        if self.options.report == Report::Files {
            return Read::Listed;
        }
        let bases = &self.options.bases;
        let base = match entry.kind {
            Kind::Standard => bases.of_stream(),
            Kind::File(_) | Kind::Stream => bases.of_file(path, &mut self.names),
        };
        let document = Document {
            format,
            base: base.as_ref(),
            declared: self.options.declared,
        };
        let extractor = &mut self.extractor;
        let length = match input {
            Input::Whole(bytes) => {
                extractor.extract_bytes(&document, bytes, sink);
                Ok(bytes.len() as u64)
            }
            Input::File(head, file) => {
                extractor.extract_seekable(&document, Joined::new(head, file), sink)
            }
            Input::Stream(head, stream) => {
                extractor.extract(&document, io::Read::chain(head, stream), sink)
            }
        };
        Read::Document(format, length)
    }
}
