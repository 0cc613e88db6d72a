//! Usage, failures and what else is not in the rows.

use std::fs;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;

use super::*;

#[test]
fn a_run_without_links_has_the_schema_and_no_rows() {
    let tree = Tree::new(&[("empty.txt", "")]);
    let output = tree.path().join("table.arrow");
    let ran = tree.run(&[
        "empty.txt",
        "--format",
        "arrow",
        "-o",
        output.to_str().unwrap(),
    ]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let stream = fs::read(&output).unwrap();
    let reader = StreamReader::try_new(stream.as_slice(), None).unwrap();
    let schema = reader.schema();
    assert_eq!(schema.field(0).name(), "path");
    assert_eq!(schema.metadata()["uriscan.schema"], "1");
    assert_eq!(
        schema.metadata()["uriscan.version"],
        env!("CARGO_PKG_VERSION")
    );
    assert!(batches(&stream).is_empty());
}

/// The name of a type as `uriscan schema` prints it.
fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Int32 => "int32".to_owned(),
        DataType::Int64 => "int64".to_owned(),
        DataType::Utf8 => "utf8".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::Timestamp(_, zone) => format!("timestamp[us, {}]", zone.as_deref().unwrap()),
        DataType::Dictionary(key, value) => {
            format!("dictionary<{}, {}>", type_name(key), type_name(value))
        }
        DataType::List(item) => format!("list<{}>", type_name(item.data_type())),
        other => panic!("{other}"),
    }
}

#[test]
fn the_schema_that_is_printed_is_that_of_the_stream() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let sets = ["core", "mail", "web", "all"].map(|set| vec!["--columns", set]);
    for columns in [&sets[..], &[vec!["--columns", "all", "--dictionaries"]]].concat() {
        let stream = table(&tree, &[&["a.txt"][..], &columns].concat());
        let schema = StreamReader::try_new(stream.as_slice(), None)
            .unwrap()
            .schema();
        let mut expected = String::new();
        for field in schema.fields() {
            let null = if field.is_nullable() { "" } else { " not null" };
            let kind = type_name(field.data_type());
            expected += &format!("{}: {kind}{null}\n", field.name());
        }
        for (key, value) in schema.metadata() {
            expected += &format!("{key}={value}\n");
        }
        let schema = ["schema", "link", "--format", "arrow"];
        let ran = tree.run(&[&schema[..], &columns].concat());
        assert_eq!((ran.code, ran.out), (0, expected));
    }
}

#[test]
fn dates_of_web_archives_are_times() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/archives");
    let tree = Tree::new(&[]);
    for (name, time) in [
        ("arc_v1.arc", 1_015_218_367_000_000),
        ("warc_11_lower_case.warc", 1_451_703_845_678_901),
    ] {
        let path = folder.join(name);
        let path = path.to_str().unwrap();
        for (arguments, column) in [
            (&[path, "--columns", "web"][..], "warc_date"),
            (&["records", path], "date"),
        ] {
            let stream = table(&tree, arguments);
            let batch = &batches(&stream)[0];
            let times = batch.column_by_name(column).unwrap();
            let times = times.as_primitive::<TimestampMicrosecondType>();
            assert_eq!(times.value(0), time, "{arguments:?}");
            assert_eq!(times.null_count(), 0, "{arguments:?}");
        }
    }
}

#[test]
fn every_key_but_the_type_has_a_column_in_the_order_of_the_record() {
    let tree = Tree::new(&[]);
    let schema: Value = serde_json::from_str(&tree.run(&["schema", "link"]).out).unwrap();
    let keys = schema["properties"].as_object().unwrap().keys();
    // `state` is a key of audits.
    let keys = keys.filter(|key| !["type", "state"].contains(&key.as_str()));
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let stream = table(&tree, &["a.txt", "--columns", "all", "--anchor-text"]);
    let reader = StreamReader::try_new(stream.as_slice(), None).unwrap();
    let schema = reader.schema();
    let columns: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
    let expected: Vec<_> = keys.collect();
    assert_eq!(columns[..expected.len()], expected);
    let own = &columns[expected.len()..];
    assert_eq!(own, ["target_bytes"]);
}

#[test]
fn strings_are_plain_unless_dictionaries_are_asked_for() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let ran = tree.run(&["schema", "link", "--format", "arrow"]);
    assert!(!ran.out.contains("dictionary"), "{}", ran.out);
    let types = |arguments: &[&str]| {
        let stream = table(&tree, &[&["a.txt", "--columns", "all"], arguments].concat());
        let reader = StreamReader::try_new(stream.as_slice(), None).unwrap();
        let schema = reader.schema();
        let of = |name| type_name(schema.field_with_name(name).unwrap().data_type());
        ["path", "target", "base", "context", "flags", "host"].map(of)
    };
    let [utf8, list] = ["utf8", "list<utf8>"];
    assert_eq!(types(&[]), [utf8, utf8, utf8, utf8, list, utf8]);
    let names = "dictionary<int32, utf8>";
    let expected = [names, utf8, names, names, list, names];
    assert_eq!(types(&["--dictionaries"]), expected);
}

