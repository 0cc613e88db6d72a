//! The result of the first pass: each document's anchors and links.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt};

use super::labels::TreeLabels;
use super::names::{FileId, common_prefix};
use super::rules::StateCounts;
use super::target::{
    TargetLocation, decode_fragment, is_line_of_source, line_range, pdf_places, required_name,
};
use super::wire::{WireReader, push_bytes, push_number};
use crate::archive::{ArchiveFormat, MemberRange};
use crate::pipeline::walk::{Entry, EntryKind, path_of};
use crate::pipeline::workers::map_items;

/// A name that a fragment needs in another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PendingFragment {
    /// The other document.
    pub(super) file: FileId,
    /// The hash of the decoded fragment.
    pub(super) name: u64,
}

/// The places in a document that links can lead to.
#[derive(Debug, Default)]
pub(super) struct AnchorSet {
    /// The hashes of the names, sorted; none for formats whose fragments are not checked.
    pub(super) names: Option<Box<[u64]>>,
    /// The target of the document's refresh, if it redirects to another one.
    pub(super) redirect: Option<Box<Redirect>>,
    /// Whether fragments are those of PDF (RFC 8118).
    pub(super) is_pdf: bool,
    /// Whether GitHub shows the document, and finds its anchors in any case.
    pub(super) on_github: bool,
    /// Whether readers of the document are shown directories without an index file.
    pub(super) lists_directories: bool,
    /// Whether it is a page to read, and no drawing or feed.
    pub(super) is_page: bool,
    /// Whether it is XML, in which a fragment may be a view or a pointer.
    pub(super) is_xml: bool,
}

/// The target of a document's refresh.
#[derive(Clone, Debug)]
pub(super) struct Redirect {
    /// Where it lies.
    pub(super) location: TargetLocation,
    /// The query and the fragment, with their delimiters.
    pub(super) suffix: Box<[u8]>,
}

/// The meaning of a fragment on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GithubFragment {
    /// It leads to a place.
    Found,
    /// It leads to the place that has the name in lower case.
    OtherCase,
    /// It leads nowhere.
    Missing,
}

impl AnchorSet {
    /// Returns whether the document has a name, by its hash; true for formats whose fragments are not
    /// checked.
    fn has(&self, name: u64) -> bool {
        let names = self.names.as_ref();
        names.is_none_or(|names| names.binary_search(&name).is_ok())
    }
}

/// A document that was read, or a path that could not be, as a batch stores it.
#[derive(Debug)]
pub(super) struct DocumentRecord {
    /// The places that links can lead to.
    pub(super) anchors: AnchorSet,
    /// The index in the packed bytes of the batch at which those of the document begin: the path, the
    /// kind of the entry, and the [`DocumentContents`].
    start: usize,
    /// The number of the file, or [`NO_FILE`].
    file: u32,
    /// Must be read again: the packed items do not contain all its findings.
    marked: AtomicBool,
    /// Could not be read to its end; the error is a record of its own.
    failed: bool,
    /// Cannot be read again: the packed items contain all its links.
    whole: bool,
}

/// Stands for the number of a file in the record of an error.
const NO_FILE: u32 = u32::MAX;

/// A document of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteDocument<'a> {
    record: &'a DocumentRecord,
    /// The path, the kind of the entry, and the contents.
    packed: &'a [u8],
    /// Those of the first document of the batch.
    first: &'a [u8],
}

/// The links and findings of one document in the first pass.
///
/// A [`DocumentBatch`] holds those of all its documents in one run of bytes: a tree has very many
/// documents.
#[derive(Debug, Default)]
pub(super) struct DocumentContents {
    /// The distinct files that the document links to, in ascending order.
    pub(super) links: Vec<FileId>,
    /// The distinct names that its fragments need in other documents, in ascending order.
    pub(super) pending: Vec<PendingFragment>,
    /// The states of its links, if all fragments exist.
    pub(super) counts: StateCounts,
    /// Links with findings, diagnostics and errors, as [`PackedItem`]s.
    pub(super) items: Vec<u8>,
}

/// The kinds of items of a document, by the byte that each begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PackedItem {
    /// A link.
    Link = 0,
    /// A diagnostic.
    Diagnostic = 1,
    /// A message: why the document could not be read.
    Failure = 2,
    /// A remark, if the document cannot be read again.
    Remark = 3,
}

impl PackedItem {
    /// Returns the kind of a byte.
    pub(super) fn of(byte: u8) -> Self {
        match byte {
            0 => PackedItem::Link,
            1 => PackedItem::Diagnostic,
            3 => PackedItem::Remark,
            _ => PackedItem::Failure,
        }
    }
}

