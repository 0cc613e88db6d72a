//! T7: the shape that the text behind `scheme:` has where no `//` follows.

/// Returns whether `rest`, without its scheme and colon, has the shape of its scheme.
pub(super) fn suits(scheme: &[u8], rest: &[u8]) -> bool {
    match scheme {
        // `x@y` or `?...`
        b"mailto" => {
            let at = rest.iter().position(|&byte| byte == b'@');
            at.is_some_and(|at| at > 0 && at + 1 < rest.len())
                || (rest.len() > 1 && rest[0] == b'?')
        }
        b"news" => holds_any(rest, b".@*"),
        b"tel" | b"sms" => rest.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3,
        // `nid:nss`
        b"urn" => {
            let nid = span(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
            (1..=32).contains(&nid)
                && rest[0] != b'-'
                && rest.get(nid) == Some(&b':')
                && rest.len() > nid + 1
        }
        // `type/sub` then `;` or `,`
        b"data" => {
            let kind = span(rest, is_media_byte);
            let rest = &rest[kind..];
            let Some(rest) = rest.strip_prefix(b"/").filter(|_| kind > 0) else {
                return false;
            };
            let sub = span(rest, is_media_byte);
            sub > 0 && matches!(rest.get(sub), Some(b';' | b','))
        }
        b"magnet" => rest.starts_with(b"?"),
        // `10.n/...`
        b"doi" => {
            let Some(rest) = rest.strip_prefix(b"10.") else {
                return false;
            };
            let number = span(rest, |byte| byte.is_ascii_digit() || byte == b'.');
            rest.first().is_some_and(u8::is_ascii_digit)
                && rest.get(number) == Some(&b'/')
                && rest.len() > number + 1
        }
        b"cid" | b"mid" | b"acct" => holds_any(rest, b"@"),
        // `n,n`
        b"geo" => number(rest)
            .and_then(|rest| rest.strip_prefix(b","))
            .and_then(number)
            .is_some(),
        b"sip" | b"sips" | b"xmpp" => holds_any(rest, b".@"),
        b"file" => rest.starts_with(b"/"),
        // `authority,year:`
        b"tag" => {
            let authority = span(rest, |byte| byte != b',' && byte != b':' && byte != b'/');
            let Some(date) = rest[authority..].strip_prefix(b",") else {
                return false;
            };
            let length = span(date, |byte| byte.is_ascii_digit() || byte == b'-');
            authority > 0 && is_date(&date[..length]) && date.get(length) == Some(&b':')
        }
        // `method:`
        b"did" => {
            let method = span(rest, |byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit()
            });
            method > 0 && rest.get(method) == Some(&b':')
        }
        b"bitcoin" => span(rest, |byte| byte.is_ascii_alphanumeric()) >= 26,
        b"matrix" => ["u/", "r/", "roomid/", "e/"]
            .iter()
            .any(|kind| rest.starts_with(kind.as_bytes())),
        _ => false,
    }
}

fn holds_any(rest: &[u8], bytes: &[u8]) -> bool {
    rest.iter().any(|byte| bytes.contains(byte))
}

/// Returns the number of bytes of a class at the start.
fn span(rest: &[u8], class: impl Fn(u8) -> bool) -> usize {
    rest.iter().take_while(|&&byte| class(byte)).count()
}

/// RFC 6838 section 4.2.
fn is_media_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte)
}

/// RFC 4151 section 2.1: a year, with or without month and day.
fn is_date(date: &[u8]) -> bool {
    let parts: Vec<usize> = date.split(|&byte| byte == b'-').map(<[u8]>::len).collect();
    matches!(parts[..], [4] | [4, 2] | [4, 2, 2])
}

/// Returns the rest behind a decimal number (RFC 5870: `[-]digits[.digits]`).
fn number(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.strip_prefix(b"-").unwrap_or(rest);
    let whole = span(rest, |byte| byte.is_ascii_digit());
    let tail = &rest[whole..];
    if whole == 0 {
        return None;
    }
    let Some(fraction) = tail.strip_prefix(b".") else {
        return Some(tail);
    };
    match span(fraction, |byte| byte.is_ascii_digit()) {
        0 => Some(tail),
        digits => Some(&fraction[digits..]),
    }
}
