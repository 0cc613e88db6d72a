//! One file after the other: opened, recognised, given its base, and extracted.

use std::io;

use super::bases;
use super::compressed::{Located, OpenedFile};
use super::input::{Input, Joined};
use super::options::{Choice, PipelineOptions, ReportMode};
use super::split_lines::FilePiece;
use super::walk::{Entry, EntryKind};
use crate::decode::compression::Codec;
use crate::document::{ArchiveCounts, Format, Retrieval};
use crate::extractor::{Document, Extractor, PieceOrigin, Positions};
use crate::output::record::Skip;
use crate::resolver::{Diagnostic, Sink};
use crate::uri::Base;

/// What is told of a file that does not keep what it promised.
pub(super) const SHRUNK: &str = "it became shorter while it was read";

/// What became of a file.
pub enum FileOutcome {
    /// It was read as a document.
    Document {
        /// Its format.
        format: &'static Format,
        /// How many bytes it has, as far as it could be read.
        bytes: u64,
        /// Why it could not be read to its end.
        error: Option<io::Error>,
    },
    /// It is a document, and nothing more was asked for.
    Listed,
    /// It is left out.
    Skipped(Skip),
}

/// Reads files, with buffers that serve the next one too.
pub struct FileReader<'a> {
    options: &'a PipelineOptions,
    extractor: Extractor,
    head: Vec<u8>,
    names: bases::AbsolutePaths,
}

impl<'a> FileReader<'a> {
    /// A reader for one worker.
    pub fn new(options: &'a PipelineOptions) -> Self {
        FileReader {
            options,
            extractor: Extractor::new(&options.extractor),
            head: Vec::new(),
            names: bases::AbsolutePaths::default(),
        }
    }

    /// Reads a file and hands on what it holds.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or its first bytes not be read.
    pub fn read(&mut self, entry: &Entry, sink: &mut impl Sink) -> io::Result<FileOutcome> {
        if let EntryKind::LeftOut(reason) = entry.kind {
            return Ok(FileOutcome::Skipped(Skip { reason, format: "" }));
        }
        let mut head = std::mem::take(&mut self.head);
        let read = Input::open(entry, &mut head).and_then(|input| self.open(entry, input, sink));
        self.head = head;
        read
    }

    /// The same for a file that has been read.
    ///
    /// # Errors
    ///
    /// Those of what is compressed in it.
    pub fn read_bytes(
        &mut self,
        entry: &Entry,
        bytes: &[u8],
        sink: &mut impl Sink,
    ) -> io::Result<FileOutcome> {
        self.open(entry, Input::Whole(bytes), sink)
    }

    fn open(
        &mut self,
        entry: &Entry,
        input: Input<'_>,
        sink: &mut impl Sink,
    ) -> io::Result<FileOutcome> {
        match self.options.codec(entry, input.head()) {
            Some(codec) => self.compressed(entry, codec, input, sink),
            None => Ok(self.document(entry, input, sink)),
        }
    }

    fn document(&mut self, entry: &Entry, input: Input<'_>, sink: &mut impl Sink) -> FileOutcome {
        let format = match self.format(self.options.choose(entry, input.head())) {
            Ok(format) => format,
            Err(read) => return read,
        };
        let base = self.base(entry, format);
        let document = Document {
            format,
            base: base.as_ref(),
            declared: self.options.declared,
            origin: PieceOrigin::default(),
            index: None,
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
        let length = match length {
            Ok(length) if Input::has_shrunk(entry, length) => {
                return FileOutcome::Document {
                    format,
                    bytes: length,
                    error: Some(io::Error::other(SHRUNK)),
                };
            }
            length => length,
        };
        FileOutcome::of(format, length)
    }

    /// The format to read a file as, or what becomes of it instead.
    fn format(&self, choice: Choice) -> Result<&'static Format, FileOutcome> {
        match choice {
            Choice::Read(_) if self.options.report == ReportMode::Files => Err(FileOutcome::Listed),
            Choice::Read(format) => Ok(format),
            Choice::Skip(skip) => Err(FileOutcome::Skipped(skip)),
        }
    }

