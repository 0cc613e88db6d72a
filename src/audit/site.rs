//! What one reading of every document has taught: what each can be asked for, and where it leads.

use std::collections::HashMap;

use super::check::TargetLocation;
use super::fragment;
use super::hash::HashKey;
use super::paths::FileId;
use super::wire::{WireReader, push_bytes, push_number};
use crate::pipeline::walk::{Entry, EntryKind, path_of};

/// The states that a link can end in, each counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
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

impl LinkState {
    /// Every state with its name in records.
    pub const NAMES: [(LinkState, &'static str); 5] = [
        (LinkState::Ok, "ok"),
        (LinkState::Broken, "broken"),
        (LinkState::External, "external"),
        (LinkState::Unresolved, "unresolved"),
        (LinkState::Skipped, "skipped"),
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// How many links of a document, or of all, ended in each state.
pub type StateCounts = [u64; 5];

/// A fragment that a link names in another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PendingFragment {
    /// The document.
    pub file: FileId,
    /// The hash of the fragment, decoded.
    pub name: u64,
}

/// What a document offers to links that lead to it.
#[derive(Debug, Default)]
pub struct AnchorSet {
    /// The hashes of what fragments can name, sorted; none for formats whose fragments are not
    /// checked.
    pub anchors: Option<Box<[u64]>>,
    /// Where it sends its readers.
    pub redirect: Option<TargetLocation>,
}

/// A document that was read, or a path that could not be.
#[derive(Debug)]
pub struct SiteDocument {
    /// Its place in the order of the walk: its ticket, its number in the batch, and whether it is
    /// the message that follows a document.
    pub order: (u32, u32, bool),
    /// Its number; none for what could not be read.
    pub file: Option<FileId>,
    /// What it offers.
    pub offer: AnchorSet,
    /// It must be read again: what is wrong with it is not all in its contents.
    pub marked: bool,
    /// It could not be read to its end, which is told by what follows it.
    pub failed: bool,
    /// It cannot be read again: all its links are in its contents.
    pub whole: bool,
    /// What [`DocumentContents`] reads.
    packed: Box<[u8]>,
}

/// What was found in a document, in one run of bytes: a tree has very many documents.
#[derive(Debug, Default)]
pub struct DocumentContents {
    /// The distinct files that it links to, in ascending order.
    pub links: Vec<FileId>,
    /// The distinct fragments that it wants in other documents, in ascending order.
    pub pending: Vec<PendingFragment>,
    /// How its links ended, if all fragments exist.
    pub counts: StateCounts,
    /// What was found wrong already, as [`PackedItem`]s.
    pub items: Vec<u8>,
}

/// What stands in [`DocumentContents::items`]: a number, and what [`wire`](super::wire) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedItem {
    /// A link.
    Link = 0,
    /// A diagnostic.
    Diagnostic = 1,
    /// Bytes that say why the document could not be read.
    Failure = 2,
}

impl PackedItem {
    /// The item of a number.
    pub fn of(number: u8) -> Self {
        match number {
            0 => PackedItem::Link,
            1 => PackedItem::Diagnostic,
            _ => PackedItem::Failure,
        }
    }
}

impl DocumentContents {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.links.clear();
        self.pending.clear();
        self.counts = StateCounts::default();
        self.items.clear();
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        size_of_val(self.links.as_slice()) + size_of_val(self.pending.as_slice()) + self.items.len()
    }

    fn push(&self, out: &mut Vec<u8>) {
        for &count in &self.counts {
            push_number(count, out);
        }
        push_number(self.links.len() as u64, out);
        for file in &self.links {
            push_number(u64::from(file.0), out);
        }
        push_number(self.pending.len() as u64, out);
        for pending in &self.pending {
            push_number(u64::from(pending.file.0), out);
            out.extend_from_slice(&pending.name.to_le_bytes());
        }
        out.extend_from_slice(&self.items);
    }
}

/// The kind of an entry as a number: lengths stand behind the others.
const UNMEASURED: u64 = 0;
const STREAM: u64 = 1;
const STANDARD: u64 = 2;
const LENGTHS: u64 = 3;

impl SiteDocument {
    /// A document and what was found in it.
    pub fn new(
        order: (u32, u32, bool),
        entry: &Entry,
        file: Option<FileId>,
        offer: AnchorSet,
        contents: &DocumentContents,
    ) -> Self {
        let mut packed = Vec::new();
        push_bytes(entry.path.as_os_str().as_encoded_bytes(), &mut packed);
        let kind = match entry.kind {
            // What is left out is no document.
            EntryKind::Unmeasured | EntryKind::LeftOut(_) => UNMEASURED,
            EntryKind::Stream => STREAM,
            EntryKind::Standard => STANDARD,
            EntryKind::File(length) => LENGTHS + length,
        };
        push_number(kind << 1 | u64::from(entry.named), &mut packed);
        contents.push(&mut packed);
        SiteDocument {
            order,
            file,
            offer,
            marked: false,
            failed: false,
            whole: matches!(entry.kind, EntryKind::Stream | EntryKind::Standard),
            packed: packed.into(),
        }
    }

    /// A path that could not be read.
    pub fn unreadable(order: (u32, u32, bool), entry: &Entry, message: &str) -> Self {
        let mut contents = DocumentContents::default();
        contents.items.push(PackedItem::Failure as u8);
        push_bytes(message.as_bytes(), &mut contents.items);
        let mut document = SiteDocument::new(order, entry, None, AnchorSet::default(), &contents);
        document.failed = true;
        document
    }

