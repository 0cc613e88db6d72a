//! Reads one file after the other: opens it, recognises its format, finds its base, extracts its links.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};

use super::archive::{self, ArchivePlace, ArchiveReader, ArchiveSink, InMember, NestedOutput};
use super::bases::{AbsolutePaths, TreeRoot};
use super::input::{Input, OpenedFile};
use super::options::{PipelineOptions, ReportMode, Splice, spliced};
use super::piece::{Piece, PieceContents};
use super::walk::{Entry, EntryKind};
use crate::archive::git::{GIT, PublicInbox};
use crate::archive::{ArchiveFormat, Container};
use crate::bytes::source::fill;
use crate::decode::compression::{Decompressed, Members};
use crate::document::options::Slug;
use crate::document::sniff::HEAD;
use crate::document::{Format, Retrieval};
use crate::extractor::{Document, Extractor};
use crate::linker::{Diagnostic, Found, Sink};
use crate::output::record::{ArchiveRecord, Skip};
use crate::uri::Base;

const SHRUNK: &str = "it became shorter while it was read";

pub(crate) enum FileOutcome {
    Read(FileRead),
    /// A document, not read since only the paths of documents are listed.
    Listed,
    Skipped(Skip),
}

#[derive(Default)]
pub(crate) struct FileRead {
    /// The format of a document; none for an archive of files or records.
    pub(crate) format: Option<&'static Format>,
    /// Whether members or messages are counted.
    pub(crate) has_counts: bool,
    /// The numbers and the length, and the diagnostics of an archive of files or records.
    pub(crate) record: ArchiveRecord,
    pub(crate) error: Option<io::Error>,
    /// Whether the sink wanted no more members.
    is_ended: bool,
}

/// Reads files, with buffers that are used again for the next one.
pub(crate) struct FileReader<'a> {
    options: &'a PipelineOptions,
    extractor: Extractor,
    nested: NestedOutput,
    head: Vec<u8>,
    names: AbsolutePaths,
}

impl<'a> FileReader<'a> {
    pub(crate) fn new(options: &'a PipelineOptions) -> Self {
        let nested = NestedOutput::default();
        FileReader {
            options,
            extractor: archive::extractor(options, &nested),
            nested,
            head: Vec::new(),
            names: AbsolutePaths::default(),
        }
    }

    /// Creates a reader that passes no links to the sink, only what fragments can name.
    pub(crate) fn of_anchors(options: &'a PipelineOptions) -> Self {
        let mut reader = FileReader::new(options);
        reader.extractor.leave_references();
        reader
    }

