//! WARC (ISO 28500) and ARC: records of the web as crawlers keep it.
//!
//! Records are found by their lengths. Where no record follows, the next one is searched from the start
//! of the block, so that one bad length never ends the file.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::ops::Deref;
use std::sync::{Arc, MutexGuard};

use encoding_rs::Encoding;
use memchr::memmem;

use super::container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, BodyFaults, Container,
    HeldContents, HttpBase, MemberContents, RecordHeader, WholeContents,
};
use super::http::{ResponseHeader, decoded, header_end, is_chunked};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::Shared;
use crate::decode::compression::Members;
use crate::document::diagnostic::{self, Code};
use crate::document::{Format, http};
use crate::uri::{Base, BaseSource, Reference, Rules, resolve};

/// The longest header of a record, in bytes.
const LONGEST_HEADER: usize = 1 << 20;
/// The longest block that is kept in memory, to see what follows it, in bytes.
const HELD: u64 = 16 << 20;
/// The number of bytes that are looked at behind a block.
const BEHIND: usize = 64;
/// The number of bytes that are searched at a time for a record.
const SEARCHED: usize = 64 << 10;

/// The media type of the records of a WAT.
const JSON: &str = "application/json";

/// The first bytes of a record of a WARC.
const WARC: &[u8] = b"WARC/";
/// The first bytes of the first record of an ARC.
const ARC: &[u8] = b"filedesc://";

/// Returns whether a WARC or an ARC starts here.
pub(super) fn starts(head: &[u8]) -> bool {
    is_warc_record(head) || head.starts_with(ARC)
}

/// Returns whether a record of a WARC starts with these bytes.
fn is_warc_record(bytes: &[u8]) -> bool {
    let version = bytes.strip_prefix(WARC);
    version.is_some_and(|version| matches!(version, [b'0'..=b'9', b'.', b'0'..=b'9', ..]))
}

/// Opens a WARC or an ARC.
pub(super) fn open(source: ArchiveSource, options: &ArchiveOptions) -> Box<dyn Container> {
    let (source, members) = source.into_stream();
    Box::new(WebArchive::new(source, members, *options))
}

/// The two formats of records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordFormat {
    Warc,
    Arc,
}

/// Reads records.
struct WebArchive {
    source: Shared<BufferedSource>,
    /// The compressed members that hold the records.
    members: Option<Members>,
    options: ArchiveOptions,
    dialect: RecordFormat,
    /// The number of the current record, from 1.
    record: u64,
    /// The offset of the current record.
    start: u64,
    /// The offset behind its block.
    end: u64,
    /// The header and the body of the current record, which are members.
    pending: VecDeque<(ArchiveMember, RecordBody, BodyFaults)>,
    body: Option<RecordBody>,
    body_faults: BodyFaults,
    /// The offset of the last gap that was reported.
    gap: Option<u64>,
    faults: Vec<ArchiveFault>,
    /// The identifier of the last record of several segments, and how many were joined.
    joined: Option<(String, u64)>,
}

/// The contents of a member.
enum RecordBody {
    /// The rest of the block, as it is.
    Block(RecordBlock),
    /// A reading of it, or a copy of a part of it.
    Decoded(Box<dyn Read + Send>),
    /// A reading of one that is not in memory.
    Long(Box<dyn Read + Send>),
}

/// A record's header.
#[derive(Default)]
struct Record {
    /// The offset of its first byte.
    offset: u64,
    /// The length of the block, in bytes.
    length: Option<u64>,
    kind: String,
    id: Option<String>,
    target: Option<String>,
    date: Option<String>,
    content_type: Option<String>,
    payload_type: Option<String>,
    truncated: Option<String>,
    /// The number of the segment, where a record has several.
    segment: Option<u64>,
    /// The identifier of the first segment, in the others.
    origin: Option<String>,
}

