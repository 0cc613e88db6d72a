//! A fast path for common URIs, with the results of the rules.
//!
//! Nearly every URI in text is of http, https or ftp, with a host of plain labels and a path
//! without brackets, quotation marks or characters beyond ASCII. The fast path reads these, and
//! returns `None` wherever a rule has something to decide.

use super::NonAscii;
use super::bare::{Bare, is_rule_byte};
use super::candidate::Candidate;
use super::delimited::{UriPrefix, ends_in_prefix};
use super::view::{TextView, is_blank, is_break};
use crate::bytes::class::ByteSet;
use crate::bytes::simd::avx2::{Avx2, NibbleSet};
use crate::bytes::simd::{self, Block};
use crate::document::events::Context;
use crate::document::flags::Flags;

/// The longest path that is read here, in bytes.
const LONGEST: usize = 1024;

/// The most digits of a port.
const LONGEST_PORT: usize = 5;

/// The bytes that are classified together; a common host is shorter.
const BLOCK: usize = 2 * simd::LENGTH;

/// The class of a byte in a common URI.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommonByte {
    /// Belongs to the URI, whatever its neighbours.
    Part,
    /// Belongs to the URI if two hexadecimal digits follow.
    Percent,
    /// Belongs to the URI unless the first letter of an entity or a scheme follows (T25).
    Joint,
    /// Ends the URI.
    Stop,
    /// Ends the URI, as no bracket is open (T30).
    Closer,
    /// Left to the rules.
    Odd,
}

static CLASS: [CommonByte; 256] = {
    let mut classes = [CommonByte::Odd; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = match byte as u8 {
            byte if PART_BYTES.contains(byte) => CommonByte::Part,
            b'%' => CommonByte::Percent,
            b'&' | b',' | b';' => CommonByte::Joint,
            0..=0x20 | 0x7F | b'<' | b'>' | b'"' | b'`' => CommonByte::Stop,
            b')' | b']' | b'}' => CommonByte::Closer,
            _ => CommonByte::Odd,
        };
        byte += 1;
    }
    classes
};

/// The bytes of [`CommonByte::Part`].
const PART_BYTES: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._~/=+$@!*:?#");
static PARTS: NibbleSet = NibbleSet::new(&PART_BYTES);

/// The bytes of a common host.
static HOST: NibbleSet = NibbleSet::new(&ByteSet::ALPHANUMERIC.with(b"_-."));

/// Bytes before a scheme that leave the URI to the rules: scheme bytes (T3 to T6), the introducer
/// of a hyperlink (T24), `|` and `'` (T25), emphasis (T31).
static ODD_BEFORE: ByteSet = ByteSet::ALPHANUMERIC.with(b"+-.;|'_~");

/// Returns the URI whose scheme ends at a colon, if it is a common one.
pub(super) fn read(
    view: &TextView<'_>,
    avx2: Avx2,
    non_ascii: NonAscii,
    colon: usize,
) -> Option<Candidate> {
    let start = scheme(view, colon)?;
    let context = context(view, start)?;
    let host = colon + 3;
    let host_end = host + host_length(avx2, view.bytes.get(host..)?.first_chunk()?)?;
    let authority_end = host_end + port_length(&view.bytes[host_end..]);
    let next = *view.bytes.get(authority_end)?;
    let end = match CLASS[next as usize] {
        CommonByte::Stop => authority_end,
        CommonByte::Part if b"/?#".contains(&next) => path_end(view, avx2, authority_end)?,
        _ if context == Context::Bare
            && is_behind_host(next, *view.bytes.get(authority_end + 1)?) =>
        {
            // T27: no authority holds `next`. A dot behind the host is trimmed (T31).
            let flags = match next {
                b'.' if authority_end == host_end => Flags::TRIMMED,
                _ => Flags::NONE,
            };
            return Some(bare(start, authority_end, flags));
        }
        _ => return None,
    };
    if context != Context::Bare {
        return delimited(view, start, end, context);
    }
    // T28 measures the run.
    if is_break(view.bytes[end]) && is_rule_byte(view.bytes[end - 1]) {
        return None;
    }
    let (end, mut flags) = trim(view, authority_end, end);
    // T33
    if flags.is_empty()
        && is_break(view.bytes[end])
        && Bare::new(view, non_ascii, start).may_be_wrapped(end)
    {
        flags |= Flags::MAYBE_WRAPPED;
    }
    Some(bare(start, end, flags))
}

fn bare(start: usize, end: usize, flags: Flags) -> Candidate {
    Candidate::new(start..end, end, Context::Bare, flags)
}

/// Returns the start of a common scheme that ends at a colon, if `//` follows.
#[inline]
fn scheme(view: &TextView<'_>, colon: usize) -> Option<usize> {
    let around: &[u8; 8] = view.bytes.get(colon.checked_sub(5)?..)?.first_chunk()?;
    let &[a, b, c, d, e, _, next, second] = around;
    if (next, second) != (b'/', b'/') {
        return None;
    }
    let lower = 0x2020_2020;
    let length = if u32::from_le_bytes([b, c, d, e]) | lower == u32::from_le_bytes(*b"http") {
        4
    } else if u32::from_le_bytes([a, b, c, d]) | lower == u32::from_le_bytes(*b"http")
        && e | 0x20 == b's'
    {
        5
    } else if u32::from_le_bytes([c, d, e, 0]) | lower == u32::from_le_bytes(*b"ftp ") {
        3
    } else {
        return None;
    };
    Some(colon - length).filter(|&start| start > view.floor)
}

