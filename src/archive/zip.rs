//! zip (APPNOTE 6.3.10): stored, deflate, bzip2, zstd and xz; zip64; data descriptors.
//!
//! Where the file can be read anywhere, the central directory tells the members and their order. In a
//! stream they are read as their local headers come.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use super::container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, Container, MEMBERS, MemberContents,
    MemberRange, WholeContents, extension, section, unread,
};
use super::content::{Inflate, Method, PackedContents, Seal, Tally, is_damage};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::{ReadAt, Section, Shared, fill};
use crate::document::diagnostic::{self, Code};

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Lengths of the fixed parts of headers, in bytes.
const LOCAL_SIZE: usize = 30;
const CENTRAL_SIZE: usize = 46;
const END_SIZE: usize = 22;
const END_64_SIZE: usize = 56;
const LOCATOR_SIZE: u64 = 20;
/// The number of bytes that are read at least where a header is looked at.
const AHEAD: usize = 4 << 10;
/// The number of bytes that are read at least where members follow one another.
const FAR_AHEAD: usize = 64 << 10;
/// The longest contents that are unpacked as a whole, in bytes, packed or not.
const HELD: u64 = 4 << 20;
/// The longest comment behind the end record, in bytes.
const COMMENT: u64 = 0xffff;
/// A 32-bit field whose value stands in the extra field.
const IN_EXTRA: u64 = 0xffff_ffff;

/// The folder of a WACZ that holds the web archives.
const WACZ_ARCHIVE: &[u8] = b"archive/";

/// Flags (APPNOTE 4.4.4).
const ENCRYPTED: u16 = 1;
const HAS_DESCRIPTOR: u16 = 1 << 3;
const IS_UTF8: u16 = 1 << 11;

/// Returns whether a zip starts here.
pub(super) fn starts(head: &[u8]) -> bool {
    head.starts_with(LOCAL) || head.starts_with(END)
}

/// Returns whether a zip starts after other bytes, such as a program that unpacks it.
pub(super) fn follows(head: &[u8]) -> bool {
    memmem::find_iter(head, LOCAL).any(|at| {
        let local = &head[at..];
        let version = u16_at(local, 4) & 0xff;
        let (method, name) = (Method::of(u16_at(local, 8)), u16_at(local, 26));
        let is_named = (1..=512).contains(&name) && local.len() > LOCAL_SIZE;
        is_named && version <= 63 && method != Method::Unknown
    })
}

/// Opens a zip, by its central directory where that can be read: one that does not come from a pipe is
/// held for that, up to the limit of documents.
pub(super) fn open(source: ArchiveSource, options: &ArchiveOptions) -> Box<dyn Container> {
    let source = match source {
        ArchiveSource::Stream(..) => source.held(options.max_document),
        source => source,
    };
    match source {
        ArchiveSource::File(file) => open_file(file),
        stream => Box::new(ZipStream::new(stream.into_stream().0)),
    }
}

