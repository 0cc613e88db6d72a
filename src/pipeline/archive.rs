//! Reads the members of archives, and of archives in them.

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use memchr::memrchr;

use super::bases::TreeRoot;
use super::compressed::OpenedFile;
use super::input;
use super::nested_output::{InnerReader, NestedOutput};
use super::options::{Archived, Choice, Decompress, PipelineOptions};
use super::sniff::{self, HEAD};
use crate::archive::{
    ArchiveFault, ArchiveFormat, ArchiveKind, ArchiveMember, ArchiveSource, Container,
    MemberContents, RecordHeader, SharedContainer,
};
use crate::bytes::source::{Section, Shared};
use crate::decode::compression::{Codec, Members};
use crate::document::diagnostic::{self, Code};
use crate::document::events::cut_name;
use crate::document::options::{RstRoles, Slug};
use crate::document::{ArchiveCounts, Format, NestingLimit, Retrieval, package};
use crate::extractor::{Document, Extractor};
use crate::linker::{
    Attachment, Diagnostic, Enclosure, EnclosureKind, Found, Link, LinkMember, Sink, WebRecord,
};
use crate::output::record::DiagnosticCounts;
use crate::uri::base::push_path;
use crate::uri::{Base, BaseSource, Reference};

/// The counts of an archive that was read.
#[derive(Default)]
pub(crate) struct ArchiveOutcome {
    /// Members, documents in them, and members that were not read.
    pub(crate) counts: ArchiveCounts,
    /// The bytes of the members that were read.
    pub(crate) bytes: u64,
    /// What is wrong with the archive and what it holds.
    pub(crate) diagnostics: DiagnosticCounts,
}

/// Receives the links of files, and chooses the members of archives that are read.
pub(crate) trait ArchiveSink: Sink {
    /// A member of an archive begins, by its name as in records and by its path, as the URI of the member
    /// has it before it is encoded; returns whether the member is read.
    fn begin_member(&mut self, _name: &str, _path: &[u8]) -> bool {
        true
    }

    /// Returns the directory in the archive from which a member of formats that name files from the root
    /// of their tree does so; the root of the archive by default.
    fn root_of_member(&mut self, _path: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// The member that began last was a document, and ends here; its length in bytes.
    fn end_member(&mut self, _format: &'static Format, _length: u64) {}
}

/// Counts the diagnostics of an archive in the place of passing them on.
struct CountingDiagnostics<'a> {
    counts: DiagnosticCounts,
    sink: &'a mut dyn Sink,
}

impl Sink for CountingDiagnostics<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.sink.link(link)
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Diagnostic(diagnostic) => self.counts.add(diagnostic),
            _ => self.sink.event(found),
        }
    }
}

// Only an audit chooses members, and it counts no diagnostics.
impl ArchiveSink for CountingDiagnostics<'_> {}

/// An archive, as its members are named and found from outside.
struct ArchivePlace {
    /// In front of the names of members: those of the archives around, each with a `!` behind it.
    prefix: String,
    /// In front of the paths of members: those of the archives around, each with `!/` behind it.
    path: Vec<u8>,
    /// The base that the path of a member follows, if the archive has one.
    base: Option<Base>,
    /// The number of archives around its members.
    depth: usize,
    /// The archive, as references in its members see it.
    enclosure: Option<Enclosure>,
    /// The media type of an attachment, where the only member of the archive is that of a message.
    attached: Option<String>,
}

impl ArchivePlace {
    fn new(
        format: &'static ArchiveFormat,
        (prefix, path): (String, Vec<u8>),
        base: Option<Base>,
        depth: usize,
    ) -> Self {
        let kind = match format.kind {
            ArchiveKind::Package(format) if *format == package::ODF => EnclosureKind::Open,
            ArchiveKind::Package(_) => EnclosureKind::Package,
            ArchiveKind::Files | ArchiveKind::Records => EnclosureKind::Archive,
        };
        // A plain archive that is served is a directory there.
        let is_apart = |base: &&Base| kind != EnclosureKind::Archive || base.uri.ends_with(b"!/");
        let enclosure = base.as_ref().filter(is_apart).map(|base| Enclosure {
            root: base.uri.clone(),
            kind,
        });
        ArchivePlace {
            prefix,
            path,
            base,
            depth,
            enclosure,
            attached: None,
        }
    }

