//! Columns whose strings are numbers of strings in a dictionary (`--dictionaries`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;

use super::text::formed;
use crate::output::column::ColumnKind;

/// The strings of a column of a block.
#[derive(Default)]
pub(super) struct SharedBuilder {
    strings: StringDictionaryBuilder<Int32Type>,
    /// The value of the last rows, and the same in the form of the column, if it has one.
    last: Vec<u8>,
    text: Option<String>,
    /// The number of these rows, which `strings` does not have yet.
    count: usize,
}

impl SharedBuilder {
    /// Appends a value in the form of a column of text, and returns the length of the string.
    pub(super) fn push(&mut self, value: Option<&[u8]>, kind: ColumnKind) -> usize {
        let Some(value) = value else {
            self.flush();
            self.strings.append_null();
            return 0;
        };
        if self.count == 0 || self.last != value {
            self.flush();
            self.last.clear();
            self.last.extend_from_slice(value);
            self.text = formed(value, kind).map(String::from);
        }
        self.count += 1;
        self.text.as_ref().map_or(0, String::len)
    }

    fn flush(&mut self) {
        match &self.text {
            // INVARIANT: a block has fewer than 2^31 bytes of strings, so that every number fits.
            Some(text) => _ = self.strings.append_n(text, self.count),
            None => self.strings.append_nulls(self.count),
        }
        self.count = 0;
    }

    pub(super) fn finish(&mut self) -> DictionaryArray<Int32Type> {
        self.flush();
        self.strings.finish()
    }
}

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
        keys.extend(part.keys().iter().map(|key| key.map(&mut number)));
    }
    Arc::new(DictionaryArray::new(
        keys.finish(),
        Arc::new(strings.finish()),
    ))
}
