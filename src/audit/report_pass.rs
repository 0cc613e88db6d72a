//! Second pass: the findings of each document, from the notes of the first pass or from reading the
//! document again, in the order of the walk.

use std::hash::BuildHasher;
use std::io;
use std::iter::Peekable;
use std::ops::ControlFlow;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::collect::{passes_over, root_of_member};
use super::evaluator::{CLEARED, Evaluator};
use super::finding::{
    DocumentPosition, FindingDraft, FindingSubject, SuggestionHint, finding_key, group_key,
    shortened,
};
use super::hint::hint;
use super::ignored::{IgnoreCandidate, IgnoreComments};
use super::names::FileId;
use super::options::{Audit, ListedLinks, touches};
use super::positions::PositionFinder;
use super::report::ReportSet;
use super::rule_checks::{self};
use super::rules::{Level, LinkState, RULES, StateCounts};
use super::site::{ArchiveBatch, DocumentBatch, FileSet, PackedItem, Site, SiteDocument};
use super::suggest::Suggester;
use super::target::{ExpectedPath, TargetLocation, split_fragment};
use super::wire::{
    self, WireReader, WireRecord, WireRecords, push_bytes, push_number, push_optional,
};
use crate::bytes::lines::Position;
use crate::document::events::{RemarkKind, Span};
use crate::document::{Format, diagnostic};
use crate::linker::{Diagnostic, Found, Link, Remark, Sink};
use crate::pipeline::OutputOrder;
use crate::pipeline::archive::ArchiveSink;
use crate::pipeline::bases::AbsolutePaths;
use crate::pipeline::read::{FileOutcome, FileReader};
use crate::pipeline::reorder::{BlockSink, ReorderBuffer, Stopped};
use crate::pipeline::walk::path_of;
use crate::pipeline::workers::run_workers;

/// Records whose turn has not come are held up to this many bytes.
const HELD: usize = 8 << 20;
/// Records are handed over when they take this many bytes.
const ENOUGH: usize = 64 << 10;

/// Writes the findings of all documents to the reports; returns the reports, the states of all links,
/// and the error that ended the output early.
pub(super) fn run<'r>(
    audit: &Audit,
    site: &Site,
    [linked, listed]: [&FileSet; 2],
    suggester: Suggester<'_>,
    reports: ReportSet<'r>,
) -> (ReportSet<'r>, StateCounts, Option<io::Error>) {
    let ordered = ReorderBuffer::new(ReportSink { suggester, reports }, HELD, OutputOrder::Path);
    let next = AtomicUsize::new(0);
    let linked = audit.options.levels.reports("orphan").then_some(linked);
    let has_sitemap = listed.iter().next().is_some();
    let reports_unlisted = audit.options.levels.reports("sitemap-missing") && has_sitemap;
    let listed = reports_unlisted.then_some(listed);
    let work = || {
        let mut worker = ReportWorker::new(audit, site, [linked, listed], &ordered);
        // Ends early when the output has failed.
        let _ = worker.work(&next);
        (worker.pass.counts, worker.pass.ignored)
    };
    let stop = || {
        ordered.stop(io::Error::other("a worker panicked"));
    };
    let (mut total, mut total_ignored) = (StateCounts::default(), 0);
    for (counts, ignored) in run_workers(audit.options.reading.threads, stop, work) {
        for (total, count) in total.iter_mut().zip(counts) {
            *total += count;
        }
        total_ignored += ignored;
    }
    let (mut sink, mut error) = ordered.into_inner();
    if error.is_none() {
        let (records, ignored) = rule_checks::records(audit, site);
        error = sink.consume(&records).err();
        total_ignored += ignored;
    }
    let mut reports = sink.reports;
    reports.totals.servers = audit.checker.servers.summaries(|path| {
        let path = audit.shown(path);
        path.strip_suffix(b"/").unwrap_or(path).to_vec()
    });
    reports.totals.unsuggested = sink.suggester.omitted();
    reports.totals.ignored = total_ignored;
    (reports, total, error)
}

