//! Directories mounted at URIs.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::OnceLock;

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
    index: OnceLock<Index>,
}

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
        let with_slash = |name: &[u8]| [name.strip_suffix(b"/").unwrap_or(name), b"/"].concat();
        let uri = with_slash(uri);
        self.mounts.push(Mount {
            directory: with_slash(directory),
            scheme: split(&uri).map_or(0, |(scheme, _)| scheme.len()),
            uri,
        });
        self.index = OnceLock::new();
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.mounts))
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

    /// Returns whether a URI is under a mount; `alike` as for [`Mounts::find`].
    #[must_use]
    pub fn contains(&self, uri: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        self.of_uri(uri, alike).is_some()
    }

    /// Returns whether a URI has the authority of a mount; `alike` as for [`Mounts::find`].
    #[must_use]
    pub fn shares_authority(&self, uri: &[u8], alike: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let Some((scheme, Some(target))) =
            split(uri).map(|(scheme, rest)| (scheme, rest.strip_prefix(b"//")))
        else {
            return false;
        };
        let schemes = self.index().schemes.get(authority(target));
        schemes.is_some_and(|schemes| {
            let mut schemes = schemes.iter();
            schemes.any(|served| **served == *scheme || alike(scheme, served))
        })
    }

    /// The directories and their URIs, with their trailing slashes.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mounts = self.mounts.iter();
        mounts.map(|mount| (mount.directory.as_slice(), mount.uri.as_slice()))
    }

    /// Returns the URI of the innermost mounted directory that a file is in.
    #[must_use]
    pub fn uri_of_mount(&self, path: &[u8]) -> Option<&[u8]> {
        let (mount, _) = self.of_path(path)?;
        Some(&mount.uri)
    }

    /// Returns the path of a file relative to the innermost mounted directory that holds the file.
    #[must_use]
    pub fn relative_path<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let (_, rest) = self.of_path(path)?;
        Some(rest)
    }

    fn of_path<'a>(&self, path: &'a [u8]) -> Option<(&Mount, &'a [u8])> {
        let directory = |mount: usize| self.mounts[mount].directory.as_slice();
        let mount = self
            .index()
            .directories
            .longest(path, directory, |_| true)?;
        Some((&self.mounts[mount], strip_mount(path, directory(mount))?))
    }

    fn of_uri<'a>(
        &self,
        uri: &'a [u8],
        alike: impl Fn(&[u8], &[u8]) -> bool,
    ) -> Option<(&Mount, &'a [u8])> {
        let (scheme, target) = split(uri)?;
        let served = |mount: usize| self.mounts[mount].without_scheme();
        let same = |mount: usize| {
            let served = self.mounts[mount].scheme();
            scheme == served || alike(scheme, served)
        };
        let mount = self.index().uris.longest(target, served, same)?;
        Some((&self.mounts[mount], strip_mount(target, served(mount))?))
    }
}

impl Mount {
    /// The scheme of the URI with its colon, or nothing.
    fn scheme(&self) -> &[u8] {
        &self.uri[..self.scheme]
    }

    /// The URI after the scheme and the colon.
    fn without_scheme(&self) -> &[u8] {
        &self.uri[self.scheme..]
    }
}

/// Splits a URI after the colon of its scheme.
fn split(uri: &[u8]) -> Option<(&[u8], &[u8])> {
    Some(uri.split_at(memchr::memchr(b':', uri)? + 1))
}

/// Finds the mount of a path or URI in logarithmic time.
#[derive(Clone, Debug)]
struct Index {
    directories: Prefixes,
    /// The URIs without their schemes.
    uris: Prefixes,
    /// The schemes of the mounts of each authority.
    schemes: BTreeMap<Box<[u8]>, Vec<Box<[u8]>>>,
}

impl Index {
    fn new(mounts: &[Mount]) -> Self {
        let mut schemes: BTreeMap<Box<[u8]>, Vec<Box<[u8]>>> = BTreeMap::new();
        for mount in mounts {
            let Some(rest) = mount.without_scheme().strip_prefix(b"//") else {
                continue;
            };
            let known = schemes.entry(authority(rest).into()).or_default();
            if !known.iter().any(|known| **known == *mount.scheme()) {
                known.push(mount.scheme().into());
            }
        }
        Index {
            directories: Prefixes::new(mounts.len(), |mount| &mounts[mount].directory),
            uris: Prefixes::new(mounts.len(), |mount| mounts[mount].without_scheme()),
            schemes,
        }
    }
}

/// Numbered prefixes, each of which ends in a slash.
#[derive(Clone, Debug)]
struct Prefixes {
    /// The numbers in ascending order of their prefixes, the first number of equal ones last.
    /// Prefixes in order, each with the index in this list of its longest other prefix.
    sorted: Vec<(usize, Option<usize>)>,
}

impl Prefixes {
    fn new<'p>(count: usize, prefix: impl Fn(usize) -> &'p [u8]) -> Self {
        let mut numbers: Vec<usize> = (0..count).collect();
        numbers
            .sort_unstable_by(|&one, &other| prefix(one).cmp(prefix(other)).then(other.cmp(&one)));
        let mut sorted: Vec<(usize, Option<usize>)> = Vec::with_capacity(count);
        let mut inner: Option<usize> = None;
        for number in numbers {
            while let Some(at) = inner
                && !prefix(number).starts_with(prefix(sorted[at].0))
            {
                inner = sorted[at].1;
            }
            sorted.push((number, inner));
            inner = Some(sorted.len() - 1);
        }
        Prefixes { sorted }
    }

    /// Returns the longest admitted prefix of a name, which may lack the prefix's last slash.
    fn longest<'p>(
        &self,
        name: &[u8],
        prefix: impl Fn(usize) -> &'p [u8],
        admits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        // INVARIANT: every prefix of the name is the last one that is not after the name in the
        // order, or a prefix of that one.
        let after = self
            .sorted
            .partition_point(|&(number, _)| is_up_to(prefix(number), name));
        let mut at = after.checked_sub(1);
        while let Some(here) = at {
            let (number, outer) = self.sorted[here];
            if strip_mount(name, prefix(number)).is_some() && admits(number) {
                return Some(number);
            }
            at = outer;
        }
        None
    }
}

/// Returns whether a prefix is not after the name, with a slash appended, in the order.
fn is_up_to(prefix: &[u8], name: &[u8]) -> bool {
    let common = prefix.len().min(name.len());
    match prefix[..common].cmp(&name[..common]) {
        Ordering::Equal => match prefix.get(name.len()..) {
            None | Some([]) => true,
            Some([first, rest @ ..]) => *first < b'/' || *first == b'/' && rest.is_empty(),
        },
        order => order == Ordering::Less,
    }
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

/// Strips a prefix that ends in a slash, which the name of the directory itself may lack.
fn strip_mount<'a>(name: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    name.strip_prefix(prefix)
        .or_else(|| (prefix.strip_suffix(b"/") == Some(name)).then_some(&[]))
}

#[cfg(test)]
#[path = "../../tests/unit/uri/mounts.rs"]
mod tests;
