//! Text scanned in another form: the cells of a table, unfolded lines, URIs that were defanged.

use crate::bytes::window::{Bounds, Window, Windows};
use crate::document::diagnostic::Code;
use crate::document::events::{Batch, Event, Events, Span};
use crate::document::flags::Flags;
use crate::document::source_text::{DecodedText, Origin};
use crate::document::{Scan, ScanStart};

/// Writes a text in another form, from windows of any size.
pub(super) trait Rewrite: Send + std::fmt::Debug {
    /// Starts another document, or a piece of one at an offset.
    fn begin(&mut self, offset: u64);

    /// Appends the text to scan and its map; returns how many bytes were consumed: all of the last piece.
    /// Every piece ends at a byte that does not depend on the pieces, and [`MAX_RATIO`] bytes derive at
    /// least one.
    fn push(&mut self, text: &[u8], last: bool, out: &mut DecodedText) -> usize;

    /// Returns the flags of a reference at a span of the document.
    fn flags(&mut self, _span: Span) -> Flags {
        Flags::NONE
    }

    /// Returns the fault of the whole document and its offset, at the end.
    fn fault(&self) -> Option<(&'static Code, u64)> {
        None
    }
}

/// The most bytes from which one byte is derived.
const MAX_RATIO: usize = 8;

/// The most bytes that a rewriter waits for before it decides.
pub(super) const MAX_WAIT: usize = 64 << 10;

/// Returns the bounds in a document from the bounds in its rewritten text.
pub(super) const fn rewritten_bounds(text: Bounds) -> Bounds {
    Bounds::new(text.look_behind, MAX_RATIO * text.look_ahead + MAX_WAIT)
}

/// Scans a text in another form; spans are the document's.
#[derive(Debug)]
pub(super) struct RewrittenText<R, S> {
    rewrite: R,
    scanner: S,
    bounds: Bounds,
    text: Windows,
    has_begun: bool,
    /// The rewritten part of the document, as an offset.
    rewritten: u64,
    /// The text rewritten last, and the map of the whole text to the document.
    written: DecodedText,
    batch: Batch,
}

impl<R: Rewrite, S: Scan> RewrittenText<R, S> {
    pub(super) fn new(rewrite: R, scanner: S, bounds: Bounds) -> Self {
        RewrittenText {
            rewrite,
            scanner,
            bounds,
            text: Windows::default(),
            has_begun: false,
            rewritten: 0,
            written: DecodedText::default(),
            batch: Batch::default(),
        }
    }
}

impl<R: Rewrite, S: Scan> Scan for RewrittenText<R, S> {
    fn begin(&mut self, start: &ScanStart) {
        self.scanner.begin(start);
        self.text.begin(self.bounds);
        self.has_begun = false;
    }

    fn scan(&mut self, window: Window, events: &mut Events) -> usize {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.rewritten = window.offset_at(window.start);
            self.written.begin(self.rewritten);
            self.rewrite.begin(self.rewritten);
        }
        let pending = &window.bytes[window.at_offset(self.rewritten)..];
        self.written.bytes.clear();
        let taken = (self.rewrite).push(pending, window.last, &mut self.written);
        self.rewritten += taken as u64;
        let written = &self.written.bytes;
        (self.text).append(written.len(), |text| text.extend_from_slice(written));
        if window.last {
            self.text.end_here();
        }
        let text = self.text.window();
        let mut inner = Events::from(std::mem::take(&mut self.batch));
        inner.clear();
        let consumed = self.scanner.scan(text, &mut inner);
        self.batch = inner.batch;
        for event in &self.batch.list {
            let Event::Reference(found) = event else {
                let copy = events.adopt(event, &self.batch, text.bytes);
                events.push(copy);
                continue;
            };
            let mut found = events.adopt_reference(found, &self.batch, text.bytes);
            found.span = Origin::Decoded(&self.written.map).span(found.span);
            found.flags |= self.rewrite.flags(found.span);
            events.push(Event::Reference(found));
        }
        let offset = text.offset_at(consumed);
        self.text.consume(consumed);
        self.written.map.forget(offset);
        if window.last {
            if let Some((code, offset)) = self.rewrite.fault() {
                events.push(Event::Diagnostic(code, offset));
            }
            return window.bytes.len();
        }
        window.at_offset(self.written.map.start(offset))
    }
}
