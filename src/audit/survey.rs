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
use super::site::{Counts, Document, Item, Offer, Pending, State};
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

/// What is wrong beyond doubt is kept up to this many bytes; documents that have no room are read
/// again instead.
const KEPT: usize = 48 << 20;
/// The same for one document.
const KEPT_OF_ONE: usize = 1 << 20;

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
        let mut all = vec![work()];
        for other in others {
            match other.join() {
                Ok(its) => all.push(its),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        for its in all {
            survey.documents.extend(its.documents);
            survey.summary.add(&its.summary);
            survey.damaged += its.damaged;
            survey.skipped.extend(its.skipped);
        }
    });
    survey
}

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
                    // INVARIANT: no file is cut, for the options ask for pieces without end.
                    Job::Piece(_) => {}
                    Job::Unreadable(path) => {
                        let entry = Entry {
                            path: path.path,
                            kind: Kind::File(0),
                            named: true,
                        };
                        self.fail(order, entry, &path.message);
                    }
                }
            }
        }
        self.survey
    }

    fn fail(&mut self, order: (u64, u32), entry: Entry, message: &str) {
        self.survey.summary.errors += 1;
        let document = Document::unreadable(order, entry, message);
        self.survey.documents.push(document);
    }

    fn file(&mut self, order: (u64, u32), entry: Entry) {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let absolute = self.names.absolute(&self.audit.reading.bases.here, path);
        let absolute = absolute.unwrap_or(path);
        let file = self.audit.checker.paths.id(absolute);
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
                    self.fail(order, entry, &error.to_string());
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
            Err(error) => self.fail(order, entry, &error.to_string()),
        }
    }

    fn document(&mut self, order: (u64, u32), entry: &Entry, format: &'static Format, bytes: u64) {
        let found = &mut self.found;
        found.end(format);
        let references: u64 = found.counts.iter().sum();
        self.survey.summary.files += 1;
        self.survey.summary.bytes += bytes;
        self.survey.summary.references += references;
        if let Some(progress) = &self.audit.reading.progress {
            progress.add(1, bytes, references);
        }
        self.survey.damaged += found.damaged;
        self.survey.summary.exact += found.exact;
        self.survey.summary.approximate += found.approximate;
        if found.keep == Keep::Problems {
            let before = self.kept.fetch_add(found.packed.len(), Ordering::Relaxed);
            if before + found.packed.len() > KEPT || found.packed.len() > KEPT_OF_ONE {
                found.packed.clear();
                found.marked = true;
            }
        }
        self.survey.documents.push(Document {
            order,
            entry: entry.clone(),
            file: Some(found.file),
            offer: Offer {
                anchors: has_fragments(format).then(|| found.anchors.as_slice().into()),
                redirect: found.redirect,
            },
            links: found.links.as_slice().into(),
            pending: found.pending.as_slice().into(),
            counts: found.counts,
            packed: found.packed.as_slice().into(),
            marked: found.marked,
            failed: false,
        });
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
    links: Vec<FileId>,
    pending: Vec<Pending>,
    redirect: Option<Place>,
    counts: Counts,
    packed: Vec<u8>,
    marked: bool,
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
            links: Vec::new(),
            pending: Vec::new(),
            redirect: None,
            counts: Counts::default(),
            packed: Vec::new(),
            marked: false,
            damaged: 0,
            exact: 0,
            approximate: 0,
        }
    }

    fn begin(&mut self, file: FileId, keep: Keep) {
        self.file = file;
        self.keep = keep;
        self.anchors.clear();
        self.links.clear();
        self.pending.clear();
        self.redirect = None;
        self.counts = Counts::default();
        self.packed.clear();
        self.marked = keep == Keep::Nothing;
        (self.damaged, self.exact, self.approximate) = (0, 0, 0);
    }

    /// Sorts what was found, and checks the fragments that the document wants of itself.
    fn end(&mut self, format: &Format) {
        let count = self.anchors.len();
        self.anchors.sort_unstable();
        self.anchors.dedup();
        self.marked |= self.anchors.len() < count && self.audit.wants("duplicate-id");
        self.links.sort_unstable();
        self.links.dedup();
        self.pending.sort_unstable();
        self.pending.dedup();
        let (own, anchors) = (self.file, &self.anchors);
        let has = |name| !has_fragments(format) || anchors.binary_search(&name).is_ok();
        let mut missing = false;
        self.pending.retain(|pending| {
            missing |= pending.file == own && !has(pending.name);
            pending.file != own
        });
        self.marked |= missing;
        // A page that sends its readers to itself is only read anew.
        if self.redirect.and_then(Place::file) == Some(own) {
            self.redirect = None;
        }
    }

    fn want(&mut self, file: FileId, fragment: &[u8]) {
        if let Some(wanted) = fragment::wanted(fragment) {
            let name = self.audit.key.of(&fragment::decoded(wanted));
            self.pending.push(Pending { file, name });
        }
    }

    fn leads(&mut self, link: &Link<'_>, place: Place, fragment: Option<&[u8]>) {
        if let Some(file) = place.file() {
            if self.links.last() != Some(&file) {
                self.links.push(file);
            }
            if let Some(fragment) = fragment
                && self.audit.fragments == Fragments::Check
            {
                self.want(file, fragment);
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
        self.counts[state as usize] += 1;
        let keep = match self.keep {
            Keep::Problems => finding.is_some() && self.packed.len() <= KEPT_OF_ONE,
            Keep::Nothing => false,
            Keep::All => true,
        };
        if keep {
            self.packed.push(Item::Link as u8);
            packed::push_link(link, &mut self.packed);
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        self.damaged += u64::from(found.code.effect == Effect::Damage);
        self.approximate += u64::from(std::ptr::eq(found.code, &diagnostic::APPROXIMATE));
        self.marked |=
            std::ptr::eq(found.code, &diagnostic::BASE_SECOND) && self.audit.wants("several-bases");
        if self.keep != Keep::Nothing {
            self.packed.push(Item::Diagnostic as u8);
            packed::push_diagnostic(found, &mut self.packed);
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
        Place::External | Place::OutsideRoot => State::External,
        Place::Unresolved(_) => State::Unresolved,
        Place::Skipped | Place::LeftOut => State::Skipped,
    }
}
