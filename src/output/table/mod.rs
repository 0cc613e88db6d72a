//! The table of links: a row each, in columns, as batches of Arrow or a file of Parquet.
//!
//! A worker turns links into blocks of rows with a [`RowBuilder`]; the [`TableWriter`], which gets the blocks
//! in the order of the documents, joins them into batches, and the crates of Arrow and Parquet write these.
//! The columns are the rows of [`FIELDS`](super::field::FIELDS) and of
//! [`TABLE_FIELDS`](super::field::TABLE_FIELDS).
//!
#![doc = include_str!("rules.md")]

#[cfg(not(feature = "arrow"))]
mod absent;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "arrow")]
mod rows;
#[cfg(feature = "arrow")]
mod schema;
#[cfg(feature = "arrow")]
mod time;
#[cfg(feature = "arrow")]
mod values;
#[cfg(feature = "arrow")]
mod writer;

#[cfg(not(feature = "arrow"))]
pub(crate) use absent::{RowBlock, RowBuilder, TableFormat, TableWriter};
#[cfg(feature = "arrow")]
pub(crate) use rows::{RowBlock, RowBuilder};
#[cfg(feature = "arrow")]
pub(crate) use values::ColumnRows;
#[cfg(feature = "arrow")]
pub(crate) use writer::{TableFormat, TableWriter};

use super::column::METADATA;
use super::field::RecordField;

/// Appends the names of columns with their types, one a line, and then the metadata of the schema.
pub(crate) fn push_schema(fields: &[&RecordField], has_dictionaries: bool, out: &mut Vec<u8>) {
    for field in fields {
        let (name, kind) = (field.name, field.column.type_name(has_dictionaries));
        let presence = if field.is_nullable() { "" } else { " not null" };
        out.extend_from_slice(format!("{name}: {kind}{presence}\n").as_bytes());
    }
    for (key, value) in METADATA {
        out.extend_from_slice(format!("{key}={value}\n").as_bytes());
    }
}
