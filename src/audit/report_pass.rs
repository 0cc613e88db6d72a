//! Second pass: the findings of each document, from the journal, in the order of the walk.

use std::hash::BuildHasher;
use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::{HashMap, HashMapExt};

use super::causes::SharedCauses;
use super::evaluator::Evaluator;
use super::finding::{
    DocumentPosition, FindingDraft, FindingSubject, SuggestionHint, finding_key, group_key,
    shortened,
};
use super::hint::HintSearch;
use super::ignored::{IgnoreCandidate, IgnoreComments};
use super::journal::{JournalDocument, JournalRecord, NeededNames};
use super::labels::MADE_LABELS;
use super::location::{Audit, Located, touches};
use super::names::FileId;
use super::options::ListedLinks;
use super::report::ReportSet;
use super::results::OnlineAnswer;
use super::rule_checks;
use super::rules::{Level, LinkState, RuleId, StateCounts, add_counts};
use super::site::{DocumentBatch, Site};
use super::source::origin::OriginSearch;
use super::stale::stale_paths;
use super::suggest::Suggester;
use super::target::{ExpectedPath, TargetLocation, is_route, split_fragment, split_name};
use super::wire::{LinkContext, Packed, WireReader, WireRecord, WireRecords, push_link};
use crate::bytes::lines::{LineCounter, Position};
use crate::bytes::window::Window;
use crate::document::diagnostic::HTML_BASE_SECOND;
use crate::document::events::{RemarkKind, Span};
use crate::linker::{Diagnostic, Link, Remark};
use crate::pipeline::reorder::{BlockSink, ReorderBuffer, Stopped};
use crate::pipeline::walk::{path_of, read_start};
use crate::pipeline::workers::run_workers;
use crate::pipeline::{OutputOrder, members};

/// Maximum length in bytes of records that wait for their turn.
const HELD: usize = 8 << 20;
/// Length in bytes at which records are handed over.
const ENOUGH: usize = 64 << 10;

