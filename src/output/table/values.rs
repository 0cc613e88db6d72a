//! The values of rows in a column: appended by workers, joined by the writer, and made into an array there.

use std::borrow::Cow;
use std::ops::{BitAnd, Range};
use std::sync::Arc;

use arrow_array::builder::{StringBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, Int64Array, ListArray, StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use smart_default::SmartDefault;

use super::time::microseconds;
use crate::bytes::simd::is_ascii;
use crate::linker::lossy;
use crate::output::column::{ColumnKind, Value};
use crate::uri::percent::encode_invalid;

/// The time zone of columns of times.
pub(super) const UTC: &str = "UTC";

/// Returns the field of the items of lists.
pub(super) fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(data_type, false))
}

/// The values of rows in a column. Rows after the last value are null.
#[derive(Debug, SmartDefault)]
pub(crate) struct ColumnRows {
    #[default(ColumnKind::Text)]
    kind: ColumnKind,
    /// Whether each row, or each run of rows, has a value.
    valid: Vec<bool>,
    numbers: Vec<i64>,
    /// All strings, one after the other, and the end of each, after a 0.
    bytes: Vec<u8>,
    #[default(vec![0])]
    offsets: Vec<i32>,
    /// The number of strings before the end of each list, after a 0.
    #[default(vec![0])]
    lists: Vec<i32>,
    /// The first row of each run: strings that rows share are stored once for neighbours that are equal.
    starts: Vec<usize>,
    /// The bytes that the string of the last run is made of.
    last: Vec<u8>,
}

/// Returns the first `count` values with room for half as many more than all, so that memory does not grow in steps.
fn first<T: Copy>(values: &[T], count: usize) -> Vec<T> {
    let mut first = Vec::with_capacity((values.len() + values.len() / 2).min(1 << 20));
    first.extend_from_slice(&values[..count]);
    first
}

/// Appends the offsets of some items, and returns the range between the first and the last one.
fn append_offsets(own: &mut Vec<i32>, other: &[i32], items: &Range<usize>) -> Range<usize> {
    let (start, end) = (other[items.start], other[items.end]);
    let shift = own[own.len() - 1] - start;
    let ends = &other[items.start + 1..=items.end];
    own.extend(ends.iter().map(|end| end + shift));
    start as usize..end as usize
}

impl ColumnRows {
    pub(super) fn new(kind: ColumnKind) -> Self {
        ColumnRows {
            kind,
            ..ColumnRows::default()
        }
    }

    /// Returns the rows, and continues without any.
    pub(super) fn take(&mut self) -> Self {
        let next = ColumnRows {
            kind: self.kind,
            valid: first(&self.valid, 0),
            numbers: first(&self.numbers, 0),
            bytes: first(&self.bytes, 0),
            offsets: first(&self.offsets, 1),
            lists: first(&self.lists, 1),
            starts: first(&self.starts, 0),
            last: std::mem::take(&mut self.last),
        };
        std::mem::replace(self, next)
    }

    /// Makes the rows before `row` null that have no value yet.
    #[inline(always)]
    fn fill(&mut self, row: usize) {
        if self.valid.len() < row {
            self.append_nulls(row);
        }
    }

    #[inline(never)]
    fn append_nulls(&mut self, row: usize) {
        let fill = |offsets: &mut Vec<i32>| offsets.resize(row + 1, offsets[offsets.len() - 1]);
        match self.kind {
            ColumnKind::Number | ColumnKind::Time => self.numbers.resize(row, 0),
            ColumnKind::Names | ColumnKind::ByteLists => fill(&mut self.lists),
            kind if kind.is_shared() => return,
            _ => fill(&mut self.offsets),
        }
        self.valid.resize(row, false);
    }

