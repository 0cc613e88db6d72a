//! Columns whose strings are numbers of strings in a dictionary (`--dictionaries`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;

/// Returns the bytes of the strings in some rows, with repetitions.
pub(super) fn string_bytes(column: &DictionaryArray<Int32Type>, rows: &Range<usize>) -> usize {
    let offsets = column.values().as_string::<i32>().value_offsets();
    let length = |key: i32| (offsets[key as usize + 1] - offsets[key as usize]) as usize;
    let keys = column.keys().slice(rows.start, rows.len());
    keys.iter().flatten().map(length).sum()
}

/// Joins parts of blocks. The numbers of the strings are in the order of their first rows.
pub(super) fn join(parts: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let schema = parts[0].schema();
    let columns = schema.fields().iter().enumerate().map(|(index, field)| {
        let parts: Vec<_> = (parts.iter().map(|part| part.column(index).as_ref())).collect();
        match field.data_type() {
            DataType::Dictionary(..) => renumber(parts.iter().map(|part| part.as_dictionary())),
            _ => concat(&parts),
        }
    });
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema, columns)
}

fn renumber<'a>(
    parts: impl Iterator<Item = &'a DictionaryArray<Int32Type>>,
) -> Result<ArrayRef, ArrowError> {
    let mut strings = StringBuilder::new();
    let mut numbers = HashMap::new();
    let keys = parts.map(|part| {
        let texts = part.values().as_string::<i32>();
        let mut renumbered = vec![None; texts.len()];
        for key in part.keys().iter().flatten() {
            let number = &mut renumbered[key as usize];
            if number.is_none() {
                let (text, next) = (texts.value(key as usize), numbers.len() as i32);
                *number = Some(*numbers.entry(text).or_insert_with(|| {
                    strings.append_value(text);
                    next
                }));
            }
        }
        let renumber = |key: i32| renumbered[key as usize].unwrap_or_default();
        match part.null_count() {
            0 => part.keys().unary(renumber),
            // The key of a null is always 0.
            _ => part.keys().iter().map(|key| key.map(renumber)).collect(),
        }
    });
    let keys: Vec<PrimitiveArray<Int32Type>> = keys.collect();
    let keys: Vec<_> = keys.iter().map(|keys| keys as &dyn Array).collect();
    let keys = concat(&keys)?.as_primitive::<Int32Type>().clone();
    let strings = Arc::new(strings.finish());
    Ok(Arc::new(DictionaryArray::new(keys, strings)))
}
