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
//! | T14, T15, T34, T39 | `lines` | prefixes of lines, and lines that continue |
//! | T40, T41 | `optional` | `www.` and mail addresses |
//! | T42, T43 | `cells` | tables of comma- and tab-separated values |
//! | T44 | `refang` | URIs that were made harmless |
//! | M18 | `folded`, `flowed` | calendars and cards; format=flowed and text/enriched |
//! | | `rewritten` | scans such texts in another form |
//! | | `conformance` | flags for peculiarities |
//! | | `split` | split points of a text |
//!
//! The result does not depend on where a window ends: a rule that reads past the end is tried again
//! when more bytes are there. To search a slice, see [`find()`].
#![doc = include_str!("rules.md")]

mod bare;
mod candidate;
mod cells;
mod conformance;
mod delimited;
mod find;
mod flowed;
mod folded;
mod lines;
mod optional;
pub(in crate::document) mod refang;
mod rewritten;
mod scanner;
pub mod schemes;
mod split;
mod view;

use super::Format;
pub use super::options::{NonAscii, TextOptions, TextSource};
pub(super) use cells::{CSV, TSV};
pub use find::{Certainty, TextReference, TextReferences, find};
#[cfg(feature = "mail")]
pub(super) use flowed::{ENRICHED, FLOWED, FLOWED_WITHOUT_SPACES};
pub(super) use folded::FORMAT as FOLDED;
pub(super) use scanner::{FORMAT, UNSPLIT};
/// Returns whether documents of a format are plain text, with line breaks as meant or not.
pub(super) fn is_plain(format: &Format) -> bool {
    [
        FORMAT,
        flowed::FLOWED,
        flowed::FLOWED_WITHOUT_SPACES,
        flowed::ENRICHED,
    ]
    .contains(format)
}

#[cfg(feature = "internals")]
pub use split::split_at;
#[cfg(feature = "internals")]
pub use {scanner::TextScanner, schemes::SchemeShape};
