//! Layer 6: the links of document trees, checked against the files on disk.
//!
//! Two passes. The first ([`collect`]) reads every document once, in parallel: it collects the names
//! that fragments can refer to, looks up every target ([`target`], [`disk`]), and keeps the links
//! that surely have a finding. For each document it notes the files that the document links to, and
//! a hash of each fragment that it needs in another one. When all documents are known ([`site`]),
//! those whose fragments are missing are read again (`report_pass`); for the others the notes are
//! complete. In both cases each link is judged by the table of [`rules`], and the findings go to the
//! [`report`]s in the order of the walk, the same for any number of workers.

pub mod collect;
pub mod disk;
pub mod finding;
pub mod names;
pub mod options;
pub mod report;
mod report_pass;
pub mod rules;
pub mod site;
pub mod suggest;
pub mod target;
pub mod wire;

use std::io;

use crate::document::AnchorReporting;
use crate::pipeline::ReportMode;
use crate::pipeline::read::FileReader;
use crate::pipeline::split_lines::UNCUT;
use crate::pipeline::walk::Walk;
use report::{ReportSet, Totals};
use site::Site;
use suggest::Suggester;

pub use options::{Audit, FragmentChecks, ListedLinks};

/// The result of an audit.
#[derive(Clone, Copy, Debug)]
pub struct AuditOutcome {
    /// The counts of all that was read and found.
    pub totals: Totals,
    /// Damaged containers.
    pub damaged: u64,
}

/// Bases that documents bring are used up to this many bytes: each target begins with its base, and
/// no file has a longer path (4096 bytes on Linux, each written as three at most).
const LONGEST_BASE: usize = 16 << 10;

/// Checks every document of a walk and writes the reports.
///
/// Documents are read as a whole, with their anchors, whatever the options say.
///
/// # Errors
///
/// When a report cannot be written.
pub fn run(mut audit: Audit, walk: Walk, mut reports: ReportSet<'_>) -> io::Result<AuditOutcome> {
    let reading = &mut audit.reading;
    reading.piece = UNCUT;
    reading.report = ReportMode::Links;
    reading.extractor.formats.anchors = AnchorReporting::Report;
    reading.extractor.longest_base = LONGEST_BASE;
    let audit = &audit;
    let collected = collect::run(audit, walk);
    reports.print_skipped(collected.skipped);
    let paths = &audit.checker.paths;
    let mut site = Site::new(collected.documents, paths.len(), audit.key);
    let mut reader = FileReader::new(&audit.reading);
    for file in collected.wanted.iter() {
        if site.anchors(file).is_none() {
            site.add(file, collect::read_anchors(audit, file, &mut reader));
        }
    }
    site.mark();
    let suggester = Suggester::new(audit, collected.summary.bytes);
    let (reports, counts, error) =
        report_pass::run(audit, &site, &collected.linked, suggester, reports);
    match error {
        Some(error) => Err(error),
        None => Ok(AuditOutcome {
            totals: reports.end(collected.summary, counts)?,
            damaged: collected.damaged,
        }),
    }
}
