//! Packages: zips whose members belong together, and are read by their role in the package.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memmem;
use percent_encoding::percent_decode;

use super::container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, Container, MemberContents,
    WholeContents, extension, section, unread,
};
use super::held::HeldMembers;
use super::zip;
use crate::bytes::buffered::BufferedSource;
use crate::bytes::pattern::Pattern;
use crate::bytes::source::ReadAt;
use crate::document::diagnostic;
use crate::document::{Format, package};

/// The most bytes that are read of the member that lists those that are encrypted.
const LONGEST_LIST: u64 = 8 << 20;

pub(super) struct PackageKind {
    pub(super) format: &'static Format,
    pub(super) starts: fn(&[u8]) -> bool,
    contents: fn(&[u8]) -> MemberContents,
    /// The name of the member that lists those that are encrypted.
    list: Option<&'static [u8]>,
}

/// Books.
pub(super) static EPUB: PackageKind = PackageKind {
    format: &package::EPUB,
    starts: |head| media_type(head).is_some_and(|name| name.starts_with(b"application/epub+zip")),
    contents: |name| {
        let is_meta = name.starts_with(b"META-INF/");
        match extension(name).as_slice() {
            b"opf" | b"ncx" | b"xhtml" | b"xht" | b"html" | b"htm" | b"xml" | b"svg" | b"smil"
                if !is_meta =>
            {
                MemberContents::Document(Format::XML)
            }
            b"css" => MemberContents::Document(Format::CSS),
            other => unread(other),
        }
    },
    list: Some(b"META-INF/encryption.xml"),
};

/// The parts that programs write first: the list of all, which some write last, or another one with a fixed name.
const OFFICE_PARTS: [&[u8]; 8] = [
    b"[Content_Types].xml",
    b"_rels/.rels",
    b"docProps/app.xml",
    b"docProps/core.xml",
    b"docProps/custom.xml",
    b"ppt/presentation.xml",
    b"word/document.xml",
    b"xl/workbook.xml",
];

/// Office Open XML.
pub(super) static OOXML: PackageKind = PackageKind {
    format: &package::OOXML,
    starts: |head| first_name(head).is_some_and(|name| OFFICE_PARTS.contains(&name)),
    contents: |name| {
        let extension = extension(name);
        match extension.as_slice() {
            b"xml" if name == b"[Content_Types].xml" => unread(b"xml"),
            b"xml" | b"rels" | b"vml" => MemberContents::Document(Format::XML_PART),
            // A document that is embedded in this one.
            other if is_package(other) => MemberContents::File,
            other => unread(other),
        }
    },
    list: None,
};

/// Open Document.
pub(super) static ODF: PackageKind = PackageKind {
    format: &package::ODF,
    starts: |head| {
        const FAMILY: &[u8] = b"application/vnd.oasis.opendocument.";
        media_type(head).is_some_and(|name| name.starts_with(FAMILY))
    },
    contents: |name| match name.rsplit(|&byte| byte == b'/').next() {
        Some(b"content.xml" | b"styles.xml") => MemberContents::Document(Format::XML_PART),
        _ => unread(&extension(name)),
    },
    list: Some(b"META-INF/manifest.xml"),
};

/// The name in a local header of a zip, if the bytes begin with one.
fn first_name(head: &[u8]) -> Option<&[u8]> {
    let length = head.get(26..28)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    head.get(30..30 + length).filter(|_| zip::starts(head))
}

/// Returns the type in the first member, which is stored without extra field (OCF 3.3, 4.3; ODF 1.2 part 3, 3.3).
fn media_type(head: &[u8]) -> Option<&[u8]> {
    let name = first_name(head)?;
    (name == b"mimetype").then(|| &head[30 + name.len()..])
}

fn is_package(extension: &[u8]) -> bool {
    let extension = str::from_utf8(extension).ok();
    [&package::OOXML, &package::ODF]
        .iter()
        .any(|format| extension.is_some_and(|name| format.extensions.contains(&name)))
}

/// Opens a package. A stream is held up to the limit, because its central directory is at the end.
pub(super) fn open(
    kind: &'static PackageKind,
    source: ArchiveSource,
    options: &ArchiveOptions,
) -> Box<dyn Container> {
    match source.held(options.max_document) {
        ArchiveSource::File(file) => open_file(kind, file),
        stream => Box::new(Package {
            kind,
            zip: zip::open(stream, options),
            encrypted: Vec::new(),
        }),
    }
}

fn open_file(kind: &'static PackageKind, file: Arc<dyn ReadAt>) -> Box<dyn Container> {
    let mut head = [0; COMPOUND.len()];
    let read = file.read_at(&mut head, 0);
    if matches!(read, Ok(length) if head[..length] == *COMPOUND) {
        return Box::new(HeldMembers::none(vec![find_encryption(file)]));
    }
    let encrypted = kind.list.map(|list| encrypted_members(&file, list));
    Box::new(Package {
        kind,
        zip: zip::open_file(file),
        encrypted: encrypted.unwrap_or_default(),
    })
}

