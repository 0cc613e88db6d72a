//! Annotations of GitHub Actions: workflow commands, a line each.

use super::{ReportFormatter, push_sentence};
use crate::audit::finding::Finding;
use crate::audit::rules::Level;
use crate::output::DocumentPath;
use crate::output::escape::push_visible;

/// A workflow command for each finding.
pub(super) struct GithubReport;

impl ReportFormatter for GithubReport {
    fn finding(&mut self, place: &DocumentPath, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let command = match finding.level {
            Level::Error => "error",
            _ => "warning",
        };
        let text = |push: &dyn Fn(&mut Vec<u8>)| {
            let mut text = Vec::new();
            push(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        };
        let path = text(&|out| push_visible(place.path(), out));
        let sentence = text(&|out| push_sentence(finding, push_visible, out));
        let mut line = format!("::{command} file={}", property(&path));
        if let Some(position) = finding.position() {
            line += &format!(",line={},col={}", position.line, position.column);
        }
        line += &format!(",title={}::{}\n", finding.rule.name, data(&sentence));
        out.extend_from_slice(line.as_bytes());
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
