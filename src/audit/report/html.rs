//! A page with all findings, which needs nothing else: style, script and data are in it.
//!
//! The findings are written as they are found, as an array of JSON in a block of data. The script of
//! the page builds everything else from it, by text nodes alone; the content security policy admits
//! this script and this style by their hashes, and nothing from elsewhere.

use foldhash::{HashMap, HashMapExt};
use sha2::{Digest, Sha256};

use super::formatter::{AuditSummary, ReportFormatter};
use super::place::ReportPlace;
use crate::audit::finding::Finding;
use crate::audit::rules::{LinkState, RULES};
use crate::output::escape::{push_decimal, push_visible};
use crate::output::json::{push_base64, push_string};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page, findings first.
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
            targets: HashMap::new(),
            document: None,
        }
    }

    /// Appends a row for the document, unless it is that of the last finding.
    fn document(&mut self, path: &[u8], out: &mut Vec<u8>) {
        if self.document.as_deref() == Some(path) {
            return;
        }
        out.extend_from_slice(match self.document {
            None => b"\n[",
            Some(_) => b",\n[",
        });
        push_text(path, out);
        out.push(b',');
        push_text(&self.place.reference_to(path), out);
        out.push(b']');
        self.document = Some(path.to_vec());
    }
}

impl ReportFormatter for HtmlReport {
    fn start(&mut self, out: &mut Vec<u8>) {
        let (page, _) = split(PAGE, "{findings}");
        let values = [
            ("{script-hash}", hash(SCRIPT)),
            ("{style-hash}", hash(STYLE)),
            ("{style}", STYLE.to_owned()),
            ("{version}", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        let mut rest = page;
        for (name, value) in values {
            let (before, after) = split(rest, name);
            out.extend_from_slice(before.as_bytes());
            out.extend_from_slice(value.as_bytes());
            rest = after;
        }
        out.extend_from_slice(rest.as_bytes());
        out.push(b'[');
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        self.document(finding.document.path(), out);
        out.extend_from_slice(b",\n[");
        let rule = RULES
            .iter()
            .position(|rule| std::ptr::eq(rule, finding.rule));
        push_decimal(rule.unwrap_or(0) as u64, out);
        let position = finding.position();
        for number in [
            position.map_or(0, |position| position.line),
            position.map_or(0, |position| position.column),
        ] {
            out.push(b',');
            push_decimal(number, out);
        }
        out.push(b',');
        let number = self.targets.len() as u32;
        match self.targets.get(&finding.group) {
            Some(&number) => push_decimal(u64::from(number), out),
            None => {
                self.targets.insert(finding.group, number);
                push_text(finding.target_name, out);
            }
        }
        let message = finding.message();
        let message = (message != finding.rule.message).then_some(message.as_bytes());
        let texts = [
            Some(finding.reference()),
            finding.suggestion(),
            finding.member().map(str::as_bytes),
            message,
        ];
        let last = texts.iter().rposition(Option::is_some).unwrap_or(0);
        for text in &texts[..=last] {
            out.push(b',');
            match text {
                Some(text) => push_text(text, out),
                None => out.push(b'0'),
            }
        }
        out.push(b']');
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let (_, rest) = split(PAGE, "{findings}");
        let (before, rest) = split(rest, "{totals}");
        let (between, after) = split(rest, "{script}");
        out.push(b']');
        out.extend_from_slice(before.as_bytes());
        push_totals(totals, out);
        for text in [between, SCRIPT, after] {
            out.extend_from_slice(text.as_bytes());
        }
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

fn push_totals(totals: &AuditSummary, out: &mut Vec<u8>) {
    out.push(b'{');
    for (name, count) in [
        ("files", totals.files()),
        ("references", totals.references()),
        ("errors", totals.errors),
        ("warnings", totals.warnings),
        ("hidden", totals.hidden),
        ("unreadable", totals.unreadable()),
        ("ignored", totals.ignored),
        ("forgiven", totals.forgiven),
        ("stale", totals.stale()),
    ] {
        out.extend_from_slice(format!("\"{name}\":{count},").as_bytes());
    }
    out.extend_from_slice(b"\"states\":");
    push_list(
        b"{}",
        LinkState::NAMES.iter().zip(totals.counts),
        out,
        |row, out| {
            let ((_, name), count) = row;
            out.extend_from_slice(format!("\"{name}\":{count}").as_bytes());
        },
    );
    out.extend_from_slice(b",\"stale_lines\":");
    let (lines, _) = &totals.stale;
    push_list(b"[]", lines, out, |line, out| {
        push_text(line.as_bytes(), out)
    });
    out.extend_from_slice(b",\"rules\":");
    push_list(
        b"[]",
        RULES.iter().enumerate(),
        out,
        |(index, rule), out| {
            let found = totals.rules.iter().find(|row| row.rule == index);
            let level = found.map_or(rule.level, |row| row.level);
            out.extend_from_slice(b"{\"name\":");
            push_text(rule.name.as_bytes(), out);
            out.extend_from_slice(
                format!(",\"level\":\"{}\",\"message\":", level.name()).as_bytes(),
            );
            push_text(rule.message.as_bytes(), out);
            out.push(b'}');
        },
    );
    out.push(b'}');
}

/// Appends a list of JSON in brackets or braces.
fn push_list<T>(
    around: &[u8; 2],
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    push: impl Fn(T, &mut Vec<u8>),
) {
    out.push(around[0]);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push(item, out);
    }
    out.push(around[1]);
}

/// Appends a string of JSON that neither ends the block of data nor begins a comment in it, whatever it
/// holds: without `<`, `>` and `&`. Control characters are shown escaped.
fn push_text(bytes: &[u8], out: &mut Vec<u8>) {
    let mut shown = Vec::new();
    push_visible(bytes, &mut shown);
    let from = out.len();
    push_string(&shown, out);
    let is_markup = |byte: &u8| matches!(byte, b'<' | b'>' | b'&');
    if !out[from..].iter().any(is_markup) {
        return;
    }
    let text = out.split_off(from);
    for byte in text {
        match is_markup(&byte) {
            true => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            false => out.push(byte),
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/report/html.rs"]
mod tests;
