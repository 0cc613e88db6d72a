//! First pass: reads every document once, in any order, and records what the second pass needs.

use std::hash::BuildHasher;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{MutexGuard, PoisonError};

use super::labels::TreeLabels;
use super::names::FileId;
use super::options::{Audit, ListedLinks};
use super::report::SkippedFile;
use super::rules::LinkState;
use super::site::{
    AnchorSet, ArchiveBatch, BatchBuilder, BatchMember, DocumentBatch, DocumentContents, FileSet,
    PackedItem, PendingFragment, Redirect,
};
use super::target::{
    LookupCache, TargetFacts, TargetLocation, decode_fragment, is_route, line_range, required_name,
};
use super::wire;
use crate::bytes::simd;
use crate::document::Format;
use crate::document::diagnostic::{self, Effect};
use crate::document::events::RemarkKind;
use crate::document::flags::Flags;
use crate::document::options::Slug;
use crate::linker::{Diagnostic, Found, Link, Remark, Sink};
use crate::output::record::Summary;
use crate::pipeline::archive::ArchiveSink;
use crate::pipeline::bases::AbsolutePaths;
use crate::pipeline::members;
use crate::pipeline::queue::{Job, Queue};
use crate::pipeline::read::{FileOutcome, FileReader};
use crate::pipeline::sniff;
use crate::pipeline::split_archive::{ArchiveBlock, BlockMembers};
use crate::pipeline::walk::{Entry, EntryKind, Walk, path_of};
use crate::pipeline::workers::{map_items, run_workers};

/// The contents of documents are kept up to this many bytes together; further documents are read
/// again instead.
const KEPT: usize = 48 << 20;
/// The contents of one document are kept up to this many bytes.
const KEPT_OF_ONE: usize = 1 << 20;
/// The number of links or fragments of a document at which they are sorted and equal ones removed.
const UNSORTED: usize = KEPT_OF_ONE / size_of::<PendingFragment>();

/// The result of the first pass.
#[derive(Debug, Default)]
pub(super) struct Collection {
    /// The documents, in batches in no order.
    pub(super) batches: Vec<DocumentBatch>,
    /// The counts of all that was read.
    pub(super) summary: Summary,
    /// Damaged containers.
    pub(super) damaged: u64,
    /// Files that were skipped, in no order, if messages about them are wanted.
    pub(super) skipped: Vec<SkippedFile>,
    /// Files that a link names with a fragment.
    pub(super) wanted: FileSet,
    /// Files to which another document links.
    pub(super) linked: FileSet,
    /// Files that a sitemap lists.
    pub(super) listed: FileSet,
    /// The labels that all documents of a tree can name.
    pub(super) labels: TreeLabels,
}

/// Reads every file of a walk.
pub(super) fn run(audit: &Audit, walk: Walk) -> Collection {
    let queue = Queue::new(walk, &audit.options.reading);
    let kept = AtomicUsize::new(0);
    let work = || CollectWorker::new(audit, &kept).work(&queue);
    let collections = run_workers(audit.options.reading.threads, || queue.stop(), work);
    let mut collection = Collection::default();
    for other in collections {
        collection.add(other);
    }
    collection
}

impl Collection {
    /// Adds the result of another worker.
    fn add(&mut self, mut other: Collection) {
        self.batches.append(&mut other.batches);
        self.summary.add(&other.summary);
        self.damaged += other.damaged;
        self.skipped.append(&mut other.skipped);
        self.wanted.add(&other.wanted);
        self.linked.add(&other.linked);
        self.listed.add(&other.listed);
        self.labels.add(other.labels);
    }
}

/// The ticket of a batch, and the number of a document in it.
type WalkPosition = (u64, u32);

struct CollectWorker<'a> {
    audit: &'a Audit,
    reader: FileReader<'a>,
    names: AbsolutePaths,
    documents: DocumentCollector<'a>,
}

/// Everything known of a file when its documents have been read.
struct FileFinds {
    file: FileId,
    /// The damage to it, if it is an archive.
    around: DocumentContents,
    damaged: u64,
}

