//! Records of any path and any reference, read back by readers that others wrote.

use serde_json::Value;
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions, Positions};
use uriscan::linker::Link;
use uriscan::output::{DocumentPath, Layout, LinkFormatter, Output};

use super::Input;

/// The keys whose values any document or path decides.
const TEXTS: [&str; 3] = ["path", "reference", "target"];

pub(super) fn check(mut input: Input<'_>) {
    let format = Format::named(input.pick(&["text", "html"])).expect("it is a format");
    let bytes = input.document();
    let place = DocumentPath::new(&bytes[..bytes.len().min(40)]);
    let layout = Layout::default();
    let outputs = ["jsonl", "csv", "tsv"].map(|name| Output::named(name).expect("it is an output"));
    let mut written = outputs.map(|output| {
        let mut out = Vec::new();
        output.header(&layout, &mut out);
        (LinkFormatter::new(output, &layout), out)
    });
    let mut expected = Vec::new();
    let mut options = ExtractorOptions::default().with_positions(Positions::Lines);
    options.formats.text.www = true;
    Extractor::new(&options).extract_bytes(
        &Document::new(format, None),
        bytes,
        &mut |link: &Link<'_>| {
            for (output, (formatter, out)) in outputs.iter().zip(&mut written) {
                let start = out.len();
                formatter.push(&place, link, out);
                // Nothing of the links before is in a record.
                let mut alone = Vec::new();
                LinkFormatter::new(output, &layout).push(&place, link, &mut alone);
                assert_eq!(out[start..], alone);
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let target = link.target.map(text).unwrap_or_default();
            expected.push([text(place.path()), text(link.reference), target]);
        },
    );
    let [jsonl, csv, tsv] =
        written.map(|(_, out)| String::from_utf8(out).expect("records are UTF-8"));
    assert_eq!(json_rows(&jsonl), expected, "{jsonl}");
    assert_eq!(csv_rows(&csv), expected, "{csv}");
    assert_eq!(tsv_rows(&tsv), expected, "{tsv}");
}

fn json_rows(jsonl: &str) -> Vec<[String; 3]> {
    let row = |line: &str| {
        let record: Value = serde_json::from_str(line).expect(line);
        TEXTS.map(|key| record[key].as_str().unwrap_or_default().to_owned())
    };
    jsonl.lines().map(row).collect()
}

fn csv_rows(text: &str) -> Vec<[String; 3]> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = columns(reader.headers().expect("a header").iter());
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.expect("every row has all columns");
        columns.map(|column| record[column].to_owned())
    };
    reader.records().map(row).collect()
}

fn tsv_rows(text: &str) -> Vec<[String; 3]> {
    let mut lines = text.split_terminator('\n').map(|line| line.split('\t'));
    let header: Vec<&str> = lines.next().expect("a header").collect();
    let columns = columns(header.iter().copied());
    let row = |cells: std::str::Split<'_, char>| {
        let cells: Vec<&str> = cells.collect();
        assert_eq!(cells.len(), header.len());
        columns.map(|column| unescaped(cells[column]))
    };
    lines.map(row).collect()
}

fn columns<'a>(names: impl Iterator<Item = &'a str> + Clone) -> [usize; 3] {
    TEXTS.map(|key| names.clone().position(|name| name == key).expect(key))
}

fn unescaped(cell: &str) -> String {
    let mut text = String::new();
    let mut chars = cell.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        text.push(match chars.next().expect("an escape has a letter") {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            other => other,
        });
    }
    text
}
