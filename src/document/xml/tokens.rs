//! Tokens of XML 1.0 in a window: where text, tags, comments and declarations end.

use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::bytes::seek::is_space;
use crate::bytes::simd;

/// An attribute: its name and its raw value.
pub(super) struct RawXmlAttribute {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
    /// Whether the name has a prefix, or is `xmlns`.
    pub(super) has_prefix: bool,
    /// Whether the value is its text: no references, and no white space but blanks.
    pub(super) is_plain: bool,
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
    /// Whether an attribute has a prefix.
    pub(super) has_prefix: bool,
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
    #[inline]
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

const STARTS: u8 = 1;
const CONTINUES: u8 = 2;
const COLON: u8 = 4;

/// The class of each byte in a name; bytes beyond ASCII are taken to be right.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        if letter.is_ascii_alphabetic() || matches!(letter, b'_' | b':' | 0x80..) {
            class[byte] = STARTS | CONTINUES;
        } else if letter.is_ascii_digit() || matches!(letter, b'-' | b'.') {
            class[byte] = CONTINUES;
        }
        byte += 1;
    }
    class[b':' as usize] |= COLON;
    class
};

/// Whether a byte may begin a name.
#[inline]
pub(super) fn starts_name(byte: u8) -> bool {
    CLASS[byte as usize] & STARTS != 0
}

#[inline]
fn name_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && CLASS[bytes[at] as usize] & CONTINUES != 0 {
        at += 1;
    }
    at
}

/// Returns the end of a name, and whether it has a colon.
#[inline(always)]
fn attribute_name_end(bytes: &[u8], at: usize) -> (usize, bool) {
    let mut classes = 0;
    let rest = bytes[at..].iter();
    let length = rest
        .take_while(|&&byte| {
            let class = CLASS[byte as usize];
            let continues = class & CONTINUES != 0;
            classes |= class;
            continues
        })
        .count();
    (at + length, classes & COLON != 0)
}

#[inline]
fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// Returns the index after `marker`, from `at` on.
pub(super) fn end_of(bytes: &[u8], at: usize, marker: &[u8]) -> TokenEnd {
    match memmem::find(&bytes[at.min(bytes.len())..], marker) {
        Some(found) => TokenEnd::At(at + found + marker.len()),
        None => TokenEnd::Cut,
    }
}

/// Returns the index of the first `<`, `&`, `]`, CR or control character from `at` on, or the length.
#[inline]
pub(super) fn text_end(bytes: &[u8], mut at: usize) -> usize {
    let is_end = |byte: u8| matches!(byte, b'<' | b'&' | b']' | b'\r' | 0);
    while let Some(block) = simd::at(bytes, at) {
        let ends = block.equal(b'<')
            | block.equal(b'&')
            | block.equal(b']')
            | block.equal(b'\r')
            | block.equal(0);
        if ends != 0 {
            return at + ends.trailing_zeros() as usize;
        }
        at += simd::LENGTH;
    }
    let rest = bytes[at..].iter().position(|&byte| is_end(byte));
    rest.map_or(bytes.len(), |length| at + length)
}

/// Returns the index of the first `quote` or `<` from `at` on, or the length, and whether all before it
/// is plain.
#[inline(always)]
fn value_end(bytes: &[u8], mut at: usize, quote: u8) -> (usize, bool) {
    let mut odd = 0;
    while let Some(block) = simd::at(bytes, at) {
        let ends = block.equal(quote) | block.equal(b'<');
        let unlike = block.equal(b'&') | block.up_to(b'\r');
        if ends != 0 {
            let length = ends.trailing_zeros();
            odd |= unlike & ((1 << length) - 1);
            return (at + length as usize, odd == 0);
        }
        odd |= unlike;
        at += simd::LENGTH;
    }
    let rest = &bytes[at..];
    let length = memchr2(quote, b'<', rest).unwrap_or(rest.len());
    let is_odd = |&byte: &u8| byte == b'&' || byte <= b'\r';
    (at + length, odd == 0 && !rest[..length].iter().any(is_odd))
}

