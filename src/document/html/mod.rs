//! References in HTML, found as the WHATWG parser would.

use super::events::{Events, Family};
use super::{Format, Reading, Scan, Start};
use crate::bytes::window::{Bounds, Window};

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

/// HTML, by the WHATWG standard.
pub(super) const FORMAT: Format = Format {
    name: "html",
    extensions: &["html", "htm", "xhtml", "xht"],
    family: Family::Markup,
    bounds: Bounds {
        look_behind: 4,
        look_ahead: 4 << 20,
    },
    reading: Reading::MaybeTwice,
    scanner: |options| Box::new(Scanner::new(options.html.clone())),
};

/// The scanner for HTML.
#[derive(Debug)]
pub struct Scanner {
    options: Options,
}

impl Scanner {
    /// A scanner with these options.
    pub fn new(options: Options) -> Self {
        Scanner { options }
    }
}

impl Scan for Scanner {
    fn begin(&mut self, _start: &Start) {}

    fn scan(&mut self, window: Window<'_>, _events: &mut Events) -> usize {
        window.bytes.len()
    }
}
