//! Rows of links in columns, as one worker makes them.

use std::borrow::Cow;
use std::ops::Range;

use super::super::field::Value;
use super::super::record::DocumentPath;
use super::column::{ColumnKind, TableColumn, is_utf8};
use crate::resolver::Link;
use crate::uri::percent::encode_invalid;

/// A number that is not there. No offset and no time is as low.
pub(super) const ABSENT_NUMBER: i64 = i64::MIN;
/// The code of a name, or the length of a string, that is not there.
pub(super) const ABSENT: i32 = -1;

/// Rows of links, column by column.
///
/// Blocks of one run have the same columns. How many rows a block has depends on how documents were
/// cut among workers, so nothing that is written may depend on it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowBlock {
    columns: Vec<ColumnBlock>,
    rows: usize,
    /// The bytes of all strings.
    bytes: usize,
    /// Whether a row has a string that is too long for a column.
    is_oversized: bool,
}

#[derive(Clone, Debug)]
pub(super) struct ColumnBlock {
    kind: ColumnKind,
    /// Whether a row has a value. `values` is empty until one has.
    has_values: bool,
    pub(super) values: BlockValues,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub(super) enum BlockValues {
    Numbers(Vec<i64>),
    Strings(Strings),
    Names(Box<NameColumn>),
    /// The number of items in each row, and the items.
    Lists(Vec<i32>, Box<BlockValues>),
}

/// Strings one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings {
    pub(super) lengths: Vec<i32>,
    pub(super) bytes: Vec<u8>,
}

/// Strings that are repeated, each by its number among the values. A value may stand there twice.
#[derive(Clone, Debug)]
pub(super) struct NameColumn {
    pub(super) codes: Vec<i32>,
    pub(super) values: StringTable,
    /// The code of the value that was last found in each slot.
    slots: [i32; SLOTS],
}

/// A power of two.
const SLOTS: usize = 64;

impl Default for NameColumn {
    fn default() -> Self {
        NameColumn {
            codes: Vec::new(),
            values: StringTable::default(),
            slots: [ABSENT; SLOTS],
        }
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

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.bytes.clear();
    }
}

/// The error of a string that is too long for a column, whose offsets have 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Oversized;

impl NameColumn {
    /// Adds a value in the form of a column. A value that has this form, which nearly all have, is found
    /// as it is.
    #[inline]
    fn push(&mut self, value: &[u8], kind: ColumnKind) -> Result<usize, Oversized> {
        let edge = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
        let hash = value.len() + 7 * edge(value.first()) + 31 * edge(value.last());
        let slot = hash % SLOTS;
        let code = self.slots[slot];
        if code >= 0 && self.values.get(code as usize) == value {
            self.codes.push(code);
            return Ok(0);
        }
        self.push_new(slot, value, kind)
    }

    #[inline(never)]
    fn push_new(
        &mut self,
        slot: usize,
        value: &[u8],
        kind: ColumnKind,
    ) -> Result<usize, Oversized> {
        let value = formed(value, kind);
        let code = self.values.push(&value)?;
        self.slots[slot] = code;
        self.codes.push(code);
        Ok(value.len())
    }
}

impl Strings {
    #[inline]
    fn push(&mut self, value: &[u8], kind: ColumnKind) -> Result<usize, Oversized> {
        let value = formed(value, kind);
        i32::try_from(self.bytes.len() + value.len()).map_err(|_| Oversized)?;
        self.lengths.push(value.len() as i32);
        self.bytes.extend_from_slice(&value);
        Ok(value.len())
    }
}

