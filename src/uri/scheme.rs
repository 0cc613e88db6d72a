//! The schemes of RFC 1738: a table of their syntax, and their default ports.

use super::error::{Component, ComponentText, Fault};
use super::reference::SCHEME;
use crate::bytes::class::ByteSet;
use crate::bytes::pattern::Pattern;

/// Section 5: `uchar = unreserved | escape`, without the escapes.
const UCHAR: ByteSet = ByteSet::ALPHANUMERIC.with(b"$-_.+!*'(),");
/// Section 5: `xchar = unreserved | reserved | escape`, without the escapes.
const XCHAR: ByteSet = UCHAR.with(b";/?:@&=");
/// Section 5: `hsegment` and `search` of HTTP and WAIS.
const SEARCH: ByteSet = UCHAR.with(b";:@&=");
/// Section 5: `fsegment` of FTP and file, `psegment` of Prospero; and the slash.
const SEGMENTS: ByteSet = UCHAR.with(b"?:@&=/");
/// Section 5: `user` and `password`.
const LOGIN: ByteSet = UCHAR.with(b";?&=");
/// Section 5: `group`, after its first letter.
const GROUP: ByteSet = ByteSet::ALPHANUMERIC.with(b"-.+_");
/// Section 5: `article`, before its host.
const ARTICLE: ByteSet = UCHAR.with(b";/?:&=");

/// The form of the part between the slashes of section 3.1 and the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemeLocation {
    /// No slashes and no location.
    None,
    /// `[user[:password]@]host[:port]`
    Login,
    /// `host[:port]`
    HostPort,
    /// `[host]`
    Host,
}

/// A scheme with a specific syntax: its name, the form of its location, and the check of the rest,
/// from the slash after the location or from the byte after the colon.
type SchemeSyntax = (
    &'static [u8],
    SchemeLocation,
    fn(ComponentText<'_>) -> Result<(), Fault>,
);

/// Sections 3.2 to 3.11.
const SCHEMES: [SchemeSyntax; 10] = [
    (b"ftp", SchemeLocation::Login, ftp),
    (b"file", SchemeLocation::Host, file),
    (b"http", SchemeLocation::HostPort, http),
    (b"gopher", SchemeLocation::HostPort, gopher),
    (b"mailto", SchemeLocation::None, mailto),
    (b"news", SchemeLocation::None, news),
    (b"nntp", SchemeLocation::HostPort, nntp),
    (b"telnet", SchemeLocation::Login, telnet),
    (b"wais", SchemeLocation::HostPort, wais),
    (b"prospero", SchemeLocation::HostPort, prospero),
];

/// Default ports of sections 3.2 to 3.11, and of later schemes with hosts.
#[rustfmt::skip]
const PORTS: [(&[u8], &[u8]); 10] = [
    (b"ftp", b"21"), (b"http", b"80"), (b"gopher", b"70"), (b"nntp", b"119"), (b"telnet", b"23"),
    (b"wais", b"210"), (b"prospero", b"1525"), (b"https", b"443"), (b"ws", b"80"),
    (b"wss", b"443"),
];

/// Returns the default port of a scheme, which is compared without case.
pub(crate) fn default_port(scheme: &[u8]) -> Option<&'static [u8]> {
    let mut rows = PORTS.iter();
    let row = rows.find(|(name, _)| name.eq_ignore_ascii_case(scheme));
    row.map(|(_, port)| *port)
}

