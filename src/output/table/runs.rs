//! Columns of strings that many rows share: runs of equal ones in blocks, and in batches plain strings or
//! numbers of strings in a dictionary (`--dictionaries`).

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{StringBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RunArray};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat;

/// Returns the strings of a column in runs, each with the number of its rows; none of other columns.
fn runs(column: &dyn Array) -> impl Iterator<Item = (Option<&str>, usize)> {
    let runs = column.as_any().downcast_ref::<RunArray<Int32Type>>();
    runs.into_iter().flat_map(|runs| {
        let texts = runs.values().as_string::<i32>();
        let mut start = 0;
        let ends = runs.run_ends().sliced_values();
        ends.enumerate().map(move |(run, end)| {
            let run = runs.get_start_physical_index() + run;
            let count = end as usize - std::mem::replace(&mut start, end as usize);
            (texts.is_valid(run).then(|| texts.value(run)), count)
        })
    })
}

/// Returns the bytes of the strings in some rows of a column that has runs.
pub(super) fn string_bytes(column: &dyn Array, rows: &Range<usize>) -> usize {
    let rows = column.slice(rows.start, rows.len());
    let bytes = runs(&rows).map(|(text, count)| count * text.map_or(0, str::len));
    bytes.sum()
}

/// Joins parts of blocks into a batch.
pub(super) fn join(schema: &SchemaRef, parts: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().enumerate().map(|(index, field)| {
        let parts: Vec<_> = (parts.iter().map(|part| part.column(index).as_ref())).collect();
        match (parts[0].data_type(), field.data_type()) {
            (DataType::RunEndEncoded(..), DataType::Utf8) => Ok(plain(&parts)),
            (DataType::RunEndEncoded(..), _) => Ok(numbered(&parts)),
            _ => concat(&parts),
        }
    });
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new(Arc::clone(schema), columns)
}

fn plain(parts: &[&dyn Array]) -> ArrayRef {
    let rows = parts.iter().map(|part| part.len()).sum();
    let bytes = parts
        .iter()
        .map(|part| string_bytes(*part, &(0..part.len())));
    let mut texts = StringBuilder::with_capacity(rows, bytes.sum());
    for (text, count) in parts.iter().flat_map(|part| runs(*part)) {
        match text {
            Some(text) => texts.append_value_n(text, count),
            None => texts.append_nulls(count),
        }
    }
    Arc::new(texts.finish())
}

/// The numbers of the strings are in the order of their first rows.
fn numbered(parts: &[&dyn Array]) -> ArrayRef {
    let mut texts = StringDictionaryBuilder::<Int32Type>::new();
    for (text, count) in parts.iter().flat_map(|part| runs(*part)) {
        match text {
            Some(text) => texts.append_values(text, count),
            None => texts.append_nulls(count),
        }
    }
    Arc::new(texts.finish())
}
