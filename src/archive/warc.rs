//! WARC (ISO 28500) and ARC: records of the web as crawlers keep it.
//!
//! Records are found by their lengths. Where no record follows, the next one is searched from the start
//! of the block, so that one bad length never ends the file.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use data_encoding::BASE32;
use encoding_rs::Encoding;
use memchr::memmem;
use parking_lot::MutexGuard;
use sha1::{Digest, Sha1};

use super::container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, BodyFaults, Container,
    HeldContents, HttpBase, MemberContents, RecordHeader, WholeContents, note,
};
use super::http::{ResponseHeader, decoded, header_end, is_chunked, unfolded};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::class::number;
use crate::bytes::source::Shared;
use crate::decode::compression::Members;
use crate::document::diagnostic::{self, Code};
use crate::document::{self, Format, http};
use crate::linker::WebRecord;
use crate::uri::{Base, BaseSource, Rules, resolve, scheme_length};

const LONGEST_HEADER: usize = 1 << 20;
/// The longest block that is kept in memory, to see what follows it, in bytes.
const HELD: u64 = 16 << 20;
/// The number of bytes that are looked at after a block.
const AFTER: usize = 64;
/// The number of bytes that are searched at a time for a record.
const SEARCHED: usize = 64 << 10;

/// The media type of the records of a WAT.
const JSON: &str = "application/json";
const HTTP: &str = "application/http";
/// That of records about a capture, which no index has.
const FIELDS: &str = "application/warc-fields";

/// The start of a media type that ends with the name of a format, as the Python package declares contents.
const FORMAT_TYPE: &str = "application/x-uriscan-";

/// Media types after which the first bytes decide, separated by spaces: they declare nothing, or data to open.
const VAGUE: &str = "application/octet-stream unknown/unknown application/unknown */* application/gzip \
    application/x-gzip application/zip application/x-zip-compressed application/x-tar application/x-gtar \
    application/x-compressed-tar application/x-tgz application/x-bzip2 application/x-xz application/zstd \
    application/x-compress application/warc";

const WARC: &[u8] = b"WARC/";
/// The first bytes of the first record of an ARC.
const ARC: &[u8] = b"filedesc://";

pub(super) fn starts(head: &[u8]) -> bool {
    is_warc_record(head.trim_ascii_start()) || head.starts_with(ARC)
}

fn is_warc_record(bytes: &[u8]) -> bool {
    let version = bytes.strip_prefix(WARC);
    version.is_some_and(|version| matches!(version, [b'0'..=b'9', b'.', b'0'..=b'9', ..]))
}

fn is_arc_record(bytes: &[u8]) -> bool {
    let near = &bytes[..bytes.len().min(8192)];
    let line = memchr::memchr(b'\n', near).map(|end| &near[..end]);
    line.is_some_and(|line| scheme_length(line).is_some() && Record::parse_arc(line, 0).is_some())
}