/// Adds one document after the other to a batch.
struct DocumentCollector<'a> {
    audit: &'a Audit,
    finds: DocumentFinds<'a>,
    /// The bytes that all workers keep.
    kept: &'a AtomicUsize,
    batch: BatchBuilder,
    collected: Collection,
}

impl<'a> CollectWorker<'a> {
    fn new(audit: &'a Audit, kept: &'a AtomicUsize) -> Self {
        CollectWorker {
            audit,
            reader: FileReader::new(&audit.options.reading),
            names: AbsolutePaths::default(),
            documents: DocumentCollector {
                audit,
                finds: DocumentFinds::new(audit),
                kept,
                batch: BatchBuilder::default(),
                collected: Collection::default(),
            },
        }
    }

    fn work(mut self, queue: &Queue<'_>) -> Collection {
        let (mut handle, mut jobs) = (queue.handle(), Vec::new());
        while let Some(ticket) = handle.pull(&mut jobs) {
            let mut start = (ticket, 0);
            let mut piece = None;
            for (index, job) in jobs.drain(..).enumerate() {
                let order = (ticket, index as u32);
                let documents = &mut self.documents;
                if documents.batch.is_full() {
                    let batch = documents.batch.end(start, None);
                    documents.collected.batches.extend(batch);
                    start = order;
                }
                match job {
                    // Nothing is read ahead where files are not split.
                    Job::File(entry) | Job::Read(entry, _) => self.file(order, entry),
                    // It is a ticket of its own.
                    Job::Archive(block) => piece = self.block(order, &block),
                    // `super::run` asks for documents as a whole.
                    Job::Piece(_) => unreachable!("no document is split"),
                    Job::Unreadable(path) => {
                        let entry = Entry {
                            path: path.path,
                            kind: EntryKind::File(0),
                            named: true,
                        };
                        self.documents.fail(&entry, &path.message);
                    }
                }
            }
            let documents = &mut self.documents;
            let batch = documents.batch.end(start, piece);
            documents.collected.batches.extend(batch);
        }
        let (mut collected, finds) = (self.documents.collected, self.documents.finds);
        collected.wanted = finds.wanted;
        collected.linked = finds.linked;
        collected.listed = finds.listed;
        collected.labels = finds.labels;
        collected
    }

    /// Reads a file as a whole.
    fn file(&mut self, order: WalkPosition, entry: Entry) {
        let mut counts = None;
        let (read, found) = self.read(&entry, |reader, members| {
            let read = reader.read(&entry, members);
            if let Ok(FileOutcome::Document { format, .. }) = &read {
                counts = reader.counts(format);
            }
            read
        });
        if let Some(counts) = counts {
            self.documents.collected.summary.count_unread(&counts);
        }
        self.end_file(order, entry, read, found, Some);
    }

    /// Reads some members of an archive of files; returns what is needed to read them again.
    fn block(&mut self, order: WalkPosition, block: &ArchiveBlock) -> Option<ArchiveBatch> {
        // Only archives whose members can be read again are split.
        let Some(BlockMembers::Range(range)) = &block.members else {
            return None;
        };
        let (entry, format) = (&block.whole.entry, block.whole.format);
        let (read, found) = self.read(entry, |reader, members| {
            let (outcome, error) = reader.members(entry, format, range.open(), members);
            Ok(FileOutcome::Archive { outcome, error })
        });
        let all = |items| block.add_faults(items);
        self.end_file(order, entry.clone(), read, found, all);
        Some(ArchiveBatch {
            format,
            index: block.index,
            range: Arc::clone(range),
        })
    }

