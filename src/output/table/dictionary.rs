//! Columns whose strings are numbers of strings in a dictionary (`--dictionaries`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;

/// Returns the bytes of the strings in some rows, however often the dictionary has them.
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
            DataType::Dictionary(..) => Ok(renumber(parts.iter().map(|part| part.as_dictionary()))),
            _ => concat(&parts),
        }
    });
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema, columns)
}

fn renumber<'a>(parts: impl Iterator<Item = &'a DictionaryArray<Int32Type>>) -> ArrayRef {
    let (mut keys, mut strings) = (Int32Builder::new(), StringBuilder::new());
    let mut numbers = HashMap::new();
    for part in parts {
        let texts = part.values().as_string::<i32>();
        let mut renumbered = vec![None; texts.len()];
        let mut number = |key: i32| {
            *renumbered[key as usize].get_or_insert_with(|| {
                let (text, next) = (texts.value(key as usize), numbers.len() as i32);
                *numbers.entry(text).or_insert_with(|| {
                    strings.append_value(text);
                    next
                })
            })
        };
        match part.null_count() {
            0 => keys.append_slice(
                &part
                    .keys()
                    .values()
                    .iter()
                    .map(|key| number(*key))
                    .collect::<Vec<_>>(),
            ),
            nulls if nulls == part.len() => keys.append_nulls(nulls),
            _ => keys.extend(part.keys().iter().map(|key| key.map(&mut number))),
        }
    }
    Arc::new(DictionaryArray::new(
        keys.finish(),
        Arc::new(strings.finish()),
    ))
}
