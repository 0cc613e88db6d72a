//! Reads nested documents: decodes them, scans them by their format, and reports what is found.

#[cfg(feature = "documents")]
use encoding_rs::UTF_8;

use super::mapping::{NestedDocument, NestedView};
use super::member::{KEPT, Member, PIECE, TextFilter, TextFlags};
use super::text::NestedText;
use crate::bytes::window::Window;
#[cfg(feature = "documents")]
use crate::decode::charset::{Confidence, Detected};
#[cfg(feature = "documents")]
use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::TransferDecoder;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{Batch, Events, OpenDocuments, RestartHints};
use crate::document::{Format, FormatOptions, Passes, Positions, Reread, Scan, ScanStart};

/// The scanners of nested documents: one a format, which all members of a container share.
pub(in crate::document) struct NestedScanners {
    options: FormatOptions,
    scanners: Vec<(&'static str, Box<dyn Scan>)>,
    batch: Batch,
    /// Whether references carry lines and columns.
    pub(in crate::document) positions: Positions,
}

impl NestedScanners {
    pub(in crate::document) fn new(options: FormatOptions) -> Self {
        NestedScanners {
            options,
            scanners: Vec::new(),
            batch: Batch::default(),
            positions: Positions::default(),
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

    /// Scans a document that is in one window, and passes what is reported to `take`.
    pub(in crate::document) fn scan_whole(
        &mut self,
        format: &'static Format,
        start: &ScanStart,
        window: Window<'_>,
        mut take: impl FnMut(&Batch),
    ) {
        let mut relief = |events: &mut Events<'_>| take(events);
        let mut inner = std::mem::take(&mut self.batch);
        inner.clear();
        let mut inner = match format.reading {
            Passes::Once | Passes::Held => Events::with_flush(inner, &mut relief),
            Passes::MaybeTwice => Events::from(inner),
        };
        let scanner = self.scanner(format);
        scanner.begin(start);
        scanner.scan(window, &mut inner);
        inner.end_window();
        self.batch = inner.into();
        if format.reading == Passes::MaybeTwice {
            take(&self.batch);
        }
    }

    /// Scans one window of a document that has begun, and passes what is reported to `take`.
    ///
    /// Returns how many bytes the scanner consumed, and how the document is to be scanned again if
    /// the scanner asks for that; a request of a document that is nested still deeper does not count.
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
        self.batch = events.into();
        (consumed, again)
    }
}

/// Reads nested documents, one after the other, each in pieces.
pub(in crate::document) struct NestedReader {
    pub(in crate::document) document: NestedDocument,
    decoder: TransferDecoder,
    text: NestedText,
    has_begun: bool,
    /// The number of pending bytes at which the text is scanned.
    threshold: usize,
    /// The faults of the member; the container adds the offset.
    pub(in crate::document) diagnostics: Vec<&'static Code>,
}

impl Default for NestedReader {
    fn default() -> Self {
        NestedReader {
            document: NestedDocument::new(Member::default()),
            decoder: TransferDecoder::default(),
            text: NestedText::default(),
            has_begun: false,
            threshold: PIECE,
            diagnostics: Vec::new(),
        }
    }
}

impl NestedReader {
    /// Begins a member.
    pub(in crate::document) fn begin(&mut self, member: Member) {
        self.decoder = TransferDecoder::new(member.transfer);
        self.has_begun = false;
        self.threshold = match member.format.reading {
            Passes::MaybeTwice | Passes::Held => KEPT,
            Passes::Once => PIECE,
        };
        let fault = self.text.begin(member.format, &member.charset);
        self.diagnostics.extend(fault.map(<&Code>::from));
        self.document = NestedDocument::new(member);
        self.document.set_encoding(self.text.encoding());
    }

    /// Returns whether no text has come.
    pub(in crate::document) fn is_empty(&self) -> bool {
        !self.has_begun && self.text.windows.pending().is_empty()
    }

    /// Undoes the transfer encoding of a piece; returns the decoded bytes.
    pub(in crate::document) fn decode<'a>(
        &mut self,
        raw: &'a [u8],
        buffer: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        self.decoder.push(raw, buffer)
    }

    /// Ends the transfer encoding; returns the last decoded bytes.
    pub(in crate::document) fn end_decoding<'a>(&mut self, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        self.decoder.finish(buffer);
        let faults = self.decoder.faults().into_iter().flatten();
        self.diagnostics.extend(faults.map(<&Code>::from));
        buffer
    }

    /// Takes a piece of the decoded member.
    pub(in crate::document) fn push(
        &mut self,
        bytes: &[u8],
        scanners: &mut NestedScanners,
        filter: &mut impl TextFilter,
        out: &mut Events,
    ) {
        self.text.push(bytes);
        if self.text.windows.pending().len() >= self.threshold {
            self.scan(false, scanners, filter, out);
            let pending = self.text.windows.pending().len();
            self.threshold = PIECE.max(2 * pending);
        }
    }

    /// Ends the member.
    pub(in crate::document) fn end(
        &mut self,
        scanners: &mut NestedScanners,
        filter: &mut impl TextFilter,
        out: &mut Events,
    ) {
        self.scan(true, scanners, filter, out);
        if self.text.is_malformed() {
            self.diagnostics.push(&diagnostic::CHARSET_MALFORMED);
        }
        self.document.leave(out);
    }