    /// Reads documents of a file.
    fn read<T>(
        &mut self,
        entry: &Entry,
        read: impl FnOnce(&mut FileReader<'a>, &mut MemberCollector<'_, 'a>) -> T,
    ) -> (T, FileFinds) {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let absolute = self
            .names
            .absolute(&self.audit.options.reading.bases.here, path);
        let absolute = absolute.unwrap_or(path);
        (self.documents.finds.labels).walked(self.audit, absolute);
        let file = match entry.kind {
            EntryKind::LeftOut(_) => FileId(0),
            _ => self.audit.checker.walked(absolute, entry.named),
        };
        // A stream cannot be read again: all its links are kept.
        let keep = if matches!(entry.kind, EntryKind::File(_) | EntryKind::Unmeasured) {
            match self.audit.options.list {
                ListedLinks::Findings => LinkRetention::Problems,
                ListedLinks::Links | ListedLinks::External => LinkRetention::Nothing,
            }
        } else {
            LinkRetention::All
        };
        let mut members = MemberCollector {
            archive: [absolute, b"!/"].concat(),
            entry,
            keep,
            begun: 0,
            open: None,
            around: DocumentContents::default(),
            pending: (Vec::new(), 0),
            damaged: 0,
            documents: &mut self.documents,
        };
        members.documents.finds.begin(file, keep);
        let read = read(&mut self.reader, &mut members);
        let (around, damaged) = members.end();
        // Not held while this worker waits for another one's batch.
        self.documents.finds.heavy = None;
        let found = FileFinds {
            file,
            around,
            damaged,
        };
        (read, found)
    }

    /// Adds what is known of a file when it has been read. `all` returns everything that is wrong with an
    /// archive, from what this reading has found, unless other readings follow.
    fn end_file(
        &mut self,
        order: WalkPosition,
        entry: Entry,
        read: io::Result<FileOutcome>,
        found: FileFinds,
        all: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>,
    ) {
        let documents = &mut self.documents;
        let file = found.file;
        match read {
            Ok(FileOutcome::Document {
                format,
                bytes,
                error,
            }) => {
                documents.document(&entry, None, format, bytes);
                if let Some(error) = error {
                    documents.batch.fail();
                    documents.fail(&entry, &error.to_string());
                }
            }
            Ok(FileOutcome::Skipped(skip)) => {
                documents.collected.summary.skip(skip.reason);
                let options = &self.audit.options;
                let may_be_orphan = options.orphan_assets && options.levels.reports("orphan");
                if may_be_orphan && !matches!(entry.kind, EntryKind::LeftOut(_)) {
                    let contents = DocumentContents::default();
                    documents.asset(&entry, None, file, &contents);
                }
                let verbosity = self.audit.options.reading.verbosity;
                if entry.named && verbosity.errors || verbosity.diagnostics {
                    let path = entry.path;
                    documents
                        .collected
                        .skipped
                        .push(SkippedFile { order, path, skip });
                }
            }
            Ok(FileOutcome::Archive { outcome, error }) => {
                for (name, count) in &outcome.counts.skipped {
                    for _ in 0..*count {
                        let reason = sniff::reason(name);
                        documents.collected.summary.skip(reason);
                    }
                }
                documents.collected.damaged += found.damaged;
                let mut around = found.around;
                around.items = all(around.items).unwrap_or_default();
                if !around.items.is_empty() {
                    documents.asset(&entry, None, file, &around);
                }
                if let Some(error) = error {
                    documents.fail(&entry, &error.to_string());
                }
            }
            Ok(FileOutcome::Listed) => {}
            Err(error) => documents.fail(&entry, &error.to_string()),
        }
    }
}

impl DocumentCollector<'_> {
    /// Adds an error, behind the document if part of it could be read.
    fn fail(&mut self, entry: &Entry, message: &str) {
        self.collected.summary.errors += 1;
        self.batch.unreadable(entry, message);
    }

    /// Adds a file that is no document.
    fn asset(
        &mut self,
        entry: &Entry,
        member: Option<&BatchMember>,
        file: FileId,
        contents: &DocumentContents,
    ) {
        let anchors = AnchorSet::default();
        self.batch
            .document(entry, member, file, anchors, contents, false);
    }

