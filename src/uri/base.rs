//! Base URIs, their sources (RFC 2396 section 5.1), and file names as URIs.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use percent_encoding::percent_decode;

use super::percent;
use super::reference::Ends;
use super::{BaseError, Resolver, Rules};
use crate::bytes::class::ByteSet;

/// A base URI and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The URI.
    pub uri: Vec<u8>,
    /// The source.
    pub source: BaseSource,
}

impl Base {
    /// Creates the base of a document that was retrieved from a URI (RFC 2396 section 5.1.3).
    ///
    /// ```
    /// use uriscan::Base;
    ///
    /// assert_eq!(Base::retrieved("http://example.com/a").unwrap().source.name(), "retrieval:option");
    /// assert!(Base::retrieved("example.com/a").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// When the URI has no scheme, or has a host or a port that does not parse (WHATWG URL section 4.4).
    pub fn retrieved(uri: impl AsRef<[u8]>) -> Result<Self, BaseError> {
        Base::checked(uri.as_ref(), BaseSource::RetrievalOption)
    }

    /// Creates the base of a document about which nothing is known (RFC 2396 section 5.1.4).
    ///
    /// # Errors
    ///
    /// As [`Base::retrieved`].
    pub fn default_base(uri: impl AsRef<[u8]>) -> Result<Self, BaseError> {
        Base::checked(uri.as_ref(), BaseSource::DefaultOption)
    }

    pub(crate) fn new(uri: Vec<u8>, source: BaseSource) -> Self {
        Base { uri, source }
    }

    pub(crate) fn checked(uri: &[u8], source: BaseSource) -> Result<Self, BaseError> {
        Resolver::new(uri, Rules::Whatwg)?;
        Ok(Base::new(uri.to_vec(), source))
    }
}

/// The layer of RFC 2396 section 5.1 that a base comes from, and the source within the layer.
///
/// ```
/// use uriscan::BaseSource;
///
/// assert_eq!(BaseSource::EntityContentBase { part: "1.2".into() }.to_string(), "entity:content-base@1.2");
/// assert_eq!(BaseSource::RetrievalFile.to_string(), "retrieval:file");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BaseSource {
    /// Section 5.1.1: a BASE element.
    ContentBase,
    /// Section 5.1.1: the codebase of an element.
    ContentCodebase,
    /// Section 5.1.2: a `Content-Base` field.
    EntityContentBase {
        /// The part that has the field.
        part: Arc<str>,
    },
    /// Section 5.1.2: a `Content-Location` field.
    EntityContentLocation {
        /// The part that has the field.
        part: Arc<str>,
    },
    /// Section 5.1.2: a `Content-Base` field of an HTTP response (RFC 2068).
    EntityHttpContentBase,
    /// Section 5.1.2: a `Content-Location` field of an HTTP response (RFC 2616).
    EntityHttpContentLocation,
    /// Section 5.1.3: the URI of a record of a web archive.
    RetrievalWarcTargetUri,
    /// Section 5.1.3: the name of the file.
    RetrievalFile,
    /// Section 5.1.3: the directory is mounted at a URI.
    RetrievalRoot,
    /// Section 5.1.3: an option gives the retrieval URI of a mail or web archive.
    RetrievalOption,
    /// Section 5.1.3: a `Snapshot-Content-Location` field.
    RetrievalSnapshotContentLocation,
    /// Section 5.1.4: an option gives the default.
    DefaultOption,
    /// Section 5.1.4: `thismessage:/` (RFC 2557 section 5).
    DefaultThisMessage,
}

impl BaseSource {
    /// The sources without a part, with their names in records.
    #[rustfmt::skip]
    const NAMES: [(BaseSource, &'static str); 11] = [
        (Self::ContentBase, "content:base"),
        (Self::ContentCodebase, "content:codebase"),
        (Self::EntityHttpContentBase, "entity:http-content-base"),
        (Self::EntityHttpContentLocation, "entity:http-content-location"),
        (Self::RetrievalWarcTargetUri, "retrieval:warc-target-uri"),
        (Self::RetrievalFile, "retrieval:file"),
        (Self::RetrievalRoot, "retrieval:root"),
        (Self::RetrievalOption, "retrieval:option"),
        (Self::RetrievalSnapshotContentLocation, "retrieval:snapshot-content-location"),
        (Self::DefaultOption, "default:option"),
        (Self::DefaultThisMessage, "default:thismessage"),
    ];

    /// The name in records, without the part.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::EntityContentBase { .. } => "entity:content-base",
            Self::EntityContentLocation { .. } => "entity:content-location",
            _ => {
                let row = Self::NAMES.iter().find(|(source, _)| source == self);
                row.map_or("", |(_, name)| name)
            }
        }
    }

    /// Returns the source that a record names, as it is displayed.
    pub(crate) fn named(label: &str) -> Option<Self> {
        let part = |name| label.strip_prefix(name).map(Arc::from);
        if let Some(part) = part("entity:content-base@") {
            return Some(Self::EntityContentBase { part });
        }
        if let Some(part) = part("entity:content-location@") {
            return Some(Self::EntityContentLocation { part });
        }
        let row = Self::NAMES.iter().find(|(_, name)| *name == label);
        row.map(|(source, _)| source.clone())
    }

    /// Returns whether the base is a default (section 5.1.4), used where nothing else gives one.
    #[must_use]
    pub const fn is_default(&self) -> bool {
        matches!(self, Self::DefaultOption | Self::DefaultThisMessage)
    }
}

impl fmt::Display for BaseSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())?;
        match self {
            Self::EntityContentBase { part } | Self::EntityContentLocation { part } => {
                write!(formatter, "@{part}")
            }
            _ => Ok(()),
        }
    }
}

