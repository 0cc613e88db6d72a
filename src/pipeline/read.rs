//! Reads one file after the other: opens it, recognises its format, finds its base, extracts its links.

use std::io::{self, Cursor, Read as _};
use std::sync::Arc;

use super::archive::{self, ArchiveOutcome, ArchiveReader, ArchiveSink, WantedBytes, WayToMember};
use super::attachment;
use super::bases;
use super::compressed::{Located, OpenedFile};
use super::input::{Input, Joined};
use super::nested_output::NestedOutput;
use super::options::{Archived, Choice, PipelineOptions, ReportMode, spliced};
use super::split_document::FilePiece;
use super::walk::{Entry, EntryKind};
use crate::archive::{ArchiveFormat, ArchiveSource, Container};
use crate::decode::compression::{Codec, DecompressError};
use crate::document::options::Slug;
use crate::document::{ArchiveCounts, Format, Retrieval};
use crate::extractor::{Document, Extractor};
use crate::linker::{Diagnostic, Found, Sink};
use crate::output::record::Skip;
use crate::uri::Base;

/// The message for a file that became shorter while it was read.
pub(super) const SHRUNK: &str = "it became shorter while it was read";

/// The result of reading a file.
pub(crate) enum FileOutcome {
    /// Read as a document.
    Document {
        /// The format of the document.
        format: &'static Format,
        /// The number of bytes that were read.
        bytes: u64,
        /// The error that ended the reading early.
        error: Option<io::Error>,
    },
    /// Read as an archive.
    Archive {
        /// The counts of its members.
        outcome: ArchiveOutcome,
        /// The error that ended the reading early.
        error: Option<io::Error>,
    },
    /// A document, not read since only the paths of documents are listed.
    Listed,
    /// Left out.
    Skipped(Skip),
}

/// The counts of a piece of an archive, and the error that ended its reading early.
pub(crate) type PieceRead = (ArchiveOutcome, Option<io::Error>);

/// Reads files, with buffers that are used again for the next one.
pub(crate) struct FileReader<'a> {
    options: &'a PipelineOptions,
    extractor: Extractor,
    nested: NestedOutput,
    head: Vec<u8>,
    names: bases::AbsolutePaths,
    trees: bases::TreeRoots,
    /// The member of an archive of which the bytes are wanted.
    wanted: Option<WantedBytes>,
}

impl<'a> FileReader<'a> {
    /// Creates the reader of one worker.
    pub(crate) fn new(options: &'a PipelineOptions) -> Self {
        let nested = NestedOutput::default();
        FileReader {
            options,
            extractor: attachment::extractor(options, &nested),
            nested,
            head: Vec::new(),
            names: bases::AbsolutePaths::default(),
            trees: bases::TreeRoots::default(),
            wanted: None,
        }
    }

    /// Creates a reader that passes no links to the sink, only what fragments can name.
    pub(crate) fn of_anchors(options: &'a PipelineOptions) -> Self {
        let mut reader = FileReader::new(options);
        reader.extractor.leave_references();
        reader
    }

