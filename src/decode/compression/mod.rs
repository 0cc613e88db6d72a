//! Compressed documents: gzip, zstd, bzip2, xz, lz4, and batches of news, recognised by their first
//! bytes and decompressed as they are read.
//!
//! A compressed document is a sequence of members: gzip members, zstd and lz4 frames, bzip2 and xz
//! streams. Checksums and lengths that a format stores are verified. All that was decompressed before
//! damage is read, then an empty line, and reading goes on at the next member that decompresses:
//! [`Decompressed::error`] reports the first damage.

mod bzip2;
mod gzip;
mod lz4;
mod lzw;
mod member;
mod xz;
mod zstd;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use crate::bytes::buffered::BufferedSource;
pub use member::DecompressFault;
use member::{DecodeStep, MemberDecoder};

/// Output of more than [`RATIO_FROM`] bytes may be at most this many times longer than the input.
const RATIO: u64 = 1000;
const RATIO_FROM: u64 = 64 << 20;
/// The ratio is looked at where the output has a multiple of this many bytes, however many are asked for
/// at a time.
const RATIO_STEP: u64 = 64 << 10;

/// A compression format.
pub struct Codec {
    /// The extension that file names get, without the dot; empty if there is none.
    pub extension: &'static str,
    /// Returns whether a member starts with some bytes.
    starts: fn(&[u8]) -> bool,
    /// The bytes that nearly all members begin with.
    magic: &'static [u8],
    /// The number of bytes of a member from which its first bytes are decompressed as a trial.
    probed: usize,
    /// Returns the length of what stands in front of the first member and concerns all of them.
    preamble: fn(&[u8]) -> Option<usize>,
    decoder: fn() -> Box<dyn MemberDecoder>,
    /// Returns the fault of so many zeros after a member.
    padding: fn(u64) -> Option<DecompressFault>,
}

/// Zeros come from a tape or a damaged disk.
fn no_padding(zeros: u64) -> Option<DecompressFault> {
    (zeros > 0).then_some(DecompressFault::TrailingGarbage)
}

/// The codecs, one row each.
pub(crate) static CODECS: &[Codec] = &[
    Codec {
        extension: "gz",
        starts: |head| head.starts_with(b"\x1f\x8b\x08"),
        magic: b"\x1f\x8b\x08",
        probed: PROBED,
        preamble: |_| None,
        decoder: || Box::new(gzip::Gzip::new()),
        padding: |zeros| (zeros > 0).then_some(DecompressFault::Padding),
    },
    Codec {
        extension: "zst",
        starts: |head| head.starts_with(b"\x28\xb5\x2f\xfd") || zstd::is_skippable(head),
        magic: b"\x28\xb5\x2f\xfd",
        probed: zstd::FIRST_BLOCK,
        preamble: zstd::dictionary_frame,
        decoder: || Box::new(zstd::Zstd::new()),
        padding: no_padding,
    },
    Codec {
        extension: "bz2",
        starts: |head| head.starts_with(b"BZh") && head.get(4..6).is_some_and(is_block),
        magic: b"BZh",
        probed: PROBED,
        preamble: |_| None,
        decoder: || Box::new(bzip2::Bzip2::new()),
        padding: no_padding,
    },
    Codec {
        extension: "xz",
        starts: |head| head.starts_with(b"\xfd7zXZ\0"),
        magic: b"\xfd7zXZ\0",
        probed: PROBED,
        preamble: |_| None,
        decoder: || Box::new(xz::Xz::new()),
        padding: |zeros| no_padding(zeros % 4),
    },
    Codec {
        extension: "lz4",
        starts: |head| head.starts_with(lz4::MAGIC) || zstd::is_skippable(head),
        magic: lz4::MAGIC,
        probed: PROBED,
        preamble: |_| None,
        decoder: || Box::new(lz4::Lz4::new()),
        padding: no_padding,
    },
    Codec {
        extension: "",
        starts: is_batch,
        magic: b"#! ",
        probed: PROBED,
        preamble: |_| None,
        decoder: || Box::new(NewsBatch(None)),
        padding: no_padding,
    },
];

/// The first lines of compressed news batches, as rnews and its successors know them.
const BATCHES: [&[u8]; 3] = [b"#! cunbatch", b"#! gunbatch", b"#! zunbatch"];
/// The longest first line of a batch, in bytes.
const BATCH_LINE: usize = 64;

