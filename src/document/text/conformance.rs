//! Flags for what is odd about a reference; they do not change it.

use super::bare::{is_ipv6, is_userinfo};
use super::schemes::SchemeForm;
use crate::bytes::class::ByteSet;
use crate::document::flags::Flags;

/// Bytes that may be odd anywhere.
static MARKED: ByteSet = ByteSet::EMPTY.with(b"%{}|\\^`[]").with_range(0x80, 0xFF);

/// Bytes of a label of a host name.
static LABEL: ByteSet = ByteSet::ALPHANUMERIC.with(b"_-").with_range(0x80, 0xFF);

/// Returns the flags of a cleaned reference whose scheme and colon end at `rest`.
pub(super) fn flags(reference: &[u8], rest: usize, form: Option<SchemeForm>) -> Flags {
    let text = &reference[rest..];
    let mut flags = Flags::NONE;
    let mut literal = 0..0;
    if let Some(behind) = text.strip_prefix(b"//") {
        let authority = AuthorityParts::of(behind);
        let start = 2 + authority.host_start;
        literal = start..start + authority.literal_length;
        // T27: only special schemes have a host.
        if form.is_some_and(SchemeForm::is_special) {
            flags |= authority.flags();
        }
    }
    // Without a branch for each byte: most references have none of these.
    if !text
        .iter()
        .fold(false, |any, &byte| any | MARKED.contains(byte))
    {
        return flags;
    }
    if !text.is_ascii() {
        flags |= Flags::NON_ASCII;
    }
    if has_bad_percent(text) {
        flags |= Flags::BAD_PERCENT;
    }
    let is_odd = |(at, &byte): (usize, &u8)| match byte {
        b'[' | b']' => !literal.contains(&at),
        _ => b"{}|\\^`".contains(&byte),
    };
    if text.iter().enumerate().any(is_odd) {
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
        let (mut end, mut at) = (behind.len(), None);
        for (index, &byte) in behind.iter().enumerate() {
            match byte {
                b'/' | b'?' | b'#' => {
                    end = index;
                    break;
                }
                b'@' => at = Some(index),
                _ => {}
            }
        }
        let at = at.filter(|&at| is_userinfo(&behind[..at]));
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
        let host = match self.host.iter().rposition(|&byte| byte == b':') {
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
    label.is_empty()
        || label.len() > LONGEST_LABEL
        || label.starts_with(b"-")
        || label.ends_with(b"-")
        || LABEL.first_outside(label).is_some()
}
