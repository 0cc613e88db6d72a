//! Annotations of GitHub Actions: workflow commands, a line each.

use super::{Report, sentence};
use crate::audit::finding::Finding;
use crate::audit::rules::Level;
use crate::output::place::Place;

/// A workflow command for each finding.
pub(super) struct GitHub;

impl Report for GitHub {
    fn finding(&mut self, place: &Place, finding: &Finding<'_>, out: &mut Vec<u8>) {
        let command = match finding.level {
            Level::Error => "error",
            _ => "warning",
        };
        let path = String::from_utf8_lossy(place.path());
        let mut line = format!("::{command} file={}", property(&path));
        if let Some(position) = finding.position() {
            line += &format!(",line={},col={}", position.line, position.column);
        }
        line += &format!(
            ",title={}::{}\n",
            finding.rule.name,
            data(&sentence(finding))
        );
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
