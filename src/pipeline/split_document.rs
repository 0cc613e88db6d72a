//! Splits a huge document into pieces, so that all workers can share it.
//!
//! The worker that asks for a piece reads it, and looks for its end: that is many times faster than
//! scanning, and nothing is read twice, for the piece takes the bytes along. The pieces depend on the file
//! alone, not on the workers, and each begins at a [split point](crate::document::Format::split_point), so
//! that together they have the links of the whole. What is longer than two pieces is read by its worker.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::input::Input;
use super::walk::Entry;
use crate::bytes::lines::breaks;
use crate::bytes::source::{Section, fill};
use crate::bytes::window::Window;
use crate::document::{Format, MemberFinder, MemberSearch, PieceIndex, SplitPoint};
use crate::extractor::{PieceOrigin, Positions};
use crate::output::record::ArchiveRecord;

/// The size of pieces, in bytes: a piece should fit in the cache of a core.
pub const PIECE: u64 = 1 << 20;
/// Files of more than this many pieces are split.
const MIN_PIECES: u64 = 4;
/// The number of bytes after a piece of an archive that are read with the piece.
const TAIL: usize = 8 << 10;
/// The number of searched bytes that are kept for the finder of members to look back at.
const LOOK_BEHIND: usize = 64;
/// The number of bytes that are read at a time beyond the length of a piece.
const MORE: usize = 64 << 10;
/// The number of bytes that are searched for a line first.
const SEARCH: usize = 16 << 10;
/// The search for a line ends after this many bytes; the rest of the file is one piece then.
const MAX_SEARCH: usize = 64 << 20;

/// Returns whether a file of this length is split into pieces of `size` bytes.
pub(super) fn is_worthwhile(length: u64, size: u64) -> bool {
    length > size * MIN_PIECES
}

/// A file that is split.
#[derive(Debug)]
pub(crate) struct SplitFile {
    /// The path and the length of the file.
    pub entry: Entry,
    /// The format of the file.
    pub format: Chosen,
    file: File,
    /// Whether a piece has reported that the file became shorter.
    has_reported_shrinking: AtomicBool,
    pub(super) sum: PieceSum<ArchiveRecord>,
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
    /// The place of the piece in the file.
    pub(super) origin: PieceOrigin,
    /// None: the end of the file, even if the file grows.
    end: Option<u64>,
    /// The bytes of the piece and up to [`TAIL`] bytes after it, where they have been read.
    pub(super) bytes: Option<PieceBytes>,
    /// The findings of the search for members, if the piece was searched.
    pub(super) known: Option<PieceIndex>,
}

/// The bytes of a piece.
#[derive(Clone, Debug)]
pub(super) struct PieceBytes {
    pub(super) buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl PieceBytes {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }
}

impl FilePiece {
    /// Returns whether the file became shorter, given the length of the piece as read. True for one
    /// piece only, so that the file is reported once.
    pub(crate) fn has_shrunk(&self, length: u64) -> bool {
        let end = self.origin.offset + length;
        self.end.is_none_or(|expected| end < expected)
            && Input::has_shrunk(&self.whole.entry, end)
            && !self
                .whole
                .has_reported_shrinking
                .swap(true, Ordering::Relaxed)
    }

    /// Returns the range of the piece, with [`TAIL`] bytes after a piece of an archive.
    pub(crate) fn range(&self) -> Section<&File> {
        Section {
            file: &self.whole.file,
            at: self.origin.offset,
            end: self.end.map_or(u64::MAX, |end| end + TAIL as u64),
        }
    }

    /// Returns how many of the first `bytes` bytes belong to the piece, and not to its tail.
    pub(crate) fn own(&self, bytes: u64) -> u64 {
        self.end
            .map_or(bytes, |end| bytes.min(end - self.origin.offset))
    }

