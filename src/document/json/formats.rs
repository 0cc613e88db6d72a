//! The formats of JSON, and the kind of a document by the members at its top.

use super::kinds;
use super::linked_data::LinkedDataScanner;
use super::literals::JsonText;
use super::reader::{JsonScanner, LONGEST_HELD};
use super::tokenizer::{JsonContainer, JsonSequence, JsonToken, JsonTokenizer};
use crate::bytes::lines::{BYTE_ORDER_MARK, LOOK_BEHIND};
use crate::bytes::window::{Bounds, Window};
use crate::document::events::RuleFamily::{self, Markup, Plain};
use crate::document::{Format, FormatOptions, Passes, Scan, text};

const JSON: Format = Format {
    name: "json",
    extensions: &["json", "geojson"],
    // Parts of messages in JSON are read as text (M15).
    media_types: &[],
    bounds: Bounds {
        look_behind: LOOK_BEHIND,
        look_ahead: LONGEST_HELD + 64,
    },
    split_point: None,
    scanner: |options| JsonScanner::boxed(&kinds::ANY, options),
    ..text::FORMAT
};

const fn row(
    name: &'static str,
    extensions: &'static [&'static str],
    family: RuleFamily,
    scanner: fn(&FormatOptions) -> Box<dyn Scan>,
) -> Format {
    Format {
        name,
        extensions,
        family,
        scanner,
        ..JSON
    }
}

pub(in crate::document) static FORMATS: &[Format] = &[
    JSON,
    // JSON5, and JSON with comments.
    Format {
        file_names: &["jsconfig.json", "tsconfig.json"],
        ..row("json5", &["json5", "jsonc"], Plain, |options| {
            JsonScanner::boxed(&kinds::RELAXED, options)
        })
    },
    // JSON Lines.
    row("jsonl", &["jsonl", "ndjson"], Plain, |options| {
        JsonScanner::boxed(&kinds::LINES, options)
    }),
    row("webmanifest", &["webmanifest"], Markup, |options| {
        JsonScanner::boxed(&kinds::WEB_MANIFEST, options)
    }),
    row("sourcemap", &["map"], Markup, |options| {
        JsonScanner::boxed(&kinds::SOURCE_MAP, options)
    }),
    row("jsonfeed", &[], Plain, |options| {
        JsonScanner::boxed(&kinds::JSON_FEED, options)
    }),
    row("ipynb", &["ipynb"], Plain, |options| {
        JsonScanner::boxed(&kinds::NOTEBOOK, options)
    }),
    row("har", &["har"], Plain, |options| {
        JsonScanner::boxed(&kinds::HTTP_ARCHIVE, options)
    }),
    // Metadata of records of web archives.
    row("wat", &[], Markup, |options| {
        JsonScanner::boxed(&kinds::TRANSFORMATION, options)
    }),
    Format {
        reading: Passes::MaybeTwice,
        ..row("jsonld", &["jsonld"], Plain, |options| {
            Box::new(LinkedDataScanner::new(options))
        })
    },
];

/// Returns the name of a document's format by its first bytes; `None` if no object or array begins.
pub(crate) fn by_shape(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return None;
    }
    let mut tokenizer = JsonTokenizer::new(JsonSequence::One);
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
