//! Batches of Arrow as cells, and cells against the keys of records.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use data_encoding::BASE64;
use serde_json::{Map, Value};

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Cell>),
}

/// Returns the batches of an IPC stream with an end.
pub(crate) fn batches(stream: &[u8]) -> Vec<RecordBatch> {
    // The mark at the end: a continuation and a length of 0 (Arrow columnar format, IPC streaming).
    assert!(stream.ends_with(&[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]));
    let reader = StreamReader::try_new(stream, None).unwrap();
    reader.map(Result::unwrap).collect()
}

pub(crate) fn cell(array: &dyn Array, row: usize) -> Cell {
    if array.is_null(row) {
        return Cell::Null;
    }
    match array.data_type() {
        DataType::Int64 => Cell::Number(array.as_primitive::<Int64Type>().value(row)),
        DataType::Timestamp(..) => {
            Cell::Number(array.as_primitive::<TimestampMicrosecondType>().value(row))
        }
        DataType::Utf8 => Cell::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::Binary => Cell::Bytes(array.as_binary::<i32>().value(row).to_vec()),
        DataType::Dictionary(..) => {
            let names = array.as_dictionary::<Int32Type>();
            cell(names.values(), names.keys().value(row) as usize)
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            Cell::List((0..items.len()).map(|item| cell(&items, item)).collect())
        }
        other => panic!("{other}"),
    }
}

/// A row: the names of the columns with their values.
pub(crate) type Row = Vec<(String, Cell)>;

pub(crate) fn rows(batches: &[RecordBatch]) -> Vec<Row> {
    let row = |batch: &RecordBatch, row: usize| {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        columns
            .map(|(field, column)| (field.name().clone(), cell(column, row)))
            .collect()
    };
    let rows = |batch: &RecordBatch| {
        let rows: Vec<Row> = (0..batch.num_rows())
            .map(|number| row(batch, number))
            .collect();
        rows
    };
    batches.iter().flat_map(rows).collect()
}

pub(crate) fn value<'a>(row: &'a Row, name: &str) -> &'a Cell {
    let found = row.iter().find(|(column, _)| column == name);
    &found.unwrap_or_else(|| panic!("no column {name}")).1
}

pub(crate) fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// Returns the links among records.
pub(crate) fn links(records: &str) -> Vec<Map<String, Value>> {
    let records = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let links = records.filter(|record: &Map<String, Value>| record["type"] == "link");
    links.collect()
}

/// Microseconds since 1970 of a time such as `2006-03-02T15:11:00Z`, year by year.
pub(crate) fn microseconds(time: &str) -> i64 {
    let number = |from: usize, to: usize| -> i64 { time[from..to].parse().unwrap() };
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_of = |year: i64, month: i64| match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let (year, month) = (number(0, 4), number(5, 7));
    let years = (1970..year).map(|year| 365 + i64::from(is_leap(year)));
    let before = (year..1970).map(|year| -365 - i64::from(is_leap(year)));
    let months = (1..month).map(|month| days_of(year, month));
    let days = years.chain(before).chain(months).sum::<i64>() + number(8, 10) - 1;
    let seconds = (days * 24 + number(11, 13)) * 3600 + number(14, 16) * 60 + number(17, 19);
    seconds * 1_000_000
}

/// Microseconds since 1970 of a date of a web archive, if it has the form of WARC or ARC.
fn web_time(date: &str) -> Option<i64> {
    let forms = r"(?-u)^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z$|^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$";
    let parts = regex::bytes::Regex::new(forms)
        .unwrap()
        .captures(date.as_bytes())?;
    let part = |at: usize| {
        parts
            .get(at)
            .map_or("", |part| std::str::from_utf8(part.as_bytes()).unwrap())
    };
    let both = |at: usize| format!("{}{}", part(at), part(at + 7));
    let [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(both);
    let is_time = ("01"..="12").contains(&&*month)
        && ("01"..="31").contains(&&*day)
        && &*hour < "24"
        && &*minute < "60"
        && &*second < "61";
    let time = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    let fraction = format!("{:0<6}", part(7));
    is_time.then(|| microseconds(&time) + fraction[..6].parse::<i64>().unwrap())
}

/// Checks a row against the record of the same link.
pub(crate) fn compare(row: &Row, record: &Map<String, Value>) {
    for (name, cell) in row {
        let expected = record.get(name).unwrap_or(&Value::Null);
        let is_same = match (name.as_str(), cell) {
            ("message_date", Cell::Number(time)) => {
                Some(*time) == expected.as_str().map(microseconds)
            }
            ("warc_date", Cell::Number(_) | Cell::Null) => {
                let time = expected.as_str().and_then(web_time);
                time.map_or(Cell::Null, Cell::Number) == *cell
            }
            ("path_bytes" | "member_bytes" | "target_bytes", Cell::Bytes(bytes)) => {
                *expected == BASE64.encode(bytes)
            }
            ("target", Cell::Text(target)) if !target.is_ascii() || target.contains('%') => {
                // A record has U+FFFD for what a table percent-encodes.
                let bytes = match value(row, "target_bytes") {
                    Cell::Bytes(bytes) => bytes.clone(),
                    _ => target.clone().into_bytes(),
                };
                *expected == String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => is_same(cell, expected),
        };
        assert!(is_same, "{name}: {cell:?} in {record:?}");
    }
    // Every key that says something has a column, if all columns are there.
    if row.iter().any(|(name, _)| name == "host") {
        for key in record.keys().filter(|key| *key != "type") {
            value(row, key);
        }
    }
}

pub(crate) fn is_same(cell: &Cell, expected: &Value) -> bool {
    match cell {
        Cell::Null => expected.is_null(),
        Cell::Number(number) => *expected == *number,
        Cell::Text(text) => *expected == *text,
        Cell::Bytes(bytes) => *expected == String::from_utf8_lossy(bytes).into_owned(),
        Cell::List(list) => expected.as_array().is_some_and(|expected| {
            list.len() == expected.len()
                && list
                    .iter()
                    .zip(expected)
                    .all(|(one, other)| is_same(one, other))
        }),
    }
}
