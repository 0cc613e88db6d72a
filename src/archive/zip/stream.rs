//! zip in a stream: members are read as their local headers come.

use std::io::{self, BufRead, Read};

use memchr::memmem;

use super::header::{
    CENTRAL, CENTRAL_SIZE, END, END_64, END_SIZE, HAS_DESCRIPTOR, HELD, LOCAL, LOCAL_FLAGS,
    LOCAL_SIZE, LOCATOR_64, LOCATOR_SIZE, SIGNATURE, ZipHeader, find_local, header_lengths,
    is_count, local_size, u16_at, u32_at, u64_at,
};
use crate::archive::container::{
    ArchiveFault, ArchiveMember, Container, MEMBERS, MemberContents, extension, note, unread,
};
use crate::archive::content::{PackedContents, Tally};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::Shared;
use crate::decode::compression::{Decompressed, MemberDecoder};
use crate::document::diagnostic::{self, Code};

const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// The folder of a WACZ that holds the web archives.
pub(super) const WACZ_ARCHIVE: &[u8] = b"archive/";
/// The number of bytes that are searched at a time for a header.
const SEARCHED: usize = 4096;

/// Reads a zip from its first byte on, by its local headers.
pub(super) struct ZipStream {
    source: Shared<Limited>,
    stage: Stage,
    members: u64,
    /// Other bytes may come before the next header.
    is_apart: bool,
    /// A web archive was where a WACZ has them.
    is_wacz: bool,
    /// The offset of the local header of the current member.
    pub(super) at: u64,
    pub(super) faults: Vec<ArchiveFault>,
}

enum Stage {
    Between,
    /// In contents of a known length.
    Sized(PackedContents),
    /// In packed contents that end by themselves.
    Packed(Box<dyn MemberDecoder>, Tally),
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
    pub(super) fn new(source: BufferedSource) -> Self {
        ZipStream {
            source: Shared::new(Limited { source, left: 0 }),
            stage: Stage::Between,
            members: 0,
            is_apart: true,
            is_wacz: false,
            at: 0,
            faults: Vec::new(),
        }
    }

    /// Goes to the next header of a member; returns false at the central directory.
    fn find(&mut self) -> bool {
        let source = &mut self.source.lock().source;
        let mut lost = std::mem::take(&mut self.is_apart);
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
        let size = local_size(source.peek(LOCAL_SIZE));
        let bytes = source.peek(size);
        // Lengths that are damaged may take in the next headers.
        let next = memmem::find(bytes.get(LOCAL.len()..).unwrap_or_default(), LOCAL);
        if next.is_some() || bytes.len() < size {
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
        let has_descriptor = header.flags & HAS_DESCRIPTOR != 0;
        let is_open = has_descriptor && header.packed == 0;
        let stored = header.contents(0);
        self.is_apart = has_descriptor && (!is_open || stored.is_none());
        let mut contents = MemberContents::File;
        self.stage = match stored {
            Some(stored) if !is_open => {
                let reader = Box::new(self.source.clone());
                Stage::Sized(PackedContents::new(&stored, reader))
            }
            Some(stored) => match stored.method.decoder() {
                None => Stage::Stored(Tally::default()),
                Some(mut decoder) => match decoder.begin(source) {
                    Ok(()) => Stage::Packed(decoder, Tally::default()),
                    Err(fault) => {
                        note(&mut self.faults, fault.into(), self.at);
                        Stage::Between
                    }
                },
            },
            // Only the next header shows where open contents end.
            None => {
                source.skip(*left);
                let code = &diagnostic::ARCHIVE_UNREADABLE_MEMBER;
                note(&mut self.faults, code, self.at);
                contents = MemberContents::Unreadable;
                Stage::Between
            }
        };
        let name = &header.name;
        self.is_wacz |= name.starts_with(WACZ_ARCHIVE) && memmem::find(name, b".warc").is_some();
        if self.is_wacz && is_wacz_part(name) {
            contents = unread(&extension(name));
        }
        Some(ArchiveMember::file(header.name, contents))
    }
}

/// Returns whether a WACZ has a member of this name besides web archives (WACZ 1.1.1, section 5).
pub(super) fn is_wacz_part(name: &[u8]) -> bool {
    let mut parts = ["indexes/", "pages/", "logs/", "datapackage", "fuzzy.json"].iter();
    parts.any(|part| name.starts_with(part.as_bytes()))
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
    let code = &diagnostic::COMPRESS_CORRUPT;
    (!holds).then_some(ArchiveFault { code, offset })
}

/// Reads stored contents up to the descriptor that fits them; `None` there.
fn read_open(source: &mut BufferedSource, tally: &Tally, into: &mut [u8]) -> Option<usize> {
    let bytes = source.peek(SEARCHED);
    let end = match memmem::find(bytes, DESCRIPTOR) {
        Some(0) => {
            let length = u64::from(u32_at(bytes, 8));
            let fits = u32_at(bytes, 4) == tally.sum() && length == tally.length & 0xffff_ffff;
            // After damage it does not fit. In a zip in the contents those are shorter by its header.
            let after = bytes.get(16..).unwrap_or_default();
            let is_next = after.starts_with(LOCAL) || after.starts_with(CENTRAL);
            if fits || is_next && length + LOCAL_SIZE as u64 >= tally.length {
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
                source.skip(*left);
                self.stage = Stage::Between;
                Ok(0)
            }
            Stage::Packed(mut decoder, mut tally) => {
                let source = &mut self.source.lock().source;
                let (n, end) = decoder.decompress(source, into);
                tally.add(&into[..n]);
                self.stage = Stage::Between;
                match end {
                    _ if Decompressed::is_excessive(source.consumed - self.at, tally.length) => {
                        fault(&diagnostic::ARCHIVE_RATIO_LIMIT, self.at);
                    }
                    None => self.stage = Stage::Packed(decoder, tally),
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
