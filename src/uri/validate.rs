//! Validates by RFC 2396 Appendix A, RFC 3986 Appendix A, and the failures of the WHATWG URL
//! standard.

use std::net::Ipv6Addr;

use super::error::{Component, ComponentText, Fault, ResolveErrorKind};
use super::percent::UNRESERVED;
use super::reference::{Ends, SCHEME};
use super::resolve::Resolver;
use super::rules::Rules;
use super::scheme::{self, ADDRESS, is_host};
use crate::bytes::class::{ByteSet, run_end, split_once};
use crate::bytes::pattern::Pattern;

/// The grammar by which a reference is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Grammar {
    /// RFC 1738: the syntax of the URL's scheme.
    Rfc1738,
    /// RFC 1808 section 2: six components, and nothing is invalid.
    Rfc1808,
    /// RFC 2396 Appendix A.
    Rfc2396,
    /// RFC 3986 Appendix A.
    Rfc3986,
    // It rejects only what does not parse.
    /// The WHATWG URL standard.
    Whatwg,
}

/// Validates a reference.
///
/// RFC 2396 Appendix A cannot derive all that the algorithm of its section 5.2 resolves: `?y` and
/// `dav:` are invalid, while `dav:?y` is valid, with the opaque part `?y`.
///
/// ```
/// use uriscan::{Component, Grammar, validate};
///
/// assert!(validate(b"../b?c#d", Grammar::Rfc3986).is_ok());
/// let fault = validate(b"/a b", Grammar::Rfc3986).unwrap_err();
/// assert_eq!((fault.component(), fault.at()), (Component::Path, 2));
/// ```
///
/// # Errors
///
/// The leftmost fault, with its offset in bytes.
pub fn validate(reference: &[u8], grammar: Grammar) -> Result<(), Fault> {
    match grammar {
        Grammar::Rfc1738 => scheme::validate(reference),
        Grammar::Rfc1808 => Ok(()),
        Grammar::Rfc2396 => generic(reference, &RFC2396),
        Grammar::Rfc3986 => generic(reference, &RFC3986),
        Grammar::Whatwg => whatwg(reference),
    }
}

/// The differences between the grammars of RFC 2396 and RFC 3986.
struct Generic {
    authority: fn(ComponentText<'_>) -> Result<(), Fault>,
    path: ByteSet,
    /// The path of a URI if it does not begin with a slash.
    opaque: ByteSet,
    query: ByteSet,
    /// Whether a scheme alone or a query alone is invalid, as by RFC 2396 Appendix A.
    /// After a scheme, `?` begins an `opaque_part`: `uric_no_slash` holds it.
    needs_path: bool,
}

/// RFC 2396 section 2.3: `unreserved = alphanum | mark`.
const UNRESERVED_2396: ByteSet = ByteSet::ALPHANUMERIC.with(b"-_.!~*'()");
/// RFC 2396 section 2.2.
const URIC: ByteSet = UNRESERVED_2396.with(b";/?:@&=+$,");
/// RFC 2396 section 3.2.1.
const REG_NAME_2396: ByteSet = UNRESERVED_2396.with(b"$,;:@&=+");

const RFC2396: Generic = Generic {
    // Section 3.2: an authority is a server or a `reg_name`, and any server is a `reg_name` by its
    // characters.
    authority: |authority| authority.check(Component::Authority, &REG_NAME_2396),
    path: UNRESERVED_2396.with(b":@&=+$,;/"),
    opaque: URIC,
    query: URIC,
    needs_path: true,
};

/// RFC 3986 section 2.2: `unreserved / sub-delims`.
const NAME: ByteSet = UNRESERVED.with(b"!$&'()*+,;=");
/// RFC 3986 section 3.3: `pchar` and the slash.
const PATH: ByteSet = NAME.with(b":@/");

const RFC3986: Generic = Generic {
    authority: authority_3986,
    path: PATH,
    opaque: PATH,
    query: PATH.with(b"?"),
    needs_path: false,
};

fn generic(reference: &[u8], grammar: &Generic) -> Result<(), Fault> {
    let ends = Ends::of(reference);
    let (scheme, rest) = ComponentText::new(reference).split_at(ends.scheme);
    let (authority, rest) = rest.split_at(ends.authority - ends.scheme);
    let (path, rest) = rest.split_at(ends.path - ends.authority);
    let (query, fragment) = rest.split_at(ends.query - ends.path);
    if let [name @ .., b':'] = scheme.bytes {
        check_scheme(ComponentText { bytes: name, at: 0 })?;
    }
    if let Some(authority) = authority.strip_prefix(b"//") {
        (grammar.authority)(authority)?;
    }
    match path.bytes {
        [] if grammar.needs_path
            && !ends.has_authority()
            && ends.has_scheme() != ends.has_query() =>
        {
            let sentence = "the path is empty, which the grammar cannot derive";
            return Err(path.fault(Component::Path, sentence));
        }
        [b':', ..] if !ends.has_scheme() => {
            let sentence = "the first segment of a relative path cannot hold a colon";
            return Err(path.fault(Component::Path, sentence));
        }
        [b'/', ..] | [] => path.check(Component::Path, &grammar.path)?,
        _ if ends.has_scheme() => path.check(Component::Path, &grammar.opaque)?,
        _ => path.check(Component::Path, &grammar.path)?,
    }
    for (piece, delimiter, component) in [
        (query, b"?", Component::Query),
        (fragment, b"#", Component::Fragment),
    ] {
        if let Some(piece) = piece.strip_prefix(delimiter) {
            piece.check(component, &grammar.query)?;
        }
    }
    Ok(())
}

/// `scheme = alpha *( alpha | digit | "+" | "-" | "." )`
fn check_scheme(name: ComponentText<'_>) -> Result<(), Fault> {
    let is_start = name.bytes.first().is_some_and(u8::is_ascii_alphabetic);
    name.require(is_start, Component::Scheme, "a scheme begins with a letter")?;
    let sentence = "a scheme consists of letters, digits, `+`, `-` and `.`";
    name.consists_of(&SCHEME, Component::Scheme, sentence)
}

/// RFC 3986 section 3.2.
fn authority_3986(authority: ComponentText<'_>) -> Result<(), Fault> {
    let component = Component::Authority;
    let (userinfo, host) = match memchr::memrchr(b'@', authority.bytes) {
        Some(index) => (authority.split_at(index).0, authority.split_at(index + 1).1),
        None => authority.split_at(0),
    };
    userinfo.check(component, &NAME.with(b":"))?;
    let port = match host.strip_prefix(b"[") {
        Some(literal) => {
            let (address, Some(port)) = literal.split_once(b']') else {
                return Err(host.fault(component, "the bracket is not closed"));
            };
            ip_literal(address)?;
            let sentence = "only a port can follow an address in brackets";
            port.require(matches!(port.bytes, [] | [b':', ..]), component, sentence)?;
            port
        }
        None => {
            let colon = memchr::memchr(b':', host.bytes).unwrap_or(host.bytes.len());
            let (name, port) = host.split_at(colon);
            name.check(component, &NAME)?;
            port
        }
    };
    port.strip_prefix(b":").map_or(Ok(()), |digits| {
        digits.consists_of(&ByteSet::DIGIT, component, "a port consists of digits")
    })
}

/// RFC 3986 section 3.2.2: `IPvFuture`.
static FUTURE: Pattern = Pattern::new(r"(?i)^v[0-9a-f]+\.[a-z0-9._~!$&'()*+,;=:-]+$");

/// RFC 3986 section 3.2.2: `IP-literal = "[" ( IPv6address / IPvFuture  ) "]"`.
fn ip_literal(address: ComponentText<'_>) -> Result<(), Fault> {
    let is_valid = match address.bytes {
        future @ [b'v' | b'V', ..] => FUTURE.is_match(future),
        bytes => str::from_utf8(bytes).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok()),
    };
    address.require(is_valid, Component::Authority, "not an IP address")
}