    /// Returns the base of a member: a `..` stops at the root of the archive.
    fn base_of(&self, name: &[u8]) -> Option<Base> {
        let base = self.base.as_ref()?;
        let mut uri = base.uri.clone();
        push_path(&normal_path(name), &mut uri);
        let source = base.source.clone();
        Some(Base { uri, source })
    }

    /// Returns the URI of the root of the tree that a member is in.
    fn root_of(&self, member: &MemberPlace<'_>, sink: &mut dyn ArchiveSink) -> TreeRoot {
        let directory = sink.root_of_member(member.inner);
        let roles = match directory {
            Some(_) => RstRoles::Sphinx,
            None => RstRoles::Docutils,
        };
        let directory = directory.unwrap_or_default();
        let below = directory.strip_prefix(self.path.as_slice());
        let mut uri = self.base_of(below.unwrap_or_default()).map(|base| base.uri);
        if let Some(uri) = uri.as_mut().filter(|uri| !uri.ends_with(b"/")) {
            uri.push(b'/');
        }
        TreeRoot { uri, roles }
    }

    /// Returns the place of an archive that is a member of this one.
    fn inside(&self, format: &'static ArchiveFormat, member: &MemberPlace<'_>) -> Self {
        let base = self.base_of(member.stored_name()).map(|mut base| {
            base.uri.extend_from_slice(b"!/");
            base
        });
        let path = [member.inner, b"!/"].concat();
        let names = (format!("{}!", member.name), path);
        ArchivePlace::new(format, names, base, self.depth + 1)
    }
}

/// A member while it is read.
#[derive(Clone, Copy)]
struct MemberPlace<'a> {
    /// Its name from outside all archives.
    name: &'a str,
    /// The bytes of the name, where they are no UTF-8.
    bytes: Option<&'a [u8]>,
    /// Its name in the archive, without the extensions of codecs.
    path: &'a [u8],
    /// Its path from outside all archives.
    inner: &'a [u8],
    /// The archive.
    archive: &'a ArchivePlace,
    /// The member itself.
    member: &'a ArchiveMember,
    /// The members of the compressed file that the member is, unless it is an archive.
    compressed: Option<&'a Members>,
}

impl<'a> MemberPlace<'a> {
    /// Returns the name that the base follows: of what is compressed with its extension, as for files.
    fn stored_name(&self) -> &'a [u8] {
        match self.member.contents {
            MemberContents::Sniffed => self.path,
            _ => &self.member.name,
        }
    }
}

/// The contents of the current member of a container.
struct MemberReader(SharedContainer);

impl Read for MemberReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.lock().read(into)
    }
}

/// The contents of a document.
enum MemberBytes<'a> {
    Bytes(&'a [u8]),
    Stream(&'a mut dyn Read),
}

/// Adds a member to what is found in it.
struct InMember<'a> {
    name: &'a str,
    part: LinkMember<'a>,
    /// The members of the compressed file that the member is.
    compressed: Option<&'a Members>,
    joined: String,
    sink: &'a mut dyn Sink,
}

impl<'a> InMember<'a> {
    fn new(
        place: &MemberPlace<'a>,
        shown: Option<&'a WebRecord<'a>>,
        sink: &'a mut dyn Sink,
    ) -> Self {
        let record = place.member.record.as_deref();
        let part = LinkMember {
            name_bytes: place.bytes,
            message_offset: record.map(|record| record.offset),
            member_offset: record.and_then(|record| record.member_offset),
            member_length: record.and_then(|record| record.member_length),
            record: shown,
            ..LinkMember::default()
        };
        InMember {
            name: place.name,
            part,
            compressed: place.compressed,
            joined: String::new(),
            sink,
        }
    }
}

/// Adds a member to the message and the part of a link in it.
fn around<'a>(member: &LinkMember<'a>, part: &LinkMember<'a>) -> LinkMember<'a> {
    let record = match member.record {
        Some(_) => member,
        None => part,
    };
    LinkMember {
        name_bytes: member.name_bytes,
        message_offset: record.message_offset,
        member_offset: record.member_offset,
        member_length: record.member_length,
        record: record.record,
        ..*part
    }
}

/// Returns the name of something inside a member.
fn joined<'a>(name: &'a str, inner: Option<&str>, buffer: &'a mut String) -> &'a str {
    match inner {
        None => name,
        Some(inner) => {
            buffer.clear();
            buffer.extend([name, "!", inner]);
            buffer
        }
    }
}

