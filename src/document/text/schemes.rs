//! Schemes: a row for each that is known, and where one starts before a colon (T1 to T8).

use super::view::{TextView, is_scheme_byte};
use crate::document::flags::Flags;

/// The continuation of a scheme's URIs behind the colon.
#[derive(Clone, Copy, Debug)]
pub enum SchemeForm {
    /// `//` and an Internet host: http, https, ftp, ftps, ws, wss.
    Special,
    /// `//`.
    Slashes,
    /// `//`, or else this shape (T7).
    NoSlash(SchemeShape),
}

/// A known scheme.
#[derive(Clone, Copy, Debug)]
pub struct TextScheme {
    /// The name in lower case.
    pub name: &'static str,
    /// The continuation behind the colon.
    pub form: SchemeForm,
}

const fn special(name: &'static str) -> TextScheme {
    let form = SchemeForm::Special;
    TextScheme { name, form }
}

const fn known(name: &'static str) -> TextScheme {
    let form = SchemeForm::Slashes;
    TextScheme { name, form }
}

const fn no_slash(name: &'static str, shape: SchemeShape) -> TextScheme {
    let form = SchemeForm::NoSlash(shape);
    TextScheme { name, form }
}

/// Every known scheme, by name: IANA's permanent ones and common unofficial ones.
pub(crate) const SCHEMES: &[TextScheme] = &[
    known("aaa"),
    known("aaas"),
    known("about"),
    known("acap"),
    no_slash("acct", has_at_sign),
    known("amqp"),
    no_slash("bitcoin", is_bitcoin),
    known("cap"),
    known("chrome-extension"),
    no_slash("cid", has_at_sign),
    known("coap"),
    known("coap+tcp"),
    known("coap+ws"),
    known("coaps"),
    known("coaps+tcp"),
    known("coaps+ws"),
    known("crid"),
    no_slash("data", is_data),
    known("dav"),
    known("dict"),
    no_slash("did", is_did),
    known("dns"),
    no_slash("doi", is_doi),
    known("dtn"),
    known("example"),
    no_slash("file", is_path),
    special("ftp"),
    special("ftps"),
    known("gemini"),
    no_slash("geo", is_coordinates),
    known("git"),
    known("git+ssh"),
    known("go"),
    known("gopher"),
    known("gs"),
    known("h323"),
    known("hdfs"),
    special("http"),
    special("https"),
    known("iax"),
    known("icap"),
    known("im"),
    known("imap"),
    known("info"),
    known("ipn"),
    known("ipp"),
    known("ipps"),
    known("irc"),
    known("ircs"),
    known("iris"),
    known("iris.beep"),
    known("iris.lwz"),
    known("iris.xpc"),
    known("iris.xpcs"),
    known("jabber"),
    known("ldap"),
    known("ldaps"),
    known("leaptofrogans"),
    no_slash("magnet", is_query),
    no_slash("mailto", is_mailbox),
    no_slash("matrix", is_matrix),
    no_slash("mid", has_at_sign),
    known("mongodb"),
    known("moz-extension"),
    known("mqtt"),
    known("ms-settings"),
    known("msrp"),
    known("msrps"),
    known("mt"),
    known("mtqp"),
    known("mupdate"),
    known("mysql"),
    no_slash("news", is_news),
    known("nfs"),
    known("ni"),
    known("nih"),
    known("nntp"),
    known("opaquelocktoken"),
    known("pkcs11"),
    known("pop"),
    known("postgres"),
    known("postgresql"),
    known("pres"),
    known("redis"),
    known("reload"),
    known("rsync"),
    known("rtsp"),
    known("rtsps"),
    known("rtspu"),
    known("s3"),
    known("service"),
    known("session"),
    known("sftp"),
    known("shttp"),
    known("sieve"),
    no_slash("sip", is_host_or_mailbox),
    no_slash("sips", is_host_or_mailbox),
    known("slack"),
    known("smb"),
    no_slash("sms", is_number),
    known("snews"),
    known("snmp"),
    known("soap.beep"),
    known("soap.beeps"),
    known("spotify"),
    known("ssh"),
    known("steam"),
    known("stun"),
    known("stuns"),
    known("svn"),
    known("svn+ssh"),
    no_slash("tag", is_tag),
    no_slash("tel", is_number),
    known("telnet"),
    known("tftp"),
    known("thismessage"),
    known("tip"),
    known("tn3270"),
    known("turn"),
    known("turns"),
    known("tv"),
    no_slash("urn", is_urn),
    known("vemmi"),
    known("view-source"),
    known("vnc"),
    known("webcal"),
    special("ws"),
    special("wss"),
    known("xcon"),
    known("xcon-userid"),
    known("xmlrpc.beep"),
    known("xmlrpc.beeps"),
    no_slash("xmpp", is_host_or_mailbox),
    known("z39.50r"),
    known("z39.50s"),
];

