//! The tokens of JSON (RFC 8259), from windows of any size.
//!
//! Text that is not well-formed gives a [`JsonToken::Fault`], and reading goes on behind it: whoever wants
//! all or nothing stops there.

use std::ops::Range;

use super::literals::{
    JsonText, LONGEST_STRING, LONGEST_WORD, StringEnd, WORD, is_relaxed_value, number_end,
    relaxed_string_end, string_end, usual_string, value_length, word_end,
};
use crate::bytes::simd;
use crate::bytes::steps::step;

/// The number of objects and arrays in each other that are told apart.
pub(in crate::document) const DEEPEST: usize = 1 << 20;

/// An object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum JsonContainer {
    Object,
    Array,
}

/// Why text is not read as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum JsonFault {
    NotWellFormed,
    /// A string is longer than [`LONGEST_STRING`].
    TooLong,
    /// Containers nest deeper than [`DEEPEST`].
    TooDeep,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::document) enum JsonToken {
    Open(JsonContainer),
    Close,
    /// The name of a member.
    Name(JsonText),
    /// A value that is a string.
    String(JsonText),
    /// A value that holds no text: a number, `true`, `false`, `null`, or a string that is too long.
    Other,
    /// The text of a comment.
    Comment(Range<usize>),
    /// An error at an index.
    Fault(JsonFault, usize),
    /// The token is cut by the end of the window.
    More,
    /// The document is at its end.
    End,
}

/// Takes usual tokens while they are read, which saves their reader a return for each of them.
///
/// Each function returns whether the token was taken; otherwise the reader gets it.
pub(in crate::document) trait JsonVisitor {
    /// Whether numbers are taken in all arrays that may be opened.
    const TAKES_NUMBERS: bool;

    /// Takes the beginning of a container.
    fn open(&mut self, container: JsonContainer) -> bool;

    /// Takes the end of a container.
    fn close(&mut self) -> bool;

    /// Takes the name of a member.
    fn name(&mut self, name: &JsonText) -> bool;

    /// Takes a value that is a string.
    fn string(&mut self, string: &JsonText) -> bool;

    /// Takes values that hold no text.
    fn others(&mut self, count: u64) -> bool;
}

/// Takes nothing.
impl JsonVisitor for () {
    const TAKES_NUMBERS: bool = false;

    fn open(&mut self, _container: JsonContainer) -> bool {
        false
    }

    fn close(&mut self) -> bool {
        false
    }

    fn name(&mut self, _name: &JsonText) -> bool {
        false
    }

    fn string(&mut self, _string: &JsonText) -> bool {
        false
    }

    fn others(&mut self, _count: u64) -> bool {
        false
    }
}

/// The tokens that may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonExpects {
    Value,
    /// A value, or the end of an array.
    FirstItem,
    /// A name, behind a comma.
    Name,
    /// A name, or the end of an object.
    FirstName,
    Colon,
    /// A comma, or the end of the container.
    Comma,
    /// Nothing more.
    End,
}

/// A token in which a window ended, or one that is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonRest {
    Nothing,
    Word,
    String,
    Line,
    Comment,
}

/// The grammar of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::document) enum JsonSequence {
    /// One value.
    #[default]
    One,
    /// One value on each line.
    #[cfg(feature = "documents")]
    Lines,
    /// One value of JSON5, or of JSON with comments.
    #[cfg(feature = "documents")]
    Relaxed,
}

impl JsonSequence {
    /// Returns whether a line ends a value.
    fn has_lines(self) -> bool {
        !self.is_one() && !self.is_relaxed()
    }

    /// Returns whether a document is one value of JSON.
    pub(in crate::document) fn is_one(self) -> bool {
        self == JsonSequence::One
    }

    /// Returns whether comments, commas at the end, other quotes, names without quotes and other numbers
    /// are right.
    fn is_relaxed(self) -> bool {
        #[cfg(feature = "documents")]
        return self == JsonSequence::Relaxed;
        #[cfg(not(feature = "documents"))]
        false
    }
}

