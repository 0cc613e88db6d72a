//! Flags for the peculiarities of a reference; they do not change it.

use super::bare::{is_ipv6, is_userinfo};
use super::schemes::SchemeForm;
use crate::bytes::class::{ByteSet, run_end};
use crate::bytes::simd::{self, Block};
use crate::document::flags::Flags;

static MARKED: ByteSet = ByteSet::EMPTY.with(b"%{}|\\^`[]").with_range(0x80, 0xFF);

static HOST: ByteSet = ByteSet::ALPHANUMERIC.with(b"_-.").with_range(0x80, 0xFF);

/// Returns the flags of a cleaned reference whose scheme and colon end at `rest`.
pub(super) fn flags(reference: &[u8], rest: usize, form: Option<SchemeForm>) -> Flags {
    let text = &reference[rest..];
    let mut flags = Flags::NONE;
    let mut literal = 0..0;
    if let Some(rest) = text.strip_prefix(b"//") {
        let ([start, port, end], is_odd) = host_and_port(rest);
        let (host, port) = (&rest[start..port], &rest[port..end]);
        if host.starts_with(b"[") {
            literal = 2 + start..2 + start + host.len();
        }
        // T27: only special schemes have a host.
        if form.is_some_and(SchemeForm::is_special) {
            flags |= Flags::USERINFO.when(start > 0);
            flags |= Flags::ODD_HOST.when(is_odd || !is_port(port));
        }
    }
    // Most references have none of these, nor `~` and the bytes above it.
    let marks = |block: Block| block.outside(b'!', b'z').bits() | block.any_of(*b"%\\^`[]");
    if !simd::any(text, marks, |byte| MARKED.contains(byte)) {
        return flags;
    }
    flags |= Flags::NON_ASCII.when(!text.is_ascii());
    flags |= Flags::BAD_PERCENT.when(has_bad_percent(text));
    let is_odd = |(at, &byte): (usize, &u8)| match byte {
        b'[' | b']' => !literal.contains(&at),
        _ => b"{}|\\^`".contains(&byte),
    };
    flags | Flags::NONCONFORMING.when(text.iter().enumerate().any(is_odd))
}

fn has_bad_percent(reference: &[u8]) -> bool {
    memchr::memchr_iter(b'%', reference).any(|at| {
        let digits = reference.get(at + 1..at + 3);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// The longest label of a host name, in bytes (RFC 1035, section 2.3.4).
pub(super) const LONGEST_LABEL: usize = 63;

/// Returns the starts of the host and of what follows it, and the end of both, in the bytes after `//`, and whether
/// the host is neither a literal nor a name.
fn host_and_port(rest: &[u8]) -> ([usize; 3], bool) {
    let (name, is_odd) = name(rest);
    if matches!(rest.get(name), None | Some(b'/' | b'?' | b'#')) {
        return ([0, name, name], is_odd);
    }
    let end = run_end(rest, name, |byte| !matches!(byte, b'/' | b'?' | b'#'));
    let at = memchr::memrchr(b'@', &rest[..end]);
    let at = at.filter(|&at| is_userinfo(&rest[..at]));
    let start = at.map_or(0, |at| at + 1);
    let (length, is_odd) = match literal_length(&rest[start..end]) {
        0 => self::name(&rest[start..end]),
        length => (length, false),
    };
    ([start, start + length, end], is_odd)
}

/// Returns the length of the name of a host at the start, and whether a label of it is odd: empty, too long, or with a
/// hyphen at its start or end.
fn name(text: &[u8]) -> (usize, bool) {
    let (mut before, mut is_odd) = (b'.', false);
    let name = text.iter().take_while(|&&byte| HOST.contains(byte));
    let length = name.map(|&byte| {
        // A final dot is the root of the domain names.
        let is_edge = matches!(byte, b'.' | b'-') && matches!(before, b'.' | b'-');
        is_odd |= is_edge && byte | before != b'-';
        before = byte;
    });
    let length = length.count();
    let mut labels = text[..length].split(|&byte| byte == b'.');
    let is_long = length > LONGEST_LABEL && labels.any(|label| label.len() > LONGEST_LABEL);
    (length, is_odd | is_long || length == 0 || before == b'-')
}

fn is_port(text: &[u8]) -> bool {
    match text.strip_prefix(b":") {
        Some(digits) => digits.iter().all(u8::is_ascii_digit),
        None => text.is_empty(),
    }
}

fn literal_length(host: &[u8]) -> usize {
    let inner = host.strip_prefix(b"[").unwrap_or_default();
    match memchr::memchr(b']', inner) {
        Some(length) if is_ipv6(&inner[..length]) => length + 2,
        _ => 0,
    }
}
