//! The formats of JSON, and the kind of a document by the members at its top.

use super::kinds;
use super::linked_data::LinkedDataScanner;
use super::literals::JsonText;
use super::reader::{JsonScanner, LONGEST_HELD};
use super::tokenizer::{JsonContainer, JsonToken, JsonTokenizer};
use crate::bytes::lines::{BYTE_ORDER_MARK, LOOK_BEHIND};
use crate::bytes::window::{Bounds, Window};
use crate::document::events::RuleFamily::{Markup, Plain};
use crate::document::{Format, Passes, text};

const JSON: Format = Format {
    name: "json",
    extensions: &["json", "geojson"],
    starts: b"[{\")",
    bounds: Bounds::new(LOOK_BEHIND, LONGEST_HELD + 64),
    scanner: |options| JsonScanner::boxed(&kinds::ANY, options),
    ..text::UNSPLIT
};

/// The row of a format with a table of members.
macro_rules! row {
    ($name:literal, $extensions:expr, $family:ident, $kind:ident) => {
        Format {
            name: $name,
            extensions: $extensions,
            family: $family,
            scanner: |options| JsonScanner::boxed(&kinds::$kind, options),
            ..JSON
        }
    };
}

pub(in crate::document) static FORMATS: &[Format] = &[
    JSON,
    // JSON5, and JSON with comments.
    Format {
        file_names: &["jsconfig.json", "tsconfig.json"],
        ..row!("json5", &["json5", "jsonc"], Plain, RELAXED)
    },
    // JSON Lines.
    row!("jsonl", &["jsonl", "ndjson"], Plain, LINES),
    row!("webmanifest", &["webmanifest"], Markup, WEB_MANIFEST),
    row!("sourcemap", &["map"], Markup, SOURCE_MAP),
    row!("jsonfeed", &[], Plain, JSON_FEED),
    row!("ipynb", &["ipynb"], Plain, NOTEBOOK),
    row!("har", &["har"], Plain, HTTP_ARCHIVE),
    // Metadata of records of web archives.
    Format {
        is_settled: false,
        scanner: |options| {
            let is_plain = !options.html.descriptions && !options.html.extended;
            let kinds = [&kinds::DESCRIBED_TRANSFORMATION, &kinds::TRANSFORMATION];
            JsonScanner::boxed(kinds[usize::from(is_plain)], options)
        },
        ..row!("wat", &[], Markup, TRANSFORMATION)
    },
    Format {
        name: "jsonld",
        extensions: &["jsonld"],
        is_settled: false,
        reading: Passes::MaybeTwice,
        scanner: |options| Box::new(LinkedDataScanner::new(options)),
        ..JSON
    },
];

/// Returns the name of a document's format by its first bytes; `None` if no object or array begins.
pub(crate) fn by_shape(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return None;
    }
    let mut tokenizer = JsonTokenizer::default();
    let mut window = Window::whole(head);
    window.last = false;
    let (mut depth, mut is_array, mut is_feed) = (0_usize, false, false);
    // The names at the top, and those two and three containers below.
    let (mut top, mut inner): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
    loop {
        match tokenizer.next(&window) {
            JsonToken::Open(container) => {
                is_array |= depth == 0 && container == JsonContainer::Array;
                depth += 1;
            }
            JsonToken::Close => depth -= 1,
            JsonToken::Name(JsonText { range, .. }) if depth == 1 => top.push(&head[range]),
            JsonToken::Name(JsonText { range, .. }) if depth <= 3 => inner.push(&head[range]),
            JsonToken::String(JsonText { range, .. })
                if depth == 1 && top.last() == Some(&&b"version"[..]) =>
            {
                let version = String::from_utf8_lossy(&head[range]).replace('\\', "");
                is_feed |= version.contains("://jsonfeed.org/version/");
            }
            JsonToken::More | JsonToken::End => break,
            _ => {}
        }
    }
    let has = |name: &str| top.contains(&name.as_bytes());
    let holds = |name: &str| inner.contains(&name.as_bytes());
    let is_keyword = |name: &str| has(name) || is_array && holds(name);
    Some(if is_keyword("@context") || is_keyword("@graph") {
        "jsonld"
    } else if is_array {
        "json"
    } else if is_feed {
        "jsonfeed"
    } else if has("nbformat") || has("cells") && holds("cell_type") {
        "ipynb"
    } else if has("log") && (holds("entries") || holds("creator") && holds("version")) {
        "har"
    } else if has("version") && (has("mappings") || has("sections") || has("sources")) {
        "sourcemap"
    } else if has("start_url") || has("icons") && has("display") {
        "webmanifest"
    } else {
        "json"
    })
}
