//! Batches whose strings are numbers of strings in a dictionary (`--dictionaries`).

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat;

/// Joins batches, with the columns of a schema that has dictionaries where the batches have strings.
///
/// Lists have strings in both: DuckDB 2.0 refuses a batch whose lists are all empty where their items are
/// numbers of a dictionary.
pub(super) fn join(parts: &[RecordBatch], schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().enumerate().map(|(index, field)| {
        let parts = parts.iter().map(|part| part.column(index));
        match field.data_type() {
            DataType::Dictionary(..) => encode(parts.flat_map(|part| part.as_string::<i32>())),
            _ => concat(&parts.map(AsRef::as_ref).collect::<Vec<_>>()),
        }
    });
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<_, _>>()?)
}

/// Returns strings as numbers of strings in the order of their first rows.
fn encode<'a>(strings: impl Iterator<Item = Option<&'a str>>) -> Result<ArrayRef, ArrowError> {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    let mut values = strings.peekable();
    while let Some(value) = values.next() {
        let mut count = 1;
        while values.next_if_eq(&value).is_some() {
            count += 1;
        }
        match value {
            Some(value) => _ = builder.append_n(value, count)?,
            None => builder.append_nulls(count),
        }
    }
    Ok(Arc::new(builder.finish()))
}
