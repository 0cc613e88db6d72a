//! The attributes of a document, and their substitution.

use std::collections::HashMap;

use crate::bytes::pattern::Pattern;
use crate::document::blocks::Line;
use crate::document::source_text::DecodedText;

/// Maximum length of a value, in bytes.
const MAX_VALUE_LEN: usize = 4 << 10;
/// Maximum memory of all names and values, in bytes.
const MAX_MEMORY: usize = 8 << 20;
/// Memory of an attribute besides its name and value, in bytes.
const ENTRY_SIZE: usize = 128;
/// Maximum length of a text in which attributes are replaced, in bytes.
const MAX_TEXT: usize = 4 << 20;

/// Attributes that every document has.
#[rustfmt::skip]
const BUILT_IN: [(&str, &str); 33] = [
    ("amp", "&"), ("apos", "'"), ("asterisk", "*"), ("backslash", "\\"), ("backtick", "`"), ("blank", ""),
    ("brvbar", "\u{a6}"), ("caret", "^"), ("cpp", "C++"), ("cxx", "C++"), ("deg", "\u{b0}"), ("docdir", "."), ("empty", ""),
    ("endsb", "]"), ("gt", ">"), ("ldquo", "\u{201c}"), ("lsquo", "\u{2018}"), ("lt", "<"), ("nbsp", "\u{a0}"),
    ("outfilesuffix", ".html"), ("plus", "+"), ("pp", "++"), ("quot", "\""), ("rdquo", "\u{201d}"), ("rsquo", "\u{2019}"),
    ("sp", " "), ("startsb", "["), ("tilde", "~"), ("two-colons", "::"), ("two-semicolons", ";;"), ("vbar", "|"),
    ("wj", "\u{2060}"), ("zwsp", "\u{200b}"),
];

#[derive(Debug, Default)]
pub(super) struct DocumentAttributes {
    values: HashMap<Vec<u8>, Vec<u8>>,
    size: usize,
}

impl DocumentAttributes {
    /// Returns the value of an attribute, by its name in lower case.
    pub(super) fn get(&self, name: &[u8]) -> Option<&[u8]> {
        let own = self.values.get(name).map(Vec::as_slice);
        own.or_else(|| {
            let row = BUILT_IN.iter().find(|(row, _)| row.as_bytes() == name)?;
            Some(row.1.as_bytes())
        })
    }

    /// Applies an attribute entry, whose name may ask to unset it; returns whether it is within the limits.
    pub(super) fn set(&mut self, name: &[u8], value: &[u8]) -> bool {
        let bare = name.strip_prefix(b"!").or_else(|| name.strip_suffix(b"!"));
        let key = bare.unwrap_or(name).to_ascii_lowercase();
        if let Some(old) = self.values.remove(&key) {
            self.size -= ENTRY_SIZE + key.len() + old.len();
        }
        if bare.is_some() {
            return true;
        }
        let mut text = DecodedText::default();
        push(&mut text, value, self);
        let size = ENTRY_SIZE + key.len() + text.bytes.len();
        let is_within = text.bytes.len() <= MAX_VALUE_LEN && self.size + size <= MAX_MEMORY;
        if is_within {
            self.size += size;
            text.bytes.shrink_to_fit();
            self.values.insert(key, text.bytes);
        }
        is_within
    }
}

pub(super) static REFERENCE: Pattern =
    Pattern::new(r"\{([A-Za-z0-9_\x80-\xff][A-Za-z0-9_\x80-\xff-]{0,127})\}");

/// Joins lines with line breaks and replaces their attributes; the text is mapped to the window.
pub(super) fn replaced(lines: &[Line<'_>], attributes: &DocumentAttributes) -> DecodedText {
    let mut text = DecodedText::default();
    for (nth, line) in lines.iter().enumerate() {
        if nth > 0 {
            text.put(b"\n", 1);
        }
        text.map.resume(line.start as u64);
        push(&mut text, line.text(), attributes);
    }
    text
}

fn push(text: &mut DecodedText, bytes: &[u8], attributes: &DocumentAttributes) {
    let mut at = 0;
    for [whole, name] in REFERENCE.groups(bytes, 0) {
        text.copy(&bytes[at..whole.start]);
        let is_escaped = bytes[..whole.start].ends_with(b"\\");
        // Bounds the growth of the text: a value is longer than its reference.
        let is_replaced = !is_escaped && text.bytes.len() <= MAX_TEXT;
        let value = attributes.get(&bytes[name].to_ascii_lowercase());
        match value.filter(|_| is_replaced) {
            Some(value) => text.put(value, whole.len()),
            None => text.copy(&bytes[whole.clone()]),
        }
        at = whole.end;
    }
    text.copy(&bytes[at..]);
}