    /// Returns whether bytes of the member, all there are, are its text in UTF-8.
    pub(in crate::document) fn is_utf8(&self, bytes: &[u8]) -> bool {
        self.text.is_utf8(bytes)
    }

    /// Scans a member of which all bytes are in view as text, without a copy; offsets count from
    /// `origin` on.
    pub(in crate::document) fn scan_whole(
        &mut self,
        bytes: &[u8],
        origin: u64,
        scanners: &mut NestedScanners,
        flags: &mut impl TextFlags,
        out: &mut Events,
    ) {
        let start = self.start(RestartHints::default(), true);
        let window = Window::whole(bytes);
        let view = NestedView::stored(window, origin, scanners.positions);
        let document = &mut self.document;
        let format = document.member.format;
        let take = |inner: &Batch| document.map_with_flags(inner, &view, flags, out);
        scanners.scan_whole(format, &start, window, take);
        self.document.leave(out);
    }

    /// Scans a member of which all bytes have been decoded to UTF-8; the map leads to their offsets in
    /// the container.
    #[cfg(feature = "documents")]
    pub(in crate::document) fn scan_decoded(
        &mut self,
        text: &[u8],
        map: &OffsetMap,
        scanners: &mut NestedScanners,
        out: &mut Events,
    ) {
        let window = Window::whole(text);
        let view = NestedView {
            converted: Some(map),
            ..NestedView::stored(window, 0, Positions::Offsets)
        };
        let (mut hints, mut previous) = (RestartHints::default(), None);
        loop {
            let mut start = self.start(hints, true);
            if self.document.member.charset == b"utf-8" {
                // Nothing inside declares another encoding.
                start.detected = Some(Detected {
                    encoding: Some(UTF_8),
                    mark: 0,
                    confidence: Confidence::Certain,
                });
            }
            let format = self.document.member.format;
            scanners.scanner(format).begin(&start);
            let document = &mut self.document;
            let take = |inner: &Batch| document.map_with_flags(inner, &view, &mut (), out);
            let (_, again) = scanners.scan_window(format, window, take);
            // Each restart has to ask for more than the one before.
            let Some(next) = again.filter(|_| again != previous) else {
                break;
            };
            (hints, previous) = (next, again);
            self.document.restart();
        }
        self.document.leave(out);
    }

    /// Scans the pending text.
    fn scan(
        &mut self,
        last: bool,
        scanners: &mut NestedScanners,
        filter: &mut impl TextFilter,
        out: &mut Events,
    ) {
        if !self.has_begun {
            self.text.detect();
            self.document.set_encoding(self.text.encoding());
        }
        if last {
            self.text.finish();
        }
        let limit = self
            .document
            .is_plain()
            .then(|| filter.blank(&mut self.text.windows, last));
        let mut previous = None;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.begin_scanner(RestartHints::default(), last, scanners);
        }
        loop {
            let restart = self.scan_once(last, limit, scanners, filter, out);
            // Each restart has to ask for more than the one before.
            if restart.is_none() || restart == previous {
                return;
            }
            previous = restart;
            self.document.restart();
            self.begin_scanner(restart.unwrap_or_default(), last, scanners);
        }
    }

    fn begin_scanner(&mut self, hints: RestartHints, last: bool, scanners: &mut NestedScanners) {
        let start = self.start(hints, last);
        let format = self.document.member.format;
        scanners.scanner(format).begin(&start);
    }

    fn start(&self, restart: RestartHints, last: bool) -> ScanStart {
        ScanStart {
            source: self.document.member.source,
            restart,
            reread: match last {
                true => Reread::Possible,
                false => Reread::Impossible,
            },
            ..self.text.start()
        }
    }

    /// Scans the pending text once, before the offset `limit` if there is one; returns how to
    /// restart, if the scanner asks for that.
    fn scan_once(
        &mut self,
        last: bool,
        limit: Option<u64>,
        scanners: &mut NestedScanners,
        filter: &mut impl TextFilter,
        out: &mut Events,
    ) -> Option<RestartHints> {
        let text = self.text.windows.window();
        let limit = limit.map_or(text.bytes.len(), |limit| text.at_offset(limit));
        let text = Window {
            bytes: &text.bytes[..limit],
            ..text
        };
        let (derived, flags) = filter.derive(&text, last);
        let view = NestedView {
            scanned: derived.map_or(text, |(window, _)| window),
            text,
            reflow: derived.map(|(_, map)| map),
            converted: self.text.map(),
            origin: 0,
            positions: scanners.positions,
        };
        let document = &mut self.document;
        let format = document.member.format;
        let take = |inner: &Batch| document.map_with_flags(inner, &view, flags, out);
        let (consumed, again) = scanners.scan_window(format, view.scanned, take);
        let again = again.filter(|_| text.offset == 0 && text.start == 0);
        if again.is_none() {
            let at = match view.reflow {
                Some(map) if !last => text.at_offset(map.start(view.scanned.offset_at(consumed))),
                Some(_) => text.bytes.len(),
                None => consumed,
            };
            if view.positions == Positions::Lines {
                self.document.lines.pass(&text, at);
            }
            if derived.is_some() {
                filter.consume(consumed);
            }
            self.text.consume(at);
        }
        again
    }
}
