//! Sniffing: recognises a file by its first bytes, then by its name, then by a search for markup.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::format::content_type;
#[cfg(feature = "mail")]
use super::mail;
use super::{Format, html};
#[cfg(feature = "documents")]
use super::{json::by_shape, troff::is_troff, xml::is_xml};
use crate::bytes::lines::mark_length;
use crate::bytes::pattern::Pattern;
pub(crate) use crate::decode::charset::is_wide;

/// The number of first bytes that are examined.
pub(crate) const HEAD: usize = 8 << 10;

/// The kind of a file.
#[derive(Clone, Copy)]
pub enum Content {
    /// A document of a format that holds references.
    Document(&'static Format),
    /// Another kind of file, by its name.
    Other(&'static str),
}

/// A kind of files without references that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnreadKind {
    Compressed,
    Archive,
    Index,
    Binary,
}

/// The name of indexes of web archives, whose URIs are the records'.
const CDX: &str = "CDX";

/// The offset of bytes that identify a kind of file, the bytes, and the name of the kind.
type Magic = (usize, &'static [u8], &'static str);

/// Files without references that can be read, by their kind. No text has these bytes.
#[rustfmt::skip]
static MAGICS: &[(UnreadKind, &[Magic])] = &[
    (UnreadKind::Compressed, &[
        (0, b"\x1f\x8b\x08", "gzip"), (0, b"\x28\xb5\x2f\xfd", "zstd"),
        (4, b"1AY&SY", "bzip2"), (4, b"\x17rE8P\x90", "bzip2"),
        (0, b"\xfd7zXZ\0", "xz"), (0, b"\x1f\x9d", "compress"), (0, b"\x04\x22\x4d\x18", "lz4"),
    ]),
    (UnreadKind::Archive, &[
        (0, b"PK\x03\x04", "zip"), (0, b"PK\x05\x06", "zip"), (257, b"ustar", "tar"),
        (0, b"7z\xbc\xaf\x27\x1c", "7z"), (0, b"Rar!\x1a\x07", "rar"), (0, b"!<arch>\n", "ar"),
        (0, b"WARC/0.", "WARC"), (0, b"WARC/1.", "WARC"), (0, b"filedesc://", "ARC"),
    ]),
    (UnreadKind::Index, &[(0, b" CDX ", CDX)]),
    (UnreadKind::Binary, &[
        (0, b"\x89PNG\r\n\x1a\n", "PNG"), (0, b"\xff\xd8\xff", "JPEG"), (0, b"GIF87a", "GIF"),
        (0, b"GIF89a", "GIF"), (8, b"WEBP", "WebP"), (0, b"\0\0\x01\0", "icon"), (4, b"ftyp", "MP4"),
        (0, b"OggS", "Ogg"), (0, b"ID3", "MP3"), (0, b"fLaC", "FLAC"), (0, b"\x1a\x45\xdf\xa3", "Matroska"),
        (0, b"wOFF", "font"), (0, b"wOF2", "font"), (0, b"\0\x01\0\0\0", "font"), (0, b"OTTO", "font"),
        (0, b"\x7fELF", "ELF"), (0, b"MZ\x90\0", "executable"), (0, b"\xcf\xfa\xed\xfe", "Mach-O"),
        (0, b"\xca\xfe\xba\xbe", "class file"), (0, b"\0asm", "WebAssembly"),
        (0, b"SQLite format 3\0", "SQLite"), (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "compound document"),
        (0, b"!BDN", "PST (readpst converts it)"), (0, b"// <!-- <mdb:mork:", "Mork"),
    ]),
];

/// Returns the kind of a file that is not read, by the name that [`Content::Other`] has.
#[cfg(feature = "audit")]
pub(crate) fn unread_kind(name: &str) -> UnreadKind {
    let mut kinds = MAGICS.iter();
    let row = kinds.find(|(_, rows)| rows.iter().any(|(_, _, known)| *known == name));
    row.map_or(UnreadKind::Binary, |(kind, _)| *kind)
}

/// Returns the ASCII of a text in UTF-16 or UTF-32, with 0x80 for other code units but 0; other texts unchanged.
fn narrowed(head: &[u8]) -> Cow<'_, [u8]> {
    if !is_wide(head) {
        return head.into();
    }
    let mark = [2, 4][usize::from(head[0] == 0)];
    let units = head[mark..]
        .chunks_exact(2)
        .map(|unit| match (head[0], unit) {
            (0xFF, &[low, 0]) | (0 | 0xFE, &[0, low]) => low,
            _ => 0x80,
        });
    units.filter(|unit| *unit != 0).collect::<Vec<_>>().into()
}

