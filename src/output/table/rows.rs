//! Rows of links, as one worker makes them.

use std::ops::Range;

use super::values::ColumnRows;
use crate::linker::Link;
use crate::output::column::ColumnKind;
use crate::output::field::{RecordField, ValueScope};
use crate::output::layout::Layout;
use crate::output::link_record::LastRecord;
use crate::output::record::DocumentPath;

/// Rows of one worker, in the order of its document.
#[derive(Debug, Default)]
pub(crate) struct RowBlock {
    pub(super) columns: Vec<ColumnRows>,
    /// The bytes of the strings of all rows, and of those before the end of each row.
    bytes: usize,
    ends: Vec<usize>,
    /// Whether a row is too long for a table.
    pub(super) is_oversized: bool,
}

impl RowBlock {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the approximate memory of the rows, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.bytes + self.len() * self.columns.len() * size_of::<u64>()
    }

    /// Returns the bytes of the strings before a row.
    pub(super) fn bytes_before(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |last| self.ends[last])
    }

    /// Returns how many of some rows have at most `most` bytes of strings.
    pub(super) fn fitting(&self, rows: &Range<usize>, most: usize) -> usize {
        let before = self.bytes_before(rows.start);
        self.ends[rows.clone()].partition_point(|end| end - before <= most)
    }
}

/// Appends links as rows, and returns them in blocks.
pub(crate) struct RowBuilder {
    /// The fields whose values [`LastRecord`] compares, so that a run of rows continues without a look at them,
    /// and the others, with the indices of their columns.
    shared: Vec<(usize, &'static RecordField)>,
    others: Vec<(usize, &'static RecordField)>,
    last: LastRecord,
    /// The bytes of the strings of the last row that are compared.
    shared_bytes: usize,
    block: RowBlock,
}

/// The most bytes of strings in a block: offsets have 32 bits.
const MAX_BYTES: usize = i32::MAX as usize;

impl RowBuilder {
    pub(crate) fn new(layout: &Layout) -> Self {
        let fields = layout.fields.iter().copied().enumerate();
        let (shared, others) = fields.partition(|(_, field)| {
            // Alternatives are null where a row has the values of the last one; flags and bytes are each row's own.
            let is_of_row = matches!(field.column, ColumnKind::Names | ColumnKind::Bytes);
            field.scope() == ValueScope::Shared && !is_of_row
        });
        let kinds = layout.fields.iter().map(|field| field.column);
        RowBuilder {
            shared,
            others,
            last: LastRecord::default(),
            shared_bytes: 0,
            block: RowBlock {
                columns: kinds.map(ColumnRows::new).collect(),
                ..RowBlock::default()
            },
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.block.len()
    }

    /// Returns the approximate memory of these rows, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.block.weight()
    }

    pub(crate) fn push(&mut self, path: &DocumentPath, link: &Link<'_>) {
        let row = self.len();
        let block = &mut self.block;
        if block.is_oversized {
            return;
        }
        let mut append = |fields: &[(usize, &RecordField)]| -> usize {
            let append = |&(column, field): &(usize, &RecordField)| {
                (field.append)(path, link, row, &mut block.columns[column])
            };
            fields.iter().map(append).sum()
        };
        if !self.last.is_repeated(path, link) || row == 0 {
            self.shared_bytes = append(&self.shared);
        }
        let bytes = append(&self.others) + self.shared_bytes;
        block.is_oversized = add(bytes, &mut block.bytes).is_none();
        block.ends.push(block.bytes);
    }

    /// Returns the rows and continues without any.
    pub(crate) fn finish(&mut self) -> RowBlock {
        if self.len() == 0 {
            return RowBlock::default();
        }
        let columns = self.block.columns.iter_mut();
        let columns = columns.map(ColumnRows::take).collect();
        let mut taken = std::mem::take(&mut self.block);
        self.block.columns = std::mem::replace(&mut taken.columns, columns);
        taken
    }
}

/// Adds the length of the strings of a row to the bytes of a block; `None` if they are more than [`MAX_BYTES`].
fn add(length: usize, bytes: &mut usize) -> Option<()> {
    let sum = bytes.checked_add(length);
    *bytes = sum.filter(|sum| *sum <= MAX_BYTES)?;
    Some(())
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/rows.rs"]
mod tests;