/// Reports the entries that have ignored nothing, as findings in the files that have them.
pub(super) fn unused_entries(audit: &Audit, reports: &mut ReportSet<'_>) -> io::Result<()> {
    let Some((rule, level)) = audit.options.levels.named("unused-ignore") else {
        return Ok(());
    };
    let mut nth = HashMap::new();
    for entry in audit.ignored.unused() {
        let path = entry.file.as_os_str().as_encoded_bytes();
        let mut names = AbsolutePaths::default();
        let absolute = names.absolute(&audit.options.reading.bases.here, path);
        let name = entry.words.as_bytes();
        let count = nth.entry(entry.words.clone()).or_insert(0);
        *count += 1;
        let key = finding_key(path, None, RULES[rule].name, name, *count);
        if audit.options.baseline.contains(key) {
            let key = key.to_le_bytes();
            reports.take(WireRecord::Forgiven, &mut WireReader::new(&key))?;
            continue;
        }
        if level == Level::Allow || !touches(audit, absolute.unwrap_or(path)) {
            continue;
        }
        let subject = FindingSubject::Document(DocumentPosition {
            position: entry.line.map(|line| Position { line, column: 1 }),
            name,
            ..DocumentPosition::default()
        });
        let draft = FindingDraft {
            subject,
            rule,
            level,
            cause: None,
            hint: SuggestionHint::Nothing,
            key,
            group: group_key(RULES[rule].name, name),
            target_name: shortened(name),
        };
        reports.enter(path)?;
        reports.finding(&draft, None);
        reports.write_full()?;
    }
    Ok(())
}

/// The reports, and the suggester for their findings.
///
/// Suggestions are searched for in the order of the findings: when the budget is spent, the same
/// ones are missing for any number of workers.
struct ReportSink<'a, 'r> {
    suggester: Suggester<'a>,
    reports: ReportSet<'r>,
}