    fn document(
        &mut self,
        entry: &Entry,
        member: Option<&BatchMember>,
        format: &'static Format,
        bytes: u64,
    ) {
        let finds = &mut self.finds;
        finds.end(format);
        let references: u64 = finds.contents.counts.iter().sum();
        self.collected.summary.files += 1;
        let path = member.map_or(entry.path.as_os_str().as_encoded_bytes(), |member| {
            member.name.as_bytes()
        });
        let is_other = *format == *Format::TEXT && sniff::is_other_text(path);
        self.collected.summary.read_as_text += u64::from(is_other);
        self.collected.summary.bytes += bytes;
        self.collected.summary.references += references;
        if let Some(progress) = &self.audit.options.reading.progress {
            progress.add(1, bytes, references);
        }
        self.collected.damaged += finds.damaged;
        self.collected.summary.exact += finds.exact;
        self.collected.summary.add(&finds.diagnosed);
        if finds.keep != LinkRetention::All {
            let size = finds.contents.size();
            finds.marked |= size > KEPT_OF_ONE;
            if !finds.marked && self.kept.fetch_add(size, Ordering::Relaxed) + size > KEPT {
                self.kept.fetch_sub(size, Ordering::Relaxed);
                finds.marked = true;
            }
            if finds.marked {
                finds.contents.clear();
            }
        }
        let anchors = finds.anchor_set(format);
        let (file, marked) = (finds.file, finds.marked);
        self.batch
            .document(entry, member, file, anchors, &finds.contents, marked);
    }
}

/// Returns whether a member is passed over, as a walk passes over hidden files.
pub(super) fn passes_over(audit: &Audit, path: &[u8]) -> bool {
    let end = memchr::memmem::find(path, b"!/").unwrap_or(path.len());
    let mut segments = path[..end].split(|&byte| byte == b'/');
    // The relationships of a package are no hidden file.
    !audit.options.reading.hidden_members
        && segments.any(|segment| segment.starts_with(b".") && segment != b".rels")
}

/// Returns the nearest directory above a member that holds the configuration of Sphinx (A90), within the
/// archive.
pub(super) fn root_of_member(audit: &Audit, archive: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    let mut slashes = memchr::memrchr_iter(b'/', path);
    slashes
        .by_ref()
        .map(|at| &path[..at])
        .take_while(|above| !above.ends_with(b"!"))
        .find(|above| {
            let directory = [archive, above].concat();
            audit.checker.tree.file_in(&directory, b"conf.py").is_some()
        })
        .map(<[u8]>::to_vec)
}

/// Takes what is found in a file, document by document where it is an archive.
struct MemberCollector<'m, 'a> {
    /// In front of the paths of members.
    archive: Vec<u8>,
    entry: &'m Entry,
    keep: LinkRetention,
    /// The number of members that have begun.
    begun: u32,
    /// The member that began last, unless it ended as a document; its path and its file.
    open: Option<(BatchMember, Vec<u8>, FileId)>,
    /// The damage of the archive.
    around: DocumentContents,
    /// The faults of the member that is open.
    pending: (Vec<u8>, u64),
    damaged: u64,
    documents: &'m mut DocumentCollector<'a>,
}

impl MemberCollector<'_, '_> {
    /// Ends a member that was no document; `next` is the path of the one behind it.
    fn leave(&mut self, next: &[u8]) {
        // What is wrong with a document is with its own finds.
        let (items, damaged) = std::mem::take(&mut self.pending);
        self.around.items.extend_from_slice(&items);
        self.damaged += damaged;
        let options = &self.documents.audit.options;
        let may_be_orphan = options.orphan_assets && options.levels.reports("orphan");
        let Some((member, path, file)) = self.open.take() else {
            return;
        };
        // One that was opened is no file of its own.
        let below = next.strip_prefix(path.as_slice());
        let is_opened = below.is_some_and(|below| below.starts_with(b"!/"));
        if may_be_orphan && !is_opened {
            let contents = DocumentContents::default();
            (self.documents).asset(self.entry, Some(&member), file, &contents);
        }
    }