/// Returns a text with NULs after the byte order mark of UTF-16 that it is declared to be in; others unchanged.
pub(crate) fn marked<'h>(head: &'h [u8], declared: Option<&'static Encoding>) -> Cow<'h, [u8]> {
    let mark: &[u8] = match declared {
        Some(encoding) if encoding == UTF_16LE => b"\xff\xfe",
        Some(encoding) if encoding == UTF_16BE => b"\xfe\xff",
        _ => return head.into(),
    };
    if is_wide(head) || memchr::memchr(0, head).is_none() {
        return head.into();
    }
    [mark, head].concat().into()
}

/// The format of files by their names, besides the extensions of formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedType {
    /// The name of a file, or its end, in lower case.
    pub name: String,
    /// Whether the name is the extension after a dot.
    pub is_extension: bool,
    /// The format.
    pub format: &'static Format,
}

impl NamedType {
    fn is_of(&self, path: &[u8]) -> bool {
        let file = path.rsplit(is_separator).next().unwrap_or_default();
        let Some(start) = file.len().checked_sub(self.name.len()) else {
            return false;
        };
        let (before, name) = file.split_at(start);
        let is_whole = if self.is_extension {
            before.ends_with(b".")
        } else {
            before.is_empty()
        };
        is_whole && name.eq_ignore_ascii_case(self.name.as_bytes())
    }
}

/// Returns the format that the name of a file implies: by types that were added, else by its extension.
pub(crate) fn named(path: &[u8], types: &[NamedType]) -> Option<&'static Format> {
    let added = types.iter().rfind(|one| one.is_of(path));
    added.map_or_else(|| Format::of_path(path), |one| Some(one.format))
}

impl Format {
    /// Returns the format of a document with a media type, in any case and perhaps with parameters, else by
    /// its first bytes, of which 8 KiB are enough; `None` where there is nothing to read.
    ///
    /// ```
    /// use uriscan::Format;
    ///
    /// assert_eq!(Format::detect(b"<!DOCTYPE html><p>", None), Some(Format::HTML));
    /// assert_eq!(Format::detect(b"p {}", Some("text/css; charset=utf-8")), Some(Format::CSS));
    /// assert_eq!(Format::detect(b"\x89PNG\r\n\x1a\n", None), None);
    /// ```
    pub fn detect(bytes: &[u8], media_type: Option<&str>) -> Option<&'static Format> {
        let declared = media_type.map(|name| content_type(name.as_bytes()).0);
        let declared = declared.and_then(|name| Format::of_declared(&name));
        let declared = declared.map(|format| format.of_shape(bytes));
        declared.or_else(|| match content(b"", bytes, &[], None) {
            Content::Document(format) => Some(format),
            Content::Other(_) => None,
        })
    }

    /// Returns the kind of a JSON document by its first bytes; other formats are not changed.
    pub(crate) fn of_shape(&'static self, head: &[u8]) -> &'static Format {
        let shape = match self.name {
            "json" => by_shape(&narrowed(&head[..head.len().min(HEAD)])),
            _ => None,
        };
        shape.and_then(Format::named).unwrap_or(self)
    }
}