    /// Adds the counts of the piece to those of its archive. The last piece waits for all others and
    /// returns the sum.
    pub(crate) fn add_counts(&self, counts: &ArchiveRecord) -> Option<ArchiveRecord> {
        let add = |sum: &mut ArchiveRecord| sum.add(counts);
        self.whole.sum.add(self.index, self.end.is_none(), add)
    }
}

/// The search for the ends of pieces.
enum Finder {
    Lines {
        find: fn(&[u8]) -> Option<usize>,
        /// Whether lines are counted.
        counts: bool,
    },
    Members(Box<dyn MemberFinder>),
}

/// Splits a document, piece by piece.
pub(super) struct DocumentSplitter {
    whole: Arc<SplitFile>,
    finder: Finder,
    size: usize,
    index: usize,
    /// Where the current piece begins.
    origin: PieceOrigin,
    /// The bytes in view are `buffer[..end]`, which stand at `offset` in the file.
    buffer: Vec<u8>,
    end: usize,
    offset: u64,
    /// The finder of members has searched `buffer[..at]`.
    at: usize,
    /// The file ends at `end`.
    last: bool,
    finished: bool,
}

impl DocumentSplitter {
    /// Splits a file into pieces of about `size` bytes; `None` for a format without split points.
    pub(super) fn new(
        entry: &Entry,
        format: &'static Format,
        file: File,
        size: u64,
        positions: Positions,
    ) -> Option<Self> {
        let finder = match format.split_point? {
            SplitPoint::Line(find) => Finder::Lines {
                find,
                counts: positions == Positions::Lines,
            },
            SplitPoint::Member(finder) => Finder::Members(finder()),
        };
        Some(DocumentSplitter {
            whole: Arc::new(SplitFile {
                entry: entry.clone(),
                format: Chosen(format),
                file,
                has_reported_shrinking: AtomicBool::new(false),
                sum: PieceSum::default(),
            }),
            finder,
            size: usize::try_from(size).unwrap_or(usize::MAX).max(1),
            index: 0,
            origin: PieceOrigin::default(),
            buffer: Vec::new(),
            end: 0,
            offset: 0,
            at: 0,
            last: false,
            finished: false,
        })
    }

    /// Returns the next piece; `spare` holds buffers of earlier pieces.
    pub(super) fn next(&mut self, spare: &mut Vec<Vec<u8>>) -> Option<FilePiece> {
        if self.finished {
            return None;
        }
        let end = match &self.finder {
            Finder::Lines { find, .. } => self.next_line(*find),
            Finder::Members(_) => self.next_member(),
        };
        Some(match end {
            Some(end) => self.piece(end, spare),
            None => self.rest(),
        })
    }

    /// Returns the index of the first line that may begin the next piece; none if it is too far, or cannot
    /// be read.
    fn next_line(&mut self, find: fn(&[u8]) -> Option<usize>) -> Option<usize> {
        let mut length = SEARCH;
        // The current piece begins the buffer.
        while length <= MAX_SEARCH {
            let searched = self.size.saturating_add(length);
            while self.end < searched && !self.last {
                self.read(searched).ok()?;
            }
            let found = find(self.buffer[..self.end.min(searched)].get(self.size..)?);
            if found.is_some() || self.end < searched {
                let end = found.map(|at| self.size + at);
                return end.filter(|&end| end < self.end || !self.last);
            }
            length *= 2;
        }
        None
    }

    /// Returns the index of the first member that may begin the next piece; none if it cannot be found or
    /// read.
    fn next_member(&mut self) -> Option<usize> {
        loop {
            let Finder::Members(finder) = &mut self.finder else {
                return None;
            };
            let window = Window {
                bytes: &self.buffer[..self.end],
                start: self.at,
                offset: self.offset,
                last: self.last,
            };
            let file = &self.whole.file;
            let read_at = |at, into: &mut [u8]| {
                let end = u64::MAX;
                fill(&mut Section { file, at, end }, into).unwrap_or(0)
            };
            match finder.next(&window, &read_at) {
                MemberSearch::Found { at, next } => {
                    self.at = next;
                    if self.offset + at as u64 - self.origin.offset >= self.size as u64 {
                        return Some(at);
                    }
                }
                MemberSearch::NotBefore(at) => {
                    self.at = at;
                    if self.last {
                        return None;
                    }
                    self.drop_searched();
                    let before = self.origin.offset.saturating_sub(self.offset) as usize;
                    self.read(before + self.size + MORE / 2).ok()?;
                }
                MemberSearch::Lost => return None,
            }
        }
    }

