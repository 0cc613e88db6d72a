//! The second phase: the findings of each document, from what was kept of it or from another
//! reading, in the order of the walk.

use std::collections::HashSet;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::baseline;
use super::check::{TargetFacts, TargetLocation};
use super::evaluate::{Evaluator, RedirectLead};
use super::finding::{DocumentPosition, FindingDraft, FindingSubject, SuggestionHint};
use super::paths::FileId;
use super::positions::PositionFinder;
use super::records::{WireRecord, WireRecords};
use super::report::ReportSet;
use super::rules::RULES;
use super::site::{FileSet, PackedItem, Site, SiteDocument, StateCounts};
use super::suggester::Suggester;
use super::wire::{self, WireReader, push_bytes, push_number, push_optional};
use super::{Audit, ListedLinks};
use crate::document::diagnostic;
use crate::document::events::Span;
use crate::pipeline::OutputOrder;
use crate::pipeline::read::{FileOutcome, FileReader};
use crate::pipeline::reorder::{BlockSink, ReorderBuffer, Stopped};
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
    reports: ReportSet<'r>,
) -> (ReportSet<'r>, StateCounts, Option<io::Error>) {
    let told = ReportSink { suggester, reports };
    let ordered = ReorderBuffer::new(told, HELD, OutputOrder::Path);
    let next = AtomicUsize::new(0);
    let linked = audit.wants("orphan").then_some(linked);
    let total = Mutex::new(StateCounts::default());
    thread::scope(|scope| {
        let work = || {
            let _guard = PanicGuard(&ordered);
            let mut worker = ReportWorker::new(audit, site, linked, &ordered);
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
struct PanicGuard<'a, C: BlockSink<WireRecords>>(&'a ReorderBuffer<WireRecords, C>);

impl<C: BlockSink<WireRecords>> Drop for PanicGuard<'_, C> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(io::Error::other("a worker panicked"));
        }
    }
}

/// The reports, and who finds suggestions for what they are told. Suggestions are found in the order
/// of the findings, so that the same ones are left out when there are too many, for any number of
/// workers.
struct ReportSink<'a, 'r> {
    suggester: Suggester<'a>,
    reports: ReportSet<'r>,
}

impl BlockSink<WireRecords> for ReportSink<'_, '_> {
    fn consume(&mut self, records: &WireRecords) -> io::Result<()> {
        let mut packed = WireReader::new(&records.0);
        while !packed.is_empty() {
            let record = WireRecord::ALL[usize::from(packed.byte()) % WireRecord::ALL.len()];
            if record == WireRecord::Finding {
                FindingDraft::read(&mut packed, |draft| self.finding(draft));
                self.reports.write_full()?;
            } else {
                self.reports.take(record, &mut packed)?;
            }
        }
        Ok(())
    }
}

impl ReportSink<'_, '_> {
    fn finding(&mut self, draft: &FindingDraft<'_>) {
        let suggestion = match self.reports.shows_next() {
            true => self.suggester.suggestion(draft),
            false => None,
        };
        let key = baseline::written(draft.key);
        self.reports
            .finding(&draft.finding(suggestion.as_deref(), &key));
    }
}

struct ReportWorker<'a, C> {
    site: &'a Site,
    linked: Option<&'a FileSet>,
    reader: FileReader<'a>,
    inspection: ReportPass<'a, C>,
}

