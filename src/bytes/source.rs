//! Sources of bytes: readers that can start again, readers that are shared, and bytes read anywhere.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

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

impl<R: Read + Seek> RewindSource for R {
    fn rewind(&mut self) -> io::Result<()> {
        Seek::rewind(self)
    }
}

/// Fills `into`, a part of it only at the end; retries interruptions and returns the number of bytes read.
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

/// The bytes of a stream that are kept up to a limit, to be read again.
#[derive(Debug, Default)]
pub struct Kept {
    bytes: Vec<u8>,
    limit: usize,
    /// The index of the next byte, while reading again.
    at: usize,
    /// More was read than is kept.
    beyond: bool,
}

impl Kept {
    /// Keeps up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let empty = Kept::default();
        Kept { limit, ..empty }
    }
}

/// A reader that keeps the bytes of a stream, such as a pipe.
///
/// ```
/// use std::io::Read;
/// use uriscan::bytes::source::{Kept, Replay, RewindSource};
/// let kept = &mut Kept::new(64);
/// let mut source = Replay { inner: &b"once and again"[..], kept };
/// let mut text = String::new();
/// source.read_to_string(&mut text)?;
/// source.rewind()?;
/// source.read_to_string(&mut text)?;
/// assert_eq!(text, "once and againonce and again");
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Replay<'k, R> {
    /// The stream.
    pub inner: R,
    /// The bytes that were read before.
    pub kept: &'k mut Kept,
}

impl<R: Read> Read for Replay<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Replay { inner, kept } = self;
        if kept.at < kept.bytes.len() {
            let n = (&kept.bytes[kept.at..]).read(into)?;
            kept.at += n;
            return Ok(n);
        }
        let n = inner.read(into)?;
        let fits = kept.bytes.len() + n <= kept.limit && !kept.beyond;
        if fits && kept.bytes.try_reserve(n).is_ok() {
            kept.bytes.extend_from_slice(&into[..n]);
            kept.at = kept.bytes.len();
        } else if n > 0 {
            // Only a document that is kept whole can be read again.
            **kept = Kept {
                beyond: true,
                ..Kept::default()
            };
        }
        Ok(n)
    }
}

impl<R: Read> RewindSource for Replay<'_, R> {
    fn rewind(&mut self) -> io::Result<()> {
        if self.kept.beyond {
            let reason = "the document is too long to be read again";
            return Err(io::Error::other(reason));
        }
        self.kept.at = 0;
        Ok(())
    }

    fn kept(&self) -> usize {
        self.kept.bytes.len()
    }
}

/// A value that several owners use in turns.
#[derive(Debug, Default)]
pub struct Shared<T: ?Sized>(Arc<Mutex<T>>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Shared(Arc::new(Mutex::new(value)))
    }

    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

impl<T: ?Sized> Shared<T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock()
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<R: Read + ?Sized> Read for Shared<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.lock().read(into)
    }
}

/// Bytes of which any part can be read at any time: a file, or bytes in memory.
pub trait ReadAt: fmt::Debug + Send + Sync {
    /// Reads bytes at an offset; returns how many there are.
    ///
    /// # Errors
    ///
    /// Those of the file.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Returns the number of all bytes.
    ///
    /// # Errors
    ///
    /// Those of the file.
    fn length(&self) -> io::Result<u64>;
}

#[cfg(any(unix, windows))]
impl ReadAt for File {
    #[cfg(unix)]
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, into, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, into, offset)
    }

    fn length(&self) -> io::Result<u64> {
        let mut file = self;
        file.seek(SeekFrom::End(0))
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        self.get(start..).unwrap_or_default().read(into)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

/// Reads a part of a file.
pub(crate) struct Section<F> {
    pub(crate) file: F,
    /// The offset of the next byte.
    pub(crate) at: u64,
    /// The offset after the last one.
    pub(crate) end: u64,
}

impl<F> Section<F> {
    /// Reads from an offset to the end of the file, even if it grows.
    pub(crate) fn from(file: F, at: u64) -> Self {
        let end = u64::MAX;
        Section { file, at, end }
    }
}

impl<F: std::ops::Deref<Target: ReadAt>> Read for Section<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = into.len().min(left);
        let n = self.file.read_at(&mut into[..most], self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}
