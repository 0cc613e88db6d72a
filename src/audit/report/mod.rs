//! Where findings go: text, JSON Lines, SARIF, JUnit, GitHub annotations. One file each, one row in
//! [`FORMATS`].

mod count;
mod github;
mod jsonl;
mod junit;
mod sarif;
mod text;

use std::collections::HashSet;
use std::io::{self, Write};

use super::collect::SkippedFile;
use super::finding::Finding;
use super::records::WireRecord;
use super::rules::Level;
use super::site::{LinkState, StateCounts};
use super::wire::{self, WireReader};
use crate::document::diagnostic::Effect;
use crate::output::DocumentPath;
use crate::output::escape::push_visible;
use crate::output::record::Summary;
use crate::output::text::push_lossy;
use crate::pipeline::Verbosity;
use crate::pipeline::tally::CountKey;
use crate::resolver::{Diagnostic, Link};

/// A format of reports.
pub struct ReportFormat {
    /// The name that `--report` takes.
    pub name: &'static str,
    /// Makes an empty report.
    pub start: fn(TextStyle) -> Box<dyn ReportFormatter>,
}

/// Every format of reports, one row each.
pub static FORMATS: &[ReportFormat] = &[
    ReportFormat {
        name: "text",
        start: |look| Box::new(text::TextReport::new(look)),
    },
    ReportFormat {
        name: "jsonl",
        start: |_| Box::new(jsonl::JsonlReport::default()),
    },
    ReportFormat {
        name: "sarif",
        start: |_| Box::new(sarif::SarifReport::default()),
    },
    ReportFormat {
        name: "junit",
        start: |_| Box::new(junit::JunitReport::default()),
    },
    ReportFormat {
        name: "github",
        start: |_| Box::new(github::GithubReport),
    },
];

impl ReportFormat {
    /// The format of a name.
    ///
    /// ```
    /// use uriscan::audit::report::ReportFormat;
    /// assert_eq!(ReportFormat::named("sarif").unwrap().name, "sarif");
    /// ```
    pub fn named(name: &str) -> Option<&'static ReportFormat> {
        FORMATS.iter().find(|format| format.name == name)
    }
}

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether it is coloured.
    pub color: bool,
}

/// Appends what it is told to a buffer. There are few findings beside all the links, so it may be
/// called through a pointer.
pub trait ReportFormatter: Send {
    /// Before everything else.
    fn start(&mut self, _out: &mut Vec<u8>) {}

    /// A finding in a document.
    fn finding(&mut self, place: &DocumentPath, finding: &Finding<'_>, out: &mut Vec<u8>);

    /// A link and the state that it ended in.
    fn link(
        &mut self,
        _place: &DocumentPath,
        _link: &Link<'_>,
        _state: LinkState,
        _out: &mut Vec<u8>,
    ) {
    }

    /// Something that readers of a document's links should know.
    fn diagnostic(&mut self, _place: &DocumentPath, _found: &Diagnostic<'_>, _out: &mut Vec<u8>) {}

    /// Why a document could not be read.
    fn failure(&mut self, _place: &DocumentPath, _message: &str, _out: &mut Vec<u8>) {}

    /// All that was said of a document has been said. Returns whether there is more to append, and
    /// then is called again.
    fn end_document(&mut self, _place: &DocumentPath, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// After everything else.
    fn end(&mut self, _totals: &Totals, _out: &mut Vec<u8>) {}
}

/// What a run amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// What was read.
    pub summary: Summary,
    /// How the links ended.
    pub counts: StateCounts,
    /// Findings of level error.
    pub errors: u64,
    /// Findings of level warning.
    pub warnings: u64,
    /// Findings that were left out because there are too many.
    pub hidden: u64,
    /// Findings without a suggestion because looking for more would take too long.
    pub unsuggested: u64,
}

/// A report and where it is written.
struct OpenReport<'r> {
    report: Box<dyn ReportFormatter>,
    writer: Box<dyn Write + Send + 'r>,
    out: Vec<u8>,
}

/// A report is written when it holds this many bytes.
const GATHER: usize = 64 << 10;

impl OpenReport<'_> {
    fn write(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

/// All reports of a run, told the same.
pub struct ReportSet<'r> {
    open: Vec<OpenReport<'r>>,
    /// Where targets elsewhere on the network go, one a line, each once.
    external: Option<OpenReport<'r>>,
    listed: HashSet<Box<[u8]>>,
    baseline: Option<OpenReport<'r>>,
    place: DocumentPath,
    talk: Verbosity,
    most: u64,
    shown: u64,
    /// What the run amounts to so far.
    pub totals: Totals,
}

impl<'r> ReportSet<'r> {
    /// No reports yet; up to `most` findings are shown.
    pub fn new(talk: Verbosity, most: Option<u64>) -> Self {
        ReportSet {
            open: Vec::new(),
            external: None,
            listed: HashSet::new(),
            baseline: None,
            place: DocumentPath::new(b""),
            talk,
            most: most.unwrap_or(u64::MAX),
            shown: 0,
            totals: Totals::default(),
        }
    }

