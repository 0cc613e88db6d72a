//! Tables as a Parquet file: row groups of a million rows with statistics, compressed by snappy, and the
//! footer at the end. The output is never sought.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::output::column::ColumnKind;
use crate::output::field::RecordField;

/// The most rows of a row group.
const GROUP_ROWS: usize = 1_000_000;
/// The most encoded bytes of a row group, which are held in memory until it is complete.
const GROUP_BYTES: usize = 256 << 20;

/// Creates the writer of a file.
/// Strings that many rows share are in dictionaries; numbers and other strings differ little from the
/// value before.
pub(super) fn file<W: Write + Send>(
    output: W,
    fields: &[&RecordField],
    schema: &SchemaRef,
) -> io::Result<ArrowWriter<W>> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_created_by(concat!("uriscan ", env!("CARGO_PKG_VERSION")).to_owned());
    for (field, column) in fields.iter().zip(schema.fields()) {
        let mut path = vec![column.name().clone()];
        let encoding = match column.data_type() {
            DataType::Int64 | DataType::Timestamp(..) => Encoding::DELTA_BINARY_PACKED,
            _ => Encoding::DELTA_BYTE_ARRAY,
        };
        if let DataType::List(item) = column.data_type() {
            path.extend(["list".to_owned(), item.name().clone()]);
        }
        let is_shared = field.column.is_shared() || field.column == ColumnKind::Names;
        let path = ColumnPath::from(path);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), is_shared)
            .set_column_encoding(path, encoding);
    }
    let writer = ArrowWriter::try_new(output, Arc::clone(schema), Some(properties.build()));
    writer.map_err(output_error)
}

pub(super) fn output_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