impl Record {
    /// Reads the header of a record of a WARC, from its second line on.
    fn parse(block: &[u8], offset: u64) -> Self {
        let mut record = Record {
            offset,
            ..Record::default()
        };
        for field in http::fields(block) {
            let value = &block[field.value];
            let text = || Some(String::from_utf8_lossy(value).into_owned());
            match http::lower_case(field.name, &mut [0; 32]) {
                b"content-length" => {
                    let digits = std::str::from_utf8(value).ok();
                    record.length = digits.and_then(|digits| digits.parse().ok());
                }
                b"warc-type" => record.kind = String::from_utf8_lossy(value).to_ascii_lowercase(),
                b"warc-record-id" => record.id = text(),
                // The grammar of version 1.0 has angle brackets around it.
                b"warc-target-uri" => {
                    let bare = value.strip_prefix(b"<");
                    let bare = bare.and_then(|value| value.strip_suffix(b">"));
                    let value = bare.unwrap_or(value);
                    record.target = Some(String::from_utf8_lossy(value).into_owned());
                }
                b"warc-date" => record.date = text(),
                b"content-type" => record.content_type = text(),
                b"warc-identified-payload-type" => record.payload_type = text(),
                b"warc-truncated" => record.truncated = text(),
                b"warc-segment-number" => {
                    let digits = std::str::from_utf8(value).ok();
                    record.segment = digits.and_then(|digits| digits.parse().ok());
                }
                b"warc-segment-origin-id" => record.origin = text(),
                _ => {}
            }
        }
        record
    }

    /// Reads the line in front of a record of an ARC: URL, address, date, media type, length.
    fn parse_arc(line: &[u8], offset: u64) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        let mut words = line.trim_end().rsplit(' ');
        let length = words.next()?.parse().ok()?;
        let content_type = words.next()?;
        let date = words.next()?;
        let target = line.split(' ').next()?;
        let is_head = target.starts_with("filedesc:");
        (date.len() >= 8 && date.bytes().all(|byte| byte.is_ascii_digit())).then(|| Record {
            offset,
            length: Some(length),
            kind: if is_head { "warcinfo" } else { "response" }.to_owned(),
            target: Some(target.to_owned()),
            date: Some(date.to_owned()),
            content_type: Some(content_type.to_owned()),
            ..Record::default()
        })
    }

    fn base(&self) -> Option<Base> {
        Some(Base {
            uri: self.target.as_ref()?.as_bytes().to_vec(),
            source: BaseSource::RetrievalWarcTargetUri,
        })
    }
}

/// Bytes of the block of the current record, up to damage in what it was unpacked from.
struct RecordBlock {
    source: Shared<BufferedSource>,
    members: Option<Members>,
    /// The offset behind the block.
    end: u64,
}

impl RecordBlock {
    /// Returns the number of bytes that are left, if none of them are missing.
    fn left(&self, at: u64) -> usize {
        let gap = self.members.as_ref().and_then(|members| members.gap(at));
        let end = gap.map_or(self.end, |gap| gap.min(self.end));
        usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX)
    }

    /// Returns what is left, where that is in memory.
    fn whole(&self) -> Option<WholeContents<'_>> {
        let source = self.source.lock();
        let left = self.left(source.consumed);
        let (buffered, is_end) = source.buffered();
        let is_whole = left <= buffered.len() || is_end;
        is_whole.then(|| Box::new(BufferedBlock(source, left)) as WholeContents<'_>)
    }
}

/// So many bytes of a block, which are buffered.
struct BufferedBlock<'a>(MutexGuard<'a, BufferedSource>, usize);

impl Deref for BufferedBlock<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let (buffered, _) = self.0.buffered();
        &buffered[..buffered.len().min(self.1)]
    }
}

impl Read for RecordBlock {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut source = self.source.lock();
        let at = source.consumed;
        let length = source.fill_buf()?.len();
        let left = self.left(at);
        let n = length.min(left).min(into.len());
        into[..n].copy_from_slice(&source.fill_buf()?[..n]);
        source.consume(n);
        Ok(n)
    }
}

impl WebArchive {
    fn new(mut source: BufferedSource, members: Option<Members>, options: ArchiveOptions) -> Self {
        let dialect = match source.peek(ARC.len()) == ARC {
            true => RecordFormat::Arc,
            false => RecordFormat::Warc,
        };
        WebArchive {
            source: Shared::new(source),
            members,
            options,
            dialect,
            record: 0,
            start: 0,
            end: 0,
            pending: VecDeque::new(),
            body: None,
            body_faults: BodyFaults::default(),
            gap: None,
            faults: Vec::new(),
            joined: None,
        }
    }

    fn fault(&mut self, code: &'static Code, offset: u64) {
        self.faults.push(ArchiveFault { code, offset });
    }

    /// Returns the first gap from an offset on.
    fn gap(&self, from: u64) -> Option<u64> {
        self.members.as_ref()?.gap(from)
    }

