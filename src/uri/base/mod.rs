//! Where a base URI comes from: RFC 2396 section 5.1, file names, and directories that are served somewhere.

mod mounts;
mod path;

use std::fmt;

pub use mounts::{Mounts, Served};
pub use path::{PathStyle, file_path, file_uri, push_path};

/// A base URI and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The URI.
    pub uri: Vec<u8>,
    /// Where it was found.
    pub source: BaseSource,
}

/// The layer of RFC 2396 section 5.1 that a base comes from, and the place within it.
///
/// ```
/// use uriscan::uri::BaseSource;
///
/// assert_eq!(BaseSource::EntityContentBase { part: "1.2".into() }.to_string(), "entity:content-base@1.2");
/// assert_eq!(BaseSource::RetrievalFile.to_string(), "retrieval:file");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BaseSource {
    /// Section 5.1.1: a BASE element.
    ContentBase,
    /// Section 5.1.2: a `Content-Base` field.
    EntityContentBase {
        /// The part that has the field.
        part: Box<str>,
    },
    /// Section 5.1.2: a `Content-Location` field.
    EntityContentLocation {
        /// The part that has the field.
        part: Box<str>,
    },
    /// Section 5.1.2: a `Content-Base` field of HTTP.
    EntityHttpContentBase,
    /// Section 5.1.3: the name of the file.
    RetrievalFile,
    /// Section 5.1.3: the directory is served somewhere.
    RetrievalRoot,
    /// Section 5.1.3: the retrieval URI was given for a mail or web archive.
    RetrievalOption,
    /// Section 5.1.3: a `WARC-Target-URI` field.
    RetrievalWarcTargetUri,
    /// Section 5.1.3: a `Snapshot-Content-Location` field.
    RetrievalSnapshotContentLocation,
    /// Section 5.1.4: the default was given.
    DefaultOption,
    /// Section 5.1.4: `thismessage:/` (RFC 2557 section 5).
    DefaultThisMessage,
}

impl fmt::Display for BaseSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ContentBase => "content:base",
            Self::EntityContentBase { part } => {
                return write!(formatter, "entity:content-base@{part}");
            }
            Self::EntityContentLocation { part } => {
                return write!(formatter, "entity:content-location@{part}");
            }
            Self::EntityHttpContentBase => "entity:http-content-base",
            Self::RetrievalFile => "retrieval:file",
            Self::RetrievalRoot => "retrieval:root",
            Self::RetrievalOption => "retrieval:option",
            Self::RetrievalWarcTargetUri => "retrieval:warc-target-uri",
            Self::RetrievalSnapshotContentLocation => "retrieval:snapshot-content-location",
            Self::DefaultOption => "default:option",
            Self::DefaultThisMessage => "default:thismessage",
        })
    }
}