impl TextScheme {
    /// The length of the longest name, in bytes.
    pub(crate) const LONGEST: usize = 16;

    /// Returns the known scheme of a name in any case.
    ///
    /// ```
    /// use uriscan::document::text::schemes::TextScheme;
    /// assert_eq!(TextScheme::named(b"MailTo").unwrap().name, "mailto");
    /// assert!(TextScheme::named(b"note").is_none());
    /// ```
    pub fn named(name: &[u8]) -> Option<&'static TextScheme> {
        match name {
            [b'h' | b'H', b't' | b'T', b't' | b'T', b'p' | b'P'] => return Some(&SCHEMES[HTTP]),
            [
                b'h' | b'H',
                b't' | b'T',
                b't' | b'T',
                b'p' | b'P',
                b's' | b'S',
            ] => {
                return Some(&SCHEMES[HTTP + 1]);
            }
            _ if name.len() > Self::LONGEST => return None,
            _ => {}
        }
        // The rows of a first letter stand together, and a name is compared as one number.
        let letter = name.first()?.to_ascii_lowercase().checked_sub(b'a')? as usize;
        let (&start, &end) = (FIRST.get(letter)?, FIRST.get(letter + 1)?);
        let key = key(name);
        let row = KEYS[start..end].iter().position(|&other| other == key)?;
        Some(&SCHEMES[start + row])
    }

    /// Returns whether the scheme is http, https, ftp, ftps, ws or wss.
    pub(crate) fn is_special(&self) -> bool {
        matches!(self.form, SchemeForm::Special)
    }
}

/// Returns a name in lower case as a number.
const fn key(name: &[u8]) -> u128 {
    let mut key = 0;
    let mut n = name.len();
    while n > 0 {
        n -= 1;
        key = key << 8 | name[n].to_ascii_lowercase() as u128;
    }
    key
}

static KEYS: [u128; SCHEMES.len()] = {
    let mut keys = [0; SCHEMES.len()];
    let mut n = 0;
    while n < keys.len() {
        keys[n] = key(SCHEMES[n].name.as_bytes());
        n += 1;
    }
    keys
};

/// The index of http's row; that of https follows.
const HTTP: usize = {
    let mut n = 0;
    while key(SCHEMES[n].name.as_bytes()) != key(b"http") {
        n += 1;
    }
    n
};

/// The index, for each letter, of the first row whose name starts with that letter or a later one.
static FIRST: [usize; 27] = {
    let mut first = [SCHEMES.len(); 27];
    let mut n = SCHEMES.len();
    while n > 0 {
        n -= 1;
        let mut letter = 0;
        while letter <= SCHEMES[n].name.as_bytes()[0] - b'a' {
            first[letter as usize] = n;
            letter += 1;
        }
    }
    first
};

/// T1: the longest run of scheme bytes that is no blob.
pub(super) const LONGEST_RUN: usize = 64;

/// A scheme in front of a colon.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemeStart {
    /// The index of the scheme's first byte.
    pub(super) at: usize,
    /// The index of the colon.
    pub(super) colon: usize,
    /// The scheme's row, unless it is compound or unknown.
    pub(super) scheme: Option<&'static TextScheme>,
    /// `//` follows the colon.
    pub(super) slashes: bool,
    /// `glued` or `unknown-scheme`.
    pub(super) flags: Flags,
}

