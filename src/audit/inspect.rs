//! The second phase: the findings of each document, from what was kept of it or from another
//! reading, in the order of the walk.

use std::collections::HashSet;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::baseline;
use super::check::{Facts, Place};
use super::finding::{Draft, Hint, Spot, Subject};
use super::judge::{Judge, Leads};
use super::packed::{self, Packed, push_bytes, push_number, push_optional};
use super::paths::FileId;
use super::records::{Record, Records};
use super::report::Reports;
use super::rules::RULES;
use super::site::{Counts, Document, FileSet, Item, Site};
use super::spots::Positions;
use super::suggester::Suggester;
use super::{Audit, List};
use crate::document::diagnostic;
use crate::document::events::Span;
use crate::pipeline::Order;
use crate::pipeline::ordered::{Consume, Ordered, Stopped};
use crate::pipeline::read::{Read, Reader};
use crate::pipeline::run::spawn;
use crate::pipeline::walk::path_of;
use crate::resolver::{Diagnostic, Link, Sink};

/// What is handed over before its turn is held up to this many bytes.
const HELD: usize = 8 << 20;
/// A block is handed over when it holds this many bytes.
const ENOUGH: usize = 64 << 10;
/// Documents are given out in batches of this many.
const BATCH: usize = 16;

/// Writes the findings of all documents; returns the reports, and how the links ended.
///
/// # Errors
///
/// When a report cannot be written.
pub(super) fn run<'r>(
    audit: &Audit,
    site: &Site,
    linked: &FileSet,
    suggester: Suggester<'_>,
    reports: Reports<'r>,
) -> (Reports<'r>, Counts, Option<io::Error>) {
    let told = Told { suggester, reports };
    let ordered = Ordered::new(told, HELD, Order::Path);
    let next = AtomicUsize::new(0);
    let linked = audit.wants("orphan").then_some(linked);
    let total = Mutex::new(Counts::default());
    thread::scope(|scope| {
        let work = || {
            let _guard = Guard(&ordered);
            let mut worker = Worker::new(audit, site, linked, &ordered);
            // Who learns that the output has failed has nothing left to do.
            let _ = worker.work(&next);
            let mut total = total
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            for (total, count) in total.iter_mut().zip(worker.inspection.total) {
                *total += count;
            }
        };
        // The scope joins the others, and panics if one of them has.
        let _others = spawn(scope, audit.reading.threads.max(1) - 1, work);
        work();
    });
    let (told, error) = ordered.into_inner();
    let total = total.into_inner();
    let mut reports = told.reports;
    reports.totals.unsuggested = told.suggester.omitted();
    (
        reports,
        total.unwrap_or_else(std::sync::PoisonError::into_inner),
        error,
    )
}

/// Stops everybody when its worker panics, for nobody will finish its ticket.
struct Guard<'a, C: Consume<Records>>(&'a Ordered<Records, C>);

impl<C: Consume<Records>> Drop for Guard<'_, C> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(io::Error::other("a worker panicked"));
        }
    }
}

/// The reports, and who finds suggestions for what they are told. Suggestions are found in the order
/// of the findings, so that the same ones are left out when there are too many, for any number of
/// workers.
struct Told<'a, 'r> {
    suggester: Suggester<'a>,
    reports: Reports<'r>,
}

impl Consume<Records> for Told<'_, '_> {
    fn consume(&mut self, records: &Records) -> io::Result<()> {
        let mut packed = Packed::new(&records.0);
        while !packed.is_empty() {
            let record = Record::ALL[usize::from(packed.byte()) % Record::ALL.len()];
            if record == Record::Finding {
                Draft::read(&mut packed, |draft| self.finding(draft));
                self.reports.write_full()?;
            } else {
                self.reports.take(record, &mut packed)?;
            }
        }
        Ok(())
    }
}

impl Told<'_, '_> {
    fn finding(&mut self, draft: &Draft<'_>) {
        let suggestion = match self.reports.shows_next() {
            true => self.suggester.suggestion(draft),
            false => None,
        };
        let key = baseline::written(draft.key);
        self.reports
            .finding(&draft.finding(suggestion.as_deref(), &key));
    }
}

struct Worker<'a, C> {
    site: &'a Site,
    linked: Option<&'a FileSet>,
    reader: Reader<'a>,
    inspection: Inspection<'a, C>,
}

impl<'a, C: Consume<Records>> Worker<'a, C> {
    fn new(
        audit: &'a Audit,
        site: &'a Site,
        linked: Option<&'a FileSet>,
        ordered: &'a Ordered<Records, C>,
    ) -> Self {
        Worker {
            site,
            linked,
            reader: Reader::new(&audit.reading),
            inspection: Inspection::new(audit, site, ordered),
        }
    }

