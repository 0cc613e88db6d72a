//! A base URI and where its components end.

use super::super::reference::Ends;

/// A base URI taken apart once, for many references.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    uri: Vec<u8>,
    /// Where the components end.
    pub(crate) ends: Ends,
    /// Past the last slash of the path, or where the path begins.
    pub(crate) directory: usize,
}

impl Prepared {
    /// Takes another base, in the same allocation.
    pub(crate) fn replace(&mut self, base: &[u8]) {
        self.uri.clear();
        self.uri.extend_from_slice(base);
        self.ends = Ends::of(&self.uri);
        let path = &self.uri[self.ends.authority..self.ends.path];
        self.directory = self.ends.authority + memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    }

    /// The whole URI, its fragment included.
    pub(crate) fn uri(&self) -> &[u8] {
        &self.uri
    }

    /// The URI without its fragment.
    pub(crate) fn document(&self) -> &[u8] {
        &self.uri[..self.ends.query]
    }

    /// The scheme with its colon.
    pub(crate) fn scheme(&self) -> &[u8] {
        &self.uri[..self.ends.scheme]
    }

    /// Everything before the path.
    pub(crate) fn root(&self) -> &[u8] {
        &self.uri[..self.ends.authority]
    }

    pub(crate) fn path(&self) -> &[u8] {
        &self.uri[self.ends.authority..self.ends.path]
    }

    /// Whether the path is one that references can be relative to: not opaque.
    pub(crate) fn is_hierarchical(&self) -> bool {
        self.ends.has_authority() || self.path().starts_with(b"/")
    }
}
