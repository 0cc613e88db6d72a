//! The values of a column, in blocks and in batches.

use std::ops::Range;

/// The code of a name, or the length of a string or a list, that is not there.
pub(super) const ABSENT: i32 = -1;
/// A number that is not there. No offset and no time is as low.
pub(super) const ABSENT_NUMBER: i64 = i64::MIN;

/// The values of a column. Names are kept in another way by a batch than by a block.
#[derive(Clone, Debug)]
pub(super) enum Values<N> {
    Numbers(Sparse<i64>),
    Strings(Strings),
    Names(Box<N>),
    Lists(Lists<N>),
}

/// A value of each row. The rows behind the last value have none.
#[derive(Clone, Debug)]
pub(super) struct Sparse<T> {
    values: Vec<T>,
    /// The mark of a missing value.
    absent: T,
    /// Whether a row before the last value may have none.
    has_gaps: bool,
}

impl<T: Copy> Sparse<T> {
    pub(super) fn new(absent: T) -> Self {
        Sparse {
            values: Vec::new(),
            absent,
            has_gaps: false,
        }
    }

    /// Returns the values, up to the last one.
    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the values of some rows, but for those behind the last value.
    pub(super) fn of_rows(&self, rows: &Range<usize>) -> &[T] {
        let end = rows.end.min(self.values.len());
        self.values.get(rows.start..end).unwrap_or_default()
    }

    /// Adds the value of a row. The rows before without one have none.
    #[inline(always)]
    pub(super) fn push(&mut self, row: usize, value: T) {
        self.fill(row);
        self.values.push(value);
    }

    /// Adds the value of some rows.
    pub(super) fn repeat(&mut self, rows: Range<usize>, value: T) {
        self.fill(rows.start);
        self.values.resize(rows.end, value);
    }

    /// Adds values from a row on. Any of them may be the mark of a missing one.
    pub(super) fn extend(&mut self, row: usize, values: impl Iterator<Item = T> + Clone)
    where
        T: PartialEq,
    {
        let absent = self.absent;
        if values.clone().all(|value| value == absent) {
            return;
        }
        self.fill(row);
        self.values.extend(values);
        self.has_gaps |= self.values[row..].contains(&absent);
    }

    /// Adds the values of some rows of another column, from a row on.
    pub(super) fn append(&mut self, row: usize, other: &Self, rows: &Range<usize>) {
        let values = other.of_rows(rows);
        if !values.is_empty() {
            self.fill(row);
            self.values.extend_from_slice(values);
            self.has_gaps |= other.has_gaps;
        }
    }

    #[inline(always)]
    fn fill(&mut self, row: usize) {
        if self.values.len() < row {
            self.values.resize(row, self.absent);
            self.has_gaps = true;
        }
    }

    /// Returns whether some of so many rows may have no value.
    pub(super) fn has_gaps(&self, rows: usize) -> bool {
        self.has_gaps || self.values.len() < rows
    }

    /// Returns the values of so many rows, and whether some may not be there.
    #[cfg(test)]
    pub(super) fn into_rows(mut self, rows: usize) -> (Vec<T>, bool) {
        self.fill(rows);
        (self.values, self.has_gaps)
    }

    /// Returns a column without values, with memory for as many.
    pub(super) fn emptied(&self) -> Self {
        Sparse {
            values: Vec::with_capacity(self.values.len()),
            absent: self.absent,
            has_gaps: false,
        }
    }

    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.has_gaps = false;
    }
}

/// Strings one after the other.
#[derive(Clone, Debug)]
pub(super) struct Strings {
    pub(super) lengths: Sparse<i32>,
    pub(super) bytes: Vec<u8>,
}

impl Default for Strings {
    fn default() -> Self {
        Strings {
            lengths: Sparse::new(ABSENT),
            bytes: Vec::new(),
        }
    }
}

impl Strings {
    /// Adds the string of a row, if there is room.
    #[inline(always)]
    pub(super) fn push(&mut self, row: usize, value: &[u8]) -> Result<(), Oversized> {
        i32::try_from(self.bytes.len() + value.len()).map_err(|_| Oversized)?;
        self.lengths.push(row, value.len() as i32);
        self.bytes.extend_from_slice(value);
        Ok(())
    }