impl BlockSink<WireRecords> for ReportSink<'_, '_> {
    fn consume(&mut self, records: &WireRecords) -> io::Result<()> {
        let mut packed = WireReader::new(&records.0);
        while !packed.is_empty() {
            match WireRecord::of(packed.byte()) {
                WireRecord::Finding => {
                    FindingDraft::read(&mut packed, |draft| self.finding(draft));
                    self.reports.write_full()?;
                }
                record => self.reports.take(record, &mut packed)?,
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
        self.reports.finding(draft, suggestion.as_ref());
    }
}

/// Names of files that servers and clients read though nothing links to them.
const FETCHED: [&str; 18] = [
    ".htaccess",
    ".nojekyll",
    "CNAME",
    "_config.yml",
    "_headers",
    "_redirects",
    "ads.txt",
    "apple-touch-icon.png",
    "browserconfig.xml",
    "favicon.ico",
    "humans.txt",
    "llms.txt",
    "netlify.toml",
    "robots.txt",
    "security.txt",
    "sitemap.xml",
    "uriscan.toml",
    "vercel.json",
];

/// Returns whether a file is read though nothing links to it, by its name.
fn is_fetched_unnamed(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    FETCHED.iter().any(|known| known.as_bytes() == name)
}

/// Takes batches of documents until none is left.
struct ReportWorker<'a, C> {
    site: &'a Site,
    /// The files to which another document links, if orphans are reported.
    linked: Option<&'a FileSet>,
    /// The files that sitemaps list, if pages that none lists are reported.
    listed: Option<&'a FileSet>,
    reader: FileReader<'a>,
    pass: ReportPass<'a, C>,
}

impl<'a, C: BlockSink<WireRecords>> ReportWorker<'a, C> {
    fn new(
        audit: &'a Audit,
        site: &'a Site,
        [linked, listed]: [Option<&'a FileSet>; 2],
        ordered: &'a ReorderBuffer<WireRecords, C>,
    ) -> Self {
        ReportWorker {
            site,
            linked,
            listed,
            reader: FileReader::new(&audit.options.reading),
            pass: ReportPass::new(audit, site, ordered),
        }
    }

    fn work(&mut self, next: &AtomicUsize) -> Result<(), Stopped> {
        loop {
            let ticket = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = self.site.batches.get(ticket) else {
                return Ok(());
            };
            self.pass.begin_batch(ticket as u64, batch);
            let mut documents = batch.documents().peekable();
            while let Some(document) = documents.next() {
                match document.member() {
                    None => self.document(document),
                    Some(first) => {
                        let (path, mut last) = (document.path(), first.number);
                        let mut members = vec![document];
                        // An argument that is given twice is read twice.
                        while let Some(next) = documents.next_if(|next| {
                            let number = next.member().map_or(0, |member| member.number);
                            let follows = number > last && next.path() == path;
                            last = number;
                            follows
                        }) {
                            members.push(next);
                        }
                        self.archive(&members, batch.piece.as_ref());
                    }
                }
                if self.pass.stopped {
                    return Err(Stopped);
                }
            }
            let pass = &mut self.pass;
            pass.ordered.finish(ticket as u64, &mut pass.out)?;
        }
    }

    fn document(&mut self, document: SiteDocument<'_>) {
        self.pass.begin(document);
        if document.is_marked() {
            self.read_again(document);
        } else {
            self.pass.packed(document);
        }
        self.pass.finish(document, [self.linked, self.listed]);
    }

    /// Takes the documents of an archive, which is read again if one of them must be.
    fn archive(&mut self, documents: &[SiteDocument<'_>], piece: Option<&ArchiveBatch>) {
        let Some(first) = documents.iter().find(|document| document.is_marked()) else {
            for &document in documents {
                self.document(document);
            }
            return;
        };
        let audit = self.pass.audit;
        let entry = first.entry();
        let mut names = AbsolutePaths::default();
        let path = entry.path.as_os_str().as_encoded_bytes();
        let absolute = names.absolute(&audit.options.reading.bases.here, path);
        let mut members = ArchivePass {
            archive: [absolute.unwrap_or(path), b"!/"].concat(),
            pass: &mut self.pass,
            files: [self.linked, self.listed],
            documents: documents.iter().peekable(),
            begun: 0,
            open: None,
        };
        let read = match piece {
            None => self.reader.read(&entry, &mut members),
            Some(batch) => {
                let container = batch.range.open();
                let (outcome, error) =
                    (self.reader).members(&entry, batch.format, container, &mut members);
                Ok(FileOutcome::Archive { outcome, error })
            }
        };
        let error = match read {
            Ok(FileOutcome::Archive { error: None, .. }) => CHANGED.to_owned(),
            Ok(FileOutcome::Archive {
                error: Some(error), ..
            })
            | Err(error) => error.to_string(),
            Ok(_) => CHANGED.to_owned(),
        };
        members.end(error.as_bytes());
    }

    fn read_again(&mut self, document: SiteDocument<'_>) {
        let read = self.reader.read(&document.entry(), &mut self.pass);
        let error = match read {
            Ok(FileOutcome::Document { error: None, .. }) => return,
            Ok(FileOutcome::Document {
                error: Some(error), ..
            })
            | Err(error) => error.to_string(),
            Ok(_) => CHANGED.to_owned(),
        };
        if !document.has_failed() {
            self.pass.failure(error.as_bytes());
        }
    }
}

/// The message for a file that is another one when it is read again.
const CHANGED: &str = "it has changed while it was read";

/// Takes the documents of an archive in their order: those that must be read again as they are read.
struct ArchivePass<'p, 'a, 'd, C> {
    pass: &'p mut ReportPass<'a, C>,
    /// In front of the paths of members.
    archive: Vec<u8>,
    /// The files to which others link, and those that sitemaps list.
    files: [Option<&'a FileSet>; 2],
    documents: Peekable<slice::Iter<'p, SiteDocument<'d>>>,
    /// The number of members that have begun.
    begun: u32,
    /// The document that is read again.
    open: Option<SiteDocument<'d>>,
}

impl<C: BlockSink<WireRecords>> ArchivePass<'_, '_, '_, C> {
    /// Ends the document that is read again; it has not ended itself if there is a reason.
    fn close(&mut self, reason: Option<&[u8]>) {
        if let Some(document) = self.open.take() {
            if let Some(reason) = reason {
                self.pass.failure(reason);
            }
            self.pass.finish(document, self.files);
        }
    }

    /// Takes a document without reading it again.
    fn pass_over(&mut self, document: SiteDocument<'_>, reason: &[u8]) {
        self.pass.begin(document);
        match document.is_marked() {
            true => self.pass.failure(reason),
            false => self.pass.packed(document),
        }
        self.pass.finish(document, self.files);
    }

    /// Takes the documents that are left.
    fn end(mut self, reason: &[u8]) {
        self.close(Some(reason));
        while let Some(&document) = self.documents.next() {
            self.pass_over(document, reason);
        }
    }
}

impl<C: BlockSink<WireRecords>> Sink for ArchivePass<'_, '_, '_, C> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        if self.open.is_some() {
            return self.pass.link(link);
        }
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        // Faults of the archive are with its own items.
        if self.open.is_some() || matches!(found, Found::Heavy | Found::Restart) {
            self.pass.event(found);
        }
    }
}

