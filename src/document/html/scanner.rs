//! [`HtmlScanner`]: opens a document, runs the simulator on it and falls back to the tree builder.

use std::ops::Range;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::attributes::EnabledRows;
use super::encoding::{EncodingState, Validity, prescan};
use super::feedback::{Bail, Halt, ScanEnd, TreeFeedback};
use super::report::{ReferenceReporter, ReportState, keep_encoding};
use super::simulator::SimulatorParser;
use super::tree_builder;
use super::value::CharacterContext;
use super::value_syntax::LIMIT;
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::{self, Conversion, Detected};
use crate::document::diagnostic;
use crate::document::events::{Batch, Event, Events, OpenDocuments, RestartHints, RuleFamily};
use crate::document::flags::Flags;
use crate::document::nested::{self, NestedScanners};
use crate::document::options::NestingLimit;
use crate::document::source_text::SourceText;
use crate::document::{Format, FormatOptions, Passes, Reread, Scan, ScanStart, text};

/// The events of a document up to this length, in bytes, are held until it cannot restart.
const HELD: usize = 256 << 10;

pub(in crate::document) const FORMAT: Format = Format {
    name: "html",
    #[cfg(feature = "documents")]
    extensions: &["html", "htm"],
    #[cfg(not(feature = "documents"))]
    extensions: &["html", "htm", "xhtml", "xht"],
    media_types: &[
        "text/html",
        "application/xhtml+xml",
        "application/vnd.wap.xhtml+xml",
    ],
    family: RuleFamily::Markup,
    is_settled: false,
    // After: the longest value and the rest of its tag.
    bounds: Bounds::new(4, LIMIT + (64 << 10)),
    reading: Passes::MaybeTwice,
    prescan: Some(prescan),
    conversion: Conversion::WhereNeeded,
    scanner: |options| Box::new(HtmlScanner::new(options)),
    ..text::UNSPLIT
};

pub(crate) struct HtmlScanner {
    document: ReportState,
    parser: SimulatorParser,
    validity: Validity,
    state: HtmlState,
    start: ScanStart,
    body: usize,
    opened: &'static Encoding,
    bail: Option<Bail>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HtmlState {
    /// Needs the first bytes to detect the encoding.
    Start,
    Running,
    /// Needs the whole document in one window.
    Waiting,
    Abandoned,
}

impl HtmlScanner {
    pub(crate) fn new(options: &FormatOptions) -> Self {
        let html = options.html.clone();
        let enabled = EnabledRows::new(&html, options.anchors);
        let parser = SimulatorParser::new(&html, enabled);
        let mut document = ReportState::new(html, enabled);
        if document.options.text {
            document.text_scanners = Some(Box::new(NestedScanners::new(options.clone())));
        }
        HtmlScanner {
            document,
            parser,
            validity: Validity::default(),
            state: HtmlState::Start,
            start: ScanStart::default(),
            body: 0,
            opened: UTF_8,
            bail: None,
        }
    }

    /// Detects the encoding from the first bytes; returns false if there are too few.
    fn open(&mut self, window: &Window, events: &mut Events) -> bool {
        let enough = window.last || window.bytes.len() >= charset::PRESCAN;
        let detected = match (self.start.restart.encoding, self.start.detected) {
            (encoding @ Some(_), _) => Detected::unmarked(encoding, self.start.restart.declared),
            (None, Some(detected)) => detected,
            (None, None) if enough => {
                charset::detect(Some(prescan), self.start.declared, window.bytes)
            }
            (None, None) => return false,
        };
        let charset = EncodingState::new(&detected);
        self.document.begin(charset);
        self.opened = charset.label;
        let is_transcoded = charset::needs_transcoding(charset.label);
        self.body = if is_transcoded { 0 } else { detected.mark };
        if charset.label != UTF_8 {
            events.push(Event::Encoding(charset.label));
        }
        let limit = match self.start.reread {
            Reread::Possible => self.document.options.max_document,
            Reread::Impossible => 0,
        };
        self.document.limit = limit;
        self.parser.simulator.begin(limit);
        let states = [HtmlState::Running, HtmlState::Waiting];
        self.state = states[usize::from(self.start.restart.exact)];
        true
    }

    /// Waits for the whole document, or approximates if it is longer than `max_document`.
    fn wait(&mut self, window: &Window, events: &mut Events) -> Result<usize, RestartHints> {
        if window.last {
            return self.whole(window, events);
        }
        if window.bytes.len() as u64 <= self.document.options.max_document {
            return Ok(window.start);
        }
        self.parser.simulator.begin(0);
        self.state = HtmlState::Running;
        let event = Event::Diagnostic(&diagnostic::HTML_APPROXIMATE, window.offset);
        events.push(event);
        self.run(window, events)
    }

