//! The table of links: a row each, in columns, as batches of Arrow or a file of Parquet.
//!
//! Workers put the links of a document into a [`RowBlock`]; the writer, which gets the blocks in the
//! order of the documents, joins them into batches. `column` has a row for each column.
//!
#![doc = include_str!("rules.md")]

#[cfg(feature = "arrow")]
pub(crate) mod arrow;
pub(crate) mod batch;
pub mod column;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod rows;
mod syntax;
mod values;
pub(crate) mod writer;

pub(crate) use batch::BatchLimits;
pub(crate) use column::{ColumnSet, TableColumn, columns, push_schema};
pub(crate) use rows::RowBlock;
pub(crate) use writer::{TableEncoder, TableWriter};
