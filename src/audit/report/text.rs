//! Lines of text: for people and editors, `path:line:column: error[rule]: reference (message)`, and
//! workflow commands for GitHub Actions.

use super::formatter::{AuditSummary, ReportFormatter, TextStyle, push_sentence, push_suggestion};
use super::groups::{GroupPlace, Grouping};
use crate::audit::finding::Finding;
use crate::audit::rules::{Level, LinkState};
use crate::bytes::lines::Position;
use crate::linker::Link;
use crate::output::DocumentPath;
use crate::output::escape::push_decimal;
use crate::output::escape::push_visible;

const PATH: &str = "\x1b[35m";
const NUMBER: &str = "\x1b[32m";
const ERROR: &str = "\x1b[1;31m";
const WARNING: &str = "\x1b[1;33m";
const PLAIN: &str = "\x1b[0m";

/// The start of lines about the group in the line above.
const INDENT: &[u8] = b"    ";

/// Text for people and editors, a line for each finding.
pub(super) struct TextReport {
    style: TextStyle,
}

impl TextReport {
    pub(super) fn new(style: TextStyle) -> Self {
        TextReport { style }
    }

    fn paint(&self, color: &str, out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
        if !self.style.color {
            return push(out);
        }
        out.extend_from_slice(color.as_bytes());
        push(out);
        out.extend_from_slice(PLAIN.as_bytes());
    }

    fn path(&self, path: &[u8], member: Option<&str>, out: &mut Vec<u8>) {
        self.paint(PATH, out, |out| {
            if is_workflow_command(path) {
                out.extend_from_slice(b"./");
            }
            push_visible(path, out);
            if let Some(member) = member {
                out.push(b'!');
                push_visible(member.as_bytes(), out);
            }
        });
    }

    fn location(
        &self,
        document: &DocumentPath,
        member: Option<&str>,
        position: Option<Position>,
        out: &mut Vec<u8>,
    ) {
        self.path(document.path(), member, out);
        out.push(b':');
        if let Some(position) = position {
            for number in [position.line, position.column] {
                self.paint(NUMBER, out, |out| push_decimal(number, out));
                out.push(b':');
            }
        }
        out.push(b' ');
    }
}

/// Returns whether a line that begins with this path would be a command to GitHub Actions, which
/// takes them from any log: `::stop-commands::x` and `##[endgroup]`, with or without leading blanks.
fn is_workflow_command(path: &[u8]) -> bool {
    let start = path.trim_ascii_start();
    start.starts_with(b"::") || start.starts_with(b"##[")
}

impl TextReport {
    fn rule(&self, finding: &Finding<'_>, out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
        let color = match finding.level {
            Level::Error => ERROR,
            _ => WARNING,
        };
        self.paint(color, out, push);
    }

    /// Appends the line above the findings of a group: `530x logo.png: broken-file (error: no such file)`.
    fn group(&self, finding: &Finding<'_>, place: GroupPlace, out: &mut Vec<u8>) {
        self.paint(NUMBER, out, |out| push_decimal(place.count, out));
        out.extend_from_slice(b"x ");
        match place.by {
            Grouping::File => return self.path(finding.document.path(), None, out),
            Grouping::None | Grouping::Rule => {}
            Grouping::Target => {
                push_visible(finding.target_name, out);
                out.extend_from_slice(b": ");
            }
        }
        let name = finding.rule.name.as_bytes();
        self.rule(finding, out, |out| out.extend_from_slice(name));
        out.extend_from_slice(b" (");
        out.extend_from_slice(finding.level.name().as_bytes());
        out.extend_from_slice(b": ");
        push_visible(finding.message().as_bytes(), out);
        out.push(b')');
    }
}

impl ReportFormatter for TextReport {
    fn grouping(&self) -> Grouping {
        self.style.group
    }

    fn grouped(&mut self, finding: &Finding<'_>, place: GroupPlace, out: &mut Vec<u8>) {
        if place.count == 1 {
            return self.finding(finding, out);
        }
        if place.nth == 0 {
            self.group(finding, place, out);
            out.push(b'\n');
        }
        out.extend_from_slice(INDENT);
        match place.by {
            Grouping::File => self.finding(finding, out),
            _ => {
                let (member, position) = (finding.member(), finding.position());
                self.location(finding.document, member, position, out);
                push_visible(finding.reference(), out);
                push_suggestion(finding, push_visible, out);
                out.push(b'\n');
            }
        }
        if let Some(more) = place.more().filter(|&more| more > 0) {
            out.extend_from_slice(INDENT);
            out.extend_from_slice(format!("and {more} more\n").as_bytes());
        }
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let (member, position) = (finding.member(), finding.position());
        self.location(finding.document, member, position, out);
        self.rule(finding, out, |out| {
            out.extend_from_slice(finding.level.name().as_bytes());
            out.push(b'[');
            out.extend_from_slice(finding.rule.name.as_bytes());
            out.push(b']');
        });
        out.extend_from_slice(b": ");
        push_sentence(finding, push_visible, out);
        out.push(b'\n');
    }

    fn link(
        &mut self,
        document: &DocumentPath,
        link: &Link<'_>,
        state: LinkState,
        out: &mut Vec<u8>,
    ) {
        self.location(document, link.member, link.position, out);
        out.extend_from_slice(state.name().as_bytes());
        out.extend_from_slice(b": ");
        push_visible(link.target.unwrap_or(link.reference), out);
        out.push(b'\n');
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let hidden = match self.style.group {
            Grouping::None => totals.hidden,
            _ => totals.hidden_in_groups,
        };
        if hidden > 0 {
            out.extend_from_slice(format!("... and {hidden} more\n").as_bytes());
        }
    }
}

/// Annotations of GitHub Actions: a workflow command for each group of findings.
pub(super) struct GithubReport {
    group: Grouping,
}

impl GithubReport {
    pub(super) fn new(style: TextStyle) -> Self {
        GithubReport { group: style.group }
    }

    /// Appends a command for a finding, which stands for so many more.
    fn annotate(finding: &Finding<'_>, more: u64, out: &mut Vec<u8>) {
        let command = match finding.level {
            Level::Error => "error",
            _ => "warning",
        };
        let text = |push: &dyn Fn(&mut Vec<u8>)| {
            let mut text = Vec::new();
            push(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        };
        let path = text(&|out| push_visible(finding.document.path(), out));
        let sentence = text(&|out| push_sentence(finding, push_visible, out));
        let mut line = format!("::{command} file={}", property(&path));
        if let Some(position) = finding.position() {
            line += &format!(",line={},col={}", position.line, position.column);
        }
        line += &format!(",title={}::{}", finding.rule.name, data(&sentence));
        if more > 0 {
            line += &format!(", and {more} more");
        }
        line.push('\n');
        out.extend_from_slice(line.as_bytes());
    }
}

impl ReportFormatter for GithubReport {
    fn grouping(&self) -> Grouping {
        self.group
    }

    fn grouped(&mut self, finding: &Finding<'_>, place: GroupPlace, out: &mut Vec<u8>) {
        if place.nth == 0 {
            Self::annotate(finding, place.count - 1, out);
        }
    }

    fn finding(&mut self, finding: &Finding<'_>, out: &mut Vec<u8>) {
        Self::annotate(finding, 0, out);
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
