//! Layer 5: one document, start to end, with buffers that serve the next one too.

use std::io::{self, Cursor, Read, Seek};

use encoding_rs::Encoding;

use crate::bytes::lines::LineCounter;
use crate::bytes::source::{Replay, RewindSource, Seekable};
use crate::bytes::steps::step;
use crate::bytes::window::{Bounds, Window, Windows};
use crate::decode::charset::{self, CharsetReader, Conversion, Detected};
use crate::decode::offset_map::OffsetMap;
pub use crate::document::Positions;
use crate::document::events::{Batch, Event, Events};
use crate::document::{
    self, ArchiveCounts, Format, Passes, PieceIndex, Scan, ScanStart, SplitContext,
};
use crate::resolver::{EmbeddedBases, Handed, Linker, Ruling, Sink};
use crate::uri::Base;
use crate::uri::unwrap::Unwrapper;

/// How documents are read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExtractorOptions {
    /// The options of each format.
    pub formats: document::FormatOptions,
    /// Which rules resolution follows.
    pub ruling: Ruling,
    /// Whether the bases that documents bring are honoured.
    pub embedded_bases: EmbeddedBases,
    /// The longest base of a document's contents that is honoured, in bytes; a longer one is refused
    /// with a diagnostic. Each target repeats its base.
    pub longest_base: usize,
    /// Reads targets off links that a mail gateway has rewritten.
    pub unwrapper: Option<Unwrapper>,
    /// Whether links carry their line and column.
    pub positions: Positions,
    /// How many bytes are read at a time.
    pub window: usize,
}

impl Default for ExtractorOptions {
    fn default() -> Self {
        ExtractorOptions {
            formats: document::FormatOptions::default(),
            ruling: Ruling::AUTO,
            embedded_bases: EmbeddedBases::default(),
            longest_base: usize::MAX,
            unwrapper: None,
            positions: Positions::default(),
            // It should stay in a core's own cache, and most documents should fit.
            window: 256 << 10,
        }
    }
}

impl ExtractorOptions {
    /// Sets the options of the formats.
    #[must_use]
    pub fn with_formats(mut self, formats: document::FormatOptions) -> Self {
        self.formats = formats;
        self
    }

    /// Sets whether links carry their line and column.
    #[must_use]
    pub fn with_positions(mut self, positions: Positions) -> Self {
        self.positions = positions;
        self
    }

    /// Sets the rules of resolution.
    #[must_use]
    pub fn with_ruling(mut self, ruling: Ruling) -> Self {
        self.ruling = ruling;
        self
    }

    /// Sets how many bytes are read at a time.
    #[must_use]
    pub fn with_window(mut self, bytes: usize) -> Self {
        self.window = bytes;
        self
    }
}

/// A document of which more than this many bytes are kept to be read again is heavy.
const KEPT: usize = 8 << 20;
/// The same of one that must be in view as a whole: its tree is kept too.
const WHOLE: usize = 1 << 20;

/// What is known of a document before it is read.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Document<'a> {
    /// Its format.
    pub format: &'static Format,
    /// Its base URI, unless it brings one itself.
    pub base: Option<&'a Base>,
    /// The encoding that a transport or the user declares.
    pub declared: Option<&'static Encoding>,
    /// Where it starts, if it is a piece of a document.
    #[doc(hidden)]
    pub origin: PieceOrigin,
    /// What was found in it already, if it is a piece of an archive.
    pub(crate) index: Option<&'a PieceIndex>,
}

/// Where a piece of a document starts: behind a [split point](Format::split_point).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceOrigin {
    /// The offset of its first byte.
    pub offset: u64,
    /// The line that it starts.
    pub line: u64,
    /// The rest of the document, if it is an archive.
    pub split: SplitContext,
}

impl Default for PieceOrigin {
    /// The start of a document.
    fn default() -> Self {
        PieceOrigin {
            offset: 0,
            line: 1,
            split: SplitContext::default(),
        }
    }
}

