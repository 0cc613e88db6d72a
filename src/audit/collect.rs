//! The first reading: every document once, in whatever order the workers come to it. What is wrong
//! beyond doubt is kept; what depends on another document is kept as a number or two.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::check::{TargetFacts, TargetLocation};
use super::fragment;
use super::lookup::LookupCache;
use super::paths::FileId;
use super::site::{
    AnchorSet, DocumentContents, FileSet, LinkState, PackedItem, PendingFragment, SiteDocument,
};
use super::wire;
use super::{Audit, FragmentChecks, ListedLinks};
use crate::document::Format;
use crate::document::diagnostic::{self, Effect};
use crate::document::flags::Flags;
use crate::output::record::{Skip, Summary};
use crate::pipeline::bases::AbsolutePaths;
use crate::pipeline::queue::{Job, Queue};
use crate::pipeline::read::{FileOutcome, FileReader};
use crate::pipeline::run::spawn;
use crate::pipeline::walk::{Entry, EntryKind, Walk};
use crate::resolver::{Diagnostic, Link, Sink};

/// What is found in documents is kept up to this many bytes; past it documents are read again
/// instead.
const KEPT: usize = 48 << 20;
/// The same for one document.
const KEPT_OF_ONE: usize = 1 << 20;
/// Links and fragments of one document are sorted, and equal ones removed, when there are so many.
const UNSORTED: usize = KEPT_OF_ONE / size_of::<PendingFragment>();

/// What the first reading found.
#[derive(Debug, Default)]
pub struct Collection {
    /// The documents, in no order.
    pub documents: Vec<SiteDocument>,
    /// What was read.
    pub summary: Summary,
    /// Damaged containers.
    pub damaged: u64,
    /// Files that were left out, in no order, where that is told.
    pub skipped: Vec<SkippedFile>,
    /// Files that are named with a fragment.
    pub wanted: FileSet,
    /// Files to which another document links.
    pub linked: FileSet,
}

/// A file that was left out.
#[derive(Debug)]
pub struct SkippedFile {
    /// Its ticket and its place in the batch.
    pub order: (u64, u32),
    /// Its path.
    pub path: PathBuf,
    /// Why.
    pub skip: Skip,
}

