//! Tags: their names and attributes.

use std::ops::Range;

use super::tokens::{first_of, hashed_name, name_end, space_end, starts_name};
use crate::bytes::seek::is_space;

/// An attribute: its name and its raw value.
pub(super) struct RawXmlAttribute {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
    /// Whether the name has a prefix, or is `xmlns`.
    pub(super) has_prefix: bool,
}

/// A tag.
#[derive(Default)]
pub(super) struct XmlTag {
    pub(super) name: Range<usize>,
    /// The hash of the name.
    pub(super) hash: u64,
    pub(super) attributes: Vec<RawXmlAttribute>,
    pub(super) is_empty: bool,
    /// Whether it is not as XML has it.
    pub(super) is_broken: bool,
    /// Whether an attribute has a prefix.
    pub(super) has_prefix: bool,
}

impl XmlTag {
    /// Returns the first attribute of a name.
    pub(super) fn attribute(&self, bytes: &[u8], name: &[u8]) -> Option<&RawXmlAttribute> {
        let mut attributes = self.attributes.iter();
        attributes.find(|given| bytes[given.name.clone()] == *name)
    }
}

/// An end tag.
pub(super) struct XmlEndTag {
    /// The hash of the name.
    pub(super) hash: u64,
    /// Index after the tag.
    pub(super) end: usize,
    /// Whether it is not as XML has it.
    pub(super) is_broken: bool,
}

/// Reads the attributes from `at` on, up to the end of a tag or an instruction; returns the index after it,
/// `None` if the bytes end first.
///
/// A `<` ends a broken tag, also in a value, where XML has none, if it begins a tag: a quote that is
/// not closed hides nothing behind the next tag.
pub(super) fn read_attributes(bytes: &[u8], mut at: usize, tag: &mut XmlTag) -> Option<usize> {
    tag.attributes.clear();
    (tag.is_empty, tag.is_broken, tag.has_prefix) = (false, false, false);
    loop {
        let before = at;
        at = space_end(bytes, at);
        match *bytes.get(at)? {
            b'>' => return Some(at + 1),
            b'<' => {
                tag.is_broken = true;
                return Some(at);
            }
            b'/' | b'?' => {
                tag.is_empty = bytes.get(at + 1) == Some(&b'>');
                tag.is_broken |= !tag.is_empty && at + 1 < bytes.len();
                at += 1;
                continue;
            }
            byte if !starts_name(byte) => {
                tag.is_broken = true;
                at += 1;
                continue;
            }
            _ => tag.is_broken |= at == before,
        }
        let name = at..name_end(bytes, at);
        let equals = space_end(bytes, name.end);
        if *bytes.get(equals)? != b'=' {
            tag.is_broken = true;
            at = name.end;
            continue;
        }
        let quote = space_end(bytes, equals + 1);
        let value = match *bytes.get(quote)? {
            byte @ (b'"' | b'\'') => {
                let start = quote + 1;
                let mut end = first_of([byte, b'<'], bytes, start);
                while *bytes.get(end)? == b'<' {
                    tag.is_broken = true;
                    let next = *bytes.get(end + 1)?;
                    if next == b'/' || starts_name(next) {
                        return Some(end);
                    }
                    end = first_of([byte, b'<'], bytes, end + 1);
                }
                at = end + 1;
                start..end
            }
            _ => {
                // A value without quotes, as HTML has them.
                tag.is_broken = true;
                let is_end = |byte: &u8| is_space(*byte) || matches!(byte, b'>' | b'<');
                at = quote + bytes[quote..].iter().position(is_end)?;
                quote..at
            }
        };
        let raw = &bytes[name.clone()];
        let has_prefix = raw.contains(&b':') || raw == b"xmlns";
        tag.has_prefix |= has_prefix;
        tag.attributes.push(RawXmlAttribute {
            name,
            value,
            has_prefix,
        });
    }
}

/// Reads the start tag at `at`, a `<`; returns the index after it, `None` if the bytes end first.
pub(super) fn read_start_tag(bytes: &[u8], at: usize, tag: &mut XmlTag) -> Option<usize> {
    let (end, hash) = hashed_name(bytes, at + 1);
    (tag.name, tag.hash) = (at + 1..end, hash);
    read_attributes(bytes, end, tag)
}

/// Reads the end tag at `at`, a `</`; `None` if the bytes end first.
pub(super) fn read_end_tag(bytes: &[u8], at: usize) -> Option<XmlEndTag> {
    let (name_end, hash) = hashed_name(bytes, at + 2);
    // A tag that is not closed ends where the next one begins.
    let mut rest = bytes[name_end..].iter();
    let close = name_end + rest.position(|byte| matches!(byte, b'>' | b'<'))?;
    let is_closed = bytes[close] == b'>';
    Some(XmlEndTag {
        is_broken: !is_closed || space_end(bytes, name_end) != close,
        hash,
        end: close + usize::from(is_closed),
    })
}