impl<'a> Document<'a> {
    /// A document of a format, with a base if one is known.
    pub fn new(format: &'static Format, base: Option<&'a Base>) -> Self {
        Document {
            format,
            base,
            declared: None,
            origin: PieceOrigin::default(),
            index: None,
        }
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
    /// One scanner a format, made when it is first needed.
    scanners: Vec<(&'static str, Box<dyn Scan>)>,
}

impl Extractor {
    /// An extractor with these options.
    pub fn new(options: &ExtractorOptions) -> Self {
        let mut linker = Linker::new(options.ruling, options.embedded_bases);
        linker.set_longest_base(options.longest_base);
        linker.set_unwrapper(options.unwrapper.clone());
        Extractor {
            windows: Windows::new(options.window),
            events: Batch::default(),
            linker,
            scanners: Vec::new(),
            options: options.clone(),
        }
    }

    /// Extracts the links of a document that is in memory.
    pub fn extract_bytes(&mut self, document: &Document<'_>, bytes: &[u8], sink: &mut impl Sink) {
        let format = document.format;
        let first = &bytes[..bytes.len().min(charset::PRESCAN)];
        let detected = (format.conversion != Conversion::Never)
            .then(|| charset::detect(format.prescan, document.declared, first));
        let encoding = detected.and_then(|detected| detected.encoding);
        if charset::converts(format.conversion, encoding) {
            // A slice reads and rewinds without errors.
            let _ = self.run(document, &mut Seekable::new(Cursor::new(bytes)), sink);
            return;
        }
        // The windows are views of the bytes as they are: nothing is copied.
        let look_behind = format.bounds.look_behind;
        let mut pass = self.begin(document, detected);
        let (mut start, mut end) = (0, 0);
        loop {
            // While the scanner consumes nothing, the window doubles.
            end = bytes.len().min(end + self.options.window.max(end - start));
            let behind = start.saturating_sub(look_behind);
            let window = Window {
                bytes: &bytes[behind..end],
                start: start - behind,
                offset: document.origin.offset + behind as u64,
                last: end == bytes.len(),
            };
            start = behind + self.scan(&mut pass, window, None, sink);
            if let Some(again) = pass.again(&mut self.linker) {
                let encoding = again.start.again.encoding;
                if charset::converts(format.conversion, encoding) {
                    // It turns out that its bytes are not what they seem.
                    let converted = Document {
                        declared: encoding,
                        ..*document
                    };
                    let _ = self.run(&converted, &mut Seekable::new(Cursor::new(bytes)), sink);
                    return;
                }
                (pass, start, end) = (again, 0, 0);
            } else if window.last {
                return self.linker.end(sink);
            }
        }
    }

    /// Extracts the links of a document, window by window, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Those of the reader. Links that were complete before the error have been handed on.
    pub fn extract(
        &mut self,
        document: &Document<'_>,
        reader: impl Read,
        sink: &mut impl Sink,
    ) -> io::Result<u64> {
        let limit = usize::try_from(self.options.formats.html.max_document).unwrap_or(usize::MAX);
        let limit = match document.format.reading {
            Passes::Once => 0,
            // What a scanner may have in view when it gives up must be kept too.
            Passes::MaybeTwice => {
                limit + 2 * document.format.bounds.look_ahead + self.options.window
            }
        };
        self.run(document, &mut Replay::new(reader, limit), sink)
    }

    /// The same for a file, which need not be kept in memory to be read a second time.
    ///
    /// # Errors
    ///
    /// Those of the reader. Links that were complete before the error have been handed on.
    pub fn extract_seekable(
        &mut self,
        document: &Document<'_>,
        reader: impl Read + Seek,
        sink: &mut impl Sink,
    ) -> io::Result<u64> {
        self.run(document, &mut Seekable::new(reader), sink)
    }

    /// Returns how much was read of the archive that was extracted last, and what was passed over;
    /// `None` for formats that are no archives.
    pub fn counts(&self, format: &Format) -> Option<&ArchiveCounts> {
        let known = self.scanners.iter().find(|(name, _)| *name == format.name);
        known.and_then(|(_, scanner)| scanner.counts())
    }

    fn run(
        &mut self,
        document: &Document<'_>,
        source: &mut impl RewindSource,
        sink: &mut impl Sink,
    ) -> io::Result<u64> {
        let Format {
            bounds,
            conversion,
            prescan,
            ..
        } = *document.format;
        let mut reader = CharsetReader::new(source, conversion, prescan, document.declared)?;
        let mut failure = None;
        let mut pass = self.begin(document, reader.detected());
        let origin = document.origin.offset;
        self.windows.begin_at(bounds, origin);
        let mut told = false;
        loop {
            let whole = pass.start.again.exact && self.windows.pending().len() > WHOLE;
            if !told && (whole || reader.kept() > KEPT) {
                told = true;
                sink.heavy();
            }
            if let Err(error) = self.windows.fill(&mut reader) {
                failure = Some(error);
                self.windows.end_here();
            }
            // The windows step aside, so that the rest can be borrowed.
            let mut windows = std::mem::take(&mut self.windows);
            let window = windows.window();
            let consumed = self.scan(&mut pass, window, reader.offset_map(), sink);
            let length = window.offset_at(consumed);
            let again = pass.again(&mut self.linker);
            let finished = again.is_none() && windows.consume(consumed);
            self.windows = windows;
            if let Some(again) = again {
                reader.again(again.start.again.encoding)?;
                self.windows.begin_at(self.bounds(bounds, &again), origin);
                pass = again;
            } else if finished {
                self.linker.end(sink);
                // What a huge document took is not kept for later ones.
                self.windows.begin_at(bounds, origin);
                let length = length - origin;
                let length = reader.offset_map().map_or(length, |map| map.start(length));
                return failure.map_or(Ok(length), Err);
            }
        }
    }

    /// An exact pass may need to see the whole document.
    fn bounds(&self, bounds: Bounds, pass: &Pass) -> Bounds {
        let limit = usize::try_from(self.options.formats.html.max_document).unwrap_or(usize::MAX);
        match pass.start.again.exact {
            true => Bounds {
                look_ahead: limit.max(bounds.look_ahead),
                ..bounds
            },
            false => bounds,
        }
    }

    fn begin(&mut self, document: &Document<'_>, detected: Option<Detected>) -> Pass {
        let format = document.format;
        self.linker.begin(format.family, document.base);
        let known = self
            .scanners
            .iter()
            .position(|(name, _)| *name == format.name);
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
            ..ScanStart::default()
        };
        Pass::new(scanner, start, self.options.positions, document.origin)
    }

    /// One window: bytes to events to links.
    fn scan(
        &mut self,
        pass: &mut Pass,
        window: Window<'_>,
        offset_map: Option<&mut OffsetMap>,
        sink: &mut impl Sink,
    ) -> usize {
        let Extractor {
            scanners,
            events: batch,
            linker,
            ..
        } = self;
        let scanner = &mut scanners[pass.scanner].1;
        if !pass.begun {
            scanner.begin(&pass.start);
            pass.begun = true;
        }
        let mut empty = std::mem::take(batch);
        empty.clear();
        let converted = offset_map.is_some();
        let lines = &mut pass.lines;
        let mut take = |events: &mut Events<'_>| {
            if let Some(lines) = lines {
                locate(lines, &window, converted, events);
            }
            if let Some(map) = &offset_map {
                map_back(map, events);
            }
            linker.take(events, window.bytes, sink);
            if linker.limit(sink) == Handed::Early {
                events.hand_on_early();
            }
        };
        let mut events = Events::relieved(empty, &mut take);
        step(window.bytes.len() - window.start);
        let consumed = scanner.scan(window, &mut events);
        events.hand_over();
        if events.is_handed_on() {
            scanner.handed_on();
        }
        *batch = events.into();
        if let Some(lines) = &mut pass.lines {
            lines.pass(&window, consumed);
        }
        if let Some(map) = offset_map {
            map.forget(window.offset);
        }
        consumed
    }
}

