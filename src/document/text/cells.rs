//! Tables of comma- and tab-separated values: each cell is a text (rules T42 and T43).

use memchr::memchr3;

use super::rewritten::{MAX_WAIT, Rewrite};
use super::scanner::{REWRITTEN, rewritten};
use crate::decode::RecordOffsets;
use crate::document::diagnostic::{self, Code};
use crate::document::source_text::DecodedText;
use crate::document::{Format, SplitPoint};

/// Comma-separated values (RFC 4180). A line may begin inside quotes, so nothing splits them.
pub(in crate::document) const CSV: Format = Format {
    name: "csv",
    extensions: &["csv"],
    media_types: &[
        "text/csv",
        "application/csv",
        "application/x-csv",
        "text/x-csv",
    ],
    scanner: |options| rewritten(DelimitedCells::default(), options),
    ..REWRITTEN
};

/// Tab-separated values, which have no quotes.
pub(in crate::document) const TSV: Format = Format {
    name: "tsv",
    extensions: &["tsv", "tab"],
    media_types: &["text/tab-separated-values"],
    split_point: Some(SplitPoint::Line(|bytes| {
        Some(memchr::memchr(b'\n', bytes)? + 1)
    })),
    scanner: |options| {
        let cells = DelimitedCells {
            declared: Some(b'\t'),
            ..DelimitedCells::default()
        };
        rewritten(cells, options)
    },
    ..CSV
};

/// Returns the one of `,` and `;` that the first record has more of, or `None` if more bytes decide.
fn separator(head: &[u8], last: bool) -> Option<u8> {
    let head = &head[..head.len().min(MAX_WAIT)];
    let (mut in_quotes, mut semicolons) = (false, 0);
    let mut is_whole = last || head.len() == MAX_WAIT;
    for &byte in head {
        match byte {
            b'"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            b',' => semicolons -= 1,
            b';' => semicolons += 1,
            b'\r' | b'\n' => {
                is_whole = true;
                break;
            }
            _ => {}
        }
    }
    is_whole.then_some(if semicolons > 0 { b';' } else { b',' })
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CellPlace {
    #[default]
    Start,
    Inside,
    Quoted,
}

/// Writes each line of a cell as a paragraph, beyond which no URI goes.
#[derive(Debug, Default)]
struct DelimitedCells {
    /// The byte between the cells of a record, if the format has but one.
    declared: Option<u8>,
    /// The same, once the table has begun.
    separator: Option<u8>,
    place: CellPlace,
    offset: u64,
    /// The offset of the last quote that opened a cell.
    quote: u64,
}

impl Rewrite for DelimitedCells {
    fn begin(&mut self, offset: u64) {
        *self = DelimitedCells {
            offset,
            declared: self.declared,
            ..DelimitedCells::default()
        };
    }

    fn push(&mut self, text: &[u8], last: bool, out: &mut DecodedText) -> usize {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        let mut at = 0;
        if self.separator.is_none() {
            if text.len() < MARK.len() && !last {
                return 0;
            }
            self.separator = self.declared.or_else(|| separator(text, last));
            if self.separator.is_some() && text.starts_with(MARK) {
                at = MARK.len();
                out.map.skip(at);
            }
        }
        let Some(separator) = self.separator else {
            return 0;
        };
        let has_quotes = separator != b'\t';
        while at < text.len() {
            let rest = &text[at..];
            if self.place == CellPlace::Start && has_quotes && rest[0] == b'"' {
                self.place = CellPlace::Quoted;
                self.quote = self.offset + at as u64;
                out.map.skip(1);
                at += 1;
                continue;
            }
            let stop = match self.place {
                CellPlace::Quoted => b'"',
                _ => separator,
            };
            let run = memchr3(stop, b'\n', b'\r', rest).unwrap_or(rest.len());
            out.copy(&rest[..run]);
            at += run;
            if run > 0 && self.place == CellPlace::Start {
                self.place = CellPlace::Inside;
            }
            match (rest.get(run), self.place) {
                (None, _) => break,
                (Some(b'"'), CellPlace::Quoted) => match rest.get(run + 1) {
                    None if !last => break,
                    Some(b'"') => {
                        out.put(b"\"", 2);
                        at += 2;
                    }
                    _ => {
                        self.place = CellPlace::Inside;
                        out.map.skip(1);
                        at += 1;
                    }
                },
                (Some(_), place) => {
                    // The end of a cell, or of a line in one.
                    out.put(b"\n\n", 1);
                    at += 1;
                    if place != CellPlace::Quoted {
                        self.place = CellPlace::Start;
                    }
                }
            }
        }
        self.offset += at as u64;
        at
    }

    fn fault(&self) -> Option<(&'static Code, u64)> {
        (self.place == CellPlace::Quoted).then_some((&diagnostic::CSV_UNCLOSED_QUOTE, self.quote))
    }
}
