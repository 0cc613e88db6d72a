//! Abbreviated references, on request: `www.` and mail addresses (rules O1 and O2).

use super::NonAscii;
use super::authority;
use super::bare::{self, Bare};
use super::reading::{Reading, Workspace};
use super::view::View;
use crate::document::events::Context;
use crate::document::flags::Flags;

/// O2: the part before `@` is no longer.
pub(super) const LONGEST_LOCAL: usize = 64;

/// A domain name is no longer.
const LONGEST_DOMAIN: usize = 255;

/// O1: `www.` at an index.
pub(super) fn www(
    view: &View<'_>,
    non_ascii: NonAscii,
    at: usize,
    workspace: &mut Workspace,
) -> Option<Reading> {
    if !view.spells(at, b"www.") {
        return None;
    }
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b".-_@/:=".contains(&byte);
    if view.before(at).is_some_and(inside) {
        return None;
    }
    let bare = Bare::new(view, non_ascii, at);
    let authority = authority::special(&bare, at)?;
    let reading = bare::finish(
        &bare,
        at,
        authority.end,
        Some(authority.host_end),
        Some(authority),
    )?;
    let host = &view.bytes[at..authority.host_end.min(reading.raw.end)];
    // User information before the host: not what people abbreviate.
    if memchr::memchr2(b'@', b':', host).is_some() || !is_www_host(host) {
        return None;
    }
    workspace.clear();
    workspace.text.extend_from_slice(b"http://");
    workspace
        .text
        .extend_from_slice(&view.bytes[reading.raw.clone()]);
    Some(Reading {
        context: Context::Www,
        flags: reading.flags | Flags::SCHEME_GUESSED,
        cleaned: true,
        ..reading
    })
}

/// At least two labels behind `www`, and the last one a possible top-level domain.
fn is_www_host(host: &[u8]) -> bool {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let labels = host.split(|&byte| byte == b'.');
    let last = labels.clone().next_back().unwrap_or(b"");
    labels.clone().count() >= 3
        && labels.clone().all(|label| !label.is_empty())
        && is_top_level(last)
}

fn is_top_level(label: &[u8]) -> bool {
    let encoded = label.len() > 4 && label[..4].eq_ignore_ascii_case(b"xn--");
    let letters = label.len() >= 2 && label.iter().all(u8::is_ascii_alphabetic);
    encoded || letters || label.iter().any(|&byte| byte >= 0x80)
}

/// `atext` of RFC 5322, and the dot.
pub(super) fn is_local_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// O2: the mail address around the `@` at an index.
pub(super) fn email(view: &View<'_>, at: usize, workspace: &mut Workspace) -> Option<Reading> {
    let start = local_start(view, at);
    let local = &view.bytes[start..at];
    let dots = local.windows(2).any(|pair| pair == b"..");
    if local.is_empty() || dots || local[0] == b'.' || local.ends_with(b".") {
        return None;
    }
    if view
        .before(start)
        .is_some_and(|byte| matches!(byte, b'@' | b':') || is_local_byte(byte))
    {
        return None;
    }
    let end = domain_end(view, at + 1)?;
    workspace.clear();
    workspace.text.extend_from_slice(b"mailto:");
    workspace.text.extend_from_slice(&view.bytes[start..end]);
    Some(Reading {
        raw: start..end,
        outer_end: end,
        context: Context::Email,
        flags: Flags::SCHEME_GUESSED,
        cleaned: true,
        shorter: None,
    })
}

/// The start of the local part that ends at an index.
pub(super) fn local_start(view: &View<'_>, end: usize) -> usize {
    let least = view.floor.max(end.saturating_sub(LONGEST_LOCAL));
    let run = view.bytes[least..end].iter().rev();
    end - run.take_while(|&&byte| is_local_byte(byte)).count()
}

/// Behind the domain that starts at an index: LDH labels, at least two.
fn domain_end(view: &View<'_>, from: usize) -> Option<usize> {
    let mut end = from;
    while end - from <= LONGEST_DOMAIN
        && view
            .at(end)
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
    {
        end += 1;
    }
    if end - from > LONGEST_DOMAIN || matches!(view.at(end), Some(b'@' | b'_')) {
        return None;
    }
    while end > from && matches!(view.bytes[end - 1], b'-' | b'.') {
        end -= 1;
    }
    let labels = view.bytes[from..end].split(|&byte| byte == b'.');
    let is_label = |label: &[u8]| {
        !label.is_empty() && label.len() <= 63 && label[0] != b'-' && !label.ends_with(b"-")
    };
    let last = labels.clone().next_back()?;
    let accepted =
        labels.clone().count() >= 2 && labels.clone().all(is_label) && is_top_level(last);
    accepted.then_some(end)
}
