//! zip (APPNOTE 6.3.10): stored, deflate, bzip2, zstd and xz; zip64; data descriptors.
//!
//! Of a file that can be read anywhere the central directory has the members and their order. In a
//! stream they are read as their local headers come.

mod header;
mod stream;

use std::collections::BTreeSet;
use std::io::{self, BufRead, Cursor, Read};
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use super::container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, Container, MEMBERS, MemberContents,
    WholeContents, extension, note, section, unread,
};
use super::content::{Method, PackedContents, StoredContents};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::{ReadAt, Section, fill};
use crate::document::diagnostic::{self, Code};
use header::{
    CENTRAL, CENTRAL_FLAGS, CENTRAL_SIZE, END, END_64, END_64_SIZE, END_SIZE, HAS_DESCRIPTOR, HELD,
    IN_EXTRA, LOCAL, LOCAL_FLAGS, LOCAL_SIZE, LOCATOR_64, LOCATOR_SIZE, SIGNATURE, ZipHeader,
    find_local, header_lengths, is_count, local_size, u16_at, u32_at, u64_at,
};
use stream::{WACZ_ARCHIVE, ZipStream, is_wacz_part};

/// The number of bytes that are read at least where a header is looked at.
const AHEAD: usize = 4 << 10;
/// The number of bytes that are read at least where members follow one another.
const FAR_AHEAD: usize = 64 << 10;
/// The number of bytes on each side of its place in which a local header is searched.
const MOVED: u64 = 32 << 10;
/// The most searches and headers in them for a directory, whose entries are much shorter than what a search reads.
const MAX_TRIED: usize = 1 << 16;
/// The longest comment after the end record, in bytes.
const COMMENT: u64 = 0xffff;

pub(super) fn starts(head: &[u8]) -> bool {
    head.starts_with(LOCAL) || head.starts_with(END)
}

/// Returns whether a zip starts after other bytes, such as a program that unpacks it.
pub(super) fn follows(head: &[u8]) -> bool {
    find_local(head).is_some()
}

/// Opens a zip, by its central directory where possible: streams are held for that, but pipes only if
/// the zip may be a WACZ, which only its directory shows.
pub(super) fn open(source: ArchiveSource, options: &ArchiveOptions) -> Box<dyn Container> {
    let source = match source {
        ArchiveSource::Stream(..) => source.held(options.max_document),
        ArchiveSource::Pipe(pipe) => {
            let mut pipe = BufferedSource::new(pipe);
            let name = pipe.peek(64).get(LOCAL_SIZE..).unwrap_or_default();
            let may_be_wacz = is_wacz_part(name) || name.starts_with(WACZ_ARCHIVE);
            let limit = if may_be_wacz { options.max_document } else { 0 };
            ArchiveSource::Pipe(Box::new(pipe)).held(limit)
        }
        source => source,
    };
    match source {
        ArchiveSource::File(file) => open_file(file),
        stream => Box::new(ZipStream::new(stream.into_stream().0)),
    }
}

pub(super) fn open_file(file: Arc<dyn ReadAt>) -> Box<dyn Container> {
    match Zip::new(&file) {
        Some(zip) => Box::new(zip),
        None => {
            let reader = section(file, 0, u64::MAX);
            let mut stream = ZipStream::new(BufferedSource::new(reader));
            note(&mut stream.faults, &diagnostic::ARCHIVE_TRUNCATED, 0);
            Box::new(stream)
        }
    }
}

struct FileWindow {
    file: Arc<dyn ReadAt>,
    /// The bytes are `buffer[..end]`, at `offset` in the file.
    buffer: Vec<u8>,
    end: usize,
    offset: u64,
}

impl FileWindow {
    fn new(file: Arc<dyn ReadAt>) -> Self {
        FileWindow {
            file,
            buffer: Vec::new(),
            end: 0,
            offset: 0,
        }
    }

