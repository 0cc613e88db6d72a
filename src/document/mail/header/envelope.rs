//! The envelope of a message, as IMAP calls its date, sender and subject (RFC 9051 section 7.5.2).

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::WINDOWS_1252;
use memchr::memchr3;

use super::value::{self, comment_end};
use crate::decode::offset_map::OffsetMap;
use crate::document::events::{self, Events};

/// The longest subject and the longest address, in bytes.
const TEXT: usize = 512;
/// As much of a value is read as can give so long a text: an encoded word of 75 bytes holds one
/// character at least.
const VALUE: usize = 32 << 10;

/// Where the values of the fields stand in the buffer of the header block that keeps them.
#[derive(Debug, Default)]
pub(in crate::document::mail) struct Envelope {
    pub(super) date: Option<Range<usize>>,
    pub(super) from: Option<Range<usize>>,
    pub(super) subject: Option<Range<usize>>,
}

impl Envelope {
    /// Stores the values as they stand: they are read when a record shows them.
    pub(in crate::document::mail) fn store(
        &self,
        kept: &[u8],
        out: &mut Events,
    ) -> events::EnvelopeRanges {
        let mut store = |range: &Option<Range<usize>>| {
            let value = &kept[range.clone()?];
            Some(out.store(value))
        };
        events::EnvelopeRanges {
            date: store(&self.date),
            from: store(&self.from),
            subject: store(&self.subject),
        }
    }
}

/// Keeps as much of a value as is read of it.
pub(super) fn keep(raw: &[u8], kept: &mut Vec<u8>) -> Range<usize> {
    let start = kept.len();
    kept.extend_from_slice(&raw[..raw.len().min(VALUE)]);
    start..kept.len()
}

/// A value as it stands. Bytes that are no UTF-8 are taken for windows-1252.
fn plain(raw: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(raw) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(raw).0,
    }
}

/// A value as text: unfolded, its encoded words decoded.
fn decoded(raw: &[u8]) -> Cow<'_, str> {
    let plain = plain(raw);
    if memchr3(b'\r', b'\n', b'=', plain.as_bytes()).is_none() {
        return plain;
    }
    let mut text = Vec::new();
    value::text(plain.as_bytes(), &mut text, &mut OffsetMap::default());
    Cow::Owned(String::from_utf8_lossy(&text).into_owned())
}

