//! Compressed documents: gzip, zstd, bzip2, xz, and batches of news, recognised by their first bytes
//! and decompressed as they are read.
//!
//! A compressed file is a row of members: gzip members, zstd frames, bzip2 and xz streams. What is
//! damaged ends the document where the damage is; what came before it has been read, and
//! [`Decompressed::trouble`] says what is wrong.

mod lzw;

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::diagnostic::{self, Code};
use lzw::Lzw;

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
    open: fn(Source) -> Result<Member, Refusal>,
    /// What may stand behind its members.
    padding: Padding,
    /// To be told when something else follows.
    trailing: &'static Code,
}

/// What zeros behind the last member are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    /// They belong to the format.
    Allowed,
    /// They come from a tape, or a damaged disk.
    Odd,
}

/// Every codec, one row each.
pub static CODECS: &[Codec] = &[
    Codec {
        name: "gzip",
        extension: "gz",
        starts: |head| head.starts_with(b"\x1f\x8b\x08"),
        open: |source| Ok(Member::Gzip(Box::new(GzDecoder::new(source)))),
        padding: Padding::Odd,
        trailing: &diagnostic::GZIP_TRAILING,
    },
    Codec {
        name: "zstd",
        extension: "zst",
        starts: |head| head.starts_with(b"\x28\xb5\x2f\xfd") || is_skippable(head),
        open: open_frame,
        padding: Padding::Odd,
        trailing: &diagnostic::COMPRESS_TRAILING,
    },
    Codec {
        name: "bzip2",
        extension: "bz2",
        starts: |head| head.starts_with(b"BZh") && head.get(4..6).is_some_and(is_block),
        open: |source| Ok(Member::Bzip2(BzDecoder::new(source))),
        padding: Padding::Odd,
        trailing: &diagnostic::COMPRESS_TRAILING,
    },
    Codec {
        name: "xz",
        extension: "xz",
        starts: |head| head.starts_with(b"\xfd7zXZ\0"),
        open: |source| {
            Ok(Member::Xz(Box::new(XzReader::new_mem_limit(
                source, false, MEMORY,
            ))))
        },
        padding: Padding::Allowed,
        trailing: &diagnostic::COMPRESS_TRAILING,
    },
    Codec {
        name: "news batch",
        extension: "",
        starts: |head| BATCHES.iter().any(|line| head.starts_with(line)),
        open: open_batch,
        padding: Padding::Odd,
        trailing: &diagnostic::COMPRESS_TRAILING,
    },
];

/// The first lines of compressed news batches, as readers of them know them.
const BATCHES: [&[u8]; 3] = [b"#! cunbatch", b"#! gunbatch", b"#! zunbatch"];
/// Such a line is no longer than this.
const BATCH_LINE: usize = 64;

/// So many members that nobody has asked for are kept in mind.
const MEMBERS: usize = 64 << 10;
/// So many first bytes tell a codec.
const HEAD: usize = 16;
/// An xz dictionary may take this many KiB: that of `xz -9` takes 64 MiB.
const MEMORY: u32 = 160 << 10;
/// A zstd window may take this many bytes.
const WINDOW: u64 = 128 << 20;

/// The start of a bzip2 block, or of the end of a stream without any.
fn is_block(bytes: &[u8]) -> bool {
    matches!(bytes, b"1A" | b"\x17r")
}

/// A zstd skippable frame (RFC 8878 section 3.1.2).
fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

impl Codec {
    /// The codec of a file with these first bytes.
    ///
    /// ```
    /// use uriscan::document::container::Codec;
    /// assert_eq!(Codec::of(b"\x1f\x8b\x08\0").unwrap().name, "gzip");
    /// assert!(Codec::of(b"BZhard to read").is_none());
    /// ```
    pub fn of(head: &[u8]) -> Option<&'static Codec> {
        CODECS.iter().find(|codec| (codec.starts)(head))
    }
}

/// One member, being read.
enum Member {
    Gzip(Box<GzDecoder<Source>>),
    Zstd(Box<StreamingDecoder<Source, FrameDecoder>>),
    Bzip2(BzDecoder<Source>),
    Xz(Box<XzReader<Source>>),
    Lzw(Box<Lzw<Source>>),
    /// A frame that holds nothing to read.
    Skipped(Source),
}

