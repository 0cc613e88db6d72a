//! Opens documents, compressed ones too, and reads their first bytes, in as few system calls as possible.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::sync::Arc;

use super::walk::{Entry, EntryKind};
use crate::archive::ArchiveSource;
use crate::bytes::source::{Shared, fill};
use crate::decode::compression::{Codec, DecompressError, DecompressFault, Decompressed, Members};
use crate::document::NestingLimit;
use crate::document::sniff::HEAD;

/// A file of up to this many bytes is read at once.
const WHOLE: u64 = 256 << 10;
/// The number of bytes that are read first of a file of unknown length: most files are shorter.
pub(crate) const SHORT: usize = 16 << 10;

pub(crate) enum Input<'a> {
    Whole(&'a [u8]),
    /// The first bytes, and the file, which is positioned after them.
    File(&'a [u8], File),
    /// The first bytes, and the stream after them.
    Stream(&'a [u8], Box<dyn Read + Send>),
}

impl<'a> Input<'a> {
    /// Opens a file and reads its first bytes into `head`, or all bytes of a short file, in three system calls.
    /// The rest of `head` keeps bytes of earlier files, since clearing takes longer than reading.
    pub(crate) fn open(entry: &Entry, head: &'a mut Vec<u8>) -> io::Result<Self> {
        let mut file = match entry.kind {
            EntryKind::Standard => match standard_file() {
                Some(file) => file,
                None => {
                    let head = read(&mut io::stdin(), head, HEAD)?;
                    return Ok(Input::Stream(head, Box::new(io::stdin())));
                }
            },
            // INVARIANT: `FileReader::read` does not open files that are left out.
            EntryKind::LeftOut(_) | EntryKind::Repository => return Ok(Input::Whole(&[])),
            _ => File::open(&entry.path)?,
        };
        match entry.kind {
            EntryKind::File(length @ 1..=WHOLE) => {
                read(&mut file, head, length as usize).map(Input::Whole)
            }
            EntryKind::Unmeasured => {
                let (mut wanted, mut length) = (SHORT, read(&mut file, head, SHORT)?.len());
                while length == wanted && wanted < WHOLE as usize {
                    wanted = (wanted * 4).min(WHOLE as usize);
                    length += fill(&mut file, &mut resized(head, wanted)[length..])?;
                }
                let head = &head[..length];
                if length < wanted {
                    return Ok(Input::Whole(head));
                }
                Ok(Input::File(head, file))
            }
            // Files without a length, as in /proc, have the length 0.
            EntryKind::File(0) | EntryKind::Stream => {
                let head = read(&mut file, head, HEAD)?;
                Ok(Input::Stream(head, Box::new(file)))
            }
            _ => Ok(Input::File(read(&mut file, head, HEAD)?, file)),
        }
    }

    /// Returns whether a file became shorter since it was found. Files in /sys never have their length.
    pub(crate) fn has_shrunk(entry: &Entry, length: u64) -> bool {
        match entry.kind {
            EntryKind::File(before) if length < before => fs::metadata(&entry.path)
                .is_ok_and(|metadata| metadata.is_file() && metadata.len() < before),
            _ => false,
        }
    }

    pub(crate) fn head(&self) -> &'a [u8] {
        match self {
            Input::Whole(head) | Input::File(head, _) | Input::Stream(head, _) => head,
        }
    }

    pub(crate) fn into_reader(self) -> Box<dyn Read + Send> {
        let head = Cursor::new(self.head().to_vec());
        match self {
            Input::Whole(_) => Box::new(head),
            Input::File(_, file) => Box::new(head.chain(file)),
            Input::Stream(_, stream) => Box::new(head.chain(stream)),
        }
    }

    /// Returns the source of an archive, which the compressed file with these members may hold.
    pub(super) fn into_source(self, members: Option<&Members>) -> ArchiveSource {
        match (self, members) {
            (Input::Whole(bytes), _) => ArchiveSource::File(Arc::new(bytes.to_vec())),
            (Input::File(_, file), _) => ArchiveSource::File(Arc::new(file)),
            (stream, None) => ArchiveSource::Pipe(stream.into_reader()),
            (stream, members) => ArchiveSource::Stream(stream.into_reader(), members.cloned()),
        }
    }
}

/// Returns standard input as a file, if it is a file at its first byte.
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

/// A compressed file, with the first bytes of its content read.
pub(crate) struct OpenedFile {
    /// The path without the extensions of its codecs.
    pub path: Vec<u8>,
    /// The first bytes of the content.
    pub head: Vec<u8>,
    /// The members of its layers, which grow while the layers are read.
    pub members: Members,
    rest: Shared<Decompressed>,
    /// The content is compressed, too: deeper than [`NestingLimit::COMPRESSION`].
    too_deep: bool,
}

impl OpenedFile {
    /// Opens a file by its outermost layer; `first` reads the first bytes of each.
    pub(crate) fn new(
        path: &[u8],
        mut layer: Decompressed,
        first: fn(&mut Decompressed, &mut [u8]) -> io::Result<usize>,
    ) -> io::Result<Self> {
        let (mut members, mut path) = (Members::default(), path);
        loop {
            members.push(&layer);
            path = without(path, layer.codec.extension);
            let mut head = vec![0; HEAD];
            let length = first(&mut layer, &mut head)?;
            head.truncate(length);
            match Codec::of(&head) {
                Some(inner) if NestingLimit::COMPRESSION.admits(members.layers()) => {
                    let reader = Box::new(Cursor::new(head).chain(layer));
                    layer = Decompressed::new(inner, reader).within(&members);
                }
                inner => {
                    return Ok(OpenedFile {
                        path: path.to_vec(),
                        head,
                        members,
                        rest: Shared::new(layer),
                        too_deep: inner.is_some(),
                    });
                }
            }
        }
    }

    pub(crate) fn input(&self) -> Input<'_> {
        Input::Stream(&self.head, Box::new(self.rest.clone()))
    }

    /// Skips the rest, to find damage in it: an archive may end before its compression does.
    pub(crate) fn read_to_end(&self) -> io::Result<()> {
        io::copy(&mut self.rest.clone(), &mut io::sink()).map(drop)
    }

    /// Returns the errors of the layers, as far as they have been read.
    pub(crate) fn errors(&self) -> Vec<DecompressError> {
        let (fault, offset) = (DecompressFault::DepthLimit, 0);
        let too_deep = self.too_deep.then_some(DecompressError { fault, offset });
        self.members.errors().chain(too_deep).collect()
    }
}

fn without<'a>(path: &'a [u8], extension: &str) -> &'a [u8] {
    let shorter = path.strip_suffix(extension.as_bytes());
    let shorter = shorter.and_then(|path| path.strip_suffix(b"."));
    shorter.unwrap_or(path)
}
