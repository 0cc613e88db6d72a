//! JUnit XML: a suite for each document with findings, and one with the counts of the run.
//! Warnings are cases that pass and have output.

use super::formatter::{AuditSummary, GATHER, ReportFormatter, sentence};
use crate::audit::finding::Finding;
use crate::audit::rules::Level;
use crate::audit::wire::{WireReader, push_bytes, push_number, text};
use crate::output::DocumentPath;
use crate::output::escape::visible;
use crate::output::record::counted;

/// The cases of the current document, collected because their number is written before them.
#[derive(Default)]
pub(super) struct JunitReport {
    /// For each the rule, the level, line and column, and the sentence.
    cases: Vec<u8>,
    /// The number of bytes of `cases` that have been written.
    written: usize,
    tests: u64,
    failures: u64,
}

impl ReportFormatter for JunitReport {
    fn start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"uriscan audit\">\n",
        );
    }

    fn finding(&mut self, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        self.tests += 1;
        self.failures += u64::from(finding.level == Level::Error);
        let position = finding.position();
        push_bytes(finding.rule.name.as_bytes(), &mut self.cases);
        push_number(u64::from(finding.level == Level::Error), &mut self.cases);
        push_number(
            position.map_or(0, |position| position.line),
            &mut self.cases,
        );
        push_number(
            position.map_or(0, |position| position.column),
            &mut self.cases,
        );
        push_bytes(sentence(finding).as_bytes(), &mut self.cases);
    }

    fn end_document(&mut self, document: &DocumentPath, out: &mut Vec<u8>) -> bool {
        if self.tests == 0 {
            return false;
        }
        let path = escape(&visible(&String::from_utf8_lossy(document.path())));
        if self.written == 0 {
            let (tests, failures) = (self.tests, self.failures);
            let suite = format!(
                "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n"
            );
            out.extend_from_slice(suite.as_bytes());
        }
        let mut cases = WireReader::new(&self.cases[self.written..]);
        while !cases.is_empty() {
            out.extend_from_slice(case(&path, &mut cases).as_bytes());
            if out.len() >= GATHER {
                self.written = self.cases.len() - cases.len();
                return true;
            }
        }
        out.extend_from_slice(b"  </testsuite>\n");
        *self = JunitReport::default();
        false
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let summary = &totals.summary;
        out.extend_from_slice(
            format!(
                "  <testsuite name=\"uriscan audit\" tests=\"1\" failures=\"0\" errors=\"0\">\n    <testcase name=\"checked {} in {}\" classname=\"uriscan\"/>\n  </testsuite>\n</testsuites>\n",
                counted(summary.references, "reference"),
                counted(summary.files, "file"),
            )
            .as_bytes(),
        );
    }
}

fn case(path: &str, cases: &mut WireReader<'_>) -> String {
    let rule = text(cases.bytes());
    let is_error = cases.number() == 1;
    let (line, column) = (cases.number(), cases.number());
    let sentence = escape(text(cases.bytes()));
    let location = match line {
        0 => path.to_owned(),
        _ => format!("{path}:{line}:{column}"),
    };
    let mut case = format!("    <testcase name=\"{location}: {sentence}\" classname=\"{path}\">\n");
    case += &if is_error {
        format!(
            "      <failure type=\"{rule}\" message=\"{sentence}\">{location}: {rule}: {sentence}</failure>\n"
        )
    } else {
        format!("      <system-out>{location}: {rule}: {sentence}</system-out>\n")
    };
    case + "    </testcase>\n"
}

/// Escapes text without control characters for an attribute; noncharacters, which XML cannot contain,
/// become U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            other => out.push(other),
        }
    }
    out
}