pub(super) fn open(source: ArchiveSource, options: &ArchiveOptions) -> Box<dyn Container> {
    let (mut source, members) = source.into_stream();
    let dialect = if source.peek(ARC.len()) == ARC {
        RecordFormat::Arc
    } else {
        RecordFormat::Warc
    };
    Box::new(WebArchive {
        source: Shared::new(source),
        members,
        options: *options,
        dialect,
        ..WebArchive::default()
    })
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RecordFormat {
    #[default]
    Warc,
    Arc,
}

impl RecordFormat {
    fn is_record(self, bytes: &[u8]) -> bool {
        match self {
            RecordFormat::Arc => is_arc_record(bytes),
            RecordFormat::Warc => is_warc_record(bytes),
        }
    }

    /// Returns the index of the next record at the start of a line, after the first byte.
    fn next_record(self, bytes: &[u8]) -> Option<usize> {
        let line = match self {
            RecordFormat::Arc => "\n",
            RecordFormat::Warc => "\nWARC/",
        };
        let mut lines = memmem::find_iter(bytes, line).map(|at| at + 1);
        lines.find(|&at| self.is_record(&bytes[at..]))
    }
}

#[derive(Default)]
struct WebArchive {
    source: Shared<BufferedSource>,
    /// The compressed members that hold the records.
    members: Members,
    options: ArchiveOptions,
    dialect: RecordFormat,
    /// The number of the current record, from 1.
    record: u64,
    start: u64,
    /// The offset after its block.
    end: u64,
    /// The header and the body of the current record, which are members.
    pending: VecDeque<(ArchiveMember, RecordBody, BodyFaults)>,
    body: Option<RecordBody>,
    body_faults: BodyFaults,
    gap: Option<u64>,
    faults: Vec<ArchiveFault>,
    /// The identifier of the last record of several segments, and how many were joined.
    joined: Option<(String, u64)>,
}

enum RecordBody {
    /// The rest of the block, unchanged.
    Block(RecordBlock),
    /// A decoder of it, or a copy of a part of it.
    Decoded(Box<dyn Read + Send>),
    /// A decoder of a block that is not in memory.
    Long(Box<dyn Read + Send>),
}

#[derive(Default)]
struct Record {
    /// The fields that links show.
    keys: RecordHeader,
    /// The length of the block, in bytes.
    length: Option<u64>,
    payload_type: Option<String>,
    /// The number of the segment, where a record has several.
    segment: Option<u64>,
    /// The identifier of the first segment, in the others.
    origin: Option<String>,
}

impl Record {
    /// Reads the header of a record of a WARC, from its second line on.
    fn parse(block: &[u8], offset: u64) -> Self {
        let mut record = Record::default();
        record.keys.offset = offset;
        let keys = &mut record.keys.fields;
        for field in http::fields(block) {
            let value = &block[field.value];
            let text = |value: &[u8]| Some(unfolded(value));
            match http::lower_case(field.name, &mut [0; 32]) {
                b"content-length" => record.length = number(value),
                b"warc-type" => keys.warc_type = text(&value.to_ascii_lowercase()),
                b"warc-record-id" => keys.id = text(value),
                // The grammar of version 1.0 has angle brackets around it.
                b"warc-target-uri" => {
                    let bare = value.strip_prefix(b"<");
                    let bare = bare.and_then(|value| value.strip_suffix(b">"));
                    keys.target_uri = text(bare.unwrap_or(value));
                }
                b"warc-date" => keys.warc_date = text(value),
                b"content-type" => keys.content_type = text(value),
                b"warc-identified-payload-type" => record.payload_type = text(value),
                b"warc-payload-digest" => keys.payload_digest = text(value),
                b"warc-truncated" => keys.truncated = text(value),
                b"warc-segment-number" => record.segment = number(value),
                b"warc-segment-origin-id" => record.origin = text(value),
                _ => {}
            }
        }
        record
    }

    /// Reads the line before a record of an ARC: URL, address, date, media type, length.
    fn parse_arc(line: &[u8], offset: u64) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        let mut words = line.trim_end().rsplit(' ');
        let length = words.next()?.parse().ok()?;
        let content_type = words.next()?;
        let date = words.next()?;
        let has_address = words.next()?.parse::<IpAddr>().is_ok();
        let target = line.split(' ').next()?;
        let is_head = target.starts_with("filedesc:");
        let kind = if is_head { "warcinfo" } else { "response" };
        // One of them may be damaged.
        let is_date = date.len() == 14 || date.len() >= 8 && has_address;
        let is_date = is_date && date.bytes().all(|byte| byte.is_ascii_digit());
        is_date.then(|| Record {
            keys: RecordHeader {
                fields: WebRecord {
                    warc_type: Some(kind.to_owned()),
                    target_uri: Some(target.to_owned()),
                    warc_date: Some(date.to_owned()),
                    content_type: Some(content_type.to_owned()),
                    ..WebRecord::default()
                },
                offset,
                ..RecordHeader::default()
            },
            length: Some(length),
            ..Record::default()
        })
    }

    fn kind(&self) -> &str {
        self.keys.fields.warc_type.as_deref().unwrap_or_default()
    }

    fn base(&self) -> Option<Base> {
        let uri = self.keys.fields.target_uri.as_ref()?;
        Base::checked(uri.as_bytes(), BaseSource::RetrievalWarcTargetUri).ok()
    }

    /// Returns whether the record belongs to a WAT: the metadata of another record, in JSON.
    fn is_transformation(&self) -> bool {
        self.kind() == "metadata" && self.media_type().is_some_and(|name| name == JSON)
    }

    fn media_type(&self) -> Option<String> {
        let content_type = self.keys.fields.content_type.as_deref()?;
        Some(document::content_type(content_type.as_bytes()).0)
    }
}

