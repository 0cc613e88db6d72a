//! What one reading of every document has taught: what each can be asked for, and where it leads.

use std::collections::HashMap;

use super::check::Place;
use super::fragment;
use super::hash::Key;
use super::packed::push_bytes;
use super::paths::FileId;
use crate::pipeline::walk::Entry;

/// The states that a link can end in, each counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its target exists.
    Ok,
    /// Its target, or the place in it, does not.
    Broken,
    /// Its target is elsewhere on the network.
    External,
    /// It has no target.
    Unresolved,
    /// It was left out, or there is nothing to look up.
    Skipped,
}

impl State {
    /// Every state with its name in records.
    pub const NAMES: [(State, &'static str); 5] = [
        (State::Ok, "ok"),
        (State::Broken, "broken"),
        (State::External, "external"),
        (State::Unresolved, "unresolved"),
        (State::Skipped, "skipped"),
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// How many links of a document, or of all, ended in each state.
pub type Counts = [u64; 5];

/// A fragment that a link names in another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pending {
    /// The document.
    pub file: FileId,
    /// The hash of the fragment, decoded.
    pub name: u64,
}

/// What a document offers to links that lead to it.
#[derive(Debug, Default)]
pub struct Offer {
    /// The hashes of what fragments can name, sorted; none for formats whose fragments are not
    /// checked.
    pub anchors: Option<Box<[u64]>>,
    /// Where it sends its readers.
    pub redirect: Option<Place>,
}

/// A document that was read, or a path that could not be.
#[derive(Debug)]
pub struct Document {
    /// Its place in the order of the walk.
    pub order: (u64, u32),
    /// How it was found.
    pub entry: Entry,
    /// Its number; none for what could not be read.
    pub file: Option<FileId>,
    /// What it offers.
    pub offer: Offer,
    /// The distinct files that it links to.
    pub links: Box<[FileId]>,
    /// The distinct fragments that it wants in other documents.
    pub pending: Box<[Pending]>,
    /// How its links ended, if all fragments exist.
    pub counts: Counts,
    /// What was found wrong already, as [`Item`]s.
    pub packed: Box<[u8]>,
    /// It must be read again: what is wrong with it is not all in `packed`.
    pub marked: bool,
    /// It could not be read to its end, which is told by what follows it.
    pub failed: bool,
}

/// What stands in [`Document::packed`]: a number, and what [`packed`](super::packed) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A link.
    Link = 0,
    /// A diagnostic.
    Diagnostic = 1,
    /// Bytes that say why the document could not be read.
    Failure = 2,
}

impl Item {
    /// The item of a number.
    pub fn of(number: u8) -> Self {
        match number {
            0 => Item::Link,
            1 => Item::Diagnostic,
            _ => Item::Failure,
        }
    }
}

impl Document {
    /// A path that could not be read.
    pub fn unreadable(order: (u64, u32), entry: Entry, message: &str) -> Self {
        let mut packed = vec![Item::Failure as u8];
        push_bytes(message.as_bytes(), &mut packed);
        Document {
            order,
            entry,
            file: None,
            offer: Offer::default(),
            links: Box::default(),
            pending: Box::default(),
            counts: Counts::default(),
            packed: packed.into(),
            marked: false,
            failed: true,
        }
    }
}

/// All documents, and what is known of the files that links lead to.
#[derive(Debug)]
pub struct Site {
    /// The documents, in the order of the walk.
    pub documents: Vec<Document>,
    /// For each file the place of its document plus one.
    places: Vec<u32>,
    /// Files that are no documents of the walk, and were read for their anchors.
    others: HashMap<FileId, Offer>,
    /// What names are hashed with.
    key: Key,
}

impl Site {
    /// Puts the documents of all workers in order; `files` is how many files have numbers.
    pub fn new(mut documents: Vec<Document>, files: usize, key: Key) -> Self {
        // Stable: why a document could not be read to its end stands behind it.
        documents.sort_by_key(|document| document.order);
        let mut places = vec![0; files];
        for (index, document) in documents.iter().enumerate() {
            if let Some(file) = document.file {
                places[file.0 as usize] = index as u32 + 1;
            }
        }
        Site {
            documents,
            places,
            others: HashMap::new(),
            key,
        }
    }

    /// The document of a file.
    pub fn document(&self, file: FileId) -> Option<&Document> {
        let place = *self.places.get(file.0 as usize)?;
        self.documents.get((place as usize).wrapping_sub(1))
    }

    /// Remembers a file that is no document of the walk.
    pub fn add(&mut self, file: FileId, offer: Offer) {
        self.others.insert(file, offer);
    }

    /// What a file offers, if it has been read.
    pub fn offer(&self, file: FileId) -> Option<&Offer> {
        match self.document(file) {
            Some(document) => Some(&document.offer),
            None => self.others.get(&file),
        }
    }

    /// Files that are named with a fragment and have not been read.
    pub fn unread(&self) -> Vec<FileId> {
        let pending = self
            .documents
            .iter()
            .flat_map(|document| &*document.pending);
        let files = pending.map(|pending| pending.file);
        let mut unread: Vec<_> = files.filter(|file| self.offer(*file).is_none()).collect();
        unread.sort_unstable();
        unread.dedup();
        unread
    }

    /// Whether a file has a place of this name, or is of a format whose fragments are not checked.
    pub fn has(&self, file: FileId, name: u64) -> bool {
        let Some(offer) = self.offer(file) else {
            return true;
        };
        let has = |offer: &Offer| {
            let anchors = offer.anchors.as_ref();
            anchors.is_none_or(|anchors| anchors.binary_search(&name).is_ok())
        };
        has(offer)
            || match offer.redirect {
                None => false,
                // One step, as far as it stays on disk.
                Some(Place::File(file, _)) => self.offer(file).is_none_or(has),
                Some(_) => true,
            }
    }

    /// Whether a file has what a fragment names, as it is written or decoded.
    pub fn has_fragment(&self, file: FileId, fragment: &[u8]) -> bool {
        let Some(wanted) = fragment::wanted(fragment) else {
            return true;
        };
        self.has(file, self.key.of(&fragment::decoded(wanted)))
            || wanted.contains(&b'%') && self.has(file, self.key.of(wanted))
    }

    /// Whether a file sends its readers elsewhere.
    pub fn redirects(&self, file: FileId) -> bool {
        self.offer(file)
            .is_some_and(|offer| offer.redirect.is_some())
    }

    /// Marks the documents with links to redirecting pages, and those whose fragments are missing.
    pub fn mark(&mut self) {
        let any_redirects = self
            .documents
            .iter()
            .any(|document| document.offer.redirect.is_some())
            || self.others.values().any(|offer| offer.redirect.is_some());
        let marks: Vec<bool> = (self.documents.iter())
            .map(|document| {
                document.marked
                    || document
                        .pending
                        .iter()
                        .any(|pending| !self.has(pending.file, pending.name))
                    || any_redirects && document.links.iter().any(|file| self.redirects(*file))
            })
            .collect();
        for (document, marked) in self.documents.iter_mut().zip(marks) {
            document.marked = marked;
        }
    }

    /// For each document whether another one links to it.
    pub fn linked(&self) -> Vec<bool> {
        let mut linked = vec![false; self.documents.len()];
        for document in &self.documents {
            for file in document
                .links
                .iter()
                .filter(|file| Some(**file) != document.file)
            {
                if let Some(place) = self.places.get(file.0 as usize)
                    && let Some(linked) = linked.get_mut((*place as usize).wrapping_sub(1))
                {
                    *linked = true;
                }
            }
        }
        linked
    }
}
