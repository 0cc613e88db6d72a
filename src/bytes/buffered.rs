//! Buffered input that can look ahead and return to a place.

use std::io::{self, BufRead, Read};

use smart_default::SmartDefault;

/// The number of bytes that are read at a time.
const BUFFER: usize = 64 << 10;
/// The length of a buffer that holds some members whole, in bytes: those are not moved.
const LONG: usize = 256 << 10;
/// The most bytes that are kept for [`BufferedSource::rewind`].
const MARKED: usize = 4 << 20;

/// Input that can be peeked, that leaves the bytes after a member unread, and that can return to a mark.
#[derive(SmartDefault)]
pub(crate) struct BufferedSource {
    #[default(Box::new(io::empty()))]
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The range of `buffer` that is not consumed.
    at: usize,
    end: usize,
    pub(crate) consumed: u64,
    ended: bool,
    /// The error that ended the input; decoders replace it by errors of their own.
    pub(crate) error: Option<io::ErrorKind>,
    /// The index in `buffer` that [`BufferedSource::rewind`] returns to.
    mark: Option<usize>,
}

impl BufferedSource {
    pub(crate) fn new(reader: Box<dyn Read + Send>) -> Self {
        BufferedSource::with_buffer(reader, vec![0; BUFFER])
    }

    /// Buffers more at a time, for members that are looked at as a whole.
    pub(crate) fn long(reader: Box<dyn Read + Send>) -> Self {
        BufferedSource::with_buffer(reader, vec![0; LONG])
    }

    pub(crate) fn over(bytes: Vec<u8>) -> Self {
        BufferedSource {
            end: bytes.len(),
            ended: true,
            ..BufferedSource::with_buffer(Box::new(io::empty()), bytes)
        }
    }

    fn with_buffer(reader: Box<dyn Read + Send>, buffer: Vec<u8>) -> Self {
        BufferedSource {
            reader,
            buffer,
            ..BufferedSource::default()
        }
    }

    /// Keeps the bytes from here on, up to [`MARKED`], for [`BufferedSource::rewind`].
    pub(crate) fn mark(&mut self) {
        self.mark = Some(self.at);
    }

    /// Returns to the mark; does nothing, and returns false, where too much has been read since.
    pub(crate) fn rewind(&mut self) -> bool {
        let Some(mark) = self.mark.take() else {
            return false;
        };
        self.consumed -= (self.at - mark) as u64;
        self.at = mark;
        true
    }

    /// Makes room at the end of the buffer; drops consumed, unmarked bytes if that moves fewer than it drops.
    fn make_room(&mut self, room: usize) {
        if self.buffer.len() - self.end >= room && self.at < self.end && self.mark.is_none() {
            return;
        }
        if self.mark.is_some_and(|mark| self.end - mark > MARKED) {
            self.mark = None;
        }
        let from = self.mark.unwrap_or(self.at);
        let kept = self.end - from;
        if kept <= from {
            self.buffer.copy_within(from..self.end, 0);
            self.end = kept;
            self.at -= from;
            self.mark = self.mark.map(|_| 0);
            // A buffer that one member made long is not kept for the others.
            if self.buffer.len() > 16 * BUFFER && kept + room < BUFFER {
                self.buffer.truncate(LONG);
                self.buffer.shrink_to_fit();
            }
        }
        if self.buffer.len() - self.end < room {
            self.buffer.resize(self.end + room.max(BUFFER), 0);
        }
    }

    /// Returns the next bytes without consuming them: `most` of them, fewer only at the end.
    pub(crate) fn peek(&mut self, most: usize) -> &[u8] {
        if self.end - self.at < most && !self.ended {
            self.make_room(most - (self.end - self.at));
            while self.end - self.at < most && !self.ended {
                // The error is kept.
                let _ = self.read_more();
            }
        }
        &self.buffer[self.at..self.end.min(self.at + most)]
    }

    /// Returns the next bytes as far as they have been read, and whether none follow.
    pub(crate) fn buffered(&self) -> (&[u8], bool) {
        (&self.buffer[self.at..self.end], self.ended)
    }

    /// Returns the next `N` bytes without consuming them; `None` where the input ends before.
    pub(crate) fn peek_array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.peek(N).first_chunk().copied()
    }

    /// Consumes `n` bytes or all that are left; returns how many those were.
    pub(crate) fn skip(&mut self, n: u64) -> u64 {
        let mut left = n;
        while left > 0 {
            let available = self.available().len();
            if available == 0 {
                break;
            }
            let step = available.min(usize::try_from(left).unwrap_or(usize::MAX));
            self.consume(step);
            left -= step as u64;
        }
        n - left
    }

    /// Returns the buffered bytes, after a read if the buffer is empty; empty at the end and after an error.
    pub(crate) fn available(&mut self) -> &[u8] {
        self.fill_buf().unwrap_or_default()
    }

    /// Appends the next `n` bytes to `into`, fewer at the end and after an error.
    pub(crate) fn read_up_to(&mut self, n: usize, into: &mut Vec<u8>) {
        let _ = Read::take(self, n as u64).read_to_end(into);
    }

    pub(crate) fn take_error(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), |kind| Err(kind.into()))
    }

    fn read_more(&mut self) -> io::Result<()> {
        match self.reader.read(&mut self.buffer[self.end..]) {
            Ok(n) => {
                self.end += n;
                self.ended = n == 0;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => {
                self.ended = true;
                self.error = Some(error.kind());
                Err(error)
            }
        }
    }
}

impl BufRead for BufferedSource {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.end && !self.ended {
            self.make_room(BUFFER / 2);
            self.read_more()?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, n: usize) {
        self.at += n;
        self.consumed += n as u64;
    }
}

impl Read for BufferedSource {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(into)?;
        self.consume(n);
        Ok(n)
    }
}
