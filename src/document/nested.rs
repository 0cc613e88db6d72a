//! Documents inside documents: parts of messages, raw HTML in Markdown, `srcdoc`.
//!
//! A container yields members, and does not know how they are scanned. A scanner reports events, and does
//! not know what its document is part of. Between the two stand
//!
//! * [`NestedText`]: the bytes of a member become text, by the charset that the container declares;
//! * [`NestedScanners`]: the text is scanned by the rules of its family;
//! * [`NestedDocument`]: what the scanner reports becomes events of the container. No other place maps
//!   spans, lines, flags or names.
//!
//! A `srcdoc` document is a value of its host, whose offsets are mapped where values are decoded; its
//! scanner reports straight to the host's batch, between [`enter`] and [`Event::Leave`].

use encoding_rs::{Encoding, UTF_8};

use super::events::{
    Batch, Enter, EntityHeading, Event, Events, FoundReference, OpenDocuments, RestartHints,
    RuleFamily, Span, TextRange,
};
use super::flags::Flags;
use super::{AnchorReporting, Format, FormatOptions, Positions, Scan, ScanStart, html, text};
use crate::bytes::lines::LineCounter;
use crate::bytes::window::{Window, Windows};
use crate::decode::charset::{
    self, Confidence, Converter, ConverterInput, Detected, LabelFault, TextCharset,
};
use crate::decode::offset_map::OffsetMap;
use crate::decode::{Decode, RecordOffsets};

/// The number of bytes of a nested document that are scanned at a time.
pub(super) const PIECE: usize = 256 << 10;

/// Reports that a document begins, which inherits the base of its host.
pub(super) fn enter(member: Option<TextRange>, family: RuleFamily, events: &mut Events) {
    events.push(Event::Enter(Enter {
        member,
        family,
        base: None,
    }));
}

/// Returns the format that nested documents of a family are in.
fn format(family: RuleFamily) -> &'static Format {
    match family {
        RuleFamily::Markup => &html::FORMAT,
        RuleFamily::Plain => &text::FORMAT,
    }
}

/// The scanners of nested documents: one a family, which all members of a container share.
pub(super) struct NestedScanners {
    markup: Box<dyn Scan>,
    plain: Box<dyn Scan>,
    batch: Batch,
}

impl NestedScanners {
    pub(super) fn new(options: &FormatOptions) -> Self {
        NestedScanners {
            markup: (html::FORMAT.scanner)(options),
            plain: (text::FORMAT.scanner)(options),
            batch: Batch::default(),
        }
    }

    fn scanner(&mut self, family: RuleFamily) -> &mut dyn Scan {
        match family {
            RuleFamily::Markup => &mut *self.markup,
            RuleFamily::Plain => &mut *self.plain,
        }
    }

    /// Begins a document of a family.
    pub(super) fn begin(&mut self, family: RuleFamily, start: &ScanStart) {
        self.scanner(family).begin(start);
    }

    /// Scans a document of a family that is in one window, and passes what is reported to `take`.
    pub(super) fn scan_whole(
        &mut self,
        family: RuleFamily,
        start: &ScanStart,
        window: Window<'_>,
        take: impl FnOnce(&Batch),
    ) {
        let mut inner = Events::from(std::mem::take(&mut self.batch));
        inner.clear();
        let scanner = self.scanner(family);
        scanner.begin(start);
        scanner.scan(window, &mut inner);
        take(&inner);
        self.batch = inner.into();
    }

    /// Scans one window of a document that has begun, and passes what is reported to `take`.
    ///
    /// Returns how many bytes the scanner consumed, and how the document is to be scanned again if
    /// the scanner asks for that; a request of a document that is nested still deeper does not count.
    pub(super) fn scan_window(
        &mut self,
        family: RuleFamily,
        window: Window<'_>,
        mut take: impl FnMut(&Batch),
    ) -> (usize, Option<RestartHints>) {
        let (mut again, mut open) = (None, OpenDocuments::default());
        let mut relief = |events: &mut Events<'_>| {
            again = again.or(events.outermost_restart(&mut open));
            take(events);
        };
        let mut inner = std::mem::take(&mut self.batch);
        inner.clear();
        let mut events = Events::with_flush(inner, &mut relief);
        let consumed = self.scanner(family).scan(window, &mut events);
        events.end_window();
        self.batch = events.into();
        (consumed, again)
    }
}

