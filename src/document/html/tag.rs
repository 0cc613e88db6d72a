//! Tags and their attributes (WHATWG HTML 13.2.5.32 to 13.2.5.40), read in two ways.
//!
//! [`Attributes`] reads any tag. [`scan_tags`] is the fast path over text, end tags and start tags
//! without references, most of a document: it classifies each with a few operations on sixteen
//! bytes, and leaves every tag that is not plain to the tokenizer.

use std::ops::Range;

use super::attributes::{AttributeRow, ElementNamespace, EnabledRows, row};
use super::names::{Attribute, Element};
use super::value_syntax::LIMIT;
use crate::bytes::seek::{self, is_space};
use crate::bytes::simd::{self, Block};

/// A start tag with the attributes that have a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Tag {
    pub(super) start: usize,
    pub(super) name: Range<usize>,
    pub(super) element: Element,
    pub(super) space: ElementNamespace,
    pub(super) attributes: Vec<KnownAttribute>,
    pub(super) self_closing: bool,
    /// Index after the `>`, or of an incomplete attribute.
    pub(super) end: usize,
    /// Whether the tag is read in pieces: its attributes so far are enough.
    pub(super) in_pieces: bool,
}

#[derive(Clone, Debug)]
pub(super) struct KnownAttribute {
    pub(super) name: Attribute,
    pub(super) row: &'static AttributeRow,
    pub(super) value: Range<usize>,
}

impl Tag {
    pub(super) fn is_meta(&self) -> bool {
        self.element == Element::Meta && self.space == ElementNamespace::Html
    }

    pub(super) fn is_base(&self) -> bool {
        self.element == Element::Base
            && self.space == ElementNamespace::Html
            && self.value(Attribute::Href).is_some()
    }

    pub(super) fn value(&self, attribute: Attribute) -> Option<Range<usize>> {
        let mut attributes = self.attributes.iter();
        let found = attributes.find(|known| known.name == attribute)?;
        Some(found.value.clone())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TagStep {
    /// An attribute. Without a value, `value` is the empty range after the name.
    Attribute {
        name: Range<usize>,
        value: Range<usize>,
    },
    /// The end of the tag; the index is after its `>`.
    End { end: usize, self_closing: bool },
    /// The bytes end first; the index is the incomplete attribute's.
    Cut(usize),
}

/// Reads the attributes of a tag from `at`, the end of the tag's name or of an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Attributes { bytes, at }
    }

    #[inline(always)]
    pub(super) fn step(&mut self) -> TagStep {
        self.usual(|_| true).unwrap_or_else(|| self.any_step())
    }

    /// Reads `>`, or the next attribute that is wanted by the last three bytes of its name and `=`; `None` at
    /// anything but ` name="value"` with a name of up to 16 letters and hyphens.
    #[inline(always)]
    fn usual(&mut self, is_wanted: impl Fn(u32) -> bool) -> Option<TagStep> {
        let bytes = self.bytes;
        loop {
            let at = self.at;
            // From the byte before, which is the third from last with a name of one byte.
            let near: &[u8; 53] = bytes.get(at.wrapping_sub(1)..)?.first_chunk()?;
            match near[1] {
                b' ' => {}
                b'>' => {
                    let (end, self_closing) = (at + 1, false);
                    return Some(TagStep::End { end, self_closing });
                }
                _ => return None,
            }
            let block = Block::new(near[2..].first_chunk()?);
            let ends = block.outside(b'@', 0x7F).bits() ^ block.equal(b'-') | 1 << simd::LENGTH;
            let length = ends.trailing_zeros() as usize;
            if length == 0 || near[length + 2..][..2] != *b"=\"" {
                return None;
            }
            let start = at + length + 3;
            let quotes = |at: usize| Some(Block::new(near[at..].first_chunk()?).equal(b'"'));
            let end = match quotes(length + 4)? | quotes(length + 20)? << 16 {
                0 => Some(seek::next(b'"', bytes, start + 32)).filter(|&end| end < bytes.len())?,
                mask => start + mask.trailing_zeros() as usize,
            };
            self.at = end + 1;
            if is_wanted(u32::from_le_bytes(*near[length - 1..].first_chunk()?)) {
                let (name, value) = (at + 1..start - 2, start..end);
                return Some(TagStep::Attribute { name, value });
            }
        }
    }

