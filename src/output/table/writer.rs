//! The writer: joins blocks of rows into batches, and writes these as an IPC stream or a Parquet file.

use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::sync::Arc;

#[cfg(feature = "parquet")]
use ::parquet::arrow::ArrowWriter;
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;

use super::dictionary;
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

/// The limits of a batch.
#[derive(Clone, Copy, Debug)]
struct BatchLimits {
    /// The most rows. A batch of these is about as large as a core's cache, from which it is written.
    rows: usize,
    /// The most bytes of strings, unless a single row has more.
    bytes: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        BatchLimits {
            rows: 1 << 12,
            bytes: 64 << 20,
        }
    }
}

/// The memory of a part of a block besides its rows, in bytes, about.
const PART_BYTES: usize = 4 << 10;

/// Writes blocks of rows in batches, which do not depend on how the rows are cut into blocks.
pub(crate) struct TableWriter<W: Write + Send> {
    /// The schema of blocks.
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
    /// The columns whose type in the schema is a dictionary are encoded.
    Dictionaries(Box<StreamWriter<BufWriter<W>>>, SchemaRef),
    #[cfg(feature = "parquet")]
    Parquet(Box<ArrowWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Creates a writer, which begins with the schema.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub(crate) fn new(format: TableFormat, layout: &Layout, output: W) -> io::Result<Self> {
        let plain = schema(&layout.fields, StringForm::Plain);
        let encoder = match format {
            TableFormat::Stream => {
                let written = schema(&layout.fields, layout.strings);
                let stream = StreamWriter::try_new_buffered(output, &written);
                let stream = Box::new(stream.map_err(output_error)?);
                match layout.strings {
                    StringForm::Plain => TableEncoder::Stream(stream),
                    StringForm::Dictionary => TableEncoder::Dictionaries(stream, written),
                }
            }
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                let file = parquet::file(output, &layout.fields, &plain)?;
                TableEncoder::Parquet(Box::new(file))
            }
        };
        Ok(TableWriter {
            parts: vec![RecordBatch::new_empty(Arc::clone(&plain))],
            schema: plain,
            limits: BatchLimits::default(),
            rows: 0,
            bytes: 0,
            held: 0,
            encoder,
        })
    }

