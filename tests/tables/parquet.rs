//! Files of Parquet.

use std::fs::File;

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::basic::{Compression, Encoding};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use arrow_ipc::reader::StreamReader;

use super::*;

/// Writes the file and reads its batches.
pub(super) fn file(tree: &Tree, arguments: &[&str]) -> Vec<RecordBatch> {
    let path = tree.write("table.parquet", &written(tree, "parquet", arguments));
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let stream = table(tree, arguments);
    let schema = StreamReader::try_new(stream.as_slice(), None)
        .unwrap()
        .schema();
    assert_eq!(reader.schema(), &schema);
    let batches = reader.build().unwrap().map(Result::unwrap).collect();
    fs::remove_file(path).unwrap();
    batches
}

#[test]
fn every_column_of_a_file_is_that_of_the_stream() {
    let (tree, corpus) = (Tree::new(&[]), corpus());
    let arguments = [
        "-z",
        "--unwrap",
        "--anchor-text",
        "--columns",
        "all",
        &corpus,
    ];
    let (file, stream) = (file(&tree, &arguments), batches(&table(&tree, &arguments)));
    let (file, stream) = (rows(&file), rows(&stream));
    assert_eq!(file.len(), stream.len());
    for (row, expected) in file.iter().zip(&stream) {
        assert_eq!(row, expected);
    }
}

#[test]
fn a_file_has_statistics_and_is_compressed_and_the_same_for_any_number_of_workers() {
    let tree = Tree::new(&[]);
    for number in 0..40 {
        let text = format!("http://example.com/{number}\n").repeat(number * number);
        tree.write(format!("{number}.txt"), text.as_bytes());
    }
    let one = written(&tree, "parquet", &[".", "-j1"]);
    assert!(one == written(&tree, "parquet", &[".", "-j3"]));
    let path = tree.write("x/table.parquet", &one);
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let groups = reader.metadata().row_groups();
    assert_eq!(
        (groups.len(), groups[0].num_rows()),
        (1, (0..40).map(|n| n * n).sum())
    );
    for column in groups[0].columns() {
        assert_eq!(column.compression(), Compression::SNAPPY);
        assert!(column.statistics().is_some(), "{}", column.column_path());
        let mut encodings = column.encodings();
        let name = column.column_path().string();
        let expected = match name.as_str() {
            "start" | "line" => Encoding::DELTA_BINARY_PACKED,
            "target" | "reference" => Encoding::DELTA_BYTE_ARRAY,
            "path" | "context" => Encoding::RLE_DICTIONARY,
            _ => continue,
        };
        assert!(encodings.any(|found| found == expected), "{name}");
    }
}

#[test]
fn a_run_without_links_has_a_file_without_rows() {
    let tree = Tree::new(&[("empty.txt", "")]);
    assert!(rows(&file(&tree, &["empty.txt", "--exit-zero"])).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_can_go_through_a_pipe() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let piped = tree.run(&["a.txt", "--format", "parquet", "-o", "/dev/stdout"]);
    assert_eq!((piped.code, piped.err.as_str()), (0, ""));
    // The output is text for `Tree`: the magic number at both ends is enough.
    assert!(piped.out.starts_with("PAR1") && piped.out.ends_with("PAR1"));
    tree.run(&["a.txt", "--format", "parquet", "-o", "/dev/full"])
        .tells(2, "", "cannot write");
}