    #[inline(never)]
    fn any_step(&mut self) -> TagStep {
        let bytes = self.bytes;
        let start = seek::skip_separators(bytes, self.at);
        let Some(&first) = bytes.get(start) else {
            // `/` belongs to the end of the tag if `>` follows.
            return TagStep::Cut(self.at);
        };
        if first == b'>' {
            let self_closing = start > self.at && bytes[start - 1] == b'/';
            let end = start + 1;
            return TagStep::End { end, self_closing };
        }
        // The first byte may be anything, even `=`.
        let name = start..seek::attribute_name_end(bytes, start + 1);
        let equals = seek::skip_space(bytes, name.end);
        let (value, next) = match bytes.get(equals) {
            Some(b'=') => {
                let at = seek::skip_space(bytes, equals + 1);
                match bytes.get(at) {
                    Some(&quote @ (b'"' | b'\'')) => {
                        let end = seek::next(quote, bytes, at + 1);
                        (at + 1..end, end + 1)
                    }
                    // A missing value: `<a href=>`.
                    Some(b'>') => (at..at, at),
                    _ => {
                        let end = seek::bare_value_end(bytes, at);
                        (at..end, end)
                    }
                }
            }
            Some(_) => (name.end..name.end, name.end),
            None => return TagStep::Cut(start),
        };
        if value.end == bytes.len() {
            return TagStep::Cut(start);
        }
        self.at = next;
        TagStep::Attribute { name, value }
    }
}

/// Returns the values of the attributes with these names, and the index after the `>`, of a tag whose
/// name ends at `at`. The first of several attributes with one name is used.
pub(super) fn named_values<const N: usize>(
    bytes: &[u8],
    at: usize,
    names: [&[u8]; N],
) -> ([Option<Range<usize>>; N], Option<usize>) {
    let mut values = [const { None }; N];
    let mut attributes = Attributes::new(bytes, at);
    loop {
        match attributes.step() {
            TagStep::Attribute { name, value } => {
                let name = &bytes[name];
                if let Some(known) = names.iter().position(|it| it.eq_ignore_ascii_case(name)) {
                    values[known].get_or_insert(value);
                }
            }
            TagStep::End { end, .. } => return (values, Some(end)),
            TagStep::Cut(_) => return (values, None),
        }
    }
}

pub(super) fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    named_values(bytes, at, []).1
}

/// The bit that makes ASCII letters lower case, in each byte. Control characters become digits and
/// punctuation, but they end a name here.
const LOWER: u64 = 0x2020_2020_2020_2020;

/// A filter of attribute names after a blank: the hashes of their last three bytes, in lower case, and `=`.
#[derive(Clone, Copy, Debug, Default)]
struct SuffixFilter([u64; 16]);

impl SuffixFilter {
    fn of(attributes: impl Iterator<Item = &'static Attribute>) -> Self {
        let mut filter = SuffixFilter::default();
        for attribute in attributes {
            let suffix = match *attribute.name().as_bytes() {
                [.., one, two, three] => [one, two, three, b'='],
                [one, two] => [b' ', one, two, b'='],
                _ => return SuffixFilter([u64::MAX; 16]),
            };
            let bit = Self::bit(u32::from_le_bytes(suffix));
            filter.0[bit / 64] |= 1 << (bit % 64);
        }
        filter
    }

