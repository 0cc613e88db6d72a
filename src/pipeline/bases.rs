//! The base URI of a document by its path, and the default (RFC 2396 sections 5.1.3 and 5.1.4).

use std::fs;
use std::path::Path;

use smart_default::SmartDefault;

use super::walk::{bytes_of, gitignore, path_of};
use crate::document::options::RstRoles;
use crate::uri::base::push_path;
use crate::uri::{Base, BaseSource, Mounts, Resolver, Rules, drop_root_dot};

/// The sources of base URIs.
#[derive(Clone, Debug, SmartDefault)]
pub struct Bases {
    /// Directories with the URIs at which they are served.
    pub mounts: Mounts,
    pub(crate) otherwise: UnmountedBase,
    /// The default base of mail, instead of `thismessage:/`.
    pub default: Option<Vec<u8>>,
    /// The current directory with a trailing slash; empty if unknown: relative paths then have no base.
    pub here: Vec<u8>,
    /// The names of index files, each with a leading slash.
    #[default(vec![b"/index.html".to_vec(), b"/index.htm".to_vec()])]
    pub index: Vec<Vec<u8>>,
    /// Repositories, with the URIs below which their Markdown is (A98).
    pub(crate) repositories: Mounts,
}

/// The base of documents outside every mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum UnmountedBase {
    /// The `file:` URI of a file; none for standard input.
    #[default]
    File,
    Given(Vec<u8>),
    Nothing,
}

impl Bases {
    /// Returns bases for the current directory, which may have been removed.
    pub fn here() -> Self {
        let mut here = bytes_of(&std::env::current_dir().unwrap_or_default()).to_vec();
        if !here.is_empty() && here.last() != Some(&b'/') {
            here.push(b'/');
        }
        let bases = Bases::default();
        Bases { here, ..bases }
    }

    /// Returns an absolute path, or the message to show if the current directory is needed and unknown.
    pub(crate) fn absolute(&self, path: &[u8]) -> Result<Vec<u8>, String> {
        let mut names = AbsolutePaths::default();
        let absolute = names.absolute(&self.here, path);
        absolute.map(<[u8]>::to_vec).ok_or_else(|| {
            let path = match path {
                b"" => ".".into(),
                path => String::from_utf8_lossy(path),
            };
            format!("{path}: cannot determine its absolute path: is its directory gone?")
        })
    }

    /// Adds the repository that a directory is in, unless it is known or ignores the directory.
    pub(crate) fn add_repository(&mut self, directory: &[u8]) {
        let path = path_of(directory);
        let mut above = path.ancestors();
        let Some(root) = above.find(|above| above.join(".git").exists()) else {
            return;
        };
        if path != root
            && gitignore(root)
                .matched_path_or_any_parents(&path, true)
                .is_ignore()
        {
            return;
        }
        let root = root.as_os_str().as_encoded_bytes();
        if self.repositories.relative_path(&[root, b"/"].concat()) != Some(b"") {
            let number = self.repositories.len() + 1;
            let uri = [REPOSITORY, format!("{number}.invalid/").as_bytes()].concat();
            self.repositories.add(root, &uri);
        }
    }

    pub(crate) fn of_markdown(&self, path: &[u8], names: &mut AbsolutePaths) -> Option<Base> {
        let absolute = names.absolute(&self.here, path);
        let Some(uri) = absolute.and_then(|path| self.repositories.uri(path)) else {
            return self.of_file(path, names);
        };
        Some(Base::new(uri, BaseSource::RetrievalRoot))
    }

    pub(crate) fn of_file(&self, path: &[u8], names: &mut AbsolutePaths) -> Option<Base> {
        let Some(absolute) = names.absolute(&self.here, path) else {
            return self.of_stream();
        };
        if let Some(mut uri) = self.mounts.uri(absolute) {
            if self.index.iter().any(|name| absolute.ends_with(name)) {
                up_to_slash(&mut uri);
            }
            return Some(Base::new(uri, BaseSource::RetrievalRoot));
        }
        if self.otherwise != UnmountedBase::File {
            return self.of_stream();
        }
        let mut uri = b"file://".to_vec();
        push_path(absolute, &mut uri);
        Some(Base::new(uri, BaseSource::RetrievalFile))
    }