fn after(text: ComponentText<'_>, byte: u8) -> ComponentText<'_> {
    let end = memchr::memrchr(byte, text.bytes).map_or(0, |at| at + 1);
    text.split_at(end).1
}

/// Finds the failure of parsing without a base.
fn whatwg(reference: &[u8]) -> Result<(), Fault> {
    let Err(error) = Resolver::without_base(Rules::Whatwg).resolve_into(reference, &mut Vec::new())
    else {
        return Ok(());
    };
    let start = run_end(reference, 0, |byte| byte <= b' ');
    let input = ComponentText::new(reference).split_at(start).1;
    if error.kind() != ResolveErrorKind::InvalidReference {
        return Err(input.fault(Component::Base, "a relative reference needs a base"));
    }
    let after_scheme = input.split_once(b':').1.unwrap_or(input);
    let slashes = run_end(after_scheme.bytes, 0, |byte| matches!(byte, b'/' | b'\\'));
    let authority = after_scheme.split_at(slashes).1;
    let end = run_end(authority.bytes, 0, |byte| !b"/\\?#".contains(&byte));
    let authority = authority.split_at(end).0;
    let host = after(authority, b'@');
    if error.component() == Component::Port {
        let sentence = "a port is a number of at most 65535";
        return Err(after(host, b':').fault(Component::Port, sentence));
    }
    host.needed(Component::Host, "the host is missing")?;
    Err(host.fault(Component::Host, "not a host"))
}

named! {
    /// The kind of an authority by RFC 2396 section 3.2.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum AuthorityKind {
        /// An opaque part instead of an authority (section 3).
        Opaque = "opaque",
        /// An authority of no characters.
        Empty = "empty",
        /// A host, perhaps with user information and a port (section 3.2.2).
        Server = "server",
        /// A registry-based name (section 3.2.1).
        RegName = "reg_name",
    }
}

displayed_by_name!(AuthorityKind);

impl AuthorityKind {
    /// Returns the kind of a valid reference's authority, if it has one.
    #[must_use]
    pub fn of(reference: &[u8]) -> Option<Self> {
        let ends = Ends::of(reference);
        let authority = &reference[ends.scheme..ends.authority];
        match authority.strip_prefix(b"//") {
            Some([]) => Some(Self::Empty),
            Some(authority) if is_server(authority) => Some(Self::Server),
            Some(_) => Some(Self::RegName),
            None if ends.has_scheme() && !reference[ends.authority..].starts_with(b"/") => {
                Some(Self::Opaque)
            }
            None => None,
        }
    }
}

/// RFC 2396 section 3.2.2: `server = [ [ userinfo "@" ] hostport ]`.
fn is_server(authority: &[u8]) -> bool {
    let mut parts = authority.split(|&byte| byte == b'@');
    let hostport = parts.next_back().unwrap_or_default();
    let (host, port) = split_once(hostport, b':');
    let name = host
        .strip_suffix(b".")
        .filter(|host| !ADDRESS.is_match(host));
    let digits = port.unwrap_or_default();
    parts.count() < 2 && is_host(name.unwrap_or(host)) && digits.iter().all(u8::is_ascii_digit)
}
