//! Compressed documents: gzip, zstd, bzip2, xz, lz4, compress, and batches of news, recognised by their first
//! bytes and decompressed as they are read.
//!
//! A compressed document is a sequence of members: gzip members, zstd and lz4 frames, bzip2 and xz
//! streams. Checksums and lengths that a format stores are verified. All that was decompressed before
//! damage is read, then an empty line, and reading continues at the next member that decompresses:
//! [`Decompressed::error`] reports the first damage.

mod ahead;
mod bzip2;
mod codec;
mod gzip;
mod lz4;
mod lzw;
mod member;
mod xz;
mod zstd;

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use parking_lot::MutexGuard;

use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::{ReadAt, Shared};
use ahead::Ahead;
pub use codec::Codec;
use codec::{HEAD, PROBED};
pub(crate) use gzip::inflate;
pub use member::DecompressFault;
use member::is_skippable;
pub(crate) use member::{MemberDecoder, MemberEnd};

/// Output of more than [`RATIO_FROM`] bytes may be at most this many times longer than the input.
const RATIO: u64 = 1000;
const RATIO_FROM: u64 = 64 << 20;
/// The ratio is checked where the output is a multiple of this many bytes.
const RATIO_STEP: u64 = 64 << 10;

/// Zeros come from a tape or a damaged disk.
fn no_padding(zeros: u64) -> Option<DecompressFault> {
    (zeros > 0).then_some(DecompressFault::TrailingGarbage)
}

const fn codec(
    extension: &'static str,
    magic: &'static [u8],
    starts: fn(&[u8]) -> bool,
    decoder: fn() -> Box<dyn MemberDecoder>,
) -> Codec {
    let (probed, padding) = (PROBED, no_padding);
    Codec {
        extension,
        starts,
        magic,
        probed,
        decoder,
        is_parallel: false,
        padding,
    }
}

/// The codecs, one row each.
#[rustfmt::skip]
pub(crate) static CODECS: &[Codec] = &[
    Codec {
        is_parallel: true,
        padding: |zeros| (zeros > 0).then_some(DecompressFault::Padding),
        ..codec("gz", b"\x1f\x8b\x08", |head| head.starts_with(b"\x1f\x8b\x08"), || Box::<gzip::Gzip>::default())
    },
    Codec {
        probed: zstd::FIRST_BLOCK,
        ..codec("zst", zstd::MAGIC, |head| head.starts_with(zstd::MAGIC) || is_skippable(head) && !lz4::follows(head), || Box::new(zstd::Zstd::new()))
    },
    codec("bz2", b"BZh", bzip2::starts, || Box::<bzip2::Bzip2>::default()),
    Codec {
        padding: |zeros| no_padding(zeros % 4),
        ..codec("xz", b"\xfd7zXZ\0", |head| head.starts_with(b"\xfd7zXZ\0"), || Box::<xz::Xz>::default())
    },
    codec("lz4", lz4::MAGIC, |head| head.starts_with(lz4::MAGIC) || is_skippable(head), || Box::<lz4::Lz4>::default()),
    codec("Z", lzw::MAGIC, |head| head.starts_with(lzw::MAGIC), || Box::<lzw::Lzw>::default()),
    codec("", b"#! ", is_batch, || Box::new(NewsBatch(None))),
];

/// The first lines of compressed news batches, as rnews and its successors know them.
const BATCHES: [&[u8]; 3] = [b"#! cunbatch", b"#! gunbatch", b"#! zunbatch"];
/// The longest first line of a batch, in bytes.
const BATCH_LINE: usize = 64;

/// Maximum number of members whose offsets are kept for [`Members`].
const MEMBERS: usize = 64 << 10;
/// The number of bytes that may be decompressed in vain, or again, in search of members after damage:
/// this many, and [`RETRIED`] for each byte of the document.
const RETRIED_FROM: u64 = 64 << 20;
const RETRIED: u64 = 4;
/// The number of compressed bytes of a huge file that a thread decompresses at a time before they are asked for.
pub(crate) const STRETCH: usize = 512 << 10;
/// Put between members where others are lost: it ends lines, and lets a message or a record begin.
const GAP: &[u8] = b"\n\n";

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

    pub(crate) fn with_extension(extension: &str) -> Option<&'static Codec> {
        CODECS.iter().find(|codec| codec.extension == extension)
    }
}

