//! Which encoding a document has, and what to do about those that do not leave ASCII alone.
//!
//! Scanners read the bytes of a document as they are. That works for every encoding in which the
//! bytes of markup stand for nothing else; the few others are turned into UTF-8 first, by a
//! [`Transcoder`] that remembers where everything stood.

mod prescan;
mod read;
mod transcode;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

pub use read::{CharsetReader, Conversion, converts};
pub use transcode::Transcoder;

use super::events::RuleFamily;

/// How many bytes the search for a declaration looks at (WHATWG HTML 13.2.3.2).
pub const PRESCAN: usize = 1024;

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
/// A byte order mark wins, then what the transport or the user declared, then, in markup, what the
/// document says of itself.
///
/// ```
/// use uriscan::document::charset::detect;
/// use uriscan::document::events::RuleFamily;
/// let detected = detect(RuleFamily::Markup, None, b"<meta charset=latin1>");
/// assert_eq!(detected.encoding.unwrap().name(), "windows-1252");
/// ```
pub fn detect(family: RuleFamily, declared: Option<&'static Encoding>, first: &[u8]) -> Detected {
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
    let found = match family {
        RuleFamily::Markup => prescan::prescan(&first[..first.len().min(PRESCAN)]),
        RuleFamily::Plain => None,
    };
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

/// The encoding that a document may declare for itself with a label: one that says UTF-16 cannot
/// be right, for the label has been read (WHATWG HTML 13.2.3.2).
pub fn declared_within(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        encoding_rs::WINDOWS_1252
    } else {
        encoding
    })
}

pub use prescan::label_in_content;
