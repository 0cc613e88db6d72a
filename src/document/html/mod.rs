//! References in HTML, found as the WHATWG parser would.
//!
//! One tokenizer ([`tokens`]) with two sources of feedback ([`tree`]): what can be proved without
//! building the tree ([`fast`]), and, where the proof ends, the tree builder itself. What
//! the accepted tags hold is a [table](attributes).

mod attributes;
mod characters;
mod convention;
mod css;
mod dom;
mod exact;
mod fast;
mod foreign;
mod json;
mod lists;
mod names;
mod raw;
mod report;
mod source;
mod srcdoc;
mod tag;
mod tokens;
mod tree;
mod value;

use encoding_rs::UTF_8;

use super::diagnostic;
use super::events::{Again, Event, Events, Family};
use super::{Anchors, Format, Reading, Reread, Scan, Start};
use crate::bytes::window::{Bounds, Window};
use fast::Fast;
use report::Document;
use source::Source;
use tokens::{Run, Tokens};
use tree::Bail;

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
    /// Whether the places that fragments can name are reported too.
    pub anchors: Anchors,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            extended: false,
            scripting: false,
            text: false,
            max_document: 64 << 20,
            ignore: None,
            anchors: Anchors::Leave,
        }
    }
}

/// The longest value, or text of an element, that is looked at.
const LIMIT: usize = 4 << 20;

/// HTML, by the WHATWG standard.
pub(super) const FORMAT: Format = Format {
    name: "html",
    extensions: &["html", "htm", "xhtml", "xht"],
    family: Family::Markup,
    bounds: Bounds {
        look_behind: 4,
        // A value of the longest length with what stands around it.
        look_ahead: LIMIT + (64 << 10),
    },
    reading: Reading::MaybeTwice,
    scanner: |options| {
        Box::new(Scanner::new(Options {
            anchors: options.anchors,
            ..options.html.clone()
        }))
    },
};

/// The scanner for HTML.
pub struct Scanner {
    document: Document,
    tokens: Tokens,
    fast: Fast,
    state: State,
    reread: Reread,
    again: Again,
    /// Where the document starts, behind a byte order mark.
    body: usize,
    /// Why the document before was given up, for the pass that follows.
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
    pub fn new(options: Options) -> Self {
        Scanner {
            fast: Fast::new(&options, options.max_document),
            document: Document::new(options),
            tokens: Tokens::new(),
            state: State::Start,
            reread: Reread::Possible,
            again: Again::default(),
            body: 0,
            bail: None,
        }
    }

    /// The offset from which on the document will not be read again.
    fn limit(&self) -> u64 {
        match self.reread {
            Reread::Possible => self.document.options.max_document,
            Reread::Impossible => 0,
        }
    }

    /// Looks at the first bytes; returns where the document starts, if that can be said.
    fn start(&mut self, window: &Window<'_>) -> Option<usize> {
        if window.bytes.len() < 3 && !window.last {
            return None;
        }
        self.state = match self.again.exact {
            true => State::Waiting,
            false => State::Running,
        };
        self.fast = Fast::new(&self.document.options, self.limit());
        Some(match window.bytes.starts_with(b"\xEF\xBB\xBF") {
            true => 3,
            false => 0,
        })
    }

    /// Waits for the whole document, unless it is too long for that.
    fn wait(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> usize {
        if window.last {
            return self.whole(window, at, events);
        }
        if window.bytes.len() as u64 <= self.document.options.max_document {
            return window.start;
        }
        self.fast = Fast::new(&self.document.options, 0);
        self.state = State::Running;
        events.push(Event::Diagnostic(&diagnostic::APPROXIMATE, window.offset));
        self.run(window, at, events)
    }

    /// Scans a document that is in view as a whole.
    fn whole(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> usize {
        let source = Source::window(window.bytes, window.offset);
        if !whole(source, at, events, &mut self.document) {
            events.push(Event::Diagnostic(&diagnostic::APPROXIMATE, window.offset));
        }
        events.push(Event::Settled);
        window.bytes.len()
    }

    /// Scans the bytes in view.
    fn run(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> usize {
        let mut run = Run {
            source: Source::window(window.bytes, window.offset),
            last: window.last,
            tokens: &mut self.tokens,
            tree: &mut self.fast,
            events,
            document: &mut self.document,
        };
        let result = run.run(at);
        if self.fast.took_a_guess() {
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
            Err(bail) => {
                self.bail = Some(bail);
                events.push(Event::Restart(Again {
                    exact: true,
                    encoding: None,
                }));
                self.state = State::Abandoned;
                window.bytes.len()
            }
        }
    }
}

impl Scan for Scanner {
    fn begin(&mut self, start: &Start) {
        let encoding = start.again.encoding.or(start.declared).unwrap_or(UTF_8);
        self.document.begin(encoding);
        self.tokens.begin();
        self.reread = start.reread;
        self.again = start.again;
        self.state = State::Start;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        if self.state == State::Start {
            match self.start(&window) {
                Some(start) => self.body = start,
                None => return window.start,
            }
        }
        let at = match window.offset {
            0 => self.body.max(window.start),
            _ => window.start,
        };
        match self.state {
            State::Abandoned => window.bytes.len(),
            State::Running if window.last && window.offset == 0 && window.start == 0 => {
                self.whole(&window, at, events)
            }
            State::Waiting => self.wait(&window, at, events),
            _ => self.run(&window, at, events),
        }
    }
}

/// Scans a document that is in view as a whole; false when the result approximates.
fn whole(source: Source<'_>, at: usize, events: &mut Events, document: &mut Document) -> bool {
    let mark = events.mark();
    let fits = source.bytes.len() as u64 <= document.options.max_document;
    let limits: &[u64] = if fits { &[u64::MAX, 0] } else { &[0] };
    for &limit in limits {
        let mut fast = Fast::new(&document.options, limit);
        let mut run = Run {
            source,
            last: true,
            tokens: &mut Tokens::new(),
            tree: &mut fast,
            events,
            document,
        };
        let Err(bail) = run.run(at) else {
            return !fast.took_a_guess();
        };
        events.rollback(mark);
        document.rewind();
        events.push(Event::Exact(bail.name()));
        if exact::scan(source, at, events, document).is_ok() {
            return true;
        }
        events.rollback(mark);
        document.rewind();
    }
    false
}