/// The number of members whose offsets are kept until [`Decompressed::member`] asks for them.
const MEMBERS: usize = 64 << 10;
/// The number of places at which a [`MemberTrial`] may find no member.
const ATTEMPTS: u32 = 4096;
/// The number of bytes that may be decompressed in vain, or again, in search of members after damage:
/// this many, and [`RETRIED`] for each byte of the document.
const RETRIED_FROM: u64 = 64 << 20;
const RETRIED: u64 = 4;
/// The least cost of looking at a place where a member may begin, in bytes.
const TRIAL: u64 = 64;
/// The number of bytes that are searched at a time for a member after damage.
const SEARCHED: usize = 64 << 10;
/// The number of bytes of a member from which its first bytes are decompressed as a trial, where blocks
/// need not be whole.
const PROBED: usize = 4 << 10;
/// The longest prefix that a trial looks for, in bytes.
const PREFIX: usize = 16;
/// The number of first bytes that identify a codec.
const HEAD: usize = 16;
/// Put between the contents of members where those between them are lost: it ends lines, and lets a
/// message or a record begin.
const GAP: &[u8] = b"\n\n";

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

    /// Returns the codec whose files have an extension.
    pub(crate) fn with_extension(extension: &str) -> Option<&'static Codec> {
        CODECS.iter().find(|codec| codec.extension == extension)
    }

    /// Returns the length of what stands in front of the first member and concerns all of them, such as
    /// a dictionary, given the first bytes of a document.
    pub(crate) fn preamble(&self, head: &[u8]) -> usize {
        (self.preamble)(head).unwrap_or(0)
    }

    /// Returns a search for members by trial. `preamble` is what stands in front of the first.
    pub(crate) fn trial(&'static self, preamble: &[u8]) -> MemberTrial {
        let mut decoder = (self.decoder)();
        decoder.prepare(preamble);
        MemberTrial {
            codec: self,
            decoder,
            attempts: ATTEMPTS,
        }
    }
}

/// Looks for members by decompressing their first bytes.
pub(crate) struct MemberTrial {
    codec: &'static Codec,
    decoder: Box<dyn MemberDecoder>,
    /// The trials that may still fail.
    attempts: u32,
}

impl MemberTrial {
    /// The number of bytes of a member that are looked at.
    pub(crate) fn probed(&self) -> usize {
        self.codec.probed
    }

    /// Returns the index of the first member in `bytes`, in front of the index `most`, whose content
    /// begins with `prefix`.
    pub(crate) fn find(&mut self, bytes: &[u8], most: usize, prefix: &[u8]) -> Option<usize> {
        for at in memchr::memmem::find_iter(bytes, self.codec.magic) {
            if at >= most || self.attempts == 0 {
                return None;
            }
            let member = &bytes[at..bytes.len().min(at + self.codec.probed)];
            if begins_with(&mut *self.decoder, member, prefix) {
                return Some(at);
            }
            self.attempts -= 1;
        }
        None
    }
}

/// Returns whether the content of a member begins with some bytes, at most [`PREFIX`]; `member` is its
/// start.
fn begins_with(decoder: &mut dyn MemberDecoder, member: &[u8], prefix: &[u8]) -> bool {
    let mut source = BufferedSource::over(member.to_vec(), member.len(), 0);
    if decoder.begin(&mut source).is_err() {
        return false;
    }
    let (mut first, mut length) = ([0; PREFIX], 0);
    while length < prefix.len() {
        let (n, step) = decoder.decompress(&mut source, &mut first[length..prefix.len()]);
        length += n;
        if step != DecodeStep::More {
            break;
        }
    }
    first[..length] == *prefix
}

/// Returns whether a member decompresses, as far as its first bytes are given, and their number.
fn decompresses(decoder: &mut dyn MemberDecoder, member: &[u8]) -> (bool, u64) {
    let mut source = BufferedSource::over(member.to_vec(), member.len(), 0);
    let (mut content, mut length) = ([0; 512], 0);
    let mut step = match decoder.begin(&mut source) {
        Ok(()) => DecodeStep::More,
        Err(fault) => DecodeStep::Failed(fault),
    };
    while step == DecodeStep::More && length < PROBED {
        let (n, next) = decoder.decompress(&mut source, &mut content);
        length += n;
        step = next;
    }
    let is_good = match step {
        DecodeStep::Failed(fault) => fault == DecompressFault::Truncated,
        DecodeStep::More | DecodeStep::Ended => true,
    };
    (is_good, source.consumed)
}

