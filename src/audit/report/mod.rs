//! The formats of reports, one row each in `FORMATS`, and the reports of a run.

mod external;
mod formatter;
mod groups;
mod html;
mod jsonl;
mod junit;
mod markdown;
mod sarif;
mod text;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::finding::{
    Baseline, Finding, FindingDraft, FindingSubject, Suggestion, push_baseline_line,
};
use super::fix::{Fix, FixList};
use super::rules::StateCounts;
use super::wire::{WireReader, WireRecord};
use crate::bytes::lines::Position;
use crate::document::diagnostic::Effect;
use crate::linker::Diagnostic;
use crate::output::escape::{Escape, push_visible};
use crate::output::record::{Skip, Summary};
use crate::output::{DocumentPath, Layout, Output};
use crate::pipeline::Verbosity;
use crate::pipeline::tally::{self, CountKey, KeyCounts};
use crate::pipeline::walk::bytes_of;
use external::ExternalTargets;
pub use formatter::AuditSummary;
use formatter::{GATHER, ReportFormatter, ReportRecord, TargetCount, shown};
pub(crate) use formatter::{ReportStyle, colons};
use groups::FindingGroups;
pub(crate) use groups::Grouping;
use jsonl::JsonlReport;

/// Targets in the summary, and lines of a baseline.
const MOST_LISTED: usize = 10;

pub(crate) struct ReportFormat {
    pub name: &'static str,
    /// Text for people, which a diff may replace.
    pub(crate) is_text: bool,
    /// Records, which have the date, the sender and the subject of messages.
    pub(crate) has_records: bool,
    start: StartReport,
}

pub(crate) static FORMATS: &[ReportFormat] = &[
    ReportFormat {
        is_text: true,
        ..row("text", |ReportStyle { color, group, .. }| {
            (Box::new(text::TextReport { color }), group)
        })
    },
    ReportFormat {
        has_records: true,
        ..row("jsonl", |_| (Box::<JsonlReport>::default(), Grouping::None))
    },
    row("sarif", |_| {
        (Box::<sarif::SarifReport>::default(), Grouping::None)
    }),
    row("junit", |_| {
        (Box::<junit::JunitReport>::default(), Grouping::None)
    }),
    row("github", |style| {
        (Box::new(text::GithubReport), style.group)
    }),
    row("markdown", |style| {
        (Box::<markdown::MarkdownReport>::default(), style.group)
    }),
    row("html", |style| {
        (Box::new(html::HtmlReport::new(style.file)), Grouping::None)
    }),
];

/// Returns the report, and how it groups findings.
type StartReport = fn(ReportStyle<'_>) -> (Box<dyn ReportFormatter>, Grouping);

const fn row(name: &'static str, start: StartReport) -> ReportFormat {
    ReportFormat {
        name,
        is_text: false,
        has_records: false,
        start,
    }
}

impl ReportFormat {
    pub(crate) fn named(name: &str) -> Option<&'static ReportFormat> {
        FORMATS.iter().find(|format| format.name == name)
    }
}

type ReportWriter<'r> = Box<dyn Write + Send + 'r>;

struct OpenReport<'r> {
    report: Box<dyn ReportFormatter + 'r>,
    group: Grouping,
    writer: ReportWriter<'r>,
    out: Vec<u8>,
}

impl<'r> OpenReport<'r> {
    fn new(mut report: Box<dyn ReportFormatter + 'r>, writer: ReportWriter<'r>) -> Self {
        let (group, mut out) = (Grouping::None, Vec::new());
        report.start(&mut out);
        OpenReport {
            report,
            group,
            writer,
            out,
        }
    }

    /// Lines are appended without a formatter.
    fn list(writer: ReportWriter<'r>) -> Self {
        OpenReport::new(Box::<text::TextReport>::default(), writer)
    }