/// A member that cannot be opened.
struct Refusal;

fn open_frame(mut source: Source) -> Result<Member, Refusal> {
    if let Some(&[_, _, _, _, a, b, c, d]) = source.peek(8).first_chunk()
        && is_skippable(source.peek(8))
    {
        let length = u64::from(u32::from_le_bytes([a, b, c, d])) + 8;
        io::copy(&mut (&mut source).take(length), &mut io::sink()).map_err(|_| Refusal)?;
        return Ok(Member::Skipped(source));
    }
    match StreamingDecoder::new_with_max_window_size(source, WINDOW) {
        Ok(decoder) => Ok(Member::Zstd(Box::new(decoder))),
        Err(_) => Err(Refusal),
    }
}

/// What follows the first line of a batch tells how it is compressed.
fn open_batch(mut source: Source) -> Result<Member, Refusal> {
    let line = source.peek(BATCH_LINE);
    let end = memchr::memchr(b'\n', line).ok_or(Refusal)?;
    source.consume(end + 1);
    let head = source.peek(HEAD);
    if head.starts_with(lzw::MAGIC) {
        return Ok(Member::Lzw(Box::new(Lzw::new(source))));
    }
    match Codec::of(head) {
        Some(codec) if !BATCHES.iter().any(|line| head.starts_with(line)) => (codec.open)(source),
        _ => Err(Refusal),
    }
}

impl Member {
    fn source(&self) -> &Source {
        match self {
            Member::Gzip(decoder) => decoder.get_ref(),
            Member::Zstd(decoder) => decoder.get_ref(),
            Member::Bzip2(decoder) => decoder.get_ref(),
            Member::Xz(decoder) => decoder.inner(),
            Member::Lzw(decoder) => decoder.get_ref(),
            Member::Skipped(source) => source,
        }
    }

    fn into_source(self) -> Source {
        match self {
            Member::Gzip(decoder) => decoder.into_inner(),
            Member::Zstd(decoder) => decoder.into_inner(),
            Member::Bzip2(decoder) => decoder.into_inner(),
            Member::Xz(decoder) => decoder.into_inner(),
            Member::Lzw(decoder) => decoder.into_inner(),
            Member::Skipped(source) => source,
        }
    }
}

impl Read for Member {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Member::Gzip(decoder) => decoder.read(into),
            Member::Zstd(decoder) => decoder.read(into),
            Member::Bzip2(decoder) => decoder.read(into),
            Member::Xz(decoder) => decoder.read(into),
            Member::Lzw(decoder) => decoder.read(into),
            Member::Skipped(_) => Ok(0),
        }
    }
}

/// Something wrong with a compressed document, and how far into its content.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    /// What it is.
    pub code: &'static Code,
    /// Bytes that were decompressed before it.
    pub offset: u64,
}

/// A compressed document, decompressed as it is read.
///
/// ```
/// use std::io::Read;
/// use uriscan::document::container::{Codec, Decompressed};
///
/// // `printf hello | gzip -n`, and the start of a second member.
/// let bytes = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcbH\xcd\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0\x1f\x8b\x08";
/// let codec = Codec::of(bytes).unwrap();
/// let mut document = Decompressed::new(codec, Box::new(&bytes[..]));
/// let mut text = String::new();
/// document.read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// assert_eq!(document.trouble().unwrap().code.name, "compress.truncated");
/// # std::io::Result::Ok(())
/// ```
pub struct Decompressed {
    codec: &'static Codec,
    /// None when there is nothing more to read.
    member: Option<Member>,
    /// What was read of the compressed document.
    input: u64,
    /// What came out of it.
    output: u64,
    /// Where members begin: in the output, and in the compressed document.
    members: VecDeque<(u64, u64)>,
    trouble: Option<Trouble>,
}

impl Decompressed {
    /// What `reader` holds, which starts as [`Codec::of`] has seen.
    pub fn new(codec: &'static Codec, reader: Box<dyn Read>) -> Self {
        let mut this = Decompressed {
            codec,
            member: None,
            input: 0,
            output: 0,
            members: VecDeque::new(),
            trouble: None,
        };
        this.open(Source::new(reader));
        this
    }