/// The text of a nested document: the bytes of the member, or what they are in UTF-8.
///
/// The scanner of markup decodes values itself, so markup is converted only where ASCII itself is
/// encoded. Plain text is converted from its first byte beyond ASCII on.
pub(super) struct NestedText {
    family: RuleFamily,
    charset: TextCharset,
    /// None while the text is the bytes of the member as they are.
    converter: Option<Converter>,
    /// Maps the text to the bytes of the member.
    map: OffsetMap,
    /// The part of the text that has not been consumed.
    pub(super) windows: Windows,
    /// Converted bytes before they are in the windows.
    converted: Vec<u8>,
}

impl Default for NestedText {
    fn default() -> Self {
        NestedText {
            family: RuleFamily::Plain,
            charset: TextCharset::Guess,
            converter: None,
            map: OffsetMap::default(),
            windows: Windows::new(PIECE),
            converted: Vec::new(),
        }
    }
}

impl NestedText {
    /// Begins the text of a member with the label of a charset, which may be empty.
    pub(super) fn begin(&mut self, family: RuleFamily, label: &[u8]) -> Option<LabelFault> {
        self.family = family;
        self.converter = None;
        self.map.clear();
        self.windows.begin(format(family).bounds);
        let (charset, fault) = charset::of_label(label);
        self.set_charset(charset);
        fault
    }

    fn set_charset(&mut self, charset: TextCharset) {
        self.charset = charset;
        if let TextCharset::Convert(input) = charset {
            self.converter = Some(Converter::new(input));
        }
    }

    /// The encoding that plain text is converted from where it is not ASCII.
    fn legacy(&self) -> Option<&'static Encoding> {
        match (self.charset, self.family) {
            (TextCharset::Superset(encoding), RuleFamily::Plain) if encoding != UTF_8 => {
                Some(encoding)
            }
            _ => None,
        }
    }

    /// Returns the encoding of the text.
    pub(super) fn encoding(&self) -> &'static Encoding {
        match (self.charset, self.family) {
            (TextCharset::Superset(encoding), RuleFamily::Markup) => encoding,
            _ => UTF_8,
        }
    }

    /// Returns whether bytes of the member, all there are, are its text in UTF-8.
    pub(super) fn is_utf8(&self, bytes: &[u8]) -> bool {
        let charset = match self.charset {
            TextCharset::Guess => charset::guess(bytes),
            known => known,
        };
        match charset {
            TextCharset::Superset(encoding) => encoding == UTF_8 || bytes.is_ascii(),
            TextCharset::Guess | TextCharset::Convert(_) => false,
        }
    }

    /// Appends bytes of the member.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.converter.is_none()
            && let Some(encoding) = self.legacy()
            && !bytes.is_ascii()
        {
            // The bytes before are ASCII, which needs no conversion.
            let window = self.windows.window();
            let length = window.offset_at(window.bytes.len());
            self.map.copy(length as usize);
            self.converter = Some(Converter::new(encoding.into()));
        }
        match &mut self.converter {
            Some(converter) => {
                self.converted.clear();
                converter.push(bytes, &mut self.converted, &mut self.map);
                self.windows.push(&self.converted);
            }
            None => self.windows.push(bytes),
        }
    }

    /// Detects the encoding from the first bytes, which are pending, where none is declared reliably,
    /// and converts them if that is needed.
    pub(super) fn detect(&mut self) {
        let head = self.windows.pending();
        match (self.family, self.charset) {
            (RuleFamily::Markup, _) if self.converter.is_none() => {
                let prescan = format(self.family).prescan;
                match charset::detect(prescan, self.declared(), head).encoding {
                    Some(encoding) if charset::needs_transcoding(encoding) => {
                        let (charset, _) = charset::of_label(encoding.name().as_bytes());
                        self.set_charset(charset);
                    }
                    _ => return,
                }
            }
            (_, TextCharset::Guess) => {
                let charset = charset::guess(head);
                self.set_charset(charset);
                if let Some(encoding) = self.legacy() {
                    self.converter = Some(Converter::new(encoding.into()));
                }
            }
            _ => return,
        }
        if let Some(converter) = &mut self.converter {
            self.converted.clear();
            converter.push(self.windows.pending(), &mut self.converted, &mut self.map);
            self.windows.begin(format(self.family).bounds);
            self.windows.push(&self.converted);
        }
    }

    /// Ends the text.
    pub(super) fn finish(&mut self) {
        if let Some(converter) = &mut self.converter {
            self.converted.clear();
            converter.finish(&mut self.converted, &mut self.map);
            self.windows.push(&self.converted);
        }
        self.windows.end_here();
    }

    /// Consumes the text before an index of the window.
    pub(super) fn consume(&mut self, at: usize) {
        self.windows.consume(at);
        self.map.forget(self.windows.window().offset);
    }

    /// Returns whether bytes of the member mean nothing in its charset.
    pub(super) fn is_malformed(&self) -> bool {
        self.converter
            .as_ref()
            .is_some_and(|converter| converter.faults() > 0)
    }

    /// Returns the map from the text to the bytes of the member, where they differ.
    pub(super) fn map(&self) -> Option<&OffsetMap> {
        self.converter.is_some().then_some(&self.map)
    }

    fn declared(&self) -> Option<&'static Encoding> {
        match self.charset {
            TextCharset::Superset(encoding)
            | TextCharset::Convert(ConverterInput::Encoding(encoding)) => Some(encoding),
            _ => None,
        }
    }

    /// Returns what the scanner has to know of the text's encoding.
    pub(super) fn start(&self) -> ScanStart {
        let converted = Detected {
            encoding: Some(UTF_8),
            mark: 0,
            confidence: Confidence::Certain,
        };
        ScanStart {
            declared: self.declared(),
            detected: self.converter.is_some().then_some(converted),
            ..ScanStart::default()
        }
    }
}

