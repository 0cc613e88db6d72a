use arrow_ipc::reader::StreamReader;

use super::super::rows::RowBuilder;
use super::*;
use crate::document::Format;
use crate::extractor::{Document, Extractor, ExtractorOptions};
use crate::linker::Link;
use crate::output::DocumentPath;
use crate::output::column::ColumnSet;

/// Returns the stream of a document whose blocks are cut after every `count` links, and whose rows are
/// passed on in two ranges for each block.
fn stream(document: &[u8], count: usize, limits: BatchLimits, has_dictionaries: bool) -> Vec<u8> {
    let mut layout = Layout::of_table(ColumnSet::All, true);
    layout.has_dictionaries = has_dictionaries;
    let mut out = Vec::new();
    let mut writer = TableWriter::new(TableFormat::Stream, &layout, &mut out).unwrap();
    writer.limits = limits;
    let mut rows = RowBuilder::new(&layout);
    let path = DocumentPath::new(b"a.txt");
    let mut push = |rows: &mut RowBuilder| {
        let block = rows.finish();
        let middle = block.len() / 3;
        let ranges = [0..middle, middle..middle, middle..block.len()];
        writer.push(&block, &ranges).unwrap();
    };
    let mut sink = |link: &Link<'_>| {
        rows.push(&path, link);
        if rows.len() == count {
            push(&mut rows);
        }
    };
    let options = ExtractorOptions::default();
    let text = Document::new(Format::TEXT, None);
    Extractor::new(&options).extract_bytes(&text, document, &mut sink);
    push(&mut rows);
    writer.finish().unwrap();
    drop(writer);
    out
}

#[test]
fn batches_are_cut_at_the_same_rows_for_any_blocks() {
    let mut document = String::new();
    for number in 0..200 {
        let host = number * 7 % 13;
        let tail = "x".repeat(number * number % 90);
        document += &match number % 3 {
            0 => format!("<http://{host}.example.com/{tail}\n-{number}>\n\n"),
            1 => format!("<http://{host}.example.com/>\n\n"),
            _ => format!("http://{host}.example.com/{number}, relative <URL:{number}>\n"),
        };
    }
    let document = document.as_bytes();
    for (rows, bytes) in [(1, 9999), (7, 99_999), (64, 4000), (1000, 1400), (1000, 1)] {
        let limits = BatchLimits { rows, bytes };
        for has_dictionaries in [false, true] {
            let one = stream(document, 1, limits, has_dictionaries);
            let batches = StreamReader::try_new(one.as_slice(), None).unwrap();
            let lengths: Vec<_> = batches.map(|batch| batch.unwrap().num_rows()).collect();
            assert!(lengths.iter().sum::<usize>() > 200, "{lengths:?}");
            assert!(lengths.iter().all(|length| (1..=rows).contains(length)));
            for count in [2, 3, 10, 77, 10_000] {
                let other = stream(document, count, limits, has_dictionaries);
                assert!(one == other, "{count} {limits:?}");
            }
        }
    }
}
