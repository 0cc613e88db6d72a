//! Tables of links, read back by the crates of Arrow and compared with the records of `--json`.

// Batches as cells.
pub(crate) mod cells;
// Files of Parquet.
#[cfg(feature = "parquet")]
mod parquet;
// Usage, failures and what else is not in the rows.
mod runs;
// Rows against records.
mod rows;

use std::fs;
use std::path::Path;

use arrow_array::RecordBatch;
use serde_json::{Map, Value};

use self::cells::*;
use crate::cli::Tree;

/// Runs the command and returns the bytes of the stream that it writes.
fn table(tree: &Tree, arguments: &[&str]) -> Vec<u8> {
    written(tree, "arrow", arguments)
}

/// Runs the command and returns the bytes that it writes in a format.
fn written(tree: &Tree, format: &str, arguments: &[&str]) -> Vec<u8> {
    let output = tree.path().join("table.out");
    let to = ["--format", format, "--output", output.to_str().unwrap()];
    let ran = tree.run(&[arguments, &to].concat());
    assert!(ran.code == 0, "{arguments:?}: {}", ran.err);
    let bytes = fs::read(&output).unwrap();
    fs::remove_file(&output).unwrap();
    bytes
}

/// The links of `--json`.
fn records(tree: &Tree, arguments: &[&str]) -> Vec<Map<String, Value>> {
    let ran = tree.run(&[arguments, &["--json", "--columns", "all"]].concat());
    links(&ran.out)
}

/// The corpus of the package.
fn corpus() -> String {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    corpus.to_str().unwrap().to_owned()
}

/// The rows that `targets` writes must be the values of its records.
fn check_targets(file: fn(&Tree, &[&str]) -> Vec<RecordBatch>) {
    let tree = Tree::new(&[
        ("site/a.html", "<p id=x>"),
        ("site/_redirects", "/old /a.html 301\n"),
    ]);
    let records = tree.run(&["targets", "--json", "site"]).out;
    let rows = rows(&file(&tree, &["targets", "site"]));
    assert_eq!(rows.len(), records.lines().count());
    for (row, line) in rows.iter().zip(records.lines()) {
        let record: Map<String, Value> = serde_json::from_str(line).unwrap();
        assert_eq!(record.len(), row.len() + 1);
        for (name, cell) in row {
            let value = record[name].as_str();
            let expected = value.map_or(Cell::Null, |text| Cell::Text(text.to_owned()));
            assert_eq!(*cell, expected, "{name}: {line}");
        }
    }
}

#[test]
fn rows_of_targets_are_the_values_of_their_records() {
    check_targets(|tree, arguments| batches(&table(tree, arguments)));
    #[cfg(feature = "parquet")]
    check_targets(parquet::file);
}
