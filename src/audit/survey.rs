//! The first reading: every document once, in whatever order the workers come to it. What is wrong
//! beyond doubt is kept; what depends on another document is kept as a number or two.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::check::{Facts, Place};
use super::fragment;
use super::lookup::Lookups;
use super::packed;
use super::paths::FileId;
use super::site::{Contents, Document, FileSet, Item, Offer, Pending, State};
use super::{Audit, Fragments, List};
use crate::document::Format;
use crate::document::diagnostic::{self, Effect};
use crate::document::flags::Flags;
use crate::output::record::{Skip, Summary};
use crate::pipeline::bases::Names;
use crate::pipeline::queue::{Job, Queue};
use crate::pipeline::read::{Read, Reader};
use crate::pipeline::run::spawn;
use crate::pipeline::walk::{Entry, Kind, Walk};
use crate::resolver::{Diagnostic, Link, Sink};

/// What is found in documents is kept up to this many bytes; past it documents are read again
/// instead.
const KEPT: usize = 48 << 20;
/// The same for one document.
const KEPT_OF_ONE: usize = 1 << 20;
/// Links and fragments of one document are sorted, and equal ones removed, when there are so many.
const UNSORTED: usize = KEPT_OF_ONE / size_of::<Pending>();

/// What the first reading found.
#[derive(Debug, Default)]
pub struct Survey {
    /// The documents, in no order.
    pub documents: Vec<Document>,
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
pub fn run(audit: &Audit, walk: Walk) -> Survey {
    let queue = Queue::new(walk, &audit.reading);
    let kept = AtomicUsize::new(0);
    let mut survey = Survey::default();
    thread::scope(|scope| {
        let work = || Worker::new(audit, &kept).work(&queue);
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

impl Survey {
    /// Adds what another worker has found.
    fn add(&mut self, mut other: Survey) {
        self.documents.append(&mut other.documents);
        self.summary.add(&other.summary);
        self.damaged += other.damaged;
        self.skipped.append(&mut other.skipped);
        self.wanted.add(&other.wanted);
        self.linked.add(&other.linked);
    }
}

/// The ticket of a document's batch and its number in it.
type Order = (u64, u32);

struct Worker<'a> {
    audit: &'a Audit,
    reader: Reader<'a>,
    names: Names,
    found: Found<'a>,
    kept: &'a AtomicUsize,
    survey: Survey,
}

impl<'a> Worker<'a> {
    fn new(audit: &'a Audit, kept: &'a AtomicUsize) -> Self {
        Worker {
            audit,
            reader: Reader::new(&audit.reading),
            names: Names::default(),
            found: Found::new(audit),
            kept,
            survey: Survey::default(),
        }
    }

    fn work(mut self, queue: &Queue<'_>) -> Survey {
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
                            kind: Kind::File(0),
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

    fn fail(&mut self, order: Order, entry: &Entry, message: &str) {
        self.survey.summary.errors += 1;
        // It stands behind what could be read.
        let order = (order.0 as u32, order.1, true);
        let document = Document::unreadable(order, entry, message);
        self.survey.documents.push(document);
    }

    fn file(&mut self, order: Order, entry: Entry) {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let absolute = self.names.absolute(&self.audit.reading.bases.here, path);
        let absolute = absolute.unwrap_or(path);
        let file = match entry.kind {
            Kind::LeftOut(_) => FileId(0),
            _ => self.audit.checker.walked(absolute, entry.named),
        };
        // What can only be read once must be kept as a whole.
        let keep = if matches!(entry.kind, Kind::File(_) | Kind::Unmeasured) {
            self.audit.keep()
        } else {
            Keep::All
        };
        self.found.begin(file, keep);
        match self.reader.read(&entry, &mut self.found) {
            Ok(Read::Document {
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
            Ok(Read::Skipped(skip)) => {
                self.survey.summary.skip(skip.reason);
                let talk = self.audit.reading.talk;
                if entry.named && talk.errors || talk.diagnostics {
                    let path = entry.path;
                    self.survey.skipped.push(SkippedFile { order, path, skip });
                }
            }
            Ok(Read::Listed) => {}
            Err(error) => self.fail(order, &entry, &error.to_string()),
        }
    }

    fn document(&mut self, order: Order, entry: &Entry, format: &'static Format, bytes: u64) {
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
        if found.keep != Keep::All {
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
        let offer = Offer {
            anchors: has_fragments(format).then(|| found.anchors.as_slice().into()),
            redirect: found.redirect,
        };
        let order = (order.0 as u32, order.1, false);
        let mut document = Document::new(order, entry, Some(found.file), offer, &found.contents);
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
pub enum Keep {
    /// Those with a finding.
    Problems,
    /// None: all documents are read again.
    Nothing,
    /// All: the document cannot be read again.
    All,
}

impl Audit {
    fn keep(&self) -> Keep {
        match self.list {
            List::Findings => Keep::Problems,
            List::Links | List::External => Keep::Nothing,
        }
    }
}

/// What has been found in the document at hand.
struct Found<'a> {
    audit: &'a Audit,
    lookups: Lookups<'a>,
    file: FileId,
    keep: Keep,
    anchors: Vec<u64>,
    contents: Contents,
    redirect: Option<Place>,
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

impl<'a> Found<'a> {
    fn new(audit: &'a Audit) -> Self {
        Found {
            audit,
            lookups: Lookups::new(&audit.checker, audit.key),
            file: FileId(0),
            keep: Keep::Nothing,
            anchors: Vec::new(),
            contents: Contents::default(),
            redirect: None,
            marked: false,
            wanted: FileSet::default(),
            linked: FileSet::default(),
            damaged: 0,
            exact: 0,
            approximate: 0,
        }
    }

    fn begin(&mut self, file: FileId, keep: Keep) {
        self.file = file;
        self.keep = keep;
        // One huge document must not pin its memory for all that follow.
        if self.anchors.capacity() > UNSORTED {
            self.anchors = Vec::new();
        }
        self.anchors.clear();
        self.contents.clear();
        self.redirect = None;
        self.marked = keep == Keep::Nothing;
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
        if self.redirect.and_then(Place::file) == Some(own) {
            self.redirect = None;
        }
    }

    /// Sorts links and fragments and removes equal ones; a document with very many is read again.
    fn sort(&mut self) {
        let Contents { links, pending, .. } = &mut self.contents;
        links.sort_unstable();
        links.dedup();
        pending.sort_unstable();
        pending.dedup();
        if links.len() + pending.len() > UNSORTED / 2 && self.keep != Keep::All {
            self.marked = true;
        }
    }

    fn want(&mut self, file: FileId, fragment: &[u8]) {
        let Some(wanted) = fragment::wanted(fragment) else {
            return;
        };
        self.wanted.insert(file);
        if !self.marked || self.keep == Keep::All {
            let name = self.audit.key.of(&fragment::decoded(wanted));
            self.contents.pending.push(Pending { file, name });
        }
    }

    fn leads(&mut self, link: &Link<'_>, place: Place, fragment: Option<&[u8]>) {
        if let Some(file) = place.file() {
            if file != self.file {
                self.linked.insert(file);
            }
            if (!self.marked || self.keep == Keep::All) && self.contents.links.last() != Some(&file)
            {
                self.contents.links.push(file);
            }
            if let Some(fragment) = fragment
                && self.audit.fragments == Fragments::Check
            {
                self.want(file, fragment);
            }
            let Contents { links, pending, .. } = &self.contents;
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

impl Sink for Found<'_> {
    fn link(&mut self, link: &Link<'_>) {
        let (place, fragment) = self.audit.locate(link, &mut self.lookups);
        self.leads(link, place, fragment);
        let facts = Facts {
            link,
            place,
            fragment_missing: false,
            redirects: false,
        };
        let finding = self.audit.judge(&facts);
        let state = self.audit.state(&facts, finding);
        self.contents.counts[state as usize] += 1;
        let keep = match self.keep {
            Keep::Problems => finding.is_some() && self.contents.items.len() <= KEPT_OF_ONE,
            Keep::Nothing => false,
            Keep::All => true,
        };
        if keep {
            self.contents.items.push(Item::Link as u8);
            packed::push_link(link, &mut self.contents.items);
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        self.damaged += u64::from(found.code.effect == Effect::Damage);
        self.approximate += u64::from(std::ptr::eq(found.code, &diagnostic::APPROXIMATE));
        self.marked |=
            std::ptr::eq(found.code, &diagnostic::BASE_SECOND) && self.audit.wants("several-bases");
        let keep = match self.keep {
            Keep::Problems => self.contents.items.len() <= KEPT_OF_ONE,
            Keep::Nothing => false,
            Keep::All => true,
        };
        if keep {
            self.contents.items.push(Item::Diagnostic as u8);
            packed::push_diagnostic(found, &mut self.contents.items);
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
pub fn offer(audit: &Audit, path: &[u8], file: FileId, reader: &mut Reader<'_>) -> Offer {
    let Some(entry) = entry(path) else {
        return Offer::default();
    };
    let mut found = Found::new(audit);
    found.begin(file, Keep::Nothing);
    match reader.read(&entry, &mut found) {
        Ok(Read::Document { format, .. }) => {
            found.end(format);
            Offer {
                anchors: has_fragments(format).then(|| found.anchors.as_slice().into()),
                redirect: found.redirect,
            }
        }
        _ => Offer::default(),
    }
}

/// A file as a walk would have found it.
pub fn entry(path: &[u8]) -> Option<Entry> {
    let path = crate::pipeline::walk::path_of(path);
    let metadata = std::fs::metadata(&path)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    Some(Entry {
        kind: Kind::File(metadata.len()),
        named: false,
        path,
    })
}

/// The state that a link ends in.
pub(super) fn state(facts: &Facts<'_>, is_error: bool) -> State {
    match facts.place {
        Place::Nothing | Place::NoIndex(_) => State::Broken,
        Place::File(..) if facts.fragment_missing || is_error => State::Broken,
        Place::File(..) => State::Ok,
        Place::External | Place::OutsideRoot | Place::SymlinkOut => State::External,
        Place::Unresolved(_) => State::Unresolved,
        Place::Skipped | Place::LeftOut => State::Skipped,
    }
}
