//! References in HTML, found as the WHATWG parser would.
//!
//! One tokenizer (`tokens`) with two sources of feedback (`tree`): what can be proved without
//! building the tree (`fast`), and, where the proof ends, the tree builder itself. What
//! the accepted tags hold is a table, in `attributes`.

mod attributes;
mod characters;
mod convention;
mod css;
mod dom;
mod encoding;
mod exact;
mod fast;
mod foreign;
mod json;
mod lists;
mod long;
mod names;
mod raw;
mod report;
mod skim;
mod source;
mod srcdoc;
mod tag;
mod text;
mod tokens;
mod tree;
mod value;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::charset::{self, Confidence, Conversion, Detected};
use super::diagnostic;
use super::events::{Again, Event, Events, Family};
use super::{Format, Reading, Reread, Retrieval, Scan, Start};
use crate::bytes::window::{Bounds, Window};
use crate::document;
use attributes::Wanted;
use encoding::{Charset, Checked, Validity};
use fast::Parser;
use report::Document;
use source::Source;
use text::Characters;
use tokens::Run;
use tree::{Bail, Halt, Tree};

/// How HTML is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Also report what is a reference only by convention: Open Graph, lazy loading and the like.
    pub extended: bool,
    /// Parse `noscript` as a browser that runs scripts does.
    pub scripting: bool,
    /// Also scan character data for URIs, by the rules for text.
    pub text: bool,
    /// The largest document, in bytes, that is read twice where exactness asks for it.
    pub max_document: u64,
    /// An attribute, in lower case, that marks the references of its element as
    /// [`Flags::IGNORED`](super::flags::Flags::IGNORED).
    pub ignore: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            extended: false,
            scripting: false,
            text: false,
            max_document: 64 << 20,
            ignore: None,
        }
    }
}

/// The longest value, or text of an element, that is looked at.
const LIMIT: usize = 4 << 20;
/// The events of a document up to this length, in bytes, are held until it is known how it must be
/// read.
const LONG: usize = 256 << 10;

/// HTML, by the WHATWG standard.
pub(super) const FORMAT: Format = Format {
    name: "html",
    extensions: &["html", "htm", "xhtml", "xht"],
    family: Family::Markup,
    retrieval: Retrieval::Place,
    bounds: Bounds {
        look_behind: 4,
        // A value of the longest length with what stands around it.
        look_ahead: LIMIT + (64 << 10),
    },
    reading: Reading::MaybeTwice,
    conversion: Conversion::WhereNeeded,
    seam: None,
    scanner: |options| Box::new(Scanner::new(options)),
};

/// The scanner for HTML.
pub struct Scanner {
    document: Document,
    parser: Parser,
    validity: Validity,
    state: State,
    start: Start,
    /// Where the document starts, behind a byte order mark.
    body: usize,
    /// The encoding that it was opened with.
    opened: &'static Encoding,
    /// Why the pass before was given up.
    bail: Option<Bail>,
}

/// What a scanner is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Waits for the first bytes.
    Start,
    /// Reads window by window.
    Running,
    /// Waits until the whole document is in view.
    Waiting,
    /// Has asked for the document to be read again.
    Abandoned,
}

impl Scanner {
    /// A scanner with these options.
    pub fn new(options: &document::Options) -> Self {
        let html = options.html.clone();
        let wanted = Wanted::new(&html, options.anchors);
        let parser = Parser::new(&html, wanted);
        let mut document = Document::new(html, wanted);
        if document.options.text {
            document.characters = Some(Characters::new(&options.text));
        }
        Scanner {
            document,
            parser,
            validity: Validity::default(),
            state: State::Start,
            start: Start::default(),
            body: 0,
            opened: UTF_8,
            bail: None,
        }
    }

