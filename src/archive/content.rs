//! The contents of a member as they are stored, unpacked and verified.

use std::io::{self, Read};

use crc32fast::Hasher;
use flate2::Decompress;

use crate::bytes::buffered::BufferedSource;
use crate::decode::compression::{
    Codec, DecompressFault, Decompressed, MemberDecoder, MemberEnd, Members, inflate,
};
use crate::document::diagnostic::{self, Code};

/// A method of compression (APPNOTE 6.3.10, 4.4.5).
#[derive(Clone, Copy)]
pub(super) enum Method {
    Stored,
    Deflate,
    Codec(&'static Codec),
}

impl Method {
    pub(super) fn of(number: u16) -> Option<Self> {
        let extension = match number {
            0 => return Some(Method::Stored),
            8 => return Some(Method::Deflate),
            12 => "bz2",
            93 => "zst",
            95 => "xz",
            _ => return None,
        };
        Codec::with_extension(extension).map(Method::Codec)
    }

    /// Returns a decoder that finds the end of contents by itself; `None` if they are stored.
    pub(super) fn decoder(self) -> Option<Box<dyn MemberDecoder>> {
        match self {
            Method::Stored => None,
            Method::Deflate => Some(Box::new(Decompress::new(false))),
            Method::Codec(codec) => Some((codec.decoder)()),
        }
    }
}

/// Contents as they are stored, by the fields of a header.
#[derive(Clone, Copy)]
pub(super) struct StoredContents {
    pub(super) method: Method,
    /// The offset of the packed bytes, in a file, and their number.
    pub(super) start: u64,
    pub(super) packed: u64,
    pub(super) length: u64,
    pub(super) crc: u32,
}

#[derive(Default)]
pub(super) struct Tally {
    crc: Hasher,
    pub(super) length: u64,
}

impl Tally {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
        self.length += bytes.len() as u64;
    }

    pub(super) fn sum(&self) -> u32 {
        self.crc.clone().finalize()
    }
}

/// Packed contents while they are read. Damage ends them, and too much output for their length.
pub(super) struct PackedContents {
    reader: Box<dyn Read + Send>,
    /// The damage that `reader` reports by itself.
    log: Members,
    tally: Tally,
    packed: u64,
    /// The header that verifies them.
    stored: Option<StoredContents>,
    ended: bool,
    pub(super) damage: Option<&'static Code>,
}

impl PackedContents {
    pub(super) fn new(stored: &StoredContents, reader: Box<dyn Read + Send>) -> Self {
        let mut log = Members::default();
        let reader = match stored.method {
            Method::Stored => reader,
            Method::Deflate => Box::new(Inflate::new(reader, false)),
            Method::Codec(codec) => {
                let decoder = Decompressed::new(codec, reader);
                log.push(&decoder);
                Box::new(decoder)
            }
        };
        PackedContents {
            log,
            stored: Some(*stored),
            ..PackedContents::over(reader, stored.packed)
        }
    }

    /// Reads the output of a decoder of `packed` bytes, which nothing verifies.
    pub(super) fn over(reader: Box<dyn Read + Send>, packed: u64) -> Self {
        PackedContents {
            reader,
            log: Members::default(),
            tally: Tally::default(),
            packed,
            stored: None,
            ended: false,
            damage: None,
        }
    }

    fn verify(&self) -> Option<&'static Code> {
        let mut faults = self.log.errors().map(|error| error.fault);
        if let Some(fault) = faults.find(|fault| *fault != DecompressFault::TrailingGarbage) {
            return Some(fault.into());
        }
        let stored = self.stored?;
        let holds = self.tally.length == stored.length && self.tally.sum() == stored.crc;
        (!holds).then_some(&diagnostic::COMPRESS_CORRUPT)
    }
}

impl Read for PackedContents {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.ended || into.is_empty() {
            return Ok(0);
        }
        let n = match self.reader.read(into) {
            // Decoders report damage as errors.
            Err(error) if is_damage(&error) => {
                self.ended = true;
                self.damage = Some(&diagnostic::COMPRESS_CORRUPT);
                return Ok(0);
            }
            read => read?,
        };
        self.tally.add(&into[..n]);
        let is_excessive = Decompressed::is_excessive(self.packed, self.tally.length);
        self.damage = match n {
            0 => self.verify(),
            _ => is_excessive.then_some(&diagnostic::ARCHIVE_RATIO_LIMIT),
        };
        self.ended = n == 0 || is_excessive;
        Ok(n)
    }
}

/// Decompresses deflate data, with a zlib header or without. An error follows all bytes before damage.
pub(super) struct Inflate {
    source: BufferedSource,
    decoder: Decompress,
    end: MemberEnd,
}

impl Inflate {
    pub(super) fn new(reader: Box<dyn Read + Send>, has_header: bool) -> Self {
        Inflate {
            source: BufferedSource::new(reader),
            decoder: Decompress::new(has_header),
            end: None,
        }
    }
}

impl Read for Inflate {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut n = 0;
        if self.end.is_none() && !into.is_empty() {
            (n, self.end) = inflate(&mut self.decoder, &mut self.source, into);
        }
        match self.end {
            Some(Err(_)) if n == 0 && !into.is_empty() => {
                let error = self.source.error.take();
                Err(error.unwrap_or(io::ErrorKind::InvalidData).into())
            }
            _ => Ok(n),
        }
    }
}

/// Returns whether an error of a decoder is about the data, not about reading it.
fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}
