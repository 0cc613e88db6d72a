//! Resolution by the RFCs: 1808 section 4, 2396 section 5.2 and 3986 section 5.2.
//!
//! These algorithms move components unchanged, apart from removing dot segments.

use super::prepared::{Prepared, ReferenceKind, Resolution};
use crate::uri::error::ResolveErrorKind;
use crate::uri::reference::{Ends, Reference1808};
use crate::uri::rules::{ExcessDots, RuleForm, SameScheme};

/// Resolves by RFC 1808 section 4; without a base each reference is its own target (section 3.4).
pub(super) fn resolve_1808(
    base: Option<&Prepared>,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Resolution {
    let parts = Reference1808::split(reference);
    let kind = kind_1808(&parts, reference);
    let is_absolute = matches!(kind, ReferenceKind::Absolute | ReferenceKind::Opaque);
    let Some(base) = base.filter(|_| !is_absolute) else {
        // Steps 1 and 2b.
        out.extend_from_slice(reference);
        return Ok(kind);
    };
    if kind == ReferenceKind::Empty {
        // Step 2a: the only reference that inherits the fragment.
        out.extend_from_slice(base.uri());
        return Ok(kind);
    }
    let inherited = Reference1808::split(base.uri());
    // Section 2.3: mailto, news and the like are never used with relative URLs.
    let is_hierarchical = inherited.slashes || inherited.path.starts_with(b"/");
    if kind > ReferenceKind::Fragment && !is_hierarchical {
        return Err(ResolveErrorKind::UnsuitableBase.into());
    }
    out.extend_from_slice(inherited.scheme);
    out.push(b':');
    let (mut params, mut query) = (parts.params, parts.query);
    if !parts.net_loc.is_empty() {
        // Step 3.
        out.extend_from_slice(b"//");
        out.extend_from_slice(parts.net_loc);
        out.extend_from_slice(parts.path);
    } else {
        if inherited.slashes {
            out.extend_from_slice(b"//");
            out.extend_from_slice(inherited.net_loc);
        }
        match parts.path {
            // Step 4.
            [b'/', ..] => out.extend_from_slice(parts.path),
            // Step 5.
            [] => {
                out.extend_from_slice(inherited.path);
                if params.is_empty() {
                    params = inherited.params;
                    if query.is_empty() {
                        query = inherited.query;
                    }
                }
            }
            // Step 6.
            path => merge_1808(inherited.path, path, out),
        }
    }
    // Step 7.
    for (delimiter, component) in [(b';', params), (b'?', query), (b'#', parts.fragment)] {
        if !component.is_empty() {
            out.push(delimiter);
            out.extend_from_slice(component);
        }
    }
    Ok(kind)
}

/// Appends a relative path, merged with the base's path (step 6).
fn merge_1808(base: &[u8], path: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    match memchr::memrchr(b'/', base) {
        Some(at) => out.extend_from_slice(&base[..=at]),
        // The text is silent on a base without a path; without the slash the host would grow.
        None => out.push(b'/'),
    }
    out.extend_from_slice(path);
    remove_merged_dot_segments(out, from, ExcessDots::Keep);
}

fn kind_1808(parts: &Reference1808<'_>, reference: &[u8]) -> ReferenceKind {
    let is_rooted = parts.path.starts_with(b"/");
    match reference {
        _ if !parts.scheme.is_empty() && (parts.slashes || is_rooted) => ReferenceKind::Absolute,
        _ if !parts.scheme.is_empty() => ReferenceKind::Opaque,
        [] => ReferenceKind::Empty,
        [b'#', ..] => ReferenceKind::Fragment,
        [b'?', ..] => ReferenceKind::Query,
        _ if parts.slashes => ReferenceKind::NetworkPath,
        _ if is_rooted => ReferenceKind::AbsolutePath,
        _ => ReferenceKind::RelativePath,
    }
}

/// Schemes whose URIs are always hierarchical, so that RFC 2396 section 5.2 step 3 may apply.
#[rustfmt::skip]
const HIERARCHICAL: [&[u8]; 9] = [
    b"http:", b"https:", b"ftp:", b"file:", b"gopher:", b"nntp:", b"telnet:", b"wais:",
    b"prospero:",
];

/// Resolves by RFC 2396 section 5.2.
pub(super) fn resolve_2396(
    base: Option<&Prepared>,
    excess: ExcessDots,
    scheme: SameScheme,
    form: RuleForm,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Resolution {
    let split = SplitReference::new(reference);
    let mut kind = split.relative_kind();
    if split.ends.has_scheme() {
        // Step 3.
        let is_own = |name: &&[u8]| name.eq_ignore_ascii_case(split.scheme());
        let is_hierarchical = HIERARCHICAL.iter().any(is_own);
        if !is_hierarchical || !split.shares_scheme(base, scheme) {
            out.extend_from_slice(reference);
            return Ok(split.absolute_kind());
        }
        // Step 2 asks for an undefined scheme, so `http:#s` continues to step 6.
        kind = kind.max(ReferenceKind::Query);
    }
    let base = base.ok_or(ResolveErrorKind::NoBase)?;
    // Step 2: a reference to the current document.
    if kind <= ReferenceKind::Fragment {
        out.extend_from_slice(base.document());
        out.extend_from_slice(split.tail());
        return Ok(kind);
    }
    // Section 5: relative references are unusable with an opaque base.
    if !base.is_hierarchical() {
        return Err(ResolveErrorKind::UnsuitableBase.into());
    }
    let start = out.len();
    match kind {
        // Steps 4 and 5.
        ReferenceKind::NetworkPath | ReferenceKind::AbsolutePath => {
            out.extend_from_slice(base.inherited(kind));
            out.extend_from_slice(split.after_scheme());
        }
        // Step 6.
        _ => {
            out.extend_from_slice(base.inherited(ReferenceKind::RelativePath));
            if form == RuleForm::Corrected && base.path().is_empty() {
                out.push(b'/');
            }
            out.extend_from_slice(split.path());
            if !remove_merged_dot_segments(out, start + base.ends.authority, excess) {
                return Err(ResolveErrorKind::ExcessDots.into());
            }
            out.extend_from_slice(split.tail());
        }
    }
    if form == RuleForm::Corrected {
        guard_path(base, kind, start, out);
    }
    Ok(kind)
}

/// Resolves by RFC 3986 section 5.2.2.
pub(super) fn resolve_3986(
    base: Option<&Prepared>,
    scheme: SameScheme,
    form: RuleForm,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Resolution {
    let split = SplitReference::new(reference);
    if split.ends.has_scheme() && !split.shares_scheme(base, scheme) {
        match form {
            RuleForm::Corrected => out.extend_from_slice(reference),
            RuleForm::Letter => push_path(&[&reference[..split.ends.authority]], &split, out),
        }
        return Ok(split.absolute_kind());
    }
    let base = base.ok_or(ResolveErrorKind::NoBase)?;
    let kind = split.relative_kind();
    if form == RuleForm::Corrected && kind > ReferenceKind::Query && !base.is_hierarchical() {
        return Err(ResolveErrorKind::UnsuitableBase.into());
    }
    let start = out.len();
    match kind {
        ReferenceKind::NetworkPath => push_path(&[base.scheme(), split.authority()], &split, out),
        ReferenceKind::AbsolutePath => push_path(&[base.root()], &split, out),
        ReferenceKind::RelativePath => merge_3986(base, &split, out),
        _ => {
            out.extend_from_slice(base.inherited(kind));
            out.extend_from_slice(split.tail());
        }
    }
    if form == RuleForm::Corrected {
        guard_path(base, kind, start, out);
    }
    Ok(kind)
}

/// Appends `before`, then the reference's path without dot segments, query and fragment.
fn push_path(before: &[&[u8]], split: &SplitReference<'_>, out: &mut Vec<u8>) {
    for piece in before {
        out.extend_from_slice(piece);
    }
    let path = out.len();
    out.extend_from_slice(split.path());
    remove_dot_segments(out, path);
    out.extend_from_slice(split.tail());
}

/// Appends the target of a relative path: section 5.2.3.
fn merge_3986(base: &Prepared, split: &SplitReference<'_>, out: &mut Vec<u8>) {
    let path = out.len() + base.ends.authority;
    out.extend_from_slice(base.inherited(ReferenceKind::RelativePath));
    if base.ends.has_authority() && base.path().is_empty() {
        out.push(b'/');
    }
    out.extend_from_slice(split.path());
    remove_dot_segments(out, path);
    out.extend_from_slice(split.tail());
}

/// A reference split into the components of Appendix B of RFC 2396 and RFC 3986.
struct SplitReference<'a> {
    reference: &'a [u8],
    ends: Ends,
}

impl<'a> SplitReference<'a> {
    fn new(reference: &'a [u8]) -> Self {
        let ends = Ends::of(reference);
        Self { reference, ends }
    }

    /// The scheme with its colon.
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

    fn after_scheme(&self) -> &'a [u8] {
        &self.reference[self.ends.scheme..]
    }

    /// The kind of a reference whose scheme is not ignored.
    fn absolute_kind(&self) -> ReferenceKind {
        let is_rooted = self.ends.has_authority() || self.path().starts_with(b"/");
        [ReferenceKind::Opaque, ReferenceKind::Absolute][usize::from(is_rooted)]
    }

    /// The kind of a reference without a scheme, or whose scheme is ignored.
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

    /// Whether the scheme equals the base's and is therefore ignored by these rules.
    fn shares_scheme(&self, base: Option<&Prepared>, scheme: SameScheme) -> bool {
        scheme == SameScheme::Compat
            && base.is_some_and(|base| self.scheme().eq_ignore_ascii_case(base.scheme()))
    }
}

/// Keeps a path that begins with two slashes from being read as an authority, which only WHATWG URL
/// section 4.5 does.
fn guard_path(base: &Prepared, kind: ReferenceKind, start: usize, out: &mut Vec<u8>) {
    let path = start + base.ends.scheme;
    if !base.ends.has_authority()
        && kind != ReferenceKind::NetworkPath
        && out[path..].starts_with(b"//")
    {
        out.splice(path..path, *b"/.");
    }
}

/// Removes dot segments from `out[from..]` in place: RFC 3986 section 5.2.4.
pub(crate) fn remove_dot_segments(out: &mut Vec<u8>, from: usize) {
    let path = out.split_off(from);
    let mut rest = &path[..];
    while !rest.is_empty() {
        rest = match rest {
            // Only at the start.
            [b'.'] | [b'.', b'.'] => &[],
            [b'.', b'/', after @ ..] | [b'.', b'.', b'/', after @ ..] => after,
            [b'/', b'.'] => b"/",
            [b'/', b'.', b'/', ..] => &rest[2..],
            [b'/', b'.', b'.'] | [b'/', b'.', b'.', b'/', ..] => {
                let slash = memchr::memrchr(b'/', &out[from..]).unwrap_or(0);
                out.truncate(from + slash);
                if rest.len() > 3 { &rest[3..] } else { b"/" }
            }
            _ => {
                let end = memchr::memchr(b'/', &rest[1..]).map_or(rest.len(), |at| at + 1);
                out.extend_from_slice(&rest[..end]);
                &rest[end..]
            }
        };
    }
}

/// Removes dot segments from the merged path `out[from..]` in place.
/// RFC 2396 section 5.2 steps 6c to 6g, RFC 1808 section 4 step 6. Returns false if `excess` makes
/// an error of a `..` above the root.
fn remove_merged_dot_segments(out: &mut Vec<u8>, from: usize, excess: ExcessDots) -> bool {
    let end = out.len();
    // The empty string before the leading slash is not a segment.
    let mut floor = from + usize::from(out[from..].starts_with(b"/"));
    let (mut read, mut write) = (floor, floor);
    while read < end {
        let length = memchr::memchr(b'/', &out[read..end]).map_or(end - read, |at| at + 1);
        match &out[read..read + length] {
            b"." | b"./" => {}
            b".." | b"../" if write > floor => {
                write =
                    floor + memchr::memrchr(b'/', &out[floor..write - 1]).map_or(0, |at| at + 1);
            }
            b".." | b"../" if excess == ExcessDots::Remove => {}
            b".." | b"../" if excess == ExcessDots::Error => return false,
            segment => {
                let is_parent = matches!(segment, b".." | b"../");
                out.copy_within(read..read + length, write);
                write += length;
                if is_parent {
                    floor = write;
                }
            }
        }
        read += length;
    }
    out.truncate(write);
    true
}