/// Opens a zip in a file.
pub(super) fn open_file(file: Arc<dyn ReadAt>) -> Box<dyn Container> {
    match Zip::new(&file) {
        Some(zip) => Box::new(zip),
        None => {
            let reader = section(file, 0, u64::MAX);
            let mut stream = ZipStream::new(BufferedSource::new(reader));
            stream.fault(&diagnostic::ARCHIVE_TRUNCATED, 0);
            Box::new(stream)
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let number = bytes.get(at..at + 2).unwrap_or(&[0; 2]);
    u16::from_le_bytes([number[0], number[1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// A header of a member: the local one, or that of the central directory.
struct ZipHeader {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    length: u64,
    /// The offset of the local header.
    offset: u64,
    name: Vec<u8>,
}

impl ZipHeader {
    /// Reads the fields from the flags on, which both headers have, and the name and extra field
    /// behind the fixed part.
    fn new(fields: &[u8], offset: u64, name: &[u8], extra: &[u8]) -> Self {
        let mut header = ZipHeader {
            flags: u16_at(fields, 0),
            method: u16_at(fields, 2),
            crc: u32_at(fields, 8),
            packed: u32_at(fields, 12).into(),
            length: u32_at(fields, 16).into(),
            offset,
            name: Vec::new(),
        };
        let mut unicode = None;
        let mut rest = extra;
        while let Some(field) = rest.get(4..) {
            let (id, size) = (u16_at(rest, 0), usize::from(u16_at(rest, 2)));
            let value = &field[..size.min(field.len())];
            match id {
                // zip64: the numbers that do not fit, in this order.
                1 => {
                    let mut at = 0;
                    for number in [&mut header.length, &mut header.packed, &mut header.offset] {
                        if *number == IN_EXTRA && value.len() >= at + 8 {
                            *number = u64_at(value, at);
                            at += 8;
                        }
                    }
                }
                // The name in UTF-8, with the checksum of the one in the header.
                0x7075 if value.len() > 5 && u32_at(value, 1) == crc32fast::hash(name) => {
                    unicode = Some(value[5..].to_vec());
                }
                _ => {}
            }
            rest = field.get(size..).unwrap_or_default();
        }
        header.name = match unicode {
            Some(name) => name,
            None if header.flags & IS_UTF8 != 0 || name.is_ascii() => name.to_vec(),
            None => from_cp437(name),
        };
        header
    }

    fn is_folder(&self) -> bool {
        self.name.ends_with(b"/") && self.length == 0
    }

    fn seal(&self) -> Seal {
        Seal {
            length: self.length,
            crc: self.crc,
        }
    }

    fn member(&mut self, contents: MemberContents) -> ArchiveMember {
        ArchiveMember::file(std::mem::take(&mut self.name), contents)
    }
}

/// The characters 0x80 to 0xFF of code page 437.
#[rustfmt::skip]
const CP437: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

fn from_cp437(name: &[u8]) -> Vec<u8> {
    let high: Vec<char> = CP437.chars().collect();
    let character = |&byte: &u8| match byte.checked_sub(0x80) {
        Some(index) => high.get(usize::from(index)).copied().unwrap_or('\u{fffd}'),
        None => char::from(byte),
    };
    name.iter().map(character).collect::<String>().into_bytes()
}

/// A part of a file in memory.
struct FileWindow {
    file: Arc<dyn ReadAt>,
    /// The bytes are `buffer[..end]`, which stand at `offset` in the file.
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
}

/// The contents of a member as they are stored.
#[derive(Clone, Copy)]
struct StoredContents {
    method: Method,
    start: u64,
    packed: u64,
    seal: Seal,
}

/// The contents of the current member while they are read.
enum Contents {
    /// There are none.
    Missing,
    /// Nothing of them has been read.
    Stored(StoredContents),
    /// They are in memory: so many bytes, of which so many have been read.
    Whole { length: usize, read: usize },
    /// They are unpacked bit by bit.
    Stream(PackedContents),
}

/// Some members of a zip.
#[derive(Clone, Debug)]
struct ZipRange {
    file: Arc<dyn ReadAt>,
    length: u64,
    /// The offset of the first member in the central directory, and of the end of that.
    start: u64,
    end: u64,
    /// The number of members.
    left: u64,
    /// Added to the offsets of local headers: the length of what stands in front of the zip.
    shift: u64,
    /// The number of members before.
    members: u64,
    /// The packed bytes of all members so far, which are more than the file has where some stand in the
    /// same place.
    packed: u64,
    /// Only members in `archive/` are read.
    is_wacz: bool,
}

/// Reads a zip by its central directory.
struct Zip {
    /// The members that are left.
    range: ZipRange,
    /// The central directory, whose offsets are those of the file.
    directory: BufferedSource,
    contents: Contents,
    /// Local headers, and contents that are short.
    window: FileWindow,
    /// Used again for each member.
    inflate: Decompress,
    unpacked: Vec<u8>,
    /// The offset of the local header of the current member.
    at: u64,
    faults: Vec<ArchiveFault>,
}

/// Where the central directory stands.
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
        let directory = find_directory(file, length)?;
        let mut zip = Zip::of_range(ZipRange {
            file: Arc::clone(file),
            length,
            start: directory.start,
            end: directory.start.saturating_add(directory.size),
            left: directory.count,
            shift: find_shift(file, &directory),
            members: 0,
            packed: 0,
            is_wacz: false,
        });
        zip.range.is_wacz = is_wacz(zip.range.directory());
        Some(zip)
    }

    fn of_range(range: ZipRange) -> Self {
        Zip {
            directory: range.directory(),
            window: FileWindow::new(Arc::clone(&range.file)),
            range,
            contents: Contents::Missing,
            inflate: Decompress::new(false),
            unpacked: Vec::new(),
            at: 0,
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, code: &'static Code) {
        let offset = self.at;
        self.faults.push(ArchiveFault { code, offset });
    }

    /// Returns the lengths of the name, the extra field and the comment of the next header in the central
    /// directory; none if there is no header.
    fn lengths(&mut self) -> Option<[usize; 3]> {
        let fixed = self.directory.peek(CENTRAL_SIZE);
        if fixed.len() < CENTRAL_SIZE || !fixed.starts_with(CENTRAL) {
            return None;
        }
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
        let whole = CENTRAL_SIZE + lengths[0] + lengths[1];
        (self.directory.peek(whole).len() == whole).then_some(lengths)
    }

    /// Reads the next header of the central directory.
    fn header(&mut self) -> Option<ZipHeader> {
        let [name, extra, comment] = self.lengths()?;
        let whole = CENTRAL_SIZE + name + extra;
        let bytes = self.directory.peek(whole);
        let (fixed, rest) = bytes.split_at_checked(CENTRAL_SIZE)?;
        let (names, extras) = rest.split_at_checked(name)?;
        let offset = u32_at(fixed, 42).into();
        let header = ZipHeader::new(&fixed[8..], offset, names, extras);
        self.directory.skip((whole + comment) as u64);
        self.range.packed = self.range.packed.saturating_add(header.packed);
        Some(header)
    }

    /// Opens the contents of a member behind its local header.
    fn open(&mut self, header: &ZipHeader) -> io::Result<MemberContents> {
        // No file can be read at the largest offsets, and none has more packed bytes than bytes.
        let local = match self.at < self.range.length && self.range.packed <= self.range.length {
            true => self.window.bytes(self.at, LOCAL_SIZE)?,
            false => &[],
        };
        if local.len() < LOCAL_SIZE || !local.starts_with(LOCAL) {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
            return Ok(MemberContents::Unreadable);
        }
        let method = u16_at(local, 8);
        let (name, extra) = (u16_at(local, 26), u16_at(local, 28));
        let end = LOCAL_SIZE + usize::from(name);
        let whole = self.window.bytes(self.at, end + usize::from(extra))?;
        let (names, extras) = whole[LOCAL_SIZE..].split_at(whole.len().min(end) - LOCAL_SIZE);
        let local = ZipHeader::new(&whole[6..], 0, names, extras);
        // The lengths of a local header may follow the contents.
        let is_later = local.flags & HAS_DESCRIPTOR != 0;
        let is_equal = |local: u64, central: u64| {
            local == central || is_later && matches!(local, 0 | IN_EXTRA)
        };
        let is_same = (*names == header.name || !header.name.is_ascii())
            && is_equal(local.packed, header.packed)
            && is_equal(local.length, header.length);
        if method != header.method || !is_same {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
        }
        let start = self.at + LOCAL_SIZE as u64 + u64::from(name) + u64::from(extra);
        if header.packed > self.range.length.saturating_sub(start) {
            self.fault(&diagnostic::ARCHIVE_TRUNCATED);
        }
        let method = Method::of(header.method);
        if method == Method::Unknown || header.flags & ENCRYPTED != 0 {
            self.fault(&diagnostic::ARCHIVE_UNREADABLE);
            return Ok(MemberContents::Unreadable);
        }
        self.contents = Contents::Stored(StoredContents {
            method,
            start,
            packed: header.packed,
            seal: header.seal(),
        });
        Ok(MemberContents::File)
    }

    /// Unpacks contents into memory; returns whether they are whole, and nothing is wrong with them.
    fn unpack(&mut self, stored: &StoredContents) -> bool {
        let StoredContents { packed, seal, .. } = *stored;
        if packed > HELD || seal.length > HELD {
            return false;
        }
        let (packed, length) = (packed as usize, seal.length as usize);
        // Reading the contents bit by bit fails in the same way.
        let Ok(bytes) = self.window.bytes(stored.start, packed) else {
            return false;
        };
        if self.unpacked.len() < length {
            self.unpacked.resize(length, 0);
        }
        let unpacked = &mut self.unpacked[..length];
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
        is_whole && crc32fast::hash(unpacked) == seal.crc
    }

    /// Opens contents to be read bit by bit.
    fn stream(&self, stored: &StoredContents) -> Contents {
        let StoredContents {
            method,
            start,
            packed,
            seal,
        } = *stored;
        let file = Arc::clone(&self.range.file);
        let reader = section(file, start, start.saturating_add(packed));
        let contents = PackedContents::new(method, reader, packed, seal);
        contents.map_or(Contents::Missing, Contents::Stream)
    }
}

/// Returns whether a zip with this central directory is a WACZ.
fn is_wacz(mut directory: BufferedSource) -> bool {
    let (mut has_package, mut has_archive) = (false, false);
    while !(has_package && has_archive) {
        let Some(header) = directory.peek(CENTRAL_SIZE).first_chunk::<CENTRAL_SIZE>() else {
            break;
        };
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(header, at)));
        if !header.starts_with(CENTRAL) {
            break;
        }
        let bytes = directory.peek(CENTRAL_SIZE + name);
        let bytes = bytes.get(CENTRAL_SIZE..).unwrap_or_default();
        has_package |= bytes == b"datapackage.json";
        has_archive |= bytes.starts_with(WACZ_ARCHIVE);
        directory.skip((CENTRAL_SIZE + name + extra + comment) as u64);
    }
    has_package && has_archive
}

/// Returns what is added to the offsets of local headers. They count from the start of the zip or of the
/// file, as the offset of the directory does or not.
fn find_shift(file: &Arc<dyn ReadAt>, directory: &Directory) -> u64 {
    let by_directory = directory.start.saturating_sub(directory.offset);
    let first = read_at(file, directory.start, CENTRAL_SIZE).unwrap_or_default();
    let offset = u64::from(u32_at(&first, 42));
    let junk = || {
        let head = read_at(file, 0, FAR_AHEAD)?;
        memmem::find(&head, LOCAL).map(|at| at as u64)
    };
    let starts = |shift: &u64| read_at(file, offset + shift, LOCAL.len()).as_deref() == Some(LOCAL);
    let known = [by_directory, 0].into_iter().find(starts);
    known
        .or_else(|| junk().filter(starts))
        .unwrap_or(by_directory)
}

/// The end record of a zip.
struct EndRecord {
    /// The bytes from its first one to the end of the file.
    bytes: Vec<u8>,
    /// The offset of the first one.
    offset: u64,
    /// The comment of the record ends where the file does.
    is_exact: bool,
}

/// Finds the end record whose comment ends where the file does, else the last one, in so many bytes at
/// the end of a file.
fn end_record(file: &Arc<dyn ReadAt>, length: u64, searched: u64) -> Option<EndRecord> {
    let start = length.saturating_sub(searched);
    let mut tail = read_at(file, start, (length - start) as usize)?;
    let mut last = None;
    let mut found = memmem::rfind_iter(&tail, END).filter(|at| at + END_SIZE <= tail.len());
    let exact = found.find(|&at| {
        last.get_or_insert(at);
        at + END_SIZE + usize::from(u16_at(&tail, at + 20)) == tail.len()
    });
    drop(found);
    let at = exact.or(last)?;
    Some(EndRecord {
        bytes: tail.split_off(at),
        offset: start + at as u64,
        is_exact: exact.is_some(),
    })
}

/// Finds the central directory by the end record whose comment ends where the file does, else by the
/// last one.
fn find_directory(file: &Arc<dyn ReadAt>, length: u64) -> Option<Directory> {
    // Few comments are long.
    let near = end_record(file, length, AHEAD as u64).filter(|record| record.is_exact);
    let found = near.or_else(|| end_record(file, length, COMMENT + END_SIZE as u64))?;
    let (record, end) = (found.bytes.as_slice(), found.offset);
    let directory = Directory {
        start: end.checked_sub(u32_at(record, 12).into()).unwrap_or(end),
        size: u32_at(record, 12).into(),
        count: u16_at(record, 10).into(),
        offset: u32_at(record, 16).into(),
    };
    match end_64(file, end) {
        Some(directory) => Some(directory),
        // Where the numbers do not fit, the record with those that do is missing.
        None => {
            let starts = read_at(file, directory.start, CENTRAL.len());
            let holds = directory.count == 0 || starts.is_some_and(|bytes| bytes == CENTRAL);
            holds.then_some(directory)
        }
    }
}

/// Reads the end record of zip64, which a locator in front of the end record names.
fn end_64(file: &Arc<dyn ReadAt>, end: u64) -> Option<Directory> {
    let locator = read_at(file, end.checked_sub(LOCATOR_SIZE)?, LOCATOR_SIZE as usize)?;
    if !locator.starts_with(LOCATOR_64) {
        return None;
    }
    let named = u64_at(&locator, 8);
    let before = end.checked_sub(LOCATOR_SIZE + END_64_SIZE as u64);
    // What stands in front of the zip moves the record.
    [Some(named), before].into_iter().flatten().find_map(|at| {
        let record = read_at(file, at, END_64_SIZE)?;
        let size = u64_at(&record, 40);
        (record.len() == END_64_SIZE && record.starts_with(END_64)).then_some(Directory {
            start: at.checked_sub(size)?,
            size,
            count: u64_at(&record, 32),
            offset: u64_at(&record, 48),
        })
    })
}

fn read_at(file: &Arc<dyn ReadAt>, at: u64, length: usize) -> Option<Vec<u8>> {
    let mut section = Section {
        file: &**file,
        at,
        end: at.checked_add(length as u64)?,
    };
    let mut bytes = vec![0; length];
    let n = fill(&mut section, &mut bytes).ok()?;
    bytes.truncate(n);
    Some(bytes)
}

impl Container for Zip {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        self.contents = Contents::Missing;
        while self.range.left > 0 {
            if self.range.members == MEMBERS {
                self.fault(&diagnostic::ARCHIVE_MEMBER_LIMIT);
                self.range.left = 0;
                break;
            }
            self.range.members += 1;
            let Some(mut header) = self.header() else {
                self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
                self.range.left = 0;
                break;
            };
            self.range.left -= 1;
            self.at = header.offset.saturating_add(self.range.shift);
            if !header.is_folder() {
                let contents = match self.range.is_wacz && !header.name.starts_with(WACZ_ARCHIVE) {
                    true => unread(&extension(&header.name)),
                    false => self.open(&header)?,
                };
                return Ok(Some(header.member(contents)));
            }
        }
        let error = self.directory.error.take();
        error.map_or(Ok(None), |kind| Err(kind.into()))
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Contents::Stored(stored) = self.contents {
            self.contents = self.stream(&stored);
        }
        let contents = match &mut self.contents {
            Contents::Stream(contents) => contents,
            Contents::Whole { length, read } => {
                let n = (&self.unpacked[*read..*length]).read(into)?;
                *read += n;
                return Ok(n);
            }
            Contents::Missing | Contents::Stored(_) => return Ok(0),
        };
        let mut damage = None;
        let n = contents.read(into, &mut damage)?;
        if let Some(code) = damage {
            self.fault(code);
        }
        Ok(n)
    }

    fn whole(&mut self) -> Option<WholeContents<'_>> {
        if let Contents::Stored(stored) = self.contents
            && self.unpack(&stored)
        {
            let length = stored.seal.length as usize;
            self.contents = Contents::Whole { length, read: 0 };
        }
        match self.contents {
            Contents::Whole { length, .. } => Some(Box::new(&self.unpacked[..length])),
            _ => None,
        }
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        std::mem::take(&mut self.faults)
    }

    fn split(&mut self, size: u64) -> Option<Arc<dyn MemberRange>> {
        let mut part = ZipRange {
            start: self.directory.consumed,
            ..self.range.clone()
        };
        let mut length = 0_u64;
        loop {
            let is_member = self.range.left > 0 && self.range.members < MEMBERS;
            if !is_member || self.lengths().is_none() {
                // What is wrong there is told after the member before.
                self.range.left = 0;
            }
            if self.range.left == 0 || length >= size {
                break;
            }
            length = length.saturating_add(self.header()?.length);
            self.range.members += 1;
            self.range.left -= 1;
        }
        part.left -= self.range.left;
        (part.left > 0).then(|| Arc::new(part) as Arc<dyn MemberRange>)
    }
}

impl ZipRange {
    /// Reads the central directory from the first member on.
    fn directory(&self) -> BufferedSource {
        let section = section(Arc::clone(&self.file), self.start, self.end);
        let mut source = BufferedSource::new(section);
        source.consumed = self.start;
        source
    }
}

impl MemberRange for ZipRange {
    fn open(&self) -> Box<dyn Container> {
        Box::new(Zip::of_range(self.clone()))
    }
}

/// Reads a zip from its first byte on, by its local headers.
struct ZipStream {
    stage: Stage,
    members: u64,
    faults: Vec<ArchiveFault>,
}

/// The owner of the source while a zip is read as a stream.
enum Stage {
    /// Between members.
    Between(BufferedSource),
    /// In contents of a known length.
    Sized(PackedContents, Shared<BufferedSource>, Shared<u64>),
    /// In deflated contents that end by themselves.
    Deflated(Box<Inflate>, Tally, u64),
    /// In stored contents that a descriptor ends.
    Stored(BufferedSource, Tally),
    Ended,
}

/// Bytes of a shared source up to a limit.
struct Limited {
    source: Shared<BufferedSource>,
    left: Shared<u64>,
}

impl Read for Limited {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut left = self.left.lock();
        let most = into.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
        if most == 0 {
            return Ok(0);
        }
        let n = self.source.lock().read(&mut into[..most])?;
        *left = if n == 0 { 0 } else { *left - n as u64 };
        Ok(n)
    }
}

