//! A page with all findings, which needs nothing else: style, script and data are in it.
//!
//! The findings are written as they are found, as an array of JSON in a block of data. The script of
//! the page builds everything else from it, by text nodes alone; the content security policy admits
//! this script and this style by their hashes, and nothing from elsewhere.

use std::collections::hash_map::Entry;
use std::io::Write as _;

use foldhash::HashMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::formatter::{AuditSummary, ReportFormatter, rule_index, shown};
use super::place::ReportPlace;
use crate::audit::finding::Finding;
use crate::audit::rules::RULES;
use crate::output::json::push_base64;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) struct HtmlReport {
    place: ReportPlace,
    /// The numbers of targets, by the keys of their groups.
    targets: HashMap<u64, u32>,
    /// The path of the document of the last finding.
    document: Option<Vec<u8>>,
}

impl HtmlReport {
    pub(super) fn new(place: ReportPlace) -> Self {
        HtmlReport {
            place,
            targets: HashMap::default(),
            document: None,
        }
    }
}

impl ReportFormatter for HtmlReport {
    fn start(&mut self, out: &mut Vec<u8>) {
        let (page, _) = split(PAGE, "{findings}");
        let page = page.replace("{script-hash}", &hash(SCRIPT));
        let page = page.replace("{style-hash}", &hash(STYLE));
        let page = page.replace("{version}", env!("CARGO_PKG_VERSION"));
        let page = page.replace("{style}", STYLE);
        let _ = write!(out, "{page}[");
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let path = finding.document.path();
        if self.document.as_deref() != Some(path) {
            let separator = if self.document.is_some() { "," } else { "" };
            let row = vec![shown(path), shown(&self.place.reference_to(path))];
            let _ = write!(out, "{separator}\n{}", json(row));
            self.document = Some(path.to_vec());
        }
        let next = self.targets.len() as u32;
        let target = match self.targets.entry(finding.group) {
            Entry::Occupied(number) => json!(number.get()),
            Entry::Vacant(new) => {
                new.insert(next);
                json!(shown(finding.target_name))
            }
        };
        let position = finding.position();
        let message = finding.message();
        let mut row = vec![
            json!(rule_index(finding)),
            json!(position.map_or(0, |position| position.line)),
            json!(position.map_or(0, |position| position.column)),
            target,
            json!(shown(finding.reference())),
        ];
        let texts = [
            finding.suggestion(),
            finding.member().map(str::as_bytes),
            Some(message.as_bytes()).filter(|_| message != finding.rule.message),
        ];
        row.extend(texts.map(|text| text.map_or(json!(0), |text| Value::String(shown(text)))));
        // Trailing zeros of texts are left out.
        while row.len() > 5 && row.last() == Some(&json!(0)) {
            row.pop();
        }
        let _ = write!(out, ",\n{}", json(row));
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let (_, rest) = split(PAGE, "{findings}");
        let (before, rest) = split(rest, "{totals}");
        let (between, after) = split(rest, "{script}");
        let totals = self::totals(totals);
        let _ = write!(out, "]{before}{totals}{between}{SCRIPT}{after}");
    }
}

/// Splits the page around a mark, which it has once.
fn split<'p>(page: &'p str, mark: &str) -> (&'p str, &'p str) {
    page.split_once(mark).unwrap_or((page, ""))
}

/// Returns the source expression of a script or style (Content Security Policy 3, section 2.3.1).
fn hash(text: &str) -> String {
    let mut digits = Vec::new();
    push_base64(&Sha256::digest(text.as_bytes()), &mut digits);
    format!("'sha256-{}'", String::from_utf8_lossy(&digits))
}

/// Returns the counts and the rules of a run as an object.
fn totals(totals: &AuditSummary) -> String {
    let counts = [
        ("files", totals.files()),
        ("references", totals.references()),
        ("errors", totals.errors),
        ("warnings", totals.warnings),
        ("hidden", totals.hidden),
        ("unreadable", totals.unreadable()),
        ("ignored", totals.ignored),
        ("forgiven", totals.forgiven),
        ("stale", totals.stale()),
    ];
    let member = |(name, count): (&str, u64)| format!("\"{name}\":{count}");
    let lines = totals.stale.0.iter().map(|line| shown(line.as_bytes()));
    let rules = RULES.iter().enumerate().map(|(index, rule)| {
        let found = totals.rules.iter().find(|row| row.rule == index);
        let level = found.map_or(rule.level, |row| row.level).name();
        let (name, message) = (json(rule.name), json(rule.message));
        format!("{{\"name\":{name},\"level\":\"{level}\",\"message\":{message}}}")
    });
    format!(
        "{{{},\"states\":{{{}}},\"stale_lines\":{},\"rules\":[{}]}}",
        counts.map(member).join(","),
        totals.states().map(member).collect::<Vec<_>>().join(","),
        json(lines.collect::<Vec<_>>()),
        rules.collect::<Vec<_>>().join(","),
    )
}

/// Returns a value as JSON that neither ends the block of data nor begins a comment in it: without `<`,
/// `>` and `&`.
fn json(value: impl Into<Value>) -> String {
    let text = value.into().to_string();
    let text = text.replace('<', "\\u003c").replace('>', "\\u003e");
    text.replace('&', "\\u0026")
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/report/html.rs"]
mod tests;