/// A window of a nested document, and the way back to the bytes of the container.
pub(super) struct NestedView<'a> {
    /// The window that was scanned.
    pub(super) scanned: Window<'a>,
    /// The window of the text that the scanned one was made from, in which lines are counted.
    pub(super) text: Window<'a>,
    /// Maps the scanned window to the text.
    pub(super) reflow: Option<&'a OffsetMap>,
    /// Maps the text to the bytes of the member.
    pub(super) converted: Option<&'a OffsetMap>,
    /// Added to offsets: that of the member, where they are counted in the container.
    pub(super) origin: u64,
    /// Whether lines are counted.
    pub(super) positions: Positions,
}

impl<'a> NestedView<'a> {
    /// A window of a document that is scanned as it is stored, with offsets counted from `origin` on.
    pub(super) fn stored(window: Window<'a>, origin: u64, positions: Positions) -> Self {
        NestedView {
            scanned: window,
            text: window,
            reflow: None,
            converted: None,
            origin,
            positions,
        }
    }
}

/// Maps a span back to what a text was derived from.
fn map_span(map: Option<&OffsetMap>, span: Span) -> Span {
    match map {
        Some(map) => Span {
            start: map.start(span.start),
            end: map.end(span.end),
        },
        None => span,
    }
}

/// Whether references belong to the nested document or to the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NestedScope {
    /// They belong to the document around it.
    Enclosing,
    /// They belong to the nested document, which is entered with the first of them.
    Own,
}

/// A nested document, as its container describes it, while its events are mapped.
#[derive(Debug)]
pub(super) struct NestedDocument {
    /// The place in the container, such as `17/1.2`.
    pub(super) member: String,
    pub(super) media_type: String,
    /// The declared charset; empty if there is none.
    pub(super) charset: Vec<u8>,
    /// Whose rules references follow.
    pub(super) family: RuleFamily,
    pub(super) scope: NestedScope,
    /// Flags of every reference.
    pub(super) flags: Flags,
    /// Whether anchors are those of the container.
    pub(super) anchors: AnchorReporting,
    /// The offset that all diagnostics get; without one they keep their own.
    pub(super) diagnostic_offset: Option<u64>,
    /// Counts lines in the text.
    pub(super) lines: LineCounter,
    /// The encoding of the text.
    encoding: &'static Encoding,
    entered: bool,
    /// The scanner reported that the document is settled, before it was entered.
    settled: bool,
    /// The encoding that the scanner reported before the document was entered.
    declared: Option<&'static Encoding>,
}

impl Default for NestedDocument {
    fn default() -> Self {
        NestedDocument {
            member: String::new(),
            media_type: String::new(),
            charset: Vec::new(),
            family: RuleFamily::Plain,
            scope: NestedScope::Own,
            flags: Flags::NONE,
            anchors: AnchorReporting::Leave,
            diagnostic_offset: None,
            lines: LineCounter::new(),
            encoding: UTF_8,
            entered: false,
            settled: false,
            declared: None,
        }
    }
}