    /// Ends the file; returns what is wrong with it if it is an archive, and its damage.
    fn end(mut self) -> (DocumentContents, u64) {
        self.leave(b"");
        (self.around, self.damaged)
    }
}

impl Sink for MemberCollector<'_, '_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.documents.finds.link(link)
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            _ => self.documents.finds.event(found),
        }
    }
}

impl MemberCollector<'_, '_> {
    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        // What a container says of a member comes before or behind it.
        // A file that is no archive is a document.
        if self.begun == 0 || self.open.is_some() {
            self.documents.finds.diagnostic(found);
        }
        let (items, damaged) = match &self.open {
            Some(_) => (&mut self.pending.0, &mut self.pending.1),
            None => (&mut self.around.items, &mut self.damaged),
        };
        *damaged += u64::from(found.code.effect == Effect::Damage);
        items.push(PackedItem::Diagnostic as u8);
        wire::push_diagnostic(found, items);
    }
}

impl ArchiveSink for MemberCollector<'_, '_> {
    fn begin_member(&mut self, name: &str, path: &[u8]) -> bool {
        self.leave(path);
        let absolute = [self.archive.as_slice(), path].concat();
        let file = self.documents.audit.checker.walked(&absolute, false);
        let audit = self.documents.audit;
        (self.documents.finds.labels).walked(audit, &absolute);
        self.documents.finds.heavy = None;
        self.documents.finds.begin(file, self.keep);
        self.begun += 1;
        if passes_over(self.documents.audit, path) {
            return false;
        }
        let member = BatchMember {
            number: self.begun,
            name: name.to_owned(),
        };
        self.open = Some((member, path.to_vec(), file));
        true
    }

    fn root_of_member(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        root_of_member(self.documents.audit, &self.archive, path)
    }

    fn end_member(&mut self, format: &'static Format, length: u64) {
        self.pending = (Vec::new(), 0);
        if let Some((member, ..)) = self.open.take() {
            (self.documents).document(self.entry, Some(&member), format, length);
        }
    }
}

/// Returns whether fragments of references to documents of a format are checked.
fn has_fragments(format: &Format) -> bool {
    format.is_markdown() || matches!(format.name, "adoc" | "html" | "pdf" | "rst" | "xml")
}

/// The links and diagnostics of a document that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkRetention {
    /// Links with a finding, and diagnostics.
    Problems,
    /// None: every document is read again.
    Nothing,
    /// All: the document cannot be read again.
    All,
}

/// The bytes of fragments that are more than a name: in pointers, ranges of lines and encoded names.
const SPECIAL: [u8; 4] = [b'(', b'=', b'-', b'%'];

/// Collects the links and anchors of one document after the other.
struct DocumentFinds<'a> {
    audit: &'a Audit,
    lookups: LookupCache<'a>,
    /// The lock of a document that takes much memory.
    heavy: Option<MutexGuard<'a, ()>>,
    file: FileId,
    keep: LinkRetention,
    /// The hashes of the names that fragments can refer to.
    names: Vec<u64>,
    /// The hashes of the fragments of links to the document itself.
    own: Vec<u64>,
    contents: DocumentContents,
    redirect: Option<Box<Redirect>>,
    /// The document must be read again.
    marked: bool,
    /// Files that any document names with a fragment.
    wanted: FileSet,
    /// Files to which any other document links.
    linked: FileSet,
    /// Files that a sitemap lists.
    listed: FileSet,
    /// Files whose extension has been compared with those of XML, and those that have one of them.
    compared: FileSet,
    xml: FileSet,
    /// The labels that all documents of a tree can name.
    labels: TreeLabels,
    damaged: u64,
    /// Links to directories without an index file.
    directories: u64,
    /// Documents in the file that were read a second time.
    exact: u64,
    /// Documents in the file of which a part was read by approximation.
    diagnosed: Summary,
}

