//! Splits a huge document into pieces of whole lines or messages.
//!
//! The worker that asks for a piece reads it, and looks for its end: that is many times faster than
//! scanning, and nothing is read twice, because the piece takes the bytes along. The pieces depend on the
//! file alone, not on the workers, and each begins at a [split
//! point](crate::document::Format::split_point), so that together they have the links of the whole. A
//! member longer than two pieces is read by its worker.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::options::PipelineOptions;
use super::piece::{DocumentPiece, Piece, PieceBytes, PieceContents, SplitFile, Splitter, TAIL};
use super::walk::Entry;
use crate::bytes::lines::breaks;
use crate::bytes::source::{Section, fill};
use crate::bytes::window::Window;
use crate::document::{Format, MemberFinder, MemberSearch, SplitPoint};
use crate::extractor::{PieceOrigin, Positions};

/// Files of more than this many pieces are split.
const MIN_PIECES: u64 = 4;
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

enum Finder {
    Lines {
        find: fn(&[u8]) -> Option<usize>,
        counts: bool,
    },
    Members(Box<dyn MemberFinder>),
}

pub(super) struct DocumentSplitter {
    whole: Arc<SplitFile>,
    format: &'static Format,
    file: Arc<File>,
    finder: Finder,
    size: usize,
    origin: PieceOrigin,
    /// The bytes in view are `buffer[..end]`, at `offset` in the file.
    buffer: Vec<u8>,
    end: usize,
    offset: u64,
    /// The finder of members has searched `buffer[..at]`.
    at: usize,
    last: bool,
    finished: bool,
}

impl DocumentSplitter {
    /// Splits a file; `None` for a format without split points.
    pub(super) fn new(
        options: &PipelineOptions,
        entry: &Entry,
        format: &'static Format,
        file: File,
    ) -> Option<Self> {
        let finder = match format.split_point? {
            SplitPoint::Line(find) => Finder::Lines {
                find,
                counts: options.extractor.positions == Positions::Lines,
            },
            SplitPoint::Member(finder) => Finder::Members(finder()),
        };
        Some(DocumentSplitter {
            whole: SplitFile::new(entry),
            format,
            file: Arc::new(file),
            finder,
            size: usize::try_from(options.piece_size()).unwrap_or(usize::MAX),
            origin: PieceOrigin::default(),
            buffer: Vec::new(),
            end: 0,
            offset: 0,
            at: 0,
            last: false,
            finished: false,
        })
    }

    /// Returns the index of the first line that may begin the next piece, if it is found and read.
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

    /// Returns the index of the first member that may begin the next piece, if it is found and read.
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
            let file = &*self.file;
            let read_at =
                |at, into: &mut [u8]| fill(&mut Section::from(file, at), into).unwrap_or(0);
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
    fn piece(&mut self, at: usize, spare: &mut Vec<Vec<u8>>) -> DocumentPiece {
        let (behind, tail) = match self.finder {
            Finder::Members(_) => (LOOK_BEHIND, TAIL),
            Finder::Lines { .. } => (0, 0),
        };
        while self.end < at + tail && !self.last && self.read(0).is_ok() {}
        let (start, offset) = (self.start(), self.offset + at as u64);
        let mut part = self.rest();
        part.end = Some(offset);
        self.origin.offset = offset;
        match &mut self.finder {
            Finder::Lines { counts, .. } if !*counts => {}
            Finder::Lines { .. } => self.origin.line += breaks(&self.buffer[..at]),
            Finder::Members(finder) => {
                part.origin.split.end = Some(offset);
                self.origin.split = finder.context();
                part.known = Some(finder.take_index(offset));
            }
        }
        // The next piece begins with the bytes that were read beyond this one.
        let mut buffer = spare.pop().unwrap_or_default();
        let from = at.saturating_sub(behind);
        let rest = self.end - from;
        if buffer.len() < rest {
            buffer.resize(rest, 0);
        }
        buffer[..rest].copy_from_slice(&self.buffer[from..self.end]);
        let buffer = std::mem::replace(&mut self.buffer, buffer);
        let end = self.end.min(at + tail);
        part.bytes = start.map(|start| PieceBytes { buffer, start, end });
        self.offset += from as u64;
        self.at = self.at.saturating_sub(from);
        self.end = rest;
        part
    }

    /// Returns everything from the start of the current piece on, without its bytes and its index.
    fn rest(&self) -> DocumentPiece {
        DocumentPiece {
            format: self.format,
            file: Arc::clone(&self.file),
            origin: self.origin,
            end: None,
            bytes: None,
            known: None,
        }
    }

    fn last_piece(&mut self) -> DocumentPiece {
        self.finished = true;
        let mut part = self.rest();
        if let Finder::Members(finder) = &mut self.finder
            && self.last
            && self.at == self.end
        {
            part.known = Some(finder.take_index(u64::MAX));
        }
        let start = self.start().filter(|_| self.last);
        part.bytes = start.map(|start| PieceBytes {
            buffer: std::mem::take(&mut self.buffer),
            start,
            end: self.end,
        });
        part
    }

    /// Returns the index in the buffer of the first byte of the current piece, unless it was dropped.
    fn start(&self) -> Option<usize> {
        let start = self.origin.offset.checked_sub(self.offset)?;
        usize::try_from(start).ok()
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
        let mut rest = Section::from(&*self.file, self.offset + self.end as u64);
        self.end += fill(&mut rest, &mut self.buffer[self.end..want])?;
        self.last = self.end < want;
        Ok(())
    }
}

impl Splitter for DocumentSplitter {
    fn next(&mut self, spare: &mut Vec<Vec<u8>>) -> Option<Piece> {
        if self.finished {
            return None;
        }
        let end = match &self.finder {
            Finder::Lines { find, .. } => self.next_line(*find),
            Finder::Members(_) => self.next_member(),
        };
        let part = match end {
            Some(end) => self.piece(end, spare),
            None => self.last_piece(),
        };
        Some((self.whole).piece(self.finished, PieceContents::Lines(part)))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/split_document.rs"]
mod tests;
