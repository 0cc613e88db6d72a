//! A page with all findings, which needs nothing else: style, script and data are in it.
//!
//! The findings are written as they are found, as an array of JSON in a block of data. The script of
//! the page builds everything else from it, by text nodes alone; the content security policy admits
//! this script and this style by their hashes, and nothing from elsewhere.

use std::collections::hash_map::Entry;
use std::fs;
use std::path::Path;

use foldhash::HashMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::formatter::*;
use crate::audit::rewrite::relative;
use crate::audit::source::paths::with_slash;
use crate::output::json::push_base64;
use crate::pipeline::bases::{AbsolutePaths, Bases};
use crate::uri::base::push_path;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) struct HtmlReport {
    place: ReportPlace,
    /// Indices of targets by the keys of their groups.
    targets: HashMap<u64, u32>,
    document: Option<Vec<u8>>,
    /// A document may have several.
    failures: u64,
}

impl HtmlReport {
    pub(super) fn new(file: Option<&Path>) -> Self {
        HtmlReport {
            place: ReportPlace::of(file),
            targets: HashMap::default(),
            document: None,
            failures: 0,
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
        let target = match self.targets.entry(finding.draft.group) {
            Entry::Occupied(number) => json!(number.get()),
            Entry::Vacant(new) => {
                new.insert(next);
                json!(shown(&finding.draft.target_name))
            }
        };
        let position = finding.position();
        let message = finding.message();
        let mut row = vec![
            json!(finding.draft.rule as usize),
            json!(position.map_or(0, |position| position.line)),
            json!(position.map_or(0, |position| position.column)),
            target,
            json!(shown(finding.reference())),
        ];
        let texts = [
            finding.suggestion(),
            finding.member().map(str::as_bytes),
            Some(message.as_bytes()).filter(|_| message != finding.draft.rule.rule().message),
        ];
        row.extend(texts.map(|text| text.map_or(json!(0), |text| Value::String(shown(text)))));
        // Trailing zeros of texts are left out.
        while row.len() > 5 && row.last() == Some(&json!(0)) {
            row.pop();
        }
        let _ = write!(out, ",\n{}", json(row));
    }

    fn record(&mut self, _document: &DocumentPath, record: &ReportRecord<'_>, _out: &mut Vec<u8>) {
        self.failures += u64::from(record.failure().is_some());
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let (_, rest) = split(PAGE, "{findings}");
        let (before, rest) = split(rest, "{totals}");
        let (between, after) = split(rest, "{script}");
        let totals = self::totals(totals, self.failures);
        let _ = write!(out, "]{before}{totals}{between}{SCRIPT}{after}");
    }
}

fn split<'p>(page: &'p str, mark: &str) -> (&'p str, &'p str) {
    page.split_once(mark).unwrap_or((page, ""))
}

/// A source expression (Content Security Policy 3, section 2.3.1).
fn hash(text: &str) -> String {
    let mut digits = Vec::new();
    push_base64(&Sha256::digest(text.as_bytes()), &mut digits);
    format!("'sha256-{}'", String::from_utf8_lossy(&digits))
}

fn totals(totals: &AuditSummary, failures: u64) -> String {
    let counts = [
        ("files", totals.files()),
        ("references", totals.references()),
        ("errors", totals.errors),
        ("warnings", totals.warnings),
        ("hidden", totals.hidden),
        ("failures", failures),
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

/// Without `<`, `>` and `&`, JSON neither ends the block of data nor begins a comment in it.
fn json(value: impl Into<Value>) -> String {
    let text = value.into().to_string();
    let text = text.replace('<', "\\u003c").replace('>', "\\u003e");
    text.replace('&', "\\u0026")
}

/// The origin of references from a report to documents.
struct ReportPlace {
    /// The directory with a trailing slash; empty if unknown.
    directory: Vec<u8>,
    here: Vec<u8>,
}

impl ReportPlace {
    /// Returns the place of a file; without one, as for standard output, the current directory.
    fn of(file: Option<&Path>) -> Self {
        let here = Bases::here().here;
        let above = file.and_then(Path::parent);
        let above = above.filter(|above| !above.as_os_str().is_empty());
        let directory = match above.map(fs::canonicalize) {
            None => here.clone(),
            Some(Err(_)) => Vec::new(),
            Some(Ok(above)) => with_slash(above.as_os_str().as_encoded_bytes()),
        };
        ReportPlace { directory, here }
    }

    /// Begins with `./` or `../`, so that no name is taken for a scheme or a host; empty if the
    /// directory is unknown.
    fn reference_to(&self, path: &[u8]) -> Vec<u8> {
        let mut names = AbsolutePaths::default();
        let path = names.absolute(&self.here, path);
        let Some(path) = path.filter(|_| !self.directory.is_empty()) else {
            return Vec::new();
        };
        let relative = relative(&self.directory, path, 0);
        let is_marked = relative.starts_with(b"./") || relative.starts_with(b"../");
        let start = if is_marked { "" } else { "./" };
        let mut reference = start.as_bytes().to_vec();
        push_path(&relative, &mut reference);
        reference
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/report/html.rs"]
mod tests;
