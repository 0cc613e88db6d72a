//! The sets of schemes, all in lower case.

/// The special schemes.
pub(super) const SPECIAL: &[&str] = &["http", "https", "ftp", "ftps", "ws", "wss"];

/// T7: the schemes that need no `//`.
pub(super) const NOSLASH: &[&str] = &[
    "mailto", "news", "tel", "sms", "urn", "data", "magnet", "doi", "cid", "mid", "acct", "geo",
    "sip", "sips", "xmpp", "file", "tag", "did", "bitcoin", "matrix",
];

/// Common known schemes.
const COMMON: &[&str] = &[
    "http",
    "https",
    "ftp",
    "ftps",
    "ws",
    "wss",
    "sftp",
    "file",
    "ssh",
    "git",
    "svn",
    "ldap",
    "ldaps",
    "irc",
    "ircs",
    "news",
    "nntp",
    "snews",
    "gopher",
    "gemini",
    "telnet",
    "rtsp",
    "rsync",
    "smb",
    "nfs",
    "imap",
    "pop",
    "mailto",
    "tel",
    "sms",
    "urn",
    "data",
    "magnet",
    "doi",
    "cid",
    "mid",
    "geo",
    "sip",
    "sips",
    "xmpp",
    "bitcoin",
    "matrix",
    "tag",
    "did",
    "acct",
    "shttp",
    "webcal",
    "view-source",
    "redis",
    "amqp",
    "mqtt",
    "coap",
    "dns",
    "tftp",
    "svn+ssh",
    "git+ssh",
    "soap.beep",
    "chrome-extension",
    "moz-extension",
    "ms-settings",
    "postgres",
    "postgresql",
    "mysql",
    "mongodb",
    "s3",
    "gs",
    "hdfs",
    "steam",
    "spotify",
    "slack",
];

/// The other permanent schemes of IANA's registry.
const PERMANENT: &[&str] = &[
    "aaa",
    "aaas",
    "about",
    "acap",
    "cap",
    "coap+tcp",
    "coap+ws",
    "coaps",
    "coaps+tcp",
    "coaps+ws",
    "crid",
    "dav",
    "dict",
    "dtn",
    "example",
    "go",
    "h323",
    "iax",
    "icap",
    "im",
    "info",
    "ipn",
    "ipp",
    "ipps",
    "iris",
    "iris.beep",
    "iris.lwz",
    "iris.xpc",
    "iris.xpcs",
    "jabber",
    "leaptofrogans",
    "msrp",
    "msrps",
    "mt",
    "mtqp",
    "mupdate",
    "ni",
    "nih",
    "opaquelocktoken",
    "pkcs11",
    "pres",
    "reload",
    "rtsps",
    "rtspu",
    "service",
    "session",
    "sieve",
    "snmp",
    "soap.beeps",
    "stun",
    "stuns",
    "thismessage",
    "tip",
    "tn3270",
    "turn",
    "turns",
    "tv",
    "vemmi",
    "vnc",
    "xcon",
    "xcon-userid",
    "xmlrpc.beep",
    "xmlrpc.beeps",
    "z39.50r",
    "z39.50s",
];

pub(super) fn is_special(scheme: &[u8]) -> bool {
    holds(SPECIAL, scheme)
}

pub(super) fn is_noslash(scheme: &[u8]) -> bool {
    holds(NOSLASH, scheme)
}

pub(super) fn is_known(scheme: &[u8]) -> bool {
    holds(COMMON, scheme) || holds(PERMANENT, scheme)
}

/// Compares in any case (T2).
fn holds(set: &[&str], scheme: &[u8]) -> bool {
    set.iter()
        .any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
}
