//! The contract of containers, and the description of their members.

use std::io::{self, Cursor, Read};
use std::mem::take;
use std::ops::Deref;
use std::sync::Arc;

use encoding_rs::Encoding;
use smart_default::SmartDefault;

use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::{ReadAt, Section, Shared};
use crate::decode::compression::{Decompressed, Members};
use crate::document::Format;
use crate::document::diagnostic::Code;
use crate::document::events::cut_name;
use crate::linker::WebRecord;
use crate::uri::Base;

/// The most members of a container that are read.
pub(super) const MEMBERS: u64 = 1 << 20;

/// Options of archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SmartDefault)]
pub struct ArchiveOptions {
    /// The base of the body of an HTTP response.
    pub http_base: HttpBase,
    /// Whether the header of a response sets no base.
    pub ignores_bases: bool,
    /// Read the metadata records of crawlers, too.
    pub reads_metadata: bool,
    /// Whether a member without contents follows the parts of each record of a web archive.
    pub lists_records: bool,
    /// Whether records are listed for an index: digests of payloads in place of their contents.
    pub is_index: bool,
    /// The longest package that is held where its bytes can be read once only.
    #[default(64 << 20)]
    pub max_document: u64,
}

/// The base of the body of an HTTP response whose header has a `Content-Location`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum HttpBase {
    /// The URI that was retrieved.
    #[default]
    Rfc9110,
    /// The value of the field (RFC 2616 section 14.14).
    Rfc2616,
}

/// The bytes of a container.
pub enum ArchiveSource {
    /// They can be read once, as they come.
    Pipe(Box<dyn Read + Send>),
    /// They can be read once, and held. The compressed members that they come from, if they do.
    Stream(Box<dyn Read + Send>, Option<Members>),
    /// They can be read anywhere.
    File(Arc<dyn ReadAt>),
}

impl ArchiveSource {
    /// Holds bytes that can be read once, where they are fewer than `limit`.
    pub(super) fn held(self, limit: u64) -> Self {
        if let ArchiveSource::File(_) = self {
            return self;
        }
        let (mut stream, mut held) = (self.into_reader(), Vec::new());
        let read = stream.by_ref().take(limit).read_to_end(&mut held);
        if read.is_ok() && (held.len() as u64) < limit {
            return ArchiveSource::File(Arc::new(held));
        }
        ArchiveSource::Pipe(Box::new(Cursor::new(held).chain(stream)))
    }

    pub(crate) fn into_reader(self) -> Box<dyn Read + Send> {
        match self {
            ArchiveSource::Pipe(reader) | ArchiveSource::Stream(reader, _) => reader,
            ArchiveSource::File(file) => section(file, 0, u64::MAX),
        }
    }

    /// Returns the bytes from the first one on, and the compressed members that they come from.
    pub(super) fn into_stream(mut self) -> (BufferedSource, Members) {
        let members = match &mut self {
            ArchiveSource::Stream(_, members) => members.take(),
            _ => None,
        };
        let members = members.unwrap_or_default();
        (BufferedSource::long(self.into_reader()), members)
    }
}

pub(super) fn section(file: Arc<dyn ReadAt>, at: u64, end: u64) -> Box<dyn Read + Send> {
    Box::new(Section { file, at, end })
}

/// A container while it is read.
pub trait Container: Send {
    /// Skips the rest of the current member, and goes to the next one.
    ///
    /// # Errors
    ///
    /// Errors of the reader. Damage is reported by [`Container::faults`] instead.
    fn next(&mut self) -> io::Result<Option<ArchiveMember>>;

    /// Reads contents of the current member.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize>;

    /// Returns all contents of the current member if none have been read and they fit in memory.
    fn whole(&mut self) -> Option<WholeContents<'_>> {
        None
    }

    /// Removes and returns the damage found so far: of the current member, or of the container.
    fn faults(&mut self) -> Vec<ArchiveFault>;

    /// Removes and returns the damage to the contents of the current member, as far as they are read.
    fn content_faults(&mut self) -> Vec<ArchiveFault> {
        Vec::new()
    }

    /// Returns the number of records so far, where members are parts of records.
    fn records(&self) -> Option<u64> {
        None
    }

    /// Splits off the next members, of about `size` bytes; `None` at the end, or if they need those before.
    fn split(&mut self, _size: u64) -> Option<Box<dyn Container>> {
        None
    }

    /// Returns all contents of the current member to keep, if they are short and undamaged.
    fn hold(&mut self) -> Option<HeldContents> {
        self.whole().map(|bytes| HeldContents::bytes(&bytes))
    }
}

impl Read for dyn Container {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Container::read(self, into)
    }
}

/// A container that is read to its end by several owners.
pub type SharedContainer = Shared<Box<dyn Container>>;

/// The contents of a member that its container has given away.
pub enum HeldContents {
    /// All bytes.
    Bytes(Cursor<Vec<u8>>),
    /// A reader of them, the number of packed bytes that it holds, and the damage that it meets.
    Reader(Box<dyn Read + Send>, u64, BodyFaults),
    /// They have to be read from the container.
    Shared(SharedContainer),
}

