//! Paths on disk, looked up in directory listings that are read once.
//!
//! An archive `FILE` is a directory `FILE!` beside it, which no listing shows.
//!
//! Names are compared by their bytes, so that every file system gives the same answer. The path
//! of a file is free of symbolic links: a file with many links is one file. Links out
//! of the roots are followed on request.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use parking_lot::RwLock;

use super::names::NameIndex;
use crate::pipeline::walk::{bytes_of, path_of, read_start};
use crate::pipeline::{PipelineOptions, members};

/// The way in which a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookupMatch {
    Exact,
    Extension,
    /// As the index file of a directory.
    Index,
    /// The directory was named without a slash at its end.
    WithoutSlash,
    /// The file was named with a slash at its end.
    SlashAfterFile,
    /// In case or Unicode form.
    OtherCase,
    /// By a rule of the server.
    Redirect,
}

impl LookupMatch {
    /// Returns whether the name was found without a redirect.
    pub(super) fn is_final(self) -> bool {
        use LookupMatch::{Exact, Extension, Index};
        matches!(self, Exact | Extension | Index)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DiskEntry {
    File(Vec<u8>, LookupMatch),
    /// Without an index file where one is needed.
    Directory(Vec<u8>),
    /// A symbolic link out of the roots, by its destination.
    Outside(Vec<u8>),
    /// A symbolic link to nothing, by its text.
    Dangling(Vec<u8>),
    /// In a directory that cannot be read, so that nothing is known.
    Unreadable,
    Nothing,
}

impl DiskEntry {
    pub(super) fn file(self) -> Option<(Vec<u8>, LookupMatch)> {
        match self {
            DiskEntry::File(path, how) => Some((path, how)),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct FileNaming {
    /// The preferred one first.
    pub(super) index: Arc<[String]>,
    /// The extensions without their dot.
    pub(super) extensions: Vec<String>,
    pub(super) pages: OptionalExtension,
}

impl FileNaming {
    pub(super) fn is_index(&self, name: &[u8]) -> bool {
        self.index.iter().any(|index| index.as_bytes() == name)
    }

    /// Returns the extensions that a name may lack; `slash`: one follows the name.
    fn extensions(&self, slash: bool) -> impl Iterator<Item = &str> {
        let pages = match self.pages {
            OptionalExtension::WithoutSlash => !slash,
            OptionalExtension::WithSlash => true,
            OptionalExtension::Never => false,
        };
        let extensions = self.extensions.iter().map(String::as_str);
        extensions.chain(pages.then_some("html"))
    }
}

/// Whether `/a` names `a.html`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OptionalExtension {
    #[default]
    Never,
    /// `/a/` does not.
    WithoutSlash,
    /// `/a/` does too.
    WithSlash,
}

/// A missing name on the way to a path.
pub(super) struct MissingName<'p> {
    pub(super) directory: Vec<u8>,
    pub(super) listing: Arc<Listing>,
    pub(super) name: &'p [u8],
    /// The path after the name, with its slash.
    pub(super) after: &'p [u8],
}

/// A directory on the way to a path, and the rest of the path from there.
struct PathWay<'p> {
    here: Vec<u8>,
    rest: &'p [u8],
}

impl<'p> PathWay<'p> {
    /// Returns the next name, and the path after it.
    fn name(&self) -> Option<(&'p [u8], &'p [u8])> {
        let rest = &self.rest[self.rest.iter().position(|&byte| byte != b'/')?..];
        Some(rest.split_at(memchr::memchr(b'/', rest).unwrap_or(rest.len())))
    }

    fn enter(&mut self, directory: Vec<u8>, rest: &'p [u8]) {
        (self.here, self.rest) = (directory, rest);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiskEntryKind {
    File,
    Directory,
    Link,
}

#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) index: NameIndex,
    /// The kinds of entries, by the numbers of their names.
    kinds: Vec<DiskEntryKind>,
}

impl Listing {
    /// Returns whether the name is new.
    fn add(&mut self, name: &[u8], kind: DiskEntryKind) -> bool {
        let is_new = self.index.add(name) as usize == self.kinds.len();
        if is_new {
            self.kinds.push(kind);
        }
        is_new
    }

    /// Returns the names, and whether each is a directory and not a symbolic link.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let names = (0..self.kinds.len() as u32).map(|number| self.index.names.name(number));
        let is_directory = |kind: &DiskEntryKind| *kind == DiskEntryKind::Directory;
        names.zip(self.kinds.iter().map(is_directory))
    }

    fn kind(&self, name: &[u8]) -> Option<DiskEntryKind> {
        let number = self.index.names.get(name)?;
        Some(self.kinds[number as usize])
    }

    /// Returns whether a name may be a directory's, or else a file's.
    pub(super) fn may_be_directory(&self, number: u32, directory: bool) -> bool {
        match self.kinds[number as usize] {
            DiskEntryKind::File => !directory,
            DiskEntryKind::Directory => directory,
            DiskEntryKind::Link => true,
        }
    }

    fn shrink(mut self) -> Self {
        self.index.names.shrink();
        self.kinds.shrink_to_fit();
        self
    }
}

/// Innermost directories of a path that are searched before its root.
const NEAR: usize = 4;

type Listings = HashMap<Box<[u8]>, Option<Arc<Listing>>>;

/// The disk below some roots, as far as it was read; shared by the workers.
pub(super) struct DiskTree {
    listings: RwLock<Listings>,
    /// Destinations by the paths of symbolic links.
    followed: RwLock<HashMap<Box<[u8]>, DiskEntry>>,
    follows_symlinks: bool,
    /// The roots as given, by their paths without symbolic links, both without a slash at the end.
    roots: HashMap<Box<[u8]>, Box<[u8]>>,
    /// The roots as given, and the directories above them.
    above: HashSet<Box<[u8]>>,
    reading: PipelineOptions,
    /// The bytes of archives that may still be read before files of servers.
    left: AtomicU64,
}

/// At the start of `DiskTree::left`.
const MOST_READ: u64 = 256 << 20;

impl DiskTree {
    /// The roots are absolute paths.
    pub(super) fn new<'r>(
        follows_symlinks: bool,
        roots: impl IntoIterator<Item = &'r [u8]>,
        reading: PipelineOptions,
    ) -> Self {
        let mut by_path = HashMap::new();
        let mut above = HashSet::new();
        for root in roots {
            let root = root.strip_suffix(b"/").unwrap_or(root);
            let mut directory = root;
            while above.insert(directory.into())
                && let Some(end) = memchr::memrchr(b'/', directory)
            {
                directory = &directory[..end];
            }
            if let Some(path) = canonical(root) {
                by_path.entry(path.into()).or_insert_with(|| root.into());
            }
        }
        DiskTree {
            listings: RwLock::default(),
            followed: RwLock::default(),
            follows_symlinks,
            roots: by_path,
            above,
            reading,
            left: AtomicU64::new(MOST_READ),
        }
    }

    /// Returns the outermost root that holds a path.
    pub(super) fn root_above<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let is_root = |above: &&Path| self.roots.values().any(|root| **root == *bytes_of(above));
        path.ancestors().filter(is_root).last()
    }

