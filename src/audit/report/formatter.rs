//! The contract of the formats of reports, and their shared texts; with all that the formats use.

pub(super) use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(super) use super::groups::{GroupPlace, Grouping};
pub(super) use crate::audit::finding::Finding;
pub(super) use crate::audit::rules::{Level, LinkState, RULES, StateCounts};
use crate::audit::server::SiteServer;
use crate::audit::source::SiteSource;
pub(super) use crate::bytes::lines::Position;
use crate::document::diagnostic::Effect;
use crate::linker::{Diagnostic, Link};
pub(super) use crate::output::DocumentPath;
use crate::output::escape::push_visible;
pub(super) use crate::output::record::{Summary, counted};
use crate::pipeline::walk::path_of;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportStyle<'a> {
    pub(crate) color: bool,
    pub(crate) group: Grouping,
    /// `None` for standard output.
    pub(crate) file: Option<&'a Path>,
}

/// Called through a pointer: there are few findings in comparison to links.
pub(crate) trait ReportFormatter: Send {
    fn start(&mut self, _out: &mut Vec<u8>) {}

    /// Appends a finding; in a report with groups one that is alone in its group.
    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>);

    /// One of the first findings of a group of several; groups come before the end, in the order of
    /// their first findings.
    fn grouped(&mut self, _finding: &Finding<'_>, _place: GroupPlace, _out: &mut Vec<u8>) {}

    fn record(&mut self, _document: &DocumentPath, _record: &ReportRecord<'_>, _out: &mut Vec<u8>) {
    }

    /// Returns whether there is more to append, to be called again.
    fn end_document(&mut self, _document: &DocumentPath, _out: &mut Vec<u8>) -> bool {
        false
    }

    fn end(&mut self, _totals: &AuditSummary, _out: &mut Vec<u8>) {}
}

/// A record of a document that is not a finding.
pub(crate) enum ReportRecord<'a> {
    Link(&'a Link<'a>, LinkState),
    Diagnostic(&'a Diagnostic<'a>),
    /// The reason why the document could not be read, or its fixes not be written.
    Failure(&'a str),
}

impl ReportRecord<'_> {
    /// Returns the reason of a failure, or the damage of a document.
    pub(super) fn failure(&self) -> Option<String> {
        match self {
            ReportRecord::Failure(reason) => Some(shown(reason.as_bytes())),
            ReportRecord::Diagnostic(found) => {
                (found.code.effect == Effect::Damage).then(|| shown(found.to_string().as_bytes()))
            }
            ReportRecord::Link(..) => None,
        }
    }
}

