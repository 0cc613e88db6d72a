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