impl Sink for InMember<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let mut part = around(&self.part, link.part);
        if let (Some(members), Some(offset)) = (self.compressed, part.message_offset) {
            part.member_offset = members.offset(offset).or(part.member_offset);
        }
        self.sink.link(&Link {
            member: Some(joined(self.name, link.member, &mut self.joined)),
            part: &part,
            ..*link
        })
    }

    fn event(&mut self, found: &Found<'_>) {
        let Found::Diagnostic(diagnostic) = found else {
            return self.sink.event(found);
        };
        self.sink.event(&Found::Diagnostic(Diagnostic {
            member: Some(joined(self.name, diagnostic.member, &mut self.joined)),
            ..*diagnostic
        }));
    }
}

/// Reads archives.
pub(super) struct ArchiveReader<'a> {
    options: &'a PipelineOptions,
    extractor: &'a mut Extractor,
    outcome: ArchiveOutcome,
    /// The dialect of Markdown of the tree in the archive, if the tree tells.
    slug: Option<Slug>,
    wanted: Option<&'a mut WantedBytes>,
    nested: NestedOutput,
}

/// A document whose bytes are wanted, and no links.
pub(super) struct WantedBytes {
    /// The path of the member.
    pub(super) path: Vec<u8>,
    /// The most bytes to read.
    pub(super) limit: u64,
    /// The bytes that were read.
    pub(super) bytes: Vec<u8>,
}

/// A sink that reads no member but one, and those that it is in.
pub(crate) struct WayToMember<'a>(pub(crate) &'a [u8]);

impl WayToMember<'_> {
    /// Returns whether a member is the one, or holds it.
    pub(crate) fn passes(&self, path: &[u8]) -> bool {
        let rest = self.0.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!"))
    }
}

impl Sink for WayToMember<'_> {
    fn link(&mut self, _link: &Link<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl ArchiveSink for WayToMember<'_> {
    fn begin_member(&mut self, _name: &str, path: &[u8]) -> bool {
        self.passes(path)
    }
}

/// Returns the path that a name means in an archive: a `..` stops at the root.
pub(crate) fn normal_path(name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(name.len());
    for segment in name.split(|&byte| byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => path.truncate(memrchr(b'/', &path).unwrap_or(0)),
            segment => {
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(segment);
            }
        }
    }
    path
}

impl<'a> ArchiveReader<'a> {
    /// Creates a reader of one archive.
    pub(super) fn new(
        options: &'a PipelineOptions,
        extractor: &'a mut Extractor,
        nested: &NestedOutput,
    ) -> Self {
        ArchiveReader {
            options,
            extractor,
            outcome: ArchiveOutcome::default(),
            slug: None,
            wanted: None,
            nested: nested.clone(),
        }
    }

    /// Sets the dialect of Markdown of the tree in the archive.
    pub(super) fn with_slug(mut self, slug: Option<Slug>) -> Self {
        self.slug = slug;
        self
    }

    /// Asks for the bytes of one document.
    pub(super) fn wanting(mut self, wanted: Option<&'a mut WantedBytes>) -> Self {
        self.wanted = wanted;
        self
    }

    /// Reads an archive, whose members have paths behind `base`; passes their links to `sink`.
    ///
    /// # Errors
    ///
    /// Those of reading the file.
    pub(super) fn read(
        self,
        format: &'static ArchiveFormat,
        source: ArchiveSource,
        base: Option<Base>,
        sink: &mut dyn ArchiveSink,
    ) -> (ArchiveOutcome, io::Result<()>) {
        let container = self.options.open(format, source);
        self.read_container(format, container, base, sink)
    }

    /// Reads an archive that has been opened.
    ///
    /// # Errors
    ///
    /// Those of reading the file.
    pub(super) fn read_container(
        mut self,
        format: &'static ArchiveFormat,
        container: Box<dyn Container>,
        base: Option<Base>,
        sink: &mut dyn ArchiveSink,
    ) -> (ArchiveOutcome, io::Result<()>) {
        let place = ArchivePlace::new(format, Default::default(), base, 1);
        // In an audit each member is a document with diagnostics of its own.
        let read = if self.options.archives == Archived::Files {
            self.members(container, &place, sink)
        } else {
            let mut counting = CountingDiagnostics {
                counts: DiagnosticCounts::default(),
                sink,
            };
            let read = self.members(container, &place, &mut counting);
            self.outcome.diagnostics = counting.counts;
            read
        };
        (self.outcome, read)
    }

