//! Reads nested documents: decodes them, converts them to UTF-8 if needed, scans them by their formats,
//! and reports the results.

use encoding_rs::{Encoding, UTF_8};
use smart_default::SmartDefault;

use super::document::{NestedDocument, NestedScanners, NestedView};
use super::member::{DECODED, KEPT, PIECE, TextFilter};
use crate::bytes::lines::mark_length;
use crate::bytes::window::Windows;
use crate::decode::charset::{self, Conversion, Converter, ConverterInput, Detected, TextCharset};
use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::TransferDecoder;
use crate::decode::{Decode, RecordOffsets};
use crate::document::diagnostic::{self, BASE64_GARBAGE, BASE64_TRUNCATED, Code, QP_BAD_ESCAPE};
use crate::document::events::{Events, Quoting};
use crate::document::source_text::Origin;
use crate::document::{Format, Passes, Positions, Reread, ScanStart};

/// Reads nested documents, one after the other, each in pieces.
///
/// Its text is the bytes of a member, unchanged or in UTF-8. The scanner of markup decodes values
/// itself, so markup is converted only if its encoding does not extend ASCII. Plain text is converted
/// from its first byte beyond ASCII on.
#[derive(SmartDefault)]
pub(crate) struct NestedReader<F: Default> {
    pub(crate) document: NestedDocument,
    pub(crate) filter: F,
    decoder: TransferDecoder,
    #[default(TextCharset::Guess)]
    charset: TextCharset,
    /// `None` while the text is the unchanged bytes of the member.
    converter: Option<Converter>,
    /// The converter of an earlier text, for reuse.
    spare: Option<Converter>,
    map: OffsetMap,
    #[default(Windows::new(PIECE))]
    windows: Windows,
    has_begun: bool,
    /// The encoding of markup that is not converted, from its first bytes.
    detected: Option<Detected>,
    /// Whether the bytes so far are the outermost document's.
    pub(crate) is_stored: bool,
    /// Minimum number of pending bytes that are scanned.
    #[default(PIECE)]
    threshold: usize,
    /// The faults of the member; the container adds the offset.
    pub(crate) diagnostics: Vec<&'static Code>,
}

impl<F: TextFilter + Default> NestedReader<F> {
    /// Begins the document that its member describes.
    pub(crate) fn begin(&mut self) {
        let member = &self.document.member;
        self.decoder = TransferDecoder::new(member.transfer);
        self.has_begun = false;
        self.detected = None;
        self.is_stored = member.stored_at.is_some();
        self.threshold = match member.format.reading {
            Passes::MaybeTwice | Passes::Held => KEPT,
            Passes::Once => PIECE,
        };
        self.spare = self.converter.take().or(self.spare.take());
        self.map.starting(0);
        self.windows.begin(member.format.bounds);
        let (charset, fault) = charset::of_label(&member.charset);
        self.diagnostics.extend(fault.map(<&Code>::from));
        self.set_charset(charset);
        self.document.begin(self.encoding());
    }

    fn set_charset(&mut self, charset: TextCharset) {
        self.charset = charset;
        if let TextCharset::Convert(input) = charset {
            self.convert(input);
        }
    }

    fn convert(&mut self, input: ConverterInput) {
        let restarted = self.spare.take().and_then(|spare| spare.restarted(input));
        self.converter = Some(restarted.unwrap_or_else(|| Converter::new(input)));
    }

    /// Whether the scanner decodes the text itself, if its encoding extends ASCII.
    fn decodes_itself(&self) -> bool {
        self.document.member.format.conversion == Conversion::WhereNeeded
    }

