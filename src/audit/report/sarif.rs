//! SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS.

use super::formatter::*;
use crate::document::events::Span;
use crate::output::escape::visible;
use crate::output::json::quoted;
use crate::uri::base::push_path;

#[derive(Default)]
pub(super) struct SarifReport {
    results: u64,
    /// Of documents that could not be read or written, between commas.
    notifications: String,
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
            let separator = if index > 0 { "," } else { "" };
            let [name, message] = [rule.name, rule.message].map(|text| quoted(text.as_bytes()));
            let level = level(rule.level);
            let _ = write!(
                out,
                "{separator}\n{{\"id\":{name},\"shortDescription\":{{\"text\":{message}}},\
                 \"defaultConfiguration\":{{\"level\":\"{level}\"}}}}"
            );
        }
        out.extend_from_slice(b"]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let separator = if self.results > 0 { "," } else { "" };
        self.results += 1;
        let (rule, index) = (finding.rule().as_bytes(), finding.draft.rule as usize);
        let rule = quoted(rule);
        let (level, text) = (level(finding.level()), quoted(sentence(finding).as_bytes()));
        let (uri, region) = (quoted(&artifact(finding.document.path())), region(finding));
        let member = finding.member().map_or(String::new(), |member| {
            let name = quoted(visible(member).as_bytes());
            format!(",\"logicalLocations\":[{{\"fullyQualifiedName\":{name}}}]")
        });
        let key = quoted(finding.key().as_bytes());
        let origin = finding.draft.origin.as_ref();
        let origin = origin.and_then(|origin| Some((origin.path.as_deref()?, origin.line)));
        let origin = origin.map_or(String::new(), |(path, line)| {
            let uri = quoted(&artifact(path));
            let line = line.map(|line| format!(",\"region\":{{\"startLine\":{line}}}"));
            let line = line.unwrap_or_default();
            format!(
                ",\"relatedLocations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":{uri}}}{line}}}}}]"
            )
        });
        let _ = write!(
            out,
            "{separator}\n{{\"ruleId\":{rule},\"ruleIndex\":{index},\"level\":\"{level}\",\
             \"message\":{{\"text\":{text}}},\"locations\":[{{\"physicalLocation\":\
             {{\"artifactLocation\":{{\"uri\":{uri}}}{region}}}{member}}}]{origin},\
             \"partialFingerprints\":{{\"uriscan/v1\":{key}}}}}"
        );
    }

    fn record(&mut self, document: &DocumentPath, record: &ReportRecord<'_>, _out: &mut Vec<u8>) {
        let Some(reason) = record.failure() else {
            return;
        };
        let notifications = &mut self.notifications;
        let separator = if notifications.is_empty() { "" } else { "," };
        let uri = quoted(&artifact(document.path()));
        let text = quoted(reason.as_bytes());
        *notifications += &format!(
            "{separator}\n{{\"level\":\"error\",\"message\":{{\"text\":{text}}},\"locations\":\
             [{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":{uri}}}}}}}]}}"
        );
    }

    fn end(&mut self, _totals: &AuditSummary, out: &mut Vec<u8>) {
        let notifications = &self.notifications;
        let is_successful = notifications.is_empty();
        let _ = writeln!(
            out,
            "],\"invocations\":[{{\"executionSuccessful\":{is_successful},\
             \"toolExecutionNotifications\":[{notifications}]}}]}}]}}"
        );
    }
}

/// Empty in an enclosed part, whose offsets differ.
fn region(finding: &Finding<'_>) -> String {
    let position = finding.position();
    let position = position
        .map(|Position { line, column }| format!("\"startLine\":{line},\"startColumn\":{column}"));
    let span = finding.span().map(|Span { start, end }| {
        format!("\"byteOffset\":{start},\"byteLength\":{}", end - start)
    });
    let keys: Vec<_> = position.into_iter().chain(span).collect();
    if keys.is_empty() || finding.member().is_some() {
        return String::new();
    }
    format!(",\"region\":{{{}}}", keys.join(","))
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Allow => "none",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

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