impl<C: BlockSink<WireRecords>> ArchiveSink for ArchivePass<'_, '_, '_, C> {
    fn begin_member(&mut self, _name: &str, path: &[u8]) -> bool {
        self.close(Some(CHANGED.as_bytes()));
        self.begun += 1;
        if passes_over(self.pass.audit, path) {
            return false;
        }
        let begun = self.begun;
        let is_begun = |next: &&SiteDocument<'_>| {
            let member = next.member();
            member.is_some_and(|member| member.number <= begun)
        };
        let Some(&document) = self.documents.next_if(is_begun) else {
            return true;
        };
        if !document.is_marked() {
            self.pass_over(document, &[]);
            return false;
        }
        self.pass.begin(document);
        self.open = Some(document);
        true
    }

    fn root_of_member(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        root_of_member(self.pass.audit, &self.archive, path)
    }

    fn end_member(&mut self, _format: &'static Format, _length: u64) {
        self.close(None);
    }
}

/// Positions in a document with a finding that is not about a link; they follow the links.
#[derive(Default)]
struct DeferredFindings {
    /// The offset of each position, and the index in `packed` of its description.
    positions: Vec<(u64, usize)>,
    /// For each position the number of the rule, the member if any, and the name.
    packed: Vec<u8>,
}

impl DeferredFindings {
    fn push(&mut self, rule: usize, offset: u64, member: Option<&str>, name: &[u8]) {
        self.positions.push((offset, self.packed.len()));
        push_number(rule as u64, &mut self.packed);
        push_optional(member.map(str::as_bytes), &mut self.packed);
        push_bytes(name, &mut self.packed);
    }

    fn clear(&mut self) {
        self.positions.clear();
        self.packed.clear();
    }
}

/// A finding, as far as it decides whether the finding is ignored.
struct Occurrence<'a> {
    /// The index of the rule in [`RULES`].
    rule: usize,
    member: Option<&'a str>,
    /// The offset in the document; none for the document as a whole.
    offset: Option<u64>,
    line: Option<u64>,
    /// Texts that stand for the target.
    targets: &'a [&'a [u8]],
}

/// Makes the records of one document after the other.
struct ReportPass<'a, C> {
    audit: &'a Audit,
    evaluator: Evaluator<'a>,
    ordered: &'a ReorderBuffer<WireRecords, C>,
    ticket: u64,
    /// The output has failed: there is nothing left to do.
    stopped: bool,
    out: WireRecords,
    path: Vec<u8>,
    /// The name of the member that the document is, if it is in an archive, and its number.
    member: Option<String>,
    number: u32,
    file: Option<FileId>,
    /// The record with the path has been pushed.
    has_path: bool,
    /// The batch is a later piece of an archive.
    continues: bool,
    deferred: DeferredFindings,
    comments: IgnoreComments,
    /// The hashes of the ids so far.
    ids: HashSet<u64>,
    counts: StateCounts,
    /// The number of findings that are ignored.
    ignored: u64,
}