    fn write(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    fn write_full(&mut self) -> io::Result<()> {
        if self.out.len() >= GATHER {
            self.write()?;
        }
        Ok(())
    }
}

/// The ticket and the number in its batch, the path, and the reason.
pub(crate) type SkippedFile = ((u64, u32), PathBuf, Skip);

#[derive(Default)]
pub(crate) struct ReportSet<'r> {
    open: Vec<OpenReport<'r>>,
    /// Targets elsewhere on the network, one a line, each once.
    external: Option<OpenReport<'r>>,
    listed: HashSet<Box<[u8]>>,
    /// The same as records with their places.
    places: Option<ExternalTargets>,
    baseline: Option<OpenReport<'r>>,
    /// One for each grouping of the reports.
    groups: Vec<FindingGroups>,
    forgiven: foldhash::HashSet<u64>,
    pub(crate) fixes: Option<&'r mut FixList>,
    pub(super) document: DocumentPath,
    verbosity: Verbosity,
    /// The findings that are shown at most.
    most: u64,
    shown: u64,
    pub(crate) totals: AuditSummary,
}

impl<'r> ReportSet<'r> {
    pub(crate) fn new(verbosity: Verbosity, most: Option<u64>) -> Self {
        ReportSet {
            verbosity,
            document: DocumentPath::new(b""),
            most: most.unwrap_or(u64::MAX),
            ..ReportSet::default()
        }
    }

    pub(crate) fn add(
        &mut self,
        format: &ReportFormat,
        style: ReportStyle<'_>,
        writer: ReportWriter<'r>,
    ) {
        let (report, group) = (format.start)(style);
        self.group_by(group);
        let open = OpenReport::new(report, writer);
        self.open.push(OpenReport { group, ..open });
    }

    /// Counts groups, for reports or the summary.
    pub(crate) fn group_by(&mut self, grouping: Grouping) {
        let is_known = self.groups.iter().any(|groups| groups.by == grouping);
        if grouping != Grouping::None && !is_known {
            self.groups.push(FindingGroups::new(grouping));
        }
    }

    /// Adds a report of the number of findings with each value of some keys.
    pub(crate) fn count_by(
        &mut self,
        keys: Vec<CountKey>,
        most: Option<usize>,
        format: &ReportFormat,
        writer: ReportWriter<'r>,
    ) {
        let report = CountReport {
            keys,
            most,
            counts: KeyCounts::default(),
            records: format.has_records.then(JsonlReport::default),
        };
        self.open.push(OpenReport::new(Box::new(report), writer));
    }

    pub(crate) fn call(&mut self, on_finding: impl FnMut(&Finding<'_>) + Send + 'r) {
        let report = Box::new(CallbackReport(on_finding));
        let open = OpenReport::new(report, Box::new(io::sink()));
        self.open.push(open);
    }

    /// Lists external targets as lines, or as records with their places.
    pub(crate) fn list_external(&mut self, as_records: bool, writer: ReportWriter<'r>) {
        self.external = Some(OpenReport::list(writer));
        self.places = as_records.then(ExternalTargets::default);
    }

    pub(crate) fn list_keys(&mut self, writer: ReportWriter<'r>) {
        self.baseline = Some(OpenReport::list(writer));
    }

    /// Takes a record other than a finding; the rest of it is in `packed`.
    pub(super) fn take(
        &mut self,
        record: WireRecord<'_>,
        packed: &mut WireReader<'_>,
    ) -> io::Result<()> {
        match record {
            WireRecord::Continued(path) if self.document.path() == path => {}
            WireRecord::Document(path) | WireRecord::Continued(path) => self.enter(path)?,
            WireRecord::Finding => {}
            WireRecord::Link(state) => {
                packed.link(|link| self.record(&ReportRecord::Link(link, state)));
            }
            WireRecord::External(target, member, position) => {
                self.external(target, member, position);
            }
            WireRecord::Diagnostic(diagnostic) => self.diagnostic(&diagnostic),
            WireRecord::Failure(message) => self.failure(message),
            WireRecord::Forgiven(key) => {
                self.totals.forgiven += 1;
                self.forgiven.insert(key);
            }
        }
        self.write_full()
    }

    pub(super) fn enter(&mut self, path: &[u8]) -> io::Result<()> {
        self.end_document()?;
        self.document.set(path);
        Ok(())
    }

    fn all(&mut self) -> impl Iterator<Item = &mut OpenReport<'r>> {
        let lists = self.external.iter_mut().chain(&mut self.baseline);
        self.open.iter_mut().chain(lists)
    }

