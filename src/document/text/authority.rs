//! Where the host of a bare URI ends (rules B3 and B4).

use std::net::Ipv6Addr;

use super::bare::{Bare, BareStep};
use super::view::{ByteClassSet, TextView};

/// B3: bytes behind `//` that are looked at.
const LONGEST: usize = 1024;

/// An address with a zone is shorter.
const LONGEST_LITERAL: usize = 128;

/// The authority of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BareAuthority {
    /// Behind the host.
    pub(super) host_end: usize,
    /// Behind the port.
    pub(super) end: usize,
    /// Something follows that no authority holds: the URI ends here.
    pub(super) is_cut: bool,
}

/// What ends an authority or needs a look: all that bare URIs stop at, and `/ ? # @`.
static MARKS: ByteClassSet = {
    let mut set = super::bare::MARKED;
    set[b'/' as usize] = true;
    set[b'@' as usize] = true;
    set
};

/// B3: the authority of a scheme with an Internet host, or None where there is no such host.
pub(super) fn special(bare: &Bare<'_, '_>, from: usize) -> Option<BareAuthority> {
    let view = bare.view;
    let (end, last_at) = extent(bare, from)?;
    let text = &view.bytes[from..end];
    let doubled = [&b"http:"[..], b"https:", b"ftp:"]
        .iter()
        .any(|scheme| text.eq_ignore_ascii_case(scheme));
    if doubled && view.at(end) == Some(b'/') && view.at(end + 1) == Some(b'/') {
        return None;
    }
    // A later @ must not turn the host into user information.
    let host = match last_at {
        Some(at) if is_user(&view.bytes[from..at]) => at + 1,
        _ => from,
    };
    server(view, host, end)
}

/// Whether what stands before the last `@` of an authority is user information.
pub(super) fn is_user(text: &[u8]) -> bool {
    !text.iter().any(|byte| b"()[]{},;".contains(byte))
}

/// B3 without user information, for what has no scheme.
pub(super) fn without_user(bare: &Bare<'_, '_>, from: usize) -> Option<BareAuthority> {
    let (end, _) = extent(bare, from)?;
    server(bare.view, from, end)
}

/// The host and the port at `host`, in an authority that ends at `end`.
fn server(view: &TextView<'_>, host: usize, end: usize) -> Option<BareAuthority> {
    let host_end = match view.bytes[host..end].first()? {
        b'[' => literal_end(view, host)?,
        &first if first.is_ascii_alphanumeric() || matches!(first, b'_' | b'%' | 0x80..) => {
            let run = view.bytes[host..end].iter();
            host + run.take_while(|&&byte| HOST[byte as usize]).count()
        }
        _ => return None,
    };
    let port_end = port_end(view, host_end, end);
    Some(BareAuthority {
        host_end,
        end: port_end,
        is_cut: port_end < end,
    })
}

/// Up to `/ ? #` or a stop, and the last `@` on the way. None where that is too far.
fn extent(bare: &Bare<'_, '_>, from: usize) -> Option<(usize, Option<usize>)> {
    let view = bare.view;
    let limit = from + LONGEST;
    let mut last_at = None;
    let mut at = from;
    loop {
        at = view.first(at, limit + 1, &MARKS);
        if at > limit {
            return None;
        }
        match view.at(at) {
            None | Some(b'/' | b'?' | b'#') => return Some((at, last_at)),
            Some(b'@') => {
                last_at = Some(at);
                at += 1;
            }
            Some(_) => match bare.step(at, false) {
                BareStep::Stop(_) => return Some((at, last_at)),
                BareStep::Take(length) => at += length,
                BareStep::Open | BareStep::Close | BareStep::Mark => at += 1,
            },
        }
    }
}

/// ALNUM `- . _ ~ %` and what is beyond ASCII.
static HOST: ByteClassSet = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = (byte as u8).is_ascii_alphanumeric()
            || matches!(byte as u8, b'-' | b'.' | b'_' | b'~' | b'%' | 0x80..);
        byte += 1;
    }
    set
};

/// Behind `:digits`. An empty port counts only before `/ ? #`.
fn port_end(view: &TextView<'_>, host_end: usize, end: usize) -> usize {
    if host_end >= end || view.bytes[host_end] != b':' {
        return host_end;
    }
    let digits = view.bytes[host_end + 1..end].iter();
    let behind = host_end + 1 + digits.take_while(|byte| byte.is_ascii_digit()).count();
    let empty = behind == host_end + 1;
    if empty && !matches!(view.at(behind), Some(b'/' | b'?' | b'#')) {
        return host_end;
    }
    behind
}

/// B4: behind the `//` of any other scheme; the index from which the rest is scanned.
pub(super) fn other(bare: &Bare<'_, '_>, from: usize, is_file: bool) -> Option<usize> {
    let view = bare.view;
    match view.at(from)? {
        b'[' => literal_end(view, from),
        b'/' if is_file => Some(from),
        b'\\' => {
            view.stop_at_backslash(from);
            None
        }
        b'_' | b'%' | b'~' | b'+' | b'$' | b'-' | b'.' | b'*' => Some(from),
        byte if byte.is_ascii_alphanumeric() => Some(from),
        0x80.. if matches!(bare.step(from, false), BareStep::Take(_)) => Some(from),
        _ => None,
    }
}

/// Behind the `]` of an IPv6 address in brackets.
fn literal_end(view: &TextView<'_>, open: usize) -> Option<usize> {
    let limit = open + LONGEST_LITERAL;
    let mut at = open + 1;
    while at < limit {
        match view.at(at)? {
            b']' => return is_ipv6(&view.bytes[open + 1..at]).then_some(at + 1),
            byte if byte.is_ascii_graphic() => at += 1,
            _ => return None,
        }
    }
    None
}

/// `IPv6address` of RFC 3986, with a zone as in RFC 6874.
pub(super) fn is_ipv6(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let (address, zone) = match text.split_once('%') {
        Some((address, zone)) => (address, Some(zone)),
        None => (text, None),
    };
    let in_zone = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
    let is_zone = |zone: &str| {
        let name = zone.strip_prefix("25");
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(in_zone))
    };
    address.parse::<Ipv6Addr>().is_ok() && zone.is_none_or(is_zone)
}
