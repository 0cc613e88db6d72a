//! Batches as a Parquet file: row groups of a million rows with statistics, compressed by snappy, and
//! the footer at the end.
//!
//! Columns are encoded here, straight from the runs and the buffers of a batch: `encodings` has the forms
//! of pages, `bounds` the statistics, `columns` the encoders, `chunk` the pages of a column. The library
//! writes the headers of pages and the footer.

mod bounds;
mod chunk;
mod columns;
mod encodings;

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedFileWriter;

use self::columns::ColumnEncoder;
use super::arrow::{output_error, schema};
use super::batch::RowBatch;
use super::column::TableColumn;
use super::writer::TableEncoder;

/// The limits of a row group.
#[derive(Clone, Copy, Debug)]
struct GroupLimits {
    rows: usize,
    /// The bytes, encoded, which are held until the group is complete, unless a single batch has more.
    bytes: usize,
}

impl Default for GroupLimits {
    fn default() -> Self {
        GroupLimits {
            rows: 1_000_000,
            bytes: 256 << 20,
        }
    }
}

/// The output of the library. It counts the bytes of columns, to say in the footer where they are, but these
/// go to the output from where they are: a row group is too large to be copied for nothing.
#[derive(Debug, Default)]
struct FooterOutput {
    bytes: Vec<u8>,
    is_column: bool,
}

impl Write for FooterOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_column {
            self.bytes.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The number of bytes of a column, in place of them.
struct ColumnLength(usize);

impl Length for ColumnLength {
    fn len(&self) -> u64 {
        self.0 as u64
    }
}

impl ChunkReader for ColumnLength {
    type T = io::Take<io::Repeat>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(io::repeat(0).take(self.len() - start))
    }

    fn get_bytes(&self, _start: u64, _length: usize) -> Result<Bytes> {
        Err(ParquetError::General("columns are read in sequence".into()))
    }
}

/// Writes a file without seeking.
struct FileWriter {
    schema: SchemaRef,
    file: SerializedFileWriter<FooterOutput>,
    limits: GroupLimits,
    /// The columns of the row group that is not complete; none if it has no rows.
    group: Vec<ColumnEncoder>,
    rows: usize,
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
    Ok(Box::new(FileWriter::new(columns, GroupLimits::default())?))
}