    /// Ends the current piece at an index of the buffer.
    fn piece(&mut self, at: usize, spare: &mut Vec<Vec<u8>>) -> FilePiece {
        let is_archive = matches!(self.finder, Finder::Members(_));
        let (behind, tail) = if is_archive {
            (LOOK_BEHIND, TAIL)
        } else {
            (0, 0)
        };
        while self.end < at + tail && !self.last && self.read(0).is_ok() {}
        let offset = self.offset + at as u64;
        let mut origin = self.origin;
        self.origin.offset = offset;
        let mut known = None;
        let start = origin.offset.checked_sub(self.offset);
        let start = start.and_then(|start| usize::try_from(start).ok());
        match &mut self.finder {
            Finder::Lines { counts: true, .. } => {
                self.origin.line += breaks(&self.buffer[..at]);
            }
            Finder::Lines { .. } => {}
            Finder::Members(finder) => {
                origin.split.end = Some(offset);
                self.origin.split = finder.context();
                known = Some(finder.take_index(offset));
            }
        }
        // The next piece begins with what has been read beyond this one.
        let mut buffer = spare.pop().unwrap_or_default();
        let from = at.saturating_sub(behind);
        let rest = self.end - from;
        if buffer.len() < rest {
            buffer.resize(rest, 0);
        }
        buffer[..rest].copy_from_slice(&self.buffer[from..self.end]);
        let taken = std::mem::replace(&mut self.buffer, buffer);
        let bytes = start.map(|start| PieceBytes {
            buffer: taken,
            start,
            end: self.end.min(at + tail),
        });
        self.index += 1;
        self.offset += from as u64;
        self.at = self.at.saturating_sub(from);
        self.end = rest;
        FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index - 1,
            origin,
            end: Some(offset),
            bytes,
            known,
        }
    }

    /// Returns the last piece: everything from the start of the current one on.
    fn rest(&mut self) -> FilePiece {
        self.finished = true;
        let is_searched = self.last && self.at == self.end;
        let start = self.origin.offset.checked_sub(self.offset);
        let bytes = start.filter(|_| self.last).map(|start| PieceBytes {
            buffer: std::mem::take(&mut self.buffer),
            start: start as usize,
            end: self.end,
        });
        let known = match &mut self.finder {
            Finder::Members(finder) if is_searched => Some(finder.take_index(u64::MAX)),
            _ => None,
        };
        FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            origin: self.origin,
            end: None,
            bytes,
            known,
        }
    }

    /// Drops bytes of a member that is longer than two pieces.
    fn drop_searched(&mut self) {
        let behind = self.at.saturating_sub(LOOK_BEHIND);
        if self.end > self.size.saturating_mul(2) && behind > 0 {
            self.buffer.copy_within(behind..self.end, 0);
            self.end -= behind;
            self.at -= behind;
            self.offset += behind as u64;
        }
    }

    /// Reads more of the file, until `want` bytes are in view.
    fn read(&mut self, want: usize) -> io::Result<()> {
        let want = want.max(self.end + MORE);
        if self.buffer.len() < want {
            self.buffer.resize(want, 0);
        }
        let mut rest = Section {
            file: &self.whole.file,
            at: self.offset + self.end as u64,
            end: u64::MAX,
        };
        self.end += fill(&mut rest, &mut self.buffer[self.end..want])?;
        self.last = self.end < want;
        Ok(())
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/split_document.rs"]
mod tests;