    /// The path begins with the root.
    pub(super) fn find(&self, root: &[u8], path: &[u8], naming: &FileNaming) -> DiskEntry {
        let mut way = self.way(root, path);
        let slash = way.rest.is_empty() || way.rest.ends_with(b"/");
        let mut other_case = false;
        while let Some((name, rest)) = way.name() {
            let is_last = rest.iter().all(|&byte| byte == b'/');
            let Some(listing) = self.listing(&way.here) else {
                return unlisted(&way.here).unwrap_or(DiskEntry::Nothing);
            };
            let exact = self.kind(&way.here, &listing, name);
            if is_last
                && exact != Some(DiskEntryKind::File)
                // `test.html` comes before `test/` (A11).
                && (exact.is_none() || !slash)
                && let Some((path, _)) = naming.extensions(slash).find_map(|extension| {
                    let extended = [name, b".", extension.as_bytes()].concat();
                    self.entry(&way.here, &listing, &extended).file()
                })
            {
                let how = [LookupMatch::Extension, LookupMatch::SlashAfterFile];
                return DiskEntry::File(path, how[usize::from(slash)]);
            }
            let mut real = name;
            if exact.is_none() {
                let Some((folded, _)) = listing.index.folded(name) else {
                    return DiskEntry::Nothing;
                };
                (real, other_case) = (folded, true);
            }
            match self.entry(&way.here, &listing, real) {
                DiskEntry::File(..) if !is_last || slash => return DiskEntry::Nothing,
                DiskEntry::File(path, _) if other_case => {
                    return DiskEntry::File(path, LookupMatch::OtherCase);
                }
                DiskEntry::Directory(path) => way.enter(path, rest),
                entry => return entry,
            }
        }
        self.index_of(way.here, slash, other_case, naming)
    }