/// Recognises a file by its first bytes (up to [`HEAD`]) and its path, by types that were added before
/// the extensions of formats; the last that names it is used. A message is recognised by its header
/// block, unless the extension names a format other than plain text. The encoding is the declared one.
///
/// ```
/// # if cfg!(feature = "audit") {
/// use uriscan::document::sniff::{Content, content};
/// let name = |path: &[u8], head: &[u8]| match content(path, head, &[], None) {
///     Content::Document(format) => format.name,
///     Content::Other(name) => name,
/// };
/// assert_eq!(name(b"a/b.HTML", b"plain"), "html");
/// assert_eq!(name(b"a/b", b"\n<!DOCTYPE html>"), "html");
/// assert_eq!(name(b"a/b.txt", b"%PDF-1.4"), "pdf");
/// assert_eq!(name(b"-", b"<p>A <a href=b>b</a>"), "html");
/// assert_eq!(name(b"-", b"\xFF\xFE<\0h\0t\0m\0l\0>\0"), "html");
/// assert_eq!(name(b"-", b"\xFE\xFF\0<\0?\0x\0m\0l\0 \0?\0>\0<\0a\0/\0>"), "xml");
/// assert_eq!(name(b"-", b"\xFF\xFEh\0t\0m\0l\0>\0"), "text");
/// assert_eq!(name(b"a.vue", b"<template><p>"), "text");
/// assert_eq!(name(b"a.page", b"<page xmlns='http://projectmallard.org/1.0/'>"), "xml");
/// assert_eq!(name(b"README", b"plain"), "text");
/// assert_eq!(name(b"README", b"BZhard to read"), "text");
/// assert_eq!(name(b"docs/llms.txt", b"plain"), "markdown");
/// assert_eq!(name(b"a.json", b"{}"), "json");
/// assert_eq!(name(b"a.json", b"{\"start_url\": \"/\"}"), "webmanifest");
/// assert_eq!(name(b"a.json", b"{\"version\": 3, \"sources\": []}"), "sourcemap");
/// assert_eq!(name(b"a.json", b"{\"version\": \"https://jsonfeed.org/version/1\"}"), "jsonfeed");
/// assert_eq!(name(b"a.json", b"{\"cells\": [{\"cell_type\": \"code\""), "ipynb");
/// assert_eq!(name(b"a.json", b"{\"log\": {\"version\": \"1.2\", \"creator\": {"), "har");
/// assert_eq!(name(b"-", b"{\"version\": 3, \"sources\": []}"), "sourcemap");
/// assert_eq!(name(b"-", b"{\"version\": 3}"), "text");
/// assert_eq!(name(b"a.map", b"{\"version\": 3}"), "sourcemap");
/// assert_eq!(name(b"a.map", b"plain"), "text");
/// assert_eq!(name(b"a.asc", b"// x\n= Title\n"), "adoc");
/// assert_eq!(name(b"a.asc", b"-----BEGIN PGP SIGNATURE-----\n"), "text");
/// assert_eq!(name(b"a.1", b".\\\" x\n.TH A 1\n"), "troff");
/// assert_eq!(name(b"app.log.1", b"GET /\n"), "text");
/// assert_eq!(name(b"inbox/17", b"Subject: x\n\nplain"), "eml");
/// assert_eq!(name(b"inbox/17", b"plain: x"), "eml");
/// assert_eq!(name(b"inbox/a17", b"Subject: x\n\nplain"), "text");
/// assert_eq!(name(b"inbox/a17.txt", b"Message-ID: <a>\nSubject: x\n\nplain"), "eml");
/// assert_eq!(name(b"a.md", b"Message-ID: <a>\nSubject: x\n\nplain"), "markdown");
/// assert_eq!(name(b"2006-March.txt", b"From a@example.com Thu Mar  2 10:11:12 2006\nSubject: x\n"), "mbox");
/// # }
/// ```
pub fn content(
    path: &[u8],
    head: &[u8],
    types: &[NamedType],
    encoding: Option<&'static Encoding>,
) -> Content {
    let head = &head[..head.len().min(HEAD)];
    let mut magics = MAGICS.iter().flat_map(|(_, kinds)| *kinds);
    // The first byte differs nearly always.
    let known = magics
        .find(|(at, bytes, _)| head.get(*at) == bytes.first() && head[*at..].starts_with(bytes));
    if let Some((_, _, name)) = known {
        return Content::Other(name);
    }
    if let Some(format) = container(head) {
        return Content::Document(format);
    }
    let head = &*marked(head, encoding);
    let added = types.iter().rfind(|one| one.is_of(path));
    let added = added.map(|one| one.format);
    if added.is_none() && is_index(path, head) {
        return Content::Other(CDX);
    }
    let named =
        added.or_else(|| Format::of_path(path).filter(|format| is_content_of(format, path, head)));
    // Names in a Maildir end in a host name, and messages are often saved as `.txt`.
    let decides = added.is_some()
        || named.is_some_and(|format| format.name != "text") && !is_in_maildir(path);
    if !decides && mail::is_message(head) {
        return Format::named("eml").map_or(Content::Other("eml"), Content::Document);
    }
    let ascii = &*narrowed(head);
    let kind = match named.map(|format| format.name) {
        Some("json") => by_shape(ascii),
        // Objects only: other text may be in brackets.
        None if ascii.starts_with(b"{") => by_shape(ascii).filter(|shape| *shape != "json"),
        // Linkers and servers write other files with this extension.
        Some("sourcemap")
            if added.is_none() && by_shape(ascii).is_none() && !ascii.starts_with(b")]}'") =>
        {
            Some("text")
        }
        _ => None,
    };
    if let Some(format) = kind.and_then(Format::named).or(named) {
        return Content::Document(format);
    }
    if !is_wide(head) && memchr::memchr(0, head).is_some() {
        return Content::Other("binary file");
    }
    let is_kept = is_kept_as_mail(path) && mail::starts_with_field(head);
    let near = &ascii[..ascii.len().min(1024)];
    let name = if is_kept {
        "eml"
    } else if is_xml(ascii) {
        "xml"
    } else if HTML_TAG.is_match(near) || extension(path).is_none() && html::starts_with_tag(ascii) {
        "html"
    } else {
        "text"
    };
    Format::named(name).map_or(Content::Other(name), Content::Document)
}

