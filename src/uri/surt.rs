//! Sort-friendly forms of URIs, by which the indexes of web archives (CDX) name them.

use super::{Reference, canonical_host, host};
use crate::bytes::class::{hex_digit, split_once};
use crate::bytes::pattern::Pattern;

/// Session identifiers in paths: the text that is kept is in the groups.
static IN_PATHS: [Pattern; 2] = [
    Pattern::new(r"(?i)^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$"),
    Pattern::new(r"(?i)^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$"),
];

/// Session identifiers in queries.
static IN_QUERIES: [Pattern; 5] = [
    Pattern::new(r"(?i)^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$"),
    Pattern::new(r"(?i)^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$"),
    Pattern::new(r"(?i)^(.*)sid=[0-9a-z]{32}(?:&(.*))?$"),
    Pattern::new(r"(?i)^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$"),
    Pattern::new(r"(?i)^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$"),
];

/// Cuts session identifiers out of a text; all patterns contain the byte `needed`.
fn without_session(text: Vec<u8>, needed: u8, patterns: &[Pattern]) -> Vec<u8> {
    if memchr::memchr(needed, &text).is_none() {
        return text;
    }
    patterns.iter().fold(text, |text, pattern| {
        let Some(groups) = pattern.captures(&text) else {
            return text;
        };
        let kept = groups.iter().skip(1).flatten();
        let kept = kept.map(|group| group.as_bytes());
        kept.collect::<Vec<_>>().concat()
    })
}

/// Returns the key of an absolute URI: `com,example)/path?query`. Hosts lose a leading `www.`, and letters are
/// in lower case, session identifiers are removed, and the parameters of the query are sorted, as by
/// the `surt` package for Python.
///
/// ```
/// use uriscan::uri::surt;
/// assert_eq!(surt(b"HTTP://WWW.Example.com:80/A/../b/?y=2&x=1#z"), "com,example)/b?x=1&y=2");
/// ```
pub fn surt(uri: &[u8]) -> String {
    let parts = Reference::split(uri);
    let scheme = parts.scheme.unwrap_or_default().to_ascii_lowercase();
    let authority = parts.authority.filter(|authority| !authority.is_empty());
    let mut out = Vec::new();
    let mut path = unescaped(parts.path);
    match authority {
        Some(authority) => {
            push_host(authority, &scheme, &mut out);
            path = normal_path(&path);
        }
        None => out.extend([parts.scheme.unwrap_or_default(), b":"].concat()),
    }
    let mut path = without_session(escaped(&path), b'(', &IN_PATHS);
    if path.len() > 1 && path.ends_with(b"/") {
        path.pop();
    }
    out.extend(path);
    let query = escaped(&unescaped(parts.query.unwrap_or_default()));
    let query = without_session(query, b'=', &IN_QUERIES);
    if !query.is_empty() {
        let mut parameters: Vec<_> = query.split(|&byte| byte == b'&').collect();
        // A name alone precedes the same name with a value.
        parameters.sort_by_key(|one| split_once(one, b'='));
        out.push(b'?');
        out.extend(parameters.join(&b'&'));
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn push_host(authority: &[u8], scheme: &[u8], out: &mut Vec<u8>) {
    let name = host(authority);
    let from = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
    let port = authority[from..].strip_prefix(name).unwrap_or_default();
    let name = canonical_host(name);
    let digits = name.strip_prefix(b"www").unwrap_or_default();
    let dot = digits.iter().position(|byte| !byte.is_ascii_digit());
    let name = match dot {
        Some(dot) if digits[dot] == b'.' => &digits[dot + 1..],
        _ => name.trim_ascii(),
    };
    let mut labels: Vec<_> = name.split(|&byte| byte == b'.').collect();
    labels.reverse();
    let host = labels.join(&b',');
    let address = host.strip_prefix(b"[");
    let address = address.and_then(|host| host.strip_suffix(b"]"));
    out.extend_from_slice(address.unwrap_or(&host));
    let is_default = matches!(
        (scheme, port),
        (_, b"" | b":") | (b"http", b":80") | (b"https", b":443")
    );
    if !is_default {
        out.extend_from_slice(port);
    }
    out.push(b')');
}

/// Decodes percent-encoding until nothing changes.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        out.push(byte);
        // A decoded byte may complete another triplet.
        while let [.., b'%', high, low] = *out
            && let (Some(high), Some(low)) = (hex_digit(high), hex_digit(low))
        {
            out.truncate(out.len() - 3);
            out.push(high << 4 | low);
        }
    }
    out
}

/// Encodes bytes that are not printable, and converts letters to lower case.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'%' | b'#' | ..=b' ' | 0x7F.. => out.extend(format!("%{byte:02x}").bytes()),
            byte => out.push(byte.to_ascii_lowercase()),
        }
    }
    out
}

/// Removes `.`, `..` and empty segments; a `..` at the root stays once.
fn normal_path(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|&byte| byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if kept.pop().is_some() => {}
            segment => kept.push(segment),
        }
    }
    let last = kept.pop().unwrap_or_default();
    kept.retain(|segment| !segment.is_empty());
    kept.push(last);
    [b"/", kept.join(&b'/').as_slice()].concat()
}

#[cfg(test)]
#[path = "../../tests/unit/uri/surt.rs"]
mod tests;
