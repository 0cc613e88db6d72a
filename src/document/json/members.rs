//! Members that other strings of a document refer to, wherever they are in their object.

use super::kinds::JsonMember;
use super::literals::LONGEST_STRING;

/// Maximum number of bytes in which a member is searched for after the string that refers to it.
pub(super) const LONGEST_HELD: usize = LONGEST_STRING + (4 << 20);

/// A value cannot be read yet: the window ends before the member to which it refers.
pub(super) struct Held;

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