pub(super) fn validate(url: &[u8]) -> Result<(), Fault> {
    let url = ComponentText::new(url);
    if let (before, Some(_)) = url.split_once(b'#') {
        // Section 2.2: `#` ends a URL, so this fault comes before all others.
        let (at, sentence) = (before.bytes.len(), "a fragment is not part of a URL");
        return Err(Fault::new(Component::Fragment, at, sentence));
    }
    let (name, Some(rest)) = url.split_once(b':') else {
        return Err(url.fault(Component::Scheme, "a URL begins with a scheme and a colon"));
    };
    name.needed(Component::Scheme, "the scheme is empty")?;
    let sentence = "a scheme consists of letters, digits, `+`, `-` and `.`";
    name.consists_of(&SCHEME, Component::Scheme, sentence)?;
    let is_named = |scheme: &&SchemeSyntax| scheme.0.eq_ignore_ascii_case(name.bytes);
    let Some(&(_, form, check)) = SCHEMES.iter().find(is_named) else {
        return rest.check(Component::SchemePart, &XCHAR);
    };
    if form == SchemeLocation::None {
        return check(rest);
    }
    let Some(rest) = rest.strip_prefix(b"//") else {
        return Err(rest.fault(Component::Slashes, "two slashes follow the scheme"));
    };
    let slash = memchr::memchr(b'/', rest.bytes).unwrap_or(rest.bytes.len());
    let (location, rest) = rest.split_at(slash);
    check_location(form, location)?;
    check(rest)
}

/// Section 3.1.
fn check_location(form: SchemeLocation, location: ComponentText<'_>) -> Result<(), Fault> {
    if form == SchemeLocation::Host {
        let is_host = location.bytes.is_empty() || is_host(location.bytes);
        return location.require(is_host, Component::Host, HOST);
    }
    let host_port = match memchr::memrchr(b'@', location.bytes) {
        Some(index) => {
            let sentence = "this scheme allows no user name or password";
            location.require(form == SchemeLocation::Login, Component::Login, sentence)?;
            check_login(location.split_at(index).0)?;
            location.split_at(index + 1).1
        }
        None => location,
    };
    let (host, port) = host_port.split_once(b':');
    check_host(host)?;
    let Some(port) = port else { return Ok(()) };
    port.needed(Component::Port, "the port is empty")?;
    let sentence = "a port consists of digits";
    port.consists_of(&ByteSet::DIGIT, Component::Port, sentence)
}

fn check_login(login: ComponentText<'_>) -> Result<(), Fault> {
    let (user, password) = login.split_once(b':');
    user.check(Component::Login, &LOGIN)?;
    password.map_or(Ok(()), |password| password.check(Component::Login, &LOGIN))
}

const HOST: &str = "a host is a name of letters, digits, hyphens and dots whose last label begins \
    with a letter, or four numbers";

fn check_host(host: ComponentText<'_>) -> Result<(), Fault> {
    host.require(is_host(host.bytes), Component::Host, HOST)
}

/// Section 3.2.2.
fn ftp(rest: ComponentText<'_>) -> Result<(), Fault> {
    let (path, typed) = rest.split_once(b';');
    path.check(Component::Path, &SEGMENTS)?;
    let Some(typed) = typed else { return Ok(()) };
    let Some(code) = typed.strip_prefix(b"type=") else {
        return Err(typed.fault(Component::Path, "only `type=` can follow a semicolon"));
    };
    let is_code = matches!(code.bytes, b"A" | b"I" | b"D" | b"a" | b"i" | b"d");
    let sentence = "the type code is one of `a`, `i` and `d`";
    code.require(is_code, Component::Typecode, sentence)
}

/// Section 3.10.
fn file(rest: ComponentText<'_>) -> Result<(), Fault> {
    require_slash(rest, Component::Path)?.check(Component::Path, &SEGMENTS)
}

/// Section 3.3.
fn http(rest: ComponentText<'_>) -> Result<(), Fault> {
    let (path, search) = rest.split_once(b'?');
    path.check(Component::Path, &SEARCH.with(b"/"))?;
    search.map_or(Ok(()), |search| search.check(Component::Search, &SEARCH))
}

/// Section 3.4: item type, selector, search string and Gopher+ string, divided by `%09`.
fn gopher(rest: ComponentText<'_>) -> Result<(), Fault> {
    rest.check(Component::Path, &XCHAR)?;
    let is_break = |triplet: &[u8]| matches!(triplet, b"%0A" | b"%0a" | b"%0D" | b"%0d");
    let Some(index) = rest.bytes.windows(3).position(is_break) else {
        return Ok(());
    };
    let sentence = "a selector holds no encoded line break";
    Err(Fault::new(Component::Path, rest.at + index, sentence))
}

