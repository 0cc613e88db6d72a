//! First pass: reads every document once, in any order, and writes the journal.

use std::hash::BuildHasher;
use std::io;
use std::ops::ControlFlow;

use foldhash::{HashSet, HashSetExt};
use parking_lot::MutexGuard;

use super::evaluator::CLEARED;
use super::journal::{
    BLOCK, DocumentMember, JournalBlock, JournalDocument, JournalRecord, JournalWriter, NeededNames,
};
use super::labels::has_unread_labels;
use super::location::{Audit, Located, LookupCache, language};
use super::names::FileId;
use super::options::ListedLinks;
use super::rules::{FragmentMatch, LinkState, RuleId, StateCounts, TargetFacts, add_counts};
use super::site::{AnchorSet, Collection, DocumentBatch, Redirect};
use super::target::{
    TargetLocation, is_route, line_range, percent_decoded, required_name, split_path,
};
use super::wire::{Packed, WireReader};
use crate::bytes::pattern::Pattern;
use crate::document::Format;
use crate::document::diagnostic::Effect;
use crate::document::events::RemarkKind;
use crate::document::flags::Flags;
use crate::document::options::Slug;
use crate::document::sniff;
use crate::linker::{Diagnostic, Found, Link, Sink};
use crate::output::record::{DiagnosticCounts, SkipReason, Summary};
use crate::pipeline::archive::{ArchiveSink, MemberChoice};
use crate::pipeline::bases::AbsolutePaths;
use crate::pipeline::members;
use crate::pipeline::queue::{Job, Queue};
use crate::pipeline::read::{FileOutcome, FileRead, FileReader};
use crate::pipeline::walk::{Entry, EntryKind, Walk, bytes_of};
use crate::pipeline::workers::{map_items, run_workers};

/// Documents in a batch, which is a ticket of the second pass.
const BATCH: usize = 16;
/// A larger buffer of hashes is dropped after its document.
const MAX_REUSED: usize = 1 << 16;

pub(super) fn run(audit: &Audit, walk: Walk) -> Collection {
    let queue = Queue::new(walk, &audit.options.reading);
    let mut collection = Collection::default();
    let work = || {
        let worker = CollectWorker {
            reader: FileReader::new(&audit.options.reading),
            names: AbsolutePaths::default(),
            collector: LinkCollector::new(audit, Some(&collection)),
        };
        worker.work(&queue)
    };
    let collections = run_workers(audit.options.reading.threads, || queue.stop(), work);
    collections
        .into_iter()
        .for_each(|other| collection.add(other));
    collection
}

/// The ticket of a batch, and the number of a document in it.
type WalkPosition = (u64, u32);

struct CollectWorker<'a> {
    reader: FileReader<'a>,
    names: AbsolutePaths,
    collector: LinkCollector<'a>,
}

/// Collects links and anchors, and adds the documents to a batch.
struct LinkCollector<'a> {
    audit: &'a Audit,
    /// The journal and the anchors of all workers; `None` where only the anchors are wanted.
    shared: Option<&'a Collection>,
    lookups: LookupCache<'a>,
    /// The lock of a document that takes much memory.
    heavy: Option<MutexGuard<'a, ()>>,
    reports_repeated: bool,
    found: FileFinds,
    document: DocumentFinds,
    batch: DocumentBatch,
    /// Records that are not in the batch's blocks yet, and the number of its documents.
    records: Vec<u8>,
    documents: usize,
    collected: Collection,
}

/// The state of the current file, whose documents may be members.
#[derive(Default)]
struct FileFinds {
    /// The path, and the start of the paths of members.
    path: Vec<u8>,
    archive: Vec<u8>,
    file: FileId,
    named: bool,
    begun: u64,
    /// The last member, unless it ended as a document; its path and its file.
    open: Option<(DocumentMember, Vec<u8>, FileId)>,
    around: Vec<u8>,
    /// The faults of the open member.
    pending: Vec<u8>,
}

/// The state of the current document.
#[derive(Default)]
struct DocumentFinds {
    file: FileId,
    names: Vec<u64>,
    /// The same as `names`, if repeated ids are reported.
    ids: HashSet<u64>,
    redirect: Option<Box<Redirect>>,
    /// Files whose text a generator puts into the document; `None` if one is not known.
    parts: Vec<Option<FileId>>,
    /// A script gives lines ids such as `line12`.
    has_line_ids: bool,
    /// The records in the journal, and the others.
    blocks: Vec<JournalBlock>,
    records: JournalWriter,
    /// The number of links, and the diagnostics.
    summary: Summary,
    /// The states of links without a record.
    counts: StateCounts,
}

