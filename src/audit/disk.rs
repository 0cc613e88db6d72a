//! Paths on disk, looked up in directory listings that are read once.
//!
//! An archive `FILE` is a directory `FILE!` beside it, which no listing shows.
//!
//! Names are compared by their bytes, so that every file system gives the same answer. A symbolic
//! link counts as its destination, by the path without links: a file is one file however many links
//! lead to it. Links out of the roots are followed on request.

use std::fs::File;
use std::io::Read;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::names::NameIndex;
use crate::pipeline::members;
use crate::pipeline::walk::path_of;

/// The way in which a name led to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookupMatch {
    /// By its exact name.
    Exact,
    /// With an extension added.
    Extension,
    /// As the index file of a directory.
    Index,
    /// As the index file of a directory that was named without a slash at its end.
    WithoutSlash,
    /// As a file that was named with a slash at its end.
    SlashAfterFile,
    /// By a name that differs in case or Unicode form.
    OtherCase,
    /// By a rule of the server, which redirects there.
    Redirect,
}

impl LookupMatch {
    /// Returns whether a server shows the file by this name, without a redirect.
    pub(super) fn is_final(self) -> bool {
        matches!(
            self,
            LookupMatch::Exact | LookupMatch::Extension | LookupMatch::Index
        )
    }
}

/// The result of looking up a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DiskEntry {
    /// A file, by its path.
    File(Vec<u8>, LookupMatch),
    /// A directory without an index file, by its path.
    NoIndex(Vec<u8>),
    /// A symbolic link out of the roots, by the path that it leads to.
    Outside(Vec<u8>),
    /// A symbolic link to nothing, by its text.
    Dangling(Vec<u8>),
    /// No entry.
    Nothing,
}

/// The names under which a server finds files.
#[derive(Clone, Debug, Default)]
pub(super) struct FileNaming {
    /// Names of index files, the preferred one first.
    pub(super) index: Vec<String>,
    /// Extensions that references may leave out, without their dot.
    pub(super) extensions: Vec<String>,
    /// Whether references to pages may leave their extension out.
    pub(super) pages: OptionalExtension,
}

/// Whether `/a` stands for `a.html`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OptionalExtension {
    /// It does not.
    #[default]
    Never,
    /// It does, and `/a/` does not.
    WithoutSlash,
    /// It does, and so does `/a/`.
    WithSlash,
}

/// A name that does not exist, on the way to a path.
pub(super) struct MissingName<'p> {
    /// The path of the directory in which it is missing.
    pub(super) directory: Vec<u8>,
    /// The names in that directory.
    pub(super) listing: Arc<Listing>,
    /// The name.
    pub(super) name: &'p [u8],
    /// The path behind the name, with its slash.
    pub(super) behind: &'p [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiskEntryKind {
    File,
    Directory,
    Link,
}

/// The names in one directory.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) index: NameIndex,
    /// The kind of each name's entry, by the number of the name.
    kinds: Vec<DiskEntryKind>,
}

impl Listing {
    /// Adds an entry; returns whether its name is new.
    fn add(&mut self, name: &[u8], kind: DiskEntryKind) -> bool {
        let is_new = self.index.add(name) as usize == self.kinds.len();
        if is_new {
            self.kinds.push(kind);
        }
        is_new
    }

    fn kind(&self, name: &[u8]) -> Option<DiskEntryKind> {
        let number = self.index.names.get(name)?;
        Some(self.kinds[number as usize])
    }

    /// Returns whether the name of a number may be one of a directory, or of a file if not.
    pub(super) fn may_be_directory(&self, number: u32, directory: bool) -> bool {
        let other = if directory {
            DiskEntryKind::File
        } else {
            DiskEntryKind::Directory
        };
        self.kinds[number as usize] != other
    }

    /// Releases memory that is not used.
    fn shrink(mut self) -> Self {
        self.index.names.shrink();
        self.kinds.shrink_to_fit();
        self
    }
}

/// An entry of a directory after following symbolic links, by its path.
#[derive(Clone, Debug)]
enum FollowedEntry {
    File(Vec<u8>),
    Directory(Vec<u8>),
    /// The destination is out of the roots.
    Outside(Vec<u8>),
    /// There is no destination; the text of the link.
    Dangling(Vec<u8>),
}

