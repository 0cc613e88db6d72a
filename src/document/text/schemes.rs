//! Schemes: the forms of those that are known, and where one starts before a colon (T1 to T8).

use super::view::{TextView, is_scheme_byte};
use crate::document::flags::Flags;

/// The continuation of a known scheme's URIs after the colon.
#[derive(Clone, Copy, Debug)]
pub enum SchemeForm {
    /// `//` and an Internet host: http, https, ftp, ftps, ws, wss.
    Special,
    /// `//`.
    Slashes,
    /// `//`, where the authority may be empty, or else `/`.
    File,
    /// `//`, or else this shape (T7).
    NoSlash(SchemeShape),
}

impl SchemeForm {
    const LONGEST: usize = 16;

    /// Returns the form of a known scheme, whose name is in any case: IANA's permanent ones and common
    /// unofficial ones.
    ///
    /// ```
    /// use uriscan::document::text::schemes::SchemeForm;
    /// assert!(SchemeForm::named(b"Http").unwrap().is_special());
    /// assert!(SchemeForm::named(b"note").is_none());
    /// ```
    pub fn named(name: &[u8]) -> Option<SchemeForm> {
        let mut lower = [0; Self::LONGEST];
        lower.get_mut(..name.len())?.copy_from_slice(name);
        lower.make_ascii_lowercase();
        Some(match &lower[..name.len()] {
            b"ftp" | b"ftps" | b"http" | b"https" | b"ws" | b"wss" => SchemeForm::Special,
            b"aaa" | b"aaas" | b"about" | b"acap" | b"amqp" | b"cap" | b"chrome-extension"
            | b"coap" | b"coap+tcp" | b"coap+ws" | b"coaps" | b"coaps+tcp" | b"coaps+ws"
            | b"crid" | b"dav" | b"dict" | b"dns" | b"dtn" | b"example" | b"gemini" | b"git"
            | b"git+ssh" | b"go" | b"gopher" | b"gs" | b"h323" | b"hdfs" | b"iax" | b"icap"
            | b"im" | b"imap" | b"info" | b"ipn" | b"ipp" | b"ipps" | b"irc" | b"ircs"
            | b"iris" | b"iris.beep" | b"iris.lwz" | b"iris.xpc" | b"iris.xpcs" | b"jabber"
            | b"ldap" | b"ldaps" | b"leaptofrogans" | b"mongodb" | b"moz-extension" | b"mqtt"
            | b"ms-settings" | b"msrp" | b"msrps" | b"mt" | b"mtqp" | b"mupdate" | b"mysql"
            | b"nfs" | b"ni" | b"nih" | b"nntp" | b"opaquelocktoken" | b"pkcs11" | b"pop"
            | b"postgres" | b"postgresql" | b"pres" | b"redis" | b"reload" | b"rsync" | b"rtsp"
            | b"rtsps" | b"rtspu" | b"s3" | b"service" | b"session" | b"sftp" | b"shttp"
            | b"sieve" | b"slack" | b"smb" | b"snews" | b"snmp" | b"soap.beep" | b"soap.beeps"
            | b"spotify" | b"ssh" | b"steam" | b"stun" | b"stuns" | b"svn" | b"svn+ssh"
            | b"telnet" | b"tftp" | b"thismessage" | b"tip" | b"tn3270" | b"turn" | b"turns"
            | b"tv" | b"vemmi" | b"view-source" | b"vnc" | b"webcal" | b"xcon" | b"xcon-userid"
            | b"xmlrpc.beep" | b"xmlrpc.beeps" | b"z39.50r" | b"z39.50s" => SchemeForm::Slashes,
            b"file" => SchemeForm::File,
            b"acct" | b"cid" | b"mid" => SchemeForm::NoSlash(has_at_sign),
            b"bitcoin" => SchemeForm::NoSlash(is_bitcoin),
            b"data" => SchemeForm::NoSlash(is_data),
            b"did" => SchemeForm::NoSlash(is_did),
            b"doi" => SchemeForm::NoSlash(is_doi),
            b"geo" => SchemeForm::NoSlash(is_coordinates),
            b"magnet" => SchemeForm::NoSlash(is_query),
            b"mailto" => SchemeForm::NoSlash(is_mailbox),
            b"matrix" => SchemeForm::NoSlash(is_matrix),
            b"news" => SchemeForm::NoSlash(is_news),
            b"sip" | b"sips" | b"xmpp" => SchemeForm::NoSlash(is_host_or_mailbox),
            b"sms" | b"tel" => SchemeForm::NoSlash(is_number),
            b"tag" => SchemeForm::NoSlash(is_tag),
            b"urn" => SchemeForm::NoSlash(is_urn),
            _ => return None,
        })
    }

