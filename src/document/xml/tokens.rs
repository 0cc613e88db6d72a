//! Tokens of XML 1.0 in a window: names, tags with their attributes, and the DOCTYPE with the entities and
//! system identifiers that it declares.

use std::ops::Range;

use memchr::memmem;

use crate::bytes::class::{ByteSet, run_end, split_once};
use crate::bytes::seek::{is_space, skip_space};
use crate::bytes::simd;

/// The bytes of names; non-ASCII ones are not checked.
static IN_NAME: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._:").with_range(0x80, 0xFF);

#[inline]
pub(super) fn starts_name(byte: u8) -> bool {
    IN_NAME.contains(byte) && !matches!(byte, b'0'..=b'9' | b'-' | b'.')
}

#[inline]
pub(super) fn name_end(bytes: &[u8], at: usize) -> usize {
    hashed_name(bytes, at).0
}

pub(super) fn split_name(name: &[u8]) -> (&[u8], &[u8]) {
    match split_once(name, b':') {
        (prefix, Some(local)) => (prefix, local),
        (local, None) => (b"", local),
    }
}

/// Returns the end of the name at `at`, and a hash of it (FNV-1a).
#[inline]
pub(super) fn hashed_name(bytes: &[u8], mut at: usize) -> (usize, u64) {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    while at < bytes.len() && IN_NAME.contains(bytes[at]) {
        hash = (hash ^ u64::from(bytes[at])).wrapping_mul(0x100_0000_01B3);
        at += 1;
    }
    (at, hash)
}

pub(super) fn end_of(bytes: &[u8], at: usize, marker: &[u8]) -> Option<usize> {
    let found = memmem::find(&bytes[at.min(bytes.len())..], marker)?;
    Some(at + found + marker.len())
}

#[inline(always)]
pub(super) fn first_of<const N: usize>(ends: [u8; N], bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = simd::at(bytes, at) {
        let found = block.any_of(ends);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += simd::LENGTH;
    }
    let rest = bytes[at..].iter().position(|byte| ends.contains(byte));
    rest.map_or(bytes.len(), |length| at + length)
}

pub(super) struct RawXmlAttribute {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
    /// Whether the name has a prefix, or is `xmlns`.
    pub(super) has_prefix: bool,
}

#[derive(Default)]
pub(super) struct XmlTag {
    pub(super) name: Range<usize>,
    pub(super) hash: u64,
    pub(super) attributes: Vec<RawXmlAttribute>,
    pub(super) is_empty: bool,
    /// Whether it violates the grammar.
    pub(super) is_broken: bool,
    pub(super) has_prefix: bool,
}

impl XmlTag {
    pub(super) fn attribute(&self, bytes: &[u8], name: &[u8]) -> Option<&RawXmlAttribute> {
        let mut attributes = self.attributes.iter();
        attributes.find(|given| bytes[given.name.clone()] == *name)
    }
}

pub(super) struct XmlEndTag {
    pub(super) hash: u64,
    pub(super) end: usize,
    /// Whether it violates the grammar.
    pub(super) is_broken: bool,
}

/// Reads the attributes from `at` on, up to the end of a tag or an instruction; returns the index after
/// it, `None` if the bytes end first.
///
/// A `<` that begins a tag ends a broken tag, even in a value, where XML forbids it: an unclosed quote
/// hides nothing past the next tag.
pub(super) fn read_attributes(bytes: &[u8], mut at: usize, tag: &mut XmlTag) -> Option<usize> {
    tag.attributes.clear();
    (tag.is_empty, tag.is_broken, tag.has_prefix) = (false, false, false);
    loop {
        let before = at;
        at = skip_space(bytes, at);
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
        let equals = skip_space(bytes, name.end);
        if *bytes.get(equals)? != b'=' {
            tag.is_broken = true;
            at = name.end;
            continue;
        }
        let quote = skip_space(bytes, equals + 1);
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
        is_broken: !is_closed || skip_space(bytes, name_end) != close,
        hash,
        end: close + usize::from(is_closed),
    })
}

