//! First pass: reads every document once, in any order, and writes the journal.

use std::hash::BuildHasher;
use std::io;
use std::ops::ControlFlow;
use std::sync::{MutexGuard, PoisonError};

use foldhash::{HashSet, HashSetExt};

use super::evaluator::CLEARED;
use super::journal::{BLOCK, DocumentMember, Journal, JournalBlock, JournalWriter, LinkNeeds};
use super::labels::TreeLabels;
use super::names::FileId;
use super::options::{Audit, ListedLinks};
use super::report::SkippedFile;
use super::rules::{LinkState, RuleId, StateCounts};
use super::site::{AnchorSet, DocumentBatch, FileSet, Redirect};
use super::target::{
    LookupCache, TargetFacts, TargetLocation, decode_fragment, is_route, line_range, required_name,
};
use crate::bytes::simd;
use crate::document::Format;
use crate::document::diagnostic::Effect;
use crate::document::events::RemarkKind;
use crate::document::flags::Flags;
use crate::document::options::Slug;
use crate::linker::{Diagnostic, Found, Link, Remark, Sink};
use crate::output::record::Summary;
use crate::pipeline::archive::{ArchiveSink, MemberChoice};
use crate::pipeline::bases::AbsolutePaths;
use crate::pipeline::members;
use crate::pipeline::piece::Piece;
use crate::pipeline::queue::{Job, Queue};
use crate::pipeline::read::{FileOutcome, FileRead, FileReader};
use crate::pipeline::sniff;
use crate::pipeline::walk::{Entry, EntryKind, Walk, path_of};
use crate::pipeline::workers::{map_items, run_workers};

/// Documents are stored in batches of about this many, and each batch is a ticket of the second pass.
const BATCH: usize = 16;
/// The capacity above which a buffer of hashes is dropped after its document.
const MAX_REUSED: usize = 1 << 16;

/// The result of the first pass.
#[derive(Debug, Default)]
pub(super) struct Collection {
    /// The documents, in batches in no order.
    pub(super) batches: Vec<DocumentBatch>,
    /// The records of the documents.
    pub(super) journal: Journal,
    /// The states of the links that are not in the journal.
    pub(super) counts: StateCounts,
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
    let journal = Journal::default();
    let work = || CollectWorker::new(audit, &journal).work(&queue);
    let collections = run_workers(audit.options.reading.threads, || queue.stop(), work);
    let mut collection = Collection::default();
    for other in collections {
        collection.add(other);
    }
    Collection {
        journal,
        ..collection
    }
}

impl Collection {
    /// Adds the result of another worker.
    fn add(&mut self, mut other: Collection) {
        self.batches.append(&mut other.batches);
        add_counts(&mut self.counts, &other.counts);
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
    /// The damage to it, if it is an archive: records, and their number.
    around: Vec<u8>,
    damaged: u64,
}

/// Adds one document after the other to a batch.
struct DocumentCollector<'a> {
    audit: &'a Audit,
    journal: &'a Journal,
    finds: DocumentFinds<'a>,
    batch: DocumentBatch,
    /// The records of the batch that are not in its blocks yet, and the number of documents in it.
    records: JournalWriter,
    documents: usize,
    collected: Collection,
}

impl<'a> CollectWorker<'a> {
    fn new(audit: &'a Audit, journal: &'a Journal) -> Self {
        CollectWorker {
            audit,
            reader: FileReader::new(&audit.options.reading),
            names: AbsolutePaths::default(),
            documents: DocumentCollector {
                audit,
                journal,
                finds: DocumentFinds::new(audit, Some(journal)),
                batch: DocumentBatch::default(),
                records: JournalWriter::default(),
                documents: 0,
                collected: Collection::default(),
            },
        }
    }