    fn whole(&mut self, window: &Window, events: &mut Events) -> Result<usize, RestartHints> {
        if self.document.charset.undeclared
            && !window.bytes.is_ascii()
            && str::from_utf8(window.bytes).is_err()
        {
            self.fall_back(events);
        }
        let exact = self.start.restart.exact.then_some(self.bail).flatten();
        let source = SourceText::window(window.bytes, window.offset);
        let mut report = ReferenceReporter::new(source, events, &mut self.document);
        let end = whole(self.body, exact, &mut self.parser, &mut report);
        if end.map_err(|encoding| self.again(Some(encoding), true))? == ScanEnd::Approximately {
            let event = Event::Diagnostic(&diagnostic::HTML_APPROXIMATE, window.offset);
            events.push(event);
        }
        events.push(Event::Settled);
        Ok(window.bytes.len())
    }

    fn again(&self, encoding: Option<&'static Encoding>, declared: bool) -> RestartHints {
        RestartHints {
            exact: self.start.restart.exact || self.bail.is_some(),
            encoding,
            declared,
        }
    }

    fn fall_back(&mut self, events: &mut Events) {
        self.document.charset.fall_back();
        events.push(Event::Encoding(self.document.charset.label));
    }

    fn run(&mut self, window: &Window, events: &mut Events) -> Result<usize, RestartHints> {
        if self.document.charset.undeclared && !self.validity.check(window) {
            // Something that depends on the encoding may have been reported.
            let was_used = self.validity.non_ascii && !self.document.is_silent();
            if was_used && window.offset < self.document.limit {
                return Err(self.again(Some(WINDOWS_1252), false));
            }
            if was_used {
                keep_encoding(window.offset, events);
            }
            self.fall_back(events);
        }
        let at = match window.offset {
            0 => self.body.max(window.start),
            _ => window.start,
        };
        let source = SourceText::window(window.bytes, window.offset);
        let mut report = ReferenceReporter::new(source, events, &mut self.document);
        let result = self.parser.run(at, window.last, &mut report);
        if self.parser.simulator.take_approximated() {
            let offset = window.offset_at(at);
            events.push(Event::Diagnostic(&diagnostic::HTML_APPROXIMATE, offset));
        }
        match result {
            Ok(at) => {
                if window.last {
                    events.push(Event::Settled);
                }
                Ok(at)
            }
            Err(Halt::Bail(bail)) => {
                self.bail = Some(bail);
                let label = self.document.charset.label;
                let changed = (label != self.opened).then_some(label);
                let encoding = changed.or(self.start.restart.encoding);
                Err(self.again(encoding, !self.document.charset.tentative))
            }
            Err(Halt::Encoding(encoding)) => Err(self.again(Some(encoding), true)),
        }
    }
}

impl Scan for HtmlScanner {
    fn references_released(&mut self) {
        self.document.limit = 0;
        self.parser.simulator.forbid_halt();
    }

    fn begin(&mut self, start: &ScanStart) {
        self.parser.tokenizer.begin();
        self.validity = Validity::default();
        self.start = *start;
        self.state = HtmlState::Start;
        if !start.restart.exact {
            self.bail = None;
        }
    }

