//! RFC 2396 section 5.2.

use super::prepared::Prepared;
use super::walk::{ReferenceWalk, guard};
use super::{ReferenceKind, ResolveError, ResolveErrorKind, dots};
use crate::uri::rules::{ExcessDots, RuleForm, SameScheme};

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

/// Steps 1 to 7.
pub(super) fn resolve(
    base: Option<&Prepared>,
    excess: ExcessDots,
    scheme: SameScheme,
    form: RuleForm,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<ReferenceKind, ResolveError> {
    let walk = ReferenceWalk::new(reference);
    let mut kind = walk.relative_kind();
    if walk.ends.has_scheme() {
        // Step 3.
        let is_hierarchical = HIERARCHICAL
            .iter()
            .any(|name| name.eq_ignore_ascii_case(walk.scheme()));
        if !is_hierarchical || !walk.shares_scheme(base, scheme) {
            out.extend_from_slice(reference);
            return Ok(walk.absolute_kind());
        }
        // Step 2 asks for an undefined scheme, so `http:#s` goes on to step 6.
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
    let start = out.len();
    match kind {
        // Steps 4 and 5.
        ReferenceKind::NetworkPath | ReferenceKind::AbsolutePath => {
            out.extend_from_slice(base.cut(kind));
            out.extend_from_slice(walk.after_scheme());
        }
        // Step 6.
        _ => {
            out.extend_from_slice(base.cut(ReferenceKind::RelativePath));
            if form == RuleForm::Corrected && base.path().is_empty() {
                out.push(b'/');
            }
            out.extend_from_slice(walk.path());
            if !dots::remove_merged(out, start + base.ends.authority, excess) {
                return Err(ResolveErrorKind::ExcessDots.into());
            }
            out.extend_from_slice(walk.tail());
        }
    }
    if form == RuleForm::Corrected {
        guard(base, kind, start, out);
    }
    Ok(kind)
}
