//! One huge file in pieces, so that all workers can share it.
//!
//! The pieces follow from the file alone, not from who works on them, and each begins behind a
//! [split point](crate::document::Format::split_point): together they have the links of the whole. What one
//! piece has to know of those before it is how many lines there are; the `Ledger` tells it.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::input::{self, Input};
use super::walk::Entry;
use crate::bytes::lines::breaks;
use crate::document::{Format, PieceIndex, SplitContext, SplitPoint};
use crate::extractor::PieceOrigin;
use crate::output::record::ArchiveRecord;

/// A file is cut into pieces of about this many bytes: a piece should stay in a core's cache.
pub const PIECE: u64 = 1 << 20;
/// No file is cut into pieces of this length.
pub const UNCUT: u64 = u64::MAX >> 8;
/// A piece of an archive shows so much of the message behind it.
pub const TAIL: usize = 8 << 10;

/// Files of more than this many pieces are cut.
const WORTHWHILE: u64 = 4;

/// Where no seam is found for this many bytes, the rest is one piece.
const PATIENCE: u64 = 64 << 20;

/// A seam is looked for in this many bytes first.
const LOOK: usize = 16 << 10;

/// A file that is cut.
#[derive(Debug)]
pub struct SplitFile {
    /// The file.
    pub entry: Entry,
    /// Its format.
    pub format: Chosen,
    pub(super) file: File,
    ledger: Ledger,
    /// It has been told already that the file became shorter.
    told: AtomicBool,
    gathered: Gathered,
}

impl SplitFile {
    /// A file of a format, opened.
    pub(super) fn new(entry: Entry, format: &'static Format, file: File) -> Self {
        SplitFile {
            entry,
            format: Chosen(format),
            file,
            ledger: Ledger::default(),
            told: AtomicBool::new(false),
            gathered: Gathered::default(),
        }
    }
}

/// The counts of the pieces of an archive.
#[derive(Debug, Default)]
struct Gathered {
    state: Mutex<(usize, ArchiveRecord)>,
    added: Condvar,
}

/// A format, shown by its name.
#[derive(Clone, Copy)]
pub struct Chosen(pub &'static Format);

impl std::fmt::Debug for Chosen {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0.name)
    }
}

/// A piece of a file.
#[derive(Clone, Debug)]
pub struct FilePiece {
    /// The file.
    pub whole: Arc<SplitFile>,
    /// Its number among the pieces, from 0.
    pub index: usize,
    pub(super) start: u64,
    /// None: it goes on to the end of the file, wherever that will be.
    pub(super) end: Option<u64>,
    /// The rest of the file, if it is an archive.
    pub(super) split: SplitContext,
    /// Its bytes, where they have been read already.
    pub(super) handed: Option<PieceBytes>,
    /// What the search for members found in it, where it has been searched.
    pub(super) known: Option<PieceIndex>,
}