fn truncated(text: &str) -> String {
    let text = text.trim();
    let mut end = text.len().min(TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// The date in the value of a field, as a time of UTC (RFC 3339 section 5.6).
pub(crate) fn date(raw: &[u8]) -> Option<String> {
    super::date::utc(raw)
}

/// The subject in the value of a field, decoded.
pub(crate) fn subject(raw: &[u8]) -> String {
    truncated(&decoded(raw))
}

/// The first address of a field (RFC 5322 section 3.4): what stands in angle brackets without the
/// route, else what stands outside comments and quoted names. Groups may have none.
pub(crate) fn address(raw: &[u8]) -> Option<String> {
    // An encoded word is no address, but some writers encode the whole field.
    first_address(&plain(raw))
        .filter(|address| !address.contains("=?"))
        .or_else(|| first_address(&decoded(raw)))
}

fn first_address(text: &str) -> Option<String> {
    let value = text.as_bytes();
    let mut plain: Vec<u8> = Vec::with_capacity(64);
    let mut at = 0;
    // Once a comment or a string is not closed, none that begins later is looked for: the time
    // stays linear.
    let (mut comments, mut strings) = (true, true);
    while at < value.len() {
        match value[at] {
            b'(' if comments => {
                let end = comment_end(value, at);
                comments = end > at + 1;
                at = end;
                continue;
            }
            b'"' if strings => {
                let end = quoted_end(value, at);
                strings = end > at + 1;
                plain.extend_from_slice(&value[at..end]);
                at = end;
                continue;
            }
            b'<' => {
                let inner = &value[at + 1..];
                let inner = &inner[..bracket_end(inner)];
                // An obsolete route: `<@a.example,@b.example:user@c.example>`.
                let route = inner.first() == Some(&b'@');
                let colon = inner.iter().position(|&byte| byte == b':');
                let inner = match colon {
                    Some(colon) if route => &inner[colon + 1..],
                    _ => inner,
                };
                return whole(inner);
            }
            // The name of a group.
            b':' => plain.clear(),
            b',' | b';' if whole(&plain).is_some() => break,
            b',' | b';' | b'\r' | b'\n' => {}
            byte => plain.push(byte),
        }
        at += 1;
    }
    whole(&plain)
}

/// The index behind the string that starts at `at` with a quote.
fn quoted_end(value: &[u8], at: usize) -> usize {
    let mut index = at + 1;
    while index < value.len() {
        match value[index] {
            b'\\' => index += 1,
            b'"' => return index + 1,
            _ => {}
        }
        index += 1;
    }
    // A string that never closes hides no more than its quote.
    at + 1
}

/// The index of the bracket that closes an address, whose local part may be quoted.
fn bracket_end(inner: &[u8]) -> usize {
    let start = match inner.first() {
        Some(b'"') => quoted_end(inner, 0),
        _ => 0,
    };
    let length = inner[start..].iter().position(|&byte| byte == b'>');
    length.map_or(inner.len(), |length| start + length)
}

/// The bytes as an address, if there are any.
fn whole(bytes: &[u8]) -> Option<String> {
    // Only ASCII was taken out of UTF-8.
    let text = truncated(&String::from_utf8_lossy(bytes));
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[rustfmt::skip]
    fn senders_are_addresses() {
        let rows: &[(&str, Option<&str>)] = &[
            (" alice@example.com", Some("alice@example.com")),
            ("Alice <alice@example.com>", Some("alice@example.com")),
            ("\"Smith, Alice <x@example.org>\" <alice@example.com>, b@example.com", Some("alice@example.com")),
            ("alice@example.com (Alice (at home))", Some("alice@example.com")),
            ("(Alice) alice@example.com", Some("alice@example.com")),
            ("=?utf-8?Q?Al=C3=ADce?= <alice@example.com>", Some("alice@example.com")),
            ("Alice\r\n <alice@example.com>", Some("alice@example.com")),
            ("<@a.example,@b.example:alice@example.com>", Some("alice@example.com")),
            ("\"a b\"@example.com", Some("\"a b\"@example.com")),
            ("<\"a>b\"@example.com>", Some("\"a>b\"@example.com")),
            ("Friends: alice@example.com, b@example.com;", Some("alice@example.com")),
            ("alice@example.com, b@example.com", Some("alice@example.com")),
            ("alice at example.com (Alice)", Some("alice at example.com")),
            ("caf\u{e9}@example.com", Some("caf\u{e9}@example.com")),
            ("Alice <alice@example.com", Some("alice@example.com")),
            ("Nobody:;", None),
            ("=?utf-8?Q?Friends=3A_=3Cx=3E?= <alice@example.com>", Some("alice@example.com")),
            ("=?utf-8?Q?Alice_<alice@example.com>?=", Some("alice@example.com")),
            ("Nobody:;, alice@example.com", Some("alice@example.com")),
            ("\"never closed <alice@example.com>", Some("alice@example.com")),
            ("<>", None),
            ("(only a comment)", None),
            ("", None),
        ];
        for (value, expected) in rows {
            assert_eq!(address(value.as_bytes()).as_deref(), *expected, "{value:?}");
        }
        assert_eq!(address(b"caf\xE9@example.com").as_deref(), Some("caf\u{e9}@example.com"));
    }

    #[test]
    #[rustfmt::skip]
    fn subjects_are_decoded_and_cut_between_characters() {
        let rows: &[(&[u8], &str)] = &[
            (b" Re: one\r\n two", "Re: one two"),
            (b"=?utf-8?Q?caf=C3=A9?=\n =?iso-8859-1?B?6Q==?=", "caf\u{e9}\u{e9}"),
            (b"caf\xE9 =?utf-8?Q?=C3=A9?=", "caf\u{e9} \u{e9}"),
            (b"", ""),
        ];
        for (raw, expected) in rows {
            assert_eq!(subject(raw), *expected, "{raw:?}");
        }
        let long = ["x", &"\u{e9}".repeat(400)].concat();
        assert_eq!(subject(long.as_bytes()), long[..511]);
        let words = "=?utf-8?B?w6k=?= ".repeat(3000);
        assert_eq!(subject(words.as_bytes()).len(), 512);
    }
}