    /// Whether a name with this end, in any case, may be one of the filter's.
    #[inline(always)]
    fn has(&self, suffix: u32) -> bool {
        let bit = Self::bit(suffix);
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    #[inline(always)]
    fn bit(suffix: u32) -> usize {
        ((suffix | LOWER as u32).wrapping_mul(0x9E37_79B1) >> 22) as usize
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AttributeNames {
    filter: SuffixFilter,
    enabled: EnabledRows,
}

impl AttributeNames {
    pub(super) fn new(enabled: EnabledRows) -> Self {
        AttributeNames {
            filter: SuffixFilter::of(enabled.attributes()),
            enabled,
        }
    }

    /// Reads the attributes that have an enabled row, the first of each name; returns false if the bytes end first.
    #[inline(never)]
    pub(super) fn read(&self, bytes: &[u8], tag: &mut Tag) -> bool {
        let mut attributes = Attributes::new(bytes, tag.name.end);
        tag.attributes.clear();
        loop {
            let usual = attributes.usual(|suffix| self.filter.has(suffix));
            match usual.unwrap_or_else(|| attributes.any_step()) {
                TagStep::Attribute { name, value } => {
                    let name = Attribute::at(bytes, name.start, name.end);
                    if let Some(row) = row(tag.space, tag.element, name)
                        && self.enabled.has(row)
                        && tag.value(name).is_none()
                    {
                        tag.attributes.push(KnownAttribute { name, row, value });
                    }
                }
                TagStep::End { end, self_closing } => {
                    tag.end = end;
                    tag.self_closing = self_closing;
                    return true;
                }
                TagStep::Cut(at) => {
                    tag.end = at;
                    return false;
                }
            }
        }
    }
}

/// Skips text and tags from an index between tags on, and passes start tags that do no more than hold attributes
/// to `report`, which returns whether to go on after the tag. Returns the index at which the tokenizer
/// continues: at a tag that is not plain, that was not accepted or that is too near to the end.
#[inline(always)]
pub(super) fn scan_tags(
    bytes: &[u8],
    at: usize,
    names: &AttributeNames,
    tag: &mut Tag,
    mut report: impl FnMut(&Tag) -> bool,
) -> usize {
    let (mut end, mut base) = (at, at);
    while let Some(near) = bytes.get(base..).and_then(<[u8]>::first_chunk::<96>) {
        let mut open = simd::equal_of_64(b'<', near, 0).unwrap_or_default();
        while open != 0 {
            let offset = open.trailing_zeros() as usize % 64;
            let at = base + offset;
            open &= open - 1;
            if at < end {
                // The `<` is in an attribute's value.
                continue;
            }
            match near[offset..].first_chunk().and_then(classify) {
                Some((None, length)) => end = at + length,
                Some((Some(element), length)) => {
                    let mut attributes = Attributes::new(bytes, at + length);
                    if element != Element::A
                        && let Some(TagStep::End { end: next, .. }) =
                            attributes.usual(|suffix| names.filter.has(suffix))
                        && next - at <= LIMIT
                    {
                        end = next;
                        continue;
                    }
                    tag.start = at;
                    tag.element = element;
                    tag.name = at + 1..at + length;
                    tag.space = ElementNamespace::Html;
                    if !names.read(bytes, tag) || tag.end - at > LIMIT {
                        return at;
                    }
                    let is_known = !tag.attributes.is_empty() || element == Element::A;
                    // A table part may be dropped.
                    if is_known && (element.is_table_part() || !report(tag)) {
                        return at;
                    }
                    end = tag.end;
                }
                None => return at,
            }
        }
        base += 64;
    }
    end.max(base)
}

/// Returns the element of a start tag and the length up to the end of its name, or else the length of a tag
/// without effect or references; `None` if the tag is not plain.
#[inline(always)]
fn classify(here: &[u8; 32]) -> Option<(Option<Element>, usize)> {
    if here[1] == b'/' {
        let (word, block) = name_at::<2>(here)?;
        // In HTML content these two end tags alone have an effect on the simulator. No quote opens a
        // value before the first `=`; the mask also marks `<` and `?`.
        let ends = block.with(3).equal(b'>' | 3) | 1 << simd::LENGTH;
        let length = ends.trailing_zeros() as usize;
        let is_plain = here[length + 2] == b'>' && !matches!(word as u32, FORM | TEMPLATE);
        return is_plain.then_some((None, length + 3));
    }
    let (word, block) = name_at::<1>(here)?;
    let ends = block.up_to(b'/') | block.equal(b'>');
    let length = ends.trailing_zeros() as usize;
    let element = Element::of_key(word & MASKS.get(length)?);
    let last = here[length + 1];
    if element.has_effect() || !matches!(last, b'>' | b'/') && !is_space(last) {
        return None;
    }
    Some(match last {
        b'>' if element != Element::A => (None, length + 2),
        _ => (Some(element), length + 1),
    })
}

/// The bytes of a name by its length.
#[rustfmt::skip]
const MASKS: [u64; 8] = [
    0, 0xFF, 0xFFFF, 0xFF_FFFF, 0xFFFF_FFFF, 0xFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF, 0xFF_FFFF_FFFF_FFFF,
];

/// Returns the first eight bytes of a name, letters in lower case, and the first sixteen.
#[inline(always)]
fn name_at<const AT: usize>(here: &[u8; 32]) -> Option<(u64, Block)> {
    let rest = &here[AT..];
    let word = u64::from_le_bytes(*rest.first_chunk()?) | LOWER;
    let block = Block::new(rest.first_chunk()?);
    (word as u8).is_ascii_lowercase().then_some((word, block))
}

/// The starts of the names whose end tags may have an effect.
const FORM: u32 = u32::from_le_bytes(*b"form");
const TEMPLATE: u32 = u32::from_le_bytes(*b"temp");

#[cfg(test)]
#[path = "../../../tests/unit/document/html/tag.rs"]
mod tests;
