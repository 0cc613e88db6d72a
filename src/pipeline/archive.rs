//! Reads the members of archives, and of archives in them.

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bases::{TreeRoot, push_segments};
use super::input::{self, OpenedFile};
use super::options::{PipelineOptions, ReportMode};
use crate::archive::{
    ArchiveFault, ArchiveFormat, ArchiveKind, ArchiveMember, ArchiveSource, Container,
    MemberContents, RecordHeader, SharedContainer,
};
use crate::bytes::source::{Shared, fill};
use crate::decode::compression::{Codec, Decompressed, Members};
use crate::document::diagnostic::{self, Code};
use crate::document::events::cut_name;
use crate::document::mail::Attachments;
use crate::document::options::{RstRoles, Slug};
use crate::document::sniff::{self, Content, HEAD};
use crate::document::{ArchiveCounts, Format, NestingLimit, Retrieval, package};
use crate::extractor::{AttachmentReader, Document, Extractor};
use crate::linker::{
    Attachment, Diagnostic, Enclosure, EnclosureKind, Found, FoundMember, Link, LinkMember, Sink,
    WebRecord,
};
use crate::output::record::{ArchiveRecord, DiagnosticCounts};
use crate::uri::base::push_path;
use crate::uri::{Base, BaseSource, Reference};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberChoice {
    Read,
    Skip,
    /// Skip the member and all that follow.
    End,
}

/// Receives the links of files, and chooses the members of archives that are read.
pub(crate) trait ArchiveSink: Sink {
    /// A member begins, by its name as in records, and its path as in its URI before encoding.
    fn begin_member(&mut self, _name: &str, _path: &[u8]) -> MemberChoice {
        MemberChoice::Read
    }

    /// Returns the root of the tree of a member, by default of the archive, for formats that name files from there.
    fn root_of_member(&mut self, _path: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// Takes the contents of a file in the place of its links; returns whether it does.
    fn take_contents(&mut self, _path: &[u8], _contents: &mut dyn Read) -> io::Result<bool> {
        Ok(false)
    }

    /// The member that began last was a document, and ends here; its length in bytes.
    fn end_member(&mut self, _format: &'static Format, _length: u64) {}
}

impl ArchiveSink for &mut dyn Sink {}

/// An archive, as its members are named and found from outside.
#[derive(Default)]
pub(super) struct ArchivePlace {
    /// Before the names of members: the names of the archives around, each with a `!`.
    prefix: String,
    /// Before the paths of members: the paths of the archives around, each with `!/`.
    path: Vec<u8>,
    base: Option<Base>,
    depth: usize,
    /// The archive, as references in its members see it.
    enclosure: Option<Enclosure>,
    /// The media type of an attachment, which is the only member.
    attached: Option<String>,
}

impl ArchivePlace {
    /// Creates an outermost archive, whose members have paths after `base`.
    pub(super) fn new(format: &'static ArchiveFormat, base: Option<Base>) -> Self {
        let kind = match format.kind {
            ArchiveKind::Package(format) if *format == package::ODF => EnclosureKind::Open,
            ArchiveKind::Package(_) => EnclosureKind::Package,
            ArchiveKind::Files | ArchiveKind::Records => EnclosureKind::Archive,
        };
        // A plain archive that is served is a directory there.
        let is_apart = |base: &&Base| kind != EnclosureKind::Archive || base.uri.ends_with(b"!/");
        let root = base.as_ref().filter(is_apart).map(|base| base.uri.clone());
        let enclosure = root.map(|root| Enclosure { root, kind });
        ArchivePlace {
            base,
            depth: 1,
            enclosure,
            ..ArchivePlace::default()
        }
    }

    /// Returns the base of a member: a `..` stops at the root of the archive.
    fn base_of(&self, name: &[u8]) -> Option<Base> {
        let base = self.base.as_ref()?;
        let mut uri = base.uri.clone();
        push_path(&normal_path(name), &mut uri);
        Some(Base::new(uri, base.source.clone()))
    }

    fn root_of(&self, member: &MemberPlace<'_>, sink: &mut dyn ArchiveSink) -> TreeRoot {
        let directory = sink.root_of_member(member.inner);
        let roles = [RstRoles::Docutils, RstRoles::Sphinx][usize::from(directory.is_some())];
        let directory = directory.unwrap_or_default();
        let below = directory.strip_prefix(self.path.as_slice());
        let mut uri = self.base_of(below.unwrap_or_default()).map(|base| base.uri);
        if let Some(uri) = uri.as_mut().filter(|uri| !uri.ends_with(b"/")) {
            uri.push(b'/');
        }
        TreeRoot { uri, roles }
    }

    fn inside(&self, format: &'static ArchiveFormat, member: &MemberPlace<'_>) -> Self {
        let own = member.member.base.clone();
        let base = own.or_else(|| self.base_of(member.stored_name()));
        let base = base.map(|mut base| {
            base.uri.extend_from_slice(b"!/");
            base
        });
        ArchivePlace {
            prefix: format!("{}!", member.name),
            path: [member.inner, b"!/"].concat(),
            depth: self.depth + 1,
            ..ArchivePlace::new(format, base)
        }
    }
}

#[derive(Clone, Copy)]
struct MemberPlace<'a> {
    /// Its name from outside all archives.
    name: &'a str,
    bytes: Option<&'a [u8]>,
    /// Its name in the archive, without the extensions of codecs.
    path: &'a [u8],
    /// Its path from outside all archives.
    inner: &'a [u8],
    archive: &'a ArchivePlace,
    member: &'a ArchiveMember,
    /// The members of the compressed file that the member is, unless it is an archive.
    compressed: Option<&'a Members>,
}

impl<'a> MemberPlace<'a> {
    /// Returns the name that the base follows: with the extensions of codecs, as for files.
    fn stored_name(&self) -> &'a [u8] {
        match self.member.contents {
            MemberContents::Sniffed => self.path,
            _ => &self.member.name,
        }
    }

