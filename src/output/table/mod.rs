//! The table of links: a row each, in columns, as batches of Arrow or a file of Parquet.
//!
//! Workers put the links of a document into a [`RowBlock`]; the writer, which gets the blocks in the
//! order of the documents, joins them into batches. [`column`](self::column) has a row for each column.
//!
#![doc = include_str!("rules.md")]

#[cfg(feature = "arrow")]
pub(crate) mod arrow;
pub(crate) mod batch;
pub mod column;
pub(crate) mod rows;

use std::fmt;
use std::io::{self, Write};

pub(crate) use batch::{BatchLimits, RowBatch, TableWriter};
pub(crate) use column::{ColumnSet, TableColumn, columns, push_schema};
pub(crate) use rows::RowBlock;

/// Writes batches in a format.
pub(crate) trait TableEncoder: fmt::Debug + Send {
    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// Those of the output.
    fn write(&mut self, batch: RowBatch, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the end of the table, which only a complete one has.
    ///
    /// # Errors
    ///
    /// Those of the output.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}