/// Reads the attributes from `at` on, up to the end of a tag or an instruction.
///
/// A `<` ends a broken tag, also in a value, where XML has none, if it begins a tag: a quote that is
/// not closed hides nothing behind the next tag.
pub(super) fn read_attributes(bytes: &[u8], mut at: usize, tag: &mut XmlTag) -> TokenEnd {
    tag.attributes.clear();
    tag.is_empty = false;
    tag.is_broken = false;
    tag.has_prefix = false;
    loop {
        let before = at;
        // One blank, as a rule.
        at += usize::from(bytes.get(at) == Some(&b' '));
        if bytes.get(at).is_some_and(|&byte| is_space(byte)) {
            at = space_end(bytes, at);
        }
        let is_apart = at > before;
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
        let (end, has_colon) = attribute_name_end(bytes, at);
        let name = at..end;
        let equals = match bytes.get(end) {
            Some(b'=') => end,
            _ => space_end(bytes, end),
        };
        match bytes.get(equals) {
            None => return TokenEnd::Cut,
            Some(b'=') => {}
            Some(_) => {
                tag.is_broken = true;
                at = name.end;
                continue;
            }
        }
        let quote = match bytes.get(equals + 1) {
            Some(b'"' | b'\'') => equals + 1,
            _ => space_end(bytes, equals + 1),
        };
        let (value, is_plain) = match bytes.get(quote) {
            None => return TokenEnd::Cut,
            Some(&byte @ (b'"' | b'\'')) => {
                let start = quote + 1;
                let (mut end, mut is_plain) = value_end(bytes, start, byte);
                let is_tag = loop {
                    match bytes.get(end) {
                        None => return TokenEnd::Cut,
                        Some(&stop) if stop == byte => break false,
                        Some(_) => {}
                    }
                    let Some(&next) = bytes.get(end + 1) else {
                        return TokenEnd::Cut;
                    };
                    tag.is_broken = true;
                    if next == b'/' || starts_name(next) {
                        break true;
                    }
                    let more = value_end(bytes, end + 1, byte);
                    (end, is_plain) = (more.0, is_plain && more.1);
                };
                if is_tag {
                    at = end;
                    continue;
                }
                at = end + 1;
                (start..end, is_plain)
            }
            Some(_) => {
                // A value without quotes, as HTML has them.
                tag.is_broken = true;
                let is_end = |byte: &u8| is_space(*byte) || matches!(byte, b'>' | b'<');
                let Some(length) = bytes[quote..].iter().position(is_end) else {
                    return TokenEnd::Cut;
                };
                at = quote + length;
                (quote..at, memchr(b'&', &bytes[quote..at]).is_none())
            }
        };
        let has_prefix = has_colon || name.len() == 5 && bytes[name.clone()] == *b"xmlns";
        tag.has_prefix |= has_prefix;
        tag.attributes.push(RawXmlAttribute {
            name,
            value,
            has_prefix,
            is_plain,
        });
    }
}

/// Returns the index after the start tag at `at`, if it is no more than a name.
#[inline(always)]
pub(super) fn simple_tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = name_end(bytes, at + 1);
    (bytes.get(end) == Some(&b'>')).then_some(end + 1)
}

/// Reads the start tag at `at`, a `<`.
#[inline]
pub(super) fn read_start_tag(bytes: &[u8], at: usize, tag: &mut XmlTag) -> TokenEnd {
    let end = name_end(bytes, at + 1);
    tag.name = at + 1..end;
    match bytes.get(end) {
        None => TokenEnd::Cut,
        Some(b'>') => {
            tag.attributes.clear();
            tag.is_empty = false;
            tag.is_broken = false;
            tag.has_prefix = false;
            tag.end = end + 1;
            TokenEnd::At(end + 1)
        }
        Some(_) => read_attributes(bytes, end, tag),
    }
}