/// The first bytes of a compound file, which holds an encrypted package (MS-OFFCRYPTO, 2.3.4).
pub(super) const COMPOUND: &[u8; 8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Returns the fault of a compound file where a package should be, which may hold an encrypted one.
fn find_encryption(file: Arc<dyn ReadAt>) -> ArchiveFault {
    // The name of the stream, in UTF-16.
    let name = "EncryptedPackage".encode_utf16();
    let stream: Vec<u8> = name.flat_map(u16::to_le_bytes).collect();
    const PIECE: usize = 64 << 10;
    let mut source = BufferedSource::new(section(file, 0, u64::MAX));
    let code = loop {
        let bytes = source.peek(PIECE);
        let length = bytes.len();
        if memmem::find(bytes, &stream).is_some() {
            break &diagnostic::PACKAGE_ENCRYPTED;
        }
        if length < PIECE {
            break &diagnostic::PACKAGE_INVALID;
        }
        source.skip((PIECE - stream.len()) as u64);
    };
    ArchiveFault { code, offset: 0 }
}

struct Package {
    kind: &'static PackageKind,
    zip: Box<dyn Container>,
    /// The names of encrypted members, sorted.
    encrypted: Vec<Vec<u8>>,
}

impl Container for Package {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        let Some(mut member) = self.zip.next()? else {
            return Ok(None);
        };
        if member.contents != MemberContents::File {
            return Ok(Some(member));
        }
        if self.kind.format.name == package::OOXML.name {
            // Some programs write paths as Windows does.
            let separators = member.name.iter_mut().filter(|byte| **byte == b'\\');
            separators.for_each(|byte| *byte = b'/');
        }
        member.contents = (self.kind.contents)(&member.name);
        let is_read = !matches!(member.contents, MemberContents::Unread(_));
        if is_read && self.encrypted.binary_search(&member.name).is_ok() {
            member.contents = MemberContents::Encrypted;
        }
        member.base_name = source_part(&member.name);
        Ok(Some(member))
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.zip.read(into)
    }

    fn whole(&mut self) -> Option<WholeContents<'_>> {
        self.zip.whole()
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        self.zip.faults()
    }
}

/// Returns the part whose relationships a member holds: internal targets resolve against it (ECMA-376-2, 6.5.2).
fn source_part(name: &[u8]) -> Option<Vec<u8>> {
    let stem = name.strip_suffix(b".rels")?;
    let slash = memchr::memrchr(b'/', stem)?;
    let folder = stem[..slash].strip_suffix(b"_rels")?;
    (folder.is_empty() || folder.ends_with(b"/")).then(|| [folder, &stem[slash + 1..]].concat())
}

/// Returns the names in the `list` of encrypted members, sorted.
fn encrypted_members(file: &Arc<dyn ReadAt>, list: &[u8]) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    let mut zip = zip::open_file(Arc::clone(file));
    while let Ok(Some(member)) = zip.next() {
        if member.name == list && member.contents == MemberContents::File {
            let mut bytes = Vec::new();
            // A list that is cut is read as far as it goes.
            let _ = zip.by_ref().take(LONGEST_LIST).read_to_end(&mut bytes);
            read_list(&bytes, &mut names);
            break;
        }
    }
    names.sort();
    names
}

/// A tag in a list of encrypted members, and the value of its attribute that names a member.
static TAG: Pattern = Pattern::new(
    r#"(?x)<(?:[^\s/>]*:)? (file-entry|encryption-data|CipherReference)
        (?:\s (?:[^>]*?[\s:])? (?:full-path|URI) \s*=\s* (?:"([^">]*)" | '([^'>]*)') | [\s/>])"#,
);

/// Appends the names in a manifest of ODF (ODF 1.2 part 3, 4.4), or in a list of EPUB (OCF 3.3, 4.2.6.3.2),
/// which also has obfuscated fonts.
fn read_list(list: &[u8], names: &mut Vec<Vec<u8>>) {
    let mut entry = None;
    for tag in TAG.captures_iter(list) {
        let value = tag.get(2).or(tag.get(3));
        let name = value.map(|value| unescaped(value.as_bytes()));
        match &tag[1] {
            b"file-entry" => entry = name,
            b"encryption-data" => names.extend(entry.take()),
            _ => names.extend(name.map(|name| percent_decode(&name).collect())),
        }
    }
}

fn unescaped(value: &[u8]) -> Vec<u8> {
    const ENTITIES: [[&str; 2]; 5] = [
        ["&lt;", "<"],
        ["&gt;", ">"],
        ["&quot;", "\""],
        ["&apos;", "'"],
        ["&amp;", "&"],
    ];
    let text = String::from_utf8_lossy(value).into_owned();
    let replaced = |text: String, [name, by]: [&str; 2]| text.replace(name, by);
    ENTITIES.into_iter().fold(text, replaced).into_bytes()
}

#[cfg(test)]
#[path = "../../tests/unit/archive/package.rs"]
mod tests;
