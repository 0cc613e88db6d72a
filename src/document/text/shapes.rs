//! What must follow the colon of a scheme that needs no `//` (rule S7): without it "Notes:",
//! "INFO:root" and permission strings would be URIs.

/// Tells whether the text after a scheme's colon has the scheme's shape.
pub type SchemeShape = fn(&[u8]) -> bool;

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn holds(text: &[u8], any: &[u8]) -> bool {
    text.iter().any(|byte| any.contains(byte))
}

/// `x@y` or `?...`
pub(super) fn mailbox(text: &[u8]) -> bool {
    let between = |at: usize| at > 0 && at + 1 < text.len();
    (text.len() > 1 && text[0] == b'?') || memchr::memchr(b'@', text).is_some_and(between)
}

/// A newsgroup, a message identifier, or `*`.
pub(super) fn news(text: &[u8]) -> bool {
    holds(text, b".@*")
}

/// At least three digits.
pub(super) fn number(text: &[u8]) -> bool {
    text.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3
}

/// `nid:nss` (RFC 2141)
pub(super) fn urn(text: &[u8]) -> bool {
    let nid = text
        .iter()
        .take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'-')
        .count();
    (1..=32).contains(&nid)
        && text[0] != b'-'
        && text.get(nid) == Some(&b':')
        && text.len() > nid + 1
}

/// `type/subtype`, then `;` or `,` (RFC 2397)
pub(super) fn data(text: &[u8]) -> bool {
    let name = |text: &[u8]| {
        text.iter()
            .take_while(|&&byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
            .count()
    };
    let kind = name(text);
    if kind == 0 || text.get(kind) != Some(&b'/') {
        return false;
    }
    let subtype = name(&text[kind + 1..]);
    subtype > 0 && matches!(text.get(kind + 1 + subtype), Some(b';' | b','))
}

/// `?...`
pub(super) fn query(text: &[u8]) -> bool {
    text.first() == Some(&b'?')
}

/// `10.n/...`
pub(super) fn doi(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"10.") else {
        return false;
    };
    let registrant = rest
        .iter()
        .take_while(|&&byte| byte.is_ascii_digit() || byte == b'.')
        .count();
    digits(rest) > 0 && rest.get(registrant) == Some(&b'/') && rest.len() > registrant + 1
}

/// `@` (RFC 2392, RFC 7565)
pub(super) fn at_sign(text: &[u8]) -> bool {
    holds(text, b"@")
}

/// `n,n` (RFC 5870)
pub(super) fn coordinates(text: &[u8]) -> bool {
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
pub(super) fn host_or_mailbox(text: &[u8]) -> bool {
    holds(text, b".@")
}

/// `/...`
pub(super) fn slash(text: &[u8]) -> bool {
    text.first() == Some(&b'/')
}

/// `authority,year:` (RFC 4151)
pub(super) fn tag(text: &[u8]) -> bool {
    let authority = text
        .iter()
        .take_while(|byte| !matches!(byte, b',' | b':' | b'/'))
        .count();
    let Some(date) = text[authority..].strip_prefix(b",") else {
        return false;
    };
    let length = date
        .iter()
        .take_while(|&&byte| byte.is_ascii_digit() || byte == b'-')
        .count();
    let mut parts = date[..length].split(|&byte| byte == b'-').map(<[u8]>::len);
    let is_date = parts.next() == Some(4) && parts.clone().count() <= 2 && parts.all(|n| n == 2);
    authority > 0 && is_date && date.get(length) == Some(&b':')
}

/// `method:`
pub(super) fn did(text: &[u8]) -> bool {
    let method = text
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        .count();
    method > 0 && text.get(method) == Some(&b':')
}

/// At least 26 letters and digits.
pub(super) fn bitcoin(text: &[u8]) -> bool {
    text.len() >= 26 && text[..26].iter().all(u8::is_ascii_alphanumeric)
}

/// `u/ r/ roomid/ e/`
pub(super) fn matrix(text: &[u8]) -> bool {
    [&b"u/"[..], b"r/", b"roomid/", b"e/"]
        .iter()
        .any(|kind| text.starts_with(kind))
}
