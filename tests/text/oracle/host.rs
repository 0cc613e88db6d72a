//! The authority of the special schemes (T27), and odd hosts.

use std::net::Ipv6Addr;

/// Returns the length of the user information.
pub(super) fn userinfo_end(authority: &[u8]) -> Option<usize> {
    let at = authority.iter().rposition(|&byte| byte == b'@')?;
    let is_userinfo = !authority[..at].iter().any(|b| b"()[]{},;".contains(b));
    is_userinfo.then_some(at + 1)
}

/// Returns the length of host and port in `text`, an authority without its user information, if it is
/// accepted; `next` is the byte behind the authority.
pub(super) fn server_length(text: &[u8], next: Option<u8>) -> Option<usize> {
    let host = match text.first()? {
        b'[' => ip_literal_length(text)?,
        &first if first.is_ascii_alphanumeric() || b"_%".contains(&first) || first >= 0x80 => {
            text.iter().take_while(|&&byte| is_host_byte(byte)).count()
        }
        _ => return None,
    };
    let Some(port) = text[host..].strip_prefix(b":") else {
        return Some(host);
    };
    let digits = port.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // An empty port only before `/ ? #`.
    let followed = port.is_empty() && matches!(next, Some(b'/' | b'?' | b'#'));
    let keeps_colon = digits > 0 || followed;
    Some(host + if keeps_colon { 1 + digits } else { 0 })
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte) || byte >= 0x80
}

/// Returns the length of `[IPv6]` with or without a zone (RFC 3986 section 3.2.2, RFC 6874).
pub(super) fn ip_literal_length(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"[")?;
    let length = inner.iter().position(|&byte| byte == b']')?;
    let inner = std::str::from_utf8(&inner[..length]).ok()?;
    let (address, zone) = match inner.split_once('%') {
        Some((address, zone)) => (address, Some(zone)),
        None => (inner, None),
    };
    let is_zone = |zone: &str| {
        let is_zone_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
        zone.strip_prefix("25")
            .is_some_and(|name| !name.is_empty() && name.bytes().all(is_zone_byte))
    };
    let valid = address.parse::<Ipv6Addr>().is_ok() && zone.is_none_or(is_zone);
    valid.then_some(length + 2)
}

/// `odd-host`: a label that is empty, over 63 bytes, edged by `-`, or has odd bytes.
pub(super) fn is_odd(server: &[u8]) -> bool {
    if let Some(length) = ip_literal_length(server) {
        return !is_port(&server[length..]);
    }
    let colon = server.iter().rposition(|&byte| byte == b':');
    let host = match colon {
        Some(colon) if is_port(&server[colon..]) => &server[..colon],
        _ => server,
    };
    // A final dot is allowed.
    let host = host.strip_suffix(b".").unwrap_or(host);
    host.split(|&byte| byte == b'.').any(is_odd_label)
}

fn is_port(text: &[u8]) -> bool {
    match text.strip_prefix(b":") {
        Some(digits) => digits.iter().all(u8::is_ascii_digit),
        None => text.is_empty(),
    }
}

fn is_odd_label(label: &[u8]) -> bool {
    let is_usual =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte) || *byte >= 0x80;
    label.is_empty()
        || label.len() > 63
        || label.starts_with(b"-")
        || label.ends_with(b"-")
        || !label.iter().all(is_usual)
}
