//! Decodes links that a mail gateway has rewritten, offline.

use percent_encoding::percent_decode;

use super::{Reference, canonical_host, host};
use crate::decode::Decode;
use crate::decode::transfer::{self, Base64};

/// The most layers of rewriting that are removed.
const MAX_LAYERS: usize = 4;

/// A gateway's format of rewritten links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// `?url=`, percent-encoded.
    SafeLinks,
    /// `/v1/url?u=`, `/v2/url?u=`, `/v3/__...__;...`.
    UrlDefense,
}

impl Gateway {
    /// Returns the gateway of a name: `safelinks`, `urldefense`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "safelinks" => Some(Gateway::SafeLinks),
            "urldefense" => Some(Gateway::UrlDefense),
            _ => None,
        }
    }
}

/// Decodes rewritten links by their host.
///
/// ```
/// use uriscan::link::{Gateway, Unwrapper};
/// let mut unwrapper = Unwrapper::default();
/// unwrapper.add(Gateway::SafeLinks, ".safelinks.example.com");
/// let link = b"https://n1.safelinks.example.com/?url=http%3A%2F%2Fwww.example.org%2Fx&data=05";
/// assert_eq!(unwrapper.unwrap(link).unwrap(), b"http://www.example.org/x");
/// assert_eq!(unwrapper.unwrap(b"http://www.example.org/x"), None);
/// ```
#[derive(Clone, Debug)]
pub struct Unwrapper {
    hosts: Vec<(Gateway, String)>,
}

impl Default for Unwrapper {
    /// An unwrapper that knows the gateways' own hosts.
    fn default() -> Self {
        let hosts = [
            (Gateway::SafeLinks, ".safelinks.protection.outlook.com"),
            (Gateway::UrlDefense, "urldefense.proofpoint.com"),
            (Gateway::UrlDefense, "urldefense.com"),
        ];
        let hosts = hosts.map(|(gateway, host)| (gateway, host.to_owned()));
        Unwrapper {
            hosts: hosts.into(),
        }
    }
}

impl Unwrapper {
    /// Adds a host of a gateway; with a leading dot, every host under it.
    pub fn add(&mut self, gateway: Gateway, host: &str) {
        let (dot, host) = host.split_at(usize::from(host.starts_with('.')));
        let host = canonical_host(host.as_bytes());
        let host = format!("{dot}{}", String::from_utf8_lossy(&host));
        self.hosts.push((gateway, host));
    }

    /// Returns the target of a rewritten link; `None` for other links.
    pub fn unwrap(&self, link: &[u8]) -> Option<Vec<u8>> {
        let mut target = self.unwrap_layer(link)?;
        for _ in 1..MAX_LAYERS {
            match self.unwrap_layer(&target) {
                Some(inner) => target = inner,
                None => break,
            }
        }
        Some(target)
    }

    fn unwrap_layer(&self, link: &[u8]) -> Option<Vec<u8>> {
        let reference = Reference::split(link);
        let host = canonical_host(host(reference.authority?));
        let (gateway, _) = self.hosts.iter().find(|(_, known)| {
            if known.starts_with('.') {
                host.ends_with(known.as_bytes())
            } else {
                *host == *known.as_bytes()
            }
        })?;
        let decode = |value: &[u8]| percent_decode(value).collect::<Vec<u8>>();
        match gateway {
            Gateway::SafeLinks => Some(decode(parameter(reference.query?, b"url")?)),
            Gateway::UrlDefense => match reference.path {
                b"/v1/url" => Some(decode(parameter(reference.query?, b"u")?)),
                b"/v2/url" => {
                    let translated: Vec<u8> = parameter(reference.query?, b"u")?
                        .iter()
                        .map(|byte| match byte {
                            b'-' => b'%',
                            b'_' => b'/',
                            other => *other,
                        })
                        .collect();
                    Some(decode(&translated))
                }
                path if path.starts_with(b"/v3/__") => decode_v3(link),
                _ => None,
            },
        }
        .filter(|target| Reference::split(target).scheme.is_some())
    }
}

fn parameter<'a>(query: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    query.split(|&byte| byte == b'&').find_map(|pair| {
        let rest = pair.strip_prefix(name)?;
        rest.strip_prefix(b"=")
    })
}

/// Decodes `/v3/__TARGET__;CHARACTERS!...`.
/// Each `*` of the target is the next of the characters, `**` and a letter a run of them.
fn decode_v3(link: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::find(link, b"/v3/__")? + 6;
    let end = start + memchr::memmem::rfind(&link[start..], b"__;")?;
    let rest = &link[end + 3..];
    let digits = &rest[..memchr::memchr(b'!', rest).unwrap_or(rest.len())];
    let characters = String::from_utf8(base64(digits)?).ok()?;
    let mut characters = characters.chars();
    let mut out = Vec::new();
    let mut push = |count: usize, out: &mut Vec<u8>| {
        for character in characters.by_ref().take(count) {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    };
    let target = &link[start..end];
    let mut at = 0;
    // Some servers and clients fold the slashes in the path of the rewritten link.
    if let Some(colon) = memchr::memmem::find(target, b":/")
        && Reference::split(target).scheme.map(<[u8]>::len) == Some(colon)
        && target.get(colon + 2) != Some(&b'/')
    {
        out.extend_from_slice(&target[..colon + 2]);
        out.push(b'/');
        at = colon + 2;
    }
    while at < target.len() {
        match target[at..] {
            [b'*', b'*', letter, ..] => {
                push(usize::from(sextet(letter)?) + 2, &mut out);
                at += 3;
            }
            [b'*', ..] => {
                push(1, &mut out);
                at += 1;
            }
            [byte, ..] => {
                out.push(byte);
                at += 1;
            }
            [] => break,
        }
    }
    Some(out)
}

/// Returns the value of a digit of base64url (RFC 4648 section 5).
fn sextet(digit: u8) -> Option<u8> {
    transfer::sextet(standard(digit)?)
}

/// Returns the digit of base64 that has the value of a digit of base64url.
fn standard(digit: u8) -> Option<u8> {
    match digit {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        other => other.is_ascii_alphanumeric().then_some(other),
    }
}

fn base64(digits: &[u8]) -> Option<Vec<u8>> {
    let digits = digits.iter().filter(|&&digit| digit != b'=');
    let digits: Vec<u8> = digits
        .map(|&digit| standard(digit))
        .collect::<Option<_>>()?;
    let (mut decoder, mut out) = (Base64::default(), Vec::new());
    decoder.push(&digits, &mut out, &mut ());
    decoder.finish(&mut out, &mut ());
    Some(out)
}

#[cfg(test)]
#[path = "../../tests/unit/uri/unwrap.rs"]
mod tests;
