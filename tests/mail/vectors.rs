//! The cases of `tests/vectors/mail/`: archives with the links that they give.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;
use uriscan::decode::compression::{Codec, Decompressed};
use uriscan::document;
use uriscan::document::diagnostic::Code;
use uriscan::extractor::ExtractorOptions;
use uriscan::uri::unwrap::{Gateway, Unwrapper};

use super::run::{Found, Got, read, read_with};

/// A case: a file or a folder of messages, and what it gives.
struct Vector {
    name: String,
    path: PathBuf,
    expected: Value,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/mail")
}

fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if let Some(stem) = name.strip_suffix(".expect.json") {
            let expected: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            vectors.push(Vector {
                name: stem.to_owned(),
                path: folder().join(expected["case"].as_str().unwrap()),
                expected,
            });
        }
    }
    vectors.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(vectors.len() >= 75, "{} cases", vectors.len());
    vectors
}

/// The cases that are files, uncompressed, with the name of their format.
fn files() -> Vec<(Vector, &'static str, Vec<u8>)> {
    vectors()
        .into_iter()
        .filter_map(|vector| {
            let format = match vector.path.extension()?.to_str()? {
                "eml" => "eml",
                "mht" => "mhtml",
                "mbox" => "mbox",
                "mmdf" => "mmdf",
                "emlx" => "emlx",
                "rnews" => "news",
                _ => return None,
            };
            let bytes = fs::read(&vector.path).unwrap();
            Some((vector, format, bytes))
        })
        .collect()
}

fn options(expected: &Value) -> ExtractorOptions {
    let mut options = ExtractorOptions::default();
    let asked = &expected["options"];
    options.formats.mail.ids = asked["ids"] == true;
    if let Some(hosts) = asked["unwrap"].as_object() {
        let mut unwrapper = Unwrapper::default();
        for (kind, host) in hosts {
            unwrapper.add(Gateway::named(kind).unwrap(), host.as_str().unwrap());
        }
        options.unwrapper = Some(unwrapper);
    }
    options
}

/// Returns what the case expects of a link, in the words of records.
fn expected_line(row: &Value) -> String {
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let kind = text("kind");
    let (kind, flag) = match kind.split_once(':').unwrap() {
        (flag @ ("preamble" | "epilogue" | "trailer"), context) => {
            (format!("text:{context}"), flag)
        }
        _ => (kind.to_owned(), ""),
    };
    let (context, element, attribute) = match kind.split_once(':').unwrap() {
        ("text", context) => (context, "", String::new()),
        ("html", place) => {
            let (element, attribute) = place.split_once('@').unwrap();
            ("attribute", element, attribute.to_owned())
        }
        ("header", field) => ("header", "", field.to_ascii_lowercase()),
        ("mime", _) => ("header", "", "content-type".to_owned()),
        other => panic!("{other:?}"),
    };
    let number = |key: &str| row[key].as_u64().map_or("-".to_owned(), |n| n.to_string());
    [
        format!("{}/{}", row["message"], text("part")),
        number("line"),
        number("column"),
        format!("{context} {element} {attribute} {flag}"),
        text("raw").to_owned(),
        text("resolved").to_owned(),
        text("base").to_owned(),
        text("base_source").to_owned(),
        text("target_part").to_owned(),
        text("unwrapped_from").to_owned(),
    ]
    .join(" | ")
}

fn got_line(got: &Got, expected: &Value) -> String {
    let place = ["preamble", "epilogue", "trailer"];
    let flag = got.flags.iter().find(|flag| place.contains(flag));
    let (base, source) = got.base.clone().unwrap_or_default();
    let position = got.position.unwrap();
    // Where a case leaves the line open, the record has that of the field.
    let line = match expected["line"].as_u64() {
        Some(_) => position.line.to_string(),
        None => "-".to_owned(),
    };
    let column = match position.column {
        0 => "-".to_owned(),
        column => column.to_string(),
    };
    [
        got.member.clone(),
        line,
        column,
        format!(
            "{} {} {} {}",
            got.context,
            got.element,
            got.attribute,
            flag.unwrap_or(&"")
        ),
        got.reference.clone(),
        got.target.clone().unwrap_or_default(),
        base,
        source,
        got.target_part.clone().unwrap_or_default(),
        got.unwrapped_from.clone().unwrap_or_default(),
    ]
    .join(" | ")
}

