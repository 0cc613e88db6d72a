//! Batches as a Parquet file: row groups of a million rows with statistics, compressed by snappy, and
//! the footer at the end.
//!
//! Names, strings and numbers are encoded here, straight from the runs and the buffers of a batch:
//! `encodings` has their forms, `bounds` the statistics, `chunk` the pages, `columns` the encoders. The
//! library writes lists, headers of pages and the footer.

mod bounds;
mod chunk;
mod columns;
mod encodings;
mod lists;

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{FieldRef, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::Compression;
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;

use self::columns::ColumnEncoder;
use self::lists::lists;
use super::arrow::{output_error, schema};
use super::batch::{BatchNames, RowBatch};
use super::column::TableColumn;
use super::values::Values;
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

/// A column of the row group that is not complete.
enum GroupColumn {
    Encoder(Box<ColumnEncoder>),
    List(FieldRef, Box<ArrowColumnWriter>),
}

impl GroupColumn {
    /// Adds some rows of a batch of so many.
    fn push(
        &mut self,
        values: &Values<BatchNames>,
        count: usize,
        rows: &Range<usize>,
    ) -> Result<()> {
        match (self, values) {
            (GroupColumn::Encoder(encoder), values) => encoder.push(values, rows),
            (GroupColumn::List(field, writer), Values::Lists(values)) => {
                let array = lists(values, count, rows)?;
                let leaves = compute_leaves(field, &array)?;
                leaves.iter().try_for_each(|leaf| writer.write(leaf))
            }
            // Batches of one run have the same columns.
            (GroupColumn::List(..), _) => Ok(()),
        }
    }

    /// Returns about how many bytes the column takes.
    fn len(&self) -> usize {
        match self {
            GroupColumn::Encoder(encoder) => encoder.len(),
            GroupColumn::List(_, writer) => writer.get_estimated_total_bytes(),
        }
    }
}

/// Writes a file without seeking.
struct FileWriter {
    schema: SchemaRef,
    /// Writes into memory, from where bytes are moved to the output.
    file: SerializedFileWriter<Vec<u8>>,
    lists: ArrowRowGroupWriterFactory,
    limits: GroupLimits,
    /// The columns of the row group that is not complete; none if it has no rows.
    group: Vec<GroupColumn>,
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
        let writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties));
        let writer = writer.and_then(ArrowWriter::into_serialized_writer);
        let (file, lists) = writer.map_err(output_error)?;
        Ok(FileWriter {
            schema,
            file,
            lists,
            limits,
            group: Vec::new(),
            rows: 0,
        })
    }

    /// Begins a row group of columns like those of a batch.
    fn begin_group(&mut self, batch: &RowBatch) -> Result<()> {
        let number = self.file.flushed_row_groups().len();
        // A column has one leaf, so that these stand in the same order.
        let leaves = self.lists.create_column_writers(number)?;
        let descriptors = self.file.schema_descr().columns();
        let columns = batch.columns.iter().zip(descriptors);
        let columns = columns.zip(leaves).zip(self.schema.fields());
        let column = |(((values, descriptor), leaf), field): (((_, &Arc<_>), _), &FieldRef)| {
            match ColumnEncoder::new(Arc::clone(descriptor), values) {
                Some(encoder) => GroupColumn::Encoder(Box::new(encoder)),
                None => GroupColumn::List(Arc::clone(field), Box::new(leaf)),
            }
        };
        self.group = columns.map(column).collect();
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in self.group.drain(..) {
            match column {
                GroupColumn::Encoder(encoder) => {
                    let (bytes, closed) = encoder.finish()?;
                    group.append_column(&bytes, closed)?;
                }
                GroupColumn::List(_, writer) => writer.close()?.append_to_row_group(&mut group)?,
            }
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    fn push(&mut self, batch: &RowBatch) -> Result<()> {
        let (limits, mut start) = (self.limits, 0);
        while start < batch.rows {
            let bytes: usize = self.group.iter().map(GroupColumn::len).sum();
            let is_full = self.rows == limits.rows || bytes + batch.bytes > limits.bytes;
            if is_full && self.rows > 0 {
                self.end_group()?;
            }
            if self.rows == 0 {
                self.begin_group(batch)?;
            }
            let end = batch.rows.min(start + limits.rows - self.rows);
            for (column, values) in self.group.iter_mut().zip(&batch.columns) {
                column.push(values, batch.rows, &(start..end))?;
            }
            self.rows += end - start;
            start = end;
        }
        Ok(())
    }
}

impl TableEncoder for FileWriter {
    fn write(&mut self, batch: &mut RowBatch, out: &mut dyn Write) -> io::Result<()> {
        self.push(batch).map_err(output_error)?;
        let written = self.file.inner_mut();
        out.write_all(written)?;
        written.clear();
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows > 0 {
            self.end_group().map_err(output_error)?;
        }
        self.file.finish().map_err(output_error)?;
        out.write_all(&std::mem::take(self.file.inner_mut()))
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
