//! The fast path: targets that are a cut of the base followed by the reference as it stands.
//!
//! The plain way is to split the reference, normalise each component and put the pieces together. Most references in
//! real documents need none of it: no byte of them is encoded, no dot segment removed, no host rewritten. Three steps:
//!
//! 1. A leading run of `./` and `../` moves the cut back over the base's slashes.
//! 2. One look at all bytes, sixteen at a time and without a branch, says whether anything is left that would be
//!    rewritten: a byte of some percent-encode set, a `.` that begins a segment, a `%2e`. If so, this is no shortcut.
//! 3. The first byte says which cut of the base stands before the rest; only a `:` needs a second look.
//!
//! By the WHATWG rules each state of URL section 4.4 (relative, relative slash, special relative or authority, opaque
//! path) then appends its input unchanged, so that the serialised result is the concatenation. By RFC 3986 section 5.2
//! no byte is ever rewritten, so that only dot segments matter.

use super::ReferenceKind;
use super::prepared::Prepared;
use crate::bytes::class::ByteSet;

/// A byte that some component percent-encodes, or that is removed, or a backslash.
const REWRITTEN: u8 = 1;
/// A colon.
const COLON: u8 = 2;
/// A percent sign.
const PERCENT: u8 = 4;
/// A dot after a slash.
const DOT_SEGMENT: u8 = 8;

/// The bytes of hosts that are serialised as they stand, if the last label is no number.
const HOST: ByteSet = ByteSet::DIGIT.with_range(b'a', b'z').with(b"-._");

/// What a reference may hold and still be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// URL section 4.4: `%2e` is a dot, hosts are normalised, `http:g` may be relative.
    Whatwg,
    /// RFC 3986 section 5.2.2 with strict schemes: nothing but dot segments counts.
    Rfc3986,
}

