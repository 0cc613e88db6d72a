//! Batches: rows of many blocks, cut at the same rows however the blocks were cut.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use hashbrown::HashTable;

use super::rows::{
    ABSENT, ABSENT_NUMBER, BlockValues, NameColumn, Oversized, RowBlock, StringTable, Strings,
};

/// The limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchLimits {
    /// The most rows. A batch of these is about as large as a core's own cache, from which it is written:
    /// with eight times as many the system took 1.4 times as long.
    pub(crate) rows: usize,
    /// The most bytes of strings, unless a single row has more.
    pub(crate) bytes: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        BatchLimits {
            rows: 1 << 13,
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
    fn emptied(&self) -> Self {
        let mut emptied = BatchStrings::default();
        emptied.valid.reserve(self.valid.len());
        emptied.values.offsets.reserve(self.valid.len());
        emptied.values.bytes.reserve(self.values.bytes.len());
        emptied
    }

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

    /// Returns a column of no values, with memory for as many.
    fn emptied(&self) -> Self {
        match self {
            BatchValues::Numbers(numbers) => {
                BatchValues::Numbers(Vec::with_capacity(numbers.len()))
            }
            BatchValues::Strings(strings) => BatchValues::Strings(strings.emptied()),
            BatchValues::Names(names) => BatchValues::Names(BatchNames {
                codes: Vec::with_capacity(names.codes.len()),
                ..BatchNames::default()
            }),
            BatchValues::Lists(lists) => BatchValues::Lists(BatchLists {
                offsets: vec![0],
                valid: Vec::with_capacity(lists.valid.len()),
                items: Box::new(lists.items.emptied()),
            }),
        }
    }

    /// Adds rows without values.
    fn append_absent(&mut self, rows: usize) {
        match self {
            BatchValues::Numbers(numbers) => numbers.resize(numbers.len() + rows, ABSENT_NUMBER),
            BatchValues::Strings(BatchStrings { values, valid }) => {
                let end = values.offsets.last().copied().unwrap_or_default();
                values.offsets.resize(values.offsets.len() + rows, end);
                valid.resize(valid.len() + rows, false);
            }
            BatchValues::Names(names) => names.codes.resize(names.codes.len() + rows, ABSENT),
            BatchValues::Lists(BatchLists { offsets, valid, .. }) => {
                let end = offsets.last().copied().unwrap_or_default();
                offsets.resize(offsets.len() + rows, end);
                valid.resize(valid.len() + rows, false);
            }
        }
    }

    fn append(&mut self, block: &BlockValues, rows: Range<usize>) -> Result<(), Oversized> {
        if block.is_empty() {
            self.append_absent(rows.len());
            return Ok(());
        }
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
        if block.is_empty() {
            return 0;
        }
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
    /// Returns a batch of no rows, with memory for as many.
    pub(super) fn emptied(&self) -> Self {
        let columns = self.columns.iter().map(BatchValues::emptied);
        RowBatch {
            columns: columns.collect(),
            ..RowBatch::default()
        }
    }

    /// Returns how many of some rows fit, at least one into an empty batch.
    pub(super) fn room(
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

    /// Adds some rows of a block, which fit.
    pub(super) fn append(&mut self, block: &RowBlock, rows: Range<usize>) -> Result<(), Oversized> {
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