impl CollectWorker<'_> {
    fn work(mut self, queue: &Queue<'_>) -> Collection {
        let (mut handle, mut jobs) = (queue.handle(), Vec::new());
        while let Some(ticket) = handle.pull(&mut jobs) {
            self.collector.batch.order = (ticket, 0);
            for (index, job) in jobs.drain(..).enumerate() {
                let order = (ticket, index as u32);
                if self.collector.documents >= BATCH {
                    self.collector.end_batch();
                    self.collector.batch.order = order;
                }
                match job {
                    // Nothing is read ahead where files are not split.
                    Job::File(entry, _) => {
                        self.begin(&entry);
                        let read = self.reader.read(&entry, &mut self.collector);
                        self.collector.end_file(order, entry, read, Some);
                    }
                    // Members of an archive, in a separate ticket: no document is split.
                    Job::Piece(mut piece) => {
                        self.collector.batch.continues = piece.index > 0;
                        let entry = piece.whole.entry.clone();
                        self.begin(&entry);
                        let read = self.reader.piece(&mut piece, &mut self.collector);
                        let (read, collector) = (FileOutcome::Read(read), &mut self.collector);
                        collector.end_file(order, entry, Ok(read), |items| piece.add_faults(items));
                    }
                    Job::Unreadable(unreadable) => {
                        self.collector.found.path = bytes_of(&unreadable.path).to_vec();
                        self.collector.fail(&unreadable.message);
                    }
                }
            }
            self.collector.end_batch();
        }
        self.collector.collected
    }

    fn begin(&mut self, entry: &Entry) {
        let (path, audit) = (bytes_of(&entry.path), self.collector.audit);
        let absolute = self.names.absolute(&audit.options.reading.bases.here, path);
        let absolute = absolute.unwrap_or(path);
        let collected = &mut self.collector.collected;
        collected.labels.walked(audit, absolute);
        let file = match entry.kind {
            EntryKind::LeftOut(_) => FileId(0),
            _ => audit.checker.walked(absolute, entry.named),
        };
        let is_alias = || match entry.kind {
            EntryKind::LeftOut(reason) => reason == SkipReason::Symlink,
            _ => *audit.checker.paths.path(file) != *absolute,
        };
        if audit.options.list == ListedLinks::Anchors && is_alias() {
            collected.aliases.push(absolute.to_vec());
        }
        self.collector.found = FileFinds {
            path: path.to_vec(),
            archive: [absolute, b"!/"].concat(),
            file,
            named: entry.named,
            ..FileFinds::default()
        };
        self.collector.begin(file);
    }
}

impl<'a> LinkCollector<'a> {
    fn new(audit: &'a Audit, shared: Option<&'a Collection>) -> Self {
        LinkCollector {
            audit,
            shared,
            lookups: LookupCache::new(audit),
            heavy: None,
            reports_repeated: shared.is_some() && audit.options.levels.reports(RuleId::DuplicateId),
            found: FileFinds::default(),
            document: DocumentFinds::default(),
            batch: DocumentBatch::default(),
            records: Vec::new(),
            documents: 0,
            collected: Collection::default(),
        }
    }

    fn begin(&mut self, file: FileId) {
        let document = &mut self.document;
        document.clear_names();
        document.records.clear();
        document.blocks.clear();
        document.parts.clear();
        (document.file, document.redirect) = (file, None);
        document.has_line_ids = false;
        document.summary = Summary::default();
        document.counts = StateCounts::default();
    }