    /// Reads a file in a message, if it is an archive or a PDF.
    ///
    /// # Errors
    ///
    /// None: the file is in memory.
    pub(super) fn read_attachment(
        mut self,
        attachment: &Attachment<'_>,
        sink: &mut dyn Sink,
    ) -> (ArchiveOutcome, io::Result<()>) {
        let part = attachment.member;
        let file_name = match attachment.file_name {
            b"" => part.rsplit('/').next().unwrap_or_default().as_bytes(),
            file_name => file_name,
        };
        let message = ArchivePlace {
            prefix: String::new(),
            path: Vec::new(),
            base: attachment.directory.clone(),
            depth: attachment.depth,
            enclosure: None,
            attached: Some(attachment.media_type.to_owned()),
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
        let counting = &mut CountingDiagnostics {
            counts: DiagnosticCounts::default(),
            sink,
        };
        let read = match Codec::of(head) {
            Some(codec) => self.compressed(codec, Box::new(Cursor::new(bytes)), place, counting),
            None => self.file(head, ArchiveSource::File(Arc::new(bytes)), place, counting),
        };
        if is_outermost && self.nested.is_excessive() {
            diagnose(Some(part), (&diagnostic::RATIO_LIMIT, 0), counting);
        }
        for diagnostic in counting.counts.diagnostics() {
            counting.sink.event(&Found::Diagnostic(diagnostic));
        }
        (self.outcome, read)
    }

    fn members(
        &mut self,
        container: Box<dyn Container>,
        place: &ArchivePlace,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<()> {
        let container = Shared::new(container);
        let read = self.each_member(&container, place, sink);
        self.outcome.counts.members += container.lock().records().unwrap_or(0);
        read
    }

    fn each_member(
        &mut self,
        container: &SharedContainer,
        place: &ArchivePlace,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<()> {
        let is_outermost = place.depth <= 1;
        loop {
            if !is_outermost && self.nested.is_excessive() {
                return Ok(());
            }
            let next = container.lock().next();
            let faults = container.lock().faults();
            report_faults(&faults, place.prefix.strip_suffix('!'), sink);
            let Some(member) = next? else {
                return Ok(());
            };
            if container.lock().records().is_none() {
                self.outcome.counts.members += 1;
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
                diagnose(Some(&name), (&diagnostic::NAME_TOO_LONG, 0), sink);
            }
            if !sink.begin_member(&name, &inner) {
                continue;
            }
            if is_outermost {
                self.nested.begin(0);
            }
            let read = self.member(container, member_place, sink);
            let mut faults = container.lock().content_faults();
            faults.append(&mut container.lock().faults());
            report_faults(&faults, Some(&name), sink);
            if is_outermost && self.nested.is_excessive() {
                diagnose(Some(&name), (&diagnostic::RATIO_LIMIT, 0), sink);
                self.nested.begin(0);
            }
            read?;
        }
    }

    fn member(
        &mut self,
        container: &SharedContainer,
        place: MemberPlace<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<()> {
        let is_outermost = place.archive.depth <= 1;
        let reader = MemberReader(container.clone());
        let mut reader = InnerReader::new(reader, &self.nested, is_outermost);
        match &place.member.contents {
            MemberContents::Unreadable => {
                self.outcome.counts.skip("unreadable");
                return Ok(());
            }
            MemberContents::Encrypted => {
                diagnose(Some(place.name), (&diagnostic::PACKAGE_ENCRYPTED, 0), sink);
                self.outcome.counts.skip("encrypted");
                return Ok(());
            }
            MemberContents::Unread(media_type) => {
                self.outcome.counts.skip(media_type);
                return Ok(());
            }
            MemberContents::Document(format) => {
                let mut inside = container.lock();
                if let Some(bytes) = inside.whole() {
                    reader.count(bytes.len());
                    return self.document(format, MemberBytes::Bytes(&bytes), place, sink);
                }
                drop(inside);
                return self.document(format, MemberBytes::Stream(&mut reader), place, sink);
            }
            MemberContents::File | MemberContents::Sniffed => {}
        }
        let named = sniff::named(place.path, &self.options.types);
        let mut inside = container.lock();
        // The first bytes of a file of another kind are enough to skip it.
        if named.is_some()
            && let Some(bytes) = inside.whole()
        {
            let head = &bytes[..bytes.len().min(HEAD)];
            let archive = self.options.archive_of(place.path, head, named);
            if Codec::of(head).is_none() && archive.is_none() {
                reader.count(bytes.len());
                return self.plain(head, MemberBytes::Bytes(&bytes), place, sink);
            }
        }
        drop(inside);
        let mut head = Vec::new();
        let length = input::read(&mut reader, &mut head, HEAD)?.len();
        head.truncate(length);
        let Some(codec) = Codec::of(&head) else {
            let rest = Cursor::new(head.clone()).chain(reader);
            let source = ArchiveSource::Stream(Box::new(rest), None);
            return self.file(&head, source, place, sink);
        };
        if !self.opens_members() {
            self.outcome.counts.skip(codec.extension);
            return Ok(());
        }
        let rest = Box::new(Cursor::new(head).chain(reader));
        self.compressed(codec, rest, place, sink)
    }

    /// Reads a compressed file.
    fn compressed(
        &mut self,
        codec: &'static Codec,
        reader: Box<dyn Read + Send>,
        place: MemberPlace<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<()> {
        let opened = OpenedFile::over(place.path, codec, reader)?;
        let reader = InnerReader::new(opened.reader(), &self.nested, false);
        let source = ArchiveSource::Stream(Box::new(reader), Some(opened.members.clone()));
        let named = sniff::named(&opened.path, &self.options.types);
        let archive = self.options.archive_of(&opened.path, &opened.head, named);
        let is_archive = archive.is_some();
        let inner = MemberPlace {
            path: &opened.path,
            compressed: Some(&opened.members).filter(|_| !is_archive),
            ..place
        };
        let mut read = self.file(&opened.head, source, inner, sink);
        // An archive may end before its compression does.
        if read.is_ok() && is_archive && !self.nested.is_excessive() {
            read = opened.read_to_end().map(drop);
        }
        for error in opened.errors() {
            diagnose(Some(place.name), (error.fault.into(), error.offset), sink);
        }
        read
    }

    /// Reads a file with these first bytes.
    fn file(
        &mut self,
        head: &[u8],
        source: ArchiveSource,
        place: MemberPlace<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<()> {
        let named = sniff::named(place.path, &self.options.types);
        if let Some(format) = self.options.archive_of(place.path, head, named) {
            let is_opened = match format.kind {
                ArchiveKind::Package(_) => true,
                ArchiveKind::Files => self.opens_members(),
                ArchiveKind::Records => self.options.archives == Archived::Open,
            };
            if !is_opened {
                self.outcome.counts.skip(format.name);
                return Ok(());
            }
            if !NestingLimit::ARCHIVES.admits(place.archive.depth) {
                diagnose(Some(place.name), (&diagnostic::DEPTH_LIMIT, 0), sink);
                self.outcome.counts.skip(format.name);
                return Ok(());
            }
            let container = self.options.open(format, source);
            return self.members(container, &place.archive.inside(format, &place), sink);
        }
        let mut reader: Box<dyn Read + Send> = match source {
            ArchiveSource::Pipe(reader) | ArchiveSource::Stream(reader, _) => reader,
            ArchiveSource::File(file) => Box::new(Section {
                file,
                at: 0,
                end: u64::MAX,
            }),
        };
        self.plain(head, MemberBytes::Stream(&mut reader), place, sink)
    }

    /// Reads a file that is no archive.
    fn plain(
        &mut self,
        head: &[u8],
        contents: MemberBytes<'_>,
        place: MemberPlace<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<()> {
        // What a server reads may be no document.
        let Some(contents) = self.unless_wanted(contents, &place)? else {
            return Ok(());
        };
        let choice = self.options.choose_by(place.path, false, head);
        if let Some(media_type) = &place.archive.attached
            && !matches!(choice, Choice::Read(format) if *format == *Format::PDF)
        {
            self.outcome.counts.skip(media_type);
            return Ok(());
        }
        match choice {
            Choice::Read(format) => self.document(format, contents, place, sink),
            Choice::Skip(skip) => {
                self.outcome.counts.skip(skip.format);
                Ok(())
            }
        }
    }

    /// Takes the contents if their bytes are wanted; else returns them.
    fn unless_wanted<'c>(
        &mut self,
        contents: MemberBytes<'c>,
        place: &MemberPlace<'_>,
    ) -> io::Result<Option<MemberBytes<'c>>> {
        let wanted = self.wanted.as_mut();
        let Some(wanted) = wanted.filter(|wanted| wanted.path == place.inner) else {
            return Ok(Some(contents));
        };
        let (limit, wanted) = (wanted.limit, &mut wanted.bytes);
        match contents {
            MemberBytes::Bytes(bytes) => bytes.take(limit).read_to_end(wanted)?,
            MemberBytes::Stream(reader) => reader.take(limit).read_to_end(wanted)?,
        };
        Ok(None)
    }

    /// Returns whether compressed members and archives among them are opened: an audit opens those that
    /// it would open outside of the archive.
    fn opens_members(&self) -> bool {
        self.options.archives == Archived::Open || self.options.decompress == Decompress::All
    }

    /// Names an index file by its directory, as an audit of the files outside of the archive would.
    fn retrieve_index(&self, base: &mut Option<Base>, archive: &ArchivePlace) {
        let is_site = self.options.archives == Archived::Files && archive.enclosure.is_none();
        if let Some(base) = base.as_mut().filter(|_| is_site) {
            self.options.bases.retrieve_index(&mut base.uri);
        }
    }

    fn document(
        &mut self,
        format: &'static Format,
        contents: MemberBytes<'_>,
        place: MemberPlace<'_>,
        sink: &mut dyn ArchiveSink,
    ) -> io::Result<()> {
        let Some(contents) = self.unless_wanted(contents, &place)? else {
            return Ok(());
        };
        let base = match (&place.member.base, format.retrieval) {
            (Some(base), _) => Some(base.clone()),
            (None, Retrieval::Elsewhere) => Some(self.options.bases.of_container()),
            (None, Retrieval::Place) => {
                let name = place.member.base_name.as_deref();
                let mut base = place.archive.base_of(name.unwrap_or(place.stored_name()));
                self.retrieve_index(&mut base, place.archive);
                base
            }
        };
        let longest = self.options.extractor.formats.longest_base;
        let is_long = base.as_ref().is_some_and(|base| base.uri.len() > longest);
        let outer = match &place.member.base {
            _ if !is_long => None,
            Some(_) => Some(self.options.bases.of_container()),
            None => place.archive.base.clone(),
        };
        let outer = outer.filter(|base| base.uri.len() <= longest);
        let tree = match *format == *Format::RST {
            true => place.archive.root_of(&place, sink),
            false => TreeRoot::default(),
        };
        let document = Document {
            declared: self.options.declared.or(place.member.charset),
            enclosure: place
                .archive
                .enclosure
                .as_ref()
                .filter(|_| place.member.base.is_none()),
            depth: place.archive.depth,
            outer: outer.as_ref(),
            slug: self.slug.filter(|_| format.is_markdown()),
            tree: tree.uri.as_deref(),
            roles: tree.roles,
            ..Document::new(format, base.as_ref())
        };
        let shown = place.member.record.as_deref().map(RecordHeader::shown);
        let mut member_sink = InMember::new(&place, shown.as_ref(), sink);
        let length = match contents {
            MemberBytes::Bytes(bytes) => {
                self.extractor
                    .extract_bytes(&document, bytes, &mut member_sink);
                bytes.len() as u64
            }
            MemberBytes::Stream(reader) => {
                self.extractor
                    .extract(&document, reader, &mut member_sink)?
            }
        };
        sink.end_member(format, length);
        self.outcome.counts.parts += 1;
        if let Some(counts) = self.extractor.counts(format) {
            // What is passed over in messages is not read of this archive either.
            self.outcome.counts.add_skipped(counts);
            let attached = self.extractor.attachment_counts();
            self.outcome.counts.add_skipped(attached);
        }
        self.outcome.bytes += length;
        Ok(())
    }
}

/// Returns the path in the URI of a record.
fn path_of(record: &RecordHeader) -> &[u8] {
    let uri = record.target.as_deref().unwrap_or_default();
    Reference::split(uri.as_bytes()).path
}

fn report_faults(faults: &[ArchiveFault], member: Option<&str>, sink: &mut dyn Sink) {
    for fault in faults {
        diagnose(member, (fault.code, fault.offset), sink);
    }
}

/// Tells what is wrong with a member, or with the archive.
fn diagnose(member: Option<&str>, (code, offset): (&'static Code, u64), sink: &mut dyn Sink) {
    sink.event(&Found::Diagnostic(Diagnostic {
        member,
        code,
        count: 1,
        offset,
    }));
}

/// Returns the base that the paths of an archive's members follow, from the base of the archive
/// itself.
pub(super) fn base_of_members(base: Base) -> Base {
    let mut base = base;
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
