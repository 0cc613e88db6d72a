//! Rows of links, as one worker makes them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, GenericByteBuilder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, Int32Type};
use arrow_array::{Array, ArrayRef, Int32Array, RunArray};
use arrow_schema::{ArrowError, DataType};

use super::schema::{UTC, item};
use super::text::{microseconds, uri};
use crate::linker::{Link, lossy};
use crate::output::column::{ColumnKind, Value};
use crate::output::field::RecordField;
use crate::output::layout::Layout;
use crate::output::record::DocumentPath;

/// Rows of one worker, in the order of its document.
#[derive(Debug, Default)]
pub(crate) struct RowBlock {
    /// The columns of the rows if there are any, or the reason why the table cannot hold one.
    pub(super) columns: Option<Result<Vec<ArrayRef>, String>>,
    rows: usize,
    weight: usize,
}

impl RowBlock {
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the approximate memory of the rows, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

/// Appends links as rows, and returns them in blocks.
pub(crate) struct RowBuilder {
    columns: Vec<Column>,
    rows: usize,
    /// The bytes of all strings.
    bytes: usize,
    is_oversized: bool,
}

/// The most bytes of strings in a block: offsets have 32 bits.
const MAX_BYTES: usize = i32::MAX as usize;

impl RowBuilder {
    pub(crate) fn new(layout: &Layout) -> Self {
        RowBuilder {
            columns: layout.fields.iter().copied().map(Column::new).collect(),
            rows: 0,
            bytes: 0,
            is_oversized: false,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the approximate memory of these rows, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.bytes + self.rows * self.columns.len() * size_of::<u64>()
    }

    pub(crate) fn push(&mut self, path: &DocumentPath, link: &Link<'_>) {
        if self.is_oversized {
            return;
        }
        for column in &mut self.columns {
            let value = (column.field.value)(path, link);
            let pushed = column.push(&value, &mut self.bytes);
            self.is_oversized |= pushed.is_none();
        }
        self.rows += 1;
    }

    /// Returns the rows and continues without any.
    pub(crate) fn finish(&mut self) -> RowBlock {
        if self.rows == 0 {
            return RowBlock::default();
        }
        let columns: Result<_, _> = self.columns.iter_mut().map(Column::finish).collect();
        let columns = if self.is_oversized {
            Err("a link has more than 2 GiB, which is too long for a table".to_owned())
        } else {
            columns.map_err(|error: ArrowError| error.to_string())
        };
        let block = RowBlock {
            columns: Some(columns),
            rows: self.rows,
            weight: self.weight(),
        };
        (self.rows, self.bytes, self.is_oversized) = (0, 0, false);
        block
    }
}

struct Column {
    field: &'static RecordField,
    values: ColumnBuilder,
}

enum ColumnBuilder {
    Numbers(Int64Builder),
    Times(TimestampMicrosecondBuilder),
    Texts(StringBuilder),
    Runs(TextRuns),
    Bytes(BinaryBuilder),
    TextLists(ListBuilder<StringBuilder>),
    ByteLists(ListBuilder<BinaryBuilder>),
}

/// Texts of rows, each once for neighbours that are equal.
#[derive(Default)]
struct TextRuns {
    texts: StringBuilder,
    /// The rows before the end of each run.
    ends: Vec<i32>,
    /// The bytes that the text of the last run is made of, and whether it is not null.
    last: Vec<u8>,
    is_text: bool,
    /// The length of that text.
    length: usize,
}

impl Column {
    fn new(field: &'static RecordField) -> Self {
        let values = match field.column {
            ColumnKind::Number => ColumnBuilder::Numbers(Int64Builder::new()),
            ColumnKind::Time => {
                ColumnBuilder::Times(TimestampMicrosecondBuilder::new().with_timezone(UTC))
            }
            ColumnKind::Bytes => ColumnBuilder::Bytes(BinaryBuilder::new()),
            ColumnKind::Names => ColumnBuilder::TextLists(
                ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8)),
            ),
            ColumnKind::ByteLists => ColumnBuilder::ByteLists(
                ListBuilder::new(BinaryBuilder::new()).with_field(item(DataType::Binary)),
            ),
            kind if kind.is_shared() => ColumnBuilder::Runs(TextRuns::default()),
            _ => ColumnBuilder::Texts(StringBuilder::new()),
        };
        Column { field, values }
    }

