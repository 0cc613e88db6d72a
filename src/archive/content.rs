//! The contents of a member as they are stored, unpacked and verified.

use std::io::{self, BufRead, Read};

use crc32fast::Hasher;
use flate2::{Decompress, FlushDecompress, Status};

use crate::bytes::buffered::BufferedSource;
use crate::decode::compression::{Codec, DecompressFault, Decompressed};
use crate::document::diagnostic::{self, Code};

/// A method of compression (APPNOTE 6.3.10, 4.4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflate,
    /// By a codec with this extension.
    Codec(&'static str),
    /// One that is not read.
    Unknown,
}

impl Method {
    /// Returns the method with a number.
    pub(super) fn of(number: u16) -> Self {
        match number {
            0 => Method::Stored,
            8 => Method::Deflate,
            12 => Method::Codec("bz2"),
            93 => Method::Codec("zst"),
            95 => Method::Codec("xz"),
            _ => Method::Unknown,
        }
    }
}

/// Length and checksum of contents, as a header has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seal {
    pub(super) length: u64,
    pub(super) crc: u32,
}

/// Counts and sums up what is unpacked, and stops where it grows beyond all measure.
pub(super) struct Tally {
    crc: Hasher,
    pub(super) length: u64,
}

impl Tally {
    pub(super) fn new() -> Self {
        Tally {
            crc: Hasher::new(),
            length: 0,
        }
    }

    /// Adds bytes; fails where there are too many of them for `input` packed bytes.
    pub(super) fn add(&mut self, bytes: &[u8], input: u64) -> Result<(), &'static Code> {
        self.crc.update(bytes);
        self.length += bytes.len() as u64;
        match Decompressed::is_excessive(input, self.length) {
            true => Err(&diagnostic::RATIO_LIMIT),
            false => Ok(()),
        }
    }

    pub(super) fn sum(&self) -> u32 {
        self.crc.clone().finalize()
    }

    /// Returns whether length and checksum are those of a header.
    pub(super) fn matches(&self, seal: Seal) -> bool {
        self.length == seal.length && self.sum() == seal.crc
    }
}

/// Packed contents of a known length.
pub(super) struct PackedContents {
    reader: Unpacker,
    tally: Tally,
    /// The number of packed bytes.
    packed: u64,
    seal: Seal,
    ended: bool,
}

enum Unpacker {
    Stored(Box<dyn Read + Send>),
    Deflate(Box<Inflate>),
    Codec(Box<Decompressed>),
}

impl PackedContents {
    /// Opens contents of `packed` bytes; `None` where the method is not known.
    pub(super) fn new(
        method: Method,
        reader: Box<dyn Read + Send>,
        packed: u64,
        seal: Seal,
    ) -> Option<Self> {
        let reader = match method {
            Method::Stored => Unpacker::Stored(reader),
            Method::Deflate => Unpacker::Deflate(Box::new(Inflate::new(reader, false))),
            Method::Codec(extension) => {
                let codec = Codec::with_extension(extension)?;
                Unpacker::Codec(Box::new(Decompressed::new(codec, reader)))
            }
            Method::Unknown => return None,
        };
        Some(PackedContents {
            reader,
            tally: Tally::new(),
            packed,
            seal,
            ended: false,
        })
    }

    /// Reads contents; damage ends them and goes to `damage`.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub(super) fn read(
        &mut self,
        into: &mut [u8],
        damage: &mut Option<&'static Code>,
    ) -> io::Result<usize> {
        if self.ended || into.is_empty() {
            return Ok(0);
        }
        let read = match &mut self.reader {
            Unpacker::Stored(reader) => reader.read(into),
            Unpacker::Deflate(decoder) => decoder.read(into),
            Unpacker::Codec(decoder) => decoder.read(into),
        };
        let n = match read {
            Ok(n) => n,
            // That is how the decoder tells of damage.
            Err(error) if is_damage(&error) => {
                self.end(&diagnostic::COMPRESS_CORRUPT, damage);
                return Ok(0);
            }
            Err(error) => return Err(error),
        };
        if n == 0 {
            self.ended = true;
            let fault = match &self.reader {
                Unpacker::Codec(decoder) => decoder.error().map(|error| error.fault),
                _ => None,
            };
            match fault.filter(|fault| *fault != DecompressFault::TrailingGarbage) {
                Some(fault) => *damage = Some(fault.into()),
                None if !self.tally.matches(self.seal) => {
                    *damage = Some(&diagnostic::COMPRESS_CORRUPT);
                }
                None => {}
            }
        } else if let Err(code) = self.tally.add(&into[..n], self.packed) {
            self.end(code, damage);
        }
        Ok(n)
    }

    fn end(&mut self, code: &'static Code, damage: &mut Option<&'static Code>) {
        self.ended = true;
        *damage = Some(code);
    }
}

/// Decompresses deflate data, with a zlib header or without. An error follows all bytes before damage.
pub(super) struct Inflate {
    source: BufferedSource,
    inflate: Decompress,
    ended: bool,
    failed: bool,
}

impl Inflate {
    pub(super) fn new(reader: Box<dyn Read + Send>, has_header: bool) -> Self {
        Inflate::over(BufferedSource::new(reader), has_header)
    }

    /// Decompresses what stands at the start of a source.
    pub(super) fn over(source: BufferedSource, has_header: bool) -> Self {
        Inflate {
            source,
            inflate: Decompress::new(has_header),
            ended: false,
            failed: false,
        }
    }
}

impl Inflate {
    /// Returns the number of bytes that have been decompressed.
    pub(super) fn consumed(&self) -> u64 {
        self.inflate.total_in()
    }

    /// Returns the source, behind the data if those have ended.
    pub(super) fn into_source(self) -> BufferedSource {
        self.source
    }
}

impl Read for Inflate {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !self.failed && !into.is_empty() {
            let input = self.source.fill_buf()?;
            let flush = match input.is_empty() {
                true => FlushDecompress::Finish,
                false => FlushDecompress::None,
            };
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(input, into, flush);
            let consumed = (self.inflate.total_in() - before.0) as usize;
            let produced = (self.inflate.total_out() - before.1) as usize;
            let is_stuck = input.is_empty() || consumed == 0;
            self.source.consume(consumed);
            self.ended = matches!(status, Ok(Status::StreamEnd));
            self.failed = !self.ended && (status.is_err() || is_stuck && produced == 0);
            if produced > 0 {
                return Ok(produced);
            }
        }
        match self.failed && !into.is_empty() {
            true => Err(io::ErrorKind::InvalidData.into()),
            false => Ok(0),
        }
    }
}

/// Returns whether an error of a decoder is about the data, not about reading it.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}