/// Returns the reports, and the states of the links in the journal.
pub(super) fn run<'r>(
    audit: &Audit,
    site: &Site,
    suggester: Suggester<'_>,
    reports: ReportSet<'r>,
) -> io::Result<(ReportSet<'r>, StateCounts)> {
    let directory = audit.options.built_from.as_deref();
    let sink = ReportSink {
        audit,
        suggester,
        origins: directory.map(|directory| OriginSearch::new(audit, directory)),
        causes: SharedCauses::default(),
        reports,
    };
    let ordered = ReorderBuffer::new(sink, HELD, OutputOrder::Path);
    let next = AtomicUsize::new(0);
    let levels = &audit.options.levels;
    let has_sitemap = site.collected.listed.iter().next().is_some();
    let work = || {
        let mut pass = ReportPass {
            audit,
            evaluator: Evaluator::new(audit, site),
            reports_orphans: levels.reports(RuleId::Orphan),
            reports_unlisted: levels.reports(RuleId::SitemapMissing) && has_sitemap,
            ordered: &ordered,
            ticket: 0,
            stopped: false,
            out: WireRecords::default(),
            document: Rc::default(),
            has_path: false,
            continues: false,
            deferred: DeferredFindings::default(),
            comments: IgnoreComments::default(),
            counts: StateCounts::default(),
            ignored: 0,
        };
        // Ends early when the output has failed.
        let _ = pass.work(&next);
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
    let (mut sink, error) = ordered.into_inner();
    error.map_or(Ok(()), Err)?;
    let (records, ignored) = rule_checks::records(audit, site);
    sink.consume(&records)?;
    let mut reports = sink.reports;
    reports.totals.hints = sink.causes.hints();
    reports.totals.servers = audit.checker.servers.summaries(|path| {
        let path = audit.shown(path);
        path.strip_suffix(b"/").unwrap_or(&path).to_vec()
    });
    reports.totals.sources = audit.sources.summaries(|path| audit.shown(path).to_vec());
    reports.totals.unsuggested = sink.suggester.omitted;
    reports.totals.ignored = total_ignored + ignored;
    unused_entries(audit, &mut reports)?;
    Ok((reports, total))
}

/// Reports unused entries as findings in their files.
fn unused_entries(audit: &Audit, reports: &mut ReportSet<'_>) -> io::Result<()> {
    let rule = RuleId::UnusedIgnore;
    let level = audit.options.levels.of(rule);
    let mut nth = HashMap::new();
    for entry in audit.ignored.unused() {
        let ((file, line), words) = (entry.origin(), entry.words());
        let path = file.as_os_str().as_encoded_bytes();
        let name = words.as_bytes();
        let count = nth.entry(words.clone()).or_insert(0);
        *count += 1;
        let key = finding_key(path, None, rule, name, *count);
        if audit.options.baseline.keys.contains(&key) {
            reports.take(WireRecord::Forgiven(key), &mut WireReader(b""))?;
            continue;
        }
        let absolute = audit.absolute(path);
        let shows = touches(audit, &absolute) && audit.options.shows_line(&absolute, line);
        if level == Level::Allow || !shows {
            continue;
        }
        let position = DocumentPosition {
            position: line.map(|line| Position { line, column: 1 }),
            name,
            ..DocumentPosition::default()
        };
        reports.enter(path)?;
        let draft = FindingDraft::about(position, (rule, level), key, name);
        reports.finding(&draft, None);
        reports.write_full()?;
    }
    Ok(())
}

/// Suggestions are searched for in the order of the findings: when the budget is spent, the same
/// ones are missing for any number of workers.
struct ReportSink<'a, 'r> {
    audit: &'a Audit,
    suggester: Suggester<'a>,
    origins: Option<OriginSearch<'a>>,
    causes: SharedCauses,
    reports: ReportSet<'r>,
}

impl BlockSink<WireRecords> for ReportSink<'_, '_> {
    fn consume(&mut self, records: &WireRecords) -> io::Result<()> {
        let mut packed = WireReader(&records.0);
        while !packed.0.is_empty() {
            match WireRecord::unpack(&mut packed) {
                WireRecord::Finding => {
                    FindingDraft::read(&mut packed, |draft| {
                        let shows = self.reports.shows_next();
                        let suggestion = shows.then(|| self.suggester.suggestion(draft)).flatten();
                        self.causes.add(self.audit, draft);
                        let document = self.reports.document.path();
                        let origins = self.origins.as_mut().filter(|_| shows);
                        let draft = FindingDraft {
                            origin: origins.map(|origins| origins.origin(document, draft)),
                            ..draft.clone()
                        };
                        self.reports.finding(&draft, suggestion.as_ref());
                    });
                    self.reports.write_full()?;
                }
                record => self.reports.take(record, &mut packed)?,
            }
        }
        Ok(())
    }
}

/// Files that servers and clients read without links.
const FETCHED: &str = ".htaccess .nojekyll CNAME _config.yml _headers _redirects ads.txt apple-touch-icon.png \
    browserconfig.xml favicon.ico humans.txt llms.txt netlify.toml robots.txt security.txt sitemap.xml \
    staticwebapp.config.json uriscan.toml vercel.json";

/// Findings that are not about links, and follow them.
#[derive(Default)]
struct DeferredFindings {
    /// Offsets, and the indices in `packed` of the descriptions.
    positions: Vec<(u64, usize)>,
    packed: Vec<u8>,
}

/// The rule, the member and the name.
type DeferredFinding<'a> = (RuleId, (Option<&'a str>, &'a [u8]));

/// Makes the records of documents.
struct ReportPass<'a, C> {
    audit: &'a Audit,
    evaluator: Evaluator<'a>,
    reports_orphans: bool,
    reports_unlisted: bool,
    ordered: &'a ReorderBuffer<WireRecords, C>,
    ticket: u64,
    /// The output has failed.
    stopped: bool,
    out: WireRecords,
    document: Rc<JournalDocument>,
    has_path: bool,
    continues: bool,
    deferred: DeferredFindings,
    comments: IgnoreComments,
    counts: StateCounts,
    ignored: u64,
}

impl<'a, C: BlockSink<WireRecords>> ReportPass<'a, C> {
    fn work(&mut self, next: &AtomicUsize) -> Result<(), Stopped> {
        let mut buffer = Vec::new();
        loop {
            let ticket = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = self.evaluator.site.collected.batches.get(ticket) else {
                return Ok(());
            };
            self.ticket = ticket as u64;
            self.batch(batch, &mut buffer)?;
            self.ordered.finish(self.ticket, &mut self.out)?;
        }
    }

