//! JSON Lines: findings, diagnostics, errors, links with `--links`, and the summary.

use smart_default::SmartDefault;

use super::formatter::{AuditSummary, ReportFormatter, ReportRecord};
use crate::audit::finding::{DocumentPosition, Finding, FindingSubject};
use crate::audit::server::SiteServer;
use crate::output::column::ColumnKind;
use crate::output::field::{FIELDS, default_fields};
use crate::output::json::{
    self, push_count, push_counts, push_each_count, push_key, push_list, push_member, push_number,
    push_string, push_text,
};
use crate::output::link_record::{LastRecord, open_link};
use crate::output::{DocumentPath, Layout};

#[derive(SmartDefault)]
pub(super) struct JsonlReport {
    links: Layout,
    #[default(Layout::default().with_records("finding", default_fields().collect()))]
    findings: Layout,
    link: LastRecord,
    finding: LastRecord,
}

impl ReportFormatter for JsonlReport {
    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let (layout, last) = (&self.findings, &mut self.finding);
        match finding.draft.subject {
            FindingSubject::Link(link) => open_link(layout, finding.document, link, last, out),
            FindingSubject::Document(position) => open_position(finding.document, &position, out),
        }
        push_member("rule", finding.rule(), out);
        push_member("level", finding.level().name(), out);
        push_member("message", &finding.message(), out);
        push_text("suggestion", finding.suggestion(), out);
        push_member("key", &finding.key(), out);
        push_member("group", &finding.group(), out);
        if let Some(origin) = &finding.draft.origin {
            push_text("source_path", origin.path.as_deref(), out);
            push_number("source_line", origin.line, out);
        }
        out.extend_from_slice(b"}\n");
    }

    fn record(&mut self, document: &DocumentPath, record: &ReportRecord<'_>, out: &mut Vec<u8>) {
        match record {
            ReportRecord::Link(link, state) => {
                open_link(&self.links, document, link, &mut self.link, out);
                push_member("state", state.name(), out);
                out.extend_from_slice(b"}\n");
            }
            ReportRecord::Diagnostic(found) => json::push_diagnostic(document, found, out),
            ReportRecord::Failure(message) => json::push_failure(document, message, out),
        }
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        json::open("summary", out);
        push_each_count(totals.summary.counts(), out);
        push_each_count(totals.states(), out);
        let findings = [("error", totals.errors), ("warning", totals.warnings)];
        push_counts("findings", findings.into_iter(), out);
        push_count("hidden_findings", totals.hidden, out);
        push_each_count(totals.summary.skips(), out);
        push_count("read_as_text", totals.summary.read_as_text, out);
        push_count("unsuggested", totals.unsuggested, out);
        push_count("ignored", totals.ignored, out);
        let addresses = totals.addresses.map(|count| ("addresses", count));
        push_each_count(addresses.into_iter(), out);
        if let Some((fixed, unfixed)) = totals.fixed {
            push_count("fixed", fixed, out);
            push_count("unfixed", unfixed, out);
        }
        let sites = &totals.servers;
        if !sites.is_empty() {
            let named = |site: &SiteServer| [&*site.root, b"=", site.server.as_bytes()].concat();
            push_texts("servers", sites.iter().map(named), out);
            let rules = sites.iter().map(|site| site.rules).sum();
            push_count("server_rules", rules, out);
            let unfollowed = sites.iter().map(|site| site.unfollowed).sum();
            push_count("unfollowed_rules", unfollowed, out);
        }
        let sources = totals.sources.iter().map(|site| {
            let generator = format!("={} ({})", site.kind, site.reason);
            [&*site.root, generator.as_bytes()].concat()
        });
        push_texts("sources", sources, out);
        push_texts("hints", totals.hints.iter(), out);
        push_counts("rules", totals.by_rule(), out);
        push_count("forgiven", totals.forgiven(), out);
        push_count("stale", totals.stale(), out);
        if let Some((config, lowered)) = &totals.config {
            push_texts("lowered", lowered.iter(), out);
            push_member("config", &config.to_string_lossy(), out);
        }
        out.extend_from_slice(b"}\n");
    }
}

/// Appends a list of texts, unless it is empty.
fn push_texts(
    name: &str,
    texts: impl ExactSizeIterator<Item = impl AsRef<[u8]>>,
    out: &mut Vec<u8>,
) {
    if texts.len() > 0 {
        push_key(name, out);
        push_list(texts, out, |text, out| push_string(text.as_ref(), out));
    }
}

/// Appends the keys of a link, null except for the position.
fn open_position(document: &DocumentPath, subject: &DocumentPosition<'_>, out: &mut Vec<u8>) {
    json::open("finding", out);
    push_text("path", Some(document.path()), out);
    push_text("member", subject.member.map(str::as_bytes), out);
    let position = subject.position;
    push_number("line", position.map(|position| position.line), out);
    push_number("column", position.map(|position| position.column), out);
    push_number("start", subject.span.map(|span| span.start), out);
    push_number("end", subject.span.map(|span| span.end), out);
    let name = Some(subject.name).filter(|name| !name.is_empty());
    push_text("reference", name, out);
    let others = FIELDS.iter().filter(|field| field.is_core());
    for field in others.skip_while(|field| field.name != "target") {
        push_key(field.name, out);
        out.extend_from_slice(match field.column {
            ColumnKind::Names => b"[]",
            _ => b"null",
        });
    }
}
