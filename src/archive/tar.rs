//! tar: ustar and pax (POSIX.1-2017, `pax`), GNU long names and sparse files.
//!
//! Folders, links and devices hold nothing and are skipped. The holes of a sparse file are read as zeros.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use memchr::memmem;

use super::container::{
    ArchiveFault, ArchiveMember, Container, HeldContents, MEMBERS, MemberContents, WholeContents,
    note,
};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::class::{number, run_end, split_once};
use crate::decode::compression::Decompressed;
use crate::document::diagnostic::{self, Code};

/// The size of headers, and the unit to which contents are filled up.
const BLOCK: usize = 512;
/// The longest extended header or long name that is read, in bytes.
const EXTENDED: u64 = 1 << 20;
/// The longest contents that are held whole, in bytes.
const HELD: u64 = 192 << 10;
/// The longest contents that are given away, in bytes.
const GIVEN: u64 = 4 << 20;
const REGIONS: usize = 1 << 16;
/// The mark of all headers, except in v7.
const MARK: &[u8] = b"ustar";

pub(super) fn starts(head: &[u8]) -> bool {
    let magic = head.get(TarHeader::MAGIC..).unwrap_or_default();
    // The first header may be damaged, or cut, or lack the mark.
    magic.starts_with(MARK) || is_header(head)
}

/// Returns whether a tar starts after other bytes, or with a header that lost or gained some.
pub(super) fn follows(head: &[u8]) -> bool {
    let first = &head[..head.len().min(2 * BLOCK)];
    memmem::find(first, MARK).is_some() || find_header(head).is_some()
}

/// Returns the index of the first header with a mark.
fn find_header(bytes: &[u8]) -> Option<usize> {
    let marks = memmem::find_iter(bytes, MARK);
    let mut starts = marks.filter_map(|at| at.checked_sub(TarHeader::MAGIC));
    starts.find(|&at| is_header(&bytes[at..]))
}

fn is_header(bytes: &[u8]) -> bool {
    let block = bytes.first_chunk();
    block.is_some_and(|block| TarHeader(block).is_valid())
}

struct TarHeader<'a>(&'a [u8; BLOCK]);

impl<'a> TarHeader<'a> {
    /// The offset of [`MARK`].
    const MAGIC: usize = 257;
    const CHECKSUM: std::ops::Range<usize> = 148..156;

    /// Returns whether the checksum holds, of signed or unsigned bytes, with blanks in its place.
    fn is_valid(&self) -> bool {
        // The blanks alone sum up to more than zero, which a field without digits reads as.
        let Some(stored) = self.number(Self::CHECKSUM).filter(|&sum| sum > 0) else {
            return false;
        };
        let bytes = self.0.iter().enumerate().map(|(at, &byte)| match at {
            at if Self::CHECKSUM.contains(&at) => b' ',
            _ => byte,
        });
        let unsigned: u64 = bytes.clone().map(u64::from).sum();
        let signed: i64 = bytes.map(|byte| i64::from(byte as i8)).sum();
        self.0[0] != 0 && (stored == unsigned || stored as i64 == signed)
    }

    /// Returns a number: octal digits, or a big-endian number after a byte with the highest bit.
    fn number(&self, range: std::ops::Range<usize>) -> Option<u64> {
        let field = &self.0[range];
        if field[0] & 0x80 != 0 {
            let negative = field[0] & 0x40 != 0;
            let mut bytes = field.iter();
            let first = u64::from(*bytes.next()? & 0x7f);
            let folded = bytes.try_fold(first, |number: u64, &byte| {
                Some(number.checked_mul(256)? | u64::from(byte))
            });
            return folded.filter(|_| !negative);
        }
        let digits = field.trim_ascii_start();
        let end = run_end(digits, 0, |byte| byte.is_ascii_digit());
        let digits = std::str::from_utf8(&digits[..end]).ok()?;
        match digits {
            "" => Some(0),
            digits => u64::from_str_radix(digits, 8).ok(),
        }
    }