    /// Returns the member as links in it have it, given its record.
    fn part<'p>(&self, shown: Option<&'p WebRecord<&'p str>>) -> LinkMember<'p>
    where
        'a: 'p,
    {
        let record = self.member.record.as_deref();
        LinkMember {
            name_bytes: self.bytes,
            message_offset: record.map(|record| record.offset),
            member_offset: record.and_then(|record| record.member_offset),
            member_length: record.and_then(|record| record.member_length),
            record: shown,
            ..LinkMember::default()
        }
    }
}

enum MemberBytes<'a> {
    Bytes(&'a [u8]),
    Stream(&'a mut dyn Read),
}

/// Adds a member, or the members of a compressed file, to the links and diagnostics in it.
pub(super) struct InMember<'a> {
    name: Option<&'a str>,
    part: LinkMember<'a>,
    /// The members of the compressed file that holds the messages.
    pub(super) compressed: Option<&'a Members>,
    /// The message that the archive is attached to.
    message: Option<&'a LinkMember<'a>>,
    /// Where diagnostics are counted, unless they are passed on.
    diagnostics: Option<&'a mut DiagnosticCounts>,
    joined: String,
    sink: &'a mut dyn Sink,
}

impl<'a> InMember<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink) -> Self {
        InMember {
            name: None,
            part: LinkMember::default(),
            compressed: None,
            message: None,
            diagnostics: None,
            joined: String::new(),
            sink,
        }
    }

    /// Adds the member to a message or a record in it.
    fn part<'p>(&self, inner: &LinkMember<'p>) -> LinkMember<'p>
    where
        'a: 'p,
    {
        let mut part = *inner;
        if self.name.is_some() {
            part.name_bytes = self.part.name_bytes;
            part.part_offset = None;
        }
        if self.part.record.is_some() {
            part.message_offset = self.part.message_offset;
            part.member_offset = self.part.member_offset;
            part.member_length = self.part.member_length;
            part.record = self.part.record;
        }
        if let (Some(members), Some(offset)) = (self.compressed, part.message_offset) {
            // A message has a decompressed length, which does not fit the offset of a compressed member.
            part.member_length = part.member_length.filter(|_| part.record.is_some());
            part.member_offset = members.offset(offset).or(part.member_offset);
        }
        if let (Some(message), None) = (self.message, part.message_offset) {
            part.message_id = message.message_id;
            part.message_offset = message.message_offset;
            part.envelope = message.envelope;
            part.filename = message.filename;
            part.disposition = message.disposition;
        }
        part
    }
}

