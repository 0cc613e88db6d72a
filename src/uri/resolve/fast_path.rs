//! The fast path: targets that are a prefix of the base followed by the reference, unchanged.
//!
//! The slow path splits the reference, normalises each component and joins the pieces. Most
//! references in real documents need none of it: no byte is encoded, no dot segment removed, no
//! host rewritten. Three steps:
//!
//! 1. A leading run of `./` and `../` shortens the prefix by one directory of the base for each `../`.
//! 2. The classes of all bytes are known ([`ByteClasses`]). Only where one is suspect, a byte that
//!    some component might percent-encode or a `.` that begins a segment, an exact test decides.
//! 3. The first byte gives the prefix; only a colon or two slashes need another test.
//!
//! By the WHATWG rules each state of URL section 4.4 (relative, relative slash, special relative or
//! authority, opaque path) then appends its input unchanged, so that the serialised result is the
//! concatenation. By RFC 3986 section 5.2 no byte is ever rewritten, so that only dot segments
//! matter.

use super::prepared::{Prepared, ReferenceKind};
use crate::bytes::class::ByteSet;
use crate::uri::byte_classes::ByteClasses;

/// The rules under which a reference may be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UriDialect {
    /// URL section 4.4: `%2e` is a dot, hosts are normalised, `http:g` may be relative.
    Whatwg,
    /// RFC 3986 section 5.2.2 with strict schemes: only dot segments matter.
    Rfc3986,
}

/// A target as two slices.
#[derive(Clone, Copy)]
pub(super) struct Concatenation<'a> {
    pub(super) front: &'a [u8],
    pub(super) rest: &'a [u8],
    pub(super) kind: ReferenceKind,
}

/// The kind of a reference without scheme and authority, by its first byte.
const KINDS: [ReferenceKind; 256] = {
    let mut kinds = [ReferenceKind::RelativePath; 256];
    kinds[b'#' as usize] = ReferenceKind::Fragment;
    kinds[b'?' as usize] = ReferenceKind::Query;
    kinds[b'/' as usize] = ReferenceKind::AbsolutePath;
    kinds
};

/// The bytes but for dots that no component of a WHATWG URL rewrites.
///
/// Not `|`, which may follow a drive letter.
const COPIED: ByteSet = ByteSet::ALPHANUMERIC.with(b"-_~!$&()*+,;=@[]/?#:");

/// The bytes of hosts that are serialised unchanged, unless the last label is a number.
const HOST: ByteSet = ByteSet::DIGIT.with_range(b'a', b'z').with(b"-._");

/// Returns the target of a reference that needs no change, given the classes of its bytes.
#[inline(always)]
pub(super) fn find<'a>(
    base: &'a Prepared,
    dialect: Option<UriDialect>,
    reference: &'a [u8],
    classes: ByteClasses,
) -> Option<Concatenation<'a>> {
    let dialect = dialect?;
    let kind = match reference.first() {
        Some(first) => KINDS[usize::from(*first)],
        None => ReferenceKind::Empty,
    };
    let mut front = base.inherited(kind);
    let mut rest = reference;
    if rest.starts_with(b".") {
        (front, rest) = skip_leading_dots(base, reference)?;
    }
    if classes.has_suspect() && is_rewritten(dialect, rest) {
        return None;
    }
    if rest.first_chunk() == Some(b"//") {
        return network_path(base, dialect, reference);
    }
    if classes.may_have_colon()
        && kind == ReferenceKind::RelativePath
        && let Some(end) = scheme_end(reference)
    {
        return absolute(dialect, reference, end);
    }
    base.is_plain.then_some(Concatenation { front, rest, kind })
}

/// Step 1: returns the base up to the directory that leading `./` and `../` name, and the rest.
#[inline]
fn skip_leading_dots<'a>(base: &'a Prepared, reference: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let mut up = 0;
    let mut rest = reference;
    loop {
        rest = match rest {
            [b'.', b'/', after @ ..] => after,
            [b'.', b'.', b'/', after @ ..] => {
                up += 1;
                after
            }
            [b'.' | b'/', ..] => return None,
            _ => return Some((base.ancestor(up), rest)),
        };
    }
}

/// Step 2, the exact test: returns whether a byte is rewritten or a segment removed.
#[cold]
fn is_rewritten(dialect: UriDialect, rest: &[u8]) -> bool {
    let is_whatwg = dialect == UriDialect::Whatwg;
    let is_odd = |at: usize| match rest[at..] {
        [b'.', ..] => rest[..at].ends_with(b"/"),
        // URL section 4.1 takes `%2e` for a dot.
        [b'%', b'2', b'e' | b'E', ..] => is_whatwg,
        [byte, ..] => is_whatwg && byte != b'%',
        [] => false,
    };
    (0..rest.len()).any(|at| !COPIED.contains(rest[at]) && is_odd(at))
}

/// Handles `//authority/path`.
fn network_path<'a>(
    base: &'a Prepared,
    dialect: UriDialect,
    reference: &'a [u8],
) -> Option<Concatenation<'a>> {
    let kind = ReferenceKind::NetworkPath;
    let is_copied = match dialect {
        UriDialect::Rfc3986 => base.is_plain,
        UriDialect::Whatwg => base.is_web && after_host(&reference[2..])?.starts_with(b"/"),
    };
    let (front, rest) = (base.scheme(), reference);
    is_copied.then_some(Concatenation { front, rest, kind })
}

/// Handles a reference whose scheme and colon end before `end`.
#[inline(always)]
fn absolute(dialect: UriDialect, reference: &[u8], end: usize) -> Option<Concatenation<'_>> {
    let (scheme, rest) = reference.split_at(end);
    let kind = if rest.starts_with(b"/") {
        ReferenceKind::Absolute
    } else {
        ReferenceKind::Opaque
    };
    let front = reference;
    let copied = |rest: &'static [u8]| Some(Concatenation { front, rest, kind });
    match (dialect, scheme, rest) {
        // RFC 3986 section 5.2.4 removes the dot.
        (UriDialect::Rfc3986, _, [b'.', ..]) => None,
        (UriDialect::Rfc3986, ..) => copied(b""),
        (UriDialect::Whatwg, b"http:" | b"https:", [b'/', b'/', host @ ..]) => {
            match after_host(host)? {
                [] => copied(b"/"),
                [b'/', ..] => copied(b""),
                _ => None,
            }
        }
        (_, b"mailto:" | b"javascript:" | b"tel:" | b"data:" | b"cid:" | b"mid:", _)
            if kind == ReferenceKind::Opaque =>
        {
            copied(b"")
        }
        (UriDialect::Whatwg, ..) => None,
    }
}

/// Returns the rest after a host that is serialised unchanged.
fn after_host(authority: &[u8]) -> Option<&[u8]> {
    let end = HOST.first_outside(authority).unwrap_or(authority.len());
    let (host, rest) = authority.split_at(end);
    let label = memchr::memrchr(b'.', host).map_or(0, |at| at + 1);
    // URL section 3.5: a last label that is a number makes the host an address.
    (!host.get(label)?.is_ascii_digit()).then_some(rest)
}

/// Returns the index past the scheme's colon.
fn scheme_end(reference: &[u8]) -> Option<usize> {
    // Nearly all schemes.
    for scheme in [&b"https:"[..], b"http:"] {
        if reference.starts_with(scheme) {
            return Some(scheme.len());
        }
    }
    let at = (reference.iter()).position(|byte| b":/?#".contains(byte))?;
    (reference[at] == b':' && at > 0).then_some(at + 1)
}
