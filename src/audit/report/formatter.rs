//! The contract of the formats of reports, and what they write alike.

use std::path::PathBuf;

use crate::audit::finding::Finding;
use crate::audit::rules::{LinkState, StateCounts};
use crate::output::DocumentPath;
use crate::output::record::Summary;
use crate::output::text::push_lossy;
use crate::resolver::{Diagnostic, Link};

/// The style of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextStyle {
    /// Whether it is coloured.
    pub(crate) color: bool,
}

/// Formats the records of a report into a buffer.
///
/// Called through a pointer: there are few findings in comparison to links.
pub(crate) trait ReportFormatter: Send {
    /// Appends the start of the report.
    fn start(&mut self, _out: &mut Vec<u8>) {}

    /// Appends a finding in a document.
    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>);

    /// Appends a link and its state.
    fn link(
        &mut self,
        _document: &DocumentPath,
        _link: &Link<'_>,
        _state: LinkState,
        _out: &mut Vec<u8>,
    ) {
    }

    /// Appends a diagnostic of a document.
    fn diagnostic(
        &mut self,
        _document: &DocumentPath,
        _found: &Diagnostic<'_>,
        _out: &mut Vec<u8>,
    ) {
    }

    /// Appends the reason why a document could not be read.
    fn failure(&mut self, _document: &DocumentPath, _message: &str, _out: &mut Vec<u8>) {}

    /// Ends the findings of a document. Returns whether there is more to append, to be called again.
    fn end_document(&mut self, _document: &DocumentPath, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Appends the end of the report.
    fn end(&mut self, _totals: &AuditSummary, _out: &mut Vec<u8>) {}
}

/// The counts of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditSummary {
    /// The counts of all that was read.
    pub(crate) summary: Summary,
    /// The states of the links.
    pub(crate) counts: StateCounts,
    /// Findings of level error.
    pub(crate) errors: u64,
    /// Findings of level warning.
    pub(crate) warnings: u64,
    /// Findings past the limit, which are counted and not shown.
    pub(crate) hidden: u64,
    /// Findings for which no suggestion was searched, because the budget was spent.
    pub(crate) unsuggested: u64,
    /// Damaged containers.
    pub(crate) damaged: u64,
    /// The configuration file that was read.
    pub(crate) config: Option<PathBuf>,
}

impl AuditSummary {
    /// Returns the number of documents that were read.
    pub fn files(&self) -> u64 {
        self.summary.files
    }

    /// Returns the length of these documents together, in bytes.
    pub fn bytes(&self) -> u64 {
        self.summary.bytes
    }

    /// Returns the number of files that were skipped: of no known format, or excluded.
    pub fn skipped_files(&self) -> u64 {
        self.summary.skipped_files
    }

    /// Returns the number of files and directories that could not be read, or not to their end.
    pub fn unreadable(&self) -> u64 {
        self.summary.errors
    }

    /// Returns the number of damaged containers, such as truncated compressed files.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Returns the number of references.
    pub fn references(&self) -> u64 {
        self.summary.references
    }

    /// Returns the number of references in a state; each is in exactly one.
    pub fn in_state(&self, state: LinkState) -> u64 {
        self.counts[state as usize]
    }

    /// Returns the number of findings of level error.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Returns the number of findings of level warning.
    pub fn warnings(&self) -> u64 {
        self.warnings
    }

    /// Returns the number of findings for which no suggestion was searched, because the searches
    /// before them had used up the budget.
    pub fn unsuggested(&self) -> u64 {
        self.unsuggested
    }
}

/// A report is written when its buffer holds this many bytes.
pub(super) const GATHER: usize = 64 << 10;

/// Appends bytes of a finding in the escaping of a report.
pub(super) type Push = fn(&[u8], &mut Vec<u8>);

/// Appends the message of a finding, with its suggestion.
pub(super) fn push_message(finding: &Finding<'_>, push: Push, out: &mut Vec<u8>) {
    push(finding.message().as_bytes(), out);
    if let Some(suggestion) = finding.suggestion {
        out.extend_from_slice(b"; did you mean ");
        push(suggestion, out);
        out.push(b'?');
    }
}

/// Appends the reference of a finding and its message: `guide.html#instal (no such id)`.
pub(super) fn push_sentence(finding: &Finding<'_>, push: Push, out: &mut Vec<u8>) {
    let reference = finding.reference();
    if reference.is_empty() {
        return push_message(finding, push, out);
    }
    push(reference, out);
    out.extend_from_slice(b" (");
    push_message(finding, push, out);
    out.push(b')');
}

/// Returns the sentence for formats that escape what they cannot hold.
pub(super) fn sentence(finding: &Finding<'_>) -> String {
    let without_line_breaks: Push = |bytes, out| {
        for piece in bytes.split(|byte| matches!(byte, b'\r' | b'\n')) {
            push_lossy(piece, out);
        }
    };
    let mut out = Vec::new();
    push_sentence(finding, without_line_breaks, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