impl<'a, C: BlockSink<WireRecords>> ReportPass<'a, C> {
    fn new(audit: &'a Audit, site: &'a Site, ordered: &'a ReorderBuffer<WireRecords, C>) -> Self {
        ReportPass {
            audit,
            evaluator: Evaluator::new(audit, site),
            ordered,
            ticket: 0,
            stopped: false,
            out: WireRecords::default(),
            path: Vec::new(),
            member: None,
            number: 0,
            file: None,
            has_path: false,
            continues: false,
            deferred: DeferredFindings::default(),
            comments: IgnoreComments::default(),
            ids: HashSet::new(),
            counts: StateCounts::default(),
            ignored: 0,
        }
    }

    /// Begins the documents of a batch.
    fn begin_batch(&mut self, ticket: u64, batch: &DocumentBatch) {
        self.ticket = ticket;
        self.has_path = false;
        self.continues = batch.piece.as_ref().is_some_and(|piece| piece.index > 0);
    }

    fn begin(&mut self, document: SiteDocument<'_>) {
        let (path, member) = (document.path(), document.member());
        let number = member.as_ref().map_or(u32::MAX, |member| member.number);
        // An archive that is given twice is read twice.
        self.has_path &= self.path == path && self.member.is_some() && self.number < number;
        self.path = path;
        self.member = member.map(|member| member.name);
        self.number = number;
        self.file = document.file();
        self.clear();
        self.evaluator.begin(document.file(), &self.member_path());
        if self.member.is_some() {
            self.evaluator.touch(&self.path);
        }
    }

    /// Returns the path of the document, in the archive if it is in one.
    fn member_path(&self) -> Vec<u8> {
        match (&self.member, self.file) {
            (Some(_), Some(file)) => self.audit.checker.paths.path(file).to_vec(),
            _ => self.path.clone(),
        }
    }

    /// Ends a document; `files` are those to which others link, and those that sitemaps list.
    fn finish(&mut self, document: SiteDocument<'_>, files: [Option<&FileSet>; 2]) {
        let [is_orphan, is_unlisted] = files.map(|files| {
            files.is_some_and(|files| !document.file().is_some_and(|file| files.contains(file)))
        });
        if is_orphan {
            self.orphan(document);
        }
        if is_unlisted {
            self.unlisted(document);
        }
        self.end();
    }

    fn clear(&mut self) {
        self.deferred.clear();
        self.comments.clear();
        if self.ids.capacity() > CLEARED {
            self.ids = HashSet::new();
        }
        self.ids.clear();
    }

    /// Starts a record; hands over those before it if there are enough.
    fn record(&mut self, record: WireRecord) {
        if self.out.0.len() >= ENOUGH && !self.stopped {
            let handed = self.ordered.push(self.ticket, &mut self.out);
            self.stopped = handed.is_err();
        }
        if self.stopped {
            self.out.0.clear();
        }
        if !std::mem::replace(&mut self.has_path, true) {
            let record = match self.continues {
                true => WireRecord::Continued,
                false => WireRecord::Document,
            };
            self.out.0.push(record as u8);
            push_bytes(&self.path, &mut self.out.0);
        }
        self.out.0.push(record as u8);
    }

