//! Opens documents, and reads them in as few system calls as there can be.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};

use super::sniff::HEAD;
use super::walk::{Entry, EntryKind};

/// A file of up to this many bytes is read at once.
pub const WHOLE: u64 = 256 << 10;
/// Most files are shorter than this: so much is read first of one whose length is not known.
pub const SHORT: usize = 16 << 10;

/// A document, opened, with its first bytes read.
#[derive(Debug)]
pub enum Input<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Its first bytes, and the file behind them.
    File(&'a [u8], File),
    /// Its first bytes, and what else comes.
    Stream(&'a [u8], Stream),
}

/// Something that can only be read once.
#[derive(Debug)]
pub enum Stream {
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
    /// Opens a file and reads its first bytes into `head`, or all of it where it is short. What else
    /// is in `head` is of files before, for to clear it takes longer than to fill it.
    ///
    /// A short file costs three system calls: open, read, close. That a file whose length is known
    /// has come to its end needs no fourth one.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or read.
    pub fn open(entry: &Entry, head: &'a mut Vec<u8>) -> io::Result<Self> {
        match entry.kind {
            EntryKind::File(length @ 1..=WHOLE) => {
                let mut file = File::open(&entry.path)?;
                Ok(Input::Whole(read(&mut file, head, length as usize)?))
            }
            // What claims to be empty may be of the kind that has no length, as in /proc.
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
                let (mut most, mut have) = (SHORT, read(&mut file, head, SHORT)?.len());
                while have == most && most < WHOLE as usize {
                    most = (most * 4).min(WHOLE as usize);
                    have += fill(&mut file, &mut room(head, most)[have..])?;
                }
                let head = &head[..have];
                match have == most {
                    true => Ok(Input::File(head, file)),
                    false => Ok(Input::Whole(head)),
                }
            }
            // INVARIANT: whoever reads has asked before whether it is left out.
            EntryKind::LeftOut(_) => Ok(Input::Whole(&[])),
            EntryKind::Standard | EntryKind::Stream => {
                let mut stream = match entry.kind {
                    EntryKind::Standard => Stream::Standard(io::stdin()),
                    _ => Stream::File(File::open(&entry.path)?),
                };
                let head = read(&mut stream, head, HEAD)?;
                Ok(Input::Stream(head, stream))
            }
        }
    }

    /// Whether less of a file is there than there was when it was found. Files that never have the
    /// length that they claim, as in /sys, are no such case.
    pub fn has_shrunk(entry: &Entry, length: u64) -> bool {
        match entry.kind {
            EntryKind::File(before) if length < before => fs::metadata(&entry.path)
                .is_ok_and(|metadata| metadata.is_file() && metadata.len() < before),
            _ => false,
        }
    }

    /// Its first bytes.
    pub fn head(&self) -> &'a [u8] {
        match self {
            Input::Whole(head) | Input::File(head, _) | Input::Stream(head, _) => head,
        }
    }
}

/// Reads up to `most` bytes into a buffer, fewer only at the end, and shows them.
///
/// # Errors
///
/// Those of the reader, but for interruptions, which are retried.
pub fn read<'a>(
    reader: &mut impl Read,
    buffer: &'a mut Vec<u8>,
    most: usize,
) -> io::Result<&'a [u8]> {
    let room = room(buffer, most);
    let end = fill(reader, room)?;
    Ok(&room[..end])
}

/// So many bytes of a buffer, whatever is in them.
fn room(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    &mut buffer[..length]
}

/// Fills `into`, less of it only at the end, and says how much.
///
/// # Errors
///
/// Those of the reader, but for interruptions, which are retried.
pub fn fill(reader: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
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

/// A file whose first bytes have been read already.
#[derive(Debug)]
pub struct Joined<'a> {
    head: &'a [u8],
    file: File,
    at: usize,
}

impl<'a> Joined<'a> {
    /// `file` stands behind `head`, its first bytes.
    pub fn new(head: &'a [u8], file: File) -> Self {
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
    /// Goes back to the start; there is no need to go anywhere else.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if to != SeekFrom::Start(0) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.at = 0;
        self.file.seek(SeekFrom::Start(self.head.len() as u64))?;
        Ok(0)
    }
}
