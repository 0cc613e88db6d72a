//! Batches: rows of many blocks, cut at the same rows however the blocks were cut.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::quality::RandomState;
use hashbrown::HashTable;

use super::rows::{NameColumn, RowBlock};
use super::syntax::{CONTEXT, FLAG_COLUMN, NAME_COLUMNS, SyntaxColumn, SyntaxValues};
use super::values::{ABSENT, Lists, Oversized, Sparse, StringTable, Strings, Values};

/// The limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchLimits {
    /// The most rows. A batch of these is about as large as a core's own cache, from which it is written:
    /// from twice as many the system took half as long again to write the same bytes.
    pub(crate) rows: usize,
    /// The most bytes of strings, unless a single row has more.
    pub(crate) bytes: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        BatchLimits {
            rows: 1 << 12,
            bytes: 64 << 20,
        }
    }
}

/// Rows in columns, each string of a column of names once.
#[derive(Debug, Default)]
pub(crate) struct RowBatch {
    pub(super) columns: Vec<Values<BatchNames>>,
    pub(super) rows: usize,
    syntax: KnownSyntax,
    /// The bytes of all strings.
    pub(super) bytes: usize,
}

/// Names, each once, by codes in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct NameDictionary {
    pub(super) values: StringTable,
    index: HashTable<i32>,
    hasher: RandomState,
}

/// Names by their codes, which follow the order of their first rows.
#[derive(Clone, Debug)]
pub(super) struct BatchNames {
    pub(super) codes: Sparse<i32>,
    pub(super) dictionary: NameDictionary,
    /// The codes of the values of a block.
    known: Vec<i32>,
}

impl Default for BatchNames {
    fn default() -> Self {
        BatchNames {
            codes: Sparse::new(ABSENT),
            dictionary: NameDictionary::default(),
            known: Vec::new(),
        }
    }
}

impl NameDictionary {
    fn code(&self, value: &[u8]) -> Option<i32> {
        let is_same = |&code: &i32| self.values.get(code as usize) == value;
        self.index
            .find(self.hasher.hash_one(value), is_same)
            .copied()
    }

    /// Returns the code of a name, which is added if it is new.
    pub(super) fn intern(&mut self, value: &[u8]) -> Result<i32, Oversized> {
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

    fn clear(&mut self) {
        self.values.clear();
        self.index.clear();
    }
}

impl BatchNames {
    /// Adds the names of some rows of a block, from a row on.
    fn append(
        &mut self,
        row: usize,
        block: &NameColumn,
        rows: Range<usize>,
    ) -> Result<(), Oversized> {
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        known.resize(block.values.len(), ABSENT);
        let first = rows.start;
        for (rows, code) in block.runs(rows) {
            let known = &mut known[code as usize];
            if *known == ABSENT {
                *known = self.dictionary.intern(block.values.get(code as usize))?;
            }
            let start = row + rows.start - first;
            self.codes.repeat(start..start + rows.len(), *known);
        }
        self.known = known;
        Ok(())
    }
}

impl Values<BatchNames> {
    fn new(block: &Values<NameColumn>) -> Self {
        match block {
            Values::Numbers(numbers) => Values::Numbers(numbers.emptied()),
            Values::Strings(_) => Values::Strings(Strings::default()),
            Values::Names(_) => Values::Names(Box::default()),
            Values::Lists(lists) => Values::Lists(Lists::new(Values::new(&lists.items))),
        }
    }

    /// Removes the values and keeps the memory.
    fn clear(&mut self) {
        match self {
            Values::Numbers(numbers) => numbers.clear(),
            Values::Strings(strings) => strings.clear(),
            Values::Names(names) => {
                names.codes.clear();
                names.dictionary.clear();
            }
            Values::Lists(lists) => {
                lists.counts.clear();
                lists.length = 0;
                lists.items.clear();
            }
        }
    }

    /// Adds some rows of a block, from a row on.
    fn append(
        &mut self,
        row: usize,
        block: &Values<NameColumn>,
        rows: Range<usize>,
    ) -> Result<(), Oversized> {
        match (self, block) {
            (Values::Numbers(numbers), Values::Numbers(block)) => {
                numbers.append(row, block, &rows);
                Ok(())
            }
            (Values::Strings(strings), Values::Strings(block)) => strings.append(row, block, &rows),
            (Values::Names(names), Values::Names(block)) => names.append(row, block, rows),
            (Values::Lists(lists), Values::Lists(block)) => {
                let items = block.items(&rows);
                let end = lists.length + items.len();
                i32::try_from(end).map_err(|_| Oversized)?;
                lists.counts.append(row, &block.counts, &rows);
                lists.items.append(lists.length, &block.items, items)?;
                lists.length = end;
                Ok(())
            }
            // Blocks of one run have the same columns.
            _ => Ok(()),
        }
    }

    /// Returns the bytes of strings that some rows add.
    fn added(&self, block: &Values<NameColumn>, rows: Range<usize>) -> usize {
        match (self, block) {
            (Values::Strings(_), Values::Strings(block)) => block.of_rows(&rows).len(),
            (Values::Names(names), Values::Names(block)) => {
                let values = block
                    .runs(rows)
                    .map(|(_, code)| block.values.get(code as usize));
                let new = values.filter(|value| names.dictionary.code(value).is_none());
                new.map(<[u8]>::len).sum()
            }
            (Values::Lists(lists), Values::Lists(block)) => {
                lists.items.added(&block.items, block.items(&rows))
            }
            _ => 0,
        }
    }