    fn batch(&mut self, batch: &DocumentBatch, buffer: &mut Vec<u8>) -> Result<(), Stopped> {
        self.has_path = false;
        self.continues = batch.continues;
        let mut is_first = true;
        for block in &batch.blocks {
            let journal = &self.evaluator.site.collected.journal;
            let records = journal.read(block, buffer);
            let mut packed = WireReader(records.map_err(|error| self.ordered.stop(error))?);
            let mut context = LinkContext::default();
            while !packed.0.is_empty() {
                match JournalRecord::unpack(&mut packed) {
                    JournalRecord::Document(document) => {
                        if !std::mem::take(&mut is_first) {
                            self.finish();
                        }
                        // The writer begins each document without a context, too.
                        context = LinkContext::default();
                        self.begin(document);
                    }
                    JournalRecord::Context => context = LinkContext::unpack(&mut packed),
                    JournalRecord::Link(at) => {
                        packed.reference(&context, |link| self.link(link, at))
                    }
                    JournalRecord::Existing(at, names, link) => {
                        if !self.is_met(at, names) {
                            WireReader(link).reference(&context, |link| self.link(link, at));
                        }
                    }
                    JournalRecord::Diagnostic(found) => self.diagnostic(&found),
                    JournalRecord::Remark(remark) => self.remark(&remark),
                    JournalRecord::Repeated(offset, name) => {
                        let document = Rc::clone(&self.document);
                        self.defer(RuleId::DuplicateId, offset, document.member_name(), name);
                    }
                    JournalRecord::Anchor(..) => {}
                    JournalRecord::Restart => self.clear(),
                    JournalRecord::Failure(message) => self.record(WireRecord::Failure(message)),
                }
            }
            if self.stopped {
                return Err(Stopped);
            }
        }
        self.finish();
        Ok(())
    }

