//! Documents that are converted to UTF-8 while they are read.

use std::io::{self, Cursor, Read};

use encoding_rs::Encoding;

use super::converter::{Converter, ConverterInput};
use super::detect::{
    Conversion, Detected, PRESCAN, Prescan, UTF_32_HEAD, UTF_32_MARK, converts, detect,
};
use crate::decode::Decode;
use crate::decode::offset_map::OffsetMap;

/// The number of bytes that are converted at a time.
const PIECE: usize = 16 << 10;

/// Returns the number of first bytes from which the encoding of a document is detected.
pub(crate) fn head_length(conversion: Conversion, prescan: Option<Prescan>) -> u64 {
    match (conversion, prescan) {
        (Conversion::Never, _) => 0,
        (_, None) => UTF_32_HEAD as u64,
        (_, Some(_)) => PRESCAN as u64,
    }
}

/// The way back from a document that was converted.
pub(crate) struct ConvertedDocument<'a> {
    /// `None` for UTF-32.
    pub(crate) encoding: Option<&'static Encoding>,
    pub(crate) map: &'a mut OffsetMap,
}

/// Reads a document, converted to UTF-8 where the format asks for that.
pub(crate) struct CharsetReader {
    conversion: Conversion,
    detected: Detected,
    /// The first bytes, from which the encoding was detected.
    head: Cursor<Vec<u8>>,
    /// `None` while the document is not converted.
    converter: Option<Converter>,
    map: OffsetMap,
    stored: Vec<u8>,
    text: Cursor<Vec<u8>>,
    ended: bool,
}

impl CharsetReader {
    /// Makes a reader of a document of which the first bytes were read ([`head_length`]).
    pub(crate) fn new(
        head: Vec<u8>,
        conversion: Conversion,
        prescan: Option<Prescan>,
        declared: Option<&'static Encoding>,
    ) -> Self {
        let mut reader = CharsetReader {
            detected: detect(prescan, declared, &head),
            conversion,
            head: Cursor::new(head),
            converter: None,
            map: OffsetMap::default(),
            stored: Vec::new(),
            text: Cursor::default(),
            ended: false,
        };
        reader.begin();
        reader
    }

    /// Returns the detected encoding, unless the scanner finds it.
    pub(crate) fn detected(&self) -> Option<Detected> {
        (self.conversion != Conversion::Never).then_some(self.detected)
    }

    /// Starts again from the first byte of the source, in another encoding if one is given.
    pub(crate) fn again(&mut self, encoding: Option<&'static Encoding>) {
        self.head.get_mut().clear();
        if encoding.is_some() {
            self.detected = Detected::unmarked(encoding, false);
        }
        self.begin();
    }

    /// Returns the way back to the stored document, if it is converted.
    pub(crate) fn converted(&mut self) -> Option<ConvertedDocument<'_>> {
        self.converter.as_ref()?;
        let is_utf_32 = self.detected.mark == UTF_32_MARK;
        Some(ConvertedDocument {
            encoding: self.detected.encoding.filter(|_| !is_utf_32),
            map: &mut self.map,
        })
    }

    fn begin(&mut self) {
        self.head.set_position(0);
        let Detected { encoding, mark, .. } = self.detected;
        let input = match mark {
            UTF_32_MARK => Some(ConverterInput::Wide(mark, None)),
            _ => encoding.map(ConverterInput::from),
        };
        let input = input.filter(|_| converts(self.conversion, encoding));
        self.converter = input.map(Converter::new);
        self.map.starting(0);
        self.text = Cursor::default();
        self.ended = false;
    }

    /// Returns the document, whose other bytes are read from the source.
    pub(crate) fn over<'r>(&'r mut self, source: &'r mut dyn Read) -> impl Read + 'r {
        CharsetSource {
            reader: self,
            source,
        }
    }
}

/// A document and the source of its bytes.
struct CharsetSource<'r> {
    reader: &'r mut CharsetReader,
    source: &'r mut dyn Read,
}

impl Read for CharsetSource<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let reader = &mut *self.reader;
        let mut source = reader.head.by_ref().chain(&mut *self.source);
        let Some(converter) = &mut reader.converter else {
            return source.read(into);
        };
        while reader.text.position() == reader.text.get_ref().len() as u64 && !reader.ended {
            reader.stored.resize(PIECE, 0);
            let length = source.read(&mut reader.stored)?;
            reader.ended = length == 0;
            reader.text.set_position(0);
            let text = reader.text.get_mut();
            text.clear();
            converter.push(&reader.stored[..length], text, &mut reader.map);
            if reader.ended {
                converter.finish(text, &mut reader.map);
            }
        }
        reader.text.read(into)
    }
}
