//! Lists, which the encoders of the library write.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, ListArray, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use super::super::arrow::item;
use super::super::batch::BatchNames;
use super::super::values::{ABSENT, Lists, Sparse, Strings, Values};

/// Returns the values of so many rows, and which of them are there; none if all are.
fn rows<T: Copy + PartialEq>(
    values: Sparse<T>,
    absent: T,
    rows: usize,
) -> (Vec<T>, Option<NullBuffer>) {
    let is_empty = values.values().is_empty();
    let (values, has_gaps) = values.into_rows(rows);
    let nulls = match has_gaps {
        false => None,
        true if is_empty => Some(NullBuffer::new_null(rows)),
        true => {
            let is_valid = |row: usize| values[row] != absent;
            Some(BooleanBuffer::collect_bool(rows, is_valid).into())
        }
    };
    // All may be there after all: a block has more rows than those that were taken from it.
    (values, nulls.filter(|nulls| nulls.null_count() > 0))
}

/// Returns where strings or lists begin, and which of them are there; none if all are.
fn offsets(lengths: Sparse<i32>, count: usize) -> (OffsetBuffer<i32>, Option<NullBuffer>) {
    let (lengths, nulls) = rows(lengths, ABSENT, count);
    let mut end = 0;
    let ends = lengths.iter().map(|&length| {
        // INVARIANT: the sum of lengths is below 2^31, or the strings had not been added.
        end += length.max(0);
        end
    });
    let offsets: Vec<i32> = std::iter::once(0).chain(ends).collect();
    (OffsetBuffer::new(ScalarBuffer::from(offsets)), nulls)
}

fn names(names: BatchNames, count: usize) -> Result<ArrayRef, ArrowError> {
    let (mut codes, nulls) = rows(names.codes, ABSENT, count);
    if nulls.is_some() {
        for code in &mut codes {
            *code = (*code).max(0);
        }
    }
    let keys = Int32Array::try_new(ScalarBuffer::from(codes), nulls)?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(names.dictionary.values.offsets));
    let bytes = Buffer::from_vec(names.dictionary.values.bytes);
    let values = StringArray::try_new(offsets, bytes, None)?;
    let names = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))?;
    Ok(Arc::new(names))
}

fn strings(strings: Strings, count: usize) -> Result<ArrayRef, ArrowError> {
    let (offsets, nulls) = offsets(strings.lengths, count);
    let bytes = Buffer::from_vec(strings.bytes);
    Ok(Arc::new(BinaryArray::try_new(offsets, bytes, nulls)?))
}

/// Returns some of so many rows of lists.
pub(super) fn lists(
    lists: &Lists<BatchNames>,
    count: usize,
    rows: &Range<usize>,
) -> Result<ArrayRef, ArrowError> {
    let lists = lists.clone();
    let (offsets, nulls) = offsets(lists.counts, count);
    let items = match *lists.items {
        Values::Names(items) => names(*items, lists.length)?,
        Values::Strings(items) => strings(items, lists.length)?,
        Values::Numbers(_) | Values::Lists(_) => {
            return Err(ArrowError::SchemaError("no column has such lists".into()));
        }
    };
    let item = item(items.data_type().clone());
    let lists = ListArray::try_new(item, offsets, items, nulls)?;
    Ok(Arc::new(lists.slice(rows.start, rows.len())))
}
