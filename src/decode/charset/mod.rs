//! Which encoding a document has, and what to do about those that do not leave ASCII alone.
//!
//! Scanners read the bytes of a document as they are. That works for every encoding in which the
//! bytes of markup stand for nothing else; the few others are turned into UTF-8 first, by a
//! [`Transcoder`] that remembers where everything stood.

mod converter;
pub(crate) mod labels;
mod reader;
mod shift;
mod transcoder;
mod unicode;

use encoding_rs::Encoding;

pub(crate) use converter::Converter;
pub use reader::{CharsetReader, Conversion, converts};
pub use transcoder::Transcoder;

/// How many bytes the search for a declaration looks at (WHATWG HTML 13.2.3.2).
pub const PRESCAN: usize = 1024;

/// Finds the encoding that a document declares for itself in up to [`PRESCAN`] first bytes.
pub type Prescan = fn(&[u8]) -> Option<&'static Encoding>;

/// What is known of a document's encoding by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The encoding; none when nothing declares one.
    pub encoding: Option<&'static Encoding>,
    /// How many bytes the byte order mark has.
    pub mark: usize,
    /// Whether a later declaration may say otherwise.
    pub confidence: Confidence,
}

/// How sure an encoding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confidence {
    /// A `meta` element may change it.
    #[default]
    Tentative,
    /// A byte order mark or the transport said so.
    Certain,
}

/// Detects the encoding of a document from its first [`PRESCAN`] bytes, or all there are.
///
/// A byte order mark wins, then what the transport or the user declared, then what the format's
/// prescan finds.
///
/// ```
/// use uriscan::decode::charset::detect;
/// use uriscan::document::html::prescan;
/// let detected = detect(Some(prescan), None, b"<meta charset=latin1>");
/// assert_eq!(detected.encoding.unwrap().name(), "windows-1252");
/// ```
pub fn detect(
    prescan: Option<Prescan>,
    declared: Option<&'static Encoding>,
    first: &[u8],
) -> Detected {
    if let Some((encoding, mark)) = Encoding::for_bom(first) {
        return Detected {
            encoding: Some(encoding),
            mark,
            confidence: Confidence::Certain,
        };
    }
    let confidence = match declared {
        Some(_) => Confidence::Certain,
        None => Confidence::Tentative,
    };
    let found = prescan.and_then(|prescan| prescan(&first[..first.len().min(PRESCAN)]));
    Detected {
        encoding: declared.or(found),
        mark: 0,
        confidence,
    }
}

/// Whether documents in an encoding must be turned into UTF-8 before they are scanned.
pub fn needs_transcoding(encoding: &'static Encoding) -> bool {
    !encoding.is_ascii_compatible()
}