    /// The encoding from which other non-ASCII text is converted.
    fn legacy(&self) -> Option<&'static Encoding> {
        match self.charset {
            TextCharset::Superset(encoding) if encoding != UTF_8 && !self.decodes_itself() => {
                Some(encoding)
            }
            _ => None,
        }
    }

    fn encoding(&self) -> &'static Encoding {
        match self.charset {
            TextCharset::Superset(encoding) if self.decodes_itself() => encoding,
            _ => UTF_8,
        }
    }

    pub(crate) fn converts(&self) -> bool {
        self.converter.is_some()
    }

    /// Whether bytes of the member, all there are, are its text in UTF-8.
    pub(crate) fn is_utf8(&self, bytes: &[u8]) -> bool {
        let charset = match self.charset {
            TextCharset::Convert(_) => return false,
            known @ TextCharset::Superset(_) if !charset::is_wide(bytes) => known,
            _ => charset::guess(bytes),
        };
        matches!(charset, TextCharset::Superset(known) if known == UTF_8 || bytes.is_ascii())
    }

    /// Returns the escapes of the text in the member.
    pub(crate) fn quoting(&self) -> Quoting {
        match self.converter {
            None if self.is_stored => Quoting::DOCUMENT,
            _ => Quoting::default(),
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.converter.is_none()
            && let Some(encoding) = self.legacy()
            && !bytes.is_ascii()
        {
            // The bytes before are ASCII, which needs no conversion.
            let window = self.windows.window();
            let length = window.offset_at(window.bytes.len());
            self.map.copy(length as usize);
            self.convert(encoding.into());
        }
        let (converter, map) = (&mut self.converter, &mut self.map);
        self.windows.append(bytes.len(), |text| match converter {
            Some(converter) => converter.push(bytes, text, map),
            None => text.extend_from_slice(bytes),
        });
    }

    /// Undoes the transfer encoding of a piece after the pending text, if that needs no conversion.
    pub(crate) fn decode_in_place(&mut self, raw: &[u8]) -> bool {
        let is_text = self.converter.is_none() && self.legacy().is_none();
        if is_text {
            let decoder = &mut self.decoder;
            (self.windows).append(raw.len(), |text| decoder.push_onto(raw, text));
        }
        is_text
    }

    /// Reads a document as text if it does not begin as its format requires.
    fn check_start(&mut self) {
        let head = self.windows.pending();
        let first = head[mark_length(head)..].trim_ascii_start().first();
        let starts = self.document.member.format.starts;
        let is_other = first.is_some_and(|first| !starts.contains(first));
        if is_other && !starts.is_empty() && !self.converts() && !charset::is_wide(head) {
            self.document.member.format = Format::TEXT;
            self.append_anew();
        }
    }

    /// Appends the pending bytes to an empty window.
    fn append_anew(&mut self) {
        let head = self.windows.pending().to_vec();
        self.windows.begin(self.document.member.format.bounds);
        self.append(&head);
    }

    /// Detects the encoding of the first pending bytes, and converts them if they need it.
    fn detect(&mut self) {
        if self.converts() {
            return;
        }
        let (head, format) = (self.windows.pending(), self.document.member.format);
        let detected = charset::detect(format.prescan, self.charset.encoding(), head);
        let is_plain = !self.decodes_itself();
        let (charset, fault) = match detected.encoding {
            _ if charset::is_wide(head) => (charset::guess(head), None),
            Some(encoding) if is_plain || charset::needs_transcoding(encoding) => {
                charset::of_label(encoding.name().as_bytes())
            }
            None if is_plain => (charset::guess(head), None),
            _ => {
                self.detected = Some(detected);
                return;
            }
        };
        self.diagnostics.extend(fault.map(<&Code>::from));
        self.set_charset(charset);
        if self.converts() || self.legacy().is_some() {
            self.append_anew();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.has_begun && self.windows.pending().is_empty()
    }

    /// Undoes the transfer encoding of a piece, or ends it; returns the decoded bytes.
    pub(crate) fn decode<'a>(&mut self, raw: Option<&'a [u8]>, into: &'a mut Vec<u8>) -> &'a [u8] {
        if let Some(raw) = raw {
            return self.decoder.push(raw, into);
        }
        self.decoder.finish(into);
        let codes = [&QP_BAD_ESCAPE, &BASE64_TRUNCATED, &BASE64_GARBAGE];
        let faults = codes.into_iter().zip(self.decoder.faults());
        (self.diagnostics).extend(faults.filter_map(|(code, is_found)| is_found.then_some(code)));
        into
    }

    pub(crate) fn push(&mut self, bytes: &[u8], scanners: &mut NestedScanners, out: &mut Events) {
        self.append(bytes);
        if self.windows.pending().len() >= self.threshold {
            self.scan(false, scanners, out);
            self.threshold = PIECE.max(2 * self.windows.pending().len());
        }
    }

    pub(crate) fn end(&mut self, scanners: &mut NestedScanners, out: &mut Events) {
        self.scan(true, scanners, out);
        let converter = self.converter.as_ref();
        if converter.is_some_and(|converter| converter.faults() > 0) {
            self.diagnostics.push(&diagnostic::CHARSET_MALFORMED);
        }
        self.document.leave(out);
    }

    fn scan(&mut self, last: bool, scanners: &mut NestedScanners, out: &mut Events) {
        if !self.has_begun {
            self.check_start();
            self.detect();
            self.document.set_encoding(self.encoding());
        }
        if last {
            if let Some(converter) = &mut self.converter {
                let map = &mut self.map;
                (self.windows).append(0, |text| converter.finish(text, map));
            }
            self.windows.end_here();
        }
        let is_plain = self.document.is_plain();
        let limit = is_plain.then(|| self.filter.blank(&mut self.windows, last));
        let begins = !std::mem::replace(&mut self.has_begun, true);
        let start = begins.then(|| self.start(last));
        let mut text = self.windows.window();
        if let Some(limit) = limit {
            text.bytes = &text.bytes[..text.at_offset(limit)];
        }
        let mut view = NestedView {
            text,
            origin: match self.converter {
                Some(_) => Origin::Decoded(&self.map),
                None => Origin::Offset(0),
            },
            quoting: self.quoting(),
            positions: scanners.positions,
            filter: &mut self.filter,
        };
        let consumed = self.document.scan(&mut view, start, scanners, out);
        if view.positions == Positions::Lines {
            self.document.lines.pass(&text, consumed);
        }
        self.windows.consume(consumed);
        self.map.forget(self.windows.window().offset);
    }

    pub(crate) fn start(&self, last: bool) -> ScanStart {
        ScanStart {
            declared: self.charset.encoding(),
            detected: (self.converter.is_some().then_some(DECODED)).or(self.detected),
            source: self.document.member.source,
            reread: [Reread::Impossible, Reread::Possible][usize::from(last)],
            ..ScanStart::default()
        }
    }
}
