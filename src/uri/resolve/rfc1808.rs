//! RFC 1808 section 4.

use super::prepared::Prepared;
use super::{ReferenceKind, ResolveError, ResolveErrorKind, dots};
use crate::uri::reference::Reference1808;
use crate::uri::rules::ExcessDots;

/// Resolves a reference; without a base each reference is its own target (section 3.4).
pub(super) fn resolve(
    base: Option<&Prepared>,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<ReferenceKind, ResolveError> {
    let parts = Reference1808::split(reference);
    let kind = kind(&parts, reference);
    let Some(base) = base else {
        // Step 1.
        out.extend_from_slice(reference);
        return Ok(kind);
    };
    if matches!(kind, ReferenceKind::Absolute | ReferenceKind::Opaque) {
        // Step 2b.
        out.extend_from_slice(reference);
        return Ok(kind);
    }
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
            path => merge(inherited.path, path, out),
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

fn merge(base: &[u8], path: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    match memchr::memrchr(b'/', base) {
        Some(at) => out.extend_from_slice(&base[..=at]),
        // The text is silent on a base without a path; without the slash the host would grow.
        None => out.push(b'/'),
    }
    out.extend_from_slice(path);
    dots::remove_merged(out, from, ExcessDots::Keep);
}

fn kind(parts: &Reference1808<'_>, reference: &[u8]) -> ReferenceKind {
    let rooted = parts.path.starts_with(b"/");
    match reference {
        _ if !parts.scheme.is_empty() && (parts.slashes || rooted) => ReferenceKind::Absolute,
        _ if !parts.scheme.is_empty() => ReferenceKind::Opaque,
        [] => ReferenceKind::Empty,
        [b'#', ..] => ReferenceKind::Fragment,
        [b'?', ..] => ReferenceKind::Query,
        _ if parts.slashes => ReferenceKind::NetworkPath,
        _ if rooted => ReferenceKind::AbsolutePath,
        _ => ReferenceKind::RelativePath,
    }
}
