//! Batches as a Parquet file: row groups of a million rows with statistics, compressed by snappy, and
//! the footer at the end.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::arrow::{output_error, record_batch, schema};
use super::batch::RowBatch;
use super::column::{ColumnKind, TableColumn};
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
