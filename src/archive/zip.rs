//! zip (APPNOTE 6.3.10): stored, deflate, bzip2, zstd and xz; zip64; data descriptors.
//!
//! Of a file that can be read anywhere the central directory has the members and their order. In a
//! stream they are read as their local headers come.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Cursor, Read};
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use super::container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, Container, MEMBERS, MemberContents,
    WholeContents, extension, note, section, unread,
};
use super::content::{Method, PackedContents, StoredContents, Tally};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::{ReadAt, Section, Shared, fill};
use crate::decode::compression::{Decompressed, inflate};
use crate::document::diagnostic::{self, Code};

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const SIGNATURE: &[u8] = b"PK\x05\x05";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Lengths of the fixed parts of headers, in bytes.
const LOCAL_SIZE: usize = 30;
const CENTRAL_SIZE: usize = 46;
const END_SIZE: usize = 22;
const END_64_SIZE: usize = 56;
const LOCATOR_SIZE: usize = 20;
/// The offsets of the flags in the headers.
const LOCAL_FLAGS: usize = 6;
const CENTRAL_FLAGS: usize = 8;
/// The number of bytes that are read at least where a header is looked at.
const AHEAD: usize = 4 << 10;
/// The number of bytes that are read at least where members follow one another.
const FAR_AHEAD: usize = 64 << 10;
/// The number of bytes on each side of its place in which a local header is searched.
const MOVED: u64 = 32 << 10;
/// The most searches and headers in them for a directory, whose entries are much shorter than what a search reads.
const MAX_TRIED: usize = 1 << 16;
/// The longest contents that are unpacked as a whole, in bytes, packed or not.
const HELD: u64 = 4 << 20;
/// The longest comment after the end record, in bytes.
const COMMENT: u64 = 0xffff;
/// A 32-bit field whose value is in the extra field.
const IN_EXTRA: u64 = 0xffff_ffff;

/// The folder of a WACZ that holds the web archives.
const WACZ_ARCHIVE: &[u8] = b"archive/";

/// Flags (APPNOTE 4.4.4).
const ENCRYPTED: u16 = 1;
const HAS_DESCRIPTOR: u16 = 1 << 3;
const IS_UTF8: u16 = 1 << 11;

pub(super) fn starts(head: &[u8]) -> bool {
    head.starts_with(LOCAL) || head.starts_with(END)
}

/// Returns whether a zip starts after other bytes, such as a program that unpacks it.
pub(super) fn follows(head: &[u8]) -> bool {
    find_local(head).is_some()
}

/// Returns the index of the first local header.
fn find_local(bytes: &[u8]) -> Option<usize> {
    // Texts do not have this byte.
    let mut starts = memchr::memchr_iter(LOCAL[2], bytes).map(|at| at.saturating_sub(2));
    starts.find(|&start| {
        let local = &bytes[start..];
        local.starts_with(LOCAL)
            && (1..=512).contains(&u16_at(local, 26))
            && local.len() > LOCAL_SIZE
            && u16_at(local, 4) & 0xff <= 63
            && Method::of(u16_at(local, 8)).is_some()
    })
}

/// Returns the number of bytes up to the header after contents, which a wrong length takes in.
fn known_length(source: &mut BufferedSource, header: &ZipHeader) -> u64 {
    let held = header.packed.min(HELD) as usize;
    let bytes = source.peek(held + LOCAL_SIZE + 1);
    let after = bytes.get(held..).unwrap_or_default();
    let is_right = after.starts_with(b"PK") || header.packed > HELD && !after.is_empty();
    // Contents that are a zip have such headers.
    let is_zip = header.method == 0 && bytes.starts_with(LOCAL);
    if is_right || is_zip || header.flags & HAS_DESCRIPTOR != 0 {
        return header.packed;
    }
    find_local(bytes).map_or(header.packed, |next| header.packed.min(next as u64))
}

