//! Batches as Arrow arrays, and the IPC stream of them.

use std::fmt;
use std::io::{self, IoSlice, Write};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};

use super::batch::{BatchNames, RowBatch};
use super::column::{ColumnKind, ColumnPresence, METADATA, TableColumn};
use super::values::{ABSENT, ABSENT_NUMBER, Sparse, Strings, Values};
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
    let offsets = OffsetBuffer::new(ScalarBuffer::from(names.values.offsets));
    let bytes = Buffer::from_vec(names.values.bytes);
    let values = StringArray::try_new(offsets, bytes, None)?;
    let names = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))?;
    Ok(Arc::new(names))
}

fn strings(kind: ColumnKind, strings: Strings, count: usize) -> Result<ArrayRef, ArrowError> {
    let (offsets, nulls) = offsets(strings.lengths, count);
    let bytes = Buffer::from_vec(strings.bytes);
    Ok(match kind {
        ColumnKind::Text | ColumnKind::Uri => {
            Arc::new(StringArray::try_new(offsets, bytes, nulls)?)
        }
        _ => Arc::new(BinaryArray::try_new(offsets, bytes, nulls)?),
    })
}

/// Returns a column of so many rows.
fn array(
    kind: ColumnKind,
    values: Values<BatchNames>,
    count: usize,
) -> Result<ArrayRef, ArrowError> {
    Ok(match values {
        Values::Numbers(numbers) => {
            let (numbers, nulls) = rows(numbers, ABSENT_NUMBER, count);
            let numbers = ScalarBuffer::from(numbers);
            match kind {
                ColumnKind::Time => {
                    let times = TimestampMicrosecondArray::try_new(numbers, nulls)?;
                    Arc::new(times.with_timezone(UTC))
                }
                _ => Arc::new(Int64Array::try_new(numbers, nulls)?),
            }
        }
        Values::Strings(values) => strings(kind, values, count)?,
        Values::Names(values) => names(*values, count)?,
        Values::Lists(lists) => {
            let (offsets, nulls) = offsets(lists.counts, count);
            let items = array(ColumnKind::Bytes, *lists.items, lists.length)?;
            let item = item(items.data_type().clone());
            Arc::new(ListArray::try_new(item, offsets, items, nulls)?)
        }
    })
}

/// Returns a batch as Arrow has it.
pub(super) fn record_batch(
    schema: &SchemaRef,
    columns: &[TableColumn],
    batch: RowBatch,
) -> Result<RecordBatch, ArrowError> {
    let (count, columns) = (batch.rows, columns.iter().zip(batch.columns));
    let arrays = columns.map(|(column, values)| array(column.column.kind, values, count));
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

/// Writes buffers in few calls of the system.
fn write_all(buffers: &[Buffer], out: &mut dyn Write) -> io::Result<()> {
    let slices = buffers.iter().map(|buffer| IoSlice::new(buffer));
    let mut slices: Vec<_> = slices.collect();
    let mut rest = slices.as_mut_slice();
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        match out.write_vectored(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut rest, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl TableEncoder for StreamWriter {
    fn write(&mut self, batch: RowBatch, out: &mut dyn Write) -> io::Result<()> {
        let Some(encoder) = &mut self.encoder else {
            return Ok(());
        };
        let batch = record_batch(&self.schema, &self.columns, batch).map_err(output_error)?;
        write_all(&encoder.encode(&batch).map_err(output_error)?, out)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.encoder.take() {
            Some(encoder) => write_all(&encoder.finish().map_err(output_error)?, out),
            None => Ok(()),
        }
    }
}
