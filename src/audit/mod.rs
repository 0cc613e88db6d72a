//! The links of document trees, checked against the files on disk (layer 6).
//!
//! Two passes. The first (`collect`) reads every document once, in parallel: it collects the names
//! that fragments can refer to, looks up every target (`target`, `disk`), and writes each link that
//! may have a finding to the journal (`journal`). When all documents are known (`site`), the second
//! (`report_pass`) reads the journal: each link is tried by the lints of `rules`, and the findings go to
//! the reports in the order of the walk, the same for any number of workers.
//!
#![doc = include_str!("rules.md")]

mod causes;
mod collect;
pub(crate) mod compare;
mod date;
mod disk;
mod evaluator;
mod finding;
pub(crate) mod fix;
pub(crate) mod gone;
mod hint;
mod ignored;
mod journal;
mod labels;
pub(crate) mod link_table;
pub(crate) mod location;
mod names;
pub(crate) mod options;
mod page_text;
pub(crate) mod redirect_formats;
pub(crate) mod relocate;
pub(crate) mod report;
mod report_pass;
pub(crate) mod results;
pub(crate) mod retitle;
mod rewrite;
mod rule_checks;
pub(crate) mod rules;
mod server;
mod site;
mod source;
mod stale;
mod successors;
mod suggest;
mod target;
pub(crate) mod targets;
mod wiki;
mod wire;

use std::io;
use std::path::{Path, PathBuf};

use crate::document::AnchorReporting;
use crate::pipeline::ReportMode;
use crate::pipeline::walk::{Walk, WalkOptions};
use location::Audit;
use names::FileId;
use options::{assume_roots, walk_root};
use report::ReportSet;
use rules::RuleId;
use site::Site;
use suggest::Suggester;

pub(crate) use server::SERVERS;
pub(crate) use source::GENERATORS;

pub use finding::Finding;
pub use ignored::IgnoreEntry;
pub use options::{AuditError, AuditOptions};
pub use report::AuditSummary;
pub use rules::{Level, LinkState, RULES, Rule};

/// Checks the links of all documents under some paths, and calls a function with each finding.
///
/// Findings come in the order of the paths and of the documents, with any number of threads, and
/// in a document in the order of the links; findings about the document itself follow them. Nothing
/// is read from the network. Files that cannot be read are counted in the summary.
///
/// ```
/// use uriscan::{AuditOptions, audit};
///
/// let mut findings = Vec::new();
/// let summary = audit(&AuditOptions::default(), ["src/audit"], |finding| {
///     findings.push(format!("{}: {}", finding.path().display(), finding.message()));
/// })?;
/// assert_eq!(summary.errors() + summary.warnings(), findings.len() as u64);
/// # Ok::<(), uriscan::AuditError>(())
/// ```
///
/// # Errors
///
/// If a path is relative and the current directory is not known.
pub fn audit(
    options: &AuditOptions,
    paths: impl IntoIterator<Item = impl AsRef<Path>>,
    on_finding: impl FnMut(&Finding<'_>) + Send,
) -> Result<AuditSummary, AuditError> {
    let mut options = options.clone();
    let paths = paths.into_iter().map(|path| path.as_ref().to_path_buf());
    let paths: Vec<PathBuf> = paths.collect();
    assume_roots(&mut options.reading.bases, &paths)?;
    let roots: Vec<_> = paths.iter().map(|path| Ok(walk_root(path))).collect();
    let walk_options = WalkOptions {
        follow: options.follows_symlinks,
        ..WalkOptions::default()
    };
    let mut reports = ReportSet::new(options.reading.verbosity, None);
    reports.call(on_finding);
    let walk = Walk::new(roots.into_iter(), walk_options);
    run(Audit::new(options, &paths), walk, reports, |_| Ok(())).map_err(AuditError::Io)
}

/// Checks every document of a walk and writes the reports; calls `finish` before they end.
///
/// Documents are read as a whole (A25), with their anchors; options cannot change that.
///
/// # Errors
///
/// When a report cannot be written, and the errors of `finish`.
pub(crate) fn run<'r>(
    mut audit: Audit,
    walk: Walk,
    mut reports: ReportSet<'r>,
    finish: impl FnOnce(&mut ReportSet<'r>) -> io::Result<()>,
) -> io::Result<AuditSummary> {
    prepare(&mut audit);
    let audit = &audit;
    let mut site = survey(audit, walk);
    reports.print_skipped(std::mem::take(&mut site.collected.skipped));
    let suggester = Suggester::new(audit, &site);
    let (mut reports, mut counts) = report_pass::run(audit, &site, suggester, reports)?;
    rules::add_counts(&mut counts, &site.collected.counts);
    reports.compare(&audit.options.baseline);
    finish(&mut reports)?;
    reports.end(site.collected.summary, counts)
}

/// Makes documents be read as a whole, with their anchors.
fn prepare(audit: &mut Audit) {
    let reading = &mut audit.options.reading;
    reading.report = ReportMode::Links;
    reading.extractor.formats.anchors = AnchorReporting::Report;
    let describes = |rule| audit.options.levels.reports(rule);
    reading.extractor.formats.html.descriptions =
        describes(RuleId::HreflangReturn) || describes(RuleId::CanonicalElsewhere);
}

/// Reads every document of a walk, and the files that links name with fragments.
fn survey(audit: &Audit, walk: Walk) -> Site {
    let collected = collect::run(audit, walk);
    let mut site = Site::new(collected, audit.checker.paths.len(), audit.hasher.clone());
    let mut others: Vec<FileId> = site.collected.wanted.iter().collect();
    others.retain(|&file| site.anchors(file).is_none());
    for (file, anchors) in collect::read_others(audit, &others) {
        site.anchors[file.0 as usize] = Some(anchors);
    }
    site.join_parts();
    site
}