/// The syntax of file paths, independent of the machine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathStyle {
    /// `/directory/file`
    #[default]
    Unix,
    /// `C:\directory\file`, `\\server\share\file`
    Windows,
}

/// The bytes of RFC 3986 section 3.3 `pchar`, and the slash.
const COPIED: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._~!$&'()*+,;=:@/");
const ENCODED: ByteSet = COPIED.complement();
const FORBIDDEN_ON_WINDOWS: ByteSet = ByteSet::EMPTY.with(b"\\:*?\"<>|");

/// Appends a path to a URI, percent-encoded; a slash stays a slash.
///
/// ```
/// let mut uri = Vec::new();
/// uriscan::uri::base::push_path(b"a b/100%\xFF.html", &mut uri);
/// assert_eq!(uri, b"a%20b/100%25%FF.html");
/// ```
pub fn push_path(path: &[u8], uri: &mut Vec<u8>) {
    percent::encode(path, &ENCODED, uri);
}

/// Returns the `file:` URI of an absolute path.
///
/// `None` for a relative path and for a device of Windows.
///
/// ```
/// use uriscan::path::{PathStyle, file_uri};
///
/// assert_eq!(file_uri(b"/a b", PathStyle::Unix).unwrap(), b"file:///a%20b");
/// assert_eq!(file_uri(br"C:\a", PathStyle::Windows).unwrap(), b"file:///C:/a");
/// assert_eq!(file_uri(br"\\server\share\a", PathStyle::Windows).unwrap(), b"file://server/share/a");
/// ```
#[must_use]
pub fn file_uri(path: &[u8], style: PathStyle) -> Option<Vec<u8>> {
    let mut uri = b"file://".to_vec();
    match style {
        PathStyle::Unix if path.starts_with(b"/") => push_path(path, &mut uri),
        PathStyle::Unix => return None,
        PathStyle::Windows => {
            let mut path = path.to_vec();
            let backslashes = path.iter_mut().filter(|byte| **byte == b'\\');
            backslashes.for_each(|byte| *byte = b'/');
            let (is_verbatim, path) = match path.strip_prefix(b"//?/") {
                Some(path) => (true, path),
                None => (false, &path[..]),
            };
            match path {
                [b'U' | b'u', b'N' | b'n', b'C' | b'c', b'/', share @ ..] if is_verbatim => {
                    push_path(share, &mut uri)
                }
                [b'/', b'/', b'.' | b'?', ..] => return None,
                [b'/', b'/', share @ ..] => push_path(share, &mut uri),
                [letter, b':', b'/', ..] if letter.is_ascii_alphabetic() => {
                    uri.push(b'/');
                    push_path(path, &mut uri);
                }
                _ => return None,
            }
        }
    }
    Some(uri)
}

/// Returns the path of a `file:` URI; query and fragment are ignored.
///
/// `None` for other URIs, if a segment decodes to bytes that cannot be in a file name, and for another
/// host on Unix: `localhost` and an absent host are this machine (RFC 8089 section 2).
///
/// ```
/// use uriscan::path::{PathStyle, file_path};
///
/// assert_eq!(file_path(b"file:///a%20b?q#f", PathStyle::Unix).unwrap(), b"/a b");
/// assert_eq!(file_path(b"file:///C|/a", PathStyle::Windows).unwrap(), br"C:\a");
/// assert_eq!(file_path(b"file:///a%2Fb", PathStyle::Unix), None);
/// ```
#[must_use]
pub fn file_path(uri: &[u8], style: PathStyle) -> Option<Vec<u8>> {
    let ends = Ends::of(uri);
    if !uri[..ends.scheme].eq_ignore_ascii_case(b"file:") {
        return None;
    }
    let host = uri[ends.scheme..ends.authority].strip_prefix(b"//");
    let host = host.unwrap_or_default();
    let is_local = host.is_empty() || host.eq_ignore_ascii_case(b"localhost");
    let path = uri[ends.authority..ends.path].strip_prefix(b"/")?;
    let mut decoded = Vec::with_capacity(uri.len());
    let segments = match style {
        PathStyle::Unix if is_local => {
            decoded.push(b'/');
            path
        }
        PathStyle::Unix => return None,
        PathStyle::Windows if is_local => {
            let [letter, b':' | b'|', rest @ ..] = path else {
                return None;
            };
            decoded.extend([*letter, b':', b'\\']);
            rest.strip_prefix(b"/")?
        }
        PathStyle::Windows => {
            decoded.extend([b"\\\\", host, b"\\"].concat());
            path
        }
    };
    push_segments(segments, style, &mut decoded)?;
    Some(decoded)
}

/// Appends the segments of a URI's path as file names; `None` if one is not a file name, or is `.` or `..`.
pub(super) fn push_segments(path: &[u8], style: PathStyle, out: &mut Vec<u8>) -> Option<()> {
    // Nothing is decoded in most paths, and no segment has a byte that is not allowed.
    let is_plain = style == PathStyle::Unix && memchr::memchr2(b'%', 0, path).is_none();
    for (i, segment) in path.split(|&byte| byte == b'/').enumerate() {
        let name: Cow<'_, [u8]> = if is_plain {
            segment.into()
        } else {
            percent_decode(segment).into()
        };
        let is_forbidden = |byte: &u8| {
            matches!(byte, b'/' | 0)
                || style == PathStyle::Windows && FORBIDDEN_ON_WINDOWS.contains(*byte)
        };
        let is_forbidden = !is_plain && name.iter().any(is_forbidden);
        if matches!(&name[..], b"." | b"..") || is_forbidden {
            return None;
        }
        if i > 0 {
            out.push([b'/', b'\\'][usize::from(style == PathStyle::Windows)]);
        }
        out.extend_from_slice(&name);
    }
    Some(())
}