impl SchemeStart {
    /// Returns the scheme before the colon at an index.
    pub(super) fn before(view: &TextView<'_>, colon: usize) -> Option<SchemeStart> {
        let run = run_start(view, colon);
        let name = &view.bytes[run..colon];
        // T1
        let first = *name.first()?;
        let slashes = view.at(colon + 1) == Some(b'/') && view.at(colon + 2) == Some(b'/');
        let start = |n: usize, scheme, flags| SchemeStart {
            at: run + n,
            colon,
            scheme,
            slashes,
            flags,
        };
        let blob = name.len() == LONGEST_RUN
            && run > view.floor
            && view.before(run).is_some_and(is_scheme_byte);
        // T2
        if !blob && let Some(scheme) = TextScheme::named(name) {
            return Some(start(0, Some(scheme), Flags::NONE));
        }
        // T3: `git+https://`
        if slashes
            && let Some(plus) = memchr::memrchr(b'+', name)
            && TextScheme::named(&name[plus + 1..]).is_some()
        {
            let letter = name.iter().position(u8::is_ascii_alphabetic)?;
            return Some(start(
                letter,
                TextScheme::named(&name[letter..]),
                Flags::NONE,
            ));
        }
        // T4: `sentence.https://`, `2https://`
        if let Some(tail) = known_tail(name) {
            let glued = match name[tail - 1].is_ascii_digit() {
                true => Flags::GLUED,
                false => Flags::NONE,
            };
            return Some(start(tail, TextScheme::named(&name[tail..]), glued));
        }
        if !slashes {
            return None;
        }
        // T5: `linkhttps://`
        for scheme in [&b"https"[..], b"http"] {
            if let Some(tail) = name.len().checked_sub(scheme.len())
                && name[tail..].eq_ignore_ascii_case(scheme)
            {
                return Some(start(tail, TextScheme::named(scheme), Flags::GLUED));
            }
        }
        // T6
        if blob {
            return None;
        }
        let mut skipped = 0;
        if !first.is_ascii_alphanumeric() {
            skipped = name.iter().position(u8::is_ascii_alphanumeric)?;
        }
        let accepted = name[skipped].is_ascii_alphabetic() && name.len() - skipped >= 2;
        accepted.then(|| start(skipped, None, Flags::UNKNOWN_SCHEME))
    }

    /// Returns whether the scheme has an Internet host.
    pub(super) fn is_special(&self) -> bool {
        self.scheme.is_some_and(TextScheme::is_special)
    }

    /// Returns whether the scheme is file, whose authority may be empty.
    pub(super) fn is_file(&self) -> bool {
        self.scheme.is_some_and(|scheme| scheme.name == "file")
    }

    /// T7: returns the shape that the text behind the colon must have without `//`.
    pub(super) fn shape(&self) -> Option<SchemeShape> {
        match self.scheme?.form {
            SchemeForm::NoSlash(shape) => Some(shape),
            _ => None,
        }
    }
}

/// Returns the start of the run of scheme bytes before an index, at most 64 bytes back.
pub(super) fn run_start(view: &TextView<'_>, end: usize) -> usize {
    let least = view.floor.max(end.saturating_sub(LONGEST_RUN));
    let run = view.bytes[least..end].iter().rev();
    end - run.take_while(|&&byte| is_scheme_byte(byte)).count()
}

/// T4: returns the start of the longest known scheme at the end of a run.
fn known_tail(name: &[u8]) -> Option<usize> {
    let least = name.len().saturating_sub(TextScheme::LONGEST).max(1);
    (least..name.len()).find(|&at| {
        let joint = matches!(name[at - 1], b'.' | b'-' | b'0'..=b'9');
        joint && TextScheme::named(&name[at..]).is_some()
    })
}

/// Returns whether the text behind a scheme's colon has the scheme's shape.
pub type SchemeShape = fn(&[u8]) -> bool;

/// Returns the length of the run of bytes for which `holds` is true.
fn run(text: &[u8], holds: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&byte| holds(byte)).count()
}

fn digits(text: &[u8]) -> usize {
    run(text, |byte| byte.is_ascii_digit())
}

fn holds(text: &[u8], any: &[u8]) -> bool {
    text.iter().any(|byte| any.contains(byte))
}

/// `x@y` or `?...`
fn is_mailbox(text: &[u8]) -> bool {
    let between = |at: usize| at > 0 && at + 1 < text.len();
    (text.len() > 1 && text[0] == b'?') || memchr::memchr(b'@', text).is_some_and(between)
}

/// A newsgroup, a message identifier, or `*`.
fn is_news(text: &[u8]) -> bool {
    holds(text, b".@*")
}

/// At least three digits.
fn is_number(text: &[u8]) -> bool {
    text.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3
}