    fn scan(&mut self, window: Window, events: &mut Events) -> usize {
        if self.state == HtmlState::Start && !self.open(&window, events) {
            return window.start;
        }
        if window.offset == 0 && window.bytes.len() < self.body {
            return window.start;
        }
        let result = match self.state {
            HtmlState::Abandoned => return window.bytes.len(),
            HtmlState::Waiting => self.wait(&window, events),
            HtmlState::Running if window.last && window.offset == 0 && window.start == 0 => {
                self.whole(&window, events)
            }
            HtmlState::Running | HtmlState::Start => self.run(&window, events),
        };
        result.unwrap_or_else(|hints| {
            self.state = HtmlState::Abandoned;
            events.push(Event::Restart(hints));
            window.bytes.len()
        })
    }
}

/// Scans a document that is in one window; fails if it must be transcoded differently. After the bail
/// `exact` of an earlier pass the tree builder runs at once.
///
/// The events of a document up to [`HELD`] bytes are held until the scan succeeds. A longer one is
/// scanned first for its base and for bails, then once more to report.
fn whole(
    at: usize,
    mut exact: Option<Bail>,
    parser: &mut SimulatorParser,
    report: &mut ReferenceReporter,
) -> Result<ScanEnd, &'static Encoding> {
    let opened = report.document.charset.label;
    let length = report.source.bytes.len();
    let drafts = length - at > HELD && report.events.can_flush();
    // The offset from which on the simulator approximates.
    let is_short = length as u64 <= report.document.options.max_document;
    let mut limit = if is_short { u64::MAX } else { 0 };
    loop {
        let charset = report.document.charset;
        let mark = report.events.mark();
        let result = if let Some(bail) = exact {
            report.events.push(Event::Exact(bail.0));
            tree_builder::scan(at, report).map(|tree| {
                report.events.keep(mark);
                tree.report(report);
                ScanEnd::Exactly
            })
        } else if drafts {
            // A trial that keeps only the document's base.
            let (mut base, mut open) = (None, OpenDocuments::default());
            let (source, events) = (report.source, &mut *report.events);
            let mut find_base = |trial: &mut Events<'_>| {
                for event in &trial.list {
                    if open.is_outermost(event) && matches!(event, Event::Base(..)) {
                        base = Some(events.adopt(event, trial, source.bytes));
                    }
                }
            };
            let mut trial = Events::with_flush(Batch::default(), &mut find_base);
            let mut trial_report = ReferenceReporter::new(source, &mut trial, report.document);
            let result = parser.scan(at, limit, &mut trial_report);
            trial.end_window();
            if result.is_ok() {
                report.events.keep(mark);
                report.document.begin(charset);
                // Nothing is retracted any more, so references need not be held.
                base.into_iter().for_each(|base| report.events.push(base));
                report.events.push(Event::Settled);
                // The same scan succeeded before.
                let _ = parser.scan(at, limit, report);
            }
            result
        } else {
            let result = parser.scan(at, limit, report);
            if result.is_ok() {
                report.events.keep(mark);
            }
            result
        };
        let halt = match result {
            Ok(end) => return Ok(end),
            Err(halt) => halt,
        };
        report.events.rollback(mark);
        let mut charset = report.document.charset;
        match halt {
            Halt::Encoding(encoding)
                if charset::needs_transcoding(encoding) || charset::needs_transcoding(opened) =>
            {
                return Err(encoding);
            }
            Halt::Encoding(encoding) => charset.change(encoding),
            Halt::Bail(bail) if exact.is_none() => exact = Some(bail),
            Halt::Bail(_) => (exact, limit) = (None, 0),
        }
        if charset.label != opened {
            report.events.push(Event::Encoding(charset.label));
        }
        report.document.begin(charset);
    }
}

impl ReferenceReporter<'_, '_, '_> {
    /// Scans the document in a `srcdoc` attribute, which inherits the base of its host: the only recursion
    /// from a value to a document.
    pub(super) fn srcdoc(&mut self, range: Range<usize>, flags: Flags) {
        if !NestingLimit::SRCDOC.admits(self.document.depth) {
            return self.diagnose(&diagnostic::HTML_SRCDOC_DEPTH, range.start);
        }
        self.with_decoded(range, Some(CharacterContext::Attribute), |report, range| {
            let rows = report.document.enabled;
            report.decoded_document(range, flags | Flags::SRCDOC, rows);
        });
    }

    /// Scans the contents of a conditional comment, `<!--[if mso]>...<![endif]-->`, as such a document.
    pub(super) fn conditional(&mut self, range: Range<usize>) {
        if !NestingLimit::SRCDOC.admits(self.document.depth) {
            return;
        }
        let flags = self.document.flags | Flags::CONDITIONAL;
        self.with_decoded(range, None, |report, range| {
            let mut rows = report.document.enabled;
            rows.extended = true;
            report.decoded_document(range, flags, rows);
        });
    }

    /// Scans a document in a source that is UTF-8; the charset of `meta` elements is ignored.
    fn decoded_document(&mut self, range: Range<usize>, flags: Flags, rows: EnabledRows) {
        let host = &mut *self.document;
        let mut document = ReportState {
            depth: host.depth + 1,
            flags,
            decoders: std::mem::take(&mut host.decoders),
            text_scanners: host.text_scanners.take(),
            ..ReportState::new(host.options.clone(), rows)
        };
        let mut parser = SimulatorParser::new(&document.options, document.enabled);
        nested::enter(None, RuleFamily::Markup, self.events);
        let mut source = self.source.until(range.end);
        // The value may be final, but the document in it is not.
        source.is_final = false;
        let mut inner = ReferenceReporter::new(source, self.events, &mut document);
        let end = whole(range.start, None, &mut parser, &mut inner);
        if end != Ok(ScanEnd::Exactly) {
            self.diagnose(&diagnostic::HTML_APPROXIMATE, range.start);
        }
        self.events.push(Event::Leave);
        self.document.has_references |= document.has_references;
        self.document.uses_base |= document.uses_base;
        self.document.decoders = document.decoders;
        self.document.text_scanners = document.text_scanners;
    }
}
