//! Items and channels of RSS: their links, which are the bases of their contents.

use std::ops::Range;

use super::elements::XmlContents;
use super::report::trimmed;
use super::text::{Entities, RawText};
use super::tokens::end_of;
use super::vocabulary::ValueKind;
use crate::bytes::seek::is_space;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::document::source_text::DecodedText;

/// Longer tags and texts of elements are left out, and diagnosed.
pub(super) const LONGEST: usize = 4 << 20;

#[derive(Default)]
pub(super) struct FeedEntry {
    /// Its link, with its offset.
    link: Option<(Vec<u8>, u64)>,
    /// Whether the link was searched for after the text that needs it.
    is_searched: bool,
}

#[derive(Default)]
pub(super) struct Entries {
    pub(super) open: Vec<FeedEntry>,
}

impl Entries {
    pub(super) fn link(&self) -> Option<&(Vec<u8>, u64)> {
        self.open.last()?.link.as_ref()
    }

    pub(super) fn set_link(&mut self, link: &[u8], at: u64) {
        if let Some(entry) = self.open.last_mut() {
            entry.link.get_or_insert_with(|| (link.to_vec(), at));
        }
    }

    /// Whether text is HTML whose base is the link of an entry that has not been read.
    #[inline]
    pub(super) fn needs_link(&self, contents: &XmlContents, text: &[u8]) -> bool {
        matches!(contents, XmlContents::Row(row) if row.kind == ValueKind::EntryHtml)
            && (self.open.last()).is_some_and(|entry| entry.link.is_none() && !entry.is_searched)
            && !trimmed(text, 0..text.len()).is_empty()
    }

    /// Looks for the entry's link up to [`LONGEST`] bytes after a text; false if more bytes decide.
    pub(super) fn find_link(
        &mut self,
        window: &Window<'_>,
        text: Range<usize>,
        entities: &mut Entities,
    ) -> bool {
        let bytes = window.bytes;
        let near = bytes.len().min(text.start + LONGEST);
        step(near - text.end);
        match find_link(&bytes[..near], text.end) {
            Some(Some(range)) => {
                let offset = window.offset_at(range.start);
                self.decode_link(&bytes[range], offset, entities);
            }
            None if !window.last && near < text.start + LONGEST => return false,
            Some(None) | None => {}
        }
        // One search for an entry serves all elements that need its link.
        if let Some(entry) = self.open.last_mut() {
            entry.is_searched = true;
        }
        true
    }

    /// Sets the link of the innermost entry, as written, which follows the text that needs it.
    fn decode_link(&mut self, raw: &[u8], offset: u64, entities: &mut Entities) {
        let inner = raw.strip_prefix(b"<![CDATA[");
        let raw = inner.map_or(raw, |inner| inner.strip_suffix(b"]]>").unwrap_or(inner));
        let mut text = DecodedText::default();
        let mark = entities.mark();
        entities.append(&mut text, raw, offset, RawText::Data);
        entities.rollback(mark);
        let range = trimmed(&text.bytes, 0..text.bytes.len());
        if !range.is_empty() {
            self.set_link(&text.bytes[range], offset);
        }
    }
}

/// Returns the raw text of the `link` element, if any, of the entry that `at` is in; `None` if bytes that were
/// cut off decide.
fn find_link(bytes: &[u8], mut at: usize) -> Option<Option<Range<usize>>> {
    // The depth of elements that have links of their own.
    let mut inner = 0;
    while let Some(length) = memchr::memchr(b'<', &bytes[at..]) {
        at += length;
        let rest = &bytes[at..];
        if rest.len() < 16 {
            return None;
        }
        let is_tag = |name: &[u8]| {
            let next = rest.get(name.len());
            rest.starts_with(name) && next.is_some_and(|&next| is_space(next) || next == b'>')
        };
        let marker: Option<&[u8]> = match rest {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            _ if rest.starts_with(b"<![CDATA[") => Some(b"]]>"),
            _ => None,
        };
        if let Some(marker) = marker {
            at = end_of(bytes, at + 3, marker)?;
            continue;
        }
        if is_tag(b"</item") || is_tag(b"</channel") || is_tag(b"<item") {
            return Some(None);
        }
        inner += usize::from(is_tag(b"<image") || is_tag(b"<textInput"));
        inner -= usize::from(inner > 0 && (is_tag(b"</image") || is_tag(b"</textInput")));
        if is_tag(b"<link") && inner == 0 {
            let start = at + memchr::memchr(b'>', rest)? + 1;
            return Some(Some(start..end_of(bytes, start, b"</")? - 2));
        }
        at += 1;
    }
    None
}
