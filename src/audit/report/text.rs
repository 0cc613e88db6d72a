//! Text for people and editors: `path:line:column: error[rule]: reference (message)`.

use super::{ReportFormatter, TextStyle, Totals, push_sentence};
use crate::audit::finding::Finding;
use crate::audit::rules::Level;
use crate::audit::site::LinkState;
use crate::bytes::lines::Position;
use crate::output::DocumentPath;
use crate::output::escape::push_decimal;
use crate::output::escape::push_visible;
use crate::resolver::Link;

const PATH: &str = "\x1b[35m";
const NUMBER: &str = "\x1b[32m";
const ERROR: &str = "\x1b[1;31m";
const WARNING: &str = "\x1b[1;33m";
const PLAIN: &str = "\x1b[0m";

/// A finding a line.
pub(super) struct TextReport {
    look: TextStyle,
}

impl TextReport {
    pub(super) fn new(look: TextStyle) -> Self {
        TextReport { look }
    }

    fn paint(&self, color: &str, out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
        if !self.look.color {
            return push(out);
        }
        out.extend_from_slice(color.as_bytes());
        push(out);
        out.extend_from_slice(PLAIN.as_bytes());
    }

    fn location(
        &self,
        place: &DocumentPath,
        member: Option<&str>,
        position: Option<Position>,
        out: &mut Vec<u8>,
    ) {
        self.paint(PATH, out, |out| {
            if is_workflow_command(place.path()) {
                out.extend_from_slice(b"./");
            }
            push_visible(place.path(), out);
            if let Some(member) = member {
                out.push(b'!');
                push_visible(member.as_bytes(), out);
            }
        });
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
/// reads them from any log: `::stop-commands::x` and `##[endgroup]`, behind white space or not.
fn is_workflow_command(path: &[u8]) -> bool {
    let start = path.trim_ascii_start();
    start.starts_with(b"::") || start.starts_with(b"##[")
}

impl ReportFormatter for TextReport {
    fn finding(&mut self, place: &DocumentPath, finding: &Finding<'_>, out: &mut Vec<u8>) {
        self.location(place, finding.member(), finding.position(), out);
        let color = match finding.level {
            Level::Error => ERROR,
            _ => WARNING,
        };
        self.paint(color, out, |out| {
            out.extend_from_slice(finding.level.name().as_bytes());
            out.push(b'[');
            out.extend_from_slice(finding.rule.name.as_bytes());
            out.push(b']');
        });
        out.extend_from_slice(b": ");
        push_sentence(finding, push_visible, out);
        out.push(b'\n');
    }

    fn link(&mut self, place: &DocumentPath, link: &Link<'_>, state: LinkState, out: &mut Vec<u8>) {
        self.location(place, link.member, link.position, out);
        out.extend_from_slice(state.name().as_bytes());
        out.extend_from_slice(b": ");
        push_visible(link.target.unwrap_or(link.reference), out);
        out.push(b'\n');
    }

    fn end(&mut self, totals: &Totals, out: &mut Vec<u8>) {
        if totals.hidden > 0 {
            out.extend_from_slice(format!("... and {} more\n", totals.hidden).as_bytes());
        }
    }
}
