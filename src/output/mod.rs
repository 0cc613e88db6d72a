//! Layer 5: links to bytes. Text, JSON Lines, CSV, TSV and Arrow are one row each of [`OUTPUTS`].
//!
//! Every writer appends to a buffer of the caller and allocates nothing. The contents of a record are
//! the table [`FIELDS`](field::FIELDS); a format writes each [`Value`](field::Value).

mod cdxj;
pub mod column;
pub(crate) mod csv;
pub mod escape;
pub mod field;
pub mod json;
mod layout;
pub mod record;
pub(crate) mod schema;
pub mod table;
pub(crate) mod text;

use crate::linker::{Diagnostic, Link};
use escape::push_decimal;
use record::{ArchiveRecord, Counted, Failure, Summary};
use table::TableFormat;

pub use layout::{Formulas, Layout, LocationPrefix};
pub use record::DocumentPath;

/// An output format.
pub struct Output {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// Appends the lines before the first record.
    pub header: fn(&Layout, &mut Vec<u8>),
    /// How links are written.
    pub(crate) links: LinkForm,
    /// Writers of other records than links; `None` if these are messages on standard error.
    pub(crate) others: Option<RecordWriters>,
}

/// How an output format writes links.
pub(crate) enum LinkForm {
    /// Lines of text, for people: appends a link.
    Text(fn(&Layout, &DocumentPath, &Link<'_>, &mut Vec<u8>)),
    /// One after the other: appends a link.
    Lines(fn(&Layout, &DocumentPath, &Link<'_>, &mut Vec<u8>)),
    /// Records of web archives, one after the other, and no links.
    Index(fn(&Layout, &DocumentPath, &Link<'_>, &mut Vec<u8>)),
    /// Many at a time, in columns.
    Table(TableFormat),
}

/// The writers of an output format for other records than links.
pub(crate) struct RecordWriters {
    /// Appends a diagnostic.
    pub diagnostic: fn(&DocumentPath, &Diagnostic<'_>, &mut Vec<u8>),
    /// Appends an error.
    pub failure: fn(&DocumentPath, &Failure<'_>, &mut Vec<u8>),
    /// Appends the record of an archive.
    pub archive: fn(&DocumentPath, &ArchiveRecord, &mut Vec<u8>),
    /// Appends the keys of `--count-by`, a value of each, and the number of links with these.
    pub count: fn(Counted<'_>, u64, &mut Vec<u8>),
    /// Appends the summary.
    pub summary: fn(&Summary, &mut Vec<u8>),
}

/// Every output format, one row each.
pub(crate) static OUTPUTS: &[Output] = &[
    Output {
        name: "text",
        header: |_, _| {},
        links: LinkForm::Text(text::push_link),
        others: None,
    },
    Output {
        name: "jsonl",
        header: |_, _| {},
        links: LinkForm::Lines(json::push_link),
        others: Some(RecordWriters {
            diagnostic: json::push_diagnostic,
            failure: json::push_failure,
            archive: json::push_archive,
            count: json::push_counted,
            summary: |summary, out| json::push_stats(summary, None, out),
        }),
    },
    Output {
        name: "csv",
        header: |layout, out| csv::push_header(layout, b',', out),
        links: LinkForm::Lines(|layout, path, link, out| {
            csv::push_row(layout, path, link, b',', csv::quote, out);
        }),
        others: None,
    },
    Output {
        name: "tsv",
        header: |layout, out| csv::push_header(layout, b'\t', out),
        links: LinkForm::Lines(|layout, path, link, out| {
            csv::push_row(layout, path, link, b'\t', csv::escape_cell, out);
        }),
        others: None,
    },
    Output {
        name: "cdxj",
        header: |_, _| {},
        links: LinkForm::Index(cdxj::push_record),
        others: None,
    },
    #[cfg(feature = "arrow")]
    Output {
        name: "arrow",
        header: |_, _| {},
        links: LinkForm::Table(TableFormat::Stream),
        others: None,
    },
    #[cfg(feature = "parquet")]
    Output {
        name: "parquet",
        header: |_, _| {},
        links: LinkForm::Table(TableFormat::Parquet),
        others: None,
    },
];

impl Default for &Output {
    fn default() -> Self {
        &OUTPUTS[0]
    }
}

impl Output {
    /// The formats that a build may lack, named as the features of the package that bring them.
    pub(crate) const FEATURES: [&'static str; 2] = ["arrow", "parquet"];

    /// Appends the number of links with values of some keys: a record, or a line with `-` for an empty value.
    pub(crate) fn count(
        &self,
        layout: &Layout,
        counted: Counted<'_>,
        count: u64,
        out: &mut Vec<u8>,
    ) {
        if let Some(others) = &self.others {
            return (others.count)(counted, count, out);
        }
        push_decimal(count, out);
        for (index, value) in counted.1.iter().enumerate() {
            if index > 0 {
                // The terminator of the value before.
                out.pop();
            }
            out.push(b'\t');
            let value = if value.is_empty() { b"-" } else { *value };
            text::push_line(layout, value, out);
        }
    }

    /// Appends a link, to formats that write one after the other.
    pub fn push_link(
        &self,
        layout: &Layout,
        path: &DocumentPath,
        link: &Link<'_>,
        out: &mut Vec<u8>,
    ) {
        if let LinkForm::Text(push) | LinkForm::Lines(push) | LinkForm::Index(push) = self.links {
            push(layout, path, link, out);
        }
    }

    /// Returns whether links are written as text, without keys.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.links, LinkForm::Text(_))
    }

    /// Returns whether the format is an index of records, which holds no links.
    pub(crate) fn is_index(&self) -> bool {
        matches!(self.links, LinkForm::Index(_))
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
