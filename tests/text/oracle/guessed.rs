//! Abbreviated forms, whose scheme is a guess (T40, T41; RFC 2396 Appendix F).

use super::bare::{LONGEST, Reach, authority_end};
use super::chars::Text;
use super::stops::Stops;
use super::{Detail, Options, conformance, delimited};

/// T41: the longest local part.
const LONGEST_LOCAL: usize = 64;
/// T41: the longest domain (RFC 1035 section 2.3.4) and the longest label.
const LONGEST_DOMAIN: usize = 255;
const LONGEST_LABEL: usize = 63;

/// T40: returns the reference of `www.` at `start`.
pub(super) fn find_www(
    text: Text<'_>,
    options: &Options,
    start: usize,
    resume: usize,
) -> Option<Detail> {
    let may_precede = |byte: u8| !byte.is_ascii_alphanumeric() && !b".-_@/:=".contains(&byte);
    if !text.has_any_case_at(start, b"www.") || !text.byte_before(start).is_none_or(may_precede) {
        return None;
    }
    let stops = Stops::new(text, options, start);
    let end = authority_end(text, &stops, start)?;
    let mut reach = Reach::behind_server(text, &stops, start, start, end, start + LONGEST)?;
    reach.finish(text, Some(start));
    let server = text.0[start..reach.end].split(|byte| b"/?#".contains(byte));
    let server = server.into_iter().next().unwrap_or_default();
    let host = server
        .split(|&byte| byte == b':')
        .next()
        .unwrap_or_default();
    let mut labels = host
        .strip_suffix(b".")
        .unwrap_or(host)
        .split(|&b| b == b'.');
    // T40: at least two labels behind `www`.
    let behind: Vec<&[u8]> = labels.by_ref().skip(1).filter(|l| !l.is_empty()).collect();
    let last_suits = behind
        .last()
        .is_some_and(|label| is_top_label(label) || !label.is_ascii());
    if behind.len() < 2 || !last_suits {
        return None;
    }
    let opening = delimited::opening(text, start, resume);
    let mut detail = reach.into_detail(text, "www", opening);
    detail.find.uri.splice(0..0, *b"http://");
    detail.find.flags.insert("scheme-guessed");
    conformance::flag(&mut detail.find);
    Some(detail)
}

/// Returns whether a label is two letters or more, or `xn--` and more.
fn is_top_label(label: &[u8]) -> bool {
    let punycode = label.len() > 4 && label[..4].eq_ignore_ascii_case(b"xn--");
    punycode || (label.len() >= 2 && label.iter().all(u8::is_ascii_alphabetic))
}

/// T41: returns the mail address around the `@` at `at`.
pub(super) fn find_email(text: Text<'_>, at: usize, resume: usize) -> Option<Detail> {
    let mut start = at;
    while text
        .byte_before(start)
        .is_some_and(|byte| is_atext(byte) || byte == b'.')
    {
        start -= 1;
        if at - start > LONGEST_LOCAL {
            return None;
        }
    }
    if start < resume || matches!(text.byte_before(start), Some(b'@' | b':')) {
        return None;
    }
    // An opening apostrophe quotes the address.
    while text.byte(start) == Some(b'\'') {
        start += 1;
    }
    let local = &text.0[start..at];
    let dots_stand_alone = local
        .split(|&byte| byte == b'.')
        .all(|atom| !atom.is_empty());
    if !dots_stand_alone {
        return None;
    }
    let behind = text.from(at + 1);
    let run = behind.iter().take(LONGEST_DOMAIN + 2);
    let run = run
        .take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.')
        .count();
    let domain = domain(&behind[..run])?;
    let end = at + 1 + domain.len();
    if matches!(text.byte(end), Some(b'@' | b'_')) {
        return None;
    }
    let mut uri = b"mailto:".to_vec();
    for &byte in &text.0[start..end] {
        // RFC 6068 section 2: a byte that no URI has, the percent sign, and delimiters.
        if b"%/?#&=^`{|}".contains(&byte) {
            uri.extend(format!("%{byte:02X}").bytes());
        } else {
            uri.push(byte);
        }
    }
    let mut detail = Detail::new(start..end, uri, "email");
    detail.find.flags.insert("scheme-guessed");
    conformance::flag(&mut detail.find);
    Some(detail)
}

/// RFC 5322 section 3.2.3.
fn is_atext(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// Returns the labels at the start of `run`, up to an empty one.
fn domain(run: &[u8]) -> Option<&[u8]> {
    let mut length = 0;
    let mut labels: Vec<&[u8]> = Vec::new();
    for label in run.split(|&byte| byte == b'.') {
        if label.is_empty() {
            break;
        }
        length += usize::from(!labels.is_empty()) + label.len();
        labels.push(label);
    }
    let is_ldh = |label: &&[u8]| {
        label.len() <= LONGEST_LABEL && !label.starts_with(b"-") && !label.ends_with(b"-")
    };
    let suits = labels.len() >= 2
        && length <= LONGEST_DOMAIN
        && labels.iter().all(is_ldh)
        && labels.last().is_some_and(|label| is_top_label(label));
    suits.then(|| &run[..length])
}