    /// Returns the bytes of the strings.
    fn bytes(&self) -> usize {
        match self {
            Values::Numbers(_) => 0,
            Values::Strings(strings) => strings.bytes.len(),
            Values::Names(names) => names.dictionary.values.bytes.len(),
            Values::Lists(lists) => lists.items.bytes(),
        }
    }
}

/// The codes in a batch of the values of a block's combinations.
#[derive(Debug, Default)]
struct KnownSyntax {
    /// The codes of the names of each combination, and the range of those of its flags.
    combinations: Vec<([i32; NAME_COLUMNS.len()], Range<usize>)>,
    flags: Vec<i32>,
}

impl KnownSyntax {
    /// Adds the syntax of some rows of a block to the columns of a batch, from a row on.
    fn append(
        &mut self,
        columns: &mut [Values<BatchNames>],
        row: usize,
        block: &SyntaxColumn,
        rows: Range<usize>,
    ) -> Result<(), Oversized> {
        let codes = block.codes(rows);
        self.flags.clear();
        self.combinations.clear();
        let unknown = ([ABSENT; NAME_COLUMNS.len()], 0..0);
        self.combinations.resize(block.len(), unknown);
        // By row, since dictionaries have values in the order of their first rows.
        for &code in codes {
            let known = &mut self.combinations[code as usize];
            if known.0[CONTEXT] != ABSENT {
                continue;
            }
            let SyntaxValues { names, flags } = block.values(code);
            for ((known, name), column) in known.0.iter_mut().zip(names).zip(NAME_COLUMNS) {
                if let (Some(name), Some(Values::Names(column))) = (name, columns.get_mut(column)) {
                    *known = column.dictionary.intern(name)?;
                }
            }
            let start = self.flags.len();
            if let Some(Values::Lists(lists)) = columns.get_mut(FLAG_COLUMN)
                && let Values::Names(items) = &mut *lists.items
            {
                for name in flags.names() {
                    self.flags.push(items.dictionary.intern(name.as_bytes())?);
                }
            }
            known.1 = start..self.flags.len();
        }
        for (index, column) in NAME_COLUMNS.into_iter().enumerate() {
            if let Some(Values::Names(names)) = columns.get_mut(column) {
                let codes = codes
                    .iter()
                    .map(|&code| self.combinations[code as usize].0[index]);
                names.codes.extend(row, codes);
            }
        }
        let Some(Values::Lists(lists)) = columns.get_mut(FLAG_COLUMN) else {
            return Ok(());
        };
        if self.flags.is_empty() {
            lists.counts.repeat(row..row + codes.len(), 0);
            return Ok(());
        }
        for (row, &code) in (row..).zip(codes) {
            let flags = &self.flags[self.combinations[code as usize].1.clone()];
            lists.counts.push(row, flags.len() as i32);
            for &flag in flags {
                if let Values::Names(items) = &mut *lists.items {
                    items.codes.push(lists.length, flag);
                }
                lists.length += 1;
            }
        }
        i32::try_from(lists.length).map_err(|_| Oversized)?;
        Ok(())
    }
}

/// Returns the bytes of strings that the syntax of a row adds to the columns of a batch.
fn added_by_syntax(columns: &[Values<BatchNames>], block: &SyntaxColumn, row: usize) -> usize {
    let Some(&code) = block.codes(row..row + 1).first() else {
        return 0;
    };
    let values = block.values(code);
    let new = |column: &Values<BatchNames>, value: &[u8]| match column {
        Values::Names(names) if names.dictionary.code(value).is_none() => value.len(),
        _ => 0,
    };
    let names = values.names.iter().zip(NAME_COLUMNS).map(|(name, column)| {
        let column = columns.get(column);
        column
            .zip(*name)
            .map_or(0, |(column, name)| new(column, name))
    });
    let flags: usize = match columns.get(FLAG_COLUMN) {
        Some(Values::Lists(lists)) => {
            let names = values.flags.names();
            names.map(|name| new(&lists.items, name.as_bytes())).sum()
        }
        _ => 0,
    };
    names.sum::<usize>() + flags
}

impl RowBatch {
    /// Removes the rows and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.columns
            .iter_mut()
            .for_each(Values::<BatchNames>::clear);
        (self.rows, self.bytes) = (0, 0);
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
        let added = added + added_by_syntax(&self.columns, block.syntax(), row.start);
        let fits = self.rows == 0 || self.bytes + added <= limits.bytes;
        Ok(usize::from(fits).min(count))
    }

    /// Adds some rows of a block, which fit.
    pub(super) fn append(&mut self, block: &RowBlock, rows: Range<usize>) -> Result<(), Oversized> {
        if self.columns.is_empty() {
            let columns = block.columns().iter();
            self.columns = columns
                .map(|block| Values::<BatchNames>::new(&block.values))
                .collect();
        }
        for (column, block) in self.columns.iter_mut().zip(block.columns()) {
            column.append(self.rows, &block.values, rows.clone())?;
        }
        let (columns, syntax) = (&mut self.columns, block.syntax());
        self.syntax
            .append(columns, self.rows, syntax, rows.clone())?;
        self.rows += rows.len();
        self.bytes = self.columns.iter().map(Values::<BatchNames>::bytes).sum();
        Ok(())
    }
}