/// The number of innermost directories of a path that are looked for before its root.
const NEAR: usize = 4;

type Listings = HashMap<Box<[u8]>, Option<Arc<Listing>>>;

/// The disk below some roots, as far as lookups have read it; shared by the workers.
#[derive(Debug)]
pub(super) struct DiskTree {
    listings: RwLock<Listings>,
    /// The destinations of symbolic links, by the paths of the links.
    followed: RwLock<HashMap<Box<[u8]>, FollowedEntry>>,
    /// Whether symbolic links out of the roots are followed.
    follows_symlinks: bool,
    /// The roots as given, by their paths without symbolic links; neither with a slash at its end.
    roots: HashMap<Box<[u8]>, Box<[u8]>>,
    /// The roots as given, and the directories above them.
    above: HashSet<Box<[u8]>>,
    archives: ArchiveAccess,
}

/// Returns the paths of the members of an archive in a file, or of one in that.
pub(super) type ReadNames = dyn Fn(&[u8], &[u8]) -> Vec<Vec<u8>> + Send + Sync;

/// Returns the start of a file in an archive, by its path, at most so many bytes; none if that takes too
/// long.
pub(super) type ReadMember = dyn Fn(&[u8], u64) -> Option<Vec<u8>> + Send + Sync;

/// Reads archives, where they are opened.
#[derive(Default)]
pub(super) struct ArchiveAccess {
    pub(super) names: Option<Box<ReadNames>>,
    pub(super) member: Option<Box<ReadMember>>,
}

/// The start of a file.
pub(super) enum FileStart {
    Read(Vec<u8>),
    /// The file is in an archive, and the way to it is too long.
    TooFar,
}

impl std::fmt::Debug for ArchiveAccess {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ArchiveAccess")
            .finish_non_exhaustive()
    }
}

