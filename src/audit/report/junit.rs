//! JUnit XML: a suite for each document with findings, and one that says how much was checked.
//! Warnings are cases that pass and say something.

use super::{Report, Totals, sentence};
use crate::audit::finding::Finding;
use crate::audit::rules::Level;
use crate::output::decimal::counted;
use crate::output::place::Place;

/// The cases of the document at hand.
#[derive(Default)]
pub(super) struct JUnit {
    cases: String,
    tests: u64,
    failures: u64,
}

impl Report for JUnit {
    fn start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"uriscan audit\">\n",
        );
    }

    fn finding(&mut self, place: &Place, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        self.tests += 1;
        let path = escape(&String::from_utf8_lossy(place.path()));
        let mut location = path.clone();
        if let Some(position) = finding.position() {
            location += &format!(":{}:{}", position.line, position.column);
        }
        let (rule, sentence) = (finding.rule.name, escape(&sentence(finding)));
        self.cases +=
            &format!("    <testcase name=\"{location}: {sentence}\" classname=\"{path}\">\n");
        if finding.level == Level::Error {
            self.failures += 1;
            self.cases += &format!(
                "      <failure type=\"{rule}\" message=\"{sentence}\">{location}: {rule}: {sentence}</failure>\n"
            );
        } else {
            self.cases +=
                &format!("      <system-out>{location}: {rule}: {sentence}</system-out>\n");
        }
        self.cases += "    </testcase>\n";
    }

    fn end_document(&mut self, place: &Place, out: &mut Vec<u8>) {
        if self.tests > 0 {
            let path = escape(&String::from_utf8_lossy(place.path()));
            let (tests, failures, cases) = (self.tests, self.failures, &self.cases);
            out.extend_from_slice(
                format!(
                    "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n{cases}  </testsuite>\n"
                )
                .as_bytes(),
            );
        }
        *self = JUnit::default();
    }

    fn end(&mut self, totals: &Totals, out: &mut Vec<u8>) {
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

/// Text as it stands in an attribute; what XML cannot hold becomes U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' => out += "&#9;",
            '\u{0}'..'\u{20}' | '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            other => out.push(other),
        }
    }
    out
}
