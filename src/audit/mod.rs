//! Layer 6: the links of document trees, checked against what stands on disk.
//!
//! Two readings. The first ([`collect`]) reads every document once, in parallel: it collects what
//! fragments can name, looks every target up ([`lookup`], [`check`], [`disk`]), and keeps the links
//! with which something is wrong beyond doubt. What depends on other documents is kept as numbers:
//! which files a document links to, and the hash of each fragment that it wants. When all documents
//! are known ([`site`]), those whose fragments are missing are read a second time (`report_pass`); for
//! the others what was kept is all there is. Either way each link is judged by the table of
//! [`rules`], and the findings go to the [`report`]s in the order of the walk, the same for any
//! number of workers.

pub mod baseline;
pub mod check;
pub mod collect;
pub mod disk;
mod evaluate;
pub mod explain;
pub mod finding;
pub mod fragment;
pub mod hash;
pub mod interner;
pub mod lookup;
pub mod paths;
mod positions;
mod records;
pub mod report;
mod report_pass;
pub mod rules;
pub mod site;
pub mod suggest;
mod suggester;
pub mod wire;

use std::io;

use ignore::overrides::Override;

use crate::document::AnchorReporting;
use crate::document::flags::Flags;
use crate::pipeline;
use crate::pipeline::read::FileReader;
use crate::pipeline::split_lines::UNCUT;
use crate::pipeline::walk::Walk;
use crate::resolver::Link;
use baseline::Baseline;
use check::{TargetChecker, TargetFacts, TargetLocation};
use hash::HashKey;
use lookup::LookupCache;
use paths::PathSet;
use report::{ReportSet, Totals};
use rules::{Level, Levels};
use site::{LinkState, Site};
use suggester::Suggester;

/// What an audit does.
pub struct Audit {
    /// How documents are read; its filter says which references are checked.
    pub reading: pipeline::PipelineOptions,
    /// Mounts and the disk.
    pub checker: TargetChecker,
    /// The level of each rule.
    pub levels: Levels,
    /// Whether fragments are checked.
    pub fragments: FragmentChecks,
    /// What is written besides findings.
    pub list: ListedLinks,
    /// Documents that nobody need link to.
    pub entries: Override,
    /// Absolute paths: if there are any, findings are shown whose source or target is one of them.
    pub touching: PathSet,
    /// Findings that are known and accepted.
    pub baseline: Baseline,
    /// What suggestions may cost, in rows of the edit distance table ([`suggest::ROWS`]), besides
    /// reading each document once more.
    pub suggestion_rows: u64,
    /// What names and targets are hashed with.
    pub key: HashKey,
}

/// Whether fragments are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FragmentChecks {
    /// They are.
    #[default]
    Check,
    /// They are not.
    Leave,
}

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedLinks {
    /// Findings.
    #[default]
    Findings,
    /// Findings, and every link with its state.
    Links,
    /// The targets that only a look at the network can decide, each once.
    External,
}

/// Bases that documents bring are used up to this many bytes: each target has its base in front of
/// it, and no file has so long a path (4096 bytes on Linux, each written as three at most).
const LONGEST_BASE: usize = 16 << 10;

impl Audit {
    /// Where the target of a link lies, and its fragment.
    pub(crate) fn locate<'l>(
        &self,
        link: &Link<'l>,
        lookups: &mut LookupCache<'_>,
    ) -> (TargetLocation, Option<&'l [u8]>) {
        if link.flags.contains(Flags::IGNORED) || !self.reading.filter.admits(link) {
            return (TargetLocation::LeftOut, None);
        }
        match link.target {
            Err(kind) => (TargetLocation::Unresolved(kind), None),
            Ok(target) => {
                let (target, fragment) = fragment::split(target);
                let place = match lookups.place(target) {
                    // What references resolve against need not be a page.
                    TargetLocation::NoIndex(_) if link.attribute == Some("codebase") => {
                        TargetLocation::Skipped
                    }
                    place => place,
                };
                (place, fragment)
            }
        }
    }

    /// The finding of a link: its rule's place in the table and its level.
    #[inline]
    pub(crate) fn judge(&self, facts: &TargetFacts<'_>) -> Option<(usize, Level)> {
        self.levels.judge(facts)
    }

    /// The state that a link ends in.
    #[inline]
    pub(crate) fn state(
        &self,
        facts: &TargetFacts<'_>,
        finding: Option<(usize, Level)>,
    ) -> LinkState {
        let is_error = finding.is_some_and(|(_, level)| level == Level::Error);
        collect::state(facts, is_error)
    }

    /// Whether findings of a rule are wanted.
    pub(crate) fn wants(&self, rule: &str) -> bool {
        let named = self.levels.named(rule);
        named.is_some_and(|(_, level)| level > Level::Allow)
    }
}

/// How an audit ended.
#[derive(Clone, Copy, Debug)]
pub struct AuditOutcome {
    /// What it amounts to.
    pub totals: Totals,
    /// Damaged containers.
    pub damaged: u64,
}

impl Audit {
    /// Checks every document of a walk and tells the reports.
    ///
    /// Whatever `reading` says, documents are read as a whole, with their anchors.
    ///
    /// # Errors
    ///
    /// When a report cannot be written.
    pub fn run(mut self, walk: Walk, reports: ReportSet<'_>) -> io::Result<AuditOutcome> {
        let reading = &mut self.reading;
        reading.piece = UNCUT;
        reading.report = pipeline::ReportMode::Links;
        reading.extractor.formats.anchors = AnchorReporting::Report;
        reading.extractor.longest_base = LONGEST_BASE;
        self.checked(walk, reports)
    }

    fn checked(&self, walk: Walk, mut reports: ReportSet<'_>) -> io::Result<AuditOutcome> {
        let survey = collect::run(self, walk);
        reports.tell_skipped(survey.skipped);
        let files = self.checker.paths.len();
        let mut site = Site::new(survey.documents, files, self.key);
        let mut reader = FileReader::new(&self.reading);
        for file in survey.wanted.iter() {
            if site.offer(file).is_some() {
                continue;
            }
            let path = self.checker.paths.path(file);
            let offer = collect::offer(self, &path, file, &mut reader);
            site.add(file, offer);
        }
        site.mark();
        let suggester = Suggester::new(self, survey.summary.bytes);
        let (reports, counts, error) =
            report_pass::run(self, &site, &survey.linked, suggester, reports);
        if let Some(error) = error {
            return Err(error);
        }
        Ok(AuditOutcome {
            totals: reports.end(survey.summary, counts)?,
            damaged: survey.damaged,
        })
    }
}
