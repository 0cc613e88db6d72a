//! Files in archives by their paths, `FILE!/inner/path`, as an audit knows them.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use super::archive::{ArchiveSink, MemberChoice};
use super::input::{Input, OpenedFile};
use super::options::PipelineOptions;
use super::read::{FileOutcome, FileReader};
use super::walk::{Entry, EntryKind, bytes_of, path_of};
use crate::archive::{ArchiveFormat, ArchiveKind};
use crate::bytes::source::fill;
use crate::decode::compression::{Codec, Decompressed};
use crate::document::Format;
use crate::document::sniff;
use crate::linker::{Found, Link, Sink};

/// Returns the file of a path in an archive, and the path inside, without its slash.
pub(crate) fn split_path(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut marks = memchr::memchr_iter(b'!', path);
    let at = marks.find(|&at| {
        matches!(path.get(at + 1), None | Some(b'/')) && path_of(&path[..at]).is_file()
    })?;
    let inner = &path[at + 1..];
    Some((&path[..at], inner.strip_prefix(b"/").unwrap_or(inner)))
}

/// Returns the entry of a file outside archives; an archive is opened as a named one is.
pub(crate) fn entry_at(path: &[u8], named: bool) -> Option<Entry> {
    let path = path_of(path);
    let metadata = std::fs::metadata(&path).ok()?;
    let kind = EntryKind::File(metadata.is_file().then_some(metadata.len())?);
    Some(Entry { path, kind, named })
}

/// Returns whether a file is an archive of files, compressed or not, and not a package.
pub(crate) fn is_archive_of_files(path: &Path) -> bool {
    let (entry, mut head) = (entry_at(bytes_of(path), true), Vec::new());
    let Some(Ok(input)) = entry.map(|entry| Input::open(&entry, &mut head)) else {
        return false;
    };
    let is_of_files = |path: &[u8], head: &[u8]| {
        let format = ArchiveFormat::of_file(head, || sniff::named(path, &[]));
        format.is_some_and(|format| format.kind == ArchiveKind::Files)
    };
    let path = bytes_of(path);
    match Codec::of(input.head()) {
        None => is_of_files(path, input.head()),
        Some(codec) => {
            let opened = OpenedFile::new(path, Decompressed::new(codec, input.into_reader()), fill);
            opened.is_ok_and(|opened| is_of_files(&opened.path, &opened.head))
        }
    }
}

/// Returns the paths of the members below the root of an archive, or of one in it, named with its `!`.
pub(crate) fn names(options: &PipelineOptions, file: &[u8], inner: &[u8]) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    let mut search = ArchiveSearch::new(inner, Wanted::Names(&mut names));
    if let Some(entry) = entry_at(file, true) {
        // What could not be read has no names.
        let _ = FileReader::new(options).read(&entry, &mut search);
    }
    names
}

pub(crate) fn read(
    reader: &mut FileReader<'_>,
    path: &[u8],
    sink: &mut dyn Sink,
) -> Option<&'static Format> {
    let (file, inner) = split_path(path)?;
    let mut search = ArchiveSearch::new(inner, Wanted::Links(sink));
    match reader.read(&entry_at(file, true)?, &mut search) {
        Ok(FileOutcome::Read(read)) if read.format.is_none() => search.format,
        _ => None,
    }
}

pub(crate) fn bytes(options: &PipelineOptions, path: &[u8], limit: u64) -> Option<Vec<u8>> {
    let (file, inner) = split_path(path)?;
    let mut bytes = Vec::new();
    let mut search = ArchiveSearch::new(inner, Wanted::Bytes(&mut bytes, limit));
    // What could not be read is missing from the bytes.
    let _ = FileReader::new(options).read(&entry_at(file, true)?, &mut search);
    Some(bytes)
}

/// Returns about how many bytes are read to come to a document in an archive: a zip has a directory.
pub(crate) fn cost(path: &[u8]) -> Option<u64> {
    const ZIP: u64 = 256 << 10;
    let (file, _) = split_path(path)?;
    let mut start = [0; 2];
    let length = std::fs::metadata(path_of(file)).ok()?.len();
    let mut file = File::open(path_of(file)).ok()?;
    file.read_exact(&mut start).ok()?;
    Some(match &start {
        b"PK" => length.min(ZIP),
        _ => length,
    })
}

/// The search for a member of an archive, or for the members of one.
struct ArchiveSearch<'a> {
    /// The path of the member, or of the archive with its `!`; empty for the outermost one.
    path: &'a [u8],
    wanted: Wanted<'a>,
    is_open: bool,
    is_found: bool,
    format: Option<&'static Format>,
}

enum Wanted<'a> {
    Names(&'a mut Vec<Vec<u8>>),
    /// The bytes of the member, at most that many.
    Bytes(&'a mut Vec<u8>, u64),
    /// The links of the member, and what else is found in it.
    Links(&'a mut dyn Sink),
}

impl<'a> ArchiveSearch<'a> {
    fn new(path: &'a [u8], wanted: Wanted<'a>) -> Self {
        ArchiveSearch {
            path,
            wanted,
            is_open: false,
            is_found: false,
            format: None,
        }
    }
}

impl Sink for ArchiveSearch<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        match &mut self.wanted {
            Wanted::Links(sink) => sink.link(link),
            _ => ControlFlow::Continue(()),
        }
    }

    fn event(&mut self, found: &Found<'_>) {
        if let Wanted::Links(sink) = &mut self.wanted
            && (self.is_open || !matches!(found, Found::Diagnostic(_)))
        {
            sink.event(found);
        }
    }
}

impl ArchiveSink for ArchiveSearch<'_> {
    fn begin_member(&mut self, _name: &str, path: &[u8]) -> MemberChoice {
        // Of two members of one name the first is read.
        if self.is_found {
            return MemberChoice::End;
        }
        self.is_open = path == self.path;
        if let Wanted::Names(names) = &mut self.wanted {
            let below = path.strip_prefix(self.path);
            let below = match self.path {
                b"" => below,
                _ => below.and_then(|below| below.strip_prefix(b"/")),
            };
            if let Some(below) = below {
                names.push(below.to_vec());
                return MemberChoice::Skip;
            }
        }
        let inside = self.path.strip_prefix(path);
        let is_read = inside.is_some_and(|inside| inside.is_empty() || inside.starts_with(b"!"));
        [MemberChoice::Skip, MemberChoice::Read][usize::from(is_read)]
    }

    fn take_contents(&mut self, path: &[u8], contents: &mut dyn Read) -> io::Result<bool> {
        match &mut self.wanted {
            Wanted::Bytes(bytes, limit) if path == self.path => {
                self.is_found = true;
                contents.take(*limit).read_to_end(bytes)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn end_member(&mut self, format: &'static Format, _length: u64) {
        self.is_open = false;
        self.is_found = matches!(self.wanted, Wanted::Links(_));
        self.format = Some(format);
    }
}
