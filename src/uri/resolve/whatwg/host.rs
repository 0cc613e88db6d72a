//! Hosts, WHATWG URL section 3.5.

use url::Host;

use super::encode;
use crate::bytes::class::ByteSet;
use crate::uri::percent;

/// The forbidden host code points.
const FORBIDDEN: ByteSet = ByteSet::EMPTY.with(b"\0\t\n\r #/:<>?@[\\]^|");
/// The forbidden domain code points.
const FORBIDDEN_IN_DOMAIN: ByteSet = FORBIDDEN.with(b"%\x7F").with_range(0, 0x1F);

/// A host that does not parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidHost;

/// Appends the serialised host of a special URL.
pub(super) fn push_domain(host: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidHost> {
    if host.starts_with(b"[") {
        return push_parsed(host, out);
    }
    let decoded;
    let domain = if host.contains(&b'%') {
        decoded = percent::decode(host);
        &decoded[..]
    } else {
        host
    };
    if !domain.is_ascii() || ends_in_number(domain) {
        return push_parsed(host, out);
    }
    // An ASCII domain is lowercased, whatever its labels would decode to.
    if domain.is_empty() || FORBIDDEN_IN_DOMAIN.first_inside(domain).is_some() {
        return Err(InvalidHost);
    }
    out.extend(domain.iter().map(u8::to_ascii_lowercase));
    Ok(())
}

/// Appends the serialised host of any other URL.
pub(super) fn push_opaque(host: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidHost> {
    if host.starts_with(b"[") {
        return push_parsed(host, out);
    }
    if FORBIDDEN.first_inside(host).is_some() {
        return Err(InvalidHost);
    }
    percent::encode(host, &encode::CONTROL, out);
    Ok(())
}

/// Addresses and domains that are not ASCII.
fn push_parsed(host: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidHost> {
    let host = str::from_utf8(host).map_err(|_| InvalidHost)?;
    let host = Host::parse(host).map_err(|_| InvalidHost)?;
    out.extend_from_slice(host.to_string().as_bytes());
    Ok(())
}

/// The ends-in-a-number checker: such a domain must be an IPv4 address.
fn ends_in_number(domain: &[u8]) -> bool {
    let domain = domain.strip_suffix(b".").unwrap_or(domain);
    let label = domain
        .rsplit(|&byte| byte == b'.')
        .next()
        .unwrap_or_default();
    match label {
        [b'0', b'x' | b'X', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        _ => !label.is_empty() && label.iter().all(u8::is_ascii_digit),
    }
}