impl DocumentContents {
    /// Clears the contents and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.links.clear();
        self.pending.clear();
        self.counts = StateCounts::default();
        self.items.clear();
    }

    /// Returns the size in bytes, about.
    pub(super) fn size(&self) -> usize {
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

/// The kinds of entries as numbers; a file of `n` bytes has the number `LENGTHS + n`.
const UNMEASURED: u64 = 0;
const STREAM: u64 = 1;
const STANDARD: u64 = 2;
const LENGTHS: u64 = 3;

/// Documents are stored in batches of about this many, and each batch is a ticket of the second pass.
const BATCH: usize = 16;
/// A larger buffer is handed over rather than copied and used again, in bytes.
const REUSED: usize = 1 << 20;

/// Consecutive documents of the walk.
#[derive(Debug)]
pub(super) struct DocumentBatch {
    /// The ticket, and the number in it of the first document.
    order: (u64, u32),
    records: Box<[DocumentRecord]>,
    /// The packed contents of each document, one after the other.
    packed: Box<[u8]>,
    /// The part of an archive that the documents are, if it is one that was split.
    pub(super) piece: Option<ArchiveBatch>,
}

/// Some members of an archive, whose documents are a batch.
#[derive(Clone, Debug)]
pub(super) struct ArchiveBatch {
    /// The format of the archive.
    pub(super) format: &'static ArchiveFormat,
    /// Counts the batches of the archive from 0.
    pub(super) index: usize,
    /// The members.
    pub(super) range: Arc<dyn MemberRange>,
}

impl DocumentBatch {
    /// Returns the documents in the order of the walk.
    pub(super) fn documents(&self) -> impl Iterator<Item = SiteDocument<'_>> {
        let starts = self.records.iter().skip(1).map(|record| record.start);
        let ends = starts.chain(std::iter::once(self.packed.len()));
        (self.records.iter().zip(ends)).map(|(record, end)| SiteDocument {
            record,
            packed: &self.packed[record.start..end],
            first: &self.packed,
        })
    }
}

/// A document that is a member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BatchMember {
    /// The number in the archive or its piece, from 1, in the order in which members are read.
    pub(super) number: u32,
    /// The name, as in records.
    pub(super) name: String,
}

/// Makes one batch of documents after the other.
#[derive(Debug, Default)]
pub(super) struct BatchBuilder {
    records: Vec<DocumentRecord>,
    packed: Vec<u8>,
}

impl BatchBuilder {
    /// Returns whether the batch has enough documents.
    pub(super) fn is_full(&self) -> bool {
        self.records.len() >= BATCH
    }

    /// Ends the batch, which begins at `order` in the walk, and may be a `piece` of an archive; returns none
    /// if it has no documents.
    pub(super) fn end(
        &mut self,
        order: (u64, u32),
        piece: Option<ArchiveBatch>,
    ) -> Option<DocumentBatch> {
        if self.records.is_empty() {
            return None;
        }
        let packed = match self.packed.capacity() > REUSED {
            true => std::mem::take(&mut self.packed).into(),
            false => self.packed.as_slice().into(),
        };
        self.packed.clear();
        Some(DocumentBatch {
            order,
            records: self.records.drain(..).collect(),
            packed,
            piece,
        })
    }

    /// Adds a document; `marked` says whether it must be read again.
    pub(super) fn document(
        &mut self,
        entry: &Entry,
        member: Option<&BatchMember>,
        file: FileId,
        anchors: AnchorSet,
        contents: &DocumentContents,
        marked: bool,
    ) {
        self.push(
            (entry, member),
            contents,
            DocumentRecord {
                anchors,
                start: self.packed.len(),
                file: file.0,
                marked: marked.into(),
                failed: false,
                whole: matches!(entry.kind, EntryKind::Stream | EntryKind::Standard),
            },
        );
    }

    /// Adds the error for a path that could not be read.
    pub(super) fn unreadable(&mut self, entry: &Entry, message: &str) {
        let mut contents = DocumentContents::default();
        contents.items.push(PackedItem::Failure as u8);
        push_bytes(message.as_bytes(), &mut contents.items);
        self.push(
            (entry, None),
            &contents,
            DocumentRecord {
                anchors: AnchorSet::default(),
                start: self.packed.len(),
                file: NO_FILE,
                marked: false.into(),
                failed: true,
                whole: matches!(entry.kind, EntryKind::Stream | EntryKind::Standard),
            },
        );
    }

