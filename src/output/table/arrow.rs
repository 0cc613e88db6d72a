//! Batches as Arrow arrays, and the IPC stream of them.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};

use super::batch::{BatchNames, BatchStrings, BatchValues, RowBatch};
use super::column::{ColumnKind, ColumnPresence, METADATA, TableColumn};
use super::rows::{ABSENT, ABSENT_NUMBER};
use super::writer::TableEncoder;

/// The time zone of columns of times.
const UTC: &str = "UTC";

/// Returns the schema of a table.
pub(super) fn schema(columns: &[TableColumn]) -> Schema {
    let field = |column: &TableColumn| {
        let column = column.column;
        let nullable = column.presence == ColumnPresence::Nullable;
        Field::new(column.name, data_type(column.kind), nullable)
    };
    let fields: Vec<_> = columns.iter().map(field).collect();
    Schema::new(fields).with_metadata(METADATA)
}

fn data_type(kind: ColumnKind) -> DataType {
    let names = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    match kind {
        ColumnKind::Number => DataType::Int64,
        ColumnKind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        ColumnKind::Name
        | ColumnKind::LowerName
        | ColumnKind::ReversedName
        | ColumnKind::UriName => names(),
        ColumnKind::Names => DataType::List(item(names())),
        ColumnKind::Text | ColumnKind::Uri => DataType::Utf8,
        ColumnKind::Bytes => DataType::Binary,
        ColumnKind::ByteLists => DataType::List(item(DataType::Binary)),
    }
}

fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new_list_field(data_type, false))
}

/// Returns which values are there; none if all are.
fn nulls<T: PartialEq>(values: &[T], absent: T) -> Option<NullBuffer> {
    // Most columns have all values or none, and to count is faster than to collect bits.
    match values.iter().filter(|&value| *value != absent).count() {
        count if count == values.len() => None,
        0 => Some(NullBuffer::new_null(values.len())),
        _ => {
            let is_valid = |row: usize| values[row] != absent;
            Some(BooleanBuffer::collect_bool(values.len(), is_valid).into())
        }
    }
}

fn offsets(offsets: Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

fn names(names: BatchNames) -> Result<ArrayRef, ArrowError> {
    let mut codes = names.codes;
    let nulls = nulls(&codes, ABSENT);
    for code in &mut codes {
        *code = (*code).max(0);
    }
    let keys = Int32Array::try_new(ScalarBuffer::from(codes), nulls)?;
    let bytes = Buffer::from_vec(names.values.bytes);
    let values = StringArray::try_new(offsets(names.values.offsets), bytes, None)?;
    let names = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))?;
    Ok(Arc::new(names))
}

fn strings(kind: ColumnKind, strings: BatchStrings) -> Result<ArrayRef, ArrowError> {
    let nulls = nulls(&strings.valid, false);
    let offsets = offsets(strings.values.offsets);
    let bytes = Buffer::from_vec(strings.values.bytes);
    Ok(match kind {
        ColumnKind::Text | ColumnKind::Uri => {
            Arc::new(StringArray::try_new(offsets, bytes, nulls)?)
        }
        _ => Arc::new(BinaryArray::try_new(offsets, bytes, nulls)?),
    })
}

fn array(kind: ColumnKind, values: BatchValues) -> Result<ArrayRef, ArrowError> {
    Ok(match values {
        BatchValues::Numbers(numbers) => {
            let nulls = nulls(&numbers, ABSENT_NUMBER);
            let numbers = ScalarBuffer::from(numbers);
            match kind {
                ColumnKind::Time => {
                    let times = TimestampMicrosecondArray::try_new(numbers, nulls)?;
                    Arc::new(times.with_timezone(UTC))
                }
                _ => Arc::new(Int64Array::try_new(numbers, nulls)?),
            }
        }
        BatchValues::Strings(values) => strings(kind, values)?,
        BatchValues::Names(values) => names(values)?,
        BatchValues::Lists(lists) => {
            let nulls = nulls(&lists.valid, false);
            let items = array(ColumnKind::Bytes, *lists.items)?;
            let item = item(items.data_type().clone());
            Arc::new(ListArray::try_new(
                item,
                offsets(lists.offsets),
                items,
                nulls,
            )?)
        }
    })
}

/// Returns a batch as Arrow has it.
pub(super) fn record_batch(
    schema: &SchemaRef,
    columns: &[TableColumn],
    batch: RowBatch,
) -> Result<RecordBatch, ArrowError> {
    let columns = columns.iter().zip(batch.columns);
    let arrays = columns.map(|(column, values)| array(column.column.kind, values));
    RecordBatch::try_new(Arc::clone(schema), arrays.collect::<Result<_, _>>()?)
}

/// Returns an error of Arrow as one of the output. None is expected: the arrays fit the schema.
pub(super) fn output_error(error: impl fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

/// Writes an IPC stream: the schema, the batches with their dictionaries, and a mark at the end.
struct StreamWriter {
    columns: Vec<TableColumn>,
    schema: SchemaRef,
    /// Taken by the end.
    encoder: Option<StreamEncoder>,
}

impl fmt::Debug for StreamWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = &self.schema;
        formatter
            .debug_struct("StreamWriter")
            .field("schema", schema)
            .finish_non_exhaustive()
    }
}

/// Creates an encoder of IPC streams.
pub(crate) fn stream(columns: &[TableColumn]) -> io::Result<Box<dyn TableEncoder>> {
    let schema = Arc::new(schema(columns));
    let encoder = StreamEncoder::try_new(&schema).map_err(output_error)?;
    Ok(Box::new(StreamWriter {
        columns: columns.to_vec(),
        schema,
        encoder: Some(encoder),
    }))
}

fn write_all(buffers: Vec<Buffer>, out: &mut dyn Write) -> io::Result<()> {
    buffers.iter().try_for_each(|buffer| out.write_all(buffer))
}

impl TableEncoder for StreamWriter {
    fn write(&mut self, batch: RowBatch, out: &mut dyn Write) -> io::Result<()> {
        let Some(encoder) = &mut self.encoder else {
            return Ok(());
        };
        let batch = record_batch(&self.schema, &self.columns, batch).map_err(output_error)?;
        write_all(encoder.encode(&batch).map_err(output_error)?, out)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.encoder.take() {
            Some(encoder) => write_all(encoder.finish().map_err(output_error)?, out),
            None => Ok(()),
        }
    }
}