impl FileWriter {
    fn new(columns: &[TableColumn], limits: GroupLimits) -> io::Result<Self> {
        let schema = Arc::new(schema(columns));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Page)
            .set_created_by(concat!("uriscan ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        // It knows the Parquet form of the schema.
        let writer = ArrowWriter::try_new(
            FooterOutput::default(),
            Arc::clone(&schema),
            Some(properties),
        );
        let writer = writer.and_then(ArrowWriter::into_serialized_writer);
        let (file, _) = writer.map_err(output_error)?;
        Ok(FileWriter {
            schema,
            file,
            limits,
            group: Vec::new(),
            rows: 0,
        })
    }

    /// Begins a row group of columns like those of a batch.
    fn begin_group(&mut self, batch: &RowBatch) {
        // A column of lists has one leaf, so that columns and leaves stand in the same order.
        let columns = batch.columns.iter().zip(self.file.schema_descr().columns());
        let column = |(values, leaf): (_, &Arc<_>)| ColumnEncoder::new(Arc::clone(leaf), values);
        self.group = columns.map(column).collect();
    }

    /// Writes the row group.
    fn end_group(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.write_framing(out)?;
        self.file.inner_mut().is_column = true;
        let mut group = self.file.next_row_group().map_err(output_error)?;
        for column in self.group.drain(..) {
            let column = column.finish().map_err(output_error)?;
            out.write_all(&column.dictionary)?;
            out.write_all(&column.pages)?;
            let length = ColumnLength(column.dictionary.len() + column.pages.len());
            let appended = group.append_column(&length, column.closed);
            appended.map_err(output_error)?;
        }
        group.close().map_err(output_error)?;
        self.file.flush()?;
        self.file.inner_mut().is_column = false;
        self.rows = 0;
        Ok(())
    }

    /// Writes what the library has written.
    fn write_framing(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.file.flush()?;
        let framing = &mut self.file.inner_mut().bytes;
        out.write_all(framing)?;
        framing.clear();
        Ok(())
    }
}

impl TableEncoder for FileWriter {
    fn write(&mut self, batch: &mut RowBatch, out: &mut dyn Write) -> io::Result<()> {
        let (limits, mut start) = (self.limits, 0);
        while start < batch.rows {
            let bytes: usize = self.group.iter().map(ColumnEncoder::len).sum();
            let is_full = self.rows == limits.rows || bytes + batch.bytes > limits.bytes;
            if is_full && self.rows > 0 {
                self.end_group(out)?;
            }
            if self.rows == 0 {
                self.begin_group(batch);
            }
            let end = batch.rows.min(start + limits.rows - self.rows);
            for (column, values) in self.group.iter_mut().zip(&batch.columns) {
                column.push(values, &(start..end)).map_err(output_error)?;
            }
            self.rows += end - start;
            start = end;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows > 0 {
            self.end_group(out)?;
        }
        self.file.finish().map_err(output_error)?;
        self.write_framing(out)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::super::batch::BatchLimits;
    use super::super::column::{ColumnSet, columns};
    use super::super::rows::RowBlock;
    use super::super::writer::TableWriter;
    use super::*;
    use crate::document::Format;
    use crate::extractor::{Document, Extractor, ExtractorOptions};
    use crate::output::DocumentPath;
    use crate::resolver::Link;

    /// Returns the rows of the groups of a file, as text.
    fn groups(document: &[u8], batch_rows: usize, limits: GroupLimits) -> Vec<Vec<String>> {
        let columns = columns(ColumnSet::All, true);
        let encoder = Box::new(FileWriter::new(&columns, limits).unwrap());
        let limits = BatchLimits {
            rows: batch_rows,
            ..BatchLimits::default()
        };
        let mut writer = TableWriter::new(encoder, limits);
        let (mut block, mut out) = (RowBlock::new(&columns), Vec::new());
        let path = DocumentPath::new(b"a.html");
        let mut sink = |link: &Link<'_>| block.push(&columns, &path, link);
        let options = ExtractorOptions::default();
        let html = Document::new(Format::HTML, None);
        Extractor::new(&options).extract_bytes(&html, document, &mut sink);
        writer.push(&block, 0..block.len(), &mut out).unwrap();
        writer.finish(&mut out).unwrap();
        let file = SerializedFileReader::new(Bytes::from(out)).unwrap();
        let group = |number| {
            let group = file.get_row_group(number).unwrap();
            let rows = group.get_row_iter(None).unwrap();
            rows.map(|row| row.unwrap().to_string()).collect()
        };
        (0..file.num_row_groups()).map(group).collect()
    }

    #[test]
    fn groups_have_the_same_rows_wherever_they_and_batches_are_cut() {
        let mut document = String::new();
        for number in 0..500 {
            document += &match number % 4 {
                0 => format!("<a href='{number}' rel='a b{number}' title='&auml;'>x</a>"),
                1 => format!("<img srcset='a{}.png 1x, b.png 2x'>", number % 9),
                2 => format!("<a href='http://{}.example.com/'>\n", number % 7),
                _ => "<base href='http://example.com/x/'>".to_owned(),
            };
        }
        let document = document.as_bytes();
        let whole = groups(document, 4096, GroupLimits::default());
        assert_eq!(whole.len(), 1);
        assert_eq!(whole[0].len(), 500);
        for (batch_rows, rows, bytes) in [
            (1, 7, 1 << 20),
            (5, 7, 1 << 20),
            (64, 7, 1 << 20),
            (100, 100, 1 << 20),
            (1000, 300, 1 << 20),
            (20, 1000, 4000),
            (20, 1000, 1),
        ] {
            let cut = groups(document, batch_rows, GroupLimits { rows, bytes });
            let lengths: Vec<_> = cut.iter().map(Vec::len).collect();
            let (last, full) = lengths.split_last().unwrap();
            let is_full = |length: &usize| *length == rows;
            assert!(bytes < 1 << 20 || full.iter().all(is_full), "{lengths:?}");
            assert!(
                bytes > 1 || full.iter().all(|length| *length == 20),
                "{lengths:?}"
            );
            assert!(*last <= rows && lengths.len() > 1, "{lengths:?}");
            assert!(cut.concat() == whole[0], "{batch_rows} {rows} {bytes}");
        }
    }
}
