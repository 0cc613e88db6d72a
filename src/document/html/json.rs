//! References in the JSON of script elements: import maps, speculation rules and JSON-LD.

use std::borrow::Cow;
use std::ops::Range;

use crate::bytes::window::Window;
use crate::document::json::{JsonToken, JsonTokenizer, is_address, unescaped};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptJson {
    ImportMap,
    SpeculationRules,
    LinkedData,
}

const MAX_DEPTH: usize = 127;

/// Returns the raw ranges of the strings that are references; none for text that is not JSON.
pub(super) fn references(bytes: &[u8], range: Range<usize>, kind: ScriptJson) -> Vec<Range<usize>> {
    let bytes = &bytes[..range.end];
    let mut reader = JsonReader {
        bytes,
        kind,
        path: Vec::new(),
        found: Vec::new(),
    };
    let mut tokenizer = JsonTokenizer::default();
    tokenizer.at = range.start;
    let window = Window::whole(bytes);
    loop {
        match tokenizer.next(&window) {
            JsonToken::Open(_) if reader.path.len() == MAX_DEPTH => return Vec::new(),
            JsonToken::Open(_) => reader.path.push(None),
            JsonToken::Close => drop(reader.path.pop()),
            JsonToken::Name(name) => reader.add_key(name.range),
            JsonToken::String(value) => reader.add_value(value.range),
            JsonToken::Other(_) | JsonToken::Comment(_) => {}
            JsonToken::End if tokenizer.faults.is_empty() => return reader.found,
            JsonToken::End | JsonToken::More => return Vec::new(),
        }
    }
}

/// Whether a string of an import map is a reference; a bare name such as `react` is not.
fn is_module_reference(raw: &[u8]) -> bool {
    let text = unescaped(raw);
    text.starts_with(b"/")
        || text.starts_with(b"./")
        || text.starts_with(b"../")
        || str::from_utf8(&text).is_ok_and(|text| url::Url::parse(text).is_ok())
}

struct JsonReader<'a> {
    bytes: &'a [u8],
    kind: ScriptJson,
    /// The path of the current value: the keys of objects with escapes replaced, `None` for arrays.
    path: Vec<Option<Cow<'a, [u8]>>>,
    found: Vec<Range<usize>>,
}

impl<'a> JsonReader<'a> {
    fn key(&self, depth: usize) -> &[u8] {
        let key = self.path.get(depth).and_then(Option::as_deref);
        key.unwrap_or_default()
    }

    fn add_key(&mut self, key: Range<usize>) {
        self.path.pop();
        let wanted = match (self.kind, self.key(0), self.path.len()) {
            (ScriptJson::ImportMap, b"imports" | b"integrity", 1) => true,
            (ScriptJson::ImportMap, b"scopes", 1 | 2) => self.in_objects(),
            _ => false,
        };
        if wanted && is_module_reference(&self.bytes[key.clone()]) {
            self.found.push(key.clone());
        }
        self.path.push(Some(unescaped(&self.bytes[key])));
    }

    fn add_value(&mut self, value: Range<usize>) {
        let depth = self.path.len();
        let wanted = match self.kind {
            ScriptJson::ImportMap => {
                matches!((self.key(0), depth), (b"imports", 2) | (b"scopes", 3))
                    && self.in_objects()
                    && is_module_reference(&self.bytes[value.clone()])
            }
            ScriptJson::SpeculationRules => {
                depth == 4 && self.key(2) == b"urls" && self.alternates()
            }
            ScriptJson::LinkedData => {
                let nearest = self.path.iter().rev().find_map(Option::as_deref);
                nearest.is_some_and(|key| key == b"@id" || is_address(key))
            }
        };
        if wanted && !value.is_empty() {
            self.found.push(value);
        }
    }

    fn in_objects(&self) -> bool {
        self.path.iter().all(Option::is_some)
    }

    /// Whether objects and arrays alternate on the path.
    fn alternates(&self) -> bool {
        let mut levels = self.path.iter().enumerate();
        levels.all(|(i, level)| level.is_some() == (i % 2 == 0))
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/json.rs"]
mod tests;