    /// Returns the `length` bytes at an offset, fewer only at the end of the file.
    fn bytes(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let start = offset.checked_sub(self.offset);
        let start = start.and_then(|start| usize::try_from(start).ok());
        let ahead = match start {
            Some(start) if start <= self.end + AHEAD => FAR_AHEAD,
            _ => AHEAD,
        };
        let start = start.map_or(self.end, |start| start.min(self.end));
        if self.end - start >= length {
            return Ok(&self.buffer[start..start + length]);
        }
        self.buffer.copy_within(start..self.end, 0);
        (self.end, self.offset) = (self.end - start, offset);
        let wanted = length.max(ahead);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        let mut rest = Section {
            file: &*self.file,
            at: offset.saturating_add(self.end as u64),
            end: u64::MAX,
        };
        self.end += fill(&mut rest, &mut self.buffer[self.end..wanted])?;
        Ok(&self.buffer[..self.end.min(length)])
    }

    /// Returns whether a local header is at an offset.
    fn has_local(&mut self, offset: u64) -> bool {
        let bytes = self.bytes(offset, LOCAL_SIZE).unwrap_or_default();
        bytes.len() == LOCAL_SIZE && bytes.starts_with(LOCAL)
    }
}

/// The contents of the current member while they are read.
enum Contents {
    Missing,
    Stored(StoredContents),
    Whole,
    /// They are unpacked bit by bit.
    Stream(PackedContents),
    /// They are a member's that the directory does not name, before an offset.
    Unnamed(Box<ZipStream>, u64),
}

#[derive(Clone, Debug)]
struct ZipRange {
    file: Arc<dyn ReadAt>,
    length: u64,
    /// The offset of the central directory, and of the end of the range in it.
    start: u64,
    end: u64,
    /// The number of members up to there, of which the end record has 16 bits; `None` after all are read.
    count: Option<u64>,
    /// Added to the offsets of local headers: the length of the bytes before the zip.
    shift: u64,
    /// The number of members before.
    members: u64,
    /// The packed bytes that further members may have; `None` after they had more, because they overlap.
    room: Option<u64>,
    /// An offset after the last member's local header.
    after: u64,
    is_wacz: bool,
}

struct Zip {
    range: ZipRange,
    /// The central directory, by offsets in the file.
    directory: BufferedSource,
    contents: Contents,
    window: FileWindow,
    inflate: Decompress,
    unpacked: Cursor<Vec<u8>>,
    /// The offset of the local header of the current member.
    at: u64,
    /// After damage in the directory: offsets of named members, of other members that were read, and its own.
    taken: BTreeSet<u64>,
    /// The searches for moved headers, and the headers in them, that are left.
    left_to_try: usize,
    faults: Vec<ArchiveFault>,
}

struct Directory {
    start: u64,
    size: u64,
    count: u64,
    /// The offset that the end record has for it.
    offset: u64,
}

impl Zip {
    /// Opens a zip that has an end record.
    fn new(file: &Arc<dyn ReadAt>) -> Option<Self> {
        let length = file.length().ok()?;
        let mut window = FileWindow::new(Arc::clone(file));
        let directory = find_directory(&mut window, length)?;
        // Members have their lengths from before bytes were lost.
        let lost = directory.offset.saturating_sub(directory.start).min(length);
        let mut range = ZipRange {
            file: Arc::clone(file),
            length,
            start: directory.start,
            end: directory.start.saturating_add(directory.size),
            count: Some(directory.count),
            shift: find_shift(&mut window, &directory),
            members: 0,
            room: Some(length.saturating_add(lost)),
            after: 0,
            is_wacz: false,
        };
        range.is_wacz = is_wacz(range.source(range.start, range.end));
        Some(Zip::of_range(range, directory.start))
    }

