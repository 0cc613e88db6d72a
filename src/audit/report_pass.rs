//! Second pass: the findings of each document, from the journal, in the order of the walk.

use std::hash::BuildHasher;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::{HashMap, HashMapExt};

use super::collect::add_counts;
use super::evaluator::Evaluator;
use super::finding::{
    DocumentPosition, FindingDraft, FindingSubject, SuggestionHint, finding_key, group_key,
    shortened,
};
use super::hint::HintSearch;
use super::ignored::{IgnoreCandidate, IgnoreComments};
use super::journal::{Journal, JournalDocument, JournalRecord, LinkNeeds};
use super::names::FileId;
use super::options::{Audit, ListedLinks, touches};
use super::positions::PositionFinder;
use super::report::ReportSet;
use super::rule_checks;
use super::rules::{Level, LinkState, RULES, RuleId, StateCounts};
use super::site::{DocumentBatch, FileSet, Site};
use super::suggest::Suggester;
use super::target::{ExpectedPath, TargetLocation, split_fragment};
use super::wire::{
    self, LinkContext, WireReader, WireRecord, WireRecords, push_bytes, push_number, push_optional,
};
use crate::bytes::lines::Position;
use crate::document::diagnostic::BASE_SECOND;
use crate::document::events::{RemarkKind, Span};
use crate::linker::{Diagnostic, Link, Remark};
use crate::pipeline::OutputOrder;
use crate::pipeline::bases::AbsolutePaths;
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
    journal: &Journal,
    [linked, listed]: [&FileSet; 2],
    suggester: Suggester<'_>,
    reports: ReportSet<'r>,
) -> (ReportSet<'r>, StateCounts, Option<io::Error>) {
    let ordered = ReorderBuffer::new(ReportSink { suggester, reports }, HELD, OutputOrder::Path);
    let next = AtomicUsize::new(0);
    let linked = audit
        .options
        .levels
        .reports(RuleId::Orphan)
        .then_some(linked);
    let has_sitemap = listed.iter().next().is_some();
    let reports_unlisted = audit.options.levels.reports(RuleId::SitemapMissing) && has_sitemap;
    let listed = reports_unlisted.then_some(listed);
    let work = || {
        let mut pass = ReportPass::new(audit, site, [linked, listed], &ordered);
        // Ends early when the output has failed.
        let _ = pass.work(journal, &next);
        (pass.counts, pass.ignored)
    };
    let stop = || {
        ordered.stop(io::Error::other("a worker panicked"));
    };
    let (mut total, mut total_ignored) = (StateCounts::default(), 0);
    for (counts, ignored) in run_workers(audit.options.reading.threads, stop, work) {
        add_counts(&mut total, &counts);
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
    let rule = RuleId::UnusedIgnore;
    let level = audit.options.levels.of(rule);
    let mut nth = HashMap::new();
    for entry in audit.ignored.unused() {
        let path = entry.file.as_os_str().as_encoded_bytes();
        let mut names = AbsolutePaths::default();
        let absolute = names.absolute(&audit.options.reading.bases.here, path);
        let name = entry.words.as_bytes();
        let count = nth.entry(entry.words.clone()).or_insert(0);
        *count += 1;
        let key = finding_key(path, None, rule, name, *count);
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
            group: group_key(rule, name),
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

/// Positions in a document with a finding that is not about a link; they follow the links.
#[derive(Default)]
struct DeferredFindings {
    /// The offset of each position, and the index in `packed` of its description.
    positions: Vec<(u64, usize)>,
    /// For each position the number of the rule, the member if any, and the name.
    packed: Vec<u8>,
}

impl DeferredFindings {
    fn push(&mut self, rule: RuleId, offset: u64, member: Option<&str>, name: &[u8]) {
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
    rule: RuleId,
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
    /// The files to which another document links, if orphans are reported.
    linked: Option<&'a FileSet>,
    /// The files that sitemaps list, if pages that none lists are reported.
    listed: Option<&'a FileSet>,
    ordered: &'a ReorderBuffer<WireRecords, C>,
    ticket: u64,
    /// The output has failed: there is nothing left to do.
    stopped: bool,
    out: WireRecords,
    /// The document whose records are read.
    document: JournalDocument,
    /// The record with the path has been pushed.
    has_path: bool,
    /// The batch is a later piece of an archive.
    continues: bool,
    deferred: DeferredFindings,
    comments: IgnoreComments,
    counts: StateCounts,
    /// The number of findings that are ignored.
    ignored: u64,
}

impl<'a, C: BlockSink<WireRecords>> ReportPass<'a, C> {
    fn new(
        audit: &'a Audit,
        site: &'a Site,
        [linked, listed]: [Option<&'a FileSet>; 2],
        ordered: &'a ReorderBuffer<WireRecords, C>,
    ) -> Self {
        ReportPass {
            audit,
            evaluator: Evaluator::new(audit, site),
            linked,
            listed,
            ordered,
            ticket: 0,
            stopped: false,
            out: WireRecords::default(),
            document: JournalDocument::default(),
            has_path: false,
            continues: false,
            deferred: DeferredFindings::default(),
            comments: IgnoreComments::default(),
            counts: StateCounts::default(),
            ignored: 0,
        }
    }

    /// Takes batches of documents until none is left.
    fn work(&mut self, journal: &Journal, next: &AtomicUsize) -> Result<(), Stopped> {
        let mut buffer = Vec::new();
        loop {
            let ticket = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = self.evaluator.site.batches.get(ticket) else {
                return Ok(());
            };
            self.ticket = ticket as u64;
            self.batch(journal, batch, &mut buffer)?;
            self.ordered.finish(self.ticket, &mut self.out)?;
        }
    }

    fn batch(
        &mut self,
        journal: &Journal,
        batch: &DocumentBatch,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Stopped> {
        self.has_path = false;
        self.continues = batch.continues;
        let mut is_first = true;
        for block in &batch.blocks {
            let records = journal.read(block, buffer);
            let mut packed = WireReader::new(records.map_err(|error| self.ordered.stop(error))?);
            let mut context = LinkContext::default();
            while !packed.is_empty() {
                match JournalRecord::read(&mut packed) {
                    JournalRecord::Document => {
                        if !std::mem::take(&mut is_first) {
                            self.finish();
                        }
                        // The writer begins each document without a context, too.
                        context = LinkContext::default();
                        self.begin(JournalDocument::read(&mut packed));
                    }
                    JournalRecord::Context => context = packed.context(),
                    JournalRecord::Link => packed.reference(&context, |link| self.link(link)),
                    JournalRecord::Existing => {
                        let needs = LinkNeeds::read(&mut packed);
                        let length = packed.fixed();
                        let mut packed = WireReader::new(packed.take(length));
                        if !self.is_met(&needs) {
                            packed.reference(&context, |link| self.link(link));
                        }
                    }
                    JournalRecord::Diagnostic => self.diagnostic(&packed.diagnostic()),
                    JournalRecord::Remark => self.remark(&packed.remark()),
                    JournalRecord::Repeated => {
                        let offset = packed.number();
                        self.defer(RuleId::DuplicateId, offset, packed.bytes());
                    }
                    JournalRecord::Restart => self.clear(),
                    JournalRecord::Failure => {
                        self.record(WireRecord::Failure);
                        push_bytes(packed.bytes(), &mut self.out.0);
                    }
                }
            }
            if self.stopped {
                return Err(Stopped);
            }
        }
        self.finish();
        Ok(())
    }

    /// Returns whether a link to an existing target has no finding; counts it if so.
    fn is_met(&mut self, needs: &LinkNeeds) -> bool {
        let is_own = Some(needs.file) == self.document.file;
        let is_met = self.evaluator.site.meets(needs, is_own);
        if is_met {
            let state = if needs.is_route {
                LinkState::Skipped
            } else {
                LinkState::Ok
            };
            self.counts[state as usize] += 1;
        }
        is_met
    }

    fn begin(&mut self, document: JournalDocument) {
        let number =
            |document: &JournalDocument| document.member.as_ref().map(|member| member.number);
        let follows = number(&self.document)
            .is_some_and(|last| number(&document).is_none_or(|next| last < next));
        // An archive that is given twice is read twice.
        self.has_path &= self.document.path == document.path && follows;
        self.document = document;
        self.clear();
        self.evaluator
            .begin(self.document.file, &self.member_path());
        if self.document.member.is_some() {
            self.evaluator.touch(&self.document.path);
        }
    }

    /// Returns the name of the member that the document is.
    fn member(&self) -> Option<String> {
        self.document
            .member
            .as_ref()
            .map(|member| member.name.clone())
    }

    /// Returns the path of the document, in the archive if it is in one.
    fn member_path(&self) -> Vec<u8> {
        match (&self.document.member, self.document.file) {
            (Some(_), Some(file)) => self.audit.checker.paths.path(file).to_vec(),
            _ => self.document.path.clone(),
        }
    }

    /// Ends a document: makes the findings about it as a whole, and those that need lines and columns.
    fn finish(&mut self) {
        if let Some(file) = self.document.file {
            if self.linked.is_some_and(|linked| !linked.contains(file)) {
                self.orphan(file);
            }
            if self.listed.is_some_and(|listed| !listed.contains(file)) {
                self.unlisted(file);
            }
        }
        let mut deferred = std::mem::take(&mut self.deferred);
        if !deferred.positions.is_empty() {
            deferred.positions.sort_unstable();
            self.deferred_findings(&deferred);
        }
        self.unused_comments();
    }

    fn clear(&mut self) {
        self.deferred.clear();
        self.comments.clear();
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
            push_bytes(&self.document.path, &mut self.out.0);
        }
        self.out.0.push(record as u8);
    }

    /// Reports a document to which no other links, unless it is an entry.
    fn orphan(&mut self, file: FileId) {
        let path = path_of(&self.member_path());
        let entries = &self.audit.options.entries;
        let is_entry = entries.matched(&path, false).is_whitelist() || self.is_home(file);
        let may_be_orphan = self.is_page(file)
            || self.audit.options.orphan_assets && !is_fetched_unnamed(&self.evaluator.name);
        if may_be_orphan && !is_entry && !self.is_error_page(file) {
            self.whole(RuleId::Orphan);
        }
    }

    /// Reports a page that no sitemap lists, unless it leads elsewhere or is shown for an error.
    fn unlisted(&mut self, file: FileId) {
        let redirects = self.evaluator.site.redirects(file);
        if self.is_page(file) && !redirects && !self.is_error_page(file) {
            self.whole(RuleId::SitemapMissing);
        }
    }

    fn is_page(&self, file: FileId) -> bool {
        let anchors = self.evaluator.site.anchors(file);
        anchors.is_some_and(|anchors| anchors.is_page)
    }

    fn is_error_page(&self, file: FileId) -> bool {
        let path = self.audit.checker.paths.path(file);
        self.audit.checker.servers.is_error_page(&path)
    }

    /// Returns whether a file is the page at the root of a mount.
    fn is_home(&self, file: FileId) -> bool {
        let checker = &self.audit.checker;
        let is_home = |uri: &[u8]| checker.locate(uri).file() == Some(file);
        let path = checker.paths.path(file);
        checker.mounts.uri_of_mount(&path).is_some_and(is_home)
    }

    /// Makes the finding of a rule about the document as a whole.
    fn whole(&mut self, rule: RuleId) {
        let member = self.member();
        let position = DocumentPosition {
            member: member.as_deref(),
            ..DocumentPosition::default()
        };
        self.position(rule, &position);
    }

    /// Makes the finding of a rule about a position that is no link.
    fn position(&mut self, rule: RuleId, position: &DocumentPosition<'_>) {
        let level = self.audit.options.levels.of(rule);
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
            group: group_key(rule, target_name),
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

    /// Reports the comments that have ignored nothing.
    fn unused_comments(&mut self) {
        if !self.audit.options.levels.reports(RuleId::UnusedIgnore) {
            return;
        }
        // No comment ignores a finding about comments.
        let comments = std::mem::take(&mut self.comments);
        let member = self.member();
        for comment in comments.unused() {
            let position = DocumentPosition {
                member: member.as_deref(),
                position: comment.position,
                span: Some(comment.span),
                name: &comment.text,
            };
            self.position(RuleId::UnusedIgnore, &position);
        }
    }

    fn deferred_findings(&mut self, deferred: &DeferredFindings) {
        let own = self.member();
        let mut finder = match own {
            None => PositionFinder::open(&path_of(&self.document.path)),
            Some(_) => PositionFinder::in_archive(self.audit, &self.member_path()),
        };
        for &(offset, at) in &deferred.positions {
            let mut packed = WireReader::new(&deferred.packed[at..]);
            let rule = RULES[packed.number() as usize].id;
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
        let own = self.document.member.as_ref();
        let is_own = found.member == own.map(|member| member.name.as_str());
        let by_comment = match found.offset {
            Some(offset) if is_own => self.comments.ignores(found.rule, offset, found.line),
            _ => false,
        };
        let rules = &self.audit.ignored;
        let by_entry = !rules.is_empty()
            && rules.ignores(&IgnoreCandidate {
                rule: found.rule,
                path: &self.document.path,
                name: &self.evaluator.name,
                targets: found.targets,
            });
        by_comment || by_entry
    }

    /// Returns whether the finding of a link is ignored.
    fn ignores_link(
        &mut self,
        rule: RuleId,
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

    /// Notes a finding at an offset of the document.
    fn defer(&mut self, rule: RuleId, offset: u64, name: &[u8]) {
        let member = self.member();
        self.defer_in(rule, offset, member.as_deref(), name);
    }

    fn defer_in(&mut self, rule: RuleId, offset: u64, member: Option<&str>, name: &[u8]) {
        if self.audit.options.levels.reports(rule) {
            self.deferred.push(rule, offset, member, name);
        }
    }

    fn link(&mut self, link: &Link<'_>) {
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
        let search = HintSearch {
            audit: self.audit,
            site: self.evaluator.site,
            facts: &facts,
            expected,
        };
        let draft = FindingDraft {
            subject: FindingSubject::Link(link),
            rule,
            level,
            cause: self.evaluator.cause(&facts, expected),
            hint: match self.evaluator.exists_elsewhere(&facts) {
                true => SuggestionHint::Nothing,
                false => search.hint(rule),
            },
            key,
            group: group_key(rule, &target_name),
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
                let here = &self.audit.options.reading.bases.here;
                let path = self.evaluator.absolute.absolute(here, &own);
                let name = self.audit.hasher.hash_one(remark.text);
                let labels = &self.evaluator.site.labels;
                if labels.lacks(path.unwrap_or(&own), name) {
                    self.defer(RuleId::UndefinedReference, remark.span.start, remark.text);
                }
            }
            RemarkKind::UndefinedLabel => {
                self.defer(RuleId::UndefinedReference, remark.span.start, remark.text);
            }
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        if *found.code == BASE_SECOND {
            self.defer_in(RuleId::SeveralBases, found.offset, found.member, b"");
        }
        self.record(WireRecord::Diagnostic);
        wire::push_diagnostic(found, &mut self.out.0);
    }
}
