//! Readers that can start again at the first byte of a document.

use std::io::{self, Read, Seek};

/// A reader that can start again at the first byte.
pub trait RewindSource: Read {
    /// Returns to the first byte.
    ///
    /// # Errors
    ///
    /// When the source cannot be read again.
    fn rewind(&mut self) -> io::Result<()>;

    /// The number of bytes kept in memory for reading again.
    fn kept(&self) -> usize {
        0
    }
}

/// Fills `into`, a part of it only at the end, and returns the number of bytes read.
///
/// # Errors
///
/// Those of the reader, but for interruptions, which are retried.
pub(crate) fn fill(reader: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut end = 0;
    while end < into.len() {
        match reader.read(&mut into[end..]) {
            Ok(0) => break,
            Ok(n) => end += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(end)
}

/// A document in a seekable reader.
#[derive(Debug)]
pub(crate) struct Seekable<R> {
    inner: R,
}

impl<R: Read + Seek> Seekable<R> {
    /// A document that starts at offset 0 of `inner`.
    pub(crate) fn new(inner: R) -> Self {
        Seekable { inner }
    }
}

impl<R: Read> Read for Seekable<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.inner.read(into)
    }
}

impl<R: Read + Seek> RewindSource for Seekable<R> {
    fn rewind(&mut self) -> io::Result<()> {
        self.inner.rewind()
    }
}

/// A reader that keeps the bytes of a stream, such as a pipe, up to a limit.
///
/// ```
/// use std::io::Read;
/// use uriscan::bytes::source::{Replay, RewindSource};
/// let mut source = Replay::new(&b"once and again"[..], 64);
/// let mut text = String::new();
/// source.read_to_string(&mut text)?;
/// source.rewind()?;
/// source.read_to_string(&mut text)?;
/// assert_eq!(text, "once and againonce and again");
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Replay<R> {
    inner: R,
    kept: Vec<u8>,
    limit: usize,
    /// The index in `kept` of the next byte, while reading again.
    at: usize,
    /// More was read than is kept.
    beyond: bool,
}

impl<R: Read> Replay<R> {
    /// Keeps up to `limit` bytes of `inner`.
    pub fn new(inner: R, limit: usize) -> Self {
        Replay {
            inner,
            kept: Vec::new(),
            limit,
            at: 0,
            beyond: false,
        }
    }
}

impl<R: Read> Read for Replay<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at < self.kept.len() {
            let n = (&self.kept[self.at..]).read(into)?;
            self.at += n;
            return Ok(n);
        }
        let n = self.inner.read(into)?;
        let fits = self.kept.len() + n <= self.limit && !self.beyond;
        if fits && self.kept.try_reserve(n).is_ok() {
            self.kept.extend_from_slice(&into[..n]);
            self.at = self.kept.len();
        } else if n > 0 {
            // Only a document that is kept whole can be read again.
            self.beyond = true;
            self.kept = Vec::new();
            self.at = 0;
        }
        Ok(n)
    }
}

impl<R: Read> RewindSource for Replay<R> {
    fn rewind(&mut self) -> io::Result<()> {
        if self.beyond {
            return Err(io::Error::other(
                "the document is too long to be read again",
            ));
        }
        self.at = 0;
        Ok(())
    }

    fn kept(&self) -> usize {
        self.kept.len()
    }
}