    fn of_range(range: ZipRange, start: u64) -> Self {
        Zip {
            directory: range.source(start, range.end),
            window: FileWindow::new(Arc::clone(&range.file)),
            range,
            contents: Contents::Missing,
            inflate: Decompress::new(false),
            unpacked: Cursor::default(),
            at: 0,
            taken: BTreeSet::new(),
            left_to_try: MAX_TRIED,
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, code: &'static Code) {
        note(&mut self.faults, code, self.at);
    }

    /// Opens contents of a packed length, of a member that should follow an offset.
    fn open(&mut self, header: &ZipHeader, packed: u64, after: u64) -> io::Result<MemberContents> {
        if self.range.room.is_none() || !self.window.has_local(self.at) {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
            let Some(moved) = self.find_moved(&header.name, after)? else {
                return Ok(MemberContents::Unreadable);
            };
            self.at = moved;
        }
        let size = local_size(self.window.bytes(self.at, LOCAL_SIZE)?);
        let bytes = self.window.bytes(self.at, size)?;
        let local = ZipHeader::new(bytes, LOCAL_SIZE, LOCAL_FLAGS);
        // The lengths of a local header may follow the contents.
        let is_later = local.flags & HAS_DESCRIPTOR != 0;
        let is_equal = |local: u64, central: u64| {
            local == central || is_later && matches!(local, 0 | IN_EXTRA)
        };
        let is_same = (local.name == header.name || !header.name.is_ascii())
            && is_equal(local.packed, header.packed)
            && is_equal(local.length, header.length)
            && (packed == header.packed || header.packed > self.range.length);
        if local.method != header.method || !is_same {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
        }
        let start = self.at + size as u64;
        self.range.after = start.saturating_add(packed);
        let Some(mut stored) = header.contents(start) else {
            self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER);
            return Ok(MemberContents::Unreadable);
        };
        let left = self.range.length.saturating_sub(start);
        if header.packed > left {
            self.fault(&diagnostic::ARCHIVE_TRUNCATED);
        }
        stored.packed = packed.min(left);
        self.contents = Contents::Stored(stored);
        Ok(MemberContents::File)
    }

    /// Returns the offset of the local header with a name after the last member, or near the place where it should
    /// be, as after lost bytes.
    fn find_moved(&mut self, name: &[u8], after: u64) -> io::Result<Option<u64>> {
        let ZipRange { length, room, .. } = self.range;
        let near = self.at.min(length).saturating_sub(MOVED);
        for (start, reach) in [(after.min(length), AHEAD), (near, 2 * MOVED as usize)] {
            if self.left_to_try == 0 || room.is_none() {
                break;
            }
            let bytes = self.window.bytes(start, reach)?;
            // The header that follows the last member at once costs nothing.
            let mut tried = usize::from(reach > AHEAD);
            let mut places = memmem::find_iter(bytes, LOCAL).take(self.left_to_try);
            let found = places.find(|&at| {
                let local = &bytes[at..];
                let local = local.get(..local_size(local));
                let header = local.map(|local| ZipHeader::new(local, LOCAL_SIZE, LOCAL_FLAGS));
                let is_found = header.is_some_and(|header| header.name == name)
                    && !self.taken.contains(&(start + at as u64));
                tried += usize::from(!is_found);
                is_found
            });
            self.left_to_try = self.left_to_try.saturating_sub(tried);
            if let Some(at) = found {
                return Ok(Some(start + at as u64));
            }
        }
        Ok(None)
    }

    /// Unpacks contents into memory; returns whether they are whole, and nothing is wrong with them.
    fn unpack(&mut self, stored: &StoredContents) -> bool {
        if stored.packed > HELD || stored.length > HELD {
            return false;
        }
        let (packed, length) = (stored.packed as usize, stored.length as usize);
        // Reading the contents bit by bit fails in the same way.
        let Ok(bytes) = self.window.bytes(stored.start, packed) else {
            return false;
        };
        self.unpacked.set_position(0);
        let unpacked = self.unpacked.get_mut();
        unpacked.resize(length, 0);
        let is_whole = match stored.method {
            Method::Stored if bytes.len() == length => {
                unpacked.copy_from_slice(bytes);
                true
            }
            Method::Deflate => {
                let inflate = &mut self.inflate;
                inflate.reset(false);
                let status = inflate.decompress(bytes, unpacked, FlushDecompress::Finish);
                matches!(status, Ok(Status::StreamEnd)) && inflate.total_out() == length as u64
            }
            _ => false,
        };
        is_whole && crc32fast::hash(unpacked) == stored.crc
    }

