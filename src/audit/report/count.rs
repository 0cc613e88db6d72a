//! How many findings there are with each value of a key.

use std::convert::Infallible;

use super::jsonl::JsonlReport;
use super::{ReportFormat, ReportFormatter, Totals};
use crate::audit::finding::{Finding, FindingSubject};
use crate::output::DocumentPath;
use crate::output::{Layout, Output};
use crate::pipeline::tally::{CountKey, KeyCounts};
use crate::resolver::Diagnostic;

/// Counts, told at the end: as lines, or as records among those of an audit.
pub(super) struct Count {
    key: CountKey,
    tally: KeyCounts,
    records: Option<JsonlReport>,
}

impl Count {
    /// Counts by `key`; records where `format` consists of records.
    pub(super) fn new(key: CountKey, format: &ReportFormat) -> Self {
        Count {
            key,
            tally: KeyCounts::default(),
            records: (format.name == "jsonl").then(JsonlReport::default),
        }
    }
}

impl ReportFormatter for Count {
    fn finding(&mut self, place: &DocumentPath, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        let value = match (self.key, finding.subject) {
            (CountKey::Rule, _) => finding.rule.name.as_bytes(),
            (CountKey::Path, _) => place.path(),
            (key, FindingSubject::Link(link)) => return self.tally.count(key.of(place, link)),
            (_, FindingSubject::Document(_)) => b"",
        };
        self.tally.count(value);
    }

    fn diagnostic(&mut self, place: &DocumentPath, found: &Diagnostic<'_>, out: &mut Vec<u8>) {
        if let Some(records) = &mut self.records {
            records.diagnostic(place, found, out);
        }
    }

    fn failure(&mut self, place: &DocumentPath, message: &str, out: &mut Vec<u8>) {
        if let Some(records) = &mut self.records {
            records.failure(place, message, out);
        }
    }

    fn end(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        let name = match &self.records {
            Some(_) => "jsonl",
            None => "text",
        };
        let (layout, tally) = (Layout::default(), std::mem::take(&mut self.tally));
        let Some(output) = Output::named(name) else {
            return;
        };
        let pushed: Result<(), Infallible> = tally.rows(|value, count| {
            output.count(&layout, self.key.name(), value, count, out);
            Ok(())
        });
        let Ok(()) = pushed;
        if let Some(records) = &mut self.records {
            records.end(totals, out);
        }
    }
}
