//! The layout of the output: which keys or columns are shown, and how.

use std::collections::HashSet;

use super::column::ColumnSet;
use super::escape::Escape;
use super::field::{FIELDS, FieldList, RecordField, ValueScope, default_fields, table_fields};

/// The parts of a record to show, and their form.
#[derive(Clone)]
pub struct Layout {
    /// The start of a record in JSON, with its `type`.
    pub(crate) opening: String,
    /// The keys, or the columns of a table, in order.
    pub(crate) fields: FieldList,
    /// The keys after `type`, in runs of one scope.
    pub(crate) runs: Vec<FieldRun>,
    /// Arrow: strings that many rows share are numbers of strings in a dictionary, which each batch replaces.
    pub has_dictionaries: bool,
    /// Text: the location before the target.
    pub location: LocationPrefix,
    /// Text: the byte that ends a line.
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

/// Keys in a row whose values have one scope.
#[derive(Clone, Debug)]
pub(crate) struct FieldRun {
    pub(crate) scope: ValueScope,
    pub(crate) fields: FieldList,
}

impl Default for Layout {
    fn default() -> Self {
        Layout::of_records(default_fields().collect())
    }
}

impl Layout {
    /// Returns the layout of these keys, of which each is shown once.
    pub(crate) fn of_records(mut fields: FieldList) -> Self {
        let mut seen = HashSet::new();
        fields.retain(|field| seen.insert(field.name));
        let is_type = |field: &&RecordField| std::ptr::eq(*field, &FIELDS[0]);
        let after_type = fields.iter().copied().filter(|field| !is_type(field));
        let after_type: Vec<_> = after_type.collect();
        let runs = after_type.chunk_by(|one, next| one.scope() == next.scope());
        let runs = runs.map(|fields| FieldRun {
            scope: fields[0].scope(),
            fields: fields.to_vec(),
        });
        Layout {
            opening: r#"{"type":"link""#.to_owned(),
            runs: runs.collect(),
            fields,
            has_dictionaries: false,
            location: LocationPrefix::default(),
            terminator: b'\n',
            escape: Escape::default(),
            color: false,
            hyperlinks: false,
            protects_formulas: false,
        }
    }

    /// Shows other records, with the same form.
    pub(crate) fn with_records(self, kind: &'static str, fields: FieldList) -> Self {
        let Layout { fields, runs, .. } = Layout::of_records(fields);
        Layout {
            opening: format!(r#"{{"type":"{kind}""#),
            fields,
            runs,
            ..self
        }
    }

    /// Returns the layout of a table, with the descriptions of links in markup if `described`.
    pub fn of_table(set: ColumnSet, described: bool) -> Self {
        Layout::of_records(table_fields(set, described))
    }
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
