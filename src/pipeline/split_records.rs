//! One huge web archive in pieces of whole records, so that all workers can share it.
//!
//! A piece is assumed to begin where a compressed member looks as if it began with a record. Its worker
//! decompresses it and passes over its records, and so learns where the piece ends and how many
//! records it has, before the start is known. Starts are then known one after the other: the end of a
//! piece is the start of the next. Where that is not the assumed one, or the end is not certain, the
//! piece is read from the right start, as the whole archive would be; pieces behind it wait for its
//! end. Each piece so has the links, the diagnostics and the offsets that it has in the whole.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::prefetch::{IdleWorkers, LayerReader, SharedInput};
use super::split_lines::{MAX_SEARCH, PieceSum, read_at};
use super::walk::Entry;
use crate::archive::{
    ArchiveFormat, ArchiveOptions, Container, RangeEnd, RecordRange, RecordStart, WARC, open_range,
    pass_over,
};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::fill;
use crate::decode::compression::{
    Codec, DecompressError, Decompressed, MemberLog, MemberTrial, Members, StreamStart,
};
use crate::output::record::ArchiveRecord;

/// The longest content of a piece that is kept in memory, in bytes.
const HELD: usize = 16 << 20;
/// The number of bytes of the content behind a piece that are read with it.
const BEHIND: u64 = 8 << 10;
/// The number of bytes that are decompressed at a time.
const STEP: usize = 128 << 10;
/// The number of bytes that are searched at a time for the start of a piece.
const SEARCH: usize = 64 << 10;
/// The longest mark of the start of a record without compression, in bytes.
const MARK: usize = b"\nWARC/1.".len();

/// A web archive that is split.
pub(crate) struct SplitArchive {
    /// The path and the length of the file.
    pub(crate) entry: Entry,
    /// The format of the archive.
    pub(crate) format: &'static ArchiveFormat,
    file: File,
    codec: Option<&'static Codec>,
    /// The bytes in front of the first compressed member which concern all of them.
    preamble: Vec<u8>,
    chain: StartChain,
    pub(super) sum: PieceSum<ArchiveRecord>,
    idle: Arc<IdleWorkers>,
}

/// A piece of a web archive.
#[derive(Debug)]
pub(crate) struct RecordPiece {
    /// The archive.
    pub(crate) whole: Arc<SplitArchive>,
    /// Counts the pieces of the archive from 0.
    pub(crate) index: usize,
    /// The assumed offsets in the file; without an end it is the last piece.
    start: u64,
    end: Option<u64>,
}

/// Splits a web archive, piece by piece.
pub(crate) struct RecordSplitter {
    whole: Arc<SplitArchive>,
    length: u64,
    size: u64,
    index: usize,
    start: u64,
    finished: bool,
    buffer: Vec<u8>,
    /// The search for compressed members.
    trial: Option<MemberTrial>,
}

impl RecordSplitter {
    /// Splits a file into pieces of about `size` bytes.
    pub(crate) fn new(
        entry: Entry,
        (format, codec): (&'static ArchiveFormat, Option<&'static Codec>),
        file: File,
        (length, size): (u64, u64),
        idle: &Arc<IdleWorkers>,
    ) -> Self {
        let preamble = preamble(&file, codec);
        RecordSplitter {
            trial: codec.map(|codec| codec.trial(&preamble)),
            whole: Arc::new(SplitArchive {
                entry,
                format,
                file,
                codec,
                preamble,
                chain: StartChain::default(),
                sum: PieceSum::default(),
                idle: Arc::clone(idle),
            }),
            length,
            // What is compressed becomes several times as long, and its records as much again: so the
            // output of a piece fits into the reorder buffer, and its content into a cache.
            size: match codec {
                Some(_) => (size / 4).max(1),
                None => size.max(1),
            },
            index: 0,
            start: 0,
            finished: false,
            buffer: Vec::new(),
        }
    }

    /// Returns the first offset from `from` on at which a piece may begin; none if it is too far or
    /// cannot be read.
    fn find(&mut self, from: u64) -> Option<u64> {
        let mut offset = from;
        while offset - from < MAX_SEARCH {
            let probed = self.trial.as_ref().map_or(MARK, MemberTrial::probed);
            self.buffer.resize(SEARCH + probed, 0);
            let mut rest = self.whole.range(offset);
            let length = fill(&mut rest, &mut self.buffer).ok()?;
            let bytes = &self.buffer[..length];
            let found = match &mut self.trial {
                Some(trial) => trial.find(bytes, SEARCH, WARC),
                None => memchr::memmem::find(bytes, b"\nWARC/1.").map(|at| at + 1),
            };
            if let Some(at) = found {
                return Some(offset + at as u64).filter(|&point| point < self.length);
            }
            if length < self.buffer.len() {
                return None;
            }
            offset += SEARCH as u64;
        }
        None
    }
}