/// One reading of a document, from its first byte.
struct Pass {
    /// Its index among the extractor's scanners.
    scanner: usize,
    start: ScanStart,
    begun: bool,
    positions: Positions,
    origin: PieceOrigin,
    lines: Option<LineCounter>,
}

impl Pass {
    fn new(scanner: usize, start: ScanStart, positions: Positions, origin: PieceOrigin) -> Self {
        let PieceOrigin { offset, line, .. } = origin;
        Pass {
            scanner,
            start,
            begun: false,
            positions,
            origin,
            lines: (positions == Positions::Lines).then(|| LineCounter::starting(offset, line)),
        }
    }

    /// Another pass, when the document itself, and not an enclosed one, asked for it.
    fn again(&mut self, linker: &mut Linker) -> Option<Pass> {
        let start = ScanStart {
            again: linker.take_again()?,
            ..self.start
        };
        Some(Pass {
            start,
            begun: false,
            lines: (self.positions == Positions::Lines)
                .then(|| LineCounter::starting(self.origin.offset, self.origin.line)),
            ..*self
        })
    }
}

/// Fills in the positions that the scanner left to its driver.
fn locate(lines: &mut LineCounter, window: &Window<'_>, converted: bool, events: &mut Batch) {
    let starts = events.list.iter().filter_map(|event| match event {
        Event::Reference(found) if found.position.is_none() => Some(found.span.start),
        _ => None,
    });
    if !starts.is_sorted() {
        return locate_sorted(lines, window, converted, events);
    }
    for event in &mut events.list {
        match event {
            Event::Reference(found) if found.position.is_none() => {
                found.position = Some(lines.position(window, found.span.start));
            }
            // What was converted is read in UTF-8.
            Event::Encoding(encoding) if !converted => lines.set_encoding(encoding),
            _ => {}
        }
    }
}

/// The same where references come out of order: those in the text of a style element of SVG come
/// before those of the elements inside it.
fn locate_sorted(
    lines: &mut LineCounter,
    window: &Window<'_>,
    converted: bool,
    events: &mut Batch,
) {
    let mut waiting = Vec::new();
    for event in &mut events.list {
        match event {
            Event::Reference(found) if found.position.is_none() => waiting.push(found),
            Event::Encoding(encoding) if !converted => lines.set_encoding(encoding),
            _ => {}
        }
    }
    waiting.sort_by_key(|found| found.span.start);
    for found in waiting {
        found.position = Some(lines.position(window, found.span.start));
    }
}

/// Maps offsets in converted text to offsets in what is stored.
fn map_back(map: &OffsetMap, events: &mut Batch) {
    for event in &mut events.list {
        match event {
            Event::Reference(found) => {
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
