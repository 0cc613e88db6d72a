//! Files of Parquet.

use std::fs::File;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::basic::{Compression, Encoding};
use ::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnPath;
use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use bytes::Bytes;

use super::*;

/// Writes the file and reads its batches.
fn file(tree: &Tree, arguments: &[&str]) -> Vec<RecordBatch> {
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

fn footer(file: Vec<u8>) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(&Bytes::from(file)).unwrap()
}

/// The same rows as the writer of the library has them, with the same encodings.
fn written_by_library(batches: &[RecordBatch]) -> Vec<u8> {
    let schema = batches[0].schema();
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Page);
    for field in schema.fields() {
        let mut path = vec![field.name().clone()];
        let data_type = match field.data_type() {
            DataType::List(item) => {
                path.extend(["list".to_owned(), item.name().clone()]);
                item.data_type()
            }
            data_type => data_type,
        };
        let encoding = match data_type {
            DataType::Int64 | DataType::Timestamp(..) => Encoding::DELTA_BINARY_PACKED,
            DataType::Utf8 | DataType::Binary => Encoding::DELTA_BYTE_ARRAY,
            _ => continue,
        };
        let path = ColumnPath::from(path);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, encoding);
    }
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties.build())).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn what_the_footer_says_of_columns_and_pages_is_what_the_library_says() {
    let tree = Tree::new(&[]);
    let mut document = String::new();
    for number in 0..45_000 {
        document += &match number % 1000 {
            0..400 => format!("http://example.com/ascending/{number:06}\n"),
            400..600 => format!("<http://{}.example.com/{}>\n", number % 7, number % 13),
            600..990 => format!("<URL:{:x}>\n", number * 7919 % 65_536),
            _ => format!(
                "<http://example.com/{}>\n",
                "\u{e4}\u{7ff}".repeat(number % 97)
            ),
        };
    }
    tree.write("a.txt", document.as_bytes());
    tree.write(
        "b.txt",
        b"<http://example.com/\xff> <http://example.com/\xff\xfe>",
    );
    tree.write(
        "c/\u{e4}.html",
        "<a href='x' rel='a b'>y</a>".repeat(900).as_bytes(),
    );
    let corpus = corpus();
    let arguments = [
        "-z",
        "--unwrap",
        "--anchor-text",
        "--columns",
        "all",
        ".",
        &corpus,
    ];
    let stream = batches(&table(&tree, &arguments));
    let (one, other) = (
        footer(written(&tree, "parquet", &arguments)),
        footer(written_by_library(&stream)),
    );
    let file = one.file_metadata();
    assert_eq!(file.schema_descr(), other.file_metadata().schema_descr());
    assert!(file.num_rows() > 45_000, "{}", file.num_rows());
    assert_eq!((one.num_row_groups(), other.num_row_groups()), (1, 1));
    let columns = one.row_group(0).columns().iter();
    let pages = |footer: &ParquetMetaData, index| {
        let (pages, rows) = (footer.page_index().unwrap(), footer.row_group(0));
        let offsets = pages.offset_index(0, index).unwrap();
        let first = offsets
            .page_locations()
            .iter()
            .map(|page| page.first_row_index);
        let encodings = rows.column(index).page_encoding_stats().cloned();
        (
            pages.column_index(0, index).cloned(),
            first.collect::<Vec<_>>(),
            offsets.unencoded_byte_array_data_bytes().cloned(),
            encodings,
        )
    };
    for (index, (column, expected)) in columns.zip(other.row_group(0).columns()).enumerate() {
        let name = column.column_path();
        assert_eq!(name, expected.column_path());
        assert_eq!(column.statistics(), expected.statistics(), "{name}");
        assert_eq!(column.num_values(), expected.num_values(), "{name}");
        assert_eq!(column.encodings_mask(), expected.encodings_mask(), "{name}");
        let histogram = column.definition_level_histogram();
        assert_eq!(histogram, expected.definition_level_histogram(), "{name}");
        let histogram = column.repetition_level_histogram();
        assert_eq!(histogram, expected.repetition_level_histogram(), "{name}");
        let bytes = column.unencoded_byte_array_data_bytes();
        assert_eq!(bytes, expected.unencoded_byte_array_data_bytes(), "{name}");
        // The library cuts pages of lists by items, not by rows.
        if column.repetition_level_histogram().is_none() {
            assert_eq!(pages(&one, index), pages(&other, index), "{name}");
        }
    }
}
