//! Directories that are served somewhere.

use super::path::{PathStyle, push_path, push_segments};

/// Directories and the URIs at which they are served, the longest match first in both directions.
///
/// ```
/// use uriscan::uri::Mounts;
///
/// let mut mounts = Mounts::default();
/// mounts.add(b"/srv/public", b"https://example.com/docs/");
/// assert_eq!(mounts.uri(b"/srv/public/a b.html").unwrap(), b"https://example.com/docs/a%20b.html");
/// assert_eq!(mounts.path(b"https://example.com/docs/a%20b.html?q").unwrap(), b"/srv/public/a b.html");
/// assert_eq!(mounts.path(b"https://example.com/docs/%2e%2e/%2e%2e/etc"), None);
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

    /// The URI of a file, by the mount with the longest directory; a directory is its own first file.
    #[must_use]
    pub fn uri(&self, path: &[u8]) -> Option<Vec<u8>> {
        let (mount, rest) = longest(&self.mounts, |mount| below(path, &mount.directory))?;
        let mut uri = mount.uri.clone();
        push_path(rest, &mut uri);
        Some(uri)
    }

    /// The file of a URI, by the mount with the longest URI; query and fragment do not count.
    ///
    /// None outside every mount, and if a segment decodes to what no file name holds or leads elsewhere.
    #[must_use]
    pub fn path(&self, uri: &[u8]) -> Option<Vec<u8>> {
        let end = memchr::memchr2(b'?', b'#', uri).unwrap_or(uri.len());
        let (mount, rest) = longest(&self.mounts, |mount| below(&uri[..end], &mount.uri))?;
        let mut path = mount.directory.clone();
        push_segments(rest, PathStyle::Unix, &mut path)?;
        Some(path)
    }
}

/// What a name has beyond a prefix that ends in a slash, which the name of the directory itself may lack.
fn below<'a>(name: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    name.strip_prefix(prefix)
        .or_else(|| (prefix.strip_suffix(b"/") == Some(name)).then_some(&[]))
}

/// The mount that leaves the least, and what it leaves.
fn longest<'a>(
    mounts: &'a [Mount],
    below: impl Fn(&Mount) -> Option<&'a [u8]>,
) -> Option<(&'a Mount, &'a [u8])> {
    mounts
        .iter()
        .filter_map(|mount| Some((mount, below(mount)?)))
        .min_by_key(|(_, rest)| rest.len())
}
