//! The fast path: targets that are a piece of the base followed by the reference as it stands.
//!
//! The plain way is to split the reference, normalise each component and put the pieces together. Most references in
//! real documents need none of it: no byte of them is encoded, no dot segment removed, no host rewritten. Three steps:
//!
//! 1. A leading run of `./` and `../` moves the cut back over the base's slashes.
//! 2. One look at all bytes, sixteen at a time and without a branch, says whether anything is suspect: a byte that some
//!    component might percent-encode, a `.` that begins a segment. Only then a closer look decides.
//! 3. The first byte says where the base is cut; only a colon or two slashes need a second look.
//!
//! By the WHATWG rules each state of URL section 4.4 (relative, relative slash, special relative or authority, opaque
//! path) then appends its input unchanged, so that the serialised result is the concatenation. By RFC 3986 section 5.2
//! no byte is ever rewritten, so that only dot segments matter.

use super::prepared::{Prepared, ReferenceKind};
use crate::bytes::class::ByteSet;

/// What a reference may hold and still be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// URL section 4.4: `%2e` is a dot, hosts are normalised, `http:g` may be relative.
    Whatwg,
    /// RFC 3986 section 5.2.2 with strict schemes: nothing but dot segments counts.
    Rfc3986,
}

/// A target in two pieces.
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

/// The bytes that no component of a WHATWG URL rewrites, and the percent sign; no bar, which may follow a drive letter.
const COPIED: ByteSet = ByteSet::ALPHANUMERIC.with(b"-_~!$&()*+,;=@[]./?#%:");

/// The bytes of hosts that are serialised as they stand, if the last label is no number.
const HOST: ByteSet = ByteSet::DIGIT.with_range(b'a', b'z').with(b"-._");

/// The pieces of the target, if they are all that it takes.
#[inline]
pub(super) fn find<'a>(
    base: &'a Prepared,
    dialect: Dialect,
    reference: &'a [u8],
) -> Option<Concatenation<'a>> {
    let kind = match reference.first() {
        Some(first) => KINDS[usize::from(*first)],
        None => ReferenceKind::Empty,
    };
    let mut front = base.cut(kind);
    let mut rest = reference;
    if rest.starts_with(b".") {
        (front, rest) = climb(base, reference)?;
    }
    let found = survey(rest);
    if found & SUSPECT != 0 && is_rewritten(dialect, rest) {
        return None;
    }
    if rest.first_chunk() == Some(b"//") {
        return network_path(base, dialect, reference);
    }
    if found & COLON != 0
        && kind == ReferenceKind::RelativePath
        && let Some(end) = scheme(reference)
    {
        return absolute(dialect, reference, end);
    }
    base.is_plain.then_some(Concatenation { front, rest, kind })
}

/// Step 1: the directory that a leading run of `./` and `../` leads to, and what follows the run.
#[inline]
fn climb<'a>(base: &'a Prepared, reference: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
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

/// Step 2, the closer look: whether a byte is rewritten or a segment removed.
#[cold]
fn is_rewritten(dialect: Dialect, rest: &[u8]) -> bool {
    if rest.windows(2).any(|pair| pair == b"/.") {
        return true;
    }
    // URL section 4.1 takes `%2e` for a dot.
    let is_dot = |triplet: &[u8]| matches!(triplet, b"%2e" | b"%2E");
    dialect == Dialect::Whatwg
        && (COPIED.first_outside(rest).is_some() || rest.windows(3).any(is_dot))
}

/// `//authority/path`
fn network_path<'a>(
    base: &'a Prepared,
    dialect: Dialect,
    reference: &'a [u8],
) -> Option<Concatenation<'a>> {
    let kind = ReferenceKind::NetworkPath;
    let is_copied = match dialect {
        Dialect::Rfc3986 => base.is_plain,
        Dialect::Whatwg => base.is_web && after_host(&reference[2..])?.starts_with(b"/"),
    };
    is_copied.then_some(Concatenation {
        front: base.scheme(),
        rest: reference,
        kind,
    })
}