    /// Passes over what is left of the current record, and goes to the next one.
    fn find(&mut self) -> Option<u64> {
        let source = self.source.clone();
        let mut source = source.lock();
        let mut at = source.consumed;
        while at < self.end {
            // A gap ends the block.
            let length = source.available().len() as u64;
            let gap = self.gap(at).filter(|gap| *gap < self.end);
            let end = gap.unwrap_or(self.end);
            if length == 0 || at >= end {
                break;
            }
            source.consume(length.min(end - at) as usize);
            at = source.consumed;
        }
        let start = source.consumed;
        let mut lost = false;
        // Nearly always a record follows at once.
        let near = match self.dialect {
            RecordFormat::Warc => BEHIND,
            RecordFormat::Arc => SEARCHED,
        };
        loop {
            let at = source.consumed;
            let bytes = source.peek(near);
            let blank = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
            let gap = self.gap(at).filter(|gap| self.gap != Some(*gap));
            if gap == Some(at) {
                // The damage is told by the decoder, and what it did to records here.
                self.gap = gap;
                self.fault(&diagnostic::WARC_RESYNC, at);
                lost = true;
            }
            match blank {
                Some(0) => {}
                Some(blank) => {
                    let step = gap.map_or(blank, |gap| blank.min((gap - at).max(1) as usize));
                    source.consume(step);
                    continue;
                }
                None if bytes.is_empty() => return None,
                None => {
                    let length = bytes.len();
                    source.consume(length);
                    continue;
                }
            }
            if self.is_record(bytes) {
                return Some(at);
            }
            if !lost {
                lost = true;
                self.fault(&diagnostic::WARC_RESYNC, start);
            }
            let bytes = source.peek(SEARCHED);
            let next = self.next_record(&bytes[1..]).map(|next| next + 1);
            let step = next.unwrap_or(match bytes.len() {
                // The end of what was searched may be the start of a record.
                SEARCHED => SEARCHED - BEHIND,
                length => length,
            });
            // It may have been met only now.
            let step = match self.gap(at + 1) {
                Some(gap) => step.min((gap - at) as usize),
                None => step,
            };
            source.consume(step);
        }
    }

    /// Returns whether a record starts with these bytes.
    fn is_record(&self, bytes: &[u8]) -> bool {
        match self.dialect {
            RecordFormat::Arc => arc_line(bytes).is_some(),
            RecordFormat::Warc => is_warc_record(bytes),
        }
    }

    /// Returns the index of the next record at the start of a line, behind the first byte.
    fn next_record(&self, bytes: &[u8]) -> Option<usize> {
        match self.dialect {
            RecordFormat::Arc => {
                let mut lines = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
                lines.find(|&at| arc_line(&bytes[at..]).is_some())
            }
            RecordFormat::Warc => {
                let mut found = memmem::find_iter(bytes, b"\nWARC/").map(|at| at + 1);
                found.find(|&at| self.is_record(&bytes[at..]))
            }
        }
    }

    /// Reads the header of the record that starts here.
    fn header(&mut self, offset: u64) -> Record {
        let source = self.source.clone();
        let mut source = source.lock();
        let mut known = 4096;
        let (record, length) = loop {
            let bytes = source.peek(known);
            // Behind damage another record begins.
            let gap = self.gap(offset + 1).map(|gap| (gap - offset) as usize);
            let bytes = &bytes[..gap.map_or(bytes.len(), |gap| gap.min(bytes.len()))];
            let is_all = bytes.len() < known || known >= LONGEST_HEADER;
            if self.dialect == RecordFormat::Arc {
                let line = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
                break (
                    Record::parse_arc(&bytes[..line], offset).unwrap_or_default(),
                    line,
                );
            }
            let length = header_end(bytes);
            let ends =
                length < bytes.len() || bytes.ends_with(b"\n\n") || bytes.ends_with(b"\n\r\n");
            if ends || is_all {
                break (Record::parse(&bytes[..length], offset), length);
            }
            known *= 4;
        };
        source.consume(length);
        record
    }