/// Bytes of an archive, handed over with their piece.
#[derive(Clone, Debug, Default)]
pub struct PieceBytes {
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl PieceBytes {
    /// The bytes of the piece, and some of the message behind it.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The memory, to be used again.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}

/// Cuts a file, piece by piece.
#[derive(Debug)]
pub struct LineSplitter {
    whole: Arc<SplitFile>,
    length: u64,
    size: u64,
    index: usize,
    start: u64,
    finished: bool,
    look: Vec<u8>,
}

impl LineSplitter {
    /// Whether a file of this length is worth cutting.
    pub fn is_worthwhile(length: u64, size: u64) -> bool {
        length > size * WORTHWHILE
    }

    /// Cuts a file into pieces of about `size` bytes.
    pub fn new(entry: Entry, format: &'static Format, file: File, length: u64, size: u64) -> Self {
        LineSplitter {
            whole: Arc::new(SplitFile::new(entry, format, file)),
            length,
            size: size.max(1),
            index: 0,
            start: 0,
            finished: false,
            look: Vec::new(),
        }
    }

    /// The first seam behind an offset; none if there is none in reach, or it cannot be read.
    fn seam(&mut self, offset: u64) -> Option<u64> {
        let Some(SplitPoint::Line(seam)) = self.whole.format.0.split_point else {
            return None;
        };
        self.look.clear();
        loop {
            let have = self.look.len();
            let want = (have * 2).max(LOOK);
            self.look.resize(want, 0);
            let mut rest = FileRange::new(&self.whole.file, offset + have as u64);
            let end = have + input::fill(&mut rest, &mut self.look[have..]).ok()?;
            self.look.truncate(end);
            if let Some(at) = seam(&self.look) {
                return Some(offset + at as u64).filter(|&seam| seam < self.length);
            }
            if end < want || end as u64 >= PATIENCE {
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
            self.seam(nominal)
        } else {
            None
        };
        let piece = FilePiece {
            whole: Arc::clone(&self.whole),
            index: self.index,
            start: self.start,
            end,
            split: SplitContext::default(),
            handed: None,
            known: None,
        };
        self.index += 1;
        self.start = end.unwrap_or(0);
        self.finished = end.is_none();
        Some(piece)
    }
}

impl FilePiece {
    /// Reads the piece, if it is short enough to be kept: true if it is.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn load(&self, size: u64, into: &mut Vec<u8>) -> io::Result<bool> {
        let length = self.end.map(|end| end - self.start);
        let Some(length) = length.filter(|&length| length <= size.saturating_mul(2)) else {
            return Ok(false);
        };
        into.resize(length as usize, 0);
        let end = input::fill(&mut self.stretch(), into)?;
        into.truncate(end);
        Ok(true)
    }

    /// Whether the file became shorter, given how much of the piece there is; only the first piece
    /// that asks learns of it.
    pub fn has_shrunk(&self, length: u64) -> bool {
        let end = self.start + length;
        self.end.is_none_or(|expected| end < expected)
            && Input::has_shrunk(&self.whole.entry, end)
            && !self.whole.told.swap(true, Ordering::Relaxed)
    }

    /// Its bytes, to be read in order, and behind those of an archive some of the next message.
    pub fn stretch(&self) -> FileRange<'_> {
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

    /// Whether lines are counted over the whole file, and not in each part of a message.
    pub fn counts_lines(&self) -> bool {
        matches!(self.whole.format.0.split_point, Some(SplitPoint::Line(_)))
    }

    /// How many of so many bytes are its own.
    pub fn own(&self, bytes: u64) -> u64 {
        self.end.map_or(bytes, |end| bytes.min(end - self.start))
    }

    /// Adds what was counted in the piece to the counts of its archive; the last piece waits for
    /// the others and gets the sum.
    pub fn gather(&self, counts: &ArchiveRecord) -> Option<ArchiveRecord> {
        let Gathered { state, added } = &self.whole.gathered;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        state.1.add(counts);
        added.notify_all();
        if self.end.is_some() {
            return None;
        }
        // Pieces are given out in order, so each of the others is at work already.
        while state.0 <= self.index {
            state = added.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Some(std::mem::take(&mut state.1))
    }

    /// Where it starts, without its line.
    pub fn origin(&self) -> PieceOrigin {
        PieceOrigin {
            offset: self.start,
            line: 1,
            split: self.split,
        }
    }

    /// Where it starts. Every piece must ask, with its bytes or none if it cannot read them, for
    /// those behind it wait for its lines.
    pub fn locate(&self, bytes: Option<&[u8]>) -> PieceOrigin {
        let lines = match bytes {
            Some(bytes) => breaks(bytes),
            // Nothing comes behind the last piece.
            None if self.end.is_none() => 0,
            None => self.count(),
        };
        PieceOrigin {
            line: 1 + self.whole.ledger.enter(self.index, lines),
            ..self.origin()
        }
    }

    fn count(&self) -> u64 {
        let mut block = vec![0; LOOK];
        let mut stretch = self.stretch();
        let (mut lines, mut after_cr) = (0, false);
        // What cannot be read is complained of where it is scanned.
        while let Ok(n @ 1..) = input::fill(&mut stretch, &mut block) {
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
pub struct FileRange<'a> {
    file: &'a File,
    at: u64,
    end: Option<u64>,
}

impl Read for FileRange<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = match self.end {
            Some(end) => into.len().min((end - self.at) as usize),
            None => into.len(),
        };
        let n = read_at(self.file, &mut into[..most], self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl<'a> FileRange<'a> {
    /// Everything from an offset on.
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

/// How many line breaks each piece has, as far as they are counted.
///
/// A piece enters its own count before it waits for those before it, and pieces are given out in
/// order: so nobody waits for long, and never in a circle.
#[derive(Debug, Default)]
struct Ledger {
    counts: Mutex<LineBreakCounts>,
    entered: Condvar,
}

#[derive(Debug, Default)]
struct LineBreakCounts {
    /// The line breaks before each piece, for the pieces whose predecessors are all counted.
    before: Vec<u64>,
    /// Counts that came too early, with their index.
    early: Vec<(usize, u64)>,
}

impl Ledger {
    /// Enters a piece's line breaks, and returns those of all pieces before it.
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
mod tests {
    use super::*;
    use crate::pipeline::walk::EntryKind;
    use std::io::Write;

    fn cut(text: &[u8], size: u64) -> (tempfile::NamedTempFile, Vec<FilePiece>) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let length = text.len() as u64;
        let entry = Entry {
            path: file.path().to_path_buf(),
            kind: EntryKind::File(length),
            named: true,
        };
        let format = Format::named("text").unwrap();
        let opened = File::open(file.path()).unwrap();
        let pieces = LineSplitter::new(entry, format, opened, length, size).collect();
        (file, pieces)
    }

    #[test]
    fn pieces_follow_one_another_behind_empty_lines() {
        let text = b"one\n\ntwo\n \t\nthree\nfour\n\n\nfive\n".repeat(9);
        for size in 1..40 {
            let (_file, pieces) = cut(&text, size);
            let mut start = 0;
            for piece in &pieces {
                assert_eq!(piece.start, start, "size {size}");
                start = piece.end.unwrap_or(text.len() as u64);
                assert!(text[..start as usize].ends_with(b"\n"));
                let mut bytes = Vec::new();
                piece.stretch().read_to_end(&mut bytes).unwrap();
                assert_eq!(bytes, text[piece.start as usize..start as usize]);
            }
            assert_eq!(start, text.len() as u64);
            // Whoever comes first: each piece learns of all lines before it.
            let lines = std::thread::scope(|scope| {
                let ask = |piece: &'_ FilePiece| piece.locate(None).line;
                let threads: Vec<_> = pieces
                    .iter()
                    .rev()
                    .map(|piece| scope.spawn(move || ask(piece)))
                    .collect();
                let mut lines: Vec<_> = threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap())
                    .collect();
                lines.reverse();
                lines
            });
            for (piece, line) in pieces.iter().zip(lines) {
                let before = &text[..piece.start as usize];
                assert_eq!(line, 1 + breaks(before), "size {size}, {}", piece.index);
            }
        }
    }

    #[test]
    fn one_piece_tells_that_the_file_became_shorter() {
        let (file, pieces) = cut(&b"line\n\n".repeat(10), 12);
        assert!(pieces.len() > 3);
        let read = |piece: &FilePiece| {
            let mut bytes = Vec::new();
            piece.stretch().read_to_end(&mut bytes).unwrap() as u64
        };
        assert!(!pieces.iter().any(|piece| piece.has_shrunk(read(piece))));
        file.as_file().set_len(20).unwrap();
        let told = pieces.iter().filter(|piece| piece.has_shrunk(read(piece)));
        assert_eq!(told.count(), 1);
    }
}
