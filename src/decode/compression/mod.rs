//! Compressed documents: gzip, zstd, bzip2, xz, and batches of news, recognised by their first bytes
//! and decompressed as they are read.
//!
//! A compressed document is a sequence of members: gzip members, zstd frames, bzip2 and xz streams.
//! Damage ends the document. All that was decompressed before it is read, and
//! [`Decompressed::error`] reports the damage. Checksums and lengths that a format stores are verified.

mod bzip2;
mod gzip;
mod lzw;
mod member;
mod xz;
mod zstd;

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

pub use member::DecompressFault;
use member::{CompressedSource, DecodeStep, MemberDecoder};

/// Output of more than [`RATIO_FROM`] bytes may be at most this many times longer than the input.
const RATIO: u64 = 1000;
const RATIO_FROM: u64 = 64 << 20;

/// A compression format.
pub struct Codec {
    /// The extension that file names get, without the dot; empty if there is none.
    pub extension: &'static str,
    /// Returns whether a member starts with some bytes.
    starts: fn(&[u8]) -> bool,
    /// The bytes that nearly all members begin with.
    magic: &'static [u8],
    decoder: fn() -> Box<dyn MemberDecoder>,
    padding: Padding,
    /// Reported when something else follows the members.
    trailing: DecompressFault,
}

/// Whether zeros may follow the last member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    /// They may, in groups of four.
    Fours,
    /// They may not: they come from a tape or a damaged disk.
    None,
}

/// The codecs, one row each.
pub(crate) static CODECS: &[Codec] = &[
    Codec {
        extension: "gz",
        starts: |head| head.starts_with(b"\x1f\x8b\x08"),
        magic: b"\x1f\x8b\x08",
        decoder: || Box::new(gzip::Gzip::new()),
        padding: Padding::None,
        trailing: DecompressFault::GzipTrailingGarbage,
    },
    Codec {
        extension: "zst",
        starts: |head| head.starts_with(b"\x28\xb5\x2f\xfd") || zstd::is_skippable(head),
        magic: b"\x28\xb5\x2f\xfd",
        decoder: || Box::new(zstd::Zstd::new()),
        padding: Padding::None,
        trailing: DecompressFault::TrailingGarbage,
    },
    Codec {
        extension: "bz2",
        starts: |head| head.starts_with(b"BZh") && head.get(4..6).is_some_and(is_block),
        magic: b"BZh",
        decoder: || Box::new(bzip2::Bzip2::new()),
        padding: Padding::None,
        trailing: DecompressFault::TrailingGarbage,
    },
    Codec {
        extension: "xz",
        starts: |head| head.starts_with(b"\xfd7zXZ\0"),
        magic: b"\xfd7zXZ\0",
        decoder: || Box::new(xz::Xz::new()),
        padding: Padding::Fours,
        trailing: DecompressFault::TrailingGarbage,
    },
    Codec {
        extension: "",
        starts: is_batch,
        magic: b"#! ",
        decoder: || Box::new(NewsBatch(None)),
        padding: Padding::None,
        trailing: DecompressFault::TrailingGarbage,
    },
];

/// The first lines of compressed news batches, as rnews and its successors know them.
const BATCHES: [&[u8]; 3] = [b"#! cunbatch", b"#! gunbatch", b"#! zunbatch"];
/// The longest first line of a batch, in bytes.
const BATCH_LINE: usize = 64;

/// The number of members whose offsets are kept until [`Decompressed::member`] asks for them.
const MEMBERS: usize = 64 << 10;
/// The number of first bytes that identify a codec.
const HEAD: usize = 16;

/// Returns whether a bzip2 block starts here, or the end of a stream without blocks.
fn is_block(bytes: &[u8]) -> bool {
    matches!(bytes, b"1A" | b"\x17r")
}

fn is_batch(head: &[u8]) -> bool {
    BATCHES.iter().any(|line| head.starts_with(line))
}

impl Codec {
    /// Returns the codec of a document with these first bytes.
    ///
    /// ```
    /// use uriscan::decode::compression::Codec;
    /// assert_eq!(Codec::of(b"\x1f\x8b\x08\0").unwrap().extension, "gz");
    /// assert!(Codec::of(b"BZhard to read").is_none());
    /// ```
    pub fn of(head: &[u8]) -> Option<&'static Codec> {
        CODECS.iter().find(|codec| (codec.starts)(head))
    }
}

/// Decodes news batches: a line, and a member of the codec that its first bytes identify.
struct NewsBatch(Option<Box<dyn MemberDecoder>>);

impl MemberDecoder for NewsBatch {
    fn begin(&mut self, source: &mut CompressedSource) -> Result<(), DecompressFault> {
        let line = source.peek(BATCH_LINE);
        let end = memchr::memchr(b'\n', line).ok_or(DecompressFault::Corrupt)?;
        source.consume(end + 1);
        let head = source.peek(HEAD);
        let mut decoder: Box<dyn MemberDecoder> = if head.starts_with(lzw::MAGIC) {
            Box::new(lzw::Lzw::new())
        } else {
            let codec = Codec::of(head).filter(|_| !is_batch(head));
            (codec.ok_or(DecompressFault::Corrupt)?.decoder)()
        };
        decoder.begin(source)?;
        self.0 = Some(decoder);
        Ok(())
    }

    fn decompress(
        &mut self,
        source: &mut CompressedSource,
        into: &mut [u8],
    ) -> (usize, DecodeStep) {
        match &mut self.0 {
            Some(decoder) => decoder.decompress(source, into),
            None => (0, DecodeStep::Ended),
        }
    }
}