    pub(super) fn write_full(&mut self) -> io::Result<()> {
        self.all().try_for_each(OpenReport::write_full)
    }

    fn record(&mut self, record: &ReportRecord<'_>) {
        for open in &mut self.open {
            open.report.record(&self.document, record, &mut open.out);
        }
    }

    fn end_document(&mut self) -> io::Result<()> {
        for open in &mut self.open {
            while open.report.end_document(&self.document, &mut open.out) {
                open.write()?;
            }
        }
        Ok(())
    }

    /// Returns whether the next finding is more than a number.
    pub(super) fn shows_next(&self) -> bool {
        self.fixes.is_some() || self.shown < self.most && !self.open.is_empty()
    }

    pub(super) fn finding(&mut self, draft: &FindingDraft<'_>, suggestion: Option<&Suggestion>) {
        let document = &self.document;
        let finding = Finding {
            document,
            draft,
            suggestion,
        };
        if let Some(fixes) = &mut self.fixes
            && fixes.add(draft.rule, &finding)
            && fixes.is_written
        {
            return;
        }
        self.totals.count(draft.rule as usize, draft.level);
        if let Some(baseline) = &mut self.baseline {
            push_baseline_line(&finding, &mut baseline.out);
        }
        let is_hidden = self.shown == self.most;
        for groups in &mut self.groups {
            if is_hidden {
                groups.hide_new();
            }
            groups.add(&finding);
        }
        if is_hidden {
            self.totals.hidden += 1;
            return;
        }
        self.shown += 1;
        for open in &mut self.open {
            if open.group == Grouping::None {
                open.report.finding(&finding, &mut open.out);
            }
        }
    }