impl<'a> DocumentFinds<'a> {
    fn new(audit: &'a Audit) -> Self {
        DocumentFinds {
            audit,
            lookups: LookupCache::new(&audit.checker, &audit.hasher),
            heavy: None,
            file: FileId(0),
            keep: LinkRetention::Nothing,
            names: Vec::new(),
            own: Vec::new(),
            contents: DocumentContents::default(),
            redirect: None,
            marked: false,
            wanted: FileSet::default(),
            linked: FileSet::default(),
            listed: FileSet::default(),
            compared: FileSet::default(),
            xml: FileSet::default(),
            labels: TreeLabels::default(),
            damaged: 0,
            directories: 0,
            exact: 0,
            diagnosed: Summary::default(),
        }
    }

    fn begin(&mut self, file: FileId, keep: LinkRetention) {
        self.file = file;
        self.keep = keep;
        // Release the memory of a huge document.
        if self.names.capacity() > UNSORTED {
            self.names = Vec::new();
        }
        self.names.clear();
        self.own.clear();
        self.contents.clear();
        self.redirect = None;
        self.marked = keep == LinkRetention::Nothing;
        (self.damaged, self.exact) = (0, 0);
        self.diagnosed = Summary::default();
        self.directories = 0;
    }

    /// Ends the document: sorts names and links, and checks the fragments that lead to places in the
    /// document itself.
    fn end(&mut self, format: &Format) {
        let count = self.names.len();
        self.names.sort_unstable();
        self.names.dedup();
        self.marked |=
            self.names.len() < count && self.audit.options.levels.reports("duplicate-id");
        self.sort();
        let has = |name| self.names.binary_search(name).is_ok();
        self.marked |= has_fragments(format) && !self.own.iter().all(has);
        if self.directories > 0 && self.lists_directories(format) {
            self.contents.counts[LinkState::Broken as usize] -= self.directories;
            self.contents.counts[LinkState::Ok as usize] += self.directories;
        }
        // A page that refreshes to itself redirects nowhere.
        (self.redirect).take_if(|redirect| redirect.location.file() == Some(self.file));
    }

    /// Returns whether links with a finding, and diagnostics, are kept: past the limit they are not, as
    /// the document is read again.
    fn keeps_problems(&self) -> bool {
        self.keep == LinkRetention::Problems && self.contents.items.len() <= KEPT_OF_ONE
    }

    /// Returns the dialect of the document, if it is Markdown.
    fn slug(&self, format: &Format) -> Option<Slug> {
        if !format.is_markdown() {
            return None;
        }
        let reading = &self.audit.options.reading;
        let path = self.audit.checker.paths.path(self.file);
        let usual = reading.extractor.formats.markdown.slug;
        Some(reading.dialects.of(&path).unwrap_or(usual))
    }

    /// Returns whether readers of the document are shown directories without an index file: hosts of
    /// Markdown list them, servers do not (A12).
    fn lists_directories(&self, format: &Format) -> bool {
        let is_on_host = matches!(self.slug(format), Some(Slug::GitHub | Slug::GitLab));
        let audit = self.audit;
        is_on_host && audit.options.server.is_none() && audit.checker.servers.is_empty()
    }

    /// Returns whether the document is a page to read: of XML, only XHTML is.
    /// A chapter of a book is none of the site that the book is in.
    fn is_page(&self, format: &Format) -> bool {
        let path = self.audit.checker.paths.path(self.file);
        let below = self.audit.checker.mounts.relative_path(&path);
        if below.is_some_and(|below| memchr::memmem::find(below, b"!/").is_some()) {
            return false;
        }
        match format.name {
            "pdf" => false,
            "xml" => path.ends_with(b".xhtml") || path.ends_with(b".xht"),
            _ => has_fragments(format),
        }
    }

    /// Returns the places in the document that links can lead to.
    fn anchor_set(&self, format: &Format) -> AnchorSet {
        let is_pdf = format.name == "pdf";
        // Destinations of a PDF that could not be read to its end may be missing.
        let has_names = has_fragments(format) && !(is_pdf && self.damaged > 0);
        AnchorSet {
            names: has_names.then(|| self.names.as_slice().into()),
            is_pdf,
            redirect: self.redirect.clone(),
            is_page: self.is_page(format),
            is_xml: format.name == "xml",
            on_github: self.slug(format) == Some(Slug::GitHub),
            lists_directories: self.lists_directories(format),
        }
    }

