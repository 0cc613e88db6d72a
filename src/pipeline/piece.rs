//! A huge file in pieces, so that all workers can share it.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex};

use super::input::{Input, OpenedFile};
use super::walk::Entry;
use crate::archive::{ArchiveFormat, Container};
use crate::bytes::source::Section;
use crate::document::{Format, PieceIndex};
use crate::extractor::PieceOrigin;
use crate::output::record::ArchiveRecord;

/// The number of bytes after a piece of an archive that are read with the piece.
pub(super) const TAIL: usize = 8 << 10;

pub(super) trait Splitter: Send {
    /// Returns the next piece; `spare` holds buffers of earlier pieces.
    fn next(&mut self, spare: &mut Vec<Vec<u8>>) -> Option<Piece>;

    /// Returns whether the next piece has to wait: a worker reads a member from the archive.
    fn is_waiting(&self) -> bool {
        false
    }
}

pub(crate) struct SplitFile {
    pub(crate) entry: Entry,
    /// The number of pieces that have been made.
    pieces: AtomicUsize,
    /// Whether a piece has reported that the file became shorter.
    has_shrunk: AtomicBool,
    sums: Mutex<PieceSums>,
    added: Condvar,
}

#[derive(Default)]
struct PieceSums {
    /// The number of pieces that have been added or dropped.
    pieces: usize,
    record: ArchiveRecord,
    /// The damage to an archive, by the number of the piece.
    faults: Vec<(usize, Vec<u8>)>,
}

/// Some lines, messages or members of a file.
pub(crate) struct Piece {
    pub(crate) whole: Arc<SplitFile>,
    pub(crate) index: usize,
    is_last: bool,
    is_added: bool,
    pub(super) contents: PieceContents,
}

pub(super) enum PieceContents {
    Lines(DocumentPiece),
    Members(ArchivePiece),
}

/// A piece of a document, or messages of an archive of them.
pub(super) struct DocumentPiece {
    pub(super) format: &'static Format,
    pub(super) file: Arc<File>,
    pub(super) origin: PieceOrigin,
    /// None: the end of the file, even if the file grows.
    pub(super) end: Option<u64>,
    /// The bytes of the piece and up to [`TAIL`] bytes after it, where they have been read.
    pub(super) bytes: Option<PieceBytes>,
    /// The findings of the search for members, if the piece was searched.
    pub(super) known: Option<PieceIndex>,
}

pub(super) struct PieceBytes {
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) struct ArchivePiece {
    pub(super) format: &'static ArchiveFormat,
    pub(super) members: Option<Box<dyn Container>>,
    /// The compressed file that the archive is in, with the last piece.
    pub(super) ended: Option<OpenedFile>,
}

impl PieceBytes {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }
}

impl DocumentPiece {
    /// Returns the range of the piece, with [`TAIL`] bytes after a piece of an archive.
    pub(super) fn range(&self) -> Section<Arc<File>> {
        Section {
            file: Arc::clone(&self.file),
            at: self.origin.offset,
            end: self.end.map_or(u64::MAX, |end| end + TAIL as u64),
        }
    }

    /// Returns how many of the first `bytes` bytes belong to the piece, and not to its tail.
    pub(super) fn own(&self, bytes: u64) -> u64 {
        let length = self.end.map(|end| end - self.origin.offset);
        length.map_or(bytes, |length| bytes.min(length))
    }
}

impl SplitFile {
    pub(super) fn new(entry: &Entry) -> Arc<Self> {
        Arc::new(SplitFile {
            entry: entry.clone(),
            pieces: AtomicUsize::new(0),
            has_shrunk: AtomicBool::new(false),
            sums: Mutex::default(),
            added: Condvar::new(),
        })
    }

    /// Makes the next piece.
    pub(super) fn piece(self: &Arc<Self>, is_last: bool, contents: PieceContents) -> Piece {
        Piece {
            whole: Arc::clone(self),
            index: self.pieces.fetch_add(1, Ordering::Relaxed),
            is_last,
            is_added: false,
            contents,
        }
    }

    /// Returns whether the file became shorter, by the length of a piece as read, and no piece has reported it.
    pub(super) fn has_shrunk(&self, piece: &DocumentPiece, length: u64) -> bool {
        let end = piece.origin.offset + length;
        piece.end.is_none_or(|expected| end < expected)
            && Input::has_shrunk(&self.entry, end)
            && !self.has_shrunk.swap(true, Ordering::Relaxed)
    }
}

impl Piece {
    /// Adds the counts of the piece to its file's. The last piece waits and returns the sum.
    pub(super) fn add_counts(&mut self, counts: &ArchiveRecord) -> Option<ArchiveRecord> {
        Some(self.add(|sums| sums.record.add(counts))?.record)
    }

    /// Adds the faults of the archive in the piece. The last piece waits and returns all, in order.
    pub(crate) fn add_faults(&mut self, items: Vec<u8>) -> Option<Vec<u8>> {
        let index = self.index;
        let mut faults = self.add(|sums| sums.faults.push((index, items)))?.faults;
        faults.sort();
        Some(faults.into_iter().flat_map(|(_, items)| items).collect())
    }

    pub(super) fn take_buffer(&mut self) -> Option<Vec<u8>> {
        match &mut self.contents {
            PieceContents::Lines(part) => part.bytes.take().map(|bytes| bytes.buffer),
            PieceContents::Members(_) => None,
        }
    }

    fn add(&mut self, add: impl FnOnce(&mut PieceSums)) -> Option<PieceSums> {
        self.is_added = true;
        let SplitFile { sums, added, .. } = &*self.whole;
        let mut sums = sums.lock();
        sums.pieces += 1;
        add(&mut sums);
        added.notify_all();
        if !self.is_last {
            return None;
        }
        // Pieces are dispatched in order, so workers have all others.
        added.wait_while(&mut sums, |sums| sums.pieces <= self.index);
        Some(std::mem::take(&mut *sums))
    }
}

impl Drop for Piece {
    /// Ends the waiting for a piece that is not added, such as one whose worker panics.
    fn drop(&mut self) {
        if !self.is_added {
            self.is_last = false;
            self.add(|_| {});
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/piece.rs"]
mod tests;
