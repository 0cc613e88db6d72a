//! Encoders of columns: each takes the rows of batches, and cuts them into pages.

use std::mem;
use std::ops::Range;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescPtr;

use super::super::batch::{BatchNames, NameDictionary};
use super::super::values::{ABSENT, ABSENT_NUMBER, Oversized, Sparse, Strings, Values};
use super::bounds::{Bound, Bounds, StringBounds};
use super::chunk::{ColumnChunk, PageSummary};
use super::encodings::{Differences, FrontCoded, Runs, shared_prefix, width};

/// A page ends behind the rows of a batch with which it has at least as many.
const PAGE: usize = 20_000;

/// A page ends behind the rows of a batch with which it has at least as many bytes.
const PAGE_BYTES: usize = 1 << 20;

/// Encodes a column of numbers, strings or names in a row group.
pub(super) struct ColumnEncoder {
    chunk: ColumnChunk,
    /// Which rows of the page have a value; none for a column in which each has.
    levels: Option<Runs>,
    rows: usize,
    nulls: usize,
    values: ValueEncoder,
    /// The page that is written next.
    page: Vec<u8>,
}

enum ValueEncoder {
    Numbers(Box<NumberEncoder>),
    Strings(Box<StringEncoder>),
    Names(Box<NameEncoder>),
}

impl ColumnEncoder {
    /// Creates an encoder of values that are kept like some others. None for lists.
    pub(super) fn new(descriptor: ColumnDescPtr, values: &Values<BatchNames>) -> Option<Self> {
        let (encoding, values) = match values {
            Values::Numbers(_) => (
                Encoding::DELTA_BINARY_PACKED,
                ValueEncoder::Numbers(Box::default()),
            ),
            Values::Strings(_) => (
                Encoding::DELTA_BYTE_ARRAY,
                ValueEncoder::Strings(Box::default()),
            ),
            Values::Names(_) => (
                Encoding::RLE_DICTIONARY,
                ValueEncoder::Names(Box::default()),
            ),
            Values::Lists(_) => return None,
        };
        Some(ColumnEncoder {
            levels: (descriptor.max_def_level() > 0).then(Runs::default),
            chunk: ColumnChunk::new(descriptor, encoding),
            rows: 0,
            nulls: 0,
            values,
            page: Vec::new(),
        })
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
        match (&mut self.values, values) {
            (ValueEncoder::Numbers(encoder), Values::Numbers(numbers)) => {
                encoder.push(numbers, rows);
                self.push_levels(numbers, ABSENT_NUMBER, rows);
            }
            (ValueEncoder::Strings(encoder), Values::Strings(strings)) => {
                encoder.push(strings, rows);
                self.push_levels(&strings.lengths, ABSENT, rows);
            }
            (ValueEncoder::Names(encoder), Values::Names(names)) => {
                let pushed = encoder.push(names, rows);
                pushed.map_err(|Oversized| {
                    ParquetError::General("a dictionary is too long".into())
                })?;
                self.push_levels(&names.codes, ABSENT, rows);
            }
            // Batches of one run have the same columns.
            _ => {}
        }
        if self.rows >= PAGE || self.values.len() >= PAGE_BYTES {
            self.finish_page()?;
        }
        Ok(())
    }

    /// Adds which of some rows have a value.
    fn push_levels<T: Copy + PartialEq>(
        &mut self,
        values: &Sparse<T>,
        absent: T,
        rows: &Range<usize>,
    ) {
        self.rows += rows.len();
        let Some(levels) = &mut self.levels else {
            return;
        };
        let present = values.of_rows(rows);
        if values.has_gaps(rows.end) {
            for &value in present {
                let has_value = value != absent;
                self.nulls += usize::from(!has_value);
                levels.push(has_value.into(), 1);
            }
        } else {
            levels.push(1, present.len());
        }
        let missing = rows.len() - present.len();
        self.nulls += missing;
        levels.push(0, missing);
    }

    fn finish_page(&mut self) -> Result<()> {
        let page = &mut self.page;
        page.clear();
        if let Some(levels) = &mut self.levels {
            page.extend_from_slice(&[0; size_of::<u32>()]);
            levels.finish(1, page);
            let length = (page.len() - size_of::<u32>()) as u32;
            page[..size_of::<u32>()].copy_from_slice(&length.to_le_bytes());
        }
        let (bounds, string_bytes) = self.values.finish(page);
        let summary = PageSummary {
            rows: mem::take(&mut self.rows),
            nulls: mem::take(&mut self.nulls),
            bounds,
            string_bytes,
        };
        self.chunk.push_page(&self.page, summary)
    }

    /// Returns the column as the file has it.
    pub(super) fn finish(mut self) -> Result<(Bytes, ColumnCloseResult)> {
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

impl ValueEncoder {
    /// Returns about how many bytes the values of the page take.
    fn len(&self) -> usize {
        match self {
            ValueEncoder::Numbers(numbers) => numbers.differences.len(),
            ValueEncoder::Strings(strings) => strings.encoded.len(),
            ValueEncoder::Names(_) => 0,
        }
    }

    /// Appends the values of a page. Returns their bounds, and the bytes of strings.
    fn finish(&mut self, page: &mut Vec<u8>) -> (Option<Bounds>, Option<usize>) {
        match self {
            ValueEncoder::Numbers(numbers) => {
                numbers.differences.finish(page);
                let bounds = numbers.bounds.take();
                let bounds = bounds.map(|(least, greatest)| Bounds {
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
    fn finish(&mut self, page: &mut Vec<u8>) -> (Option<Bounds>, Option<usize>) {
        let width = width((self.dictionary.values.len() as u64).saturating_sub(1));
        page.push(width as u8);
        self.codes.finish(width, page);
        let bound = |code: i32| Bound::String(self.dictionary.values.get(code as usize).to_vec());
        let bounds = self.bounds.take().map(|(least, greatest)| Bounds {
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
