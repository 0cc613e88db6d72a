//! The WHATWG URL standard, section 4.4, component by component.
//!
//! The states of the standard read one code point at a time; here the end of each component is
//! found first, and the component is appended whole, percent-encoded. Hosts that are addresses or
//! not ASCII are left to `url`.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, UTF_8};
use percent_encoding::percent_decode;
use url::Host;

use super::prepared::{Prepared, ReferenceKind, Resolution};
use crate::bytes::class::{ByteSet, run_end};
use crate::uri::error::{Component, ResolveError, ResolveErrorKind};
use crate::uri::percent;
use crate::uri::reference::scheme_length;

/// The special schemes and their default ports, section 4.2.
#[rustfmt::skip]
const SPECIAL: [(&[u8], Option<u16>); 6] = [
    (b"http:", Some(80)), (b"https:", Some(443)), (b"file:", None), (b"ftp:", Some(21)),
    (b"ws:", Some(80)), (b"wss:", Some(443)),
];

/// Appends the serialised target of a reference.
/// On an error `out` may hold a part of the target.
pub(super) fn resolve(
    base: Option<&Prepared>,
    encoding: &'static Encoding,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Resolution {
    let input = clean(reference);
    let input = &input[..];
    let scheme_end = scheme_length(input).map(|length| length + 1);
    let scheme = match (scheme_end, base) {
        (Some(end), _) => &input[..end],
        (None, Some(base)) => base.scheme(),
        (None, None) => return Err(ResolveErrorKind::NoBase.into()),
    };
    let mut specials = SPECIAL.iter();
    let special = specials.find(|(name, _)| name.eq_ignore_ascii_case(scheme));
    let mut target = TargetBuilder {
        encoding: match special {
            Some((b"ws:" | b"wss:", _)) => UTF_8,
            _ => encoding.output_encoding(),
        },
        is_special: special.is_some(),
        is_file: matches!(special, Some((b"file:", _))),
        default_port: special.and_then(|(_, port)| *port),
        path: out.len(),
        out,
    };
    match (scheme_end, base) {
        (Some(end), _) => target.absolute(base, scheme, &input[end..]),
        (None, Some(base)) if !base.is_hierarchical() => target.opaque_base(base, input),
        (None, Some(base)) if target.is_file => target.file(Some(base), input),
        (None, Some(base)) => target.relative(base, input),
        (None, None) => Err(ResolveErrorKind::NoBase.into()),
    }
}

/// Strips padding and repairs UTF-8.
fn clean(reference: &[u8]) -> Cow<'_, [u8]> {
    let input = strip(reference);
    if str::from_utf8(&input).is_ok() {
        return input;
    }
    Cow::Owned(String::from_utf8_lossy(&input).into_owned().into_bytes())
}

/// Strips spaces and controls at the ends.
#[inline]
pub(crate) fn trim(mut reference: &[u8]) -> &[u8] {
    while let [0..=b' ', rest @ ..] | [rest @ .., 0..=b' '] = reference {
        reference = rest;
    }
    reference
}

/// Strips spaces and controls at the ends, tabs and line breaks anywhere.
pub(crate) fn strip(reference: &[u8]) -> Cow<'_, [u8]> {
    let mut input = Cow::Borrowed(trim(reference));
    if memchr::memchr3(b'\t', b'\n', b'\r', &input).is_some() {
        let is_kept = |byte: &u8| !matches!(byte, b'\t' | b'\n' | b'\r');
        input.to_mut().retain(is_kept);
    }
    input
}

/// Returns the index of the first of these bytes, or the length.
fn end_of(text: &[u8], ends: &[u8]) -> usize {
    run_end(text, 0, |byte| !ends.contains(&byte))
}

/// Appends the components of a target.
struct TargetBuilder<'a> {
    out: &'a mut Vec<u8>,
    /// The index in `out` at which the path begins, once known.
    path: usize,
    is_special: bool,
    is_file: bool,
    default_port: Option<u16>,
    /// The encoding of the query.
    encoding: &'static Encoding,
}

