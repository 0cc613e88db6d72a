//! Encoders of columns: each takes the rows of batches, and cuts them into pages.

use std::mem;
use std::ops::Range;

use parquet::basic::Encoding;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescPtr;

use super::super::batch::{BatchNames, NameDictionary};
use super::super::values::{ABSENT, ABSENT_NUMBER, Oversized, Sparse, Strings, Values};
use super::bounds::{Bound, StringBounds, ValueBounds};
use super::chunk::{ClosedChunk, ColumnChunk, PageSummary};
use super::encodings::{Differences, FrontCoded, Runs, shared_prefix, width};

/// A page ends behind the rows of a batch with which it has at least as many.
const PAGE: usize = 20_000;

/// A page ends behind the rows of a batch with which it has at least as many bytes.
const PAGE_BYTES: usize = 1 << 20;

/// Encodes a column in a row group.
pub(super) struct ColumnEncoder {
    chunk: ColumnChunk,
    levels: PageLevels,
    /// The rows of the page.
    rows: usize,
    values: ValueEncoder,
    /// The page that is written next.
    page: Vec<u8>,
}

/// The levels of the values of a page, by which readers know where rows begin, and what is not there: an
/// entry for each value, and for each row without one.
struct PageLevels {
    /// For lists: 1 for each item behind the first one of its row.
    repetition: Option<Runs>,
    /// None for a column in which each row has a value.
    definition: Option<Runs>,
    /// The level of a value. Below that of a list's items is an empty list, and lowest what is not there.
    highest: u32,
    /// The entries of each level.
    counts: [usize; 3],
}

enum ValueEncoder {
    Numbers(Box<NumberEncoder>),
    Strings(Box<StringEncoder>),
    Names(Box<NameEncoder>),
}

impl ColumnEncoder {
    /// Creates an encoder of values that are kept like some others.
    pub(super) fn new(descriptor: ColumnDescPtr, values: &Values<BatchNames>) -> Self {
        let values = ValueEncoder::new(values);
        ColumnEncoder {
            levels: PageLevels::new(&descriptor),
            chunk: ColumnChunk::new(descriptor, values.encoding()),
            rows: 0,
            values,
            page: Vec::new(),
        }
    }

    /// Returns about how many bytes the column takes.
    pub(super) fn len(&self) -> usize {
        let dictionary = match &self.values {
            ValueEncoder::Names(names) => names.dictionary.values.bytes.len(),
            ValueEncoder::Numbers(_) | ValueEncoder::Strings(_) => 0,
        };
        self.chunk.len() + self.values.len() + dictionary
    }

    /// Adds some rows of a batch.
    pub(super) fn push(&mut self, values: &Values<BatchNames>, rows: &Range<usize>) -> Result<()> {
        let pushed = match values {
            Values::Lists(lists) => self.values.push(&lists.items, &lists.items(rows)),
            _ => self.values.push(values, rows),
        };
        pushed.map_err(|Oversized| ParquetError::General("a dictionary is too long".into()))?;
        match values {
            Values::Numbers(numbers) => self.levels.push(numbers, ABSENT_NUMBER, rows),
            Values::Strings(strings) => self.levels.push(&strings.lengths, ABSENT, rows),
            Values::Names(names) => self.levels.push(&names.codes, ABSENT, rows),
            Values::Lists(lists) => self.levels.push_lists(&lists.counts, rows),
        }
        self.rows += rows.len();
        if self.rows >= PAGE || self.values.len() >= PAGE_BYTES {
            self.finish_page()?;
        }
        Ok(())
    }

    fn finish_page(&mut self) -> Result<()> {
        self.page.clear();
        let counts = self.levels.finish(&mut self.page);
        let (bounds, string_bytes) = self.values.finish(&mut self.page);
        let summary = PageSummary {
            rows: mem::take(&mut self.rows),
            counts,
            bounds,
            string_bytes,
        };
        self.chunk.push_page(&self.page, summary)
    }

    /// Returns the column as the file has it.
    pub(super) fn finish(mut self) -> Result<ClosedChunk> {
        if self.rows > 0 {
            self.finish_page()?;
        }
        let ValueEncoder::Names(names) = self.values else {
            return self.chunk.finish(None);
        };
        let values = &names.dictionary.values;
        let mut body = Vec::with_capacity(values.bytes.len() + values.len() * size_of::<u32>());
        for code in 0..values.len() {
            let value = values.get(code);
            body.extend_from_slice(&(value.len() as u32).to_le_bytes());
            body.extend_from_slice(value);
        }
        self.chunk.finish(Some((&body, values.len())))
    }
}