    /// `all` returns all faults of an archive, from those of this reading, unless other readings
    /// follow.
    fn end_file(
        &mut self,
        order: WalkPosition,
        entry: Entry,
        read: io::Result<FileOutcome>,
        all: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>,
    ) {
        self.leave(b"");
        // Not held while this worker waits for another one's batch.
        self.heavy = None;
        let error = match read {
            Ok(FileOutcome::Read(FileRead {
                format: Some(format),
                has_counts,
                record,
                error,
                ..
            })) => {
                if has_counts {
                    self.collected.summary.count_unread(&record.counts);
                }
                self.document(None, format, record.bytes);
                error
            }
            Ok(FileOutcome::Skipped(skip)) => {
                self.collected.summary.skip(skip.reason);
                if self.notes_assets() && !matches!(entry.kind, EntryKind::LeftOut(_)) {
                    self.asset(None, self.found.file, &[]);
                }
                let verbosity = self.audit.options.reading.verbosity;
                if entry.named && verbosity.errors || verbosity.diagnostics {
                    self.collected.skipped.push((order, entry.path, skip));
                }
                None
            }
            Ok(FileOutcome::Read(FileRead { record, error, .. })) => {
                for (name, count) in &record.counts.skipped {
                    for _ in 0..*count {
                        self.collected.summary.skip(sniff::unread_kind(name).into());
                    }
                }
                let around = std::mem::take(&mut self.found.around);
                let around = all(around).unwrap_or_default();
                let around = self.count_by_code(WireReader(&around));
                if !around.is_empty() {
                    self.asset(None, self.found.file, &around);
                }
                error
            }
            Ok(FileOutcome::Listed) => None,
            Err(error) => {
                self.collected.summary.failed_files += 1;
                Some(error)
            }
        };
        if let Some(error) = error {
            self.fail(&error.to_string());
        }
    }

    /// Returns one record for each code among the faults of an archive.
    fn count_by_code(&mut self, mut faults: WireReader<'_>) -> Vec<u8> {
        let (mut counts, mut records) = (DiagnosticCounts::default(), Vec::new());
        while !faults.0.is_empty() {
            if let JournalRecord::Diagnostic(found) = JournalRecord::unpack(&mut faults) {
                counts.add(&found);
            }
        }
        for found in counts.diagnostics() {
            self.collected.summary.damaged += u64::from(found.code.effect == Effect::Damage);
            JournalRecord::Diagnostic(found).pack(&mut records);
        }
        records
    }

    fn notes_assets(&self) -> bool {
        let options = &self.audit.options;
        let is_listed = options.list == ListedLinks::Anchors;
        options.orphan_assets && (is_listed || options.levels.reports(RuleId::Orphan))
    }

