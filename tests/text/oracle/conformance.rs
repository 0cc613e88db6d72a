//! The flags for what is odd about a URI.

use super::chars::is_scheme_byte;
use super::sets::is_special;
use super::{Find, host};

/// Sets `userinfo`, `odd-host`, `non-ascii`, `nonconforming` and `bad-percent`.
pub(super) fn flag(find: &mut Find) {
    let uri = &find.uri;
    let scheme = scheme_length(uri);
    let authority = authority(&uri[scheme.map_or(0, |length| length + 1)..]);
    let server = authority.map(|authority| match host::userinfo_end(authority) {
        Some(end) => &authority[end..],
        None => authority,
    });
    // T27 gives a host to the special schemes only.
    let special = scheme.is_some_and(|length| is_special(&uri[..length]));
    let has_userinfo = authority != server;
    let literal = server.and_then(host::ip_literal_length).unwrap_or(0);
    let brackets = uri.iter().filter(|byte| b"[]".contains(byte)).count();
    let flags = [
        (special && has_userinfo, "userinfo"),
        (special && server.is_some_and(host::is_odd), "odd-host"),
        (!uri.is_ascii(), "non-ascii"),
        (
            uri.iter().any(|byte| b"{}|\\^`".contains(byte))
                || brackets > if literal > 0 { 2 } else { 0 },
            "nonconforming",
        ),
        (has_bad_percent(uri), "bad-percent"),
    ];
    let set = flags.into_iter().filter(|flag| flag.0);
    find.flags.extend(set.map(|flag| flag.1));
}

fn scheme_length(uri: &[u8]) -> Option<usize> {
    let end = uri.iter().position(|byte| b":/?#".contains(byte))?;
    // A relative reference may hold what looks like one.
    let named = uri[0].is_ascii_alphabetic() && uri[..end].iter().all(|&b| is_scheme_byte(b));
    (uri[end] == b':' && named).then_some(end)
}

fn authority(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.strip_prefix(b"//")?;
    rest.split(|byte| b"/?#".contains(byte)).next()
}

fn has_bad_percent(uri: &[u8]) -> bool {
    (0..uri.len()).any(|at| {
        let digits = uri[at + 1..].iter().take(2);
        uri[at] == b'%' && digits.filter(|byte| byte.is_ascii_hexdigit()).count() < 2
    })
}
