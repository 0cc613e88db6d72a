//! What stands on disk: directory listings, read once, in which names are looked up byte by byte,
//! so that every file system gives the same answer.
//!
//! A symbolic link counts as what it leads to, by the path without links: however many links lead
//! to a file, it is one file. Unless [`SymlinkPolicy::Follow`] says so none is followed out of the roots.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use hashbrown::HashTable;
use unicode_normalization::UnicodeNormalization;

use super::hash::HashKey;
use super::interner::Interner;
use super::suggest::{self, NameOrder, SuggestionBudget};
use crate::pipeline::walk::path_of;

/// How a target was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupMatch {
    /// By its name.
    Exact,
    /// With an extension added.
    Extension,
    /// As the index file of a directory.
    Index,
    /// As the index file of a directory that was named without its slash.
    WithoutSlash,
    /// As a file that was named with a slash behind it.
    SlashAfterFile,
    /// By a name that differs in case or Unicode form.
    OtherCase,
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiskEntry {
    /// A file, by its path.
    File(Vec<u8>, LookupMatch),
    /// A directory without an index file, by its path.
    NoIndex(Vec<u8>),
    /// A symbolic link leads out of the roots, to this path.
    Outside(Vec<u8>),
    /// A symbolic link leads to nothing; the text of the link.
    Dangling(Vec<u8>),
    /// Nothing.
    Nothing,
}

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SymlinkPolicy {
    /// Those that lead to a place under one of the roots.
    #[default]
    Within,
    /// All.
    Follow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiskEntryKind {
    File,
    Directory,
    Link,
}

/// The names in one directory.
#[derive(Debug, Default)]
struct Listing {
    names: Interner,
    /// For each name what it is of.
    kinds: Vec<DiskEntryKind>,
    /// The length of the longest name, in bytes.
    longest: usize,
    /// For each distinct folded name the first name by its bytes; made when a name is not found as
    /// it is.
    folded: OnceLock<HashTable<u32>>,
    /// Made when a name is not found at all.
    order: OnceLock<NameOrder>,
}

/// Folding makes a name at most this many times shorter: three bytes of a composed character stand
/// for five, and three of a sign for one letter.
const MOST_FOLDED: usize = 16;

impl Listing {
    fn kind(&self, name: &[u8]) -> Option<DiskEntryKind> {
        self.names
            .get(name)
            .map(|number| self.kinds[number as usize])
    }

    /// The name that differs in case or Unicode form only; the first by bytes of several.
    fn folded(&self, name: &[u8]) -> Option<&[u8]> {
        // A long name is folded only where there is one that it may be.
        if name.len() > MOST_FOLDED * self.longest {
            return None;
        }
        let hash_of = |folded: &str| self.names.hash(folded.as_bytes());
        let hash = |&number: &u32| hash_of(&fold(self.names.name(number)));
        let folded = self.folded.get_or_init(|| {
            let mut folded = HashTable::new();
            for number in 0..self.names.len() as u32 {
                let name = self.names.name(number);
                let of_name = fold(name);
                let same = |&known: &u32| fold(self.names.name(known)) == of_name;
                match folded.find_mut(hash_of(&of_name), same) {
                    Some(known) if name < self.names.name(*known) => *known = number,
                    Some(_) => {}
                    None => {
                        folded.insert_unique(hash_of(&of_name), number, hash);
                    }
                }
            }
            folded
        });
        let wanted = fold(name);
        let same = |&known: &u32| fold(self.names.name(known)) == wanted;
        let found = folded.find(hash_of(&wanted), same)?;
        Some(self.names.name(*found))
    }
}

/// A name in a directory: what it stands for, once symbolic links have been followed.
enum PathStanding {
    File(Vec<u8>),
    Directory(Vec<u8>),
    Outside(Vec<u8>),
    Dangling(Vec<u8>),
}

/// Where a symbolic link leads.
#[derive(Clone, Debug)]
enum SymlinkTarget {
    File(Box<[u8]>),
    Directory(Box<[u8]>),
    Outside(Box<[u8]>),
    Dangling(Box<[u8]>),
}

impl SymlinkTarget {
    fn standing(&self) -> PathStanding {
        match self {
            SymlinkTarget::File(path) => PathStanding::File(path.to_vec()),
            SymlinkTarget::Directory(path) => PathStanding::Directory(path.to_vec()),
            SymlinkTarget::Outside(path) => PathStanding::Outside(path.to_vec()),
            SymlinkTarget::Dangling(text) => PathStanding::Dangling(text.to_vec()),
        }
    }
}

/// So many of the innermost directories of a path are looked for before its root is.
const NEAR: usize = 4;

type Listings = HashMap<Box<[u8]>, Option<Arc<Listing>>, HashKey>;

/// Looks targets up on disk.
#[derive(Debug)]
pub struct DiskTree {
    listings: RwLock<Listings>,
    /// Symbolic links that have been followed, by their paths.
    targets: RwLock<HashMap<Box<[u8]>, SymlinkTarget, HashKey>>,
    /// Names of index files, the preferred one first.
    index: Vec<String>,
    /// Extensions to try, without their dot.
    extensions: Vec<String>,
    links: SymlinkPolicy,
    /// The roots without symbolic links, and as they are named; neither with a slash at its end.
    roots: HashMap<Box<[u8]>, Box<[u8]>>,
    /// The roots as they are named, and the directories that they are in.
    above: HashSet<Box<[u8]>>,
}

impl DiskTree {
    /// A tree whose directories have these index files, and whose files may be named without
    /// these extensions; symbolic links are followed as far as they stay under the roots, which are
    /// absolute paths.
    pub fn new<'r>(
        index: &[String],
        extensions: &[String],
        links: SymlinkPolicy,
        roots: impl IntoIterator<Item = &'r [u8]>,
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
            targets: RwLock::default(),
            index: index.to_vec(),
            extensions: extensions.to_vec(),
            links,
            roots: by_path,
            above,
        }
    }

    /// What stands at `path`, which begins with the directory `root`.
    pub fn find(&self, root: &[u8], path: &[u8]) -> DiskEntry {
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
            let exact = listing.kind(this);
            if next.is_none()
                && exact != Some(DiskEntryKind::File)
                // Of `test.html` and `test/` the file wins, unless the slash asks for the directory.
                && (exact.is_none() || !directory_named)
                && let Some(path) = self.extended(&here, &listing, this)
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
                None => match listing.folded(this) {
                    Some(folded) => {
                        other_case = true;
                        folded
                    }
                    None => return DiskEntry::Nothing,
                },
            };
            match self.standing(&here, &listing, real) {
                None => return DiskEntry::Nothing,
                Some(PathStanding::Outside(path)) => return DiskEntry::Outside(path),
                Some(PathStanding::Dangling(text)) => return DiskEntry::Dangling(text),
                Some(PathStanding::File(_)) if next.is_some() || directory_named => {
                    return DiskEntry::Nothing;
                }
                Some(PathStanding::File(path)) if other_case => {
                    return DiskEntry::File(path, LookupMatch::OtherCase);
                }
                Some(PathStanding::File(path)) => return DiskEntry::File(path, LookupMatch::Exact),
                Some(PathStanding::Directory(path)) => {
                    here = path;
                    name = next;
                }
            }
        }
        self.index_of(here, directory_named, other_case)
    }

    /// Where to start looking for a path: a directory without its slash, and what is left of the path.
    ///
    /// A directory near the path's end that has been read exists by that name, so that nothing above
    /// it need be looked at; else it is the root.
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

    /// A file in a directory that has been read: most are found so, by one look.
    fn find_near(&self, path: &[u8]) -> Option<DiskEntry> {
        let at = memchr::memrchr(b'/', path)?;
        let known = self.known();
        let listing = known.get(&path[..at])?.as_ref()?;
        let kind = listing.kind(&path[at + 1..])?;
        (kind == DiskEntryKind::File).then(|| DiskEntry::File(path.to_vec(), LookupMatch::Exact))
    }

    /// What a name of a directory stands for; none if there is no such name.
    fn standing(&self, here: &[u8], listing: &Listing, name: &[u8]) -> Option<PathStanding> {
        let path = || [here, b"/", name].concat();
        Some(match listing.kind(name)? {
            DiskEntryKind::File => PathStanding::File(path()),
            DiskEntryKind::Directory => PathStanding::Directory(path()),
            DiskEntryKind::Link => self.target(path()),
        })
    }

    /// Where a symbolic link leads.
    fn target(&self, link: Vec<u8>) -> PathStanding {
        let known = self.targets.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(target) = known.get(link.as_slice()) {
            return target.standing();
        }
        drop(known);
        let target = self.follow(&link);
        let standing = target.standing();
        let mut known = self.targets.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(link.into(), target);
        standing
    }

    fn follow(&self, link: &[u8]) -> SymlinkTarget {
        // On the way to a root links keep their names, as the root's own name has them.
        if self.above.contains(link) && canonical(link).is_some() {
            return SymlinkTarget::Directory(link.into());
        }
        let Some(path) = canonical(link) else {
            let text = std::fs::read_link(path_of(link)).unwrap_or_default();
            return SymlinkTarget::Dangling(text.into_os_string().into_encoded_bytes().into());
        };
        let path = match (self.under_root(&path), self.links) {
            (Some(path), _) => path,
            (None, SymlinkPolicy::Follow) => path,
            (None, SymlinkPolicy::Within) => return SymlinkTarget::Outside(path.into()),
        };
        match std::fs::metadata(path_of(link)) {
            Ok(metadata) if metadata.is_dir() => SymlinkTarget::Directory(path.into()),
            _ => SymlinkTarget::File(path.into()),
        }
    }

    /// A path without symbolic links as it is named below the innermost root that it is under.
    fn under_root(&self, path: &[u8]) -> Option<Vec<u8>> {
        let mut above = path;
        loop {
            if let Some(root) = self.roots.get(above) {
                return Some([root, &path[above.len()..]].concat());
            }
            above = &above[..memchr::memrchr(b'/', above)?];
        }
    }

    /// The path by which look-ups find a file that a walk has come to, perhaps through symbolic
    /// links.
    pub fn path_of_walked(&self, path: &[u8], named: bool) -> Option<Vec<u8>> {
        if named || self.links == SymlinkPolicy::Follow {
            let path = canonical(path)?;
            return Some(self.under_root(&path).unwrap_or(path));
        }
        None
    }

    fn extended(&self, here: &[u8], listing: &Listing, name: &[u8]) -> Option<Vec<u8>> {
        self.extensions.iter().find_map(|extension| {
            let extended = [name, b".", extension.as_bytes()].concat();
            match self.standing(here, listing, &extended) {
                Some(PathStanding::File(path)) => Some(path),
                _ => None,
            }
        })
    }

    fn index_of(&self, directory: Vec<u8>, slash: bool, other_case: bool) -> DiskEntry {
        let listing = self.listing(&directory);
        let standing = |name: &String| {
            let listing = listing.as_ref()?;
            self.standing(&directory, listing, name.as_bytes())
        };
        let mut path = None;
        let mut otherwise = None;
        for standing in self.index.iter().filter_map(standing) {
            match standing {
                PathStanding::File(file) => path = path.or(Some(file)),
                PathStanding::Outside(path) => {
                    otherwise = otherwise.or(Some(DiskEntry::Outside(path)))
                }
                PathStanding::Dangling(text) => {
                    otherwise = otherwise.or(Some(DiskEntry::Dangling(text)))
                }
                PathStanding::Directory(_) => {}
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

    /// The name nearest to the first one on the way to `path` that does not exist.
    pub fn nearest(
        &self,
        root: &[u8],
        path: &[u8],
        budget: &mut SuggestionBudget,
    ) -> Option<Vec<u8>> {
        let (mut here, rest) = self.start(root, path);
        for name in rest
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty())
        {
            let listing = self.listing(&here)?;
            match self.standing(&here, &listing, name) {
                Some(PathStanding::Directory(path)) => here = path,
                Some(_) => return None,
                None => {
                    let names = &listing.names;
                    if listing.order.get().is_none() && !budget.take(names.bytes() as u64 / 16) {
                        return None;
                    }
                    let order = listing.order.get_or_init(|| NameOrder::new(names));
                    let nearest = suggest::nearest(names, order, name, budget);
                    return nearest.map(<[u8]>::to_vec);
                }
            }
        }
        None
    }

    /// Directories that have been read. A poisoned lock guards a cache that is never left
    /// half-written.
    fn known(&self) -> RwLockReadGuard<'_, Listings> {
        self.listings.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn listing(&self, directory: &[u8]) -> Option<Arc<Listing>> {
        if let Some(listing) = self.known().get(directory) {
            return listing.clone();
        }
        let listing = read(directory).map(Arc::new);
        let mut known = self
            .listings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        known.insert(directory.into(), listing.clone());
        listing
    }
}

fn read(directory: &[u8]) -> Option<Listing> {
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
        let name = entry.file_name().into_encoded_bytes();
        listing.longest = listing.longest.max(name.len());
        listing.names.add(&name);
        listing.kinds.push(kind);
    }
    listing.names.shrink();
    listing.kinds.shrink_to_fit();
    Some(listing)
}

/// A path without symbolic links, and without a slash at its end; none where nothing is there.
fn canonical(path: &[u8]) -> Option<Vec<u8>> {
    let path = if path.is_empty() { b"/" } else { path };
    let path = std::fs::canonicalize(path_of(path)).ok()?;
    let mut path = path.into_os_string().into_encoded_bytes();
    if path == b"/" {
        path.clear();
    }
    Some(path)
}

/// Case folded and in Unicode form C, as file systems that do not tell them apart compare names.
fn fold(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .nfc()
        .collect::<String>()
        .to_lowercase()
}