    /// Cuts the URI of an index file to its directory's: the document at `x/index.html` is retrieved as `x/`.
    pub(crate) fn retrieve_index(&self, uri: &mut Vec<u8>) {
        if self.index.iter().any(|name| uri.ends_with(name)) {
            up_to_slash(uri);
        }
    }

    /// Returns the URI of the nearest directory above a file, within its mount, with the configuration of Sphinx;
    /// otherwise the mount's.
    pub(crate) fn tree_of(&self, path: &[u8], names: &mut AbsolutePaths) -> Option<TreeRoot> {
        let absolute = names.absolute(&self.here, path)?;
        let directory = absolute[..memchr::memrchr(b'/', absolute)?].to_vec();
        let mount = self.mounts.relative_path(absolute);
        let top = mount.map_or(0, |below| absolute.len() - below.len());
        let own = self.mounts.uri_of_mount(absolute).map(<[u8]>::to_vec);
        let mut above = Some(directory.len());
        while let Some(end) = above.filter(|end| end + 1 >= top) {
            let configuration = [&directory[..end], SPHINX].concat();
            if path_of(&configuration).is_file() {
                let mut uri = self.of_file(&configuration, names)?.uri;
                up_to_slash(&mut uri);
                let (uri, roles) = (Some(uri), RstRoles::Sphinx);
                return Some(TreeRoot { uri, roles });
            }
            above = memchr::memrchr(b'/', &directory[..end]);
        }
        let (uri, roles) = (own, RstRoles::Docutils);
        Some(TreeRoot { uri, roles })
    }

    /// Returns the base of a container that was not retrieved from its path, such as mail.
    pub(crate) fn of_container(&self) -> Base {
        match (&self.otherwise, &self.default) {
            (UnmountedBase::Given(uri), _) => Base::new(uri.clone(), BaseSource::RetrievalOption),
            (_, Some(uri)) => Base::new(uri.clone(), BaseSource::DefaultOption),
            // RFC 2557 section 5 (e).
            _ => Base::new(b"thismessage:/".to_vec(), BaseSource::DefaultThisMessage),
        }
    }

    pub(crate) fn of_stream(&self) -> Option<Base> {
        let UnmountedBase::Given(uri) = &self.otherwise else {
            return None;
        };
        Some(Base::new(uri.clone(), BaseSource::DefaultOption))
    }
}

fn up_to_slash(uri: &mut Vec<u8>) {
    uri.truncate(memchr::memrchr(b'/', uri).map_or(0, |slash| slash + 1));
}

#[derive(Clone, Debug, Default)]
pub(crate) struct TreeRoot {
    pub(crate) uri: Option<Vec<u8>>,
    pub(crate) roles: RstRoles,
}

const SPHINX: &[u8] = b"/conf.py";

/// Makes paths absolute, with a cache for the last `..`.
#[derive(Debug, Default)]
pub(crate) struct AbsolutePaths {
    absolute: Vec<u8>,
    /// A path up to its last `..`, and the canonical path of that.
    above: Option<(Vec<u8>, Vec<u8>)>,
}

impl AbsolutePaths {
    /// Returns the absolute path without `.` and `..` segments, if its directories are known. Symbolic links keep
    /// their names, except before a `..`, which only the file system can resolve.
    pub(crate) fn absolute(&mut self, here: &[u8], path: &[u8]) -> Option<&[u8]> {
        self.absolute.clear();
        let mut rest = path;
        if let Some(end) = above(path) {
            let (prefix, after) = path.split_at(end);
            if self.above.as_ref().is_none_or(|(known, _)| known != prefix) {
                self.above = Some((prefix.to_vec(), canonical(prefix)?));
            }
            let target = self.above.as_ref().map_or(&[][..], |(_, target)| target);
            self.absolute.extend_from_slice(target);
            rest = after;
        } else if !path.starts_with(b"/") {
            let last = here.last()?;
            let end = here.len() - usize::from(*last == b'/');
            self.absolute.extend_from_slice(&here[..end]);
        }
        push_segments(rest, &mut self.absolute);
        if self.absolute.is_empty() {
            self.absolute.push(b'/');
        }
        Some(&self.absolute)
    }
}