    /// Marks the last document as one that could not be read to its end.
    pub(super) fn fail(&mut self) {
        if let Some(record) = self.records.last_mut() {
            record.failed = true;
        }
    }

    fn push(
        &mut self,
        (entry, member): (&Entry, Option<&BatchMember>),
        contents: &DocumentContents,
        record: DocumentRecord,
    ) {
        let path = entry.path.as_os_str().as_encoded_bytes();
        // Documents of a batch are near each other: paths that begin as the first one leave that out.
        let shared = match self.records.is_empty() {
            true => 0,
            false => common_prefix(first_path(&self.packed), path),
        };
        self.records.push(record);
        push_number(shared as u64, &mut self.packed);
        push_bytes(&path[shared..], &mut self.packed);
        let kind = match entry.kind {
            // An entry that is left out is no document.
            EntryKind::Unmeasured | EntryKind::LeftOut(_) => UNMEASURED,
            EntryKind::Stream => STREAM,
            EntryKind::Standard => STANDARD,
            EntryKind::File(length) => LENGTHS + length,
        };
        push_number(kind << 1 | u64::from(entry.named), &mut self.packed);
        push_number(
            member.map_or(0, |member| u64::from(member.number)),
            &mut self.packed,
        );
        if let Some(member) = member {
            push_bytes(member.name.as_bytes(), &mut self.packed);
        }
        contents.push(&mut self.packed);
    }
}

impl<'a> SiteDocument<'a> {
    /// Returns the number of the file; none for an error.
    pub(super) fn file(self) -> Option<FileId> {
        (self.record.file != NO_FILE).then_some(FileId(self.record.file))
    }

    /// Returns the places that links can lead to.
    pub(super) fn anchors(self) -> &'a AnchorSet {
        &self.record.anchors
    }

    /// Returns whether the document must be read again: the items do not contain all its findings.
    pub(super) fn is_marked(self) -> bool {
        self.record.marked.load(Ordering::Relaxed)
    }

    /// Returns whether the document could not be read to its end; the error is a document of its own.
    pub(super) fn has_failed(self) -> bool {
        self.record.failed
    }

    /// Returns the path, as reached from the arguments.
    pub(super) fn path(self) -> Vec<u8> {
        self.read_path().0
    }

    /// Returns the path, and what is packed behind it.
    fn read_path(self) -> (Vec<u8>, WireReader<'a>) {
        let mut packed = WireReader::new(self.packed);
        let shared = packed.number() as usize;
        let path = [&first_path(self.first)[..shared], packed.bytes()].concat();
        (path, packed)
    }

    /// Returns the entry of the walk.
    pub(super) fn entry(self) -> Entry {
        let (path, mut packed) = self.read_path();
        let number = packed.number();
        let kind = match number >> 1 {
            UNMEASURED => EntryKind::Unmeasured,
            STREAM => EntryKind::Stream,
            STANDARD => EntryKind::Standard,
            length => EntryKind::File(length - LENGTHS),
        };
        Entry {
            path: path_of(&path),
            kind,
            named: number & 1 == 1,
        }
    }

    /// Returns the member of the archive at the path that the document is, if it is one.
    pub(super) fn member(self) -> Option<BatchMember> {
        let (_, mut packed) = self.read_path();
        packed.number();
        read_member(&mut packed)
    }

    /// Returns the states of the links, if all fragments exist.
    pub(super) fn counts(self) -> StateCounts {
        self.contents().0
    }

    /// Returns the distinct files that the document links to.
    pub(super) fn links(self) -> impl Iterator<Item = FileId> + use<'a> {
        let (_, mut packed) = self.contents();
        (0..packed.number()).map(move |_| FileId(packed.number() as u32))
    }

    /// Returns the distinct names that its fragments need in other documents.
    pub(super) fn pending(self) -> impl Iterator<Item = PendingFragment> + use<'a> {
        let (_, mut packed) = self.contents();
        for _ in 0..packed.number() {
            packed.number();
        }
        (0..packed.number()).map(move |_| read_pending(&mut packed))
    }

    /// Returns the items, as [`PackedItem`]s.
    pub(super) fn items(self) -> WireReader<'a> {
        let (_, mut packed) = self.contents();
        for _ in 0..packed.number() {
            packed.number();
        }
        for _ in 0..packed.number() {
            read_pending(&mut packed);
        }
        packed
    }

    fn contents(self) -> (StateCounts, WireReader<'a>) {
        let mut packed = WireReader::new(self.packed);
        packed.number();
        packed.bytes();
        packed.number();
        read_member(&mut packed);
        let mut counts = StateCounts::default();
        for count in &mut counts {
            *count = packed.number();
        }
        (counts, packed)
    }
}

