//! URIs in plain text (RFC 2396 Appendix E, RFC 3986 Appendix C).

use super::events::{Events, Family};
use super::{Format, Reading, Scan, Start};
use crate::bytes::window::{Bounds, Window};

/// How text is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which bytes beyond ASCII belong to a URI.
    pub non_ascii: NonAscii,
    /// Also report `www.example.com`, as `http://www.example.com` (RFC 2396 Appendix F).
    pub www: bool,
    /// Also report `user@example.com`, as `mailto:user@example.com`.
    pub email: bool,
    /// Follow RFC 2396 Appendix E without limits on the white space inside delimiters.
    pub strict: bool,
}

/// Which bytes beyond ASCII belong to a URI in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonAscii {
    /// Letters and marks do, as in an IRI (RFC 3987).
    #[default]
    Iri,
    /// None does.
    Ascii,
}

/// Plain text, the format of whatever is nothing else.
pub(super) const FORMAT: Format = Format {
    name: "text",
    extensions: &["txt", "text", "log"],
    family: Family::Plain,
    bounds: Bounds {
        look_behind: 2048,
        look_ahead: 64 << 10,
    },
    reading: Reading::Once,
    scanner: |options| Box::new(Scanner::new(options.text.clone())),
};

/// The scanner for plain text.
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
