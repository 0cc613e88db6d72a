//! Splits a huge file into pieces, so that all workers can share it.
//!
//! The pieces depend on the file alone, not on the workers, and each begins after a
//! [split point](crate::document::Format::split_point), so that together they have the links of the
//! whole. A piece depends on those before it only for the number of their lines, which `LineLedger`
//! holds.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::input::Input;
use super::walk::Entry;
use crate::bytes::lines::breaks;
use crate::bytes::source::fill;
use crate::document::{Format, PieceIndex, SplitContext, SplitPoint};
use crate::extractor::PieceOrigin;
use crate::output::record::ArchiveRecord;

/// The size of pieces, in bytes: a piece should fit in the cache of a core.
pub const PIECE: u64 = 1 << 20;
/// The number of bytes after a piece of an archive that are read with the piece.
pub(crate) const TAIL: usize = 8 << 10;

/// Files of more than this many pieces are split.
const MIN_PIECES: u64 = 4;

/// The search for a split point ends after this many bytes; the rest of the file is one piece then.
pub(super) const MAX_SEARCH: u64 = 64 << 20;

/// The number of bytes that are searched for a split point first.
const SEARCH: usize = 16 << 10;

/// A file that is split.
#[derive(Debug)]
pub(crate) struct SplitFile {
    /// The path and the length of the file.
    pub entry: Entry,
    /// The format of the file.
    pub format: Chosen,
    pub(super) file: File,
    lines: LineLedger,
    /// Whether a piece has reported that the file became shorter.
    has_reported_shrinking: AtomicBool,
    pub(super) sum: PieceSum<ArchiveRecord>,
}

impl SplitFile {
    pub(super) fn new(entry: Entry, format: &'static Format, file: File) -> Self {
        SplitFile {
            entry,
            format: Chosen(format),
            file,
            lines: LineLedger::default(),
            has_reported_shrinking: AtomicBool::new(false),
            sum: PieceSum::default(),
        }
    }
}

/// The sum of something of the pieces of an archive, and the number of pieces that are in it.
#[derive(Debug, Default)]
pub(super) struct PieceSum<T> {
    /// The number of pieces and their sum, and whether a worker has panicked.
    state: Mutex<(usize, T, bool)>,
    added: Condvar,
}

impl<T: Default> PieceSum<T> {
    /// Adds a piece. The last one waits for all others and returns the sum.
    pub(super) fn add(&self, index: usize, is_last: bool, add: impl FnOnce(&mut T)) -> Option<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        add(&mut state.1);
        self.added.notify_all();
        if !is_last {
            return None;
        }
        // Pieces are dispatched in order, so workers are processing all others.
        while state.0 <= index && !state.2 {
            let waited = self.added.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        Some(std::mem::take(&mut state.1))
    }

    /// Returns a guard for the reading of a piece: should that panic, no piece waits for it.
    pub(super) fn guard(&self) -> SumGuard<'_, T> {
        SumGuard(self)
    }
}

/// Ends the waiting for a piece whose reading panics.
pub(super) struct SumGuard<'a, T>(&'a PieceSum<T>);

impl<T> Drop for SumGuard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.2 = true;
            self.0.added.notify_all();
        }
    }
}

/// A format that is debug-printed by its name.
#[derive(Clone, Copy)]
pub struct Chosen(pub &'static Format);

impl std::fmt::Debug for Chosen {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0.name)
    }
}

/// A piece of a file.
#[derive(Clone, Debug)]
pub(crate) struct FilePiece {
    /// The file.
    pub whole: Arc<SplitFile>,
    /// Counts the pieces of the file from 0.
    pub index: usize,
    pub(super) start: u64,
    /// None: the end of the file, even if the file grows.
    pub(super) end: Option<u64>,
    /// The rest of the file, if it is an archive.
    pub(super) split: SplitContext,
    /// The bytes of the piece, where they have been read.
    pub(super) bytes: Option<PieceBytes>,
    /// The findings of the search for members, if the piece was searched.
    pub(super) known: Option<PieceIndex>,
}