pub(super) enum Declaration<'a> {
    /// A general entity with a literal value, empty for an external one, which is never loaded.
    Entity(&'a [u8], &'a [u8]),
    /// An external subset or a parameter entity, which may declare more and is never loaded.
    Open,
    /// A system identifier, of the DOCTYPE or of a declaration inside, with its keyword.
    System(&'static str, Range<usize>),
}

/// Maximum number of words and literals of a declaration in the DOCTYPE; further ones are skipped.
const MOST_WORDS: usize = 8;

/// Reads the DOCTYPE at `at`, a `<!`; returns the index after it, `None` if the bytes end first.
pub(super) fn read_doctype<'a>(
    bytes: &'a [u8],
    at: usize,
    found: &mut Vec<Declaration<'a>>,
) -> Option<usize> {
    let (mut at, mut is_inside) = (at + 2, false);
    // The words and literals of the declaration that is open.
    let mut words: Vec<Range<usize>> = Vec::new();
    loop {
        at = skip_space(bytes, at);
        let byte = *bytes.get(at)?;
        match byte {
            b'[' | b']' | b'<'
                if !bytes[at..].starts_with(b"<!--") && !bytes[at..].starts_with(b"<?") =>
            {
                if byte == b'[' && !is_inside {
                    declare(bytes, &words, found);
                }
                is_inside = byte != b']' && (is_inside || byte == b'[');
                words.clear();
                at += 1;
            }
            b'"' | b'\'' => {
                let literal = at + 1..at + 1 + memchr::memchr(byte, &bytes[at + 1..])?;
                at = literal.end + 1;
                if words.len() < MOST_WORDS {
                    words.push(literal);
                }
            }
            b'<' => {
                let marker: &[u8] = match bytes[at + 1] {
                    b'!' => b"-->",
                    _ => b"?>",
                };
                at = end_of(bytes, at + 1 + marker.len(), marker)?;
            }
            b'>' => {
                at += 1;
                declare(bytes, &words, found);
                if !is_inside {
                    return Some(at);
                }
                words.clear();
            }
            _ => {
                let is_part = |byte| !is_space(byte) && !b"<>[]\"'".contains(&byte);
                let end = run_end(bytes, at, is_part);
                // References to parameter entities are between declarations.
                if is_inside && byte == b'%' && words.is_empty() {
                    found.push(Declaration::Open);
                } else if words.len() < MOST_WORDS {
                    words.push(at..end);
                }
                at = end;
            }
        }
    }
}

fn declare<'a>(bytes: &'a [u8], words: &[Range<usize>], found: &mut Vec<Declaration<'a>>) {
    let is_literal = |word: &Range<usize>| matches!(bytes[word.start - 1], b'"' | b'\'');
    let is = |word: &Range<usize>, text: &[u8]| bytes[word.clone()] == *text;
    let system = match words {
        [.., keyword, system] if is(keyword, b"SYSTEM") && is_literal(system) => Some(system),
        [.., keyword, public, system]
            if is(keyword, b"PUBLIC") && is_literal(public) && is_literal(system) =>
        {
            Some(system)
        }
        _ => None,
    };
    // The words of the DOCTYPE begin after its `<!`.
    let keyword = match words.first().map(|word| &bytes[word.clone()]) {
        Some(b"DOCTYPE") => "doctype",
        Some(b"!ENTITY") => "entity",
        Some(b"!NOTATION") => "notation",
        _ => return,
    };
    found.extend(system.map(|system| Declaration::System(keyword, system.clone())));
    match (keyword, words) {
        ("doctype", _) if system.is_some() => found.push(Declaration::Open),
        ("entity", [_, name, rest @ ..]) if !is(name, b"%") => {
            let value = match rest {
                [literal] if is_literal(literal) => &bytes[literal.clone()],
                _ => b"",
            };
            found.push(Declaration::Entity(&bytes[name.clone()], value));
        }
        _ => {}
    }
}