impl ZipStream {
    fn new(source: BufferedSource) -> Self {
        ZipStream {
            stage: Stage::Between(source),
            members: 0,
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, code: &'static Code, offset: u64) {
        self.faults.push(ArchiveFault { code, offset });
    }

    /// Ends the current member and returns the source behind it.
    fn between(&mut self) -> io::Result<Option<BufferedSource>> {
        let mut rest = [0; 4096];
        while !matches!(self.stage, Stage::Between(_) | Stage::Ended) {
            if self.read(&mut rest)? == 0 {
                break;
            }
        }
        match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Between(source) => Ok(Some(source)),
            _ => Ok(None),
        }
    }

    /// Goes to the next header of a member; returns `None` at the central directory.
    fn find(&mut self, source: &mut BufferedSource) -> Option<()> {
        let mut lost = self.members == 0;
        loop {
            let offset = source.consumed;
            let head = source.peek(SEARCHED);
            if head.starts_with(LOCAL) {
                return Some(());
            }
            let is_end = head.starts_with(CENTRAL) || head.starts_with(END);
            if is_end || head.starts_with(END_64) {
                return None;
            }
            if head.len() < LOCAL.len() {
                self.fault(&diagnostic::ARCHIVE_TRUNCATED, offset);
                return None;
            }
            let length = head.len();
            let next = memmem::find(&head[1..], b"PK").map_or(length - 1, |at| at + 1);
            if !std::mem::replace(&mut lost, true) {
                self.fault(&diagnostic::ARCHIVE_INCONSISTENT, offset);
            }
            source.consume(next);
        }
    }