impl TargetBuilder<'_> {
    /// The states after the scheme state.
    fn absolute(&mut self, base: Option<&Prepared>, scheme: &[u8], rest: &[u8]) -> Resolution {
        if self.is_file {
            return Ok(match self.file(base, rest)? {
                ReferenceKind::NetworkPath => ReferenceKind::Absolute,
                kind => kind,
            });
        }
        if self.is_special
            && !rest.starts_with(b"//")
            && let Some(base) = base.filter(|base| base.scheme().eq_ignore_ascii_case(scheme))
        {
            // The special relative or authority state.
            return self.relative(base, rest);
        }
        self.out.extend(scheme.iter().map(u8::to_ascii_lowercase));
        self.path = self.out.len();
        match rest {
            _ if self.is_special => self.authority(skip_slashes(rest))?,
            [b'/', b'/', rest @ ..] => self.authority(rest)?,
            [b'/', rest @ ..] => self.path(rest),
            _ => {
                self.opaque_path(rest);
                return Ok(ReferenceKind::Opaque);
            }
        }
        Ok(ReferenceKind::Absolute)
    }

    /// The no scheme state with a base that has an opaque path.
    fn opaque_base(&mut self, base: &Prepared, input: &[u8]) -> Resolution {
        if !input.starts_with(b"#") {
            return Err(ResolveErrorKind::UnsuitableBase.into());
        }
        self.out.extend_from_slice(base.document());
        self.tail(input);
        Ok(ReferenceKind::Fragment)
    }

    /// The relative and relative slash states.
    fn relative(&mut self, base: &Prepared, rest: &[u8]) -> Resolution {
        let is_slash = |byte| byte == b'/' || byte == b'\\' && self.is_special;
        match *rest {
            [] | [b'#', ..] => {
                self.out.extend_from_slice(base.document());
                self.tail(rest);
                let kinds = [ReferenceKind::Fragment, ReferenceKind::Empty];
                Ok(kinds[usize::from(rest.is_empty())])
            }
            [b'?', ..] => {
                self.out.extend_from_slice(&base.uri()[..base.ends.path]);
                self.tail(rest);
                Ok(ReferenceKind::Query)
            }
            [first, second, ..] if is_slash(first) && is_slash(second) => {
                self.out.extend_from_slice(base.scheme());
                let rest = &rest[2..];
                let is_special = self.is_special;
                self.authority(if is_special { skip_slashes(rest) } else { rest })?;
                Ok(ReferenceKind::NetworkPath)
            }
            [first, ..] if is_slash(first) => {
                self.out.extend_from_slice(base.root());
                self.path = self.out.len();
                self.path(&rest[1..]);
                Ok(ReferenceKind::AbsolutePath)
            }
            _ => {
                self.out.extend_from_slice(base.root());
                self.path = self.out.len();
                // The `/.` before a path of two slashes is serialised (section 4.5) but not part of
                // the path.
                let marked = base.path().strip_prefix(b"/.");
                let path = marked.filter(|_| !base.ends.has_authority());
                let path = path.filter(|path| path.starts_with(b"//"));
                self.out.extend_from_slice(path.unwrap_or(base.path()));
                self.shorten();
                self.path(rest);
                Ok(ReferenceKind::RelativePath)
            }
        }
    }

    /// The file and file slash states: the rest after `file:`, or a reference against a `file:` base.
    fn file(&mut self, base: Option<&Prepared>, rest: &[u8]) -> Resolution {
        let base = base.filter(|base| base.scheme() == b"file:");
        match (rest, base) {
            ([b'/' | b'\\', b'/' | b'\\', rest @ ..], _) => {
                self.file_host(rest)?;
                Ok(ReferenceKind::NetworkPath)
            }
            ([b'/' | b'\\', rest @ ..], _) => {
                self.file_root(base);
                if let Some(base) = base
                    && !starts_with_drive(rest)
                    && let [b'/', drive @ ..] = base.path()
                    && starts_with_drive(drive)
                {
                    self.out.extend_from_slice(&base.path()[..3]);
                }
                self.path(rest);
                Ok(base.map_or(ReferenceKind::Absolute, |_| ReferenceKind::AbsolutePath))
            }
            (_, Some(base)) if starts_with_drive(rest) => {
                self.file_root(Some(base));
                self.path(rest);
                Ok(ReferenceKind::AbsolutePath)
            }
            (_, Some(base)) => self.relative(base, rest),
            (_, None) => {
                self.file_root(None);
                self.path(rest);
                Ok(ReferenceKind::Absolute)
            }
        }
    }

    /// Appends the scheme and the host of the base, or no host.
    fn file_root(&mut self, base: Option<&Prepared>) {
        let root = base.map_or(&b"file://"[..], Prepared::root);
        self.out.extend_from_slice(root);
        self.path = self.out.len();
    }

    /// The file host state; `rest` begins after the two slashes.
    fn file_host(&mut self, rest: &[u8]) -> Result<(), ResolveError> {
        self.out.extend_from_slice(b"file://");
        let end = end_of(rest, b"/\\?#");
        let name = &rest[..end];
        let drive = is_drive(name);
        if !drive && !name.is_empty() {
            let at = self.out.len();
            push_domain(name, self.out).map_err(|_| ResolveError::invalid(Component::Host))?;
            if &self.out[at..] == b"localhost" {
                self.out.truncate(at);
            }
        }
        self.path = self.out.len();
        if drive {
            self.path(rest);
        } else {
            self.path_start(&rest[end..]);
        }
        Ok(())
    }

    /// The authority, host and port states, and the rest, which begins after the slashes.
    fn authority(&mut self, rest: &[u8]) -> Result<(), ResolveError> {
        let end = end_of(rest, if self.is_special { b"/\\?#" } else { b"/?#" });
        let (authority, rest) = rest.split_at(end);
        self.out.extend_from_slice(b"//");
        let host = match memchr::memrchr(b'@', authority) {
            Some(at) => {
                self.userinfo(&authority[..at]);
                &authority[at + 1..]
            }
            None => authority,
        };
        // The colons within an IPv6 address do not begin a port.
        let bracket = match host {
            [b'[', ..] => memchr::memrchr(b']', host).unwrap_or(host.len()),
            _ => 0,
        };
        let (name, port) = match memchr::memchr(b':', &host[bracket..]) {
            Some(at) => (&host[..bracket + at], Some(&host[bracket + at + 1..])),
            None => (host, None),
        };
        if name.is_empty() && (self.is_special || port.is_some() || host.len() < authority.len()) {
            return Err(ResolveError::invalid(Component::Host));
        }
        let pushed = match self.is_special {
            true => push_domain(name, self.out),
            false => push_opaque(name, self.out),
        };
        pushed.map_err(|_| ResolveError::invalid(Component::Host))?;
        self.port(port.unwrap_or_default())?;
        self.path = self.out.len();
        self.path_start(rest);
        Ok(())
    }

    fn userinfo(&mut self, userinfo: &[u8]) {
        let colon = memchr::memchr(b':', userinfo).unwrap_or(userinfo.len());
        let password = userinfo.get(colon + 1..).unwrap_or_default();
        percent::encode(&userinfo[..colon], &USERINFO, self.out);
        if !password.is_empty() {
            self.out.push(b':');
            percent::encode(password, &USERINFO, self.out);
        }
        if colon > 0 || !password.is_empty() {
            self.out.push(b'@');
        }
    }

    fn port(&mut self, digits: &[u8]) -> Result<(), ResolveError> {
        let add = |port: u16, &digit: &u8| {
            let digit = char::from(digit).to_digit(10)?;
            port.checked_mul(10)?.checked_add(digit as u16)
        };
        let port = digits.iter().try_fold(0, add);
        let port = port.ok_or(ResolveError::invalid(Component::Port))?;
        if !digits.is_empty() && self.default_port != Some(port) {
            self.out.extend_from_slice(format!(":{port}").as_bytes());
        }
        Ok(())
    }

    /// The path start state.
    fn path_start(&mut self, rest: &[u8]) {
        match rest {
            [b'/', rest @ ..] => self.path(rest),
            [b'\\', rest @ ..] | rest if self.is_special => self.path(rest),
            _ => self.tail(rest),
        }
    }

    /// The path state, and the rest, which begins after the slash.
    fn path(&mut self, rest: &[u8]) {
        let end = end_of(rest, b"?#");
        let is_special = self.is_special;
        let mut at = 0;
        for segment in rest[..end].split(|byte| *byte == b'/' || *byte == b'\\' && is_special) {
            at += segment.len() + 1;
            let is_last = at > end;
            match dots(segment) {
                Some(parents) => {
                    if parents == 1 {
                        self.shorten();
                    }
                    if is_last {
                        self.out.push(b'/');
                    }
                }
                None => {
                    let is_first = self.out.len() == self.path;
                    self.out.push(b'/');
                    if self.is_file && is_first && is_drive(segment) {
                        self.out.extend([segment[0], b':']);
                    } else {
                        percent::encode(segment, &PATH, self.out);
                    }
                }
            }
        }
        // Section 4.5: without a host, a path that begins with two slashes gets a dot segment
        // before it.
        if self.out[self.path..].starts_with(b"//") && self.out[..self.path].ends_with(b":") {
            self.out.splice(self.path..self.path, *b"/.");
        }
        self.tail(&rest[end..]);
    }

    /// Removes the last segment, unless it is a drive letter (section 4.2, "shorten").
    fn shorten(&mut self) {
        let path = &self.out[self.path..];
        if self.is_file && path.len() == 3 && is_drive(&path[1..]) {
            return;
        }
        let length = memchr::memrchr(b'/', path).unwrap_or(0);
        self.out.truncate(self.path + length);
    }

    /// The opaque path state, and the rest.
    fn opaque_path(&mut self, rest: &[u8]) {
        let end = end_of(rest, b"?#");
        match &rest[..end] {
            // Only a space that would be trimmed once query and fragment are removed is encoded.
            [path @ .., b' '] if end < rest.len() => {
                percent::encode(path, &CONTROL, self.out);
                self.out.extend_from_slice(b"%20");
            }
            path => percent::encode(path, &CONTROL, self.out),
        }
        self.tail(&rest[end..]);
    }

    /// The query and fragment states.
    fn tail(&mut self, rest: &[u8]) {
        let end = end_of(rest, b"#");
        if let Some(query) = rest[..end].strip_prefix(b"?") {
            self.out.push(b'?');
            if self.is_special {
                // The input is valid UTF-8 and cut at ASCII bytes.
                let query = str::from_utf8(query).unwrap_or_default();
                encode_in(self.encoding, query, &SPECIAL_QUERY, self.out);
            } else {
                percent::encode(query, &QUERY, self.out);
            }
        }
        if let [b'#', fragment @ ..] = &rest[end..] {
            self.out.push(b'#');
            percent::encode(fragment, &FRAGMENT, self.out);
        }
    }
}

