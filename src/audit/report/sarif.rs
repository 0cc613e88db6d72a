//! SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS.

use super::formatter::{AuditSummary, ReportFormatter, rule_index, sentence};
use crate::audit::finding::Finding;
use crate::audit::rules::{Level, RULES};
use crate::output::escape::visible;
use crate::output::json::{push_count, push_member, push_string};
use crate::uri::base::push_path;

/// A run with a result for each finding.
#[derive(Default)]
pub(super) struct SarifReport {
    results: u64,
}

const START: &str = concat!(
    "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[\n",
    "{\"tool\":{\"driver\":{\"name\":\"uriscan\",\"version\":\"",
    env!("CARGO_PKG_VERSION"),
    "\",\"informationUri\":\"",
    env!("CARGO_PKG_REPOSITORY"),
    "\",\"rules\":["
);

impl ReportFormatter for SarifReport {
    fn start(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(START.as_bytes());
        for (index, rule) in RULES.iter().enumerate() {
            let separator = if index > 0 { ",\n{" } else { "\n{" };
            out.extend_from_slice(separator.as_bytes());
            out.extend_from_slice(b"\"id\":");
            push_string(rule.name.as_bytes(), out);
            out.extend_from_slice(b",\"shortDescription\":{\"text\":");
            push_string(rule.message.as_bytes(), out);
            out.extend_from_slice(b"},\"defaultConfiguration\":{\"level\":");
            push_string(level(rule.level).as_bytes(), out);
            out.extend_from_slice(b"}}");
        }
        out.extend_from_slice(b"]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let separator = if self.results > 0 { ",\n{" } else { "\n{" };
        self.results += 1;
        out.extend_from_slice(separator.as_bytes());
        out.extend_from_slice(b"\"ruleId\":");
        push_string(finding.rule.name.as_bytes(), out);
        push_count("ruleIndex", rule_index(finding) as u64, out);
        push_member("level", level(finding.level), out);
        out.extend_from_slice(b",\"message\":{\"text\":");
        push_string(sentence(finding).as_bytes(), out);
        out.extend_from_slice(
            b"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":",
        );
        push_string(&artifact(finding.document.path()), out);
        out.push(b'}');
        push_region(finding, out);
        out.push(b'}');
        if let Some(member) = finding.member() {
            out.extend_from_slice(b",\"logicalLocations\":[{\"fullyQualifiedName\":");
            push_string(visible(member).as_bytes(), out);
            out.extend_from_slice(b"}]");
        }
        out.extend_from_slice(b"}],\"partialFingerprints\":{\"uriscan/v1\":");
        push_string(finding.key().as_bytes(), out);
        out.extend_from_slice(b"}}");
    }

    fn end(&mut self, _totals: &AuditSummary, out: &mut Vec<u8>) {
        out.extend_from_slice(b"]}]}\n");
    }
}

/// Appends the region in the file, unless the finding is in an enclosed part with offsets of its own.
fn push_region(finding: &Finding<'_>, out: &mut Vec<u8>) {
    let mut keys = Vec::new();
    if finding.member().is_none() {
        if let Some(position) = finding.position() {
            push_count("startLine", position.line, &mut keys);
            push_count("startColumn", position.column, &mut keys);
        }
        if let Some(span) = finding.span() {
            push_count("byteOffset", span.start, &mut keys);
            push_count("byteLength", span.end - span.start, &mut keys);
        }
    }
    if let Some(keys) = keys.get(1..) {
        out.extend_from_slice(b",\"region\":{");
        out.extend_from_slice(keys);
        out.push(b'}');
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Allow => "none",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

/// Returns a path as a URI reference.
fn artifact(path: &[u8]) -> Vec<u8> {
    let mut uri = Vec::new();
    if path.starts_with(b"/") {
        uri.extend_from_slice(b"file://");
    }
    push_path(path, &mut uri);
    // A colon in the first segment would make it a scheme (RFC 3986 section 4.2).
    let first = uri.split(|byte| *byte == b'/').next().unwrap_or_default();
    if !path.starts_with(b"/") && first.contains(&b':') {
        uri.splice(..0, *b"./");
    }
    uri
}
