//! Where a base URI comes from: RFC 2396 section 5.1, file names, and directories that are served somewhere.

use std::fmt;

use crate::bytes::class::ByteSet;

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

/// What stands for itself in a path segment made from a file name: unreserved, sub-delims, `:` and `@` (RFC 3986
/// section 3.3).
const FILE_NAME: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._~!$&'()*+,;=:@");
const HEXADECIMAL: &[u8; 16] = b"0123456789ABCDEF";

/// Appends a path to a URI, every byte that cannot stand in one percent-encoded. A slash stays a slash.
///
/// ```
/// let mut uri = Vec::new();
/// uriscan::uri::base::push_path(b"a b/100%\xFF.html", &mut uri);
/// assert_eq!(uri, b"a%20b/100%25%FF.html");
/// ```
pub fn push_path(path: &[u8], uri: &mut Vec<u8>) {
    for &byte in path {
        if byte == b'/' || FILE_NAME.contains(byte) {
            uri.push(byte);
        } else {
            uri.extend([
                b'%',
                HEXADECIMAL[usize::from(byte >> 4)],
                HEXADECIMAL[usize::from(byte & 15)],
            ]);
        }
    }
}

/// The `file:` URI of an absolute path.
///
/// ```
/// assert_eq!(uriscan::uri::base::file_uri(b"/a b"), b"file:///a%20b");
/// ```
#[must_use]
pub fn file_uri(path: &[u8]) -> Vec<u8> {
    let mut uri = b"file://".to_vec();
    push_path(path, &mut uri);
    uri
}

/// Directories and the URIs at which they are served.
///
/// ```
/// use uriscan::uri::Mounts;
///
/// let mut mounts = Mounts::default();
/// mounts.add(b"/srv/public", b"https://example.com/docs/");
/// assert_eq!(mounts.uri(b"/srv/public/a b.html").as_deref(), Some(&b"https://example.com/docs/a%20b.html"[..]));
/// assert_eq!(mounts.path(b"https://example.com/docs/a%20b.html?q").as_deref(), Some(&b"/srv/public/a b.html"[..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Mounts {
    mounts: Vec<Mount>,
}

#[derive(Clone, Debug)]
struct Mount {
    /// With its trailing slash.
    directory: Vec<u8>,
    /// With its trailing slash.
    uri: Vec<u8>,
}

impl Mounts {
    /// Serves `directory` at `uri`; both get their trailing slash.
    pub fn add(&mut self, directory: &[u8], uri: &[u8]) {
        let with_slash = |name: &[u8]| [name.strip_suffix(b"/").unwrap_or(name), b"/"].concat();
        self.mounts.push(Mount {
            directory: with_slash(directory),
            uri: with_slash(uri),
        });
    }

    /// Whether nothing is mounted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mounts.is_empty()
    }

    /// The URI of a file, by the mount with the longest directory.
    #[must_use]
    pub fn uri(&self, path: &[u8]) -> Option<Vec<u8>> {
        let mount = self
            .mounts
            .iter()
            .filter(|mount| path.starts_with(&mount.directory))
            .max_by_key(|mount| mount.directory.len())?;
        let mut uri = mount.uri.clone();
        push_path(&path[mount.directory.len()..], &mut uri);
        Some(uri)
    }

    /// The file of a URI, by the mount with the longest URI; query and fragment do not count.
    #[must_use]
    pub fn path(&self, uri: &[u8]) -> Option<Vec<u8>> {
        let end = uri
            .iter()
            .position(|byte| b"?#".contains(byte))
            .unwrap_or(uri.len());
        let uri = &uri[..end];
        let mount = self
            .mounts
            .iter()
            .filter(|mount| uri.starts_with(&mount.uri))
            .max_by_key(|mount| mount.uri.len())?;
        let mut path = mount.directory.clone();
        push_file_name(&uri[mount.uri.len()..], &mut path)?;
        Some(path)
    }

    /// The directories and the URIs at which they are served, with their trailing slashes.
    pub fn served(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mounts = self.mounts.iter();
        mounts.map(|mount| (mount.directory.as_slice(), mount.uri.as_slice()))
    }
}

/// Appends the path of a URI to a file name, percent-decoded; none when a segment decodes to what
/// no name can hold, a slash or a NUL.
#[must_use]
pub fn push_file_name(path: &[u8], name: &mut Vec<u8>) -> Option<()> {
    let mut rest = path;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%'
            && let [high, low, after @ ..] = rest
            && let (Some(high), Some(low)) = (hexadecimal(*high), hexadecimal(*low))
        {
            let byte = high << 4 | low;
            if byte == b'/' || byte == 0 {
                return None;
            }
            name.push(byte);
            rest = after;
        } else {
            name.push(*first);
        }
    }
    Some(())
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}
