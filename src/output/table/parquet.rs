//! Batches as a Parquet file: row groups of a million rows with statistics, compressed by snappy, and
//! the footer at the end.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::arrow::{output_error, record_batch, schema};
use super::batch::RowBatch;
use super::column::TableColumn;
use super::writer::TableEncoder;

/// The rows of a row group.
const GROUP: usize = 1_000_000;

/// The bytes of a row group, encoded, which are held until it is complete.
const GROUP_BYTES: usize = 256 << 20;

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

/// Creates an encoder of Parquet files.
pub(crate) fn file(columns: &[TableColumn]) -> io::Result<Box<dyn TableEncoder>> {
    let schema = Arc::new(schema(columns));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(GROUP))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_created_by(concat!("uriscan ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties));
    Ok(Box::new(FileWriter {
        columns: columns.to_vec(),
        schema,
        writer: Some(writer.map_err(output_error)?),
    }))
}

impl TableEncoder for FileWriter {
    fn write(&mut self, batch: RowBatch, out: &mut dyn Write) -> io::Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
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