fn joined<'a>(
    name: Option<&'a str>,
    inner: Option<&'a str>,
    buffer: &'a mut String,
) -> Option<&'a str> {
    let (Some(name), Some(inner)) = (name, inner) else {
        return name.or(inner);
    };
    buffer.clear();
    buffer.extend([name, "!", inner]);
    Some(buffer)
}

impl Sink for InMember<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let part = self.part(link.part);
        self.sink.link(&Link {
            member: joined(self.name, link.member, &mut self.joined),
            part: &part,
            ..*link
        })
    }

    fn event(&mut self, found: &Found<'_>) {
        let diagnostic = match found {
            Found::Diagnostic(diagnostic) => diagnostic,
            Found::Member(found) => {
                let part = self.part(found.part);
                return self.sink.event(&Found::Member(FoundMember {
                    member: joined(self.name, found.member, &mut self.joined),
                    part: &part,
                    ..*found
                }));
            }
            _ => return self.sink.event(found),
        };
        let diagnostic = Diagnostic {
            member: joined(self.name, diagnostic.member, &mut self.joined),
            ..*diagnostic
        };
        match &mut self.diagnostics {
            Some(counts) => counts.add(&diagnostic),
            None => self.sink.event(&Found::Diagnostic(diagnostic)),
        }
    }
}

/// Returns the path that a name means in an archive: a `..` stops at the root.
pub(crate) fn normal_path(name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(1 + name.len());
    push_segments(name, &mut path);
    path.drain(..path.len().min(1));
    path
}

pub(super) struct ArchiveReader<'a> {
    options: &'a PipelineOptions,
    extractor: &'a mut Extractor,
    nested: &'a NestedOutput,
    /// The dialect of Markdown of the tree in the archive, if known.
    pub(super) slug: Option<Slug>,
    /// The message that the archive is attached to.
    message: Option<&'a LinkMember<'a>>,
    sink: &'a mut dyn ArchiveSink,
    /// The numbers of members, and their diagnostics.
    pub(super) record: ArchiveRecord,
    /// Whether the sink wants no more members.
    pub(super) is_ended: bool,
    /// The length of the parts of the current record that were read, and the kind of one that was not.
    record_bytes: u64,
    record_skipped: Option<String>,
}

impl<'a> ArchiveReader<'a> {
    pub(super) fn new(
        options: &'a PipelineOptions,
        extractor: &'a mut Extractor,
        nested: &'a NestedOutput,
        sink: &'a mut dyn ArchiveSink,
    ) -> Self {
        ArchiveReader {
            options,
            extractor,
            nested,
            slug: None,
            message: None,
            sink,
            record: ArchiveRecord {
                is_container: true,
                ..ArchiveRecord::default()
            },
            is_ended: false,
            record_bytes: 0,
            record_skipped: None,
        }
    }

    /// Reads a file in a message, if it is an archive or a PDF.
    fn read_attachment(&mut self, attachment: &Attachment<'_>) {
        let part = attachment.member;
        let file_name = match attachment.file_name {
            b"" => part.rsplit('/').next().unwrap_or_default().as_bytes(),
            file_name => file_name,
        };
        let message = ArchivePlace {
            base: attachment.directory.clone(),
            depth: attachment.depth,
            attached: Some(attachment.media_type.to_owned()),
            ..ArchivePlace::default()
        };
        let place = MemberPlace {
            name: part,
            bytes: None,
            path: file_name,
            inner: part.as_bytes(),
            archive: &message,
            member: &ArchiveMember::file(file_name.to_vec(), MemberContents::File),
            compressed: None,
        };
        let head = &attachment.contents[..attachment.contents.len().min(HEAD)];
        let bytes = attachment.contents.to_vec();
        let is_outermost = attachment.depth == 0;
        if is_outermost {
            self.nested.begin(attachment.contents.len() as u64);
        }
        // Reading from memory does not fail, and damage is diagnosed.
        let _ = match Codec::of(head) {
            Some(codec) => self.compressed(codec, Box::new(Cursor::new(bytes)), place),
            None => self.file(head, ArchiveSource::File(Arc::new(bytes)), place),
        };
        if is_outermost && self.nested.is_excessive() {
            self.fault(part, &diagnostic::ARCHIVE_RATIO_LIMIT);
        }
        for diagnostic in self.record.diagnostics.diagnostics() {
            self.sink.event(&Found::Diagnostic(diagnostic));
        }
    }

