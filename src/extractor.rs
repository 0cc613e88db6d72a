//! Layer 5: one document, start to end, with buffers that serve the next one too.

use std::io::{self, Cursor, Read, Seek};

use encoding_rs::Encoding;

use crate::bytes::lines::Lines;
use crate::bytes::source::{Replay, Seekable, Source};
use crate::bytes::window::{Window, Windows};
use crate::document::events::{Again, Event, Events};
use crate::document::{self, Format, Reading, Scan, Start};
use crate::resolver::{EmbeddedBases, Linker, Ruling, Sink};
use crate::uri::Base;

/// Whether links carry their line and column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Positions {
    /// They carry offsets only, which cost nothing.
    #[default]
    Offsets,
    /// They carry lines and columns too.
    Lines,
}

/// How documents are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The options of each format.
    pub formats: document::Options,
    /// Which rules resolution follows.
    pub ruling: Ruling,
    /// Whether the bases that documents bring are honoured.
    pub embedded_bases: EmbeddedBases,
    /// Whether links carry their line and column.
    pub positions: Positions,
    /// How many bytes are read at a time.
    pub window: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            formats: document::Options::default(),
            ruling: Ruling::AUTO,
            embedded_bases: EmbeddedBases::default(),
            positions: Positions::default(),
            // It should stay in a core's own cache, and most documents should fit.
            window: 256 << 10,
        }
    }
}

/// What is known of a document before it is read.
#[derive(Clone, Copy)]
pub struct Document<'a> {
    /// Its format.
    pub format: &'static Format,
    /// Its base URI, unless it brings one itself.
    pub base: Option<&'a Base>,
    /// The encoding that a transport or the user declares.
    pub declared: Option<&'static Encoding>,
}

impl<'a> Document<'a> {
    /// A document of a format, with a base if one is known.
    pub fn new(format: &'static Format, base: Option<&'a Base>) -> Self {
        Document {
            format,
            base,
            declared: None,
        }
    }
}

/// Extracts the links of documents, one after the other.
///
/// ```
/// use uriscan::document::Format;
/// use uriscan::extractor::{Document, Extractor, Options};
/// use uriscan::resolver::Link;
///
/// let text = Format::named("text").unwrap();
/// let mut extractor = Extractor::new(&Options::default());
/// let mut targets = Vec::new();
/// extractor.extract_bytes(
///     &Document::new(text, None),
///     b"Yes, Jim, I found it under <http://www.example.com/rfc/\n rfc1738.txt>",
///     &mut |link: &Link<'_>| targets.push(link.target.unwrap().to_vec()),
/// );
/// assert_eq!(targets, [b"http://www.example.com/rfc/rfc1738.txt"]);
/// ```
pub struct Extractor {
    options: Options,
    windows: Windows,
    events: Events,
    linker: Linker,
    /// One scanner a format, made when it is first needed.
    scanners: Vec<(&'static str, Box<dyn Scan>)>,
}

impl Extractor {
    /// An extractor with these options.
    pub fn new(options: &Options) -> Self {
        Extractor {
            windows: Windows::new(options.window),
            events: Events::default(),
            linker: Linker::new(options.ruling, options.embedded_bases),
            scanners: Vec::new(),
            options: options.clone(),
        }
    }

    /// Extracts the links of a document that is in memory.
    pub fn extract_bytes(&mut self, document: &Document<'_>, bytes: &[u8], sink: &mut impl Sink) {
        // A slice reads and rewinds without errors.
        let _ = self.run(document, &mut Seekable::new(Cursor::new(bytes)), sink);
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
            Reading::Once => 0,
            Reading::MaybeTwice => limit,
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

    fn run(
        &mut self,
        document: &Document<'_>,
        source: &mut impl Source,
        sink: &mut impl Sink,
    ) -> io::Result<u64> {
        let format = document.format;
        let scanner = scanner(&mut self.scanners, format, &self.options.formats);
        self.linker.begin(format.family, document.base);
        let mut start = Start {
            declared: document.declared,
            ..Start::default()
        };
        let mut failure = None;
        'again: loop {
            scanner.begin(&start);
            self.windows.begin(format.bounds);
            let mut lines = match self.options.positions {
                Positions::Offsets => None,
                Positions::Lines => Some(Lines::new()),
            };
            let mut depth = 0;
            loop {
                if let Err(error) = self.windows.fill(source) {
                    failure = Some(error);
                    self.windows.end_here();
                }
                let window = self.windows.window();
                self.events.clear();
                let consumed = scanner.scan(window, &mut self.events);
                if let Some(lines) = &mut lines {
                    locate(lines, &window, &mut self.events);
                    lines.pass(&window, consumed);
                }
                self.linker.batch(&self.events, window.bytes, sink);
                if let Some(again) = restart(&self.events, &mut depth) {
                    start.again = again;
                    source.rewind()?;
                    continue 'again;
                }
                let length = window.offset_at(consumed);
                if self.windows.consume(consumed) {
                    self.linker.end(sink);
                    return failure.map_or(Ok(length), Err);
                }
            }
        }
    }
}

/// Fills in the positions that the scanner left to its driver.
fn locate(lines: &mut Lines, window: &Window<'_>, events: &mut Events) {
    for event in &mut events.list {
        match event {
            Event::Reference(found) if found.position.is_none() => {
                found.position = Some(lines.position(window, found.span.start));
            }
            Event::Encoding(encoding) => lines.set_encoding(encoding),
            _ => {}
        }
    }
}

/// Whether the batch asks for the document itself, and not an enclosed one, to be read again.
fn restart(events: &Events, depth: &mut usize) -> Option<Again> {
    for event in &events.list {
        match *event {
            Event::Enter(_) => *depth += 1,
            Event::Leave => *depth -= 1,
            Event::Restart(again) if *depth == 0 => return Some(again),
            _ => {}
        }
    }
    None
}

fn scanner<'a>(
    scanners: &'a mut Vec<(&'static str, Box<dyn Scan>)>,
    format: &'static Format,
    options: &document::Options,
) -> &'a mut Box<dyn Scan> {
    let known = scanners.iter().position(|(name, _)| *name == format.name);
    let index = known.unwrap_or_else(|| {
        scanners.push((format.name, (format.scanner)(options)));
        scanners.len() - 1
    });
    &mut scanners[index].1
}
