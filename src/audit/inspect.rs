//! The second phase: the findings of each document, from what was kept of it or from another
//! reading, in the order of the walk.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::check::{Facts, Place};
use super::finding::{Finding, Spot, Subject};
use super::judge::Judge;
use super::packed::{self, Packed, push_bytes, push_number};
use super::paths::FileId;
use super::records::{Record, Records};
use super::report::Reports;
use super::rules::RULES;
use super::site::{Counts, Document, Item, Site};
use super::spots;
use super::{Audit, List};
use crate::document::diagnostic;
use crate::document::events::Span;
use crate::pipeline::Order;
use crate::pipeline::ordered::{Ordered, Stopped};
use crate::pipeline::read::{Read, Reader};
use crate::pipeline::run::spawn;
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
    reports: Reports<'r>,
) -> (Reports<'r>, Counts, Option<io::Error>) {
    let ordered = Ordered::new(reports, HELD, Order::Path);
    let next = AtomicUsize::new(0);
    let linked = audit.wants("orphan").then(|| site.linked());
    let total = Mutex::new(Counts::default());
    thread::scope(|scope| {
        let work = || {
            let _guard = Guard(&ordered);
            let mut worker = Worker::new(audit, site, linked.as_deref(), &ordered);
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
    let (reports, error) = ordered.into_inner();
    let total = total.into_inner();
    (
        reports,
        total.unwrap_or_else(std::sync::PoisonError::into_inner),
        error,
    )
}

/// Stops everybody when its worker panics, for nobody will finish its ticket.
struct Guard<'a, 'r>(&'a Ordered<Records, Reports<'r>>);

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(io::Error::other("a worker panicked"));
        }
    }
}

struct Worker<'a, 'r> {
    site: &'a Site,
    linked: Option<&'a [bool]>,
    reader: Reader<'a>,
    inspection: Inspection<'a>,
    ordered: &'a Ordered<Records, Reports<'r>>,
}

impl<'a, 'r> Worker<'a, 'r> {
    fn new(
        audit: &'a Audit,
        site: &'a Site,
        linked: Option<&'a [bool]>,
        ordered: &'a Ordered<Records, Reports<'r>>,
    ) -> Self {
        Worker {
            site,
            linked,
            reader: Reader::new(&audit.reading),
            inspection: Inspection::new(audit, site),
            ordered,
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
            for index in start..end {
                self.document(index);
                if self.inspection.out.0.len() >= ENOUGH {
                    self.ordered
                        .hand_over(ticket as u64, &mut self.inspection.out)?;
                }
            }
            self.ordered
                .finish(ticket as u64, &mut self.inspection.out)?;
        }
    }

    fn document(&mut self, index: usize) {
        let document = &self.site.documents[index];
        let is_orphan = self.linked.is_some_and(|linked| !linked[index]);
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
        let read = self.reader.read(&document.entry, &mut self.inspection);
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

/// A place in the document at hand with which something is wrong, and that is no link.
struct Late {
    rule: &'static str,
    span: Span,
    name: Vec<u8>,
    member: Option<String>,
}

/// Judges the links of one document after the other.
struct Inspection<'a> {
    audit: &'a Audit,
    judge: Judge<'a>,
    out: Records,
    path: Vec<u8>,
    /// The path has been told.
    told: bool,
    late: Vec<Late>,
    seen: std::collections::HashSet<u64>,
    total: Counts,
}

impl<'a> Inspection<'a> {
    fn new(audit: &'a Audit, site: &'a Site) -> Self {
        Inspection {
            audit,
            judge: Judge::new(audit, site),
            out: Records::default(),
            path: Vec::new(),
            told: false,
            late: Vec::new(),
            seen: std::collections::HashSet::new(),
            total: Counts::default(),
        }
    }