    fn begin(&mut self, mut source: BufferedSource) -> Option<ArchiveMember> {
        let at = source.consumed;
        let fixed = source.peek(LOCAL_SIZE).to_vec();
        let (name, extra) = (u16_at(&fixed, 26).into(), usize::from(u16_at(&fixed, 28)));
        let whole = LOCAL_SIZE + name + extra;
        let header = source.peek(whole);
        let Some(names) = header.get(LOCAL_SIZE..whole) else {
            self.fault(&diagnostic::ARCHIVE_TRUNCATED, at);
            return None;
        };
        let (name, extra) = names.split_at(name);
        let mut header = ZipHeader::new(&fixed[6..], 0, name, extra);
        source.consume(whole);
        let is_open = header.flags & HAS_DESCRIPTOR != 0 && header.packed == 0;
        let method = Method::of(header.method);
        let is_encrypted = header.flags & ENCRYPTED != 0;
        let contents = match method {
            Method::Deflate if is_open && !is_encrypted => {
                let decoder = Box::new(Inflate::over(source, false));
                self.stage = Stage::Deflated(decoder, Tally::new(), at);
                MemberContents::File
            }
            Method::Stored if is_open && !is_encrypted => {
                self.stage = Stage::Stored(source, Tally::new());
                MemberContents::File
            }
            method if !is_open => {
                let shared = Shared::new(source);
                let left = Shared::new(header.packed);
                let reader = Box::new(Limited {
                    source: shared.clone(),
                    left: left.clone(),
                });
                let (packed, seal) = (header.packed, header.seal());
                let contents = PackedContents::new(method, reader, packed, seal);
                match contents.filter(|_| !is_encrypted) {
                    Some(contents) => {
                        self.stage = Stage::Sized(contents, shared, left);
                        MemberContents::File
                    }
                    None => {
                        if let Some(mut source) = shared.into_inner() {
                            source.skip(header.packed);
                            self.stage = Stage::Between(source);
                        }
                        MemberContents::Unreadable
                    }
                }
            }
            // Nothing tells where it ends but the next header.
            _ => {
                self.stage = Stage::Between(source);
                MemberContents::Unreadable
            }
        };
        if contents == MemberContents::Unreadable {
            self.fault(&diagnostic::ARCHIVE_UNREADABLE, at);
        }
        Some(header.member(contents))
    }