    /// Its path, as reached from the arguments.
    pub fn path(&self) -> &[u8] {
        WireReader::new(&self.packed).bytes()
    }

    /// How it was found.
    pub fn entry(&self) -> Entry {
        let mut packed = WireReader::new(&self.packed);
        let path = path_of(packed.bytes());
        let number = packed.number();
        let kind = match number >> 1 {
            UNMEASURED => EntryKind::Unmeasured,
            STREAM => EntryKind::Stream,
            STANDARD => EntryKind::Standard,
            length => EntryKind::File(length - LENGTHS),
        };
        Entry {
            path,
            kind,
            named: number & 1 == 1,
        }
    }

    /// How its links ended, if all fragments exist.
    pub fn counts(&self) -> StateCounts {
        self.contents().0
    }

    /// The distinct files that it links to.
    pub fn links(&self) -> impl Iterator<Item = FileId> {
        let (_, mut packed) = self.contents();
        (0..packed.number()).map(move |_| FileId(packed.number() as u32))
    }

    /// The distinct fragments that it wants in other documents.
    pub fn pending(&self) -> impl Iterator<Item = PendingFragment> {
        let (_, mut packed) = self.contents();
        for _ in 0..packed.number() {
            packed.number();
        }
        (0..packed.number()).map(move |_| read_pending(&mut packed))
    }

    /// What was found wrong already, as [`PackedItem`]s.
    pub fn items(&self) -> WireReader<'_> {
        let (_, mut packed) = self.contents();
        for _ in 0..packed.number() {
            packed.number();
        }
        for _ in 0..packed.number() {
            read_pending(&mut packed);
        }
        packed
    }

    fn contents(&self) -> (StateCounts, WireReader<'_>) {
        let mut packed = WireReader::new(&self.packed);
        packed.bytes();
        packed.number();
        let mut counts = StateCounts::default();
        for count in &mut counts {
            *count = packed.number();
        }
        (counts, packed)
    }
}

fn read_pending(packed: &mut WireReader<'_>) -> PendingFragment {
    PendingFragment {
        file: FileId(packed.number() as u32),
        name: packed.fixed(),
    }
}

/// A set of files, a bit each.
#[derive(Clone, Debug, Default)]
pub struct FileSet(Vec<u64>);

impl FileSet {
    /// Adds a file.
    pub fn insert(&mut self, file: FileId) {
        let (word, bit) = (file.0 as usize / 64, file.0 % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }

    /// Whether a file is in the set.
    pub fn contains(&self, file: FileId) -> bool {
        let word = self.0.get(file.0 as usize / 64);
        word.is_some_and(|word| word >> (file.0 % 64) & 1 == 1)
    }

    /// Adds the files of another set.
    pub fn add(&mut self, other: &FileSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// The files in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = FileId> {
        let all = 0..self.0.len() as u32 * 64;
        all.map(FileId).filter(|&file| self.contains(file))
    }
}

/// All documents, and what is known of the files that links lead to.
#[derive(Debug)]
pub struct Site {
    /// The documents, in the order of the walk.
    pub documents: Vec<SiteDocument>,
    /// For each file the place of its document plus one.
    places: Vec<u32>,
    /// Files that are no documents of the walk, and were read for their anchors.
    others: HashMap<FileId, AnchorSet>,
    /// What names are hashed with.
    key: HashKey,
}

impl Site {
    /// Puts the documents of all workers in order; `files` is how many files have numbers.
    pub fn new(mut documents: Vec<SiteDocument>, files: usize, key: HashKey) -> Self {
        documents.sort_unstable_by_key(|document| document.order);
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
    pub fn document(&self, file: FileId) -> Option<&SiteDocument> {
        let place = *self.places.get(file.0 as usize)?;
        self.documents.get((place as usize).wrapping_sub(1))
    }

    /// Remembers a file that is no document of the walk.
    pub fn add(&mut self, file: FileId, offer: AnchorSet) {
        self.others.insert(file, offer);
    }

    /// What a file offers, if it has been read.
    pub fn offer(&self, file: FileId) -> Option<&AnchorSet> {
        match self.document(file) {
            Some(document) => Some(&document.offer),
            None => self.others.get(&file),
        }
    }

    /// Whether a file has a place of this name, or is of a format whose fragments are not checked.
    pub fn has(&self, file: FileId, name: u64) -> bool {
        let Some(offer) = self.offer(file) else {
            return true;
        };
        let has = |offer: &AnchorSet| {
            let anchors = offer.anchors.as_ref();
            anchors.is_none_or(|anchors| anchors.binary_search(&name).is_ok())
        };
        has(offer)
            || match offer.redirect {
                None => false,
                // One step, as far as it stays on disk.
                Some(TargetLocation::File(file, _)) => self.offer(file).is_none_or(has),
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
                let is_missing = |pending: PendingFragment| !self.has(pending.file, pending.name);
                !document.whole
                    && (document.marked
                        || document.pending().any(is_missing)
                        || any_redirects && document.links().any(|file| self.redirects(file)))
            })
            .collect();
        for (document, marked) in self.documents.iter_mut().zip(marks) {
            document.marked = marked;
        }
    }
}