fn read_member(packed: &mut WireReader<'_>) -> Option<BatchMember> {
    let number = u32::try_from(packed.number())
        .ok()
        .filter(|&number| number > 0)?;
    let name = String::from_utf8_lossy(packed.bytes()).into_owned();
    Some(BatchMember { number, name })
}

/// Returns the path of the document at the start of a batch.
fn first_path(packed: &[u8]) -> &[u8] {
    let mut packed = WireReader::new(packed);
    packed.number();
    packed.bytes()
}

fn read_pending(packed: &mut WireReader<'_>) -> PendingFragment {
    PendingFragment {
        file: FileId(packed.number() as u32),
        name: packed.fixed(),
    }
}

/// The number of batches that a thread marks at least.
const MARKED: usize = 1 << 6;

/// A set of files, a bit each.
#[derive(Clone, Debug, Default)]
pub(super) struct FileSet(Vec<u64>);

impl FileSet {
    /// Adds a file.
    pub(super) fn insert(&mut self, file: FileId) {
        let (word, bit) = (file.0 as usize / 64, file.0 % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }

    /// Returns whether a file is in the set.
    pub(super) fn contains(&self, file: FileId) -> bool {
        let word = self.0.get(file.0 as usize / 64);
        word.is_some_and(|word| word >> (file.0 % 64) & 1 == 1)
    }

    /// Adds the files of another set.
    pub(super) fn add(&mut self, other: &FileSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// Returns the files in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = FileId> {
        let all = 0..self.0.len() as u32 * 64;
        all.map(FileId).filter(|&file| self.contains(file))
    }
}

/// All documents, and the anchors of the files that links lead to.
#[derive(Debug)]
pub(super) struct Site {
    /// The documents, in the order of the walk.
    pub(super) batches: Vec<DocumentBatch>,
    /// By the number of a file: its document.
    indices: Vec<DocumentIndex>,
    /// Files that the walk did not find, and that were read for their anchors.
    others: HashMap<FileId, AnchorSet>,
    /// The labels that all documents of a tree can name.
    pub(super) labels: TreeLabels,
    hasher: RandomState,
}

/// The place of a document among the batches.
#[derive(Clone, Copy, Debug, Default)]
struct DocumentIndex {
    batch: u32,
    /// The number in the batch plus one; zero where a file has no document.
    next: u32,
}

impl Site {
    /// Puts the batches of all workers in order; `files` is the number of numbered files.
    pub(super) fn new(mut batches: Vec<DocumentBatch>, files: usize, hasher: RandomState) -> Self {
        batches.sort_unstable_by_key(|batch| batch.order);
        let mut indices = vec![DocumentIndex::default(); files];
        for (number, batch) in batches.iter().enumerate() {
            for (next, document) in (1..).zip(batch.documents()) {
                if let Some(file) = document.file() {
                    let batch = number as u32;
                    indices[file.0 as usize] = DocumentIndex { batch, next };
                }
            }
        }
        Site {
            batches,
            indices,
            others: HashMap::new(),
            labels: TreeLabels::default(),
            hasher,
        }
    }

    /// Adds a file that the walk did not find.
    pub(super) fn add(&mut self, file: FileId, anchors: AnchorSet) {
        self.others.insert(file, anchors);
    }

    /// Returns the anchors of a file, if it has been read.
    pub(super) fn anchors(&self, file: FileId) -> Option<&AnchorSet> {
        match self.indices.get(file.0 as usize) {
            Some(&DocumentIndex { batch, next }) if next > 0 => {
                let records = &self.batches[batch as usize].records;
                Some(&records[next as usize - 1].anchors)
            }
            _ => self.others.get(&file),
        }
    }

    /// Returns whether a file has a name, by its hash; true for formats whose fragments are not
    /// checked.
    pub(super) fn has(&self, file: FileId, name: u64) -> bool {
        let Some(anchors) = self.anchors(file) else {
            return true;
        };
        anchors.has(name)
            || match anchors.redirect.as_ref().map(|redirect| redirect.location) {
                None => false,
                // Redirects are followed for one step on disk (A18).
                Some(TargetLocation::File(file, _)) => {
                    (self.anchors(file)).is_none_or(|anchors| anchors.has(name))
                }
                Some(_) => true,
            }
    }