    /// Reads the descriptor behind contents.
    fn descriptor(&mut self, source: &mut BufferedSource, tally: &Tally) {
        let offset = source.consumed;
        let has_signature = source.peek(4) == DESCRIPTOR;
        let start = if has_signature { 4 } else { 0 };
        let bytes = source.peek(start + 20).to_vec();
        let crc = u32_at(&bytes, start);
        // The lengths have 32 bits each, or 64; what comes next begins with a signature.
        let is_long = u64_at(&bytes, start + 12) == tally.length
            && u64::from(u32_at(&bytes, start + 8)) != tally.length;
        let size = start + if is_long { 20 } else { 12 };
        source.consume(size.min(bytes.len()));
        if bytes.len() < size || crc != tally.sum() {
            self.fault(&diagnostic::COMPRESS_CORRUPT, offset);
        }
    }

    /// Reads stored contents up to the descriptor that fits them.
    fn read_open(source: &mut BufferedSource, tally: &Tally, into: &mut [u8]) -> Option<usize> {
        let bytes = source.peek(SEARCHED);
        let (end, is_end) = match memmem::find(bytes, DESCRIPTOR) {
            Some(0) => {
                let crc = u32_at(bytes, 4);
                let length = u64::from(u32_at(bytes, 8));
                if crc == tally.sum() && length == tally.length & 0xffff_ffff {
                    return None;
                }
                (1, false)
            }
            Some(at) => (at, false),
            None if bytes.len() < SEARCHED => (bytes.len(), true),
            None => (bytes.len() + 1 - DESCRIPTOR.len(), false),
        };
        if is_end && bytes.is_empty() {
            return Some(0);
        }
        let n = end.min(into.len());
        into[..n].copy_from_slice(&bytes[..n]);
        source.consume(n);
        Some(n)
    }
}

