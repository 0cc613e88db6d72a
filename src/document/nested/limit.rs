//! The depths to which documents may nest, one row a kind.

/// A limit of nesting: how many documents of a kind may enclose each other.
///
/// A container asks it before it opens a member, and reports or reads the member as text where it
/// does not admit another level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NestingLimit(pub(crate) usize);

impl NestingLimit {
    /// Archives in archives: tar, zip, web archives.
    pub(crate) const ARCHIVES: Self = NestingLimit(4);
    /// Compressed data in compressed data.
    pub(crate) const COMPRESSION: Self = NestingLimit(4);
    /// Entities of mail: parts in parts, and messages in messages.
    pub(crate) const ENTITIES: Self = NestingLimit(64);
    /// Documents in `srcdoc` attributes.
    pub(crate) const SRCDOC: Self = NestingLimit(16);

    /// Returns whether a member may be opened inside `depth` others.
    pub(crate) fn admits(self, depth: usize) -> bool {
        depth < self.0
    }
}
