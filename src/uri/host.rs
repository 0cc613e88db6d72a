//! Hosts in the forms in which they are compared.

use std::borrow::Cow;

use super::Reference;
use super::resolve::push_domain;

/// Returns the host of an authority, without user information and port (RFC 3986 section 3.2).
pub(crate) fn host(authority: &[u8]) -> &[u8] {
    let from = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
    let host = &authority[from..];
    // Other colons of an IP literal are in brackets.
    match memchr::memrchr(b':', host) {
        Some(at) if host[at..].iter().skip(1).all(u8::is_ascii_digit) => &host[..at],
        _ => host,
    }
}

/// The schemes in which user information is a password or a pretence.
const WEB: [&[u8]; 6] = [b"http", b"https", b"ftp", b"ftps", b"ws", b"wss"];

/// Returns whether a URI of the web has user information.
pub(crate) fn has_userinfo(uri: &[u8]) -> bool {
    let parts = Reference::split(uri);
    let is_web = |scheme: &[u8]| WEB.iter().any(|web| scheme.eq_ignore_ascii_case(web));
    let has_user = |authority: &[u8]| memchr::memchr(b'@', authority).is_some();
    parts.authority.is_some_and(has_user) && parts.scheme.is_some_and(is_web)
}

/// Returns a host in lower case, with A-labels and without the dot of the root.
/// A host that the URL standard does not parse is in lower case only.
pub(crate) fn canonical_host(host: &[u8]) -> Cow<'_, [u8]> {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let is_plain = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_');
    // An address ends in a digit, also a hexadecimal one.
    if matches!(host.last(), Some(b'g'..=b'z')) && host.iter().all(is_plain) {
        return Cow::Borrowed(host);
    }
    Cow::Owned(parsed_host(host).unwrap_or_else(|| host.to_ascii_lowercase()))
}

/// Returns a host as the URL standard writes it, without the dot of the root; `None` if it does not parse.
pub(crate) fn parsed_host(host: &[u8]) -> Option<Vec<u8>> {
    let mut parsed = Vec::with_capacity(host.len());
    push_domain(host, &mut parsed).ok()?;
    if parsed.last() == Some(&b'.') {
        parsed.pop();
    }
    Some(parsed)
}

/// Returns a host with A-labels, none of them empty, and without a final dot; `None` if it is invalid.
pub(crate) fn valid_host(host: &[u8]) -> Option<String> {
    let host = parsed_host(host)?;
    let mut labels = host.split(|&byte| byte == b'.');
    let has_labels = host.starts_with(b"[") || labels.all(|label| !label.is_empty());
    String::from_utf8(host).ok().filter(|_| has_labels)
}

/// Returns a valid host with its labels in reverse order; an address unchanged.
pub(crate) fn reversed_host(host: &[u8]) -> Option<String> {
    let host = valid_host(host)?;
    if is_address(&host) {
        return Some(host);
    }
    let labels: Vec<&str> = host.rsplit('.').collect();
    Some(labels.join("."))
}

/// Returns the public suffix of a host with one label more; `None` for addresses and public suffixes.
#[cfg(feature = "audit")]
pub(crate) fn registered_domain(host: &[u8]) -> Option<String> {
    let host = valid_host(host).filter(|host| !is_address(host))?;
    psl::domain_str(&host).map(str::to_owned)
}

fn is_address(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    host.starts_with('[') || last.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes the dot of the root from the host of a URI.
pub(crate) fn drop_root_dot(uri: &mut Vec<u8>) {
    let Some(authority) = Reference::split(uri).authority else {
        return;
    };
    if host(authority).ends_with(b".") {
        let user = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
        let end = user + host(authority).len();
        let start = memchr::memmem::find(uri, b"//").map_or(0, |at| at + 2);
        uri.remove(start + end - 1);
    }
}

/// Returns a canonical host with its A-labels as Unicode (UTS #46).
pub(crate) fn unicode_host(canonical: &[u8]) -> Cow<'_, [u8]> {
    match str::from_utf8(canonical) {
        Ok(host) if host.contains("xn--") => {
            Cow::Owned(url::quirks::domain_to_unicode(host).into_bytes())
        }
        _ => Cow::Borrowed(canonical),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/uri/host.rs"]
mod tests;
