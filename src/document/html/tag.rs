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
        let (bytes, at) = (self.bytes, self.at);
        // Mostly `>` or ` name="value"`.
        if let Some([first, rest @ ..]) = bytes.get(at..).and_then(<[u8]>::first_chunk::<33>) {
            match first {
                b'>' => {
                    let (end, self_closing) = (at + 1, false);
                    return TagStep::End { end, self_closing };
                }
                b' ' => {}
                _ => return self.any_step(),
            }
            let block = Block::new(&rest.as_chunks().0[0]);
            let ends = block.up_to(b' ') | block.any_of([b'/', b'>', b'=']);
            let length = ends.trailing_zeros() as usize;
            if (1..16).contains(&length) && rest[length] == b'=' && rest[length + 1] == b'"' {
                let name = at + 1..at + 1 + length;
                let start = at + 3 + length;
                let end = seek::next(b'"', bytes, start);
                if end < bytes.len() {
                    self.at = end + 1;
                    let value = start..end;
                    return TagStep::Attribute { name, value };
                }
            }
        }
        self.any_step()
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

/// A filter of attribute names: the hashes of their last three bytes, in lower case.
#[derive(Clone, Copy, Debug, Default)]
struct SuffixFilter([u64; 16]);

impl SuffixFilter {
    fn of(attributes: impl Iterator<Item = &'static Attribute>) -> Self {
        let mut filter = SuffixFilter::default();
        for attribute in attributes {
            match *attribute.name().as_bytes() {
                [.., one, two, three] => filter.insert([one, two, three]),
                // The byte before a name of two, with the bit of lower case set.
                [two, three] => {
                    for before in *b" \t\n\x0c\r/\"'" {
                        filter.insert([before | 0x20, two, three]);
                    }
                }
                _ => filter = SuffixFilter([u64::MAX; 16]),
            }
        }
        filter
    }

    fn insert(&mut self, [one, two, three]: [u8; 3]) {
        let bit = Self::bit(u32::from_le_bytes([0, one, two, three]));
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether the name that ends at `end` may be one of the filter's.
    #[inline(always)]
    fn may_have(&self, bytes: &[u8], end: usize) -> bool {
        let Some(&four) = bytes.get(..end).and_then(<[u8]>::last_chunk) else {
            return true;
        };
        let three = (u32::from_le_bytes(four) | LOWER as u32) & !0xFF;
        let bit = Self::bit(three);
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    #[inline(always)]
    fn bit(bytes: u32) -> usize {
        (bytes.wrapping_mul(0x9E37_79B1) >> 22) as usize
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

    /// Adds an attribute that has an enabled row, unless the tag has the attribute already.
    #[inline(always)]
    fn add(&self, bytes: &[u8], name: Range<usize>, value: Range<usize>, tag: &mut Tag) {
        if !self.filter.may_have(bytes, name.end) {
            return;
        }
        let name = Attribute::at(bytes, name.start, name.end);
        if let Some(row) = row(tag.space, tag.element, name)
            && self.enabled.has(row)
            && tag.value(name).is_none()
        {
            tag.attributes.push(KnownAttribute { name, row, value });
        }
    }

    /// Reads the attributes that have an enabled row; returns false if the bytes end first.
    #[inline(always)]
    pub(super) fn read(&self, bytes: &[u8], tag: &mut Tag) -> bool {
        let mut attributes = Attributes::new(bytes, tag.name.end);
        tag.attributes.clear();
        loop {
            match attributes.step() {
                TagStep::Attribute { name, value } => self.add(bytes, name, value, tag),
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

/// Where [`scan_tags`] stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagScan {
    /// The tokenizer continues at the index: at a tag that is not plain or too near to the end.
    To(usize),
    /// A start tag was read that does no more than hold attributes.
    Tag,
}

/// Skips text and tags from an index between tags on.
#[inline(never)]
pub(super) fn scan_tags(bytes: &[u8], at: usize, names: &AttributeNames, tag: &mut Tag) -> TagScan {
    let (mut end, mut base) = (at, at);
    while let Some(mut open) = simd::equal_of_64(b'<', bytes, base) {
        while open != 0 {
            let at = base + open.trailing_zeros() as usize;
            open &= open - 1;
            if at < end {
                // The `<` is in an attribute's value.
                continue;
            }
            match classify(bytes, at) {
                Some((None, next)) => end = next,
                Some((Some(element), name_end)) => {
                    tag.start = at;
                    tag.element = element;
                    tag.name = at + 1..name_end;
                    tag.space = ElementNamespace::Html;
                    if !names.read(bytes, tag) || tag.end - at > LIMIT {
                        return TagScan::To(at);
                    }
                    if !tag.attributes.is_empty() || element == Element::A {
                        // A table part may be dropped.
                        return match tag.element.is_table_part() {
                            true => TagScan::To(at),
                            false => TagScan::Tag,
                        };
                    }
                    end = tag.end;
                }
                None => return TagScan::To(at),
            }
        }
        base += 64;
    }
    TagScan::To(end.max(base))
}

/// Returns the element of a start tag and the end of its name, or else the index after a tag without effect or
/// references; `None` if the tag is not plain.
#[inline(always)]
fn classify(bytes: &[u8], at: usize) -> Option<(Option<Element>, usize)> {
    let here: &[u8; 32] = bytes.get(at..)?.first_chunk()?;
    let (closes, (length, word)) = match here[1] {
        b'/' => (true, name_at::<2>(here)?),
        _ => (false, name_at::<1>(here)?),
    };
    let last = here[length + 1 + usize::from(closes)];
    if !(word as u8).is_ascii_lowercase() {
        return None;
    }
    if closes {
        // Only this end tag and `</template>` have an effect on the simulator in HTML content.
        return (last == b'>' && word as u32 != FORM).then_some((None, at + length + 3));
    }
    let end = at + 1 + length;
    if !matches!(last, b'>' | b'/') && !is_space(last) {
        return None;
    }
    let element = Element::of_key(word & u64::MAX >> (64 - 8 * length));
    Some(match last {
        _ if element.has_effect() => return None,
        b'>' if element != Element::A => (None, end + 1),
        _ => (Some(element), end),
    })
}

/// Returns the length of a name, from 1 to 7, and its first eight bytes, letters in lower case.
#[inline(always)]
fn name_at<const AT: usize>(here: &[u8; 32]) -> Option<(usize, u64)> {
    let rest = here.get(AT..)?;
    let block = Block::new(rest.first_chunk()?);
    let ends = block.up_to(b' ') | block.equal(b'/') | block.equal(b'>');
    // Without an end there are 32 zeros.
    let length = ends.trailing_zeros() as usize;
    let word = u64::from_le_bytes(*rest.first_chunk()?) | LOWER;
    (1..8).contains(&length).then_some((length, word))
}

/// The start of the names whose end tags may have an effect.
const FORM: u32 = u32::from_le_bytes(*b"form");

#[cfg(test)]
#[path = "../../../tests/unit/document/html/tag.rs"]
mod tests;