    /// Returns whether the scheme is http, https, ftp, ftps, ws or wss.
    pub fn is_special(self) -> bool {
        matches!(self, SchemeForm::Special)
    }

    /// T7: returns the shape that the text after the colon must have without `//`.
    fn shape(self) -> Option<SchemeShape> {
        match self {
            SchemeForm::Special | SchemeForm::Slashes => None,
            SchemeForm::File => Some(is_path),
            SchemeForm::NoSlash(shape) => Some(shape),
        }
    }

    /// Returns whether the text after the colon is in the form; `has_host`: it begins with `//` and a host.
    #[cfg(feature = "documents")]
    pub(in crate::document) fn admits(self, rest: &[u8], has_host: bool) -> bool {
        match self {
            SchemeForm::Special => has_host,
            SchemeForm::Slashes => rest
                .strip_prefix(b"//")
                .is_some_and(|rest| !rest.is_empty()),
            _ => has_host || self.shape().is_some_and(|shape| shape(rest)),
        }
    }
}

/// T1: the longest run of scheme bytes; longer ones are blobs.
pub(super) const LONGEST_RUN: usize = 64;

/// A scheme before a colon.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemeStart {
    pub(super) at: usize,
    pub(super) colon: usize,
    /// The form of the scheme, unless it is compound or unknown.
    pub(super) form: Option<SchemeForm>,
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
        let start = |n: usize, form, flags| SchemeStart {
            at: run + n,
            colon,
            form,
            slashes,
            flags,
        };
        let blob = name.len() == LONGEST_RUN
            && run > view.floor
            && view.before(run).is_some_and(is_scheme_byte);
        // T2
        if !blob && let Some(form) = SchemeForm::named(name) {
            return Some(start(0, Some(form), Flags::NONE));
        }
        // T3: `git+https://`
        if slashes
            && let Some(plus) = memchr::memrchr(b'+', name)
            && SchemeForm::named(&name[plus + 1..]).is_some()
        {
            let letter = name.iter().position(u8::is_ascii_alphabetic)?;
            let form = SchemeForm::named(&name[letter..]);
            return Some(start(letter, form, Flags::NONE));
        }
        // T4: `sentence.https://`, `2https://`
        if let Some(tail) = known_tail(name) {
            let glued = Flags::GLUED.when(name[tail - 1].is_ascii_digit());
            return Some(start(tail, SchemeForm::named(&name[tail..]), glued));
        }
        if !slashes {
            return None;
        }
        // T5: `linkhttps://`
        for scheme in [&b"https"[..], b"http"] {
            if let Some(tail) = name.len().checked_sub(scheme.len())
                && name[tail..].eq_ignore_ascii_case(scheme)
            {
                return Some(start(tail, SchemeForm::named(scheme), Flags::GLUED));
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

    pub(super) fn is_special(&self) -> bool {
        self.form.is_some_and(SchemeForm::is_special)
    }

    /// Returns whether the scheme is file, whose authority may be empty.
    pub(super) fn is_file(&self) -> bool {
        matches!(self.form, Some(SchemeForm::File))
    }

    /// T7: returns the shape that the text after the colon must have without `//`.
    pub(super) fn shape(&self) -> Option<SchemeShape> {
        self.form?.shape()
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
    let least = name.len().saturating_sub(SchemeForm::LONGEST).max(1);
    (least..name.len()).find(|&at| {
        let joint = matches!(name[at - 1], b'.' | b'-' | b'0'..=b'9');
        joint && SchemeForm::named(&name[at..]).is_some()
    })
}

/// Returns whether the text after a scheme's colon has the scheme's shape.
pub type SchemeShape = fn(&[u8]) -> bool;

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

/// Returns whether a string is wholly an absolute URI: a known scheme and the shape that it needs, or any
/// scheme with an authority.
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
    match SchemeForm::named(scheme) {
        Some(form) => form.admits(rest, has_host),
        None => scheme.len() > 1 && has_host,
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/text/schemes.rs"]
mod tests;