    fn flush(&mut self) {
        if let Some(shared) = self.shared
            && !self.records.is_empty()
        {
            self.batch.blocks.push(shared.journal.add(&self.records));
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

    fn begin_records(&mut self, member: Option<DocumentMember>, file: Option<FileId>) {
        self.documents += 1;
        let path = self.found.path.clone();
        let document = JournalDocument { path, file, member };
        JournalRecord::Document(document).pack(&mut self.records);
    }

    fn fail(&mut self, message: &str) {
        self.collected.summary.errors += 1;
        self.begin_records(None, None);
        JournalRecord::Failure(message).pack(&mut self.records);
    }

    /// Adds a file that is not a document.
    fn asset(&mut self, member: Option<DocumentMember>, file: FileId, records: &[u8]) {
        self.begin_records(member, Some(file));
        self.records.extend_from_slice(records);
        self.add_anchors(file, AnchorSet::default());
    }

    fn add_anchors(&self, file: FileId, found: AnchorSet) {
        let is_named = self.found.named;
        if let Some(shared) = self.shared {
            (shared.anchors).set(file, AnchorSet { is_named, ..found });
        }
    }

    fn document(&mut self, member: Option<DocumentMember>, format: &'static Format, bytes: u64) {
        let path = match &member {
            Some(member) => member.name.as_bytes(),
            None => &self.found.path,
        };
        let is_other = *format == *Format::TEXT && sniff::is_other_text(path);
        self.begin_records(member, Some(self.document.file));
        if !self.document.blocks.is_empty() {
            self.flush();
            self.batch.blocks.append(&mut self.document.blocks);
        }
        let anchors = self.anchors(format);
        // A page that was read names itself, where a rule asks for translations.
        let html = &self.audit.options.reading.extractor.formats.html;
        let is_paired = html.descriptions && format.name == "html";
        let own = is_paired.then_some(self.document.file);
        self.collected.translations.extend(own.zip(own));
        self.add_anchors(self.document.file, anchors);
        let (found, collected) = (&self.document, &mut self.collected);
        self.records.extend_from_slice(&found.records.bytes);
        add_counts(&mut collected.counts, &found.counts);
        let summary = &mut collected.summary;
        summary.files += 1;
        summary.read_as_text += u64::from(is_other);
        summary.bytes += bytes;
        summary.add(&found.summary);
        if let Some(progress) = &self.audit.options.reading.progress {
            progress.add(1, bytes, found.summary.references);
        }
    }
}

impl LinkCollector<'_> {
    /// Ends a member that was not a document; `next` is the next path.
    fn leave(&mut self, next: &[u8]) {
        let found = &mut self.found;
        found.around.append(&mut found.pending);
        let Some((member, path, file)) = found.open.take() else {
            return;
        };
        // An opened archive is not a file of the tree.
        let below = next.strip_prefix(path.as_slice());
        let is_opened = below.is_some_and(|below| below.starts_with(b"!/"));
        if self.notes_assets() && !is_opened {
            self.asset(Some(member), file, &[]);
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        let record = JournalRecord::Diagnostic(found.clone());
        let file = &mut self.found;
        let is_open = file.open.is_some();
        // A container's reports about a member come before or after it. A file that is not an
        // archive is a document.
        if file.begun == 0 || is_open {
            self.document.summary.diagnose(found.code, found.count);
            record.pack(&mut self.document.records.bytes);
        }
        let records = [&mut file.around, &mut file.pending];
        record.pack(records[usize::from(is_open)]);
    }
}

impl ArchiveSink for LinkCollector<'_> {
    fn begin_member(&mut self, name: &str, path: &[u8]) -> MemberChoice {
        self.leave(path);
        let audit = self.audit;
        let absolute = [self.found.archive.as_slice(), path].concat();
        let file = audit.checker.walked(&absolute, false);
        self.collected.labels.walked(audit, &absolute);
        self.heavy = None;
        self.begin(file);
        self.found.begun += 1;
        let end = memchr::memmem::find(path, b"!/").unwrap_or(path.len());
        let mut segments = path[..end].split(|&byte| byte == b'/');
        // The relationships of a package are not hidden.
        let is_hidden = |segment: &[u8]| segment.starts_with(b".") && segment != b".rels";
        if !audit.options.reading.hidden_members && segments.any(is_hidden) {
            return MemberChoice::Skip;
        }
        let member = DocumentMember {
            number: self.found.begun,
            name: name.to_owned(),
        };
        self.found.open = Some((member, path.to_vec(), file));
        MemberChoice::Read
    }

    /// The nearest directory above with the configuration of Sphinx (A90), within the archive.
    fn root_of_member(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        let tree = &self.audit.checker.tree;
        let above = memchr::memrchr_iter(b'/', path).map(|at| &path[..at]);
        let mut above = above.take_while(|above| !above.ends_with(b"!"));
        let has_configuration = |above: &&[u8]| {
            let directory = [&self.found.archive, *above].concat();
            tree.file_in(&directory, b"conf.py").is_some()
        };
        above.find(has_configuration).map(<[u8]>::to_vec)
    }

    fn end_member(&mut self, format: &'static Format, length: u64) {
        self.found.pending.clear();
        if let Some((member, ..)) = self.found.open.take() {
            self.document(Some(member), format, length);
        }
    }
}

/// The script that gives lines their ids in the pages of JSDoc.
const LINE_NUMBERS: &[u8] = b"scripts/linenumber.js";

/// Returns whether a generator puts the text of the target into the document.
fn is_part(link: &Link<'_>) -> bool {
    matches!(link.element, Some("part" | "include" | "import")) && link.attribute.is_none()
}

/// The end of the name of a module with components.
static SCRIPT: Pattern = Pattern::new(r"\.(?:m?js|jsx|tsx?|astro|vue)$");

fn has_fragments(format: &Format) -> bool {
    format.is_markdown() || matches!(format.name, "adoc" | "html" | "pdf" | "rst" | "xml")
}

impl DocumentFinds {
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
}

impl LinkCollector<'_> {
    fn move_records(&mut self) {
        let found = &mut self.document;
        if let Some(shared) = self.shared
            && found.records.bytes.len() >= BLOCK
        {
            found.blocks.push(shared.journal.add(&found.records.bytes));
            found.records.clear();
        }
    }

