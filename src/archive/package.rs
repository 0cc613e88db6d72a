//! Packages: zips whose members belong together, and are read by what they are in the package.

use std::io::{self, Read};
use std::sync::Arc;

use memchr::memmem;

use super::container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, Container, MemberContents,
    WholeContents, extension, section, unread,
};
use super::zip;
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::ReadAt;
use crate::document::diagnostic;
use crate::document::{Format, package};

/// The most bytes that are read of the member that tells which others are encrypted.
const LONGEST_LIST: u64 = 8 << 20;

/// A kind of package.
pub(super) struct PackageKind {
    /// The format.
    pub(super) format: &'static Format,
    /// Returns whether a file begins as the kind says.
    pub(super) starts: fn(&[u8]) -> bool,
    /// Returns how a member with a name is read.
    contents: fn(&[u8]) -> MemberContents,
    /// The member that tells which others are encrypted.
    list: Option<EncryptionList>,
}

/// A list of encrypted members.
struct EncryptionList {
    /// The member that holds it.
    name: &'static [u8],
    /// Appends the names of encrypted members.
    read: fn(&[u8], &mut Vec<Vec<u8>>),
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
    list: Some(EncryptionList {
        name: b"META-INF/encryption.xml",
        read: read_encryption,
    }),
};

/// Office Open XML.
pub(super) static OOXML: PackageKind = PackageKind {
    format: &package::OOXML,
    starts: |head| first_name(head) == Some(b"[Content_Types].xml"),
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
    list: Some(EncryptionList {
        name: b"META-INF/manifest.xml",
        read: read_manifest,
    }),
};

/// The name in a local header of a zip, if the bytes begin with one.
fn first_name(head: &[u8]) -> Option<&[u8]> {
    let length = head.get(26..28)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    head.get(30..30 + length).filter(|_| zip::starts(head))
}

/// Returns what the first member says that the package is (OCF 3.3, 4.3; ODF 1.2 part 3, 3.3): it is
/// stored, and has no extra field.
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

/// Opens a package. One that comes as a stream is held, for its central directory stands at the end;
/// what is longer than the limit is read as it comes.
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
        return Box::new(CompoundFile(find_encryption(file)));
    }
    let encrypted = kind.list.as_ref();
    let encrypted = encrypted.map_or(Vec::new(), |list| list.of(&file));
    Box::new(Package {
        kind,
        zip: zip::open_file(file),
        encrypted,
    })
}

/// The first bytes of a compound file, which holds an encrypted package (MS-OFFCRYPTO, 2.3.4).
pub(super) const COMPOUND: &[u8; 8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// A compound file where a package should be: nothing in it is read.
struct CompoundFile(Vec<ArchiveFault>);

/// Returns whether a compound file holds an encrypted package, as what is wrong with it.
fn find_encryption(file: Arc<dyn ReadAt>) -> Vec<ArchiveFault> {
    // The name of the stream, in UTF-16.
    let stream: Vec<u8> = b"EncryptedPackage"
        .iter()
        .flat_map(|&byte| [byte, 0])
        .collect();
    const PIECE: usize = 64 << 10;
    let mut source = BufferedSource::new(section(file, 0, u64::MAX));
    let code = loop {
        let bytes = source.peek(PIECE);
        let length = bytes.len();
        if memmem::find(bytes, &stream).is_some() {
            break &diagnostic::PACKAGE_ENCRYPTED;
        }
        if length < PIECE {
            break &diagnostic::NO_PACKAGE;
        }
        source.skip((PIECE - stream.len()) as u64);
    };
    vec![ArchiveFault { code, offset: 0 }]
}

impl Container for CompoundFile {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        Ok(None)
    }

    fn read(&mut self, _into: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        std::mem::take(&mut self.0)
    }
}

/// The members of a package.
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

/// Returns the part whose relationships a member holds (ECMA-376 part 2, 6.5.2): internal targets
/// resolve against that.
fn source_part(name: &[u8]) -> Option<Vec<u8>> {
    let stem = name.strip_suffix(b".rels")?;
    let slash = memchr::memrchr(b'/', stem)?;
    let folder = stem[..slash].strip_suffix(b"_rels")?;
    (folder.is_empty() || folder.ends_with(b"/")).then(|| [folder, &stem[slash + 1..]].concat())
}

