//! Reads nested documents: decodes them, scans them by their format, and reports what is found.

use super::document::{NestedDocument, NestedScanners, NestedView};
use super::member::{KEPT, Member, PIECE, TextFlags};
use super::text::NestedText;
use crate::bytes::window::{Window, Windows};
use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::TransferDecoder;
use crate::document::diagnostic::{self, Code};
use crate::document::events::Events;
use crate::document::source_text::SourceText;
use crate::document::{Passes, Positions, Reread, ScanStart};

/// A plain text as it is to be scanned.
pub(crate) struct PreparedText<'a> {
    /// The text that was derived from it and is scanned instead, and the map to it.
    pub(crate) derived: Option<(Window<'a>, &'a OffsetMap)>,
    pub(crate) flags: &'a mut dyn TextFlags,
    pub(crate) scanners: &'a mut NestedScanners,
}

/// The scanners of a container, and its changes to plain text before it is scanned.
pub(crate) trait TextFilter {
    /// Overwrites what is no text in the pending bytes; returns the offset up to which that is done.
    fn blank(&mut self, text: &mut Windows, last: bool) -> u64;

    /// Derives the text that is scanned instead, if any.
    fn prepare(&mut self, text: &Window<'_>, last: bool) -> PreparedText<'_>;

    /// Consumes the derived text before an index of its window.
    fn consume(&mut self, at: usize);
}

/// Reads nested documents, one after the other, each in pieces.
pub(crate) struct NestedReader {
    pub(crate) document: NestedDocument,
    decoder: TransferDecoder,
    text: NestedText,
    has_begun: bool,
    /// The number of pending bytes at which the text is scanned.
    threshold: usize,
    /// The faults of the member; the container adds the offset.
    pub(crate) diagnostics: Vec<&'static Code>,
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
    pub(crate) fn begin(&mut self, member: Member) {
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
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_begun && self.text.windows.pending().is_empty()
    }

    /// Undoes the transfer encoding of a piece; returns the decoded bytes.
    pub(crate) fn decode<'a>(&mut self, raw: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        self.decoder.push(raw, buffer)
    }

    /// Ends the transfer encoding; returns the last decoded bytes.
    pub(crate) fn end_decoding<'a>(&mut self, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        self.decoder.finish(buffer);
        let faults = self.decoder.faults().into_iter().flatten();
        self.diagnostics.extend(faults.map(<&Code>::from));
        buffer
    }

    pub(crate) fn push(&mut self, bytes: &[u8], filter: &mut impl TextFilter, out: &mut Events) {
        self.text.push(bytes);
        if self.text.windows.pending().len() >= self.threshold {
            self.scan(false, filter, out);
            let pending = self.text.windows.pending().len();
            self.threshold = PIECE.max(2 * pending);
        }
    }

    pub(crate) fn end(&mut self, filter: &mut impl TextFilter, out: &mut Events) {
        self.scan(true, filter, out);
        if self.text.is_malformed() {
            self.diagnostics.push(&diagnostic::CHARSET_MALFORMED);
        }
        self.document.leave(out);
    }

    /// Returns whether bytes of the member, all there are, are its text in UTF-8.
    pub(crate) fn is_utf8(&self, bytes: &[u8]) -> bool {
        self.text.is_utf8(bytes)
    }

    /// Scans a member of which all bytes are in view as text, without a copy.
    pub(crate) fn scan_whole(
        &mut self,
        bytes: &[u8],
        flags: &mut dyn TextFlags,
        scanners: &mut NestedScanners,
        out: &mut Events,
    ) {
        let (text, start) = (SourceText::window(bytes, 0), self.start(true));
        self.document.scan_whole(text, start, flags, scanners, out);
    }

    fn scan(&mut self, last: bool, filter: &mut impl TextFilter, out: &mut Events) {
        if !self.has_begun {
            self.text.detect();
            self.document.set_encoding(self.text.encoding());
        }
        if last {
            self.text.finish();
        }
        let is_plain = self.document.is_plain();
        let limit = is_plain.then(|| filter.blank(&mut self.text.windows, last));
        let begins = !std::mem::replace(&mut self.has_begun, true);
        let start = begins.then(|| self.start(last));
        let mut text = self.text.windows.window();
        if let Some(limit) = limit {
            text.bytes = &text.bytes[..text.at_offset(limit)];
        }
        let PreparedText {
            derived,
            flags,
            scanners,
        } = filter.prepare(&text, last);
        let mut view = NestedView {
            scanned: derived.map_or(text, |(window, _)| window),
            text,
            reflow: derived.map(|(_, map)| map),
            origin: self.text.origin(),
            positions: scanners.positions,
            flags,
        };
        let consumed = self.document.scan(&mut view, start, scanners, out);
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
