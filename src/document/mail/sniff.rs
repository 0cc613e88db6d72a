//! Recognizes messages by their header block (rules M20 and M21).

use super::header::{is_from_line, split_field};
use crate::bytes::lines::{BYTE_ORDER_MARK, without_break};
use crate::bytes::pattern::Pattern;

/// The number of lines that are examined.
const LINES: usize = 16;

/// Names of header fields that indicate a message. A control file of Debian has several `X-` fields, of which only
/// the prefix is used.
static INDICATOR: Pattern = Pattern::new(concat!(
    "(?i)^(?:x-|(?:list-.+|arc-.+|received|return-path|delivered-to|message-id|date|from|to|subject|mime-version",
    "|content-type|content-transfer-encoding|newsgroups|path|xref|dkim-signature|authentication-results)$)",
));

/// Names that occur in many other texts.
static COMMON: &[&[u8]] = &[b"from", b"to", b"date", b"subject"];

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
        let found = INDICATOR.find_at(name, 0);
        let found = found.map(|found| found.as_bytes().to_ascii_lowercase());
        known.extend(found.filter(|name| !known.contains(name)));
    }
    known.len() >= 2 && known.iter().any(|name| !COMMON.contains(&name.as_slice()))
}

static LINE: Pattern = Pattern::new(r"[^\r\n]*(?:\r\n?|\n|$)");

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    (LINE.find_iter(bytes)).map(|line| without_break(line.as_bytes()))
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/sniff.rs"]
mod tests;