impl EncryptionList {
    /// Returns the names of the encrypted members, sorted.
    fn of(&self, file: &Arc<dyn ReadAt>) -> Vec<Vec<u8>> {
        let mut names = Vec::new();
        let mut zip = zip::open_file(Arc::clone(file));
        while let Ok(Some(member)) = zip.next() {
            if member.name == self.name && member.contents == MemberContents::File {
                let mut bytes = Vec::new();
                let reader = &mut ContainerReader(&mut *zip);
                // What could be read of it counts.
                let _ = reader.take(LONGEST_LIST).read_to_end(&mut bytes);
                (self.read)(&bytes, &mut names);
                break;
            }
        }
        names.sort();
        names
    }
}

struct ContainerReader<'a>(&'a mut dyn Container);

impl Read for ContainerReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

/// Calls a function with the local name of each tag, and its attributes as written.
fn each_tag(bytes: &[u8], mut each: impl FnMut(&[u8], &[u8])) {
    let mut rest = bytes;
    while let Some(start) = memchr::memchr(b'<', rest) {
        rest = &rest[start + 1..];
        let Some(end) = memchr::memchr(b'>', rest) else {
            return;
        };
        let tag = &rest[..end];
        let name = tag.split(|byte| byte.is_ascii_whitespace() || *byte == b'/');
        let name = name.into_iter().next().unwrap_or_default();
        let local = name.rsplit(|&byte| byte == b':').next().unwrap_or_default();
        each(local, &tag[name.len()..]);
        rest = &rest[end..];
    }
}

/// Returns the value of the attribute with a local name.
fn attribute(attributes: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut rest = attributes;
    while let Some(equals) = memchr::memchr(b'=', rest) {
        let (before, behind) = rest.split_at(equals);
        let value = behind[1..].trim_ascii_start();
        let quote = value
            .first()
            .filter(|&&byte| byte == b'"' || byte == b'\'')?;
        let end = memchr::memchr(*quote, &value[1..])?;
        let own = before.trim_ascii();
        let own = own
            .rsplit(|byte| *byte == b':' || byte.is_ascii_whitespace())
            .next();
        if own == Some(name) {
            return Some(unescaped(&value[1..=end]));
        }
        rest = &value[end + 2..];
    }
    None
}

/// Replaces the predefined entities.
fn unescaped(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((&first, behind)) = rest.split_first() {
        const ENTITIES: [(&[u8], u8); 5] = [
            (b"&amp;", b'&'),
            (b"&lt;", b'<'),
            (b"&gt;", b'>'),
            (b"&quot;", b'"'),
            (b"&apos;", b'\''),
        ];
        let entity = ENTITIES.iter().find(|(name, _)| rest.starts_with(name));
        out.push(entity.map_or(first, |(_, byte)| *byte));
        rest = entity.map_or(behind, |(name, _)| &rest[name.len()..]);
    }
    out
}

/// Reads a manifest of ODF: entries that hold how they are encrypted (ODF 1.2 part 3, 4.4).
fn read_manifest(bytes: &[u8], names: &mut Vec<Vec<u8>>) {
    let mut entry = None;
    each_tag(bytes, |tag, attributes| match tag {
        b"file-entry" => entry = attribute(attributes, b"full-path"),
        b"encryption-data" => names.extend(entry.take()),
        _ => {}
    });
}

/// Reads a list of encrypted resources of EPUB (OCF 3.3, 4.2.6.3.2). Obfuscated fonts count as well:
/// nothing is read of fonts.
fn read_encryption(bytes: &[u8], names: &mut Vec<Vec<u8>>) {
    each_tag(bytes, |tag, attributes| {
        if tag == b"CipherReference" {
            let name = attribute(attributes, b"URI");
            names.extend(name.map(|name| percent_encoding::percent_decode(&name).collect()));
        }
    });
}

#[cfg(test)]
#[path = "../../tests/unit/archive/package.rs"]
mod tests;