/// Section 3.5.
fn mailto(rest: ComponentText<'_>) -> Result<(), Fault> {
    rest.needed(Component::Address, "the address is empty")?;
    rest.check(Component::Address, &XCHAR)
}

/// Section 3.6.
fn news(rest: ComponentText<'_>) -> Result<(), Fault> {
    match rest.split_once(b'@') {
        _ if rest.bytes == b"*" => Ok(()),
        (article, Some(host)) => {
            let sentence = "the article has no name before its host";
            article.needed(Component::Article, sentence)?;
            article.check(Component::Article, &ARTICLE)?;
            check_host(host)
        }
        (group, None) => check_group(group),
    }
}

fn check_group(group: ComponentText<'_>) -> Result<(), Fault> {
    let is_start = group.bytes.first().is_some_and(u8::is_ascii_alphabetic);
    let sentence = "the name of a newsgroup begins with a letter";
    group.require(is_start, Component::Group, sentence)?;
    let sentence = "the name of a newsgroup consists of letters, digits, `-`, `.`, `+` and `_`";
    group.consists_of(&GROUP, Component::Group, sentence)
}

/// Section 3.7.
fn nntp(rest: ComponentText<'_>) -> Result<(), Fault> {
    let (group, number) = require_slash(rest, Component::Group)?.split_once(b'/');
    check_group(group)?;
    let Some(number) = number else { return Ok(()) };
    let sentence = "the number of the article is missing";
    number.needed(Component::Article, sentence)?;
    let sentence = "an article is given by its number";
    number.consists_of(&ByteSet::DIGIT, Component::Article, sentence)
}

/// Section 3.8.
fn telnet(rest: ComponentText<'_>) -> Result<(), Fault> {
    let after = rest.strip_prefix(b"/").unwrap_or(rest.split_at(0).0);
    let sentence = "nothing can follow the slash";
    after.require(after.bytes.is_empty(), Component::Path, sentence)
}

/// Section 3.9.
fn wais(rest: ComponentText<'_>) -> Result<(), Fault> {
    let rest = require_slash(rest, Component::Path)?;
    if let (database, Some(search)) = rest.split_once(b'?') {
        database.check(Component::Path, &UCHAR)?;
        return search.check(Component::Search, &SEARCH);
    }
    let slashes = memchr::memchr_iter(b'/', rest.bytes).count();
    let sentence = "a document has a database, a type and a path, a database nothing else";
    rest.require(matches!(slashes, 0 | 2), Component::Path, sentence)?;
    rest.check(Component::Path, &UCHAR.with(b"/"))
}

/// Section 3.11.
fn prospero(rest: ComponentText<'_>) -> Result<(), Fault> {
    let (path, mut fields) = require_slash(rest, Component::Path)?.split_once(b';');
    path.check(Component::Path, &SEGMENTS)?;
    while let Some(some) = fields {
        let (field, others) = some.split_once(b';');
        let (name, Some(value)) = field.split_once(b'=') else {
            return Err(field.fault(Component::Field, "a field has a name, `=` and a value"));
        };
        for piece in [name, value] {
            piece.check(Component::Field, &UCHAR.with(b"?:@&"))?;
        }
        fields = others;
    }
    Ok(())
}

fn require_slash(rest: ComponentText<'_>, of: Component) -> Result<ComponentText<'_>, Fault> {
    let after = rest.strip_prefix(b"/");
    after.ok_or_else(|| rest.fault(of, "a slash follows the host"))
}

/// A hostname of section 5, without its case.
static HOST_NAME: Pattern =
    Pattern::new(r"(?i)^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?$");
/// `IPv4address = 1*digit "." 1*digit "." 1*digit "." 1*digit` (RFC 2396 section 3.2.2)
pub(super) static ADDRESS: Pattern = Pattern::new(r"^[0-9]+(?:\.[0-9]+){3}$");

/// Section 5: `host = hostname | hostnumber`; RFC 2396 section 3.2.2 only adds a dot at the end.
pub(super) fn is_host(host: &[u8]) -> bool {
    HOST_NAME.is_match(host) || ADDRESS.is_match(host)
}
