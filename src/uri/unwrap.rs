//! Decodes links that a mail gateway has rewritten, offline.

use std::borrow::Cow;

use memchr::{memchr_iter, memmem};
use percent_encoding::percent_decode;

use super::{Reference, canonical_host, host};
use crate::bytes::pattern::Pattern;
use crate::decode::Decode;
use crate::decode::transfer::{self, Base64};

/// The most layers of rewriting that are removed.
const MAX_LAYERS: usize = 4;

/// A gateway's forms of rewritten links.
#[derive(Clone, Debug)]
pub struct Gateway(Cow<'static, [WrappedForm]>);

/// A form of rewritten links.
#[derive(Clone, Debug)]
struct WrappedForm {
    /// The path, or its start up to a slash or underscores; empty for any path.
    path: &'static str,
    place: UrlPlace,
}

/// Where a rewritten link holds the original one.
#[derive(Clone, Debug)]
enum UrlPlace {
    /// In the first of these parameters of the query.
    Query(&'static [&'static str], UrlCoding),
    /// In a parameter that a user names.
    Parameter(String, UrlCoding),
    /// Between three underscores.
    Underscores,
    /// In the path, after the first segment, percent-encoded.
    Tail,
    /// In the path, between two underscores; the characters of its asterisks follow.
    Masked,
}

/// The coding of the original link in a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlCoding {
    /// Percent-encoding.
    #[default]
    Percent,
    /// Base64 or base64url, after percent-encoding.
    Base64,
    /// Percent-encoding with `-` for `%` and `_` for `/`.
    Hyphens,
}

/// The known gateways: a name, if users can name their hosts; their own hosts, with a leading dot for any
/// host under it; the forms of links.
type GatewayRow = (
    &'static str,
    &'static [&'static str],
    &'static [WrappedForm],
);

#[rustfmt::skip]
static GATEWAYS: &[GatewayRow] = &[
    ("safelinks", &[".safelinks.protection.outlook.com", ".safelinks.protection.office365.us"],
        &[query("", &["url"])]),
    // Links in Teams.
    ("", &["statics.teams.cdn.office.net", "statics.teams.microsoft.com"],
        &[query("/evergreen-assets/safelinks/", &["url"])]),
    ("urldefense", &["urldefense.proofpoint.com", "urldefense.com", "urldefense.us"], &[
        query("/v1/url", &["u"]),
        form("/v2/url", UrlPlace::Query(&["u"], UrlCoding::Hyphens)),
        form("/v3/__", UrlPlace::Masked),
    ]),
    // Avanan, now of Check Point.
    ("", &["url.avanan.click", "protect.checkpoint.com", ".url-protection.com"],
        &[form("/v2/", UrlPlace::Underscores), query("/v1/url", &["o"])]),
    // Barracuda, Cisco, Sophos, Symantec, Trend Micro.
    ("", &["linkprotect.cudasvc.com"], &[query("/url", &["a"])]),
    ("", &["secure-web.cisco.com"], &[form("", UrlPlace::Tail)]),
    ("", &[".protection.sophos.com"], &[form("", UrlPlace::Query(&["u"], UrlCoding::Base64))]),
    ("", &["clicktime.symantec.com"], &[query("", &["u"])]),
    ("", &[".trendmicro.com"], &[query("/wis/clicktime/", &["url"])]),
    // Mimecast: most links hold a token.
    ("", &[".mimecast.com"], &[query("/s/", &["url", "u"]), query("/r/", &["url", "u"])]),
    ("", &[".mimecastprotect.com"], &[query("", &["url", "u"])]),
    // Sites that count those who leave.
    ("", &["google.com", "www.google.com"], &[query("/url", &["q", "url"])]),
    ("", &["l.facebook.com", "lm.facebook.com", "www.facebook.com"], &[query("/l.php", &["u"])]),
    ("", &["linkedin.com", "www.linkedin.com"], &[query("/redir/", &["url"]), query("/safety/go", &["url"])]),
    ("", &["lnkd.in"], &[query("", &["url"])]),
    ("", &["youtube.com", "www.youtube.com", "m.youtube.com"], &[query("/redirect", &["q"])]),
    ("", &["slack-redir.net"], &[query("/link", &["url"])]),
    ("", &["duckduckgo.com", ".duckduckgo.com"], &[query("/l/", &["uddg"])]),
];

const fn form(path: &'static str, place: UrlPlace) -> WrappedForm {
    WrappedForm { path, place }
}