    /// Reads a file and passes its links to `sink`.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or its first bytes cannot be read.
    pub(crate) fn read(
        &mut self,
        entry: &Entry,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<FileOutcome> {
        if let EntryKind::LeftOut(reason) = entry.kind {
            return Ok(FileOutcome::Skipped(Skip { reason, format: "" }));
        }
        if let Some(splices) = self.options.replaced.get(&entry.path) {
            let bytes = std::fs::read(&entry.path)?;
            return self.read_bytes(entry, &spliced(&bytes, 0..bytes.len(), splices), sink);
        }
        let mut head = std::mem::take(&mut self.head);
        let read = Input::open(entry, &mut head).and_then(|input| self.open(entry, input, sink));
        self.head = head;
        read
    }

    /// Passes the links of a file that has been read to `sink`.
    ///
    /// # Errors
    ///
    /// When a compressed file cannot be decompressed.
    pub(crate) fn read_bytes(
        &mut self,
        entry: &Entry,
        bytes: &[u8],
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<FileOutcome> {
        self.open(entry, Input::Whole(bytes), sink)
    }

    fn open(
        &mut self,
        entry: &Entry,
        input: Input<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<FileOutcome> {
        if let Some(codec) = self.options.codec(entry, input.head()) {
            return self.compressed(entry, codec, input, sink);
        }
        if let Some(format) = self.options.archive(entry, input.head()) {
            let source = match input {
                Input::Whole(bytes) => ArchiveSource::File(Arc::new(bytes.to_vec())),
                Input::File(_, file) => ArchiveSource::File(Arc::new(file)),
                Input::Stream(head, stream) => {
                    let head = Cursor::new(head.to_vec());
                    ArchiveSource::Pipe(Box::new(head.chain(stream)))
                }
            };
            return Ok(self.archive(entry, format, source, sink));
        }
        Ok(self.document(entry, input, sink))
    }

    /// Reads the members of an archive.
    fn archive(
        &mut self,
        entry: &Entry,
        format: &'static ArchiveFormat,
        source: ArchiveSource,
        sink: &mut dyn ArchiveSink,
    ) -> FileOutcome {
        if self.options.report == ReportMode::Files {
            return FileOutcome::Listed;
        }
        let base = self.place(entry).map(archive::base_of_members);
        let slug = self.slug_of_archive(entry);
        let reader = ArchiveReader::new(self.options, &mut self.extractor, &self.nested);
        let reader = reader.with_slug(slug).wanting(self.wanted.as_mut());
        let (outcome, read) = reader.read(format, source, base, sink);
        FileOutcome::Archive {
            outcome,
            error: read.err(),
        }
    }

    fn document(
        &mut self,
        entry: &Entry,
        input: Input<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> FileOutcome {
        let format = match self.format(self.options.choose(entry, input.head())) {
            Ok(format) => format,
            Err(read) => return read,
        };
        let base = self.base(entry, format);
        let tree = self.tree(entry, format);
        let document = Document {
            declared: self.options.declared,
            slug: self.slug(entry, format),
            tree: tree.uri.as_deref(),
            roles: tree.roles,
            ..Document::new(format, base.as_ref())
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

    /// Returns the format to read a file as, or the outcome of a file that is not read.
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
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<FileOutcome> {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let opened = OpenedFile::new(path, codec, input)?;
        if let Some(format) = self.options.archive_at(entry, &opened.path, &opened.head) {
            let source =
                ArchiveSource::Stream(Box::new(opened.reader()), Some(opened.members.clone()));
            let mut outcome = self.archive(entry, format, source, sink);
            if let FileOutcome::Archive { error, outcome } = &mut outcome {
                if error.is_none() {
                    // An archive may end before its compression does.
                    *error = opened.read_to_end().err();
                }
                if self.options.archives == Archived::Open {
                    let errors = opened.errors().into_iter();
                    errors.for_each(|error| outcome.diagnostics.add(&diagnostic(&error)));
                } else {
                    report_damage(&opened, sink);
                }
            }
            return Ok(outcome);
        }
        let choice = self
            .options
            .choose_by(&opened.path, entry.named, &opened.head);
        let format = match self.format(choice) {
            Ok(format) => format,
            Err(read) => {
                // Damage may be the reason why the first bytes are missing or not recognised.
                let skipped = matches!(read, FileOutcome::Skipped(_));
                if skipped || opened.head.is_empty() {
                    report_damage(&opened, sink);
                }
                return Ok(read);
            }
        };
        let base = self.base(entry, format);
        let tree = self.tree(entry, format);
        let document = Document {
            declared: self.options.declared,
            slug: self.slug(entry, format),
            tree: tree.uri.as_deref(),
            roles: tree.roles,
            ..Document::new(format, base.as_ref())
        };
        let reader = opened.reader();
        let mut located = Located {
            members: opened.members.clone(),
            sink,
        };
        let length = self.extractor.extract(&document, reader, &mut located);
        report_damage(&opened, sink);
        Ok(FileOutcome::of(format, length))
    }

    fn base(&mut self, entry: &Entry, format: &Format) -> Option<Base> {
        match format.retrieval {
            Retrieval::Elsewhere => Some(self.options.bases.of_container()),
            Retrieval::Place
                if *format == *Format::MARKDOWN && entry.kind != EntryKind::Standard =>
            {
                let path = entry.path.as_os_str().as_encoded_bytes();
                self.options.bases.of_markdown(path, &mut self.names)
            }
            Retrieval::Place => self.place(entry),
        }
    }

    /// Returns the base that a file has by the place from which it was retrieved.
    fn place(&mut self, entry: &Entry) -> Option<Base> {
        let bases = &self.options.bases;
        let path = entry.path.as_os_str().as_encoded_bytes();
        match entry.kind {
            EntryKind::Standard => bases.of_stream(),
            EntryKind::File(_)
            | EntryKind::Unmeasured
            | EntryKind::Stream
            | EntryKind::LeftOut(_) => bases.of_file(path, &mut self.names),
        }
    }

    /// Returns the root of the tree that a file is in, for formats that name files from there.
    fn tree(&mut self, entry: &Entry, format: &Format) -> bases::TreeRoot {
        if *format != *Format::RST || entry.kind == EntryKind::Standard {
            return bases::TreeRoot::default();
        }
        let bases = &self.options.bases;
        let path = entry.path.as_os_str().as_encoded_bytes();
        let root = self.trees.of_file(bases, path, &mut self.names);
        root.unwrap_or_default()
    }

    /// Returns the dialect of Markdown that the tree of a file is in.
    fn slug(&mut self, entry: &Entry, format: &Format) -> Option<Slug> {
        let options = self.options;
        if options.dialects.is_empty() || !format.is_markdown() {
            return None;
        }
        let path = entry.path.as_os_str().as_encoded_bytes();
        let absolute = self.names.absolute(&options.bases.here, path)?;
        options.dialects.of(absolute)
    }

    /// Returns the dialect of Markdown of the tree in an archive.
    fn slug_of_archive(&mut self, entry: &Entry) -> Option<Slug> {
        let options = self.options;
        if options.dialects.is_empty() {
            return None;
        }
        let path = entry.path.as_os_str().as_encoded_bytes();
        let absolute = self.names.absolute(&options.bases.here, path)?;
        options.dialects.of(&[absolute, b"!/"].concat())
    }

    /// Returns the bytes of a document in an archive by its path there, at most so many.
    pub(crate) fn member_bytes(&mut self, entry: &Entry, path: &[u8], limit: u64) -> Vec<u8> {
        self.wanted = Some(WantedBytes {
            path: path.to_vec(),
            limit,
            bytes: Vec::new(),
        });
        // What could not be read is missing from the bytes.
        let _ = self.read(entry, &mut WayToMember(path));
        self.wanted.take().map_or(Vec::new(), |wanted| wanted.bytes)
    }

    /// Returns the counts of the archive that was read last; none for formats that are no archives.
    pub(crate) fn counts(&self, format: &Format) -> Option<ArchiveCounts> {
        let mut counts = self.extractor.counts(format)?.clone();
        counts.add(self.extractor.attachment_counts());
        Some(counts)
    }

    /// Reads some members of an archive and passes their links to `sink`.
    pub(crate) fn members(
        &mut self,
        entry: &Entry,
        format: &'static ArchiveFormat,
        container: Box<dyn Container>,
        sink: &mut dyn ArchiveSink,
    ) -> PieceRead {
        let base = self.place(entry).map(archive::base_of_members);
        let slug = self.slug_of_archive(entry);
        let reader =
            ArchiveReader::new(self.options, &mut self.extractor, &self.nested).with_slug(slug);
        let (outcome, read) = reader.read_container(format, container, base, sink);
        (outcome, read.err())
    }

    /// Reads a piece of a file and passes its links to `sink`; returns the length of the piece.
    ///
    /// # Errors
    ///
    /// When the piece cannot be read.
    pub(super) fn piece(
        &mut self,
        piece: &FilePiece,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<u64> {
        let format = piece.whole.format.0;
        let base = self.base(&piece.whole.entry, format);
        let document = Document {
            declared: self.options.declared,
            origin: piece.origin,
            index: piece.known.as_ref(),
            ..Document::new(format, base.as_ref())
        };
        let length = match &piece.bytes {
            Some(read) => {
                (self.extractor).extract_bytes(&document, read.bytes(), sink);
                read.bytes().len() as u64
            }
            None => (self.extractor).extract(&document, piece.range(), sink)?,
        };
        Ok(piece.own(length))
    }
}

/// Returns the diagnostic of damage of compression in a file.
pub(super) fn diagnostic(error: &DecompressError) -> Diagnostic<'static> {
    Diagnostic {
        member: None,
        code: error.fault.into(),
        count: 1,
        offset: error.offset,
    }
}

/// Reports the damage in the layers of a compressed file.
fn report_damage(opened: &OpenedFile, sink: &mut dyn Sink) {
    for error in opened.errors() {
        sink.event(&Found::Diagnostic(diagnostic(&error)));
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
