//! Layer 5: extracts the links of one document after the other, with buffers that are reused.

use std::fmt;
use std::io::{self, Cursor, Read, Seek};
use std::ops::ControlFlow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_16BE, UTF_16LE};
use smart_default::SmartDefault;

use crate::bytes::lines::{LOOK_BEHIND, LineCounter, Position};
use crate::bytes::source::{Kept, Replay, RewindSource};
use crate::bytes::steps::step;
use crate::bytes::window::{Bounds, Window, Windows};
use crate::decode::charset::{self, CharsetReader, Conversion, ConvertedDocument, Detected};
pub use crate::document::Positions;
use crate::document::diagnostic::CHARSET_UNSUPPORTED;
use crate::document::events::{Batch, Escapes, Event, Events, Quoting};
use crate::document::options::{RstRoles, Slug};
use crate::document::{
    self, ArchiveCounts, Format, Passes, PieceIndex, Scan, ScanStart, SplitContext,
};
use crate::linker::{
    Attachment, DocumentContext, EmbeddedBases, Enclosure, Found, Link, Linker, Ruling, Sink,
};
use crate::uri::Base;
use crate::uri::unwrap::Unwrapper;

/// Options of extraction.
#[derive(Clone, Debug, SmartDefault)]
pub struct ExtractorOptions {
    /// The options of each format.
    pub formats: document::FormatOptions,
    /// The rules of resolution.
    pub ruling: Ruling,
    /// Whether bases that documents declare are honoured.
    pub embedded_bases: EmbeddedBases,
    /// Decodes links that a mail gateway has rewritten.
    pub unwrapper: Option<Unwrapper>,
    /// Whether links carry their line and column.
    pub positions: Positions,
    /// The number of bytes that are read at a time.
    // The default fits in the cache of a core, and holds most documents whole.
    #[default(256 << 10)]
    pub window: usize,
}

impl ExtractorOptions {
    setters! {
        /// Sets the options of the formats.
        with_formats(formats: document::FormatOptions) => formats = formats;

        /// Sets whether links carry their line and column.
        with_positions(positions: Positions) => positions = positions;

        /// Sets the rules of resolution.
        with_ruling(ruling: Ruling) => ruling = ruling;

        /// Sets the number of bytes that are read at a time.
        with_window(bytes: usize) => window = bytes;
    }
}

/// A document is heavy if more bytes than this are kept for another pass.
const HEAVY_KEPT: usize = 8 << 20;
/// A document is heavy if more bytes than this are pending in an exact pass, which builds a tree.
const HEAVY_PENDING: usize = 1 << 20;

/// A document to be read: format, base and declared encoding.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Document<'a> {
    /// The format.
    pub format: &'static Format,
    /// The retrieval or default base, which is used unless the document declares a base.
    pub base: Option<&'a Base>,
    /// The base in its place if an archive declares it and it is too long.
    pub(crate) outer: Option<&'a Base>,
    /// The encoding that the transport or the user declares; [`Document::with_charset`] takes a label.
    pub declared: Option<&'static Encoding>,
    /// The origin of a piece of a document.
    #[doc(hidden)]
    pub origin: PieceOrigin,
    /// Known contents of a piece of an archive.
    pub(crate) index: Option<&'a PieceIndex>,
    /// The dialect of Markdown of the document's tree, if known.
    pub(crate) slug: Option<Slug>,
    /// The URI of the root of the tree that the document is in, for formats that name files from there.
    pub(crate) tree: Option<&'a [u8]>,
    pub(crate) roles: RstRoles,
    pub(crate) enclosure: Option<&'a Enclosure>,
    pub(crate) depth: usize,
}

/// The start of a piece of a document: after a [split point](Format::split_point). The default is the start
/// of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SmartDefault)]
pub struct PieceOrigin {
    /// The document offset of the first byte.
    pub offset: u64,
    /// The line number of the first byte, 1-based.
    #[default(1)]
    pub line: u64,
    /// The rest of the document, if it is an archive.
    pub split: SplitContext,
}

impl PieceOrigin {
    fn lines(self) -> LineCounter {
        LineCounter::starting(self.offset, self.line)
    }
}

impl<'a> Document<'a> {
    /// Makes a document of a format, with a base if one is known.
    pub fn new(format: &'static Format, base: Option<&'a Base>) -> Self {
        Document {
            format,
            base,
            outer: None,
            declared: None,
            origin: PieceOrigin::default(),
            index: None,
            slug: None,
            tree: None,
            roles: RstRoles::default(),
            enclosure: None,
            depth: 0,
        }
    }