/// Decodes news batches: a line, and a member of the codec that its first bytes identify.
struct NewsBatch(Option<Box<dyn MemberDecoder>>);

impl MemberDecoder for NewsBatch {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
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

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, DecodeStep) {
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

impl DecompressError {
    fn moved(self, by: u64) -> Self {
        DecompressError {
            offset: self.offset + by,
            ..self
        }
    }

    /// Returns the first error that is damage, else the first one.
    fn first(before: Option<Self>, after: Option<Self>) -> Option<Self> {
        match (before, after) {
            (Some(before), Some(after)) if before.fault == DecompressFault::Padding => Some(after),
            (before, after) => before.or(after),
        }
    }
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
pub struct Decompressed<R: ?Sized = dyn Read> {
    codec: &'static Codec,
    source: BufferedSource<R>,
    decoder: Box<dyn MemberDecoder>,
    state: DecompressState,
    /// Decompressed bytes so far.
    output: u64,
    log: MemberLog,
    /// The bytes that were decompressed in vain, or again, in search of members after damage.
    retried: u64,
    /// Content precedes what is read here.
    has_content: bool,
}

/// The start of a member, from which on a document can be read without what stands before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamStart {
    /// The offset in the compressed document.
    pub input: u64,
    /// The offset in the output.
    pub output: u64,
    /// The bytes before it that were decompressed in vain, or again.
    retried: u64,
    /// The first error before it.
    pub error: Option<DecompressError>,
    /// Only the offset in the compressed document is known.
    is_assumed: bool,
}

impl StreamStart {
    /// The start of a document.
    pub(crate) const FIRST: StreamStart = StreamStart {
        input: 0,
        output: 0,
        retried: 0,
        error: None,
        is_assumed: false,
    };

    /// Returns the start at an offset of the output of a document that is not compressed.
    pub(crate) fn moved_to(&self, output: u64) -> Self {
        StreamStart {
            input: self.input + (output - self.output),
            output,
            ..*self
        }
    }

    /// Returns a start of which only the place in the compressed document is known.
    pub(crate) fn assumed(input: u64) -> Self {
        StreamStart {
            input,
            is_assumed: true,
            ..StreamStart::FIRST
        }
    }

    /// Returns where `end` is that reading from `assumed` on, in the place of this start, has come to;
    /// `None` where reading from here on may come elsewhere.
    pub(crate) fn after(&self, assumed: &StreamStart, end: &StreamStart) -> Option<StreamStart> {
        let output = self.output + end.output;
        let retried = self.retried + end.retried;
        let is_same = self.input == assumed.input
            && self.output > 0
            && Decompressed::may_retry(self.input, retried)
            && !Decompressed::is_excessive(self.input, output);
        let moved = end.error.map(|error| error.moved(self.output));
        is_same.then_some(StreamStart {
            input: end.input,
            output,
            retried,
            error: DecompressError::first(self.error, moved),
            is_assumed: false,
        })
    }
}

/// The places of members and of damage in what has been decompressed, as far as they are of use.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemberLog {
    members: VecDeque<MemberExtent>,
    /// The offsets in the output behind damage at which another member begins.
    gaps: VecDeque<u64>,
    error: Option<DecompressError>,
}

impl MemberLog {
    /// See [`Decompressed::member`].
    fn member(&mut self, offset: u64) -> Option<&MemberExtent> {
        while (self.members.get(1)).is_some_and(|member| member.output <= offset) {
            self.members.pop_front();
        }
        let member = self.members.front()?;
        (member.output <= offset).then_some(member)
    }

    /// See [`Members::end`].
    fn member_end(&self, offset: u64, before: u64) -> Option<(u64, u64)> {
        let mut latest_first = self.members.iter().rev();
        let end = latest_first.find(|member| member.output < offset)?.end?;
        (end.1 < before).then_some(end)
    }

    /// See [`Decompressed::gap`].
    fn gap(&mut self, from: u64) -> Option<u64> {
        while self.gaps.front().is_some_and(|gap| *gap < from) {
            self.gaps.pop_front();
        }
        self.gaps.front().copied()
    }

