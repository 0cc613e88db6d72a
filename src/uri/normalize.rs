//! Normal forms for comparison: RFC 2396 section 6, RFC 3986 sections 6.2.2 and 6.2.3.

use super::percent;
use super::reference::Ends;
use super::resolve::remove_dot_segments;
use super::scheme::default_port;
use super::validate::AuthorityKind;

/// The equivalences that a normal form resolves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Normalization {
    /// RFC 2396 section 6: case of scheme and host, default ports.
    Rfc2396,
    /// RFC 3986 section 6.2.2: also percent-encoding and dot segments, but not ports.
    Rfc3986Syntax,
    /// RFC 3986 section 6.2.3: also default ports, empty ports, and empty paths after an authority.
    Rfc3986Scheme,
}

/// Appends the normal form of a reference.
///
/// ```
/// use uriscan::{normalize, rules::Normalization};
///
/// let mut normal = Vec::new();
/// normalize(b"HTTP://Example.COM:80/%7ebob/../x", Normalization::Rfc3986Scheme, &mut normal);
/// assert_eq!(normal, b"http://example.com/x");
/// ```
pub fn normalize(reference: &[u8], form: Normalization, out: &mut Vec<u8>) {
    let ends = Ends::of(reference);
    let scheme = &reference[..ends.scheme.saturating_sub(1)];
    out.extend(reference[..ends.scheme].iter().map(u8::to_ascii_lowercase));
    let authority = &reference[ends.scheme..ends.authority];
    let path = &reference[ends.authority..ends.path];
    let tail = &reference[ends.path..];
    if form == Normalization::Rfc2396 {
        match AuthorityKind::of(reference) {
            Some(AuthorityKind::Server) => push_server(authority, scheme, form, out),
            _ => out.extend_from_slice(authority),
        }
        out.extend_from_slice(path);
        out.extend_from_slice(tail);
        return;
    }
    push_server(authority, scheme, form, out);
    let from = out.len();
    percent::normalize(path, out);
    if ends.has_scheme() && path.starts_with(b"/") {
        remove_dot_segments(out, from);
        if !ends.has_authority() && out[from..].starts_with(b"//") {
            out.splice(from..from, *b"/.");
        }
    }
    let has_default_port = default_port(scheme).is_some();
    if form == Normalization::Rfc3986Scheme
        && path.is_empty()
        && ends.has_authority()
        && has_default_port
    {
        out.push(b'/');
    }
    percent::normalize(tail, out);
}

/// Appends an authority: the host in lower case, no default port.
fn push_server(authority: &[u8], scheme: &[u8], form: Normalization, out: &mut Vec<u8>) {
    let host = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
    let (userinfo, host_port) = authority.split_at(host);
    // The colons of an IP literal do not precede a port.
    let bracket = memchr::memrchr(b']', host_port).unwrap_or(0);
    let colon =
        memchr::memchr(b':', &host_port[bracket..]).map_or(host_port.len(), |at| bracket + at);
    let (host, port) = host_port.split_at(colon);
    match form {
        Normalization::Rfc2396 => {
            out.extend_from_slice(userinfo);
            out.extend(host.iter().map(u8::to_ascii_lowercase));
        }
        _ => {
            percent::normalize(userinfo, out);
            let from = out.len();
            percent::normalize(host, out);
            lowercase(&mut out[from..]);
        }
    }
    let is_default = match (form, port.strip_prefix(b":")) {
        (Normalization::Rfc3986Syntax, _) | (_, None) => false,
        (Normalization::Rfc3986Scheme, Some([])) => true,
        (_, Some(digits)) => default_port(scheme) == Some(digits),
    };
    if !is_default {
        out.extend_from_slice(port);
    }
}

/// Lowercases a host except for the digits of triplets.
fn lowercase(mut host: &mut [u8]) {
    while let Some(at) = memchr::memchr(b'%', host) {
        host[..at].make_ascii_lowercase();
        host = host.get_mut(at + 3..).unwrap_or_default();
    }
    host.make_ascii_lowercase();
}