impl Iterator for RecordSplitter {
    type Item = RecordPiece;

    fn next(&mut self) -> Option<RecordPiece> {
        if self.finished {
            return None;
        }
        let nominal = self.start + self.size;
        let end = match nominal < self.length {
            true => self.find(nominal),
            false => None,
        };
        let piece = RecordPiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            start: self.start,
            end,
        };
        self.index += 1;
        self.start = end.unwrap_or(0);
        self.finished = end.is_none();
        Some(piece)
    }
}

impl fmt::Debug for SplitArchive {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry.fmt(formatter)
    }
}

impl SplitArchive {
    fn range(self: &Arc<Self>, at: u64) -> ArchiveRange {
        ArchiveRange {
            whole: Arc::clone(self),
            at,
        }
    }

    /// Decompresses the archive from a member on.
    fn decompressed(
        &self,
        codec: &'static Codec,
        input: impl Read + 'static,
        start: &StreamStart,
    ) -> Decompressed {
        let mut decompressed = Decompressed::from_member(codec, Box::new(input), start);
        if start.input > 0 {
            decompressed.prepare(&self.preamble);
        }
        decompressed
    }
}

/// Reads what stands in front of the first compressed member; what cannot be read is none.
fn preamble(file: &File, codec: Option<&'static Codec>) -> Vec<u8> {
    let mut head = vec![0; SEARCH];
    let read = |preamble: &mut Vec<u8>| {
        let mut length = 0;
        while let Ok(n @ 1..) = read_at(file, &mut preamble[length..], length as u64) {
            length += n;
        }
        preamble.truncate(length);
    };
    read(&mut head);
    let length = codec.map_or(0, |codec| codec.preamble(&head));
    head.resize(length, 0);
    read(&mut head);
    head
}

/// The bytes of an archive from an offset on.
struct ArchiveRange {
    whole: Arc<SplitArchive>,
    at: u64,
}

