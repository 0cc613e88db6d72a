//! Flags for the peculiarities of a reference; they do not change it.

use std::ops::Range;

use super::bare::{is_ipv6, is_userinfo};
use super::candidate::Candidate;
use super::schemes::SchemeForm;
use crate::bytes::class::run_end;
use crate::bytes::simd::{Block, LENGTH};
use crate::document::flags::Flags;
use crate::uri::ByteClasses;

/// Adds the classes and the flags of a cleaned reference whose scheme and colon end at `rest`.
#[inline(always)]
pub(super) fn check(
    candidate: &mut Candidate,
    reference: &[u8],
    rest: usize,
    form: Option<SchemeForm>,
) {
    candidate.classes = ByteClasses::of(reference);
    candidate.flags |= flags(&reference[rest..], form, candidate.classes);
}

/// Returns the flags of the text after a scheme, given the classes of its bytes.
fn flags(text: &[u8], form: Option<SchemeForm>, classes: ByteClasses) -> Flags {
    let mut flags = Flags::NONE;
    let mut literal = 0..0;
    if let Some(rest) = text.strip_prefix(b"//") {
        let (name, mut is_odd) = name(rest);
        let mut start = 0;
        if !matches!(rest.get(name), None | Some(b'/' | b'?' | b'#')) {
            (start, literal, is_odd) = host_and_port(rest, name, is_odd);
        }
        // T27: only special schemes have a host.
        if form.is_some_and(SchemeForm::is_special) {
            flags = Flags::USERINFO.when(start > 0) | Flags::ODD_HOST.when(is_odd);
        }
    }
    if classes.has_suspect_or_bracket() {
        flags |= flags_of_bytes(text, literal);
    }
    flags
}

/// Returns the flags of bytes that are in few references.
#[cold]
fn flags_of_bytes(text: &[u8], literal: Range<usize>) -> Flags {
    let flags = Flags::NON_ASCII.when(!text.is_ascii());
    let is_odd = |(at, &byte): (usize, &u8)| match byte {
        b'[' | b']' => !literal.contains(&at),
        _ => b"{}|\\^`".contains(&byte),
    };
    flags
        | Flags::BAD_PERCENT.when(has_bad_percent(text))
        | Flags::NONCONFORMING.when(text.iter().enumerate().any(is_odd))
}

fn has_bad_percent(reference: &[u8]) -> bool {
    memchr::memchr_iter(b'%', reference).any(|at| {
        let digits = reference.get(at + 1..at + 3);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// The longest label of a host name, in bytes (RFC 1035, section 2.3.4).
pub(super) const LONGEST_LABEL: usize = 63;

/// Returns the start of the host in the bytes after `//`, the range of a literal in the bytes with them, and whether
/// the host is neither a literal nor a name, or the port is not one. The bytes start with a name of this length.
#[cold]
fn host_and_port(rest: &[u8], length: usize, is_odd: bool) -> (usize, Range<usize>, bool) {
    let end = run_end(rest, length, |byte| !matches!(byte, b'/' | b'?' | b'#'));
    let at = memchr::memrchr(b'@', &rest[..end]);
    let at = at.filter(|&at| is_userinfo(&rest[..at]));
    let start = at.map_or(0, |at| at + 1);
    let host = &rest[start..end];
    match literal_length(host) {
        0 if start == 0 => (0, 0..0, is_odd || !is_port(&host[length..])),
        0 => {
            let (length, is_odd) = name(host);
            (start, 0..0, is_odd || !is_port(&host[length..]))
        }
        length => (
            start,
            2 + start..2 + start + length,
            !is_port(&host[length..]),
        ),
    }
}

/// Returns the length of the name of a host at the start, and whether a label of it is odd: empty, too long, or with a
/// hyphen at its start or end.
fn name(text: &[u8]) -> (usize, bool) {
    // One bit for each byte: those after a dot, which the first byte is like, and those after a hyphen.
    let (mut after_dot, mut after_hyphen) = (1, 0);
    let (mut length, mut odd) = (0, 0);
    loop {
        let rest = &text[length..];
        let mut block = [b'/'; LENGTH];
        match rest.first_chunk() {
            Some(first) => block = *first,
            None => block[..rest.len()].copy_from_slice(rest),
        }
        let block = Block::new(&block);
        let (dots, hyphens) = (block.equal(b'.'), block.equal(b'-'));
        let alphanumeric = block.outside(b'0', b'9') & block.with(0x20).outside(b'a', b'z');
        let others = dots | hyphens | block.equal(b'_') | block.beyond_ascii();
        let end = (alphanumeric.bits() & !others | 1 << LENGTH).trailing_zeros();
        after_dot |= dots << 1;
        after_hyphen |= hyphens << 1;
        // A final dot is the root of the domain names.
        odd |= (after_dot & (dots | hyphens) | after_hyphen & dots) & ((1 << end) - 1);
        length += end as usize;
        (after_dot, after_hyphen) = (after_dot >> end & 1, after_hyphen >> end & 1);
        if end < LENGTH as u32 {
            break;
        }
    }
    let mut labels = text[..length].split(|&byte| byte == b'.');
    let is_long = length > LONGEST_LABEL && labels.any(|label| label.len() > LONGEST_LABEL);
    (length, odd | after_hyphen != 0 || is_long || length == 0)
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