    /// Returns whether the directory ends here: a record may follow the headers, elsewhere there is damage.
    fn is_at_end(&mut self) -> bool {
        let members = self.range.members;
        self.range.count.is_none_or(|count| {
            let next = self.directory.peek(4);
            next.is_empty() && members >= count
                || is_count(count, members) && matches!(next, [] | SIGNATURE | END | END_64)
        })
    }

    /// Goes to the member of a header; returns the length of its packed contents. If the header has more than
    /// the file, or than the bytes before the next member that the directory names, that is the local header's.
    fn begin(&mut self, header: &ZipHeader) -> u64 {
        let ZipRange { length, shift, .. } = self.range;
        let next = u32_at(self.directory.peek(CENTRAL_SIZE), 42).into();
        let [at, next] = [header.offset, next].map(|offset| offset.saturating_add(shift));
        let mut packed = header.packed;
        let start = at.saturating_add((LOCAL_SIZE + header.name.len()) as u64);
        let contents = start..start.saturating_add(packed);
        let mut is_next = contents.contains(&next);
        is_next = is_next && self.window.has_local(at) && self.window.has_local(next);
        if is_next || packed > length {
            let end = if is_next { next } else { length };
            let local = self.window.bytes(at, LOCAL_SIZE).unwrap_or_default();
            let most = end.saturating_sub(at.saturating_add(local_size(local) as u64));
            packed = match u64::from(u32_at(local, 18)) {
                // Elsewhere it is not known. Packed contents are not much longer than others.
                _ if !local.starts_with(LOCAL) => header.length.saturating_add(64).min(length),
                // A descriptor may have the length.
                0 => most,
                known => known.min(most),
            };
        }
        self.at = at;
        self.range.members += 1;
        self.range.after = start.saturating_add(packed);
        self.range.room = self.range.room.and_then(|room| room.checked_sub(packed));
        packed
    }

    /// Returns the contents of a member that is not read, because the zip is a WACZ with archives elsewhere.
    fn unwanted(&self, name: &[u8]) -> Option<MemberContents> {
        let is_read = !self.range.is_wacz || name.starts_with(WACZ_ARCHIVE);
        (!is_read).then(|| unread(&extension(name)))
    }

    /// Goes to the next header after damage in the directory, and first to the members between the last one
    /// and the next that the directory names, by their local headers.
    fn skip_damage(&mut self) {
        self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
        if !find_header(&mut self.directory) {
            self.range.count = None;
        }
        if self.taken.is_empty() {
            self.taken.insert(self.range.start);
            let mut directory = self.range.source(self.range.start, self.range.end);
            while find_header(&mut directory)
                && let Some(header) = next_header(&mut directory)
                && (self.taken.len() as u64) < MEMBERS
            {
                (self.taken).insert(header.offset.saturating_add(self.range.shift));
            }
        }
        let ZipRange { after, room, .. } = self.range;
        let end = *self.taken.range(after..).next().unwrap_or(&after);
        let room = room.and_then(|room| room.checked_sub(end - after));
        if end > after && room.is_some() {
            self.range.room = room;
            let source = self.range.source(after, u64::MAX);
            self.contents = Contents::Unnamed(Box::new(ZipStream::new(source)), end);
        }
    }