    fn fault(&mut self, member: &str, code: &'static Code) {
        self.diagnose(Some(member), &[ArchiveFault { code, offset: 0 }]);
    }

    fn skip(&mut self, kind: &str, place: &MemberPlace<'_>) -> io::Result<()> {
        self.record.counts.skip(kind);
        self.end_member(place, None, Some(kind));
        Ok(())
    }

    /// Reports the end of a member where records are listed; parts of a record are reported with its end.
    fn end_member(&mut self, place: &MemberPlace<'_>, bytes: Option<u64>, skipped: Option<&str>) {
        let record = place.member.record.as_deref();
        if self.options.report != ReportMode::Records {
            return;
        }
        if record.is_some() && place.member.contents != MemberContents::RecordEnd {
            self.record_bytes += bytes.unwrap_or_default();
            self.record_skipped = skipped.map(str::to_owned).or(self.record_skipped.take());
            return;
        }
        let shown = record.map(|record| record.fields.map(String::as_str));
        let mut sink = InMember {
            name: Some(place.name),
            part: place.part(shown.as_ref()),
            message: self.message,
            ..InMember::new(self.sink)
        };
        sink.event(&Found::Member(FoundMember {
            bytes,
            skipped,
            ..FoundMember::new(&LinkMember::default())
        }));
    }

    fn diagnose(&mut self, member: Option<&str>, faults: &[ArchiveFault]) {
        for &ArchiveFault { code, offset } in faults {
            let diagnostic = Diagnostic::new(member, code, offset);
            // In an audit each member is a document with diagnostics.
            if !self.options.is_audit {
                self.record.diagnostics.add(&diagnostic);
            } else {
                self.sink.event(&Found::Diagnostic(diagnostic));
            }
        }
    }

    /// Reads an archive, and passes the links of its members to the sink.
    pub(super) fn members(
        &mut self,
        container: Box<dyn Container>,
        place: &ArchivePlace,
    ) -> io::Result<()> {
        let container = Shared::new(container);
        let read = self.each_member(&container, place);
        self.record.counts.members += container.lock().records().unwrap_or(0);
        read
    }

    fn each_member(&mut self, container: &SharedContainer, place: &ArchivePlace) -> io::Result<()> {
        let is_outermost = place.depth <= 1;
        while !self.is_ended && (is_outermost || !self.nested.is_excessive()) {
            let next = container.lock().next();
            let faults = container.lock().faults();
            self.diagnose(place.prefix.strip_suffix('!'), &faults);
            let Some(member) = next? else {
                return Ok(());
            };
            if container.lock().records().is_none() {
                self.record.counts.members += 1;
            }
            let (short, is_cut) = cut_name(&member.name);
            let lossy = String::from_utf8_lossy(short);
            let name = [place.prefix.as_str(), &lossy].concat();
            let inner = [place.path.as_slice(), &normal_path(short)].concat();
            let member_place = MemberPlace {
                name: &name,
                bytes: std::str::from_utf8(short).is_err().then_some(short),
                path: match (&member.contents, &member.record) {
                    (MemberContents::Sniffed, Some(record)) => path_of(record),
                    _ => &member.name,
                },
                inner: &inner,
                archive: place,
                member: &member,
                compressed: None,
            };
            if is_cut {
                self.fault(&name, &diagnostic::RECORD_NAME_TOO_LONG);
            }
            match self.sink.begin_member(&name, &inner) {
                MemberChoice::Read => {}
                MemberChoice::Skip => continue,
                MemberChoice::End => {
                    self.is_ended = true;
                    break;
                }
            }
            if is_outermost {
                self.nested.begin(0);
            }
            let read = self.member(container, member_place);
            let mut faults = container.lock().content_faults();
            faults.append(&mut container.lock().faults());
            self.diagnose(Some(&name), &faults);
            if is_outermost && self.nested.is_excessive() {
                self.fault(&name, &diagnostic::ARCHIVE_RATIO_LIMIT);
                self.nested.begin(0);
            }
            read?;
        }
        Ok(())
    }

