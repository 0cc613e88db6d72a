//! Rows of links in columns, as one worker makes them.

use std::borrow::Cow;
use std::ops::Range;

use super::super::field::{self, Value};
use super::super::record::DocumentPath;
use super::column::{ColumnKind, FIRST_COLUMNS, TableColumn, is_utf8};
use super::syntax::SyntaxColumn;
use super::values::{
    ABSENT, ABSENT_NUMBER, Lists, Oversized, Sparse, StringTable, Strings, Values, is_same,
};
use crate::document::flags::Flags;
use crate::resolver::Link;
use crate::uri::percent::encode_invalid;

/// Rows of links, column by column.
///
/// Blocks of one run have the same columns. How many rows a block has depends on how documents were
/// cut among workers, so nothing that is written may depend on it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowBlock {
    columns: Vec<ColumnBlock>,
    /// The values of the columns of syntax, whose own are empty.
    syntax: SyntaxColumn,
    /// Whether there are columns besides the first ones that any row may have a value for.
    has_others: bool,
    rows: usize,
    /// The bytes of all strings.
    bytes: usize,
    /// Whether a row has a string that is too long for a column.
    is_oversized: bool,
    /// Whether the last row has the path of the current document.
    has_path: bool,
}

#[derive(Clone, Debug)]
pub(super) struct ColumnBlock {
    kind: ColumnKind,
    /// Whether only rows whose path or target is not UTF-8 have a value.
    is_for_bytes: bool,
    pub(super) values: Values<NameColumn>,
}

/// Strings that many rows share, each by its number among the values. A value may stand there twice.
#[derive(Clone, Debug)]
pub(super) struct NameColumn {
    /// The first row and the code of each run of rows with one value, or with none. Rows before the first
    /// run have none.
    runs: Vec<(usize, i32)>,
    pub(super) values: StringTable,
    /// The code of the value that was last found in each slot.
    slots: [i32; SLOTS],
}

/// A power of two.
const SLOTS: usize = 64;

/// Rows of this weight are moved to another block, and fewer are copied.
const MOVED: usize = 64 << 10;

impl Default for NameColumn {
    fn default() -> Self {
        NameColumn {
            runs: Vec::new(),
            values: StringTable::default(),
            slots: [ABSENT; SLOTS],
        }
    }
}

impl NameColumn {
    /// Adds the value of a row in the form of a column, and returns the number of bytes that it takes.
    #[inline(always)]
    fn push(
        &mut self,
        row: usize,
        value: Option<&[u8]>,
        kind: ColumnKind,
    ) -> Result<usize, Oversized> {
        let code = self.runs.last().map_or(ABSENT, |run| run.1);
        let Some(value) = value else {
            if code != ABSENT {
                self.runs.push((row, ABSENT));
            }
            return Ok(0);
        };
        // A value that has the form of the column, which nearly all have, is found as it is.
        if code != ABSENT
            && kind != ColumnKind::ReversedName
            && is_same(self.values.get(code as usize), value)
        {
            return Ok(0);
        }
        self.push_other(row, value, kind)
    }

    /// Adds a value that may differ from that of the row before.
    #[inline(never)]
    fn push_other(
        &mut self,
        row: usize,
        value: &[u8],
        kind: ColumnKind,
    ) -> Result<usize, Oversized> {
        // Labels in reverse order may be those of another name.
        let value = match kind {
            ColumnKind::ReversedName => formed(value, kind),
            _ => Cow::Borrowed(value),
        };
        let edge = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
        let hash = value.len() + 7 * edge(value.first()) + 31 * edge(value.last());
        let code = &mut self.slots[hash % SLOTS];
        let mut added = 0;
        if *code == ABSENT || self.values.get(*code as usize) != &*value {
            let value = match kind {
                ColumnKind::ReversedName => value,
                _ => formed(&value, kind),
            };
            *code = self.values.push(&value)?;
            added = value.len();
        }
        if self.runs.last().is_none_or(|run| run.1 != *code) {
            self.runs.push((row, *code));
        }
        Ok(added)
    }

    /// Returns the runs of some rows that have a value: the rows, and the code.
    pub(super) fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = (Range<usize>, i32)> {
        let behind = self.runs.partition_point(|&(start, _)| start <= rows.start);
        let first = behind.saturating_sub(1);
        let ends = self.runs.get(first + 1..).unwrap_or_default();
        let ends = ends.iter().map(|&(start, _)| start).chain([usize::MAX]);
        let cut = move |(&(start, code), end): (&(usize, i32), usize)| {
            (start.max(rows.start)..end.min(rows.end), code)
        };
        let runs = self.runs[first..].iter().zip(ends).map(cut);
        runs.take_while(|(rows, _)| !rows.is_empty())
            .filter(|&(_, code)| code != ABSENT)
    }

    fn clear(&mut self) {
        self.runs.clear();
        self.values.clear();
        self.slots = [ABSENT; SLOTS];
    }
}