/// Decodes news batches: a line, and a member of the codec that its first bytes identify.
struct NewsBatch(Option<Box<dyn MemberDecoder>>);

impl MemberDecoder for NewsBatch {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        let line = source.peek(BATCH_LINE);
        let end = memchr::memchr(b'\n', line).ok_or(DecompressFault::Corrupt)?;
        source.consume(end + 1);
        let head = source.peek(HEAD);
        let codec = Codec::of(head).filter(|_| !is_batch(head));
        let mut decoder = (codec.ok_or(DecompressFault::Corrupt)?.decoder)();
        decoder.begin(source)?;
        self.0 = Some(decoder);
        Ok(())
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        let decoder = self.0.as_mut();
        decoder.map_or((0, Some(Ok(()))), |decoder| {
            decoder.decompress(source, into)
        })
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
    pub(crate) codec: &'static Codec,
    source: BufferedSource,
    decoder: Box<dyn MemberDecoder>,
    ahead: Option<Ahead>,
    state: DecompressState,
    output: u64,
    log: SharedLog,
    /// The outermost of the layers of compression, where this is another one: its input bounds the output.
    outermost: Option<SharedLog>,
    /// The bytes that were decompressed in vain, or again, in search of members after damage.
    retried: u64,
}

/// The places of members and of damage in the decompressed document.
#[derive(Debug, Default)]
struct MemberLog {
    members: VecDeque<MemberExtent>,
    /// The offsets in the output after damage at which another member begins.
    gaps: VecDeque<u64>,
    error: Option<DecompressError>,
    /// The number of compressed bytes that have been consumed.
    input: u64,
}

/// A log that is kept while a layer is read, and asked by others.
type SharedLog = Shared<MemberLog>;

impl MemberLog {
    /// Returns the member that holds the byte at an offset of the output. Forgets earlier ones.
    fn member(&mut self, offset: u64) -> Option<&MemberExtent> {
        while (self.members.get(1)).is_some_and(|member| member.output <= offset) {
            self.members.pop_front();
        }
        let member = self.members.front()?;
        (member.output <= offset).then_some(member)
    }
}