    /// Sets the declared encoding by its label, such as `latin1`; an unknown label declares none.
    ///
    /// ```
    /// use uriscan::{Document, Format, encoding_rs};
    ///
    /// let document = Document::new(Format::HTML, None).with_charset("Shift_JIS");
    /// assert_eq!(document.declared, Some(encoding_rs::SHIFT_JIS));
    /// ```
    #[must_use]
    pub fn with_charset(mut self, label: &str) -> Self {
        self.declared = Encoding::for_label(label.as_bytes());
        self
    }
}

/// Extracts the links of documents, one after the other.
///
/// ```
/// use uriscan::{Document, Extractor, ExtractorOptions, Format, Link};
///
/// let mut extractor = Extractor::new(&ExtractorOptions::default());
/// let mut targets = Vec::new();
/// extractor.extract_bytes(
///     &Document::new(Format::TEXT, None),
///     b"Yes, Jim, I found it under <http://www.example.com/rfc/\n rfc1738.txt>",
///     &mut |link: &Link<'_>| targets.push(link.target.unwrap().to_vec()),
/// );
/// assert_eq!(targets, [b"http://www.example.com/rfc/rfc1738.txt"]);
/// ```
pub struct Extractor {
    options: ExtractorOptions,
    windows: Windows,
    events: Batch,
    linker: Linker,
    /// One scanner a format, created when first needed.
    scanners: Vec<(&'static str, Box<dyn Scan>)>,
    attachments: AttachmentState,
}

/// Reads a file in a message, and passes its links to the sink; returns its counts.
pub(crate) type AttachmentReader =
    Box<dyn FnMut(&Attachment<'_>, &mut dyn Sink) -> ArchiveCounts + Send>;

/// The reader of files in messages, and the counts of the last document.
#[derive(Default)]
struct AttachmentState {
    reader: Option<AttachmentReader>,
    counts: ArchiveCounts,
}

/// Reads the files in messages; without a reader they are skipped.
struct WithAttachments<'a> {
    state: &'a mut AttachmentState,
    sink: &'a mut dyn Sink,
}

impl Sink for WithAttachments<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.sink.link(link)
    }

    fn event(&mut self, found: &Found<'_>) {
        let Found::Attachment(attachment) = found else {
            return self.sink.event(found);
        };
        let AttachmentState { reader, counts } = self.state;
        let Some(reader) = reader else {
            return counts.skip(attachment.media_type);
        };
        let read = reader(attachment, self.sink);
        counts.parts += read.parts;
        counts.add_skipped(&read);
    }
}

