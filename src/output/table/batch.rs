//! Batches: rows of many blocks, cut at the same rows however the blocks were cut.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::ops::Range;

use hashbrown::HashTable;

use super::TableEncoder;
use super::rows::{ABSENT, BlockValues, NameColumn, Oversized, RowBlock, StringTable, Strings};

/// The limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchLimits {
    /// The most rows.
    pub(crate) rows: usize,
    /// The most bytes of strings, unless a single row has more.
    pub(crate) bytes: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        BatchLimits {
            rows: 1 << 16,
            bytes: 64 << 20,
        }
    }
}

/// Rows in columns, each string of a column of names once.
#[derive(Debug, Default)]
pub(crate) struct RowBatch {
    pub(super) columns: Vec<BatchValues>,
    pub(super) rows: usize,
    /// The bytes of all strings.
    bytes: usize,
}

/// The values of a column.
#[derive(Debug)]
pub(super) enum BatchValues {
    Numbers(Vec<i64>),
    Strings(BatchStrings),
    Names(BatchNames),
    Lists(BatchLists),
}

/// Strings one after the other.
#[derive(Debug, Default)]
pub(super) struct BatchStrings {
    pub(super) values: StringTable,
    pub(super) valid: Vec<bool>,
}

/// Names by their codes, which follow the order of their first rows.
#[derive(Debug, Default)]
pub(super) struct BatchNames {
    pub(super) codes: Vec<i32>,
    pub(super) values: StringTable,
    index: HashTable<i32>,
    hasher: RandomState,
    /// The codes of the values of a block.
    known: Vec<i32>,
}

/// Lists one after the other.
#[derive(Debug)]
pub(super) struct BatchLists {
    pub(super) offsets: Vec<i32>,
    pub(super) valid: Vec<bool>,
    pub(super) items: Box<BatchValues>,
}

impl BatchNames {
    fn code(&self, value: &[u8]) -> Option<i32> {
        let is_same = |&code: &i32| self.values.get(code as usize) == value;
        self.index
            .find(self.hasher.hash_one(value), is_same)
            .copied()
    }

    fn intern(&mut self, value: &[u8]) -> Result<i32, Oversized> {
        if let Some(code) = self.code(value) {
            return Ok(code);
        }
        let code = self.values.push(value)?;
        let (values, hasher) = (&self.values, &self.hasher);
        self.index
            .insert_unique(hasher.hash_one(value), code, |&code| {
                hasher.hash_one(values.get(code as usize))
            });
        Ok(code)
    }

    fn append(&mut self, block: &NameColumn, rows: Range<usize>) -> Result<(), Oversized> {
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        known.resize(block.values.len(), ABSENT);
        self.codes.reserve(rows.len());
        for &code in &block.codes[rows] {
            if code == ABSENT {
                self.codes.push(ABSENT);
                continue;
            }
            let known = &mut known[code as usize];
            if *known == ABSENT {
                *known = self.intern(block.values.get(code as usize))?;
            }
            self.codes.push(*known);
        }
        self.known = known;
        Ok(())
    }
}

/// Returns the sum of lengths, without those of what is not there.
fn sum(lengths: &[i32]) -> usize {
    lengths.iter().map(|&length| length.max(0) as usize).sum()
}

impl BatchStrings {
    fn append(&mut self, block: &Strings, rows: Range<usize>) -> Result<(), Oversized> {
        let (before, lengths) = (sum(&block.lengths[..rows.start]), &block.lengths[rows]);
        let bytes = &block.bytes[before..before + sum(lengths)];
        let mut end = self.values.bytes.len();
        i32::try_from(end + bytes.len()).map_err(|_| Oversized)?;
        self.values.bytes.extend_from_slice(bytes);
        self.values.offsets.extend(lengths.iter().map(|&length| {
            end += length.max(0) as usize;
            end as i32
        }));
        self.valid
            .extend(lengths.iter().map(|&length| length != ABSENT));
        Ok(())
    }
}

impl BatchValues {
    fn new(block: &BlockValues) -> Self {
        match block {
            BlockValues::Numbers(_) => BatchValues::Numbers(Vec::new()),
            BlockValues::Strings(_) => BatchValues::Strings(BatchStrings::default()),
            BlockValues::Names(_) => BatchValues::Names(BatchNames::default()),
            BlockValues::Lists(_, items) => BatchValues::Lists(BatchLists {
                offsets: vec![0],
                valid: Vec::new(),
                items: Box::new(BatchValues::new(items)),
            }),
        }
    }