impl NestedDocument {
    /// Begins another document; the container sets name, media type and charset.
    pub(super) fn begin(&mut self, family: RuleFamily, scope: NestedScope, flags: Flags) {
        self.family = family;
        self.scope = scope;
        self.flags = flags;
        self.entered = false;
        self.declared = None;
        self.set_encoding(UTF_8);
        self.restart();
    }

    /// Begins the same document again, from its first byte.
    pub(super) fn restart(&mut self) {
        self.settled = false;
        self.lines = LineCounter::new();
        self.lines.set_encoding(self.encoding);
    }

    /// Sets the encoding of the text.
    pub(super) fn set_encoding(&mut self, encoding: &'static Encoding) {
        self.encoding = encoding;
        self.lines.set_encoding(encoding);
    }

    fn enter(&mut self, out: &mut Events) {
        if self.entered {
            return;
        }
        self.entered = true;
        if self.scope == NestedScope::Own {
            let member = Some(out.store(self.member.as_bytes()));
            enter(member, self.family, out);
            let heading = EntityHeading {
                media_type: Some(out.store(self.media_type.as_bytes())),
                charset: (!self.charset.is_empty()).then(|| out.store(&self.charset)),
                ..EntityHeading::default()
            };
            out.push(Event::Heading(heading));
            if self.family == RuleFamily::Plain || self.settled {
                out.push(Event::Settled);
            }
        }
        if let Some(encoding) = self.declared.take() {
            out.push(Event::Encoding(encoding));
        }
    }

    /// Ends the document.
    pub(super) fn leave(&mut self, out: &mut Events) {
        if self.entered && self.scope == NestedScope::Own {
            out.push(Event::Leave);
        }
        self.entered = false;
    }

    /// Maps events of the document's scanner to events of the container. `flags_at` returns flags of
    /// references from their offset in the text.
    pub(super) fn map(
        &mut self,
        inner: &Batch,
        view: &NestedView<'_>,
        flags_at: impl Fn(u64) -> Flags,
        out: &mut Events,
    ) {
        for event in &inner.list {
            match *event {
                Event::Reference(ref found) => {
                    self.enter(out);
                    self.map_reference(found, inner, view, &flags_at, out);
                }
                Event::Encoding(encoding) => {
                    self.set_encoding(encoding);
                    if self.entered {
                        out.push(Event::Encoding(encoding));
                    } else {
                        self.declared = Some(encoding);
                    }
                }
                Event::Settled | Event::Restart(_) | Event::Leave => {
                    // Plain text is settled when it is entered, and so is markup that is settled by
                    // then.
                    if self.entered && self.family == RuleFamily::Markup {
                        out.push(*event);
                    } else if matches!(event, Event::Settled) {
                        self.settled = true;
                    }
                }
                Event::Diagnostic(code, at) => {
                    self.enter(out);
                    let at = self.diagnostic_offset.unwrap_or(view.origin + at);
                    out.push(Event::Diagnostic(code, at));
                }
                Event::Base(text, at) => {
                    self.enter(out);
                    let text = out.store(inner.bytes(text, view.scanned.bytes));
                    out.push(Event::Base(text, view.origin + at));
                }
                Event::Enter(_) | Event::Heading(_) | Event::Envelope(_) => {
                    self.enter(out);
                    let copy = out.adopt(event, inner, view.scanned.bytes);
                    out.push(copy);
                }
                Event::Anchor(..) if self.anchors == AnchorReporting::Leave => {}
                Event::Anchor(name, at) => {
                    let name = out.store(inner.bytes(name, view.scanned.bytes));
                    out.push(Event::Anchor(name, view.origin + at));
                }
                // A statistic, which is counted wherever the document stands.
                Event::Exact(_) => out.push(*event),
            }
        }
    }

    fn map_reference(
        &mut self,
        found: &FoundReference,
        inner: &Batch,
        view: &NestedView<'_>,
        flags_at: impl Fn(u64) -> Flags,
        out: &mut Events,
    ) {
        let text = map_span(view.reflow, found.span);
        let mut copy = out.adopt_reference(found, inner, view.scanned.bytes);
        let member = map_span(view.converted, text);
        copy.span = Span {
            start: view.origin + member.start,
            end: view.origin + member.end,
        };
        copy.position = match view.positions {
            Positions::Lines => found
                .position
                .or_else(|| Some(self.lines.position(&view.text, text.start))),
            Positions::Offsets => None,
        };
        copy.flags |= self.flags | flags_at(text.start);
        out.push(Event::Reference(copy));
    }
}