    fn compressed(
        &mut self,
        entry: &Entry,
        codec: &'static Codec,
        input: Input<'_>,
        sink: &mut impl Sink,
    ) -> io::Result<FileOutcome> {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let mut opened = OpenedFile::new(path, codec, input)?;
        let choice = self.options.choose_by(opened.path, entry, &opened.head);
        let format = match self.format(choice) {
            Ok(format) => format,
            Err(read) => {
                // What cannot be opened shows nothing of its content, which is told all the same.
                let skipped = matches!(read, FileOutcome::Skipped(_));
                if skipped || opened.head.is_empty() {
                    tell_troubles(&opened, sink);
                }
                return Ok(read);
            }
        };
        let base = self.base(entry, format);
        let document = Document {
            declared: self.options.declared,
            ..Document::new(format, base.as_ref())
        };
        let reader = opened.reader();
        let mut located = Located {
            members: opened.members(),
            sink: &mut *sink,
        };
        let length = self.extractor.extract(&document, reader, &mut located);
        tell_troubles(&opened, sink);
        Ok(FileOutcome::of(format, length))
    }

    fn base(&mut self, entry: &Entry, format: &Format) -> Option<Base> {
        let bases = &self.options.bases;
        if format.retrieval == Retrieval::Elsewhere {
            return Some(bases.of_container());
        }
        let path = entry.path.as_os_str().as_encoded_bytes();
        match entry.kind {
            EntryKind::Standard => bases.of_stream(),
            EntryKind::File(_)
            | EntryKind::Unmeasured
            | EntryKind::Stream
            | EntryKind::LeftOut(_) => bases.of_file(path, &mut self.names),
        }
    }

    /// How much was read of the archive that was read last, and what was passed over; none for
    /// formats that are no archives.
    pub fn counts(&self, format: &Format) -> Option<&ArchiveCounts> {
        self.extractor.counts(format)
    }

    /// Reads a piece of a file and hands on what it holds; returns how many bytes it has.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(super) fn piece(&mut self, piece: &FilePiece, sink: &mut impl Sink) -> io::Result<u64> {
        let mut bytes = std::mem::take(&mut self.head);
        let loaded = match &piece.handed {
            Some(handed) => Ok(Some(handed.bytes())),
            None if piece.counts_lines() => {
                let loaded = piece.load(self.options.piece, &mut bytes);
                loaded.map(|loaded| loaded.then_some(bytes.as_slice()))
            }
            None => Ok(None),
        };
        let in_memory = loaded.as_ref().ok().copied().flatten();
        let origin = match self.options.extractor.positions {
            Positions::Lines if piece.counts_lines() => piece.locate(in_memory),
            _ => piece.origin(),
        };
        let format = piece.whole.format.0;
        let base = self.base(&piece.whole.entry, format);
        let document = Document {
            format,
            base: base.as_ref(),
            declared: self.options.declared,
            origin,
            index: piece.known.as_ref(),
        };
        let extractor = &mut self.extractor;
        let length = loaded.and_then(|loaded| match loaded {
            Some(bytes) => {
                extractor.extract_bytes(&document, bytes, sink);
                Ok(bytes.len() as u64)
            }
            None => extractor.extract(&document, piece.stretch(), sink),
        });
        self.head = bytes;
        length.map(|length| piece.own(length))
    }
}

/// Passes on the damage that was met in the layers of a compressed file.
fn tell_troubles(opened: &OpenedFile<'_>, sink: &mut impl Sink) {
    for trouble in opened.troubles() {
        sink.diagnostic(&Diagnostic {
            member: None,
            code: trouble.fault.into(),
            count: 1,
            offset: trouble.offset,
        });
    }
}

impl FileOutcome {
    fn of(format: &'static Format, length: io::Result<u64>) -> Self {
        FileOutcome::Document {
            format,
            bytes: *length.as_ref().unwrap_or(&0),
            error: length.err(),
        }
    }
}