/// The place of a member in the output and in the compressed document.
#[derive(Clone, Copy, Debug)]
struct MemberExtent {
    /// The offset of its first byte in the output.
    output: u64,
    /// The offset of its first byte in the compressed document.
    start: u64,
    /// The offsets after it in the compressed document and in the output, once it has been read.
    end: Option<(u64, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DecompressState {
    Begin,
    Member,
    /// In a member that was decompressed ahead.
    Ahead,
    After,
    /// Before a member, after lost ones: the number of bytes of [`GAP`] that are left.
    Gap(usize),
    /// At the end of the document, or at damage.
    Done,
}

impl Decompressed {
    /// Reads the document in `reader`, whose first bytes identify the codec.
    pub fn new(codec: &'static Codec, reader: Box<dyn Read + Send>) -> Self {
        Decompressed {
            codec,
            source: BufferedSource::new(reader),
            decoder: (codec.decoder)(),
            ahead: None,
            state: DecompressState::Begin,
            output: 0,
            log: SharedLog::default(),
            outermost: None,
            retried: 0,
        }
    }

    /// Decompresses members of `file`, which is the document, before they are asked for, if the codec allows that: on
    /// up to `threads` threads, each of which takes `stretch` compressed bytes at a time.
    pub fn ahead(mut self, file: Arc<dyn ReadAt>, threads: usize, stretch: usize) -> Self {
        if self.codec.is_parallel {
            self.ahead = Some(Ahead::new(self.codec, file, threads, stretch));
        }
        self
    }

    /// Bounds the output by the input of the outermost of `layers`, which `reader` reads.
    pub(crate) fn within(mut self, layers: &Members) -> Self {
        self.outermost = layers.0.first().cloned();
        self
    }

    /// Returns the number of compressed bytes that have been consumed.
    pub fn input(&self) -> u64 {
        self.source.consumed
    }

    pub(crate) fn is_excessive(input: u64, output: u64) -> bool {
        output > RATIO_FROM && output / RATIO > input
    }

    /// Returns how many bytes may be read before the ratio is checked.
    fn before_check(&self) -> usize {
        let left = match RATIO_FROM.checked_sub(self.output) {
            Some(left @ 1..) => left,
            _ => RATIO_STEP - self.output % RATIO_STEP,
        };
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Ends the document if the output has become too long for the input.
    fn check(&mut self, input: u64) {
        if self.output.is_multiple_of(RATIO_STEP) && Self::is_excessive(input, self.output) {
            self.end_with(DecompressFault::RatioLimit);
        }
    }

    /// Keeps a fault, unless there has been damage.
    fn report(&mut self, fault: DecompressFault) {
        let offset = self.output;
        let error = &mut self.log.lock().error;
        if error.is_none_or(|before| before.fault == DecompressFault::Padding) {
            *error = Some(DecompressError { fault, offset });
        }
    }

    /// Ends the document here, with a fault unless there has been one.
    fn end_with(&mut self, fault: DecompressFault) {
        self.state = DecompressState::Done;
        self.report(fault);
    }

    /// Returns the first fault so far.
    pub fn error(&self) -> Option<DecompressError> {
        self.log.lock().error
    }

    fn begin_member(&mut self) {
        // A member without content holds no byte that could be requested.
        let members = &mut self.log.lock().members;
        if (members.back()).is_some_and(|member| member.output == self.output) {
            members.pop_back();
        }
        if members.len() == MEMBERS {
            members.pop_front();
        }
        members.push_back(MemberExtent {
            output: self.output,
            start: self.source.consumed,
            end: None,
        });
        self.source.mark();
    }

    fn end_member(&mut self) {
        if let Some(member) = self.log.lock().members.back_mut() {
            member.end = Some((self.source.consumed, self.output));
        }
        self.state = DecompressState::After;
        self.source.mark();
    }

    /// Continues at the next member after damage, if there is one.
    fn fail(&mut self, fault: DecompressFault) {
        self.end_with(fault);
        // A decoder may notice damage only far from it. Members before a cut are content.
        let noticed = self.source.consumed;
        if fault != DecompressFault::Truncated {
            self.source.rewind();
        }
        self.retried += noticed - self.source.consumed;
        self.source.skip(1);
        let Decompressed {
            codec,
            source,
            decoder,
            retried,
            ..
        } = self;
        if codec.find_member(source, &mut **decoder, |at, tried| {
            *retried += tried;
            *retried <= RETRIED_FROM + RETRIED * at
        }) {
            self.log.lock().gaps.push_back(self.output);
            let gap = if self.output > 0 { GAP.len() } else { 0 };
            self.state = DecompressState::Gap(gap);
        }
    }

    fn next_member(&mut self) {
        let mut zeros = 0_u64;
        while self.source.peek(1).first() == Some(&0) {
            self.source.consume(1);
            zeros += 1;
        }
        if let Some(fault) = (self.codec.padding)(zeros) {
            self.report(fault);
        }
        let head = self.source.peek(HEAD);
        if (self.codec.starts)(head) {
            self.state = DecompressState::Begin;
        } else if head.is_empty() {
            self.state = DecompressState::Done;
        } else if self.codec.magic.starts_with(head) {
            self.end_with(DecompressFault::Truncated);
        } else {
            self.fail(DecompressFault::TrailingGarbage);
        }
    }
}

impl Read for Decompressed {
    /// Fails only where `reader` fails, after all that was decompressed before.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        if let Some(outermost) = &self.outermost {
            // Each layer keeps its own ratio; the product can still be too high.
            let input = outermost.lock().input;
            self.check(input);
        }
        loop {
            let (n, end) = match self.state {
                DecompressState::Done => {
                    self.log.lock().input = self.input();
                    return self.source.error.map_or(Ok(0), |kind| Err(kind.into()));
                }
                DecompressState::After => {
                    self.next_member();
                    continue;
                }
                DecompressState::Gap(left) => {
                    let n = (&GAP[GAP.len() - left..]).read(into)?;
                    self.state = match left - n {
                        0 => DecompressState::Begin,
                        left => DecompressState::Gap(left),
                    };
                    (n, None)
                }
                DecompressState::Begin => {
                    self.begin_member();
                    let start = self.source.consumed;
                    let whole = self.ahead.as_mut().and_then(|ahead| ahead.begin(start));
                    if let Some(length) = whole {
                        self.source.skip(length);
                        self.state = DecompressState::Ahead;
                        continue;
                    }
                    self.state = DecompressState::Member;
                    (0, self.decoder.begin(&mut self.source).err().map(Err))
                }
                DecompressState::Member => {
                    let most = into.len().min(self.before_check());
                    self.decoder.decompress(&mut self.source, &mut into[..most])
                }
                DecompressState::Ahead => {
                    let most = into.len().min(self.before_check());
                    let ahead = self.ahead.as_mut();
                    ahead.map_or((0, Some(Ok(()))), |ahead| ahead.read(&mut into[..most]))
                }
            };
            self.output += n as u64;
            match end {
                None => {}
                Some(Ok(())) => self.end_member(),
                // To the decoder an error of the reader looks like the end of the input.
                Some(Err(_)) if self.source.error.is_some() => self.state = DecompressState::Done,
                Some(Err(fault)) => self.fail(fault),
            }
            if n > 0 {
                if self.state != DecompressState::Done {
                    self.check(self.input());
                }
                self.log.lock().input = self.input();
                return Ok(n);
            }
        }
    }
}

/// The members of the layers of a compressed document, outermost first, as far as they have been read.
/// Offsets in calls must not descend.
#[derive(Clone, Default)]
pub struct Members(Vec<SharedLog>);

impl Members {
    pub(crate) fn push(&mut self, layer: &Decompressed) {
        self.0.push(layer.log.clone());
    }