    fn work(mut self, queue: &Queue<'_>) -> Collection {
        let (mut handle, mut jobs) = (queue.handle(), Vec::new());
        while let Some(ticket) = handle.pull(&mut jobs) {
            self.documents.batch.order = (ticket, 0);
            for (index, job) in jobs.drain(..).enumerate() {
                let order = (ticket, index as u32);
                if self.documents.documents >= BATCH {
                    self.documents.end_batch();
                    self.documents.batch.order = order;
                }
                match job {
                    // Nothing is read ahead where files are not split.
                    Job::File(entry, _) => self.file(order, entry),
                    // Members of an archive, in a separate ticket: no document is split.
                    Job::Piece(mut piece) => {
                        self.piece(order, &mut piece);
                        self.documents.batch.continues = piece.index > 0;
                    }
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
            self.documents.end_batch();
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
        let (read, found) = self.read(&entry, |reader, members| reader.read(&entry, members));
        self.end_file(order, entry, read, found, Some);
    }

    /// Reads some members of an archive of files.
    fn piece(&mut self, order: WalkPosition, piece: &mut Piece) {
        let entry = piece.whole.entry.clone();
        let (read, found) = self.read(&entry, |reader, members| reader.piece(piece, members));
        let all = |items| piece.add_faults(items);
        self.end_file(order, entry, Ok(FileOutcome::Read(read)), found, all);
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
        let mut members = MemberCollector {
            archive: [absolute, b"!/"].concat(),
            entry,
            begun: 0,
            open: None,
            around: JournalWriter::default(),
            pending: JournalWriter::default(),
            damaged: [0; 2],
            documents: &mut self.documents,
        };
        members.documents.finds.begin(file);
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
            Ok(FileOutcome::Read(FileRead {
                format: Some(format),
                has_counts,
                record,
                error,
                ..
            })) => {
                if has_counts {
                    documents.collected.summary.count_unread(&record.counts);
                }
                documents.document(&entry, None, format, record.bytes);
                if let Some(error) = error {
                    documents.fail(&entry, &error.to_string());
                }
            }
            Ok(FileOutcome::Skipped(skip)) => {
                documents.collected.summary.skip(skip.reason);
                let options = &self.audit.options;
                let may_be_orphan = options.orphan_assets && options.levels.reports(RuleId::Orphan);
                if may_be_orphan && !matches!(entry.kind, EntryKind::LeftOut(_)) {
                    documents.asset(&entry, None, file, &[]);
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
            Ok(FileOutcome::Read(FileRead { record, error, .. })) => {
                for (name, count) in &record.counts.skipped {
                    for _ in 0..*count {
                        let reason = sniff::reason(name);
                        documents.collected.summary.skip(reason);
                    }
                }
                documents.collected.damaged += found.damaged;
                let around = all(found.around).unwrap_or_default();
                if !around.is_empty() {
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
    /// Moves the records of the batch to a block.
    fn flush(&mut self) {
        if !self.records.bytes.is_empty() {
            let block = self.journal.add(&self.records.bytes);
            self.batch.blocks.push(block);
            self.records.clear();
        }
    }

    fn end_batch(&mut self) {
        self.flush();
        self.documents = 0;
        let batch = std::mem::take(&mut self.batch);
        if !batch.blocks.is_empty() {
            self.collected.batches.push(batch);
        }
    }

    fn begin(&mut self, entry: &Entry, member: Option<&DocumentMember>, file: Option<FileId>) {
        self.documents += 1;
        let path = entry.path.as_os_str().as_encoded_bytes();
        self.records.document(path, file, member);
    }

    /// Adds an error, after the document if part of it could be read.
    fn fail(&mut self, entry: &Entry, message: &str) {
        self.collected.summary.errors += 1;
        self.begin(entry, None, None);
        self.records.failure(message);
    }

    /// Adds a file that is not a document.
    fn asset(
        &mut self,
        entry: &Entry,
        member: Option<&DocumentMember>,
        file: FileId,
        records: &[u8],
    ) {
        self.begin(entry, member, Some(file));
        self.records.bytes.extend_from_slice(records);
        self.batch.anchors.push((file, AnchorSet::default()));
    }

    fn document(
        &mut self,
        entry: &Entry,
        member: Option<&DocumentMember>,
        format: &'static Format,
        bytes: u64,
    ) {
        self.begin(entry, member, Some(self.finds.file));
        if !self.finds.blocks.is_empty() {
            self.flush();
            self.batch.blocks.append(&mut self.finds.blocks);
        }
        let finds = &mut self.finds;
        finds.end();
        self.records.bytes.extend_from_slice(&finds.records.bytes);
        let references = finds.references;
        add_counts(&mut self.collected.counts, &finds.counts);
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
        let anchors = (finds.file, finds.anchor_set(format));
        self.batch.anchors.push(anchors);
    }
}

/// Adds the states of some links to those of others.
pub(super) fn add_counts(total: &mut StateCounts, counts: &StateCounts) {
    for (total, count) in total.iter_mut().zip(counts) {
        *total += count;
    }
}

/// Returns whether a member is skipped, as a walk skips hidden files.
fn passes_over(audit: &Audit, path: &[u8]) -> bool {
    let end = memchr::memmem::find(path, b"!/").unwrap_or(path.len());
    let mut segments = path[..end].split(|&byte| byte == b'/');
    // The relationships of a package are no hidden file.
    !audit.options.reading.hidden_members
        && segments.any(|segment| segment.starts_with(b".") && segment != b".rels")
}

/// Returns the nearest directory above a member that holds the configuration of Sphinx (A90), within the
/// archive.
fn root_of_member(audit: &Audit, archive: &[u8], path: &[u8]) -> Option<Vec<u8>> {
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
    /// The start of the paths of members.
    archive: Vec<u8>,
    entry: &'m Entry,
    /// The number of members that have begun.
    begun: u64,
    /// The member that began last, unless it ended as a document; its path and its file.
    open: Option<(DocumentMember, Vec<u8>, FileId)>,
    /// The damage of the archive.
    around: JournalWriter,
    /// The faults of the member that is open.
    pending: JournalWriter,
    /// The number of damages in `around` and in `pending`.
    damaged: [u64; 2],
    documents: &'m mut DocumentCollector<'a>,
}

impl MemberCollector<'_, '_> {
    /// Ends a member that was no document; `next` is the path of the one behind it.
    fn leave(&mut self, next: &[u8]) {
        self.around.bytes.append(&mut self.pending.bytes);
        self.damaged[0] += std::mem::take(&mut self.damaged[1]);
        let options = &self.documents.audit.options;
        let may_be_orphan = options.orphan_assets && options.levels.reports(RuleId::Orphan);
        let Some((member, path, file)) = self.open.take() else {
            return;
        };
        // One that was opened is no file of its own.
        let below = next.strip_prefix(path.as_slice());
        let is_opened = below.is_some_and(|below| below.starts_with(b"!/"));
        if may_be_orphan && !is_opened {
            (self.documents).asset(self.entry, Some(&member), file, &[]);
        }
    }

    /// Ends the file; returns what is wrong with it if it is an archive, and its damage.
    fn end(mut self) -> (Vec<u8>, u64) {
        self.leave(b"");
        (self.around.bytes, self.damaged[0])
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
        let is_open = self.open.is_some();
        let records = if is_open {
            &mut self.pending
        } else {
            &mut self.around
        };
        records.diagnostic(found);
        self.damaged[usize::from(is_open)] += u64::from(found.code.effect == Effect::Damage);
    }
}

impl ArchiveSink for MemberCollector<'_, '_> {
    fn begin_member(&mut self, name: &str, path: &[u8]) -> MemberChoice {
        self.leave(path);
        let absolute = [self.archive.as_slice(), path].concat();
        let file = self.documents.audit.checker.walked(&absolute, false);
        let audit = self.documents.audit;
        (self.documents.finds.labels).walked(audit, &absolute);
        self.documents.finds.heavy = None;
        self.documents.finds.begin(file);
        self.begun += 1;
        if passes_over(self.documents.audit, path) {
            return MemberChoice::Skip;
        }
        let member = DocumentMember {
            number: self.begun,
            name: name.to_owned(),
        };
        self.open = Some((member, path.to_vec(), file));
        MemberChoice::Read
    }

    fn root_of_member(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        root_of_member(self.documents.audit, &self.archive, path)
    }

    fn end_member(&mut self, format: &'static Format, length: u64) {
        self.pending.clear();
        self.damaged[1] = 0;
        if let Some((member, ..)) = self.open.take() {
            (self.documents).document(self.entry, Some(&member), format, length);
        }
    }
}

/// Returns whether fragments of references to documents of a format are checked.
fn has_fragments(format: &Format) -> bool {
    format.is_markdown() || matches!(format.name, "adoc" | "html" | "pdf" | "rst" | "xml")
}

/// The bytes of fragments that are more than a name: in ranges of lines and encoded names.
const SPECIAL: [u8; 2] = [b'-', b'%'];

/// Collects the links and anchors of one document after the other.
struct DocumentFinds<'a> {
    audit: &'a Audit,
    /// Receives the records; none where only the anchors are wanted.
    journal: Option<&'a Journal>,
    lookups: LookupCache<'a>,
    /// The lock of a document that takes much memory.
    heavy: Option<MutexGuard<'a, ()>>,
    file: FileId,
    /// The hashes of the names that fragments can refer to.
    names: Vec<u64>,
    /// The same hashes, if repeated ids are reported.
    ids: HashSet<u64>,
    reports_repeated: bool,
    redirect: Option<Box<Redirect>>,
    /// The records of the document: those that are in the journal, and the others.
    blocks: Vec<JournalBlock>,
    records: JournalWriter,
    /// The number of links, and the states of those without a record.
    references: u64,
    counts: StateCounts,
    /// Files that any document names with a fragment.
    wanted: FileSet,
    /// Files to which any other document links.
    linked: FileSet,
    /// Files that a sitemap lists.
    listed: FileSet,
    /// The labels that all documents of a tree can name.
    labels: TreeLabels,
    damaged: u64,
    /// Documents in the file that were read a second time.
    exact: u64,
    /// Documents in the file of which a part was read by approximation.
    diagnosed: Summary,
}

impl<'a> DocumentFinds<'a> {
    fn new(audit: &'a Audit, journal: Option<&'a Journal>) -> Self {
        DocumentFinds {
            audit,
            journal,
            lookups: LookupCache::new(&audit.checker, &audit.hasher),
            heavy: None,
            file: FileId(0),
            names: Vec::new(),
            ids: HashSet::new(),
            reports_repeated: journal.is_some()
                && audit.options.levels.reports(RuleId::DuplicateId),
            redirect: None,
            blocks: Vec::new(),
            records: JournalWriter::default(),
            references: 0,
            counts: StateCounts::default(),
            wanted: FileSet::default(),
            linked: FileSet::default(),
            listed: FileSet::default(),
            labels: TreeLabels::default(),
            damaged: 0,
            exact: 0,
            diagnosed: Summary::default(),
        }
    }

    fn begin(&mut self, file: FileId) {
        self.file = file;
        self.clear_names();
        self.redirect = None;
        self.blocks.clear();
        self.records.clear();
        (self.references, self.counts) = (0, StateCounts::default());
        (self.damaged, self.exact) = (0, 0);
        self.diagnosed = Summary::default();
    }

    fn clear_names(&mut self) {
        // Release the memory of a huge document.
        if self.names.capacity() > MAX_REUSED {
            self.names = Vec::new();
        }
        self.names.clear();
        if self.ids.capacity() > CLEARED {
            self.ids = HashSet::new();
        }
        self.ids.clear();
    }

    /// Ends the document.
    fn end(&mut self) {
        self.names.sort_unstable();
        self.names.dedup();
        // A page that refreshes to itself redirects nowhere.
        (self.redirect).take_if(|redirect| redirect.location.file() == Some(self.file));
    }

    /// Moves the records of a large document to the journal.
    fn move_records(&mut self) {
        if let Some(journal) = self.journal
            && self.records.bytes.len() >= BLOCK
        {
            self.blocks.push(journal.add(&self.records.bytes));
            self.records.clear();
        }
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
    /// A chapter of a book is not a page of the site that the book is in.
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

    /// Notes the file at the target of a link; returns what the link needs of it, if that is not known
    /// yet.
    fn needs(
        &mut self,
        link: &Link<'_>,
        location: TargetLocation,
        fragment: Option<&[u8]>,
    ) -> Option<LinkNeeds> {
        let file = location.file()?;
        let is_own = file == self.file;
        if !is_own {
            self.linked.insert(file);
        }
        if link.flags.contains(Flags::LISTED) {
            self.listed.insert(file);
        }
        let mut needs = LinkNeeds::new(file, fragment.is_some_and(is_route));
        let checked = fragment.filter(|_| self.audit.options.checks_fragments);
        if let Some(name) = checked.and_then(required_name) {
            self.wanted.insert(file);
            let hash = |name: &[u8]| self.audit.hasher.hash_one(name);
            // Most fragments are no more than a name.
            let is_special = |byte: u8| SPECIAL.contains(&byte);
            if simd::any(name, |block| block.any_of(SPECIAL), is_special) {
                let decoded = decode_fragment(name);
                let [first, last] = line_range(&decoded).unwrap_or([&decoded, b""]);
                needs.add(hash(first));
                if !last.is_empty() {
                    needs.add(hash(last));
                }
            } else {
                needs.add(hash(name));
            }
        }
        (!is_own || !needs.is_empty()).then_some(needs)
    }

    /// Notes where the document redirects, if a link is its first refresh.
    fn refresh(&mut self, link: &Link<'_>, location: TargetLocation) {
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
        let needs = self.needs(link, location, fragment);
        self.refresh(link, location);
        if self.journal.is_none() {
            return ControlFlow::Continue(());
        }
        let facts = TargetFacts {
            link,
            location,
            fragment_missing: false,
            fragment_in_other_case: false,
            is_route: fragment.is_some_and(is_route),
            redirects: false,
        };
        self.references += 1;
        let options = &self.audit.options;
        let finding = options.levels.first_finding(&facts);
        match needs {
            _ if finding.is_some() || options.list != ListedLinks::Findings => {
                self.records.link(link);
            }
            Some(needs) => self.records.existing(&needs, link),
            None => {
                self.counts[LinkState::of(&facts, finding) as usize] += 1;
            }
        }
        self.move_records();
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            Found::Anchor(name, offset) => self.anchor(name, *offset),
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
            Found::Restart => {
                self.clear_names();
                self.records.restart();
            }
            _ => {}
        }
    }
}

impl ArchiveSink for DocumentFinds<'_> {}

impl DocumentFinds<'_> {
    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        self.damaged += u64::from(found.code.effect == Effect::Damage);
        self.diagnosed.diagnose(found.code, found.count);
        self.records.diagnostic(found);
    }

    fn remark(&mut self, remark: &Remark<'_>) {
        if remark.kind == RemarkKind::Label {
            self.labels.insert(self.audit.hasher.hash_one(remark.text));
        } else {
            self.records.remark(remark);
            self.move_records();
        }
    }

    fn anchor(&mut self, name: &[u8], offset: u64) {
        let hash = self.audit.hasher.hash_one(name);
        self.names.push(hash);
        if self.reports_repeated && !self.ids.insert(hash) {
            self.records.repeated(name, offset);
            self.move_records();
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
    let mut finds = DocumentFinds::new(audit, None);
    finds.begin(file);
    match read_at(reader, &path, &mut finds) {
        Some(format) => {
            finds.end();
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
        Ok(FileOutcome::Read(read)) => read.format,
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
