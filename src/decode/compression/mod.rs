//! Compressed documents: gzip, zstd, bzip2, xz, and batches of news, recognised by their first bytes
//! and decompressed as they are read.
//!
//! A compressed file is a row of members: gzip members, zstd frames, bzip2 and xz streams. Damage ends
//! the document. All that was decompressed before it is read, and [`Decompressed::trouble`] tells the
//! damage. Checksums and lengths that a format stores are compared.

mod bzip2;
mod gzip;
mod lzw;
mod source;
mod xz;
mod zstd;

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use source::CompressedSource;

/// Compressed files in compressed files are opened up to this depth.
pub const DEPTH: usize = 4;

/// Output beyond [`RATIO_FROM`] bytes may be this many times longer than the input.
const RATIO: u64 = 1000;
const RATIO_FROM: u64 = 64 << 20;

/// How a document may be compressed.
pub struct Codec {
    /// Its name.
    pub name: &'static str,
    /// The extension of file names, before which stands the name of what is compressed.
    pub extension: &'static str,
    starts: fn(&[u8]) -> bool,
    /// The bytes that nearly all members begin with.
    magic: &'static [u8],
    decoder: fn() -> Box<dyn Decoder>,
    /// What may stand behind its members.
    padding: Padding,
    /// To be told when something else follows.
    trailing: DecompressFault,
}

/// What zeros behind the last member are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    /// They belong to the format, in fours.
    Fours,
    /// They come from a tape, or a damaged disk.
    Odd,
}

/// Every codec, one row each.
pub static CODECS: &[Codec] = &[
    Codec {
        name: "gzip",
        extension: "gz",
        starts: |head| head.starts_with(b"\x1f\x8b\x08"),
        magic: b"\x1f\x8b\x08",
        decoder: || Box::new(gzip::Gzip::new()),
        padding: Padding::Odd,
        trailing: DecompressFault::GzipTrailingGarbage,
    },
    Codec {
        name: "zstd",
        extension: "zst",
        starts: |head| head.starts_with(b"\x28\xb5\x2f\xfd") || zstd::is_skippable(head),
        magic: b"\x28\xb5\x2f\xfd",
        decoder: || Box::new(zstd::Zstd::new()),
        padding: Padding::Odd,
        trailing: DecompressFault::TrailingGarbage,
    },
    Codec {
        name: "bzip2",
        extension: "bz2",
        starts: |head| head.starts_with(b"BZh") && head.get(4..6).is_some_and(is_block),
        magic: b"BZh",
        decoder: || Box::new(bzip2::Bzip2::new()),
        padding: Padding::Odd,
        trailing: DecompressFault::TrailingGarbage,
    },
    Codec {
        name: "xz",
        extension: "xz",
        starts: |head| head.starts_with(b"\xfd7zXZ\0"),
        magic: b"\xfd7zXZ\0",
        decoder: || Box::new(xz::Xz::new()),
        padding: Padding::Fours,
        trailing: DecompressFault::TrailingGarbage,
    },
    Codec {
        name: "news batch",
        extension: "",
        starts: is_batch,
        magic: b"#! ",
        decoder: || Box::new(NewsBatch(None)),
        padding: Padding::Odd,
        trailing: DecompressFault::TrailingGarbage,
    },
];

/// The first lines of compressed news batches, as readers of them know them.
const BATCHES: [&[u8]; 3] = [b"#! cunbatch", b"#! gunbatch", b"#! zunbatch"];
/// Such a line is no longer than this.
const BATCH_LINE: usize = 64;

/// Bytes that a zstd window or an xz dictionary may take: what the zstd command decodes unless it is
/// told otherwise, and twice what `xz -9` writes.
const WINDOW: u64 = 128 << 20;

/// So many members that nobody has asked for are kept in mind.
const MEMBERS: usize = 64 << 10;
/// So many first bytes tell a codec.
const HEAD: usize = 16;
/// The start of a bzip2 block, or of the end of a stream without any.
fn is_block(bytes: &[u8]) -> bool {
    matches!(bytes, b"1A" | b"\x17r")
}

fn is_batch(head: &[u8]) -> bool {
    BATCHES.iter().any(|line| head.starts_with(line))
}

impl Codec {
    /// The codec of a file with these first bytes.
    ///
    /// ```
    /// use uriscan::decode::compression::Codec;
    /// assert_eq!(Codec::of(b"\x1f\x8b\x08\0").unwrap().name, "gzip");
    /// assert!(Codec::of(b"BZhard to read").is_none());
    /// ```
    pub fn of(head: &[u8]) -> Option<&'static Codec> {
        CODECS.iter().find(|codec| (codec.starts)(head))
    }
}

/// Decodes the members of one codec.
trait Decoder {
    /// Reads the header of a member.
    ///
    /// # Errors
    ///
    /// When nothing of the member can be decoded.
    fn begin(&mut self, source: &mut CompressedSource) -> Result<(), DecompressFault>;

    /// Decompresses the next bytes of the member into a buffer that is not empty. Returns how many they
    /// are, with damage too, and what follows them. With [`DecodeStep::More`] there is at least one.
    fn decompress(&mut self, source: &mut CompressedSource, into: &mut [u8])
    -> (usize, DecodeStep);
}

