//! Tags: their names and attributes.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::names::{
    AttributeFacts, AttributeUse, KnownAttributes, NameAt, SlotSet, name_end, starts_name,
};
use super::tokens::{TokenEnd, space_end};
use crate::bytes::seek::is_space;
use crate::bytes::simd;

/// An attribute: its name and its raw value.
pub(super) struct RawXmlAttribute {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) facts: AttributeFacts,
    /// Whether the value is its text: no references, and no white space but blanks.
    pub(super) is_plain: bool,
}

/// A tag.
#[derive(Default)]
pub(super) struct XmlTag {
    pub(super) name: Range<usize>,
    pub(super) attributes: Vec<RawXmlAttribute>,
    pub(super) is_empty: bool,
    /// Whether it is not as XML has it.
    pub(super) is_broken: bool,
    /// Whether an attribute has a prefix.
    pub(super) has_prefix: bool,
}

impl XmlTag {
    /// Starts the attributes of a tag.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        self.attributes.clear();
        self.is_empty = false;
        self.is_broken = false;
        self.has_prefix = false;
    }

    #[inline(always)]
    fn push(&mut self, attribute: RawXmlAttribute) {
        self.has_prefix |= attribute.facts.has_prefix;
        self.attributes.push(attribute);
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
pub(super) fn read_attributes(
    bytes: &[u8],
    mut at: usize,
    names: &KnownAttributes,
    tag: &mut XmlTag,
) -> TokenEnd {
    tag.begin();
    loop {
        let before = at;
        at = space_end(bytes, at);
        let is_apart = at > before;
        match bytes.get(at) {
            None => return TokenEnd::Cut,
            Some(b'>') => {
                return TokenEnd::At(at + 1);
            }
            Some(b'<') => {
                tag.is_broken = true;
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
        tag.push(RawXmlAttribute {
            facts: names.facts(&bytes[name.clone()]),
            name,
            value,
            is_plain,
        });
    }
}

/// Reads the start tag at `at`, a `<`.
#[inline(never)]
pub(super) fn read_start_tag(
    bytes: &[u8],
    at: usize,
    names: &KnownAttributes,
    tag: &mut XmlTag,
) -> TokenEnd {
    tag.name = at + 1..name_end(bytes, at + 1);
    read_attributes(bytes, tag.name.end, names, tag)
}

/// Longer names are read byte by byte.
const LONGEST_COMMON: usize = 64;

/// Returns the bytes from `at` on up to a `=`, which are a name or not; none if they are many, or near
/// the end.
#[inline(always)]
fn common_name(bytes: &[u8], at: usize) -> Option<NameAt<'_>> {
    let mut end = at;
    let equals = loop {
        match simd::at(bytes, end)?.equal(b'=') {
            0 if end - at < LONGEST_COMMON => end += simd::LENGTH,
            0 => return None,
            equals => break end + equals.trailing_zeros() as usize,
        }
    };
    (equals > at).then(|| NameAt::new(bytes, at, equals))
}

/// Returns the end of the value from `at` on, its quote, and whether the value is plain; none if a `<`
/// is in it.
#[inline(always)]
fn common_value_end(bytes: &[u8], at: usize, quote: u8) -> Option<(usize, bool)> {
    let block = simd::at(bytes, at)?;
    let stops = block.any_of([quote, b'<', b'&']) | block.up_to(b'\r');
    let (end, is_plain) = match stops {
        0 => value_end(bytes, at + simd::LENGTH, quote),
        _ => (at + stops.trailing_zeros() as usize, true),
    };
    if bytes.get(end) == Some(&quote) {
        return Some((end, is_plain));
    }
    let (end, is_plain) = value_end(bytes, at, quote);
    (bytes.get(end) == Some(&quote)).then_some((end, is_plain))
}

/// A token inside a tag.
enum TagToken {
    /// The end of the tag: the index after it, and whether it ends the element too.
    End(usize, bool),
    /// The range of the name of an attribute, and its slot.
    Name(Range<usize>, usize),
}

/// Reads the token behind the name of a tag or the value of an attribute.
#[inline(never)]
fn tag_token(bytes: &[u8], before: usize, names: &mut KnownAttributes) -> Option<TagToken> {
    let at = space_end(bytes, before);
    match bytes.get(at)? {
        b'>' => return Some(TagToken::End(at + 1, false)),
        b'/' if bytes.get(at + 1) == Some(&b'>') => return Some(TagToken::End(at + 2, true)),
        // Attributes are apart.
        _ if at == before => return None,
        _ => {}
    }
    let name = common_name(bytes, at)?;
    let slot = names.meet(&name)?;
    let (_, length) = name.code();
    Some(TagToken::Name(at..at + length, slot))
}

/// Reads the start tag whose name ends at `at`, if it is as most are: quoted values without `<` behind
/// names that differ, and nothing else. [`read_start_tag`] reads others.
///
/// Attributes that cannot be of use are left out, unless `all` are wanted: those without a meaning in
/// any vocabulary, and CSS without a parenthesis, if their values need no decoding.
#[inline(never)]
pub(super) fn read_common_tag(
    bytes: &[u8],
    mut at: usize,
    names: &mut KnownAttributes,
    all: bool,
    tag: &mut XmlTag,
) -> Option<usize> {
    tag.begin();
    names.begin_tag();
    let mut seen = SlotSet::default();
    let end = loop {
        let known = match *bytes.get(at)? {
            b'>' => break at + 1,
            b' ' => names.find_short(bytes, at + 1),
            _ => None,
        };
        let (name, slot) = match known {
            Some((length, slot)) => (at + 1..at + 1 + length, slot),
            None => match tag_token(bytes, at, names)? {
                TagToken::Name(name, slot) => (name, slot),
                TagToken::End(end, is_empty) => {
                    tag.is_empty = is_empty;
                    break end;
                }
            },
        };
        let quote = *bytes.get(name.end + 1)?;
        if !matches!(quote, b'"' | b'\'') || !seen.insert(slot) {
            return None;
        }
        let start = name.end + 2;
        let (end, is_plain) = match quote {
            b'"' => common_value_end(bytes, start, b'"'),
            _ => common_value_end(bytes, start, quote),
        }?;
        at = end + 1;
        let use_of = names.use_of(slot);
        if use_of == AttributeUse::None && is_plain && !all {
            continue;
        }
        let value = start..end;
        let is_needless = use_of == AttributeUse::Css && is_plain && !all;
        if is_needless && memchr(b'(', &bytes[value.clone()]).is_none() {
            continue;
        }
        tag.push(RawXmlAttribute {
            facts: names.at(slot)?,
            name,
            value,
            is_plain,
        });
    };
    Some(end)
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

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &[
        "a",
        "id",
        "style",
        "href",
        "x:href",
        "xmlns",
        "xmlns:x",
        "d",
        "e",
        "type",
        "\u{e9}",
        "stroke",
        "a-name-of-sixteen",
        "data-a-rather-long-name",
        "another-rather-long-name",
        "stroke-width",
    ];
    const VALUES: &[&str] = &[
        "",
        "v",
        "url(#a)",
        "&amp;",
        "a\nb",
        "a value that is longer than a vector of bytes (of course)",
        "a value that is longer than a vector &amp; plain",
        "1",
    ];
    const DAMAGE: &[&str] = &[
        " ",
        "\t",
        "=",
        "\"",
        "'",
        "<",
        "<b",
        ">",
        "/",
        "1",
        " a = 'b'",
        " a=b",
        " a",
        " a='b'c='d'",
        " a=\"<\"",
    ];

    /// The ranges and facts of the attributes of a tag that are of use, or of all.
    fn shown(
        bytes: &[u8],
        tag: &XmlTag,
        all: bool,
    ) -> Vec<(Range<usize>, Range<usize>, AttributeFacts, bool)> {
        let is_of_use = |given: &&RawXmlAttribute| match given.facts.use_of {
            _ if all || !given.is_plain => true,
            AttributeUse::None => false,
            AttributeUse::Css => bytes[given.value.clone()].contains(&b'('),
            AttributeUse::Any => true,
        };
        let given = tag.attributes.iter().filter(is_of_use);
        let shown = given.map(|given| {
            (
                given.name.clone(),
                given.value.clone(),
                given.facts,
                given.is_plain,
            )
        });
        shown.collect()
    }

    #[test]
    fn common_tags_are_read_as_all_are() {
        let mut names = KnownAttributes::default();
        let (mut quick, mut slow) = (XmlTag::default(), XmlTag::default());
        let (mut state, mut common, mut full) = (1_u64, 0, 0);
        let mut below = |limit: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % limit
        };
        for number in 0..200_000 {
            let mut text = "<t".to_owned();
            for _ in 0..below(8) {
                // Now and then a name that was never met, so that the table becomes full.
                let name = NAMES[below(NAMES.len())];
                let value = VALUES[below(VALUES.len())];
                text += &match below(24) {
                    0 => format!(" n{}=\"\"", below(2_000)),
                    1 => DAMAGE[below(DAMAGE.len())].to_owned(),
                    number if number < 4 => format!("\n  {name}='{value}'"),
                    _ => format!(" {name}=\"{value}\""),
                };
            }
            text += ["/>", ">", " />", "\" >"][below(4)];
            text += &"<c d='e'>".repeat(below(8));
            let (bytes, all) = (text.as_bytes(), number % 3 == 0);
            let Some(end) = read_common_tag(bytes, 2, &mut names, all, &mut quick) else {
                full += usize::from(names.is_full());
                continue;
            };
            assert_eq!(
                read_start_tag(bytes, 0, &names, &mut slow),
                TokenEnd::At(end),
                "{text:?}"
            );
            assert!(!slow.is_broken, "{text:?}");
            assert_eq!(quick.is_empty, slow.is_empty, "{text:?}");
            assert_eq!(
                shown(bytes, &quick, true),
                shown(bytes, &slow, all),
                "{text:?}"
            );
            common += usize::from(!slow.attributes.is_empty());
        }
        assert!(common > 50_000, "{common}");
        assert!(full > 10, "{full}");
        // Of well-formed tags none is left.
        for tag in [
            "<t a=\"1\" b='2'>",
            "<t\n  x:href=\"&amp;\"\n  id='a' />",
            "<t/>",
            "<t >",
        ] {
            let text = [tag, &"x".repeat(64)].concat();
            let end = read_common_tag(text.as_bytes(), 2, &mut names, false, &mut quick);
            assert_eq!(end, Some(tag.len()), "{tag}");
        }
    }
}
