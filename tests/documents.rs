//! Documents with expectations that were written by hand from the formats' standards.
//!
//! `tests/vectors/documents/` holds each document, `NAME.EXT`, and beside it `NAME.expect.json`: `why`
//! (the rule that it shows), `options` (flags of the command), `uri` (where the document is served),
//! `links` in document order, and where it matters `diagnostics` (all codes) and `exit`. Of a link
//! only the fields that stand there are compared; the number of links always is. `flags_has` must be
//! among the flags, `flags_not` must not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/documents")
}

/// The document that an expectation is about.
fn document_of(expectation: &Path) -> PathBuf {
    let name = expectation.file_name().unwrap().to_str().unwrap();
    let stem = name.strip_suffix("expect.json").unwrap();
    let is_document = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.strip_prefix(stem)
            .is_some_and(|extension| !extension.contains('.'))
    };
    let mut found = files().into_iter().filter(is_document);
    let document = found
        .next()
        .unwrap_or_else(|| panic!("{name} has no document"));
    assert_eq!(found.next(), None, "{name} has several documents");
    document
}

fn files() -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder()).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The differences between what the command prints and what is expected.
fn differences(expectation: &Path) -> Vec<String> {
    let expected: Value = serde_json::from_slice(&fs::read(expectation).unwrap()).unwrap();
    let document = document_of(expectation);
    let name = document.file_name().unwrap().to_str().unwrap();
    assert_eq!(expected["uri"], format!("http://example.com/dir/{name}"));
    let temporary = tempfile::tempdir().unwrap();
    let copy = temporary.path().join(name);
    fs::copy(&document, &copy).unwrap();
    let root = format!("{}=http://example.com/dir/", temporary.path().display());
    let options = expected["options"].as_array();
    let options = options
        .into_iter()
        .flatten()
        .map(|option| option.as_str().unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(["--json", "--root", &root])
        .args(options)
        .arg(&copy)
        .output()
        .unwrap();
    let records: Vec<Value> = (output.stdout.split(|&byte| byte == b'\n'))
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let of_type = |kind: &'static str| {
        let records = records.iter().filter(move |record| record["type"] == kind);
        records.collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    let code = output.status.code();
    match expected.get("exit") {
        Some(exit) if *exit != code.map_or(Value::Null, Value::from) => {
            found.push(format!("exit {code:?}, not {exit}"));
        }
        None if code.is_none_or(|code| code > 1) => found.push(format!("exit {code:?}")),
        _ => {}
    }
    let (got, wanted) = (of_type("link"), expected["links"].as_array().unwrap());
    if got.len() != wanted.len() {
        let references: Vec<_> = got.iter().map(|link| &link["reference"]).collect();
        found.push(format!(
            "{} links, not {}: {references:?}",
            got.len(),
            wanted.len()
        ));
    }
    for (at, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        for (key, value) in wanted.as_object().unwrap() {
            let has = |flag| {
                got["flags"]
                    .as_array()
                    .is_some_and(|flags| flags.contains(flag))
            };
            let agrees = match key.as_str() {
                "flags_has" => value.as_array().unwrap().iter().all(has),
                "flags_not" => !value.as_array().unwrap().iter().any(has),
                _ => got.get(key).unwrap_or(&Value::Null) == value,
            };
            if !agrees {
                let got = got.get(key).unwrap_or(&got["flags"]);
                found.push(format!("link {}: {key} {got}, not {value}", at + 1));
            }
        }
    }
    if let Some(codes) = expected.get("diagnostics") {
        let got = of_type("diagnostic").into_iter();
        let got: BTreeSet<_> = got.map(|record| record["code"].to_string()).collect();
        let codes = codes.as_array().unwrap().iter();
        let codes: BTreeSet<_> = codes.map(Value::to_string).collect();
        if got != codes {
            found.push(format!("diagnostics {got:?}, not {codes:?}"));
        }
    }
    found
}

#[test]
fn documents_have_their_expected_links() {
    let mut failed = Vec::new();
    let is_expectation = |path: &PathBuf| path.to_str().unwrap().ends_with(".expect.json");
    let expectations: Vec<_> = files().into_iter().filter(is_expectation).collect();
    assert!(!expectations.is_empty());
    for expectation in expectations {
        let name = expectation
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let differences = differences(&expectation);
        failed.extend(
            differences
                .iter()
                .map(|difference| format!("{name}: {difference}")),
        );
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
