//! One tag, and the attributes between its name and its end (WHATWG HTML 13.2.5.32 to 13.2.5.40).

use std::ops::Range;

use super::attributes::{AttributeRow, ElementNamespace};
use super::names::{Attribute, Element};
use crate::bytes::seek;

/// A start tag, with those of its attributes that may matter.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    /// Index of its `<`.
    pub(super) start: usize,
    pub(super) name: Range<usize>,
    pub(super) element: Element,
    pub(super) space: ElementNamespace,
    pub(super) attributes: Vec<KnownAttribute>,
    pub(super) self_closing: bool,
    /// Index behind its `>`.
    pub(super) end: usize,
}

/// An attribute of a start tag that the table knows on that element.
#[derive(Clone, Debug)]
pub(super) struct KnownAttribute {
    pub(super) attribute: Attribute,
    pub(super) row: &'static AttributeRow,
    pub(super) value: Range<usize>,
}

impl Tag {
    pub(super) fn new() -> Self {
        Tag {
            start: 0,
            name: 0..0,
            element: Element::Other,
            space: ElementNamespace::Html,
            attributes: Vec::new(),
            self_closing: false,
            end: 0,
        }
    }

    /// Whether it is a `meta`.
    pub(super) fn is_meta(&self) -> bool {
        self.element == Element::Meta && self.space == ElementNamespace::Html
    }

    /// Whether it is a `base` with `href`.
    pub(super) fn is_base(&self) -> bool {
        self.element == Element::Base
            && self.space == ElementNamespace::Html
            && self.value(Attribute::Href).is_some()
    }

    /// The value of an attribute.
    pub(super) fn value(&self, attribute: Attribute) -> Option<Range<usize>> {
        let held = self
            .attributes
            .iter()
            .find(|held| held.attribute == attribute)?;
        Some(held.value.clone())
    }
}

/// An attribute as it stands in the source. One without a value has an empty range behind its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawAttribute {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

impl RawAttribute {
    /// Where the tag goes on behind it.
    pub(super) fn next(&self, bytes: &[u8]) -> usize {
        let quoted = self.value.start > self.name.end
            && matches!(bytes[self.value.start - 1], b'"' | b'\'')
            && bytes.get(self.value.end) == Some(&bytes[self.value.start - 1]);
        self.value.end + usize::from(quoted)
    }
}

/// What stands next in a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TagStep {
    /// An attribute.
    Attribute(RawAttribute),
    /// The end of the tag; the index is behind its `>`.
    End { end: usize, self_closing: bool },
    /// The bytes end first; the attribute that they cut starts at the index.
    Cut(usize),
}

/// Walks over the attributes of a tag; `at` is the end of its name or of an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Attributes { bytes, at }
    }

    /// The next attribute, or the end.
    #[inline(always)]
    pub(super) fn step(&mut self) -> TagStep {
        let bytes = self.bytes;
        let start = seek::skip_separators(bytes, self.at);
        let Some(&first) = bytes.get(start) else {
            // A `/` may still turn out to close the tag.
            return TagStep::Cut(self.at);
        };
        if first == b'>' {
            let self_closing = start > self.at && bytes[start - 1] == b'/';
            let end = start + 1;
            return TagStep::End { end, self_closing };
        }
        // The first byte may be anything, even `=`.
        let name_end = seek::attribute_name_end(bytes, start + 1);
        let equals = match bytes.get(name_end) {
            Some(b'=') => name_end,
            Some(byte) if seek::is_space(*byte) => seek::skip_space(bytes, name_end),
            _ => name_end,
        };
        match bytes.get(equals) {
            Some(b'=') => self.value(start..name_end, equals + 1),
            Some(_) => self.given(start..name_end, name_end..name_end, name_end),
            None => TagStep::Cut(start),
        }
    }

    #[inline(always)]
    fn value(&mut self, name: Range<usize>, at: usize) -> TagStep {
        let bytes = self.bytes;
        let at = match bytes.get(at) {
            Some(byte) if seek::is_space(*byte) => seek::skip_space(bytes, at),
            _ => at,
        };
        match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                let end = seek::next(quote, bytes, at + 1);
                if end == bytes.len() {
                    return TagStep::Cut(name.start);
                }
                self.given(name, at + 1..end, end + 1)
            }
            // A missing value: `<a href=>`.
            Some(b'>') => self.given(name, at..at, at),
            Some(_) => {
                let end = seek::bare_value_end(bytes, at);
                if end == bytes.len() {
                    return TagStep::Cut(name.start);
                }
                self.given(name, at..end, end)
            }
            None => TagStep::Cut(name.start),
        }
    }

    #[inline(always)]
    fn given(&mut self, name: Range<usize>, value: Range<usize>, next: usize) -> TagStep {
        self.at = next;
        TagStep::Attribute(RawAttribute { name, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(tag: &str) -> String {
        let bytes = tag.as_bytes();
        let mut attributes = Attributes::new(bytes, seek::tag_name_end(bytes, 1));
        let mut out = String::new();
        loop {
            match attributes.step() {
                TagStep::Attribute(given) => {
                    out += &format!("{}[{}] ", &tag[given.name], &tag[given.value]);
                }
                TagStep::End { self_closing, end } => {
                    assert_eq!(end, tag.len());
                    return out + if self_closing { "/>" } else { ">" };
                }
                TagStep::Cut(_) => return out + "cut",
            }
        }
    }

    #[test]
    fn attributes_are_cut_as_the_standard_says() {
        for (tag, expected) in [
            ("<a>", ">"),
            ("<a/>", "/>"),
            ("<a / >", ">"),
            ("<a href=x>", "href[x] >"),
            ("<a href=x/>", "href[x/] >"),
            ("<a href=\"x\"/>", "href[x] />"),
            ("<a href = 'a>b' id>", "href[a>b] id[] >"),
            ("<a ==x =>", "=[x] =[] >"),
            ("<a href=>", "href[] >"),
            ("<a href= >", "href[] >"),
            ("<a a\"b=c\"d>", "a\"b[c\"d] >"),
            ("<a a / = b>", "a[] =[] b[] >"),
            ("<a a /=b>", "a[] =b[] >"),
            ("<a b='c'd='e'>", "b[c] d[e] >"),
            ("<a <b>", "<b[] >"),
            ("<a href=\"x", "cut"),
            ("<a href", "cut"),
            ("<a href=x", "cut"),
            ("<a b=c /", "b[c] cut"),
        ] {
            assert_eq!(attributes(tag), expected, "{tag}");
        }
    }
}
