//! The writer: joins blocks of rows into batches, and writes these as an IPC stream or a Parquet file.

use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::sync::Arc;

#[cfg(feature = "parquet")]
use ::parquet::arrow::ArrowWriter;
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use smart_default::SmartDefault;

#[cfg(feature = "parquet")]
use super::parquet;
use super::rows::RowBlock;
use super::schema::schema;
use super::values::ColumnRows;
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

/// Writes blocks of rows in batches, which do not depend on how the rows are cut into blocks.
pub(crate) struct TableWriter<W: Write + Send> {
    schema: SchemaRef,
    limits: BatchLimits,
    /// The rows of the next batch.
    columns: Vec<ColumnRows>,
    rows: usize,
    /// The bytes of the strings in these rows.
    bytes: usize,
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
        let columns = layout.fields.iter().map(|field| field.column);
        Ok(TableWriter {
            schema,
            limits: BatchLimits::default(),
            columns: columns.map(ColumnRows::new).collect(),
            rows: 0,
            bytes: 0,
            encoder,
        })
    }

    /// Adds some rows of a block, and writes the batches that are full; an error when a row is too long.
    pub(crate) fn push(&mut self, block: &RowBlock, ranges: &[Range<usize>]) -> io::Result<()> {
        if block.is_oversized {
            let message = "a link has more than 2 GiB, which is too long for a table";
            return Err(io::Error::other(message));
        }
        for rows in ranges {
            let mut rows = rows.clone();
            while !rows.is_empty() {
                let free = rows.len().min(self.limits.rows - self.rows);
                let most = self.limits.bytes.checked_sub(self.bytes);
                let fitting = |most| block.fitting(&(rows.start..rows.start + free), most);
                let count = most.map_or(0, fitting).max(usize::from(self.rows == 0));
                let part = rows.start..rows.start + count;
                for (column, values) in self.columns.iter_mut().zip(&block.columns) {
                    column.append(self.rows, values, &part);
                }
                rows.start += count;
                self.rows += count;
                self.bytes += block.bytes_before(part.end) - block.bytes_before(part.start);
                if !rows.is_empty() || self.rows == self.limits.rows {
                    self.write_batch()?;
                }
            }
        }
        Ok(())
    }

    fn write_batch(&mut self) -> io::Result<()> {
        let columns = self.columns.iter_mut().zip(self.schema.fields());
        let arrays = columns.map(|(column, field)| column.finish(self.rows, field.data_type()));
        let arrays = arrays.collect::<Result<_, _>>().map_err(output_error)?;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(output_error)?;
        (self.rows, self.bytes) = (0, 0);
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