impl PageLevels {
    fn new(descriptor: &ColumnDescPtr) -> Self {
        PageLevels {
            repetition: (descriptor.max_rep_level() > 0).then(Runs::default),
            definition: (descriptor.max_def_level() > 0).then(Runs::default),
            highest: descriptor.max_def_level() as u32,
            counts: [0; 3],
        }
    }

    /// Adds entries of a level of definition.
    #[inline(always)]
    fn define(&mut self, level: u32, count: usize) {
        self.counts[level as usize] += count;
        if let Some(definition) = &mut self.definition {
            definition.push(level, count);
        }
    }

    /// Adds which of some rows have a value.
    fn push<T: Copy + PartialEq>(&mut self, values: &Sparse<T>, absent: T, rows: &Range<usize>) {
        let present = values.of_rows(rows);
        if self.highest == 0 || !values.has_gaps(rows.end) {
            return self.define(self.highest, rows.len());
        }
        for &value in present {
            self.define(u32::from(value != absent), 1);
        }
        self.define(0, rows.len() - present.len());
    }

    /// Adds the lists of some rows, by their numbers of items.
    fn push_lists(&mut self, counts: &Sparse<i32>, rows: &Range<usize>) {
        let present = counts.of_rows(rows);
        let missing = rows.len() - present.len();
        for &count in present {
            match count {
                ABSENT => self.define(0, 1),
                0 => self.define(self.highest - 1, 1),
                _ => self.define(self.highest, count as usize),
            }
            if let Some(repetition) = &mut self.repetition {
                repetition.push(0, 1);
                repetition.push(1, (count.max(1) - 1) as usize);
            }
        }
        self.define(0, missing);
        if let Some(repetition) = &mut self.repetition {
            repetition.push(0, missing);
        }
    }

    /// Appends the levels of a page. Returns the entries of each level of definition, up to the highest.
    fn finish(&mut self, page: &mut Vec<u8>) -> Vec<usize> {
        let definition = width(self.highest.into());
        let levels = [
            (&mut self.repetition, 1),
            (&mut self.definition, definition),
        ];
        for (levels, width) in levels {
            if let Some(levels) = levels {
                let start = page.len();
                page.extend_from_slice(&[0; size_of::<u32>()]);
                levels.finish(width, page);
                let length = (page.len() - start - size_of::<u32>()) as u32;
                page[start..start + size_of::<u32>()].copy_from_slice(&length.to_le_bytes());
            }
        }
        let counts = mem::take(&mut self.counts);
        counts[..=self.highest as usize].to_vec()
    }
}

impl ValueEncoder {
    /// Creates an encoder of values, or of the items of lists, that are kept like some others.
    fn new(values: &Values<BatchNames>) -> Self {
        match values {
            Values::Numbers(_) => ValueEncoder::Numbers(Box::default()),
            Values::Strings(_) => ValueEncoder::Strings(Box::default()),
            Values::Names(_) => ValueEncoder::Names(Box::default()),
            Values::Lists(lists) => ValueEncoder::new(&lists.items),
        }
    }

    fn encoding(&self) -> Encoding {
        match self {
            ValueEncoder::Numbers(_) => Encoding::DELTA_BINARY_PACKED,
            ValueEncoder::Strings(_) => Encoding::DELTA_BYTE_ARRAY,
            ValueEncoder::Names(_) => Encoding::RLE_DICTIONARY,
        }
    }

    /// Adds the values of some rows.
    fn push(
        &mut self,
        values: &Values<BatchNames>,
        rows: &Range<usize>,
    ) -> std::result::Result<(), Oversized> {
        match (self, values) {
            (ValueEncoder::Numbers(encoder), Values::Numbers(numbers)) => {
                encoder.push(numbers, rows)
            }
            (ValueEncoder::Strings(encoder), Values::Strings(strings)) => {
                encoder.push(strings, rows)
            }
            (ValueEncoder::Names(encoder), Values::Names(names)) => encoder.push(names, rows)?,
            // Batches of one run have the same columns.
            _ => {}
        }
        Ok(())
    }

    /// Returns about how many bytes the values of the page take.
    fn len(&self) -> usize {
        match self {
            ValueEncoder::Numbers(numbers) => numbers.differences.len(),
            ValueEncoder::Strings(strings) => strings.encoded.len(),
            ValueEncoder::Names(_) => 0,
        }
    }

    /// Appends the values of a page. Returns their bounds, and the bytes of strings.
    fn finish(&mut self, page: &mut Vec<u8>) -> (Option<ValueBounds>, Option<usize>) {
        match self {
            ValueEncoder::Numbers(numbers) => {
                numbers.differences.finish(page);
                let bounds = numbers.bounds.take();
                let bounds = bounds.map(|(least, greatest)| ValueBounds {
                    least: Bound::Number(least),
                    greatest: Bound::Number(greatest),
                });
                (bounds, None)
            }
            ValueEncoder::Strings(strings) => {
                strings.encoded.finish(page);
                strings.last.clear();
                let bytes = mem::take(&mut strings.bytes);
                (strings.bounds.finish(), Some(bytes))
            }
            ValueEncoder::Names(names) => names.finish(page),
        }
    }
}