/// The numbers of files, links and findings of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditSummary {
    pub(crate) summary: Summary,
    pub(crate) counts: StateCounts,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    /// Findings past the limit.
    pub(crate) hidden: u64,
    /// Findings without a search for a suggestion, as the budget was spent.
    pub(crate) unsuggested: u64,
    pub(crate) ignored: u64,
    /// Findings that are fixed, and findings whose fixes could not be written.
    pub(crate) fixed: Option<(u64, u64)>,
    /// The old addresses of a comparison.
    pub(crate) addresses: Option<u64>,
    /// The most severe first, then the most frequent.
    pub(crate) rules: Vec<RuleCount>,
    /// The targets with most findings, of a run with groups.
    pub(crate) targets: Vec<TargetCount>,
    /// Findings past the limit of the report that ends, or past its groups.
    pub(crate) left_out: u64,
    pub(crate) forgiven: u64,
    /// Unused lines of the baseline: the first ones, and the number of all.
    pub(crate) stale: (Vec<String>, u64),
    /// The configuration, and the rules whose levels it lowers.
    pub(crate) config: Option<(PathBuf, Vec<String>)>,
    pub(crate) servers: Vec<SiteServer>,
    pub(crate) sources: Vec<SiteSource>,
    /// Causes that most findings share.
    pub(crate) hints: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleCount {
    /// The index in [`RULES`].
    pub(crate) rule: usize,
    pub(crate) level: Level,
    pub(crate) count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TargetCount {
    pub(crate) name: String,
    pub(crate) rule: &'static str,
    pub(crate) count: u64,
}

/// Getters of one number each.
macro_rules! numbers {
    ($($(#[$about:meta])* $name:ident = $($field:tt).+;)*) => {$(
        $(#[$about])*
        pub fn $name(&self) -> u64 {
            self.$($field).+
        }
    )*};
}

impl AuditSummary {
    numbers! {
        /// Returns the number of documents that were read.
        files = summary.files;

        /// Returns the length of these documents together, in bytes.
        bytes = summary.bytes;

        /// Returns the number of documents of unknown formats, by their extensions, which were read as
        /// text: relative references in them are not seen.
        read_as_text = summary.read_as_text;

        /// Returns the number of files that were skipped: of no known format, or excluded.
        skipped_files = summary.skipped_files;

        /// Returns the number of files and directories that could not be read, or not to their end.
        unreadable = summary.errors;

        /// Returns the number of damaged containers, such as truncated compressed files.
        damaged = summary.damaged;

        /// Returns the number of references.
        references = summary.references;

        /// Returns the number of findings of level error.
        errors = errors;

        /// Returns the number of findings of level warning.
        warnings = warnings;

        /// Returns the number of findings that the baseline accepts.
        forgiven = forgiven;

        /// Returns the number of lines of the baseline that accept no finding.
        stale = stale.1;

        /// Returns the number of findings that comments or entries of the options ignore.
        ignored = ignored;

        /// Returns the number of findings for which no suggestion was searched, because the searches
        /// before them had used up the budget.
        unsuggested = unsuggested;
    }

    pub(super) fn count(&mut self, rule: usize, level: Level) {
        match level {
            Level::Error => self.errors += 1,
            _ => self.warnings += 1,
        }
        let count = 1;
        match self.rules.iter_mut().find(|row| row.rule == rule) {
            Some(row) => row.count += 1,
            None => self.rules.push(RuleCount { rule, level, count }),
        }
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let states = LinkState::ALL.iter().zip(self.counts);
        states.map(|(state, count)| (state.name(), count))
    }

    /// Returns how much was checked, such as `3 references`, or `2 addresses` of a comparison.
    pub(crate) fn subject(&self) -> String {
        match self.addresses {
            Some(1) => "1 address".to_owned(),
            Some(addresses) => format!("{addresses} addresses"),
            None => counted(self.references(), "reference"),
        }
    }

    /// Returns such as `5 references in 1 file: 3 broken, 2 external`, or `2 addresses compared in 2 files`.
    pub(crate) fn checked(&self) -> String {
        let (subject, files) = (self.subject(), counted(self.files(), "file"));
        if self.addresses.is_some() {
            return format!("{subject} compared in {files}");
        }
        let states = self.states().map(|(name, count)| format!("{count} {name}"));
        let states = states.collect::<Vec<_>>().join(", ");
        format!("{subject} in {files}: {states}")
    }

    /// Returns the number of references in a state; each is in exactly one.
    pub fn in_state(&self, state: LinkState) -> u64 {
        self.counts[state as usize]
    }

    /// Returns the rules that have findings, each with their number: the most severe rules first, then
    /// the most frequent.
    pub fn by_rule(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let rows = self.rules.iter();
        rows.map(|row| (RULES[row.rule].name, row.count))
    }

    /// Returns the directories that were seen in the view of a server, and the names of the
    /// servers, without static ones.
    pub fn servers(&self) -> impl Iterator<Item = (PathBuf, &'static str)> {
        let servers = self.servers.iter();
        servers.map(|site| (path_of(&site.root), site.server))
    }

    /// Returns the directories that were seen as the source of a site, and the names of the generators.
    pub fn sources(&self) -> impl Iterator<Item = (PathBuf, &'static str)> {
        let sources = self.sources.iter();
        sources.map(|site| (path_of(&site.root), site.kind))
    }
}

/// A buffer of this many bytes is written.
pub(super) const GATHER: usize = 64 << 10;

pub(crate) fn colons(position: Option<Position>) -> String {
    position.map_or(String::new(), |Position { line, column }| {
        format!(":{line}:{column}")
    })
}

/// Returns the member and the position of a finding, which follow the path: `!member:line:column`.
pub(super) fn place_below(finding: &Finding<'_>) -> String {
    let member = finding
        .member()
        .map(|member| format!("!{}", shown(member.as_bytes())));
    member.unwrap_or_default() + &colons(finding.position())
}

/// Escapes control characters; invalid UTF-8 becomes U+FFFD.
pub(super) fn shown(text: &[u8]) -> String {
    let mut out = Vec::new();
    push_visible(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

pub(super) fn suggestion(finding: &Finding<'_>, quote: fn(&[u8]) -> String) -> String {
    let suggestion = finding.suggestion().map(quote);
    suggestion.map_or(String::new(), |text| format!("; did you mean {text}?"))
}

/// Such as ` [from docs/guide.md:7]`; empty if the source is not known.
pub(super) fn origin(finding: &Finding<'_>) -> String {
    let origin = finding.draft.origin.as_ref();
    let Some(path) = origin.and_then(|origin| origin.path.as_deref()) else {
        return String::new();
    };
    let line = finding.source_line();
    let line = line.map_or(String::new(), |line| format!(":{line}"));
    format!(" [from {}{line}]", shown(path))
}

/// Such as `guide.html#instal (no such id)`.
pub(super) fn sentence(finding: &Finding<'_>) -> String {
    let message = shown(finding.message().as_bytes()) + &suggestion(finding, shown);
    let message = match finding.reference() {
        b"" => message,
        reference => format!("{} ({message})", shown(reference)),
    };
    message + &origin(finding)
}