/// An error in a compressed document.
#[derive(Clone, Copy, Debug)]
pub struct DecompressError {
    /// The fault.
    pub fault: DecompressFault,
    /// Decompressed bytes before the fault.
    pub offset: u64,
}

/// Reads a compressed document, decompressed.
///
/// ```
/// use std::io::Read;
/// use uriscan::decode::compression::{Codec, DecompressFault, Decompressed};
///
/// // `printf hello | gzip -n`, and the start of a second member.
/// let bytes = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcbH\xcd\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0\x1f\x8b\x08";
/// let codec = Codec::of(bytes).unwrap();
/// let mut document = Decompressed::new(codec, Box::new(&bytes[..]));
/// let mut text = String::new();
/// document.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// assert_eq!(document.error().unwrap().fault, DecompressFault::Truncated);
/// # std::io::Result::Ok(())
/// ```
pub struct Decompressed {
    codec: &'static Codec,
    source: CompressedSource,
    decoder: Box<dyn MemberDecoder>,
    state: DecompressState,
    /// Decompressed bytes so far.
    output: u64,
    /// Offsets of members: in the output, and in the compressed document.
    members: VecDeque<(u64, u64)>,
    error: Option<DecompressError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DecompressState {
    /// Before a member.
    Begin,
    /// In a member.
    Member,
    /// Behind a member.
    Behind,
    /// At the end of the document, or at damage.
    Done,
}

impl Decompressed {
    /// Reads the document in `reader`, whose first bytes are those of the codec.
    pub fn new(codec: &'static Codec, reader: Box<dyn Read>) -> Self {
        Decompressed {
            codec,
            source: CompressedSource::new(reader),
            decoder: (codec.decoder)(),
            state: DecompressState::Begin,
            output: 0,
            members: VecDeque::new(),
            error: None,
        }
    }

    /// Returns the number of compressed bytes that have been consumed.
    pub fn input(&self) -> u64 {
        self.source.consumed
    }

    /// Returns whether the output of so much input is too long.
    pub(crate) fn is_excessive(input: u64, output: u64) -> bool {
        output > RATIO_FROM && output / RATIO > input
    }

    /// Ends the document here, with a fault unless there has been one.
    pub(crate) fn end_with(&mut self, fault: DecompressFault) {
        self.state = DecompressState::Done;
        let offset = self.output;
        self.error.get_or_insert(DecompressError { fault, offset });
    }

    /// Returns the fault of what has been read.
    pub fn error(&self) -> Option<DecompressError> {
        self.error
    }

    /// Returns where in the compressed document the member begins that holds the byte at an offset of
    /// the output. Offsets must not descend from call to call: members before them are forgotten.
    pub(crate) fn member(&mut self, offset: u64) -> Option<u64> {
        while self
            .members
            .get(1)
            .is_some_and(|(output, _)| *output <= offset)
        {
            self.members.pop_front();
        }
        let (output, input) = self.members.front()?;
        (*output <= offset).then_some(*input)
    }

    fn begin_member(&mut self, at: u64) {
        // A member without content holds no byte that could be asked for.
        if self
            .members
            .back()
            .is_some_and(|(output, _)| *output == self.output)
        {
            self.members.pop_back();
        }
        if self.members.len() == MEMBERS {
            self.members.pop_front();
        }
        self.members.push_back((self.output, at));
    }

    /// Looks for another member behind padding.
    fn next_member(&mut self) {
        let mut zeros = 0_u64;
        while self.source.peek(1).first() == Some(&0) {
            self.source.consume(1);
            zeros += 1;
        }
        let is_padding = match self.codec.padding {
            Padding::Fours => zeros.is_multiple_of(4),
            Padding::None => zeros == 0,
        };
        let head = self.source.peek(HEAD);
        if (self.codec.starts)(head) {
            self.state = DecompressState::Begin;
        } else if !head.is_empty() && self.codec.magic.starts_with(head) {
            self.end_with(DecompressFault::Truncated);
        } else if !head.is_empty() || !is_padding {
            self.end_with(self.codec.trailing);
        } else {
            self.state = DecompressState::Done;
        }
    }
}

impl Read for Decompressed {
    /// Fails only where `reader` fails, after all that was decompressed before.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let (n, step) = match self.state {
                DecompressState::Done => {
                    return self.source.error.map_or(Ok(0), |kind| Err(kind.into()));
                }
                DecompressState::Behind => {
                    self.next_member();
                    continue;
                }
                DecompressState::Begin => {
                    self.begin_member(self.source.consumed);
                    self.state = DecompressState::Member;
                    match self.decoder.begin(&mut self.source) {
                        Ok(()) => continue,
                        Err(fault) => (0, DecodeStep::Failed(fault)),
                    }
                }
                DecompressState::Member => self.decoder.decompress(&mut self.source, into),
            };
            self.output += n as u64;
            match step {
                DecodeStep::More => {}
                DecodeStep::Ended => self.state = DecompressState::Behind,
                // To the decoder an error of the reader looks like the end of the input.
                DecodeStep::Failed(_) if self.source.error.is_some() => {
                    self.state = DecompressState::Done
                }
                DecodeStep::Failed(fault) => self.end_with(fault),
            }
            if n > 0 {
                if self.state != DecompressState::Done
                    && Self::is_excessive(self.input(), self.output)
                {
                    self.end_with(DecompressFault::RatioLimit);
                }
                return Ok(n);
            }
        }
    }
}