    fn member(&mut self, container: &SharedContainer, place: MemberPlace<'_>) -> io::Result<()> {
        let is_outermost = place.archive.depth <= 1;
        let mut reader = InnerReader::new(container.clone(), self.nested, is_outermost);
        let skipped = match &place.member.contents {
            MemberContents::RecordEnd => {
                let skipped = self.record_skipped.take();
                let bytes = Some(std::mem::take(&mut self.record_bytes));
                self.end_member(&place, bytes, skipped.as_deref());
                return Ok(());
            }
            MemberContents::Unreadable => Some("unreadable"),
            MemberContents::Encrypted => {
                self.fault(place.name, &diagnostic::PACKAGE_ENCRYPTED);
                Some("encrypted")
            }
            MemberContents::Unread(media_type) => Some(media_type.as_str()),
            // Types choose among the bodies of records as among files.
            MemberContents::Document(format)
                if place.member.record.is_some() && !self.options.wants_body(format) =>
            {
                Some(format.name)
            }
            MemberContents::Document(format) => {
                let mut inside = container.lock();
                if let Some(bytes) = inside.whole() {
                    reader.count(bytes.len());
                    return self.document(Ok(format), MemberBytes::Bytes(&bytes), place);
                }
                drop(inside);
                return self.document(Ok(format), MemberBytes::Stream(&mut reader), place);
            }
            MemberContents::File | MemberContents::Sniffed => None,
        };
        if let Some(name) = skipped {
            return self.skip(name, &place);
        }
        let named = sniff::named(place.path, &self.options.types);
        let mut inside = container.lock();
        // The first bytes of a file of another kind are enough to skip it.
        if named.is_some()
            && let Some(bytes) = inside.whole()
        {
            let head = &bytes[..bytes.len().min(HEAD)];
            let archive = self.options.archive_of(place.path, head, || named);
            if Codec::of(head).is_none() && archive.is_none() {
                reader.count(bytes.len());
                return self.plain(head, MemberBytes::Bytes(&bytes), place);
            }
        }
        drop(inside);
        let mut head = Vec::new();
        let length = input::read(&mut reader, &mut head, HEAD)?.len();
        head.truncate(length);
        let rest = Box::new(Cursor::new(head.clone()).chain(reader));
        match Codec::of(&head) {
            None => self.file(&head, ArchiveSource::Stream(rest, None), place),
            Some(codec) if self.opens_members() => self.compressed(codec, rest, place),
            Some(codec) => self.skip(codec.extension, &place),
        }
    }

    fn compressed(
        &mut self,
        codec: &'static Codec,
        reader: Box<dyn Read + Send>,
        place: MemberPlace<'_>,
    ) -> io::Result<()> {
        let opened = OpenedFile::new(place.path, Decompressed::new(codec, reader), fill)?;
        let reader = InnerReader::new(opened.input().into_reader(), self.nested, false);
        let source = ArchiveSource::Stream(Box::new(reader), Some(opened.members.clone()));
        let named = || sniff::named(&opened.path, &self.options.types);
        let archive = self.options.archive_of(&opened.path, &opened.head, named);
        let is_archive = archive.is_some();
        let inner = MemberPlace {
            path: &opened.path,
            compressed: Some(&opened.members).filter(|_| !is_archive),
            ..place
        };
        let mut read = self.file(&opened.head, source, inner);
        if read.is_ok() && is_archive && !self.is_ended && !self.nested.is_excessive() {
            read = opened.read_to_end();
        }
        for error in opened.errors() {
            let (code, offset) = (error.fault.into(), error.offset);
            self.diagnose(Some(place.name), &[ArchiveFault { code, offset }]);
        }
        read
    }

    fn file(
        &mut self,
        head: &[u8],
        source: ArchiveSource,
        place: MemberPlace<'_>,
    ) -> io::Result<()> {
        let named = || sniff::named(place.path, &self.options.types);
        let Some(format) = self.options.archive_of(place.path, head, named) else {
            let mut reader = source.into_reader();
            return self.plain(head, MemberBytes::Stream(&mut reader), place);
        };
        let is_opened = match format.kind {
            ArchiveKind::Package(_) => true,
            ArchiveKind::Files => self.opens_members(),
            ArchiveKind::Records => !self.options.is_audit,
        };
        let is_too_deep = !NestingLimit::ARCHIVES.admits(place.archive.depth);
        if is_opened && is_too_deep {
            self.fault(place.name, &diagnostic::ARCHIVE_DEPTH_LIMIT);
        }
        if !is_opened || is_too_deep {
            return self.skip(format.name, &place);
        }
        let container = self.options.open(format, source);
        self.members(container, &place.archive.inside(format, &place))
    }