/// Appends the segments of a path, each after a slash; a `..` removes the one before, and stops at the root.
pub(crate) fn push_segments(path: &[u8], out: &mut Vec<u8>) {
    for segment in path.split(|&byte| byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => out.truncate(memchr::memrchr(b'/', out).unwrap_or(0)),
            segment => {
                out.push(b'/');
                out.extend_from_slice(segment);
            }
        }
    }
}

/// Returns a directory itself, or the directory of a file.
pub(crate) fn directory_of(path: &Path) -> Vec<u8> {
    let parent = path.parent().filter(|_| !path.is_dir());
    bytes_of(parent.unwrap_or(path)).to_vec()
}

/// The origin of the first mount without a URI.
const ORIGIN: &[u8] = b"http://site.invalid/";

/// Returns the origin of the `n`-th mount, from 0, without a URI: each has a distinct one.
pub(crate) fn internal_origin(n: usize) -> Vec<u8> {
    match n {
        0 => ORIGIN.to_vec(),
        n => format!("http://site-{}.invalid/", n + 1).into_bytes(),
    }
}

/// The start of the origins of the Markdown in repositories.
const REPOSITORY: &[u8] = b"http://repository-";

/// Returns whether a URI is below one of these origins.
pub(crate) fn is_internal(uri: &[u8]) -> bool {
    let slash = memchr::memchr_iter(b'/', uri).nth(2);
    is_of_repository(uri) || slash.is_some_and(|slash| is_internal_origin(&uri[..=slash]))
}

/// Returns whether a URI is the base of Markdown in a repository.
pub(crate) fn is_of_repository(uri: &[u8]) -> bool {
    let rest = uri.strip_prefix(REPOSITORY);
    let after = rest.and_then(|rest| rest.iter().position(|byte| !byte.is_ascii_digit()));
    after.is_some_and(|at| uri[REPOSITORY.len() + at..].starts_with(b".invalid/"))
}

/// Returns whether the URI of a mount is an [`internal_origin`].
pub fn is_internal_origin(uri: &[u8]) -> bool {
    let number = uri.strip_prefix(b"http://site-");
    let number = number.and_then(|rest| rest.strip_suffix(b".invalid/"));
    uri == ORIGIN || number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
}

/// Returns the URI of a mount as targets are written: scheme and host in lower case, no default port; or
/// the reason why it cannot be a mount's, to follow it in a message. A path is on an internal host.
pub(crate) fn served_at(uri: &[u8]) -> Result<Vec<u8>, &'static str> {
    let path = uri.strip_prefix(b"/");
    let uri = &path.map_or(uri.to_vec(), |path| [&*internal_origin(0), path].concat());
    let resolver = Resolver::new(uri, Rules::Whatwg).map_err(|_| "is not an absolute URI")?;
    if memchr::memchr2(b'?', b'#', uri).is_some() {
        return Err("has a query or a fragment, which the URI of a directory cannot have");
    }
    let mut served = resolver.base().unwrap_or(uri).to_vec();
    drop_root_dot(&mut served);
    Ok(served)
}

/// Returns the end of the last `..` segment.
fn above(path: &[u8]) -> Option<usize> {
    let mut ends = memchr::memrchr_iter(b'.', path).map(|at| at + 1);
    let is_segment = |path: &[u8]| matches!(path, b".." | [.., b'/', b'.', b'.']);
    ends.find(|&end| is_segment(&path[..end]) && matches!(path.get(end), None | Some(b'/')))
}

fn canonical(path: &[u8]) -> Option<Vec<u8>> {
    let path = fs::canonicalize(path_of(path)).ok()?;
    Some(path.into_os_string().into_encoded_bytes())
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/bases.rs"]
mod tests;