    fn append(&mut self, block: &BlockValues, rows: Range<usize>) -> Result<(), Oversized> {
        match (self, block) {
            (BatchValues::Numbers(numbers), BlockValues::Numbers(block)) => {
                numbers.extend_from_slice(&block[rows]);
                Ok(())
            }
            (BatchValues::Strings(strings), BlockValues::Strings(block)) => {
                strings.append(block, rows)
            }
            (BatchValues::Names(names), BlockValues::Names(block)) => names.append(block, rows),
            (BatchValues::Lists(lists), BlockValues::Lists(counts, items)) => {
                let (before, counts) = (sum(&counts[..rows.start]), &counts[rows]);
                let mut end = lists.offsets.last().copied().unwrap_or_default();
                for &count in counts {
                    end = end.checked_add(count.max(0)).ok_or(Oversized)?;
                    lists.offsets.push(end);
                    lists.valid.push(count != ABSENT);
                }
                lists.items.append(items, before..before + sum(counts))
            }
            // Blocks of one run have the same columns.
            _ => Ok(()),
        }
    }

    /// Returns the bytes of strings that some rows add.
    fn added(&self, block: &BlockValues, rows: Range<usize>) -> usize {
        match (self, block) {
            (BatchValues::Strings(_), BlockValues::Strings(block)) => sum(&block.lengths[rows]),
            (BatchValues::Names(names), BlockValues::Names(block)) => {
                let codes = block.codes[rows].iter().filter(|&&code| code != ABSENT);
                let values = codes.map(|&code| block.values.get(code as usize));
                let new = values.filter(|value| names.code(value).is_none());
                new.map(<[u8]>::len).sum()
            }
            (BatchValues::Lists(lists), BlockValues::Lists(counts, items)) => {
                let before = sum(&counts[..rows.start]);
                let count = sum(&counts[rows]);
                lists.items.added(items, before..before + count)
            }
            _ => 0,
        }
    }

    /// Returns the bytes of the strings.
    fn bytes(&self) -> usize {
        match self {
            BatchValues::Numbers(_) => 0,
            BatchValues::Strings(strings) => strings.values.bytes.len(),
            BatchValues::Names(names) => names.values.bytes.len(),
            BatchValues::Lists(lists) => lists.items.bytes(),
        }
    }
}

impl RowBatch {
    /// Returns how many of some rows fit, at least one into an empty batch.
    fn room(
        &self,
        block: &RowBlock,
        rows: &Range<usize>,
        limits: BatchLimits,
    ) -> Result<usize, Oversized> {
        let count = rows.len().min(limits.rows - self.rows);
        if self.bytes + block.bytes()? <= limits.bytes {
            return Ok(count);
        }
        // Row by row, with strings that the batch has already counted once.
        let row = rows.start..rows.start + 1;
        let columns = self.columns.iter().zip(block.columns());
        let added: usize = columns
            .map(|(column, block)| column.added(&block.values, row.clone()))
            .sum();
        let fits = self.rows == 0 || self.bytes + added <= limits.bytes;
        Ok(usize::from(fits).min(count))
    }

    fn append(&mut self, block: &RowBlock, rows: Range<usize>) -> Result<(), Oversized> {
        if self.columns.is_empty() {
            let columns = block.columns().iter();
            self.columns = columns
                .map(|block| BatchValues::new(&block.values))
                .collect();
        }
        for (column, block) in self.columns.iter_mut().zip(block.columns()) {
            column.append(&block.values, rows.clone())?;
        }
        self.rows += rows.len();
        self.bytes = self.columns.iter().map(BatchValues::bytes).sum();
        Ok(())
    }
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
        self.encoder.write(std::mem::take(&mut self.batch), out)
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

    use super::super::column::{ColumnSet, columns};
    use super::*;
    use crate::document::Format;
    use crate::extractor::{Document, Extractor, ExtractorOptions};
    use crate::output::DocumentPath;
    use crate::resolver::Link;

    /// Keeps the batches as text.
    #[derive(Debug)]
    struct Kept(Arc<Mutex<Vec<(usize, String)>>>);

    impl TableEncoder for Kept {
        fn write(&mut self, batch: RowBatch, _out: &mut dyn Write) -> io::Result<()> {
            let mut text = String::new();
            for column in &batch.columns {
                text += &shown(column);
            }
            self.0.lock().unwrap().push((batch.rows, text));
            Ok(())
        }

        fn finish(&mut self, _out: &mut dyn Write) -> io::Result<()> {
            Ok(())
        }
    }

    fn shown(column: &BatchValues) -> String {
        match column {
            BatchValues::Numbers(numbers) => format!("{numbers:?}"),
            BatchValues::Strings(strings) => format!("{strings:?}"),
            BatchValues::Names(names) => format!("{:?} {:?}", names.codes, names.values),
            BatchValues::Lists(lists) => {
                format!(
                    "{:?} {:?} {}",
                    lists.offsets,
                    lists.valid,
                    shown(&lists.items)
                )
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
                    .push(&block.copied(), 0..block.len(), &mut io::sink())
                    .unwrap();
                block.clear();
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
