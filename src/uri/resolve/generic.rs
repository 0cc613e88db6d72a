//! RFC 3986 section 5.2 and RFC 2396 section 5.2.

use super::super::reference::Ends;
use super::super::rules::{ExcessDots, Form, SameScheme};
use super::prepared::Prepared;
use super::{ReferenceKind, ResolveError, ResolveErrorKind, dots};

/// Schemes whose URIs are always hierarchical, so that RFC 2396 section 5.2 step 3 may take them as relative.
const HIERARCHICAL: [&[u8]; 9] = [
    b"http:",
    b"https:",
    b"ftp:",
    b"file:",
    b"gopher:",
    b"nntp:",
    b"telnet:",
    b"wais:",
    b"prospero:",
];

/// The components of a reference as the algorithms walk through them.
struct Walk<'a> {
    reference: &'a [u8],
    ends: Ends,
}

impl<'a> Walk<'a> {
    fn new(reference: &'a [u8]) -> Self {
        Self {
            reference,
            ends: Ends::of(reference),
        }
    }

    fn scheme(&self) -> &'a [u8] {
        &self.reference[..self.ends.scheme]
    }

    /// The authority with its slashes.
    fn authority(&self) -> &'a [u8] {
        &self.reference[self.ends.scheme..self.ends.authority]
    }

    fn path(&self) -> &'a [u8] {
        &self.reference[self.ends.authority..self.ends.path]
    }

    /// Query and fragment with their delimiters.
    fn tail(&self) -> &'a [u8] {
        &self.reference[self.ends.path..]
    }

    /// What comes after the scheme.
    fn after_scheme(&self) -> &'a [u8] {
        &self.reference[self.ends.scheme..]
    }

    fn absolute_kind(&self) -> ReferenceKind {
        if self.ends.has_authority() || self.path().starts_with(b"/") {
            ReferenceKind::Absolute
        } else {
            ReferenceKind::Opaque
        }
    }

    fn relative_kind(&self) -> ReferenceKind {
        match self.path() {
            _ if self.ends.has_authority() => ReferenceKind::NetworkPath,
            [b'/', ..] => ReferenceKind::AbsolutePath,
            [_, ..] => ReferenceKind::RelativePath,
            [] if self.ends.has_query() => ReferenceKind::Query,
            [] if self.ends.query < self.reference.len() => ReferenceKind::Fragment,
            [] => ReferenceKind::Empty,
        }
    }
}

/// RFC 3986 section 5.2.2.
pub(super) fn rfc3986(
    base: Option<&Prepared>,
    scheme: SameScheme,
    form: Form,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<ReferenceKind, ResolveError> {
    let walk = Walk::new(reference);
    let inherits_scheme = scheme == SameScheme::Compat
        && base.is_some_and(|base| walk.scheme().eq_ignore_ascii_case(base.scheme()));
    let start = out.len();
    if walk.ends.has_scheme() && !inherits_scheme {
        if form == Form::Corrected {
            out.extend_from_slice(reference);
        } else {
            out.extend_from_slice(&reference[..walk.ends.authority]);
            finish(walk.path(), walk.tail(), out);
        }
        return Ok(walk.absolute_kind());
    }
    let base = base.ok_or(ResolveErrorKind::NoBase)?;
    let kind = walk.relative_kind();
    if form == Form::Corrected && kind > ReferenceKind::Query && !base.is_hierarchical() {
        return Err(ResolveErrorKind::UnsuitableBase.into());
    }
    match kind {
        ReferenceKind::Empty | ReferenceKind::Fragment => {
            out.extend_from_slice(base.document());
            out.extend_from_slice(walk.tail());
        }
        ReferenceKind::Query => {
            out.extend_from_slice(&base.uri()[..base.ends.path]);
            out.extend_from_slice(walk.tail());
        }
        ReferenceKind::NetworkPath => {
            out.extend_from_slice(base.scheme());
            out.extend_from_slice(walk.authority());
            finish(walk.path(), walk.tail(), out);
        }
        ReferenceKind::AbsolutePath => {
            out.extend_from_slice(base.root());
            finish(walk.path(), walk.tail(), out);
        }
        _ => {
            // Section 5.2.3.
            out.extend_from_slice(base.root());
            let path = out.len();
            if base.ends.has_authority() && base.path().is_empty() {
                out.push(b'/');
            } else {
                out.extend_from_slice(&base.uri()[base.ends.authority..base.directory]);
            }
            out.extend_from_slice(walk.path());
            dots::remove(out, path);
            out.extend_from_slice(walk.tail());
        }
    }
    if form == Form::Corrected && kind >= ReferenceKind::RelativePath {
        guard(base, kind, start, out);
    }
    Ok(kind)
}

fn finish(path: &[u8], tail: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    out.extend_from_slice(path);
    dots::remove(out, from);
    out.extend_from_slice(tail);
}

/// Keeps a path that begins with two slashes from being read as an authority, as WHATWG URL section 4.5 does.
fn guard(base: &Prepared, kind: ReferenceKind, start: usize, out: &mut Vec<u8>) {
    let path = start + base.ends.scheme;
    if !base.ends.has_authority()
        && kind != ReferenceKind::NetworkPath
        && out[path..].starts_with(b"//")
    {
        out.splice(path..path, *b"/.");
    }
}

/// RFC 2396 section 5.2.
pub(super) fn rfc2396(
    base: Option<&Prepared>,
    excess: ExcessDots,
    scheme: SameScheme,
    form: Form,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<ReferenceKind, ResolveError> {
    let walk = Walk::new(reference);
    let start = out.len();
    let mut kind = walk.relative_kind();
    if walk.ends.has_scheme() {
        // Step 3.
        let inherits_scheme = scheme == SameScheme::Compat
            && base.is_some_and(|base| walk.scheme().eq_ignore_ascii_case(base.scheme()))
            && HIERARCHICAL
                .iter()
                .any(|scheme| walk.scheme().eq_ignore_ascii_case(scheme));
        if !inherits_scheme {
            out.extend_from_slice(reference);
            return Ok(walk.absolute_kind());
        }
        kind = kind.max(ReferenceKind::Query);
    }
    let base = base.ok_or(ResolveErrorKind::NoBase)?;
    // Step 2: a reference to the current document.
    if kind <= ReferenceKind::Fragment {
        out.extend_from_slice(base.document());
        out.extend_from_slice(walk.tail());
        return Ok(kind);
    }
    // Section 5: relative references are unusable with an opaque base.
    if !base.is_hierarchical() {
        return Err(ResolveErrorKind::UnsuitableBase.into());
    }
    match kind {
        // Step 4.
        ReferenceKind::NetworkPath => {
            out.extend_from_slice(base.scheme());
            out.extend_from_slice(walk.after_scheme());
        }
        // Step 5.
        ReferenceKind::AbsolutePath => {
            out.extend_from_slice(base.root());
            out.extend_from_slice(walk.after_scheme());
        }
        // Step 6.
        _ => {
            out.extend_from_slice(&base.uri()[..base.directory]);
            if form == Form::Corrected && base.path().is_empty() {
                out.push(b'/');
            }
            out.extend_from_slice(walk.path());
            if !dots::remove_merged(out, start + base.ends.authority, excess) {
                return Err(ResolveErrorKind::ExcessDots.into());
            }
            out.extend_from_slice(walk.tail());
        }
    }
    if form == Form::Corrected {
        guard(base, kind, start, out);
    }
    Ok(kind)
}
