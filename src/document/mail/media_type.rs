//! The reading of an entity, by its media type and file name (rules M15 and M16).

use super::field_value::{self, Parameters};
use super::header::Header;
use super::header_field::EntityProperty;
use crate::document::Format;
use crate::document::diagnostic::{self, Code};
use crate::document::source_text::DecodedText;
use crate::document::text::{self, TextSource};

/// The treatment of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartClass {
    Multipart,
    Message,
    /// A document in the format that has its media type, or text.
    Document(&'static Format),
    /// A header block alone.
    Headers,
    /// A message inside a signature (RFC 8551 section 3.5.2), or perhaps encrypted.
    Signed,
    /// Encrypted, or in an unreadable format.
    Opaque,
    /// Skipped.
    Binary,
}

/// Media types that differ from their top-level type, besides those in the rows of formats.
#[rustfmt::skip]
static TYPES: &[(&str, PartClass)] = &[
    ("text/rfc822-headers", PartClass::Headers),
    ("text/enriched", PartClass::Document(&text::ENRICHED)),
    ("text/richtext", PartClass::Document(&text::ENRICHED)),
    ("message/rfc822", PartClass::Message),
    ("message/global", PartClass::Message),
    ("message/news", PartClass::Message),
    ("application/ms-tnef", PartClass::Opaque),
    ("application/vnd.ms-tnef", PartClass::Opaque),
    ("application/x-tnef", PartClass::Opaque),
    ("application/pkcs7-mime", PartClass::Signed),
    ("application/x-pkcs7-mime", PartClass::Signed),
];

/// Subtypes of `application` that are text.
#[rustfmt::skip]
static TEXTUAL: &[&str] = &[
    "csv", "dart", "dtd", "ecmascript", "graphql", "javascript", "json", "json5", "jsonl", "jsonlines",
    "markdown", "mbox", "n-quads", "n-triples", "ndjson", "node", "php", "sgml", "sieve",
    "sparql-query", "sparql-update", "sql", "text", "toml", "trig", "txt", "typescript", "wsdl", "xml",
    "x-awk", "x-bash", "x-bibtex", "x-bsh", "x-c", "x-c++", "x-csh", "x-csv", "x-desktop", "x-diff",
    "x-ecmascript", "x-httpd-php", "x-ini", "x-java", "x-javascript", "x-json", "x-jsonlines", "x-latex",
    "x-lua", "x-markdown", "x-mbox", "x-ndjson", "x-patch", "x-perl", "x-php", "x-python", "x-ruby", "x-sh",
    "x-shar", "x-shellscript", "x-sql", "x-subrip", "x-tcl", "x-tex", "x-texinfo", "x-toml", "x-troff",
    "x-troff-man", "x-troff-me", "x-troff-ms", "x-typescript", "x-xml", "x-yaml", "xml-dtd",
    "xml-external-parsed-entity", "yaml",
];

/// Suffixes of subtypes that are text (RFC 6839, RFC 7303, RFC 9512).
static SUFFIXES: &[&str] = &["+xml", "+json", "+json-seq", "+yaml"];

/// Media types of the sources of man pages: RFC 4263, and unregistered names.
#[rustfmt::skip]
static TROFF: &[&str] = &[
    "text/troff", "text/x-troff", "application/x-troff", "application/x-troff-man", "application/x-troff-me",
    "application/x-troff-ms",
];

pub(super) fn text_source(media_type: &str) -> TextSource {
    [TextSource::Prose, TextSource::Troff][usize::from(TROFF.contains(&media_type))]
}

/// File names that say more than `application/octet-stream`.
#[rustfmt::skip]
static EXTENSIONS: &[(&str, PartClass)] = &[
    (".html", PartClass::Document(Format::HTML)),
    (".htm", PartClass::Document(Format::HTML)),
    (".xhtml", PartClass::Document(Format::HTML)),
    (".txt", PartClass::TEXT),
    (".md", PartClass::TEXT),
    (".patch", PartClass::TEXT),
    (".diff", PartClass::TEXT),
    (".eml", PartClass::Message),
    (".ics", PartClass::Document(Format::FOLDED)),
    (".vcf", PartClass::Document(Format::FOLDED)),
    (".p7m", PartClass::Signed),
    ("winmail.dat", PartClass::Opaque),
];

impl PartClass {
    pub(super) const TEXT: Self = PartClass::Document(Format::TEXT);

    pub(super) fn of(media_type: &str, header: &Header) -> Self {
        match media_type {
            // Most parts have one of these, which need no search.
            "text/plain" => PartClass::Document(plain_text(header)),
            "text/html" => PartClass::Document(Format::HTML),
            _ if media_type.starts_with("multipart/") => PartClass::Multipart,
            _ => Self::of_other(media_type, header),
        }
    }