    /// Returns whether a link has no finding, and is counted.
    fn is_met(&mut self, (location, fragment): Located<'_>, names: NeededNames) -> bool {
        let (file, site) = (location.file(), self.evaluator.site);
        let is_met = file.is_none_or(|own| site.meets(own, names, file == self.document.file));
        if is_met {
            let is_skipped = usize::from(fragment.is_some_and(is_route));
            let state = [LinkState::Ok, LinkState::Skipped][is_skipped];
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
        self.document = Rc::new(document);
        self.clear();
        self.evaluator.path.clear();
    }

    /// Prepares the evaluation of the document, which most documents do not need.
    fn open(&mut self) {
        if self.evaluator.path.is_empty() {
            self.evaluator.begin(&self.document, &self.member_path());
        }
    }

    fn member_path(&self) -> Vec<u8> {
        self.document.file_path(self.audit)
    }

    /// Makes the findings about the document as a whole, and those with deferred positions.
    fn finish(&mut self) {
        if (self.reports_orphans || self.reports_unlisted)
            && let Some(file) = self.document.file
        {
            self.unreached(file);
        }
        let is_checked = self.audit.options.levels.reports(RuleId::StalePath);
        if is_checked && self.document.member.is_none() {
            self.open();
            for (offset, path) in stale_paths(self.audit, &self.evaluator.path) {
                self.defer(RuleId::StalePath, offset, None, &path);
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
        self.deferred.positions.clear();
        self.deferred.packed.clear();
        self.comments = IgnoreComments::default();
    }

    fn record(&mut self, record: WireRecord<'_>) {
        if self.out.0.len() >= ENOUGH && !self.stopped {
            let handed = self.ordered.push(self.ticket, &mut self.out);
            self.stopped = handed.is_err();
        }
        if self.stopped {
            self.out.0.clear();
        }
        if !std::mem::replace(&mut self.has_path, true) {
            let mut begin = WireRecord::Document(&self.document.path);
            if self.continues {
                begin = WireRecord::Continued(&self.document.path);
            }
            begin.pack(&mut self.out.0);
        }
        record.pack(&mut self.out.0);
    }

    /// Reports orphans, except entries, and pages that no sitemap lists, except redirects; error
    /// pages are neither.
    fn unreached(&mut self, file: FileId) {
        let (site, checker) = (self.evaluator.site, &self.audit.checker);
        let own = checker.paths.path(file);
        if checker.servers.is_error_page(&own, &checker.mounts) {
            return;
        }
        let is_page = site.anchors(file).is_some_and(|anchors| anchors.is_page);
        if self.reports_orphans && !site.collected.linked.contains(file) {
            let options = &self.audit.options;
            let path = self.member_path();
            // The page at the root of a mount is an entry.
            let is_home = |uri: &[u8]| checker.locate(uri).file() == Some(file);
            let is_entry = (options.entries.matched(path_of(&path), false)).is_whitelist()
                || checker.mounts.uri_of_mount(&own).is_some_and(is_home);
            let name = split_name(&path).1;
            let is_fetched = || FETCHED.split(' ').any(|known| known.as_bytes() == name);
            let may_be_orphan = is_page || options.orphan_assets && !is_fetched();
            if may_be_orphan && !is_entry {
                self.whole(RuleId::Orphan);
            }
        }
        let is_unlisted = self.reports_unlisted && !site.collected.listed.contains(file);
        if is_unlisted && is_page && !site.redirects(file) {
            self.whole(RuleId::SitemapMissing);
        }
    }

    fn whole(&mut self, rule: RuleId) {
        let document = Rc::clone(&self.document);
        let position = DocumentPosition {
            member: document.member_name(),
            ..DocumentPosition::default()
        };
        self.position(rule, &position);
    }

    fn position(&mut self, rule: RuleId, position: &DocumentPosition<'_>) {
        self.open();
        let level = self.audit.options.levels.of(rule);
        let key = self.evaluator.key(rule, position.member, position.name);
        let shows = self.evaluator.shows(None);
        if !self.reports(rule, position, &[position.name], key, shows) {
            return;
        }
        self.record(WireRecord::Finding);
        // Documents from one template have the same ids twice.
        let target_name = match position.name {
            b"" => self.evaluator.name.as_slice(),
            name => name,
        };
        FindingDraft::about(*position, (rule, level), key, target_name).push(&mut self.out.0);
    }

    /// Lines in members are not lines of the file.
    fn shows_line(&self, place: &DocumentPosition<'_>) -> bool {
        let is_inner = place.member.is_some() || self.document.member.is_some();
        let position = place.position.filter(|_| !is_inner);
        let line = position.map(|position| position.line);
        self.audit.options.shows_line(&self.evaluator.path, line)
    }

    /// Returns whether a finding is neither ignored nor accepted by the baseline, and `shown` by its document or
    /// target and by its line.
    fn reports(
        &mut self,
        rule: RuleId,
        place: &DocumentPosition<'_>,
        targets: &[&[u8]],
        key: u64,
        shown: bool,
    ) -> bool {
        let shown = shown && self.shows_line(place);
        if self.is_ignored(rule, place, targets) {
            self.ignored += u64::from(shown);
            return false;
        }
        let is_forgiven = self.audit.options.baseline.keys.contains(&key);
        if is_forgiven {
            self.record(WireRecord::Forgiven(key));
        }
        shown && !is_forgiven
    }

    fn unused_comments(&mut self) {
        if !self.audit.options.levels.reports(RuleId::UnusedIgnore) {
            return;
        }
        // No comment ignores a finding about comments.
        let comments = std::mem::take(&mut self.comments);
        let document = Rc::clone(&self.document);
        for comment in comments.unused() {
            let position = DocumentPosition {
                member: document.member_name(),
                position: comment.position,
                span: Some(comment.span),
                name: &comment.text,
            };
            self.position(RuleId::UnusedIgnore, &position);
        }
    }

    fn deferred_findings(&mut self, deferred: &DeferredFindings) {
        let (document, path) = (Rc::clone(&self.document), self.member_path());
        let (own, reading) = (document.member_name(), &self.audit.options.reading);
        let limit = reading.extractor.formats.html.max_document;
        let text = match own {
            Some(_) => members::bytes(reading, &path, limit),
            None => read_start(&path_of(&path), limit).ok(),
        };
        let (text, mut lines) = (text.unwrap_or_default(), LineCounter::new());
        for &(offset, at) in &deferred.positions {
            let found = DeferredFinding::unpack(&mut WireReader(&deferred.packed[at..]));
            let (rule, (member, name)) = found;
            let (start, end) = (offset, offset);
            let is_known = member == own && offset < text.len() as u64;
            let position = DocumentPosition {
                member,
                position: is_known.then(|| lines.position(&Window::whole(&text), offset)),
                span: Some(Span { start, end }),
                name,
            };
            self.position(rule, &position);
        }
    }

    /// Returns whether a comment of the document or an entry of the options ignores the finding.
    fn is_ignored(&mut self, rule: RuleId, at: &DocumentPosition<'_>, targets: &[&[u8]]) -> bool {
        let is_own = at.member == self.document.member_name();
        let span = at.span.filter(|_| is_own);
        let line = at.position.map(|position| position.line);
        let by_comment = span.is_some_and(|span| self.comments.ignores(rule, span.start, line));
        let by_entry = self.audit.ignored.ignores(&IgnoreCandidate {
            rule,
            path: &self.document.path,
            name: &self.evaluator.name,
            targets,
        });
        by_comment || by_entry
    }

    fn defer(&mut self, rule: RuleId, offset: u64, member: Option<&str>, name: &[u8]) {
        if self.audit.options.levels.reports(rule) {
            let deferred = &mut self.deferred;
            deferred.positions.push((offset, deferred.packed.len()));
            (rule, (member, name)).pack(&mut deferred.packed);
        }
    }

    fn link<'l>(&mut self, link: &'l Link<'l>, located: Located<'l>) {
        self.open();
        let facts = self.evaluator.facts(link, located);
        let finding = self.audit.options.levels.first_finding(&facts);
        let state = LinkState::of(&facts, finding);
        self.counts[state as usize] += 1;
        let list = self.audit.options.list;
        let place = DocumentPosition {
            member: link.member,
            position: link.position,
            span: Some(link.span),
            name: link.reference,
        };
        let is_listed = || self.evaluator.shows(Some(&facts)) && self.shows_line(&place);
        match (list, facts.location, link.target) {
            (ListedLinks::Findings, ..) => {}
            _ if !is_listed() => {}
            (ListedLinks::Links, ..) => {
                self.record(WireRecord::Link(state));
                push_link(link, &mut self.out.0);
            }
            (_, TargetLocation::External | TargetLocation::OutsideRoot, Ok(target)) => {
                let options = &self.audit.options;
                if !options.only_unknown || facts.online == OnlineAnswer::Unknown {
                    self.record(WireRecord::External(target, link.member, link.position));
                }
            }
            _ => {}
        }
        let Some((rule, level)) = finding else {
            return;
        };
        let key = self.evaluator.key(rule, link.member, link.reference);
        let known = self.evaluator.target(rule, &facts);
        let expected = known.expected.as_ref();
        let target = link.target.unwrap_or_default();
        let (bare, _) = split_fragment(target);
        let (reference, _) = split_fragment(link.reference);
        let mut targets = vec![link.reference, reference, target, bare];
        targets.extend(expected.map(ExpectedPath::below));
        targets.retain(|target| !target.is_empty());
        let shows = self.evaluator.shows(Some(&facts));
        if !self.reports(rule, &place, &targets, key, shows) {
            return;
        }
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
            cause: known.cause.clone(),
            hint: if known.exists_elsewhere {
                SuggestionHint::Nothing
            } else {
                search.hint(rule)
            },
            key,
            group: group_key(rule, &known.name),
            target_name: shortened(&known.name),
            origin: None,
        };
        self.record(WireRecord::Finding);
        draft.push(&mut self.out.0);
    }

    fn remark(&mut self, remark: &Remark<'_>) {
        let is_undefined = match remark.kind {
            RemarkKind::Ignore => return self.comments.add(remark),
            RemarkKind::Label | RemarkKind::NameReference | RemarkKind::Title => false,
            RemarkKind::LabelReference => {
                let own = self.member_path();
                let here = &self.audit.options.reading.bases.here;
                let path = self.evaluator.absolute.absolute(here, &own).unwrap_or(&own);
                let name = self.audit.hasher.hash_one(remark.text);
                let labels = &self.evaluator.site.collected.labels;
                !MADE_LABELS.contains(&remark.text) && labels.lacks(path, name)
            }
            RemarkKind::UndefinedLabel => true,
        };
        if is_undefined {
            let (rule, document) = (RuleId::UndefinedReference, Rc::clone(&self.document));
            self.defer(rule, remark.span.start, document.member_name(), remark.text);
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        if *found.code == HTML_BASE_SECOND {
            self.defer(RuleId::SeveralBases, found.offset, found.member, b"");
        }
        self.record(WireRecord::Diagnostic(found.clone()));
    }
}