/// Returns what differs from the case, if anything.
fn difference(expected: &Value, found: &Found) -> Option<String> {
    let rows = expected["links"].as_array().unwrap();
    let wanted: Vec<String> = rows.iter().map(expected_line).collect();
    let nothing = Value::Null;
    let got: Vec<String> = found
        .links
        .iter()
        .enumerate()
        .map(|(index, got)| got_line(got, rows.get(index).unwrap_or(&nothing)))
        .collect();
    let mut codes: Vec<&str> = found.diagnostics.iter().map(|(_, code, _)| *code).collect();
    codes.sort_unstable();
    let mut wanted_codes: Vec<&str> = expected["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap())
        .collect();
    wanted_codes.sort_unstable();
    (got != wanted || codes != wanted_codes).then(|| {
        format!(
            "expected\n  {}\n  {wanted_codes:?}\ngot\n  {}\n  {:?}",
            wanted.join("\n  "),
            got.join("\n  "),
            found.diagnostics
        )
    })
}

#[test]
fn cases_have_their_expected_links_for_any_read_size() {
    let mut failures = Vec::new();
    for (vector, format, bytes) in files() {
        let options = options(&vector.expected);
        for window in [1 << 20, 7, 1] {
            let found = read_with(format, &bytes, &options, window);
            if let Some(difference) = difference(&vector.expected, &found) {
                failures.push(format!("{} by {window}: {difference}", vector.name));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn messages_stand_where_the_cases_say() {
    for (vector, format, bytes) in files() {
        let Some(messages) = vector.expected["messages"].as_array() else {
            continue;
        };
        let found = read_with(format, &bytes, &options(&vector.expected), 64);
        for message in messages {
            let index = message["index"].as_u64().unwrap();
            let prefix = format!("{index}/");
            for link in found
                .links
                .iter()
                .filter(|link| link.member.starts_with(&prefix))
            {
                let got = (link.message_offset, link.message_id.as_deref());
                let expected = (message["offset"].as_u64(), message["message_id"].as_str());
                assert_eq!(got, expected, "{}: message {index}", vector.name);
            }
        }
    }
}

#[test]
fn every_beginning_of_a_case_can_be_read() {
    for (vector, format, bytes) in files() {
        let options = options(&vector.expected);
        for end in 0..bytes.len() {
            read_with(format, &bytes[..end], &options, 16);
        }
    }
}

#[test]
fn compressed_cases_have_their_expected_links() {
    let mut count = 0;
    for vector in vectors() {
        let stored = match fs::read(&vector.path) {
            Ok(stored) => stored,
            Err(_) => continue,
        };
        let Some(codec) = Codec::of(&stored) else {
            continue;
        };
        count += 1;
        let mut archive = Vec::new();
        let mut reader = Decompressed::new(codec, Box::new(std::io::Cursor::new(stored)));
        reader.read_to_end(&mut archive).unwrap();
        let mut found = read("mbox", &archive, &document::FormatOptions::default(), 7);
        let error = reader
            .error()
            .map(|error| (None, <&Code>::from(error.fault).name, 1));
        found.diagnostics.extend(error);
        if let Some(difference) = difference(&vector.expected, &found) {
            panic!("{}: {difference}", vector.name);
        }
    }
    assert_eq!(count, 4);
}

#[test]
fn folders_have_the_links_of_their_messages() {
    let mut count = 0;
    for vector in vectors() {
        if !vector.path.is_dir() {
            continue;
        }
        count += 1;
        let mut found = Found::default();
        for row in vector.expected["links"].as_array().unwrap() {
            let bytes = fs::read(vector.path.join(row["member"].as_str().unwrap())).unwrap();
            let one = read("eml", &bytes, &document::FormatOptions::default(), 7);
            found.links.extend(one.links);
            found.diagnostics.extend(one.diagnostics);
        }
        if let Some(difference) = difference(&vector.expected, &found) {
            panic!("{}: {difference}", vector.name);
        }
    }
    assert_eq!(count, 2);
}