/// The block of the current record, up to damage in its compressed data.
struct RecordBlock {
    source: Shared<BufferedSource>,
    members: Members,
    end: u64,
}

impl RecordBlock {
    /// Returns the number of bytes left before a gap.
    fn left(&self, at: u64) -> usize {
        let gap = self.members.gap(at);
        let end = gap.map_or(self.end, |gap| gap.min(self.end));
        usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX)
    }

    fn whole(&self) -> Option<WholeContents<'_>> {
        let source = self.source.lock();
        let left = self.left(source.consumed);
        let (buffered, is_end) = source.buffered();
        let is_whole = left <= buffered.len() || is_end;
        is_whole.then(|| Box::new(BufferedBlock(source, left)) as WholeContents<'_>)
    }
}

/// A number of buffered bytes of a block.
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
        source.fill_buf()?;
        let left = self.left(source.consumed) as u64;
        source.by_ref().take(left).read(into)
    }
}

impl WebArchive {
    fn fault(&mut self, code: &'static Code, offset: u64) {
        note(&mut self.faults, code, offset);
    }

    fn find(&mut self) -> Option<u64> {
        let block = self.block();
        let source = &mut *self.source.lock();
        let mut fault = |code, offset| note(&mut self.faults, code, offset);
        loop {
            let length = source.available().len();
            let left = block.left(source.consumed);
            if left > 0 && length == 0 {
                fault(&diagnostic::WARC_SHORT_RECORD, self.start);
            }
            let step = length.min(left);
            if step == 0 {
                break;
            }
            source.consume(step);
        }
        let start = source.consumed;
        let mut lost = false;
        // Nearly always a record follows at once.
        let near = match self.dialect {
            RecordFormat::Warc => AFTER,
            RecordFormat::Arc => SEARCHED,
        };
        loop {
            let at = source.consumed;
            let bytes = source.peek(near);
            let blank = bytes.iter().take_while(|byte| b"\r\n".contains(byte));
            let blank = blank.count();
            let gap = self.members.gap(at).filter(|gap| self.gap != Some(*gap));
            if gap == Some(at) {
                // The decoder reports the damage; this reports its effect on records.
                self.gap = gap;
                fault(&diagnostic::WARC_RESYNC, at);
                lost = true;
            }
            if bytes.is_empty() {
                return None;
            }
            if blank > 0 {
                let is_all = blank == bytes.len();
                source.consume(match gap {
                    Some(gap) if !is_all => blank.min((gap - at).max(1) as usize),
                    _ => blank,
                });
                continue;
            }
            if self.dialect.is_record(bytes) {
                return Some(at);
            }
            if !lost {
                lost = true;
                fault(&diagnostic::WARC_RESYNC, start);
            }
            let bytes = source.peek(SEARCHED);
            let next = self.dialect.next_record(&bytes[1..]).map(|next| next + 1);
            let step = next.unwrap_or(match bytes.len() {
                // The end of the searched bytes may be the start of a record.
                SEARCHED => SEARCHED - AFTER,
                length => length,
            });
            // The gap may have been met only now.
            let gap = self.members.gap(at + 1);
            source.consume(gap.map_or(step, |gap| step.min((gap - at) as usize)));
        }
    }