/// Splits a document into tokens.
#[derive(Clone, Debug)]
pub(in crate::document) struct JsonTokenizer {
    sequence: JsonSequence,
    /// One bit a container, set for an object.
    levels: Vec<u64>,
    depth: usize,
    /// Whether the innermost container is an object.
    in_object: bool,
    /// The number of open containers beyond [`DEEPEST`].
    beyond: u64,
    expects: JsonExpects,
    rest: JsonRest,
    /// The next token was preceded by its fault.
    noted: bool,
}

impl JsonTokenizer {
    pub(in crate::document) fn new(sequence: JsonSequence) -> Self {
        JsonTokenizer {
            sequence,
            levels: Vec::new(),
            depth: 0,
            in_object: false,
            beyond: 0,
            expects: JsonExpects::Value,
            rest: JsonRest::Nothing,
            noted: false,
        }
    }

    /// Passes over the rest of the line.
    #[cfg(feature = "documents")]
    pub(in crate::document) fn skip_line(&mut self) {
        self.rest = JsonRest::Line;
    }

    /// Goes back to before the last token, which was a value that is a string.
    #[cfg(feature = "documents")]
    pub(in crate::document) fn unread_string(&mut self) {
        self.expects = JsonExpects::Value;
        self.noted = false;
    }

    /// Goes back to before the last token, which opened a container.
    #[cfg(feature = "documents")]
    pub(in crate::document) fn unread_open(&mut self) {
        self.pop();
        self.unread_string();
    }

    /// Returns a mark for [`JsonTokenizer::rewind`].
    #[cfg(feature = "documents")]
    pub(in crate::document) fn mark(&self) -> Self {
        JsonTokenizer {
            levels: Vec::new(),
            ..*self
        }
    }

    /// Goes back to a mark; no container that was open then has been closed and followed by another since.
    #[cfg(feature = "documents")]
    pub(in crate::document) fn rewind(&mut self, mark: Self) {
        let levels = std::mem::take(&mut self.levels);
        *self = JsonTokenizer { levels, ..mark };
    }

    fn container(&self) -> Option<JsonContainer> {
        match (self.depth, self.in_object) {
            (0, _) => None,
            (_, true) => Some(JsonContainer::Object),
            (_, false) => Some(JsonContainer::Array),
        }
    }