impl Values<NameColumn> {
    fn new(kind: ColumnKind) -> Self {
        let names = || Values::Names(Box::default());
        match kind {
            ColumnKind::Number | ColumnKind::Time => Values::Numbers(Sparse::new(ABSENT_NUMBER)),
            ColumnKind::Text | ColumnKind::Uri | ColumnKind::Bytes => {
                Values::Strings(Strings::default())
            }
            ColumnKind::Name
            | ColumnKind::LowerName
            | ColumnKind::ReversedName
            | ColumnKind::UriName => names(),
            ColumnKind::Names => Values::Lists(Lists::new(names())),
            ColumnKind::ByteLists => Values::Lists(Lists::new(Values::Strings(Strings::default()))),
        }
    }

    /// Returns a column of no values, with memory for as many.
    fn emptied(&self) -> Self {
        match self {
            Values::Numbers(numbers) => Values::Numbers(numbers.emptied()),
            Values::Strings(strings) => Values::Strings(strings.emptied()),
            Values::Names(names) => Values::Names(Box::new(NameColumn {
                runs: Vec::with_capacity(names.runs.len()),
                ..NameColumn::default()
            })),
            Values::Lists(lists) => Values::Lists(lists.emptied(lists.items.emptied())),
        }
    }

    fn clear(&mut self) {
        match self {
            Values::Numbers(numbers) => numbers.clear(),
            Values::Strings(strings) => strings.clear(),
            Values::Names(names) => names.clear(),
            Values::Lists(lists) => {
                lists.counts.clear();
                lists.length = 0;
                lists.items.clear();
            }
        }
    }
}

impl ColumnBlock {
    fn emptied(&self) -> Self {
        ColumnBlock {
            kind: self.kind,
            is_for_bytes: self.is_for_bytes,
            values: self.values.emptied(),
        }
    }

    /// Adds the string of a row, and returns the number of bytes that it takes.
    #[inline(always)]
    fn push(&mut self, row: usize, value: Option<&[u8]>) -> Result<usize, Oversized> {
        match (&mut self.values, value) {
            (Values::Names(names), value) => names.push(row, value, self.kind),
            (_, Some(value)) => self.push_formed(row, &formed(value, self.kind)),
            _ => Ok(0),
        }
    }

    /// Adds the string of a row, which has the form of the column.
    #[inline(always)]
    fn push_formed(&mut self, row: usize, value: &[u8]) -> Result<usize, Oversized> {
        if let Values::Strings(strings) = &mut self.values {
            strings.push(row, value)?;
        }
        Ok(value.len())
    }

    #[inline(always)]
    fn push_number(&mut self, row: usize, number: Option<u64>) {
        if let (Values::Numbers(numbers), Some(number)) = (&mut self.values, number) {
            // INVARIANT: offsets in files are below 2^63.
            numbers.push(row, number as i64);
        }
    }

    #[inline(always)]
    fn push_list<'a>(
        &mut self,
        row: usize,
        list: impl Iterator<Item = &'a [u8]>,
    ) -> Result<usize, Oversized> {
        let Values::Lists(lists) = &mut self.values else {
            return Ok(0);
        };
        let (before, mut bytes) = (lists.length, 0);
        for item in list {
            match &mut *lists.items {
                Values::Names(names) => bytes += names.push(lists.length, Some(item), self.kind)?,
                Values::Strings(strings) => {
                    strings.push(lists.length, item)?;
                    bytes += item.len();
                }
                Values::Numbers(_) | Values::Lists(_) => {}
            }
            lists.length += 1;
        }
        lists.counts.push(row, (lists.length - before) as i32);
        Ok(bytes)
    }

    /// Adds the value of a row, and returns the number of bytes that it takes.
    fn push_value(&mut self, row: usize, value: Value<'_>) -> Result<usize, Oversized> {
        match value {
            Value::Null => self.push(row, None),
            Value::Number(number) => {
                self.push_number(row, Some(number));
                Ok(0)
            }
            Value::Bytes(bytes) | Value::Base64(bytes) => {
                if let Values::Numbers(numbers) = &mut self.values {
                    if let Some(time) = microseconds(bytes) {
                        numbers.push(row, time);
                    }
                    return Ok(0);
                }
                self.push(row, Some(bytes))
            }
            Value::Name(name) => self.push(row, Some(name.as_bytes())),
            Value::Flags(flags) => self.push_flags(row, flags),
            Value::List(list) => self.push_list(row, list.iter().copied()),
            Value::Words(words) => {
                self.push_list(row, words.split_terminator(' ').map(str::as_bytes))
            }
        }
    }

    #[inline(always)]
    fn push_flags(&mut self, row: usize, flags: Flags) -> Result<usize, Oversized> {
        self.push_list(row, flags.names().map(str::as_bytes))
    }
}

impl RowBlock {
    /// Creates a block of no rows.
    pub(crate) fn new(columns: &[TableColumn]) -> Self {
        let block = |column: &TableColumn| ColumnBlock {
            kind: column.column.kind,
            is_for_bytes: column.column.is_for_bytes(),
            values: Values::new(column.column.kind),
        };
        let columns: Vec<_> = columns.iter().map(block).collect();
        let others = columns.iter().skip(FIRST_COLUMNS);
        RowBlock {
            has_others: { others }.any(|column| !column.is_for_bytes),
            columns,
            ..RowBlock::default()
        }
    }