    fn begin(&mut self, document: &Document) {
        self.path.clear();
        let path = document.entry.path.as_os_str().as_encoded_bytes();
        self.path.extend_from_slice(path);
        self.told = false;
        self.late.clear();
        self.seen.clear();
        self.judge.begin(document);
    }

    /// Starts a record.
    fn record(&mut self, record: Record) {
        if !std::mem::replace(&mut self.told, true) {
            self.out.0.push(Record::Document as u8);
            push_bytes(&self.path, &mut self.out.0);
        }
        self.out.0.push(record as u8);
    }

    /// Judges what was kept of a document that need not be read again.
    fn kept(&mut self, document: &Document) {
        for (total, count) in self.total.iter_mut().zip(document.counts) {
            *total += count;
        }
        let before = self.total;
        let mut kept = Packed::new(&document.packed);
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
        let path = &document.entry.path;
        let is_entry = self.audit.entries.matched(path, false).is_whitelist()
            || document.file.is_some_and(|file| self.is_home(file));
        let is_page = document.file.is_some() && document.offer.anchors.is_some();
        if is_page && !is_entry {
            self.spot("orphan", &Spot::default());
        }
    }

    /// Whether a file is the page that the root of a mount shows.
    fn is_home(&self, file: FileId) -> bool {
        let checker = &self.audit.checker;
        let mut served = checker.mounts.served();
        served.any(|(_, uri)| checker.place(uri).file() == Some(file))
    }

    fn spot(&mut self, rule: &'static str, spot: &Spot<'_>) {
        let Some((index, level)) = self.audit.levels.named(rule) else {
            return;
        };
        if !self.judge.shows(None) {
            return;
        }
        let key = self.judge.key(index, spot.member, spot.name);
        if self.audit.baseline.contains(&key) {
            return;
        }
        self.record(Record::Finding);
        let finding = Finding {
            subject: Subject::Document(*spot),
            rule: &RULES[index],
            level,
            suggestion: None,
            key: &key,
        };
        finding.push(&mut self.out.0);
    }

    /// Tells what is wrong beside the links.
    fn end(&mut self, document: &Document) {
        let mut late = std::mem::take(&mut self.late);
        late.sort_by_key(|late| late.span.start);
        let offsets = late.iter().map(|late| late.span.start);
        let positions = spots::positions(&document.entry.path, offsets);
        for (late, position) in late.iter().zip(positions) {
            let spot = Spot {
                member: late.member.as_deref(),
                position: position.filter(|_| late.member.is_none()),
                span: Some(late.span),
                name: &late.name,
            };
            self.spot(late.rule, &spot);
        }
        late.clear();
        self.late = late;
    }
}

impl Sink for Inspection<'_> {
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
        if !self.judge.shows(Some(&facts)) || self.audit.baseline.contains(&key) {
            return;
        }
        let suggestion = self.judge.suggestion(index, &facts);
        self.record(Record::Finding);
        let finding = Finding {
            subject: Subject::Link(link),
            rule: &RULES[index],
            level,
            suggestion: suggestion.as_deref(),
            key: &key,
        };
        finding.push(&mut self.out.0);
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        if std::ptr::eq(found.code, &diagnostic::BASE_SECOND) && self.audit.wants("several-bases") {
            self.late.push(Late {
                rule: "several-bases",
                span: Span {
                    start: found.offset,
                    end: found.offset,
                },
                name: Vec::new(),
                member: found.member.map(str::to_owned),
            });
        }
        self.record(Record::Diagnostic);
        packed::push_diagnostic(found, &mut self.out.0);
    }

    fn anchor(&mut self, name: &[u8], offset: u64) {
        if self.audit.wants("duplicate-id") && !self.seen.insert(self.audit.key.of(name)) {
            self.late.push(Late {
                rule: "duplicate-id",
                span: Span {
                    start: offset,
                    end: offset,
                },
                name: name.to_vec(),
                member: None,
            });
        }
    }

    fn restart(&mut self) {
        self.late.clear();
        self.seen.clear();
    }
}
