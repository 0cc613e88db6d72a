//! JSON Lines: findings, diagnostics, errors, links with `--links`, and the summary.

use super::formatter::{AuditSummary, ReportFormatter};
use crate::audit::finding::{DocumentPosition, Finding, FindingSubject};
use crate::audit::rules::LinkState;
use crate::audit::server::SiteServer;
use crate::linker::{Diagnostic, Link};
use crate::output::DocumentPath;
use crate::output::Output;
use crate::output::field::FIELDS;
use crate::output::json::{open_link, push_count, push_each_count, push_member, push_string};
use crate::output::record::Failure;
use crate::output::{Layout, RecordWriters};

/// Records, one a line.
#[derive(Default)]
pub(super) struct JsonlReport {
    layout: Layout,
}

impl ReportFormatter for JsonlReport {
    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        match finding.subject {
            FindingSubject::Link(link) => {
                open_link("finding", &self.layout, finding.document, link, out)
            }
            FindingSubject::Document(position) => open_position(finding.document, &position, out),
        }
        push_member("rule", finding.rule.name, out);
        push_member("level", finding.level.name(), out);
        push_member("message", &finding.message(), out);
        out.extend_from_slice(b",\"suggestion\":");
        match finding.suggestion() {
            Some(suggestion) => push_string(suggestion, out),
            None => out.extend_from_slice(b"null"),
        }
        push_member("key", &finding.key(), out);
        push_member("group", &finding.group(), out);
        out.extend_from_slice(b"}\n");
    }

    fn link(
        &mut self,
        document: &DocumentPath,
        link: &Link<'_>,
        state: LinkState,
        out: &mut Vec<u8>,
    ) {
        open_link("link", &self.layout, document, link, out);
        push_member("state", state.name(), out);
        out.extend_from_slice(b"}\n");
    }

    fn diagnostic(&mut self, document: &DocumentPath, found: &Diagnostic<'_>, out: &mut Vec<u8>) {
        if let Some(others) = others() {
            (others.diagnostic)(document, found, out);
        }
    }

    fn failure(&mut self, document: &DocumentPath, message: &str, out: &mut Vec<u8>) {
        let member = None;
        if let Some(others) = others() {
            (others.failure)(document, &Failure { member, message }, out);
        }
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        push_totals(totals, out);
    }
}

/// Returns the writers of records that are not only of audits.
fn others() -> Option<&'static RecordWriters> {
    Output::named("jsonl").and_then(|output| output.others.as_ref())
}

/// Appends the summary of an audit.
pub(super) fn push_totals(totals: &AuditSummary, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"summary\"");
    push_each_count(totals.summary.counts(), out);
    for ((_, name), count) in LinkState::NAMES.iter().zip(totals.counts) {
        push_count(name, count, out);
    }
    out.extend_from_slice(b",\"findings\":{\"error\":");
    crate::output::escape::push_decimal(totals.errors, out);
    push_count("warning", totals.warnings, out);
    out.push(b'}');
    push_count("hidden_findings", totals.hidden, out);
    push_each_count(totals.summary.skips(), out);
    push_count("read_as_text", totals.summary.read_as_text, out);
    push_count("unsuggested", totals.unsuggested, out);
    push_count("ignored", totals.ignored, out);
    if let Some((fixed, unfixed)) = totals.fixed {
        push_count("fixed", fixed, out);
        push_count("unfixed", unfixed, out);
    }
    if !totals.servers.is_empty() {
        let sum = |count: fn(&SiteServer) -> u64| totals.servers.iter().map(count).sum();
        out.extend_from_slice(b",\"servers\":[");
        for (index, site) in totals.servers.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            let server = [&site.root[..], b"=", site.server.as_bytes()].concat();
            push_string(&server, out);
        }
        out.push(b']');
        push_count("server_rules", sum(|site| site.rules), out);
        push_count("unfollowed_rules", sum(|site| site.unfollowed), out);
    }
    out.extend_from_slice(b",\"rules\":{");
    for (index, (name, count)) in totals.by_rule().enumerate() {
        let before = out.len();
        push_count(name, count, out);
        if index == 0 {
            // The first member has no comma before it.
            out.remove(before);
        }
    }
    out.push(b'}');
    push_count("forgiven", totals.forgiven(), out);
    push_count("stale", totals.stale(), out);
    if let Some(config) = &totals.config {
        push_member("config", &config.to_string_lossy(), out);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends the keys of a link for a position that is none: null except for the position itself.
fn open_position(document: &DocumentPath, subject: &DocumentPosition<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"finding\"");
    let number = |number: Option<u64>, key: &str, out: &mut Vec<u8>| match number {
        Some(number) => push_count(key, number, out),
        None => out.extend_from_slice(format!(",\"{key}\":null").as_bytes()),
    };
    for field in FIELDS.iter().filter(|field| field.is_core()) {
        match field.name {
            "type" => {}
            "path" => {
                out.extend_from_slice(b",\"path\":");
                push_string(document.path(), out);
            }
            "member" if subject.member.is_some() => {
                push_member("member", subject.member.unwrap_or_default(), out);
            }
            "line" => number(subject.position.map(|position| position.line), "line", out),
            "column" => number(
                subject.position.map(|position| position.column),
                "column",
                out,
            ),
            "start" => number(subject.span.map(|span| span.start), "start", out),
            "end" => number(subject.span.map(|span| span.end), "end", out),
            "reference" if !subject.name.is_empty() => {
                out.extend_from_slice(b",\"reference\":");
                push_string(subject.name, out);
            }
            "flags" => out.extend_from_slice(b",\"flags\":[]"),
            name => number(None, name, out),
        }
    }
}
