//! What is odd about a reference: flags that change nothing.

use super::authority::{is_ipv6, is_user};
use super::schemes::Scheme;
use crate::document::flags::Flags;

const HIGH: u8 = 1;
const PERCENT: u8 = 2;
const FOREIGN: u8 = 4;
const BRACKET: u8 = 8;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            0x80.. => HIGH,
            b'%' => PERCENT,
            b'{' | b'}' | b'|' | b'\\' | b'^' | b'`' => FOREIGN,
            b'[' | b']' => BRACKET,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// The flags of a cleaned reference whose scheme, with its colon, is `scheme` bytes long.
pub(super) fn flags(reference: &[u8], scheme: usize) -> Flags {
    let mut flags = Flags::NONE;
    let all = reference
        .iter()
        .fold(0, |all, &byte| all | CLASSES[byte as usize]);
    if all & HIGH != 0 {
        flags |= Flags::NON_ASCII;
    }
    if all & FOREIGN != 0 {
        flags |= Flags::NONCONFORMING;
    }
    if all & PERCENT != 0 && has_bad_percent(reference) {
        flags |= Flags::BAD_PERCENT;
    }
    let mut literal = 0..0;
    if let Some(rest) = reference[scheme..].strip_prefix(b"//") {
        let end = rest.iter().position(|byte| b"/?#".contains(byte));
        let authority = &rest[..end.unwrap_or(rest.len())];
        let host = host_start(authority);
        let literal_length = literal_length(&authority[host..]).unwrap_or(0);
        let start = scheme + 2 + host;
        literal = start..start + literal_length;
        // B3 gives a host to the special schemes alone.
        let name = scheme.checked_sub(1).map(|colon| &reference[..colon]);
        if name.and_then(Scheme::named).is_some_and(Scheme::is_special) {
            if host > 0 {
                flags |= Flags::USERINFO;
            }
            if is_odd(&authority[host..], literal_length) {
                flags |= Flags::ODD_HOST;
            }
        }
    }
    if all & BRACKET != 0 {
        let outside = |(at, byte): (usize, &u8)| {
            matches!(byte, b'[' | b']') && !(literal.start <= at && at < literal.end)
        };
        if reference.iter().enumerate().any(outside) {
            flags |= Flags::NONCONFORMING;
        }
    }
    flags
}

fn has_bad_percent(reference: &[u8]) -> bool {
    memchr::memchr_iter(b'%', reference).any(|at| {
        let digits = reference.get(at + 1..at + 3);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Behind the user information.
fn host_start(authority: &[u8]) -> usize {
    let at = memchr::memrchr(b'@', authority);
    at.filter(|&at| is_user(&authority[..at]))
        .map_or(0, |at| at + 1)
}

/// The length of the IP literal that a host is.
fn literal_length(host: &[u8]) -> Option<usize> {
    let inner = host.strip_prefix(b"[")?;
    let length = memchr::memchr(b']', inner)?;
    is_ipv6(&inner[..length]).then_some(length + 2)
}

/// Whether a host, with its port, is odd.
fn is_odd(host: &[u8], literal_length: usize) -> bool {
    let is_port = |text: &[u8]| match text.strip_prefix(b":") {
        Some(digits) => digits.iter().all(u8::is_ascii_digit),
        None => text.is_empty(),
    };
    if literal_length > 0 {
        return !is_port(&host[literal_length..]);
    }
    let host = match memchr::memrchr(b':', host) {
        Some(colon) if is_port(&host[colon..]) => &host[..colon],
        _ => host,
    };
    // A final dot names the root.
    let host = host.strip_suffix(b".").unwrap_or(host);
    host.split(|&byte| byte == b'.').any(is_odd_label)
}

fn is_odd_label(label: &[u8]) -> bool {
    let in_label =
        |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | 0x80..);
    label.is_empty()
        || label.len() > 63
        || label.starts_with(b"-")
        || label.ends_with(b"-")
        || !label.iter().all(in_label)
}
