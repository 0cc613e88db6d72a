//! JUnit XML: a suite for each document with findings, and one with the numbers of the run.
//! Warnings are cases that pass and have output.

use std::io::Write as _;

use super::formatter::{
    AuditSummary, GATHER, ReportFormatter, ReportRecord, place_below, sentence, shown,
};
use crate::audit::finding::Finding;
use crate::audit::rules::Level;
use crate::output::DocumentPath;
use crate::output::record::counted;

/// The cases of the current document, collected because their number is written before them.
#[derive(Default)]
pub(super) struct JunitReport {
    /// Lines of an element's name, rule, position and sentence, between tabs, which none of them contains.
    cases: String,
    /// The bytes of `cases` that have been written.
    written: usize,
    tests: u64,
    failures: u64,
    errors: u64,
}

impl JunitReport {
    fn add(&mut self, element: &str, rule: &str, place: &str, sentence: &str) {
        self.tests += 1;
        let sentence = escape(sentence);
        self.cases += &format!("{element}\t{rule}\t{place}\t{sentence}\n");
    }
}

impl ReportFormatter for JunitReport {
    fn start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"uriscan audit\">\n",
        );
    }

    fn finding(&mut self, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        let is_error = finding.level() == Level::Error;
        self.failures += u64::from(is_error);
        let element = if is_error { "failure" } else { "system-out" };
        let (place, sentence) = (place_below(finding), sentence(finding));
        self.add(element, finding.rule(), &escape(&place), &sentence);
    }

    fn record(&mut self, _document: &DocumentPath, record: &ReportRecord<'_>, _out: &mut Vec<u8>) {
        if let Some(reason) = record.failure() {
            self.errors += 1;
            self.add("error", "error", "", &reason);
        }
    }

    fn end_document(&mut self, document: &DocumentPath, out: &mut Vec<u8>) -> bool {
        if self.tests == 0 {
            return false;
        }
        let path = escape(&shown(document.path()));
        if self.written == 0 {
            let (tests, failures, errors) = (self.tests, self.failures, self.errors);
            let _ = writeln!(
                out,
                "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
            );
        }
        for line in self.cases[self.written..].split_inclusive('\n') {
            push_case(&path, line, out);
            self.written += line.len();
            if out.len() >= GATHER {
                return true;
            }
        }
        out.extend_from_slice(b"  </testsuite>\n");
        *self = JunitReport::default();
        false
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let subject = totals.subject();
        let files = counted(totals.files(), "file");
        let _ = write!(
            out,
            "  <testsuite name=\"uriscan audit\" tests=\"1\" failures=\"0\" errors=\"0\">\n    <testcase name=\"checked {subject} in {files}\" classname=\"uriscan\"/>\n  </testsuite>\n</testsuites>\n"
        );
    }
}

fn push_case(path: &str, line: &str, out: &mut Vec<u8>) {
    let mut parts = line.trim_end_matches('\n').splitn(4, '\t');
    let mut part = || parts.next().unwrap_or_default();
    let (element, rule, position, sentence) = (part(), part(), part(), part());
    let text = format!("{path}{position}: {rule}: {sentence}");
    let attributes = match element {
        "system-out" => String::new(),
        _ => format!(" type=\"{rule}\" message=\"{sentence}\""),
    };
    let _ = writeln!(
        out,
        "    <testcase name=\"{path}{position}: {sentence}\" classname=\"{path}\">\n      <{element}{attributes}>{text}</{element}>\n    </testcase>"
    );
}

/// Noncharacters, which XML cannot contain, become U+FFFD.
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
