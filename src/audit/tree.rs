//! What stands on disk: directory listings, read once, in which names are looked up byte by byte,
//! so that every file system gives the same answer.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use unicode_normalization::UnicodeNormalization;

use super::hash::Key;
use super::suggest::Nearest;
use crate::pipeline::walk::path_of;

/// How a target was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
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
pub enum Found {
    /// A file, by its path.
    File(Vec<u8>, How),
    /// A directory without an index file, by its path.
    NoIndex(Vec<u8>),
    /// Nothing.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
}

/// The names in one directory.
#[derive(Debug, Default)]
struct Listing {
    names: HashMap<Box<[u8]>, Kind>,
    /// Names in lower case and Unicode form C; made when a name is not found as it is.
    folded: OnceLock<HashMap<String, Box<[u8]>>>,
}

impl Listing {
    /// The name that differs in case or Unicode form only; the first by bytes of several.
    fn folded(&self, name: &[u8]) -> Option<&[u8]> {
        let folded = self.folded.get_or_init(|| {
            let mut folded: HashMap<String, Box<[u8]>> = HashMap::new();
            for name in self.names.keys() {
                let known = folded.entry(fold(name)).or_insert_with(|| name.clone());
                if name < known {
                    known.clone_from(name);
                }
            }
            folded
        });
        folded.get(&fold(name)).map(|name| &**name)
    }
}

/// Looks targets up on disk.
#[derive(Debug)]
pub struct Tree {
    listings: RwLock<Listings>,
    /// Names of index files, the preferred one first.
    index: Vec<String>,
    /// Extensions to try, without their dot.
    extensions: Vec<String>,
}

impl Tree {
    /// A tree whose directories have these index files, and whose files may be named without
    /// these extensions.
    pub fn new(index: &[String], extensions: &[String]) -> Self {
        Tree {
            listings: RwLock::default(),
            index: index.to_vec(),
            extensions: extensions.to_vec(),
        }
    }

    /// What stands at `path`, which begins with the directory `root`.
    pub fn find(&self, root: &[u8], path: &[u8]) -> Found {
        if let Some(found) = self.find_near(path) {
            return found;
        }
        let rest = path.strip_prefix(root).unwrap_or(path);
        let directory_named = rest.is_empty() || rest.ends_with(b"/");
        let mut here = root.strip_suffix(b"/").unwrap_or(root).to_vec();
        let mut other_case = false;
        let mut names = rest
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty());
        let mut name = names.next();
        while let Some(this) = name {
            let next = names.next();
            let Some(listing) = self.listing(&here) else {
                return Found::Nothing;
            };
            here.push(b'/');
            let mut kind = listing.names.get(this).copied();
            if next.is_none()
                && kind != Some(Kind::File)
                && let Some(extended) = self.extended(&listing, this)
            {
                // Of `test.html` and `test/` the file wins, unless the slash asks for the directory.
                if kind.is_none() || !directory_named {
                    here.extend_from_slice(&extended);
                    let how = if directory_named {
                        How::SlashAfterFile
                    } else {
                        How::Extension
                    };
                    return Found::File(here, how);
                }
            }
            if kind.is_some() {
                here.extend_from_slice(this);
            } else if let Some(folded) = listing.folded(this) {
                here.extend_from_slice(folded);
                kind = listing.names.get(folded).copied();
                other_case = true;
            }
            match kind {
                None => return Found::Nothing,
                Some(Kind::File) if next.is_some() || directory_named => return Found::Nothing,
                Some(Kind::File) if other_case => return Found::File(here, How::OtherCase),
                Some(Kind::File) => return Found::File(here, How::Exact),
                Some(Kind::Directory) => name = next,
            }
        }
        self.index_of(here, directory_named, other_case)
    }

    /// A file in a directory that has been read: most are found so, by one look.
    fn find_near(&self, path: &[u8]) -> Option<Found> {
        let at = memchr::memrchr(b'/', path)?;
        let known = self.known();
        let listing = known.get(&path[..at])?.as_ref()?;
        let kind = listing.names.get(&path[at + 1..])?;
        (*kind == Kind::File).then(|| Found::File(path.to_vec(), How::Exact))
    }

    fn extended(&self, listing: &Listing, name: &[u8]) -> Option<Vec<u8>> {
        self.extensions.iter().find_map(|extension| {
            let extended = [name, b".", extension.as_bytes()].concat();
            (listing.names.get(extended.as_slice()) == Some(&Kind::File)).then_some(extended)
        })
    }

    fn index_of(&self, mut directory: Vec<u8>, slash: bool, other_case: bool) -> Found {
        let listing = self.listing(&directory);
        let index = listing.and_then(|listing| {
            let file = |name: &&String| listing.names.get(name.as_bytes()) == Some(&Kind::File);
            self.index.iter().find(file)
        });
        let Some(index) = index else {
            return Found::NoIndex(directory);
        };
        directory.push(b'/');
        directory.extend_from_slice(index.as_bytes());
        let how = match (other_case, slash) {
            (true, _) => How::OtherCase,
            (false, true) => How::Index,
            (false, false) => How::WithoutSlash,
        };
        Found::File(directory, how)
    }

    /// The name nearest to the first one on the way to `path` that does not exist.
    pub fn nearest(&self, root: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        let rest = path.strip_prefix(root).unwrap_or(path);
        let mut here = root.strip_suffix(b"/").unwrap_or(root).to_vec();
        for name in rest
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty())
        {
            let listing = self.listing(&here)?;
            if listing.names.contains_key(name) {
                here.push(b'/');
                here.extend_from_slice(name);
                continue;
            }
            let mut nearest = Nearest::new(name);
            for candidate in listing.names.keys() {
                nearest.offer(candidate);
            }
            return nearest.found().map(<[u8]>::to_vec);
        }
        None
    }

    /// Directories that have been read. A poisoned lock guards a cache that is never left
    /// half-written.
    fn known(&self) -> std::sync::RwLockReadGuard<'_, Listings> {
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

type Listings = HashMap<Box<[u8]>, Option<Arc<Listing>>, Key>;

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
            Ok(kind) if kind.is_dir() => Kind::Directory,
            Ok(kind) if kind.is_symlink() => match std::fs::metadata(entry.path()) {
                Ok(target) if target.is_dir() => Kind::Directory,
                Ok(_) => Kind::File,
                // It leads nowhere.
                Err(_) => continue,
            },
            _ => Kind::File,
        };
        let name = entry.file_name().into_encoded_bytes();
        listing.names.insert(name.into_boxed_slice(), kind);
    }
    Some(listing)
}

/// Case folded and in Unicode form C, as file systems that do not tell them apart compare names.
fn fold(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .nfc()
        .collect::<String>()
        .to_lowercase()
}
