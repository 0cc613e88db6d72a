//! RFC 3986 section 5.2.

use super::prepared::Prepared;
use super::walk::{ReferenceWalk, guard};
use super::{ReferenceKind, ResolveError, ResolveErrorKind, dots};
use crate::uri::rules::{RuleForm, SameScheme};

/// Section 5.2.2.
pub(super) fn resolve(
    base: Option<&Prepared>,
    scheme: SameScheme,
    form: RuleForm,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<ReferenceKind, ResolveError> {
    let walk = ReferenceWalk::new(reference);
    if walk.ends.has_scheme() && !walk.shares_scheme(base, scheme) {
        match form {
            RuleForm::Corrected => out.extend_from_slice(reference),
            RuleForm::Letter => push_path(&[&reference[..walk.ends.authority]], &walk, out),
        }
        return Ok(walk.absolute_kind());
    }
    let base = base.ok_or(ResolveErrorKind::NoBase)?;
    let kind = walk.relative_kind();
    if form == RuleForm::Corrected && kind > ReferenceKind::Query && !base.is_hierarchical() {
        return Err(ResolveErrorKind::UnsuitableBase.into());
    }
    let start = out.len();
    match kind {
        ReferenceKind::NetworkPath => push_path(&[base.scheme(), walk.authority()], &walk, out),
        ReferenceKind::AbsolutePath => push_path(&[base.root()], &walk, out),
        ReferenceKind::RelativePath => merge(base, &walk, out),
        _ => {
            out.extend_from_slice(base.cut(kind));
            out.extend_from_slice(walk.tail());
        }
    }
    if form == RuleForm::Corrected {
        guard(base, kind, start, out);
    }
    Ok(kind)
}

/// What stands before the path, the path without dot segments, and what follows.
fn push_path(before: &[&[u8]], walk: &ReferenceWalk<'_>, out: &mut Vec<u8>) {
    for piece in before {
        out.extend_from_slice(piece);
    }
    let path = out.len();
    out.extend_from_slice(walk.path());
    dots::remove(out, path);
    out.extend_from_slice(walk.tail());
}

/// Section 5.2.3: the path behind the base's directory.
fn merge(base: &Prepared, walk: &ReferenceWalk<'_>, out: &mut Vec<u8>) {
    let path = out.len() + base.ends.authority;
    out.extend_from_slice(base.cut(ReferenceKind::RelativePath));
    if base.ends.has_authority() && base.path().is_empty() {
        out.push(b'/');
    }
    out.extend_from_slice(walk.path());
    dots::remove(out, path);
    out.extend_from_slice(walk.tail());
}
