//! Directories mounted at URIs.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::base::{PathStyle, push_path, push_segments};

/// Directories and the URIs at which they are served; the longest match is used in both directions.
///
/// ```
/// use uriscan::path::Mounts;
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
    directories: Prefixes,
    /// The URIs without their schemes.
    uris: Prefixes,
    authorities: Prefixes,
}

/// The mounts of each prefix, without its last slash, in the order of their addition.
type Prefixes = BTreeMap<Vec<u8>, Vec<usize>>;

#[derive(Clone, Debug)]
struct Mount {
    /// The directory with its trailing slash.
    directory: Vec<u8>,
    /// The URI with its trailing slash.
    uri: Vec<u8>,
    /// The length of the URI's scheme with its colon.
    scheme: usize,
}

impl Mounts {
    /// Mounts `directory` at `uri`; both get their trailing slash.
    pub fn add(&mut self, directory: &[u8], uri: &[u8]) {
        let without_slash = |name| <[u8]>::strip_suffix(name, b"/").unwrap_or(name);
        let (directory, uri) = (without_slash(directory), without_slash(uri));
        let (scheme, target) = split(uri).unwrap_or((b"", uri));
        let number = self.mounts.len();
        let push = |prefixes: &mut Prefixes, prefix: &[u8]| {
            prefixes.entry(prefix.to_vec()).or_default().push(number);
        };
        push(&mut self.directories, directory);
        push(&mut self.uris, target);
        if let Some(rest) = target.strip_prefix(b"//") {
            push(&mut self.authorities, authority(rest));
        }
        self.mounts.push(Mount {
            directory: [directory, b"/"].concat(),
            uri: [uri, b"/"].concat(),
            scheme: scheme.len(),
        });
    }

    /// The number of mounts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mounts.len()
    }

    /// Returns whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mounts.is_empty()
    }

    /// Returns the URI of a file or mounted directory, by the mount with the longest directory.
    #[must_use]
    pub fn uri(&self, path: &[u8]) -> Option<Vec<u8>> {
        let (mount, rest) = self.of_path(path)?;
        let mut uri = mount.uri.clone();
        push_path(rest, &mut uri);
        Some(uri)
    }

    /// Returns the file of a URI without query and fragment, by the mount with the longest URI.
    ///
    /// `None` outside every mount, and if a segment does not decode to a file name, or to `.` or `..`.
    #[must_use]
    pub fn path(&self, uri: &[u8]) -> Option<Vec<u8>> {
        self.find(uri, |_, _| false)?.path
    }

    /// Returns the file of a URI and its mounted directory; `None` outside every mount.
    ///
    /// `alike` returns whether two different schemes, with their colons, are treated as the same.
    #[must_use]
    pub fn find(&self, uri: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> Option<Served<'_>> {
        let end = memchr::memchr2(b'?', b'#', uri).unwrap_or(uri.len());
        let uri = &uri[..end];
        let (mount, rest) = self.of_uri(uri, alike)?;
        let mut path = Vec::with_capacity(mount.directory.len() + rest.len());
        path.extend_from_slice(&mount.directory);
        let is_name = push_segments(rest, PathStyle::Unix, &mut path);
        Some(Served {
            directory: &mount.directory,
            uri: &mount.uri,
            path: is_name.map(|()| path),
        })
    }

    /// Returns whether a URI has the authority of a mount; `alike` as for [`Mounts::find`].
    #[must_use]
    pub fn shares_authority(&self, uri: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let mounts = split(uri).and_then(|(scheme, rest)| {
            let mounts = self.authorities.get(authority(rest.strip_prefix(b"//")?))?;
            mounts
                .iter()
                .find(|&&mount| self.serves(mount, scheme, &alike))
        });
        mounts.is_some()
    }

    /// The directories and their URIs, with their trailing slashes.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mounts = self.mounts.iter();
        mounts.map(|mount| (mount.directory.as_slice(), mount.uri.as_slice()))
    }

    /// Returns the URI of the innermost mounted directory that a file is in.
    #[must_use]
    pub fn uri_of_mount(&self, path: &[u8]) -> Option<&[u8]> {
        Some(&self.of_path(path)?.0.uri)
    }

    /// Returns the path of a file relative to the innermost mounted directory that holds the file.
    #[must_use]
    pub fn relative_path<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        Some(self.of_path(path)?.1)
    }

    fn of_path<'a>(&self, path: &'a [u8]) -> Option<(&Mount, &'a [u8])> {
        let (mount, rest) = longest(&self.directories, path, |_| true)?;
        Some((&self.mounts[mount], rest))
    }

    fn of_uri<'a>(
        &self,
        uri: &'a [u8],
        alike: impl Fn(&[u8], &[u8]) -> bool,
    ) -> Option<(&Mount, &'a [u8])> {
        let (scheme, target) = split(uri)?;
        let serves = |mount| self.serves(mount, scheme, &alike);
        let (mount, rest) = longest(&self.uris, target, serves)?;
        Some((&self.mounts[mount], rest))
    }

    fn serves(&self, mount: usize, scheme: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let mount = &self.mounts[mount];
        let served = &mount.uri[..mount.scheme];
        scheme == served || alike(scheme, served)
    }
}

/// Returns the first admitted mount of the longest prefix of a name, and the rest of the name.
fn longest<'a>(
    prefixes: &Prefixes,
    name: &'a [u8],
    admits: impl Fn(usize) -> bool,
) -> Option<(usize, &'a [u8])> {
    let mut bound = name;
    loop {
        // INVARIANT: a prefix of the name has at most the length that the name and the last prefix up to
        // the bound have in common.
        let up_to = (Bound::Unbounded, Bound::Included(bound));
        let (prefix, mounts) = prefixes.range::<[u8], _>(up_to).next_back()?;
        let pairs = prefix.iter().zip(bound);
        let common = pairs.take_while(|(one, other)| one == other).count();
        let is_whole = common == prefix.len();
        // The name of the directory itself may lack its last slash.
        if is_whole
            && matches!(name.get(common), None | Some(b'/'))
            && let Some(&mount) = mounts.iter().find(|&&mount| admits(mount))
        {
            return Some((mount, name.get(common + 1..).unwrap_or_default()));
        }
        bound = &bound[..common.checked_sub(usize::from(is_whole))?];
    }
}

/// Splits a URI after the colon of its scheme.
fn split(uri: &[u8]) -> Option<(&[u8], &[u8])> {
    Some(uri.split_at(memchr::memchr(b':', uri)? + 1))
}

/// Returns the authority at the start of the text after `//`.
fn authority(rest: &[u8]) -> &[u8] {
    let end = rest.iter().position(|byte| b"/?#".contains(byte));
    &rest[..end.unwrap_or(rest.len())]
}

/// A URI under a mount.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served<'a> {
    /// The mounted directory, with its slash.
    pub directory: &'a [u8],
    /// The URI of the mounted directory, with its slash.
    pub uri: &'a [u8],
    /// The file's path; `None` if a segment does not decode to a file name, or to `.` or `..`.
    pub path: Option<Vec<u8>>,
}

#[cfg(test)]
#[path = "../../tests/unit/uri/mounts.rs"]
mod tests;
