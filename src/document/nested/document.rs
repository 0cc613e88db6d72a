//! Scans nested documents, and maps what their scanners report to events of the container.

use encoding_rs::{Encoding, UTF_8};
use smart_default::SmartDefault;

use super::member::{DECODED, Member, NestedScope, TextFilter, enter};
use crate::bytes::lines::LineCounter;
use crate::bytes::window::Window;
use crate::decode::charset;
use crate::document::events::{
    Batch, EntityHeading, Event, Events, FoundReference, OpenDocuments, Quoting, RestartHints,
};
use crate::document::source_text::{Origin, SourceText};
use crate::document::{AnchorReporting, Format, FormatOptions, Positions, Scan, ScanStart, text};

/// The scanners of nested documents: one a format, which all members of a container share.
#[derive(Default)]
pub(crate) struct NestedScanners {
    options: FormatOptions,
    scanners: Vec<(&'static str, Box<dyn Scan>)>,
    batch: Batch,
    pub(crate) positions: Positions,
}

impl NestedScanners {
    pub(crate) fn new(options: FormatOptions) -> Self {
        NestedScanners {
            options,
            ..NestedScanners::default()
        }
    }

    fn scanner(&mut self, format: &'static Format) -> &mut dyn Scan {
        let mut known = self.scanners.iter();
        let at = known.position(|(name, _)| *name == format.name);
        let at = at.unwrap_or_else(|| {
            let scanner = (format.scanner)(&self.options);
            self.scanners.push((format.name, scanner));
            self.scanners.len() - 1
        });
        &mut *self.scanners[at].1
    }

    /// Reads a document that is in one window, which a container describes.
    pub(crate) fn nested(&mut self, member: Member, text: SourceText<'_>, out: &mut Events) {
        let start = ScanStart {
            declared: charset::of_label(&member.charset).0.encoding(),
            // Nothing inside declares another encoding.
            detected: (member.charset == b"utf-8").then_some(DECODED),
            source: member.source,
            ..ScanStart::default()
        };
        let mut document = NestedDocument {
            member,
            ..NestedDocument::default()
        };
        document.scan_whole(text, start, &mut (), self, out);
    }

    /// Reports the references in a text by the rules for text; `complete` adds the known facts to each.
    pub(crate) fn free_text(
        &mut self,
        text: SourceText<'_>,
        out: &mut Events,
        mut complete: impl FnMut(&mut FoundReference, &mut Batch),
    ) {
        self.scanner(Format::TEXT).begin(&ScanStart::default());
        self.scan_window(Format::TEXT, Window::whole(text.bytes), |inner| {
            for event in &inner.list {
                if let Event::Reference(found) = event {
                    let mut copy = out.adopt_reference(found, inner, text.bytes);
                    copy.span = text.origin.span(found.span);
                    copy.quoting = found.quoting.within(text.quoting);
                    complete(&mut copy, out);
                    out.push(Event::Reference(copy));
                }
            }
        });
    }

    /// Scans one window of a document that has begun, and passes the events to `take`.
    ///
    /// Returns the number of consumed bytes, and how to scan the document again if the scanner asks for
    /// that; requests of more deeply nested documents are ignored.
    fn scan_window(
        &mut self,
        format: &'static Format,
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
        let consumed = self.scanner(format).scan(window, &mut events);
        events.end_window();
        self.batch = events.batch;
        (consumed, again)
    }
}

pub(super) struct NestedView<'a> {
    pub(super) text: Window<'a>,
    pub(super) origin: Origin<'a>,
    /// The escapes of the text in the document.
    pub(super) quoting: Quoting,
    pub(super) positions: Positions,
    pub(super) filter: &'a mut dyn TextFilter,
}

#[derive(SmartDefault)]
pub(crate) struct NestedDocument {
    pub(crate) member: Member,
    pub(super) lines: LineCounter,
    #[default(UTF_8)]
    encoding: &'static Encoding,
    entered: bool,
    /// Whether the document was settled before it was entered.
    settled: bool,
    /// The number of open documents in the text, such as in `srcdoc`.
    open: usize,
    declared: Option<&'static Encoding>,
}

impl NestedDocument {
    /// Begins the document that the member describes.
    pub(super) fn begin(&mut self, encoding: &'static Encoding) {
        (self.entered, self.declared) = (false, None);
        self.lines = LineCounter::new();
        self.set_encoding(encoding);
    }

    pub(super) fn set_encoding(&mut self, encoding: &'static Encoding) {
        self.encoding = encoding;
        self.lines.set_encoding(encoding);
    }