impl<'a, C: BlockSink<WireRecords>> ReportWorker<'a, C> {
    fn new(
        audit: &'a Audit,
        site: &'a Site,
        linked: Option<&'a FileSet>,
        ordered: &'a ReorderBuffer<WireRecords, C>,
    ) -> Self {
        ReportWorker {
            site,
            linked,
            reader: FileReader::new(&audit.reading),
            inspection: ReportPass::new(audit, site, ordered),
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

    fn again(&mut self, document: &SiteDocument) {
        let read = self.reader.read(&document.entry(), &mut self.inspection);
        let error = match read {
            Ok(FileOutcome::Document { error: None, .. }) => return,
            Ok(FileOutcome::Document {
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
struct DeferredFinding {
    /// The offset of each, and where in `packed` it is described.
    places: Vec<(u64, usize)>,
    /// For each the number of its rule, its member if any, and its name.
    packed: Vec<u8>,
}

impl DeferredFinding {
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
struct ReportPass<'a, C> {
    audit: &'a Audit,
    judge: Evaluator<'a>,
    ordered: &'a ReorderBuffer<WireRecords, C>,
    ticket: u64,
    /// The output has failed: there is nothing left to do.
    stopped: bool,
    out: WireRecords,
    path: Vec<u8>,
    /// The path has been told.
    told: bool,
    late: DeferredFinding,
    seen: HashSet<u64>,
    total: StateCounts,
}

impl<'a, C: BlockSink<WireRecords>> ReportPass<'a, C> {
    fn new(audit: &'a Audit, site: &'a Site, ordered: &'a ReorderBuffer<WireRecords, C>) -> Self {
        ReportPass {
            audit,
            judge: Evaluator::new(audit, site),
            ordered,
            ticket: 0,
            stopped: false,
            out: WireRecords::default(),
            path: Vec::new(),
            told: false,
            late: DeferredFinding::default(),
            seen: HashSet::new(),
            total: StateCounts::default(),
        }
    }

    fn begin(&mut self, document: &SiteDocument) {
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
    fn record(&mut self, record: WireRecord) {
        if self.out.0.len() >= ENOUGH && !self.stopped {
            let handed = self.ordered.hand_over(self.ticket, &mut self.out);
            self.stopped = handed.is_err();
        }
        if self.stopped {
            self.out.0.clear();
        }
        if !std::mem::replace(&mut self.told, true) {
            self.out.0.push(WireRecord::Document as u8);
            push_bytes(&self.path, &mut self.out.0);
        }
        self.out.0.push(record as u8);
    }

    /// Judges what was kept of a document that need not be read again.
    fn kept(&mut self, document: &SiteDocument) {
        for (total, count) in self.total.iter_mut().zip(document.counts()) {
            *total += count;
        }
        let before = self.total;
        let mut kept = document.items();
        while !kept.is_empty() {
            match PackedItem::of(kept.byte()) {
                PackedItem::Link => kept.link(|link| self.link(link)),
                PackedItem::Diagnostic => {
                    let found = kept.diagnostic();
                    self.diagnostic(&found);
                }
                PackedItem::Failure => self.failure(kept.bytes()),
            }
        }
        // They have been counted when they were read.
        self.total = before;
    }

    fn failure(&mut self, message: &[u8]) {
        self.record(WireRecord::Failure);
        push_bytes(message, &mut self.out.0);
    }

    fn orphan(&mut self, document: &SiteDocument) {
        let path = path_of(document.path());
        let is_entry = self.audit.entries.matched(&path, false).is_whitelist()
            || document.file.is_some_and(|file| self.is_home(file));
        let is_page = document.file.is_some() && document.offer.anchors.is_some();
        if is_page && !is_entry {
            self.spot("orphan", &DocumentPosition::default());
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

    fn spot(&mut self, rule: &'static str, spot: &DocumentPosition<'_>) {
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
        self.record(WireRecord::Finding);
        let draft = FindingDraft {
            subject: FindingSubject::Document(*spot),
            rule: index,
            level,
            symlink: None,
            hint: SuggestionHint::Nothing,
            key,
        };
        draft.push(&mut self.out.0);
    }

    /// Tells what is wrong beside the links.
    fn end(&mut self, document: &SiteDocument) {
        let mut late = std::mem::take(&mut self.late);
        if late.places.is_empty() {
            return;
        }
        late.places.sort_unstable();
        let mut positions = PositionFinder::open(&path_of(document.path()));
        for &(offset, at) in &late.places {
            let mut packed = WireReader::new(&late.packed[at..]);
            let rule = RULES[packed.number() as usize].name;
            let member = packed.optional().map(wire::text);
            let spot = DocumentPosition {
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

impl<C: BlockSink<WireRecords>> Sink for ReportPass<'_, C> {
    fn link(&mut self, link: &Link<'_>) {
        let facts: TargetFacts<'_> = self.judge.facts(link);
        let finding = self.audit.judge(&facts);
        let state = self.audit.state(&facts, finding);
        self.total[state as usize] += 1;
        match self.audit.list {
            ListedLinks::Findings => {}
            ListedLinks::Links => {
                self.record(WireRecord::Link);
                push_number(state as u64, &mut self.out.0);
                wire::push_link(link, &mut self.out.0);
            }
            ListedLinks::External => {
                if let (TargetLocation::External | TargetLocation::OutsideRoot, Ok(target)) =
                    (facts.place, link.target)
                {
                    self.record(WireRecord::External);
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
        self.record(WireRecord::Finding);
        let draft = FindingDraft {
            subject: FindingSubject::Link(link),
            rule: index,
            level,
            symlink: leads.as_ref().map(RedirectLead::symlink),
            hint: suggestion.hint(),
            key,
        };
        draft.push(&mut self.out.0);
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        if std::ptr::eq(found.code, &diagnostic::BASE_SECOND) && self.audit.wants("several-bases") {
            self.late("several-bases", found.offset, found.member, b"");
        }
        self.record(WireRecord::Diagnostic);
        wire::push_diagnostic(found, &mut self.out.0);
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
