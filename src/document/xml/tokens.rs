//! Tokens of XML 1.0 in a window: where tags, comments, instructions and sections end.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::bytes::seek::is_space;

/// An attribute: its name and its raw value.
pub(super) struct RawXmlAttribute {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

/// A tag.
#[derive(Default)]
pub(super) struct XmlTag {
    pub(super) name: Range<usize>,
    pub(super) attributes: Vec<RawXmlAttribute>,
    pub(super) is_empty: bool,
    /// Index after the tag.
    pub(super) end: usize,
    /// Whether it is not as XML has it.
    pub(super) is_broken: bool,
}

/// The end of a token, if the bytes have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenEnd {
    /// The index after it.
    At(usize),
    /// The bytes end first.
    Cut,
}

impl TokenEnd {
    /// Returns the index after it, if the bytes have it.
    pub(super) fn index(self) -> Option<usize> {
        match self {
            TokenEnd::At(end) => Some(end),
            TokenEnd::Cut => None,
        }
    }
}

/// An end tag.
#[derive(Default)]
pub(super) struct XmlEndTag {
    pub(super) name: Range<usize>,
    /// Index after the tag.
    pub(super) end: usize,
    /// Whether it is not as XML has it.
    pub(super) is_broken: bool,
}

/// Whether a byte may begin a name.
pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..)
}

fn is_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
}

fn name_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].iter().position(|&byte| !is_name(byte));
    rest.map_or(bytes.len(), |length| at + length)
}

fn space_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].iter().position(|&byte| !is_space(byte));
    rest.map_or(bytes.len(), |length| at + length)
}

/// Returns the index after `marker`, from `at` on.
pub(super) fn end_of(bytes: &[u8], at: usize, marker: &[u8]) -> TokenEnd {
    match memmem::find(&bytes[at.min(bytes.len())..], marker) {
        Some(found) => TokenEnd::At(at + found + marker.len()),
        None => TokenEnd::Cut,
    }
}

/// Reads the attributes from `at` on, up to the end of a tag or an instruction.
///
/// A `<` ends a broken tag, also in a value, where XML has none, if it begins a tag: a quote that is
/// not closed hides nothing behind the next tag.
pub(super) fn read_attributes(bytes: &[u8], mut at: usize, tag: &mut XmlTag) -> TokenEnd {
    tag.attributes.clear();
    tag.is_empty = false;
    tag.is_broken = false;
    loop {
        let blank = space_end(bytes, at);
        let is_apart = blank > at;
        at = blank;
        match bytes.get(at) {
            None => return TokenEnd::Cut,
            Some(b'>') => {
                tag.end = at + 1;
                return TokenEnd::At(tag.end);
            }
            Some(b'<') => {
                tag.is_broken = true;
                tag.end = at;
                return TokenEnd::At(at);
            }
            Some(b'/' | b'?') => {
                tag.is_empty = bytes.get(at + 1) == Some(&b'>');
                tag.is_broken |= !tag.is_empty && at + 1 < bytes.len();
                at += 1;
                continue;
            }
            Some(&byte) if !starts_name(byte) => {
                tag.is_broken = true;
                at += 1;
                continue;
            }
            Some(_) => {}
        }
        tag.is_broken |= !is_apart;
        let name = at..name_end(bytes, at);
        let equals = space_end(bytes, name.end);
        match bytes.get(equals) {
            None => return TokenEnd::Cut,
            Some(b'=') => {}
            Some(_) => {
                tag.is_broken = true;
                at = name.end;
                continue;
            }
        }
        let quote = space_end(bytes, equals + 1);
        match bytes.get(quote) {
            None => return TokenEnd::Cut,
            Some(&byte @ (b'"' | b'\'')) => {
                let start = quote + 1;
                at = start;
                let is_tag = loop {
                    let Some(length) = memchr2(byte, b'<', &bytes[at..]) else {
                        return TokenEnd::Cut;
                    };
                    at += length;
                    if bytes[at] == byte {
                        break false;
                    }
                    let Some(&next) = bytes.get(at + 1) else {
                        return TokenEnd::Cut;
                    };
                    tag.is_broken = true;
                    if next == b'/' || starts_name(next) {
                        break true;
                    }
                    at += 1;
                };
                if is_tag {
                    continue;
                }
                let value = start..at;
                at += 1;
                tag.attributes.push(RawXmlAttribute { name, value });
            }
            Some(_) => {
                // A value without quotes, as HTML has them.
                tag.is_broken = true;
                let is_end = |byte: &u8| is_space(*byte) || matches!(byte, b'>' | b'<');
                let Some(length) = bytes[quote..].iter().position(is_end) else {
                    return TokenEnd::Cut;
                };
                let value = quote..quote + length;
                at = value.end;
                tag.attributes.push(RawXmlAttribute { name, value });
            }
        }
    }
}