    /// Takes the path of the next row for another one.
    pub(crate) fn begin_document(&mut self) {
        self.has_path = false;
    }

    /// Adds a link of a document that was begun. `columns` are those that the block was created with.
    pub(crate) fn push(&mut self, columns: &[TableColumn], path: &DocumentPath, link: &Link<'_>) {
        match self.push_row(columns, path, link) {
            Ok(bytes) => self.bytes += bytes,
            Err(Oversized) => self.is_oversized = true,
        }
        self.rows += 1;
    }

    fn push_row(
        &mut self,
        columns: &[TableColumn],
        path: &DocumentPath,
        link: &Link<'_>,
    ) -> Result<usize, Oversized> {
        let row = self.rows;
        let (mut bytes, has_bytes) = self.push_first(path, link)?;
        if self.has_others || has_bytes {
            let blocks = self.columns.iter_mut().zip(columns).skip(FIRST_COLUMNS);
            for (block, column) in blocks {
                if !block.is_for_bytes || has_bytes {
                    bytes += block.push_value(row, (column.value)(path, link))?;
                }
            }
        }
        Ok(bytes)
    }

    /// Adds the values of the columns that all tables begin with, without a call for each. Returns the
    /// number of bytes that they take, and whether the path or the target is not UTF-8.
    #[inline(always)]
    fn push_first(
        &mut self,
        path: &DocumentPath,
        link: &Link<'_>,
    ) -> Result<(usize, bool), Oversized> {
        let row = self.rows;
        let Some(
            [
                path_column,
                member,
                line,
                column,
                start,
                end,
                reference,
                target,
                base,
                _base_source,
                _context,
                _element,
                _attribute,
                _flags,
                _error,
                alternatives,
            ],
        ) = self.columns.first_chunk_mut::<FIRST_COLUMNS>()
        else {
            return Ok((0, false));
        };
        line.push_number(row, field::line(link));
        column.push_number(row, field::column(link));
        let span = link.exact_span();
        start.push_number(row, span.map(|span| span.start));
        end.push_number(row, span.map(|span| span.end));
        let mut bytes = 0;
        if !self.has_path {
            bytes += path_column.push(row, Some(path.path()))?;
            self.has_path = true;
        }
        bytes += member.push(row, link.member.map(str::as_bytes))?;
        bytes += reference.push_formed(row, link.reference)?;
        let mut has_bytes = !path.is_utf8();
        if let Ok(uri) = link.target {
            let text = uri_text(uri);
            has_bytes |= matches!(text, Cow::Owned(_));
            bytes += target.push_formed(row, &text)?;
        }
        bytes += base.push(row, link.base.map(|(uri, _)| uri))?;
        bytes += self.syntax.push(link)?;
        if !link.alternatives.is_empty() {
            bytes += alternatives.push_list(row, link.alternatives.iter().copied())?;
        }
        Ok((bytes, has_bytes))
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the memory that the rows take, about, in bytes.
    pub(crate) fn weight(&self) -> usize {
        // Many columns have a value for many rows, or none.
        self.bytes + self.rows * self.columns.len() * size_of::<u32>()
    }

    /// Removes the rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        if self.rows > 0 || self.is_oversized {
            self.columns
                .iter_mut()
                .for_each(|column| column.values.clear());
            self.syntax.clear();
            (self.rows, self.bytes, self.is_oversized) = (0, 0, false);
            self.has_path = false;
        }
    }

    /// Moves the rows to a block of their own, which has none of the columns where there are no rows.
    pub(crate) fn take(&mut self) -> Self {
        if self.weight() < MOVED {
            // Few rows may have much memory.
            let taken = match self.rows {
                0 => RowBlock::default(),
                _ => self.clone(),
            };
            self.clear();
            return taken;
        }
        let columns = self.columns.iter().map(ColumnBlock::emptied);
        let emptied = RowBlock {
            columns: columns.collect(),
            syntax: self.syntax.emptied(),
            has_others: self.has_others,
            ..RowBlock::default()
        };
        std::mem::replace(self, emptied)
    }

    pub(super) fn columns(&self) -> &[ColumnBlock] {
        &self.columns
    }

    pub(super) fn syntax(&self) -> &SyntaxColumn {
        &self.syntax
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
    fn a_name_in_reverse_order_is_not_taken_for_another_one() {
        let mut names = NameColumn::default();
        let hosts = ["com.example", "example.com", "com.example"];
        for (row, host) in hosts.iter().enumerate() {
            let added = names.push(row, Some(host.as_bytes()), ColumnKind::ReversedName);
            assert!(added.is_ok(), "{host}");
        }
        let found = names
            .runs(0..3)
            .map(|(_, code)| names.values.get(code as usize));
        let expected = ["example.com", "com.example", "example.com"];
        assert_eq!(found.collect::<Vec<_>>(), expected.map(str::as_bytes));
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
