//! The writer: joins blocks of rows into batches, and passes full ones to an encoder.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use super::batch::{BatchLimits, RowBatch};
use super::rows::RowBlock;
use super::values::Oversized;

/// Writes batches in a format.
pub(crate) trait TableEncoder: fmt::Debug + Send {
    /// Writes a batch, which is emptied after that.
    ///
    /// # Errors
    ///
    /// Those of the output.
    fn write(&mut self, batch: &mut RowBatch, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the end of the table, which only a complete one has.
    ///
    /// # Errors
    ///
    /// Those of the output.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// Writes blocks of rows in batches.
#[derive(Debug)]
pub(crate) struct TableWriter {
    batch: RowBatch,
    limits: BatchLimits,
    encoder: Box<dyn TableEncoder>,
}

impl TableWriter {
    /// Writes batches with an encoder.
    pub(crate) fn new(encoder: Box<dyn TableEncoder>, limits: BatchLimits) -> Self {
        TableWriter {
            batch: RowBatch::default(),
            limits,
            encoder,
        }
    }

    /// Adds some rows of a block, and writes the batches that are full.
    ///
    /// # Errors
    ///
    /// Those of the output, and when a row is too long.
    pub(crate) fn push(
        &mut self,
        block: &RowBlock,
        mut rows: Range<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        while !rows.is_empty() {
            let count = self.batch.room(block, &rows, self.limits)?;
            if count > 0 {
                let end = rows.start + count;
                self.batch.append(block, rows.start..end)?;
                rows.start = end;
            }
            if count == 0 || self.batch.rows == self.limits.rows {
                self.write_batch(out)?;
            }
        }
        Ok(())
    }

    /// Writes the rows that are left, and the end of the table.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub(crate) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.batch.rows > 0 {
            self.write_batch(out)?;
        }
        self.encoder.finish(out)
    }

    fn write_batch(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.encoder.write(&mut self.batch, out)?;
        self.batch.clear();
        Ok(())
    }
}

impl From<Oversized> for io::Error {
    fn from(_: Oversized) -> Self {
        io::Error::other("a link has more than 2 GiB, which is too long for a column")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::batch::BatchNames;
    use super::super::column::{ColumnSet, columns};
    use super::super::values::{Oversized, StringTable, Values};
    use super::*;
    use crate::document::Format;
    use crate::extractor::{Document, Extractor, ExtractorOptions};
    use crate::output::DocumentPath;
    use crate::resolver::Link;

    /// Keeps the batches as text.
    #[derive(Debug)]
    struct Kept(Arc<Mutex<Vec<(usize, String)>>>);

    impl TableEncoder for Kept {
        fn write(&mut self, batch: &mut RowBatch, _out: &mut dyn Write) -> io::Result<()> {
            let mut text = String::new();
            for column in &batch.columns {
                text += &shown(column, batch.rows);
            }
            self.0.lock().unwrap().push((batch.rows, text));
            Ok(())
        }

        fn finish(&mut self, _out: &mut dyn Write) -> io::Result<()> {
            Ok(())
        }
    }

    fn shown(column: &Values<BatchNames>, rows: usize) -> String {
        match column {
            Values::Numbers(numbers) => format!("{:?}", numbers.clone().into_rows(rows).0),
            Values::Strings(strings) => {
                let lengths = strings.lengths.clone().into_rows(rows).0;
                format!("{lengths:?} {:?}", strings.bytes)
            }
            Values::Names(names) => {
                let codes = names.codes.clone().into_rows(rows).0;
                format!("{codes:?} {:?}", names.dictionary.values)
            }
            Values::Lists(lists) => {
                let counts = lists.counts.clone().into_rows(rows).0;
                format!("{counts:?} {}", shown(&lists.items, lists.length))
            }
        }
    }

    /// The batches of a document whose blocks are cut behind every so many links.
    fn batches(document: &[u8], every: usize, limits: BatchLimits) -> Vec<(usize, String)> {
        let columns = columns(ColumnSet::All, true);
        let kept = Arc::new(Mutex::new(Vec::new()));
        let mut writer = TableWriter::new(Box::new(Kept(Arc::clone(&kept))), limits);
        let mut block = RowBlock::new(&columns);
        let path = DocumentPath::new(b"a.txt");
        let mut sink = |link: &Link<'_>| {
            block.push(&columns, &path, link);
            if block.len() == every {
                writer
                    .push(&block.take(), 0..every, &mut io::sink())
                    .unwrap();
            }
        };
        let options = ExtractorOptions::default();
        let text = Document::new(Format::TEXT, None);
        Extractor::new(&options).extract_bytes(&text, document, &mut sink);
        writer
            .push(&block, 0..block.len(), &mut io::sink())
            .unwrap();
        writer.finish(&mut io::sink()).unwrap();
        let kept = kept.lock().unwrap();
        kept.clone()
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
        for (rows, bytes) in [(1, 9999), (7, 9999), (64, 2000), (1000, 700), (1000, 1)] {
            let limits = BatchLimits { rows, bytes };
            let one = batches(document.as_bytes(), 1, limits);
            let total: usize = one.iter().map(|(rows, _)| rows).sum();
            assert!(total > 500, "{total}");
            assert!(one.iter().all(|(count, _)| (1..=rows).contains(count)));
            for every in [2, 3, 10, 77, 10_000] {
                assert!(
                    batches(document.as_bytes(), every, limits) == one,
                    "{every} {limits:?}"
                );
            }
        }
    }

    /// Takes 5 GiB of memory.
    #[test]
    #[ignore = "by hand: takes 5 GiB of memory"]
    fn a_string_of_more_than_2_gib_is_an_error() {
        let mut values = StringTable::default();
        let gib = vec![b'x'; 1 << 30];
        assert_eq!(values.push(&gib), Ok(0));
        assert_eq!(values.push(&gib[1..]), Ok(1));
        assert_eq!(values.push(b"x"), Err(Oversized));
        assert_eq!(values.len(), 2);
    }
}
