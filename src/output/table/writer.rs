//! The writer: joins blocks of rows into batches, and writes these as an IPC stream or a Parquet file.

use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::sync::Arc;

#[cfg(feature = "parquet")]
use ::parquet::arrow::ArrowWriter;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::{concat, concat_batches};
use smart_default::SmartDefault;

#[cfg(feature = "parquet")]
use super::parquet;
use super::rows::{RowBlock, string_bytes};
use super::schema::schema;
use crate::output::column::StringForm;
use crate::output::layout::Layout;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    /// A stream of Arrow IPC messages: the schema, the batches, and a mark at the end.
    Stream,
    /// A Parquet file.
    #[cfg(feature = "parquet")]
    Parquet,
}

#[derive(Clone, Copy, Debug, SmartDefault)]
struct BatchLimits {
    /// The most rows. A batch of these is about as large as a core's cache, from which it is written.
    #[default(1 << 12)]
    rows: usize,
    /// The most bytes of strings, unless a single row has more.
    #[default(64 << 20)]
    bytes: usize,
}

/// The memory of a part of a block besides its rows, in bytes, about.
const PART_BYTES: usize = 4 << 10;

/// Writes blocks of rows in batches, which do not depend on how the rows are cut into blocks.
pub(crate) struct TableWriter<W: Write + Send> {
    schema: SchemaRef,
    limits: BatchLimits,
    /// The rows of the next batch, after an empty part: a single part would be passed on with the bits of
    /// rows around it.
    parts: Vec<RecordBatch>,
    rows: usize,
    /// The bytes of the strings in these rows.
    bytes: usize,
    /// The memory of the blocks that these rows are parts of.
    held: usize,
    encoder: TableEncoder<W>,
}

enum TableEncoder<W: Write + Send> {
    Stream(Box<StreamWriter<BufWriter<W>>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ArrowWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Creates a writer, which begins with the schema.
    pub(crate) fn new(format: TableFormat, layout: &Layout, output: W) -> io::Result<Self> {
        let blocks = schema(&layout.fields, StringForm::Plain);
        let schema = schema(&layout.fields, layout.strings);
        // glibc keeps freed memory up to twice the largest block that was mapped and freed. Without such a
        // block the buffers of each batch are faulted in anew, a fifth of the time of a table. Not touched.
        drop(black_box(Vec::<u8>::with_capacity(16 << 20)));
        let encoder = match format {
            TableFormat::Stream => {
                let stream = StreamWriter::try_new_buffered(output, &schema);
                TableEncoder::Stream(Box::new(stream.map_err(output_error)?))
            }
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                let file = parquet::file(output, &layout.fields, &schema)?;
                TableEncoder::Parquet(Box::new(file))
            }
        };
        Ok(TableWriter {
            parts: vec![RecordBatch::new_empty(blocks)],
            schema,
            limits: BatchLimits::default(),
            rows: 0,
            bytes: 0,
            held: 0,
            encoder,
        })
    }

    /// Adds some rows of a block, and writes the batches that are full; an error when a row is too long.
    pub(crate) fn push(&mut self, block: &RowBlock, ranges: &[Range<usize>]) -> io::Result<()> {
        let Some(batch) = &block.batch else {
            return Ok(());
        };
        let batch = (batch.as_ref()).map_err(|error| io::Error::other(error.as_str()))?;
        self.held += block.weight();
        for rows in ranges {
            let mut rows = rows.clone();
            while !rows.is_empty() {
                let (count, bytes) = self.room(batch, block.bytes, &rows);
                if count > 0 {
                    self.parts.push(if count == batch.num_rows() {
                        batch.clone()
                    } else {
                        batch.slice(rows.start, count)
                    });
                    rows.start += count;
                    self.rows += count;
                    self.bytes += bytes;
                    self.held += PART_BYTES;
                }
                if !rows.is_empty() || self.rows == self.limits.rows {
                    self.write_batch()?;
                }
            }
            // Few rows of many blocks may hold them all.
            if self.held > 2 * self.limits.bytes {
                let joined = concat_batches(self.parts[0].schema_ref(), &self.parts);
                self.parts.truncate(1);
                self.parts.push(joined.map_err(output_error)?);
                self.held = self.bytes;
            }
        }
        Ok(())
    }

    /// Returns how many of some rows fit, at least one into an empty batch, and the bytes of their strings.
    ///
    /// `all` is the bytes of the strings of the whole block.
    fn room(&self, batch: &RecordBatch, all: usize, rows: &Range<usize>) -> (usize, usize) {
        let bytes = |count: usize| -> usize {
            if count == batch.num_rows() {
                return all;
            }
            let rows = rows.start..rows.start + count;
            let columns = batch.columns().iter();
            columns.map(|column| string_bytes(column, &rows)).sum()
        };
        let fits = |bytes: usize| self.bytes + bytes <= self.limits.bytes;
        let (mut fitting, mut count) = (0, rows.len().min(self.limits.rows - self.rows));
        let sum = bytes(count);
        if fits(sum) {
            return (count, sum);
        }
        while count - fitting > 1 {
            let middle = fitting + (count - fitting) / 2;
            if fits(bytes(middle)) {
                fitting = middle;
            } else {
                count = middle;
            }
        }
        let fitting = fitting.max(usize::from(self.rows == 0));
        (fitting, bytes(fitting))
    }

    fn write_batch(&mut self) -> io::Result<()> {
        let batch = join(&self.schema, &self.parts).map_err(output_error)?;
        self.parts.truncate(1);
        (self.rows, self.bytes, self.held) = (0, 0, 0);
        match &mut self.encoder {
            TableEncoder::Stream(stream) => {
                stream.write(&batch).map_err(output_error)?;
                stream.flush().map_err(output_error)
            }
            #[cfg(feature = "parquet")]
            TableEncoder::Parquet(file) => file.write(&batch).map_err(parquet::output_error),
        }
    }

    /// Writes the rows that are left, and the end of the table.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        match &mut self.encoder {
            TableEncoder::Stream(stream) => stream.finish().map_err(output_error),
            #[cfg(feature = "parquet")]
            TableEncoder::Parquet(file) => parquet::finish(file),
        }
    }
}

/// Joins parts of blocks into a batch.
fn join(schema: &SchemaRef, parts: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().enumerate().map(|(index, field)| {
        let parts: Vec<_> = (parts.iter().map(|part| part.column(index).as_ref())).collect();
        match field.data_type() {
            DataType::Dictionary(..) => Ok(numbered(&parts)),
            _ => concat(&parts),
        }
    });
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new(Arc::clone(schema), columns)
}

/// Returns a column whose rows are numbers of strings, in the order of their first rows.
fn numbered(parts: &[&dyn Array]) -> ArrayRef {
    let texts = parts.iter().flat_map(|part| part.as_string::<i32>());
    let mut numbers = StringDictionaryBuilder::<Int32Type>::new();
    // Neighbours are often equal.
    for run in texts
        .collect::<Vec<_>>()
        .chunk_by(|one, other| one == other)
    {
        match run[0] {
            Some(text) => numbers.append_values(text, run.len()),
            None => numbers.append_nulls(run.len()),
        }
    }
    Arc::new(numbers.finish())
}

/// Returns the error of the output that an error of Arrow wraps; the arrays fit the schema.
fn output_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/writer.rs"]
mod tests;