impl BlockValues {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Number | ColumnKind::Time => BlockValues::Numbers(Vec::new()),
            ColumnKind::Text | ColumnKind::Uri | ColumnKind::Bytes => {
                BlockValues::Strings(Strings::default())
            }
            ColumnKind::Name
            | ColumnKind::LowerName
            | ColumnKind::ReversedName
            | ColumnKind::UriName => BlockValues::Names(Box::default()),
            ColumnKind::Names => {
                BlockValues::Lists(Vec::new(), Box::new(BlockValues::Names(Box::default())))
            }
            ColumnKind::ByteLists => BlockValues::Lists(
                Vec::new(),
                Box::new(BlockValues::Strings(Strings::default())),
            ),
        }
    }

    fn clear(&mut self) {
        match self {
            BlockValues::Numbers(numbers) => numbers.clear(),
            BlockValues::Strings(strings) => {
                strings.lengths.clear();
                strings.bytes.clear();
            }
            BlockValues::Names(names) => {
                names.codes.clear();
                names.values.clear();
                names.slots = [ABSENT; SLOTS];
            }
            BlockValues::Lists(counts, items) => {
                counts.clear();
                items.clear();
            }
        }
    }

    /// Returns whether no row has a value yet.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            BlockValues::Numbers(numbers) => numbers.is_empty(),
            BlockValues::Strings(strings) => strings.lengths.is_empty(),
            BlockValues::Names(names) => names.codes.is_empty(),
            BlockValues::Lists(counts, _) => counts.is_empty(),
        }
    }

    fn push_null(&mut self) {
        match self {
            BlockValues::Numbers(numbers) => numbers.push(ABSENT_NUMBER),
            BlockValues::Strings(strings) => strings.lengths.push(ABSENT),
            BlockValues::Names(names) => names.codes.push(ABSENT),
            BlockValues::Lists(counts, _) => counts.push(ABSENT),
        }
    }

    fn push_bytes(&mut self, value: &[u8], kind: ColumnKind) -> Result<usize, Oversized> {
        match self {
            BlockValues::Names(names) => names.push(value, kind),
            BlockValues::Strings(strings) => strings.push(value, kind),
            BlockValues::Numbers(_) | BlockValues::Lists(..) => {
                self.push_null();
                Ok(0)
            }
        }
    }

    fn push_list<'a>(
        &mut self,
        list: impl Iterator<Item = &'a [u8]>,
        kind: ColumnKind,
    ) -> Result<usize, Oversized> {
        let BlockValues::Lists(counts, items) = self else {
            self.push_null();
            return Ok(0);
        };
        let (mut count, mut bytes) = (0, 0);
        for item in list {
            count += 1;
            bytes += items.push_bytes(item, kind)?;
        }
        counts.push(count);
        Ok(bytes)
    }
}

/// Returns a value that is a string.
#[inline]
fn string<'a>(value: Value<'a>) -> Option<&'a [u8]> {
    match value {
        Value::Bytes(bytes) | Value::Base64(bytes) => Some(bytes),
        Value::Name(name) => Some(name.as_bytes()),
        _ => None,
    }
}

impl ColumnBlock {
    /// Adds a value behind those of `rows` rows, and returns the number of bytes that it takes.
    #[inline]
    fn push(&mut self, value: Value<'_>, rows: usize) -> Result<usize, Oversized> {
        let (kind, values) = (self.kind, &mut self.values);
        if !self.has_values {
            if matches!(value, Value::Null) {
                return Ok(0);
            }
            self.has_values = true;
            (0..rows).for_each(|_| values.push_null());
        }
        match (&mut *values, value) {
            (BlockValues::Numbers(numbers), value) => numbers.push(match value {
                // INVARIANT: offsets in files are below 2^63.
                Value::Number(number) => number as i64,
                Value::Bytes(text) => microseconds(text).unwrap_or(ABSENT_NUMBER),
                _ => ABSENT_NUMBER,
            }),
            (BlockValues::Names(names), value) => match string(value) {
                Some(value) => return names.push(value, kind),
                None => names.codes.push(ABSENT),
            },
            (BlockValues::Strings(strings), value) => match string(value) {
                Some(value) => return strings.push(value, kind),
                None => strings.lengths.push(ABSENT),
            },
            (BlockValues::Lists(..), Value::Flags(flags)) => {
                return values.push_list(flags.names().map(str::as_bytes), kind);
            }
            (BlockValues::Lists(..), Value::List(list)) => {
                return values.push_list(list.iter().copied(), kind);
            }
            (BlockValues::Lists(..), Value::Words(words)) => {
                let words = words.split_terminator(' ').map(str::as_bytes);
                return values.push_list(words, kind);
            }
            (BlockValues::Lists(counts, _), _) => counts.push(ABSENT),
        }
        Ok(0)
    }

    fn clear(&mut self) {
        self.has_values = false;
        self.values.clear();
    }
}

impl RowBlock {
    /// Creates a block of no rows.
    pub(crate) fn new(columns: &[TableColumn]) -> Self {
        let block = |column: &TableColumn| ColumnBlock {
            kind: column.column.kind,
            has_values: false,
            values: BlockValues::new(column.column.kind),
        };
        RowBlock {
            columns: columns.iter().map(block).collect(),
            ..RowBlock::default()
        }
    }

