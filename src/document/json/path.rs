//! The path to the current value: the members and items that enclose it.

use std::borrow::Cow;
use std::ops::Range;

use super::kinds::{ANY, ITEM, JsonMember, JsonRow, JsonTable};
use super::tokenizer::{JsonContainer, unescape};

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

/// An open container, and its current member or item.
#[derive(Clone, Copy, Debug)]
struct JsonLevel {
    container: JsonContainer,
    name: LevelName,
    /// The index of the item.
    index: u64,
    /// The node of the container in the table of known paths, and that of the current value.
    node: usize,
    value: usize,
}

/// A step of known paths: what a value at the path means, and the steps that follow.
#[derive(Debug, Default)]
struct PathNode {
    row: Option<&'static JsonRow>,
    member: Option<&'static JsonMember>,
    names: Vec<(&'static str, usize)>,
    item: usize,
    any: usize,
}

/// The paths of a table as a tree; the node 0 is no path, and the node 1 the top.
#[derive(Debug)]
struct PathTree(Vec<PathNode>);

const UNKNOWN: usize = 0;
const TOP: usize = 1;

impl PathTree {
    fn new(table: Option<&'static JsonTable>) -> Self {
        let mut tree = PathTree(vec![PathNode::default(), PathNode::default()]);
        for row in table.map_or(&[][..], |table| table.rows) {
            let node = tree.add(row.path);
            tree.0[node].row = Some(row);
        }
        for member in table.map_or(&[][..], |table| table.members) {
            let node = tree.add(member.path);
            tree.0[node].member = Some(member);
        }
        tree
    }

    /// Returns the node of a path, which may be new.
    fn add(&mut self, path: &'static [&'static str]) -> usize {
        let mut node = TOP;
        for &step in path {
            let known = match step {
                ITEM => self.0[node].item,
                ANY => self.0[node].any,
                name => self.named(node, name.as_bytes()),
            };
            if known != UNKNOWN {
                node = known;
                continue;
            }
            let new = self.0.len();
            self.0.push(PathNode::default());
            match step {
                ITEM => self.0[node].item = new,
                ANY => self.0[node].any = new,
                name => self.0[node].names.push((name, new)),
            }
            node = new;
        }
        node
    }

    /// Returns the node behind a name, not counting that of any name.
    fn named(&self, node: usize, name: &[u8]) -> usize {
        let names = &self.0[node].names;
        let found = names.iter().find(|(known, _)| known.as_bytes() == name);
        found.map_or(UNKNOWN, |(_, node)| *node)
    }

    /// Returns the node of the member of an object.
    fn member(&self, node: usize, raw: &[u8]) -> usize {
        let mut found = self.named(node, raw);
        if found == UNKNOWN && raw.contains(&b'\\') && !self.0[node].names.is_empty() {
            found = self.named(node, &name_of(raw));
        }
        match found {
            UNKNOWN => self.0[node].any,
            found => found,
        }
    }
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
    fn node(&self) -> usize {
        match self.levels.last() {
            Some(_) if self.beyond > 0 => UNKNOWN,
            Some(level) => level.value,
            None => TOP,
        }
    }

    #[inline]
    pub(super) fn open(&mut self, container: JsonContainer) {
        let node = self.node();
        if self.levels.len() == LEVELS {
            self.beyond += 1;
            return;
        }
        self.levels.push(JsonLevel {
            container,
            name: LevelName::Window(0, 0),
            index: 0,
            node,
            value: self.tree.0[node].item,
        });
    }

    #[inline]
    pub(super) fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(level) = self.levels.pop()
            && let LevelName::Kept(start, _) = level.name
        {
            self.names.truncate(start as usize);
        }
        self.end_value();
    }

    /// Begins a member whose raw name is a range of a window.
    #[inline]
    pub(super) fn set_name(&mut self, range: &Range<usize>, bytes: &[u8]) {
        let (0, Some(level)) = (self.beyond, self.levels.last_mut()) else {
            return;
        };
        if let LevelName::Kept(start, _) = level.name {
            self.names.truncate(start as usize);
        }
        level.name = LevelName::Window(range.start as u32, range.end as u32);
        if level.node != UNKNOWN {
            level.value = self.tree.member(level.node, &bytes[range.clone()]);
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

    /// Ends a value: the next one in an array is another item.
    #[inline]
    pub(super) fn end_value(&mut self) {
        match self.levels.last_mut() {
            Some(level) if self.beyond == 0 => level.index += 1,
            None => self.value += 1,
            Some(_) => {}
        }
    }

    /// Returns the raw name of a level; `None` for an array.
    fn name<'a>(&'a self, at: usize, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let level = self.levels.get(at)?;
        let raw = match level.name {
            LevelName::Window(start, end) => &bytes[start as usize..end as usize],
            LevelName::Kept(start, end) => &self.names[start as usize..end as usize],
        };
        (level.container == JsonContainer::Object).then(|| &raw[..raw.len().min(LONGEST_NAME)])
    }

    /// Returns the row of the current value.
    #[inline]
    pub(super) fn row(&self) -> Option<&'static JsonRow> {
        self.tree.0[self.node()].row
    }

    /// Returns the member that the current value is, if other strings refer to it.
    #[inline]
    pub(super) fn member(&self) -> Option<&'static JsonMember> {
        self.tree.0[self.node()].member
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

    /// Appends the path as a JSON Pointer (RFC 6901) to `out`, with the index of the value among those of
    /// the document if it is `numbered`; returns whether it is short enough to be shown.
    pub(super) fn pointer(&self, numbered: bool, bytes: &[u8], out: &mut Vec<u8>) -> bool {
        let start = out.len();
        if self.beyond > 0 {
            return false;
        }
        if numbered {
            push_number(self.value, out);
        }
        for (at, level) in self.levels.iter().enumerate() {
            match self.name(at, bytes) {
                None => push_number(level.index, out),
                Some(name) => {
                    out.push(b'/');
                    if !(name.iter()).any(|byte| matches!(byte, b'~' | b'/' | b'\\')) {
                        out.extend_from_slice(name);
                    } else {
                        for &byte in &*name_of(name) {
                            match byte {
                                b'~' => out.extend_from_slice(b"~0"),
                                b'/' => out.extend_from_slice(b"~1"),
                                _ => out.push(byte),
                            }
                        }
                    }
                }
            }
            if out.len() - start > LONGEST_POINTER {
                break;
            }
        }
        let is_short = out.len() - start <= LONGEST_POINTER;
        if !is_short {
            out.truncate(start);
        }
        is_short
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
