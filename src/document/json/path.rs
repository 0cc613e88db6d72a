//! The path to the current value: the members and items that enclose it.

use super::kinds::{ANY, ITEM, JsonMember, JsonPath};
use super::tokenizer::{JsonContainer, unescape};

/// The number of levels that have names.
const LEVELS: usize = 1024;
/// The longest JSON Pointer that records show, in bytes.
const LONGEST_POINTER: usize = 1024;

/// An open container, and its current member or item.
#[derive(Clone, Copy, Debug)]
struct JsonLevel {
    container: JsonContainer,
    /// Where the name of the member starts in the names.
    name: usize,
    /// The index of the item.
    index: u64,
}

/// The path to the current value.
#[derive(Debug, Default)]
pub(super) struct ValuePath {
    levels: Vec<JsonLevel>,
    /// The number of open containers beyond [`LEVELS`].
    beyond: usize,
    /// The names of the current members, of each up to one byte more than a pointer may have.
    names: Vec<u8>,
    scratch: Vec<u8>,
    /// The index of the current value among those of the document.
    pub(super) value: u64,
}

impl ValuePath {
    /// Returns the number of open containers.
    pub(super) fn depth(&self) -> usize {
        self.levels.len() + self.beyond
    }

    pub(super) fn open(&mut self, container: JsonContainer) {
        if self.levels.len() == LEVELS {
            self.beyond += 1;
            return;
        }
        self.levels.push(JsonLevel {
            container,
            name: self.names.len(),
            index: 0,
        });
    }

    pub(super) fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(level) = self.levels.pop() {
            self.names.truncate(level.name);
        }
        self.end_value();
    }

    /// Begins a member with a raw name.
    pub(super) fn set_name(&mut self, raw: &[u8]) {
        let (0, Some(level)) = (self.beyond, self.levels.last()) else {
            return;
        };
        self.names.truncate(level.name);
        self.scratch.clear();
        // No escape is longer than six times what it stands for.
        let raw = &raw[..raw.len().min(6 * LONGEST_POINTER + 6)];
        unescape(raw, &mut self.scratch, &mut ());
        let kept = self.scratch.len().min(LONGEST_POINTER + 1);
        self.names.extend_from_slice(&self.scratch[..kept]);
    }

    /// Ends a value: the next one in an array is another item.
    pub(super) fn end_value(&mut self) {
        match self.levels.last_mut() {
            Some(level) if self.beyond == 0 => level.index += 1,
            None => self.value += 1,
            Some(_) => {}
        }
    }

    /// Returns the name of a level; `None` for an array.
    fn name(&self, at: usize) -> Option<&[u8]> {
        let level = self.levels.get(at)?;
        let end = self
            .levels
            .get(at + 1)
            .map_or(self.names.len(), |next| next.name);
        (level.container == JsonContainer::Object).then(|| &self.names[level.name..end])
    }

    /// Returns whether a step leads to the current value of a level.
    fn takes(&self, at: usize, step: &str) -> bool {
        match self.name(at) {
            Some(name) => step == ANY || step != ITEM && name == step.as_bytes(),
            None => step == ITEM,
        }
    }

    /// Returns whether this is the path of the current value.
    pub(super) fn is(&self, path: JsonPath) -> bool {
        self.depth() == path.len()
            && path
                .iter()
                .enumerate()
                .all(|(at, step)| self.takes(at, step))
    }

    /// Returns how many steps from the root of a member towards it lead to the current value.
    pub(super) fn shared_steps(&self, member: &JsonMember) -> usize {
        let mut steps = (member.root..).zip(&member.path[member.root..]);
        let other = steps.position(|(at, step)| at >= self.levels.len() || !self.takes(at, step));
        other.unwrap_or(member.path.len() - member.root)
    }

    /// Returns the name of the current member; empty in an array.
    pub(super) fn last_name(&self) -> &[u8] {
        let last = self.levels.len().checked_sub(1);
        last.and_then(|last| self.name(last)).unwrap_or_default()
    }

    /// Appends the path as a JSON Pointer (RFC 6901) to `out`, with the index of the value among those of
    /// the document if it is `numbered`; returns whether it is short enough to be shown.
    pub(super) fn pointer(&self, numbered: bool, out: &mut Vec<u8>) -> bool {
        use std::io::Write;
        let start = out.len();
        if self.beyond > 0 {
            return false;
        }
        if numbered {
            // Writing to memory does not fail.
            let _ = write!(out, "/{}", self.value);
        }
        for (at, level) in self.levels.iter().enumerate() {
            match self.name(at) {
                None => {
                    let _ = write!(out, "/{}", level.index);
                }
                Some(name) => {
                    out.push(b'/');
                    for &byte in name {
                        match byte {
                            b'~' => out.extend_from_slice(b"~0"),
                            b'/' => out.extend_from_slice(b"~1"),
                            _ => out.push(byte),
                        }
                    }
                }
            }
            if out.len() - start > LONGEST_POINTER {
                out.truncate(start);
                return false;
            }
        }
        true
    }
}
