//! Files in archives by their paths, `FILE!/inner/path`, as an audit knows them.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use super::archive::{ArchiveSink, MemberChoice};
use super::compressed::OpenedFile;
use super::input::Input;
use super::options::PipelineOptions;
use super::read::{FileOutcome, FileReader};
use super::sniff;
use super::walk::{Entry, EntryKind, path_of};
use crate::archive::{ArchiveFormat, ArchiveKind};
use crate::decode::compression::Codec;
use crate::document::Format;
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

/// Returns the entry of an archive, as if it were named: whatever it is, it is opened.
fn entry(path: &[u8]) -> Option<Entry> {
    let path = path_of(path);
    let metadata = std::fs::metadata(&path).ok()?;
    Some(Entry {
        kind: EntryKind::File(metadata.len()),
        named: true,
        path,
    })
}

/// Returns whether a file is an archive of files, compressed or not, and not a package.
pub(crate) fn is_archive_of_files(path: &Path) -> bool {
    let (entry, mut head) = (entry(path.as_os_str().as_encoded_bytes()), Vec::new());
    let entry = entry.filter(|_| path.is_file());
    let Some(Ok(input)) = entry.map(|entry| Input::open(&entry, &mut head)) else {
        return false;
    };
    let is_of_files = |path: &[u8], head: &[u8]| {
        let format = ArchiveFormat::of_file(head, sniff::named(path, &[]));
        format.is_some_and(|format| format.kind == ArchiveKind::Files)
    };
    let path = path.as_os_str().as_encoded_bytes();
    match Codec::of(input.head()) {
        None => is_of_files(path, input.head()),
        Some(codec) => {
            let opened = OpenedFile::new(path, codec, input.into_reader());
            opened.is_ok_and(|opened| is_of_files(&opened.path, &opened.head))
        }
    }
}

/// Returns the paths of the members of an archive, or of one in it that `inner` names with its `!`, below
/// its root.
pub(crate) fn names(options: &PipelineOptions, file: &[u8], inner: &[u8]) -> Vec<Vec<u8>> {
    let mut names = NamesOfMembers {
        archive: inner,
        names: Vec::new(),
    };
    if let Some(entry) = entry(file) {
        // What could not be read has no names.
        let _ = FileReader::new(options).read(&entry, &mut names);
    }
    names.names
}

/// Reads a document in an archive; returns its format.
pub(crate) fn read(
    reader: &mut FileReader<'_>,
    path: &[u8],
    sink: &mut dyn Sink,
) -> Option<&'static Format> {
    let (file, inner) = split_path(path)?;
    let mut only = OnlyMember::new(inner, None, sink);
    match reader.read(&entry(file)?, &mut only) {
        Ok(FileOutcome::Read(read)) if read.format.is_none() => only.format,
        _ => None,
    }
}

/// Returns the bytes of a document in an archive, at most `limit`.
pub(crate) fn bytes(options: &PipelineOptions, path: &[u8], limit: u64) -> Option<Vec<u8>> {
    let (file, inner) = split_path(path)?;
    let mut no_links = |_: &Link<'_>| {};
    let mut only = OnlyMember::new(inner, Some(limit), &mut no_links);
    // What could not be read is missing from the bytes.
    let _ = FileReader::new(options).read(&entry(file)?, &mut only);
    Some(only.bytes)
}

/// Returns about how many bytes are read to come to a document in an archive: a zip tells where it is.
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

/// Collects the paths of members.
struct NamesOfMembers<'a> {
    /// The path of the archive, with its `!`; empty for the outermost one.
    archive: &'a [u8],
    names: Vec<Vec<u8>>,
}

impl Sink for NamesOfMembers<'_> {
    fn link(&mut self, _link: &Link<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl ArchiveSink for NamesOfMembers<'_> {
    fn begin_member(&mut self, _name: &str, path: &[u8]) -> MemberChoice {
        let below = if self.archive.is_empty() {
            Some(path)
        } else {
            let below = path.strip_prefix(self.archive);
            below.and_then(|below| below.strip_prefix(b"/"))
        };
        self.names.extend(below.map(<[u8]>::to_vec));
        if below.is_none() && holds(path, self.archive) {
            MemberChoice::Read
        } else {
            MemberChoice::Skip
        }
    }
}

/// Returns whether the member at a path is the one that is wanted, or holds it.
fn holds(path: &[u8], wanted: &[u8]) -> bool {
    let rest = wanted.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!"))
}

/// Takes the bytes of one member, or passes on its links and what else is found in it.
struct OnlyMember<'a> {
    path: &'a [u8],
    /// The most bytes to take; none: the links are wanted.
    limit: Option<u64>,
    bytes: Vec<u8>,
    is_open: bool,
    is_found: bool,
    format: Option<&'static Format>,
    sink: &'a mut dyn Sink,
}

impl<'a> OnlyMember<'a> {
    fn new(path: &'a [u8], limit: Option<u64>, sink: &'a mut dyn Sink) -> Self {
        OnlyMember {
            path,
            limit,
            bytes: Vec::new(),
            is_open: false,
            is_found: false,
            format: None,
            sink,
        }
    }
}

impl Sink for OnlyMember<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.sink.link(link)
    }

    fn event(&mut self, found: &Found<'_>) {
        if self.is_open || !matches!(found, Found::Diagnostic(_)) {
            self.sink.event(found);
        }
    }
}

impl ArchiveSink for OnlyMember<'_> {
    fn begin_member(&mut self, _name: &str, path: &[u8]) -> MemberChoice {
        // Of two members of one name the first is read.
        if self.is_found {
            return MemberChoice::End;
        }
        self.is_open = path == self.path;
        if holds(path, self.path) {
            MemberChoice::Read
        } else {
            MemberChoice::Skip
        }
    }

    fn take_contents(&mut self, path: &[u8], contents: &mut dyn Read) -> io::Result<bool> {
        let Some(limit) = self.limit.filter(|_| path == self.path) else {
            return Ok(false);
        };
        self.is_found = true;
        contents.take(limit).read_to_end(&mut self.bytes)?;
        Ok(true)
    }

    fn end_member(&mut self, format: &'static Format, _length: u64) {
        self.is_open = false;
        self.format = Some(format);
        self.is_found = self.limit.is_none();
    }
}
