//! The layout of the output: which keys or columns are shown, and how.

use std::collections::HashSet;

use smart_default::SmartDefault;

use super::column::ColumnSet;
use super::escape::Escape;
use super::field::{FIELDS, FieldList, RecordField, default_fields, table_fields};

/// The parts of a record to show, and their form.
#[derive(Clone, SmartDefault)]
pub struct Layout {
    /// The keys, or the columns of a table, in order.
    #[default(default_fields().collect())]
    pub(crate) fields: FieldList,
    /// The keys after `type`, in runs.
    #[default(runs("link", default_fields()))]
    pub(crate) runs: Vec<FieldRun>,
    /// Arrow: strings that many rows share are numbers of strings in a dictionary, which each batch replaces.
    pub has_dictionaries: bool,
    /// Text: the location before the target.
    pub location: LocationPrefix,
    /// Text: the byte that ends a line.
    #[default(b'\n')]
    pub terminator: u8,
    /// Text: the characters of paths and targets that are escaped.
    pub(crate) escape: Escape,
    /// Text: colour locations.
    pub color: bool,
    /// Text: make targets hyperlinks of the terminal.
    pub hyperlinks: bool,
    /// CSV and TSV: put an apostrophe before cells that a spreadsheet would take for a formula.
    pub protects_formulas: bool,
}

/// Keys in a row, in the order of their scopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldRun {
    /// The text before the keys: of the first run the start of a record in JSON, with its `type`.
    pub(crate) opening: String,
    /// The keys of each [`ValueScope`](super::field::ValueScope).
    pub(crate) fields: [FieldList; 3],
}

impl Layout {
    /// Returns the layout of these keys, of which each is shown once.
    pub(crate) fn of_records(mut fields: FieldList) -> Self {
        let mut seen = HashSet::new();
        fields.retain(|field| seen.insert(field.name));
        Layout {
            runs: runs("link", fields.iter().copied()),
            fields,
            ..Layout::default()
        }
    }

    /// Shows other records, with the same form.
    pub(crate) fn with_records(self, kind: &'static str, fields: FieldList) -> Self {
        let fields = Layout::of_records(fields).fields;
        Layout {
            runs: runs(kind, fields.iter().copied()),
            fields,
            ..self
        }
    }

    /// Returns the layout of a table, with the descriptions of links in markup if `described`.
    pub fn of_table(set: ColumnSet, described: bool) -> Self {
        Layout::of_records(table_fields(set, described))
    }
}

/// Returns keys in runs, the first of which opens a record of a kind.
fn runs(kind: &str, fields: impl Iterator<Item = &'static RecordField>) -> Vec<FieldRun> {
    let mut runs = vec![FieldRun::default()];
    runs[0].opening = format!(r#"{{"type":"{kind}""#);
    for field in fields.filter(|field| !std::ptr::eq(*field, &FIELDS[0])) {
        let (scope, mut last) = (field.scope() as usize, runs.len() - 1);
        if !runs[last].fields[scope + 1..].concat().is_empty() {
            runs.push(FieldRun::default());
            last += 1;
        }
        runs[last].fields[scope].push(field);
    }
    runs
}

/// The location before a target in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocationPrefix {
    /// Show the path of the file.
    pub path: bool,
    /// Show the line and the column.
    pub position: bool,
    /// Show the offset of the first byte.
    pub offset: bool,
}