    /// Takes the items of a document that need not be read again.
    fn packed(&mut self, document: SiteDocument<'_>) {
        for (total, count) in self.counts.iter_mut().zip(document.counts()) {
            *total += count;
        }
        let counts = self.counts;
        let mut packed = document.items();
        while !packed.is_empty() {
            match PackedItem::of(packed.byte()) {
                PackedItem::Link => packed.link(|link| self.judge(link)),
                PackedItem::Diagnostic => {
                    let found = packed.diagnostic();
                    self.diagnostic(&found);
                }
                PackedItem::Failure => self.failure(packed.bytes()),
                PackedItem::Remark => {
                    let remark = packed.remark();
                    self.remark(&remark);
                }
            }
        }
        // The first pass has counted these links.
        self.counts = counts;
    }

    fn failure(&mut self, message: &[u8]) {
        self.record(WireRecord::Failure);
        push_bytes(message, &mut self.out.0);
    }

    /// Reports a document to which no other links, unless it is an entry.
    fn orphan(&mut self, document: SiteDocument<'_>) {
        let path = path_of(&self.member_path());
        let is_entry = self
            .audit
            .options
            .entries
            .matched(&path, false)
            .is_whitelist()
            || document.file().is_some_and(|file| {
                let path = self.audit.checker.paths.path(file);
                self.is_home(file) || self.audit.checker.servers.is_error_page(&path)
            });
        let is_page = document.anchors().is_page;
        let may_be_orphan = is_page
            || self.audit.options.orphan_assets && !is_fetched_unnamed(&self.evaluator.name);
        if document.file().is_some() && may_be_orphan && !is_entry {
            self.whole("orphan");
        }
    }

    /// Reports a page that no sitemap lists, unless it leads elsewhere or is shown for an error.
    fn unlisted(&mut self, document: SiteDocument<'_>) {
        let anchors = document.anchors();
        let is_page = anchors.is_page && anchors.redirect.is_none();
        let is_shown = document.file().is_some_and(|file| {
            let path = self.audit.checker.paths.path(file);
            !self.audit.checker.servers.is_error_page(&path)
        });
        if is_page && is_shown {
            self.whole("sitemap-missing");
        }
    }

    /// Returns whether a file is the page at the root of a mount.
    fn is_home(&self, file: FileId) -> bool {
        let checker = &self.audit.checker;
        let is_home = |uri: &[u8]| checker.locate(uri).file() == Some(file);
        let path = checker.paths.path(file);
        checker.mounts.uri_of_mount(&path).is_some_and(is_home)
    }

    /// Makes the finding of a rule about the document as a whole.
    fn whole(&mut self, rule: &'static str) {
        let member = self.member.clone();
        let position = DocumentPosition {
            member: member.as_deref(),
            ..DocumentPosition::default()
        };
        self.position(rule, &position);
    }

    /// Makes the finding of a rule about a position that is no link.
    fn position(&mut self, rule: &'static str, position: &DocumentPosition<'_>) {
        let Some((rule, level)) = self.audit.options.levels.named(rule) else {
            return;
        };
        let key = self.evaluator.key(rule, position.member, position.name);
        let is_ignored = self.is_ignored(&Occurrence {
            rule,
            member: position.member,
            offset: position.span.map(|span| span.start),
            line: position.position.map(|position| position.line),
            targets: &[position.name],
        });
        let shows = self.evaluator.shows(None);
        if is_ignored {
            self.ignored += u64::from(shows);
            return;
        }
        if self.is_forgiven(key) || !shows {
            return;
        }
        self.record(WireRecord::Finding);
        // Documents from one template have the same ids twice.
        let target_name = match position.name {
            b"" => self.evaluator.name.as_slice(),
            name => name,
        };
        let draft = FindingDraft {
            subject: FindingSubject::Document(*position),
            rule,
            level,
            cause: None,
            hint: SuggestionHint::Nothing,
            key,
            group: group_key(RULES[rule].name, target_name),
            target_name: shortened(target_name),
        };
        draft.push(&mut self.out.0);
    }

    /// Returns whether the baseline accepts a finding, which is then counted.
    fn is_forgiven(&mut self, key: u64) -> bool {
        let is_forgiven = self.audit.options.baseline.contains(key);
        if is_forgiven {
            self.record(WireRecord::Forgiven);
            self.out.0.extend_from_slice(&key.to_le_bytes());
        }
        is_forgiven
    }

