//! Plain text: finds URIs as RFC 2396 Appendix E and RFC 3986 Appendix C describe them.
//!
//! A URI's scheme ends in a colon, so the scanner searches for colons (`bytes::prefilter`) and not
//! for delimiters, which are far more frequent. At a colon it looks back for the scheme and for a
//! delimiter, then reads forward.
//!
//! | rules | file | contents |
//! |---|---|---|
//! | T1-T8 | `schemes` | known schemes, their shapes, and where a scheme starts |
//! | T9-T24 | `delimited` | `<...>`, `"..."` and hyperlinks of terminals |
//! | T25-T39 | `bare` | everything else: stops, authorities, brackets, trimming |
//! | T14, T15, T34, T39 | `lines` | prefixes of lines, and lines that go on |
//! | T40, T41 | `optional` | `www.` and mail addresses |
//! | | `common_case` | a fast path for most URIs |
//! | | `conformance` | flags for what is odd |
//! | | `split` | split points of a text |
//!
//! The result does not depend on where a window ends: a rule that reads past the end is tried again
//! when more bytes are there. To search a slice, see [`find`].
#![doc = include_str!("rules.md")]

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
#[cfg(feature = "internals")]
pub use schemes::SchemeShape;
#[cfg(feature = "internals")]
pub use split::split_at;

use super::events::RuleFamily;
use super::{Format, Passes, Retrieval, SplitPoint};
use crate::bytes::window::Bounds;
use crate::decode::charset::Conversion;

/// Options for scanning text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TextOptions {
    /// The bytes beyond ASCII that belong to a URI.
    pub non_ascii: NonAscii,
    /// Also report `www.example.com`, as `http://www.example.com` (RFC 2396 Appendix F).
    pub www: bool,
    /// Also report `user@example.com`, as `mailto:user@example.com`.
    pub email: bool,
    /// Follow RFC 2396 Appendix E without limits on the white space inside delimiters.
    pub strict: bool,
}

/// The kind of text: prose, or the source of formatted text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextSource {
    /// Only lines that start with `.` are read as troff's (T39).
    #[default]
    Prose,
    /// Every line is troff: the media type `text/troff` (RFC 4263) or one of its older names.
    Troff,
}

/// The bytes beyond ASCII that belong to a URI in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonAscii {
    /// Letters, marks and the like, as in an IRI (RFC 3987).
    #[default]
    Iri,
    /// None.
    Ascii,
}

/// Plain text, the format of documents that have no other.
pub(super) const FORMAT: Format = Format {
    name: "text",
    extensions: &["txt", "text", "log"],
    family: RuleFamily::Plain,
    retrieval: Retrieval::Place,
    bounds: BOUNDS,
    reading: Passes::Once,
    prescan: None,
    conversion: Conversion::Always,
    split_point: Some(SplitPoint::Line(split::split_point)),
    scanner: |options| Box::new(TextScanner::new(options.text.clone())),
};

/// Behind: a scheme's run, the padding on both sides of `URL:`, a delimiter, and the distance to
/// the line's start before that. Ahead: the longest URI, and the start of the next line.
const BOUNDS: Bounds = Bounds {
    look_behind: 2048,
    look_ahead: bare::LONGEST + 2 * bare::NEXT_PREFIX + 4096,
};