    fn enter(&mut self, out: &mut Events) {
        if self.entered {
            return;
        }
        self.entered = true;
        if self.member.scope == NestedScope::Own {
            let member = &self.member;
            let name = Some(out.store(member.name.as_bytes()));
            enter(name, member.format.family, out);
            let file = member.file.as_deref().map_or([None; 2], |file| {
                file.each_ref()
                    .map(|text| (!text.is_empty()).then(|| out.store(text)))
            });
            let heading = EntityHeading {
                file,
                media_type: Some(out.store(member.media_type.as_bytes())),
                charset: (!member.charset.is_empty()).then(|| out.store(&member.charset)),
                stored_at: member.stored_at,
                ..EntityHeading::default()
            };
            out.push(Event::Heading(heading));
            if self.is_plain() || self.settled {
                out.push(Event::Settled);
            }
        }
        if let Some(encoding) = self.declared.take() {
            out.push(Event::Encoding(encoding));
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        text::is_plain(self.member.format)
    }

    pub(super) fn leave(&mut self, out: &mut Events) {
        if self.entered && self.member.scope == NestedScope::Own {
            out.push(Event::Leave);
        }
        self.entered = false;
    }

    pub(crate) fn scan_whole(
        &mut self,
        text: SourceText<'_>,
        start: ScanStart,
        filter: &mut dyn TextFilter,
        scanners: &mut NestedScanners,
        out: &mut Events,
    ) {
        let mut view = NestedView {
            text: Window::whole(text.bytes),
            origin: text.origin,
            quoting: text.quoting,
            positions: match text.origin {
                Origin::Offset(_) => scanners.positions,
                Origin::Decoded(_) => Positions::Offsets,
            },
            filter,
        };
        self.scan(&mut view, Some(start), scanners, out);
        self.leave(out);
    }

    /// Scans a window of the document; `start` is given with the first one. Returns the consumed bytes.
    pub(super) fn scan(
        &mut self,
        view: &mut NestedView<'_>,
        mut start: Option<ScanStart>,
        scanners: &mut NestedScanners,
        out: &mut Events,
    ) -> usize {
        let (format, window) = (self.member.format, view.text);
        let mut previous = None;
        loop {
            if let Some(start) = &start {
                scanners.scanner(format).begin(start);
                (self.settled, self.open) = (format.is_settled, 0);
            }
            if matches!(view.origin, Origin::Decoded(_)) {
                self.lines.expect_no_mark();
            }
            let map = |inner: &Batch| self.map(inner, view, out);
            let (consumed, again) = scanners.scan_window(format, window, map);
            // Each restart has to ask for more than the one before.
            let (Some(start), Some(hints)) = (&mut start, again.filter(|_| again != previous))
            else {
                return consumed;
            };
            (start.restart, previous) = (hints, again);
            self.lines = LineCounter::new();
            self.lines.set_encoding(self.encoding);
        }
    }

    fn map(&mut self, inner: &Batch, view: &mut NestedView<'_>, out: &mut Events) {
        // Nothing follows the last window whose flags could matter.
        let mut events = inner.list.iter();
        let mut has_references = || events.any(|event| matches!(event, Event::Reference(_)));
        if self.is_plain() && (!view.text.last || has_references()) {
            view.filter.read(&view.text);
        }
        for event in &inner.list {
            match *event {
                Event::Reference(ref found) => {
                    self.enter(out);
                    let start = found.span.start;
                    let mut copy = out.adopt_reference(found, inner, view.text.bytes);
                    copy.span = view.origin.span(found.span);
                    copy.quoting = found.quoting.within(view.quoting);
                    copy.position = match view.positions {
                        Positions::Lines => found
                            .position
                            .or_else(|| Some(self.lines.position(&view.text, start))),
                        Positions::Offsets => None,
                    };
                    copy.flags |= self.member.flags | view.filter.flags(start);
                    out.push(Event::Reference(copy));
                }
                Event::Encoding(encoding) => {
                    self.set_encoding(encoding);
                    if self.entered {
                        out.push(Event::Encoding(encoding));
                    } else {
                        self.declared = Some(encoding);
                    }
                }
                // Of a message that is enclosed and has no row.
                Event::End(_) => {}
                Event::Settled | Event::Restart(_) | Event::Leave if self.open > 0 => {
                    self.open -= usize::from(matches!(event, Event::Leave));
                    out.push(*event);
                }
                Event::Settled | Event::Restart(_) | Event::Leave => {
                    // Plain text is settled when it is entered, and so is markup that is settled by
                    // then.
                    if self.entered && self.member.scope == NestedScope::Own && !self.is_plain() {
                        out.push(*event);
                    } else if matches!(event, Event::Settled) {
                        self.settled = true;
                    }
                }
                Event::Diagnostic(code, at) => {
                    self.enter(out);
                    let given = self.member.diagnostic_offset;
                    let at = given.unwrap_or_else(|| view.origin.offset(at));
                    out.push(Event::Diagnostic(code, at));
                }
                Event::Enter(_) | Event::Heading(_) | Event::Envelope(_) | Event::Attachment(_) => {
                    self.enter(out);
                    self.open += usize::from(matches!(event, Event::Enter(_)));
                    let copy = out.adopt(event, inner, view.text.bytes);
                    out.push(copy);
                }
                Event::Anchor(..) | Event::Remark(_)
                    if self.member.anchors == AnchorReporting::Leave => {}
                Event::Base(..) | Event::Anchor(..) | Event::Remark(_) => {
                    if matches!(event, Event::Base(..)) {
                        self.enter(out);
                    }
                    let mut copy = out.adopt(event, inner, view.text.bytes);
                    match &mut copy {
                        Event::Base(_, at) | Event::Anchor(_, at) => *at = view.origin.offset(*at),
                        Event::Remark(remark) => remark.span = view.origin.span(remark.span),
                        _ => {}
                    }
                    out.push(copy);
                }
                // A statistic, which does not depend on the document's place.
                Event::Exact(_) | Event::Readable => out.push(*event),
            }
        }
    }
}