/// A reference with a scheme, which ends before `end`.
fn absolute(dialect: Dialect, reference: &[u8], end: usize) -> Option<Concatenation<'_>> {
    let (scheme, rest) = reference.split_at(end);
    let kind = if rest.starts_with(b"/") {
        ReferenceKind::Absolute
    } else {
        ReferenceKind::Opaque
    };
    let copied = |end: &'static [u8]| {
        Some(Concatenation {
            front: reference,
            rest: end,
            kind,
        })
    };
    match (dialect, scheme, rest) {
        // RFC 3986 section 5.2.4 removes the dot.
        (Dialect::Rfc3986, _, [b'.', ..]) => None,
        (Dialect::Rfc3986, ..) => copied(b""),
        (Dialect::Whatwg, b"http:" | b"https:", [b'/', b'/', host @ ..]) => match after_host(host)?
        {
            [] => copied(b"/"),
            [b'/', ..] => copied(b""),
            _ => None,
        },
        (
            Dialect::Whatwg,
            b"mailto:" | b"javascript:" | b"tel:" | b"data:" | b"cid:" | b"mid:",
            _,
        ) if kind == ReferenceKind::Opaque => copied(b""),
        (Dialect::Whatwg, ..) => None,
    }
}

/// What follows a host that is serialised as it stands.
fn after_host(authority: &[u8]) -> Option<&[u8]> {
    let end = HOST.first_outside(authority).unwrap_or(authority.len());
    let (host, rest) = authority.split_at(end);
    let label = host
        .iter()
        .rposition(|&byte| byte == b'.')
        .map_or(0, |at| at + 1);
    // URL section 3.5: a last label that is a number makes the host an address.
    host.get(label)
        .filter(|first| !first.is_ascii_digit())
        .map(|_| rest)
}

/// Where the scheme and its colon end.
fn scheme(reference: &[u8]) -> Option<usize> {
    let at = reference
        .iter()
        .position(|byte| matches!(byte, b':' | b'/' | b'?' | b'#'))?;
    (reference[at] == b':' && at > 0).then_some(at + 1)
}

/// A byte that a closer look may find to be rewritten, or a dot after a slash.
const SUSPECT: u8 = 1;
/// A colon.
const COLON: u8 = 2;

/// The signs that every byte has by itself.
const SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        signs[byte] = sign(byte as u8, 0);
        byte += 1;
    }
    signs
};

/// The signs of all bytes.
#[inline]
fn survey(reference: &[u8]) -> u8 {
    let ([first, after @ ..], [before @ .., _]) = (reference, reference) else {
        return 0;
    };
    let pairs = BytePairs { before, after };
    let signs = match after.len() {
        // Always three looks at up to 48 bytes: the same bytes twice cost less than a branch that is guessed wrong.
        length @ 16.. => {
            let last = length - 16;
            let signs =
                pairs.look::<16>(0) | pairs.look::<16>(last.min(16)) | pairs.look::<16>(last);
            (32..last)
                .step_by(16)
                .fold(signs, |signs, at| signs | pairs.look::<16>(at))
        }
        length @ 8.. => pairs.look::<8>(0) | pairs.look::<8>(length - 8),
        length @ 4.. => pairs.look::<4>(0) | pairs.look::<4>(length - 4),
        length => (0..length).fold(0, |signs, at| signs | pairs.look::<1>(at)),
    };
    signs | SIGNS[usize::from(*first)]
}

/// Bytes, and the bytes before them.
struct BytePairs<'a> {
    before: &'a [u8],
    after: &'a [u8],
}

impl BytePairs<'_> {
    /// The signs of the `N` bytes from `at` on.
    #[inline(always)]
    fn look<const N: usize>(&self, at: usize) -> u8 {
        match (
            self.before[at..].first_chunk::<N>(),
            self.after[at..].first_chunk::<N>(),
        ) {
            (Some(before), Some(bytes)) => look(bytes, before),
            _ => 0,
        }
    }
}

/// The signs of bytes, given those before them.
///
/// Left to itself the compiler turns this loop into a dozen vector instructions, but not where it is inlined.
#[inline(never)]
fn look<const N: usize>(bytes: &[u8; N], before: &[u8; N]) -> u8 {
    let mut signs = 0;
    for i in 0..N {
        signs |= sign(bytes[i], before[i]);
    }
    signs
}

/// The signs of one byte, given the one before it.
#[inline(always)]
const fn sign(byte: u8, before: u8) -> u8 {
    // As signed numbers, the bytes beyond ASCII are below the blank.
    let signed = byte.cast_signed();
    let suspect = mask(byte == b'.') & mask(before == b'/')
        | mask(signed <= b' '.cast_signed())
        | mask(signed > b'z'.cast_signed())
        | mask(byte == b'"')
        | mask(byte | 2 == b'\'')
        | mask(byte | 2 == b'>')
        | mask(byte | 2 == b'^')
        | mask(byte == b'`');
    suspect & SUSPECT | mask(byte == b':') & COLON
}

/// All bits or none.
#[inline(always)]
const fn mask(condition: bool) -> u8 {
    (condition as u8).wrapping_neg()
}
