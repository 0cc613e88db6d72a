//! Archives: the number of their members, and the search for members.

use std::collections::BTreeMap;

use crate::bytes::window::Window;

/// Numbers of members and parts of an archive: loss is reported, not silent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveCounts {
    /// The number of members.
    pub members: u64,
    /// The number of parts of members that were read.
    pub parts: u64,
    /// The number of parts that were not read, by media type.
    pub skipped: BTreeMap<String, u64>,
}

impl ArchiveCounts {
    /// A hostile archive must not fill the memory with names: more of them are counted as `*`.
    const NAMES: usize = 1024;

    pub(crate) fn skip(&mut self, media_type: &str) {
        self.skip_several(media_type, 1);
    }

    fn skip_several(&mut self, media_type: &str, parts: u64) {
        if let Some(count) = self.skipped.get_mut(media_type) {
            *count += parts;
            return;
        }
        let is_full = self.skipped.len() >= Self::NAMES;
        let name = if is_full { "*" } else { media_type };
        *self.skipped.entry(name.to_owned()).or_default() += parts;
    }

    pub(crate) fn add_skipped(&mut self, inner: &ArchiveCounts) {
        for (name, count) in &inner.skipped {
            self.skip_several(name, *count);
        }
    }

    /// Adds the numbers of another piece of the archive.
    pub fn add(&mut self, other: &ArchiveCounts) {
        self.members += other.members;
        self.parts += other.parts;
        self.add_skipped(other);
    }
}

/// Finds where the members of an archive begin, as its scanner does, but faster.
pub(crate) trait MemberFinder: Send {
    /// Looks for the next member in the pending bytes of a window, from `next` of the previous one on.
    fn next(&mut self, window: &Window<'_>, read_at: ReadBytesAt<'_>) -> MemberSearch;

    /// Returns the context of a piece that starts with the member found last.
    fn context(&self) -> SplitContext;

    /// Takes the findings since the last call and before the offset `end`.
    fn take_index(&mut self, end: u64) -> PieceIndex;
}

/// The findings of a [`MemberFinder`] in a piece of an archive, so that its scanner need not search
/// again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceIndex {
    /// The offsets of all lines that may begin a member, in ascending order.
    pub candidates: Vec<u64>,
    /// Whether the piece may hold lines that were escaped so as not to begin a member.
    pub escaped: bool,
}

/// Reads bytes of the archive at an offset; returns how many there are, fewer only at its end.
pub(crate) type ReadBytesAt<'a> = &'a dyn Fn(u64, &mut [u8]) -> usize;

/// The result of a search for the next member of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberSearch {
    /// A member begins at `at`; its first line ends at `next`.
    Found {
        at: usize,
        /// The index at which the search for the next member starts.
        next: usize,
    },
    /// No member begins before this index, from which on more bytes are needed.
    NotBefore(usize),
    /// The next member cannot be found: the rest of the archive is a single piece.
    Lost,
}

/// The rest of the archive that a document is a piece of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitContext {
    /// The number of members before the piece.
    pub before: u64,
    /// The offset of the first member after the piece. The scanner sees some bytes of that member, to
    /// find the end of the previous one.
    pub end: Option<u64>,
    /// A choice that the first member makes for the others, encoded by the format; 0 at the start.
    pub state: u8,
}
