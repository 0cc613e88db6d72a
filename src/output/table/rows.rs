//! Rows of links, as one worker makes them.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, Int64Builder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};

use super::dictionary::{self, SharedBuilder};
use super::schema::{UTC, item, schema};
use super::text::{self, microseconds};
use crate::linker::Link;
use crate::output::column::ColumnKind;
use crate::output::field::{RecordField, Value};
use crate::output::layout::Layout;
use crate::output::record::DocumentPath;

/// Rows of one worker, in the order of its document.
#[derive(Debug)]
pub(crate) struct RowBlock {
    /// The rows, or the reason why the table cannot hold one.
    pub(super) batch: Result<Option<RecordBatch>, String>,
    weight: usize,
}

impl Default for RowBlock {
    fn default() -> Self {
        RowBlock {
            batch: Ok(None),
            weight: 0,
        }
    }
}

impl RowBlock {
    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        let batch = self.batch.as_ref().ok().and_then(Option::as_ref);
        batch.map_or(0, RecordBatch::num_rows)
    }

    /// Returns the approximate memory of the rows, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

/// Appends links as rows, and returns them in blocks.
pub(crate) struct RowBuilder {
    schema: SchemaRef,
    columns: Vec<(&'static RecordField, ColumnBuilder)>,
    rows: usize,
    /// The bytes of all strings, and four for each.
    bytes: usize,
    is_oversized: bool,
}

/// The most bytes of strings in a block: offsets have 32 bits.
const MAX_BYTES: usize = i32::MAX as usize;

/// The error of a row whose strings have more than [`MAX_BYTES`].
struct Oversized;

impl RowBuilder {
    /// Creates a builder of rows with the columns of a layout.
    pub(crate) fn new(layout: &Layout) -> Self {
        let schema = schema(&layout.fields, layout.strings);
        let columns = layout.fields.iter().zip(schema.fields());
        let columns = columns.map(|(&field, column)| {
            let builder = ColumnBuilder::new(field.column, column.data_type(), 0, 0);
            (field, builder)
        });
        RowBuilder {
            columns: columns.collect(),
            schema,
            rows: 0,
            bytes: 0,
            is_oversized: false,
        }
    }

    /// Returns the number of rows since the last block.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the approximate memory of these rows, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.bytes + self.rows * self.columns.len() * size_of::<u32>()
    }

    /// Appends a link of a document.
    pub(crate) fn push(&mut self, path: &DocumentPath, link: &Link<'_>) {
        if self.is_oversized {
            return;
        }
        for (field, column) in &mut self.columns {
            let value = (field.value)(path, link);
            let pushed = column.push(field.column, &value, &mut self.bytes);
            self.is_oversized |= pushed.is_err();
        }
        self.rows += 1;
    }

    /// Returns the rows and goes on without any.
    pub(crate) fn finish(&mut self) -> RowBlock {
        if self.rows == 0 {
            return RowBlock::default();
        }
        let weight = self.weight();
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (field, column) in &mut self.columns {
            let array = column.finish();
            let bytes = string_bytes(&array, &(0..self.rows));
            // The next block may be as large.
            *column = ColumnBuilder::new(field.column, array.data_type(), self.rows, bytes);
            arrays.push(array);
        }
        let batch = match self.is_oversized {
            true => Err("a link has more than 2 GiB, which is too long for a table".to_owned()),
            false => RecordBatch::try_new(Arc::clone(&self.schema), arrays)
                .map(Some)
                .map_err(|error| error.to_string()),
        };
        (self.rows, self.bytes, self.is_oversized) = (0, 0, false);
        RowBlock { batch, weight }
    }
}

/// The values of a column.
enum ColumnBuilder {
    Numbers(Int64Builder),
    Times(TimestampMicrosecondBuilder),
    Texts(StringBuilder),
    Shared(SharedBuilder),
    Bytes(BinaryBuilder),
    TextLists(ListBuilder<StringBuilder>),
    ByteLists(ListBuilder<BinaryBuilder>),
}