/// The number of bytes that are searched at a time for a header.
const SEARCHED: usize = 4096;

impl Container for ZipStream {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        let Some(mut source) = self.between()? else {
            return Ok(None);
        };
        if self.members == MEMBERS {
            let offset = source.consumed;
            self.fault(&diagnostic::ARCHIVE_MEMBER_LIMIT, offset);
            return Ok(None);
        }
        loop {
            if self.find(&mut source).is_none() {
                let error = source.error.take();
                return error.map_or(Ok(None), |kind| Err(kind.into()));
            }
            self.members += 1;
            let Some(member) = self.begin(source) else {
                return Ok(None);
            };
            if !member.name.ends_with(b"/") {
                return Ok(Some(member));
            }
            match self.between()? {
                Some(next) => source = next,
                None => return Ok(None),
            }
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Sized(mut contents, source, left) => {
                let mut damage = None;
                let n = contents.read(into, &mut damage)?;
                let offset = source.lock().consumed;
                if let Some(code) = damage {
                    self.fault(code, offset);
                }
                if n > 0 {
                    self.stage = Stage::Sized(contents, source, left);
                    return Ok(n);
                }
                // What the decoder did not need belongs to the member all the same.
                drop(contents);
                if let Some(mut source) = source.into_inner() {
                    let rest = *left.lock();
                    if source.skip(rest) < rest {
                        self.fault(&diagnostic::ARCHIVE_TRUNCATED, offset);
                    }
                    self.stage = Stage::Between(source);
                }
                Ok(0)
            }
            Stage::Deflated(mut decoder, mut tally, at) => match decoder.read(into) {
                Ok(0) => {
                    let mut source = decoder.into_source();
                    self.descriptor(&mut source, &tally);
                    self.stage = Stage::Between(source);
                    Ok(0)
                }
                Ok(n) => {
                    let added = tally.add(&into[..n], decoder.consumed());
                    if let Err(code) = added {
                        self.fault(code, at);
                        self.stage = Stage::Between(decoder.into_source());
                    } else {
                        self.stage = Stage::Deflated(decoder, tally, at);
                    }
                    Ok(n)
                }
                Err(error) if is_damage(&error) => {
                    self.fault(&diagnostic::COMPRESS_CORRUPT, at);
                    self.stage = Stage::Between(decoder.into_source());
                    Ok(0)
                }
                Err(error) => Err(error),
            },
            Stage::Stored(mut source, mut tally) => {
                match Self::read_open(&mut source, &tally, into) {
                    Some(0) => {
                        self.fault(&diagnostic::ARCHIVE_TRUNCATED, source.consumed);
                        Ok(0)
                    }
                    Some(n) => {
                        // Stored bytes are as many as they take.
                        let _ = tally.add(&into[..n], tally.length);
                        self.stage = Stage::Stored(source, tally);
                        Ok(n)
                    }
                    None => {
                        self.descriptor(&mut source, &tally);
                        self.stage = Stage::Between(source);
                        Ok(0)
                    }
                }
            }
            other => {
                self.stage = other;
                Ok(0)
            }
        }
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        std::mem::take(&mut self.faults)
    }
}