    /// Looks at the first bytes; false when they are too few.
    fn open(&mut self, window: &Window<'_>, events: &mut Events) -> bool {
        let enough = window.last || window.bytes.len() >= charset::PRESCAN;
        let detected = match (self.start.again.encoding, self.start.detected) {
            (Some(encoding), _) => Detected {
                encoding: Some(encoding),
                mark: 0,
                confidence: match self.start.again.declared {
                    true => Confidence::Certain,
                    false => Confidence::Tentative,
                },
            },
            (None, Some(detected)) => detected,
            (None, None) if enough => {
                charset::detect(Family::Markup, self.start.declared, window.bytes)
            }
            (None, None) => return false,
        };
        let charset = Charset::new(&detected);
        self.document.begin(charset);
        self.opened = charset.label;
        self.body = match charset::needs_transcoding(charset.label) {
            true => 0,
            false => detected.mark,
        };
        if charset.label != UTF_8 {
            events.push(Event::Encoding(charset.label));
        }
        let limit = match self.start.reread {
            Reread::Possible => self.document.options.max_document,
            Reread::Impossible => 0,
        };
        self.document.limit = limit;
        self.parser.fast.begin(limit);
        self.state = match self.start.again.exact {
            true => State::Waiting,
            false => State::Running,
        };
        true
    }

    /// Waits for the whole document, unless it is too long for that.
    fn wait(&mut self, window: &Window<'_>, events: &mut Events) -> usize {
        if window.last {
            return self.whole(window, events);
        }
        if window.bytes.len() as u64 <= self.document.options.max_document {
            return window.start;
        }
        self.parser.fast.begin(0);
        self.state = State::Running;
        events.push(Event::Diagnostic(&diagnostic::APPROXIMATE, window.offset));
        self.run(window, events)
    }

    /// Scans a document that is in view as a whole.
    fn whole(&mut self, window: &Window<'_>, events: &mut Events) -> usize {
        if self.document.charset.undeclared && str::from_utf8(window.bytes).is_err() {
            self.document.charset.fall_back();
            events.push(Event::Encoding(self.document.charset.label));
        }
        let source = Source::window(window.bytes, window.offset);
        let exact = self.start.again.exact.then_some(self.bail).flatten();
        let parser = &mut self.parser;
        match whole(source, self.body, exact, parser, events, &mut self.document) {
            Ok(done) => {
                if done == Done::Approximately {
                    events.push(Event::Diagnostic(&diagnostic::APPROXIMATE, window.offset));
                }
                events.push(Event::Settled);
                window.bytes.len()
            }
            Err(encoding) => self.again(window, Some(encoding), true, events),
        }
    }

    /// Asks for the document to be read again.
    fn again(
        &mut self,
        window: &Window<'_>,
        encoding: Option<&'static Encoding>,
        declared: bool,
        events: &mut Events,
    ) -> usize {
        self.state = State::Abandoned;
        let exact = self.start.again.exact || self.bail.is_some();
        events.push(Event::Restart(Again {
            exact,
            encoding,
            declared,
        }));
        window.bytes.len()
    }

    /// Whether an undeclared document is still what it was taken for; if not, and something has
    /// been reported, it must be read again.
    fn check(&mut self, window: &Window<'_>, events: &mut Events) -> Checked {
        if !self.document.charset.undeclared {
            return Checked::Valid;
        }
        let checked = self
            .validity
            .check(window.bytes, window.offset, window.last);
        let again = checked == Checked::Invalid
            && !self.document.is_silent()
            && window.offset < self.document.limit;
        if checked == Checked::Valid || again {
            return checked;
        }
        self.document.charset.fall_back();
        events.push(Event::Encoding(self.document.charset.label));
        Checked::Valid
    }

    /// Scans the bytes in view.
    fn run(&mut self, window: &Window<'_>, events: &mut Events) -> usize {
        if self.check(window, events) != Checked::Valid {
            return self.again(window, Some(WINDOWS_1252), false, events);
        }
        let at = match window.offset {
            0 => self.body.max(window.start),
            _ => window.start,
        };
        let mut run = Run {
            source: Source::window(window.bytes, window.offset),
            last: window.last,
            tokens: &mut self.parser.tokens,
            tree: &mut self.parser.fast,
            events,
            document: &mut self.document,
        };
        let result = run.run(at);
        if self.parser.fast.took_a_guess() {
            events.push(Event::Diagnostic(
                &diagnostic::APPROXIMATE,
                window.offset_at(at),
            ));
        }
        match result {
            Ok(at) => {
                if window.last {
                    events.push(Event::Settled);
                }
                at
            }
            Err(Halt::Bail(bail)) => {
                self.bail = Some(bail);
                let label = self.document.charset.label;
                let changed = (label != self.opened).then_some(label);
                let encoding = changed.or(self.start.again.encoding);
                let declared = !self.document.charset.tentative;
                self.again(window, encoding, declared, events)
            }
            Err(Halt::Encoding(encoding)) => self.again(window, Some(encoding), true, events),
        }
    }
}