    /// Sorts links and fragments and removes equal ones; a document with too many is read again.
    fn sort(&mut self) {
        let DocumentContents { links, pending, .. } = &mut self.contents;
        links.sort_unstable();
        links.dedup();
        pending.sort_unstable();
        pending.dedup();
        if self.own.len() > UNSORTED / 2 {
            self.own.sort_unstable();
            self.own.dedup();
        }
        let count = links.len() + pending.len() + self.own.len();
        if count > UNSORTED / 2 && self.keep != LinkRetention::All {
            self.marked = true;
        }
    }

    /// Returns whether a file is XML by its extension.
    fn is_xml(&mut self, file: FileId) -> bool {
        if self.compared.contains(file) {
            return self.xml.contains(file);
        }
        let path = self.audit.checker.paths.path(file);
        let extension = path.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
        let extension = str::from_utf8(extension).ok();
        let is_xml = extension.and_then(Format::of_extension) == Some(Format::XML);
        self.compared.insert(file);
        if is_xml {
            self.xml.insert(file);
        }
        is_xml
    }

    /// Records that a link needs a fragment in a file.
    fn require(&mut self, file: FileId, fragment: &[u8]) {
        let Some(name) = required_name(fragment) else {
            return;
        };
        let keeps = !self.marked || self.keep == LinkRetention::All;
        // Most fragments are no more than a name.
        let is_special = |byte: u8| SPECIAL.contains(&byte);
        if !simd::any(name, |block| block.any_of(SPECIAL), is_special) {
            self.wanted.insert(file);
            if keeps {
                self.pend(file, name);
            }
            return;
        }
        // Views and pointers name no id.
        let is_pointer = memchr::memchr2(b'(', b'=', name).is_some();
        if is_pointer && self.is_xml(file) {
            return;
        }
        self.wanted.insert(file);
        if keeps {
            let decoded = decode_fragment(name);
            // A range of lines that is the id of an element is found when the document is read again.
            let names = line_range(&decoded).unwrap_or([&decoded, &decoded]);
            let [first, last] = names;
            self.pend(file, first);
            if first != last {
                self.pend(file, last);
            }
        }
    }

    /// Records that a file must have a name.
    fn pend(&mut self, file: FileId, name: &[u8]) {
        let name = self.audit.hasher.hash_one(name);
        match file == self.file {
            true => self.own.push(name),
            false => self.contents.pending.push(PendingFragment { file, name }),
        }
    }

    /// Records where a link leads.
    fn target(&mut self, link: &Link<'_>, location: TargetLocation, fragment: Option<&[u8]>) {
        if let Some(file) = location.file() {
            if file != self.file {
                self.linked.insert(file);
            }
            if link.flags.contains(Flags::LISTED) {
                self.listed.insert(file);
            }
            if (!self.marked || self.keep == LinkRetention::All)
                && self.contents.links.last() != Some(&file)
            {
                self.contents.links.push(file);
            }
            if let Some(fragment) = fragment
                && self.audit.checks_fragments()
            {
                self.require(file, fragment);
            }
            let DocumentContents { links, pending, .. } = &self.contents;
            let longest = links.len().max(pending.len()).max(self.own.len());
            if longest >= UNSORTED && !self.marked {
                self.sort();
            }
        }
        let outer = !link.flags.intersects(Flags::INERT | Flags::SRCDOC);
        if link.flags.contains(Flags::REFRESH) && outer && self.redirect.is_none() {
            let target = link.target.unwrap_or_default();
            let end = memchr::memchr2(b'?', b'#', target).unwrap_or(target.len());
            let suffix = target[end..].into();
            self.redirect = Some(Box::new(Redirect { location, suffix }));
        }
    }
}

