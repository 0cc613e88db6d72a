//! The text of a nested document, converted to UTF-8 where its scanner asks for that.

use encoding_rs::{Encoding, UTF_8};

use super::member::{DECODED, PIECE};
use crate::bytes::window::Windows;
use crate::decode::charset::{
    self, Conversion, Converter, ConverterInput, LabelFault, TextCharset,
};
use crate::decode::offset_map::OffsetMap;
use crate::decode::{Decode, RecordOffsets};
use crate::document::source_text::Origin;
use crate::document::{Format, ScanStart};

/// The text of a nested document: the bytes of the member, or what they are in UTF-8.
///
/// The scanner of markup decodes values itself, so markup is converted only where ASCII itself is
/// encoded. Plain text is converted from its first byte beyond ASCII on.
pub(super) struct NestedText {
    format: &'static Format,
    charset: TextCharset,
    /// None while the text is the bytes of the member as they are.
    converter: Option<Converter>,
    /// The converter of an earlier text, which may serve again.
    spare: Option<Converter>,
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
            format: Format::TEXT,
            charset: TextCharset::Guess,
            converter: None,
            spare: None,
            map: OffsetMap::default(),
            windows: Windows::new(PIECE),
            converted: Vec::new(),
        }
    }
}

impl NestedText {
    /// Begins the text of a member with the label of a charset, which may be empty.
    pub(super) fn begin(&mut self, format: &'static Format, label: &[u8]) -> Option<LabelFault> {
        self.format = format;
        self.spare = self.converter.take().or(self.spare.take());
        self.map.clear();
        self.windows.begin(format.bounds);
        let (charset, fault) = charset::of_label(label);
        self.set_charset(charset);
        fault
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

    /// Returns whether the scanner decodes the text itself, but for encodings of ASCII.
    fn decodes_itself(&self) -> bool {
        matches!(self.format.conversion, Conversion::WhereNeeded)
    }

    /// The encoding that other text is converted from where it is not ASCII.
    fn legacy(&self) -> Option<&'static Encoding> {
        match self.charset {
            TextCharset::Superset(encoding) if encoding != UTF_8 && !self.decodes_itself() => {
                Some(encoding)
            }
            _ => None,
        }
    }

    pub(super) fn encoding(&self) -> &'static Encoding {
        match self.charset {
            TextCharset::Superset(encoding) if self.decodes_itself() => encoding,
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

    pub(super) fn push(&mut self, bytes: &[u8]) {
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
        let Some(converter) = &mut self.converter else {
            return self.windows.push(bytes);
        };
        self.converted.clear();
        converter.push(bytes, &mut self.converted, &mut self.map);
        self.windows.push(&self.converted);
    }

    /// Detects the encoding from the first bytes, which are pending, where none is declared reliably,
    /// and converts them if that is needed.
    pub(super) fn detect(&mut self) {
        let head = self.windows.pending();
        match self.charset {
            _ if self.decodes_itself() && self.converter.is_none() => {
                let prescan = self.format.prescan;
                match charset::detect(prescan, self.charset.encoding(), head).encoding {
                    Some(encoding) if charset::needs_transcoding(encoding) => {
                        let (charset, _) = charset::of_label(encoding.name().as_bytes());
                        self.set_charset(charset);
                    }
                    _ => return,
                }
            }
            TextCharset::Guess => {
                let charset = charset::guess(head);
                self.set_charset(charset);
                if let Some(encoding) = self.legacy() {
                    self.convert(encoding.into());
                }
            }
            _ => return,
        }
        if let Some(converter) = &mut self.converter {
            self.converted.clear();
            converter.push(self.windows.pending(), &mut self.converted, &mut self.map);
            self.windows.begin(self.format.bounds);
            self.windows.push(&self.converted);
        }
    }

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
        let converter = self.converter.as_ref();
        converter.is_some_and(|converter| converter.faults() > 0)
    }

    /// Returns the position of the text in the member.
    pub(super) fn origin(&self) -> Origin<'_> {
        match self.converter {
            Some(_) => Origin::Decoded(&self.map),
            None => Origin::Offset(0),
        }
    }

    /// Returns what the scanner has to know of the text's encoding.
    pub(super) fn start(&self) -> ScanStart {
        ScanStart {
            declared: self.charset.encoding(),
            detected: self.converter.is_some().then_some(DECODED),
            ..ScanStart::default()
        }
    }
}
