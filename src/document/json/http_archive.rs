//! What an HTTP archive (HAR 1.2) holds of messages: header fields and bodies.

use std::ops::Range;

use super::notebook::markdown;
use crate::decode::Decode;
use crate::decode::charset::{self, TextCharset};
use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::Base64;
use crate::document::{Format, FormatOptions};

/// The syntax of a header field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldSyntax {
    /// One URI reference (RFC 9110).
    Whole,
    /// URI references in angle brackets, with parameters (RFC 8288).
    Links,
}

/// A header field that holds references.
pub(super) struct HttpField {
    pub(super) name: &'static str,
    syntax: FieldSyntax,
    /// Whether it is read only where all fields are asked for.
    is_trace: bool,
}

#[rustfmt::skip]
static FIELDS: &[HttpField] = &[
    HttpField { name: "location", syntax: FieldSyntax::Whole, is_trace: false },
    HttpField { name: "link", syntax: FieldSyntax::Links, is_trace: false },
    HttpField { name: "referer", syntax: FieldSyntax::Whole, is_trace: true },
];

impl HttpField {
    /// Returns whether the options ask for the field.
    #[cfg(feature = "mail")]
    fn is_reported(&self, options: &FormatOptions) -> bool {
        use crate::document::mail::Headers;
        match options.mail.headers {
            Headers::None => false,
            Headers::Known => !self.is_trace,
            Headers::All => true,
        }
    }

    #[cfg(not(feature = "mail"))]
    fn is_reported(&self, _options: &FormatOptions) -> bool {
        !self.is_trace
    }

    /// Returns the field of a name, in any case, if the options ask for it.
    pub(super) fn named(name: &[u8], options: &FormatOptions) -> Option<&'static Self> {
        let mut fields = FIELDS.iter();
        let field = fields.find(|field| name.eq_ignore_ascii_case(field.name.as_bytes()));
        field.filter(|field| field.is_reported(options))
    }

    /// Returns the ranges of the references in a value.
    pub(super) fn references(&self, value: &[u8]) -> Vec<Range<usize>> {
        let ranges = match self.syntax {
            FieldSyntax::Whole => vec![0..value.len()],
            FieldSyntax::Links => bracketed(value),
        };
        let trimmed = ranges.into_iter().map(|range| trimmed(value, range));
        trimmed.filter(|range| !range.is_empty()).collect()
    }
}

fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_ascii_start().len());
    start..start + inner.trim_ascii().len()
}

/// Returns the ranges in angle brackets outside quoted strings.
fn bracketed(text: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'<', b'"', &text[at..]) {
        let start = at + next + 1;
        let close = match text[start - 1] {
            b'<' => memchr::memchr(b'>', &text[start..]),
            _ => quoted_end(&text[start..]),
        };
        let Some(close) = close else {
            break;
        };
        if text[start - 1] == b'<' {
            ranges.push(start..start + close);
        }
        at = start + close + 1;
    }
    ranges
}

/// Returns the index of the quote that ends a quoted string.
fn quoted_end(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// A body that is text: its format, and the label of its charset.
pub(super) struct HttpBody {
    pub(super) format: &'static Format,
    charset: Vec<u8>,
}

impl HttpBody {
    /// Returns the body of a media type with parameters, unless that is no text.
    pub(super) fn of(media_type: &[u8]) -> Option<Self> {
        let (name, charset) = media_type_and_charset(media_type);
        let format = format_of(&name)?;
        Some(HttpBody { format, charset })
    }

    /// Decodes a body in base64; returns its text, the map to that, and the label of the text's charset.
    pub(super) fn decode(&self, text: &[u8], map: &OffsetMap) -> (Vec<u8>, OffsetMap, &[u8]) {
        let mut bytes = Vec::new();
        let mut offsets = OffsetMap::default();
        let mut decoder = Base64::default();
        decoder.push(text, &mut bytes, &mut offsets);
        decoder.finish(&mut bytes, &mut offsets);
        let map = offsets.behind(map);
        // The scanner of HTML knows more of the charset than its label says.
        let is_wide = matches!(charset::of_label(&self.charset).0, TextCharset::Convert(_));
        if *self.format == *Format::HTML && !is_wide {
            return (bytes, map, &self.charset);
        }
        let (mut converted, mut offsets) = (Vec::new(), OffsetMap::default());
        match charset::convert(&self.charset, &bytes, &mut converted, &mut offsets) {
            true => (converted, offsets.behind(&map), b"utf-8"),
            false => (bytes, map, b"utf-8"),
        }
    }
}

/// Splits a media type from its parameters, and returns it in lower case with the label of its charset.
fn media_type_and_charset(value: &[u8]) -> (String, Vec<u8>) {
    let mut parts = value.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_at_checked(b"charset=".len())?;
        let value = value.trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        name.eq_ignore_ascii_case(b"charset=")
            .then(|| value.to_vec())
    });
    let name = String::from_utf8_lossy(&name).into_owned();
    (name, charset.unwrap_or_default())
}

/// Subtypes of `application` that are text.
const TEXTUAL: [&str; 6] = [
    "javascript",
    "x-javascript",
    "ecmascript",
    "xml",
    "yaml",
    "x-yaml",
];

/// Returns the format of a body of a media type; `None` for what is no text.
fn format_of(media_type: &str) -> Option<&'static Format> {
    let json = Format::named("json");
    if let Some(format) = Format::of_media_type(media_type) {
        return Some(format);
    }
    match media_type.split_once('/')? {
        ("text", "markdown") => Some(markdown()),
        ("text", "json") | ("application", "json") => json,
        ("application", "manifest+json") => Format::named("webmanifest"),
        ("application", "feed+json") => Format::named("jsonfeed"),
        ("application", "ld+json") => Format::named("jsonld"),
        (_, subtype) if subtype.ends_with("+json") => json,
        ("text", _) => Some(Format::TEXT),
        (_, subtype) if subtype.ends_with("+xml") => Some(Format::TEXT),
        ("application", subtype) if TEXTUAL.contains(&subtype) => Some(Format::TEXT),
        _ => None,
    }
}
