//! Tables of any documents: the rows are the records, the bytes do not depend on the number of threads.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use uriscan::extractor::Positions;
use uriscan::output::column::ColumnSet;
use uriscan::output::{Layout, Output};
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, PipelineOptions};

use super::Input;
use crate::tables::cells::{batches, compare, links, rows};

/// What is written of the files of a directory.
fn output(directory: &Path, name: &str, layout: &Layout, threads: usize) -> Vec<u8> {
    let mut options = PipelineOptions {
        output: Output::named(name).expect("it is an output"),
        layout: layout.clone(),
        threads,
        piece_size: 64,
        ..PipelineOptions::default()
    };
    options.verbosity.errors = false;
    options.extractor.positions = Positions::Lines;
    options.extractor.formats.html.descriptions = true;
    let root = Ok(Root::Path(directory.into()));
    let walk = Walk::new([root].into_iter(), Default::default());
    let mut output = Vec::new();
    pipeline::run::run(&options, walk, (&mut output, None));
    output
}

/// The name of the second file: not UTF-8 where a path may be any bytes.
fn other_name(extension: &str) -> OsString {
    #[cfg(unix)]
    let stem: OsString = std::os::unix::ffi::OsStringExt::from_vec(b"b\xFF\n".to_vec());
    #[cfg(not(unix))]
    let stem = OsString::from("b");
    let mut name = stem;
    name.push(extension);
    name
}

pub(super) fn check(mut input: Input<'_>) {
    let sets = [
        ColumnSet::Core,
        ColumnSet::Mail,
        ColumnSet::Web,
        ColumnSet::All,
    ];
    let layout = Layout::of_table(input.pick(&sets), input.flag());
    let extension = input.pick(&[".txt", ".html", ".mbox", ".json", ".xml", ".md", ".css"]);
    let cut = input.below(256);
    let bytes = input.document();
    let (first, second) = bytes.split_at(bytes.len() * cut / 256);
    let directory = tempfile::tempdir().expect("a directory can be made");
    for (name, bytes) in [
        (OsString::from(format!("a{extension}")), first),
        (other_name(extension), second),
    ] {
        // Some file systems take no such name.
        let _ = fs::write(directory.path().join(name), bytes);
    }
    let written = |name, threads| output(directory.path(), name, &layout, threads);
    let table = written("arrow", 1);
    assert!(table == written("arrow", 2), "two threads give other bytes");
    let records = String::from_utf8(written("jsonl", 1)).expect("records are UTF-8");
    let records = links(&records);
    let rows = rows(&batches(&table));
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        compare(row, record);
    }
}
