//! The path to the current value: the members and items that enclose it.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;

use smart_default::SmartDefault;

use super::kinds::{ANY, ITEM, JsonKind, JsonMember, JsonPath, JsonRow, MEMBER};
use super::literals::{JsonText, unescaped};
use super::tokenizer::{JsonContainer, JsonSequence};
use crate::document::events::{
    Context, Escapes, FoundReference, NameRange, Quoting, TextRange, WindowEvents,
};

pub(super) const MAX_LEVELS: usize = 1024;
const MAX_POINTER_LEN: usize = 1024;
/// Maximum number of kept bytes of a name: an escape is at most six times as long as its character.
const MAX_NAME_LEN: usize = 6 * MAX_POINTER_LEN + 6;

#[derive(Clone, Copy, Debug)]
struct JsonLevel {
    container: JsonContainer,
    /// The raw name of the current member, of the window or of [`ValuePath::names`].
    name: TextRange,
    index: u64,
}

impl JsonLevel {
    #[inline]
    fn name<'a>(&self, bytes: &'a [u8], names: &'a [u8]) -> &'a [u8] {
        let (text, start, end) = match self.name {
            TextRange::Window(start, end) => (bytes, start, end),
            TextRange::Stored(start, end) => (names, start, end),
        };
        let raw = &text[start as usize..end as usize];
        &raw[..raw.len().min(MAX_NAME_LEN)]
    }
}

#[derive(Clone, Debug, SmartDefault)]
pub(super) struct ValuePath {
    #[default(&ANY)]
    kind: &'static JsonKind,
    levels: Vec<JsonLevel>,
    /// The number of open containers without levels.
    beyond: usize,
    /// Raw names of members from earlier windows, in the order of their levels.
    names: Vec<u8>,
    /// The index of the current line of JSON Lines.
    pub(super) line: u64,
    pointer: Vec<u8>,
}

impl ValuePath {
    pub(super) fn new(kind: &'static JsonKind) -> Self {
        ValuePath {
            kind,
            ..ValuePath::default()
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.levels.len() + self.beyond
    }

    fn is_at(&self, path: JsonPath, bytes: &[u8]) -> bool {
        if self.beyond > 0 || self.levels.len() != path.len() {
            return false;
        }
        // The innermost name differs most often.
        let mut levels = self.levels.iter().zip(path).rev();
        levels.all(|(level, &step)| match level.container {
            JsonContainer::Array => step == ITEM,
            JsonContainer::Object if matches!(step, ITEM | MEMBER) => step == MEMBER,
            JsonContainer::Object => *unescaped(level.name(bytes, &self.names)) == *step.as_bytes(),
        })
    }

    #[inline(always)]
    pub(super) fn open(&mut self, container: JsonContainer) {
        if self.levels.len() == MAX_LEVELS || self.beyond > 0 {
            self.beyond += 1;
            return;
        }
        self.levels.push(JsonLevel {
            container,
            name: TextRange::Window(0, 0),
            index: 0,
        });
    }

    #[inline(always)]
    pub(super) fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(level) = self.levels.pop()
            && let TextRange::Stored(start, _) = level.name
        {
            self.names.truncate(start as usize);
        }
        self.end_values(1);
    }

    #[inline(always)]
    pub(super) fn set_name(&mut self, name: &JsonText) {
        let (0, Some(level)) = (self.beyond, self.levels.last_mut()) else {
            return;
        };
        if let TextRange::Stored(start, _) = level.name {
            self.names.truncate(start as usize);
        }
        level.name = TextRange::window(name.range.clone());
    }

    pub(super) fn end_window(&mut self, bytes: &[u8]) {
        for level in &mut self.levels {
            if let TextRange::Window(..) = level.name {
                let start = self.names.len() as u32;
                self.names.extend_from_slice(level.name(bytes, &[]));
                level.name = TextRange::Stored(start, self.names.len() as u32);
            }
        }
    }

    /// Ends consecutive values: the next one in an array is another item.
    #[inline(always)]
    pub(super) fn end_values(&mut self, count: u64) {
        if let (0, Some(level)) = (self.beyond, self.levels.last_mut()) {
            level.index += count;
        }
    }

    pub(super) fn row(&self, bytes: &[u8]) -> Option<&'static JsonRow> {
        let mut rows = self.kind.rows.iter();
        rows.find(|row| self.is_at(row.path, bytes))
    }

    /// Returns the member that the current value is, if other strings refer to it.
    pub(super) fn member(&self, bytes: &[u8]) -> Option<&'static JsonMember> {
        let mut members = self.kind.members.iter().copied();
        members.find(|member| self.is_at(member.path, bytes))
    }

    /// Returns the name of the current member; empty in an array.
    pub(super) fn last_name<'a>(&'a self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let level = self.levels.last();
        unescaped(level.map_or(&[], |level| level.name(bytes, &self.names)))
    }

    /// Returns a reference that is the whole current value, a string with the contents `text`; `None`: as written.
    pub(super) fn reference(
        &mut self,
        raw: &Range<usize>,
        text: Option<&[u8]>,
        run: &mut WindowEvents,
    ) -> FoundReference {
        let written = || TextRange::window(raw.clone());
        let text = text.map_or_else(written, |text| run.events.store(text));
        let mut found = FoundReference::new(run.span(raw), text, Context::Attribute);
        found.quoting = Quoting::of(Escapes::Json);
        if let Some(pointer) = self.pointer(run.window.bytes) {
            found.attribute = NameRange::other(run.events.store(pointer));
        }
        found
    }

    /// Returns the path as a JSON Pointer (RFC 6901), in JSON Lines after the index of the line; `None` if it is too long to be shown.
    fn pointer(&mut self, bytes: &[u8]) -> Option<&[u8]> {
        if self.beyond > 0 {
            return None;
        }
        self.pointer.clear();
        if self.kind.sequence == JsonSequence::Lines {
            push_number(self.line, &mut self.pointer);
        }
        for level in &self.levels {
            match level.container {
                JsonContainer::Array => push_number(level.index, &mut self.pointer),
                JsonContainer::Object => {
                    push_name(level.name(bytes, &self.names), &mut self.pointer);
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
