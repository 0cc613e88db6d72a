//! Where a document's bytes come from, and how to read them a second time.

use std::io::{self, Read, Seek, SeekFrom};

/// A document that can be read again from its first byte.
pub trait RewindSource: Read {
    /// Goes back to the first byte.
    ///
    /// # Errors
    ///
    /// When the source cannot.
    fn rewind(&mut self) -> io::Result<()>;

    /// How many of its bytes are kept for that.
    fn kept(&self) -> usize {
        0
    }
}

/// A document in something seekable, from where it stands.
#[derive(Debug)]
pub struct Seekable<R> {
    inner: R,
    start: u64,
}

impl<R: Read + Seek> Seekable<R> {
    /// A document that starts at the very beginning of `inner`.
    pub fn new(inner: R) -> Self {
        Seekable { inner, start: 0 }
    }

    /// A document that starts where `inner` stands now.
    ///
    /// # Errors
    ///
    /// When `inner` cannot tell where it stands.
    pub fn from_here(mut inner: R) -> io::Result<Self> {
        let start = inner.stream_position()?;
        Ok(Seekable { inner, start })
    }
}

impl<R: Read> Read for Seekable<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.inner.read(into)
    }
}

impl<R: Read + Seek> RewindSource for Seekable<R> {
    fn rewind(&mut self) -> io::Result<()> {
        self.inner.seek(SeekFrom::Start(self.start)).map(drop)
    }
}

/// A document that comes once, such as a pipe: its first bytes are kept, up to a limit.
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
    /// Where in `kept` to read, while reading again.
    at: usize,
    /// More has been read than is kept.
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
            // What cannot be replayed whole is not worth its memory.
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
