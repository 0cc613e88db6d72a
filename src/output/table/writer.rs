//! The writer: joins blocks of rows into batches, and writes these as an IPC stream or a Parquet file.

use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::sync::Arc;

#[cfg(feature = "parquet")]
use ::parquet::arrow::ArrowWriter;
use arrow_array::builder::{StringBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::concat::concat;
use smart_default::SmartDefault;

#[cfg(feature = "parquet")]
use super::parquet;
use super::rows::{RowBlock, each_run, string_bytes};
use super::schema::schema;
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
    parts: Vec<Vec<ArrayRef>>,
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
        let schema = schema(&layout.fields, layout.has_dictionaries);
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
            parts: Vec::new(),
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
        let Some(columns) = &block.columns else {
            return Ok(());
        };
        let columns = (columns.as_ref()).map_err(|error| io::Error::other(error.as_str()))?;
        let part = |from, count| {
            let slices = columns.iter().map(|column| column.slice(from, count));
            slices.collect()
        };
        self.held += block.weight();
        for rows in ranges {
            let mut rows = rows.clone();
            while !rows.is_empty() {
                let (count, bytes) = self.room(columns, &rows);
                if count > 0 {
                    if self.parts.is_empty() {
                        self.parts.push(part(rows.start, 0));
                    }
                    self.parts.push(part(rows.start, count));
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
            if self.held > 2 * self.limits.bytes && self.rows > 0 {
                let joined = (0..columns.len()).map(|index| concat(&column(&self.parts, index)));
                let joined = joined.collect::<Result<_, _>>().map_err(output_error)?;
                self.parts.truncate(1);
                self.parts.push(joined);
                self.held = self.bytes;
            }
        }
        Ok(())
    }

    /// Returns how many of some rows fit, at least one into an empty batch, and the bytes of their strings.
    fn room(&self, columns: &[ArrayRef], rows: &Range<usize>) -> (usize, usize) {
        let bytes = |count: usize| -> usize {
            let rows = rows.start..rows.start + count;
            let bytes = columns.iter().map(|column| string_bytes(column, &rows));
            bytes.sum()
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
        self.parts.clear();
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
            TableEncoder::Parquet(file) => file.finish().map(drop).map_err(parquet::output_error),
        }
    }
}

/// Joins parts of blocks into a batch.
fn join(schema: &SchemaRef, parts: &[Vec<ArrayRef>]) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().enumerate().map(|(index, field)| {
        let parts = column(parts, index);
        let runs: Option<Vec<_>> = parts.iter().map(|part| part.as_run_opt()).collect();
        let Some(runs) = runs else {
            return concat(&parts);
        };
        if let DataType::Dictionary(..) = field.data_type() {
            // In the order of their first rows.
            let mut numbers = StringDictionaryBuilder::<Int32Type>::new();
            each_run(&runs, |text, count| numbers.append_options(text, count));
            return Ok(Arc::new(numbers.finish()));
        }
        let bytes = (runs.iter()).map(|part| string_bytes(*part, &(0..part.len())));
        let mut texts = StringBuilder::with_capacity(1 << 12, bytes.sum());
        each_run(&runs, |text, count| match text {
            Some(text) => texts.append_value_n(text, count),
            None => texts.append_nulls(count),
        });
        Ok(Arc::new(texts.finish()) as ArrayRef)
    });
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new(Arc::clone(schema), columns)
}

/// Returns the parts of a column.
fn column(parts: &[Vec<ArrayRef>], index: usize) -> Vec<&dyn Array> {
    parts.iter().map(|part| part[index].as_ref()).collect()
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
