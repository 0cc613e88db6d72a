//! What is odd about a reference: flags that change nothing.

use super::authority::is_ipv6;
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
        let host = match memchr::memrchr(b'@', authority) {
            Some(at) => {
                flags |= Flags::USERINFO;
                &authority[at + 1..]
            }
            None => authority,
        };
        let host_start = scheme + 2 + authority.len() - host.len();
        let (is_odd, length) = host_is_odd(host);
        literal = host_start..host_start + length;
        let is_file = reference[..scheme].eq_ignore_ascii_case(b"file:");
        if is_odd && !(is_file && host.is_empty()) {
            flags |= Flags::ODD_HOST;
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

/// Whether a host, with its port, is odd, and the length of the IP literal that it starts with.
fn host_is_odd(host: &[u8]) -> (bool, usize) {
    if host.first() == Some(&b'[')
        && let Some(close) = memchr::memchr(b']', host)
    {
        let rest = &host[close + 1..];
        let is_port =
            rest.is_empty() || rest[0] == b':' && rest[1..].iter().all(u8::is_ascii_digit);
        return (!is_ipv6(&host[1..close]) || !is_port, close + 1);
    }
    let host = match memchr::memrchr(b':', host) {
        Some(colon) if host[colon + 1..].iter().all(u8::is_ascii_digit) => &host[..colon],
        _ => host,
    };
    // A final dot names the root.
    let host = host.strip_suffix(b".").unwrap_or(host);
    (host.split(|&byte| byte == b'.').any(is_odd_label), 0)
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
