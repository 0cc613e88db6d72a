//! The encoding of a document: found by the prescan of its first bytes, changed by a `meta` element
//! while it is scanned, or found not to be UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};
use smart_default::SmartDefault;

use super::names::Attribute;
use super::tag::{Tag, named_values, tag_end};
use super::value::Coding;
use crate::bytes::literal::Literal;
use crate::bytes::pattern::Pattern;
use crate::bytes::seek::is_space;
use crate::bytes::window::Window;
use crate::decode::charset::{self, Detected};
use crate::document::source_text::SourceText;

static META: Literal = Literal::ignoring_case(b"<meta", 1);
static ENCODING: Pattern =
    Pattern::new(r#"^encoding[\x00-\x20]*=[\x00-\x20]*("[^"\x00-\x20]*"|'[^'\x00-\x20]*')"#);
/// The label is in a group, and in none if a quote before it is not closed.
static CHARSET: Pattern = Pattern::new(
    r#"(?i)charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*)|)"#,
);

/// Returns the encoding that the first bytes of a document declare (WHATWG HTML 13.2.3.2, "prescan a
/// byte stream to determine its encoding").
pub fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    if head.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    // Most documents declare nothing: they have no `meta` here.
    let declared = META.find(head, 0).and_then(|_| declared_by_meta(head));
    declared.or_else(|| declared_by_xml(head))
}

/// Returns the encoding of the first `meta` element that declares one; `None` if the bytes end first.
fn declared_by_meta(head: &[u8]) -> Option<Coding> {
    let mut at = 0;
    while at < head.len() {
        let rest = &head[at..];
        match rest {
            [b'<', b'!', b'-', b'-', ..] => {
                // The dashes of the start may belong to the end as well.
                at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
            }
            [b'<', m, e, t, a, end, ..]
                if [*m, *e, *t, *a].eq_ignore_ascii_case(b"meta")
                    && (is_space(*end) || *end == b'/') =>
            {
                let (declared, end) = read_meta(head, at + 5)?;
                if declared.is_some() {
                    return declared;
                }
                at = end;
            }
            [b'<', b'/', letter, ..] | [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                let name_end = |&byte: &u8| is_space(byte) || byte == b'>';
                at = tag_end(head, at + rest.iter().position(name_end)?)?;
            }
            [b'<', b'!' | b'/' | b'?', ..] => at += memchr(b'>', rest)? + 1,
            _ => at += 1 + memchr(b'<', &rest[1..])?,
        }
    }
    None
}

/// Reads the attributes of a `meta` element; returns the encoding that it declares and its end.
fn read_meta(head: &[u8], at: usize) -> Option<(Option<Coding>, usize)> {
    let names = [&b"http-equiv"[..], b"content", b"charset"];
    let (values, end) = named_values(head, at, names);
    let [pragma, content, charset] = values.map(|value| value.map(|range| &head[range]));
    let is_pragma = pragma.is_some_and(|value| value.eq_ignore_ascii_case(b"content-type"));
    let label = charset.or_else(|| label_in_content(content.filter(|_| is_pragma)?));
    let declared = label.and_then(Encoding::for_label).map(declarable);
    Some((declared, end?))
}

/// Returns the label in a `content` attribute such as `text/html; charset=utf-8` (WHATWG HTML,
/// "extracting a character encoding from a meta element").
fn label_in_content(content: &[u8]) -> Option<&[u8]> {
    let found = CHARSET.captures(content)?;
    let label = (1..4).find_map(|group| found.get(group))?;
    Some(label.as_bytes())
}

/// Returns the encoding of an XML declaration (WHATWG HTML, "get an XML encoding").
fn declared_by_xml(head: &[u8]) -> Option<Coding> {
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &head[..memchr(b'>', head)?];
    let rest = &declaration[memmem::find(declaration, b"encoding")?..];
    let [_, quoted] = ENCODING.group_at(rest, 0)?;
    let encoding = Encoding::for_label(&rest[quoted.start + 1..quoted.end - 1])?;
    // Unlike in a `meta` element, `x-user-defined` is taken literally.
    if encoding == X_USER_DEFINED {
        return Some(encoding);
    }
    Some(declarable(encoding))
}

/// Maps a declared encoding to the used one. A declaration of UTF-16 that is readable as ASCII is wrong
/// (WHATWG HTML 13.2.3.2).
fn declarable(encoding: Coding) -> Coding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

#[derive(Clone, Copy, Debug, SmartDefault)]
pub(super) struct EncodingState {
    #[default(UTF_8)]
    pub(super) scanned: Coding,
    /// The document's own encoding, in which queries are encoded.
    #[default(UTF_8)]
    pub(super) label: Coding,
    /// Whether a `meta` element may change the encoding.
    pub(super) tentative: bool,
    /// Whether nothing has declared the encoding: it is UTF-8 while all bytes are valid.
    pub(super) undeclared: bool,
}

impl EncodingState {
    /// The state before the first byte. A document that needs transcoding is UTF-8 already.
    pub(super) fn new(detected: &Detected) -> Self {
        let label = detected.encoding.unwrap_or(UTF_8);
        let transcoded = charset::needs_transcoding(label);
        EncodingState {
            scanned: if transcoded { UTF_8 } else { label },
            label,
            // A declaration that could be read as UTF-16 and denies it cannot be right.
            tentative: !detected.is_certain && label != UTF_16LE && label != UTF_16BE,
            undeclared: detected.encoding.is_none(),
        }
    }

    pub(super) fn change(&mut self, encoding: Coding) {
        (self.scanned, self.label) = (encoding, encoding);
        (self.tentative, self.undeclared) = (false, false);
    }

    /// Falls back to windows-1252: the undeclared bytes are not valid UTF-8.
    pub(super) fn fall_back(&mut self) {
        (self.scanned, self.label) = (WINDOWS_1252, WINDOWS_1252);
        self.undeclared = false;
    }

    /// Applies a `meta` element, unless an earlier one decided; returns the encoding if it changes.
    pub(super) fn apply_meta(&mut self, source: &SourceText, tag: &Tag) -> Option<Coding> {
        let declared = declared(source, tag)?;
        (self.tentative, self.undeclared) = (false, false);
        (declared != self.label).then_some(declared)
    }
}

fn declared(source: &SourceText, tag: &Tag) -> Option<Coding> {
    let value = |attribute| tag.value(attribute).map(|range| source.keyword(range));
    let for_label = |label: &[u8]| Encoding::for_label(label).map(declarable);
    if let Some(encoding) = value(Attribute::Charset).and_then(|label| for_label(&label)) {
        return Some(encoding);
    }
    if !value(Attribute::HttpEquiv)?.eq_ignore_ascii_case(b"content-type") {
        return None;
    }
    for_label(label_in_content(&value(Attribute::Content)?)?)
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Validity {
    /// Offset in the document of the first unchecked byte.
    offset: u64,
    /// Whether a non-ASCII byte was checked and valid.
    pub(super) non_ascii: bool,
}

impl Validity {
    /// Checks the unchecked bytes of a window; returns whether they are valid.
    pub(super) fn check(&mut self, window: &Window) -> bool {
        let new = &window.bytes[window.at_offset(self.offset)..];
        let valid = match str::from_utf8(new) {
            Ok(_) => new.len(),
            Err(error) if error.error_len().is_none() && !window.last => error.valid_up_to(),
            Err(_) => return false,
        };
        self.offset += valid as u64;
        self.non_ascii |= !new[..valid].is_ascii();
        true
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/encoding.rs"]
mod tests;