    fn of_other(media_type: &str, header: &Header) -> Self {
        if let Some(&(_, class)) = TYPES.iter().find(|(name, _)| *name == media_type) {
            let content_type = header.entity.content_type.as_deref();
            let kind = content_type.and_then(|known| known.parameter("smime-type"));
            let is_other = kind.is_some_and(|kind| !kind.eq_ignore_ascii_case(b"signed-data"));
            return match class {
                PartClass::Signed if is_other => PartClass::Opaque,
                class => class,
            };
        }
        if let Some(format) = Format::of_media_type(media_type) {
            return PartClass::Document(format);
        }
        match media_type.split_once('/') {
            // RFC 2045 section 5.2: without a valid media type an entity is text/plain.
            Some(("text" | "message", _)) | None => PartClass::TEXT,
            Some(("application", "octet-stream")) => {
                Self::of_file_name(&file_name(header)).unwrap_or(PartClass::Binary)
            }
            Some(("application", subtype)) if is_textual(subtype) => PartClass::TEXT,
            Some(_) => PartClass::Binary,
        }
    }

    pub(super) fn format(self) -> &'static Format {
        match self {
            PartClass::Document(format) => format,
            _ => Format::TEXT,
        }
    }

    pub(super) fn is_read(self) -> bool {
        !matches!(self, PartClass::Opaque | PartClass::Binary)
    }

    /// Returns the class of the contents of a compressed attachment, by its file name without the last
    /// extension, or else text.
    pub(super) fn decompressed(header: &Header) -> Self {
        let name = file_name(header);
        let end = memchr::memrchr(b'.', &name).unwrap_or(name.len());
        Self::of_file_name(&name[..end]).unwrap_or(PartClass::TEXT)
    }

    fn of_file_name(name: &[u8]) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let mut rows = EXTENSIONS.iter();
        let row = rows.find(|(extension, _)| name.ends_with(extension.as_bytes()));
        row.map(|&(_, class)| class)
    }
}

/// Returns the format of text/plain (RFC 3676 section 4).
fn plain_text(header: &Header) -> &'static Format {
    match header.entity.content_type.as_deref() {
        Some(known) if known.value() == "text/plain" && known.is("format", "flowed") => {
            let formats = [&text::FLOWED, &text::FLOWED_WITHOUT_SPACES];
            formats[usize::from(known.is("delsp", "yes"))]
        }
        _ => Format::TEXT,
    }
}

pub(crate) fn is_text(media_type: &str) -> bool {
    match media_type.split_once('/') {
        Some(("text", _)) => true,
        Some(("application", subtype)) => is_textual(subtype),
        _ => false,
    }
}

fn is_textual(subtype: &str) -> bool {
    TEXTUAL.contains(&subtype) || SUFFIXES.iter().any(|suffix| subtype.ends_with(suffix))
}

/// Returns the diagnostic of an opaque body (RFC 8551 section 3.2.2).
pub(super) fn opaque_code(media_type: &str, content_type: Option<&Parameters>) -> &'static Code {
    let is = |kind| content_type.is_some_and(|known| known.is("smime-type", kind));
    if is("signed-data") {
        &diagnostic::SIGNED
    } else if media_type.ends_with("pkcs7-mime") && !is("certs-only") && !is("compressed-data") {
        // Without a type it is enveloped data, mostly.
        &diagnostic::ENCRYPTED
    } else {
        &diagnostic::BODY_OPAQUE
    }
}

/// Returns the disposition in lower case; empty without the field (RFC 2183).
pub(super) fn disposition(header: &Header) -> Vec<u8> {
    let value = header.value(EntityProperty::Disposition);
    let parsed = value.map(Parameters::parse);
    parsed.map_or(Vec::new(), |parsed| parsed.value().as_bytes().to_vec())
}

pub(super) fn file_name(header: &Header) -> Vec<u8> {
    let parameter = |parameters: Option<&Parameters>, name| {
        let value = parameters?.parameter(name)?;
        // Mailers write encoded words in it, which RFC 2047 section 5 forbids.
        let mut text = DecodedText::default();
        field_value::text(value.trim_ascii(), &mut text);
        Some(text.bytes)
    };
    let disposition = header.value(EntityProperty::Disposition);
    parameter(disposition.map(Parameters::parse).as_ref(), "filename")
        .or_else(|| parameter(header.entity.content_type.as_deref(), "name"))
        .unwrap_or_default()
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/media_type.rs"]
mod tests;