    /// Looks at the block of a record; returns its length and what is known of its first bytes.
    fn look(&mut self, record: &Record) -> (u64, bool) {
        let source = self.source.clone();
        let mut source = source.lock();
        let start = source.consumed;
        let Some(length) = record.length else {
            self.fault(&diagnostic::WARC_LENGTH_MISSING, record.offset);
            return (0, true);
        };
        if length > HELD {
            return (length, false);
        }
        let held = length as usize;
        let bytes = source.peek(held + BEHIND);
        let gap = self.gap(start).filter(|gap| gap - start < length);
        if let Some(gap) = gap {
            return (gap - start, true);
        }
        let follows = bytes.get(held..).unwrap_or_default().trim_ascii_start();
        let is_cut = bytes.len() < held;
        let has_gap = self
            .gap(start)
            .is_some_and(|gap| gap - start < (held + BEHIND) as u64);
        let is_good = follows.is_empty() || self.is_record(follows) || has_gap;
        if !is_cut && is_good {
            return (length, true);
        }
        let block = &bytes[..held.min(bytes.len())];
        if let Some(next) = self.next_record(block) {
            self.fault(&diagnostic::WARC_RESYNC, record.offset);
            return (next as u64, true);
        }
        if is_cut {
            self.fault(&diagnostic::WARC_SHORT_RECORD, record.offset);
        }
        (length, true)
    }

    /// Makes members of a record.
    fn members(&mut self, record: Record) {
        let start = self.source.lock().consumed;
        let (length, is_held) = self.look(&record);
        self.end = start.saturating_add(length);
        let reads = match record.kind.as_str() {
            "response" | "resource" | "conversion" => true,
            "metadata" => self.options.reads_metadata || is_transformation(&record),
            "continuation" => {
                let is_joined = self.joined.as_ref().is_some_and(|(id, segments)| {
                    record.origin.as_ref() == Some(id)
                        && record.segment.is_some_and(|segment| segment <= *segments)
                });
                if !is_joined {
                    self.fault(&diagnostic::WARC_CONTINUATION, record.offset);
                }
                false
            }
            _ => false,
        };
        if !reads {
            return;
        }
        let joined = self.join(&record, length);
        let (offset, member_length) = match &self.members {
            None => (Some(record.offset), Some(self.end - record.offset)),
            Some(members) => {
                let length = is_held.then(|| self.member_length(members, &record));
                (members.offset(record.offset), length.flatten())
            }
        };
        let mut keys = RecordHeader {
            id: record.id.clone(),
            target: record.target.clone(),
            warc_type: Some(record.kind.clone()),
            date: record.date.clone(),
            truncated: record.truncated.clone(),
            content_type: record.content_type.clone(),
            status: None,
            offset: record.offset,
            member_offset: offset,
            member_length,
        };
        let is_http = record.kind == "response"
            && (record.content_type.as_deref()).is_none_or(|media_type| {
                media_type.starts_with("application/http") || self.dialect == RecordFormat::Arc
            });
        let name = |part: u8| format!("{}/{part}", self.record).into_bytes();
        let mut source = self.source.lock();
        let length = joined.as_ref().map_or(length, |bytes| bytes.len() as u64);
        let most = length.min(if is_held {
            HELD
        } else {
            http::LONGEST_HEADER as u64
        });
        let block = match &joined {
            Some(bytes) => bytes,
            None => source.peek(most as usize),
        };
        let block = &block[..block.len().min(most as usize)];
        let response = if is_http {
            ResponseHeader::parse(block)
        } else {
            None
        };
        let faults = BodyFaults::at(record.offset);
        let Some(header) = response else {
            if is_http && self.dialect == RecordFormat::Warc && !block.is_empty() {
                faults.push(&diagnostic::HTTP_BAD_STATUS);
            }
            let media_type = record
                .content_type
                .as_deref()
                .filter(|_| !is_http || self.dialect == RecordFormat::Arc);
            let (mut contents, charset) = choose(media_type, record.payload_type.as_deref());
            if let Some(format) = Format::named("wat").filter(|_| is_transformation(&record)) {
                contents = MemberContents::Document(format);
            }
            drop(source);
            let member = ArchiveMember {
                name: name(1),
                contents,
                base: record.base(),
                base_name: None,
                charset,
                record: Some(shared(keys, &mut self.faults)),
            };
            let body = self.body(joined, 0);
            self.pending.push_back((member, body, faults));
            return;
        };
        keys.status = header.status;
        keys.content_type = header.content_type.clone().or(keys.content_type);
        let keys = shared(keys, &mut self.faults);
        let lines = &block[..header.length];
        if http::has_references(lines) {
            let member = ArchiveMember {
                name: name(0),
                contents: MemberContents::Document(&http::HEADER),
                base: record.base(),
                base_name: None,
                charset: None,
                record: Some(Arc::clone(&keys)),
            };
            let lines: Box<dyn Read + Send> = Box::new(io::Cursor::new(lines.to_vec()));
            let lines = RecordBody::Decoded(lines);
            self.pending
                .push_back((member, lines, BodyFaults::default()));
        }
        let body = &block[header.length..];
        let is_whole = block.len() as u64 == length;
        let chunked = header.claims_chunks() && is_chunked(body, is_whole);
        let is_empty = body.is_empty();
        if joined.is_none() {
            source.consume(header.length);
        }
        drop(source);
        if is_empty {
            return;
        }
        let media_type = header.content_type.as_deref();
        let (contents, charset) = choose(media_type, record.payload_type.as_deref());
        let base = self.body_base(&header, &record);
        let member = ArchiveMember {
            name: name(1),
            contents,
            base,
            base_name: None,
            charset,
            record: Some(keys),
        };
        let mut body = self.body(joined, header.length);
        if header.has_codings() && !matches!(member.contents, MemberContents::Unread(_)) {
            let faults = if record.truncated.is_some() {
                // A cut body is no damage where the record says so.
                BodyFaults::default()
            } else {
                faults.clone()
            };
            let decoded = |coded| decoded(&header, coded, chunked, length, &faults);
            body = match body {
                RecordBody::Block(mut block) if is_held => {
                    let mut coded = Vec::new();
                    // The error of the file is kept.
                    let _ = block.read_to_end(&mut coded);
                    RecordBody::Decoded(decoded(Box::new(io::Cursor::new(coded))))
                }
                RecordBody::Block(block) => RecordBody::Long(decoded(Box::new(block))),
                RecordBody::Decoded(reader) | RecordBody::Long(reader) => {
                    RecordBody::Decoded(decoded(reader))
                }
            };
        }
        self.pending.push_back((member, body, faults));
    }