    fn work(&mut self, next: &AtomicUsize) -> Result<(), Stopped> {
        loop {
            let ticket = next.fetch_add(1, Ordering::Relaxed);
            let start = ticket * BATCH;
            if start >= self.site.documents.len() {
                return Ok(());
            }
            let end = self.site.documents.len().min(start + BATCH);
            self.inspection.ticket = ticket as u64;
            for index in start..end {
                self.document(index);
                if self.inspection.stopped {
                    return Err(Stopped);
                }
            }
            self.inspection
                .ordered
                .finish(ticket as u64, &mut self.inspection.out)?;
        }
    }

    fn document(&mut self, index: usize) {
        let document = &self.site.documents[index];
        let is_orphan = self.linked.is_some_and(|linked| {
            let is_linked = |file| linked.contains(file);
            !document.file.is_some_and(is_linked)
        });
        self.inspection.begin(document);
        if document.marked {
            self.again(document);
        } else {
            self.inspection.kept(document);
        }
        if is_orphan {
            self.inspection.orphan(document);
        }
        self.inspection.end(document);
    }

    fn again(&mut self, document: &Document) {
        let read = self.reader.read(&document.entry(), &mut self.inspection);
        let error = match read {
            Ok(Read::Document { error: None, .. }) => return,
            Ok(Read::Document {
                error: Some(error), ..
            })
            | Err(error) => error.to_string(),
            Ok(_) => "it has changed while it was read".to_owned(),
        };
        if !document.failed {
            self.inspection.failure(error.as_bytes());
        }
    }
}

/// Places in the document at hand with which something is wrong, and that are no links.
#[derive(Default)]
struct Late {
    /// The offset of each, and where in `packed` it is described.
    places: Vec<(u64, usize)>,
    /// For each the number of its rule, its member if any, and its name.
    packed: Vec<u8>,
}

impl Late {
    fn push(&mut self, rule: usize, offset: u64, member: Option<&str>, name: &[u8]) {
        self.places.push((offset, self.packed.len()));
        push_number(rule as u64, &mut self.packed);
        push_optional(member.map(str::as_bytes), &mut self.packed);
        push_bytes(name, &mut self.packed);
    }

    fn clear(&mut self) {
        self.places.clear();
        self.packed.clear();
    }
}

/// A set that has grown past this is dropped rather than emptied, which takes as long as it is
/// large.
const EMPTIED: usize = 1 << 12;

/// Judges the links of one document after the other.
struct Inspection<'a, C> {
    audit: &'a Audit,
    judge: Judge<'a>,
    ordered: &'a Ordered<Records, C>,
    ticket: u64,
    /// The output has failed: there is nothing left to do.
    stopped: bool,
    out: Records,
    path: Vec<u8>,
    /// The path has been told.
    told: bool,
    late: Late,
    seen: HashSet<u64>,
    total: Counts,
}

impl<'a, C: Consume<Records>> Inspection<'a, C> {
    fn new(audit: &'a Audit, site: &'a Site, ordered: &'a Ordered<Records, C>) -> Self {
        Inspection {
            audit,
            judge: Judge::new(audit, site),
            ordered,
            ticket: 0,
            stopped: false,
            out: Records::default(),
            path: Vec::new(),
            told: false,
            late: Late::default(),
            seen: HashSet::new(),
            total: Counts::default(),
        }
    }

    fn begin(&mut self, document: &Document) {
        self.path.clear();
        self.path.extend_from_slice(document.path());
        self.told = false;
        self.forget();
        self.judge.begin(document);
    }

    fn forget(&mut self) {
        self.late.clear();
        if self.seen.capacity() > EMPTIED {
            self.seen = HashSet::new();
        }
        self.seen.clear();
    }

    /// Starts a record, once those before it are handed over if there are enough.
    fn record(&mut self, record: Record) {
        if self.out.0.len() >= ENOUGH && !self.stopped {
            let handed = self.ordered.hand_over(self.ticket, &mut self.out);
            self.stopped = handed.is_err();
        }
        if self.stopped {
            self.out.0.clear();
        }
        if !std::mem::replace(&mut self.told, true) {
            self.out.0.push(Record::Document as u8);
            push_bytes(&self.path, &mut self.out.0);
        }
        self.out.0.push(record as u8);
    }

    /// Judges what was kept of a document that need not be read again.
    fn kept(&mut self, document: &Document) {
        for (total, count) in self.total.iter_mut().zip(document.counts()) {
            *total += count;
        }
        let before = self.total;
        let mut kept = document.items();
        while !kept.is_empty() {
            match Item::of(kept.byte()) {
                Item::Link => kept.link(|link| self.link(link)),
                Item::Diagnostic => {
                    let found = kept.diagnostic();
                    self.diagnostic(&found);
                }
                Item::Failure => self.failure(kept.bytes()),
            }
        }
        // They have been counted when they were read.
        self.total = before;
    }

