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
mod runs;
mod schema;
#[cfg(feature = "arrow")]
mod text;
#[cfg(feature = "arrow")]
mod writer;

#[cfg(not(feature = "arrow"))]
pub(crate) use absent::{RowBlock, RowBuilder, TableFormat, TableWriter};
#[cfg(feature = "arrow")]
pub(crate) use rows::{RowBlock, RowBuilder};
pub(crate) use schema::push_schema;
#[cfg(feature = "arrow")]
pub(crate) use writer::{TableFormat, TableWriter};