    /// Reports the findings whose fixes could not be written.
    pub(crate) fn leave<'f>(
        &mut self,
        path: &Path,
        message: &str,
        fixes: impl IntoIterator<Item = &'f Fix>,
    ) -> io::Result<()> {
        self.enter(bytes_of(path))?;
        for fix in fixes {
            self.totals.count(fix.rule as usize, fix.level);
        }
        self.record(&ReportRecord::Failure(message));
        self.write_full()
    }

    fn external(&mut self, target: &[u8], member: Option<&str>, position: Option<Position>) {
        if let Some(places) = &mut self.places {
            return places.add(target, self.document.path(), member, position);
        }
        if let Some(open) = &mut self.external
            && !self.listed.contains(target)
        {
            self.listed.insert(target.into());
            push_visible(target, &mut open.out);
            open.out.push(b'\n');
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        self.record(&ReportRecord::Diagnostic(found));
        let damage = found.code.effect == Effect::Damage;
        if self.verbosity.diagnostics || damage && self.verbosity.errors {
            self.print(&found.to_string());
        }
    }

    fn failure(&mut self, message: &str) {
        self.record(&ReportRecord::Failure(message));
        if self.verbosity.errors {
            self.print(message);
        }
    }

    pub(super) fn print_skipped(&mut self, mut skipped: Vec<SkippedFile>) {
        skipped.sort_unstable_by_key(|(order, ..)| *order);
        for (_, path, skip) in skipped {
            self.document.set(bytes_of(&path));
            self.print(&skip.to_string());
        }
        self.document.set(b"");
    }

    fn print(&self, message: &str) {
        let (path, message) = (shown(self.document.path()), shown(message.as_bytes()));
        // Errors on standard error are ignored.
        let _ = io::stderr().write_all(format!("uriscan: {path}: {message}\n").as_bytes());
    }

    pub(crate) fn end(mut self, summary: Summary, counts: StateCounts) -> io::Result<AuditSummary> {
        self.totals.summary = summary;
        self.totals.counts = counts;
        self.end_document()?;
        self.sort_counts();
        for open in &mut self.open {
            self.totals.left_out = self.totals.hidden;
            if let Some(groups) = self.groups.iter().find(|groups| groups.by == open.group) {
                self.totals.left_out = groups.hidden();
                groups.show_all(|place, finding| {
                    if place.count == 1 {
                        open.report.finding(finding, &mut open.out);
                    } else {
                        open.report.grouped(finding, place, &mut open.out);
                    }
                    open.write_full()
                })?;
            }
            open.report.end(&self.totals, &mut open.out);
        }
        if let (Some(open), Some(places)) = (&mut self.external, &self.places) {
            places.push(&mut open.out);
        }
        for open in self.all() {
            open.write()?;
            open.writer.flush()?;
        }
        Ok(self.totals)
    }

    fn sort_counts(&mut self) {
        let rules = &mut self.totals.rules;
        rules.sort_unstable_by_key(|row| (Reverse(row.level), Reverse(row.count), row.rule));
        let by_target = |groups: &&FindingGroups| groups.by == Grouping::Target;
        if let Some(groups) = self.groups.iter().find(by_target) {
            let targets = &mut self.totals.targets;
            groups.show_largest(MOST_LISTED, |place, finding| {
                targets.push(TargetCount {
                    name: String::from_utf8_lossy(&finding.draft.target_name).into_owned(),
                    rule: finding.rule(),
                    count: place.count,
                });
            });
        }
    }

    pub(super) fn compare(&mut self, baseline: &Baseline) {
        let (lines, count) = &mut self.totals.stale;
        for line in baseline.stale(&self.forgiven) {
            if lines.len() < MOST_LISTED {
                lines.push(String::from_utf8_lossy(line).into_owned());
            }
            *count += 1;
        }
    }
}

/// Numbers of findings by some keys: lines at the end, or records among the audit's.
struct CountReport {
    keys: Vec<CountKey>,
    most: Option<usize>,
    counts: KeyCounts,
    records: Option<JsonlReport>,
}

impl ReportFormatter for CountReport {
    fn finding(&mut self, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        let (document, subject) = (finding.document, finding.draft.subject);
        let values = self.keys.iter().map(|key| match (key, subject) {
            (CountKey::Rule, _) => finding.rule().as_bytes().into(),
            (CountKey::Path, _) => document.path().into(),
            (key, FindingSubject::Link(link)) => key.of(document, link),
            (_, FindingSubject::Document(_)) => Cow::default(),
        });
        self.counts.count(&tally::joined(values));
    }

    fn record(&mut self, document: &DocumentPath, record: &ReportRecord<'_>, out: &mut Vec<u8>) {
        if let Some(records) = &mut self.records {
            records.record(document, record, out);
        }
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let counts = std::mem::take(&mut self.counts);
        if let Some(output) = Output::named(self.records.as_ref().map_or("text", |_| "jsonl")) {
            let names: Vec<_> = self.keys.iter().map(|key| key.name()).collect();
            let layout = Layout {
                escape: Escape::Controls,
                ..Layout::default()
            };
            let Ok(()) = counts.rows(self.most, |values, count| {
                let values = tally::split(&self.keys, values);
                output.count(&layout, (&names, &values), count, out);
                Ok::<_, Infallible>(())
            });
        }
        if let Some(records) = &mut self.records {
            records.end(totals, out);
        }
    }
}

struct CallbackReport<F>(F);

impl<F: FnMut(&Finding<'_>) + Send> ReportFormatter for CallbackReport<F> {
    fn finding(&mut self, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        (self.0)(finding);
    }
}
