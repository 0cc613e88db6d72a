//! Markdown for the summary of a job of GitHub Actions, which has a limited length.

use std::borrow::Cow;

use super::formatter::*;

const LIMIT: usize = 1 << 20;
/// Room for all but the findings.
const FRAME: usize = 8 << 10;

/// The totals come first, and are known last.
#[derive(Default)]
pub(super) struct MarkdownReport {
    body: String,
    current: String,
    /// Findings that the limit leaves out.
    omitted: u64,
    /// A document may have several.
    failures: u64,
}

impl MarkdownReport {
    /// Adds an item within the limit.
    fn finish_item(&mut self, count: u64) {
        if self.omitted == 0 && self.body.len() + self.current.len() + FRAME <= LIMIT {
            self.body += &self.current;
        } else {
            self.omitted += count;
        }
        self.current.clear();
    }
}

impl ReportFormatter for MarkdownReport {
    fn finding(&mut self, finding: &Finding<'_>, _out: &mut Vec<u8>) {
        self.current += &format!("- {}\n", line(finding));
        self.finish_item(1);
    }

    fn grouped(&mut self, finding: &Finding<'_>, place_of: GroupPlace, _out: &mut Vec<u8>) {
        let (shared, own) = finding.group_message(place_of.by == Grouping::Target);
        if place_of.nth == 0 {
            let (rule, message) = (rule(finding), message(shared));
            let header = match place_of.by {
                Grouping::File => code(finding.document.path()),
                Grouping::Target => {
                    format!("{}: {rule}: {message}", code(&finding.draft.target_name))
                }
                Grouping::None | Grouping::Rule => format!("{rule}: {message}"),
            };
            self.current += &format!("- **{}\u{d7}** {header}\n", place_of.count);
        }
        let line = match place_of.by {
            Grouping::File => line(finding),
            _ => {
                let (place, reference) = (place(finding), code(finding.reference()));
                let own =
                    own.map_or_else(String::new, |own| format!(" ({})", code(own.as_bytes())));
                format!("{place}: {reference}{own}{}", suggestion(finding, code))
            }
        };
        self.current += &format!("  - {line}\n");
        if let Some(more) = place_of.more() {
            if more > 0 {
                self.current += &format!("  - and {more} more\n");
            }
            self.finish_item(place_of.count);
        }
    }

    fn record(&mut self, document: &DocumentPath, record: &ReportRecord<'_>, _out: &mut Vec<u8>) {
        if let Some(reason) = record.failure() {
            self.failures += 1;
            let [path, reason] = [document.path(), reason.as_bytes()].map(code);
            self.current += &format!("- {path}: {reason}\n");
            self.finish_item(1);
        }
    }

    fn end(&mut self, totals: &AuditSummary, out: &mut Vec<u8>) {
        let failures = match self.failures {
            0 => String::new(),
            number => format!(", {}", counted(number, "failure")),
        };
        let mut text = format!(
            "## Links: {}, {}{failures}\n\n{}",
            counted(totals.errors, "error"),
            counted(totals.warnings, "warning"),
            totals.checked(),
        );
        if totals.forgiven + totals.stale() > 0 {
            let forgiven = counted(totals.forgiven, "finding");
            let stale = counted(totals.stale(), "line");
            text += &format!(". Baseline: {forgiven} forgiven, {stale} of it stale");
        }
        if totals.ignored > 0 {
            text += &format!(". Ignored: {}", counted(totals.ignored, "finding"));
        }
        text += ".\n\n";
        if !totals.rules.is_empty() {
            text += "| findings | rule | level |\n| ---: | --- | --- |\n";
        }
        for row in &totals.rules {
            let (name, level) = (RULES[row.rule].name, row.level.name());
            text += &format!("| {} | {name} | {level} |\n", row.count);
        }
        if !self.body.is_empty() {
            text += "\n### Findings\n\n";
        }
        let _ = write!(out, "{text}{}", self.body);
        let more = self.omitted + totals.left_out;
        if more > 0 {
            let _ = writeln!(out, "\n... and {}", counted(more, "more finding"));
        }
    }
}

fn rule(finding: &Finding<'_>) -> String {
    format!("{} {}", finding.level().name(), finding.rule())
}

fn line(finding: &Finding<'_>) -> String {
    let (place, rule, mut message) = (place(finding), rule(finding), message(finding.message()));
    if !finding.reference().is_empty() {
        message = format!("{} ({message})", code(finding.reference()));
    }
    format!("{place}: {rule}: {message}{}", suggestion(finding, code))
}

/// `path!member:line:column`
fn place(finding: &Finding<'_>) -> String {
    let path = String::from_utf8_lossy(finding.document.path());
    code((path.into_owned() + &place_below(finding)).as_bytes())
}

/// A path in a message is code.
fn message(message: Cow<'static, str>) -> String {
    match message {
        Cow::Borrowed(message) => message.to_owned(),
        Cow::Owned(message) => code(message.as_bytes()),
    }
}

/// A code span, in which nothing is markup (GFM section 6.3), with a fence longer than any run of
/// backticks; not for tables, where a pipe ends the cell.
fn code(text: &[u8]) -> String {
    let text = shown(text);
    let runs = text.split(|character| character != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    // A blank at both ends is taken away, and keeps a backtick apart from the fence.
    format!("{fence} {text} {fence}")
}
