//! Recognizes messages by their header block (rules M20 and M21).

use super::header::{is_from_line, split_field};
use crate::bytes::lines::{BYTE_ORDER_MARK, without_break};
use crate::bytes::pattern::Pattern;

/// The number of lines that are examined.
const LINES: usize = 16;

/// Header fields that indicate a message, in lower case.
#[rustfmt::skip]
static NAMES: &[&[u8]] = &[
    b"received", b"return-path", b"delivered-to", b"message-id", b"date", b"from", b"to",
    b"subject", b"mime-version", b"content-type", b"content-transfer-encoding", b"newsgroups",
    b"path", b"xref", b"dkim-signature", b"authentication-results",
];

/// Names that occur in many other texts.
static COMMON: &[&[u8]] = &[b"from", b"to", b"date", b"subject"];

/// Prefixes of such names, and whether each name with the prefix is used: a control file of Debian has
/// several `X-` fields, so those are used once.
static PREFIXES: &[(&[u8], bool)] = &[(b"x-", false), (b"list-", true), (b"arc-", true)];

/// Returns whether the first line is a header field, or starts with `From ` or `>From ` before one.
///
/// ```
/// use uriscan::document::mail::starts_with_field;
/// assert!(starts_with_field(b"Subject : x\n"));
/// assert!(!starts_with_field(b"https://example.com/\n"));
/// ```
pub fn starts_with_field(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut lines = lines(bytes);
    let field = |line: Option<&[u8]>| line.is_some_and(|line| split_field(line).is_some());
    match lines.next() {
        Some(line) if is_from_line(line, true) => field(lines.next()),
        line => field(line),
    }
}

/// Returns whether bytes start as a message does: the first line is a header field, and the first 16
/// lines have two names of fields that messages have, one of them other than From, To, Date and
/// Subject, before any other line.
///
/// ```
/// use uriscan::document::mail::is_message;
/// assert!(is_message(b"Received: by mx.example.com\nSubject: x\n\ntext"));
/// assert!(!is_message(b"From: Ann\nSubject: x\n\ntext"));
/// ```
pub fn is_message(bytes: &[u8]) -> bool {
    if !starts_with_field(bytes) {
        return false;
    }
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut known: Vec<Vec<u8>> = Vec::new();
    for (index, line) in lines(bytes).take(LINES).enumerate() {
        if matches!(line, [b' ' | b'\t', ..]) {
            // A folded field continues.
            continue;
        }
        let Some((name, _)) = split_field(line) else {
            if is_from_line(line, index == 0) {
                continue;
            }
            break;
        };
        if let Some(name) = indicator(name)
            && !known.contains(&name)
        {
            known.push(name);
        }
    }
    known.len() >= 2 && known.iter().any(|name| !COMMON.contains(&name.as_slice()))
}

/// Returns the name or prefix that indicates a message, in lower case.
fn indicator(name: &[u8]) -> Option<Vec<u8>> {
    let name = name.to_ascii_lowercase();
    if NAMES.contains(&name.as_slice()) {
        return Some(name);
    }
    let &(prefix, each_counts) = PREFIXES
        .iter()
        .find(|(prefix, _)| name.len() > prefix.len() && name.starts_with(prefix))?;
    Some(if each_counts { name } else { prefix.to_vec() })
}

static LINE: Pattern = Pattern::new(r"[^\r\n]*(?:\r\n?|\n|$)");

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    (LINE.find_iter(bytes)).map(|line| without_break(line.as_bytes()))
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/sniff.rs"]
mod tests;
