//! References in HTML, found as the WHATWG parser would.
//!
//! One tokenizer ([`tokens`]) with two sources of feedback ([`tree`]): what can be proved without
//! building the tree ([`fast`]), and, where the proof ends, the tree builder itself. What
//! the accepted tags hold is a [table](attributes).

mod attributes;
mod characters;
mod convention;
mod css;
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

use encoding_rs::{Encoding, UTF_8};

use super::diagnostic;
use super::events::{Again, Event, Events, Family};
use super::{Format, Reading, Reread, Scan, Start};
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
}

impl Default for Options {
    fn default() -> Self {
        Options {
            extended: false,
            scripting: false,
            text: false,
            max_document: 64 << 20,
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
    scanner: |options| Box::new(Scanner::new(options.html.clone())),
};

/// The scanner for HTML.
pub struct Scanner {
    document: Document,
    tokens: Tokens,
    fast: Fast,
    state: State,
}

/// What a scanner is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Waits for the first bytes.
    Start,
    Running,
    /// Has asked for the document to be read again.
    Abandoned,
}

impl Scanner {
    /// A scanner with these options.
    pub fn new(options: Options) -> Self {
        Scanner {
            fast: Fast::new(options.scripting, options.max_document),
            document: Document::new(options),
            tokens: Tokens::new(),
            state: State::Start,
        }
    }

    fn run(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Result<usize, Bail> {
        let mut run = Run {
            source: Source::window(window.bytes, window.offset),
            last: window.last,
            tokens: &mut self.tokens,
            tree: &mut self.fast,
            events,
            document: &mut self.document,
        };
        run.run(at)
    }
}

impl Scan for Scanner {
    fn begin(&mut self, start: &Start) {
        let encoding: &'static Encoding = start.again.encoding.or(start.declared).unwrap_or(UTF_8);
        self.document.begin(encoding);
        self.tokens.begin();
        let options = &self.document.options;
        let limit = match (start.reread, start.again.exact) {
            (Reread::Possible, false) => options.max_document,
            _ => 0,
        };
        self.fast = Fast::new(options.scripting, limit);
        self.state = State::Start;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let mut at = window.start;
        if self.state == State::Abandoned {
            return window.bytes.len();
        }
        if self.state == State::Start {
            if window.bytes.len() < 3 && !window.last {
                return at;
            }
            if window.bytes.starts_with(b"\xEF\xBB\xBF") {
                at = 3;
            }
            self.state = State::Running;
        }
        match self.run(&window, at, events) {
            Ok(at) => {
                if self.fast.took_a_guess() {
                    let offset = window.offset_at(at);
                    events.push(Event::Diagnostic(&diagnostic::APPROXIMATE, offset));
                }
                if window.last {
                    events.push(Event::Settled);
                }
                at
            }
            Err(_) => {
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

/// Scans a document that is in view as a whole.
fn whole(source: Source<'_>, at: usize, events: &mut Events, document: &mut Document) {
    let mut run = Run {
        source,
        last: true,
        tokens: &mut Tokens::new(),
        tree: &mut Fast::new(document.options.scripting, 0),
        events,
        document,
    };
    let _ = run.run(at);
}
