//! Flags for what is odd about a reference; they do not change it.

use super::bare::{is_ipv6, is_userinfo};
use super::schemes::TextScheme;
use crate::document::flags::Flags;

// The classes of bytes, one bit each.
const HIGH: u8 = 1;
const PERCENT: u8 = 2;
const FOREIGN: u8 = 4;
const BRACKET: u8 = 8;
const LABEL: u8 = 16;
const HYPHEN: u8 = 32;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            0x80.. => HIGH,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => LABEL,
            b'-' => HYPHEN,
            b'%' => PERCENT,
            b'{' | b'}' | b'|' | b'\\' | b'^' | b'`' => FOREIGN,
            b'[' | b']' => BRACKET,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Returns the union of the classes of all bytes.
fn classes(bytes: &[u8]) -> u8 {
    let of = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |all, &byte| all | CLASSES[byte as usize])
    };
    let (eights, rest) = bytes.as_chunks::<8>();
    eights.iter().fold(of(rest), |all, eight| all | of(eight))
}

/// Returns the flags of a cleaned reference whose scheme and colon end at `rest`.
pub(super) fn flags(reference: &[u8], rest: usize, scheme: Option<&TextScheme>) -> Flags {
    let is_special = scheme.is_some_and(TextScheme::is_special);
    let behind = reference[rest..].strip_prefix(b"//");
    let after_host = behind.filter(|_| is_special).and_then(after_plain_host);
    let mut flags = Flags::NONE;
    let mut literal = 0..0;
    let classes = match after_host {
        Some(rest) => classes(rest),
        None => classes(&reference[rest..]),
    };
    if let Some(behind) = behind.filter(|_| after_host.is_none()) {
        let authority = AuthorityParts::of(behind);
        let start = rest + 2 + authority.host_start;
        literal = start..start + authority.literal_length;
        // T27: only special schemes have a host.
        if is_special {
            flags |= authority.flags();
        }
    }
    if classes & (HIGH | PERCENT | FOREIGN | BRACKET) == 0 {
        return flags;
    }
    if classes & HIGH != 0 {
        flags |= Flags::NON_ASCII;
    }
    if classes & PERCENT != 0 && has_bad_percent(reference) {
        flags |= Flags::BAD_PERCENT;
    }
    let is_outside = |(at, &byte): (usize, &u8)| {
        matches!(byte, b'[' | b']') && !(literal.start <= at && at < literal.end)
    };
    if classes & FOREIGN != 0
        || classes & BRACKET != 0 && reference.iter().enumerate().any(is_outside)
    {
        flags |= Flags::NONCONFORMING;
    }
    flags
}

fn has_bad_percent(reference: &[u8]) -> bool {
    memchr::memchr_iter(b'%', reference).any(|at| {
        let digits = reference.get(at + 1..at + 3);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Returns the bytes behind an authority that is a host of plain ASCII labels alone, as most are.
fn after_plain_host(behind: &[u8]) -> Option<&[u8]> {
    let mut rest = behind;
    loop {
        let in_label = |&byte: &u8| CLASSES[byte as usize] & (LABEL | HYPHEN) != 0;
        let length = rest
            .iter()
            .position(|byte| !in_label(byte))
            .unwrap_or(rest.len());
        let (label, behind) = rest.split_at(length);
        if length > LONGEST_LABEL || *label.first()? == b'-' || label[length - 1] == b'-' {
            return None;
        }
        match behind.first() {
            None | Some(b'/' | b'?' | b'#') => return Some(behind),
            Some(b'.') => rest = &behind[1..],
            Some(_) => return None,
        }
    }
}

/// The longest label of a host name, in bytes (RFC 1035, section 2.3.4).
pub(super) const LONGEST_LABEL: usize = 63;

/// The parts of an authority.
struct AuthorityParts<'a> {
    /// The host and the port.
    host: &'a [u8],
    /// The start of `host`, behind the user information.
    host_start: usize,
    /// The length of the host if it is an IP literal, or zero.
    literal_length: usize,
}

impl<'a> AuthorityParts<'a> {
    /// Splits the authority at the start of `behind`, the bytes behind `//`.
    fn of(behind: &'a [u8]) -> Self {
        let is_end = |&byte: &u8| matches!(byte, b'/' | b'?' | b'#');
        let end = behind.iter().position(is_end).unwrap_or(behind.len());
        let at = memchr::memrchr(b'@', &behind[..end]).filter(|&at| is_userinfo(&behind[..at]));
        let host_start = at.map_or(0, |at| at + 1);
        let host = &behind[host_start..end];
        AuthorityParts {
            host,
            host_start,
            literal_length: literal_length(host).unwrap_or(0),
        }
    }

    fn flags(&self) -> Flags {
        let mut flags = Flags::NONE;
        if self.host_start > 0 {
            flags |= Flags::USERINFO;
        }
        if self.is_odd() {
            flags |= Flags::ODD_HOST;
        }
        flags
    }

    fn is_odd(&self) -> bool {
        let is_port = |text: &[u8]| match text.strip_prefix(b":") {
            Some(digits) => digits.iter().all(u8::is_ascii_digit),
            None => text.is_empty(),
        };
        if self.literal_length > 0 {
            return !is_port(&self.host[self.literal_length..]);
        }
        let host = match memchr::memrchr(b':', self.host) {
            Some(colon) if is_port(&self.host[colon..]) => &self.host[..colon],
            _ => self.host,
        };
        // A final dot stands for the root of the domain names.
        let host = host.strip_suffix(b".").unwrap_or(host);
        host.split(|&byte| byte == b'.').any(is_odd_label)
    }
}

fn literal_length(host: &[u8]) -> Option<usize> {
    let inner = host.strip_prefix(b"[")?;
    let length = memchr::memchr(b']', inner)?;
    is_ipv6(&inner[..length]).then_some(length + 2)
}

fn is_odd_label(label: &[u8]) -> bool {
    let in_label =
        |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | 0x80..);
    label.is_empty()
        || label.len() > LONGEST_LABEL
        || label.starts_with(b"-")
        || label.ends_with(b"-")
        || !label.iter().all(in_label)
}

#[cfg(test)]
#[path = "../../../tests/unit/document/text/conformance.rs"]
mod tests;