    pub(crate) fn read(
        &mut self,
        entry: &Entry,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<FileOutcome> {
        if let EntryKind::LeftOut(reason) = entry.kind {
            return Ok(FileOutcome::Skipped(Skip {
                reason,
                format: "",
                is_damaged: false,
            }));
        }
        if entry.kind == EntryKind::Repository {
            if self.options.report == ReportMode::Files {
                return Ok(FileOutcome::Listed);
            }
            let container = Box::new(PublicInbox::open(&entry.path)?);
            let read = self.archive(entry, &GIT, container, sink);
            return Ok(FileOutcome::Read(read));
        }
        if let Some(splices) = self.options.splices(&entry.path) {
            if let [whole] = &splices[..]
                && whole.range == Splice::WHOLE
            {
                return self.open(entry, Input::Whole(&whole.bytes), sink);
            }
            let bytes = std::fs::read(&entry.path)?;
            let bytes = spliced(&bytes, 0..bytes.len(), splices);
            return self.open(entry, Input::Whole(&bytes), sink);
        }
        if let (true, EntryKind::Standard | EntryKind::Stream) =
            (self.options.line_buffered, entry.kind)
        {
            let mut stream: Box<dyn io::Read + Send> = match entry.kind {
                EntryKind::Standard => Box::new(io::stdin()),
                _ => Box::new(File::open(&entry.path)?),
            };
            let mut head = vec![0; HEAD];
            let length = stream.read(&mut head)?;
            return self.open(entry, Input::Stream(&head[..length], stream), sink);
        }
        let mut head = std::mem::take(&mut self.head);
        let read = Input::open(entry, &mut head).and_then(|input| self.open(entry, input, sink));
        self.head = head;
        read
    }

    /// Passes the links of a file that has been opened to `sink`.
    pub(crate) fn open(
        &mut self,
        entry: &Entry,
        input: Input<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<FileOutcome> {
        let Some(codec) = self.options.codec(entry, input.head()) else {
            return Ok(self.file(entry, entry.bytes(), input, None, sink));
        };
        // What a pipe has brought is read without waiting for more.
        let first = [fill, Decompressed::read][usize::from(self.options.line_buffered)];
        let layer = Decompressed::new(codec, input.into_reader());
        let opened = OpenedFile::new(entry.bytes(), layer, first)?;
        let (contents, members) = (opened.input(), Some(&opened.members));
        let mut outcome = self.file(entry, &opened.path, contents, members, sink);
        match &mut outcome {
            FileOutcome::Read(read) => self.end_compressed(&opened, read, sink),
            // Damage may be the reason why the first bytes are missing or not recognised.
            FileOutcome::Listed if !opened.head.is_empty() => {}
            other => {
                if let FileOutcome::Skipped(_) = other
                    && entry.named
                {
                    // An error of the decoder is reported as damage.
                    let _ = opened.read_to_end();
                }
                self.end_compressed(&opened, &mut FileRead::default(), sink);
            }
        }
        Ok(outcome)
    }

    /// Reports the damage to a compressed file whose contents have been read.
    fn end_compressed(&self, opened: &OpenedFile, read: &mut FileRead, sink: &mut dyn Sink) {
        let is_archive = read.record.is_container;
        if is_archive && read.error.is_none() && !read.is_ended {
            read.error = opened.read_to_end().err();
        }
        for error in opened.errors() {
            let diagnostic = Diagnostic::new(None, error.fault.into(), error.offset);
            if is_archive && !self.options.is_audit {
                read.record.diagnostics.add(&diagnostic);
            } else {
                sink.event(&Found::Diagnostic(diagnostic));
            }
        }
    }

    /// Reads a file, or a compressed one with these members; `path` has no extension of a codec.
    fn file(
        &mut self,
        entry: &Entry,
        path: &[u8],
        input: Input<'_>,
        members: Option<&Members>,
        sink: &mut dyn ArchiveSink,
    ) -> FileOutcome {
        let options = self.options;
        let is_listed = options.report == ReportMode::Files;
        let archive = options.archive(entry, path, input.head());
        if let Some(format) = archive.filter(|_| !is_listed) {
            let container = options.open(format, input.into_source(members));
            return FileOutcome::Read(self.archive(entry, format, container, sink));
        }
        let format = match options.choose(path, entry.named, input.head()) {
            _ if archive.is_some() => return FileOutcome::Listed,
            Err(skip) => return FileOutcome::Skipped(skip),
            Ok(_) if is_listed => return FileOutcome::Listed,
            Ok(format) => format,
        };
        let base = self.base(entry, format);
        let tree = self.tree(entry, format);
        let slug = format.is_markdown().then(|| self.slug(entry, b""));
        let document = Document {
            declared: options.declared,
            slug: slug.flatten(),
            tree: tree.uri.as_deref(),
            roles: tree.roles,
            ..Document::new(format, base.as_ref())
        };
        let Some(members) = members else {
            let mut read = self.extract(&document, input, sink);
            if read.error.is_none() && Input::has_shrunk(entry, read.record.bytes) {
                read.error = Some(io::Error::other(SHRUNK));
            }
            return FileOutcome::Read(read);
        };
        let mut sink = InMember::new(sink);
        sink.compressed = Some(members);
        FileOutcome::Read(self.extract(&document, input, &mut sink))
    }

    /// Reads the members of an archive, or some of them, and passes their links to `sink`.
    fn archive(
        &mut self,
        entry: &Entry,
        format: &'static ArchiveFormat,
        container: Box<dyn Container>,
        sink: &mut dyn ArchiveSink,
    ) -> FileRead {
        let base = self.place(entry).map(archive::base_of_members);
        let slug = self.slug(entry, b"!/");
        let mut reader = ArchiveReader::new(self.options, &mut self.extractor, &self.nested, sink);
        reader.slug = slug;
        let place = ArchivePlace::new(format, base);
        let error = reader.members(container, &place).err();
        FileRead {
            format: None,
            has_counts: true,
            record: reader.record,
            error,
            is_ended: reader.is_ended,
        }
    }

    fn extract(
        &mut self,
        document: &Document<'_>,
        input: Input<'_>,
        sink: &mut dyn Sink,
    ) -> FileRead {
        let extractor = &mut self.extractor;
        let length = match input {
            Input::Whole(bytes) => {
                extractor.extract_bytes(document, bytes, sink);
                Ok(bytes.len() as u64)
            }
            Input::File(_, mut file) => {
                let rewound = file.rewind();
                rewound.and_then(|()| extractor.extract_seekable(document, file, sink))
            }
            Input::Stream(head, mut stream) if self.options.line_buffered => {
                let mut sink = sink;
                let mut out = extractor.stream(document, &mut sink);
                let mut chunk = vec![0; HEAD];
                let mut written = out.write(head);
                while written.is_ok() {
                    written = match stream.read(&mut chunk) {
                        Ok(0) => break,
                        Ok(length) => out.write(&chunk[..length]),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
                        Err(error) => Err(error),
                    };
                }
                let ended = out.finish();
                written.and(ended)
            }
            Input::Stream(head, stream) => extractor.extract(document, head.chain(stream), sink),
        };
        let counts = extractor.counts(document.format).cloned();
        let mut read = FileRead {
            format: Some(document.format),
            has_counts: counts.is_some(),
            ..FileRead::default()
        };
        if let Some(mut counts) = counts {
            counts.add(extractor.attachment_counts());
            read.record.counts = counts;
        }
        match length {
            Ok(length) => read.record.bytes = length,
            Err(error) => read.error = Some(error),
        }
        read
    }

    pub(crate) fn piece(&mut self, piece: &mut Piece, sink: &mut dyn ArchiveSink) -> FileRead {
        let entry = &piece.whole.entry;
        match &mut piece.contents {
            PieceContents::Lines(part) => {
                let base = self.base(entry, part.format);
                let document = Document {
                    declared: self.options.declared,
                    origin: part.origin,
                    index: part.known.as_ref(),
                    ..Document::new(part.format, base.as_ref())
                };
                let input = match &part.bytes {
                    Some(read) => Input::Whole(read.bytes()),
                    None => Input::Stream(&[], Box::new(part.range())),
                };
                let mut read = self.extract(&document, input, sink);
                let length = part.own(read.record.bytes);
                read.record.bytes = length;
                if read.error.is_none() && piece.whole.has_shrunk(part, length) {
                    read.error = Some(io::Error::other(SHRUNK));
                }
                read
            }
            PieceContents::Members(part) => {
                let Some(container) = part.members.take() else {
                    return FileRead::default();
                };
                let mut read = self.archive(entry, part.format, container, sink);
                if let Some(opened) = &part.ended {
                    self.end_compressed(opened, &mut read, sink);
                }
                read
            }
        }
    }

    fn base(&mut self, entry: &Entry, format: &Format) -> Option<Base> {
        let bases = &self.options.bases;
        match format.retrieval {
            Retrieval::Elsewhere => Some(bases.of_container()),
            Retrieval::Place
                if *format == *Format::MARKDOWN && entry.kind != EntryKind::Standard =>
            {
                bases.of_markdown(entry.bytes(), &mut self.names)
            }
            Retrieval::Place => self.place(entry),
        }
    }

    fn place(&mut self, entry: &Entry) -> Option<Base> {
        let bases = &self.options.bases;
        if entry.kind == EntryKind::Standard {
            return bases.of_stream();
        }
        bases.of_file(entry.bytes(), &mut self.names)
    }

    /// Returns the root of the tree that a file is in, for formats that name files from there.
    fn tree(&mut self, entry: &Entry, format: &Format) -> TreeRoot {
        if *format != *Format::RST || entry.kind == EntryKind::Standard {
            return TreeRoot::default();
        }
        let root = self.options.bases.tree_of(entry.bytes(), &mut self.names);
        root.unwrap_or_default()
    }

    /// Returns the dialect of Markdown that the tree of a file is in, or with `!/` the tree in an archive.
    fn slug(&mut self, entry: &Entry, inside: &[u8]) -> Option<Slug> {
        let options = self.options;
        let absolute = self.names.absolute(&options.bases.here, entry.bytes())?;
        options.dialects.of(&[absolute, inside].concat())
    }
}
