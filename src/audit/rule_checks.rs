//! Findings about rules of servers and lists of generators whose destination does not exist.

use std::io::Write as _;

use super::disk::LookupMatch;
use super::finding::{
    CauseKind, DocumentPosition, FindingCause, FindingDraft, finding_key, shortened,
};
use super::ignored::IgnoreCandidate;
use super::location::{Audit, targets_touched, touches};
use super::rules::RuleId;
use super::server::{DestinationTemplate, RuleFile};
use super::site::Site;
use super::target::{ServerStep, TargetLocation, split_fragment};
use super::wire::{Packed, WireRecord, WireRecords};
use crate::bytes::lines::LineCounter;
use crate::bytes::window::Window;
use crate::document::events::Span;
use crate::linker::Diagnostic;
use crate::pipeline::members;
use crate::uri::{Rules, resolve};

/// The steps on the way to a target that are shown.
const TOLD: usize = 4;

/// Returns the records of all redirect files (their parts that are not followed, and rules without
/// a destination), and the number of ignored findings.
pub(super) fn records(audit: &Audit, site: &Site) -> (WireRecords, u64) {
    let mut out = WireRecords::default();
    let mut ignored = 0;
    for (root, file) in audit.checker.servers.rule_files() {
        let (path, inner) = match members::split_path(&file.path) {
            Some((archive, inner)) => (archive, Some(String::from_utf8_lossy(inner))),
            None => (file.path.as_slice(), None),
        };
        let checks = RuleChecks {
            audit,
            site,
            uri: (audit.checker.mounts.uri_of_mount(root)).unwrap_or_default(),
            file: &file,
            member: inner.as_deref(),
        };
        let start = out.0.len();
        ignored += checks.push(&mut out.0);
        if out.0.len() > start {
            begin(audit, path, start, &mut out.0);
        }
    }
    ignored += listed_pages(audit, &mut out.0);
    (out, ignored)
}

/// Puts the start of a document before the records from an index on.
fn begin(audit: &Audit, path: &[u8], at: usize, out: &mut Vec<u8>) {
    let mut document = Vec::new();
    WireRecord::Document(&audit.shown(path)).pack(&mut document);
    out.splice(at..at, document);
}

struct RuleChecks<'a> {
    audit: &'a Audit,
    site: &'a Site,
    /// The URI of the file's mount; empty without one.
    uri: &'a [u8],
    file: &'a RuleFile,
    /// The name in an archive.
    member: Option<&'a str>,
}

impl RuleChecks<'_> {
    fn push(&self, out: &mut Vec<u8>) -> u64 {
        for found in self.file.notes() {
            let member = self.member;
            WireRecord::Diagnostic(Diagnostic { member, ..found }).pack(out);
        }
        if self.uri.is_empty() {
            return 0;
        }
        let destinations = self.destinations().zip(0..);
        let ignored = destinations.filter(|((to, status), nth)| self.check(to, *status, *nth, out));
        ignored.count() as u64
    }

    /// Returns the destinations of all requests, with the status of the answer.
    fn destinations(&self) -> impl Iterator<Item = (&DestinationTemplate, u16)> {
        // Absolute destinations in files that a walk finds are links of their text.
        let is_hidden = self.file.path.ends_with(b"/.htaccess");
        let all = self.file.destinations();
        all.filter(move |(to, _)| to.is_fixed() && (is_hidden || to.text.starts_with(b"/")))
    }

    /// Appends the finding about a destination; returns whether it is ignored.
    fn check(&self, to: &DestinationTemplate, status: u16, nth: u64, out: &mut Vec<u8>) -> bool {
        let (checker, text) = (&self.audit.checker, &*to.text);
        let Ok(target) = resolve(self.uri, text, Rules::Whatwg) else {
            return false;
        };
        if !touches(self.audit, &self.file.path) && !targets_touched(self.audit, &target) {
            return false;
        }
        let line = Some(to.position.line).filter(|_| self.member.is_none());
        if !self.audit.options.shows_line(&self.file.path, line) {
            return false;
        }
        let (target, fragment) = split_fragment(&target);
        let mut steps = ServerSteps::default();
        let location = match status {
            300..400 => checker.follow(target, |step| steps.add(self.audit, step)),
            _ => checker.locate_file(target),
        };
        let rule = match location {
            TargetLocation::Nothing | TargetLocation::Misled => RuleId::BrokenFile,
            // Links may be to paths below.
            _ if to.is_prefix() => return false,
            TargetLocation::NoIndex(_) => RuleId::BrokenIndex,
            TargetLocation::File(_, LookupMatch::OtherCase) => RuleId::CaseMismatch,
            TargetLocation::SymlinkOut => RuleId::OutsideRoot,
            TargetLocation::File(file, _)
                if self.audit.options.checks_fragments
                    && fragment.is_some_and(|name| !self.site.has_fragment(file, name)) =>
            {
                RuleId::BrokenFragment
            }
            TargetLocation::File(_, LookupMatch::Redirect) => RuleId::Redirected,
            _ => return false,
        };
        let found = FoundAt {
            path: &self.file.path,
            position: DocumentPosition {
                member: self.member,
                position: Some(to.position),
                span: Some(to.span),
                name: text,
            },
            target,
        };
        report(self.audit, &found, rule, (nth, steps.cause()), out)
    }
}