/// The bytes of a piece of an archive.
#[derive(Clone, Debug, Default)]
pub(crate) struct PieceBytes {
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl PieceBytes {
    /// Returns the bytes of the piece and up to [`TAIL`] bytes after it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the buffer for another use.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}

/// The pieces of a file of a format that can be split at lines.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    whole: Arc<SplitFile>,
    length: u64,
    size: u64,
    index: usize,
    start: u64,
    finished: bool,
    buffer: Vec<u8>,
}

impl LineSplitter {
    /// Returns whether a file of this length is split into pieces of `size` bytes.
    pub(crate) fn is_worthwhile(length: u64, size: u64) -> bool {
        length > size * MIN_PIECES
    }

    /// Splits a file into pieces of about `size` bytes.
    pub fn new(entry: Entry, format: &'static Format, file: File, length: u64, size: u64) -> Self {
        LineSplitter {
            whole: Arc::new(SplitFile::new(entry, format, file)),
            length,
            size: size.max(1),
            index: 0,
            start: 0,
            finished: false,
            buffer: Vec::new(),
        }
    }

    /// Returns the first split point after an offset; none if it is too far or cannot be read.
    fn split_point(&mut self, offset: u64) -> Option<u64> {
        let Some(SplitPoint::Line(find)) = self.whole.format.0.split_point else {
            return None;
        };
        self.buffer.clear();
        loop {
            let have = self.buffer.len();
            let want = (have * 2).max(SEARCH);
            self.buffer.resize(want, 0);
            let mut rest = FileRange::new(&self.whole.file, offset + have as u64);
            let end = have + fill(&mut rest, &mut self.buffer[have..]).ok()?;
            self.buffer.truncate(end);
            if let Some(at) = find(&self.buffer) {
                return Some(offset + at as u64).filter(|&point| point < self.length);
            }
            if end < want || end as u64 >= MAX_SEARCH {
                return None;
            }
        }
    }
}

impl Iterator for LineSplitter {
    type Item = FilePiece;

    fn next(&mut self) -> Option<FilePiece> {
        if self.finished {
            return None;
        }
        let nominal = self.start + self.size;
        let end = if nominal < self.length {
            self.split_point(nominal)
        } else {
            None
        };
        let piece = FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            start: self.start,
            end,
            split: SplitContext::default(),
            bytes: None,
            known: None,
        };
        self.index += 1;
        self.start = end.unwrap_or(0);
        self.finished = end.is_none();
        Some(piece)
    }
}

