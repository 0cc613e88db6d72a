//! Hosts by the grammars before RFC 3986: names and IPv4 addresses.

/// `host = hostname | hostnumber` (RFC 1738 section 5); RFC 2396 section 3.2.2 only adds a dot at the end.
pub(super) fn is_host(host: &[u8]) -> bool {
    let is_label = |label: &[u8]| match label {
        [first, .., last] => {
            first.is_ascii_alphanumeric()
                && last.is_ascii_alphanumeric()
                && label
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        }
        [only] => only.is_ascii_alphanumeric(),
        [] => false,
    };
    let mut last_label = host;
    let all_labels = host.split(|&byte| byte == b'.').all(|label| {
        last_label = label;
        is_label(label)
    });
    all_labels && last_label.first().is_some_and(u8::is_ascii_alphabetic) || is_address(host)
}

/// `IPv4address = 1*digit "." 1*digit "." 1*digit "." 1*digit` (RFC 2396 section 3.2.2)
pub(super) fn is_address(host: &[u8]) -> bool {
    let mut numbers = 0;
    host.split(|&byte| byte == b'.').all(|number| {
        numbers += 1;
        !number.is_empty() && number.iter().all(u8::is_ascii_digit)
    }) && numbers == 4
}