impl fmt::Debug for Extractor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Extractor")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Extractor {
    /// Makes an extractor.
    pub fn new(options: &ExtractorOptions) -> Self {
        Extractor {
            windows: Windows::new(options.window),
            events: Batch::default(),
            linker: Linker::new(
                options.ruling,
                options.embedded_bases,
                options.formats.longest_base,
                options.unwrapper.clone(),
            ),
            scanners: Vec::new(),
            attachments: AttachmentState::default(),
            options: options.clone(),
        }
    }

    pub(crate) fn set_attachment_reader(&mut self, reader: AttachmentReader) {
        self.attachments.reader = Some(reader);
    }

    pub(crate) fn attachment_counts(&self) -> &ArchiveCounts {
        &self.attachments.counts
    }

    /// Skips references from now on: only anchors are wanted.
    pub(crate) fn leave_references(&mut self) {
        self.options.positions = Positions::Offsets;
        self.linker.leave_references();
    }

    /// Extracts the links of a document that is in memory.
    pub fn extract_bytes(&mut self, document: &Document<'_>, bytes: &[u8], sink: &mut dyn Sink) {
        let format = document.format;
        let first = &bytes[..bytes.len().min(charset::PRESCAN)];
        let detect = || charset::detect(format.prescan, document.declared, first);
        let detected = (format.conversion != Conversion::Never).then(detect);
        let encoding = detected.and_then(|detected| detected.encoding);
        if charset::converts(format.conversion, encoding) {
            // A slice reads and rewinds without errors.
            let _ = self.run(document, &mut Cursor::new(bytes), sink);
            return;
        }
        let (look_behind, origin) = (format.bounds.look_behind, document.origin.offset);
        let mut pass = self.begin(document, detected);
        let (mut start, mut end) = (0, 0);
        loop {
            // While the scanner consumes nothing, the window doubles.
            let more = self.options.window.max(end - start).max(1);
            end = bytes.len().min(end + more);
            let behind = start.saturating_sub(look_behind);
            let window = Window {
                bytes: &bytes[behind..end],
                start: start - behind,
                offset: origin + behind as u64,
                last: end == bytes.len(),
            };
            start = behind + self.scan(&mut pass, window, None, sink);
            if let Some(restarted) = pass.restarted(&mut self.linker) {
                let declared = restarted.start.restart.encoding;
                if charset::converts(format.conversion, declared) {
                    let mut document = *document;
                    document.declared = declared;
                    let _ = self.run(&document, &mut Cursor::new(bytes), sink);
                    return;
                }
                (pass, start, end) = (restarted, 0, 0);
            } else if self.linker.is_stopped() || end == bytes.len() {
                return self.linker.end(sink);
            }
        }
    }

    /// Extracts the links of a document, window by window, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// The reader's. Links that were complete before the error have reached the sink.
    pub fn extract(
        &mut self,
        document: &Document<'_>,
        reader: impl Read,
        sink: &mut dyn Sink,
    ) -> io::Result<u64> {
        let (inner, kept) = (reader, &mut self.kept(document.format));
        self.run(document, &mut Replay { inner, kept }, sink)
    }

    /// Extracts the links of a document that arrives in chunks.
    ///
    /// The links equal those of [`Extractor::extract`] for any chunks. They reach the sink as soon as they are
    /// certain: links of text a line later, of a mail with the part that holds them, of HTML at its end, because a
    /// late `base` or `frameset` element can change them.
    ///
    /// ```
    /// use uriscan::{Document, Extractor, ExtractorOptions, Format, Link};
    ///
    /// let mut targets = Vec::new();
    /// let mut sink = |link: &Link<'_>| targets.push(link.target_str().unwrap().to_owned());
    /// let mut extractor = Extractor::new(&ExtractorOptions::default());
    /// let mut stream = extractor.stream(&Document::new(Format::TEXT, None), &mut sink);
    /// for chunk in ["see http://www.exam", "ple.com/ and http://", "www.example.org/"] {
    ///     stream.write(chunk.as_bytes())?;
    /// }
    /// assert_eq!(stream.finish()?, 55);
    /// assert_eq!(targets, ["http://www.example.com/", "http://www.example.org/"]);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn stream<'a, S: Sink>(
        &'a mut self,
        document: &Document<'a>,
        sink: &'a mut S,
    ) -> Stream<'a, S> {
        Stream {
            kept: self.kept(document.format),
            extractor: self,
            document: *document,
            sink,
            head: Vec::new(),
            reading: None,
            progress: Some(ReadProgress::Waiting),
        }
    }

    /// Extracts the links of a file, which is not kept in memory for a second pass.
    ///
    /// # Errors
    ///
    /// The reader's. Links that were complete before the error have reached the sink.
    pub fn extract_seekable(
        &mut self,
        document: &Document<'_>,
        mut reader: impl Read + Seek,
        sink: &mut dyn Sink,
    ) -> io::Result<u64> {
        self.run(document, &mut reader, sink)
    }

    /// Returns where bytes of a document in a format are kept to be read again.
    fn kept(&self, format: &Format) -> Kept {
        Kept::new(match format.reading {
            Passes::Once | Passes::Held => 0,
            // The scanner may request a restart only at the end of its look-ahead.
            Passes::MaybeTwice => {
                let (window, ahead) = (self.options.window, 2 * format.bounds.look_ahead);
                (self.max_document()).saturating_add(window.saturating_add(ahead))
            }
        })
    }

    fn max_document(&self) -> usize {
        usize::try_from(self.options.formats.html.max_document).unwrap_or(usize::MAX)
    }

    /// Returns the counts of members and parts of the last archive of this format.
    ///
    /// `None` for formats that are not archives.
    pub fn counts(&self, format: &Format) -> Option<&ArchiveCounts> {
        let found = self.scanners.iter().find(|(name, _)| *name == format.name);
        found.and_then(|(_, scanner)| scanner.counts())
    }

    /// Extracts the links of a document in one pass or more; returns its length in bytes.
    fn run(
        &mut self,
        document: &Document<'_>,
        source: &mut dyn RewindSource,
        sink: &mut dyn Sink,
    ) -> io::Result<u64> {
        let mut head = Vec::new();
        let mut reading = match self.start(document, &mut head, source) {
            Err(error) => {
                // The bytes before the error are the document.
                self.run(document, &mut Cursor::new(head), sink)?;
                return Err(error);
            }
            Ok(reading) => reading,
        };
        while self.advance(&mut reading, source, sink)? == ReadProgress::Going {}
        self.end(reading, sink)
    }

    /// Starts to read a document, of which `head` was read before.
    fn start(
        &mut self,
        document: &Document<'_>,
        head: &mut Vec<u8>,
        source: &mut dyn RewindSource,
    ) -> io::Result<DocumentRead> {
        let format = document.format;
        let length = charset::head_length(format.conversion, format.prescan);
        source.take(length - head.len() as u64).read_to_end(head)?;
        let head = std::mem::take(head);
        let reader = CharsetReader::new(head, format.conversion, format.prescan, document.declared);
        let pass = self.begin(document, reader.detected());
        let origin = document.origin.offset;
        self.windows.begin_at(self.bounds(&pass), origin);
        Ok(DocumentRead {
            reader,
            pass,
            origin,
            failure: None,
            is_pushed: false,
            is_heavy: false,
        })
    }

    /// Reads and scans one window of a document.
    fn advance(
        &mut self,
        reading: &mut DocumentRead,
        source: &mut dyn RewindSource,
        sink: &mut dyn Sink,
    ) -> io::Result<ReadProgress> {
        let DocumentRead { reader, pass, .. } = reading;
        let mut windows = std::mem::take(&mut self.windows);
        let is_large = pass.is_held() && windows.pending().len() > HEAVY_PENDING;
        if (is_large || source.kept() > HEAVY_KEPT) && !reading.is_heavy {
            reading.is_heavy = true;
            sink.event(&Found::Heavy);
        }
        let mut progress = ReadProgress::Going;
        match windows.fill(&mut reader.over(source)) {
            Err(error) if reading.is_pushed && error.kind() == io::ErrorKind::WouldBlock => {
                progress = ReadProgress::Waiting;
            }
            Err(error) => {
                reading.failure = Some(error);
                windows.end_here();
            }
            Ok(()) => {}
        }
        if progress == ReadProgress::Going || windows.has_news() {
            let consumed = self.scan(pass, windows.window(), reader.converted(), sink);
            if let Some(restarted) = pass.restarted(&mut self.linker) {
                if let Err(error) = source.rewind() {
                    self.windows = windows;
                    return Err(error);
                }
                reader.again(restarted.start.restart.encoding);
                windows.begin_at(self.bounds(&restarted), reading.origin);
                *pass = restarted;
                progress = ReadProgress::Going;
            } else if self.linker.is_stopped() || windows.consume(consumed) {
                progress = ReadProgress::Over;
            }
        }
        self.windows = windows;
        Ok(progress)
    }

    /// Ends a document; returns its length in bytes.
    fn end(&mut self, mut reading: DocumentRead, sink: &mut dyn Sink) -> io::Result<u64> {
        self.linker.end(sink);
        let window = self.windows.window();
        let length = window.offset_at(window.bytes.len()) - reading.origin;
        // A buffer that one document made very large is not kept for later ones.
        self.windows.begin_at(reading.pass.format.bounds, 0);
        if let Some(error) = reading.failure {
            return Err(error);
        }
        let converted = reading.reader.converted();
        Ok(converted.map_or(length, |converted| converted.map.start(length)))
    }

    /// Returns the bounds of a pass, which may need the whole document in one window.
    fn bounds(&self, pass: &Pass) -> Bounds {
        let mut bounds = pass.format.bounds;
        if pass.is_held() {
            bounds.look_ahead = bounds.look_ahead.max(self.max_document());
        }
        bounds
    }

    fn begin(&mut self, document: &Document<'_>, detected: Option<Detected>) -> Pass {
        let format = document.format;
        self.linker.begin(DocumentContext {
            outer: document.outer,
            tree: document.tree,
            enclosure: document.enclosure,
            depth: document.depth,
            ..DocumentContext::new(format.family, document.base)
        });
        self.attachments.counts = ArchiveCounts::default();
        let mut scanners = self.scanners.iter();
        let known = scanners.position(|(name, _)| *name == format.name);
        let scanner = known.unwrap_or_else(|| {
            let made = (format.scanner)(&self.options.formats);
            self.scanners.push((format.name, made));
            self.scanners.len() - 1
        });
        self.scanners[scanner].1.set_index(document.index);
        let start = ScanStart {
            declared: document.declared,
            detected,
            split: document.origin.split,
            positions: self.options.positions,
            slug: document.slug,
            roles: document.roles,
            ..ScanStart::default()
        };
        // Where a document is held, its references have no lines.
        let has_lines = start.positions == Positions::Lines && format.reading != Passes::Held;
        let counted_from = has_lines.then_some(document.origin);
        Pass {
            format,
            scanner,
            start,
            begun: false,
            counted_from,
            lines: counted_from.map(PieceOrigin::lines),
        }
    }

    fn scan(
        &mut self,
        pass: &mut Pass,
        window: Window<'_>,
        converted: Option<ConvertedDocument<'_>>,
        sink: &mut dyn Sink,
    ) -> usize {
        let state = &mut self.attachments;
        let sink = &mut WithAttachments { state, sink };
        let scanner = &mut self.scanners[pass.scanner].1;
        let begins = !std::mem::replace(&mut pass.begun, true);
        if begins {
            scanner.begin(&pass.start);
        }
        let mut empty = std::mem::take(&mut self.events);
        empty.clear();
        let lines = &mut pass.lines;
        if let (Some(lines), Some(_)) = (lines.as_mut(), &converted) {
            lines.expect_no_mark();
        }
        // Nothing decodes the document.
        let is_lost = matches!(&converted, Some(it) if it.encoding == Some(REPLACEMENT));
        let mut take = |events: &mut Events<'_>| {
            if let Some(lines) = lines {
                locate(lines, &window, converted.is_some(), events);
            }
            if let Some(converted) = &converted {
                map_back(converted, events);
            }
            self.linker.take(events, window.bytes, sink);
            if self.linker.limit(sink) {
                events.is_released = true;
            }
        };
        let mut events = Events::with_flush(empty, &mut take);
        if begins && pass.format.is_settled {
            events.push(Event::Settled);
        }
        if begins && is_lost {
            events.push(Event::Diagnostic(&CHARSET_UNSUPPORTED, window.offset));
        }
        step(window.bytes.len() - window.start);
        let consumed = scanner.scan(window, &mut events);
        events.end_window();
        if events.is_released {
            scanner.references_released();
        }
        self.events = events.batch;
        if let Some(lines) = pass.lines.as_mut().filter(|_| !window.last) {
            // A reference may be reported later than the bytes before it are consumed.
            let lag = pass.format.bounds.look_behind.saturating_sub(LOOK_BEHIND);
            lines.pass(&window, consumed.saturating_sub(lag));
        }
        if let Some(ConvertedDocument { map, .. }) = converted {
            map.forget(window.offset);
        }
        consumed
    }
}

