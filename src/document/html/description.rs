//! The description of a link in markup (`--anchor-text`): its visible text, and attributes about its
//! target.
//!
//! The text follows the start tag, so it is read ahead of the tokenizer, by a walk over the tags that
//! ends with the element. No two links share text, so all walks together are linear.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::attributes::ElementNamespace;
use super::names::Element::{self, *};
use super::raw_text::{find_comment_end, find_raw_text_end};
use super::report::ReferenceReporter;
use super::tag::{Tag, named_values, tag_end};
use super::value::{CharacterContext, decode};
use super::value_syntax::LIMIT;
use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::document::events::{LinkDescription, MAX_NAME_LEN, TextRange};

/// Maximum number of bytes after a start tag that are searched for text.
const SEARCHED: usize = 16 << 10;
/// Maximum length of a text in scalar values.
const LONGEST_TEXT: usize = 128;

/// Elements that start a new line, cells of tables, and line breaks.
const BREAKS: &[Element] = &[
    Address, Article, Aside, Blockquote, Br, Caption, Center, Dd, Details, Div, Dl, Dt, Figcaption,
    Figure, Footer, Form, H1, H2, H3, H4, H5, H6, Header, Hr, Li, Listing, Main, Menu, Nav, Ol, P,
    Pre, Section, Summary, Table, Tbody, Td, Tfoot, Th, Thead, Tr, Ul,
];
/// More such elements, which no other rule names.
const OTHER_BREAKS: &str = "dialog dir fieldset hgroup legend optgroup option search";

/// Elements whose contents are not text that a reader sees.
const UNSEEN: &[Element] = &[
    Iframe, Noembed, Noframes, Script, Style, Template, Textarea, Title,
];

/// Parts of tables, which close the links in the part before.
const TABLE_PARTS: &[Element] = &[Caption, Tbody, Td, Tfoot, Th, Thead, Tr];

/// Whether the bytes hold all that is read of the text of a link. The element is not known yet.
fn is_whole(bytes: &[u8], name: Range<usize>) -> bool {
    let Some(end) = tag_end(bytes, name.end) else {
        // The tokenizer waits for the end of the tag.
        return true;
    };
    let ends = |space| {
        let mut contents = LinkContents::new(bytes, end, space);
        while contents.next().is_some() {}
        step(contents.at - end);
        contents.has_ended
    };
    bytes.len() - end >= SEARCHED
        || end - name.start > LIMIT
        || ends(ElementNamespace::Html) && ends(ElementNamespace::Svg)
}

/// Character data, or the `alt` of an image, empty for a line break.
type SeenPiece = (CharacterContext, Range<usize>);

#[derive(Default)]
struct LinkContents<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The number of open tables in the link.
    tables: usize,
    /// The number of open `svg` and `math` elements in the link. In them all text has markup.
    foreign: usize,
    is_foreign: bool,
    unseen: Option<Element>,
    has_ended: bool,
    /// The contents are a page, which no element ends.
    is_page: bool,
}

impl<'a> LinkContents<'a> {
    fn new(bytes: &'a [u8], from: usize, space: ElementNamespace) -> Self {
        let end = bytes.len().min(from + SEARCHED);
        LinkContents {
            bytes: &bytes[..end],
            at: from,
            is_foreign: space != ElementNamespace::Html,
            ..LinkContents::default()
        }
    }

    /// Reads a tag; returns `None` at the end of the link or of the bytes.
    fn tag(&mut self, name: usize, closes: bool) -> Option<Option<SeenPiece>> {
        let bytes = self.bytes;
        let name = name..seek::tag_name_end(bytes, name);
        let element = Element::at(bytes, name.start, name.end);
        // INVARIANT: no walk passes the start of a link, or many would read the same bytes.
        if element == A && name.end < bytes.len() && !self.is_page {
            self.has_ended = true;
            return None;
        }
        let ([alternative], end) = named_values(bytes, name.end, [b"alt"]);
        self.at = end?;
        if let Some(unseen) = self.unseen {
            if closes && element == unseen {
                self.unseen = None;
            }
            return Some(None);
        }
        self.has_ended = match element {
            _ if self.is_page => false,
            Table => closes && self.tables == 0,
            Math | Svg => closes && self.foreign == 0,
            _ => self.tables == 0 && TABLE_PARTS.contains(&element),
        };
        if self.has_ended {
            return None;
        }
        match element {
            Table if closes => self.tables = self.tables.saturating_sub(1),
            Table => self.tables += 1,
            Math | Svg if closes => self.foreign = self.foreign.saturating_sub(1),
            Math | Svg => self.foreign += 1,
            _ => {}
        }
        if !closes && UNSEEN.contains(&element) {
            if self.foreign == 0 && !self.is_foreign && element != Template {
                self.at = find_raw_text_end(bytes, self.at, element.name().as_bytes());
            } else {
                self.unseen = Some(element);
            }
            return Some(None);
        }
        let is_image = !closes && matches!(element, Img | Image);
        let is_break = || {
            let mut others = OTHER_BREAKS.split(' ');
            BREAKS.contains(&element)
                || others.any(|it| it.as_bytes().eq_ignore_ascii_case(&bytes[name.clone()]))
        };
        Some((is_image || is_break()).then(|| {
            let seen = alternative.filter(|_| is_image).unwrap_or_default();
            (CharacterContext::Attribute, seen)
        }))
    }
}