/// Reads every file of a walk.
pub fn run(audit: &Audit, walk: Walk) -> Collection {
    let queue = Queue::new(walk, &audit.reading);
    let kept = AtomicUsize::new(0);
    let mut survey = Collection::default();
    thread::scope(|scope| {
        let work = || CollectWorker::new(audit, &kept).work(&queue);
        let others = spawn(scope, audit.reading.threads.max(1) - 1, work);
        survey = work();
        for other in others {
            match other.join() {
                Ok(its) => survey.add(its),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    survey
}

impl Collection {
    /// Adds what another worker has found.
    fn add(&mut self, mut other: Collection) {
        self.documents.append(&mut other.documents);
        self.summary.add(&other.summary);
        self.damaged += other.damaged;
        self.skipped.append(&mut other.skipped);
        self.wanted.add(&other.wanted);
        self.linked.add(&other.linked);
    }
}

/// The ticket of a document's batch and its number in it.
type WalkPosition = (u64, u32);

struct CollectWorker<'a> {
    audit: &'a Audit,
    reader: FileReader<'a>,
    names: AbsolutePaths,
    found: DocumentFinds<'a>,
    kept: &'a AtomicUsize,
    survey: Collection,
}

impl<'a> CollectWorker<'a> {
    fn new(audit: &'a Audit, kept: &'a AtomicUsize) -> Self {
        CollectWorker {
            audit,
            reader: FileReader::new(&audit.reading),
            names: AbsolutePaths::default(),
            found: DocumentFinds::new(audit),
            kept,
            survey: Collection::default(),
        }
    }

    fn work(mut self, queue: &Queue<'_>) -> Collection {
        let (mut hand, mut jobs) = (queue.hand(), Vec::new());
        while let Some(ticket) = hand.pull(&mut jobs) {
            for (index, job) in jobs.drain(..).enumerate() {
                let order = (ticket, index as u32);
                match job {
                    // None is read ahead where no file is cut.
                    Job::File(entry) | Job::Read(entry, _) => self.file(order, entry),
                    // `Audit::run` asks for documents as a whole.
                    Job::Piece(_) => unreachable!("no file is cut"),
                    Job::Unreadable(path) => {
                        let entry = Entry {
                            path: path.path,
                            kind: EntryKind::File(0),
                            named: true,
                        };
                        self.fail(order, &entry, &path.message);
                    }
                }
            }
        }
        self.survey.wanted = self.found.wanted;
        self.survey.linked = self.found.linked;
        self.survey
    }

    fn fail(&mut self, order: WalkPosition, entry: &Entry, message: &str) {
        self.survey.summary.errors += 1;
        // It stands behind what could be read.
        let order = (order.0 as u32, order.1, true);
        let document = SiteDocument::unreadable(order, entry, message);
        self.survey.documents.push(document);
    }

    fn file(&mut self, order: WalkPosition, entry: Entry) {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let absolute = self.names.absolute(&self.audit.reading.bases.here, path);
        let absolute = absolute.unwrap_or(path);
        let file = match entry.kind {
            EntryKind::LeftOut(_) => FileId(0),
            _ => self.audit.checker.walked(absolute, entry.named),
        };
        // What can only be read once must be kept as a whole.
        let keep = if matches!(entry.kind, EntryKind::File(_) | EntryKind::Unmeasured) {
            self.audit.keep()
        } else {
            LinkRetention::All
        };
        self.found.begin(file, keep);
        match self.reader.read(&entry, &mut self.found) {
            Ok(FileOutcome::Document {
                format,
                bytes,
                error,
            }) => {
                self.document(order, &entry, format, bytes);
                if let Some(error) = error {
                    if let Some(document) = self.survey.documents.last_mut() {
                        document.failed = true;
                    }
                    self.fail(order, &entry, &error.to_string());
                }
            }
            Ok(FileOutcome::Skipped(skip)) => {
                self.survey.summary.skip(skip.reason);
                let talk = self.audit.reading.talk;
                if entry.named && talk.errors || talk.diagnostics {
                    let path = entry.path;
                    self.survey.skipped.push(SkippedFile { order, path, skip });
                }
            }
            Ok(FileOutcome::Listed) => {}
            Err(error) => self.fail(order, &entry, &error.to_string()),
        }
    }

    fn document(
        &mut self,
        order: WalkPosition,
        entry: &Entry,
        format: &'static Format,
        bytes: u64,
    ) {
        let found = &mut self.found;
        found.end(format);
        let references: u64 = found.contents.counts.iter().sum();
        self.survey.summary.files += 1;
        self.survey.summary.bytes += bytes;
        self.survey.summary.references += references;
        if let Some(progress) = &self.audit.reading.progress {
            progress.add(1, bytes, references);
        }
        self.survey.damaged += found.damaged;
        self.survey.summary.exact += found.exact;
        self.survey.summary.approximate += found.approximate;
        if found.keep != LinkRetention::All {
            let size = found.contents.size();
            found.marked |= size > KEPT_OF_ONE;
            if !found.marked && self.kept.fetch_add(size, Ordering::Relaxed) + size > KEPT {
                self.kept.fetch_sub(size, Ordering::Relaxed);
                found.marked = true;
            }
            if found.marked {
                found.contents.clear();
            }
        }
        let offer = AnchorSet {
            anchors: has_fragments(format).then(|| found.anchors.as_slice().into()),
            redirect: found.redirect,
        };
        let order = (order.0 as u32, order.1, false);
        let mut document =
            SiteDocument::new(order, entry, Some(found.file), offer, &found.contents);
        document.marked = found.marked;
        self.survey.documents.push(document);
    }
}

/// Whether the fragments of references to documents of a format are checked.
pub fn has_fragments(format: &Format) -> bool {
    matches!(format.name, "html" | "markdown")
}

/// What is kept of a document's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRetention {
    /// Those with a finding.
    Problems,
    /// None: all documents are read again.
    Nothing,
    /// All: the document cannot be read again.
    All,
}

impl Audit {
    fn keep(&self) -> LinkRetention {
        match self.list {
            ListedLinks::Findings => LinkRetention::Problems,
            ListedLinks::Links | ListedLinks::External => LinkRetention::Nothing,
        }
    }
}

/// What has been found in the document at hand.
struct DocumentFinds<'a> {
    audit: &'a Audit,
    lookups: LookupCache<'a>,
    file: FileId,
    keep: LinkRetention,
    anchors: Vec<u64>,
    contents: DocumentContents,
    redirect: Option<TargetLocation>,
    marked: bool,
    /// Files that any document names with a fragment.
    wanted: FileSet,
    /// Files to which any other document links.
    linked: FileSet,
    damaged: u64,
    /// Documents in the file that were read a second time.
    exact: u64,
    /// Documents in the file of which a part was read by approximation.
    approximate: u64,
}

impl<'a> DocumentFinds<'a> {
    fn new(audit: &'a Audit) -> Self {
        DocumentFinds {
            audit,
            lookups: LookupCache::new(&audit.checker, audit.key),
            file: FileId(0),
            keep: LinkRetention::Nothing,
            anchors: Vec::new(),
            contents: DocumentContents::default(),
            redirect: None,
            marked: false,
            wanted: FileSet::default(),
            linked: FileSet::default(),
            damaged: 0,
            exact: 0,
            approximate: 0,
        }
    }

    fn begin(&mut self, file: FileId, keep: LinkRetention) {
        self.file = file;
        self.keep = keep;
        // One huge document must not pin its memory for all that follow.
        if self.anchors.capacity() > UNSORTED {
            self.anchors = Vec::new();
        }
        self.anchors.clear();
        self.contents.clear();
        self.redirect = None;
        self.marked = keep == LinkRetention::Nothing;
        (self.damaged, self.exact, self.approximate) = (0, 0, 0);
    }

    /// Sorts what was found, and checks the fragments that the document wants of itself.
    fn end(&mut self, format: &Format) {
        let count = self.anchors.len();
        self.anchors.sort_unstable();
        self.anchors.dedup();
        self.marked |= self.anchors.len() < count && self.audit.wants("duplicate-id");
        self.sort();
        let (own, anchors) = (self.file, &self.anchors);
        let has = |name| !has_fragments(format) || anchors.binary_search(&name).is_ok();
        let mut missing = false;
        self.contents.pending.retain(|pending| {
            missing |= pending.file == own && !has(pending.name);
            pending.file != own
        });
        self.marked |= missing;
        // A page that sends its readers to itself is only read anew.
        if self.redirect.and_then(TargetLocation::file) == Some(own) {
            self.redirect = None;
        }
    }

    /// Sorts links and fragments and removes equal ones; a document with very many is read again.
    fn sort(&mut self) {
        let DocumentContents { links, pending, .. } = &mut self.contents;
        links.sort_unstable();
        links.dedup();
        pending.sort_unstable();
        pending.dedup();
        if links.len() + pending.len() > UNSORTED / 2 && self.keep != LinkRetention::All {
            self.marked = true;
        }
    }

    fn want(&mut self, file: FileId, fragment: &[u8]) {
        let Some(wanted) = fragment::wanted(fragment) else {
            return;
        };
        self.wanted.insert(file);
        if !self.marked || self.keep == LinkRetention::All {
            let name = self.audit.key.of(&fragment::decoded(wanted));
            self.contents.pending.push(PendingFragment { file, name });
        }
    }

    fn leads(&mut self, link: &Link<'_>, place: TargetLocation, fragment: Option<&[u8]>) {
        if let Some(file) = place.file() {
            if file != self.file {
                self.linked.insert(file);
            }
            if (!self.marked || self.keep == LinkRetention::All)
                && self.contents.links.last() != Some(&file)
            {
                self.contents.links.push(file);
            }
            if let Some(fragment) = fragment
                && self.audit.fragments == FragmentChecks::Check
            {
                self.want(file, fragment);
            }
            let DocumentContents { links, pending, .. } = &self.contents;
            if links.len().max(pending.len()) >= UNSORTED && !self.marked {
                self.sort();
            }
        }
        let outer = !link.flags.intersects(Flags::INERT | Flags::SRCDOC);
        if link.flags.contains(Flags::REFRESH) && outer && self.redirect.is_none() {
            self.redirect = Some(place);
        }
    }
}

impl Sink for DocumentFinds<'_> {
    fn link(&mut self, link: &Link<'_>) {
        let (place, fragment) = self.audit.locate(link, &mut self.lookups);
        self.leads(link, place, fragment);
        let facts = TargetFacts {
            link,
            place,
            fragment_missing: false,
            redirects: false,
        };
        let finding = self.audit.judge(&facts);
        let state = self.audit.state(&facts, finding);
        self.contents.counts[state as usize] += 1;
        let keep = match self.keep {
            LinkRetention::Problems => {
                finding.is_some() && self.contents.items.len() <= KEPT_OF_ONE
            }
            LinkRetention::Nothing => false,
            LinkRetention::All => true,
        };
        if keep {
            self.contents.items.push(PackedItem::Link as u8);
            wire::push_link(link, &mut self.contents.items);
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        self.damaged += u64::from(found.code.effect == Effect::Damage);
        self.approximate += u64::from(std::ptr::eq(found.code, &diagnostic::APPROXIMATE));
        self.marked |=
            std::ptr::eq(found.code, &diagnostic::BASE_SECOND) && self.audit.wants("several-bases");
        let keep = match self.keep {
            LinkRetention::Problems => self.contents.items.len() <= KEPT_OF_ONE,
            LinkRetention::Nothing => false,
            LinkRetention::All => true,
        };
        if keep {
            self.contents.items.push(PackedItem::Diagnostic as u8);
            wire::push_diagnostic(found, &mut self.contents.items);
        }
    }

    fn exact(&mut self, _rule: &'static str) {
        self.exact += 1;
    }

    fn anchor(&mut self, name: &[u8], _offset: u64) {
        self.anchors.push(self.audit.key.of(name));
    }

    fn restart(&mut self) {
        self.anchors.clear();
    }
}

/// Reads a file for what it offers, and leaves its links aside.
pub fn offer(audit: &Audit, path: &[u8], file: FileId, reader: &mut FileReader<'_>) -> AnchorSet {
    let Some(entry) = entry(path) else {
        return AnchorSet::default();
    };
    let mut found = DocumentFinds::new(audit);
    found.begin(file, LinkRetention::Nothing);
    match reader.read(&entry, &mut found) {
        Ok(FileOutcome::Document { format, .. }) => {
            found.end(format);
            AnchorSet {
                anchors: has_fragments(format).then(|| found.anchors.as_slice().into()),
                redirect: found.redirect,
            }
        }
        _ => AnchorSet::default(),
    }
}

/// A file as a walk would have found it.
pub fn entry(path: &[u8]) -> Option<Entry> {
    let path = crate::pipeline::walk::path_of(path);
    let metadata = std::fs::metadata(&path)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    Some(Entry {
        kind: EntryKind::File(metadata.len()),
        named: false,
        path,
    })
}

/// The state that a link ends in.
pub(super) fn state(facts: &TargetFacts<'_>, is_error: bool) -> LinkState {
    match facts.place {
        TargetLocation::Nothing | TargetLocation::NoIndex(_) => LinkState::Broken,
        TargetLocation::File(..) if facts.fragment_missing || is_error => LinkState::Broken,
        TargetLocation::File(..) => LinkState::Ok,
        TargetLocation::External | TargetLocation::OutsideRoot | TargetLocation::SymlinkOut => {
            LinkState::External
        }
        TargetLocation::Unresolved(_) => LinkState::Unresolved,
        TargetLocation::Skipped | TargetLocation::LeftOut => LinkState::Skipped,
    }
}