    /// Returns the length of the compressed members that hold a record and nothing else, where its block
    /// is in memory.
    fn member_length(&self, members: &Members, record: &Record) -> Option<u64> {
        let mut source = self.source.lock();
        let start = source.consumed;
        let block = self.end - start;
        let first = members.start_at(record.offset)?;
        let read = start + block.max(record.length.unwrap_or_default()) + BEHIND as u64;
        let (input, output) = members.end(self.end, read)?;
        let known = source.peek(usize::try_from(output.checked_sub(start)?).ok()?);
        let after = known.get(usize::try_from(block).ok()?..)?;
        let is_blank = after.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
        is_blank.then(|| input.saturating_sub(first))
    }

    /// Returns the base of the body of a response.
    fn body_base(&self, header: &ResponseHeader, record: &Record) -> Option<Base> {
        let target = record.base();
        if let Some(uri) = &header.content_base
            && Reference::split(uri).scheme.is_some()
        {
            return Some(Base {
                uri: uri.clone(),
                source: BaseSource::EntityHttpContentBase,
            });
        }
        if self.options.http_base == HttpBase::Rfc2616
            && let (Some(location), Some(target)) = (&header.content_location, &target)
            && let Ok(resolved) = resolve(&target.uri, location, Rules::Whatwg)
        {
            return Some(Base {
                uri: resolved,
                source: BaseSource::EntityHttpContentLocation,
            });
        }
        target
    }

    /// Returns the rest of the block, or that of the segments that were joined.
    fn body(&self, joined: Option<Vec<u8>>, from: usize) -> RecordBody {
        match joined {
            None => RecordBody::Block(RecordBlock {
                source: self.source.clone(),
                members: self.members.clone(),
                end: self.end,
            }),
            Some(bytes) => {
                let mut reader = io::Cursor::new(bytes);
                reader.set_position(from as u64);
                RecordBody::Decoded(Box::new(reader))
            }
        }
    }

    /// Joins the blocks of the segments that follow the first one of a record at once, as far as they
    /// are kept in memory (ISO 28500, 7.7).
    fn join(&mut self, first: &Record, length: u64) -> Option<Vec<u8>> {
        let id = first.id.clone().filter(|_| first.segment == Some(1))?;
        let source = self.source.clone();
        let mut source = source.lock();
        let start = source.consumed;
        let mut end = usize::try_from(length.min(HELD)).ok()?;
        let mut joined = source.peek(end).to_vec();
        let mut segments = 1;
        loop {
            let bytes = source.peek(end + SEARCHED);
            let behind = bytes.get(end..).unwrap_or_default();
            let blank = behind.len() - behind.trim_ascii_start().len();
            let header = &behind[blank..];
            let block = end + blank + header_end(header);
            let record = Record::parse(&header[..header_end(header)], 0);
            let follows = is_warc_record(header)
                && record.kind == "continuation"
                && record.origin.as_ref() == Some(&id)
                && record.segment == Some(segments + 1);
            let length = record.length.filter(|&length| {
                let is_held = joined.len() as u64 + length <= HELD;
                let next = start + block as u64 + length;
                let is_damaged = || self.gap(start).is_some_and(|gap| gap < next);
                follows && is_held && !is_damaged()
            });
            let Some(length) = length else {
                break;
            };
            end = block + length as usize;
            joined.extend_from_slice(source.peek(end).get(block..).unwrap_or_default());
            segments += 1;
        }
        self.joined = Some((id, segments));
        (segments > 1).then_some(joined)
    }
}