impl Sink for DocumentFinds<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let (location, fragment) = self.audit.locate(link, &mut self.lookups);
        self.target(link, location, fragment);
        self.directories += u64::from(matches!(location, TargetLocation::NoIndex(_)));
        let facts = TargetFacts {
            link,
            location,
            fragment_missing: false,
            fragment_in_other_case: false,
            is_route: fragment.is_some_and(is_route),
            redirects: false,
        };
        let finding = self.audit.options.levels.first_finding(&facts);
        self.contents.counts[LinkState::of(&facts, finding) as usize] += 1;
        if finding.is_some() && self.keeps_problems() || self.keep == LinkRetention::All {
            self.contents.items.push(PackedItem::Link as u8);
            wire::push_link(link, &mut self.contents.items);
        }
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            Found::Anchor(name, _) => self.names.push(self.audit.hasher.hash_one(name)),
            Found::Remark(remark) => self.remark(remark),
            Found::Exact(_) => self.exact += 1,
            Found::Heavy => {
                let lock = || {
                    self.audit
                        .heavy
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                };
                self.heavy.get_or_insert_with(lock);
            }
            Found::Restart => self.names.clear(),
            _ => {}
        }
    }
}

impl ArchiveSink for DocumentFinds<'_> {}

impl DocumentFinds<'_> {
    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        self.damaged += u64::from(found.code.effect == Effect::Damage);
        self.diagnosed.diagnose(found.code, found.count);
        self.marked |= std::ptr::eq(found.code, &diagnostic::BASE_SECOND)
            && self.audit.options.levels.reports("several-bases");
        if self.keeps_problems() || self.keep == LinkRetention::All {
            self.contents.items.push(PackedItem::Diagnostic as u8);
            wire::push_diagnostic(found, &mut self.contents.items);
        }
    }

    fn remark(&mut self, remark: &Remark<'_>) {
        self.marked |= match remark.kind {
            RemarkKind::Ignore => true,
            RemarkKind::UndefinedLabel | RemarkKind::LabelReference => {
                self.audit.options.levels.reports("undefined-reference")
            }
            RemarkKind::Label => {
                self.labels.insert(self.audit.hasher.hash_one(remark.text));
                return;
            }
        };
        if self.keep == LinkRetention::All {
            self.contents.items.push(PackedItem::Remark as u8);
            wire::push_remark(remark, &mut self.contents.items);
        }
    }
}

/// Reads files that the walk did not find for their anchors.
pub(super) fn read_others(audit: &Audit, files: &[FileId]) -> Vec<(FileId, AnchorSet)> {
    let reading = &audit.options.reading;
    let reader = || FileReader::new(reading);
    map_items(reading.threads, 1, files, reader, |reader, &file| {
        (file, read_anchors(audit, file, reader))
    })
}

fn read_anchors(audit: &Audit, file: FileId, reader: &mut FileReader<'_>) -> AnchorSet {
    let path = audit.checker.paths.path(file);
    let mut finds = DocumentFinds::new(audit);
    finds.begin(file, LinkRetention::Nothing);
    match read_at(reader, &path, &mut finds) {
        Some(format) => {
            finds.end(format);
            finds.anchor_set(format)
        }
        None => AnchorSet::default(),
    }
}

/// Reads the document at a path, which may lie in an archive; returns its format.
pub(super) fn read_at(
    reader: &mut FileReader<'_>,
    path: &[u8],
    sink: &mut dyn ArchiveSink,
) -> Option<&'static Format> {
    let Some(entry) = entry_at(path) else {
        return members::read(reader, path, sink);
    };
    match reader.read(&entry, sink) {
        Ok(FileOutcome::Document { format, .. }) => Some(format),
        _ => None,
    }
}

/// Returns the entry of a file as a walk would have found it.
pub(super) fn entry_at(path: &[u8]) -> Option<Entry> {
    let path = path_of(path);
    let metadata = std::fs::metadata(&path)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    Some(Entry {
        kind: EntryKind::File(metadata.len()),
        named: false,
        path,
    })
}

#[cfg(test)]
#[path = "../../tests/unit/audit/collect.rs"]
mod tests;