    /// Goes to the next member that the directory does not name.
    fn next_unnamed(&mut self) -> io::Result<Option<ArchiveMember>> {
        if let Contents::Unnamed(stream, end) = &mut self.contents {
            let member = stream.next()?;
            if member.is_some() && stream.at < *end && self.range.members < MEMBERS {
                // Damage after the last one is known.
                self.faults.append(&mut stream.faults);
                self.taken.insert(stream.at);
                self.range.members += 1;
                return Ok(member);
            }
        }
        self.contents = Contents::Missing;
        Ok(None)
    }
}

/// Goes to the next header in a central directory; returns false if none follows.
fn find_header(directory: &mut BufferedSource) -> bool {
    while header_lengths(directory).is_none() {
        let bytes = directory.peek(FAR_AHEAD);
        let length = bytes.len();
        if length < CENTRAL.len() {
            directory.consume(length);
            return false;
        }
        let next = memmem::find(&bytes[1..], CENTRAL);
        let next = next.map_or(length + 1 - CENTRAL.len(), |next| next + 1);
        directory.consume(next);
    }
    true
}

fn next_header(directory: &mut BufferedSource) -> Option<ZipHeader> {
    let (size, comment) = header_lengths(directory)?;
    let header = ZipHeader::new(directory.peek(size), CENTRAL_SIZE, CENTRAL_FLAGS);
    directory.skip((size + comment) as u64);
    Some(header)
}

fn is_wacz(mut directory: BufferedSource) -> bool {
    let (mut has_package, mut has_archive) = (false, false);
    while !(has_package && has_archive)
        && let Some(header) = next_header(&mut directory)
    {
        has_package |= header.name == b"datapackage.json";
        has_archive |= header.name.starts_with(WACZ_ARCHIVE);
    }
    has_package && has_archive
}

/// Returns the shift of the offsets of local headers, which start at the zip or at the file.
fn find_shift(window: &mut FileWindow, directory: &Directory) -> u64 {
    let by_directory = directory.start.saturating_sub(directory.offset);
    let first = window.bytes(directory.start, CENTRAL_SIZE);
    let offset = u64::from(u32_at(first.unwrap_or_default(), 42));
    let head = window.bytes(0, FAR_AHEAD).unwrap_or_default();
    let junk = memmem::find(head, LOCAL).map_or(0, |at| at as u64);
    let mut shifts = [by_directory, 0, junk].into_iter();
    let shift = shifts.find(|&shift| window.has_local(offset + shift));
    shift.unwrap_or(by_directory)
}

/// Finds the directory that the end record names: the one that ends with the file, else the last one.
fn find_directory(window: &mut FileWindow, length: u64) -> Option<Directory> {
    let start = length.saturating_sub(COMMENT + END_SIZE as u64);
    let tail = window.bytes(start, (length - start) as usize).ok()?;
    let mut found = memmem::rfind_iter(tail, END).filter(|at| at + END_SIZE <= tail.len());
    let mut last = None;
    let exact = found.find(|&at| {
        last.get_or_insert(at);
        at + END_SIZE + usize::from(u16_at(tail, at + 20)) == tail.len()
    });
    let at = exact.or(last)?;
    let (record, offset) = (&tail[at..], start + at as u64);
    let size = u32_at(record, 12).into();
    let directory = Directory {
        start: offset.checked_sub(size).unwrap_or(offset),
        size,
        count: u16_at(record, 10).into(),
        offset: u32_at(record, 16).into(),
    };
    end_64(window, offset).or_else(|| {
        // Where the numbers do not fit, the record with those that do is missing.
        let mut starts = || matches!(window.bytes(directory.start, 4), Ok(CENTRAL));
        let is_empty = directory.count == 0 && directory.size == 0;
        (is_empty || starts()).then_some(directory)
    })
}