/// Returns whether a record is one of a WAT: the metadata of another record, in JSON.
fn is_transformation(record: &Record) -> bool {
    let content_type = record.content_type.as_deref();
    record.kind == "metadata" && content_type.is_some_and(|value| media_type(value).0 == JSON)
}

/// Returns the length of the line in front of a record of an ARC, if that starts here.
fn arc_line(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(8192)])?;
    let line = &bytes[..end];
    let has_scheme =
        memchr::memchr(b':', line).is_some_and(|colon| colon > 0 && line[0].is_ascii_alphabetic());
    (has_scheme && Record::parse_arc(line, 0).is_some()).then_some(end)
}

/// Returns the media type of a field in lower case, without parameters, and the charset.
fn media_type(value: &str) -> (String, Option<&'static Encoding>) {
    let mut parts = value.split(';');
    let name = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let label = parts.find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        let is_charset = key.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches(['"', '\'']))
    });
    (
        name,
        label.and_then(|label| Encoding::for_label(label.as_bytes())),
    )
}

/// Chooses how a payload is read: by its media type, else by its first bytes.
fn choose(
    declared: Option<&str>,
    identified: Option<&str>,
) -> (MemberContents, Option<&'static Encoding>) {
    let (name, charset) = declared.map(media_type).unwrap_or_default();
    let is_vague = |name: &str| matches!(name, "" | "application/octet-stream" | "unknown/unknown");
    let name = match identified.map(media_type) {
        Some((identified, _)) if is_vague(&name) => identified,
        _ => name,
    };
    let contents = if is_vague(&name) {
        MemberContents::Sniffed
    } else if name == "application/warc-fields" {
        MemberContents::Document(&http::METADATA)
    } else if let Some(format) = Format::of_payload(&name) {
        MemberContents::Document(format)
    } else {
        MemberContents::Unread(name)
    };
    (contents, charset)
}

/// Shares the keys of a record among its members, without names that are too long.
fn shared(mut keys: RecordHeader, faults: &mut Vec<ArchiveFault>) -> Arc<RecordHeader> {
    if keys.cut_names() {
        faults.push(ArchiveFault {
            code: &diagnostic::NAME_TOO_LONG,
            offset: keys.offset,
        });
    }
    Arc::new(keys)
}

impl Container for WebArchive {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        self.body = None;
        loop {
            if let Some((member, body, faults)) = self.pending.pop_front() {
                self.body = Some(body);
                self.body_faults = faults;
                return Ok(Some(member));
            }
            let Some(offset) = self.find() else {
                let error = self.source.lock().error.take();
                return error.map_or(Ok(None), |kind| Err(kind.into()));
            };
            self.record += 1;
            self.start = offset;
            let record = self.header(offset);
            self.members(record);
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.body {
            Some(RecordBody::Block(block)) => block.read(into),
            Some(RecordBody::Decoded(reader) | RecordBody::Long(reader)) => reader.read(into),
            None => Ok(0),
        }
    }

    fn whole(&mut self) -> Option<WholeContents<'_>> {
        match &self.body {
            Some(RecordBody::Block(block)) => block.whole(),
            _ => None,
        }
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        std::mem::take(&mut self.faults)
    }

    fn content_faults(&mut self) -> Vec<ArchiveFault> {
        self.body_faults.take()
    }

    fn records(&self) -> Option<u64> {
        Some(self.record)
    }

    fn hold(&mut self) -> Option<HeldContents> {
        match self.body.take() {
            Some(RecordBody::Decoded(reader)) => {
                let faults = std::mem::take(&mut self.body_faults);
                Some(HeldContents::Reader(reader, self.end - self.start, faults))
            }
            body => {
                self.body = body;
                let bytes = self.whole()?.to_vec();
                Some(HeldContents::Bytes(bytes))
            }
        }
    }
}
