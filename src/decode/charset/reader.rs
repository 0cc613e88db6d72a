//! A document read as its scanner wants it: as it is stored, or in UTF-8.

use std::io::{self, Read};

use encoding_rs::{Encoding, UTF_8};

use super::{Confidence, Detected, PRESCAN, Prescan, Transcoder, detect, needs_transcoding};
use crate::bytes::source::RewindSource;

/// Which documents of a format are turned into UTF-8 before they are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// None: the scanner sees to it itself.
    Never,
    /// Those in which the bytes of markup may stand for something else.
    WhereNeeded,
    /// All whose encoding is known and is not UTF-8.
    Always,
}

/// Reads a document, in UTF-8 where its format wants that.
pub struct CharsetReader<'a, S> {
    source: &'a mut S,
    conversion: Conversion,
    detected: Detected,
    /// The first bytes, which were looked at, and how many of them have been read.
    head: Vec<u8>,
    head_read: usize,
    transcoder: Option<Transcoder>,
    stored: Vec<u8>,
    text: Vec<u8>,
    text_read: usize,
    ended: bool,
}

/// Whether documents in an encoding are converted.
pub fn converts(conversion: Conversion, encoding: Option<&'static Encoding>) -> bool {
    encoding.is_some_and(|encoding| match conversion {
        Conversion::Never => false,
        Conversion::WhereNeeded => needs_transcoding(encoding),
        Conversion::Always => encoding != UTF_8,
    })
}

impl<'a, S: RewindSource> CharsetReader<'a, S> {
    /// Looks at the first bytes of a document.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn new(
        source: &'a mut S,
        conversion: Conversion,
        prescan: Option<Prescan>,
        declared: Option<&'static Encoding>,
    ) -> io::Result<Self> {
        let mut head = Vec::new();
        if conversion != Conversion::Never {
            source
                .by_ref()
                .take(PRESCAN as u64)
                .read_to_end(&mut head)?;
        }
        let mut reader = CharsetReader {
            detected: detect(prescan, declared, &head),
            source,
            conversion,
            head,
            head_read: 0,
            transcoder: None,
            stored: Vec::new(),
            text: Vec::new(),
            text_read: 0,
            ended: false,
        };
        reader.begin();
        Ok(reader)
    }

    /// What was detected, unless the scanner is to find that out.
    pub fn detected(&self) -> Option<Detected> {
        (self.conversion != Conversion::Never).then_some(self.detected)
    }

    /// Starts again from the first byte, in another encoding if one is given.
    ///
    /// # Errors
    ///
    /// When the source cannot.
    pub fn again(&mut self, encoding: Option<&'static Encoding>) -> io::Result<()> {
        self.source.rewind()?;
        self.head.clear();
        if encoding.is_some() {
            self.detected = Detected {
                encoding,
                mark: 0,
                confidence: Confidence::Tentative,
            };
        }
        self.begin();
        Ok(())
    }

    /// How many bytes are kept to be read again.
    pub fn kept(&self) -> usize {
        self.source.kept()
    }

    /// Maps offsets in what is read to offsets in what is stored, where they differ.
    pub fn transcoder(&mut self) -> Option<&mut Transcoder> {
        self.transcoder.as_mut()
    }

    fn begin(&mut self) {
        let mark = self.detected.mark;
        self.head_read = 0;
        self.transcoder = None;
        if converts(self.conversion, self.detected.encoding)
            && let Some(encoding) = self.detected.encoding
        {
            self.transcoder = Some(Transcoder::new(encoding, mark as u64));
        }
        self.stored.clear();
        self.text.clear();
        self.text_read = 0;
        self.ended = false;
    }

    /// Reads what is stored.
    fn read_stored(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.head_read == self.head.len() {
            return self.source.read(into);
        }
        let length = (&self.head[self.head_read..]).read(into)?;
        self.head_read += length;
        Ok(length)
    }

    /// Reads more and converts it.
    fn convert(&mut self) -> io::Result<()> {
        const PIECE: usize = 16 << 10;
        let mut stored = std::mem::take(&mut self.stored);
        stored.resize(PIECE, 0);
        let result = self.read_stored(&mut stored);
        if let Ok(length) = result
            && let Some(transcoder) = &mut self.transcoder
        {
            self.ended = length == 0;
            self.text.clear();
            self.text_read = 0;
            // The mark is no part of the text.
            let skip = transcoder.mark_left(length);
            transcoder.push(&stored[skip..length], self.ended, &mut self.text);
        }
        self.stored = stored;
        result.map(drop)
    }
}

impl<S: RewindSource> Read for CharsetReader<'_, S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.transcoder.is_none() {
            return self.read_stored(into);
        }
        while self.text_read == self.text.len() && !self.ended {
            self.convert()?;
        }
        let length = (&self.text[self.text_read..]).read(into)?;
        self.text_read += length;
        Ok(length)
    }
}
