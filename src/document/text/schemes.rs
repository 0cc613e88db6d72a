//! Schemes: the forms of those that are known, and where one starts before a colon (T1 to T8).

use super::view::{TextView, is_scheme_byte};
use crate::bytes::pattern::Pattern;
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
            other => SchemeForm::NoSlash(shape(other)?),
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
            SchemeForm::File => Some(|text| text.starts_with(b"/")),
            SchemeForm::NoSlash(shape) => Some(shape),
        }
    }

    /// Returns whether the text after the colon is in the form; `has_host`: it begins with `//` and a host.
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
    pub(super) fn before(view: &TextView, colon: usize) -> Option<SchemeStart> {
        let slashes = view.at(colon + 1) == Some(b'/') && view.at(colon + 2) == Some(b'/');
        let start_at = |at, form, flags| SchemeStart {
            at,
            colon,
            form,
            slashes,
            flags,
        };
        // Most references have one of these, as written.
        for name in [&b"http"[..], b"https"] {
            if let Some(before) = view.bytes[view.floor..colon].strip_suffix(name)
                && !before.last().is_some_and(|&byte| is_scheme_byte(byte))
            {
                let at = view.floor + before.len();
                return Some(start_at(at, Some(SchemeForm::Special), Flags::NONE));
            }
        }
        let run = run_start(view, colon);
        let name = &view.bytes[run..colon];
        // T1
        let first = *name.first()?;
        let start = |n, form, flags| start_at(run + n, form, flags);
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
pub(super) fn run_start(view: &TextView, end: usize) -> usize {
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

/// Returns the shape of a scheme that needs no `//`.
fn shape(scheme: &[u8]) -> Option<SchemeShape> {
    macro_rules! shape {
        ($pattern:literal) => {{
            static SHAPE: Pattern = Pattern::new($pattern);
            |text: &[u8]| SHAPE.is_match(text)
        }};
    }
    let shape: SchemeShape = match scheme {
        // RFC 2392, RFC 7565.
        b"acct" | b"cid" | b"mid" => shape!("@"),
        b"bitcoin" => shape!("^[0-9A-Za-z]{26}"),
        // `type/subtype`, then `;` or `,` (RFC 2397).
        b"data" => shape!("^[0-9A-Za-z!#$&^_.+-]+/[0-9A-Za-z!#$&^_.+-]+[;,]"),
        b"did" => shape!("^[0-9a-z]+:"),
        b"doi" => shape!(r"^10\.[0-9][0-9.]*/."),
        // Two coordinates (RFC 5870).
        b"geo" => shape!(r"^-?[0-9]+(?:\.[0-9]+)?,-?[0-9]"),
        b"magnet" => shape!(r"^\?"),
        b"mailto" => shape!(r"^(?:\?.|[^@]+@.)"),
        b"matrix" => shape!("^(?:u|r|roomid|e)/"),
        // A newsgroup, a message identifier, or `*`.
        b"news" => shape!("[.@*]"),
        // A host or a mailbox.
        b"sip" | b"sips" | b"xmpp" => shape!("[.@]"),
        b"sms" | b"tel" => shape!("(?:[0-9][^0-9]*){3}"),
        // `authority,year:` (RFC 4151).
        b"tag" => shape!("^[^,:/]+,[0-9]{4}(?:-[0-9]{2}){0,2}:"),
        // `nid:nss` (RFC 2141).
        b"urn" => shape!("^[0-9A-Za-z][0-9A-Za-z-]{0,31}:."),
        _ => return None,
    };
    Some(shape)
}

/// Returns whether a string is wholly an absolute URI: a known scheme and the shape that it needs, or any
/// scheme with an authority.
pub(crate) fn is_whole_uri(text: &[u8]) -> bool {
    let Some(length) = crate::uri::scheme_length(text) else {
        return false;
    };
    let (scheme, rest) = (&text[..length], &text[length + 1..]);
    let is_outside = |byte: &u8| *byte <= b' ' || *byte == 0x7F || b"<>\"".contains(byte);
    if rest.iter().any(is_outside) {
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
