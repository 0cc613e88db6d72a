//! Contexts of JSON-LD 1.1: bases, terms and prefixes (section 9.15, "Context Definitions").

use std::collections::HashMap;

use super::literals::{JsonText, unescaped};
use super::tokenizer::{JsonContainer, JsonToken, JsonTokenizer};
use crate::bytes::window::Window;

/// A term that a context defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinkedTerm {
    /// The IRI or the keyword that it stands for, as written.
    pub(super) id: Option<Vec<u8>>,
    /// Whether its values are references (`"@type": "@id"`).
    pub(super) is_reference: bool,
}

/// Why reading a context ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkedContextEnd {
    /// With its value.
    Value,
    /// With the object that holds it: the value is missing.
    Object,
    /// With the bytes.
    Bytes,
}

/// A context that stands in a document; those that it names are not loaded.
#[derive(Debug, Default)]
pub(super) struct LinkedContext {
    /// Whether the contexts around it do not count.
    pub(super) is_reset: bool,
    /// Its base, if it names one or, with `null`, none.
    pub(super) base: Option<Option<Vec<u8>>>,
    /// The offset of the base.
    pub(super) base_offset: u64,
    pub(super) terms: HashMap<Vec<u8>, LinkedTerm>,
    /// The memory that it may still take, in bytes.
    pub(super) left: usize,
    /// Whether a definition was left out for want of memory.
    pub(super) is_cut: bool,
}

/// The approximate memory of a term without its texts, in bytes.
const TERM: usize = 96;

impl LinkedContext {
    /// Returns the term of a name.
    pub(super) fn term(&self, name: &[u8]) -> Option<&LinkedTerm> {
        self.terms.get(name)
    }

    /// Reads a context, the value that comes next.
    pub(super) fn read(
        &mut self,
        tokenizer: &mut JsonTokenizer,
        window: &Window<'_>,
    ) -> LinkedContextEnd {
        let mut arrays = 0_usize;
        loop {
            match tokenizer.next(window) {
                JsonToken::Open(JsonContainer::Array) => {
                    arrays += 1;
                    continue;
                }
                JsonToken::Open(JsonContainer::Object) => {
                    if !self.read_definitions(tokenizer, window) {
                        return LinkedContextEnd::Bytes;
                    }
                }
                JsonToken::Close => match arrays.checked_sub(1) {
                    Some(left) => arrays = left,
                    None => return LinkedContextEnd::Object,
                },
                // The name of a context elsewhere.
                JsonToken::String(_) => {}
                JsonToken::Other(_) => {
                    *self = LinkedContext {
                        is_reset: true,
                        left: self.left,
                        is_cut: self.is_cut,
                        ..LinkedContext::default()
                    };
                }
                JsonToken::Name(_) | JsonToken::Comment(_) => continue,
                JsonToken::More | JsonToken::End => return LinkedContextEnd::Bytes,
            }
            if arrays == 0 {
                return LinkedContextEnd::Value;
            }
        }
    }

    /// Reads the definitions of a context up to the end of its object; returns false if the bytes end before.
    fn read_definitions(&mut self, tokenizer: &mut JsonTokenizer, window: &Window<'_>) -> bool {
        let text = |range| unescaped(&window.bytes[range]).into_owned();
        // The names of the members that are open: a term, and a member of its definition.
        let (mut term, mut inner) = (Vec::new(), Vec::new());
        let mut depth = 0_usize;
        loop {
            match tokenizer.next(window) {
                JsonToken::Open(_) => {
                    if depth == 0 {
                        self.define(&term, LinkedTerm::default());
                    }
                    depth += 1;
                }
                JsonToken::Close if depth == 0 => return true,
                JsonToken::Close => depth -= 1,
                JsonToken::Name(JsonText { range, .. }) if depth == 0 => term = text(range),
                JsonToken::Name(JsonText { range, .. }) if depth == 1 => inner = text(range),
                JsonToken::String(JsonText { range, .. }) if depth == 0 && term == b"@base" => {
                    self.base_offset = window.offset_at(range.start);
                    if self.affords(range.len()) {
                        self.base = Some(Some(text(range)));
                    }
                }
                JsonToken::Other(_) if depth == 0 && term == b"@base" => self.base = Some(None),
                JsonToken::String(JsonText { range, .. }) if depth == 0 => {
                    let id = Some(text(range));
                    let is_reference = false;
                    self.define(&term, LinkedTerm { id, is_reference });
                }
                JsonToken::Other(_) if depth == 0 => self.define(&term, LinkedTerm::default()),
                JsonToken::String(JsonText { range, .. }) if depth == 1 => {
                    if self.affords(range.len())
                        && let Some(term) = self.terms.get_mut(&term)
                    {
                        match inner.as_slice() {
                            b"@id" => term.id = Some(text(range)),
                            b"@type" => term.is_reference = text(range) == b"@id",
                            _ => {}
                        }
                    }
                }
                JsonToken::Name(_)
                | JsonToken::String(_)
                | JsonToken::Other(_)
                | JsonToken::Comment(_) => {}
                JsonToken::More | JsonToken::End => return false,
            }
        }
    }

    /// Takes memory, unless too little is left.
    fn affords(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.is_cut |= left.is_none();
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Defines a term; keywords are none.
    fn define(&mut self, name: &[u8], term: LinkedTerm) {
        let length = name.len() + term.id.as_ref().map_or(0, Vec::len);
        if !name.starts_with(b"@") && self.affords(TERM + length) {
            self.terms.insert(name.to_vec(), term);
        }
    }
}