    fn text(&self, range: std::ops::Range<usize>) -> &'a [u8] {
        let field = &self.0[range];
        &field[..run_end(field, 0, |byte| byte != 0)]
    }

    fn kind(&self) -> u8 {
        self.0[156]
    }

    fn contents_length(&self, extended: &Extended) -> Option<u64> {
        let is_extension = matches!(self.kind(), b'x' | b'g' | b'L' | b'K' | b'X');
        let size = extended.size.filter(|_| !is_extension);
        let size = size.or_else(|| self.number(124..136))?;
        // Links and folders have no contents; their size is ignored.
        Some(match self.kind() {
            b'1'..=b'6' => 0,
            _ => size,
        })
    }

    /// Returns the name; in a ustar header it has a prefix. GNU headers have other fields there.
    fn name(&self) -> Vec<u8> {
        let (name, prefix) = (self.text(0..100), self.text(345..500));
        if self.0[Self::MAGIC..].starts_with(b"ustar\0") && !prefix.is_empty() {
            [prefix, b"/", name].concat()
        } else {
            name.to_vec()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    offset: u64,
    length: u64,
}

/// The facts about the next member in extended headers.
#[derive(Default)]
struct Extended {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    /// The name and the size of a sparse file, whose header has others.
    sparse_name: Option<Vec<u8>>,
    sparse_size: Option<u64>,
    regions: Vec<Region>,
    /// The regions are at the start of the contents.
    has_inner_map: bool,
}

impl Extended {
    /// Reads the records `LENGTH KEY=VALUE` of a pax header.
    fn read(&mut self, mut records: &[u8]) {
        while let Some((record, rest)) = split_record(records) {
            records = rest;
            let (key, Some(value)) = split_once(record, b'=') else {
                continue;
            };
            match key {
                b"path" => self.name = Some(value.to_vec()),
                b"size" => self.size = number(value),
                b"GNU.sparse.name" => self.sparse_name = Some(value.to_vec()),
                b"GNU.sparse.size" | b"GNU.sparse.realsize" => self.sparse_size = number(value),
                b"GNU.sparse.major" => self.has_inner_map = value == b"1",
                b"GNU.sparse.map" => {
                    let numbers = value.split(|&byte| byte == b',').map(number);
                    let pairs: Vec<u64> = numbers.collect::<Option<_>>().unwrap_or_default();
                    let regions = pairs.as_chunks().0.iter().take(REGIONS);
                    let region = |&[offset, length]: &[u64; 2]| Region { offset, length };
                    self.regions = regions.map(region).collect();
                }
                b"GNU.sparse.offset" => {
                    if let Some(offset) = number(value).filter(|_| self.regions.len() < REGIONS) {
                        self.regions.push(Region { offset, length: 0 });
                    }
                }
                b"GNU.sparse.numbytes" => {
                    if let (Some(region), Some(length)) = (self.regions.last_mut(), number(value)) {
                        region.length = length;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Splits off the first record, without its length and line end.
fn split_record(records: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = memchr::memchr(b' ', &records[..records.len().min(24)])?;
    let length = number(&records[..blank])?;
    let record = records.get(blank + 1..length)?;
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    Some((record, &records[length..]))
}

#[derive(Default)]
pub(super) struct Tar {
    source: BufferedSource,
    /// Stored bytes of the current member that have not been read.
    left: u64,
    /// Bytes that fill the last block of the current member.
    padding: u64,
    /// The regions of a sparse file that have not been read; stored bytes of the first.
    regions: VecDeque<Region>,
    /// The offset in a sparse file, and its length.
    sparse: Option<(u64, u64)>,
    /// The bytes of holes that were read so far.
    holes: u64,
    members: u64,
    faults: Vec<ArchiveFault>,
    ended: bool,
}

impl Tar {
    pub(super) fn new(source: BufferedSource) -> Self {
        Tar {
            source,
            ..Tar::default()
        }
    }

    fn fault(&mut self, code: &'static Code) {
        note(&mut self.faults, code, self.source.consumed);
    }

    fn end_member(&mut self) {
        let stored = std::mem::take(&mut self.left);
        let rest = stored + std::mem::take(&mut self.padding);
        self.sparse = None;
        self.regions.clear();
        let read = self.source.skip(rest);
        // The padding of the last member may be missing as a whole.
        if read < stored || read > stored && read < rest {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if !self.ended {
            self.fault(&diagnostic::ARCHIVE_TRUNCATED);
        }
        self.ended = true;
    }

    /// Reads the next header that is valid.
    fn header(&mut self) -> Option<[u8; BLOCK]> {
        let (mut zeros, mut lost) = (false, false);
        loop {
            let Some(block) = self.source.peek_array::<BLOCK>() else {
                // A tar without its two blocks of zeros is common; one that ends in a block is cut.
                if !self.source.peek(1).is_empty() && !lost && !zeros {
                    self.cut();
                }
                return None;
            };
            if TarHeader(&block).is_valid() {
                self.source.consume(BLOCK);
                return Some(block);
            }
            let is_zero = block.iter().all(|&byte| byte == 0);
            zeros |= is_zero;
            // Garbage after the end belongs to nothing; elsewhere it may have been a header.
            if !is_zero && !lost {
                lost = true;
                self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
            }
            // Headers may begin elsewhere than blocks did.
            let next = find_header(self.source.peek(2 * BLOCK)).filter(|_| lost);
            self.source.consume(next.unwrap_or(BLOCK));
        }
    }

    /// Ends contents at the header that they take in after lost bytes, if none follows them.
    fn check_end(&mut self) {
        let length = self.left.saturating_add(self.padding);
        if length > GIVEN {
            return;
        }
        let bytes = self.source.peek(length as usize + BLOCK);
        let after = bytes.get(length as usize..).unwrap_or_default();
        let is_end = after.iter().all(|&byte| byte == 0) && bytes.len() as u64 >= self.left;
        // Contents that are a tar have headers.
        if !is_header(after)
            && !is_end
            && let Some(next) = find_header(bytes).filter(|&next| next > 0)
        {
            self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
            self.left = self.left.min(next as u64);
            self.padding = next as u64 - self.left;
        }
    }

    /// Reads the contents of an extended header or of a long name.
    fn extension(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let most = self.left.min(EXTENDED);
        self.source.read_up_to(most as usize, &mut bytes);
        self.left -= bytes.len() as u64;
        if (bytes.len() as u64) < most {
            self.cut();
        }
        bytes
    }

    /// Reads the regions in an old GNU header and the blocks after it.
    fn old_regions(&mut self, header: &TarHeader<'_>) -> Vec<Region> {
        let mut regions = Vec::new();
        let mut read = |header: &TarHeader<'_>, at: usize, count: usize| {
            for at in (at..).step_by(24).take(count) {
                let numbers = (header.number(at..at + 12), header.number(at + 12..at + 24));
                if let (Some(offset), Some(length)) = numbers
                    && length > 0
                    && regions.len() < REGIONS
                {
                    regions.push(Region { offset, length });
                }
            }
        };
        read(header, 386, 4);
        let mut more = header.0[482] != 0;
        while more && let Some(block) = self.source.peek_array::<BLOCK>() {
            self.source.consume(BLOCK);
            read(&TarHeader(&block), 0, 21);
            more = block[504] != 0;
        }
        regions
    }

    /// Reads the regions at the start of the contents: their number, then two numbers each, on lines.
    fn inner_regions(&mut self) -> Vec<Region> {
        let before = self.left;
        let mut line = || {
            let mut digits = Vec::new();
            let mut rest = (&mut self.source).take(self.left.min(24));
            let read = rest.read_until(b'\n', &mut digits).ok()?;
            self.left -= read as u64;
            number::<u64>(&digits)
        };
        let count = line().unwrap_or_default().min(REGIONS as u64);
        let mut regions = Vec::new();
        for _ in 0..count {
            let (Some(offset), Some(length)) = (line(), line()) else {
                break;
            };
            regions.push(Region { offset, length });
        }
        let used = before - self.left;
        let fill = (used.next_multiple_of(BLOCK as u64) - used).min(self.left);
        self.left -= self.source.skip(fill);
        regions
    }

    fn begin(&mut self, mut extended: Extended, header: &TarHeader<'_>) -> Option<ArchiveMember> {
        let kind = header.kind();
        if kind == b'S' {
            extended.regions = self.old_regions(header);
            extended.sparse_size = header.number(483..495);
        }
        let name = extended.sparse_name.or(extended.name);
        let name = name.unwrap_or_else(|| header.name());
        // Links, devices, folders, and what GNU and Solaris keep about volumes, folders and access. Other types are
        // files (POSIX, pax, "ustar Interchange Format").
        let is_other = matches!(kind, b'1'..=b'6' | b'A' | b'D' | b'E' | b'M' | b'N' | b'V');
        if is_other || name.ends_with(b"/") {
            return None;
        }
        if extended.has_inner_map {
            extended.regions = self.inner_regions();
        }
        if let Some(size) = extended.sparse_size {
            self.sparse = Some((0, size));
            self.regions = extended.regions.into();
        }
        Some(ArchiveMember::file(name, MemberContents::File))
    }

    /// Returns the contents if they are whole and at most `most` bytes long.
    fn contents(&mut self, most: u64) -> Option<&[u8]> {
        if self.sparse.is_some() || self.left > most {
            return None;
        }
        let length = self.left as usize;
        let bytes = self.source.peek(length);
        (bytes.len() == length).then_some(bytes)
    }

    fn read_stored(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 || into.is_empty() {
            return Ok(0);
        }
        let n = self.source.by_ref().take(self.left).read(into)?;
        self.left -= n as u64;
        if n == 0 {
            self.source.take_error()?;
            self.left = 0;
            self.cut();
        }
        Ok(n)
    }

    fn read_sparse(&mut self, into: &mut [u8], at: u64, size: u64) -> io::Result<usize> {
        while let Some(Region { length: 0, .. }) = self.regions.front() {
            self.regions.pop_front();
        }
        let region = self.regions.front();
        let next = region.map_or(size, |region| region.offset.min(size));
        let n = if next > at {
            let n = io::repeat(0).take(next - at).read(into)?;
            self.holes += n as u64;
            if Decompressed::is_excessive(self.source.consumed, self.holes) {
                self.fault(&diagnostic::ARCHIVE_RATIO_LIMIT);
                self.sparse = Some((size, size));
                return Ok(0);
            }
            n
        } else if let Some(region) = region {
            let most = usize::try_from(region.length).unwrap_or(usize::MAX);
            let most = into.len().min(most);
            let n = self.read_stored(&mut into[..most])?;
            self.regions[0].length -= n as u64;
            n
        } else {
            0
        };
        self.sparse = Some((at + n as u64, size));
        Ok(n)
    }
}

impl Container for Tar {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        let mut extended = Extended::default();
        loop {
            self.end_member();
            if self.ended {
                return Ok(None);
            }
            let Some(block) = self.header() else {
                self.ended = true;
                self.source.take_error()?;
                return Ok(None);
            };
            if self.members == MEMBERS {
                self.fault(&diagnostic::ARCHIVE_MEMBER_LIMIT);
                self.ended = true;
                return Ok(None);
            }
            self.members += 1;
            let header = TarHeader(&block);
            let Some(size) = header.contents_length(&extended) else {
                self.fault(&diagnostic::ARCHIVE_INCONSISTENT);
                continue;
            };
            self.left = size;
            self.padding = size.next_multiple_of(BLOCK as u64).saturating_sub(size);
            // Contents of the old sparse files follow more blocks of their header.
            if header.kind() != b'S' {
                self.check_end();
            }
            match header.kind() {
                b'x' | b'X' => {
                    let records = self.extension();
                    extended.read(&records);
                }
                b'L' => {
                    let mut name = self.extension();
                    name.truncate(memchr::memchr(0, &name).unwrap_or(name.len()));
                    extended.name = Some(name);
                }
                b'g' | b'K' => {}
                _ => {
                    if let Some(member) = self.begin(std::mem::take(&mut extended), &header) {
                        return Ok(Some(member));
                    }
                }
            }
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.sparse {
            Some((at, size)) => self.read_sparse(into, at, size),
            None => self.read_stored(into),
        }
    }

    fn whole(&mut self) -> Option<WholeContents<'_>> {
        let bytes = self.contents(HELD)?;
        Some(Box::new(bytes))
    }

    fn hold(&mut self) -> Option<HeldContents> {
        self.contents(GIVEN).map(HeldContents::bytes)
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        std::mem::take(&mut self.faults)
    }
}
