//! Layer 5: one link to bytes. Text, JSON Lines, CSV and TSV: one file each, one row in [`OUTPUTS`].
//!
//! Every writer appends to the caller's buffer and allocates nothing. What a record holds is the
//! table [`FIELDS`](field::FIELDS); a format only says how a [`Value`](field::Value) looks.

pub mod csv;
pub mod decimal;
pub mod escape;
pub mod field;
pub mod json;
pub mod place;
pub mod record;
pub mod schema;
pub mod text;
pub mod tsv;

use crate::resolver::{Diagnostic, Link};
use escape::Escape;
use field::RecordField;
use place::DocumentPath;
use record::{ArchiveRecord, Failure, Summary};

/// An output format.
pub struct Output {
    /// The name that `--format` takes.
    pub name: &'static str,
    /// What stands before the first record.
    pub header: fn(&Layout, &mut Vec<u8>),
    /// Appends a link.
    pub link: fn(&Layout, &DocumentPath, &Link<'_>, &mut Vec<u8>),
    /// The records that are no links; without them they are told as messages.
    pub others: Option<RecordWriters>,
}

/// How an output format writes the records that are no links.
pub struct RecordWriters {
    /// Appends a diagnostic.
    pub diagnostic: fn(&DocumentPath, &Diagnostic<'_>, &mut Vec<u8>),
    /// Appends an error.
    pub failure: fn(&DocumentPath, &Failure<'_>, &mut Vec<u8>),
    /// Appends the counts of an archive.
    pub archive: fn(&DocumentPath, &ArchiveRecord, &mut Vec<u8>),
    /// Appends how often a value of a key occurred.
    pub count: fn(&str, &[u8], u64, &mut Vec<u8>),
    /// Appends the summary.
    pub summary: fn(&Summary, &mut Vec<u8>),
}

/// Every output format, one row each.
pub static OUTPUTS: &[Output] = &[text::OUTPUT, json::OUTPUT, csv::OUTPUT, tsv::OUTPUT];

impl Output {
    /// Appends how often a value of a key occurred: a record, or the count, a tab and the value, with
    /// `-` for an empty one.
    pub fn count(&self, layout: &Layout, key: &str, value: &[u8], count: u64, out: &mut Vec<u8>) {
        match &self.others {
            Some(others) => (others.count)(key, value, count, out),
            None => {
                decimal::push(count, out);
                out.push(b'\t');
                let value = if value.is_empty() { b"-" } else { value };
                text::push_line(layout, value, out);
            }
        }
    }

    /// The output format of a name, as `--format` takes it.
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

/// What a record shows, and how.
#[derive(Clone)]
pub struct Layout {
    /// The keys, in order.
    pub fields: Vec<&'static RecordField>,
    /// What stands before the target in text.
    pub location: LocationPrefix,
    /// What ends a line of text.
    pub terminator: u8,
    /// Text: which characters of paths and targets are escaped.
    pub escape: Escape,
    /// Whether locations in text are coloured.
    pub color: bool,
    /// What becomes of cells that a spreadsheet would take for a formula.
    pub formulas: Formulas,
}

/// What becomes of cells of CSV and TSV that a spreadsheet would take for a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// They stay as they are.
    #[default]
    Keep,
    /// An apostrophe is put in front.
    Protect,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            fields: field::FIELDS.iter().collect(),
            location: LocationPrefix::default(),
            terminator: b'\n',
            escape: Escape::default(),
            color: false,
            formulas: Formulas::default(),
        }
    }
}

/// What stands before the target in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocationPrefix {
    /// The path of the file.
    pub path: bool,
    /// The line and the column.
    pub position: bool,
    /// The offset of the first byte.
    pub offset: bool,
}
