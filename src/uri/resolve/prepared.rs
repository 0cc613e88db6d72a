//! A base URI and where its components end.

use crate::uri::reference::Ends;

/// The special schemes of the WHATWG URL standard, section 4.2, whose URLs always have a host.
const WEB: [&[u8]; 5] = [b"http:", b"https:", b"ftp:", b"ws:", b"wss:"];

/// A base URI taken apart once, for many references.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    uri: Vec<u8>,
    /// Where the components end.
    pub(super) ends: Ends,
    /// Past the last slash of the path, or where the path begins.
    pub(super) directory: usize,
    /// Past each slash of the directory.
    levels: Vec<usize>,
    /// Where the base is cut for each [`ReferenceKind`]; eight, so that a masked index is within bounds.
    cuts: [usize; 8],
    /// Whether a path without dot segments can stand behind the directory as it is: the directory has none either, and
    /// no drive letter, which is never removed.
    pub(super) is_plain: bool,
    /// Whether the scheme is one that browsers fetch from a host.
    pub(super) is_web: bool,
}

impl Prepared {
    /// Takes another base, in the same allocation.
    pub(super) fn replace<E>(
        &mut self,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.uri.clear();
        fill(&mut self.uri)?;
        let ends = Ends::of(&self.uri);
        let scheme = &self.uri[..ends.scheme];
        let path = &self.uri[ends.authority..ends.path];
        let directory = &path[..memchr::memrchr(b'/', path).map_or(0, |at| at + 1)];
        let has_dots = || {
            directory
                .split(|&byte| byte == b'/')
                .any(|segment| matches!(segment, b"." | b".."))
        };
        let has_drive = scheme == b"file:" && matches!(directory, [b'/', _, b':' | b'|', ..]);
        self.is_plain = directory.starts_with(b"/") && !has_drive && !has_dots();
        self.is_web = WEB.contains(&scheme);
        self.directory = ends.authority + directory.len();
        let slashes = memchr::memchr_iter(b'/', directory);
        self.levels.clear();
        self.levels
            .extend(slashes.map(|slash| ends.authority + slash + 1));
        self.cuts = [
            ends.query,
            ends.query,
            ends.path,
            self.directory,
            ends.authority,
            ends.scheme,
            0,
            0,
        ];
        self.ends = ends;
        Ok(())
    }

    /// Forgets the fragment.
    pub(super) fn drop_fragment(&mut self) {
        self.uri.truncate(self.ends.query);
    }

    /// The whole URI, its fragment included.
    pub(super) fn uri(&self) -> &[u8] {
        &self.uri
    }

    /// The URI without its fragment.
    pub(super) fn document(&self) -> &[u8] {
        &self.uri[..self.ends.query]
    }

    /// The scheme with its colon.
    pub(super) fn scheme(&self) -> &[u8] {
        &self.uri[..self.ends.scheme]
    }

    /// Everything before the path.
    pub(super) fn root(&self) -> &[u8] {
        &self.uri[..self.ends.authority]
    }

    /// What stands before a reference of this kind that has no dot segments.
    #[inline]
    pub(super) fn cut(&self, kind: ReferenceKind) -> &[u8] {
        &self.uri[..self.cuts[kind as usize & 7]]
    }

    /// The URI up to the directory so many levels above its own; the root is its own parent.
    #[inline]
    pub(super) fn ancestor(&self, up: usize) -> &[u8] {
        let level = self.levels.len().saturating_sub(up + 1);
        let end = self.levels.get(level).copied();
        &self.uri[..end.unwrap_or(self.directory)]
    }

    /// The path.
    pub(super) fn path(&self) -> &[u8] {
        &self.uri[self.ends.authority..self.ends.path]
    }

    /// Whether the path is one that references can be relative to: not opaque.
    pub(super) fn is_hierarchical(&self) -> bool {
        self.ends.has_authority() || self.path().starts_with(b"/")
    }
}

/// The kinds of references, from those that inherit most to those that inherit nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferenceKind {
    /// The empty reference.
    Empty,
    /// `#fragment`
    Fragment,
    /// `?query`
    Query,
    /// `path`
    RelativePath,
    /// `/path`
    AbsolutePath,
    /// `//authority/path`
    NetworkPath,
    /// `scheme://authority/path` or `scheme:/path`
    Absolute,
    /// `scheme:rest`
    Opaque,
}
