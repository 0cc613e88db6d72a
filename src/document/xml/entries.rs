//! Items and channels of RSS: their links, which are the bases of their contents.

use std::ops::Range;

use super::elements::XmlContents;
use super::report::trimmed;
use super::scanner::XmlScanner;
use super::tokens::{XmlTag, read_start_tag};
use super::vocabulary::{self, ValueKind};
use crate::bytes::steps::step;
use crate::bytes::window::Window;

/// Maximum nesting of other entries before an entry's link, so that few searches read the same bytes.
const DEEPEST: usize = 2;
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
}

impl XmlScanner {
    /// Looks for the entry's link up to [`LONGEST`] bytes after a text; `None` if more bytes decide.
    pub(super) fn find_link(&mut self, window: &Window<'_>, text: Range<usize>) -> Option<()> {
        let near = window.bytes.len().min(text.start + LONGEST);
        let window = &Window {
            bytes: &window.bytes[..near],
            last: window.last || near == text.start + LONGEST,
            ..*window
        };
        let described = std::mem::take(&mut self.values.text);
        let mark = self.values.entities.mark();
        let (mut tag, mut at) = (XmlTag::default(), text.end);
        // The depth of elements that have links of their own.
        let (mut inner, mut is_link) = (0, false);
        loop {
            self.values.text.begin(window.offset_at(at));
            at = self.append_contents(window, at)?;
            let text = &self.values.text;
            let link = trimmed(&text.bytes, 0..text.bytes.len());
            if is_link && !link.is_empty() {
                let offset = text.map.start(link.start as u64);
                self.entries.set_link(&text.bytes[link], offset);
                break;
            }
            let is_end = window.bytes.get(at + 1) == Some(&b'/');
            let Some(end) = read_start_tag(window.bytes, at + usize::from(is_end), &mut tag) else {
                if window.last {
                    break;
                }
                return None;
            };
            step(end - at);
            at = end;
            let kind = self.elements.kind(window.bytes, &tag);
            let is_start = !is_end && !tag.is_empty;
            if kind.is_entry {
                match inner {
                    0 if is_end => break,
                    DEEPEST if is_start => break,
                    _ => inner = inner + usize::from(is_start) - usize::from(is_end),
                }
            }
            let row = vocabulary::find(kind.rows, vocabulary::TEXT.as_bytes(), false);
            is_link =
                is_start && inner == 0 && row.is_some_and(|row| row.kind == ValueKind::EntryLink);
        }
        self.values.entities.rollback(mark);
        self.values.text = described;
        // One search for an entry serves all elements that need its link.
        if let Some(entry) = self.entries.open.last_mut() {
            entry.is_searched = true;
        }
        Some(())
    }
}
