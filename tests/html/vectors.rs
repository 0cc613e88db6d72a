//! The cases of `tests/vectors/html.jsonl`: documents and their references.

use encoding_rs::Encoding;
use serde_json::Value;

use super::oracle::table::EXTENDED;
use super::oracle::{Expected, Options};

/// One case.
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) html: Vec<u8>,
    pub(crate) options: Options,
    pub(crate) expected: Vec<Expected>,
    pub(crate) why: String,
    /// `fast` if the simulator must not bail on the document, else `bail`.
    pub(crate) tier: String,
}

/// Every case.
pub(crate) fn all() -> Vec<Vector> {
    include_str!("../vectors/html.jsonl")
        .lines()
        .map(|line| vector(&serde_json::from_str(line).expect(line)))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn vector(row: &Value) -> Vector {
    let expected: Vec<_> = row["expect"]
        .as_array()
        .expect("a list")
        .iter()
        .map(expected)
        .collect();
    Vector {
        id: text(&row["id"]),
        html: encode(&text(&row["html"]), row["encode_as"].as_str()),
        options: Options {
            extended: expected.iter().any(|one| one.group == EXTENDED),
            scripting: row["scripting"] == true,
            transport_charset: row["transport_charset"].as_str().map(str::to_owned),
            document_uri: row["document_url"].as_str().map(str::to_owned),
        },
        expected,
        why: text(&row["why"]),
        tier: text(&row["tier"]),
    }
}

fn expected(row: &Value) -> Expected {
    Expected {
        reference: text(&row["raw"]).into_bytes(),
        target: row["resolved"].as_str().map(str::to_owned),
        element: text(&row["element"]),
        attribute: text(&row["attribute"]),
        group: text(&row["group"]).leak(),
        inert: row["inert"] == true,
        via: row["via"].as_str().map(|via| &*via.to_owned().leak()),
    }
}

/// Encodes a document. encoding_rs has no encoder for UTF-16.
fn encode(html: &str, label: Option<&str>) -> Vec<u8> {
    match label {
        Some("utf-16le") => html.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Some("utf-16be") => html.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Some(label) => {
            let encoding = Encoding::for_label(label.as_bytes()).expect(label);
            let (bytes, _, lossy) = encoding.encode(html);
            assert!(!lossy, "{label} cannot hold {html:?}");
            bytes.into_owned()
        }
        None => html.as_bytes().to_vec(),
    }
}