    /// How many compressed bytes have been read.
    pub fn input(&self) -> u64 {
        self.input
    }

    /// Whether so much output of so little input is beyond all measure.
    pub fn is_excessive(input: u64, output: u64) -> bool {
        output > RATIO_FROM && output / RATIO > input
    }

    /// Ends the document here.
    pub fn end_with(&mut self, code: &'static Code) {
        self.member = None;
        let offset = self.output;
        self.trouble.get_or_insert(Trouble { code, offset });
    }

    /// What was wrong with it, as far as it has been read.
    pub fn trouble(&self) -> Option<Trouble> {
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

    fn open(&mut self, source: Source) {
        self.begin_member(source.consumed);
        self.member = match (self.codec.open)(source) {
            Ok(member) => Some(member),
            Err(Refusal) => {
                self.end_with(&diagnostic::COMPRESS_CORRUPT);
                None
            }
        };
    }

    /// Goes on to the next member, if there is one.
    fn next_member(&mut self, mut source: Source) {
        // xz pads its streams with zeros, and tapes pad gzip.
        let mut zeros = false;
        while source.peek(1).first() == Some(&0) {
            source.consume(1);
            zeros = true;
        }
        let head = source.peek(HEAD);
        if (self.codec.starts)(head) {
            self.open(source);
        } else if !head.is_empty() || zeros && self.codec.padding == Padding::Odd {
            self.end_with(self.codec.trailing);
        }
    }
}

impl Read for Decompressed {
    /// Fails only where the file itself cannot be read.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(mut member) = self.member.take() {
            let result = member.read(into);
            if let Some(error) = member.source().error() {
                return Err(error);
            }
            self.input = member.source().consumed;
            match result {
                Ok(0) => self.next_member(member.into_source()),
                Ok(n) => {
                    self.output += n as u64;
                    self.member = Some(member);
                    if Self::is_excessive(self.input, self.output) {
                        self.end_with(&diagnostic::RATIO_LIMIT);
                    }
                    return Ok(n);
                }
                Err(_) if member.source().is_at_end() => {
                    self.end_with(&diagnostic::COMPRESS_TRUNCATED);
                }
                Err(_) => self.end_with(&diagnostic::COMPRESS_CORRUPT),
            }
        }
        Ok(0)
    }
}

/// Compressed bytes, buffered, so that a decoder leaves those behind its member.
struct Source {
    reader: Box<dyn Read>,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    consumed: u64,
    ended: bool,
    /// Decoders wrap errors beyond recognition; here they keep.
    error: Option<io::ErrorKind>,
}

/// How much is read at a time.
const BUFFER: usize = 64 << 10;

impl Source {
    fn new(reader: Box<dyn Read>) -> Self {
        Source {
            reader,
            buffer: vec![0; BUFFER],
            at: 0,
            end: 0,
            consumed: 0,
            ended: false,
            error: None,
        }
    }

    /// The next bytes, up to `most` of them.
    fn peek(&mut self, most: usize) -> &[u8] {
        if self.end - self.at < most && !self.ended {
            self.buffer.copy_within(self.at..self.end, 0);
            self.end -= self.at;
            self.at = 0;
            while self.end < most && !self.ended {
                // An error is kept, and told by whoever reads on.
                let _ = self.read_more();
            }
        }
        &self.buffer[self.at..self.end.min(self.at + most)]
    }

    fn read_more(&mut self) -> io::Result<()> {
        match self.reader.read(&mut self.buffer[self.end..]) {
            Ok(n) => {
                self.end += n;
                self.ended = n == 0;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => {
                self.ended = true;
                self.error = Some(error.kind());
                Err(error)
            }
        }
    }

    fn is_at_end(&self) -> bool {
        self.ended && self.at == self.end
    }

    fn error(&self) -> Option<io::Error> {
        self.error.map(io::Error::from)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.end && !self.ended {
            (self.at, self.end) = (0, 0);
            self.read_more()?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, n: usize) {
        self.at += n;
        self.consumed += n as u64;
    }
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(into)?;
        self.consume(n);
        Ok(n)
    }
}