#[derive(Default)]
struct NumberEncoder {
    differences: Differences,
    bounds: Option<(i64, i64)>,
}

impl NumberEncoder {
    fn push(&mut self, numbers: &Sparse<i64>, rows: &Range<usize>) {
        let present = numbers.of_rows(rows);
        if !numbers.has_gaps(rows.end) {
            return self.extend(present);
        }
        for run in present.split(|&number| number == ABSENT_NUMBER) {
            self.extend(run);
        }
    }

    /// Adds numbers, which are there.
    fn extend(&mut self, numbers: &[i64]) {
        let Some(&first) = numbers.first() else {
            return;
        };
        self.differences.extend(numbers);
        let bounds = self.bounds.get_or_insert((first, first));
        for &number in numbers {
            bounds.0 = bounds.0.min(number);
            bounds.1 = bounds.1.max(number);
        }
    }
}

#[derive(Default)]
struct StringEncoder {
    encoded: FrontCoded,
    bounds: StringBounds,
    /// The last string of the page.
    last: Vec<u8>,
    /// The bytes of the strings of the page.
    bytes: usize,
}

impl StringEncoder {
    fn push(&mut self, strings: &Strings, rows: &Range<usize>) {
        let mut bytes = strings.of_rows(rows);
        self.bytes += bytes.len();
        let mut last = self.last.as_slice();
        for &length in strings.lengths.of_rows(rows) {
            if length != ABSENT {
                let (string, rest) = bytes.split_at(length as usize);
                let shared = shared_prefix(string, last);
                self.bounds.push(string, last, shared);
                self.encoded.push(string, shared);
                (bytes, last) = (rest, string);
            }
        }
        self.last = last.to_vec();
    }
}

#[derive(Default)]
struct NameEncoder {
    /// The names of the row group.
    dictionary: NameDictionary,
    /// The codes in the row group of the names of the batch.
    known: Vec<i32>,
    /// The codes of the page.
    codes: Runs,
    /// The codes of the least and the greatest name of the page.
    bounds: Option<(i32, i32)>,
    /// The bytes of the names of the rows of the page.
    bytes: usize,
}

impl NameEncoder {
    fn push(
        &mut self,
        names: &BatchNames,
        rows: &Range<usize>,
    ) -> std::result::Result<(), Oversized> {
        self.known.clear();
        self.known.resize(names.dictionary.values.len(), ABSENT);
        let mut codes = names.codes.of_rows(rows);
        while let Some(&code) = codes.first() {
            let run = run_length(codes);
            codes = &codes[run..];
            if code == ABSENT {
                continue;
            }
            let name = names.dictionary.values.get(code as usize);
            let known = &mut self.known[code as usize];
            if *known == ABSENT {
                *known = self.dictionary.intern(name)?;
                let (least, greatest) = self.bounds.get_or_insert((*known, *known));
                let value = |code: i32| self.dictionary.values.get(code as usize);
                if name < value(*least) {
                    *least = *known;
                }
                if name > value(*greatest) {
                    *greatest = *known;
                }
            }
            self.codes.push(*known as u32, run);
            self.bytes += run * name.len();
        }
        Ok(())
    }

    /// Appends the codes of a page: the number of bits of each, and all of them. Returns the bounds, and
    /// the bytes of the strings.
    fn finish(&mut self, page: &mut Vec<u8>) -> (Option<ValueBounds>, Option<usize>) {
        let width = width((self.dictionary.values.len() as u64).saturating_sub(1));
        page.push(width as u8);
        self.codes.finish(width, page);
        let bound = |code: i32| Bound::String(self.dictionary.values.get(code as usize).to_vec());
        let bounds = self.bounds.take().map(|(least, greatest)| ValueBounds {
            least: bound(least),
            greatest: bound(greatest),
        });
        (bounds, Some(mem::take(&mut self.bytes)))
    }
}

/// Returns how many of the first codes are the same.
#[inline(always)]
fn run_length(codes: &[i32]) -> usize {
    const CHUNK: usize = 32;
    let Some(&code) = codes.first() else {
        return 0;
    };
    // Compared without a branch for each.
    let is_run = |codes: &&[i32; CHUNK]| {
        let differing = codes.iter().fold(0, |all, other| all | (other ^ code));
        differing == 0
    };
    let length = codes.as_chunks().0.iter().take_while(is_run).count() * CHUNK;
    let rest = &codes[length..];
    let more = rest.iter().position(|&other| other != code);
    length + more.unwrap_or(rest.len())
}