    /// Adds a report.
    pub fn add(
        &mut self,
        format: &ReportFormat,
        look: TextStyle,
        writer: Box<dyn Write + Send + 'r>,
    ) {
        let mut report = (format.start)(look);
        let mut out = Vec::new();
        report.start(&mut out);
        self.open.push(OpenReport {
            report,
            writer,
            out,
        });
    }

    /// Adds a report of how many findings there are with each value of a key.
    pub fn count_by(
        &mut self,
        key: CountKey,
        format: &ReportFormat,
        writer: Box<dyn Write + Send + 'r>,
    ) {
        self.open.push(OpenReport {
            report: Box::new(count::Count::new(key, format)),
            writer,
            out: Vec::new(),
        });
    }

    /// Where targets elsewhere on the network are written.
    pub fn list_external(&mut self, writer: Box<dyn Write + Send + 'r>) {
        self.external = Some(OpenReport {
            report: Box::new(text::TextReport::new(TextStyle::default())),
            writer,
            out: Vec::new(),
        });
    }

    /// Where the keys of all findings are written.
    pub fn list_keys(&mut self, writer: Box<dyn Write + Send + 'r>) {
        self.baseline = Some(OpenReport {
            report: Box::new(text::TextReport::new(TextStyle::default())),
            writer,
            out: Vec::new(),
        });
    }

    /// Takes the record of a kind, which is no finding.
    pub(super) fn take(
        &mut self,
        record: WireRecord,
        packed: &mut WireReader<'_>,
    ) -> io::Result<()> {
        match record {
            WireRecord::Document => {
                self.end_document()?;
                self.place.set(packed.bytes());
            }
            WireRecord::Finding => {}
            WireRecord::Link => {
                let state = LinkState::NAMES[packed.number() as usize % LinkState::NAMES.len()].0;
                packed.link(|link| {
                    for open in &mut self.open {
                        open.report.link(&self.place, link, state, &mut open.out);
                    }
                });
            }
            WireRecord::External => self.external(packed.bytes()),
            WireRecord::Diagnostic => self.diagnostic(&packed.diagnostic()),
            WireRecord::Failure => self.failure(wire::text(packed.bytes())),
        }
        self.write_full()
    }

    /// Writes the reports that hold much.
    pub(super) fn write_full(&mut self) -> io::Result<()> {
        for open in self
            .open
            .iter_mut()
            .chain(&mut self.external)
            .chain(&mut self.baseline)
        {
            if open.out.len() >= GATHER {
                open.write()?;
            }
        }
        Ok(())
    }

    fn end_document(&mut self) -> io::Result<()> {
        for open in &mut self.open {
            while open.report.end_document(&self.place, &mut open.out) {
                open.write()?;
            }
        }
        Ok(())
    }

    /// Whether the next finding is shown, and not only counted.
    pub(super) fn shows_next(&self) -> bool {
        self.shown < self.most && !self.open.is_empty()
    }