    /// Ends the document.
    fn anchors(&mut self, format: &Format) -> AnchorSet {
        let (audit, found) = (self.audit, &mut self.document);
        found.names.sort_unstable();
        found.names.dedup();
        // A page that refreshes to itself redirects nowhere.
        let mut redirect = found.redirect.take();
        redirect.take_if(|redirect| redirect.location.file() == Some(found.file));
        let is_pdf = format.name == "pdf";
        // Destinations of a PDF that could not be read to its end may be missing.
        let has_names = has_fragments(format) && !(is_pdf && found.summary.damaged > 0);
        let path = audit.checker.paths.path(found.file);
        let reading = &audit.options.reading;
        let slug = format.is_markdown().then(|| {
            let usual = reading.extractor.formats.markdown.slug;
            reading.dialects.of(&path).unwrap_or(usual)
        });
        let is_of_site = audit.sources.has(&path);
        for &part in found.parts.iter().flatten() {
            self.collected.parts.push((found.file, part));
            if is_of_site {
                self.collected.included.insert(part);
            }
        }
        let is_open =
            |&part: &FileId| has_unread_labels(audit, format, &audit.checker.paths.path(part));
        let is_rst = format.name == "rst";
        let includes_text = (is_rst || slug.is_some()) && found.parts.iter().flatten().any(is_open);
        if is_rst && includes_text {
            self.collected.labels.open.insert(path.clone());
        }
        let has_other_ids = includes_text
            || found.parts.contains(&None)
            || audit.sources.has_other_ids(&path, format.name == "html");
        // Hosts of Markdown list directories, servers do not (A12).
        let is_on_host = matches!(slug, Some(Slug::GitHub | Slug::GitLab));
        let is_served = audit.options.server.is_some() || !audit.checker.servers.views.is_empty();
        // A chapter of a book is not a page of the site that the book is in.
        let is_chapter = memchr::memchr(b'!', &path).is_some()
            && (audit.checker.mounts.relative_path(&path))
                .is_some_and(|below| memchr::memmem::find(below, b"!/").is_some());
        AnchorSet {
            names: (has_names && !has_other_ids).then(|| found.names.as_slice().into()),
            is_pdf,
            is_page: !is_chapter
                && match format.name {
                    "pdf" => false,
                    "xml" => path.ends_with(b".xhtml") || path.ends_with(b".xht"),
                    _ => has_fragments(format),
                },
            is_xml: format.name == "xml",
            has_line_ids: found.has_line_ids,
            has_text: (format.name == "html" || format.is_markdown())
                && !(has_other_ids || redirect.is_some())
                && found.parts.is_empty(),
            redirect,
            on_github: slug == Some(Slug::GitHub)
                || format.name == "adoc"
                    && !audit.repositories.is_empty()
                    && !audit.sources.has(&path),
            lists_directories: is_on_host && !is_served,
            ..AnchorSet::default()
        }
    }

    /// Returns the requirements of a link on its file that are not known to be met yet.
    fn needs(&mut self, link: &Link<'_>, (location, fragment): Located<'_>) -> Option<NeededNames> {
        let file = location.file()?;
        let is_own = file == self.document.file;
        if !is_own {
            self.collected.linked.insert(file);
        }
        if link.flags.contains(Flags::LISTED) {
            self.collected.listed.insert(file);
        }
        let mut names = (None, None);
        let checked = fragment.filter(|_| self.audit.options.checks_fragments);
        if let Some(name) = checked.and_then(required_name) {
            self.collected.wanted.insert(file);
            let hash = |name: &[u8]| Some(self.audit.hasher.hash_one(name).to_le_bytes());
            let decoded = percent_decoded(name);
            let [first, last] = line_range(&decoded).unwrap_or([&decoded, b""]);
            names = (hash(first), hash(last).filter(|_| !last.is_empty()));
        }
        (!is_own || names.0.is_some()).then_some(names)
    }

    /// Notes the first refresh.
    fn refresh(&mut self, link: &Link<'_>, location: TargetLocation) {
        let outer = !link.flags.intersects(Flags::INERT | Flags::SRCDOC);
        if link.flags.contains(Flags::REFRESH) && outer && self.document.redirect.is_none() {
            let suffix = split_path(link.target.unwrap_or_default()).1.into();
            self.document.redirect = Some(Box::new(Redirect { location, suffix }));
        }
    }
}

