//! Batches as a Parquet file: row groups of a million rows with statistics, compressed by snappy, and
//! the footer at the end.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::arrow::{UTC, item, output_error, schema};
use super::batch::{BatchNames, RowBatch};
use super::column::{ColumnKind, TableColumn};
use super::values::{ABSENT, ABSENT_NUMBER, Sparse, Strings, Values};
use super::writer::TableEncoder;

/// The rows of a row group.
const GROUP: usize = 1_000_000;

/// The bytes of a row group, encoded, which are held until it is complete.
const GROUP_BYTES: usize = 256 << 20;

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
fn record_batch(
    schema: &SchemaRef,
    columns: &[TableColumn],
    batch: RowBatch,
) -> Result<RecordBatch, ArrowError> {
    let (count, columns) = (batch.rows, columns.iter().zip(batch.columns));
    let arrays = columns.map(|(column, values)| array(column.column.kind, values, count));
    RecordBatch::try_new(Arc::clone(schema), arrays.collect::<Result<_, _>>()?)
}

/// Writes a file without seeking.
struct FileWriter {
    columns: Vec<TableColumn>,
    schema: SchemaRef,
    /// Writes into memory, from where bytes are moved to the output. Taken by the end.
    writer: Option<ArrowWriter<Vec<u8>>>,
}

impl fmt::Debug for FileWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = &self.schema;
        formatter
            .debug_struct("FileWriter")
            .field("schema", schema)
            .finish_non_exhaustive()
    }
}

/// Returns the encoding of a column that has few values twice; none for a dictionary.
///
/// Both write what differs from the value before, since neighbours are alike: offsets ascend, and targets
/// begin with the same base. Less is left to be compressed, which takes most of the time.
fn encoding(kind: ColumnKind) -> Option<Encoding> {
    match kind {
        ColumnKind::Number | ColumnKind::Time => Some(Encoding::DELTA_BINARY_PACKED),
        ColumnKind::Text | ColumnKind::Uri | ColumnKind::Bytes => Some(Encoding::DELTA_BYTE_ARRAY),
        ColumnKind::Name
        | ColumnKind::LowerName
        | ColumnKind::ReversedName
        | ColumnKind::UriName
        | ColumnKind::Names
        | ColumnKind::ByteLists => None,
    }
}

/// Creates an encoder of Parquet files.
pub(crate) fn file(columns: &[TableColumn]) -> io::Result<Box<dyn TableEncoder>> {
    let schema = Arc::new(schema(columns));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(GROUP))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_created_by(concat!("uriscan ", env!("CARGO_PKG_VERSION")).to_owned());
    for column in columns {
        let path = ColumnPath::from(column.column.name);
        if let Some(encoding) = encoding(column.column.kind) {
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, encoding);
        }
    }
    let properties = Some(properties.build());
    let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), properties);
    Ok(Box::new(FileWriter {
        columns: columns.to_vec(),
        schema,
        writer: Some(writer.map_err(output_error)?),
    }))
}

impl TableEncoder for FileWriter {
    fn write(&mut self, batch: &mut RowBatch, out: &mut dyn Write) -> io::Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let batch = std::mem::take(batch);
        let batch = record_batch(&self.schema, &self.columns, batch).map_err(output_error)?;
        writer.write(&batch).map_err(output_error)?;
        out.write_all(&std::mem::take(writer.inner_mut()))
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.writer.take() {
            Some(writer) => out.write_all(&writer.into_inner().map_err(output_error)?),
            None => Ok(()),
        }
    }
}