    /// Closes the innermost container.
    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
        self.in_object = self
            .depth
            .checked_sub(1)
            .is_some_and(|level| self.levels[level / 64] >> (level % 64) & 1 == 1);
    }

    fn push(&mut self, container: JsonContainer) {
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        if word == self.levels.len() {
            self.levels.push(0);
        }
        match container {
            JsonContainer::Object => self.levels[word] |= bit,
            JsonContainer::Array => self.levels[word] &= !bit,
        }
        self.depth += 1;
        self.in_object = container == JsonContainer::Object;
        self.expects = match container {
            JsonContainer::Object => JsonExpects::FirstName,
            JsonContainer::Array => JsonExpects::FirstItem,
        };
    }

    /// Ends a value.
    fn end_value(&mut self) {
        self.expects = self.behind_value();
    }

    /// Returns what is expected behind a value.
    #[inline]
    fn behind_value(&self) -> JsonExpects {
        match self.depth {
            0 => JsonExpects::End,
            _ => JsonExpects::Comma,
        }
    }

    /// Returns whether a value may begin; otherwise the fault is noted, and the value is read next.
    fn admits_value(&mut self) -> bool {
        let admits = matches!(self.expects, JsonExpects::Value | JsonExpects::FirstItem);
        self.note_unless(admits)
    }

    /// Returns whether a token is to be returned: it is right, or its fault has been returned.
    fn note_unless(&mut self, is_right: bool) -> bool {
        let returns = is_right || self.noted;
        self.noted = !returns;
        returns
    }

    /// Returns the next token of the bytes from `at` on, and moves `at` behind it.
    #[inline]
    pub(in crate::document) fn next(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
        last: bool,
    ) -> JsonToken {
        self.next_untaken((bytes, last), at, &mut ())
    }

    /// Returns the next token that a visitor does not take, and moves `at` behind it. Faults, and tokens that
    /// have some or that the bytes do not hold wholly, are never taken.
    #[inline]
    pub(in crate::document) fn next_untaken(
        &mut self,
        (bytes, last): (&[u8], bool),
        at: &mut usize,
        visitor: &mut impl JsonVisitor,
    ) -> JsonToken {
        let start = *at;
        let token = match self.pass_usual(bytes, at, visitor) {
            Some(token) => token,
            None => self.next_any(bytes, at, last),
        };
        step(at.saturating_sub(start));
        token
    }

    /// Passes over tokens that are expected, wholly in the bytes and taken; returns the first that is not
    /// taken, or `None` before one that is not expected or not wholly in the bytes.
    #[inline(always)]
    fn pass_usual<V: JsonVisitor>(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
        visitor: &mut V,
    ) -> Option<JsonToken> {
        if self.rest != JsonRest::Nothing || self.beyond > 0 {
            return None;
        }
        let stops_at_line = self.sequence.has_lines();
        let (mut here, mut expects) = (*at, self.expects);
        let token = loop {
            let mut start = skip_blanks(bytes, here, stops_at_line);
            if expects == JsonExpects::Comma && bytes.get(start) == Some(&b',') && self.depth > 0 {
                here = start + 1;
                expects = self.behind_comma();
                start = skip_blanks(bytes, here, stops_at_line);
            }
            if matches!(expects, JsonExpects::Name | JsonExpects::FirstName)
                && bytes.get(start) == Some(&b'"')
            {
                let Some(name) = usual_string(bytes, start + 1) else {
                    break None;
                };
                here = name.range.end + 1;
                expects = JsonExpects::Colon;
                if bytes.get(here) == Some(&b':') {
                    here += 1;
                    expects = JsonExpects::Value;
                }
                if !visitor.name(&name) {
                    break Some(JsonToken::Name(name));
                }
                start = skip_blanks(bytes, here, stops_at_line);
            }
            if expects == JsonExpects::Colon && bytes.get(start) == Some(&b':') {
                here = start + 1;
                expects = JsonExpects::Value;
                start = skip_blanks(bytes, here, stops_at_line);
            }
            let Some(&byte) = bytes.get(start) else {
                break None;
            };
            if matches!(expects, JsonExpects::Value | JsonExpects::FirstItem) {
                if byte == b'"' {
                    let Some(string) = usual_string(bytes, start + 1) else {
                        break None;
                    };
                    here = string.range.end + 1;
                    expects = self.behind_value();
                    if visitor.string(&string) {
                        continue;
                    }
                    break Some(JsonToken::String(string));
                }
                if byte == b'{' && self.depth < DEEPEST {
                    here = start + 1;
                    self.push(JsonContainer::Object);
                    expects = JsonExpects::FirstName;
                    if visitor.open(JsonContainer::Object) {
                        continue;
                    }
                    break Some(JsonToken::Open(JsonContainer::Object));
                }
                if byte == b'[' && self.depth < DEEPEST {
                    let (count, next) = match V::TAKES_NUMBERS {
                        true => numbers(bytes, start + 1, stops_at_line),
                        false => (0, start + 1),
                    };
                    if count > 0 && bytes.get(next) == Some(&b']') {
                        here = next + 1;
                        expects = self.behind_value();
                        visitor.others(1);
                        continue;
                    }
                    here = start + 1;
                    self.push(JsonContainer::Array);
                    expects = JsonExpects::FirstItem;
                    if !visitor.open(JsonContainer::Array) {
                        break Some(JsonToken::Open(JsonContainer::Array));
                    }
                    if count > 0 {
                        here = next;
                        expects = JsonExpects::Comma;
                        visitor.others(count);
                    }
                    continue;
                }
                let end = match byte {
                    b'-' | b'0'..=b'9' => number_end(bytes, start),
                    b't' | b'f' | b'n' => word_end(bytes, start),
                    _ => None,
                };
                if let Some(end) = end {
                    here = end;
                    expects = self.behind_value();
                    if visitor.others(1) {
                        continue;
                    }
                    break Some(JsonToken::Other);
                }
            }
            let may_end = match byte {
                b'}' if self.in_object => {
                    matches!(expects, JsonExpects::Comma | JsonExpects::FirstName)
                }
                b']' if !self.in_object => {
                    matches!(expects, JsonExpects::Comma | JsonExpects::FirstItem)
                }
                _ => false,
            };
            if !may_end || self.depth == 0 {
                break None;
            }
            here = start + 1;
            self.pop();
            expects = self.behind_value();
            if !visitor.close() {
                break Some(JsonToken::Close);
            }
        };
        if here > *at {
            self.noted = false;
        }
        (*at, self.expects) = (here, expects);
        token
    }

    /// Returns the next token, whatever it is.
    fn next_any(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> JsonToken {
        loop {
            if self.rest != JsonRest::Nothing && !self.pass_rest(bytes, at, last) {
                return self.end(bytes, at, last);
            }
            #[cfg(feature = "documents")]
            let stops_at_line = self.sequence == JsonSequence::Lines && self.is_open();
            #[cfg(not(feature = "documents"))]
            let stops_at_line = false;
            *at = skip_blanks(bytes, *at, stops_at_line);
            let Some(&byte) = bytes.get(*at) else {
                return self.end(bytes, at, last);
            };
            let token = match byte {
                #[cfg(feature = "documents")]
                b'\n' if self.sequence == JsonSequence::Lines && self.is_open() => {
                    self.end_line(*at)
                }
                b'"' => self.string(bytes, at, last),
                b'\'' if self.sequence.is_relaxed() => self.string(bytes, at, last),
                b'/' => self.comment(bytes, at, last),
                _ if WORD.contains(byte) => self.word(bytes, at, last),
                b'{' | b'[' if self.depth == DEEPEST => {
                    *at += 1;
                    self.beyond += 1;
                    let is_first = self.beyond == 1;
                    is_first.then_some(JsonToken::Fault(JsonFault::TooDeep, *at - 1))
                }
                b'{' | b'[' if !self.admits_value() => Some(not_well_formed(*at)),
                b'{' => self.open(JsonContainer::Object, at),
                b'[' => self.open(JsonContainer::Array, at),
                b'}' => self.close(JsonContainer::Object, at),
                b']' => self.close(JsonContainer::Array, at),
                b',' => self.comma(at),
                b':' => self.colon(at),
                _ => {
                    *at += 1;
                    Some(not_well_formed(*at - 1))
                }
            };
            if let Some(token) = token {
                return token;
            }
        }
    }

    /// Returns whether a value is open at the end of a line, or behind one.
    #[cfg(feature = "documents")]
    fn is_open(&self) -> bool {
        self.depth > 0 || self.expects != JsonExpects::Value
    }

    /// Ends the value of a line (JSON Lines).
    #[cfg(feature = "documents")]
    fn end_line(&mut self, at: usize) -> Option<JsonToken> {
        if self.depth == 0 {
            self.expects = JsonExpects::Value;
            self.noted = false;
            return None;
        }
        if !self.note_unless(false) {
            return Some(not_well_formed(at));
        }
        self.beyond = 0;
        self.pop();
        // The fault stands for all that is open.
        self.noted = true;
        Some(JsonToken::Close)
    }

    /// The end of the window or of the document.
    fn end(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> JsonToken {
        if !last {
            return JsonToken::More;
        }
        let is_complete = match self.sequence {
            #[cfg(feature = "documents")]
            JsonSequence::Lines => self.depth == 0,
            _ => self.expects == JsonExpects::End,
        };
        *at = bytes.len();
        match is_complete || self.noted {
            true => JsonToken::End,
            false => {
                self.noted = true;
                not_well_formed(*at)
            }
        }
    }

    /// Passes over the rest of what an earlier token was cut from; returns whether that is at its end.
    fn pass_rest(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> bool {
        let left = &bytes[*at..];
        let end = match self.rest {
            JsonRest::Nothing => Some(0),
            JsonRest::Word => left.iter().position(|&byte| !WORD.contains(byte)),
            JsonRest::Line => memchr::memchr(b'\n', left),
            JsonRest::Comment => memchr::memmem::find(left, b"*/").map(|end| end + 2),
            JsonRest::String => match string_end(bytes, *at, last).0 {
                StringEnd::Closed(end) => Some(end + 1 - *at),
                StringEnd::Break(end) => Some(end - *at),
                StringEnd::Open(end) => {
                    *at = end;
                    return false;
                }
            },
        };
        match end {
            Some(end) => {
                *at += end;
                self.rest = JsonRest::Nothing;
                true
            }
            None => {
                // The first half of `*/` may be at the end.
                let kept = usize::from(self.rest == JsonRest::Comment && left.ends_with(b"*"));
                *at = bytes.len() - kept;
                false
            }
        }
    }

    fn open(&mut self, container: JsonContainer, at: &mut usize) -> Option<JsonToken> {
        *at += 1;
        self.push(container);
        Some(JsonToken::Open(container))
    }

    fn close(&mut self, container: JsonContainer, at: &mut usize) -> Option<JsonToken> {
        if self.beyond > 0 {
            *at += 1;
            self.beyond -= 1;
            if self.beyond == 0 {
                self.end_value();
            }
            return None;
        }
        let Some(open) = self.container() else {
            *at += 1;
            return Some(not_well_formed(*at - 1));
        };
        let first = match container {
            JsonContainer::Object => JsonExpects::FirstName,
            JsonContainer::Array => JsonExpects::FirstItem,
        };
        let is_after_comma = match container {
            JsonContainer::Object => self.expects == JsonExpects::Name,
            JsonContainer::Array => self.expects == JsonExpects::Value,
        };
        let may_end = self.expects == JsonExpects::Comma
            || self.expects == first
            || is_after_comma && self.sequence.is_relaxed();
        if !self.note_unless(open == container && may_end) {
            return Some(not_well_formed(*at));
        }
        *at += 1;
        self.pop();
        self.end_value();
        Some(JsonToken::Close)
    }

    fn comma(&mut self, at: &mut usize) -> Option<JsonToken> {
        *at += 1;
        let is_right = self.expects == JsonExpects::Comma || self.beyond > 0;
        self.expects = self.behind_comma();
        (!is_right).then_some(not_well_formed(*at - 1))
    }

    /// Returns what is expected behind a comma.
    #[inline]
    fn behind_comma(&self) -> JsonExpects {
        match (self.depth, self.in_object) {
            (0, _) => self.expects,
            (_, true) => JsonExpects::Name,
            (_, false) => JsonExpects::Value,
        }
    }

    fn colon(&mut self, at: &mut usize) -> Option<JsonToken> {
        *at += 1;
        let is_right = self.expects == JsonExpects::Colon || self.beyond > 0;
        if self.depth > 0 {
            self.expects = JsonExpects::Value;
        }
        (!is_right).then_some(not_well_formed(*at - 1))
    }

    /// Reads a comment, which JSON does not have and configurations do.
    fn comment(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> Option<JsonToken> {
        let start = *at;
        let end = match bytes.get(start + 1) {
            None if !last => return Some(JsonToken::More),
            Some(b'/') => JsonRest::Line,
            Some(b'*') => JsonRest::Comment,
            _ => {
                *at += 1;
                return Some(not_well_formed(start));
            }
        };
        if !self.sequence.is_relaxed() && !self.note_unless(false) {
            return Some(not_well_formed(start));
        }
        let limit = bytes.len().min(start + LONGEST_STRING);
        let text = &bytes[start + 2..limit];
        let length = match end {
            JsonRest::Line => memchr::memchr(b'\n', text),
            _ => memchr::memmem::find(text, b"*/"),
        };
        let length = match length {
            None if limit < bytes.len() => {
                *at += 2;
                self.rest = end;
                return Some(JsonToken::Fault(JsonFault::TooLong, start));
            }
            None if !last => {
                // Its fault has been returned.
                self.noted = !self.sequence.is_relaxed();
                return Some(JsonToken::More);
            }
            known => known.unwrap_or(text.len()),
        };
        *at = start + 2 + length;
        if end == JsonRest::Comment {
            *at = bytes.len().min(*at + 2);
        }
        Some(JsonToken::Comment(start + 2..start + 2 + length))
    }

    /// Returns whether a string or a word is the name of a member.
    fn is_name(&self) -> bool {
        match self.expects {
            JsonExpects::Name | JsonExpects::FirstName => true,
            // The comma is missing.
            JsonExpects::Comma => self.container() == Some(JsonContainer::Object),
            _ => false,
        }
    }

    fn string(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> Option<JsonToken> {
        let start = *at + 1;
        let limit = bytes.len().min(start + LONGEST_STRING + 1);
        let is_last = last && limit == bytes.len();
        let (end, fault) = match self.sequence.is_relaxed() {
            true => (relaxed_string_end(&bytes[..limit], start, bytes[*at]), None),
            false => string_end(&bytes[..limit], start, is_last),
        };
        let (end, next) = match end {
            StringEnd::Closed(end) => (end, end + 1),
            StringEnd::Break(end) => (end, end),
            StringEnd::Open(end) if bytes.len() - start > LONGEST_STRING => {
                return self.long_string(at, end);
            }
            StringEnd::Open(_) if !last => return Some(JsonToken::More),
            StringEnd::Open(_) => (bytes.len(), bytes.len()),
        };
        let is_name = self.is_name() && self.beyond == 0;
        let is_expected = match is_name {
            true => self.expects != JsonExpects::Comma,
            false => matches!(self.expects, JsonExpects::Value | JsonExpects::FirstItem),
        };
        let is_right = fault.is_none() && (is_expected || self.beyond > 0);
        if !self.note_unless(is_right) {
            return Some(not_well_formed(fault.unwrap_or(*at)));
        }
        *at = next;
        Some(match (self.beyond, is_name) {
            (1.., _) => return None,
            (0, true) => {
                self.expects = JsonExpects::Colon;
                JsonToken::Name(JsonText::new(bytes, start..end))
            }
            (0, false) => {
                self.end_value();
                JsonToken::String(JsonText::new(bytes, start..end))
            }
        })
    }

    /// Leaves out a string that is too long.
    fn long_string(&mut self, at: &mut usize, end: usize) -> Option<JsonToken> {
        if !self.note_unless(false) {
            return Some(JsonToken::Fault(JsonFault::TooLong, *at));
        }
        let name = JsonText::new(&[], 0..0);
        *at = end;
        self.rest = JsonRest::String;
        if self.beyond > 0 {
            return None;
        }
        if self.is_name() {
            self.expects = JsonExpects::Colon;
            return Some(JsonToken::Name(name));
        }
        self.end_value();
        Some(JsonToken::Other)
    }

    /// Reads a number, `true`, `false` or `null`; other words are faults, and may be names.
    fn word(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> Option<JsonToken> {
        let start = *at;
        let left = &bytes[start..bytes.len().min(start + LONGEST_WORD + 1)];
        let length = WORD.first_outside(left);
        if length.is_none() && left.len() <= LONGEST_WORD && !last {
            return Some(JsonToken::More);
        }
        let length = length.unwrap_or(left.len());
        let is_long = length > LONGEST_WORD;
        let word = &left[..length];
        let is_name = self.is_name() && self.beyond == 0;
        let is_value = is_long
            || value_length(word) == length
            || self.sequence.is_relaxed() && is_relaxed_value(word);
        let is_expected = match self.sequence.is_relaxed() && is_name {
            true => self.expects != JsonExpects::Comma,
            false => {
                is_value && matches!(self.expects, JsonExpects::Value | JsonExpects::FirstItem)
            }
        };
        if !self.note_unless(is_expected || self.beyond > 0) {
            return Some(not_well_formed(start));
        }
        *at = start + length;
        if is_long {
            self.rest = JsonRest::Word;
        }
        if self.beyond > 0 {
            return None;
        }
        if is_name {
            self.expects = JsonExpects::Colon;
            let name = JsonText::new(bytes, start..start + length);
            return Some(JsonToken::Name(name));
        }
        self.end_value();
        Some(JsonToken::Other)
    }
}

fn not_well_formed(at: usize) -> JsonToken {
    JsonToken::Fault(JsonFault::NotWellFormed, at)
}

/// Returns the index of the first byte from `at` on that is no white space, or a line end at which to stop.
#[inline(always)]
fn skip_blanks(bytes: &[u8], at: usize, stops_at_line: bool) -> usize {
    let is_end = |at: usize| bytes.get(at).is_none_or(|byte| *byte > b' ');
    if is_end(at) {
        return at;
    }
    let mut next = at + 1;
    if bytes[at] == b' ' && is_end(next) {
        return next;
    }
    // A line end and indentation.
    if bytes[at] == b'\n'
        && !stops_at_line
        && let Some(block) = simd::at(bytes, next)
    {
        next += (!block.equal(b' ')).trailing_zeros() as usize;
        if is_end(next) {
            return next;
        }
    }
    skip_any_blanks(bytes, at, stops_at_line)
}

/// Does the same for white space of any kind.
#[inline(never)]
fn skip_any_blanks(bytes: &[u8], mut at: usize, stops_at_line: bool) -> usize {
    let is_blank = |byte: &u8| match byte {
        b'\n' => !stops_at_line,
        byte => matches!(byte, b' ' | b'\t' | b'\r'),
    };
    loop {
        if let Some(block) = simd::at(bytes, at) {
            let blanks = (!block.equal(b' ')).trailing_zeros() as usize;
            at += blanks;
            if blanks == simd::LENGTH {
                continue;
            }
        }
        if !bytes.get(at).is_some_and(is_blank) {
            return at;
        }
        at += 1;
    }
}

/// Passes over the numbers at the start of an array; returns how many there are, and the index behind them.
#[inline(always)]
fn numbers(bytes: &[u8], start: usize, stops_at_line: bool) -> (u64, usize) {
    let (mut count, mut end, mut next) = (0, start, start);
    while let Some(b'-' | b'0'..=b'9') = bytes.get(next)
        && let Some(behind) = number_end(bytes, next)
    {
        count += 1;
        end = behind;
        if bytes.get(end) != Some(&b',') {
            break;
        }
        next = skip_blanks(bytes, end + 1, stops_at_line);
    }
    (count, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::json::unescape;

    const SEQUENCES: &[JsonSequence] = &[
        JsonSequence::One,
        #[cfg(feature = "documents")]
        JsonSequence::Lines,
    ];

    /// Takes all tokens.
    struct Recorder<const NUMBERS: bool>(Vec<JsonToken>);

    impl<const NUMBERS: bool> JsonVisitor for Recorder<NUMBERS> {
        const TAKES_NUMBERS: bool = NUMBERS;

        fn open(&mut self, container: JsonContainer) -> bool {
            self.0.push(JsonToken::Open(container));
            true
        }

        fn close(&mut self) -> bool {
            self.0.push(JsonToken::Close);
            true
        }

        fn name(&mut self, name: &JsonText) -> bool {
            self.0.push(JsonToken::Name(name.clone()));
            true
        }

        fn string(&mut self, string: &JsonText) -> bool {
            self.0.push(JsonToken::String(string.clone()));
            true
        }

        fn others(&mut self, count: u64) -> bool {
            (0..count).for_each(|_| self.0.push(JsonToken::Other));
            true
        }
    }

    /// Reads all tokens of a document by a function.
    fn all(
        sequence: JsonSequence,
        mut next: impl FnMut(&mut JsonTokenizer, &mut usize) -> JsonToken,
    ) -> Vec<JsonToken> {
        let (mut tokenizer, mut at) = (JsonTokenizer::new(sequence), 0);
        let mut found = Vec::new();
        loop {
            match next(&mut tokenizer, &mut at) {
                JsonToken::End => return found,
                token => found.push(token),
            }
        }
    }

    fn recorded<const NUMBERS: bool>(bytes: &[u8], sequence: JsonSequence) -> Vec<JsonToken> {
        let mut recorder = Recorder::<NUMBERS>(Vec::new());
        let (mut tokenizer, mut at) = (JsonTokenizer::new(sequence), 0);
        loop {
            match tokenizer.next_untaken((bytes, true), &mut at, &mut recorder) {
                JsonToken::End => return recorder.0,
                token => recorder.0.push(token),
            }
        }
    }

    /// Replaces each array that holds values without text alone by one such value.
    fn folded(tokens: Vec<JsonToken>) -> Vec<JsonToken> {
        let mut folded = Vec::new();
        for token in tokens {
            folded.push(token);
            if folded.last() == Some(&JsonToken::Close) {
                let inside = folded[..folded.len() - 1].iter().rev();
                let others = inside
                    .take_while(|token| **token == JsonToken::Other)
                    .count();
                let open = (folded.len() - 1).checked_sub(others + 1);
                if let Some(open) = open.filter(|_| others > 0)
                    && folded[open] == JsonToken::Open(JsonContainer::Array)
                {
                    folded.truncate(open);
                    folded.push(JsonToken::Other);
                }
            }
        }
        folded
    }

    /// Forgets what is only a guess.
    fn without_flags(tokens: Vec<JsonToken>) -> Vec<JsonToken> {
        let plain = |mut text: JsonText| {
            text.may_have_colon = true;
            text
        };
        let tokens = tokens.into_iter().map(|token| match token {
            JsonToken::Name(name) => JsonToken::Name(plain(name)),
            JsonToken::String(string) => JsonToken::String(plain(string)),
            other => other,
        });
        tokens.collect()
    }

    /// Makes a document of usual pieces and faults.
    fn generate(state: &mut u32) -> Vec<u8> {
        const PIECES: [&str; 36] = [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            " ",
            "\n",
            "\n    ",
            "\n                     ",
            "\t",
            "\r\n",
            "\"a\":",
            "\"name\" : ",
            "\"\"",
            "\"a:b\"",
            "\"\\u003a\"",
            "\"\\n\\\"\"",
            "\"\\x\"",
            "\\",
            "1",
            "-0.5",
            "12.25,",
            "[1,2.5,-3]",
            "[1, 2 ,3 ]",
            "01",
            "1.",
            "-",
            "1e5",
            "123456789012345678901",
            "true",
            "false,",
            "null",
            "nul",
            "\u{1}",
        ];
        let mut next = |below: usize| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (*state >> 16) as usize % below
        };
        let mut bytes = Vec::new();
        for _ in 0..next(30) {
            match next(8) {
                0 => {
                    // Strings longer than the vectors that look for their ends.
                    bytes.push(b'"');
                    bytes.extend(std::iter::repeat_n(b'x', next(400)));
                    bytes.extend_from_slice([":", "", "\\t", "\\u00e9"][next(4)].as_bytes());
                    bytes.extend(std::iter::repeat_n(b'y', next(40)));
                    bytes.extend_from_slice([&b"\","[..], b"\"", b"\":", b"\n"][next(4)]);
                }
                _ => bytes.extend_from_slice(PIECES[next(PIECES.len())].as_bytes()),
            }
        }
        bytes
    }

    #[test]
    fn usual_tokens_are_those_of_the_slow_path() {
        let (mut state, mut count) = (7, 0);
        for _ in 0..3_000 {
            let bytes = generate(&mut state);
            for &sequence in SEQUENCES {
                let slow = all(sequence, |tokenizer, at| {
                    tokenizer.next_any(&bytes, at, true)
                });
                let slow = without_flags(slow);
                let usual = all(sequence, |tokenizer, at| tokenizer.next(&bytes, at, true));
                let shown = bytes.escape_ascii();
                assert_eq!(without_flags(usual), slow, "{shown}");
                let taken = recorded::<false>(&bytes, sequence);
                assert_eq!(without_flags(taken), slow, "{shown}");
                let numbers = recorded::<true>(&bytes, sequence);
                let numbers = folded(without_flags(numbers));
                count += slow.len();
                assert_eq!(numbers, folded(slow), "{shown}");
            }
        }
        assert!(count > 30_000, "{count}");
    }

    #[test]
    fn the_flags_of_strings_are_right() {
        let (mut state, mut seen) = (3, [0; 2]);
        for _ in 0..300 {
            let bytes = generate(&mut state);
            for start in 0..bytes.len() {
                let Some(text) = usual_string(&bytes, start) else {
                    continue;
                };
                let raw = &bytes[text.range.clone()];
                let mut decoded = Vec::new();
                unescape(raw, &mut decoded, &mut ());
                assert_eq!(text.has_escapes, raw.contains(&b'\\'));
                assert!(text.may_have_colon || !decoded.contains(&b':'));
                assert!(!text.may_have_colon || raw.contains(&b':') || raw.contains(&b'u'));
                let slow = JsonText::new(&bytes, text.range.clone());
                assert!(slow.may_have_colon || !text.may_have_colon);
                seen[usize::from(text.may_have_colon)] += 1;
            }
        }
        assert!(seen.iter().all(|seen| *seen > 100), "{seen:?}");
    }
}