/// Reads the end record of zip64, which a locator before the end record names.
fn end_64(window: &mut FileWindow, end: u64) -> Option<Directory> {
    let at = end.checked_sub(LOCATOR_SIZE as u64)?;
    let locator = window.bytes(at, LOCATOR_SIZE).ok()?;
    if !locator.starts_with(LOCATOR_64) {
        return None;
    }
    let named = Some(u64_at(locator, 8));
    let before = at.checked_sub(END_64_SIZE as u64);
    // Other bytes before the zip move the record.
    [named, before].into_iter().flatten().find_map(|at| {
        let record = window.bytes(at, END_64_SIZE).ok()?;
        let size = u64_at(record, 40);
        (record.len() == END_64_SIZE && record.starts_with(END_64)).then_some(Directory {
            start: at.checked_sub(size)?,
            size,
            count: u64_at(record, 32),
            offset: u64_at(record, 48),
        })
    })
}

impl Container for Zip {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        loop {
            if let Some(mut member) = self.next_unnamed()? {
                member.contents = self.unwanted(&member.name).unwrap_or(member.contents);
                return Ok(Some(member));
            }
            if self.is_at_end() {
                break;
            }
            if self.range.members == MEMBERS {
                self.fault(&diagnostic::ARCHIVE_MEMBER_LIMIT);
                self.range.count = None;
                break;
            }
            let Some(header) = next_header(&mut self.directory) else {
                self.skip_damage();
                continue;
            };
            let after = self.range.after;
            let packed = self.begin(&header);
            if !header.is_folder() {
                let contents = match self.unwanted(&header.name) {
                    Some(contents) => contents,
                    None => self.open(&header, packed, after)?,
                };
                return Ok(Some(ArchiveMember::file(header.name, contents)));
            }
        }
        let count = self.range.count.take();
        if count.is_some_and(|count| !is_count(count, self.range.members)) {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
        }
        self.directory.take_error()?;
        Ok(None)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Contents::Stored(stored) = &self.contents {
            let end = stored.start.saturating_add(stored.packed);
            let reader = section(Arc::clone(&self.range.file), stored.start, end);
            self.contents = Contents::Stream(PackedContents::new(stored, reader));
        }
        match &mut self.contents {
            Contents::Stream(contents) => {
                let n = contents.read(into)?;
                if let Some(code) = contents.damage.take() {
                    self.fault(code);
                }
                Ok(n)
            }
            Contents::Whole => self.unpacked.read(into),
            Contents::Unnamed(stream, _) => {
                let n = stream.read(into)?;
                self.faults.append(&mut stream.faults);
                Ok(n)
            }
            Contents::Missing | Contents::Stored(_) => Ok(0),
        }
    }

    fn whole(&mut self) -> Option<WholeContents<'_>> {
        if let Contents::Stored(stored) = self.contents
            && self.unpack(&stored)
        {
            self.contents = Contents::Whole;
        }
        let is_whole = matches!(self.contents, Contents::Whole);
        is_whole.then(|| Box::new(self.unpacked.get_ref().as_slice()) as WholeContents<'_>)
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        std::mem::take(&mut self.faults)
    }

    fn split(&mut self, size: u64) -> Option<Box<dyn Container>> {
        let start = self.directory.consumed;
        let mut part = self.range.clone();
        let (mut length, mut is_whole) = (0_u64, true);
        loop {
            let is_end = self.is_at_end() || self.range.members == MEMBERS;
            if is_end || header_lengths(&mut self.directory).is_none() {
                // Damage there is reported after the member before.
                self.range.count = None;
                break;
            }
            // Contents that take in the next member are cut by its header.
            if length >= size && is_whole {
                (part.end, part.count) = (self.directory.consumed, Some(self.range.members));
                break;
            }
            let header = next_header(&mut self.directory)?;
            length = length.saturating_add(header.length);
            is_whole = self.begin(&header) == header.packed;
        }
        let is_left = start < part.end && part.count.is_some();
        is_left.then(|| Box::new(Zip::of_range(part, start)) as Box<dyn Container>)
    }
}

impl ZipRange {
    fn source(&self, start: u64, end: u64) -> BufferedSource {
        let section = section(Arc::clone(&self.file), start, end);
        let mut source = BufferedSource::new(section);
        source.consumed = start;
        source
    }
}
