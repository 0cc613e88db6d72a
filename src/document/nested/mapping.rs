//! Maps what the scanner of a nested document reports to events of its container.

use encoding_rs::{Encoding, UTF_8};

use super::member::{Member, NestedScope, TextFlags, enter};
use crate::bytes::lines::LineCounter;
use crate::bytes::window::Window;
use crate::decode::offset_map::OffsetMap;
use crate::document::events::{Batch, EntityHeading, Event, Events, FoundReference, Span};
use crate::document::flags::Flags;
use crate::document::{AnchorReporting, Format, Positions};

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

/// A nested document while its events are mapped.
pub(in crate::document) struct NestedDocument {
    pub(in crate::document) member: Member,
    /// Counts lines in the text.
    pub(super) lines: LineCounter,
    /// The encoding of the text.
    encoding: &'static Encoding,
    entered: bool,
    /// The scanner reported that the document is settled, before it was entered.
    settled: bool,
    /// The number of documents in the text that are open, such as those in `srcdoc`.
    open: usize,
    /// The encoding that the scanner reported before the document was entered.
    declared: Option<&'static Encoding>,
}

impl NestedDocument {
    /// Begins the document that a container describes.
    pub(super) fn new(member: Member) -> Self {
        NestedDocument {
            member,
            lines: LineCounter::new(),
            encoding: UTF_8,
            entered: false,
            settled: false,
            open: 0,
            declared: None,
        }
    }

    /// Begins the same document again, from its first byte.
    pub(super) fn restart(&mut self) {
        self.settled = false;
        self.open = 0;
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
        if self.member.scope == NestedScope::Own {
            let member = &self.member;
            let name = Some(out.store(member.name.as_bytes()));
            enter(name, member.format.family, None, out);
            let heading = EntityHeading {
                media_type: Some(out.store(member.media_type.as_bytes())),
                charset: (!member.charset.is_empty()).then(|| out.store(&member.charset)),
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

    /// Returns whether events that structure the document are those of an entered document.
    fn has_structure(&self) -> bool {
        self.member.scope == NestedScope::Own && !self.is_plain()
    }

    /// Returns whether the document is plain text.
    pub(super) fn is_plain(&self) -> bool {
        *self.member.format == *Format::TEXT
    }

    /// Ends the document.
    pub(super) fn leave(&mut self, out: &mut Events) {
        if self.entered && self.member.scope == NestedScope::Own {
            out.push(Event::Leave);
        }
        self.entered = false;
    }

    /// Maps events of the document's scanner to events of the container, with flags of the container.
    pub(super) fn map_with_flags(
        &mut self,
        inner: &Batch,
        view: &NestedView<'_>,
        flags: &mut impl TextFlags,
        out: &mut Events,
    ) {
        // Nothing follows the last window whose flags could matter.
        let mut events = inner.list.iter();
        let mut has_references = || events.any(|event| matches!(event, Event::Reference(_)));
        if self.is_plain() && (!view.text.last || has_references()) {
            flags.read(&view.text);
        }
        self.map(inner, view, |offset| flags.at(offset), out);
    }

    /// Maps events of the document's scanner to events of the container. `flags_at` returns flags of
    /// references from their offset in the text.
    fn map(
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
                Event::Settled | Event::Restart(_) | Event::Leave if self.open > 0 => {
                    self.open -= usize::from(matches!(event, Event::Leave));
                    out.push(*event);
                }
                Event::Settled | Event::Restart(_) | Event::Leave => {
                    // Plain text is settled when it is entered, and so is markup that is settled by
                    // then.
                    if self.entered && self.has_structure() {
                        out.push(*event);
                    } else if matches!(event, Event::Settled) {
                        self.settled = true;
                    }
                }
                Event::Diagnostic(code, at) => {
                    self.enter(out);
                    let at = self.member.diagnostic_offset.unwrap_or(view.origin + at);
                    out.push(Event::Diagnostic(code, at));
                }
                Event::Base(text, at) => {
                    self.enter(out);
                    let text = out.store(inner.bytes(text, view.scanned.bytes));
                    out.push(Event::Base(text, view.origin + at));
                }
                Event::Enter(_) | Event::Heading(_) | Event::Envelope(_) | Event::Attachment(_) => {
                    self.enter(out);
                    self.open += usize::from(matches!(event, Event::Enter(_)));
                    let copy = out.adopt(event, inner, view.scanned.bytes);
                    out.push(copy);
                }
                Event::Anchor(..) if self.member.anchors == AnchorReporting::Leave => {}
                Event::Anchor(name, at) => {
                    let name = out.store(inner.bytes(name, view.scanned.bytes));
                    out.push(Event::Anchor(name, view.origin + at));
                }
                Event::Remark(_) if self.member.anchors == AnchorReporting::Leave => {}
                Event::Remark(mut remark) => {
                    remark.text = out.store(inner.bytes(remark.text, view.scanned.bytes));
                    remark.span.start += view.origin;
                    remark.span.end += view.origin;
                    out.push(Event::Remark(remark));
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
        copy.flags |= self.member.flags | flags_at(text.start);
        out.push(Event::Reference(copy));
    }
}
