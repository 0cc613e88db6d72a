//! The attributes of a document, and their substitution.

use std::collections::HashMap;

use crate::bytes::class::run_end;
use crate::document::blocks::Line;
use crate::document::source_text::DecodedText;

/// A longer value, in bytes, does not count.
const LONGEST_VALUE: usize = 4 << 10;
/// Maximum memory of all names and values, in bytes.
const MAX_MEMORY: usize = 8 << 20;
/// Memory of an attribute besides its name and value, in bytes.
const ENTRY_SIZE: usize = 128;
/// Maximum length of a text with its attributes replaced, in bytes, after which no more are.
const MAX_TEXT: usize = 4 << 20;

/// DocumentAttributes that every document has.
const BUILT_IN: [(&str, &str); 22] = [
    ("amp", "&"),
    ("apos", "'"),
    ("asterisk", "*"),
    ("backslash", "\\"),
    ("backtick", "`"),
    ("blank", ""),
    ("brvbar", "\u{a6}"),
    ("caret", "^"),
    ("cpp", "C++"),
    ("docdir", "."),
    ("empty", ""),
    ("endsb", "]"),
    ("gt", ">"),
    ("lt", "<"),
    ("nbsp", "\u{a0}"),
    ("outfilesuffix", ".html"),
    ("plus", "+"),
    ("quot", "\""),
    ("sp", " "),
    ("startsb", "["),
    ("tilde", "~"),
    ("vbar", "|"),
];

/// The attributes that a document has set so far.
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

    /// Applies an attribute entry: its name, which may ask to unset it, and its value. Returns whether it
    /// is within the limits.
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
        let is_within = text.bytes.len() <= LONGEST_VALUE && self.size + size <= MAX_MEMORY;
        if is_within {
            self.size += size;
            text.bytes.shrink_to_fit();
            self.values.insert(key, text.bytes);
        }
        is_within
    }
}

/// Returns the length of the attribute reference at the start of a text, and the name in it.
pub(super) fn attribute_reference(text: &[u8]) -> Option<(usize, &[u8])> {
    const LONGEST_NAME: usize = 128;
    let rest = text.strip_prefix(b"{")?;
    let length = run_end(&rest[..rest.len().min(LONGEST_NAME)], 0, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | 0x80..)
    });
    let is_name = length > 0 && rest[0] != b'-' && rest.get(length) == Some(&b'}');
    is_name.then(|| (length + 2, &rest[..length]))
}

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
    while let Some(found) = memchr::memchr(b'{', &bytes[at..]) {
        text.copy(&bytes[at..at + found]);
        at += found;
        let is_escaped = at > 0 && bytes[at - 1] == b'\\';
        // The text cannot grow beyond all bounds: a value is longer than its reference.
        let is_replaced = !is_escaped && text.bytes.len() <= MAX_TEXT;
        let reference = attribute_reference(&bytes[at..]).filter(|_| is_replaced);
        let value = reference
            .and_then(|(length, name)| Some((length, attributes.get(&name.to_ascii_lowercase())?)));
        match value {
            Some((length, value)) => {
                text.put(value, length);
                at += length;
            }
            None => {
                text.copy(b"{");
                at += 1;
            }
        }
    }
    text.copy(&bytes[at..]);
}