    /// Makes the deferred findings, which need lines and columns.
    fn end(&mut self) {
        let mut deferred = std::mem::take(&mut self.deferred);
        if !deferred.positions.is_empty() {
            deferred.positions.sort_unstable();
            self.deferred_findings(&deferred);
        }
        self.unused_comments();
    }

    /// Reports the comments that have ignored nothing.
    fn unused_comments(&mut self) {
        if !self.audit.options.levels.reports("unused-ignore") {
            return;
        }
        // No comment ignores a finding about comments.
        let comments = std::mem::take(&mut self.comments);
        let member = self.member.clone();
        for comment in comments.unused() {
            let position = DocumentPosition {
                member: member.as_deref(),
                position: comment.position,
                span: Some(comment.span),
                name: &comment.text,
            };
            self.position("unused-ignore", &position);
        }
    }

    fn deferred_findings(&mut self, deferred: &DeferredFindings) {
        let own = self.member.clone();
        let mut finder = match own {
            None => PositionFinder::open(&path_of(&self.path)),
            Some(_) => PositionFinder::in_archive(self.audit, &self.member_path()),
        };
        for &(offset, at) in &deferred.positions {
            let mut packed = WireReader::new(&deferred.packed[at..]);
            let rule = RULES[packed.number() as usize].name;
            let member = packed.optional().map(wire::text);
            let position = DocumentPosition {
                member,
                position: finder.at(offset).filter(|_| member == own.as_deref()),
                span: Some(Span {
                    start: offset,
                    end: offset,
                }),
                name: packed.bytes(),
            };
            self.position(rule, &position);
        }
    }

    /// Returns whether a finding is ignored, by a comment of the document or an entry of the options.
    fn is_ignored(&mut self, found: &Occurrence<'_>) -> bool {
        let is_own = found.member == self.member.as_deref();
        let by_comment = match found.offset {
            Some(offset) if is_own => self.comments.ignores(found.rule, offset, found.line),
            _ => false,
        };
        let rules = &self.audit.ignored;
        let by_entry = !rules.is_empty()
            && rules.ignores(&IgnoreCandidate {
                rule: found.rule,
                path: &self.path,
                name: &self.evaluator.name,
                targets: found.targets,
            });
        by_comment || by_entry
    }

    /// Returns whether the finding of a link is ignored.
    fn ignores_link(
        &mut self,
        rule: usize,
        link: &Link<'_>,
        expected: Option<&ExpectedPath<'_>>,
    ) -> bool {
        let target = link.target.unwrap_or_default();
        let (bare, _) = split_fragment(target);
        let (reference, _) = split_fragment(link.reference);
        let mut targets = vec![link.reference, reference, target, bare];
        targets.extend(expected.map(ExpectedPath::below));
        targets.retain(|target| !target.is_empty());
        self.is_ignored(&Occurrence {
            rule,
            member: link.member,
            offset: Some(link.span.start),
            line: link.position.map(|position| position.line),
            targets: &targets,
        })
    }

    fn defer(&mut self, rule: &str, offset: u64, member: Option<&str>, name: &[u8]) {
        if let Some((rule, _)) = self.audit.options.levels.named(rule) {
            self.deferred.push(rule, offset, member, name);
        }
    }
}

impl<C: BlockSink<WireRecords>> Sink for ReportPass<'_, C> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.judge(link);
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            Found::Anchor(name, offset) => self.anchor(name, *offset),
            Found::Remark(remark) => self.remark(remark),
            // The ticket whose turn it is waits for no other, so that no lock is needed.
            Found::Heavy => self.ordered.acquire_memory(self.ticket),
            Found::Restart => self.clear(),
            _ => {}
        }
    }
}

impl<C: BlockSink<WireRecords>> ArchiveSink for ReportPass<'_, C> {}

