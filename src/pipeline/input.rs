//! Opens documents and reads their first bytes, in as few system calls as possible.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};

use super::sniff::HEAD;
use super::walk::{Entry, EntryKind};
use crate::bytes::source::fill;

/// A file of up to this many bytes is read at once.
const WHOLE: u64 = 256 << 10;
/// The number of bytes that are read first of a file of unknown length: most files are shorter.
pub(crate) const SHORT: usize = 16 << 10;

/// An opened document with its first bytes.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    /// All bytes.
    Whole(&'a [u8]),
    /// The first bytes, and the file after them.
    File(&'a [u8], File),
    /// The first bytes, and the stream after them.
    Stream(&'a [u8], Stream),
}

/// An input that can only be read once.
#[derive(Debug)]
pub(crate) enum Stream {
    /// Standard input.
    Standard(io::Stdin),
    /// A pipe or a device.
    File(File),
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Standard(stdin) => stdin.read(into),
            Stream::File(file) => file.read(into),
        }
    }
}

impl<'a> Input<'a> {
    /// Opens a file and reads its first bytes into `head`, or all bytes of a short file. The rest of
    /// `head` keeps bytes of earlier files, since clearing takes longer than reading.
    ///
    /// A short file of known length takes three system calls: open, read, close.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or read.
    pub(crate) fn open(entry: &Entry, head: &'a mut Vec<u8>) -> io::Result<Self> {
        match entry.kind {
            EntryKind::File(length @ 1..=WHOLE) => {
                let mut file = File::open(&entry.path)?;
                Ok(Input::Whole(read(&mut file, head, length as usize)?))
            }
            // Files without a length, as in /proc, have the length 0.
            EntryKind::File(0) => {
                let mut file = File::open(&entry.path)?;
                let head = read(&mut file, head, HEAD)?;
                Ok(Input::Stream(head, Stream::File(file)))
            }
            EntryKind::File(_) => {
                let mut file = File::open(&entry.path)?;
                let head = read(&mut file, head, HEAD)?;
                Ok(Input::File(head, file))
            }
            EntryKind::Unmeasured => {
                let mut file = File::open(&entry.path)?;
                let (mut wanted, mut length) = (SHORT, read(&mut file, head, SHORT)?.len());
                while length == wanted && wanted < WHOLE as usize {
                    wanted = (wanted * 4).min(WHOLE as usize);
                    length += fill(&mut file, &mut resized(head, wanted)[length..])?;
                }
                let head = &head[..length];
                match length == wanted {
                    true => Ok(Input::File(head, file)),
                    false => Ok(Input::Whole(head)),
                }
            }
            // INVARIANT: `FileReader::read` does not open files that are left out.
            EntryKind::LeftOut(_) => Ok(Input::Whole(&[])),
            EntryKind::Standard | EntryKind::Stream => {
                let mut stream = match entry.kind {
                    EntryKind::Standard => {
                        if let Some(mut file) = standard_file() {
                            return Ok(Input::File(read(&mut file, head, HEAD)?, file));
                        }
                        Stream::Standard(io::stdin())
                    }
                    _ => Stream::File(File::open(&entry.path)?),
                };
                let head = read(&mut stream, head, HEAD)?;
                Ok(Input::Stream(head, stream))
            }
        }
    }

    /// Returns whether a file, of which `length` bytes could be read, became shorter since it was
    /// found. Files that never have the length that they claim, as in /sys, did not.
    pub(crate) fn has_shrunk(entry: &Entry, length: u64) -> bool {
        match entry.kind {
            EntryKind::File(before) if length < before => fs::metadata(&entry.path)
                .is_ok_and(|metadata| metadata.is_file() && metadata.len() < before),
            _ => false,
        }
    }

    /// Returns the first bytes.
    pub(crate) fn head(&self) -> &'a [u8] {
        match self {
            Input::Whole(head) | Input::File(head, _) | Input::Stream(head, _) => head,
        }
    }
}

/// Returns standard input as a file, where it is one that is read from its first byte on.
fn standard_file() -> Option<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned();
    let mut file = File::from(owned.ok()?);
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    (is_file && file.stream_position().ok() == Some(0)).then_some(file)
}

/// Reads `length` bytes into a buffer, fewer only at the end, and returns them.
///
/// # Errors
///
/// Those of the reader, but for interruptions, which are retried.
pub(crate) fn read<'a>(
    reader: &mut impl Read,
    buffer: &'a mut Vec<u8>,
    length: usize,
) -> io::Result<&'a [u8]> {
    let buffer = resized(buffer, length);
    let end = fill(reader, buffer)?;
    Ok(&buffer[..end])
}

/// Returns the first `length` bytes of a buffer, of any contents; makes it longer if necessary.
fn resized(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    &mut buffer[..length]
}

/// A file whose first bytes have been read.
#[derive(Debug)]
pub(crate) struct Joined<'a> {
    head: &'a [u8],
    file: File,
    at: usize,
}

impl<'a> Joined<'a> {
    /// Joins the first bytes of a file and the file, which is positioned after them.
    pub(crate) fn new(head: &'a [u8], file: File) -> Self {
        Joined { head, file, at: 0 }
    }
}

impl Read for Joined<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let rest = &self.head[self.at..];
        if rest.is_empty() {
            return self.file.read(into);
        }
        let n = rest.len().min(into.len());
        into[..n].copy_from_slice(&rest[..n]);
        self.at += n;
        Ok(n)
    }
}

impl Seek for Joined<'_> {
    /// Supports seeking to the start only.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if to != SeekFrom::Start(0) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.at = 0;
        self.file.seek(SeekFrom::Start(self.head.len() as u64))?;
        Ok(0)
    }
}