/// A document that is being read.
struct DocumentRead {
    reader: CharsetReader,
    pass: Pass,
    /// The document offset of the first byte.
    origin: u64,
    /// The error that ended the document early.
    failure: Option<io::Error>,
    /// A reader that would block gets more bytes later.
    is_pushed: bool,
    is_heavy: bool,
}

/// The state of a document after a window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadProgress {
    Going,
    /// Nothing can be read before more bytes are pushed.
    Waiting,
    Over,
}

/// A document whose bytes arrive in chunks; [`Extractor::stream`] makes it.
///
/// A stream that is dropped leaves out the links that were not certain yet.
pub struct Stream<'a, S> {
    extractor: &'a mut Extractor,
    document: Document<'a>,
    sink: &'a mut S,
    /// The first bytes, from which the encoding is detected.
    head: Vec<u8>,
    kept: Kept,
    reading: Option<DocumentRead>,
    /// `None` after a failure.
    progress: Option<ReadProgress>,
}

impl<S: Sink> Stream<'_, S> {
    /// Adds the next bytes of the document, and passes the links that are certain to the sink.
    ///
    /// # Errors
    ///
    /// When no memory is left, and when a document is too long to be read a second time; from then on
    /// each call fails.
    pub fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.advance(chunk, false)
    }

    /// Ends the document, passes the other links to the sink, and returns the length in bytes.
    ///
    /// # Errors
    ///
    /// As [`Stream::write`].
    pub fn finish(mut self) -> io::Result<u64> {
        self.advance(&[], true)?;
        match self.reading {
            Some(reading) => self.extractor.end(reading, self.sink),
            None => Ok(0),
        }
    }

    /// Returns whether the sink has stopped the document: further chunks are ignored.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.progress == Some(ReadProgress::Over)
    }

    /// Reads a chunk, to its end or the document's.
    fn advance(&mut self, bytes: &[u8], is_last: bool) -> io::Result<()> {
        let failed = || io::Error::other("the stream has failed before");
        let mut progress = self.progress.take().ok_or_else(failed)?;
        let (inner, kept) = (Chunk { bytes, is_last }, &mut self.kept);
        let source = &mut Replay { inner, kept };
        if self.reading.is_none() {
            let started = self.extractor.start(&self.document, &mut self.head, source);
            self.reading = match started {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
                started => Some(DocumentRead {
                    is_pushed: true,
                    ..started?
                }),
            };
        }
        while let Some(reading) = &mut self.reading
            && progress != ReadProgress::Over
        {
            progress = self.extractor.advance(reading, source, self.sink)?;
            if progress == ReadProgress::Waiting {
                break;
            }
        }
        self.progress = Some(progress);
        Ok(())
    }
}

