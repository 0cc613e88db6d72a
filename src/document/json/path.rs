//! The path to the current value: the members and items that enclose it.

use std::borrow::Cow;
use std::io::Write;

use super::kinds::{ITEM, JsonKind, JsonMember, JsonRow, MEMBER};
use super::literals::{JsonText, unescaped};
use super::tokenizer::JsonContainer;

/// Maximum number of open containers that have names.
pub(super) const MAX_LEVELS: usize = 1024;
/// Maximum length in bytes of a JSON Pointer that records show.
const MAX_POINTER_LEN: usize = 1024;
/// Maximum number of bytes that are kept of a name: an escape is at most six times as long as its
/// character.
const MAX_NAME_LEN: usize = 6 * MAX_POINTER_LEN + 6;

#[derive(Clone, Copy, Debug)]
enum LevelName {
    Window(u32, u32),
    /// In the names that outlast their window.
    Kept(u32, u32),
}

impl LevelName {
    /// Returns the name, or as much of it as is kept, given the window and the names that outlast theirs.
    #[inline]
    fn raw<'a>(self, bytes: &'a [u8], names: &'a [u8]) -> &'a [u8] {
        let (text, start, end) = match self {
            LevelName::Window(start, end) => (bytes, start, end),
            LevelName::Kept(start, end) => (names, start, end),
        };
        let raw = &text[start as usize..end as usize];
        &raw[..raw.len().min(MAX_NAME_LEN)]
    }
}

/// An open container, and its current member or item.
#[derive(Clone, Copy, Debug)]
struct JsonLevel {
    container: JsonContainer,
    /// The paths of the table that lead to the container, one bit each.
    paths: u64,
    /// Those that lead to its current member or item.
    current: u64,
    name: LevelName,
    index: u64,
}

#[derive(Clone, Debug)]
pub(super) struct ValuePath {
    /// The paths whose values have a meaning; containers that are on none are only counted.
    kind: &'static JsonKind,
    levels: Vec<JsonLevel>,
    /// The number of open containers without levels.
    beyond: usize,
    /// Raw names of members from earlier windows, in the order of their levels.
    names: Vec<u8>,
    /// The index of the current value among the values of the document.
    value: u64,
    /// The pointer that was written last.
    pointer: Vec<u8>,
}

impl ValuePath {
    pub(super) fn new(kind: &'static JsonKind) -> Self {
        ValuePath {
            kind,
            levels: Vec::new(),
            beyond: 0,
            names: Vec::new(),
            value: 0,
            pointer: Vec::new(),
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.levels.len() + self.beyond
    }

    /// Returns the paths of the table that lead to the current value.
    #[inline]
    fn current(&self) -> u64 {
        match self.levels.last() {
            _ if self.beyond > 0 => 0,
            Some(level) => level.current,
            None => self.kind.all_paths(),
        }
    }

    #[inline(always)]
    pub(super) fn open(&mut self, container: JsonContainer) {
        let paths = self.current();
        let is_apart = self.kind.is_known() && paths == 0;
        if self.levels.len() == MAX_LEVELS || self.beyond > 0 || is_apart {
            self.beyond += 1;
            return;
        }
        let depth = self.levels.len();
        let current = match container {
            JsonContainer::Array => self
                .kind
                .filter(paths, |path| path.get(depth) == Some(&ITEM)),
            JsonContainer::Object => 0,
        };
        self.levels.push(JsonLevel {
            container,
            paths,
            current,
            name: LevelName::Window(0, 0),
            index: 0,
        });
    }

    #[inline(always)]
    pub(super) fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(level) = self.levels.pop()
            && let LevelName::Kept(start, _) = level.name
        {
            self.names.truncate(start as usize);
        }
        self.end_values(1);
    }

    #[inline(always)]
    pub(super) fn set_name(&mut self, name: &JsonText, bytes: &[u8]) {
        let depth = self.levels.len();
        let (0, Some(level)) = (self.beyond, self.levels.last_mut()) else {
            return;
        };
        if let LevelName::Kept(start, _) = level.name {
            self.names.truncate(start as usize);
        }
        level.name = LevelName::Window(name.range.start as u32, name.range.end as u32);
        if level.paths != 0 {
            let name = unescaped(&bytes[name.range.clone()]);
            let paths = level.paths;
            level.current = self.kind.filter(paths, |path| match path.get(depth - 1) {
                None | Some(&ITEM) => false,
                Some(&step) => step == MEMBER || step.as_bytes() == &*name,
            });
        }
    }

    /// Keeps the names of a window that ends.
    pub(super) fn end_window(&mut self, bytes: &[u8]) {
        for level in &mut self.levels {
            if let LevelName::Window(..) = level.name {
                let start = self.names.len() as u32;
                self.names.extend_from_slice(level.name.raw(bytes, &[]));
                level.name = LevelName::Kept(start, self.names.len() as u32);
            }
        }
    }

    /// Ends values in a row: the next one in an array is another item.
    #[inline(always)]
    pub(super) fn end_values(&mut self, count: u64) {
        match self.levels.last_mut() {
            Some(level) if self.beyond == 0 => level.index += count,
            None => self.value += count,
            Some(_) => {}
        }
    }

    /// Returns whether a path of the table leads to the current value.
    #[inline]
    pub(super) fn is_known(&self) -> bool {
        self.current() != 0
    }

    /// Returns the row of the table for the current value.
    #[inline]
    pub(super) fn row(&self) -> Option<&'static JsonRow> {
        self.kind.row(self.current(), self.levels.len())
    }

    /// Returns the member that the current value is, if other strings refer to it.
    #[inline]
    pub(super) fn member(&self) -> Option<&'static JsonMember> {
        self.kind.member(self.current(), self.levels.len())
    }

    /// Returns the name of the current member; empty in an array.
    pub(super) fn last_name<'a>(&'a self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let level = self.levels.last();
        unescaped(level.map_or(&[], |level| level.name.raw(bytes, &self.names)))
    }

    /// Returns the path as a JSON Pointer (RFC 6901), with the index of the value among the values of the
    /// document if it is `numbered`; `None` if it is too long to be shown.
    pub(super) fn pointer(&mut self, numbered: bool, bytes: &[u8]) -> Option<&[u8]> {
        if self.beyond > 0 {
            return None;
        }
        self.pointer.clear();
        if numbered {
            push_number(self.value, &mut self.pointer);
        }
        for level in &self.levels {
            match level.container {
                JsonContainer::Array => push_number(level.index, &mut self.pointer),
                JsonContainer::Object => {
                    push_name(level.name.raw(bytes, &self.names), &mut self.pointer);
                }
            }
            if self.pointer.len() > MAX_POINTER_LEN {
                return None;
            }
        }
        Some(&self.pointer)
    }
}

fn push_name(raw: &[u8], out: &mut Vec<u8>) {
    out.push(b'/');
    if !raw.iter().any(|byte| matches!(byte, b'~' | b'/' | b'\\')) {
        return out.extend_from_slice(raw);
    }
    for &byte in &*unescaped(raw) {
        match byte {
            b'~' => out.extend_from_slice(b"~0"),
            b'/' => out.extend_from_slice(b"~1"),
            _ => out.push(byte),
        }
    }
}

fn push_number(number: u64, out: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = write!(out, "/{number}");
}
