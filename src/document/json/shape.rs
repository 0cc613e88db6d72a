//! The kind of a JSON document, by the members at its top.

use super::literals::JsonText;
use super::tokenizer::{JsonContainer, JsonSequence, JsonToken, JsonTokenizer};
use crate::bytes::window::Window;

/// Returns the name of the format of a document from its first bytes: of a known kind, or `json`; `None`
/// if they begin no object or array.
pub(crate) fn by_shape(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
    if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return None;
    }
    let mut tokenizer = JsonTokenizer::new(JsonSequence::One);
    let window = Window {
        last: false,
        ..Window::whole(head)
    };
    let mut depth = 0_usize;
    let mut is_array = false;
    // The names at the top, and those two and three containers below.
    let (mut top, mut inner): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
    let mut is_feed = false;
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