impl HeldContents {
    pub(super) fn bytes(bytes: &[u8]) -> Self {
        HeldContents::Bytes(Cursor::new(bytes.to_vec()))
    }

    pub(super) fn length(&self) -> u64 {
        match self {
            HeldContents::Bytes(bytes) => bytes.get_ref().len() as u64,
            HeldContents::Reader(_, length, _) => *length,
            HeldContents::Shared(_) => 0,
        }
    }
}

/// All contents of a member, in memory.
pub type WholeContents<'a> = Box<dyn Deref<Target = [u8]> + 'a>;

/// Damage in a container.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveFault {
    /// The kind of damage.
    pub code: &'static Code,
    /// The offset in the container, in bytes.
    pub offset: u64,
}

pub(super) fn note(faults: &mut Vec<ArchiveFault>, code: &'static Code, offset: u64) {
    faults.push(ArchiveFault { code, offset });
}

/// Damage that decoders of a body have met.
#[derive(Clone, Default)]
pub struct BodyFaults(Shared<FaultsOfBody>);

#[derive(Default)]
struct FaultsOfBody {
    codes: Vec<&'static Code>,
    /// Damage in compressed data.
    decoders: Members,
    offset: u64,
}

impl BodyFaults {
    pub(super) fn at(offset: u64) -> Self {
        BodyFaults(Shared::new(FaultsOfBody {
            offset,
            ..FaultsOfBody::default()
        }))
    }

    pub(super) fn watch(&self, decoder: &Decompressed) {
        self.0.lock().decoders.push(decoder);
    }

    pub(super) fn push(&self, code: &'static Code) {
        self.0.lock().codes.push(code);
    }

    pub(super) fn take(&self) -> Vec<ArchiveFault> {
        let mut body = self.0.lock();
        let (mut codes, decoders) = (take(&mut body.codes), take(&mut body.decoders));
        codes.extend(decoders.errors().map(|error| <&Code>::from(error.fault)));
        let offset = body.offset;
        let faults = codes.into_iter().map(|code| ArchiveFault { code, offset });
        faults.collect()
    }
}

/// A member of a container.
#[derive(Default)]
pub struct ArchiveMember {
    /// A path with slashes, in any encoding, or the numbers of a record and of its part.
    pub name: Vec<u8>,
    /// The way to read its contents.
    pub contents: MemberContents,
    /// The base of the contents, if it is not the name's.
    pub base: Option<Base>,
    /// The name in the container that references resolve against, if it is not the member's own.
    pub base_name: Option<Vec<u8>>,
    /// The charset that a header declares.
    pub charset: Option<&'static Encoding>,
    /// The record of a web archive.
    pub record: Option<Arc<RecordHeader>>,
}

impl ArchiveMember {
    pub(crate) fn file(name: Vec<u8>, contents: MemberContents) -> Self {
        ArchiveMember {
            name,
            contents,
            ..ArchiveMember::default()
        }
    }
}

/// The way to read the contents of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MemberContents {
    /// As a file with the name of the member.
    #[default]
    File,
    /// As the file at the URI of the record: nothing declares its format.
    Sniffed,
    /// As a document of this format.
    Document(&'static Format),
    /// Not at all: documents of this media type hold no references.
    Unread(String),
    /// Not at all: it is encrypted, or packed in an unknown way, which is a fault of the container.
    Unreadable,
    /// Not at all: the package says that it is encrypted.
    Encrypted,
    /// Not at all: it is the end of a record, whose parts are other members.
    RecordEnd,
}

impl MemberContents {
    pub(super) fn is_read(&self) -> bool {
        use MemberContents::{Document, File, Sniffed};
        matches!(self, File | Sniffed | Document(_))
    }
}

/// The header of a record of a web archive.
#[derive(Default)]
pub struct RecordHeader {
    /// The fields that links show; the media type is the response's, if any.
    pub fields: WebRecord<String>,
    /// The offset of the record in the archive, decompressed.
    pub offset: u64,
    /// The offset of the record in the file, or of the compressed member that holds it.
    pub member_offset: Option<u64>,
    /// Its length there, in bytes.
    pub member_length: Option<u64>,
}

impl RecordHeader {
    /// Cuts names that are too long; returns whether there were any.
    pub(crate) fn cut_names(&mut self) -> bool {
        let mut is_any_cut = false;
        // Names are copied only where one is too long, which is rare.
        let _ = (self.fields).map(|name| is_any_cut |= cut_name(name.as_bytes()).1);
        if is_any_cut {
            self.fields = self.fields.map(|name| {
                let (short, _) = cut_name(name.as_bytes());
                name[..short.len()].to_owned()
            });
        }
        is_any_cut
    }
}

/// Returns the extension of a member in lower case; empty if it has none.
pub(super) fn extension(name: &[u8]) -> Vec<u8> {
    let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let dot = memchr::memrchr(b'.', file);
    dot.map_or(Vec::new(), |dot| file[dot + 1..].to_ascii_lowercase())
}

/// Returns the contents of a member with an extension that is not read.
pub(super) fn unread(extension: &[u8]) -> MemberContents {
    let name = match extension {
        b"" => "file".into(),
        extension => String::from_utf8_lossy(extension),
    };
    MemberContents::Unread(name.into_owned())
}
