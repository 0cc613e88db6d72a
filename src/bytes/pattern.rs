//! Patterns of bytes, by which readers of markup recognise constructs.

use std::ops::{Deref, Range};
use std::sync::OnceLock;

use regex::bytes::Regex;

/// A regular expression that is compiled when it is first used. It matches bytes, and `.` any of them.
pub(crate) struct Pattern {
    source: &'static str,
    regex: OnceLock<Regex>,
}

impl Pattern {
    pub(crate) const fn new(source: &'static str) -> Self {
        let regex = OnceLock::new();
        Pattern { source, regex }
    }

    /// Returns the length of the match at the start of a text, without blanks at its end.
    pub(crate) fn trimmed_length(&self, text: &[u8]) -> Option<usize> {
        let found = self.find(text)?;
        Some(found.as_bytes().trim_ascii_end().len())
    }

    /// Returns the matches from an index on, each with its first group as [`Pattern::group_at`] returns it.
    ///
    /// INVARIANT: the pattern matches no empty text.
    pub(crate) fn groups<'t>(
        &'t self,
        text: &'t [u8],
        mut at: usize,
    ) -> impl Iterator<Item = [Range<usize>; 2]> + 't {
        std::iter::from_fn(move || {
            let found = self.group_at(text, at)?;
            at = found[0].end;
            Some(found)
        })
    }

    /// Returns the first match at or after an index, and its first group, which is empty if it is not
    /// in the match.
    pub(crate) fn group_at(&self, text: &[u8], at: usize) -> Option<[Range<usize>; 2]> {
        // Captures allocate memory, which most texts do not need.
        let found = self.captures_at(text, self.find_at(text, at)?.start())?;
        let whole = found.get(0)?.range();
        let group = found.get(1).map(|group| group.range());
        Some([whole.clone(), group.unwrap_or(whole.end..whole.end)])
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        let regex = || Regex::new(&format!("(?s-u){}", self.source));
        let regex = || regex().expect("patterns are constants");
        self.regex.get_or_init(regex)
    }
}
