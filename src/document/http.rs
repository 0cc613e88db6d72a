//! References in header fields of HTTP: `Location` (RFC 9110 section 10.2.2), `Link` (RFC 8288) and
//! `Refresh`; and the `outlink` fields in which crawlers note the links of a page.

use std::iter;
use std::ops::Range;

use super::events::{Context, Event, Events, FoundReference, NameRange, RuleFamily, Span};
use super::html::refresh;
use super::{Format, FormatOptions, Scan, ScanStart, text};
use crate::bytes::lines::Position;
use crate::bytes::pattern::Pattern;
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::Conversion;

/// The longest header block that is read, in bytes.
pub(crate) const LONGEST_HEADER: usize = 1 << 20;

/// Header blocks of HTTP, with the line before them.
pub(crate) const HEADER: Format = Format {
    name: "http",
    extensions: &[],
    family: RuleFamily::Markup,
    bounds: Bounds::new(0, LONGEST_HEADER + 1),
    conversion: Conversion::Never,
    scanner: |options| FieldScanner::boxed(FIELDS, options),
    ..text::UNSPLIT
};

/// Fields of the metadata that crawlers keep (`application/warc-fields`).
pub(crate) const METADATA: Format = Format {
    name: "warc-fields",
    scanner: |options| FieldScanner::boxed(METADATA_FIELDS, options),
    ..HEADER
};

/// A header field that holds references.
pub(super) struct HttpField {
    pub(super) name: &'static str,
    syntax: HttpFieldSyntax,
    /// Whether it is read only if all fields are requested.
    is_trace: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HttpFieldSyntax {
    Whole,
    /// The value begins with one, before a blank.
    FirstWord,
    /// In angle brackets outside quotes.
    Links,
    /// After a number of seconds.
    Refresh,
}

#[rustfmt::skip]
static FIELDS: &[HttpField] = &[
    HttpField { name: "location", syntax: HttpFieldSyntax::Whole, is_trace: false },
    HttpField { name: "link", syntax: HttpFieldSyntax::Links, is_trace: false },
    HttpField { name: "refresh", syntax: HttpFieldSyntax::Refresh, is_trace: false },
    HttpField { name: "referer", syntax: HttpFieldSyntax::Whole, is_trace: true },
];

#[rustfmt::skip]
static METADATA_FIELDS: &[HttpField] = &[
    HttpField { name: "outlink", syntax: HttpFieldSyntax::FirstWord, is_trace: false },
];

impl HttpField {
    #[cfg(feature = "mail")]
    fn is_reported(&self, options: &FormatOptions) -> bool {
        use super::mail::Headers;
        match options.mail.headers {
            Headers::None => false,
            Headers::Known => !self.is_trace,
            Headers::All => true,
        }
    }

    #[cfg(not(feature = "mail"))]
    fn is_reported(&self, _options: &FormatOptions) -> bool {
        !self.is_trace
    }

    /// Returns the field of a name, in any case, if the options ask for it.
    pub(super) fn named(name: &[u8], options: &FormatOptions) -> Option<&'static Self> {
        Self::find(FIELDS, name).filter(|field| field.is_reported(options))
    }

    fn find(table: &'static [HttpField], name: &[u8]) -> Option<&'static Self> {
        let mut fields = table.iter();
        fields.find(|field| name.eq_ignore_ascii_case(field.name.as_bytes()))
    }

    pub(super) fn references(&self, value: &[u8]) -> Vec<Range<usize>> {
        let word = value.iter().position(u8::is_ascii_whitespace);
        let ranges = match self.syntax {
            HttpFieldSyntax::Links => link_targets(value),
            HttpFieldSyntax::Whole => Vec::from_iter(Some(0..value.len())),
            HttpFieldSyntax::FirstWord => Vec::from_iter(Some(0..word.unwrap_or(value.len()))),
            HttpFieldSyntax::Refresh => Vec::from_iter(refresh(value, 0..value.len())),
        };
        let trimmed = ranges.into_iter().map(|range| trimmed(value, range));
        trimmed.filter(|range| !range.is_empty()).collect()
    }
}

fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_ascii_start().len());
    start..start + inner.trim_ascii().len()
}

