//! Lines of text: for people and editors, `path:line:column: error[rule]: reference (message)`, and
//! workflow commands for GitHub Actions.

use std::fmt::Display;

use super::formatter::*;
use crate::output::text::{NUMBER, PATH, PLAIN};

const ERROR: &str = "\x1b[1;31m";
const WARNING: &str = "\x1b[1;33m";

#[derive(Default)]
pub(super) struct TextReport {
    pub(super) color: bool,
}

impl TextReport {
    fn paint(&self, color: &str, text: impl Display) -> String {
        let (color, plain) = if self.color { (color, PLAIN) } else { ("", "") };
        format!("{color}{text}{plain}")
    }

    fn rule(&self, finding: &Finding<'_>, text: impl Display) -> String {
        let is_error = finding.level() == Level::Error;
        self.paint(if is_error { ERROR } else { WARNING }, text)
    }

    fn path(&self, document: &DocumentPath, member: Option<&str>) -> String {
        // GitHub Actions takes commands from any log: `::stop-commands::x` and `##[endgroup]`, with or
        // without leading blanks.
        let start = document.path().trim_ascii_start();
        let is_command = start.starts_with(b"::") || start.starts_with(b"##[");
        let mut path = String::from(if is_command { "./" } else { "" });
        path += &shown(document.path());
        if let Some(member) = member {
            path += "!";
            path += &shown(member.as_bytes());
        }
        self.paint(PATH, path)
    }

    /// The path and the position, each with a colon.
    fn location(
        &self,
        document: &DocumentPath,
        member: Option<&str>,
        position: Option<Position>,
    ) -> String {
        let path = self.path(document, member);
        match position {
            Some(Position { line, column }) => {
                let (line, column) = (self.paint(NUMBER, line), self.paint(NUMBER, column));
                format!("{path}:{line}:{column}:")
            }
            None => path + ":",
        }
    }

    /// `530x logo.png: broken-file (error: no such file)`
    fn group(&self, finding: &Finding<'_>, place: GroupPlace) -> String {
        let count = self.paint(NUMBER, place.count);
        let target = match place.by {
            Grouping::File => return format!("{count}x {}", self.path(finding.document, None)),
            Grouping::None | Grouping::Rule => String::new(),
            Grouping::Target => shown(&finding.draft.target_name) + ": ",
        };
        let rule = self.rule(finding, finding.rule());
        let (message, _) = finding.group_message(place.by == Grouping::Target);
        let (level, message) = (finding.level().name(), shown(message.as_bytes()));
        format!("{count}x {target}{rule} ({level}: {message})")
    }
}

impl ReportFormatter for TextReport {
    fn grouped(&mut self, finding: &Finding<'_>, place: GroupPlace, out: &mut Vec<u8>) {
        if place.nth == 0 {
            let _ = writeln!(out, "{}", self.group(finding, place));
        }
        let _ = write!(out, "    ");
        if place.by == Grouping::File {
            self.finding(finding, out);
        } else {
            let location = self.location(finding.document, finding.member(), finding.position());
            let (reference, suggestion) = (shown(finding.reference()), suggestion(finding, shown));
            let (_, own) = finding.group_message(place.by == Grouping::Target);
            let own = own.map_or_else(String::new, |own| format!(" ({})", shown(own.as_bytes())));
            let origin = origin(finding);
            let _ = writeln!(out, "{location} {reference}{own}{suggestion}{origin}");
        }
        if let Some(more) = place.more().filter(|&more| more > 0) {
            let _ = writeln!(out, "    and {more} more");
        }
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let location = self.location(finding.document, finding.member(), finding.position());
        let rule = format!("{}[{}]", finding.level().name(), finding.rule());
        let rule = self.rule(finding, rule);
        let _ = writeln!(out, "{location} {rule}: {}", sentence(finding));
    }

    fn record(&mut self, document: &DocumentPath, record: &ReportRecord<'_>, out: &mut Vec<u8>) {
        if let ReportRecord::Link(link, state) = record {
            let location = self.location(document, link.member, link.position);
            let target = shown(link.target.unwrap_or(link.reference));
            let _ = writeln!(out, "{location} {}: {target}", state.name());
        }
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        if totals.left_out > 0 {
            let _ = writeln!(out, "... and {} more", totals.left_out);
        }
    }
}

/// A workflow command for each group of findings.
pub(super) struct GithubReport;

impl GithubReport {
    /// Appends a command for a finding and `more` of its group.
    fn annotate(finding: &Finding<'_>, more: u64, out: &mut Vec<u8>) {
        let path = file(finding.document);
        let mut line = format!("::{} file={path}", finding.level().name());
        let mut text = sentence(finding);
        if finding.member().is_some() {
            text = format!("{}: {text}", &place_below(finding)[1..]);
        } else if let Some(position) = finding.position() {
            line += &format!(",line={},col={}", position.line, position.column);
        }
        line += &format!(",title={}::{}", finding.rule(), data(&text));
        if more > 0 {
            line += &format!(", and {more} more");
        }
        let _ = writeln!(out, "{line}");
    }
}

impl ReportFormatter for GithubReport {
    fn grouped(&mut self, finding: &Finding<'_>, place: GroupPlace, out: &mut Vec<u8>) {
        if place.nth == 0 {
            Self::annotate(finding, place.count - 1, out);
        }
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        Self::annotate(finding, 0, out);
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        if totals.left_out > 0 {
            let _ = writeln!(out, "::notice::... and {} more", totals.left_out);
        }
    }

    fn record(&mut self, document: &DocumentPath, record: &ReportRecord<'_>, out: &mut Vec<u8>) {
        if let Some(reason) = record.failure() {
            let _ = writeln!(out, "::error file={}::{}", file(document), data(&reason));
        }
    }
}

fn file(document: &DocumentPath) -> String {
    let path = data(&shown(document.path()));
    path.replace(':', "%3A").replace(',', "%2C")
}

fn data(text: &str) -> String {
    (text.replace('%', "%25").replace('\r', "%0D")).replace('\n', "%0A")
}