const fn query(path: &'static str, names: &'static [&'static str]) -> WrappedForm {
    form(path, UrlPlace::Query(names, UrlCoding::Percent))
}

impl Gateway {
    /// Returns the gateway of a name: `safelinks`, `urldefense`.
    pub fn named(name: &str) -> Option<Self> {
        let mut rows = GATEWAYS.iter().filter(|_| !name.is_empty());
        let (.., forms) = rows.find(|(known, ..)| *known == name)?;
        Some(Gateway(Cow::Borrowed(forms)))
    }

    /// Returns a gateway that has the original link in a parameter of the query.
    ///
    /// ```
    /// use uriscan::link::{Gateway, Unwrapper, UrlCoding};
    /// let mut unwrapper = Unwrapper::default();
    /// unwrapper.add(Gateway::with_parameter("to", UrlCoding::Percent), "go.example.com");
    /// let target = unwrapper.unwrap(b"https://go.example.com/x?to=http%3A%2F%2Fexample.org%2F");
    /// assert_eq!(target.unwrap(), b"http://example.org/");
    /// ```
    pub fn with_parameter(name: &str, coding: UrlCoding) -> Self {
        let place = UrlPlace::Parameter(name.to_owned(), coding);
        Gateway(Cow::Owned(vec![form("", place)]))
    }
}

impl WrappedForm {
    fn is_of(&self, path: &[u8]) -> bool {
        let start = self.path.as_bytes();
        if start.is_empty() || start.ends_with(b"/") || start.ends_with(b"_") {
            path.starts_with(start)
        } else {
            path.strip_suffix(b"/").unwrap_or(path) == start
        }
    }

    fn original(&self, link: &[u8], parts: &Reference<'_>) -> Option<Vec<u8>> {
        let parameter = |name: &str| parameter(parts.query?, name.as_bytes());
        match &self.place {
            UrlPlace::Query(names, coding) => {
                coding.decode(names.iter().find_map(|name| parameter(name))?)
            }
            UrlPlace::Parameter(name, coding) => coding.decode(parameter(name)?),
            UrlPlace::Underscores => {
                let start = memmem::find(link, b"/___")? + 4;
                let end = memmem::rfind(&link[start..], b"___")?;
                with_slashes(&link[start..start + end]).filter(|url| has_known_scheme(url))
            }
            UrlPlace::Tail => {
                let mut slashes = memchr_iter(b'/', parts.path);
                let at = slashes.nth(1)? + parts.path.as_ptr().addr() - link.as_ptr().addr();
                with_slashes(&percent(&link[at + 1..]))
            }
            UrlPlace::Masked => decode_v3(link),
        }
    }
}

impl UrlCoding {
    fn decode(self, value: &[u8]) -> Option<Vec<u8>> {
        match self {
            UrlCoding::Percent => Some(percent(value)),
            UrlCoding::Base64 => base64(&percent(value)),
            UrlCoding::Hyphens => {
                let bytes = value.iter().map(|byte| match byte {
                    b'-' => b'%',
                    b'_' => b'/',
                    other => *other,
                });
                Some(percent(&bytes.collect::<Vec<u8>>()))
            }
        }
    }
}

fn percent(value: &[u8]) -> Vec<u8> {
    percent_decode(value).collect()
}

/// Returns a URL with both slashes: some servers and clients fold those in the path of a rewritten link.
fn with_slashes(url: &[u8]) -> Option<Vec<u8>> {
    let (start, rest) = url.split_at(Reference::split(url).scheme?.len() + 1);
    let is_folded = rest.starts_with(b"/") && !rest.starts_with(b"//");
    Some([start, &b"/"[..usize::from(is_folded)], rest].concat())
}

/// Returns whether a text begins with a scheme of the web or of mail, and not with letters of a cipher.
fn has_known_scheme(url: &[u8]) -> bool {
    let known = [&b"http"[..], b"https", b"ftp", b"mailto"];
    let scheme = Reference::split(url).scheme;
    scheme.is_some_and(|scheme| known.iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

/// Decodes rewritten links by their host.
///
/// ```
/// use uriscan::link::{Gateway, Unwrapper};
/// let mut unwrapper = Unwrapper::default();
/// unwrapper.add(Gateway::named("safelinks").unwrap(), ".safelinks.example.com");
/// let link = b"https://n1.safelinks.example.com/?url=http%3A%2F%2Fwww.example.org%2Fx&data=05";
/// assert_eq!(unwrapper.unwrap(link).unwrap(), b"http://www.example.org/x");
/// assert_eq!(unwrapper.unwrap(b"http://www.example.org/x"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Unwrapper {
    /// The hosts that users name.
    hosts: Vec<(String, Gateway)>,
}

/// A link without the rewriting of gateways.
#[derive(Debug, Default)]
pub(crate) struct Unwrapped {
    /// The original link, if the link was rewritten and holds it.
    pub(crate) original: Option<Vec<u8>>,
    /// Whether only the service of a gateway knows the target.
    pub(crate) is_opaque: bool,
}

impl Unwrapper {
    /// Returns an unwrapper that knows the gateways' own hosts.
    pub(crate) fn known() -> &'static Self {
        static KNOWN: Unwrapper = Unwrapper { hosts: Vec::new() };
        &KNOWN
    }

    /// Adds a host of a gateway; with a leading dot, every host under it.
    pub fn add(&mut self, gateway: Gateway, host: &str) {
        self.hosts.push((host_pattern(host), gateway));
    }

    /// Returns the target of a rewritten link; `None` for other links.
    pub fn unwrap(&self, link: &[u8]) -> Option<Vec<u8>> {
        self.open(link).original
    }

    /// Removes the layers of rewriting.
    pub(crate) fn open(&self, link: &[u8]) -> Unwrapped {
        let mut unwrapped = Unwrapped::default();
        for _ in 0..MAX_LAYERS {
            let current = unwrapped.original.as_deref().unwrap_or(link);
            let Some(original) = self.layer(current) else {
                break;
            };
            unwrapped.is_opaque = original.is_none();
            match original {
                Some(original) => unwrapped.original = Some(original),
                None => break,
            }
        }
        unwrapped
    }

    /// Returns the link inside a link of a gateway, if it is there; `None` for other links.
    fn layer(&self, link: &[u8]) -> Option<Option<Vec<u8>>> {
        let parts = Reference::split(link);
        let host = canonical_host(host(parts.authority?));
        let own = self.hosts.iter().filter(|(known, _)| covers(known, &host));
        let known = GATEWAYS.iter();
        let known = known.filter(|(_, hosts, _)| hosts.iter().any(|known| covers(known, &host)));
        let forms = own.map(|(_, gateway)| &*gateway.0);
        let mut forms = forms.chain(known.map(|(.., forms)| *forms)).flatten();
        let form = forms.find(|form| form.is_of(parts.path))?;
        let original = form.original(link, &parts);
        let original = original.filter(|inner| Reference::split(inner).scheme.is_some());
        // The start page of a gateway was not rewritten.
        let is_link = parts.query.is_some() || !matches!(parts.path, b"" | b"/");
        (original.is_some() || is_link).then_some(original)
    }
}

/// Returns a host as [`covers`] takes it; a leading dot stays, and an asterisk before it goes.
pub(crate) fn host_pattern(host: &str) -> String {
    let host = host.strip_prefix('*').unwrap_or(host);
    let (dot, host) = host.split_at(usize::from(host.starts_with('.')));
    let host = canonical_host(host.as_bytes());
    format!("{dot}{}", String::from_utf8_lossy(&host))
}

/// Returns whether a pattern, which has a leading dot for any host under it, covers a host.
pub(crate) fn covers(pattern: &str, host: &[u8]) -> bool {
    match pattern.as_bytes() {
        under @ [b'.', ..] => host.ends_with(under),
        name => host == name,
    }
}

fn parameter<'a>(query: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    query.split(|&byte| byte == b'&').find_map(|pair| {
        let rest = pair.strip_prefix(name)?;
        rest.strip_prefix(b"=")
    })
}