    /// Follows symbolic links.
    pub(super) fn file_in(&self, directory: &[u8], name: &[u8]) -> Option<Vec<u8>> {
        let directory = directory.strip_suffix(b"/").unwrap_or(directory);
        let listing = self.listing(directory)?;
        let (path, _) = self.entry(directory, &listing, name).file()?;
        Some(path)
    }

    /// Returns the start of a regular file; `None` for a file in an archive after too many bytes, too.
    pub(super) fn read(&self, path: &[u8], limit: u64) -> Option<Vec<u8>> {
        if members::split_path(path).is_none() {
            return start_of(path, limit);
        }
        // Limits the cost, so that the first files of a long archive can be read.
        let cost = members::cost(path)?.min(MOST_READ / 8);
        let take = |left: u64| left.checked_sub(cost);
        let (set, fetched) = (Ordering::Relaxed, Ordering::Relaxed);
        self.left.fetch_update(set, fetched, take).ok()?;
        members::bytes(&self.reading, path, limit)
    }

    pub(super) fn names(&self, directory: &[u8]) -> Vec<String> {
        let listing = self.listing(directory).unwrap_or_default();
        let names = listing.entries().map(|(name, _)| name.to_vec());
        names.flat_map(String::from_utf8).collect()
    }

    /// Symbolic links are not directories here.
    pub(super) fn has_directory(&self, directory: &[u8], name: &[u8]) -> bool {
        let listing = self.listing(directory);
        listing.is_some_and(|listing| listing.kind(name) == Some(DiskEntryKind::Directory))
    }