/// Returns the context of a URI that starts at an index.
#[inline]
fn context(view: &TextView<'_>, start: usize) -> Option<Context> {
    let before = view.before(start)?;
    match before {
        b'<' => return Some(Context::Angle),
        b'"' => return Some(Context::Quoted),
        // T35
        b':' if ends_in_prefix(view, start) => return None,
        _ if ODD_BEFORE.contains(before) => return None,
        _ if !is_blank(before) => return Some(Context::Bare),
        _ => {}
    }
    if start < view.floor + 2 {
        return None;
    }
    let second = view.before(start - 1)?;
    let raises = match is_blank(second) {
        false if second == b':' => ends_in_prefix(view, start - 1),
        false => matches!(second, b'<' | b'"' | b'|'),
        true => {
            let before = UriPrefix::of(view, start);
            before.opening.is_some()
                || before.has_prefix
                || view.before(view.back_over_spaces(start)) == Some(b'|')
        }
    };
    (!raises).then_some(Context::Bare)
}

/// Returns the length of a host of plain labels, if it ends in these bytes, without a final dot.
#[inline]
fn host_length(avx2: Avx2, bytes: &[u8; BLOCK]) -> Option<usize> {
    let end = !avx2.members(bytes, &HOST);
    let mut length = end.trailing_zeros() as usize;
    if length == BLOCK {
        return None;
    }
    length -= usize::from(length > 0 && bytes[length - 1] == b'.');
    let last = *bytes.get(length.checked_sub(1)?)?;
    if !bytes[0].is_ascii_alphanumeric() || !last.is_ascii_alphanumeric() {
        return None;
    }
    let (low, high) = bytes.split_at(simd::LENGTH);
    let (low, high) = (simd::at(low, 0)?, simd::at(high, 0)?);
    let equal = |byte| Block::equal(low, byte) | Block::equal(high, byte) << simd::LENGTH;
    let inside = (1 << length) - 1;
    let dots = equal(b'.') & inside;
    let joints = dots | equal(b'-') & inside;
    // A label that is empty, or starts or ends with `-`.
    let odd = (dots & joints >> 1) | (joints & dots >> 1);
    (odd == 0).then_some(length)
}

/// Returns the length of a colon and the digits of a port, or zero.
#[inline]
fn port_length(behind: &[u8]) -> usize {
    let Some((b':', digits)) = behind.split_first() else {
        return 0;
    };
    let digits = digits.iter().take(LONGEST_PORT);
    match digits.take_while(|byte| byte.is_ascii_digit()).count() {
        0 => 0,
        length => 1 + length,
    }
}

/// Returns whether punctuation and a stop, behind a host or port, end the URI.
#[inline]
fn is_behind_host(byte: u8, next: u8) -> bool {
    matches!(byte, b'.' | b',' | b';' | b':' | b'!' | b')' | b']' | b'}')
        && CLASS[next as usize] == CommonByte::Stop
}

/// Returns the end of path, query and fragment, before a stop or a closing bracket.
#[inline]
fn path_end(view: &TextView<'_>, avx2: Avx2, from: usize) -> Option<usize> {
    let bytes = view.bytes;
    let mut at = from;
    while at < from + LONGEST {
        let mut others = !avx2.members(bytes.get(at..)?.first_chunk()?, &PARTS);
        while others != 0 {
            let other = at + others.trailing_zeros() as usize;
            match CLASS[bytes[other] as usize] {
                CommonByte::Stop | CommonByte::Closer => return Some(other),
                CommonByte::Percent => {
                    let digits: &[u8; 2] = bytes.get(other + 1..)?.first_chunk()?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                }
                CommonByte::Joint if !b"lgqhf".contains(&(bytes.get(other + 1)? | 0x20)) => {}
                _ => return None,
            }
            others &= others - 1;
        }
        at += BLOCK;
    }
    None
}

/// Returns the delimited URI, if the matching delimiter follows.
#[inline]
fn delimited(view: &TextView<'_>, start: usize, end: usize, context: Context) -> Option<Candidate> {
    let is_closed = match context {
        Context::Angle => view.bytes[end] == b'>',
        // T18
        _ => view.bytes[end] == b'"' && !view.bytes.get(end + 1)?.is_ascii_alphanumeric(),
    };
    is_closed.then(|| Candidate::new(start..end, end + 1, context, Flags::NONE))
}

/// T31: returns the end of the URI without punctuation, and the flags for it.
#[inline]
fn trim(view: &TextView<'_>, host_end: usize, end: usize) -> (usize, Flags) {
    let kept = view.bytes[host_end..end]
        .iter()
        .rposition(|byte| !matches!(byte, b'.' | b',' | b':' | b';' | b'!' | b'?' | b'*'));
    let kept = kept.map_or(host_end, |last| host_end + last + 1);
    if kept == end {
        return (end, Flags::NONE);
    }
    match view.bytes[kept..end].starts_with(b"..") {
        true => (kept, Flags::TRIMMED | Flags::ELLIPSIS),
        false => (kept, Flags::TRIMMED),
    }
}