    /// Returns whether a file, or the one that it redirects to, has the place that a fragment names.
    pub(super) fn has_fragment(&self, file: FileId, fragment: &[u8]) -> bool {
        self.leads_to_place(file, fragment, |name| self.has(file, name))
    }

    /// Returns whether a file itself has the place that a fragment names.
    pub(super) fn page_has_fragment(&self, file: FileId, fragment: &[u8]) -> bool {
        let anchors = self.anchors(file);
        self.leads_to_place(file, fragment, |name| {
            anchors.is_none_or(|anchors| anchors.has(name))
        })
    }

    /// Returns what a fragment that no place has by this name is on GitHub, which shows the document at
    /// the target or, with `from_github`, the one with the link.
    pub(super) fn on_github(
        &self,
        file: FileId,
        fragment: &[u8],
        from_github: bool,
        as_source: bool,
    ) -> GithubFragment {
        let (Some(anchors), Some(name)) = (self.anchors(file), required_name(fragment)) else {
            return GithubFragment::Missing;
        };
        let name = decode_fragment(name);
        // GitHub shows the source of Markdown on request, and that of HTML always.
        let is_source = match anchors.on_github {
            true => as_source,
            false => from_github,
        };
        if is_source && is_line_of_source(&name) {
            return GithubFragment::Found;
        }
        if !anchors.on_github {
            return GithubFragment::Missing;
        }
        let has = |name: &[u8]| anchors.has(self.hasher.hash_one(name));
        let bare = name.strip_prefix(b"user-content-").unwrap_or(&name);
        let lower = String::from_utf8_lossy(bare).to_lowercase();
        match (has(bare), has(lower.as_bytes())) {
            (true, _) => GithubFragment::Found,
            (false, true) => GithubFragment::OtherCase,
            (false, false) => GithubFragment::Missing,
        }
    }

    /// Returns whether GitHub shows a file.
    pub(super) fn is_on_github(&self, file: FileId) -> bool {
        let anchors = self.anchors(file);
        anchors.is_some_and(|anchors| anchors.on_github)
    }

    /// Returns whether readers of a file are shown directories without an index file.
    pub(super) fn lists_directories(&self, file: FileId) -> bool {
        let anchors = self.anchors(file);
        anchors.is_some_and(|anchors| anchors.lists_directories)
    }

    /// Returns whether a fragment names a place, as it is written or decoded, or as a range of lines.
    fn leads_to_place(&self, file: FileId, fragment: &[u8], has: impl Fn(u64) -> bool) -> bool {
        let has = |name: &[u8]| has(self.hasher.hash_one(name));
        if self.anchors(file).is_some_and(|anchors| anchors.is_pdf) {
            let mut names = pdf_places(fragment);
            return names.all(|name| has(&name));
        }
        let Some(name) = required_name(fragment) else {
            return true;
        };
        // SVG 2, "Linking into SVG content"; XPointer Framework.
        let is_pointer = || memchr::memchr2(b'(', b'=', name).is_some();
        if self.anchors(file).is_some_and(|anchors| anchors.is_xml) && is_pointer() {
            return true;
        }
        has(&decode_fragment(name))
            || name.contains(&b'%') && has(name)
            || line_range(name).is_some_and(|ends| ends.into_iter().all(has))
    }

    /// Returns whether a file redirects.
    pub(super) fn redirects(&self, file: FileId) -> bool {
        let anchors = self.anchors(file);
        anchors.is_some_and(|anchors| anchors.redirect.is_some())
    }

    /// Marks the documents that must be read again: those with missing fragments or with links to
    /// files that redirect.
    pub(super) fn mark(&self, threads: usize) {
        let records = self.batches.iter().flat_map(|batch| &batch.records);
        let known = records.map(|record| &record.anchors);
        let any_redirects =
            (known.chain(self.others.values())).any(|anchors| anchors.redirect.is_some());
        let is_marked = |document: SiteDocument<'_>| {
            let is_missing = |pending: PendingFragment| !self.has(pending.file, pending.name);
            let redirects = |file| Some(file) != document.file() && self.redirects(file);
            !document.record.whole
                && (document.is_marked()
                    || document.pending().any(is_missing)
                    || any_redirects && document.links().any(redirects))
        };
        let mark = |(): &mut (), batch: &DocumentBatch| {
            for document in batch.documents() {
                let marked = is_marked(document);
                document.record.marked.store(marked, Ordering::Relaxed);
            }
        };
        map_items(threads, MARKED, &self.batches, || (), mark);
    }
}
