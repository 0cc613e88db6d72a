//! The cases of `tests/vectors/text.jsonl`.

use serde_json::Value;

use super::oracle::{Find, NonAscii, Options};

const CASES: &str = include_str!("../vectors/text.jsonl");

/// A text and its expected finds.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) text: Vec<u8>,
    pub(crate) options: Options,
    /// The case names an option.
    pub(crate) has_options: bool,
    pub(crate) expected: Vec<Expected>,
}

/// An expected find.
pub(crate) struct Expected {
    pub(crate) uri: Vec<u8>,
    pub(crate) kind: String,
    /// The slice of the text that the find spans.
    raw: Vec<u8>,
    pub(crate) flags: Vec<String>,
    absent: Vec<String>,
    alternatives: Option<Vec<Vec<u8>>>,
}

/// Returns every case, in the order of the file.
pub(crate) fn cases() -> Vec<Case> {
    let lines = CASES.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| case(&serde_json::from_str(line).expect(line)))
        .collect()
}

fn case(row: &Value) -> Case {
    let option = |name: &str| row["opts"][name].as_bool().unwrap_or(false);
    let ascii = row["opts"]["nonascii"].as_str() == Some("ascii");
    let expected = row["expect"].as_array().expect("a case has expectations");
    Case {
        id: string(&row["id"]).to_owned(),
        text: bytes(row, "text").expect("a case has a text"),
        options: Options {
            non_ascii: if ascii {
                NonAscii::Ascii
            } else {
                NonAscii::Iri
            },
            www: option("www"),
            email: option("email"),
            strict: option("strict"),
            troff: option("troff"),
        },
        has_options: !row["opts"].is_null(),
        expected: expected.iter().map(expect).collect(),
    }
}

fn expect(row: &Value) -> Expected {
    let names = |key: &str| {
        let names = row[key].as_array().into_iter().flatten();
        names.map(|name| string(name).replace('_', "-")).collect()
    };
    let uri = bytes(row, "uri").expect("an expectation has a URI");
    let kind = string(&row["kind"]);
    let guessed: &[u8] = match kind {
        "www" => b"http://",
        "email" => b"mailto:",
        _ => b"",
    };
    let written = uri.strip_prefix(guessed).unwrap_or_default().to_vec();
    let readings = row["alts"].as_array();
    Expected {
        raw: bytes(row, "raw").unwrap_or(written),
        uri,
        kind: if kind == "quote" { "quoted" } else { kind }.to_owned(),
        flags: names("flags"),
        absent: names("noflags"),
        alternatives: readings.map(|readings| {
            let readings = readings.iter();
            readings.map(|reading| string(reading).into()).collect()
        }),
    }
}

fn string(value: &Value) -> &str {
    value.as_str().expect("a case's fields are strings")
}

/// Returns the text under `key`, or the bytes under `key_hex`.
fn bytes(row: &Value, key: &str) -> Option<Vec<u8>> {
    if let Some(text) = row[key].as_str() {
        return Some(text.as_bytes().to_vec());
    }
    let digits = row[format!("{key}_hex")].as_str()?;
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect(digits);
    Some((0..digits.len()).step_by(2).map(byte).collect())
}

impl Case {
    /// Returns whether `finds` in `text` are the expected ones.
    pub(crate) fn suits(&self, text: &[u8], finds: &[Find]) -> bool {
        let mut pairs = finds.iter().zip(&self.expected);
        self.suits_apart_from_spans(finds)
            && pairs.all(|(find, expected)| text[find.start..find.end] == expected.raw)
    }

    /// Returns whether `finds` are the expected ones, at any offset.
    pub(crate) fn suits_apart_from_spans(&self, finds: &[Find]) -> bool {
        let mut pairs = finds.iter().zip(&self.expected);
        finds.len() == self.expected.len() && pairs.all(|(find, expected)| expected.suits(find))
    }

    /// Returns the case, the text that was scanned for it, and its expected finds.
    pub(crate) fn describe(&self, text: &[u8]) -> String {
        let expected: Vec<String> = self.expected.iter().map(Expected::to_string).collect();
        format!(
            "{}: {}\n expected {expected:?}",
            self.id,
            text.escape_ascii()
        )
    }
}

impl Expected {
    fn suits(&self, find: &Find) -> bool {
        let has = |name: &String| find.flags.contains(name.as_str());
        let alternatives = self.alternatives.as_ref();
        find.uri == self.uri
            && find.kind == self.kind
            && self.flags.iter().all(has)
            && !self.absent.iter().any(has)
            && alternatives.is_none_or(|readings| *readings == find.alternatives)
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Expected {
            kind,
            flags,
            absent,
            ..
        } = self;
        let (uri, raw) = (self.uri.escape_ascii(), self.raw.escape_ascii());
        write!(
            formatter,
            "{kind} {uri} from {raw} with {flags:?} without {absent:?}"
        )
    }
}