impl Scan for Scanner {
    fn handed_on(&mut self) {
        self.document.limit = 0;
        self.parser.fast.settle();
    }

    fn begin(&mut self, start: &Start) {
        self.parser.tokens.begin();
        self.validity = Validity::default();
        self.start = *start;
        self.state = State::Start;
        if !start.again.exact {
            self.bail = None;
        }
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        if self.state == State::Start && !self.open(&window, events) {
            return window.start;
        }
        if window.offset == 0 && window.bytes.len() < self.body {
            return window.start;
        }
        match self.state {
            State::Abandoned => window.bytes.len(),
            State::Waiting => self.wait(&window, events),
            State::Running if window.last && window.offset == 0 && window.start == 0 => {
                self.whole(&window, events)
            }
            State::Running | State::Start => self.run(&window, events),
        }
    }
}

/// How a document was scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    Exactly,
    /// It is beyond the limits.
    Approximately,
}

/// Scans a document that is in view as a whole; fails when it must be decoded in another way.
/// `exact` says why the fast path has been given up already.
///
/// The events of a short document are held until it is known how it must be read. A long one is
/// scanned for that first, and then once more with its base known.
fn whole(
    source: Source<'_>,
    at: usize,
    exact: Option<Bail>,
    parser: &mut Parser,
    events: &mut Events,
    document: &mut Document,
) -> Result<Done, &'static Encoding> {
    let opened = document.charset.label;
    let fits = source.bytes.len() as u64 <= document.options.max_document;
    let drafts = source.bytes.len() - at > LONG && events.is_relieved();
    let mut way = match exact {
        Some(bail) => Way::Exact(bail),
        None if fits => Way::Fast(u64::MAX),
        None => Way::Fast(0),
    };
    loop {
        let charset = document.charset;
        let mark = events.mark();
        let result = match way {
            Way::Fast(limit) if drafts => {
                events.begin_draft();
                let result = fast::scan(source, at, limit, parser, events, document);
                let base = events.end_draft();
                events.keep(mark);
                if result.is_ok() {
                    document.begin(charset);
                    // Nothing is retracted any more: references need not wait.
                    base.into_iter().for_each(|base| events.push(base));
                    events.push(Event::Settled);
                    // What ended well once does so again.
                    let _ = fast::scan(source, at, limit, parser, events, document);
                }
                result
            }
            Way::Fast(limit) => {
                let result = fast::scan(source, at, limit, parser, events, document);
                match result {
                    Ok(_) => events.keep(mark),
                    Err(_) => events.rollback(mark),
                }
                result
            }
            Way::Exact(bail) => {
                events.push(Event::Exact(bail.name()));
                match exact::scan(source, at, events, document) {
                    Ok(tree) => {
                        events.keep(mark);
                        tree.report(source, events, document);
                        Ok(Done::Exactly)
                    }
                    Err(halt) => {
                        events.rollback(mark);
                        Err(halt)
                    }
                }
            }
        };
        let halt = match result {
            Ok(done) => return Ok(done),
            Err(halt) => halt,
        };
        let mut charset = document.charset;
        way = match (halt, way) {
            (Halt::Encoding(encoding), _)
                if charset::needs_transcoding(encoding) || charset::needs_transcoding(opened) =>
            {
                return Err(encoding);
            }
            (Halt::Encoding(encoding), way) => {
                charset.change(encoding);
                way
            }
            (Halt::Bail(bail), Way::Fast(_)) => Way::Exact(bail),
            (Halt::Bail(_), Way::Exact(_)) => Way::Fast(0),
        };
        if charset.label != opened {
            events.push(Event::Encoding(charset.label));
        }
        document.begin(charset);
    }
}

/// One way to scan a document.
#[derive(Clone, Copy)]
enum Way {
    /// By the theorem; behind this offset it approximates.
    Fast(u64),
    Exact(Bail),
}