impl FilePiece {
    /// Reads the piece into `into`, unless it is longer than twice `size`. Returns whether it is read.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub(crate) fn load(&self, size: u64, into: &mut Vec<u8>) -> io::Result<bool> {
        let length = self.end.map(|end| end - self.start);
        let Some(length) = length.filter(|&length| length <= size.saturating_mul(2)) else {
            return Ok(false);
        };
        into.resize(length as usize, 0);
        let end = fill(&mut self.range(), into)?;
        into.truncate(end);
        Ok(true)
    }

    /// Returns whether the file became shorter, given the length of the piece as read. True for one
    /// piece only, so that the file is reported once.
    pub(crate) fn has_shrunk(&self, length: u64) -> bool {
        let end = self.start + length;
        self.end.is_none_or(|expected| end < expected)
            && Input::has_shrunk(&self.whole.entry, end)
            && !self
                .whole
                .has_reported_shrinking
                .swap(true, Ordering::Relaxed)
    }

    /// Returns the range of the piece, with [`TAIL`] bytes after a piece of an archive.
    pub(crate) fn range(&self) -> FileRange<'_> {
        let tail = match self.split.end {
            Some(_) => TAIL as u64,
            None => 0,
        };
        FileRange {
            file: &self.whole.file,
            at: self.start,
            end: self.end.map(|end| end + tail),
        }
    }

    /// Returns whether lines are counted over the whole file, and not in each part of a message.
    pub(crate) fn counts_lines(&self) -> bool {
        matches!(self.whole.format.0.split_point, Some(SplitPoint::Line(_)))
    }

    /// Returns how many of the first `bytes` bytes belong to the piece, and not to its tail.
    pub(crate) fn own(&self, bytes: u64) -> u64 {
        self.end.map_or(bytes, |end| bytes.min(end - self.start))
    }

    /// Adds the counts of the piece to those of its archive. The last piece waits for all others and
    /// returns the sum.
    pub(crate) fn add_counts(&self, counts: &ArchiveRecord) -> Option<ArchiveRecord> {
        let is_last = self.end.is_none();
        let add = |sum: &mut ArchiveRecord| sum.add(counts);
        self.whole.sum.add(self.index, is_last, add)
    }

    /// Returns the offset of the piece, with line 1.
    pub(crate) fn origin(&self) -> PieceOrigin {
        PieceOrigin {
            offset: self.start,
            line: 1,
            split: self.split,
        }
    }

    /// Returns the offset and the line of the piece. Must be called for every piece, with its bytes
    /// if they are read: later pieces wait for the number of its lines.
    pub(crate) fn locate(&self, bytes: Option<&[u8]>) -> PieceOrigin {
        let lines = match bytes {
            Some(bytes) => breaks(bytes),
            // No piece waits for the last one.
            None if self.end.is_none() => 0,
            None => self.count_lines(),
        };
        PieceOrigin {
            line: 1 + self.whole.lines.enter(self.index, lines),
            ..self.origin()
        }
    }

    fn count_lines(&self) -> u64 {
        let mut block = vec![0; SEARCH];
        let mut range = self.range();
        let (mut lines, mut after_cr) = (0, false);
        // Errors are reported when the piece is scanned.
        while let Ok(n @ 1..) = fill(&mut range, &mut block) {
            lines += breaks(&block[..n]);
            // A CRLF that two blocks share is one line break.
            lines -= u64::from(after_cr && block[0] == b'\n');
            after_cr = block[n - 1] == b'\r';
        }
        lines
    }
}

/// The bytes of a file between two offsets.
#[derive(Debug)]
pub(crate) struct FileRange<'a> {
    file: &'a File,
    at: u64,
    end: Option<u64>,
}

impl Read for FileRange<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = match self.end {
            Some(end) => into.len().min((end - self.at) as usize),
            None => into.len(),
        };
        let n = read_at(self.file, &mut into[..length], self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl<'a> FileRange<'a> {
    /// The range from an offset to the end of the file.
    pub(super) fn new(file: &'a File, at: u64) -> Self {
        FileRange {
            file,
            at,
            end: None,
        }
    }
}

#[cfg(unix)]
pub(super) fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, offset)
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, offset)
}

/// The number of line breaks of each piece.
///
/// A piece enters its own number before it waits for those of the pieces before it, and pieces are
/// dispatched in order, so there is no deadlock.
#[derive(Debug, Default)]
struct LineLedger {
    counts: Mutex<LineBreakCounts>,
    entered: Condvar,
}

#[derive(Debug, Default)]
struct LineBreakCounts {
    /// The line breaks before each piece, for the pieces whose predecessors are all counted.
    before: Vec<u64>,
    /// Counts of later pieces, with their index.
    early: Vec<(usize, u64)>,
}

impl LineLedger {
    /// Enters the line breaks of a piece, and returns those of all pieces before it.
    fn enter(&self, index: usize, lines: u64) -> u64 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.early.push((index, lines));
        counts.advance();
        self.entered.notify_all();
        loop {
            if let Some(&before) = counts.before.get(index) {
                return before;
            }
            counts = self
                .entered
                .wait(counts)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl LineBreakCounts {
    fn advance(&mut self) {
        if self.before.is_empty() {
            self.before.push(0);
        }
        loop {
            let last = self.before.len() - 1;
            let Some(at) = self.early.iter().position(|(index, _)| *index == last) else {
                return;
            };
            let (_, lines) = self.early.swap_remove(at);
            self.before.push(self.before[last] + lines);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/split_lines.rs"]
mod tests;
