//! JUnit XML: a suite for each document with findings, and one with the numbers of the run.
//! Warnings are cases that pass and have output.

use super::formatter::*;

/// The cases of the current document, collected because their number is written before them.
#[derive(Default)]
pub(super) struct JunitReport {
    cases: Vec<JunitCase>,
    /// The number of cases that have been written.
    written: usize,
    failures: u64,
    errors: u64,
}

/// The name of an element, a rule, a position and a sentence.
type JunitCase = (&'static str, &'static str, String, String);

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
        let (place, sentence) = (escape(&place_below(finding)), escape(&sentence(finding)));
        self.cases.push((element, finding.rule(), place, sentence));
    }

    fn record(&mut self, _document: &DocumentPath, record: &ReportRecord<'_>, _out: &mut Vec<u8>) {
        if let Some(reason) = record.failure() {
            self.errors += 1;
            let case = ("error", "error", String::new(), escape(&reason));
            self.cases.push(case);
        }
    }

    fn end_document(&mut self, document: &DocumentPath, out: &mut Vec<u8>) -> bool {
        if self.cases.is_empty() {
            return false;
        }
        let path = escape(&shown(document.path()));
        if self.written == 0 {
            let (tests, failures, errors) = (self.cases.len(), self.failures, self.errors);
            let _ = writeln!(
                out,
                "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
            );
        }
        for case in &self.cases[self.written..] {
            push_case(&path, case, out);
            self.written += 1;
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

fn push_case(path: &str, (element, rule, position, sentence): &JunitCase, out: &mut Vec<u8>) {
    let text = format!("{path}{position}: {rule}: {sentence}");
    let attributes = match *element {
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
    let text = text.replace('&', "&amp;").replace('"', "&quot;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    text.replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
}
