//! A JSON object on a line, written member by member.

use crate::output::decimal;
use crate::output::json::push_string;

/// An object that is not closed yet.
pub(super) struct Object<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Object<'a> {
    /// Opens an object whose first member is its type.
    pub(super) fn open(kind: &str, out: &'a mut Vec<u8>) -> Self {
        out.extend_from_slice(b"{\"type\":");
        push_string(kind.as_bytes(), out);
        Object { out }
    }

    /// A string, or null.
    pub(super) fn text(&mut self, name: &str, text: Option<&[u8]>) -> &mut Self {
        self.name(name);
        match text {
            Some(text) => push_string(text, self.out),
            None => self.out.extend_from_slice(b"null"),
        }
        self
    }

    /// A number, or null.
    pub(super) fn number(&mut self, name: &str, number: Option<usize>) -> &mut Self {
        self.name(name);
        match number {
            Some(number) => decimal::push(number as u64, self.out),
            None => self.out.extend_from_slice(b"null"),
        }
        self
    }

    /// True or false.
    pub(super) fn truth(&mut self, name: &str, truth: bool) -> &mut Self {
        self.name(name);
        self.out
            .extend_from_slice(if truth { b"true" } else { b"false" });
        self
    }

    /// An object of strings.
    pub(super) fn texts(&mut self, name: &str, members: &[(&str, Option<&[u8]>)]) -> &mut Self {
        self.name(name);
        for (i, (name, text)) in members.iter().enumerate() {
            self.out.push(if i == 0 { b'{' } else { b',' });
            push_string(name.as_bytes(), self.out);
            self.out.push(b':');
            match text {
                Some(text) => push_string(text, self.out),
                None => self.out.extend_from_slice(b"null"),
            }
        }
        self.out.push(b'}');
        self
    }

    /// Closes the object and its line.
    pub(super) fn close(&mut self) {
        self.out.extend_from_slice(b"}\n");
    }

    fn name(&mut self, name: &str) {
        self.out.push(b',');
        push_string(name.as_bytes(), self.out);
        self.out.push(b':');
    }
}
