//! Calendars and cards: folded content lines, and values with escapes (RFC 5545 sections 3.1 and 3.3.11,
//! RFC 6350 sections 3.2 and 3.4; rule M18).

use memchr::memchr3;

use super::rewritten::Rewrite;
use super::scanner::{REWRITTEN, rewritten};
use crate::decode::RecordOffsets;
use crate::document::Format;
use crate::document::source_text::DecodedText;

/// iCalendar and vCard.
pub(in crate::document) const FORMAT: Format = Format {
    name: "ics",
    extensions: &["ics", "ical", "ifb", "vcf", "vcard"],
    media_types: &[
        "text/calendar",
        "text/x-vcalendar",
        "text/vcard",
        "text/x-vcard",
        "text/directory",
        "application/ics",
    ],
    scanner: |options| rewritten(Unfold, options),
    ..REWRITTEN
};

#[derive(Debug)]
struct Unfold;

/// Returns the length of the fold that bytes begin with, a line break and a blank before something on that
/// line; 0 without one, and `None` if more bytes decide.
fn fold(text: &[u8], last: bool) -> Option<usize> {
    let ending = match text {
        [b'\r', b'\n', ..] => 2,
        [b'\r'] if !last => return None,
        [b'\r' | b'\n', ..] => 1,
        _ => return Some(0),
    };
    match text.get(ending..).unwrap_or_default() {
        [] | [b' ' | b'\t'] if !last => None,
        [b' ' | b'\t', b'\r' | b'\n', ..] => Some(0),
        [b' ' | b'\t', ..] => Some(ending + 1),
        _ => Some(0),
    }
}

impl Rewrite for Unfold {
    fn begin(&mut self, _offset: u64) {}

    fn push(&mut self, text: &[u8], last: bool, out: &mut DecodedText) -> usize {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let run = memchr3(b'\r', b'\n', b'\\', rest).unwrap_or(rest.len());
            out.copy(&rest[..run]);
            at += run;
            let rest = &text[at..];
            let Some(&first) = rest.first() else { break };
            // An escape may be folded after its backslash.
            let escape = usize::from(first == b'\\');
            let Some(folded) = fold(&rest[escape..], last) else {
                break;
            };
            let next = rest.get(escape + folded).copied();
            if escape == 0 && folded > 0 {
                out.map.skip(folded);
                at += folded;
                continue;
            }
            let written = match (escape, next) {
                (1, None) if !last => break,
                (1, Some(b'n' | b'N')) => b'\n',
                (1, Some(escaped @ (b',' | b';' | b':' | b'\\'))) => escaped,
                _ => {
                    out.copy(&[first]);
                    at += 1;
                    continue;
                }
            };
            out.put(&[written], escape + folded + 1);
            at += escape + folded + 1;
        }
        at
    }
}