    /// Appends a value in the form of the column, unless it has none, and returns the length of its strings.
    /// Inlined into a function for each field, which knows the kind and has no other values.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: usize, kind: ColumnKind, value: &Value<'_>) -> usize {
        match (kind, value) {
            (ColumnKind::Number, &Value::Number(number)) => {
                // INVARIANT: offsets in files are below 2^63.
                self.push_number(row, number as i64)
            }
            (ColumnKind::Time, _) => {
                let time = string(value).and_then(microseconds);
                time.map_or(0, |time| self.push_number(row, time))
            }
            (ColumnKind::Names, Value::Flags(flags)) => self.push_list(row, flags.names()),
            (ColumnKind::Names, Value::Texts(texts)) => self.push_list(row, texts.iter()),
            (ColumnKind::Names, Value::Words(words)) => {
                self.push_list(row, words.split_terminator(' '))
            }
            (ColumnKind::ByteLists, Value::List(strings)) => self.push_list(row, strings.iter()),
            (kind, _) if kind.is_shared() => self.push_shared(row, value),
            (_, Value::Null) => 0,
            (kind, _) => text(value, kind).map_or(0, |text| self.push_string(row, &text)),
        }
    }

    #[inline(always)]
    fn push_number(&mut self, row: usize, number: i64) -> usize {
        self.fill(row);
        self.numbers.push(number);
        self.valid.push(true);
        0
    }

    fn push_string(&mut self, row: usize, string: &[u8]) -> usize {
        self.fill(row);
        self.push_bytes(string);
        self.valid.push(true);
        string.len()
    }

    fn push_bytes(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        // INVARIANT: rows of more than 2 GiB are refused before an array is made of them.
        self.offsets.push(self.bytes.len() as i32);
    }

    /// Continues the run of rows if the value is the last one, or begins another one.
    fn push_shared(&mut self, row: usize, value: &Value<'_>) -> usize {
        let from = string(value);
        let last = (self.valid.last()).map(|is_valid| is_valid.then_some(self.last.as_slice()));
        if last != Some(from) {
            self.last.clear();
            self.last.extend_from_slice(from.unwrap_or_default());
            self.push_run(row, text(value, self.kind).as_deref());
        }
        self.get(self.starts.len() - 1).len()
    }

    fn push_run(&mut self, row: usize, string: Option<&[u8]>) {
        self.push_bytes(string.unwrap_or_default());
        self.starts.push(row);
        self.valid.push(string.is_some());
    }

    fn push_list<S: AsRef<[u8]>>(&mut self, row: usize, list: impl Iterator<Item = S>) -> usize {
        self.fill(row);
        let before = self.bytes.len();
        list.for_each(|string| self.push_bytes(string.as_ref()));
        self.lists.push(self.offsets.len() as i32 - 1);
        self.valid.push(true);
        self.bytes.len() - before
    }

    fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Appends some rows of a block, the first of which becomes row `row`.
    pub(super) fn append(&mut self, row: usize, block: &ColumnRows, rows: &Range<usize>) {
        let is_shared = self.kind.is_shared();
        let length = if is_shared {
            rows.end
        } else {
            block.valid.len()
        };
        let rows = rows.start..rows.end.min(length);
        if rows.is_empty() {
            return;
        }
        if is_shared {
            let after = |row| block.starts.partition_point(|&start| start < row);
            for run in after(rows.start + 1).saturating_sub(1)..after(rows.end) {
                let string = block.valid[run].then(|| block.get(run));
                let start = block.starts[run].saturating_sub(rows.start);
                self.push_run(row + start, string);
            }
            return;
        }
        self.fill(row);
        self.valid.extend_from_slice(&block.valid[rows.clone()]);
        let mut strings = rows.clone();
        match self.kind {
            ColumnKind::Number | ColumnKind::Time => {
                return self.numbers.extend_from_slice(&block.numbers[rows]);
            }
            ColumnKind::Names | ColumnKind::ByteLists => {
                strings = append_offsets(&mut self.lists, &block.lists, &rows);
            }
            _ => {}
        }
        let bytes = append_offsets(&mut self.offsets, &block.offsets, &strings);
        self.bytes.extend_from_slice(&block.bytes[bytes]);
    }

    /// Returns the first `rows` rows as an array, and continues without any.
    pub(super) fn finish(&mut self, rows: usize, shape: &DataType) -> Result<ArrayRef, ArrowError> {
        self.fill(rows);
        let taken = self.take();
        let (kind, starts) = (taken.kind, taken.starts);
        // Without a branch for each row.
        let is_full = taken.valid.iter().fold(true, BitAnd::bitand);
        let nulls = (!is_full).then(|| NullBuffer::from(taken.valid));
        let strings = |nulls| -> Result<ArrayRef, ArrowError> {
            let offsets = OffsetBuffer::new(taken.offsets.into());
            Ok(match kind {
                ColumnKind::Bytes | ColumnKind::ByteLists => {
                    Arc::new(BinaryArray::try_new(offsets, taken.bytes.into(), nulls)?)
                }
                _ => Arc::new(StringArray::try_new(offsets, taken.bytes.into(), nulls)?),
            })
        };
        Ok(match kind {
            ColumnKind::Number => Arc::new(Int64Array::new(taken.numbers.into(), nulls)),
            ColumnKind::Time => {
                let times = TimestampMicrosecondArray::new(taken.numbers.into(), nulls);
                Arc::new(times.with_timezone(UTC))
            }
            ColumnKind::Names | ColumnKind::ByteLists => {
                let strings = strings(None)?;
                let field = item(strings.data_type().clone());
                let offsets = OffsetBuffer::new(taken.lists.into());
                Arc::new(ListArray::try_new(field, offsets, strings, nulls)?)
            }
            _ if kind.is_shared() => {
                let ends = starts.iter().skip(1).copied().chain([rows]);
                let counts = starts.iter().zip(ends).map(|(start, end)| end - start);
                let texts = strings(nulls)?;
                let runs = texts.as_string::<i32>().iter().zip(counts);
                if let DataType::Dictionary(..) = shape {
                    // In the order of their first rows.
                    let mut numbers = StringDictionaryBuilder::<Int32Type>::new();
                    runs.for_each(|(text, count)| numbers.append_options(text, count));
                    return Ok(Arc::new(numbers.finish()));
                }
                let length = |(text, count): (Option<&str>, _)| text.map_or(0, str::len) * count;
                let bytes = runs.clone().map(length).sum();
                let mut rows = StringBuilder::with_capacity(rows, bytes);
                runs.for_each(|(text, count)| match text {
                    Some(text) => rows.append_value_n(text, count),
                    None => rows.append_nulls(count),
                });
                Arc::new(rows.finish())
            }
            _ => strings(nulls)?,
        })
    }
}

/// Returns a value in the form of a column of strings.
#[inline]
fn text<'a>(value: &Value<'a>, kind: ColumnKind) -> Option<Cow<'a, [u8]>> {
    match *value {
        Value::Formed(from, form) => Some(Cow::Owned(form(from)?.into_bytes())),
        Value::Bytes(bytes) if kind != ColumnKind::Bytes && !is_ascii(bytes) => {
            let mut text = Vec::new();
            match kind {
                ColumnKind::Uri | ColumnKind::SharedUri => encode_invalid(bytes, &mut text),
                _ => text.extend_from_slice(lossy(bytes).as_bytes()),
            }
            Some(Cow::Owned(text))
        }
        _ => string(value).map(Cow::Borrowed),
    }
}

fn string<'a>(value: &Value<'a>) -> Option<&'a [u8]> {
    match *value {
        Value::Plain(bytes) | Value::Bytes(bytes) | Value::Base64(bytes) => Some(bytes),
        Value::Formed(bytes, _) => Some(bytes),
        _ => None,
    }
}
