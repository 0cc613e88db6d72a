//! How many findings there are with each value of a key.

use std::convert::Infallible;

use super::jsonl::JsonLines;
use super::{Format, Report, Totals};
use crate::audit::finding::{Finding, Subject};
use crate::output::place::Place;
use crate::output::{Layout, Output};
use crate::pipeline::tally::{Key, Tally};
use crate::resolver::Diagnostic;

/// Counts, told at the end: as lines, or as records among those of an audit.
pub(super) struct Count {
    key: Key,
    tally: Tally,
    records: Option<JsonLines>,
}

impl Count {
    /// Counts by `key`; records where `format` consists of records.
    pub(super) fn new(key: Key, format: &Format) -> Self {
        Count {
            key,
            tally: Tally::default(),
            records: (format.name == "jsonl").then(JsonLines::default),
        }
    }
}

impl Report for Count {
    fn finding(&mut self, place: &Place, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        let value = match (self.key, finding.subject) {
            (Key::Rule, _) => finding.rule.name.as_bytes(),
            (Key::Path, _) => place.path(),
            (key, Subject::Link(link)) => return self.tally.count(key.of(place, link)),
            (_, Subject::Document(_)) => b"",
        };
        self.tally.count(value);
    }

    fn diagnostic(&mut self, place: &Place, found: &Diagnostic<'_>, out: &mut Vec<u8>) {
        if let Some(records) = &mut self.records {
            records.diagnostic(place, found, out);
        }
    }

    fn failure(&mut self, place: &Place, message: &str, out: &mut Vec<u8>) {
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
