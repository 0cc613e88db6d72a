//! Items and channels of RSS: their links, which are the bases of their contents.

use super::elements::XmlContents;
use super::report::trimmed;
use super::vocabulary::ValueKind;

/// Maximum nesting of other entries before an entry's link, so that few searches read the same bytes.
pub(super) const DEEPEST: usize = 2;
/// Longer tags and texts of elements are left out, and diagnosed.
pub(super) const LONGEST: usize = 4 << 20;

#[derive(Default)]
pub(super) struct FeedEntry {
    /// Its link, with its offset.
    link: Option<(Vec<u8>, u64)>,
    /// Whether the link was searched for after the text that needs it.
    pub(super) is_searched: bool,
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