#[test]
fn flags_that_are_not_for_tables_are_refused() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    for (arguments, words) in [
        (
            &["--format", "arrow", "--fields", "target"][..],
            "--columns",
        ),
        (&["--columns", "none"], "core, mail, web, all"),
        (&["--dictionaries"], "--format arrow"),
        (
            &["--format", "arrow", "--columns", "none"],
            "core, mail, web, all",
        ),
        (&["--format", "arrow", "--count"], "no other format"),
        (&["--format", "arrow", "--count-by", "host"], "text"),
    ] {
        tree.run(&[arguments, &["a.txt"]].concat())
            .tells(2, "", words);
    }
    tree.run(&["schema", "summary", "--format", "arrow"])
        .tells(2, "", "only link");
    for flags in [&["--columns", "all"][..], &["--dictionaries"]] {
        tree.run(&[&["schema", "link"], flags].concat())
            .tells(2, "", "--format arrow");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_how_to_get_it() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let ran = tree.run(&["--format", "parquet", "a.txt"]);
    ran.tells(2, "", "cargo install uriscan --features parquet");
}

#[test]
fn quiet_runs_write_no_table() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let ran = tree.run(&["--format", "arrow", "--quiet", "a.txt"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
}

/// The rows that there are end in a whole stream; the exit code and the message tell the rest.
#[test]
fn a_file_that_cannot_be_read_does_not_break_the_stream() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let output = tree.path().join("table.arrow");
    let ran = tree.run(&[
        "a.txt",
        "missing.txt",
        "--format",
        "arrow",
        "-o",
        output.to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("missing.txt"), "{}", ran.err);
    assert_eq!(rows(&batches(&fs::read(&output).unwrap())).len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_fails_is_an_error() {
    let tree = Tree::new(&[("a.txt", &"http://example.com/\n".repeat(1000))]);
    let ran = tree.run(&["a.txt", "--format", "arrow", "-o", "/dev/full"]);
    ran.tells(2, "", "cannot write");
}

/// What a run tells of a file that cannot be read, of a skipped one and of odd documents.
fn odd_files() -> Tree {
    let tree = Tree::new(&[
        (
            "a.html",
            "<base href='http://example.com/'><base href=/b><a href=x>x</a>",
        ),
        ("b.css", "a { background: url(a b) }"),
    ]);
    tree.write("c.png", b"\x89PNG\r\n\x1A\n");
    tree
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const ODD: [&str; 5] = ["a.html", "b.css", "c.png", "missing\u{1b}.txt", "--stats"];

#[test]
fn messages_can_be_records() {
    let tree = odd_files();
    let output = tree.path().join("table.arrow");
    let table = [
        "--format",
        "arrow",
        "-o",
        output.to_str().unwrap(),
        "--messages=json",
    ];
    let ran = tree.run(&[&ODD[..], &table].concat());
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    let records = lines(&ran.err);
    let kinds: Vec<_> = records
        .iter()
        .map(|record| record["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["diagnostic", "diagnostic", "skipped", "error", "summary"]
    );
    assert_eq!(records[3]["path"], "missing\u{1b}.txt");
    assert_eq!(records[4]["errors"], 1);
    // The same records that JSON Lines has among the links.
    let all = lines(&tree.run(&[&ODD[..], &["--json"]].concat()).out);
    let others = all.iter().filter(|record| record["type"] != "link");
    let others: Vec<_> = others
        .filter(|record| record["type"] != "summary")
        .collect();
    let without_skipped = records[..4]
        .iter()
        .filter(|record| record["type"] != "skipped");
    assert_eq!(without_skipped.collect::<Vec<_>>(), others);
    assert_eq!(
        tree.run(&[&ODD[..], &table, &["--no-messages"]].concat())
            .err
            .lines()
            .count(),
        1
    );
}

#[test]
fn an_error_that_ends_a_run_is_a_record_too() {
    let tree = Tree::new(&[]);
    let ran = tree.run(&[".", "--messages=json"]);
    assert_eq!(ran.code, 2);
    let records = lines(&ran.err);
    assert_eq!(records.len(), 1);
    assert_eq!(
        (&records[0]["type"], &records[0]["path"]),
        (&"error".into(), &Value::Null)
    );
    assert!(
        records[0]["message"]
            .as_str()
            .unwrap()
            .contains("nothing was read")
    );
}

#[test]
fn a_report_has_errors_diagnostics_and_the_summary() {
    let tree = odd_files();
    let report = tree.path().join("errors.jsonl");
    let to = format!("--report=errors={}", report.display());
    for format in ["text", "arrow", "jsonl"] {
        let flags = ["--format", format, "-o", "out", &to];
        let ran = tree.run(&[&ODD[..4], &flags].concat());
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("missing\\x1b.txt: "), "{}", ran.err);
        let records = lines(&fs::read_to_string(&report).unwrap());
        let kinds = records
            .iter()
            .map(|record| record["type"].as_str().unwrap());
        let kinds: Vec<_> = kinds.collect();
        assert_eq!(
            kinds,
            ["diagnostic", "diagnostic", "skipped", "error", "summary"]
        );
        fs::remove_file(&report).unwrap();
    }
    // Nothing could be read, and the report says why.
    assert_eq!(tree.run(&["missing.txt", &to]).code, 2);
    let records = lines(&fs::read_to_string(&report).unwrap());
    assert_eq!(
        (records.len(), &records[0]["path"]),
        (2, &"missing.txt".into())
    );
    tree.run(&["a.html", "--report", "all=x"])
        .tells(2, "", "errors=FILE");
    tree.run(&["a.html", "-o", "same", "--report", "errors=same"])
        .tells(2, "", "same");
}
