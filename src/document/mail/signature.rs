//! The signature of a message text: what follows the line `-- ` (RFC 3676 section 4.3).

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::bytes::window::Window;
use crate::document::flags::Flags;

static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"-- "));

/// Finds the signature of one text, window by window.
#[derive(Debug, Default)]
pub(super) struct SignatureFinder {
    /// Offset of the mark in the text.
    mark: Option<u64>,
    /// Offset up to which the text has been searched.
    searched: u64,
}

impl SignatureFinder {
    /// Returns the flags of a reference at an offset in the text.
    pub(super) fn flags_at(&self, offset: u64) -> Flags {
        match self.mark {
            Some(mark) if offset > mark => Flags::IN_SIGNATURE,
            _ => Flags::NONE,
        }
    }

    /// Searches what has not been searched of a window.
    pub(super) fn search(&mut self, text: &Window<'_>) {
        if self.mark.is_some() {
            return;
        }
        let from = text.at_offset(self.searched.max(text.offset));
        let found = MARK
            .find_iter(&text.bytes[from..])
            .map(|at| from + at)
            .find(|&at| {
                let starts = match at.checked_sub(1) {
                    Some(before) => text.bytes[before] == b'\n',
                    None => text.offset == 0,
                };
                starts
                    && matches!(
                        text.bytes[at + 3..],
                        [] | [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..]
                    )
            });
        self.mark = found.map(|at| text.offset_at(at));
        // A mark that the end of the window cuts is searched for once more.
        self.searched = text
            .offset_at(text.bytes.len().saturating_sub(4))
            .max(self.searched);
    }
}
