//! Batches whose strings are numbers of strings in a dictionary (`--dictionaries`).

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, SchemaRef};

/// Returns a batch with the columns of a schema that has dictionaries where the batch has strings.
///
/// Lists have strings in both: DuckDB 2.0 refuses a batch whose lists are all empty where their items are
/// numbers of a dictionary.
pub(super) fn encode(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| match field.data_type() {
        DataType::Dictionary(..) => encode_strings(column.as_string()),
        _ => Ok(Arc::clone(column)),
    });
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<_, _>>()?)
}

/// Returns strings as numbers of strings in the order of their first rows.
fn encode_strings(strings: &StringArray) -> Result<ArrayRef, ArrowError> {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    let mut values = strings.iter().peekable();
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