/// Whether two attributes of a tag have the same name, which XML does not allow (XML 1.0, 3.1).
pub(super) fn has_duplicates(bytes: &[u8], tag: &XmlTag) -> bool {
    /// Fewer names are compared each with each, if a byte of them is the same.
    const FEW: usize = 32;
    let names = tag.attributes.iter();
    let mut names = names.map(|attribute| &bytes[attribute.name.clone()]);
    if tag.attributes.len() > FEW {
        let mut seen = HashSet::with_capacity(tag.attributes.len());
        return names.any(|name| !seen.insert(name));
    }
    let mut seen = 0_u64;
    for (index, name) in names.enumerate() {
        let last = name.last().copied().unwrap_or_default();
        let bit = 1 << ((usize::from(last) ^ name.len() << 3) % 64);
        if seen & bit != 0 {
            let mut before = tag.attributes[..index].iter();
            if before.any(|attribute| bytes[attribute.name.clone()] == *name) {
                return true;
            }
        }
        seen |= bit;
    }
    false
}

/// Reads the end tag at `at`, a `</`; none if the bytes end first.
#[inline]
pub(super) fn read_end_tag(bytes: &[u8], at: usize) -> Option<XmlEndTag> {
    let name = at + 2..name_end(bytes, at + 2);
    if bytes.get(name.end) == Some(&b'>') {
        let end = name.end + 1;
        return Some(XmlEndTag {
            name,
            end,
            is_broken: false,
        });
    }
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
    /// A system identifier, of the DOCTYPE or of a declaration inside.
    System {
        keyword: &'static str,
        identifier: Range<usize>,
    },
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
            b'[' | b']' | b'<'
                if !bytes[at..].starts_with(b"<!--") && !bytes[at..].starts_with(b"<?") =>
            {
                if byte == b'[' && !is_inside {
                    declared(bytes, &words, &mut found);
                }
                is_inside = byte != b']' && (is_inside || byte == b'[');
                words.clear();
                at += 1;
            }
            b'"' | b'\'' => {
                let Some(length) = memchr(byte, &bytes[at + 1..]) else {
                    return TokenEnd::Cut;
                };
                let literal = at + 1..at + 1 + length;
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
                match end_of(bytes, at + 1 + marker.len(), marker) {
                    TokenEnd::At(end) => at = end,
                    cut @ TokenEnd::Cut => return cut,
                }
            }
            b'>' => {
                at += 1;
                declared(bytes, &words, &mut found);
                if !is_inside {
                    return TokenEnd::At(at);
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

/// Passes on what the words of a declaration in the DOCTYPE, or of the DOCTYPE itself, say.
fn declared<'a>(bytes: &'a [u8], words: &[Range<usize>], found: &mut impl FnMut(Declaration<'a>)) {
    let is_literal = |word: &Range<usize>| matches!(bytes[word.start - 1], b'"' | b'\'');
    let is = |word: Option<&Range<usize>>, text: &[u8]| {
        word.is_some_and(|word| bytes[word.clone()] == *text)
    };
    let system = match words {
        [.., keyword, system] if is(Some(keyword), b"SYSTEM") && is_literal(system) => Some(system),
        [.., keyword, public, system]
            if is(Some(keyword), b"PUBLIC") && is_literal(public) && is_literal(system) =>
        {
            Some(system)
        }
        _ => None,
    };
    // The words of the DOCTYPE begin behind its `<!`.
    let keyword = match words.first().map(|word| &bytes[word.clone()]) {
        Some(b"DOCTYPE") => "doctype",
        Some(b"!ENTITY") => "entity",
        Some(b"!NOTATION") => "notation",
        _ => return,
    };
    if let Some(system) = system {
        let identifier = system.clone();
        found(Declaration::System {
            keyword,
            identifier,
        });
    }
    match (keyword, words) {
        ("doctype", _) if system.is_some() => found(Declaration::Open),
        ("entity", [_, name, rest @ ..]) if !is(Some(name), b"%") => {
            let value = match rest {
                [literal] if is_literal(literal) => &bytes[literal.clone()],
                _ => b"",
            };
            found(Declaration::Entity(&bytes[name.clone()], value));
        }
        _ => {}
    }
}