impl Iterator for LinkContents<'_> {
    type Item = SeenPiece;

    fn next(&mut self) -> Option<SeenPiece> {
        let bytes = self.bytes;
        loop {
            let at = self.at;
            let piece = match &bytes[at.min(bytes.len())..] {
                [] | [b'<'] => return None,
                [b'<', letter, ..] if letter.is_ascii_alphabetic() => self.tag(at + 1, false)?,
                [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                    self.tag(at + 2, true)?
                }
                [b'<', b'!', b'-', b'-', ..] => {
                    self.at = find_comment_end(bytes, at + 4).unwrap_or(bytes.len());
                    None
                }
                [b'<', b'!' | b'?' | b'/', ..] => {
                    self.at = seek::next(b'>', bytes, at + 2) + 1;
                    None
                }
                [first, ..] => {
                    self.at = match first {
                        b'<' => at + 1,
                        _ => seek::next(b'<', bytes, at),
                    };
                    Some((CharacterContext::Text, at..self.at))
                }
            };
            if piece.is_some() && self.unseen.is_none() {
                return piece;
            }
        }
    }
}

/// Returns the text of a page that a reader sees, with a blank for breaks and images.
pub(crate) fn page_text(bytes: &[u8]) -> String {
    let mut contents = LinkContents::new(b"", 0, ElementNamespace::Html);
    (contents.bytes, contents.is_page) = (bytes, true);
    let mut text = Vec::new();
    for (context, range) in contents {
        match context {
            CharacterContext::Attribute => text.push(b' '),
            _ => decode(bytes, range, UTF_8, Some(context), &mut text, &mut ()),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

impl ReferenceReporter<'_, '_, '_> {
    /// Whether the text of a link is read, and more bytes have to be seen for it.
    #[inline(always)]
    pub(super) fn awaits_text(&self, name: Range<usize>, last: bool) -> bool {
        self.document.options.descriptions && !last && !is_whole(self.source.bytes, name)
    }

    /// Stores the description of a link by its tag; returns its range in the batch.
    #[inline(never)]
    pub(super) fn describe(&mut self, tag: &Tag) -> (u32, u32) {
        let bytes = self.source.bytes;
        let names = [&b"alt"[..], b"rel", b"hreflang", b"title"];
        let ([alternative, rel, hreflang, title], end) = named_values(bytes, tag.name.end, names);
        let end = end.unwrap_or(bytes.len());
        // Longer tags are read in pieces where they are not in one window.
        if end - tag.start > LIMIT {
            return (0, 0);
        }
        let text = match tag.element {
            // An empty element of SVG.
            A if tag.self_closing && tag.space != ElementNamespace::Html => {
                Some(self.events.store(b""))
            }
            A => {
                let mut contents = LinkContents::new(bytes, end, tag.space);
                let text = self.collapsed(&mut contents);
                step(contents.at - end);
                Some(text)
            }
            Area => {
                let seen = (CharacterContext::Attribute, alternative.unwrap_or_default());
                Some(self.collapsed(std::iter::once(seen)))
            }
            _ => None,
        };
        let rel = rel.map(|range| {
            self.with_decoded(range, Some(CharacterContext::Attribute), |report, range| {
                let words = &report.source.bytes[range];
                report
                    .events
                    .store_with(|store| push_link_types(words, store))
            })
        });
        let hreflang = hreflang.map(|range| self.decoded(range));
        let title = title.map(|range| self.decoded(range));
        // Each reference of the tag has them.
        let [rel, hreflang, title] =
            [rel, hreflang, title].map(|text| text.map(|text| text.first(MAX_NAME_LEN + 1)));
        self.events.store_description(Some(LinkDescription {
            text,
            rel,
            hreflang,
            title,
        }))
    }

    pub(super) fn collapsed(&mut self, pieces: impl Iterator<Item = SeenPiece>) -> TextRange {
        let mut text = std::mem::take(&mut self.document.text);
        text.clear();
        for (context, range) in pieces {
            let edge = [" ", ""][usize::from(context == CharacterContext::Text)];
            text.push_str(edge);
            self.with_decoded(range, Some(context), |report, range| {
                text.push_str(&String::from_utf8_lossy(&report.source.bytes[range]));
            });
            text.push_str(edge);
        }
        let stored = self.events.store_with(|store| push_seen_text(&text, store));
        self.document.text = text;
        stored
    }
}

/// Appends link types in lower case, with one blank between two.
pub(in crate::document) fn push_link_types(words: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    for word in words.split(u8::is_ascii_whitespace) {
        if !word.is_empty() {
            out.extend((out.len() > start).then_some(b' '));
            out.extend(word.iter().map(u8::to_ascii_lowercase));
        }
    }
}

/// Appends the first words of a text that a reader sees, with one blank between two.
pub(in crate::document) fn push_seen_text(text: &str, out: &mut Vec<u8>) {
    let start = out.len();
    let words = text.split_whitespace().flat_map(|word| [" ", word]);
    let seen = words.skip(1).flat_map(str::chars).take(LONGEST_TEXT);
    seen.for_each(|character| out.extend(character.encode_utf8(&mut [0; 4]).bytes()));
    // The last word may have no room.
    if out[start..].ends_with(b" ") {
        out.pop();
    }
}
