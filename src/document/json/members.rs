//! Members that other strings of a document refer to, wherever they stand in their object.

use super::kinds::JsonMember;
use super::literals::{JsonText, LONGEST_STRING, unescape};
use super::path::ValuePath;
use super::tokenizer::{JsonToken, JsonTokenizer};
use crate::bytes::window::Window;

/// The most bytes in which a member is looked for that stands behind the string that it is about.
pub(super) const LONGEST_HELD: usize = LONGEST_STRING + (4 << 20);

/// A value that cannot be read yet: the window ends before what it is about.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Whether the member that it waits for does not stand within [`LONGEST_HELD`].
    pub(super) is_bounded: bool,
}

/// The values of members whose objects are open; `None` for one that is missing.
#[derive(Debug, Default)]
pub(super) struct MemberValues {
    /// INVARIANT: at most one value a member, so as many as its kind of document has rows.
    values: Vec<(&'static JsonMember, Option<Vec<u8>>)>,
}

impl MemberValues {
    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    /// Keeps the value of a member while its object is open.
    pub(super) fn keep(&mut self, member: &'static JsonMember, value: Option<Vec<u8>>) {
        self.values
            .retain(|(known, _)| !std::ptr::eq(*known, member));
        self.values.push((member, value));
    }

    /// Drops the values of objects that are closed, when `depth` containers are open.
    #[inline]
    pub(super) fn close(&mut self, depth: usize) {
        if self.values.is_empty() {
            return;
        }
        self.values.retain(|(member, _)| member.root < depth);
    }

    /// Returns the value of a member, if it is known whether there is one.
    pub(super) fn get(&self, member: &'static JsonMember) -> Option<Option<&[u8]>> {
        let known = self
            .values
            .iter()
            .find(|(known, _)| std::ptr::eq(*known, member));
        known.map(|(_, value)| value.as_deref())
    }
}

/// The search for a member behind a value.
pub(super) struct JsonMemberSearch {
    steps: &'static [&'static str],
    /// The number of steps whose objects are open.
    open: usize,
    /// The number of open containers in the object where the steps begin.
    level: usize,
}

impl JsonMemberSearch {
    /// Makes the search for a member from a value at a path, in which containers were opened.
    pub(super) fn new(
        member: &'static JsonMember,
        (path, bytes): (&ValuePath, &[u8]),
        opened: usize,
    ) -> Self {
        let steps = &member.path[member.root..];
        JsonMemberSearch {
            steps,
            open: path.shared_steps(member, bytes).min(steps.len() - 1),
            level: (path.depth() + opened).saturating_sub(member.root + 1),
        }
    }

    /// Reads on from an index behind the value; returns the member's value, if it has one.
    pub(super) fn run(
        mut self,
        mut tokenizer: JsonTokenizer,
        mut at: usize,
        window: &Window<'_>,
    ) -> Result<Option<Vec<u8>>, Held> {
        let end = window.bytes.len().min(at + LONGEST_HELD);
        let is_cut = end < window.bytes.len() || end == at + LONGEST_HELD;
        let bytes = &window.bytes[..end];
        let mut is_next = false;
        loop {
            match tokenizer.next(bytes, &mut at, window.last && !is_cut) {
                JsonToken::Open(_) => {
                    if is_next && self.open + 1 < self.steps.len() {
                        self.open += 1;
                    }
                    self.level += 1;
                }
                JsonToken::Close if self.level == 0 => return Ok(None),
                JsonToken::Close => {
                    self.level -= 1;
                    self.open = self.open.min(self.level);
                }
                JsonToken::Name(JsonText { range, .. }) if self.level == self.open => {
                    let mut name = Vec::new();
                    unescape(&bytes[range], &mut name, &mut ());
                    is_next = name == self.steps[self.open].as_bytes();
                    continue;
                }
                JsonToken::String(JsonText { range, .. })
                    if is_next && self.open + 1 == self.steps.len() =>
                {
                    let mut value = Vec::new();
                    unescape(&bytes[range], &mut value, &mut ());
                    return Ok(Some(value));
                }
                JsonToken::Fault(..) | JsonToken::Comment(_) => continue,
                JsonToken::Name(_) | JsonToken::String(_) | JsonToken::Other => {}
                JsonToken::More => return Err(Held { is_bounded: is_cut }),
                JsonToken::End => return Ok(None),
            }
            is_next = false;
        }
    }
}
