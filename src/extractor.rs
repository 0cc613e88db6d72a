//! Layer 5: one document, start to end, with buffers that serve the next one too.

use std::io::{self, Cursor, Read, Seek};

use encoding_rs::Encoding;

use crate::bytes::lines::Lines;
use crate::bytes::source::{Replay, Seekable, Source};
use crate::bytes::window::{Bounds, Window, Windows};
use crate::document::events::{Event, Events};
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
        if bytes.len() > self.options.window {
            // A slice reads and rewinds without errors.
            let _ = self.run(document, &mut Seekable::new(Cursor::new(bytes)), sink);
            return;
        }
        // One window is in view as it is: nothing is copied.
        let window = Window::whole(bytes);
        let mut pass = Some(self.begin(document));
        while let Some(mut this) = pass {
            self.scan(&mut this, window, sink);
            pass = this.again(&self.events);
        }
        self.linker.end(sink);
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
        let bounds = document.format.bounds;
        let mut failure = None;
        let mut pass = self.begin(document);
        self.windows.begin(bounds);
        loop {
            if let Err(error) = self.windows.fill(source) {
                failure = Some(error);
                self.windows.end_here();
            }
            // The windows step aside, so that the rest can be borrowed.
            let mut windows = std::mem::take(&mut self.windows);
            let window = windows.window();
            let consumed = self.scan(&mut pass, window, sink);
            let length = window.offset_at(consumed);
            let again = pass.again(&self.events);
            let finished = again.is_none() && windows.consume(consumed);
            self.windows = windows;
            if let Some(again) = again {
                source.rewind()?;
                self.windows.begin(self.bounds(bounds, &again));
                pass = again;
            } else if finished {
                self.linker.end(sink);
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

    fn begin(&mut self, document: &Document<'_>) -> Pass {
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
        let start = Start {
            declared: document.declared,
            ..Start::default()
        };
        Pass::new(scanner, start, self.options.positions)
    }

    /// One window: bytes to events to links.
    fn scan(&mut self, pass: &mut Pass, window: Window<'_>, sink: &mut impl Sink) -> usize {
        let scanner = &mut self.scanners[pass.scanner].1;
        if !pass.begun {
            scanner.begin(&pass.start);
            pass.begun = true;
        }
        self.events.clear();
        let consumed = scanner.scan(window, &mut self.events);
        if let Some(lines) = &mut pass.lines {
            locate(lines, &window, &mut self.events);
            lines.pass(&window, consumed);
        }
        self.linker.batch(&self.events, window.bytes, sink);
        consumed
    }
}

/// One reading of a document, from its first byte.
struct Pass {
    /// Its index among the extractor's scanners.
    scanner: usize,
    start: Start,
    begun: bool,
    positions: Positions,
    lines: Option<Lines>,
    /// How many enclosed documents are open.
    depth: usize,
}

impl Pass {
    fn new(scanner: usize, start: Start, positions: Positions) -> Self {
        Pass {
            scanner,
            start,
            begun: false,
            positions,
            lines: (positions == Positions::Lines).then(Lines::new),
            depth: 0,
        }
    }

    /// Another pass, when a batch asks for the document itself, and not for an enclosed one, to be
    /// read once more.
    fn again(&mut self, events: &Events) -> Option<Pass> {
        for event in &events.list {
            match *event {
                Event::Enter(_) => self.depth += 1,
                Event::Leave => self.depth = self.depth.saturating_sub(1),
                Event::Restart(again) if self.depth == 0 => {
                    let start = Start {
                        again,
                        ..self.start
                    };
                    return Some(Pass::new(self.scanner, start, self.positions));
                }
                _ => {}
            }
        }
        None
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
