//! The attributes of a document, and their substitution.

use std::collections::HashMap;

use crate::bytes::class::run_end;
use crate::decode::RecordOffsets;
use crate::decode::offset_map::OffsetMap;
use crate::document::blocks::Line;

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
        let mut text = AdocText::default();
        text.push_bytes(value, 0, self);
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

/// Text with its attributes replaced, and the way back to the bytes of the window.
#[derive(Debug, Default)]
pub(super) struct AdocText {
    pub(super) bytes: Vec<u8>,
    map: OffsetMap,
    has_begun: bool,
    /// The index of the window behind what was read.
    behind: usize,
}

impl AdocText {
    /// Joins lines with line breaks.
    pub(super) fn new(lines: &[Line<'_>], attributes: &DocumentAttributes) -> Self {
        let mut text = AdocText::default();
        for &line in lines {
            text.push_line(line, attributes);
        }
        text
    }

    fn push_line(&mut self, line: Line<'_>, attributes: &DocumentAttributes) {
        if self.has_begun {
            self.bytes.push(b'\n');
            self.map.units(1, 1, 1);
            self.map.skip((line.start - self.behind).saturating_sub(1));
        } else {
            self.map.starting(line.start as u64);
        }
        self.has_begun = true;
        self.push_bytes(line.text(), line.start, attributes);
    }

    /// Appends bytes that begin at an index of the window.
    fn push_bytes(&mut self, text: &[u8], start: usize, attributes: &DocumentAttributes) {
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'{', &text[at..]) {
            self.copy(&text[at..at + found]);
            at += found;
            let reference = attribute_reference(&text[at..]);
            let is_escaped = at > 0 && text[at - 1] == b'\\';
            let value = reference
                .filter(|_| !is_escaped)
                .and_then(|(length, name)| {
                    Some((length, attributes.get(&name.to_ascii_lowercase())?))
                });
            match value {
                // The text cannot grow beyond all bounds: a value is longer than its reference.
                Some((length, value)) if self.bytes.len() <= MAX_TEXT => {
                    self.bytes.extend_from_slice(value);
                    match value.is_empty() {
                        true => self.map.skip(length),
                        false => self.map.units(1, value.len(), length),
                    }
                    at += length;
                }
                _ => {
                    self.copy(b"{");
                    at += 1;
                }
            }
        }
        self.copy(&text[at..]);
        self.behind = start + text.len();
    }

    fn copy(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.map.units(text.len(), 1, 1);
    }

    /// Returns the bytes of the window that a range of the text comes from.
    pub(super) fn range(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let start = self.map.start(range.start as u64) as usize;
        let end = self.map.end(range.end as u64) as usize;
        start..end.max(start)
    }
}
