//! Compressed input, buffered, so that a decoder leaves the bytes behind its member unread.

use std::io::{self, BufRead, Read};

/// Bytes that are read at a time.
const BUFFER: usize = 64 << 10;

/// A reader with a look ahead, which counts what is consumed.
pub(super) struct CompressedSource {
    reader: Box<dyn Read>,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    consumed: u64,
    ended: bool,
    /// Decoders replace an error of the reader by their own, so it is kept here.
    error: Option<io::ErrorKind>,
}

impl CompressedSource {
    pub(super) fn new(reader: Box<dyn Read>) -> Self {
        CompressedSource {
            reader,
            buffer: vec![0; BUFFER],
            at: 0,
            end: 0,
            consumed: 0,
            ended: false,
            error: None,
        }
    }

    /// Returns the next bytes without consuming them: `most` of them, fewer only at the end.
    pub(super) fn peek(&mut self, most: usize) -> &[u8] {
        if self.end - self.at < most && !self.ended {
            self.buffer.copy_within(self.at..self.end, 0);
            self.end -= self.at;
            self.at = 0;
            while self.end < most && !self.ended {
                // The error is kept for `error`.
                let _ = self.read_more();
            }
        }
        &self.buffer[self.at..self.end.min(self.at + most)]
    }

    /// Consumes `n` bytes or all that are left; returns how many those were.
    pub(super) fn skip(&mut self, n: u64) -> u64 {
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

    /// Returns the bytes that are buffered, after reading when there are none: empty at the end,
    /// and after an error, which [`CompressedSource::error`] tells.
    pub(super) fn available(&mut self) -> &[u8] {
        self.fill_buf().unwrap_or_default()
    }

    /// Bytes consumed so far.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The error that ended the input.
    pub(super) fn error(&self) -> Option<io::Error> {
        self.error.map(io::Error::from)
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

impl BufRead for CompressedSource {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.end && !self.ended {
            (self.at, self.end) = (0, 0);
            self.read_more()?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, n: usize) {
        self.at += n;
        self.consumed += n as u64;
    }
}

impl Read for CompressedSource {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(into)?;
        self.consume(n);
        Ok(n)
    }
}