    /// Starts at a directory near the end of the path that has been read, whose name then exists,
    /// or at the root.
    fn way<'p>(&self, root: &[u8], path: &'p [u8]) -> PathWay<'p> {
        let known = self.listings.read();
        let names = path.strip_suffix(b"/").unwrap_or(path);
        let mut slashes = memchr::memrchr_iter(b'/', names).take(NEAR);
        let at = slashes
            .find(|&at| at >= root.len() && known.get(&path[..at]).is_some_and(Option::is_some));
        let (here, rest) = match at {
            Some(at) => (&path[..at], &path[at + 1..]),
            None => (
                root.strip_suffix(b"/").unwrap_or(root),
                path.strip_prefix(root).unwrap_or(path),
            ),
        };
        let here = here.to_vec();
        PathWay { here, rest }
    }

    /// An archive is a directory with another name.
    fn kind(&self, here: &[u8], listing: &Listing, name: &[u8]) -> Option<DiskEntryKind> {
        let is_archive = || {
            let file = name.strip_suffix(b"!")?;
            listing.kind(file)?;
            self.listing(&[here, b"/", name].concat())
        };
        let kind = listing.kind(name);
        kind.or_else(|| is_archive().map(|_| DiskEntryKind::Directory))
    }

    /// Follows symbolic links.
    fn entry(&self, here: &[u8], listing: &Listing, name: &[u8]) -> DiskEntry {
        let path = || [here, b"/", name].concat();
        match self.kind(here, listing, name) {
            Some(DiskEntryKind::File) => DiskEntry::File(path(), LookupMatch::Exact),
            Some(DiskEntryKind::Directory) => DiskEntry::Directory(path()),
            Some(DiskEntryKind::Link) => self.destination(path()),
            None => DiskEntry::Nothing,
        }
    }

    pub(super) fn has_followed_links(&self) -> bool {
        !self.followed.read().is_empty()
    }

    fn destination(&self, link: Vec<u8>) -> DiskEntry {
        if let Some(entry) = self.followed.read().get(link.as_slice()) {
            return entry.clone();
        }
        let entry = self.follow(&link);
        (self.followed.write()).insert(link.into(), entry.clone());
        entry
    }

    fn follow(&self, link: &[u8]) -> DiskEntry {
        // Links on the way to a root keep their names (A13), for the root's own path contains them.
        if self.above.contains(link) && canonical(link).is_some() {
            return DiskEntry::Directory(link.to_vec());
        }
        let Some(path) = canonical(link) else {
            let text = std::fs::read_link(path_of(link)).unwrap_or_default();
            return DiskEntry::Dangling(text.into_os_string().into_encoded_bytes());
        };
        let path = match self.under_root(&path) {
            Some(path) => path,
            None if self.follows_symlinks => path,
            None => return DiskEntry::Outside(path),
        };
        match std::fs::metadata(path_of(link)) {
            Ok(metadata) if metadata.is_dir() => DiskEntry::Directory(path),
            _ => DiskEntry::File(path, LookupMatch::Exact),
        }
    }

    /// Puts the innermost root of a path in the form that was given.
    fn under_root(&self, path: &[u8]) -> Option<Vec<u8>> {
        let mut above = path;
        loop {
            if let Some(root) = self.roots.get(above) {
                return Some([root, &path[above.len()..]].concat());
            }
            above = &above[..memchr::memrchr(b'/', above)?];
        }
    }

    /// Returns the path of a file of a walk in lookups, where symbolic links may change it; a
    /// `named` file was an argument.
    pub(super) fn path_of_walked(&self, path: &[u8], named: bool) -> Option<Vec<u8>> {
        let may_change = named || self.follows_symlinks;
        let path = may_change.then(|| canonical(path)).flatten()?;
        Some(self.under_root(&path).unwrap_or(path))
    }

    /// Finds the index file of a directory, named with or without a `slash` or in `other_case`.
    fn index_of(
        &self,
        directory: Vec<u8>,
        slash: bool,
        other_case: bool,
        naming: &FileNaming,
    ) -> DiskEntry {
        let Some(listing) = self.listing(&directory) else {
            return unlisted(&directory).unwrap_or(DiskEntry::Directory(directory));
        };
        let mut path = None;
        let mut otherwise = None;
        for name in &*naming.index {
            match self.entry(&directory, &listing, name.as_bytes()) {
                DiskEntry::File(file, _) => path = path.or(Some(file)),
                DiskEntry::Directory(_) | DiskEntry::Nothing => {}
                entry => otherwise = otherwise.or(Some(entry)),
            }
        }
        let Some(path) = path else {
            return otherwise.unwrap_or(DiskEntry::Directory(directory));
        };
        let how = match (other_case, slash) {
            (true, _) => LookupMatch::OtherCase,
            (false, true) => LookupMatch::Index,
            (false, false) => LookupMatch::WithoutSlash,
        };
        DiskEntry::File(path, how)
    }

    /// Returns whether each name on the way exists, or only one name in another form.
    pub(super) fn is_unambiguous(&self, root: &[u8], path: &[u8]) -> bool {
        let mut way = self.way(root, path);
        while let Some((name, rest)) = way.name() {
            let Some(listing) = self.listing(&way.here) else {
                return false;
            };
            let real = match (listing.kind(name), listing.index.folded(name)) {
                (Some(_), _) => name,
                (None, Some((folded, false))) => folded,
                (None, _) => return false,
            };
            match self.entry(&way.here, &listing, real) {
                DiskEntry::Directory(path) => way.enter(path, rest),
                DiskEntry::File(..) => way.rest = rest,
                _ => return false,
            }
        }
        true
    }

    /// Returns the first missing name on the way to a path.
    pub(super) fn first_missing<'p>(&self, root: &[u8], path: &'p [u8]) -> Option<MissingName<'p>> {
        let mut way = self.way(root, path);
        loop {
            let (name, rest) = way.name()?;
            let listing = self.listing(&way.here)?;
            match self.entry(&way.here, &listing, name) {
                DiskEntry::Directory(path) => way.enter(path, rest),
                DiskEntry::Nothing => {
                    return Some(MissingName {
                        directory: way.here,
                        listing,
                        name,
                        after: rest,
                    });
                }
                _ => return None,
            }
        }
    }

    /// `None` if the directory cannot be read.
    pub(super) fn listing(&self, directory: &[u8]) -> Option<Arc<Listing>> {
        let directory = directory.strip_suffix(b"/").unwrap_or(directory);
        if let Some(listing) = self.listings.read().get(directory) {
            return listing.clone();
        }
        let (mut listing, mut read) = (None, Vec::new());
        if let Some((file, inner)) = members::split_path(directory) {
            read = self.read_archive(file, inner);
        } else {
            listing = read_listing(directory).map(Arc::new);
        }
        let mut known = self.listings.write();
        known.insert(directory.into(), listing.clone());
        for (path, own) in read {
            if path == directory {
                listing = Some(Arc::clone(&own));
            }
            known.insert(path.into(), Some(own));
        }
        listing
    }

    /// Returns the listings of all directories of an archive, by their paths; `inner` may lie in an
    /// archive inside.
    fn read_archive(&self, file: &[u8], inner: &[u8]) -> Vec<(Vec<u8>, Arc<Listing>)> {
        // The innermost archive that the directory is in.
        let mut ends = memchr::memrchr_iter(b'!', inner);
        let end = ends.find(|&at| matches!(inner.get(at + 1), None | Some(b'/')));
        let archive = end.map_or(&b""[..], |at| &inner[..=at]);
        let names = members::names(&self.reading, file, archive);
        if names.is_empty() {
            return Vec::new();
        }
        let root = match archive {
            b"" => [file, b"!"].concat(),
            archive => [file, b"!/", archive].concat(),
        };
        let mut listings: HashMap<Vec<u8>, Listing> = HashMap::new();
        for name in &names {
            let path = [root.as_slice(), b"/", name].concat();
            let (mut end, mut kind) = (path.len(), DiskEntryKind::File);
            while end > root.len() {
                let slash = memchr::memrchr(b'/', &path[..end]).unwrap_or(root.len());
                let listing = listings.entry(path[..slash].to_vec()).or_default();
                let is_new = listing.add(&path[slash + 1..end], kind);
                if !is_new {
                    break;
                }
                (end, kind) = (slash, DiskEntryKind::Directory);
            }
        }
        let shared = |(path, listing): (_, Listing)| (path, Arc::new(listing.shrink()));
        listings.into_iter().map(shared).collect()
    }
}