impl Read for ArchiveRange {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = read_at(&self.whole.file, into, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// The content of a piece, from its assumed start on.
struct PieceContent {
    buffer: Vec<u8>,
    length: usize,
    /// Its members, if it is compressed.
    log: Option<MemberLog>,
    /// Where the piece ends, if it begins as assumed.
    end: RecordStart,
}

/// The outcome of reading a piece.
pub(crate) struct PieceOutcome<T> {
    /// The outcome of its records, if it has any.
    pub(crate) read: Option<T>,
    /// The first damage of the whole archive's compression, told by the last piece.
    pub(crate) damage: Option<DecompressError>,
}

impl RecordPiece {
    /// Reads the records of the piece: passes a container of them to `read`. `spare` is a buffer for
    /// its content.
    pub(crate) fn read<T>(
        &self,
        options: &ArchiveOptions,
        spare: &mut Vec<u8>,
        read: impl FnOnce(Box<dyn Container>) -> T,
    ) -> PieceOutcome<T> {
        let chain = &self.whole.chain;
        let guard = ChainGuard { chain };
        let content = self.content(spare);
        let outcome = match chain.start(self.index, &self.whole.idle) {
            None => PieceOutcome {
                read: None,
                damage: None,
            },
            Some(PieceStart::Ended(error)) => {
                chain.set(self.index + 1, PieceStart::Ended(error));
                PieceOutcome {
                    read: None,
                    damage: error.filter(|_| self.is_last()),
                }
            }
            Some(PieceStart::At(start)) => {
                let content = content.filter(|content| {
                    let assumed = StreamStart::assumed(self.start);
                    start.after(&assumed, &content.end).is_some()
                });
                match content {
                    Some(content) => PieceOutcome {
                        read: Some(self.read_content(start, content, options, spare, read)),
                        damage: None,
                    },
                    None => self.read_from(start, options, read),
                }
            }
        };
        std::mem::forget(guard);
        outcome
    }

    fn is_last(&self) -> bool {
        self.end.is_none()
    }

    /// Decompresses the piece into memory, finds its end and offers that to the chain, unless the end is
    /// not certain.
    fn content(&self, spare: &mut Vec<u8>) -> Option<PieceContent> {
        let end = self.end?;
        let chain = &self.whole.chain;
        if chain.is_serial.load(Ordering::Relaxed) {
            return None;
        }
        let start = RecordStart {
            member: StreamStart::assumed(self.start),
            records: 0,
        };
        let mut buffer = std::mem::take(spare);
        let loaded = match self.whole.codec {
            Some(codec) => self.decompress(codec, &start.member, end, &mut buffer),
            None => self.load(end, &mut buffer).map(|length| (length, None)),
        };
        let Some((length, log)) = loaded else {
            *spare = buffer;
            return None;
        };
        let source = BufferedSource::over(buffer, length, 0);
        let source = Rc::new(RefCell::new(source));
        let range = RecordRange {
            start,
            until: Some(end),
            end: Rc::default(),
        };
        let passed = pass_over(&source, log.clone().map(Members::known), range);
        let source = Rc::into_inner(source)?.into_inner();
        let is_short = source.is_short();
        let buffer = source.into_buffer();
        match passed {
            RangeEnd::At(end) if !is_short => {
                chain.offer(self.index, self.start, end);
                Some(PieceContent {
                    buffer,
                    length,
                    log,
                    end,
                })
            }
            RangeEnd::Uneven => {
                chain.is_serial.store(true, Ordering::Relaxed);
                *spare = buffer;
                None
            }
            _ => {
                *spare = buffer;
                None
            }
        }
    }

    /// Decompresses the piece and a little of what is behind it; `None` where that is too long, or it
    /// cannot be read.
    fn decompress(
        &self,
        codec: &'static Codec,
        start: &StreamStart,
        end: u64,
        buffer: &mut Vec<u8>,
    ) -> Option<(usize, Option<MemberLog>)> {
        let input = self.whole.range(start.input);
        let mut decompressed = self.whole.decompressed(codec, input, start);
        let mut length = 0;
        loop {
            if buffer.len() < length + STEP {
                buffer.resize(length + STEP, 0);
            }
            let n = decompressed.read(&mut buffer[length..]).ok()?;
            length += n;
            let is_behind = (decompressed.log().last())
                .is_some_and(|(input, output)| input >= end && length as u64 >= output + BEHIND);
            if n == 0 || is_behind {
                let log = decompressed.log().clone();
                return (!log.is_full()).then_some((length, Some(log)));
            }
            if length > HELD {
                return None;
            }
        }
    }

    /// Reads the piece and a little of what is behind it.
    fn load(&self, end: u64, buffer: &mut Vec<u8>) -> Option<usize> {
        let length = usize::try_from(end - self.start + BEHIND).ok()?;
        if length > HELD {
            return None;
        }
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        fill(&mut self.whole.range(self.start), &mut buffer[..length]).ok()
    }

    /// Reads the records of the piece from its content.
    fn read_content<T>(
        &self,
        start: RecordStart,
        content: PieceContent,
        options: &ArchiveOptions,
        spare: &mut Vec<u8>,
        read: impl FnOnce(Box<dyn Container>) -> T,
    ) -> T {
        let output = start.member.output;
        let source = BufferedSource::over(content.buffer, content.length, output);
        let source = Rc::new(RefCell::new(source));
        let range = RecordRange {
            start,
            until: self.end,
            end: Rc::default(),
        };
        let members = content.log.map(|log| Members::known(log.moved(output)));
        let result = read(open_range(&source, members, options, range));
        if let Some(source) = Rc::into_inner(source) {
            *spare = source.into_inner().into_buffer();
        }
        result
    }

    /// Reads the records of the piece as if they were those of the whole archive, and publishes its end.
    fn read_from<T>(
        &self,
        start: RecordStart,
        options: &ArchiveOptions,
        read: impl FnOnce(Box<dyn Container>) -> T,
    ) -> PieceOutcome<T> {
        let chain = &self.whole.chain;
        let is_serial = chain.is_serial.load(Ordering::Relaxed);
        let input = self.whole.range(start.member.input);
        let (mut source, layer) = match self.whole.codec {
            Some(codec) => {
                let input = SharedInput::new(input);
                let layer = self.whole.decompressed(codec, input.clone(), &start.member);
                let layer = Rc::new(RefCell::new(layer));
                let mut reader = LayerReader::new(vec![Rc::clone(&layer)]);
                reader.allow_thread(input, &self.whole.idle);
                (BufferedSource::long(Box::new(reader)), Some(layer))
            }
            None => (BufferedSource::long(Box::new(input)), None),
        };
        source.consumed = start.member.output;
        let end = Rc::new(Cell::new(None));
        let range = RecordRange {
            start,
            until: self.end.filter(|_| !is_serial),
            end: Rc::clone(&end),
        };
        let members = layer.clone().map(|layer| Members::new(vec![layer]));
        let source = Rc::new(RefCell::new(source));
        let result = read(open_range(&source, members, options, range));
        let damage = layer.and_then(|layer| layer.borrow().error());
        let next = match end.get() {
            Some(start) => PieceStart::At(start),
            None => PieceStart::Ended(damage),
        };
        chain.set(self.index + 1, next);
        PieceOutcome {
            read: Some(result),
            damage: damage.filter(|_| self.is_last()),
        }
    }

    /// Adds the counts of the piece to those of its archive. The last piece waits for all others and
    /// returns the sum.
    pub(crate) fn add_counts(&self, counts: &ArchiveRecord) -> Option<ArchiveRecord> {
        let add = |sum: &mut ArchiveRecord| sum.add(counts);
        self.whole.sum.add(self.index, self.is_last(), add)
    }
}

/// The start of a piece.
#[derive(Clone, Copy, Debug)]
enum PieceStart {
    /// At this record, which may lie behind the end of the piece.
    At(RecordStart),
    /// The archive has ended before, with its first damage.
    Ended(Option<DecompressError>),
}

/// The starts of the pieces, as far as they are known.
///
/// A piece offers its end before it waits for its start, or publishes the end after it has read its
/// records from the start. Pieces are dispatched in order, so there is no deadlock.
#[derive(Debug, Default)]
struct StartChain {
    state: Mutex<ChainState>,
    changed: Condvar,
    /// The rest of the archive is one piece, since members and records do not go together.
    is_serial: AtomicBool,
}

#[derive(Debug)]
struct ChainState {
    /// The last piece whose start is known.
    last: usize,
    /// The known starts of pieces, and whether the piece has asked for its own.
    starts: BTreeMap<usize, (PieceStart, bool)>,
    /// The ends of later pieces, with the offset at which they are assumed to begin.
    offers: BTreeMap<usize, (u64, RecordStart)>,
    /// A worker has ended early.
    is_broken: bool,
}

impl Default for ChainState {
    fn default() -> Self {
        ChainState {
            last: 0,
            starts: BTreeMap::from([(0, (PieceStart::At(RecordStart::FIRST), false))]),
            offers: BTreeMap::new(),
            is_broken: false,
        }
    }
}

impl StartChain {
    fn lock(&self) -> MutexGuard<'_, ChainState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers the end of a piece that begins as assumed.
    fn offer(&self, index: usize, assumed: u64, end: RecordStart) {
        let mut state = self.lock();
        state.offers.insert(index, (assumed, end));
        state.advance();
        self.changed.notify_all();
    }

    /// Publishes the start of a piece.
    fn set(&self, index: usize, start: PieceStart) {
        let mut state = self.lock();
        state.push(index, start);
        state.advance();
        self.changed.notify_all();
    }

    /// Waits for the start of a piece; `None` where a worker has ended early.
    fn start(&self, index: usize, idle: &Arc<IdleWorkers>) -> Option<PieceStart> {
        let mut state = self.lock();
        let _idle = idle.enter();
        while !state.is_broken {
            if let Some((start, is_taken)) = state.starts.get_mut(&index) {
                *is_taken = true;
                return Some(*start);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        None
    }
}

impl ChainState {
    fn push(&mut self, index: usize, start: PieceStart) {
        self.last = index;
        self.starts.retain(|_, (_, is_taken)| !*is_taken);
        self.starts.insert(index, (start, false));
    }

    /// Follows the ends that were offered as far as they hold.
    fn advance(&mut self) {
        while let Some((PieceStart::At(start), _)) = self.starts.get(&self.last).copied()
            && let Some((assumed, end)) = self.offers.remove(&self.last)
            && let Some(next) = start.after(&StreamStart::assumed(assumed), &end)
        {
            self.push(self.last + 1, PieceStart::At(next));
        }
    }
}

/// Ends the waiting of other workers when its own ends early.
struct ChainGuard<'a> {
    chain: &'a StartChain,
}

impl Drop for ChainGuard<'_> {
    fn drop(&mut self) {
        self.chain.lock().is_broken = true;
        self.chain.changed.notify_all();
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/split_records.rs"]
mod tests;