    /// Returns a column without strings, with memory for as many.
    pub(super) fn emptied(&self) -> Self {
        Strings {
            lengths: self.lengths.emptied(),
            bytes: Vec::with_capacity(self.bytes.len()),
        }
    }

    pub(super) fn clear(&mut self) {
        self.lengths.clear();
        self.bytes.clear();
    }

    /// Returns the bytes of the strings of some rows.
    pub(super) fn of_rows(&self, rows: &Range<usize>) -> &[u8] {
        let before = sum(self.lengths.of_rows(&(0..rows.start)));
        &self.bytes[before..before + sum(self.lengths.of_rows(rows))]
    }

    /// Adds the strings of some rows of another column, from a row on.
    pub(super) fn append(
        &mut self,
        row: usize,
        other: &Self,
        rows: &Range<usize>,
    ) -> Result<(), Oversized> {
        let bytes = other.of_rows(rows);
        i32::try_from(self.bytes.len() + bytes.len()).map_err(|_| Oversized)?;
        self.bytes.extend_from_slice(bytes);
        self.lengths.append(row, &other.lengths, rows);
        Ok(())
    }
}

/// Returns the sum of lengths, without those of what is not there.
fn sum(lengths: &[i32]) -> usize {
    lengths.iter().map(|&length| length.max(0) as usize).sum()
}

/// Returns whether strings are the same, without a call for names of elements and the like.
#[inline(always)]
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // The first and the last bytes are all bytes.
    let ends = |string: &[u8]| match (string.first_chunk(), string.last_chunk()) {
        (Some(first), Some(last)) => Some((u64::from_ne_bytes(*first), u64::from_ne_bytes(*last))),
        _ => match (string.first_chunk(), string.last_chunk()) {
            (Some(first), Some(last)) => Some((
                u32::from_ne_bytes(*first).into(),
                u32::from_ne_bytes(*last).into(),
            )),
            _ => None,
        },
    };
    match one.len() {
        0..4 => one.iter().eq(other),
        4..=16 => ends(one) == ends(other),
        _ => one == other,
    }
}

/// Lists one after the other.
#[derive(Clone, Debug)]
pub(super) struct Lists<N> {
    /// The number of items in each row.
    pub(super) counts: Sparse<i32>,
    pub(super) items: Box<Values<N>>,
    /// The number of all items.
    pub(super) length: usize,
}

impl<N> Lists<N> {
    pub(super) fn new(items: Values<N>) -> Self {
        Lists {
            counts: Sparse::new(ABSENT),
            items: Box::new(items),
            length: 0,
        }
    }

    /// Returns a column without lists, of such items, with memory for as many.
    pub(super) fn emptied(&self, items: Values<N>) -> Self {
        Lists {
            counts: self.counts.emptied(),
            ..Lists::new(items)
        }
    }

    /// Returns the items of some rows.
    pub(super) fn items(&self, rows: &Range<usize>) -> Range<usize> {
        let before = sum(self.counts.of_rows(&(0..rows.start)));
        before..before + sum(self.counts.of_rows(rows))
    }
}

/// Strings by their numbers, with the offsets that Arrow has.
#[derive(Clone, Debug)]
pub(super) struct StringTable {
    /// Where each value begins, and where the last one ends.
    pub(super) offsets: Vec<i32>,
    pub(super) bytes: Vec<u8>,
}

impl Default for StringTable {
    fn default() -> Self {
        StringTable {
            offsets: vec![0],
            bytes: Vec::new(),
        }
    }
}

impl StringTable {
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline(always)]
    pub(super) fn get(&self, code: usize) -> &[u8] {
        &self.bytes[self.offsets[code] as usize..self.offsets[code + 1] as usize]
    }

    /// Adds a value and returns its code, if there is room.
    pub(super) fn push(&mut self, value: &[u8]) -> Result<i32, Oversized> {
        let code = i32::try_from(self.len()).map_err(|_| Oversized)?;
        let end = i32::try_from(self.bytes.len() + value.len()).map_err(|_| Oversized)?;
        self.bytes.extend_from_slice(value);
        self.offsets.push(end);
        Ok(code)
    }

    pub(super) fn clear(&mut self) {
        self.offsets.truncate(1);
        self.bytes.clear();
    }
}

/// The error of a string that is too long for a column, whose offsets have 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Oversized;