/// `nid:nss` (RFC 2141)
fn is_urn(text: &[u8]) -> bool {
    let nid = run(text, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (1..=32).contains(&nid)
        && text[0] != b'-'
        && text.get(nid) == Some(&b':')
        && text.len() > nid + 1
}

/// `type/subtype`, then `;` or `,` (RFC 2397)
fn is_data(text: &[u8]) -> bool {
    let name = |text: &[u8]| {
        run(text, |byte| {
            byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte)
        })
    };
    let kind = name(text);
    if kind == 0 || text.get(kind) != Some(&b'/') {
        return false;
    }
    let subtype = name(&text[kind + 1..]);
    subtype > 0 && matches!(text.get(kind + 1 + subtype), Some(b';' | b','))
}

/// `?...`
fn is_query(text: &[u8]) -> bool {
    text.first() == Some(&b'?')
}

/// `10.n/...`
fn is_doi(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"10.") else {
        return false;
    };
    let registrant = run(rest, |byte| byte.is_ascii_digit() || byte == b'.');
    digits(rest) > 0 && rest.get(registrant) == Some(&b'/') && rest.len() > registrant + 1
}

/// `@` (RFC 2392, RFC 7565)
fn has_at_sign(text: &[u8]) -> bool {
    holds(text, b"@")
}

/// `n,n` (RFC 5870)
fn is_coordinates(text: &[u8]) -> bool {
    let decimal = |text: &[u8]| {
        let sign = usize::from(text.first() == Some(&b'-'));
        let point = sign + digits(&text[sign..]);
        let fraction = match text.get(point) {
            Some(b'.') => digits(&text[point + 1..]),
            _ => 0,
        };
        match (point > sign, fraction) {
            (false, _) => 0,
            (true, 0) => point,
            (true, fraction) => point + 1 + fraction,
        }
    };
    let latitude = decimal(text);
    latitude > 0 && text.get(latitude) == Some(&b',') && decimal(&text[latitude + 1..]) > 0
}

/// A host or a mailbox: `.` or `@`.
fn is_host_or_mailbox(text: &[u8]) -> bool {
    holds(text, b".@")
}

/// `/...`
fn is_path(text: &[u8]) -> bool {
    text.first() == Some(&b'/')
}

/// `authority,year:` (RFC 4151)
fn is_tag(text: &[u8]) -> bool {
    let authority = run(text, |byte| !matches!(byte, b',' | b':' | b'/'));
    let Some(date) = text[authority..].strip_prefix(b",") else {
        return false;
    };
    let length = run(date, |byte| byte.is_ascii_digit() || byte == b'-');
    let mut parts = date[..length].split(|&byte| byte == b'-').map(<[u8]>::len);
    let is_date = parts.next() == Some(4) && parts.clone().count() <= 2 && parts.all(|n| n == 2);
    authority > 0 && is_date && date.get(length) == Some(&b':')
}

/// `method:`
fn is_did(text: &[u8]) -> bool {
    let method = run(text, |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit()
    });
    method > 0 && text.get(method) == Some(&b':')
}

/// At least 26 letters and digits.
fn is_bitcoin(text: &[u8]) -> bool {
    text.len() >= 26 && text[..26].iter().all(u8::is_ascii_alphanumeric)
}

/// `u/ r/ roomid/ e/`
fn is_matrix(text: &[u8]) -> bool {
    [&b"u/"[..], b"r/", b"roomid/", b"e/"]
        .iter()
        .any(|kind| text.starts_with(kind))
}

/// Returns whether a string is wholly an absolute URI: a known scheme with what it needs behind its colon,
/// or any scheme with an authority.
#[cfg(feature = "documents")]
pub(in crate::document) fn is_whole_uri(text: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', text) else {
        return false;
    };
    let (scheme, rest) = (&text[..colon], &text[colon + 1..]);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    let is_outside = |byte: &u8| *byte <= b' ' || *byte == 0x7F || b"<>\"".contains(byte);
    if !is_scheme || text.iter().any(is_outside) {
        return false;
    }
    let authority = rest.strip_prefix(b"//");
    let has_host =
        authority.is_some_and(|authority| !matches!(authority.first(), None | Some(b'/')));
    match TextScheme::named(scheme).map(|scheme| scheme.form) {
        Some(SchemeForm::Special) => has_host,
        Some(SchemeForm::Slashes) => authority.is_some_and(|rest| !rest.is_empty()),
        Some(SchemeForm::NoSlash(shape)) => has_host || shape(rest),
        None => scheme.len() > 1 && has_host,
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/text/schemes.rs"]
mod tests;