    /// Adds a link. `columns` are those that the block was created with.
    pub(crate) fn push(&mut self, columns: &[TableColumn], path: &DocumentPath, link: &Link<'_>) {
        let mut bytes = 0;
        for (block, column) in self.columns.iter_mut().zip(columns) {
            match block.push((column.value)(path, link), self.rows) {
                Ok(added) => bytes += added,
                Err(Oversized) => self.is_oversized = true,
            }
        }
        self.bytes += bytes;
        self.rows += 1;
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the memory that the rows take, about, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.bytes + self.rows * self.columns.len() * size_of::<u64>()
    }

    /// Removes the rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        if self.rows > 0 || self.is_oversized {
            self.columns.iter_mut().for_each(ColumnBlock::clear);
            (self.rows, self.bytes, self.is_oversized) = (0, 0, false);
        }
    }

    /// Returns a block with the rows; none of the columns where there are no rows.
    pub(crate) fn copied(&self) -> Self {
        match self.rows {
            0 => RowBlock::default(),
            _ => self.clone(),
        }
    }

    pub(super) fn columns(&self) -> &[ColumnBlock] {
        &self.columns
    }

    /// Returns the bytes of all strings, where repeated ones may count each time.
    ///
    /// # Errors
    ///
    /// When a row is too long for columns.
    pub(super) fn bytes(&self) -> Result<usize, Oversized> {
        match self.is_oversized {
            true => Err(Oversized),
            false => Ok(self.bytes),
        }
    }
}

/// Returns a value in the form of a column.
#[inline]
fn formed(value: &[u8], kind: ColumnKind) -> Cow<'_, [u8]> {
    match kind {
        ColumnKind::Bytes | ColumnKind::ByteLists => Cow::Borrowed(value),
        ColumnKind::Uri | ColumnKind::UriName => uri_text(value),
        ColumnKind::LowerName => owned_text(value.to_ascii_lowercase()),
        ColumnKind::ReversedName => owned_text(reversed(&value.to_ascii_lowercase())),
        ColumnKind::Text
        | ColumnKind::Name
        | ColumnKind::Names
        | ColumnKind::Number
        | ColumnKind::Time => text(value),
    }
}

fn owned_text(bytes: Vec<u8>) -> Cow<'static, [u8]> {
    Cow::Owned(text(&bytes).into_owned())
}

/// Returns the bytes as UTF-8, with U+FFFD for what is not.
fn text(bytes: &[u8]) -> Cow<'_, [u8]> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Returns a URI as UTF-8, with triplets for the bytes of what is not.
fn uri_text(uri: &[u8]) -> Cow<'_, [u8]> {
    if is_utf8(uri) {
        return Cow::Borrowed(uri);
    }
    let mut text = Vec::new();
    encode_invalid(uri, &mut text);
    Cow::Owned(text)
}

/// Returns a host with its labels in reverse order; an address as it is.
fn reversed(host: &[u8]) -> Vec<u8> {
    let mut labels: Vec<&[u8]> = host.split(|&byte| byte == b'.').collect();
    let is_number = |label: &&[u8]| label.iter().all(u8::is_ascii_digit);
    if host.starts_with(b"[") || labels.last().is_some_and(is_number) {
        return host.to_vec();
    }
    labels.reverse();
    labels.join(&b'.')
}

/// Returns a time (RFC 3339 section 5.6, in UTC, without fractions) in microseconds since 1970.
fn microseconds(text: &[u8]) -> Option<i64> {
    let number = |range: Range<usize>| {
        let digits = text.get(range)?;
        let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
        Some(
            digits
                .iter()
                .fold(0, |number, digit| 10 * number + i64::from(digit - b'0')),
        )
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !text.ends_with(b"Z") || text.len() != 20 {
        return None;
    }
    // Years begin in March, so that a leap day is the last one of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    // Days from March 1 of the year 0 to January 1, 1970.
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_microseconds_since_1970() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1969-12-31T23:59:59Z", Some(-1)),
            ("2000-02-29T12:00:00Z", Some(951_825_600)),
            ("2024-03-01T00:00:00Z", Some(1_709_251_200)),
            ("9999-12-31T23:59:59Z", Some(253_402_300_799)),
            ("2024-03-01", None),
            ("2024-03-01T00:00:00", None),
            ("x024-03-01T00:00:00Z", None),
        ] {
            let expected = seconds.map(|seconds: i64| seconds * 1_000_000);
            assert_eq!(microseconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn labels_of_names_are_reversed_and_addresses_are_not() {
        for (host, expected) in [
            ("www.example.com", "com.example.www"),
            ("localhost", "localhost"),
            ("192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1.2]", "[2001:db8::1.2]"),
            ("3.example", "example.3"),
        ] {
            assert_eq!(reversed(host.as_bytes()), expected.as_bytes(), "{host}");
        }
    }
}
