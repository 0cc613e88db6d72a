//! JUnit XML: a suite for each document with findings, and one with the numbers of the run.
//! Warnings are cases that pass and have output.

use std::io::Write as _;

use super::formatter::{AuditSummary, GATHER, ReportFormatter, colons, sentence, shown};
use crate::audit::finding::Finding;
use crate::audit::rules::Level;
use crate::output::DocumentPath;
use crate::output::record::counted;

/// The cases of the current document, collected because their number is written before them.
#[derive(Default)]
pub(super) struct JunitReport {
    /// Lines of level, rule, position and sentence, between tabs, which none of them contains.
    cases: String,
    /// The bytes of `cases` that have been written.
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
        self.failures += u64::from(finding.level() == Level::Error);
        let (level, rule) = (finding.level().name(), finding.rule());
        let (place, sentence) = (colons(finding.position()), escape(&sentence(finding)));
        self.cases += &format!("{level}\t{rule}\t{place}\t{sentence}\n");
    }

    fn end_document(&mut self, document: &DocumentPath, out: &mut Vec<u8>) -> bool {
        if self.tests == 0 {
            return false;
        }
        let path = escape(&shown(document.path()));
        if self.written == 0 {
            let (tests, failures) = (self.tests, self.failures);
            let _ = writeln!(
                out,
                "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
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
        let references = counted(totals.references(), "reference");
        let files = counted(totals.files(), "file");
        let _ = write!(
            out,
            "  <testsuite name=\"uriscan audit\" tests=\"1\" failures=\"0\" errors=\"0\">\n    <testcase name=\"checked {references} in {files}\" classname=\"uriscan\"/>\n  </testsuite>\n</testsuites>\n"
        );
    }
}

fn push_case(path: &str, line: &str, out: &mut Vec<u8>) {
    let mut parts = line.trim_end_matches('\n').splitn(4, '\t');
    let mut part = || parts.next().unwrap_or_default();
    let (level, rule, position, sentence) = (part(), part(), part(), part());
    let text = format!("{path}{position}: {rule}: {sentence}");
    let outcome = if level == Level::Error.name() {
        format!("<failure type=\"{rule}\" message=\"{sentence}\">{text}</failure>")
    } else {
        format!("<system-out>{text}</system-out>")
    };
    let _ = writeln!(
        out,
        "    <testcase name=\"{path}{position}: {sentence}\" classname=\"{path}\">\n      {outcome}\n    </testcase>"
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