/// Appends the target if it is a concatenation.
#[inline]
pub(super) fn resolve(
    base: &Prepared,
    dialect: Dialect,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Option<ReferenceKind> {
    let mut rest = reference;
    let mut cut = base.directory;
    while let [b'.', after @ ..] = rest {
        match after {
            [b'/', after @ ..] => rest = after,
            [b'.', b'/', after @ ..] => {
                cut = base.parent(cut);
                rest = after;
            }
            _ => return None,
        }
    }
    let found = survey(rest);
    let declined = match dialect {
        Dialect::Whatwg => REWRITTEN | DOT_SEGMENT,
        Dialect::Rfc3986 => DOT_SEGMENT,
    };
    if found & declined != 0
        || dialect == Dialect::Whatwg && found & PERCENT != 0 && has_encoded_dot(rest)
    {
        return None;
    }
    if rest.len() < reference.len() {
        if !base.is_plain || rest.starts_with(b"/") {
            return None;
        }
        return Some(append(
            &base.uri()[..cut],
            rest,
            ReferenceKind::RelativePath,
            out,
        ));
    }
    let uri = base.uri();
    match rest {
        [b'/', b'/', host @ ..] => match dialect {
            Dialect::Rfc3986 => Some(append(base.scheme(), rest, ReferenceKind::NetworkPath, out)),
            Dialect::Whatwg if !base.is_web => None,
            Dialect::Whatwg => append_host(base.scheme(), host, ReferenceKind::NetworkPath, out),
        },
        _ if found & COLON != 0
            && let Some(end) = scheme(rest) =>
        {
            absolute(dialect, rest, end, out)
        }
        _ if !base.is_plain => None,
        [] => Some(append(base.document(), rest, ReferenceKind::Empty, out)),
        [b'#', ..] => Some(append(base.document(), rest, ReferenceKind::Fragment, out)),
        [b'?', ..] => Some(append(
            &uri[..base.ends.path],
            rest,
            ReferenceKind::Query,
            out,
        )),
        [b'/', ..] => Some(append(base.root(), rest, ReferenceKind::AbsolutePath, out)),
        _ => Some(append(&uri[..cut], rest, ReferenceKind::RelativePath, out)),
    }
}

/// The two copies.
#[inline]
fn append(base: &[u8], rest: &[u8], kind: ReferenceKind, out: &mut Vec<u8>) -> ReferenceKind {
    out.reserve(base.len() + rest.len());
    out.extend_from_slice(base);
    out.extend_from_slice(rest);
    kind
}

/// A reference with a scheme, which ends before `end`.
fn absolute(
    dialect: Dialect,
    reference: &[u8],
    end: usize,
    out: &mut Vec<u8>,
) -> Option<ReferenceKind> {
    let (scheme, rest) = reference.split_at(end);
    let kind = if rest.starts_with(b"/") {
        ReferenceKind::Absolute
    } else {
        ReferenceKind::Opaque
    };
    match (dialect, scheme, rest) {
        // Section 5.2.4 would remove the dot.
        (Dialect::Rfc3986, _, [b'.', ..]) => None,
        (Dialect::Rfc3986, ..) => Some(append(b"", reference, kind, out)),
        (Dialect::Whatwg, b"http:" | b"https:", [b'/', b'/', host @ ..]) => {
            append_host(scheme, host, kind, out)
        }
        (
            Dialect::Whatwg,
            b"mailto:" | b"javascript:" | b"tel:" | b"data:" | b"cid:" | b"mid:",
            _,
        ) if kind == ReferenceKind::Opaque => Some(append(b"", reference, kind, out)),
        (Dialect::Whatwg, ..) => None,
    }
}

/// A scheme, a host that needs no rewriting, and the rest, which begins with a slash even where the reference has none.
fn append_host(
    scheme: &[u8],
    rest: &[u8],
    kind: ReferenceKind,
    out: &mut Vec<u8>,
) -> Option<ReferenceKind> {
    let end = HOST.first_outside(rest).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    let label = memchr::memrchr(b'.', host).map_or(0, |at| at + 1);
    // URL section 3.5: a last label that is a number makes the host an address.
    if !host.get(label).is_some_and(|first| !first.is_ascii_digit())
        || !matches!(rest, [] | [b'/' | b'?' | b'#', ..])
    {
        return None;
    }
    out.reserve(scheme.len() + host.len() + rest.len() + 3);
    out.extend_from_slice(scheme);
    out.extend_from_slice(b"//");
    out.extend_from_slice(host);
    if !rest.starts_with(b"/") {
        out.push(b'/');
    }
    out.extend_from_slice(rest);
    Some(kind)
}

/// Where the scheme and its colon end.
fn scheme(reference: &[u8]) -> Option<usize> {
    let at = reference
        .iter()
        .position(|byte| matches!(byte, b':' | b'/' | b'?' | b'#'))?;
    (reference[at] == b':' && at > 0).then_some(at + 1)
}

/// Whether `%2e` occurs, which URL section 4.1 takes for a dot.
fn has_encoded_dot(reference: &[u8]) -> bool {
    reference
        .windows(3)
        .any(|window| matches!(window, b"%2e" | b"%2E"))
}

/// The signs of all bytes.
#[inline]
fn survey(reference: &[u8]) -> u8 {
    let ([first, after @ ..], [before @ .., _]) = (reference, reference) else {
        return 0;
    };
    let mut found = [0; 16];
    found[0] = SIGNS[usize::from(*first)];
    if let (Some(last), Some(last_before)) = (after.last_chunk(), before.last_chunk()) {
        for (block, before) in after.as_chunks().0.iter().zip(before.as_chunks().0) {
            survey_block(block, before, &mut found);
        }
        survey_block(last, last_before, &mut found);
    } else if let (Some(block), Some(before)) = (both_ends(after), both_ends(before)) {
        survey_block(&block, &before, &mut found);
    } else {
        for (byte, before) in after.iter().zip(before) {
            found[0] |= SIGNS[usize::from(*byte)] | dot_segment(*byte, *before);
        }
    }
    let found = u128::from_ne_bytes(found);
    let found = (found >> 64 | found) as u64;
    let found = (found >> 32 | found) as u32;
    let found = (found >> 16 | found) as u16;
    (found >> 8 | found) as u8
}

/// The signs that every byte has by itself.
const SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        signs[byte] = sign(byte as u8);
        byte += 1;
    }
    signs
};

/// Eight to sixteen bytes as one block, those in the middle twice.
fn both_ends(bytes: &[u8]) -> Option<[u8; 16]> {
    let mut block = [0; 16];
    block[..8].copy_from_slice(bytes.first_chunk::<8>()?);
    block[8..].copy_from_slice(bytes.last_chunk::<8>()?);
    Some(block)
}

#[inline]
fn survey_block(block: &[u8; 16], before: &[u8; 16], found: &mut [u8; 16]) {
    for i in 0..16 {
        found[i] |= sign(block[i]) | dot_segment(block[i], before[i]);
    }
}

/// The signs of one byte, in operations that vectors of bytes have too.
#[inline]
const fn sign(byte: u8) -> u8 {
    let is_rewritten = (byte <= b' ')
        | (byte > b'z') & (byte != b'~')
        | (byte == b'"')
        | (byte == b'\'')
        | (byte | 2 == b'>')
        | (byte | 2 == b'^')
        | (byte == b'`');
    select(is_rewritten, REWRITTEN) | select(byte == b':', COLON) | select(byte == b'%', PERCENT)
}

#[inline]
const fn dot_segment(byte: u8, before: u8) -> u8 {
    select((byte == b'.') & (before == b'/'), DOT_SEGMENT)
}

#[inline]
const fn select(condition: bool, sign: u8) -> u8 {
    (condition as u8).wrapping_neg() & sign
}
