//! Rows of links, as one worker makes them.

use std::ops::Range;

use super::values::ColumnRows;
use crate::linker::Link;
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
    /// The fields, and whether [`LastRecord`] compares their values: then a run of rows continues without a look
    /// at them.
    fields: Vec<(&'static RecordField, bool)>,
    last: LastRecord,
    /// The bytes of the strings of the last row that are compared.
    shared_bytes: usize,
    block: RowBlock,
}

/// The most bytes of strings in a block: offsets have 32 bits.
const MAX_BYTES: usize = i32::MAX as usize;

impl RowBuilder {
    pub(crate) fn new(layout: &Layout) -> Self {
        let fields = layout.fields.iter().map(|&field| {
            let is_shared = field.column.is_shared() && field.scope() == ValueScope::Shared;
            (field, is_shared)
        });
        let kinds = layout.fields.iter().map(|field| field.column);
        RowBuilder {
            fields: fields.collect(),
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
        let is_repeated = self.last.is_repeated(path, link) && row > 0;
        if !is_repeated {
            self.shared_bytes = 0;
        }
        let mut bytes = 0;
        for ((field, is_shared), rows) in self.fields.iter().zip(&mut block.columns) {
            if !is_shared {
                bytes += (field.append)(path, link, row, rows);
            } else if !is_repeated {
                self.shared_bytes += (field.append)(path, link, row, rows);
            }
        }
        block.is_oversized = add(bytes + self.shared_bytes, &mut block.bytes).is_none();
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
