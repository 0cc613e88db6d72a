//! URIs in plain text (RFC 2396 Appendix E, RFC 3986 Appendix C).
//!
//! A URI's scheme ends in a colon, so colons are searched for ([`prefilter`](crate::bytes::prefilter)),
//! never the delimiters, which are far more frequent. At a colon the rules look back for the
//! scheme and for a delimiter before it, then forward:
//!
//! | rules | file | what they decide |
//! |---|---|---|
//! | S1-S8 | `start`, `schemes`, `shapes` | where the scheme starts, and what must follow it |
//! | D1-D13 | `delimited`, `prefix` | `<...>` and `"..."`: white space, wraps, hyphens, reply marks |
//! | D14 | `terminal` | terminal hyperlinks |
//! | B1-B12 | `bare`, `authority`, `unicode` | everything else: stops, hosts, brackets, trimming |
//! | B14 | `troff` | escapes in the source of man pages |
//! | O1-O2 | `optional` | `www.` and mail addresses |
//! | | `usual` | what nearly all URIs are like, without asking every rule |
//!
//! Every look back and look ahead is bounded, nothing is looked at again that a find covers, and no
//! rule reaches across an empty line ([`split_at`]). What is decided never depends on where a
//! window ends: a rule that looked past the end is asked again when more is there.
//!
//! To search a slice, see [`find`].

mod bare;
mod candidate;
mod common_case;
mod conformance;
mod delimited;
mod find;
mod lines;
mod optional;
mod scanner;
pub mod schemes;
mod split;
mod view;

pub use find::{Certainty, TextReference, TextReferences, find};
pub use scanner::TextScanner;
pub use schemes::SchemeShape;
pub use split::split_at;

use super::events::RuleFamily;
use super::{Format, Passes, Retrieval, SplitPoint};
use crate::bytes::window::Bounds;
use crate::decode::charset::Conversion;

/// How text is read.
#[derive(Clone, Debug, Default)]
pub struct TextOptions {
    /// Which bytes beyond ASCII belong to a URI.
    pub non_ascii: NonAscii,
    /// Also report `www.example.com`, as `http://www.example.com` (RFC 2396 Appendix F).
    pub www: bool,
    /// Also report `user@example.com`, as `mailto:user@example.com`.
    pub email: bool,
    /// Follow RFC 2396 Appendix E without limits on the white space inside delimiters.
    pub strict: bool,
}

/// Whether plain text is what it looks like, or the source of formatted text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextSource {
    /// Only lines that start with `.` are read as troff's (B14).
    #[default]
    Prose,
    /// Every line is: the media type `text/troff` (RFC 4263) or one of its older names.
    Troff,
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
    family: RuleFamily::Plain,
    retrieval: Retrieval::Place,
    bounds: BOUNDS,
    reading: Passes::Once,
    prescan: None,
    conversion: Conversion::Always,
    split_point: Some(SplitPoint::Line(split::seam)),
    scanner: |options| Box::new(TextScanner::new(options.text.clone())),
};

/// Behind: a scheme's run, twice the padding before it with `URL:` and a delimiter between, and the
/// look for the line's start before that. Ahead: the longest URI, and the start of the next line.
const BOUNDS: Bounds = Bounds {
    look_behind: 2048,
    look_ahead: bare::LONGEST + 2 * bare::NEXT_PREFIX + 4096,
};