    pub(crate) fn layers(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn errors(&self) -> impl Iterator<Item = DecompressError> {
        self.0.iter().filter_map(|log| log.lock().error)
    }

    /// Returns where in the file the member begins that holds the byte at an offset of the content.
    pub(crate) fn offset(&self, content: u64) -> Option<u64> {
        let mut innermost_first = self.0.iter().rev();
        innermost_first.try_fold(content, |at, log| Some(log.lock().member(at)?.start))
    }

    /// Returns the log of the only layer; none where there are more.
    fn only(&self) -> Option<MutexGuard<'_, MemberLog>> {
        match self.0.as_slice() {
            [log] => Some(log.lock()),
            _ => None,
        }
    }

    /// Returns where the member with the byte before an offset of the content ends, in the file and in the content,
    /// if that is before `before`, up to which all was read; `None` in more than one layer.
    pub(crate) fn end(&self, content: u64, before: u64) -> Option<(u64, u64)> {
        let log = self.only()?;
        let mut latest_first = log.members.iter().rev();
        let end = latest_first.find(|member| member.output < content)?.end?;
        (end.1 < before).then_some(end)
    }

    /// Returns the first offset of the content, from `from` on, at which reading went on after damage.
    pub(crate) fn gap(&self, from: u64) -> Option<u64> {
        let gaps = &mut self.0.last()?.lock().gaps;
        while gaps.front().is_some_and(|gap| *gap < from) {
            gaps.pop_front();
        }
        gaps.front().copied()
    }

    /// Returns where in the file the member begins that begins the content there; `None` in more than one layer.
    pub(crate) fn start_at(&self, content: u64) -> Option<u64> {
        let mut log = self.only()?;
        let member = log.member(content)?;
        (member.output == content).then_some(member.start)
    }
}
