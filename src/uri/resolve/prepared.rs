//! A base URI, split once for many references.

use crate::bytes::simd::is_plain;
use crate::uri::error::ResolveError;
use crate::uri::reference::Ends;

/// The special schemes of the WHATWG URL standard, section 4.2, whose URLs always have a host.
const WEB: [&[u8]; 5] = [b"http:", b"https:", b"ftp:", b"ws:", b"wss:"];

/// A base URI and the ends of its components.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    uri: Vec<u8>,
    pub(super) ends: Ends,
    /// The index past the last slash of the path, or of the path's start.
    pub(super) directory: usize,
    /// The indices past each slash of the directory.
    levels: Vec<usize>,
    /// The length that each [`ReferenceKind`] inherits; eight, so that a masked index is in bounds.
    inherited: [usize; 8],
    /// Whether a relative path without dot segments needs only be appended to the directory.
    /// The directory then has no dot segments and no drive letter, which is never removed.
    pub(super) is_plain: bool,
    /// Whether no byte needs an escape in a string, nor is a blank.
    pub(super) is_text_plain: bool,
    /// Whether browsers fetch the scheme from a host.
    pub(super) is_web: bool,
}

impl Prepared {
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
        let mut segments = directory.split(|&byte| byte == b'/');
        let mut has_dots = || segments.any(|segment| matches!(segment, b"." | b".."));
        let has_drive = scheme == b"file:" && matches!(directory, [b'/', _, b':' | b'|', ..]);
        self.is_plain = directory.starts_with(b"/") && !has_drive && !has_dots();
        self.is_text_plain = is_plain(&self.uri) && !self.uri.contains(&b' ');
        self.is_web = WEB.contains(&scheme);
        self.directory = ends.authority + directory.len();
        let slashes = memchr::memchr_iter(b'/', directory);
        self.levels.clear();
        self.levels
            .extend(slashes.map(|slash| ends.authority + slash + 1));
        self.inherited = [
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

    pub(super) fn drop_fragment(&mut self) {
        self.uri.truncate(self.ends.query);
    }

    /// The whole URI, its fragment included.
    pub(super) fn uri(&self) -> &[u8] {
        &self.uri
    }

    pub(super) fn document(&self) -> &[u8] {
        &self.uri[..self.ends.query]
    }

    /// The scheme with its colon.
    pub(super) fn scheme(&self) -> &[u8] {
        &self.uri[..self.ends.scheme]
    }

    pub(super) fn root(&self) -> &[u8] {
        &self.uri[..self.ends.authority]
    }

    /// The part of the base that precedes a reference of this kind without dot segments.
    #[inline]
    pub(super) fn inherited(&self, kind: ReferenceKind) -> &[u8] {
        &self.uri[..self.inherited[kind as usize & 7]]
    }

    /// The URI up to the directory `up` levels above its own; the root is its own parent.
    #[inline]
    pub(super) fn ancestor(&self, up: usize) -> &[u8] {
        let level = self.levels.len().saturating_sub(up + 1);
        let end = self.levels.get(level).copied();
        &self.uri[..end.unwrap_or(self.directory)]
    }

    pub(super) fn path(&self) -> &[u8] {
        &self.uri[self.ends.authority..self.ends.path]
    }

    /// Returns whether references can be relative to the path: it is not opaque.
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

/// The kind of a reference whose target was appended to a buffer.
pub(super) type Resolution = Result<ReferenceKind, ResolveError>;

impl ReferenceKind {
    /// Returns whether the target has components of the base.
    #[must_use]
    pub fn inherits_base(self) -> bool {
        self < ReferenceKind::Absolute
    }
}