/// What follows the bytes that have been decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecodeStep {
    More,
    /// The member has ended, and nothing behind it has been consumed.
    Ended,
    Failed(DecompressFault),
}

/// Why compressed data is not decoded to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecompressFault {
    /// The input ends within a member.
    Truncated,
    /// A member is malformed, or does not match its checksum or length.
    Corrupt,
    /// A member needs a window of more than 128 MiB.
    Memory,
    /// A member needs a dictionary, or a feature that is reserved.
    Unsupported,
    /// Something else follows the members.
    TrailingGarbage,
    /// Something else follows gzip members, which is common and harmless.
    GzipTrailingGarbage,
    /// The output is too long for the input.
    RatioLimit,
    /// Compressed data nests deeper than [`DEPTH`].
    DepthLimit,
}

/// A news batch: a line, and members of the codec that their first bytes tell.
struct NewsBatch(Option<Box<dyn Decoder>>);

impl Decoder for NewsBatch {
    fn begin(&mut self, source: &mut CompressedSource) -> Result<(), DecompressFault> {
        let line = source.peek(BATCH_LINE);
        let end = memchr::memchr(b'\n', line).ok_or(DecompressFault::Corrupt)?;
        source.consume(end + 1);
        let head = source.peek(HEAD);
        let mut decoder: Box<dyn Decoder> = if head.starts_with(lzw::MAGIC) {
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

/// Something wrong with a compressed document, and how far into its content.
#[derive(Clone, Copy, Debug)]
pub struct DecompressError {
    /// What it is.
    pub fault: DecompressFault,
    /// Bytes that were decompressed before it.
    pub offset: u64,
}

/// A compressed document, decompressed as it is read.
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
/// assert_eq!(document.trouble().unwrap().fault, DecompressFault::Truncated);
/// # std::io::Result::Ok(())
/// ```
pub struct Decompressed {
    codec: &'static Codec,
    source: CompressedSource,
    decoder: Box<dyn Decoder>,
    state: DecompressState,
    /// Bytes that came out of it.
    output: u64,
    /// Where members begin: in the output, and in the compressed document.
    members: VecDeque<(u64, u64)>,
    trouble: Option<DecompressError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DecompressState {
    /// A member begins here.
    Begin,
    /// Within a member.
    Member,
    /// Behind a member.
    Behind,
    /// There is nothing more to read.
    Done,
}

impl Decompressed {
    /// What `reader` holds, which starts as [`Codec::of`] has seen.
    pub fn new(codec: &'static Codec, reader: Box<dyn Read>) -> Self {
        Decompressed {
            codec,
            source: CompressedSource::new(reader),
            decoder: (codec.decoder)(),
            state: DecompressState::Begin,
            output: 0,
            members: VecDeque::new(),
            trouble: None,
        }
    }

    /// How many compressed bytes have been read.
    pub fn input(&self) -> u64 {
        self.source.consumed()
    }

    /// Whether so much output of so little input is beyond all measure.
    pub fn is_excessive(input: u64, output: u64) -> bool {
        output > RATIO_FROM && output / RATIO > input
    }

    /// Ends the document here.
    pub fn end_with(&mut self, fault: DecompressFault) {
        self.state = DecompressState::Done;
        let offset = self.output;
        self.trouble
            .get_or_insert(DecompressError { fault, offset });
    }

    /// What was wrong with it, as far as it has been read.
    pub fn trouble(&self) -> Option<DecompressError> {
        self.trouble
    }

    /// Where in the compressed document the member begins that holds the byte at an offset of the
    /// content. Offsets that are asked for must not descend: members before them are forgotten.
    pub fn member(&mut self, offset: u64) -> Option<u64> {
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
        // A member without content holds nothing that anybody could ask for.
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

    /// Looks for another member behind one.
    fn next_member(&mut self) {
        // xz pads its streams with zeros, and tapes pad gzip.
        let mut zeros = 0_u64;
        while self.source.peek(1).first() == Some(&0) {
            self.source.consume(1);
            zeros += 1;
        }
        let padded_well = match self.codec.padding {
            Padding::Fours => zeros.is_multiple_of(4),
            Padding::Odd => zeros == 0,
        };
        let head = self.source.peek(HEAD);
        if (self.codec.starts)(head) {
            self.state = DecompressState::Begin;
        } else if !head.is_empty() && self.codec.magic.starts_with(head) {
            self.end_with(DecompressFault::Truncated);
        } else if !head.is_empty() || !padded_well {
            self.end_with(self.codec.trailing);
        } else {
            self.state = DecompressState::Done;
        }
    }
}

impl Read for Decompressed {
    /// Fails only where the file itself cannot be read, after all that was decompressed before.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let (n, step) = match self.state {
                DecompressState::Done => return self.source.error().map_or(Ok(0), Err),
                DecompressState::Behind => {
                    self.next_member();
                    continue;
                }
                DecompressState::Begin => {
                    self.begin_member(self.source.consumed());
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
                // An error of the file looks like an end to the decoder.
                DecodeStep::Failed(_) if self.source.error().is_some() => {
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