    /// Reads a file that is not an archive.
    fn plain(
        &mut self,
        head: &[u8],
        contents: MemberBytes<'_>,
        place: MemberPlace<'_>,
    ) -> io::Result<()> {
        let options = self.options;
        let sniffed = |_| sniff::content(place.path, head, &options.types, options.declared);
        let choice = match place.member.record.as_ref().map(sniffed) {
            Some(Content::Document(format)) if options.wants_body(format) => Ok(format),
            _ => options.choose(place.path, false, head),
        };
        let format = match (choice, &place.archive.attached) {
            (Ok(format), None) => Ok(format),
            (Ok(format), Some(_)) if *format == *Format::PDF => Ok(format),
            (_, Some(media_type)) => Err(media_type.as_str()),
            (Err(skip), None) => Err(skip.format),
        };
        self.document(format, contents, place)
    }

    /// Returns whether compressed members and archives among them are opened: an audit opens those of a walk.
    fn opens_members(&self) -> bool {
        !self.options.is_audit || self.options.decompresses_all
    }

    /// Reads a document, or counts it by the name of its kind if it is not read.
    fn document(
        &mut self,
        format: Result<&'static Format, &str>,
        mut contents: MemberBytes<'_>,
        place: MemberPlace<'_>,
    ) -> io::Result<()> {
        // A file that a server reads need not be a document.
        let is_taken = match &mut contents {
            MemberBytes::Bytes(bytes) => self.sink.take_contents(place.inner, &mut &**bytes)?,
            MemberBytes::Stream(reader) => self.sink.take_contents(place.inner, reader)?,
        };
        if is_taken {
            return Ok(());
        }
        let format = match format {
            Ok(format) => format,
            Err(name) => return self.skip(name, &place),
        };
        let (options, archive, member) = (self.options, place.archive, place.member);
        let base = match (&member.base, format.retrieval) {
            (Some(base), _) => Some(base.clone()),
            (None, Retrieval::Elsewhere) => Some(options.bases.of_container()),
            // A record without a URI is not a file in the archive.
            (None, Retrieval::Place) if member.record.is_some() => {
                let base = options.bases.of_container();
                Some(base).filter(|base| base.source != BaseSource::DefaultThisMessage)
            }
            (None, Retrieval::Place) => {
                let name = member.base_name.as_deref();
                let mut base = archive.base_of(name.unwrap_or(place.stored_name()));
                // As an audit of the files outside of the archive names an index file.
                if let (true, None, Some(base)) = (options.is_audit, &archive.enclosure, &mut base)
                {
                    options.bases.retrieve_index(&mut base.uri);
                }
                base
            }
        };
        let longest = options.extractor.formats.longest_base;
        let is_long = base.as_ref().is_some_and(|base| base.uri.len() > longest);
        let outer = match &member.base {
            _ if !is_long => None,
            Some(_) => Some(options.bases.of_container()),
            None => archive.base.clone(),
        };
        let outer = outer.filter(|base| base.uri.len() <= longest);
        let is_rst = *format == *Format::RST;
        let tree = is_rst.then(|| archive.root_of(&place, self.sink));
        let tree = tree.unwrap_or_default();
        let document = Document {
            declared: options.declared.or(member.charset),
            enclosure: archive.enclosure.as_ref().filter(|_| member.base.is_none()),
            depth: archive.depth,
            outer: outer.as_ref(),
            slug: self.slug.filter(|_| format.is_markdown()),
            tree: tree.uri.as_deref(),
            roles: tree.roles,
            ..Document::new(format, base.as_ref())
        };
        let record = member.record.as_deref();
        let shown = record.map(|record| record.fields.map(String::as_str));
        let mut member_sink = InMember {
            name: Some(place.name),
            part: place.part(shown.as_ref()),
            compressed: place.compressed,
            message: self.message,
            diagnostics: (!options.is_audit).then_some(&mut self.record.diagnostics),
            ..InMember::new(self.sink)
        };
        let length = match contents {
            MemberBytes::Bytes(bytes) => {
                (self.extractor).extract_bytes(&document, bytes, &mut member_sink);
                bytes.len() as u64
            }
            MemberBytes::Stream(reader) => {
                (self.extractor).extract(&document, reader, &mut member_sink)?
            }
        };
        self.sink.end_member(format, length);
        self.end_member(&place, Some(length), None);
        self.record.counts.parts += 1;
        if let Some(counts) = self.extractor.counts(format) {
            // Parts that are skipped in messages are not read of this archive either.
            self.record.counts.add_skipped(counts);
            let attached = self.extractor.attachment_counts();
            self.record.counts.add_skipped(attached);
        }
        self.record.bytes += length;
        Ok(())
    }
}