    fn failure(&mut self, message: &[u8]) {
        self.record(Record::Failure);
        push_bytes(message, &mut self.out.0);
    }

    fn orphan(&mut self, document: &Document) {
        let path = path_of(document.path());
        let is_entry = self.audit.entries.matched(&path, false).is_whitelist()
            || document.file.is_some_and(|file| self.is_home(file));
        let is_page = document.file.is_some() && document.offer.anchors.is_some();
        if is_page && !is_entry {
            self.spot("orphan", &Spot::default());
        }
    }

    /// Whether a file is the page that the root of a mount shows.
    fn is_home(&self, file: FileId) -> bool {
        let home = |uri: &[u8]| self.audit.checker.place(uri).file() == Some(file);
        let path = self.audit.checker.paths.path(file);
        self.audit
            .checker
            .mounts
            .uri_of_mount(&path)
            .is_some_and(home)
    }

    fn spot(&mut self, rule: &'static str, spot: &Spot<'_>) {
        let Some((index, level)) = self.audit.levels.named(rule) else {
            return;
        };
        if !self.judge.shows(None) {
            return;
        }
        let key = self.judge.key(index, spot.member, spot.name);
        if self.audit.baseline.contains(key) {
            return;
        }
        self.record(Record::Finding);
        let draft = Draft {
            subject: Subject::Document(*spot),
            rule: index,
            level,
            symlink: None,
            hint: Hint::Nothing,
            key,
        };
        draft.push(&mut self.out.0);
    }

    /// Tells what is wrong beside the links.
    fn end(&mut self, document: &Document) {
        let mut late = std::mem::take(&mut self.late);
        if late.places.is_empty() {
            return;
        }
        late.places.sort_unstable();
        let mut positions = Positions::open(&path_of(document.path()));
        for &(offset, at) in &late.places {
            let mut packed = Packed::new(&late.packed[at..]);
            let rule = RULES[packed.number() as usize].name;
            let member = packed.optional().map(packed::text);
            let spot = Spot {
                member,
                position: positions.at(offset).filter(|_| member.is_none()),
                span: Some(Span {
                    start: offset,
                    end: offset,
                }),
                name: packed.bytes(),
            };
            self.spot(rule, &spot);
        }
    }

    fn late(&mut self, rule: &str, offset: u64, member: Option<&str>, name: &[u8]) {
        if let Some((index, _)) = self.audit.levels.named(rule) {
            self.late.push(index, offset, member, name);
        }
    }
}

impl<C: Consume<Records>> Sink for Inspection<'_, C> {
    fn link(&mut self, link: &Link<'_>) {
        let facts: Facts<'_> = self.judge.facts(link);
        let finding = self.audit.judge(&facts);
        let state = self.audit.state(&facts, finding);
        self.total[state as usize] += 1;
        match self.audit.list {
            List::Findings => {}
            List::Links => {
                self.record(Record::Link);
                push_number(state as u64, &mut self.out.0);
                packed::push_link(link, &mut self.out.0);
            }
            List::External => {
                if let (Place::External | Place::OutsideRoot, Ok(target)) =
                    (facts.place, link.target)
                {
                    self.record(Record::External);
                    push_bytes(target, &mut self.out.0);
                }
            }
        }
        let Some((index, level)) = finding else {
            return;
        };
        let key = self.judge.key(index, link.member, link.reference);
        if !self.judge.shows(Some(&facts)) || self.audit.baseline.contains(key) {
            return;
        }
        let leads = self.judge.leads(&facts);
        let suggestion = self.judge.suggestion(index, &facts);
        self.record(Record::Finding);
        let draft = Draft {
            subject: Subject::Link(link),
            rule: index,
            level,
            symlink: leads.as_ref().map(Leads::symlink),
            hint: suggestion.hint(),
            key,
        };
        draft.push(&mut self.out.0);
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        if std::ptr::eq(found.code, &diagnostic::BASE_SECOND) && self.audit.wants("several-bases") {
            self.late("several-bases", found.offset, found.member, b"");
        }
        self.record(Record::Diagnostic);
        packed::push_diagnostic(found, &mut self.out.0);
    }

    fn anchor(&mut self, name: &[u8], offset: u64) {
        if self.audit.wants("duplicate-id") && !self.seen.insert(self.audit.key.of(name)) {
            self.late("duplicate-id", offset, None, name);
        }
    }

    fn restart(&mut self) {
        self.forget();
    }
}
