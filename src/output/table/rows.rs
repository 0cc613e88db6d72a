//! Rows of links, as one worker makes them.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, Int64Builder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};

use super::schema::{UTC, item, schema};
use super::text::{formed, microseconds};
use crate::linker::Link;
use crate::output::column::{ColumnKind, StringForm};
use crate::output::field::{RecordField, Value};
use crate::output::layout::Layout;
use crate::output::record::DocumentPath;

/// Rows of one worker, in the order of its document.
#[derive(Debug, Default)]
pub(crate) struct RowBlock {
    /// The rows if there are any, or the reason why the table cannot hold one.
    pub(super) batch: Option<Result<RecordBatch, String>>,
    /// The bytes of the strings of all rows.
    pub(super) bytes: usize,
    weight: usize,
}

impl RowBlock {
    pub(crate) fn len(&self) -> usize {
        let batch = self.batch.as_ref().and_then(|batch| batch.as_ref().ok());
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
    columns: Vec<Column>,
    rows: usize,
    /// The bytes of all strings.
    bytes: usize,
    is_oversized: bool,
}

/// The most bytes of strings in a block: offsets have 32 bits.
const MAX_BYTES: usize = i32::MAX as usize;

/// The error of a row whose strings have more than [`MAX_BYTES`].
struct Oversized;

impl RowBuilder {
    pub(crate) fn new(layout: &Layout) -> Self {
        RowBuilder {
            columns: layout.fields.iter().copied().map(Column::new).collect(),
            schema: schema(&layout.fields, StringForm::Plain),
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
            self.is_oversized |= pushed.is_err();
        }
        self.rows += 1;
    }

    /// Returns the rows and continues without any.
    pub(crate) fn finish(&mut self) -> RowBlock {
        if self.rows == 0 {
            return RowBlock::default();
        }
        let (weight, bytes) = (self.weight(), self.bytes);
        let arrays = self.columns.iter_mut().map(Column::finish).collect();
        let batch = if self.is_oversized {
            Err("a link has more than 2 GiB, which is too long for a table".to_owned())
        } else {
            let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays);
            batch.map_err(|error| error.to_string())
        };
        (self.rows, self.bytes, self.is_oversized) = (0, 0, false);
        RowBlock {
            batch: Some(batch),
            bytes,
            weight,
        }
    }
}

struct Column {
    field: &'static RecordField,
    values: ColumnBuilder,
    /// The last bytes of [`Value::Formed`], and the text made of them: neighbours often have the same.
    formed: Option<(Vec<u8>, Option<String>)>,
}

enum ColumnBuilder {
    Numbers(Int64Builder),
    Times(TimestampMicrosecondBuilder),
    Texts(StringBuilder),
    Bytes(BinaryBuilder),
    TextLists(ListBuilder<StringBuilder>),
    ByteLists(ListBuilder<BinaryBuilder>),
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
            _ => ColumnBuilder::Texts(StringBuilder::new()),
        };
        Column {
            field,
            values,
            formed: None,
        }
    }

    /// Appends a value in the form of the column, or null if it has none, and adds its length to `bytes`.
    fn push(&mut self, value: &Value<'_>, bytes: &mut usize) -> Result<(), Oversized> {
        match (&mut self.values, value) {
            (ColumnBuilder::Numbers(numbers), &Value::Number(number)) => {
                // INVARIANT: offsets in files are below 2^63.
                numbers.append_value(number as i64);
            }
            (ColumnBuilder::Numbers(numbers), _) => numbers.append_null(),
            (ColumnBuilder::Times(times), _) => {
                times.append_option(string(value).and_then(microseconds));
            }
            (ColumnBuilder::Texts(texts), Value::Name(text) | Value::Text(text)) => {
                add(text.len(), bytes)?;
                texts.append_value(text);
            }
            (ColumnBuilder::Texts(texts), &Value::Formed(from, form)) => {
                if (self.formed.as_ref()).is_none_or(|(known, _)| known != from) {
                    self.formed = Some((from.to_vec(), form(from)));
                }
                let text = self.formed.as_ref().and_then(|(_, text)| text.as_ref());
                add(text.map_or(0, String::len), bytes)?;
                texts.append_option(text);
            }
            (ColumnBuilder::Texts(texts), _) => match string(value) {
                Some(string) => {
                    let text = formed(string, self.field.column);
                    add(text.len(), bytes)?;
                    texts.append_value(text);
                }
                None => texts.append_null(),
            },
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
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match &mut self.values {
            ColumnBuilder::Numbers(numbers) => Arc::new(numbers.finish()),
            ColumnBuilder::Times(times) => Arc::new(times.finish()),
            ColumnBuilder::Texts(texts) => Arc::new(texts.finish()),
            ColumnBuilder::Bytes(strings) => Arc::new(strings.finish()),
            ColumnBuilder::TextLists(lists) => Arc::new(lists.finish()),
            ColumnBuilder::ByteLists(lists) => Arc::new(lists.finish()),
        }
    }
}

/// Adds the length of a string to the bytes of a block.
fn add(length: usize, bytes: &mut usize) -> Result<(), Oversized> {
    let sum = bytes.saturating_add(length);
    if sum > MAX_BYTES {
        return Err(Oversized);
    }
    *bytes = sum;
    Ok(())
}

fn append_texts<'t>(
    lists: &mut ListBuilder<StringBuilder>,
    texts: impl Iterator<Item = &'t str>,
    bytes: &mut usize,
) -> Result<(), Oversized> {
    for text in texts {
        add(text.len(), bytes)?;
        lists.values().append_value(text);
    }
    lists.append(true);
    Ok(())
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
    } else {
        0
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/rows.rs"]
mod tests;