impl Sink for LinkCollector<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let lists_anchors = self.audit.options.list == ListedLinks::Anchors;
        if lists_anchors && !link.flags.contains(Flags::REFRESH) {
            self.document.summary.references += 1;
            return ControlFlow::Continue(());
        }
        let file = self.document.file;
        let place = self.lookups.locate_link(link, file);
        let ((location, fragment), needs) = (place, self.needs(link, place));
        self.refresh(link, location);
        let is_script = link.element == Some("script");
        self.document.has_line_ids |= is_script && link.reference.ends_with(LINE_NUMBERS);
        if is_part(link) {
            let part = location.file();
            let wanted = &mut self.collected.wanted;
            part.into_iter().for_each(|part| wanted.insert(part));
            // A component that a script makes may have any ids.
            let path = part.map(|part| self.audit.checker.paths.path(part));
            let is_script = path.is_some_and(|path| SCRIPT.is_match(&path));
            // A missing part of AsciiDoc or reStructuredText is a finding by itself.
            if part.is_some() || link.element != Some("include") {
                self.document.parts.push(part.filter(|_| !is_script));
            }
        }
        if self.shared.is_none() || lists_anchors {
            return ControlFlow::Continue(());
        }
        if language(link).is_some() {
            let pages = Some(self.document.file).zip(location.file());
            self.collected.translations.extend(pages);
        }
        let relation = self.audit.relation(link, self.document.file, place);
        if let (Some(RuleId::TextFragment), Some(file)) = (relation, location.file()) {
            self.collected.wanted.insert(file);
        }
        let facts = TargetFacts {
            link,
            location,
            fragment: FragmentMatch::Found,
            is_route: fragment.is_some_and(is_route),
            redirects: false,
            online: self.audit.answer(link, location),
            relation,
        };
        let (options, document) = (&self.audit.options, &mut self.document);
        document.summary.references += 1;
        let finding = options.levels.first_finding(&facts);
        if finding.is_some() || options.list != ListedLinks::Findings {
            document.records.link(link, place, None);
        } else if needs.is_some() {
            document.records.link(link, place, needs);
        } else {
            document.counts[LinkState::of(&facts, finding) as usize] += 1;
        }
        self.move_records();
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        let audit = self.audit;
        let document = &mut self.document;
        match found {
            Found::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            Found::Anchor(name, offset) => {
                let hash = audit.hasher.hash_one(name);
                document.names.push(hash);
                if audit.options.list == ListedLinks::Anchors {
                    JournalRecord::Anchor(*offset, name).pack(&mut document.records.bytes);
                    self.move_records();
                } else if self.reports_repeated && !document.ids.insert(hash) {
                    JournalRecord::Repeated(*offset, name).pack(&mut document.records.bytes);
                    self.move_records();
                }
            }
            Found::Remark(remark) if remark.kind == RemarkKind::Label => {
                let label = audit.hasher.hash_one(remark.text);
                self.collected.labels.names.insert(label);
            }
            Found::Remark(remark) if remark.kind == RemarkKind::NameReference => {}
            Found::Remark(remark) => {
                JournalRecord::Remark(*remark).pack(&mut document.records.bytes);
                self.move_records();
            }
            Found::Exact(_) => document.summary.exact += 1,
            Found::Heavy => {
                self.heavy.get_or_insert_with(|| audit.heavy.lock());
            }
            Found::Restart => {
                document.clear_names();
                JournalRecord::Restart.pack(&mut document.records.bytes);
            }
            _ => {}
        }
    }
}

/// Reads the anchors of files that the walk did not find.
pub(super) fn read_others(audit: &Audit, files: &[FileId]) -> Vec<(FileId, AnchorSet)> {
    let reading = &audit.options.reading;
    let reader = || FileReader::new(reading);
    map_items(reading.threads, 1, files, reader, |reader, &file| {
        let path = audit.checker.paths.path(file);
        let mut collector = LinkCollector::new(audit, None);
        collector.begin(file);
        let format = read_at(reader, &path, &mut collector);
        let anchors = format.map(|format| collector.anchors(format));
        (file, anchors.unwrap_or_default())
    })
}

/// The path may lie in an archive.
pub(super) fn read_at(
    reader: &mut FileReader<'_>,
    path: &[u8],
    sink: &mut dyn ArchiveSink,
) -> Option<&'static Format> {
    let Some(entry) = members::entry_at(path, false) else {
        return members::read(reader, path, sink);
    };
    match reader.read(&entry, sink) {
        Ok(FileOutcome::Read(read)) => read.format,
        _ => None,
    }
}

#[cfg(test)]
#[path = "../../tests/unit/audit/collect.rs"]
mod tests;