fn skip_slashes(rest: &[u8]) -> &[u8] {
    &rest[run_end(rest, 0, |byte| matches!(byte, b'/' | b'\\'))..]
}

/// Returns 0 for a single-dot segment, 1 for a double-dot segment (section 4.1).
fn dots(segment: &[u8]) -> Option<u8> {
    match strip_dot(segment)? {
        [] => Some(0),
        rest => strip_dot(rest)?.is_empty().then_some(1),
    }
}

fn strip_dot(segment: &[u8]) -> Option<&[u8]> {
    match segment {
        [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Returns whether a segment is a Windows drive letter.
fn is_drive(segment: &[u8]) -> bool {
    matches!(segment, [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Returns whether text starts with a Windows drive letter.
fn starts_with_drive(text: &[u8]) -> bool {
    let end = end_of(text, b"/\\?#");
    is_drive(&text[..end])
}

/// The C0 control percent-encode set, section 1.3.
const CONTROL: ByteSet = ByteSet::EMPTY.with_range(0, 0x1F).with_range(0x7F, 0xFF);
/// The fragment percent-encode set.
const FRAGMENT: ByteSet = CONTROL.with(b" \"<>`");
/// The query percent-encode set.
const QUERY: ByteSet = CONTROL.with(b" \"#<>");
/// The special-query percent-encode set.
const SPECIAL_QUERY: ByteSet = QUERY.with(b"'");
/// The path percent-encode set.
const PATH: ByteSet = QUERY.with(b"?^`{}");
/// The userinfo percent-encode set.
const USERINFO: ByteSet = PATH.with(b"/:;=@[\\]|");

/// Appends text in another encoding: "percent-encode after encoding", section 1.3.
/// A character that the encoding lacks becomes an encoded numeric character reference.
fn encode_in(encoding: &'static Encoding, text: &str, set: &ByteSet, out: &mut Vec<u8>) {
    if encoding == UTF_8 || text.is_ascii() && encoding.is_ascii_compatible() {
        return percent::encode(text.as_bytes(), set, out);
    }
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    let mut encoded = [0; 1024];
    loop {
        let (result, read, written) =
            encoder.encode_from_utf8_without_replacement(rest, &mut encoded, true);
        percent::encode(&encoded[..written], set, out);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                out.extend_from_slice(format!("%26%23{}%3B", u32::from(character)).as_bytes());
            }
        }
    }
}

/// The forbidden host code points, section 3.2.
const FORBIDDEN: ByteSet = ByteSet::EMPTY.with(b"\0\t\n\r #/:<>?@[\\]^|");
/// The forbidden domain code points.
const FORBIDDEN_IN_DOMAIN: ByteSet = FORBIDDEN.with(b"%\x7F").with_range(0, 0x1F);

/// A host that does not parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidHost;

/// Appends the serialised host of a special URL: in lower case, with A-labels.
pub(crate) fn push_domain(host: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidHost> {
    if host.starts_with(b"[") {
        return push_parsed(host, out);
    }
    let domain: Cow<'_, [u8]> = percent_decode(host).into();
    let domain = &*domain;
    if !domain.is_ascii() || ends_in_number(domain) {
        return push_parsed(host, out);
    }
    // An ASCII domain is lowercased, even where its labels are invalid Punycode.
    if domain.is_empty() || FORBIDDEN_IN_DOMAIN.first_inside(domain).is_some() {
        return Err(InvalidHost);
    }
    out.extend(domain.iter().map(u8::to_ascii_lowercase));
    Ok(())
}

/// Appends the serialised host of any other URL.
fn push_opaque(host: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidHost> {
    if host.starts_with(b"[") {
        return push_parsed(host, out);
    }
    if FORBIDDEN.first_inside(host).is_some() {
        return Err(InvalidHost);
    }
    percent::encode(host, &CONTROL, out);
    Ok(())
}

/// Appends an address or a domain that is not ASCII, parsed by `url`.
fn push_parsed(host: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidHost> {
    let host = str::from_utf8(host).map_err(|_| InvalidHost)?;
    let host = Host::parse(host).map_err(|_| InvalidHost)?;
    out.extend_from_slice(host.to_string().as_bytes());
    Ok(())
}

/// The ends-in-a-number checker, section 3.5: such a domain must be an IPv4 address.
fn ends_in_number(domain: &[u8]) -> bool {
    let domain = domain.strip_suffix(b".").unwrap_or(domain);
    let mut labels = domain.rsplit(|&byte| byte == b'.');
    let label = labels.next().unwrap_or_default();
    match label {
        [b'0', b'x' | b'X', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        _ => !label.is_empty() && label.iter().all(u8::is_ascii_digit),
    }
}
