//! One huge archive in pieces of whole members, so that all workers can share it.
//!
//! The worker that asks for a piece looks for its end: testing each line that may begin a member is
//! many times faster than scanning, and nothing is read twice, for the piece takes the bytes along.
//! A member that is longer than two pieces is read by its worker.

use std::fs::File;
use std::sync::Arc;

use super::split_lines::{FilePiece, FileRange, PieceBytes, SplitFile, TAIL, read_at};
use super::walk::Entry;
use crate::bytes::source::fill;
use crate::bytes::window::Window;
use crate::document::{Format, MemberFinder, MemberSearch, SplitContext, SplitPoint};

/// The number of searched bytes that are kept for the finder to look back at.
const LOOK_BEHIND: usize = 64;
/// The number of bytes that are read at a time beyond the length of a piece.
const MORE: usize = 64 << 10;

/// Splits an archive, piece by piece.
pub(crate) struct MemberSplitter {
    whole: Arc<SplitFile>,
    finder: Box<dyn MemberFinder>,
    size: usize,
    index: usize,
    /// The offset where the current piece begins.
    start: u64,
    /// The context of the current piece.
    split: SplitContext,
    /// The bytes in view are `buffer[..end]`, which stand at `offset` in the file.
    buffer: Vec<u8>,
    end: usize,
    offset: u64,
    /// The finder has searched `buffer[..at]`.
    at: usize,
    /// The file ends at `end`.
    last: bool,
    finished: bool,
}

impl MemberSplitter {
    /// Splits a file into pieces of about `size` bytes; `None` for a format that is no archive.
    pub fn new(entry: Entry, format: &'static Format, file: File, size: u64) -> Option<Self> {
        let Some(SplitPoint::Member(finder)) = format.split_point else {
            return None;
        };
        Some(MemberSplitter {
            whole: Arc::new(SplitFile::new(entry, format, file)),
            finder: finder(),
            size: usize::try_from(size).unwrap_or(usize::MAX).max(1),
            index: 0,
            start: 0,
            split: SplitContext::default(),
            buffer: Vec::new(),
            end: 0,
            offset: 0,
            at: 0,
            last: false,
            finished: false,
        })
    }

    /// Returns the next piece; `spare` holds buffers of earlier pieces.
    pub(crate) fn next(&mut self, spare: &mut Vec<Vec<u8>>) -> Option<FilePiece> {
        if self.finished {
            return None;
        }
        loop {
            let window = Window {
                bytes: &self.buffer[..self.end],
                start: self.at,
                offset: self.offset,
                last: self.last,
            };
            let file = &self.whole.file;
            let read_at = |offset, into: &mut [u8]| {
                let mut rest = FileRange::new(file, offset);
                fill(&mut rest, into).unwrap_or(0)
            };
            match self.finder.next(&window, &read_at) {
                MemberSearch::Found { at, next } => {
                    self.at = next;
                    let offset = self.offset + at as u64;
                    if offset - self.start >= self.size as u64 {
                        return Some(self.piece(offset, spare));
                    }
                }
                MemberSearch::NotBefore(at) => {
                    self.at = at;
                    if self.last {
                        return Some(self.rest());
                    }
                    self.drop_searched();
                    if !self.read() {
                        return Some(self.rest());
                    }
                }
                MemberSearch::Lost => return Some(self.rest()),
            }
        }
    }

    /// Ends the current piece where the member at `offset` begins.
    fn piece(&mut self, offset: u64, spare: &mut Vec<Vec<u8>>) -> FilePiece {
        let at = (offset - self.offset) as usize;
        while self.end < at + TAIL && !self.last && self.read() {}
        let split = SplitContext {
            end: Some(offset),
            ..self.split
        };
        self.split = self.finder.context();
        // The next piece begins with what has been read beyond this one.
        let mut buffer = spare.pop().unwrap_or_default();
        let from = at.saturating_sub(LOOK_BEHIND);
        let rest = self.end - from;
        if buffer.len() < rest {
            buffer.resize(rest, 0);
        }
        buffer[..rest].copy_from_slice(&self.buffer[from..self.end]);
        let taken = std::mem::replace(&mut self.buffer, buffer);
        let bytes = self.start.checked_sub(self.offset).map(|start| PieceBytes {
            buffer: taken,
            start: start as usize,
            end: self.end.min(at + TAIL),
        });
        let piece = FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            start: self.start,
            end: Some(offset),
            split,
            bytes,
            known: Some(self.finder.take_index(offset)),
        };
        self.index += 1;
        self.start = offset;
        self.offset += from as u64;
        self.at -= from;
        self.end = rest;
        piece
    }

    /// Returns the last piece: everything from the start of the current one on.
    fn rest(&mut self) -> FilePiece {
        self.finished = true;
        let is_searched = self.last && self.at == self.end;
        let start = self.start.checked_sub(self.offset);
        let bytes = start.filter(|_| self.last).map(|start| PieceBytes {
            buffer: std::mem::take(&mut self.buffer),
            start: start as usize,
            end: self.end,
        });
        FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            start: self.start,
            end: None,
            split: self.split,
            bytes,
            known: is_searched.then(|| self.finder.take_index(u64::MAX)),
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

    /// Reads more of the file; returns whether that succeeded.
    fn read(&mut self) -> bool {
        let goal = (self.start - self.start.min(self.offset)) as usize + self.size + MORE / 2;
        let want = goal.max(self.end + MORE);
        if self.buffer.len() < want {
            self.buffer.resize(want, 0);
        }
        let mut end = self.end;
        while end < want {
            match read_at(
                &self.whole.file,
                &mut self.buffer[end..want],
                self.offset + end as u64,
            ) {
                Ok(0) => {
                    self.last = true;
                    break;
                }
                Ok(n) => end += n,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        self.end = end;
        true
    }
}