impl<S> fmt::Debug for Stream<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Stream")
            .field("document", &self.document)
            .finish_non_exhaustive()
    }
}

/// Bytes that are pushed, and read in place.
struct Chunk<'c> {
    bytes: &'c [u8],
    /// No byte of the document follows.
    is_last: bool,
}

impl Read for Chunk<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() && !self.is_last {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.bytes.read(into)
    }
}

/// One pass over a document, from its first byte.
struct Pass {
    format: &'static Format,
    /// The index of the scanner in the extractor.
    scanner: usize,
    start: ScanStart,
    begun: bool,
    /// The origin, if lines are counted.
    counted_from: Option<PieceOrigin>,
    lines: Option<LineCounter>,
}

impl Pass {
    /// Returns whether the document may have to be in one window: an exact pass builds a tree.
    fn is_held(&self) -> bool {
        self.start.restart.exact || self.format.reading == Passes::Held
    }

    /// Returns another pass, if the outermost document requested a restart.
    fn restarted(&self, linker: &mut Linker) -> Option<Pass> {
        let mut start = self.start;
        start.restart = linker.take_restart()?;
        Some(Pass {
            start,
            begun: false,
            lines: self.counted_from.map(PieceOrigin::lines),
            ..*self
        })
    }
}

/// An offset, and where its position is needed.
type Place<'p> = (u64, &'p mut Option<Position>);

