//! The reading of an entity, by its media type and file name (rules M15 and M16).

use super::field_value::{self, Parameters};
use super::header::Header;
use super::header_field::EntityProperty;
use crate::document::diagnostic::{self, Code};
use crate::document::source_text::DecodedText;
use crate::document::text::{self, TextSource};
use crate::document::{Format, Retrieval, is_textual};

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
static TYPES: &[(PartClass, &[&str])] = &[
    (PartClass::Headers, &["text/rfc822-headers"]),
    (PartClass::Document(&text::ENRICHED), &["text/enriched", "text/richtext"]),
    (PartClass::Message, &["message/rfc822", "message/global", "message/news"]),
    (PartClass::Opaque, &["application/ms-tnef", "application/vnd.ms-tnef", "application/x-tnef"]),
    (PartClass::Signed, &["application/pkcs7-mime", "application/x-pkcs7-mime"]),
];

/// Media types of texts that are sources of man pages: RFC 4263, and an older name.
static TROFF: &[&str] = &["text/troff", "text/x-troff"];

pub(super) fn text_source(media_type: &str) -> TextSource {
    [TextSource::Prose, TextSource::Troff][usize::from(TROFF.contains(&media_type))]
}

/// File names that say more than `application/octet-stream`.
#[rustfmt::skip]
static EXTENSIONS: &[(PartClass, &[&str])] = &[
    (PartClass::Document(Format::HTML), &[".html", ".htm", ".xhtml"]),
    (PartClass::TEXT, &[".txt", ".md", ".patch", ".diff"]),
    (PartClass::Message, &[".eml"]),
    (PartClass::Document(Format::FOLDED), &[".ics", ".vcf"]),
    (PartClass::Signed, &[".p7m"]),
    (PartClass::Opaque, &["winmail.dat"]),
];

/// Returns whether a media type begins with a name (RFC 6838 section 4.2): otherwise the entity is of the
/// default type (RFC 2045 section 5.2).
pub(super) fn is_valid(media_type: &str) -> bool {
    let name = media_type.split('/').next().unwrap_or_default();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
    !name.is_empty() && name.bytes().all(is_part)
}

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
        if let Some(&(class, _)) = TYPES.iter().find(|(_, names)| names.contains(&media_type)) {
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
            // RFC 7303 section 9.2: text/xml is another name of application/xml.
            Some(
                ("application", subtype)
                | ("text", subtype @ "xml")
                | ("image", subtype @ "svg+xml"),
            ) if is_textual(subtype) => {
                let known = Format::of_declared(media_type);
                // Mailboxes are read as text.
                let known = known.filter(|format| format.retrieval == Retrieval::Place);
                PartClass::Document(known.unwrap_or_default())
            }
            Some(("text" | "message", _)) | None => PartClass::TEXT,
            Some(("application", "octet-stream")) => {
                Self::of_file_name(&file_name(header)).unwrap_or(PartClass::Binary)
            }
            Some(_) => PartClass::Binary,
        }
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
        let is_end = |end: &&str| name.ends_with(end.as_bytes());
        let row = EXTENSIONS.iter().find(|(_, ends)| ends.iter().any(is_end));
        row.map(|&(class, _)| class)
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
    value.map_or(Vec::new(), |raw| field_value::main_value(raw).into_bytes())
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