/// Returns whether a file is an index of a web archive (CDX or CDXJ), by its extension or its first line.
fn is_index(path: &[u8], head: &[u8]) -> bool {
    let is_one = |name: &str| name.eq_ignore_ascii_case("cdx") || name.eq_ignore_ascii_case("cdxj");
    if extension(path).is_some_and(is_one) {
        return !head.contains(&0);
    }
    // Most texts have no number after the first blank.
    let blank = memchr::memchr(b' ', head).map_or(0, |at| at + 1);
    if !head.starts_with(b"!") && !head.get(blank).is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let mut lines = head.split(|&byte| byte == b'\n');
    let line = lines.find(|line| !line.starts_with(b"!"));
    INDEX_LINE.is_match(line.unwrap_or_default().trim_ascii_end())
}

/// A line of an index: its columns are `N b` and an object, `a m s k r V g`, or `a m s k r M S V g`.
static INDEX_LINE: Pattern = Pattern::new(concat!(
    r"^[^ ]+ [0-9]{14} (?:\{",
    r"|[^ ]*:[^ ]* [^ ]* (?:-|[^ ]{3})(?: [^ ]*){4}(?:(?: [^ ]*){2})?$)",
));

/// Returns the format of an archive of messages or records, or of a PDF, by its first bytes.
fn container(head: &[u8]) -> Option<&'static Format> {
    // A lost write leaves NUL bytes at the start of a mailbox.
    let mailbox = &head[mark_length(head)..];
    let start = mailbox.iter().position(|&byte| byte != 0);
    let name = if head.starts_with(b"%PDF-") {
        "pdf"
    } else if BATCH.is_match(head) {
        "news"
    } else if MMDF.is_match(head) {
        "mmdf"
    } else if mail::is_separator(&mailbox[start.unwrap_or(mailbox.len())..]) {
        "mbox"
    } else {
        return None;
    };
    Format::named(name)
}

/// The line before the messages of a batch of news.
static BATCH: Pattern = Pattern::new("^#! (?:rnews|[cgz]unbatch)");

/// The line before the first message of an MMDF mailbox.
static MMDF: Pattern = Pattern::new(r"^\x01{4}\r?\n");

/// The first line but blanks and comments is a title in AsciiDoc.
static TITLE: Pattern = Pattern::new(r"^(?:\xEF\xBB\xBF)?(?:[\t\f\r ]*(?:(?://|:)[^\n]*)?\n)*= ");

/// Returns whether a file is of the format that its extension names: keys of OpenPGP have `asc` too, and copies
/// of logs end in a number.
fn is_content_of(format: &Format, path: &[u8], head: &[u8]) -> bool {
    match format.name {
        "adoc" => {
            let is_asc = extension(path).is_some_and(|own| own.eq_ignore_ascii_case("asc"));
            !is_asc || TITLE.is_match(&narrowed(head))
        }
        "troff" => is_troff(&narrowed(head)),
        // No message is in UTF-16.
        "eml" | "mhtml" | "mbox" | "news" => !is_wide(head),
        // A package is a zip.
        "epub" | "ooxml" | "odf" => false,
        _ => true,
    }
}

/// Returns whether a file is named as in MH folders and news spools, or is in a Maildir.
fn is_kept_as_mail(path: &[u8]) -> bool {
    let name = path.rsplit(is_separator).next().unwrap_or_default();
    is_in_maildir(path) || !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}

fn is_in_maildir(path: &[u8]) -> bool {
    matches!(path.rsplit(is_separator).nth(1), Some(b"cur" | b"new"))
}

fn is_separator(byte: &u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// Returns whether a file that is read as text has an extension of another kind of document or source.
pub(crate) fn is_other_text(path: &[u8]) -> bool {
    let format = extension(path).map(Format::of_extension);
    format.is_some_and(|format| format != Some(Format::TEXT))
}

/// Returns the part of the file name after the last dot.
fn extension(path: &[u8]) -> Option<&str> {
    let name = path.rsplit(is_separator).next()?;
    let dot = memchr::memrchr(b'.', name)?;
    std::str::from_utf8(&name[dot + 1..]).ok()
}

/// A tag that HTML documents start with.
static HTML_TAG: Pattern = Pattern::new("(?i)<(?:!doctype html|html)[^0-9A-Za-z]");

/// Recognises nothing of formats that this build has not.
#[allow(dead_code)]
fn is_none(_: &[u8]) -> bool {
    false
}

#[cfg(not(feature = "mail"))]
mod mail {
    pub(super) use super::{
        is_none as is_message, is_none as is_separator, is_none as starts_with_field,
    };
}

#[cfg(not(feature = "documents"))]
use self::{is_none as is_troff, is_none as is_xml};

#[cfg(not(feature = "documents"))]
fn by_shape(_: &[u8]) -> Option<&'static str> {
    None
}
