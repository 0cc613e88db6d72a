//! Tables of comma- and tab-separated values: each cell is a text (rules T42 and T43).

use memchr::memchr3;

use super::TextOptions;
use super::rewritten::{MAX_WAIT, Rewrite, RewrittenText};
use super::scanner::{self, BOUNDS, REWRITTEN_BOUNDS, TextScanner};
use crate::decode::RecordOffsets;
use crate::decode::offset_map::OffsetMap;
use crate::document::diagnostic::{self, Code};
use crate::document::{Format, Scan, SplitPoint};

/// Comma-separated values (RFC 4180). A line may begin inside quotes, so nothing splits them.
pub(in crate::document) const CSV: Format = Format {
    name: "csv",
    extensions: &["csv"],
    file_names: &[],
    media_types: &[
        "text/csv",
        "application/csv",
        "application/x-csv",
        "text/x-csv",
    ],
    bounds: REWRITTEN_BOUNDS,
    split_point: None,
    scanner: |options| table(Separator::Unknown, &options.text),
    ..scanner::FORMAT
};

/// Tab-separated values, which have no quotes.
pub(in crate::document) const TSV: Format = Format {
    name: "tsv",
    extensions: &["tsv", "tab"],
    file_names: &[],
    media_types: &["text/tab-separated-values"],
    split_point: Some(SplitPoint::Line(|bytes| {
        Some(memchr::memchr(b'\n', bytes)? + 1)
    })),
    scanner: |options| table(Separator::Tab, &options.text),
    ..CSV
};

fn table(separator: Separator, options: &TextOptions) -> Box<dyn Scan> {
    let cells = Cells {
        first: separator,
        ..Cells::default()
    };
    let scanner = TextScanner::new(options.clone());
    Box::new(RewrittenText::new(cells, scanner, BOUNDS))
}

/// The byte between the cells of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Separator {
    /// The one of `,` and `;` that the first record has more of.
    #[default]
    Unknown,
    Comma,
    Semicolon,
    Tab,
}

impl Separator {
    /// Returns the separator of a table whose first record is in the bytes, or `None` if more bytes may
    /// decide.
    fn of(head: &[u8], last: bool) -> Option<Self> {
        let head = &head[..head.len().min(MAX_WAIT)];
        let (mut in_quotes, mut commas, mut semicolons) = (false, 0, 0);
        let mut is_whole = last || head.len() == MAX_WAIT;
        for &byte in head {
            match byte {
                b'"' => in_quotes = !in_quotes,
                _ if in_quotes => {}
                b',' => commas += 1,
                b';' => semicolons += 1,
                b'\r' | b'\n' => {
                    is_whole = true;
                    break;
                }
                _ => {}
            }
        }
        is_whole.then_some(match semicolons > commas {
            true => Separator::Semicolon,
            false => Separator::Comma,
        })
    }

    fn byte(self) -> u8 {
        match self {
            Separator::Unknown | Separator::Comma => b',',
            Separator::Semicolon => b';',
            Separator::Tab => b'\t',
        }
    }
}

/// The place in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CellPlace {
    #[default]
    Start,
    Inside,
    Quoted,
}

/// Writes each line of a cell as a paragraph, beyond which no URI goes.
#[derive(Debug, Default)]
struct Cells {
    /// The separator that a document begins with.
    first: Separator,
    separator: Separator,
    place: CellPlace,
    has_begun: bool,
    /// The offset of the next byte.
    offset: u64,
    /// The offset of the last quote that opened a cell.
    quote: u64,
}

impl Cells {
    /// Ends the text of a cell, or of a line in one.
    fn end(out: &mut Vec<u8>, map: &mut OffsetMap) {
        out.extend_from_slice(b"\n\n");
        map.put(2, 1);
    }
}

impl Rewrite for Cells {
    fn begin(&mut self, offset: u64) {
        *self = Cells {
            offset,
            first: self.first,
            separator: self.first,
            ..Cells::default()
        };
    }

    fn push(&mut self, text: &[u8], last: bool, out: &mut Vec<u8>, map: &mut OffsetMap) -> usize {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        let mut at = 0;
        if !self.has_begun {
            if text.len() < MARK.len() && !last {
                return 0;
            }
            if self.separator == Separator::Unknown {
                match Separator::of(text, last) {
                    Some(separator) => self.separator = separator,
                    None => return 0,
                }
            }
            self.has_begun = true;
            if text.starts_with(MARK) {
                at = MARK.len();
                map.skip(at);
            }
        }
        let (separator, has_quotes) = (self.separator.byte(), self.separator != Separator::Tab);
        while at < text.len() {
            let rest = &text[at..];
            if self.place == CellPlace::Start && has_quotes && rest[0] == b'"' {
                self.place = CellPlace::Quoted;
                self.quote = self.offset + at as u64;
                map.skip(1);
                at += 1;
                continue;
            }
            let stop = match self.place {
                CellPlace::Quoted => b'"',
                _ => separator,
            };
            let run = memchr3(stop, b'\n', b'\r', rest).unwrap_or(rest.len());
            out.extend_from_slice(&rest[..run]);
            map.copy(run);
            at += run;
            if run > 0 && self.place == CellPlace::Start {
                self.place = CellPlace::Inside;
            }
            match (rest.get(run), self.place) {
                (None, _) => break,
                (Some(b'"'), CellPlace::Quoted) => match rest.get(run + 1) {
                    None if !last => break,
                    Some(b'"') => {
                        out.push(b'"');
                        map.put(1, 2);
                        at += 2;
                    }
                    _ => {
                        self.place = CellPlace::Inside;
                        map.skip(1);
                        at += 1;
                    }
                },
                (Some(_), place) => {
                    Self::end(out, map);
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
        (self.place == CellPlace::Quoted).then_some((&diagnostic::CSV_UNCLOSED, self.quote))
    }
}
