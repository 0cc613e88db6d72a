//! One huge archive in pieces of whole messages, so that all workers can share it.
//!
//! Whoever asks for a piece looks for its end: a look at each line that may separate messages is
//! many times faster than reading them, and what has been looked at need not be read once more, for
//! the piece takes the bytes along. A message that is longer than that is read by its worker.

use std::fs::File;
use std::sync::Arc;

use super::input;
use super::split_lines::{FilePiece, FileRange, PieceBytes, SplitFile, TAIL, read_at};
use super::walk::Entry;
use crate::bytes::window::Window;
use crate::document::{Format, MessageFinder, MessageSearch, SplitPoint};

/// What a look for messages may need to look back at.
const BEHIND: usize = 64;
/// Beyond the length of a piece so much is read at a time.
const MORE: usize = 64 << 10;

/// Cuts an archive, piece by piece.
pub struct MessageSplitter {
    whole: Arc<SplitFile>,
    cut: Box<dyn MessageFinder>,
    size: usize,
    index: usize,
    /// The piece at hand begins at this offset.
    start: u64,
    share: crate::document::SplitContext,
    /// What is in view: `buffer[..end]`, which stands at `offset` in the file.
    buffer: Vec<u8>,
    end: usize,
    offset: u64,
    /// How far it has been looked through.
    at: usize,
    /// The file ends with it.
    last: bool,
    finished: bool,
}

impl MessageSplitter {
    /// Cuts a file into pieces of about `size` bytes; none for a format of other seams.
    pub fn new(entry: Entry, format: &'static Format, file: File, size: u64) -> Option<Self> {
        let Some(SplitPoint::Message(cut)) = format.seam else {
            return None;
        };
        Some(MessageSplitter {
            whole: Arc::new(SplitFile::new(entry, format, file)),
            cut: cut(),
            size: usize::try_from(size).unwrap_or(usize::MAX).max(1),
            index: 0,
            start: 0,
            share: crate::document::SplitContext::default(),
            buffer: Vec::new(),
            end: 0,
            offset: 0,
            at: 0,
            last: false,
            finished: false,
        })
    }

    /// The next piece; `spare` holds memory that earlier ones took.
    pub fn next(&mut self, spare: &mut Vec<Vec<u8>>) -> Option<FilePiece> {
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
            let peek = |offset, into: &mut [u8]| {
                let mut rest = FileRange::new(file, offset);
                input::fill(&mut rest, into).unwrap_or(0)
            };
            match self.cut.next(&window, &peek) {
                MessageSearch::Message { at, next } => {
                    self.at = next;
                    let offset = self.offset + at as u64;
                    if offset - self.start >= self.size as u64 {
                        return Some(self.piece(offset, spare));
                    }
                }
                MessageSearch::Nothing(at) => {
                    self.at = at;
                    if self.last {
                        return Some(self.rest());
                    }
                    self.forget();
                    if !self.read() {
                        return Some(self.rest());
                    }
                }
                MessageSearch::Lost => return Some(self.rest()),
            }
        }
    }

    /// The piece at hand, which ends where the message at an offset begins.
    fn piece(&mut self, offset: u64, spare: &mut Vec<Vec<u8>>) -> FilePiece {
        let at = (offset - self.offset) as usize;
        while self.end < at + TAIL && !self.last && self.read() {}
        let mut share = self.share;
        share.end = Some(offset);
        self.share = self.cut.share();
        // The next piece begins with what has been read beyond this one.
        let mut buffer = spare.pop().unwrap_or_default();
        let from = at.saturating_sub(BEHIND);
        let rest = self.end - from;
        if buffer.len() < rest {
            buffer.resize(rest, 0);
        }
        buffer[..rest].copy_from_slice(&self.buffer[from..self.end]);
        let taken = std::mem::replace(&mut self.buffer, buffer);
        let handed = self.start.checked_sub(self.offset).map(|start| PieceBytes {
            buffer: taken,
            start: start as usize,
            end: self.end.min(at + TAIL),
        });
        let piece = FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            start: self.start,
            end: Some(offset),
            share,
            handed,
            seen: Some(self.cut.take(offset)),
        };
        self.index += 1;
        self.start = offset;
        self.offset += from as u64;
        self.at -= from;
        self.end = rest;
        piece
    }

    /// Everything from the piece at hand on.
    fn rest(&mut self) -> FilePiece {
        self.finished = true;
        let looked = self.last && self.at == self.end;
        let start = self.start.checked_sub(self.offset);
        let handed = start.filter(|_| self.last).map(|start| PieceBytes {
            buffer: std::mem::take(&mut self.buffer),
            start: start as usize,
            end: self.end,
        });
        FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            start: self.start,
            end: None,
            share: self.share,
            handed,
            seen: looked.then(|| self.cut.take(u64::MAX)),
        }
    }

    /// A message that is longer than two pieces is not kept.
    fn forget(&mut self) {
        let behind = self.at.saturating_sub(BEHIND);
        if self.end > self.size.saturating_mul(2) && behind > 0 {
            self.buffer.copy_within(behind..self.end, 0);
            self.end -= behind;
            self.at -= behind;
            self.offset += behind as u64;
        }
    }

    /// Reads on; false if it cannot be done.
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
