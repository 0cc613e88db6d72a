//! Items and channels of RSS: their links, which are the bases of what they hold.

use std::ops::Range;

use super::elements::XmlContents;
use super::report::trimmed;
use super::text::{Entities, Piece};
use super::tokens::end_of;
use super::vocabulary::ValueKind;
use crate::bytes::seek::is_space;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::document::source_text::DecodedText;

/// The link of an item or of a channel.
enum EntryLink {
    /// None has been read so far.
    Unread,
    /// None has been read, and none stands near behind either.
    NotNear,
    /// The reference and its offset.
    Found(Vec<u8>, u64),
}

/// The entries that are open, the innermost last.
#[derive(Default)]
pub(super) struct Entries {
    open: Vec<EntryLink>,
}

impl Entries {
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Opens an entry.
    pub(super) fn push(&mut self) {
        self.open.push(EntryLink::Unread);
    }

    /// Closes the innermost entry.
    pub(super) fn pop(&mut self) {
        self.open.pop();
    }

    /// Whether no entry is open.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the link of the innermost entry, and its offset.
    pub(super) fn link(&self) -> Option<(&[u8], u64)> {
        match self.open.last()? {
            EntryLink::Found(link, at) => Some((link, *at)),
            _ => None,
        }
    }

    /// Sets the link of the innermost entry, if it has none.
    pub(super) fn set_link(&mut self, link: &[u8], at: u64) {
        self.set(|| EntryLink::Found(link.to_vec(), at));
    }

    fn set(&mut self, link: impl FnOnce() -> EntryLink) {
        if let Some(entry @ (EntryLink::Unread | EntryLink::NotNear)) = self.open.last_mut() {
            *entry = link();
        }
    }

    /// Whether text is HTML whose base is the link of an entry that has not been read.
    #[inline]
    pub(super) fn needs_link(&self, contents: XmlContents, text: &[u8]) -> bool {
        matches!(contents, XmlContents::Row(_, ValueKind::EntryHtml))
            && matches!(self.open.last(), Some(EntryLink::Unread))
            && !trimmed(text, 0..text.len()).is_empty()
    }

    /// Looks behind a text, at most `most` bytes from its start on, for the link of the entry; returns
    /// false if more bytes decide.
    pub(super) fn find_link(
        &mut self,
        window: &Window<'_>,
        text: Range<usize>,
        most: usize,
        entities: &mut Entities,
    ) -> bool {
        let bytes = window.bytes;
        let near = bytes.len().min(text.start + most);
        step(near - text.end);
        match find_link(&bytes[..near], text.end) {
            LinkSearch::Found(range) => {
                let offset = window.offset_at(range.start);
                self.decode_link(&bytes[range], offset, entities);
            }
            LinkSearch::Cut if !window.last && near < text.start + most => return false,
            // One search for an entry, however many elements need its link.
            LinkSearch::None | LinkSearch::Cut => self.set(|| EntryLink::NotNear),
        }
        true
    }

    /// Sets the link of the innermost entry, as written, which stands behind what needs it.
    fn decode_link(&mut self, raw: &[u8], offset: u64, entities: &mut Entities) {
        let raw = raw
            .strip_prefix(b"<![CDATA[")
            .map_or(raw, |raw| raw.strip_suffix(b"]]>").unwrap_or(raw));
        let mut text = DecodedText::default();
        let mark = entities.mark();
        entities.append(&mut text, raw, offset, Piece::Data);
        entities.rollback(mark);
        let range = trimmed(&text.bytes, 0..text.bytes.len());
        match range.is_empty() {
            true => self.set(|| EntryLink::NotNear),
            false => self.set_link(&text.bytes[range], offset),
        }
    }
}

/// The link of an entry behind its description.
enum LinkSearch {
    /// The raw text of the `link` element.
    Found(Range<usize>),
    /// There is none.
    None,
    /// More bytes decide.
    Cut,
}

/// Looks for the `link` element of the entry that `at` is in; the bytes may be cut.
fn find_link(bytes: &[u8], mut at: usize) -> LinkSearch {
    let cut = LinkSearch::Cut;
    // The depth of elements that have links of their own.
    let mut inner = 0;
    while let Some(length) = memchr::memchr(b'<', &bytes[at..]) {
        at += length;
        let rest = &bytes[at..];
        if rest.len() < 16 {
            return cut;
        }
        let is_tag = |name: &[u8]| {
            rest.starts_with(name)
                && rest
                    .get(name.len())
                    .is_some_and(|&next| is_space(next) || next == b'>')
        };
        let marker: Option<&[u8]> = match rest {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            _ if rest.starts_with(b"<![CDATA[") => Some(b"]]>"),
            _ => None,
        };
        if let Some(marker) = marker {
            match end_of(bytes, at + 3, marker) {
                Some(end) => at = end,
                None => return cut,
            }
            continue;
        }
        if is_tag(b"</item") || is_tag(b"</channel") || is_tag(b"<item") {
            return LinkSearch::None;
        }
        inner += usize::from(is_tag(b"<image") || is_tag(b"<textInput"));
        inner -= usize::from(inner > 0 && (is_tag(b"</image") || is_tag(b"</textInput")));
        if is_tag(b"<link") && inner == 0 {
            let Some(start) = memchr::memchr(b'>', rest) else {
                return cut;
            };
            let start = at + start + 1;
            return match end_of(bytes, start, b"</") {
                Some(end) => LinkSearch::Found(start..end - 2),
                None => cut,
            };
        }
        at += 1;
    }
    cut
}
