//! The path to the current value: the members and items that enclose it.

use std::borrow::Cow;

use super::kinds::{ANY, ITEM, JsonMember, JsonRow, JsonTable};
use super::literals::{JsonText, unescape};
use super::tokenizer::JsonContainer;

/// The number of levels that have names.
const LEVELS: usize = 1024;
/// The longest JSON Pointer that records show, in bytes.
const LONGEST_POINTER: usize = 1024;
/// The most bytes that are kept of a name: no escape is longer than six times what it stands for.
const LONGEST_NAME: usize = 6 * LONGEST_POINTER + 6;

/// The raw name of a member.
#[derive(Clone, Copy, Debug)]
enum LevelName {
    /// In the window.
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
        &raw[..raw.len().min(LONGEST_NAME)]
    }
}

/// An open container, and its current member or item.
#[derive(Clone, Copy, Debug)]
struct JsonLevel {
    container: JsonContainer,
    /// The node of the container in the table of known paths, and that of the current value.
    node: u32,
    value: u32,
    name: LevelName,
    /// The index of the item.
    index: u64,
    /// The length of the pointer to the current value, if it has been written; else 0.
    pointer: usize,
}

/// A step of known paths: what a value at the path means, and the steps that follow.
#[derive(Debug, Default)]
struct PathNode {
    row: Option<&'static JsonRow>,
    member: Option<&'static JsonMember>,
    names: Vec<(&'static str, u32)>,
    /// One bit for the length of each of the names.
    lengths: u64,
    item: u32,
    any: u32,
}

impl PathNode {
    /// Returns the node behind a name, not counting that of any name.
    fn named(&self, name: &[u8]) -> u32 {
        let found = (self.names.iter()).find(|(known, _)| known.as_bytes() == name);
        found.map_or(UNKNOWN, |(_, node)| *node)
    }
}

/// The paths of a table as a tree; the node 0 is no path, and the node 1 the top.
#[derive(Debug)]
struct PathTree(Vec<PathNode>);

const UNKNOWN: u32 = 0;
const TOP: u32 = 1;

impl PathTree {
    fn new(table: Option<&'static JsonTable>) -> Self {
        let mut tree = PathTree(vec![PathNode::default(), PathNode::default()]);
        for row in table.map_or(&[][..], |table| table.rows) {
            let node = tree.add(row.path);
            tree.0[node as usize].row = Some(row);
        }
        for member in table.map_or(&[][..], |table| table.members) {
            let node = tree.add(member.path);
            tree.0[node as usize].member = Some(member);
        }
        tree
    }

    #[inline]
    fn node(&self, node: u32) -> &PathNode {
        &self.0[node as usize]
    }

    /// Returns the node of a path, which may be new.
    fn add(&mut self, path: &'static [&'static str]) -> u32 {
        let mut node = TOP;
        for &step in path {
            let known = match step {
                ITEM => self.node(node).item,
                ANY => self.node(node).any,
                name => self.node(node).named(name.as_bytes()),
            };
            if known != UNKNOWN {
                node = known;
                continue;
            }
            let new = self.0.len() as u32;
            self.0.push(PathNode::default());
            let around = &mut self.0[node as usize];
            match step {
                ITEM => around.item = new,
                ANY => around.any = new,
                name => {
                    around.names.push((name, new));
                    around.lengths |= length_bit(name.len());
                }
            }
            node = new;
        }
        node
    }

    /// Returns the node behind a raw name, not counting that of any name.
    #[inline(never)]
    fn named(&self, node: u32, raw: &[u8], has_escapes: bool) -> u32 {
        match has_escapes {
            true => self.node(node).named(&name_of(raw)),
            false => self.node(node).named(raw),
        }
    }

    /// Returns the node of the member of an object.
    #[inline(always)]
    fn member(&self, node: u32, name: &JsonText, bytes: &[u8]) -> u32 {
        let around = self.node(node);
        if around.lengths & length_bit(name.range.len()) == 0 && !name.has_escapes {
            return around.any;
        }
        match self.named(node, &bytes[name.range.clone()], name.has_escapes) {
            UNKNOWN => around.any,
            found => found,
        }
    }
}

/// Returns the bit of a length among those of names.
fn length_bit(length: usize) -> u64 {
    1 << length.min(63)
}

/// The path to the current value.
#[derive(Debug)]
pub(super) struct ValuePath {
    tree: PathTree,
    levels: Vec<JsonLevel>,
    /// The number of open containers beyond [`LEVELS`].
    beyond: usize,
    /// Raw names of members that stand in earlier windows, in the order of their levels.
    names: Vec<u8>,
    /// Whether containers of which a table knows nothing are only counted.
    has_table: bool,
    /// The pointer that was written last.
    pointer: Vec<u8>,
    /// The index of the current value among those of the document.
    pub(super) value: u64,
}

impl ValuePath {
    /// Makes a path that knows what the paths of a table mean.
    pub(super) fn new(table: Option<&'static JsonTable>) -> Self {
        ValuePath {
            tree: PathTree::new(table),
            levels: Vec::new(),
            beyond: 0,
            names: Vec::new(),
            has_table: table.is_some(),
            pointer: Vec::new(),
            value: 0,
        }
    }

    /// Starts another document.
    pub(super) fn clear(&mut self) {
        self.levels.clear();
        self.beyond = 0;
        self.names.clear();
        self.value = 0;
    }

    /// Returns the number of open containers.
    pub(super) fn depth(&self) -> usize {
        self.levels.len() + self.beyond
    }