impl ColumnBuilder {
    /// Creates a column with memory for some rows and bytes of strings.
    fn new(kind: ColumnKind, data_type: &DataType, rows: usize, bytes: usize) -> Self {
        match kind {
            ColumnKind::Number => ColumnBuilder::Numbers(Int64Builder::with_capacity(rows)),
            ColumnKind::Time => {
                let times = TimestampMicrosecondBuilder::with_capacity(rows);
                ColumnBuilder::Times(times.with_timezone(UTC))
            }
            ColumnKind::Bytes => ColumnBuilder::Bytes(BinaryBuilder::with_capacity(rows, bytes)),
            ColumnKind::Names => ColumnBuilder::TextLists(
                ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8)),
            ),
            ColumnKind::ByteLists => ColumnBuilder::ByteLists(
                ListBuilder::new(BinaryBuilder::new()).with_field(item(DataType::Binary)),
            ),
            _ if matches!(data_type, DataType::Dictionary(..)) => {
                ColumnBuilder::Shared(SharedBuilder::default())
            }
            _ => ColumnBuilder::Texts(StringBuilder::with_capacity(rows, bytes)),
        }
    }

    /// Appends a value in the form of a column, or null where it has none, and adds its length to `bytes`.
    fn push(
        &mut self,
        kind: ColumnKind,
        value: &Value<'_>,
        bytes: &mut usize,
    ) -> Result<(), Oversized> {
        match (self, value) {
            (ColumnBuilder::Numbers(numbers), value) => numbers.append_option(match *value {
                // INVARIANT: offsets in files are below 2^63.
                Value::Number(number) => Some(number as i64),
                _ => None,
            }),
            (ColumnBuilder::Times(times), value) => {
                times.append_option(string(value).and_then(microseconds));
            }
            (ColumnBuilder::Texts(texts), &(Value::Name(text) | Value::Text(text))) => {
                add(text.len(), bytes)?;
                texts.append_value(text);
            }
            (ColumnBuilder::Texts(texts), value) => {
                let Some(value) = string(value) else {
                    texts.append_null();
                    return Ok(());
                };
                // Most values have the form of the column.
                if let Ok(text) = str::from_utf8(value)
                    && text::is_unchanged(kind)
                {
                    add(text.len(), bytes)?;
                    texts.append_value(text);
                    return Ok(());
                }
                match text::formed(value, kind) {
                    Some(text) => {
                        add(text.len(), bytes)?;
                        texts.append_value(&text);
                    }
                    None => texts.append_null(),
                }
            }
            (ColumnBuilder::Shared(strings), value) => {
                add(strings.push(string(value), kind), bytes)?;
            }
            (ColumnBuilder::Bytes(strings), value) => {
                let string = string(value);
                add(string.map_or(0, <[u8]>::len), bytes)?;
                strings.append_option(string);
            }
            (ColumnBuilder::TextLists(lists), Value::Flags(flags)) => {
                for name in flags.names() {
                    add(name.len(), bytes)?;
                    lists.values().append_value(name);
                }
                lists.append(true);
            }
            (ColumnBuilder::TextLists(lists), Value::Words(words)) => {
                for word in words.split_terminator(' ') {
                    add(word.len(), bytes)?;
                    lists.values().append_value(word);
                }
                lists.append(true);
            }
            (ColumnBuilder::ByteLists(lists), Value::List(strings)) => {
                for string in *strings {
                    add(string.len(), bytes)?;
                    lists.values().append_value(string);
                }
                lists.append(true);
            }
            (ColumnBuilder::TextLists(lists), _) => lists.append(false),
            (ColumnBuilder::ByteLists(lists), _) => lists.append(false),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            ColumnBuilder::Numbers(numbers) => Arc::new(numbers.finish()),
            ColumnBuilder::Times(times) => Arc::new(times.finish()),
            ColumnBuilder::Texts(texts) => Arc::new(texts.finish()),
            ColumnBuilder::Shared(strings) => Arc::new(strings.finish()),
            ColumnBuilder::Bytes(strings) => Arc::new(strings.finish()),
            ColumnBuilder::TextLists(lists) => Arc::new(lists.finish()),
            ColumnBuilder::ByteLists(lists) => Arc::new(lists.finish()),
        }
    }
}

/// Adds a string of this length to the bytes of a block.
fn add(length: usize, bytes: &mut usize) -> Result<(), Oversized> {
    let sum = bytes.saturating_add(length + size_of::<u32>());
    if sum > MAX_BYTES {
        return Err(Oversized);
    }
    *bytes = sum;
    Ok(())
}

/// Returns the bytes of a value that is a string.
fn string<'a>(value: &Value<'a>) -> Option<&'a [u8]> {
    match *value {
        Value::Name(text) | Value::Text(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) | Value::Base64(bytes) => Some(bytes),
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
    } else if let Some(shared) = column.as_dictionary_opt::<Int32Type>() {
        dictionary::string_bytes(shared, rows)
    } else {
        0
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/rows.rs"]
mod tests;
