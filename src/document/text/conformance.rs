//! Flags for the peculiarities of a reference; they do not change it.

use std::ops::Range;

use super::bare::{is_ipv6, is_userinfo};
use super::schemes::SchemeForm;
use crate::bytes::class::{ByteSet, run_end};
use crate::bytes::simd::{self, Block};
use crate::document::flags::Flags;

static MARKED: ByteSet = ByteSet::EMPTY.with(b"%{}|\\^`[]").with_range(0x80, 0xFF);

static LABEL: ByteSet = ByteSet::ALPHANUMERIC.with(b"_-").with_range(0x80, 0xFF);

/// Returns the flags of a cleaned reference whose scheme and colon end at `rest`.
pub(super) fn flags(reference: &[u8], rest: usize, form: Option<SchemeForm>) -> Flags {
    let text = &reference[rest..];
    let mut flags = Flags::NONE;
    let mut literal = 0..0;
    if let Some(rest) = text.strip_prefix(b"//") {
        let host = host(rest);
        let start = 2 + host.start;
        let host = &rest[host];
        literal = start..start + literal_length(host);
        // T27: only special schemes have a host.
        if form.is_some_and(SchemeForm::is_special) {
            flags |= Flags::USERINFO.when(start > 2);
            flags |= Flags::ODD_HOST.when(is_odd_host(host, literal.len()));
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

/// Returns the range of the host and the port in the bytes after `//`, without user information.
fn host(rest: &[u8]) -> Range<usize> {
    let end = run_end(rest, 0, |byte| !matches!(byte, b'/' | b'?' | b'#'));
    let at = memchr::memrchr(b'@', &rest[..end]);
    let at = at.filter(|&at| is_userinfo(&rest[..at]));
    at.map_or(0, |at| at + 1)..end
}

fn is_odd_host(host: &[u8], literal: usize) -> bool {
    let is_port = |text: &[u8]| match text.strip_prefix(b":") {
        Some(digits) => digits.iter().all(u8::is_ascii_digit),
        None => text.is_empty(),
    };
    if literal > 0 {
        return !is_port(&host[literal..]);
    }
    let host = match host.iter().rposition(|&byte| byte == b':') {
        Some(colon) if is_port(&host[colon..]) => &host[..colon],
        _ => host,
    };
    // A final dot is the root of the domain names.
    let host = host.strip_suffix(b".").unwrap_or(host);
    host.split(|&byte| byte == b'.').any(is_odd_label)
}

fn literal_length(host: &[u8]) -> usize {
    let inner = host.strip_prefix(b"[").unwrap_or_default();
    match memchr::memchr(b']', inner) {
        Some(length) if is_ipv6(&inner[..length]) => length + 2,
        _ => 0,
    }
}

fn is_odd_label(label: &[u8]) -> bool {
    label.is_empty()
        || label.len() > LONGEST_LABEL
        || label.starts_with(b"-")
        || label.ends_with(b"-")
        || LABEL.first_outside(label).is_some()
}
