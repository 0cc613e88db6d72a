//! The schemes that text is searched for: one row each.

use super::shapes::{self, SchemeShape};

/// How a scheme's URIs continue after the colon.
#[derive(Clone, Copy, Debug)]
pub enum SchemeForm {
    /// `//` and an Internet host: http, https, ftp, ftps, ws, wss.
    Special,
    /// `//`.
    Slashes,
    /// `//`, or else this shape (rule S7).
    NoSlash(SchemeShape),
}

/// A known scheme.
#[derive(Clone, Copy, Debug)]
pub struct TextScheme {
    /// Its name in lower case.
    pub name: &'static str,
    /// How its URIs continue.
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
pub const SCHEMES: &[TextScheme] = &[
    known("aaa"),
    known("aaas"),
    known("about"),
    known("acap"),
    no_slash("acct", shapes::at_sign),
    known("amqp"),
    no_slash("bitcoin", shapes::bitcoin),
    known("cap"),
    known("chrome-extension"),
    no_slash("cid", shapes::at_sign),
    known("coap"),
    known("coap+tcp"),
    known("coap+ws"),
    known("coaps"),
    known("coaps+tcp"),
    known("coaps+ws"),
    known("crid"),
    no_slash("data", shapes::data),
    known("dav"),
    known("dict"),
    no_slash("did", shapes::did),
    known("dns"),
    no_slash("doi", shapes::doi),
    known("dtn"),
    known("example"),
    no_slash("file", shapes::slash),
    special("ftp"),
    special("ftps"),
    known("gemini"),
    no_slash("geo", shapes::coordinates),
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
    no_slash("magnet", shapes::query),
    no_slash("mailto", shapes::mailbox),
    no_slash("matrix", shapes::matrix),
    no_slash("mid", shapes::at_sign),
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
    no_slash("news", shapes::news),
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
    no_slash("sip", shapes::host_or_mailbox),
    no_slash("sips", shapes::host_or_mailbox),
    known("slack"),
    known("smb"),
    no_slash("sms", shapes::number),
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
    no_slash("tag", shapes::tag),
    no_slash("tel", shapes::number),
    known("telnet"),
    known("tftp"),
    known("thismessage"),
    known("tip"),
    known("tn3270"),
    known("turn"),
    known("turns"),
    known("tv"),
    no_slash("urn", shapes::urn),
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
    no_slash("xmpp", shapes::host_or_mailbox),
    known("z39.50r"),
    known("z39.50s"),
];

impl TextScheme {
    /// The length of the longest name.
    pub const LONGEST: usize = 16;

    /// The known scheme of a name in any case.
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

    /// Whether it is one of http, https, ftp, ftps, ws and wss.
    pub fn is_special(&self) -> bool {
        matches!(self.form, SchemeForm::Special)
    }
}

/// A name in lower case as one number.
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

/// The row of http, before that of https.
const HTTP: usize = {
    let mut n = 0;
    while key(SCHEMES[n].name.as_bytes()) != key(b"http") {
        n += 1;
    }
    n
};

/// For each letter, where the rows start whose names start with it or a later one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_in_lower_case_and_short_enough() {
        assert!(SCHEMES.is_sorted_by(|a, b| a.name < b.name));
        for scheme in SCHEMES {
            assert_eq!(scheme.name, scheme.name.to_ascii_lowercase());
            let named = TextScheme::named(scheme.name.to_ascii_uppercase().as_bytes());
            assert_eq!(named.map(|found| found.name), Some(scheme.name));
            assert!(scheme.name.len() <= TextScheme::LONGEST, "{}", scheme.name);
        }
    }
}
