//! The kind of a JSON document, by the members at its top.

use super::tokenizer::{JsonContainer, JsonSequence, JsonToken, JsonTokenizer};

/// Returns the name of the format of a document from its first bytes: of a known kind, or `json`; `None`
/// if they begin no object or array.
pub(crate) fn by_shape(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
    if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return None;
    }
    let mut tokenizer = JsonTokenizer::new(JsonSequence::One);
    let (mut at, mut depth) = (0, 0_usize);
    let mut top: Vec<&[u8]> = Vec::new();
    let mut is_feed = false;
    loop {
        match tokenizer.next(head, &mut at, false) {
            JsonToken::Open(JsonContainer::Array) if depth == 0 => return Some("json"),
            JsonToken::Open(_) => depth += 1,
            JsonToken::Close => depth -= 1,
            JsonToken::Name(range) if depth == 1 => top.push(&head[range]),
            JsonToken::String(range) if depth == 1 && top.last() == Some(&&b"version"[..]) => {
                let version = String::from_utf8_lossy(&head[range]).replace('\\', "");
                is_feed |= version.contains("://jsonfeed.org/version/");
            }
            JsonToken::More | JsonToken::End => break,
            _ => {}
        }
    }
    let has = |name: &str| top.contains(&name.as_bytes());
    Some(if is_feed {
        "jsonfeed"
    } else if has("version") && (has("mappings") || has("sections") || has("sources")) {
        "sourcemap"
    } else if has("start_url") || has("icons") && has("display") {
        "webmanifest"
    } else {
        "json"
    })
}
