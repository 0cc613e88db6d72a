//! What stands on disk: directory listings, read once, in which names are looked up byte by byte,
//! so that every file system gives the same answer.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::{Arc, RwLock};

use unicode_normalization::UnicodeNormalization;

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

/// What stands at a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file, by its path.
    File(Arc<[u8]>, How),
    /// A directory without an index file, by its path.
    NoIndex(Arc<[u8]>),
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
    /// Names in lower case and Unicode form C.
    folded: HashMap<String, Box<[u8]>>,
}

/// Looks targets up on disk.
#[derive(Debug)]
pub struct Tree {
    listings: RwLock<HashMap<Box<[u8]>, Option<Arc<Listing>>>>,
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
        let rest = path.strip_prefix(root).unwrap_or(path);
        let directory_named = rest.is_empty() || rest.ends_with(b"/");
        let mut here = root.strip_suffix(b"/").unwrap_or(root).to_vec();
        let mut kind = Kind::Directory;
        let mut other_case = false;
        let names: Vec<&[u8]> = rest.split(|&byte| byte == b'/').collect();
        let last = names.iter().rposition(|name| !name.is_empty());
        for (place, name) in names
            .iter()
            .enumerate()
            .filter(|(_, name)| !name.is_empty())
        {
            let Some(listing) = (kind == Kind::Directory)
                .then(|| self.listing(&here))
                .flatten()
            else {
                return Found::Nothing;
            };
            here.push(b'/');
            if let Some(&found) = listing.names.get(*name) {
                here.extend_from_slice(name);
                kind = found;
            } else if let Some(extended) = self.extended(&listing, name)
                && Some(place) == last
            {
                here.extend_from_slice(&extended);
                let how = if directory_named {
                    How::SlashAfterFile
                } else {
                    How::Extension
                };
                return Found::File(here.into(), how);
            } else if let Some(folded) = listing.folded.get(&fold(name)) {
                here.extend_from_slice(folded);
                kind = listing.names[folded];
                other_case = true;
            } else {
                return Found::Nothing;
            }
        }
        match kind {
            Kind::File if directory_named => Found::Nothing,
            Kind::File if other_case => Found::File(here.into(), How::OtherCase),
            Kind::File => Found::File(here.into(), How::Exact),
            Kind::Directory => self.index_of(here, directory_named, other_case),
        }
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
            return Found::NoIndex(directory.into());
        };
        directory.push(b'/');
        directory.extend_from_slice(index.as_bytes());
        let how = match (other_case, slash) {
            (true, _) => How::OtherCase,
            (false, true) => How::Index,
            (false, false) => How::WithoutSlash,
        };
        Found::File(directory.into(), how)
    }

    fn listing(&self, directory: &[u8]) -> Option<Arc<Listing>> {
        // A poisoned lock guards a cache that is never left half-written.
        let known = self
            .listings
            .read()
            .unwrap_or_else(|lock| lock.into_inner());
        if let Some(listing) = known.get(directory) {
            return listing.clone();
        }
        drop(known);
        let listing = read(directory).map(Arc::new);
        let mut known = self
            .listings
            .write()
            .unwrap_or_else(|lock| lock.into_inner());
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
    for entry in std::fs::read_dir(Path::new(OsStr::from_bytes(directory))).ok()? {
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
        let name = entry.file_name().into_vec().into_boxed_slice();
        listing.folded.insert(fold(&name), name.clone());
        listing.names.insert(name, kind);
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