    /// Returns the node of the current value.
    #[inline(always)]
    fn node(&self) -> u32 {
        match self.levels.last() {
            Some(_) if self.beyond > 0 => UNKNOWN,
            Some(level) => level.value,
            None => TOP,
        }
    }

    #[inline(always)]
    pub(super) fn open(&mut self, container: JsonContainer) {
        let node = self.node();
        if self.levels.len() == LEVELS || self.has_table && node == UNKNOWN {
            self.beyond += 1;
            return;
        }
        self.levels.push(JsonLevel {
            container,
            node,
            value: self.tree.node(node).item,
            name: LevelName::Window(0, 0),
            index: 0,
            pointer: 0,
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

    /// Begins a member.
    #[inline(always)]
    pub(super) fn set_name(&mut self, name: &JsonText, bytes: &[u8]) {
        let (0, Some(level)) = (self.beyond, self.levels.last_mut()) else {
            return;
        };
        if let LevelName::Kept(start, _) = level.name {
            self.names.truncate(start as usize);
        }
        level.name = LevelName::Window(name.range.start as u32, name.range.end as u32);
        level.pointer = 0;
        if level.node != UNKNOWN {
            level.value = self.tree.member(level.node, name, bytes);
        }
    }

    /// Keeps the names of a window that ends.
    pub(super) fn end_window(&mut self, bytes: &[u8]) {
        for level in &mut self.levels {
            if let LevelName::Window(start, end) = level.name {
                let raw = &bytes[start as usize..end as usize];
                let raw = &raw[..raw.len().min(LONGEST_NAME)];
                let start = self.names.len() as u32;
                self.names.extend_from_slice(raw);
                level.name = LevelName::Kept(start, self.names.len() as u32);
            }
        }
    }

    /// Ends values: the next one in an array is another item.
    #[inline(always)]
    pub(super) fn end_values(&mut self, count: u64) {
        match self.levels.last_mut() {
            Some(level) if self.beyond == 0 => {
                level.index += count;
                level.pointer = 0;
            }
            None => self.value += count,
            Some(_) => {}
        }
    }

    /// Returns the raw name of a level; `None` for an array.
    fn name<'a>(&'a self, at: usize, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let level = self.levels.get(at)?;
        let is_object = level.container == JsonContainer::Object;
        is_object.then(|| level.name.raw(bytes, &self.names))
    }

    /// Returns whether a table knows nothing of the current value.
    #[inline(always)]
    pub(super) fn is_unknown(&self) -> bool {
        let node = self.tree.node(self.node());
        node.row.is_none() && node.member.is_none()
    }

    /// Returns the row of the current value.
    #[inline]
    pub(super) fn row(&self) -> Option<&'static JsonRow> {
        self.tree.node(self.node()).row
    }

    /// Returns the member that the current value is, if other strings refer to it.
    #[inline]
    pub(super) fn member(&self) -> Option<&'static JsonMember> {
        self.tree.node(self.node()).member
    }

    /// Returns how many steps from the root of a member towards it lead to the current value.
    pub(super) fn shared_steps(&self, member: &JsonMember, bytes: &[u8]) -> usize {
        let mut steps = (member.root..).zip(&member.path[member.root..]);
        let other = steps.position(|(at, step)| match self.name(at, bytes) {
            Some(name) => *step == ITEM || name_of(name) != step.as_bytes(),
            None => *step != ITEM || at >= self.levels.len(),
        });
        other.unwrap_or(member.path.len() - member.root)
    }

    /// Returns the name of the current member; empty in an array.
    pub(super) fn last_name<'a>(&'a self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let last = self.levels.len().checked_sub(1);
        let raw = last.and_then(|last| self.name(last, bytes));
        name_of(raw.unwrap_or_default())
    }

    /// Returns the path as a JSON Pointer (RFC 6901), with the index of the value among those of the document
    /// if it is `numbered`; `None` if it is too long to be shown.
    pub(super) fn pointer(&mut self, numbered: bool, bytes: &[u8]) -> Option<&[u8]> {
        if self.beyond > 0 {
            return None;
        }
        // What is written of the levels that have not changed is right.
        let changed = self.levels.iter().rposition(|level| level.pointer > 0);
        let changed = changed.map_or(0, |last| last + 1);
        let written = changed
            .checked_sub(1)
            .map_or(0, |last| self.levels[last].pointer);
        self.pointer.truncate(written);
        if numbered && changed == 0 {
            push_number(self.value, &mut self.pointer);
        }
        for level in &mut self.levels[changed..] {
            match level.container {
                JsonContainer::Array => push_number(level.index, &mut self.pointer),
                JsonContainer::Object => {
                    push_name(level.name.raw(bytes, &self.names), &mut self.pointer)
                }
            }
            if self.pointer.len() > LONGEST_POINTER {
                return None;
            }
            level.pointer = self.pointer.len();
        }
        Some(&self.pointer)
    }
}

/// Appends a slash and the name of a member.
fn push_name(raw: &[u8], out: &mut Vec<u8>) {
    out.push(b'/');
    if !(raw.iter()).any(|byte| matches!(byte, b'~' | b'/' | b'\\')) {
        return out.extend_from_slice(raw);
    }
    for &byte in &*name_of(raw) {
        match byte {
            b'~' => out.extend_from_slice(b"~0"),
            b'/' => out.extend_from_slice(b"~1"),
            _ => out.push(byte),
        }
    }
}

/// Appends a slash and a number.
fn push_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [b'/'; 21];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at - 1..]);
}

/// Replaces the escapes of a raw name.
fn name_of(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut name = Vec::new();
    unescape(raw, &mut name, &mut ());
    Cow::Owned(name)
}