    pub(super) fn finding(&mut self, finding: &Finding<'_>) {
        match finding.level {
            Level::Error => self.totals.errors += 1,
            _ => self.totals.warnings += 1,
        }
        if let Some(baseline) = &mut self.baseline {
            super::baseline::push(finding, self.place.path(), &mut baseline.out);
        }
        if self.shown == self.most {
            self.totals.hidden += 1;
            return;
        }
        self.shown += 1;
        for open in &mut self.open {
            open.report.finding(&self.place, finding, &mut open.out);
        }
    }

    fn external(&mut self, target: &[u8]) {
        if let Some(open) = &mut self.external
            && !self.listed.contains(target)
        {
            self.listed.insert(target.into());
            push_visible(target, &mut open.out);
            open.out.push(b'\n');
        }
    }

    fn diagnostic(&mut self, found: &Diagnostic<'_>) {
        for open in &mut self.open {
            open.report.diagnostic(&self.place, found, &mut open.out);
        }
        let damage = found.code.effect == Effect::Damage;
        if self.talk.diagnostics || damage && self.talk.errors {
            self.tell(&found.to_string());
        }
    }

    fn failure(&mut self, message: &str) {
        for open in &mut self.open {
            open.report.failure(&self.place, message, &mut open.out);
        }
        if self.talk.errors {
            self.tell(message);
        }
    }

    /// Tells which files were left out.
    pub(super) fn tell_skipped(&mut self, mut skipped: Vec<SkippedFile>) {
        skipped.sort_unstable_by_key(|file| file.order);
        for file in skipped {
            self.place.set(file.path.as_os_str().as_encoded_bytes());
            self.tell(&file.skip.to_string());
        }
        self.place.set(b"");
    }

    fn tell(&self, message: &str) {
        let mut line = b"uriscan: ".to_vec();
        push_visible(self.place.path(), &mut line);
        line.extend_from_slice(b": ");
        push_visible(message.as_bytes(), &mut line);
        line.push(b'\n');
        // Errors on standard error are ignored.
        let _ = io::stderr().write_all(&line);
    }

    /// Ends all reports; the rest of the totals is given.
    ///
    /// # Errors
    ///
    /// When one cannot be written.
    pub fn end(mut self, summary: Summary, counts: StateCounts) -> io::Result<Totals> {
        self.totals.summary = summary;
        self.totals.counts = counts;
        self.end_document()?;
        for open in &mut self.open {
            open.report.end(&self.totals, &mut open.out);
        }
        for open in self
            .open
            .iter_mut()
            .chain(&mut self.external)
            .chain(&mut self.baseline)
        {
            open.write()?;
            open.writer.flush()?;
        }
        Ok(self.totals)
    }
}

/// Appends some bytes of a finding in the way of a report.
type Push = fn(&[u8], &mut Vec<u8>);

/// Appends the message of a finding, with what may have been meant.
fn push_message(finding: &Finding<'_>, push: Push, out: &mut Vec<u8>) {
    push(finding.message().as_bytes(), out);
    if let Some(suggestion) = finding.suggestion {
        out.extend_from_slice(b"; did you mean ");
        push(suggestion, out);
        out.push(b'?');
    }
}

/// Appends the reference of a finding and its message: `guide.html#instal (no such id)`.
fn push_sentence(finding: &Finding<'_>, push: Push, out: &mut Vec<u8>) {
    let reference = finding.reference();
    if reference.is_empty() {
        return push_message(finding, push, out);
    }
    push(reference, out);
    out.extend_from_slice(b" (");
    push_message(finding, push, out);
    out.push(b')');
}

/// Returns the sentence for formats that escape what they cannot hold.
fn sentence(finding: &Finding<'_>) -> String {
    let without_line_breaks: Push = |bytes, out| {
        for piece in bytes.split(|byte| matches!(byte, b'\r' | b'\n')) {
            push_lossy(piece, out);
        }
    };
    let mut out = Vec::new();
    push_sentence(finding, without_line_breaks, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
