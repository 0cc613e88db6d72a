//! Reads nested documents: decodes them, scans them by their format, and reports what is found.

use super::document::{NestedDocument, NestedScanners, NestedView};
use super::member::{KEPT, Member, PIECE, TextFilter, TextFlags};
use super::text::NestedText;
use crate::bytes::window::Window;
use crate::decode::transfer::TransferDecoder;
use crate::document::diagnostic::{self, Code};
use crate::document::events::Events;
use crate::document::source_text::SourceText;
use crate::document::{Passes, Positions, Reread, ScanStart};

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

    /// Scans a member of which all bytes are in view as text, without a copy.
    pub(in crate::document) fn scan_whole(
        &mut self,
        bytes: &[u8],
        scanners: &mut NestedScanners,
        flags: &mut impl TextFlags,
        out: &mut Events,
    ) {
        let (text, start) = (SourceText::window(bytes, 0), self.start(true));
        self.document.scan_whole(text, &start, scanners, flags, out);
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
        let begins = !std::mem::replace(&mut self.has_begun, true);
        let start = begins.then(|| self.start(last));
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
            origin: self.text.origin(),
            positions: scanners.positions,
        };
        let consumed = self.document.scan(&view, start, scanners, flags, out);
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

    /// Returns the facts that the scanner is given before the first byte.
    fn start(&self, last: bool) -> ScanStart {
        ScanStart {
            source: self.document.member.source,
            reread: match last {
                true => Reread::Possible,
                false => Reread::Impossible,
            },
            ..self.text.start()
        }
    }
}