impl<C: BlockSink<WireRecords>> ReportPass<'_, C> {
    fn judge(&mut self, link: &Link<'_>) {
        let facts = self.evaluator.facts(link);
        let finding = self.audit.options.levels.first_finding(&facts);
        let state = LinkState::of(&facts, finding);
        self.counts[state as usize] += 1;
        let list = self.audit.options.list;
        let is_listed = || {
            let expected = self.audit.checker.expected_path(link);
            self.evaluator.shows(Some((&facts, expected.as_ref())))
        };
        match list {
            ListedLinks::Findings => {}
            _ if !is_listed() => {}
            ListedLinks::Links => {
                self.record(WireRecord::Link);
                push_number(state as u64, &mut self.out.0);
                wire::push_link(link, &mut self.out.0);
            }
            ListedLinks::External => {
                if let (TargetLocation::External | TargetLocation::OutsideRoot, Ok(target)) =
                    (facts.location, link.target)
                {
                    self.record(WireRecord::External);
                    push_bytes(target, &mut self.out.0);
                }
            }
        }
        let Some((rule, level)) = finding else {
            return;
        };
        let key = self.evaluator.key(rule, link.member, link.reference);
        let expected = self.audit.checker.expected_path(link);
        let expected = expected.as_ref();
        let is_ignored = self.ignores_link(rule, link, expected);
        let shows = self.evaluator.shows(Some((&facts, expected)));
        if is_ignored {
            self.ignored += u64::from(shows);
            return;
        }
        if self.is_forgiven(key) || !shows {
            return;
        }
        let target_name = self.evaluator.target_name(rule, &facts, expected);
        let draft = FindingDraft {
            subject: FindingSubject::Link(link),
            rule,
            level,
            cause: self.evaluator.cause(&facts, expected),
            hint: match self.evaluator.exists_elsewhere(&facts) {
                true => SuggestionHint::Nothing,
                false => hint(
                    self.audit,
                    self.evaluator.site,
                    RULES[rule].name,
                    &facts,
                    expected,
                ),
            },
            key,
            group: group_key(RULES[rule].name, &target_name),
            target_name: shortened(&target_name),
        };
        self.record(WireRecord::Finding);
        draft.push(&mut self.out.0);
    }

    fn remark(&mut self, remark: &Remark<'_>) {
        match remark.kind {
            RemarkKind::Ignore => self.comments.add(remark),
            RemarkKind::Label => {}
            RemarkKind::LabelReference => {
                let own = self.member_path();
                let evaluator = &mut self.evaluator;
                let here = &self.audit.options.reading.bases.here;
                let path = evaluator.absolute.absolute(here, &own);
                let name = self.audit.hasher.hash_one(remark.text);
                let labels = &evaluator.site.labels;
                let reports = self.audit.options.levels.reports("undefined-reference");
                if reports && labels.lacks(path.unwrap_or(&own), name) {
                    let (offset, member) = (remark.span.start, self.member.clone());
                    self.defer(
                        "undefined-reference",
                        offset,
                        member.as_deref(),
                        remark.text,
                    );
                }
            }
            RemarkKind::UndefinedLabel => {
                if self.audit.options.levels.reports("undefined-reference") {
                    let offset = remark.span.start;
                    let member = self.member.clone();
                    self.defer(
                        "undefined-reference",
                        offset,
                        member.as_deref(),
                        remark.text,
                    );
                }
            }
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        let is_second_base = std::ptr::eq(found.code, &diagnostic::BASE_SECOND);
        if is_second_base && self.audit.options.levels.reports("several-bases") {
            self.defer("several-bases", found.offset, found.member, b"");
        }
        self.record(WireRecord::Diagnostic);
        wire::push_diagnostic(found, &mut self.out.0);
    }

    fn anchor(&mut self, name: &[u8], offset: u64) {
        let reports = self.audit.options.levels.reports("duplicate-id");
        if reports && !self.ids.insert(self.audit.hasher.hash_one(name)) {
            let member = self.member.clone();
            self.defer("duplicate-id", offset, member.as_deref(), name);
        }
    }
}