    /// Returns the member that begins at an offset of the output, if one does.
    fn start_at(&mut self, offset: u64) -> Option<StreamStart> {
        let error = self.error;
        let member = self.member(offset)?;
        (member.output == offset).then(|| StreamStart {
            input: member.start,
            output: offset,
            retried: member.retried,
            // An error at the very offset is one of what stands before the member, which has content.
            error: error.filter(|error| error.offset <= offset),
            is_assumed: false,
        })
    }

    /// Returns the last member that has begun: its offset in the compressed document, and in the output.
    pub(crate) fn last(&self) -> Option<(u64, u64)> {
        let last = self.members.back()?;
        Some((last.start, last.output))
    }

    /// Returns whether members may have been forgotten.
    pub(crate) fn is_full(&self) -> bool {
        self.members.len() == MEMBERS
    }

    /// Moves all offsets in the output.
    pub(crate) fn moved(mut self, by: u64) -> Self {
        for member in &mut self.members {
            member.output += by;
            member.end = member.end.map(|(input, output)| (input, output + by));
        }
        for gap in &mut self.gaps {
            *gap += by;
        }
        self.error = self.error.map(|error| error.moved(by));
        self
    }
}

/// The place of a member in the output and in the compressed document.
#[derive(Clone, Copy, Debug)]
struct MemberExtent {
    /// The bytes before it that were decompressed in vain, or again.
    retried: u64,
    /// The offset of its first byte in the output.
    output: u64,
    /// The offset of its first byte in the compressed document.
    start: u64,
    /// The offsets behind it in the compressed document and in the output, once it has been read.
    end: Option<(u64, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DecompressState {
    /// Before a member.
    Begin,
    /// In a member.
    Member,
    /// Behind a member.
    Behind,
    /// Before a member, where those before it are lost: so many bytes of [`GAP`] are left.
    Gap(usize),
    /// At the end of the document, or at damage.
    Done,
}

/// A document without its reader, which another thread can go on with.
pub(crate) type DetachedLayer = Decompressed<io::Empty>;

impl<R: ?Sized> Decompressed<R> {
    /// Goes on with another reader.
    pub(crate) fn with_reader<S: ?Sized>(self, reader: Box<S>) -> Decompressed<S> {
        Decompressed {
            codec: self.codec,
            source: self.source.with_reader(reader),
            decoder: self.decoder,
            state: self.state,
            output: self.output,
            log: self.log,
            retried: self.retried,
            has_content: self.has_content,
        }
    }
}

impl Decompressed {
    /// Reads the document in `reader`, whose first bytes are those of the codec.
    pub fn new(codec: &'static Codec, reader: Box<dyn Read>) -> Self {
        Decompressed::from_member(codec, reader, &StreamStart::FIRST)
    }

    /// Reads the document from a member on, with which `reader` begins.
    pub(crate) fn from_member(
        codec: &'static Codec,
        reader: Box<dyn Read>,
        start: &StreamStart,
    ) -> Self {
        let mut source = BufferedSource::new(reader);
        source.consumed = start.input;
        Decompressed {
            codec,
            source,
            decoder: (codec.decoder)(),
            state: DecompressState::Begin,
            output: start.output,
            log: MemberLog {
                error: start.error,
                ..MemberLog::default()
            },
            retried: start.retried,
            has_content: start.is_assumed || start.output > 0,
        }
    }

    /// Takes what stands in front of the first member, where reading begins at a later one.
    pub(crate) fn prepare(&mut self, preamble: &[u8]) {
        self.decoder.prepare(preamble);
    }

    /// Returns the first offset in the output, from `from` on, at which reading went on behind damage.
    /// Offsets must not descend from call to call.
    pub(crate) fn gap(&mut self, from: u64) -> Option<u64> {
        self.log.gap(from)
    }

    /// Returns the places of members and of damage so far.
    pub(crate) fn log(&self) -> &MemberLog {
        &self.log
    }

    /// Returns what is left to read, for another thread. The places of members and of damage so far stay
    /// here; [`Decompressed::extend_log`] adds later ones.
    pub(crate) fn detach(&mut self) -> DetachedLayer {
        let rest = Decompressed {
            state: DecompressState::Done,
            ..Decompressed::new(self.codec, Box::new(io::empty()))
        };
        let mut detached = std::mem::replace(self, rest);
        self.log = detached.take_log();
        detached.with_reader(Box::new(io::empty()))
    }

    /// Returns the places of members and of damage since the last call. The last member is returned
    /// again by the next call, when more may be known of it.
    pub(crate) fn take_log(&mut self) -> MemberLog {
        let news = std::mem::take(&mut self.log);
        self.log.error = news.error;
        self.log.members.extend(news.members.back());
        news
    }

    /// Adds the places of members and of damage that follow.
    pub(crate) fn extend_log(&mut self, news: MemberLog) {
        let log = &mut self.log;
        log.error = news.error;
        log.gaps.extend(news.gaps);
        log.members.pop_back();
        log.members.extend(news.members);
        while log.members.len() > MEMBERS {
            log.members.pop_front();
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

    /// Returns the number of decompressed bytes so far.
    pub(crate) fn output(&self) -> u64 {
        self.output
    }

    /// Returns how many bytes may be read before the ratio is looked at, which is at most where the output
    /// has so many.
    fn before_check(&self) -> usize {
        let left = match RATIO_FROM.checked_sub(self.output) {
            Some(left @ 1..) => left,
            _ => RATIO_STEP - self.output % RATIO_STEP,
        };
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Returns whether the ratio is looked at where the output has so many bytes.
    pub(crate) fn is_checked(output: u64) -> bool {
        output.is_multiple_of(RATIO_STEP)
    }

    /// Returns whether members are searched after damage, where so much has been decompressed in vain.
    fn may_retry(input: u64, retried: u64) -> bool {
        retried <= RETRIED_FROM + RETRIED * input
    }

    /// Keeps a fault, unless there has been one.
    fn report(&mut self, fault: DecompressFault) {
        let offset = self.output;
        let error = Some(DecompressError { fault, offset });
        self.log.error = DecompressError::first(self.log.error, error);
    }

    /// Ends the document here, with a fault unless there has been one.
    pub(crate) fn end_with(&mut self, fault: DecompressFault) {
        self.state = DecompressState::Done;
        self.report(fault);
    }

    /// Returns the fault of what has been read.
    pub fn error(&self) -> Option<DecompressError> {
        self.log.error
    }

    /// Returns where in the compressed document the member begins that holds the byte at an offset of
    /// the output. Offsets must not descend from call to call: members before them are forgotten.
    pub(crate) fn member(&mut self, offset: u64) -> Option<u64> {
        self.log.member(offset).map(|member| member.start)
    }

    fn begin_member(&mut self, at: u64) {
        // A member without content holds no byte that could be asked for.
        let members = &mut self.log.members;
        if (members.back()).is_some_and(|member| member.output == self.output) {
            members.pop_back();
        }
        if members.len() == MEMBERS {
            members.pop_front();
        }
        members.push_back(MemberExtent {
            retried: self.retried,
            output: self.output,
            start: at,
            end: None,
        });
        self.source.mark();
    }

    fn end_member(&mut self) {
        if let Some(member) = self.log.members.back_mut() {
            member.end = Some((self.source.consumed, self.output));
        }
        self.state = DecompressState::Behind;
        self.source.mark();
    }

    /// Goes on at the next member after damage, if there is one.
    fn fail(&mut self, fault: DecompressFault) {
        self.end_with(fault);
        // A decoder may notice damage only far from it. Members in what is good before a cut are content.
        let noticed = self.source.consumed;
        if fault != DecompressFault::Truncated {
            self.source.rewind();
        }
        self.retried += noticed - self.source.consumed;
        self.source.skip(1);
        while Self::may_retry(self.source.consumed, self.retried) {
            let bytes = self.source.peek(SEARCHED);
            let Some(at) = memchr::memmem::find(bytes, self.codec.magic) else {
                let length = bytes.len();
                if length < self.codec.magic.len() {
                    return;
                }
                self.source.consume(length + 1 - self.codec.magic.len());
                continue;
            };
            self.source.consume(at);
            let member = self.source.peek(self.codec.probed);
            if (self.codec.starts)(member) {
                let (is_good, tried) = decompresses(&mut *self.decoder, member);
                if is_good {
                    self.log.gaps.push_back(self.output);
                    let is_inside = self.has_content || self.output > 0;
                    self.state = DecompressState::Gap(if is_inside { GAP.len() } else { 0 });
                    return;
                }
                self.retried += tried.max(TRIAL);
            }
            self.source.consume(1);
        }
    }

    /// Looks for another member behind padding.
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
        loop {
            let (n, step) = match self.state {
                DecompressState::Done => {
                    return self.source.error.map_or(Ok(0), |kind| Err(kind.into()));
                }
                DecompressState::Behind => {
                    self.next_member();
                    continue;
                }
                DecompressState::Gap(0) => {
                    self.state = DecompressState::Begin;
                    continue;
                }
                DecompressState::Gap(left) => {
                    let n = left.min(into.len());
                    let from = GAP.len() - left;
                    into[..n].copy_from_slice(&GAP[from..from + n]);
                    self.output += n as u64;
                    self.state = DecompressState::Gap(left - n);
                    return Ok(n);
                }
                DecompressState::Begin => {
                    self.begin_member(self.source.consumed);
                    self.state = DecompressState::Member;
                    match self.decoder.begin(&mut self.source) {
                        Ok(()) => continue,
                        Err(fault) => (0, DecodeStep::Failed(fault)),
                    }
                }
                DecompressState::Member => {
                    let most = into.len().min(self.before_check());
                    self.decoder.decompress(&mut self.source, &mut into[..most])
                }
            };
            self.output += n as u64;
            match step {
                DecodeStep::More => {}
                DecodeStep::Ended => self.end_member(),
                // To the decoder an error of the reader looks like the end of the input.
                DecodeStep::Failed(_) if self.source.error.is_some() => {
                    self.state = DecompressState::Done
                }
                DecodeStep::Failed(fault) => self.fail(fault),
            }
            if n > 0 {
                if self.state != DecompressState::Done
                    && Self::is_checked(self.output)
                    && Self::is_excessive(self.input(), self.output)
                {
                    self.end_with(DecompressFault::RatioLimit);
                }
                return Ok(n);
            }
        }
    }
}

/// The members of the layers of a compressed document, outermost first. They grow while the layers are
/// read.
#[derive(Clone)]
pub struct Members(MemberPlaces);

#[derive(Clone)]
enum MemberPlaces {
    Layers(Vec<Rc<RefCell<Decompressed>>>),
    /// Those of one layer that has been read.
    Known(Rc<RefCell<MemberLog>>),
}

impl Members {
    /// Returns the members of layers, outermost first.
    pub(crate) fn new(layers: Vec<Rc<RefCell<Decompressed>>>) -> Self {
        Members(MemberPlaces::Layers(layers))
    }

    /// Returns the members of a layer that has been read.
    pub(crate) fn known(log: MemberLog) -> Self {
        Members(MemberPlaces::Known(Rc::new(RefCell::new(log))))
    }

    /// Returns where in the file the member begins that holds the byte at an offset of the content.
    /// Offsets must not descend from call to call.
    pub(crate) fn offset(&self, content: u64) -> Option<u64> {
        match &self.0 {
            MemberPlaces::Layers(layers) => {
                let mut innermost_first = layers.iter().rev();
                innermost_first.try_fold(content, |at, layer| layer.borrow_mut().member(at))
            }
            MemberPlaces::Known(log) => Some(log.borrow_mut().member(content)?.start),
        }
    }

    /// Returns where the member ends that holds the byte before an offset of the content, in the file and in
    /// the content, if its content ends before the offset `before`, up to which all has been read; `None` in more than
    /// one layer.
    pub(crate) fn end(&self, content: u64, before: u64) -> Option<(u64, u64)> {
        match &self.0 {
            MemberPlaces::Layers(layers) => match layers.as_slice() {
                [layer] => layer.borrow().log.member_end(content, before),
                _ => None,
            },
            MemberPlaces::Known(log) => log.borrow().member_end(content, before),
        }
    }

    /// Returns the first offset of the content, from `from` on, at which reading went on behind damage.
    /// Offsets must not descend from call to call.
    pub(crate) fn gap(&self, from: u64) -> Option<u64> {
        match &self.0 {
            MemberPlaces::Layers(layers) => layers.last()?.borrow_mut().gap(from),
            MemberPlaces::Known(log) => log.borrow_mut().gap(from),
        }
    }

    /// Returns the member that begins at an offset of the content, if one does; `None` in more than one
    /// layer. Offsets must not descend from call to call.
    pub(crate) fn start_at(&self, content: u64) -> Option<StreamStart> {
        match &self.0 {
            MemberPlaces::Layers(layers) => match layers.as_slice() {
                [layer] => layer.borrow_mut().log.start_at(content),
                _ => None,
            },
            MemberPlaces::Known(log) => log.borrow_mut().start_at(content),
        }
    }
}