struct FoundAt<'a> {
    path: &'a [u8],
    position: DocumentPosition<'a>,
    target: &'a [u8],
}

/// Appends a finding; returns whether it is ignored.
fn report(
    audit: &Audit,
    found: &FoundAt<'_>,
    rule: RuleId,
    (nth, cause): (u64, Option<FindingCause<'_>>),
    out: &mut Vec<u8>,
) -> bool {
    let (path, text) = (found.path, found.position.name);
    let levels = &audit.options.levels;
    if !levels.reports(rule) {
        return false;
    }
    let name = audit.checker.mounts.relative_path(path).unwrap_or(path);
    let candidate = IgnoreCandidate {
        rule,
        path: &audit.shown(path),
        name,
        targets: &[text, found.target],
    };
    if audit.ignored.ignores(&candidate) {
        return true;
    }
    let key = finding_key(name, None, rule, text, nth);
    if audit.options.baseline.keys.contains(&key) {
        WireRecord::Forgiven(key).pack(out);
        return false;
    }
    WireRecord::Finding.pack(out);
    let draft = FindingDraft {
        cause,
        ..FindingDraft::about(found.position, (rule, levels.of(rule)), key, text)
    };
    draft.push(out);
    false
}

/// Appends the findings about the pages that configurations of generators list; returns the number of ignored ones.
fn listed_pages(audit: &Audit, out: &mut Vec<u8>) -> u64 {
    let (mut ignored, mut file) = (0, Vec::new());
    let (mut counted, mut lines) = (Vec::new(), LineCounter::new());
    audit.sources.each_listed(&audit.checker, |page| {
        let rule = match page.location {
            TargetLocation::Nothing => RuleId::BrokenFile,
            TargetLocation::File(_, LookupMatch::OtherCase) => RuleId::CaseMismatch,
            _ => return,
        };
        if counted != page.file {
            (counted, lines) = (page.file.to_vec(), LineCounter::new());
        }
        let place = lines.position(&Window::whole(page.text), page.start as u64);
        if !touches(audit, page.file) || !audit.options.shows_line(page.file, Some(place.line)) {
            return;
        }
        let start = out.len();
        let found = FoundAt {
            path: page.file,
            position: DocumentPosition {
                member: None,
                position: Some(place),
                span: Some(Span {
                    start: page.start as u64,
                    end: (page.start + page.name.len()) as u64,
                }),
                name: page.name.as_bytes(),
            },
            target: page.name.as_bytes(),
        };
        ignored += u64::from(report(audit, &found, rule, (0, None), out));
        if out.len() > start && file != page.file {
            begin(audit, page.file, start, out);
            file = page.file.to_vec();
        }
    });
    ignored
}

#[derive(Debug, Default)]
pub(super) struct ServerSteps {
    text: Vec<u8>,
    count: usize,
}

impl ServerSteps {
    pub(super) fn add(&mut self, audit: &Audit, step: Option<&ServerStep<'_>>) {
        self.count += 1;
        let out = &mut self.text;
        if self.count > 1 && self.count <= TOLD + 1 {
            out.extend_from_slice(b", ");
        }
        let Some(rule) = step else {
            let blank = if self.count > TOLD { " " } else { "" };
            let _ = write!(out, "{blank}and so on in a loop");
            return;
        };
        if self.count == TOLD + 1 {
            out.extend_from_slice(b"...");
        }
        if self.count > TOLD {
            return;
        }
        out.extend_from_slice(&audit.shown(rule.file));
        if rule.line > 0 {
            let _ = write!(out, ":{}", rule.line);
        }
        if rule.status >= 400 {
            let _ = write!(out, " answers {}", rule.status);
        } else {
            out.extend_from_slice(b" points to ");
            out.extend_from_slice(&shortened(rule.destination));
        }
    }

    pub(super) fn cause(&self) -> Option<FindingCause<'static>> {
        (self.count > 0).then(|| FindingCause::new(CauseKind::Words, self.text.as_slice()))
    }
}