    /// Adds some rows of a block, and writes the batches that are full.
    ///
    /// # Errors
    ///
    /// Those of the output, and when a row is too long.
    pub(crate) fn push(&mut self, block: &RowBlock, ranges: &[Range<usize>]) -> io::Result<()> {
        let batch = (block.batch.as_ref()).map_err(|error| io::Error::other(error.as_str()))?;
        let Some(batch) = batch else {
            return Ok(());
        };
        self.held += block.weight();
        for rows in ranges {
            let mut rows = rows.clone();
            while !rows.is_empty() {
                let (count, bytes) = self.room(batch, &rows);
                if count > 0 {
                    self.parts.push(match count == batch.num_rows() {
                        true => batch.clone(),
                        false => batch.slice(rows.start, count),
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
                let joined = concat_batches(&self.schema, &self.parts).map_err(output_error)?;
                self.parts.truncate(1);
                self.parts.push(joined);
                self.held = self.bytes;
            }
        }
        Ok(())
    }

    /// Returns how many of some rows fit, at least one into an empty batch, and the bytes of their strings.
    fn room(&self, batch: &RecordBatch, rows: &Range<usize>) -> (usize, usize) {
        let bytes = |count: usize| -> usize {
            let rows = rows.start..rows.start + count;
            let columns = batch.columns().iter();
            columns.map(|column| string_bytes(column, &rows)).sum()
        };
        let fits = |bytes: usize| self.bytes + bytes <= self.limits.bytes;
        let (mut fitting, mut count) = (0, rows.len().min(self.limits.rows - self.rows));
        if fits(bytes(count)) {
            return (count, bytes(count));
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
        let joined = match &self.encoder {
            TableEncoder::Dictionaries(_, schema) => dictionary::join(&self.parts, schema),
            _ => concat_batches(&self.schema, &self.parts),
        };
        let batch = joined.map_err(output_error)?;
        self.parts.truncate(1);
        (self.rows, self.bytes, self.held) = (0, 0, 0);
        match &mut self.encoder {
            TableEncoder::Stream(stream) | TableEncoder::Dictionaries(stream, _) => {
                stream.write(&batch).map_err(output_error)?;
                stream.flush().map_err(output_error)
            }
            #[cfg(feature = "parquet")]
            TableEncoder::Parquet(file) => file.write(&batch).map_err(parquet::output_error),
        }
    }

    /// Writes the rows that are left, and the end of the table.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        match &mut self.encoder {
            TableEncoder::Stream(stream) | TableEncoder::Dictionaries(stream, _) => {
                stream.finish().map_err(output_error)
            }
            #[cfg(feature = "parquet")]
            TableEncoder::Parquet(file) => parquet::finish(file),
        }
    }
}

/// Returns the error of the output that an error of Arrow wraps. No other is expected: the arrays fit the
/// schema.
fn output_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use arrow_ipc::reader::StreamReader;

    use super::super::rows::RowBuilder;
    use super::*;
    use crate::document::Format;
    use crate::extractor::{Document, Extractor, ExtractorOptions};
    use crate::output::DocumentPath;
    use crate::output::column::ColumnSet;
    use crate::resolver::Link;

    /// Returns the stream of a document whose blocks are cut after every `count` links, and whose rows are
    /// passed on in two ranges for each block.
    fn stream(document: &[u8], count: usize, limits: BatchLimits, strings: StringForm) -> Vec<u8> {
        let mut layout = Layout::of_table(ColumnSet::All, true);
        layout.strings = strings;
        let mut out = Vec::new();
        let mut writer = TableWriter::new(TableFormat::Stream, &layout, &mut out).unwrap();
        writer.limits = limits;
        let mut rows = RowBuilder::new(&layout.fields);
        let path = DocumentPath::new(b"a.txt");
        let mut push = |rows: &mut RowBuilder| {
            let block = rows.finish();
            let middle = block.len() / 3;
            let ranges = [0..middle, middle..middle, middle..block.len()];
            writer.push(&block, &ranges).unwrap();
        };
        let mut sink = |link: &Link<'_>| {
            rows.push(&path, link);
            if rows.len() == count {
                push(&mut rows);
            }
        };
        let options = ExtractorOptions::default();
        let text = Document::new(Format::TEXT, None);
        Extractor::new(&options).extract_bytes(&text, document, &mut sink);
        push(&mut rows);
        writer.finish().unwrap();
        drop(writer);
        out
    }

    #[test]
    fn batches_are_cut_at_the_same_rows_however_blocks_are_cut() {
        let mut document = String::new();
        for number in 0..500 {
            let host = number * 7 % 13;
            let tail = "x".repeat(number * number % 90);
            document += &match number % 3 {
                0 => format!("<http://{host}.example.com/{tail}\n-{number}>\n\n"),
                1 => format!("<http://{host}.example.com/>\n\n"),
                _ => format!("http://{host}.example.com/{number}, relative <URL:{number}>\n"),
            };
        }
        let document = document.as_bytes();
        for (rows, bytes) in [(1, 9999), (7, 99_999), (64, 4000), (1000, 1400), (1000, 1)] {
            let limits = BatchLimits { rows, bytes };
            for strings in [StringForm::Plain, StringForm::Dictionary] {
                let one = stream(document, 1, limits, strings);
                let batches = StreamReader::try_new(one.as_slice(), None).unwrap();
                let lengths: Vec<_> = batches.map(|batch| batch.unwrap().num_rows()).collect();
                assert!(lengths.iter().sum::<usize>() > 500, "{lengths:?}");
                assert!(lengths.iter().all(|length| (1..=rows).contains(length)));
                for count in [2, 3, 10, 77, 10_000] {
                    let other = stream(document, count, limits, strings);
                    assert!(one == other, "{count} {limits:?}");
                }
            }
        }
    }
}
