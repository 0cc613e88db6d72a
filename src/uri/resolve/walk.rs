//! What RFC 2396 and RFC 3986 share: the components of Appendix B, and a guard that both texts lack.

use super::ReferenceKind;
use super::prepared::Prepared;
use crate::uri::reference::Ends;
use crate::uri::rules::SameScheme;

/// The components of a reference as the algorithms walk through them.
pub(super) struct ReferenceWalk<'a> {
    pub(super) reference: &'a [u8],
    pub(super) ends: Ends,
}

impl<'a> ReferenceWalk<'a> {
    pub(super) fn new(reference: &'a [u8]) -> Self {
        Self {
            reference,
            ends: Ends::of(reference),
        }
    }

    /// The scheme with its colon.
    pub(super) fn scheme(&self) -> &'a [u8] {
        &self.reference[..self.ends.scheme]
    }

    /// The authority with its slashes.
    pub(super) fn authority(&self) -> &'a [u8] {
        &self.reference[self.ends.scheme..self.ends.authority]
    }

    pub(super) fn path(&self) -> &'a [u8] {
        &self.reference[self.ends.authority..self.ends.path]
    }

    /// Query and fragment with their delimiters.
    pub(super) fn tail(&self) -> &'a [u8] {
        &self.reference[self.ends.path..]
    }

    /// What comes after the scheme.
    pub(super) fn after_scheme(&self) -> &'a [u8] {
        &self.reference[self.ends.scheme..]
    }

    /// The kind of a reference whose scheme counts.
    pub(super) fn absolute_kind(&self) -> ReferenceKind {
        if self.ends.has_authority() || self.path().starts_with(b"/") {
            ReferenceKind::Absolute
        } else {
            ReferenceKind::Opaque
        }
    }

    /// The kind of a reference whose scheme does not count, or that has none.
    pub(super) fn relative_kind(&self) -> ReferenceKind {
        match self.path() {
            _ if self.ends.has_authority() => ReferenceKind::NetworkPath,
            [b'/', ..] => ReferenceKind::AbsolutePath,
            [_, ..] => ReferenceKind::RelativePath,
            [] if self.ends.has_query() => ReferenceKind::Query,
            [] if self.ends.query < self.reference.len() => ReferenceKind::Fragment,
            [] => ReferenceKind::Empty,
        }
    }

    /// Whether the scheme is that of the base and, by these rules, does not count then.
    pub(super) fn shares_scheme(&self, base: Option<&Prepared>, scheme: SameScheme) -> bool {
        scheme == SameScheme::Compat
            && base.is_some_and(|base| self.scheme().eq_ignore_ascii_case(base.scheme()))
    }
}

/// Keeps a path that begins with two slashes from being read as an authority, as WHATWG URL section 4.5 does.
pub(super) fn guard(base: &Prepared, kind: ReferenceKind, start: usize, out: &mut Vec<u8>) {
    let path = start + base.ends.scheme;
    if !base.ends.has_authority()
        && kind != ReferenceKind::NetworkPath
        && out[path..].starts_with(b"//")
    {
        out.splice(path..path, *b"/.");
    }
}
