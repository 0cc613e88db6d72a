//! Layer 5: links to bytes. Text, JSON Lines, CSV, TSV and Arrow are one row each of [`OUTPUTS`].
//!
//! Every writer appends to a buffer of the caller and allocates nothing for a link. The contents of a record are
//! the table [`FIELDS`](field::FIELDS); a format writes each [`Value`](column::Value).

mod cdxj;
pub mod column;
pub(crate) mod csv;
pub mod escape;
pub mod field;
pub mod json;
mod layout;
pub(crate) mod link_record;
pub mod record;
pub(crate) mod schema;
pub mod table;
pub(crate) mod text;

use crate::linker::Link;
use escape::push_decimal;
use record::Counted;
use table::TableFormat;

pub use layout::{Layout, LocationPrefix};
pub use record::DocumentPath;

/// An output format.
pub struct Output {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// How links are written.
    pub(crate) links: LinkForm,
}

/// How an output format writes links.
pub(crate) enum LinkForm {
    /// Lines of text, for people.
    Text,
    /// Lines of JSON, among records of other kinds.
    Json,
    /// Rows after a header: the separator of the cells, and what escapes a cell.
    Cells(u8, fn(usize, &mut Vec<u8>)),
    /// Records of web archives, and no links.
    Index,
    /// Many at a time, in columns.
    Table(TableFormat),
}

/// Every output format, one row each.
pub(crate) static OUTPUTS: &[Output] = &[
    row("text", LinkForm::Text),
    row("jsonl", LinkForm::Json),
    row("csv", LinkForm::Cells(b',', csv::quote)),
    row("tsv", LinkForm::Cells(b'\t', csv::escape_cell)),
    row("cdxj", LinkForm::Index),
    #[cfg(feature = "arrow")]
    row("arrow", LinkForm::Table(TableFormat::Stream)),
    #[cfg(feature = "parquet")]
    row("parquet", LinkForm::Table(TableFormat::Parquet)),
];

const fn row(name: &'static str, links: LinkForm) -> Output {
    Output { name, links }
}

impl Default for &Output {
    fn default() -> Self {
        &OUTPUTS[0]
    }
}

impl Output {
    /// The formats that a build may lack, named as the features of the package that bring them.
    pub(crate) const FEATURES: [&'static str; 2] = ["arrow", "parquet"];

    /// Appends the lines before the first record.
    pub fn header(&self, layout: &Layout, out: &mut Vec<u8>) {
        if let LinkForm::Cells(separator, _) = self.links {
            csv::push_header(layout, separator, out);
        }
    }

    /// Appends the number of links with values of some keys: a record, or a line with `-` for an empty value.
    pub(crate) fn count(&self, layout: &Layout, keyed: Counted<'_>, count: u64, out: &mut Vec<u8>) {
        if self.has_records() {
            return json::push_counted(keyed, count, out);
        }
        push_decimal(count, out);
        for (index, value) in keyed.1.iter().enumerate() {
            if index > 0 {
                // The terminator of the value before.
                out.pop();
            }
            out.push(b'\t');
            let value = if value.is_empty() { b"-" } else { *value };
            text::push_line(layout, value, out);
        }
    }

    /// Returns whether links are written as text, without keys.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.links, LinkForm::Text)
    }

    /// Returns whether there are records of other kinds than links; elsewhere these are messages.
    pub(crate) fn has_records(&self) -> bool {
        matches!(self.links, LinkForm::Json)
    }

    /// Returns whether the format is an index of records, which holds no links.
    pub(crate) fn is_index(&self) -> bool {
        matches!(self.links, LinkForm::Index)
    }

    /// Returns whether links are written as the rows of a table.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.links, LinkForm::Table(_))
    }

    /// Returns the output format of a name, as `--format` takes it.
    ///
    /// ```
    /// use uriscan::output::Output;
    /// assert_eq!(Output::named("jsonl").unwrap().name, "jsonl");
    /// assert!(Output::named("xml").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Output> {
        OUTPUTS.iter().find(|output| output.name == name)
    }
}

/// Writes links one after the other, in the formats that do.
pub struct LinkFormatter<'a> {
    output: &'a Output,
    layout: &'a Layout,
    last: link_record::LastRecord,
}

impl<'a> LinkFormatter<'a> {
    /// Creates a formatter for a format and a layout.
    pub fn new(output: &'a Output, layout: &'a Layout) -> Self {
        LinkFormatter {
            output,
            layout,
            last: link_record::LastRecord::default(),
        }
    }

    /// Appends a link.
    pub fn push(&mut self, path: &DocumentPath, link: &Link<'_>, out: &mut Vec<u8>) {
        let layout = self.layout;
        match self.output.links {
            LinkForm::Text => text::push_link(layout, path, link, out),
            LinkForm::Json => {
                link_record::open_link(layout, path, link, &mut self.last, out);
                out.extend_from_slice(b"}\n");
            }
            LinkForm::Cells(separator, protect) => {
                csv::push_row(layout, path, link, separator, protect, out);
            }
            LinkForm::Index => cdxj::push_record(layout, path, link, out),
            LinkForm::Table(_) => {}
        }
    }
}