pub(crate) struct HttpLine<'a> {
    pub(crate) name: &'a [u8],
    /// The trimmed range in the block; it may have line breaks.
    pub(crate) value: Range<usize>,
    line: u64,
}

/// Returns a name in lower case; an empty one if it is longer than the buffer.
pub(crate) fn lower_case<'b>(name: &[u8], buffer: &'b mut [u8]) -> &'b [u8] {
    let Some(lower) = buffer.get_mut(..name.len()) else {
        return &[];
    };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    lower
}

/// Returns the fields of a header block, whose lines may end in LF alone; skips other lines, such as
/// the status line. Continuation lines begin with white space (RFC 9112 section 5.2).
pub(crate) fn fields(block: &[u8]) -> impl Iterator<Item = HttpLine<'_>> {
    let (mut at, mut lines) = (0, 0);
    let line_end = |at: usize| {
        let rest = block.get(at..).unwrap_or_default();
        at + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    };
    iter::from_fn(move || {
        while at < block.len() {
            let (start, mut end) = (at, line_end(at));
            let text = &block[start..end];
            let colon = memchr::memchr(b':', text).unwrap_or_default();
            let name = text[..colon].trim_ascii_end();
            let is_field = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
            (at, lines) = (end + 1, lines + 1);
            if !is_field {
                continue;
            }
            let line = lines;
            while matches!(block.get(at), Some(b'\t' | b' ')) {
                end = line_end(at);
                (at, lines) = (end + 1, lines + 1);
            }
            let value = trimmed(block, start + colon + 1..end);
            return Some(HttpLine { name, value, line });
        }
        None
    })
}

/// Returns whether a header block has fields with references.
pub(crate) fn has_references(block: &[u8]) -> bool {
    fields(block).any(|field| HttpField::find(FIELDS, field.name).is_some())
}

struct FieldScanner {
    table: &'static [HttpField],
    options: FormatOptions,
}

impl FieldScanner {
    fn boxed(table: &'static [HttpField], options: &FormatOptions) -> Box<dyn Scan> {
        let options = options.clone();
        Box::new(FieldScanner { table, options })
    }

    fn report(&self, block: &[u8], line: &HttpLine<'_>, events: &mut Events) {
        let field = HttpField::find(self.table, line.name);
        let Some(field) = field.filter(|field| field.is_reported(&self.options)) else {
            return;
        };
        for range in field.references(&block[line.value.clone()]) {
            let range = line.value.start + range.start..line.value.start + range.end;
            let text = events.store_with(|store| {
                let broken = |byte: &&u8| !matches!(byte, b'\r' | b'\n');
                store.extend(block[range.clone()].iter().filter(broken));
            });
            // Values have no columns.
            let (line, column) = (line.line, 0);
            events.push(Event::Reference(FoundReference {
                attribute: NameRange::Known(field.name),
                position: Some(Position { line, column }),
                ..FoundReference::new(Span::at(0, &range), text, Context::Header)
            }));
        }
    }
}

impl Scan for FieldScanner {
    fn begin(&mut self, _start: &ScanStart) {}

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let block = &window.bytes[window.start..];
        if window.offset_at(window.start) == 0 {
            if !window.last && block.len() <= LONGEST_HEADER {
                return window.start;
            }
            for line in fields(block) {
                self.report(block, &line, events);
            }
        }
        window.bytes.len()
    }
}

/// A target in angle brackets, which is the group, at the start of a link-value; or a string in quotes. Either goes
/// to the end of the field if nothing closes it, so that all matches together take linear time.
static LINK_TARGET: Pattern = Pattern::new(concat!(
    r#"(?:^|,)(?:[ \t\n\f\r]|"(?:\\.?|[^"\\])*(?:"|$))*<([^>]*)(?:>|$)"#,
    r#"|"(?:\\.?|[^"\\])*(?:"|$)"#,
));

/// Returns the targets of a `Link` field (RFC 8288 section 3).
fn link_targets(value: &[u8]) -> Vec<Range<usize>> {
    let targets = LINK_TARGET.groups(value, 0).map(|[_, target]| target);
    let is_closed = |target: &Range<usize>| value.get(target.end) == Some(&b'>');
    targets.filter(is_closed).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/document/http.rs"]
mod tests;
