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

    /// How many directories are mounted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mounts.len()
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
        self.find(uri, |_, _| false)?.path
    }

    /// The same with the directory, for a URI that may be outside every mount; `alike` says which
    /// schemes other than equal ones are the same place, colons included.
    #[must_use]
    pub fn find(&self, uri: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> Option<Served<'_>> {
        let end = memchr::memchr2(b'?', b'#', uri).unwrap_or(uri.len());
        let uri = &uri[..end];
        let (mount, rest) = longest(&self.mounts, |mount| {
            let (target, served) = without_scheme(uri, &mount.uri, &alike)?;
            below(target, served)
        })?;
        let mut path = mount.directory.clone();
        let is_name = push_segments(rest, PathStyle::Unix, &mut path);
        Some(Served {
            directory: &mount.directory,
            path: is_name.map(|()| path),
        })
    }

    /// Whether a URI is under a mount.
    #[must_use]
    pub fn holds(&self, uri: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        self.mounts.iter().any(|mount| {
            let parts = without_scheme(uri, &mount.uri, &alike);
            parts.is_some_and(|(target, served)| below(target, served).is_some())
        })
    }

    /// Whether a URI has the authority of a mount.
    #[must_use]
    pub fn shares_authority(&self, uri: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        self.mounts.iter().any(|mount| {
            let parts = without_scheme(uri, &mount.uri, &alike);
            let authorities = parts.and_then(|(target, served)| {
                let one = target.strip_prefix(b"//")?;
                Some((authority(one), authority(served.strip_prefix(b"//")?)))
            });
            authorities.is_some_and(|(one, other)| one == other)
        })
    }

    /// The directories and the URIs at which they are served, with their slashes.
    pub fn served(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mounts = self.mounts.iter();
        mounts.map(|mount| (mount.directory.as_slice(), mount.uri.as_slice()))
    }

    /// What the path of a file has beyond the mounted directory that it is in.
    #[must_use]
    pub fn inner<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let (_, rest) = longest(&self.mounts, |mount| below(path, &mount.directory))?;
        Some(rest)
    }
}

/// Two URIs without their schemes, if these are the same place.
fn without_scheme<'a, 'b>(
    uri: &'a [u8],
    mount: &'b [u8],
    alike: impl Fn(&[u8], &[u8]) -> bool,
) -> Option<(&'a [u8], &'b [u8])> {
    let (scheme, rest) = uri.split_at(memchr::memchr(b':', uri)? + 1);
    let (served, below) = mount.split_at(memchr::memchr(b':', mount)? + 1);
    (scheme == served || alike(scheme, served)).then_some((rest, below))
}

/// The authority at the start of what stands behind `//`.
fn authority(rest: &[u8]) -> &[u8] {
    let end = rest.iter().position(|byte| b"/?#".contains(byte));
    &rest[..end.unwrap_or(rest.len())]
}

/// A URI under a mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served<'a> {
    /// The directory that is mounted, with its slash.
    pub directory: &'a [u8],
    /// The file's path; none if a segment decodes to what no file name holds or leads elsewhere.
    pub path: Option<Vec<u8>>,
}

/// What a name has beyond a prefix that ends in a slash, which the name of the directory itself may lack.
fn below<'a>(name: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    name.strip_prefix(prefix)
        .or_else(|| (prefix.strip_suffix(b"/") == Some(name)).then_some(&[]))
}

/// The mount that leaves the least, and what it leaves.
fn longest<'m, 'a>(
    mounts: &'m [Mount],
    below: impl Fn(&'m Mount) -> Option<&'a [u8]>,
) -> Option<(&'m Mount, &'a [u8])> {
    mounts
        .iter()
        .filter_map(|mount| Some((mount, below(mount)?)))
        .min_by_key(|(_, rest)| rest.len())
}