/// Adds the positions of references and remarks that have none from the scanner.
/// References in the text of an SVG style element precede references of the elements inside it.
fn locate(lines: &mut LineCounter, window: &Window<'_>, converted: bool, events: &mut Batch) {
    let mut places = Vec::with_capacity(events.list.len());
    for event in &mut events.list {
        match event {
            Event::Reference(found) if found.position.is_none() => {
                places.push((found.span.start, &mut found.position));
            }
            Event::Remark(found) if found.position.is_none() => {
                places.push((found.place(), &mut found.position));
            }
            // Converted text is UTF-8.
            Event::Encoding(encoding) if !converted => {
                fill(lines, window, &mut places);
                lines.set_encoding(encoding);
            }
            _ => {}
        }
    }
    fill(lines, window, &mut places);
}

/// Fills in the positions of offsets, which [`locate`] may have found out of order.
fn fill(lines: &mut LineCounter, window: &Window<'_>, places: &mut Vec<Place<'_>>) {
    places.sort_by_key(|(start, _)| *start);
    for (offset, place) in places.drain(..) {
        *place = Some(lines.position(window, offset));
    }
}

/// Maps offsets in converted text to offsets in the document as stored.
fn map_back(converted: &ConvertedDocument<'_>, events: &mut Batch) {
    let map = &converted.map;
    let outer = match converted.encoding {
        Some(encoding) if encoding == UTF_16LE => Quoting::of(Escapes::Utf16Le),
        Some(encoding) if encoding == UTF_16BE => Quoting::of(Escapes::Utf16Be),
        // Replacements are ASCII.
        Some(encoding) if encoding.is_ascii_compatible() => Quoting::DOCUMENT,
        _ => Quoting::default(),
    };
    for event in &mut events.list {
        match event {
            Event::Reference(found) => {
                found.span.start = map.start(found.span.start);
                found.span.end = map.end(found.span.end);
                found.quoting = found.quoting.within(outer);
            }
            Event::Remark(found) => {
                found.span.start = map.start(found.span.start);
                found.span.end = map.end(found.span.end);
            }
            Event::Base(_, offset) | Event::Anchor(_, offset) | Event::Diagnostic(_, offset) => {
                *offset = map.start(*offset);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/extractor.rs"]
mod tests;
