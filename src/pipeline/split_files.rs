//! One huge archive of files in pieces of whole members, so that all workers can share it.
//!
//! A piece begins where a header says that a member does: at an entry of the central directory of a zip,
//! at a header of a tar. Each piece has the links and the diagnostics that it has in the whole.

use std::fs::File;
use std::sync::Arc;

use super::split_lines::{PieceSum, SumGuard};
use super::split_records::RecordPiece;
use super::walk::Entry;
use crate::archive::{ArchiveFormat, MemberRange, MemberStart};
use crate::output::record::ArchiveRecord;

/// An archive of files that is split.
#[derive(Debug)]
pub(crate) struct SplitFiles {
    /// The path and the length of the file.
    pub(crate) entry: Entry,
    /// The format of the archive.
    pub(crate) format: &'static ArchiveFormat,
    counts: PieceSum<ArchiveRecord>,
    /// The damage to the archive, by the number of the piece.
    faults: PieceSum<Vec<(usize, Vec<u8>)>>,
}

/// Some members of an archive of files.
#[derive(Debug)]
pub(crate) struct FilesPiece {
    /// The archive.
    pub(crate) whole: Arc<SplitFiles>,
    /// Counts the pieces of the archive from 0.
    pub(crate) index: usize,
    /// The members.
    pub(crate) range: MemberRange,
}

/// Splits an archive of files, piece by piece.
pub(crate) struct FilesSplitter {
    whole: Arc<SplitFiles>,
    size: u64,
    index: usize,
    start: Option<MemberStart>,
}

impl FilesSplitter {
    /// Splits a file into pieces of about `size` bytes, unpacked; `None` where its members cannot be read
    /// one without another.
    pub(crate) fn new(entry: &Entry, format: &'static ArchiveFormat, size: u64) -> Option<Self> {
        format.has_ranges().then(|| FilesSplitter {
            whole: Arc::new(SplitFiles {
                entry: entry.clone(),
                format,
                counts: PieceSum::default(),
                faults: PieceSum::default(),
            }),
            size,
            index: 0,
            start: Some(MemberStart::default()),
        })
    }
}

impl Iterator for FilesSplitter {
    type Item = FilesPiece;

    fn next(&mut self) -> Option<FilesPiece> {
        let start = self.start?;
        let file = File::open(&self.whole.entry.path).ok();
        let format = self.whole.format;
        self.start = file.and_then(|file| format.pass_over(Box::new(file), start, self.size));
        let index = self.index;
        self.index += 1;
        Some(FilesPiece {
            whole: Arc::clone(&self.whole),
            index,
            range: MemberRange {
                start,
                end: self.start,
            },
        })
    }
}

impl FilesPiece {
    fn is_last(&self) -> bool {
        self.range.end.is_none()
    }

    /// Adds what is wrong with the archive in the piece. The last piece waits for all others and returns
    /// everything, in the order of the pieces.
    pub(crate) fn add_faults(&self, items: Vec<u8>) -> Option<Vec<u8>> {
        let add = |faults: &mut Vec<_>| faults.push((self.index, items));
        let mut faults = self.whole.faults.add(self.index, self.is_last(), add)?;
        faults.sort();
        Some(faults.into_iter().flat_map(|(_, items)| items).collect())
    }
}

/// A piece of an archive whose members are read one after the other.
#[derive(Debug)]
pub(crate) enum ArchivePiece {
    /// Records of the web.
    Records(RecordPiece),
    /// Files.
    Files(FilesPiece),
}

impl ArchivePiece {
    /// Returns the path and the length of the file.
    pub(crate) fn entry(&self) -> &Entry {
        match self {
            ArchivePiece::Records(piece) => &piece.whole.entry,
            ArchivePiece::Files(piece) => &piece.whole.entry,
        }
    }

    /// Returns a guard for the reading of the piece: should that panic, no piece waits for it.
    pub(super) fn guard(&self) -> SumGuard<'_, ArchiveRecord> {
        match self {
            ArchivePiece::Records(piece) => piece.whole.sum.guard(),
            ArchivePiece::Files(piece) => piece.whole.counts.guard(),
        }
    }

    /// Returns the number of pieces of the archive before this one.
    pub(crate) fn index(&self) -> usize {
        match self {
            ArchivePiece::Records(piece) => piece.index,
            ArchivePiece::Files(piece) => piece.index,
        }
    }

    /// Adds the counts of the piece to those of its archive. The last piece waits for all others and
    /// returns the sum.
    pub(crate) fn add_counts(&self, counts: &ArchiveRecord) -> Option<ArchiveRecord> {
        match self {
            ArchivePiece::Records(piece) => piece.add_counts(counts),
            ArchivePiece::Files(piece) => {
                let add = |sum: &mut ArchiveRecord| sum.add(counts);
                (piece.whole.counts).add(piece.index, piece.is_last(), add)
            }
        }
    }
}
