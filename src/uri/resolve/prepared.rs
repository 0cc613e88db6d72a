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
    pub(crate) fn replace<E>(
        &mut self,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.uri.clear();
        fill(&mut self.uri)?;
        self.ends = Ends::of(&self.uri);
        let path = &self.uri[self.ends.authority..self.ends.path];
        self.directory = self.ends.authority + memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
        Ok(())
    }

    /// Forgets the fragment.
    pub(crate) fn drop_fragment(&mut self) {
        self.uri.truncate(self.ends.query);
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