    fn header(&mut self, offset: u64) -> Record {
        let source = &mut *self.source.lock();
        let mut known = 4096;
        let (record, length) = loop {
            let bytes = source.peek(known);
            // After damage another record begins.
            let gap = self.members.gap(offset + 1);
            let end = gap.map_or(usize::MAX, |gap| (gap - offset) as usize);
            let bytes = &bytes[..bytes.len().min(end)];
            let is_all = bytes.len() < known || known >= LONGEST_HEADER;
            if self.dialect == RecordFormat::Arc {
                let line = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
                let record = Record::parse_arc(&bytes[..line], offset);
                break (record.unwrap_or_default(), line);
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

    /// Returns the length of the block of a record, and whether it is in memory.
    fn look(&mut self, record: &Record) -> (u64, bool) {
        let source = &mut *self.source.lock();
        let (start, offset) = (source.consumed, record.keys.offset);
        let mut fault = |code| note(&mut self.faults, code, offset);
        let Some(length) = record.length else {
            fault(&diagnostic::WARC_CONTENT_LENGTH_MISSING);
            return (0, true);
        };
        let held = length.min(HELD) as usize;
        let bytes = source.peek(held + AFTER);
        // The input ends inside the block.
        let is_cut = bytes.len() < held + AFTER && (bytes.len() as u64) < length;
        if length > HELD && !is_cut {
            return (length, false);
        }
        let gap = self.members.gap(start).map(|gap| (gap - start) as usize);
        if let Some(gap) = gap.filter(|gap| *gap < held) {
            return (gap as u64, true);
        }
        let follows = bytes.get(held..).unwrap_or_default().trim_ascii_start();
        let has_gap = gap.is_some_and(|gap| gap < held + AFTER);
        let is_good = follows.is_empty() || self.dialect.is_record(follows) || has_gap;
        if !is_cut && is_good {
            return (length, true);
        }
        // The block may hold only the start of the next record.
        let first = self.dialect.is_record(bytes).then_some(0);
        let next = first.or_else(|| self.dialect.next_record(bytes));
        if let Some(next) = next.filter(|&next| (next as u64) < length) {
            fault(&diagnostic::WARC_RESYNC);
            return (next as u64, true);
        }
        (length, length <= HELD)
    }

    fn is_joined(&self, record: &Record) -> bool {
        self.joined.as_ref().is_some_and(|(id, segments)| {
            record.origin.as_ref() == Some(id)
                && record.segment.is_some_and(|segment| segment <= *segments)
        })
    }

    /// Appends the parts of a record, and its end where records are listed.
    fn members(&mut self, record: Record) {
        let start = self.source.lock().consumed;
        let (length, is_held) = self.look(&record);
        self.end = start.saturating_add(length);
        let keys = if self.options.is_index {
            self.indexed(record, length)
        } else {
            let keys = self.parts(record, length, is_held);
            keys.filter(|_| self.options.lists_records)
        };
        if let Some(keys) = keys {
            let name = self.record.to_string().into_bytes();
            let end = ArchiveMember {
                record: Some(keys),
                ..ArchiveMember::file(name, MemberContents::RecordEnd)
            };
            let nothing = RecordBody::Decoded(Box::new(io::empty()));
            self.pending
                .push_back((end, nothing, BodyFaults::default()));
        }
    }

    /// Reads a record that an index has, as cdxj-indexer chooses and describes them; returns its header.
    fn indexed(&mut self, mut record: Record, length: u64) -> Option<Arc<RecordHeader>> {
        let kind = record.keys.fields.warc_type.take()?;
        let fields = &mut record.keys.fields;
        let uri = fields.target_uri.as_deref()?;
        let is_http = uri.starts_with("http:") || uri.starts_with("https:");
        match kind.as_str() {
            "response" | "revisit" => {
                let most = length.min(http::LONGEST_HEADER as u64);
                let mut source = self.source.lock();
                let header = ResponseHeader::parse(source.peek(most as usize));
                let header = header.filter(|_| is_http).unwrap_or_default();
                source.consume(header.length);
                (fields.http_status, fields.content_type) = (header.status, header.content_type);
            }
            "resource" | "metadata" if fields.content_type.as_deref() != Some(FIELDS) => {}
            _ => return None,
        }
        let mut hash = fields.payload_digest.is_none().then(Sha1::new);
        if kind == "revisit" {
            (fields.content_type, hash) = (Some("warc/revisit".to_owned()), None);
        }
        let block = self.block();
        let mut source = self.source.lock();
        // An error of the reader is kept.
        while source.fill_buf().is_ok() {
            let (bytes, _) = source.buffered();
            let bytes = &bytes[..bytes.len().min(block.left(source.consumed))];
            if let Some(hash) = &mut hash {
                hash.update(bytes);
            }
            let length = bytes.len();
            if length == 0 {
                break;
            }
            source.consume(length);
        }
        if let Some(hash) = hash {
            let mut digest = [0; 32];
            BASE32.encode_mut(&hash.finalize(), &mut digest);
            fields.payload_digest = Some(format!("sha1:{}", String::from_utf8_lossy(&digest)));
        }
        source.peek(AFTER);
        let is_cut = block.left(source.consumed) > 0;
        self.end = source.consumed;
        drop(source);
        if is_cut {
            self.fault(&diagnostic::WARC_SHORT_RECORD, self.start);
        }
        record.length = None;
        record.keys.member_offset = self.members.offset(record.keys.offset);
        record.keys.member_length = self.member_length(&record, true);
        Some(Arc::new(record.keys))
    }

    /// Appends the parts of a record that are read, and returns its header; `None` if it is not one of a
    /// document.
    fn parts(&mut self, mut record: Record, size: u64, is_held: bool) -> Option<Arc<RecordHeader>> {
        let is_wat = record.is_transformation();
        let is_read = match record.kind() {
            "response" | "resource" | "conversion" => true,
            "metadata" => is_wat || self.options.reads_metadata,
            "revisit" => false,
            "continuation" if !self.is_joined(&record) => {
                self.fault(&diagnostic::WARC_CONTINUATION_MISSING, record.keys.offset);
                return None;
            }
            _ => return None,
        };
        if !is_read && !self.options.lists_records {
            return None;
        }
        let joined = self.join(&record, size);
        record.keys.member_offset = self.members.offset(record.keys.offset);
        record.keys.member_length = self.member_length(&record, is_held);
        let is_arc = self.dialect == RecordFormat::Arc;
        let is_http = matches!(record.kind(), "response" | "revisit")
            && (record.media_type()).is_none_or(|name| is_arc || name.starts_with(HTTP));
        let base = record.base();
        let mut keys = record.keys;
        let mut source = self.source.lock();
        let length = joined.as_ref().map_or(size, |bytes| bytes.len() as u64);
        let header = http::LONGEST_HEADER as u64;
        let most = length.min(if is_held { HELD } else { header });
        let block = match &joined {
            Some(bytes) => bytes,
            None => source.peek(most as usize),
        };
        let block = &block[..block.len().min(most as usize)];
        let faults = BodyFaults::at(keys.offset);
        let response = ResponseHeader::parse(block).filter(|_| is_http);
        let declared = match &response {
            Some(header) => {
                keys.fields.http_status = header.status;
                keys.fields.content_language.clone_from(&header.language);
                let written = keys.fields.content_type.take();
                keys.fields.content_type = header.content_type.clone().or(written);
                header.content_type.as_deref()
            }
            None => {
                if is_http && !is_arc && !block.is_empty() {
                    faults.push(&diagnostic::HTTP_BAD_STATUS);
                }
                (keys.fields.content_type.as_deref()).filter(|_| !is_http || is_arc)
            }
        };
        let (mut contents, charset) = choose(declared, record.payload_type.as_deref());
        if let Some(format) = Format::named("wat").filter(|_| is_wat) {
            contents = MemberContents::Document(format);
            keys.fields.http_status = described_status(block);
        }
        // A cut body is not damage where the record says so.
        let is_cut = keys.fields.truncated.is_some();
        if keys.cut_names() {
            let code = &diagnostic::RECORD_NAME_TOO_LONG;
            note(&mut self.faults, code, keys.offset);
        }
        let keys = Arc::new(keys);
        if !is_read {
            return Some(keys);
        }
        let number = self.record;
        let member = |part: u8, contents, base| ArchiveMember {
            base,
            record: Some(Arc::clone(&keys)),
            ..ArchiveMember::file(format!("{number}/{part}").into_bytes(), contents)
        };
        let lines = &block[..response.as_ref().map_or(0, |header| header.length)];
        if http::has_references(lines) {
            let member = member(0, MemberContents::Document(&http::HEADER), base.clone());
            let lines = RecordBody::Decoded(Box::new(io::Cursor::new(lines.to_vec())));
            let pending = (member, lines, BodyFaults::default());
            self.pending.push_back(pending);
        }
        let body = &block[lines.len()..];
        if response.is_some() && body.is_empty() {
            return Some(keys);
        }
        let is_whole = block.len() as u64 == length;
        let chunked = (response.as_ref()).is_some_and(ResponseHeader::claims_chunks)
            && is_chunked(body, is_whole);
        let from = lines.len();
        if joined.is_none() {
            source.consume(from);
        }
        drop(source);
        let base = match &response {
            Some(header) if !self.options.ignores_bases => self.body_base(header, base),
            _ => base,
        };
        let member = ArchiveMember {
            charset,
            ..member(1, contents, base)
        };
        let mut body = self.body(joined, from);
        if let Some(header) = response.filter(ResponseHeader::has_codings)
            && !matches!(member.contents, MemberContents::Unread(_))
        {
            let faults = Some(faults.clone()).filter(|_| !is_cut).unwrap_or_default();
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
        Some(keys)
    }

    /// Returns the length of a record in the file, if the compressed members that hold it hold nothing else.
    fn member_length(&self, record: &Record, is_held: bool) -> Option<u64> {
        let (offset, members) = (record.keys.offset, &self.members);
        if members.layers() == 0 || !is_held {
            return (members.layers() == 0).then(|| self.end - offset);
        }
        let mut source = self.source.lock();
        let start = source.consumed;
        let block = self.end - start;
        let first = members.start_at(offset)?;
        let read = start + block.max(record.length.unwrap_or_default().min(HELD)) + AFTER as u64;
        let (input, output) = members.end(self.end, read)?;
        let known = source.peek(usize::try_from(output.checked_sub(start)?).ok()?);
        let mut after = known.get(usize::try_from(block).ok()?..)?.iter();
        let is_blank = after.all(|byte| matches!(byte, b'\r' | b'\n'));
        is_blank.then(|| input.saturating_sub(first))
    }

    fn body_base(&self, header: &ResponseHeader, target: Option<Base>) -> Option<Base> {
        if let Some(uri) = &header.content_base
            && let Ok(base) = Base::checked(uri, BaseSource::EntityHttpContentBase)
        {
            return Some(base);
        }
        if self.options.http_base == HttpBase::Rfc2616
            && let (Some(location), Some(target)) = (&header.content_location, &target)
            && let Ok(uri) = resolve(&target.uri, location, Rules::Whatwg)
        {
            let source = BaseSource::EntityHttpContentLocation;
            return Some(Base { uri, source });
        }
        target
    }

    fn block(&self) -> RecordBlock {
        RecordBlock {
            source: self.source.clone(),
            members: self.members.clone(),
            end: self.end,
        }
    }

    fn body(&self, joined: Option<Vec<u8>>, from: usize) -> RecordBody {
        match joined {
            None => RecordBody::Block(self.block()),
            Some(bytes) => {
                let mut reader = io::Cursor::new(bytes);
                reader.set_position(from as u64);
                RecordBody::Decoded(Box::new(reader))
            }
        }
    }

    /// Joins the blocks of the next segments of a record, as far as they fit in memory (ISO 28500, 7.7).
    fn join(&mut self, first: &Record, length: u64) -> Option<Vec<u8>> {
        let id = (first.keys.fields.id.clone()).filter(|_| first.segment == Some(1))?;
        let source = &mut *self.source.lock();
        let start = source.consumed;
        let mut end = usize::try_from(length.min(HELD)).ok()?;
        let mut joined = source.peek(end).to_vec();
        let mut segments = 1;
        loop {
            let bytes = source.peek(end + SEARCHED);
            let after = bytes.get(end..).unwrap_or_default();
            let header = after.trim_ascii_start();
            let length = header_end(header);
            let block = end + (after.len() - header.len()) + length;
            let record = Record::parse(&header[..length], 0);
            let follows = is_warc_record(header)
                && record.kind() == "continuation"
                && record.origin.as_ref() == Some(&id)
                && record.segment == Some(segments + 1);
            let length = record.length.filter(|&length| {
                let is_held = joined.len() as u64 + length <= HELD;
                let next = start + block as u64 + length;
                let is_damaged = || self.members.gap(start).is_some_and(|gap| gap < next);
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

/// Returns the status of the response that a WAT describes.
fn described_status(json: &[u8]) -> Option<u16> {
    let after = |json, name: &str| memmem::find(json, name.as_bytes()).map(|at| at + name.len());
    let message = &json[after(json, "\"Response-Message\"")?..];
    let status = &message[after(message, "\"Status\"")?..];
    number(status.split(|&byte| byte == b'"').nth(1)?)
}

/// Chooses how a payload is read: by its media type, else by its first bytes.
fn choose(
    declared: Option<&str>,
    identified: Option<&str>,
) -> (MemberContents, Option<&'static Encoding>) {
    let media_type = |field: &str| {
        let (name, label) = document::content_type(field.as_bytes());
        (name, Encoding::for_label(label))
    };
    let (name, charset) = declared.map(media_type).unwrap_or_default();
    // One type, or else the bytes decide (WHATWG MIME Sniffing, 4.4 and 7).
    let is_vague = |name: &str| {
        !name.contains('/') || name.contains([' ', ',']) || VAGUE.split(' ').any(|it| it == name)
    };
    let name = match identified.map(media_type) {
        Some((identified, _)) if is_vague(&name) => identified,
        _ => name,
    };
    let contents = if let Some(format) = name.strip_prefix(FORMAT_TYPE) {
        let of_name = || Format::for_path(format!("x.{format}"));
        let format = Format::named(format).or_else(of_name);
        format.map_or(MemberContents::Sniffed, MemberContents::Document)
    } else if is_vague(&name) {
        MemberContents::Sniffed
    } else if name == FIELDS {
        MemberContents::Document(&http::METADATA)
    } else if let Some(format) = Format::of_declared(&name) {
        MemberContents::Document(format)
    } else {
        MemberContents::Unread(name)
    };
    (contents, charset)
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
                self.source.lock().take_error()?;
                return Ok(None);
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
        let is_decoded = |body: &mut RecordBody| matches!(body, RecordBody::Decoded(_));
        if let Some(RecordBody::Decoded(reader)) = self.body.take_if(is_decoded) {
            let faults = std::mem::take(&mut self.body_faults);
            let length = self.end - self.start;
            return Some(HeldContents::Reader(reader, length, faults));
        }
        self.whole().map(|bytes| HeldContents::bytes(&bytes))
    }
}