/// A masked character, or a run of them, whose length the letter encodes.
static MASK: Pattern = Pattern::new(r"\*(?:\*(.))?");

/// Decodes `/v3/__TARGET__;CHARACTERS!...`.
/// Each `*` of the target is the next of the characters, `**` and a letter a run of them.
fn decode_v3(link: &[u8]) -> Option<Vec<u8>> {
    let start = memmem::find(link, b"/v3/__")? + 6;
    let end = start + memmem::rfind(&link[start..], b"__;")?;
    let rest = &link[end + 3..];
    let digits = &rest[..memchr::memchr(b'!', rest).unwrap_or(rest.len())];
    let characters = String::from_utf8(base64(digits)?).ok()?;
    let mut characters = characters.chars();
    let target = with_slashes(&link[start..end])?;
    let (mut out, mut at) = (Vec::new(), 0);
    for [mask, letter] in MASK.groups(&target, 0) {
        out.extend_from_slice(&target[at..mask.start]);
        at = mask.end;
        let count = match target[letter] {
            [letter] => usize::from(sextet(letter)?) + 2,
            _ => 1,
        };
        let masked: String = characters.by_ref().take(count).collect();
        out.extend_from_slice(masked.as_bytes());
    }
    out.extend_from_slice(&target[at..]);
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
        b'+' | b'/' => Some(digit),
        other => other.is_ascii_alphanumeric().then_some(other),
    }
}

fn base64(digits: &[u8]) -> Option<Vec<u8>> {
    let digits = digits.iter().filter(|&&digit| digit != b'=');
    let digits = digits.map(|&digit| standard(digit));
    let digits: Vec<u8> = digits.collect::<Option<_>>()?;
    let (mut decoder, mut out) = (Base64::default(), Vec::new());
    decoder.push(&digits, &mut out, &mut ());
    decoder.finish(&mut out, &mut ());
    Some(out)
}

#[cfg(test)]
#[path = "../../tests/unit/uri/unwrap.rs"]
mod tests;