/// Reads the start tag at `at`, a `<`.
pub(super) fn read_start_tag(bytes: &[u8], at: usize, tag: &mut XmlTag) -> TokenEnd {
    tag.name = at + 1..name_end(bytes, at + 1);
    if tag.name.end == bytes.len() {
        return TokenEnd::Cut;
    }
    read_attributes(bytes, tag.name.end, tag)
}

/// Reads the end tag at `at`, a `</`; none if the bytes end first.
pub(super) fn read_end_tag(bytes: &[u8], at: usize) -> Option<XmlEndTag> {
    let name = at + 2..name_end(bytes, at + 2);
    // A tag that is not closed ends where the next one begins.
    let close = name.end + memchr2(b'>', b'<', &bytes[name.end..])?;
    let is_closed = bytes[close] == b'>';
    Some(XmlEndTag {
        is_broken: !is_closed || space_end(bytes, name.end) != close,
        name,
        end: close + usize::from(is_closed),
    })
}

/// A declaration in the DOCTYPE.
pub(super) enum Declaration<'a> {
    /// A general entity with a literal value. That of an external one is empty: it is never loaded.
    Entity(&'a [u8], &'a [u8]),
    /// An external subset or a parameter entity, which may declare more and is never loaded.
    Open,
}

/// Words and literals of a declaration in the DOCTYPE beyond this number are passed over.
const MOST_WORDS: usize = 8;

/// Reads the DOCTYPE at `at`, a `<!`.
pub(super) fn read_doctype<'a>(
    bytes: &'a [u8],
    at: usize,
    mut found: impl FnMut(Declaration<'a>),
) -> TokenEnd {
    let mut is_inside = false;
    let mut at = at + 2;
    // The words and literals of the declaration that is open.
    let mut words: Vec<Range<usize>> = Vec::new();
    loop {
        at = space_end(bytes, at);
        let Some(&byte) = bytes.get(at) else {
            return TokenEnd::Cut;
        };
        match byte {
            b'[' => {
                is_inside = true;
                words.clear();
                at += 1;
            }
            b']' => {
                is_inside = false;
                words.clear();
                at += 1;
            }
            b'"' | b'\'' => {
                let Some(length) = memchr(byte, &bytes[at + 1..]) else {
                    return TokenEnd::Cut;
                };
                let literal = at + 1..at + 1 + length;
                at = literal.end + 1;
                if !is_inside {
                    found(Declaration::Open);
                }
                if words.len() < MOST_WORDS {
                    words.push(literal);
                }
            }
            b'<' if bytes[at..].starts_with(b"<!--") => match end_of(bytes, at + 4, b"-->") {
                TokenEnd::At(end) => at = end,
                cut @ TokenEnd::Cut => return cut,
            },
            b'<' if bytes[at..].starts_with(b"<?") => match end_of(bytes, at + 2, b"?>") {
                TokenEnd::At(end) => at = end,
                cut @ TokenEnd::Cut => return cut,
            },
            b'<' => {
                words.clear();
                at += 1;
            }
            b'>' => {
                at += 1;
                if !is_inside {
                    return TokenEnd::At(at);
                }
                if let [kind, name, rest @ ..] = &words[..]
                    && bytes[kind.clone()] == *b"!ENTITY"
                {
                    let is_literal =
                        |word: &Range<usize>| matches!(bytes[word.start - 1], b'"' | b'\'');
                    let value = match rest {
                        [literal] if is_literal(literal) => &bytes[literal.clone()],
                        _ => b"",
                    };
                    found(Declaration::Entity(&bytes[name.clone()], value));
                }
                words.clear();
            }
            _ => {
                let is_end = |byte: &u8| is_space(*byte) || b"<>[]\"'".contains(byte);
                let length = bytes[at..].iter().position(is_end);
                let end = length.map_or(bytes.len(), |length| at + length);
                // References to parameter entities stand between declarations.
                if is_inside && byte == b'%' && words.is_empty() {
                    found(Declaration::Open);
                } else if words.len() < MOST_WORDS {
                    words.push(at..end);
                }
                at = end;
            }
        }
    }
}