/// Makes an extractor, which opens attachments if the options ask for them.
pub(super) fn extractor(options: &PipelineOptions, nested: &NestedOutput) -> Extractor {
    let mut extractor = Extractor::new(&options.extractor);
    if options.extractor.formats.mail.attachments == Attachments::Open {
        let mut options = options.clone();
        options.is_audit = false;
        // Types choose files, and parts of messages are not files.
        options.formats.clear();
        extractor.set_attachment_reader(attachment_reader(Arc::new(options), nested.clone()));
    }
    extractor
}

fn attachment_reader(options: Arc<PipelineOptions>, nested: NestedOutput) -> AttachmentReader {
    // Made for the first attachment; messages in it may have attachments, too.
    let mut extractor = None;
    Box::new(move |attachment, mut sink| {
        let extractor = extractor.get_or_insert_with(|| {
            let mut extractor = Extractor::new(&options.extractor);
            let reader = attachment_reader(Arc::clone(&options), nested.clone());
            extractor.set_attachment_reader(reader);
            extractor
        });
        let mut reader = ArchiveReader {
            message: Some(&attachment.message),
            ..ArchiveReader::new(&options, extractor, &nested, &mut sink)
        };
        reader.read_attachment(attachment);
        ArchiveCounts {
            // Messages are counted, not the members of their attachments.
            members: 0,
            ..reader.record.counts
        }
    })
}

fn path_of(record: &RecordHeader) -> &[u8] {
    let uri = record.fields.target_uri.as_deref().unwrap_or_default();
    Reference::split(uri.as_bytes()).path
}

/// Returns the base that the paths of an archive's members follow, from the archive's own.
pub(super) fn base_of_members(mut base: Base) -> Base {
    match base.source {
        // The archive is a directory that is served there.
        BaseSource::RetrievalRoot if base.uri.ends_with(b"/") => {}
        BaseSource::DefaultOption | BaseSource::RetrievalOption => {
            base.source = BaseSource::RetrievalOption;
            if !base.uri.ends_with(b"/") {
                base.uri.push(b'/');
            }
        }
        _ => base.uri.extend_from_slice(b"!/"),
    }
    base
}

/// The bytes that one member of the outermost archive gives, and the bytes of all that is nested in it: their
/// ratio is limited, because four levels have the fourth power of the ratio of one. The readers of one worker
/// share it: a message in an archive does not restart it.
#[derive(Clone, Default)]
pub(super) struct NestedOutput {
    input: Arc<AtomicU64>,
    /// Read from archives and compressed files inside.
    output: Arc<AtomicU64>,
}

impl NestedOutput {
    /// Begins with a member after `input` of its bytes.
    pub(super) fn begin(&self, input: u64) {
        self.input.store(input, Ordering::Relaxed);
        self.output.store(0, Ordering::Relaxed);
    }

    pub(super) fn is_excessive(&self) -> bool {
        let [input, output] = [&self.input, &self.output].map(|n| n.load(Ordering::Relaxed));
        Decompressed::is_excessive(input, output)
    }
}

/// Reads a member of the outermost archive, or inside one until the ratio is exceeded.
pub(super) struct InnerReader<R> {
    reader: R,
    nested: NestedOutput,
    is_outermost: bool,
}

impl<R: Read> InnerReader<R> {
    pub(super) fn new(reader: R, nested: &NestedOutput, is_outermost: bool) -> Self {
        InnerReader {
            reader,
            nested: nested.clone(),
            is_outermost,
        }
    }

    /// Adds bytes, which may have been read in another way.
    fn count(&self, bytes: usize) {
        let NestedOutput { input, output } = &self.nested;
        let count = if self.is_outermost { input } else { output };
        count.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl<R: Read> Read for InnerReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.is_outermost && self.nested.is_excessive() {
            return Ok(0);
        }
        let n = self.reader.read(into)?;
        self.count(n);
        Ok(n)
    }
}