/// Reads the start of a regular file, of at most `limit` bytes.
pub(super) fn start_of(path: &[u8], limit: u64) -> Option<Vec<u8>> {
    let path = path_of(path);
    // Opening a pipe would wait for its writer.
    let is_file = std::fs::metadata(&path).is_ok_and(|found| found.is_file());
    is_file.then(|| read_start(&path, limit).ok()).flatten()
}

/// For a path that has no listing: whether it is a directory.
fn unlisted(path: &[u8]) -> Option<DiskEntry> {
    let is_directory = std::fs::metadata(path_of(path)).is_ok_and(|found| found.is_dir());
    is_directory.then_some(DiskEntry::Unreadable)
}

fn read_listing(path: &[u8]) -> Option<Listing> {
    let path = if path.is_empty() { b"/" } else { path };
    let mut listing = Listing::default();
    for entry in std::fs::read_dir(path_of(path)).ok()?.flatten() {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => DiskEntryKind::Directory,
            Ok(kind) if kind.is_symlink() => DiskEntryKind::Link,
            _ => DiskEntryKind::File,
        };
        listing.add(&entry.file_name().into_encoded_bytes(), kind);
    }
    Some(listing.shrink())
}

/// Returns the path without symbolic links and without a slash at the end.
fn canonical(path: &[u8]) -> Option<Vec<u8>> {
    let path = if path.is_empty() { b"/" } else { path };
    let path = std::fs::canonicalize(path_of(path)).ok()?;
    let mut path = path.into_os_string().into_encoded_bytes();
    if path == b"/" {
        path.clear();
    }
    Some(path)
}