/// Opens a zip, by its central directory where possible: streams other than pipes are held for that.
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

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let number = bytes.get(at..).and_then(<[u8]>::first_chunk);
    number.map_or(0, |number| u16::from_le_bytes(*number))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// A local header of a member, or its header in the central directory.
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
    /// Reads a header whose fixed part has `size` bytes; the common fields begin at the flags, at an offset.
    fn new(bytes: &[u8], size: usize, flags: usize) -> Self {
        let (fixed, rest) = bytes.split_at(size);
        let fields = &fixed[flags..];
        let (name, extra) = rest.split_at(rest.len().min(u16_at(fields, 20).into()));
        let mut header = ZipHeader {
            flags: u16_at(fields, 0),
            method: u16_at(fields, 2),
            crc: u32_at(fields, 8),
            packed: u32_at(fields, 12).into(),
            length: u32_at(fields, 16).into(),
            offset: u32_at(fields, 34).into(),
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

    fn contents(&self, start: u64) -> Option<StoredContents> {
        let method = Method::of(self.method).filter(|_| self.flags & ENCRYPTED == 0)?;
        Some(StoredContents {
            method,
            start,
            packed: self.packed,
            length: self.length,
            crc: self.crc,
        })
    }
}

/// The characters 0x80 to 0xFF of code page 437.
#[rustfmt::skip]
const CP437: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

fn from_cp437(name: &[u8]) -> Vec<u8> {
    let ascii = (0..0x80).map(char::from);
    let all: Vec<char> = ascii.chain(CP437.chars()).collect();
    let characters = name.iter().map(|&byte| all[usize::from(byte)]);
    characters.collect::<String>().into_bytes()
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
    /// The packed bytes of all members so far, which overlap if they are more than the file has.
    packed: u64,
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
    /// The offset of the local header of the current member, and an offset after the last one's.
    at: u64,
    after: u64,
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
        let mut range = ZipRange {
            file: Arc::clone(file),
            length,
            start: directory.start,
            end: directory.start.saturating_add(directory.size),
            count: Some(directory.count),
            shift: find_shift(&mut window, &directory),
            members: 0,
            packed: 0,
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
            after: 0,
            taken: BTreeSet::new(),
            left_to_try: MAX_TRIED,
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, code: &'static Code) {
        note(&mut self.faults, code, self.at);
    }

    /// Opens contents, of this length if the one in the header is too large.
    fn open(&mut self, header: &ZipHeader, packed: u64) -> io::Result<MemberContents> {
        // No file can be read at the largest offsets, and none has more packed bytes than bytes.
        let mut local: &[u8] = &[];
        if self.at < self.range.length && self.range.packed <= self.range.length {
            local = self.window.bytes(self.at, LOCAL_SIZE)?;
        }
        if local.len() < LOCAL_SIZE || !local.starts_with(LOCAL) {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
            let Some(moved) = self.find_moved(&header.name)? else {
                return Ok(MemberContents::Unreadable);
            };
            self.at = moved;
            local = self.window.bytes(moved, LOCAL_SIZE)?;
        }
        let [name, extra] = [26, 28].map(|at| usize::from(u16_at(local, at)));
        let size = LOCAL_SIZE + name + extra;
        let bytes = self.window.bytes(self.at, size)?;
        let local = ZipHeader::new(bytes, LOCAL_SIZE, LOCAL_FLAGS);
        // The lengths of a local header may follow the contents.
        let is_later = local.flags & HAS_DESCRIPTOR != 0;
        let is_equal = |local: u64, central: u64| {
            local == central || is_later && matches!(local, 0 | IN_EXTRA)
        };
        let name = bytes.get(LOCAL_SIZE..LOCAL_SIZE + name);
        let is_same = (name == Some(&header.name) || !header.name.is_ascii())
            && is_equal(local.packed, header.packed)
            && is_equal(local.length, header.length);
        if local.method != header.method || !is_same {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
        }
        let start = self.at + size as u64;
        self.after = start.saturating_add(packed);
        let Some(mut stored) = header.contents(start) else {
            self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER);
            return Ok(MemberContents::Unreadable);
        };
        if header.packed > self.range.length.saturating_sub(start) {
            self.fault(&diagnostic::ARCHIVE_TRUNCATED);
            stored.packed = packed.min(self.range.length.saturating_sub(start));
        }
        self.contents = Contents::Stored(stored);
        Ok(MemberContents::File)
    }

    /// Returns the offset of the local header with a name near the place where it should be, as after lost bytes.
    fn find_moved(&mut self, name: &[u8]) -> io::Result<Option<u64>> {
        if self.left_to_try == 0 || self.range.packed > self.range.length {
            return Ok(None);
        }
        let start = self.at.min(self.range.length).saturating_sub(MOVED);
        let bytes = self.window.bytes(start, 2 * MOVED as usize)?;
        let mut tried = 1;
        let mut places = memmem::find_iter(bytes, LOCAL).take(self.left_to_try);
        let found = places.find(|&at| {
            tried += 1;
            let local = &bytes[at..];
            let end = LOCAL_SIZE + usize::from(u16_at(local, 26)) + usize::from(u16_at(local, 28));
            let local = local.get(..end);
            let header = local.map(|local| ZipHeader::new(local, LOCAL_SIZE, LOCAL_FLAGS));
            header.is_some_and(|header| header.name == name)
                && !self.taken.contains(&(start + at as u64))
        });
        self.left_to_try = self.left_to_try.saturating_sub(tried);
        Ok(found.map(|at| start + at as u64))
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

    /// Returns the length of packed contents: the local header's, if the directory has more than the file.
    fn packed(&mut self, header: &ZipHeader) -> u64 {
        let length = self.range.length;
        if header.packed <= length {
            return header.packed;
        }
        let at = header.offset.saturating_add(self.range.shift).min(length);
        let local = self.window.bytes(at, LOCAL_SIZE).unwrap_or_default();
        u64::from(u32_at(local, 18)).min(length - at)
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
                let at = header.offset.saturating_add(self.range.shift);
                self.taken.insert(at);
            }
        }
        let mut named = self.taken.range(self.after..);
        let end = *named.next().unwrap_or(&self.after);
        let between = end - self.after;
        let packed = self.range.packed.saturating_add(between);
        if between > 0 && packed <= self.range.length {
            self.range.packed = packed;
            let source = self.range.source(self.after, u64::MAX);
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

/// Returns whether an end record, which has 16 bits for it, has this number of members.
fn is_count(count: u64, members: u64) -> bool {
    (count ^ members) & 0xffff == 0
}

/// Returns the lengths of the next header in a central directory and of the comment after it.
fn header_lengths(directory: &mut BufferedSource) -> Option<(usize, usize)> {
    let fixed = directory.peek(CENTRAL_SIZE);
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
    let size = CENTRAL_SIZE + name + extra;
    let is_header = fixed.starts_with(CENTRAL) && directory.peek(size).len() == size;
    is_header.then_some((size, comment))
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
    let starts = |window: &mut FileWindow, shift: u64| {
        matches!(window.bytes(offset + shift, LOCAL.len()), Ok(LOCAL))
    };
    for shift in [by_directory, 0] {
        if starts(window, shift) {
            return shift;
        }
    }
    let head = window.bytes(0, FAR_AHEAD).unwrap_or_default();
    let junk = memmem::find(head, LOCAL).map(|at| at as u64);
    junk.filter(|&shift| starts(window, shift))
        .unwrap_or(by_directory)
}

/// Finds the end record that ends with the file, else the last one, in the last `reach` bytes. Returns its offset,
/// the directory that it names, and whether it ends with the file.
fn end_record(window: &mut FileWindow, length: u64, reach: u64) -> Option<(u64, Directory, bool)> {
    let start = length.saturating_sub(reach);
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
    Some((offset, directory, exact.is_some()))
}

fn find_directory(window: &mut FileWindow, length: u64) -> Option<Directory> {
    // Few comments are long.
    let near = end_record(window, length, AHEAD as u64).filter(|(.., is_exact)| *is_exact);
    let far = || end_record(window, length, COMMENT + END_SIZE as u64);
    let (offset, directory, _) = near.or_else(far)?;
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
            self.range.members += 1;
            self.at = header.offset.saturating_add(self.range.shift);
            let packed = self.packed(&header);
            self.range.packed = self.range.packed.saturating_add(packed);
            self.after = self.at.saturating_add(LOCAL_SIZE as u64);
            if !header.is_folder() {
                let contents = match self.unwanted(&header.name) {
                    Some(contents) => contents,
                    None => self.open(&header, packed)?,
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
        let mut length = 0_u64;
        loop {
            let is_end = self.is_at_end() || self.range.members == MEMBERS;
            if is_end || header_lengths(&mut self.directory).is_none() {
                // Damage there is reported after the member before.
                self.range.count = None;
                break;
            }
            if length >= size {
                (part.end, part.count) = (self.directory.consumed, Some(self.range.members));
                break;
            }
            let header = next_header(&mut self.directory)?;
            length = length.saturating_add(header.length);
            let packed = self.packed(&header);
            self.range.packed = self.range.packed.saturating_add(packed);
            self.range.members += 1;
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

/// Reads a zip from its first byte on, by its local headers.
struct ZipStream {
    source: Shared<Limited>,
    stage: Stage,
    members: u64,
    /// The offset of the local header of the current member.
    at: u64,
    faults: Vec<ArchiveFault>,
}

enum Stage {
    Between,
    /// In contents of a known length.
    Sized(PackedContents),
    /// In deflated contents that end by themselves.
    Deflated(Decompress, Tally),
    /// In stored contents that a descriptor ends.
    Stored(Tally),
    Ended,
}

/// A source whose contents are read to their end.
struct Limited {
    source: BufferedSource,
    left: u64,
}

impl Read for Limited {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = (&mut self.source).take(self.left).read(into)?;
        let is_end = n == 0 && !into.is_empty();
        self.left = if is_end { 0 } else { self.left - n as u64 };
        Ok(n)
    }
}

impl ZipStream {
    fn new(source: BufferedSource) -> Self {
        ZipStream {
            source: Shared::new(Limited { source, left: 0 }),
            stage: Stage::Between,
            members: 0,
            at: 0,
            faults: Vec::new(),
        }
    }

    /// Goes to the next header of a member; returns false at the central directory.
    fn find(&mut self) -> bool {
        let source = &mut self.source.lock().source;
        let mut lost = self.members == 0;
        loop {
            let offset = source.consumed;
            let head = source.peek(SEARCHED);
            if head.starts_with(LOCAL) {
                return true;
            }
            let ends = [CENTRAL, END, END_64];
            let is_end = ends.iter().any(|end| head.starts_with(end));
            if is_end || head.len() < LOCAL.len() {
                if let Some(code) = directory_fault(source) {
                    note(&mut self.faults, code, offset);
                }
                return false;
            }
            let length = head.len();
            let next = memmem::find(&head[1..], b"PK").map_or(length - 1, |at| at + 1);
            if !std::mem::replace(&mut lost, true) {
                note(&mut self.faults, &diagnostic::ARCHIVE_INCONSISTENT, offset);
            }
            source.consume(next);
        }
    }

    /// Reads a local header, and opens the contents after it.
    fn begin(&mut self) -> Option<ArchiveMember> {
        let Limited { source, left } = &mut *self.source.lock();
        self.at = source.consumed;
        let fixed = source.peek(LOCAL_SIZE);
        let size = LOCAL_SIZE + usize::from(u16_at(fixed, 26)) + usize::from(u16_at(fixed, 28));
        let bytes = source.peek(size);
        if bytes.len() < size {
            // Lengths that are damaged may take in the next headers.
            let next = memmem::find(bytes.get(LOCAL.len()..).unwrap_or_default(), LOCAL);
            let code = match next {
                Some(_) => &diagnostic::ARCHIVE_INCONSISTENT,
                None => &diagnostic::ARCHIVE_TRUNCATED,
            };
            note(&mut self.faults, code, self.at);
            self.stage = next.map_or(Stage::Ended, |_| Stage::Between);
            source.consume(next.map_or(0, |next| next + LOCAL.len()));
            return None;
        }
        let header = ZipHeader::new(bytes, LOCAL_SIZE, LOCAL_FLAGS);
        source.consume(size);
        *left = known_length(source, &header);
        if *left != header.packed {
            note(&mut self.faults, &diagnostic::ARCHIVE_INCONSISTENT, self.at);
        }
        let is_open = header.flags & HAS_DESCRIPTOR != 0 && header.packed == 0;
        let mut contents = MemberContents::File;
        self.stage = match header.contents(0) {
            Some(stored) if !is_open => {
                let reader = Box::new(self.source.clone());
                Stage::Sized(PackedContents::new(&stored, reader))
            }
            Some(stored) if matches!(stored.method, Method::Deflate) => {
                Stage::Deflated(Decompress::new(false), Tally::default())
            }
            Some(stored) if matches!(stored.method, Method::Stored) => {
                Stage::Stored(Tally::default())
            }
            // Only the next header shows where open contents end.
            _ => {
                source.skip(*left);
                let code = &diagnostic::ARCHIVE_UNREADABLE_MEMBER;
                note(&mut self.faults, code, self.at);
                contents = MemberContents::Unreadable;
                Stage::Between
            }
        };
        Some(ArchiveMember::file(header.name, contents))
    }
}

/// Reads the central directory and the records after it; returns their fault.
fn directory_fault(source: &mut BufferedSource) -> Option<&'static Code> {
    let (mut members, mut count) = (0, None);
    loop {
        let lengths = header_lengths(source);
        let head = source.peek(CENTRAL_SIZE);
        let is_last = head.starts_with(END);
        let length = if let Some((size, comment)) = lengths {
            members += 1;
            (size + comment) as u64
        } else if head.starts_with(END_64) {
            count = Some(u64_at(head, 32));
            u64_at(head, 4).saturating_add(12)
        } else if head.starts_with(LOCATOR_64) {
            LOCATOR_SIZE as u64
        } else if head.starts_with(SIGNATURE) {
            6 + u64::from(u16_at(head, 4))
        } else if is_last {
            count.get_or_insert(u16_at(head, 10).into());
            END_SIZE as u64 + u64::from(u16_at(head, 20))
        } else if head.len() < CENTRAL.len() || head.starts_with(CENTRAL) {
            return Some(&diagnostic::ARCHIVE_TRUNCATED);
        } else {
            return Some(&diagnostic::ARCHIVE_INCONSISTENT);
        };
        if source.skip(length) < length {
            return Some(&diagnostic::ARCHIVE_TRUNCATED);
        }
        if is_last {
            let differs = count.is_some_and(|count| !is_count(count, members));
            return differs.then_some(&diagnostic::ARCHIVE_INCONSISTENT);
        }
    }
}

/// Reads the descriptor after contents; returns the fault of one that does not match.
fn check_descriptor(source: &mut BufferedSource, tally: &Tally) -> Option<ArchiveFault> {
    let offset = source.consumed;
    let has_signature = source.peek(4) == DESCRIPTOR;
    let start = if has_signature { 4 } else { 0 };
    let bytes = source.peek(start + 20);
    // The lengths have 32 bits each, or 64; what comes next begins with a signature.
    let is_long = u64_at(bytes, start + 12) == tally.length
        && u64::from(u32_at(bytes, start + 8)) != tally.length;
    let size = start + if is_long { 20 } else { 12 };
    let holds = bytes.len() >= size && u32_at(bytes, start) == tally.sum();
    let length = size.min(bytes.len());
    source.consume(length);
    (!holds).then(|| ArchiveFault::new(&diagnostic::COMPRESS_CORRUPT, offset))
}

/// Reads stored contents up to the descriptor that fits them; `None` there.
fn read_open(source: &mut BufferedSource, tally: &Tally, into: &mut [u8]) -> Option<usize> {
    let bytes = source.peek(SEARCHED);
    let end = match memmem::find(bytes, DESCRIPTOR) {
        Some(0) => {
            let length = u64::from(u32_at(bytes, 8));
            if u32_at(bytes, 4) == tally.sum() && length == tally.length & 0xffff_ffff {
                return None;
            }
            1
        }
        Some(at) => at,
        None if bytes.len() < SEARCHED => bytes.len(),
        None => bytes.len() + 1 - DESCRIPTOR.len(),
    };
    let n = end.min(into.len());
    into[..n].copy_from_slice(&bytes[..n]);
    source.consume(n);
    Some(n)
}

/// The number of bytes that are searched at a time for a header.
const SEARCHED: usize = 4096;

impl Container for ZipStream {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        let is_full = self.members == MEMBERS;
        loop {
            while self.read(&mut [0; 4096])? > 0 {}
            if !matches!(self.stage, Stage::Between) {
                return Ok(None);
            }
            if is_full {
                let offset = self.source.lock().source.consumed;
                note(&mut self.faults, &diagnostic::ARCHIVE_MEMBER_LIMIT, offset);
                self.stage = Stage::Ended;
                return Ok(None);
            }
            if !self.find() {
                self.stage = Stage::Ended;
                self.source.lock().source.take_error()?;
                return Ok(None);
            }
            self.members += 1;
            if let Some(file) = self.begin()
                && !file.name.ends_with(b"/")
            {
                return Ok(Some(file));
            }
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let mut fault = |code, offset| note(&mut self.faults, code, offset);
        // An error ends the zip.
        match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Sized(mut contents) => {
                let n = contents.read(into)?;
                let Limited { source, left } = &mut *self.source.lock();
                let offset = source.consumed;
                if let Some(code) = contents.damage.take() {
                    fault(code, offset);
                }
                if n > 0 {
                    self.stage = Stage::Sized(contents);
                    return Ok(n);
                }
                // All packed bytes belong to the member, also those that the decoder did not need.
                if source.skip(*left) < *left {
                    fault(&diagnostic::ARCHIVE_TRUNCATED, offset);
                }
                self.stage = Stage::Between;
                Ok(0)
            }
            Stage::Deflated(mut decoder, mut tally) => {
                let source = &mut self.source.lock().source;
                let (n, end) = inflate(&mut decoder, source, into);
                tally.add(&into[..n]);
                self.stage = Stage::Between;
                match end {
                    _ if Decompressed::is_excessive(decoder.total_in(), tally.length) => {
                        fault(&diagnostic::ARCHIVE_RATIO_LIMIT, self.at);
                    }
                    None => self.stage = Stage::Deflated(decoder, tally),
                    Some(Ok(())) => self.faults.extend(check_descriptor(source, &tally)),
                    Some(Err(_)) => {
                        if let Some(kind) = source.error {
                            self.stage = Stage::Ended;
                            return Err(kind.into());
                        }
                        fault(&diagnostic::COMPRESS_CORRUPT, self.at);
                    }
                }
                Ok(n)
            }
            Stage::Stored(mut tally) => {
                let source = &mut self.source.lock().source;
                let n = read_open(source, &tally, into);
                match n {
                    None => {
                        self.faults.extend(check_descriptor(source, &tally));
                        self.stage = Stage::Between;
                    }
                    Some(0) => fault(&diagnostic::ARCHIVE_TRUNCATED, source.consumed),
                    Some(n) => {
                        tally.add(&into[..n]);
                        self.stage = Stage::Stored(tally);
                    }
                }
                Ok(n.unwrap_or(0))
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