impl DiskTree {
    /// Creates the view of the disk below `roots`, which are absolute paths.
    pub(super) fn new<'r>(
        follows_symlinks: bool,
        roots: impl IntoIterator<Item = &'r [u8]>,
        archives: ArchiveAccess,
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
            archives,
        }
    }

    /// Looks up `path`, which begins with the directory `root`.
    pub(super) fn find(&self, root: &[u8], path: &[u8], naming: &FileNaming) -> DiskEntry {
        if let Some(found) = self.find_near(path) {
            return found;
        }
        let (mut here, rest) = self.start(root, path);
        let directory_named = rest.is_empty() || rest.ends_with(b"/");
        let mut other_case = false;
        let mut names = rest
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty());
        let mut name = names.next();
        while let Some(this) = name {
            let next = names.next();
            let Some(listing) = self.listing(&here) else {
                return DiskEntry::Nothing;
            };
            let exact = self.kind(&here, &listing, this);
            if next.is_none()
                && exact != Some(DiskEntryKind::File)
                // Of `test.html` and `test/` the file counts (A11).
                && (exact.is_none() || !directory_named)
                && let Some(path) = self.extended(&here, &listing, this, directory_named, naming)
            {
                let how = if directory_named {
                    LookupMatch::SlashAfterFile
                } else {
                    LookupMatch::Extension
                };
                return DiskEntry::File(path, how);
            }
            let real = match exact {
                Some(_) => this,
                None => match listing.index.folded(this) {
                    Some((folded, _)) => {
                        other_case = true;
                        folded
                    }
                    None => return DiskEntry::Nothing,
                },
            };
            match self.entry(&here, &listing, real) {
                None => return DiskEntry::Nothing,
                Some(FollowedEntry::Outside(path)) => return DiskEntry::Outside(path),
                Some(FollowedEntry::Dangling(text)) => return DiskEntry::Dangling(text),
                Some(FollowedEntry::File(_)) if next.is_some() || directory_named => {
                    return DiskEntry::Nothing;
                }
                Some(FollowedEntry::File(path)) if other_case => {
                    return DiskEntry::File(path, LookupMatch::OtherCase);
                }
                Some(FollowedEntry::File(path)) => {
                    return DiskEntry::File(path, LookupMatch::Exact);
                }
                Some(FollowedEntry::Directory(path)) => {
                    here = path;
                    name = next;
                }
            }
        }
        self.index_of(here, directory_named, other_case, naming)
    }

    /// Returns the path of a file in a directory, after following symbolic links.
    pub(super) fn file_in(&self, directory: &[u8], name: &[u8]) -> Option<Vec<u8>> {
        let directory = directory.strip_suffix(b"/").unwrap_or(directory);
        let listing = self.listing(directory)?;
        match self.entry(directory, &listing, name)? {
            FollowedEntry::File(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the start of a regular file, at most so many bytes.
    pub(super) fn read(&self, path: &[u8], limit: u64) -> Option<FileStart> {
        if members::split_path(path).is_some() {
            let read = self.archives.member.as_ref()?;
            return Some(read(path, limit).map_or(FileStart::TooFar, FileStart::Read));
        }
        let file = path_of(path);
        // Opening a pipe would wait for its writer.
        if !std::fs::metadata(&file).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        let mut file = File::open(file).ok()?.take(limit);
        file.read_to_end(&mut bytes).ok()?;
        Some(FileStart::Read(bytes))
    }

    /// Returns the names in a directory that are UTF-8.
    pub(super) fn names(&self, directory: &[u8]) -> Vec<String> {
        let directory = directory.strip_suffix(b"/").unwrap_or(directory);
        let Some(listing) = self.listing(directory) else {
            return Vec::new();
        };
        let names =
            (0..listing.index.names.len() as u32).map(|number| listing.index.names.name(number));
        names
            .filter_map(|name| String::from_utf8(name.to_vec()).ok())
            .collect()
    }

    /// Returns whether a directory has one of this name that is no symbolic link.
    pub(super) fn has_directory(&self, directory: &[u8], name: &[u8]) -> bool {
        let listing = self.listing(directory);
        listing.is_some_and(|listing| listing.kind(name) == Some(DiskEntryKind::Directory))
    }

    /// Returns the directory at which to start looking for a path, and the rest of the path.
    ///
    /// A directory near the path's end that has been read exists by that name: the directories above
    /// it are passed over. Else the lookup starts at the root.
    fn start<'p>(&self, root: &[u8], path: &'p [u8]) -> (Vec<u8>, &'p [u8]) {
        let known = self.known();
        let names = path.strip_suffix(b"/").unwrap_or(path);
        let mut slashes = memchr::memrchr_iter(b'/', names).take(NEAR);
        let at = slashes
            .find(|&at| at >= root.len() && known.get(&path[..at]).is_some_and(Option::is_some));
        match at {
            Some(at) => (path[..at].to_vec(), &path[at + 1..]),
            None => {
                let rest = path.strip_prefix(root).unwrap_or(path);
                (root.strip_suffix(b"/").unwrap_or(root).to_vec(), rest)
            }
        }
    }

    /// Finds a file in a directory that has been read: the fast path, with one lookup.
    fn find_near(&self, path: &[u8]) -> Option<DiskEntry> {
        let at = memchr::memrchr(b'/', path)?;
        let known = self.known();
        let listing = known.get(&path[..at])?.as_ref()?;
        let kind = listing.kind(&path[at + 1..])?;
        (kind == DiskEntryKind::File).then(|| DiskEntry::File(path.to_vec(), LookupMatch::Exact))
    }

    /// Returns the kind of a name in the directory `here`: an archive is a directory of a name of its own.
    fn kind(&self, here: &[u8], listing: &Listing, name: &[u8]) -> Option<DiskEntryKind> {
        let is_archive = || {
            let file = name.strip_suffix(b"!")?;
            listing.kind(file)?;
            self.listing(&[here, b"/", name].concat())
        };
        let kind = listing.kind(name);
        kind.or_else(|| is_archive().map(|_| DiskEntryKind::Directory))
    }

    /// Returns the entry of a name in the directory `here`, after following symbolic links.
    fn entry(&self, here: &[u8], listing: &Listing, name: &[u8]) -> Option<FollowedEntry> {
        let path = || [here, b"/", name].concat();
        Some(match self.kind(here, listing, name)? {
            DiskEntryKind::File => FollowedEntry::File(path()),
            DiskEntryKind::Directory => FollowedEntry::Directory(path()),
            DiskEntryKind::Link => self.destination(path()),
        })
    }

    /// Returns whether a lookup has come to a symbolic link.
    pub(super) fn has_followed_links(&self) -> bool {
        let known = self.followed.read().unwrap_or_else(PoisonError::into_inner);
        !known.is_empty()
    }

    /// Returns the destination of a symbolic link, from the cache if it has been followed before.
    fn destination(&self, link: Vec<u8>) -> FollowedEntry {
        let known = self.followed.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = known.get(link.as_slice()) {
            return entry.clone();
        }
        drop(known);
        let entry = self.follow(&link);
        let mut known = self
            .followed
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        known.insert(link.into(), entry.clone());
        entry
    }

    fn follow(&self, link: &[u8]) -> FollowedEntry {
        // Links on the way to a root keep their names (A13), for the root's own path contains them.
        if self.above.contains(link) && canonical(link).is_some() {
            return FollowedEntry::Directory(link.to_vec());
        }
        let Some(path) = canonical(link) else {
            let text = std::fs::read_link(path_of(link)).unwrap_or_default();
            return FollowedEntry::Dangling(text.into_os_string().into_encoded_bytes());
        };
        let path = match self.under_root(&path) {
            Some(path) => path,
            None if self.follows_symlinks => path,
            None => return FollowedEntry::Outside(path),
        };
        match std::fs::metadata(path_of(link)) {
            Ok(metadata) if metadata.is_dir() => FollowedEntry::Directory(path),
            _ => FollowedEntry::File(path),
        }
    }

    /// Renames a path without symbolic links to begin with the innermost root that it is under, as
    /// given.
    fn under_root(&self, path: &[u8]) -> Option<Vec<u8>> {
        let mut above = path;
        loop {
            if let Some(root) = self.roots.get(above) {
                return Some([root, &path[above.len()..]].concat());
            }
            above = &above[..memchr::memrchr(b'/', above)?];
        }
    }

    /// Returns the path by which lookups find a file of a walk, where symbolic links may make it
    /// differ from the path of the walk; `named` is a file that was an argument.
    pub(super) fn path_of_walked(&self, path: &[u8], named: bool) -> Option<Vec<u8>> {
        if named || self.follows_symlinks {
            let path = canonical(path)?;
            return Some(self.under_root(&path).unwrap_or(path));
        }
        None
    }

    /// Finds a file whose extension the name leaves out; `slash` says whether one follows the name.
    fn extended(
        &self,
        here: &[u8],
        listing: &Listing,
        name: &[u8],
        slash: bool,
        naming: &FileNaming,
    ) -> Option<Vec<u8>> {
        let pages = match naming.pages {
            OptionalExtension::WithoutSlash => !slash,
            OptionalExtension::WithSlash => true,
            OptionalExtension::Never => false,
        };
        let extensions = naming.extensions.iter().map(String::as_str);
        extensions
            .chain(pages.then_some("html"))
            .find_map(|extension| {
                let extended = [name, b".", extension.as_bytes()].concat();
                match self.entry(here, listing, &extended) {
                    Some(FollowedEntry::File(path)) => Some(path),
                    _ => None,
                }
            })
    }

    /// Finds the index file of a directory; `slash` and `other_case` say how it was named.
    fn index_of(
        &self,
        directory: Vec<u8>,
        slash: bool,
        other_case: bool,
        naming: &FileNaming,
    ) -> DiskEntry {
        let listing = self.listing(&directory);
        let entry = |name: &String| {
            let listing = listing.as_ref()?;
            self.entry(&directory, listing, name.as_bytes())
        };
        let mut path = None;
        let mut otherwise = None;
        for entry in naming.index.iter().filter_map(entry) {
            match entry {
                FollowedEntry::File(file) => path = path.or(Some(file)),
                FollowedEntry::Outside(path) => {
                    otherwise = otherwise.or(Some(DiskEntry::Outside(path)))
                }
                FollowedEntry::Dangling(text) => {
                    otherwise = otherwise.or(Some(DiskEntry::Dangling(text)))
                }
                FollowedEntry::Directory(_) => {}
            }
        }
        let Some(path) = path else {
            return otherwise.unwrap_or(DiskEntry::NoIndex(directory));
        };
        let how = match (other_case, slash) {
            (true, _) => LookupMatch::OtherCase,
            (false, true) => LookupMatch::Index,
            (false, false) => LookupMatch::WithoutSlash,
        };
        DiskEntry::File(path, how)
    }

    /// Returns whether each name on the way to `path` exists, or stands for one other name only.
    pub(super) fn is_unambiguous(&self, root: &[u8], path: &[u8]) -> bool {
        let (mut here, rest) = self.start(root, path);
        for name in rest
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty())
        {
            let Some(listing) = self.listing(&here) else {
                return false;
            };
            let real = match (listing.kind(name), listing.index.folded(name)) {
                (Some(_), _) => name,
                (None, Some((folded, false))) => folded,
                (None, _) => return false,
            };
            match self.entry(&here, &listing, real) {
                Some(FollowedEntry::Directory(path)) => here = path,
                Some(FollowedEntry::File(_)) => {}
                _ => return false,
            }
        }
        true
    }

    /// Returns the first name on the way to `path` that does not exist, the rest of the path from
    /// there on, and the directory in which the name is missing, with its path.
    pub(super) fn first_missing<'p>(&self, root: &[u8], path: &'p [u8]) -> Option<MissingName<'p>> {
        let (mut directory, mut rest) = self.start(root, path);
        loop {
            let start = rest.iter().position(|&byte| byte != b'/')?;
            rest = &rest[start..];
            let end = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            let listing = self.listing(&directory)?;
            match self.entry(&directory, &listing, name) {
                Some(FollowedEntry::Directory(path)) => directory = path,
                Some(_) => return None,
                None => {
                    return Some(MissingName {
                        directory,
                        listing,
                        name,
                        behind,
                    });
                }
            }
            rest = behind;
        }
    }

    /// Locks the directories that have been read. Poisoning is ignored: no panic leaves an entry
    /// half-written.
    fn known(&self) -> RwLockReadGuard<'_, Listings> {
        self.listings.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the names in a directory, from the cache if it has been read before; none if it cannot
    /// be read.
    fn listing(&self, directory: &[u8]) -> Option<Arc<Listing>> {
        if let Some(listing) = self.known().get(directory) {
            return listing.clone();
        }
        let archive = members::split_path(directory);
        let listing = match archive {
            None => read_listing(directory).map(Arc::new),
            Some(_) => None,
        };
        let mut read = archive.map_or(Vec::new(), |(file, inner)| self.read_archive(file, inner));
        let mut known = self
            .listings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        known.insert(directory.into(), listing.clone());
        let own = read.iter().position(|(path, _)| path == directory);
        let own = own.map(|at| Arc::clone(&read[at].1));
        for (path, listing) in read.drain(..) {
            known.insert(path.into(), Some(listing));
        }
        own.or(listing)
    }

    /// Returns the listings of all directories of an archive, by their paths; `inner` lies in the archive
    /// or in one in that.
    fn read_archive(&self, file: &[u8], inner: &[u8]) -> Vec<(Vec<u8>, Arc<Listing>)> {
        let Some(read_names) = &self.archives.names else {
            return Vec::new();
        };
        // The innermost archive that the directory is in.
        let mut ends = memchr::memrchr_iter(b'!', inner);
        let end = ends.find(|&at| matches!(inner.get(at + 1), None | Some(b'/')));
        let archive = end.map_or(&b""[..], |at| &inner[..=at]);
        let names = read_names(file, archive);
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
        let listings = listings.into_iter();
        listings
            .map(|(path, listing)| (path, Arc::new(listing.shrink())))
            .collect()
    }
}

fn read_listing(directory: &[u8]) -> Option<Listing> {
    let directory = if directory.is_empty() {
        b"/"
    } else {
        directory
    };
    let mut listing = Listing::default();
    for entry in std::fs::read_dir(path_of(directory)).ok()? {
        let Ok(entry) = entry else { continue };
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => DiskEntryKind::Directory,
            Ok(kind) if kind.is_symlink() => DiskEntryKind::Link,
            _ => DiskEntryKind::File,
        };
        listing.add(&entry.file_name().into_encoded_bytes(), kind);
    }
    Some(listing.shrink())
}

/// Returns a path without symbolic links and without a slash at its end; none if nothing exists
/// there.
fn canonical(path: &[u8]) -> Option<Vec<u8>> {
    let path = if path.is_empty() { b"/" } else { path };
    let path = std::fs::canonicalize(path_of(path)).ok()?;
    let mut path = path.into_os_string().into_encoded_bytes();
    if path == b"/" {
        path.clear();
    }
    Some(path)
}