    /// Appends a value in the form of the column, or null if it has none, and adds its length to `bytes`; `None` if
    /// they are too many.
    fn push(&mut self, value: &Value<'_>, bytes: &mut usize) -> Option<()> {
        match (&mut self.values, value) {
            (ColumnBuilder::Numbers(numbers), &Value::Number(number)) => {
                // INVARIANT: offsets in files are below 2^63.
                numbers.append_value(number as i64);
            }
            (ColumnBuilder::Numbers(numbers), _) => numbers.append_null(),
            (ColumnBuilder::Times(times), _) => {
                times.append_option(string(value).and_then(microseconds));
            }
            (ColumnBuilder::Texts(texts), _) => {
                let text = text(value, self.field.column);
                add(text.as_ref().map_or(0, |text| text.len()), bytes)?;
                texts.append_option(text);
            }
            (ColumnBuilder::Runs(runs), _) => {
                let from = string(value);
                if let Some(end) = runs.ends.last_mut()
                    && from == runs.is_text.then_some(&runs.last)
                {
                    *end += 1;
                    return add(runs.length, bytes);
                }
                let text = text(value, self.field.column);
                runs.length = text.as_ref().map_or(0, |text| text.len());
                add(runs.length, bytes)?;
                runs.texts.append_option(text);
                runs.ends.push(runs.ends.last().map_or(1, |end| end + 1));
                runs.is_text = from.is_some();
                runs.last.clear();
                runs.last.extend_from_slice(from.unwrap_or_default());
            }
            (ColumnBuilder::Bytes(strings), _) => {
                let string = string(value);
                add(string.map_or(0, <[u8]>::len), bytes)?;
                strings.append_option(string);
            }
            (ColumnBuilder::TextLists(lists), Value::Flags(flags)) => {
                append_texts(lists, flags.names(), bytes)?;
            }
            (ColumnBuilder::TextLists(lists), Value::Texts(texts)) => {
                append_texts(lists, texts.iter().map(String::as_str), bytes)?;
            }
            (ColumnBuilder::TextLists(lists), Value::Words(words)) => {
                append_texts(lists, words.split_terminator(' '), bytes)?;
            }
            (ColumnBuilder::TextLists(lists), _) => lists.append_null(),
            (ColumnBuilder::ByteLists(lists), Value::List(strings)) => {
                for string in *strings {
                    add(string.len(), bytes)?;
                    lists.values().append_value(string);
                }
                lists.append(true);
            }
            (ColumnBuilder::ByteLists(lists), _) => lists.append_null(),
        }
        Some(())
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match &mut self.values {
            ColumnBuilder::Numbers(numbers) => {
                let next = Int64Builder::with_capacity(numbers.len().next_power_of_two());
                Arc::new(std::mem::replace(numbers, next).finish())
            }
            ColumnBuilder::Times(times) => Arc::new(times.finish()),
            ColumnBuilder::Texts(texts) => finished(texts),
            ColumnBuilder::Runs(runs) => {
                let ends = Int32Array::from(std::mem::take(&mut runs.ends));
                Arc::new(RunArray::try_new(&ends, &runs.texts.finish())?)
            }
            ColumnBuilder::Bytes(strings) => finished(strings),
            ColumnBuilder::TextLists(lists) => Arc::new(lists.finish()),
            ColumnBuilder::ByteLists(lists) => Arc::new(lists.finish()),
        })
    }
}

/// Returns the strings of a block; the next one is as long, about, so that its memory does not grow in steps.
fn finished<T: ByteArrayType>(strings: &mut GenericByteBuilder<T>) -> ArrayRef {
    let lengths = [strings.len(), strings.values_slice().len()];
    let [rows, bytes] = lengths.map(|length| length.next_power_of_two().min(1 << 20));
    let next = GenericByteBuilder::with_capacity(rows, bytes);
    Arc::new(std::mem::replace(strings, next).finish())
}

/// Adds the length of a string to the bytes of a block; `None` if they are more than [`MAX_BYTES`].
fn add(length: usize, bytes: &mut usize) -> Option<()> {
    let sum = bytes.checked_add(length);
    *bytes = sum.filter(|sum| *sum <= MAX_BYTES)?;
    Some(())
}

fn append_texts<'t>(
    lists: &mut ListBuilder<StringBuilder>,
    texts: impl Iterator<Item = &'t str>,
    bytes: &mut usize,
) -> Option<()> {
    for text in texts {
        add(text.len(), bytes)?;
        lists.values().append_value(text);
    }
    lists.append(true);
    Some(())
}

/// Returns a value in the form of a column of text.
fn text<'a>(value: &Value<'a>, kind: ColumnKind) -> Option<Cow<'a, str>> {
    match *value {
        Value::Name(text) | Value::Text(text) => Some(Cow::Borrowed(text)),
        Value::Formed(from, form) => form(from).map(Cow::Owned),
        _ => string(value).map(|string| match kind {
            ColumnKind::Uri | ColumnKind::SharedUri => uri(string),
            _ => lossy(string),
        }),
    }
}

fn string<'a>(value: &Value<'a>) -> Option<&'a [u8]> {
    match *value {
        Value::Name(text) | Value::Text(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) | Value::Base64(bytes) | Value::Formed(bytes, _) => Some(bytes),
        _ => None,
    }
}

/// Returns the bytes of the strings in some rows of a column.
pub(super) fn string_bytes(column: &dyn Array, rows: &Range<usize>) -> usize {
    let range = |offsets: &[i32]| offsets[rows.start] as usize..offsets[rows.end] as usize;
    if let Some(texts) = column.as_string_opt::<i32>() {
        range(texts.value_offsets()).len()
    } else if let Some(strings) = column.as_binary_opt::<i32>() {
        range(strings.value_offsets()).len()
    } else if let Some(lists) = column.as_list_opt::<i32>() {
        string_bytes(lists.values(), &range(lists.value_offsets()))
    } else if let Some(texts) = column.as_run_opt::<Int32Type>() {
        let mut sum = 0;
        each_run(&[&texts.slice(rows.start, rows.len())], |text, count| {
            sum += text.map_or(0, str::len) * count;
        });
        sum
    } else {
        0
    }
}

/// Passes the text of each run on, and the number of its rows.
pub(super) fn each_run(parts: &[&RunArray<Int32Type>], mut each: impl FnMut(Option<&str>, usize)) {
    for part in parts {
        let (texts, mut start) = (part.values_slice(), 0);
        for (text, end) in (texts.as_string::<i32>().iter()).zip(part.run_ends().sliced_values()) {
            each(text, (end - start) as usize);
            start = end;
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/rows.rs"]
mod tests;
