//! The tokens of JSON (RFC 8259), from windows of any size. Malformed text is read as far as possible;
//! its faults are kept for the caller.

use std::ops::Range;

use super::literals::{
    JsonText, LONGEST_STRING, LONGEST_WORD, StringEnd, URI_END, WORD, is_relaxed_value, is_value,
    scan_relaxed_string, scan_string, short_number_length,
};
use crate::bytes::simd;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::document::diagnostic::{
    Code, JSON_NOT_WELL_FORMED, JSON_STRING_TOO_LONG, JSON_TOO_DEEP,
};
use crate::document::events::{Event, Events};

/// Maximum number of nested objects and arrays; the contents of deeper ones are skipped.
const MAX_DEPTH: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum JsonContainer {
    Object,
    Array,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::document) enum JsonToken {
    Open(JsonContainer),
    Close,
    Name(JsonText),
    String(JsonText),
    /// Consecutive values without text (numbers, literals, overlong strings), by their number.
    Other(u64),
    Comment(Range<usize>),
    More,
    End,
}

/// The first fault of each kind in a document.
#[derive(Clone, Debug, Default)]
pub(in crate::document) struct JsonFaults {
    /// INVARIANT: at most one of each kind, with its offset.
    found: Vec<(&'static Code, u64)>,
    reported: usize,
}

impl JsonFaults {
    pub(in crate::document) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds a fault, unless one of its kind is known.
    #[cold]
    pub(in crate::document) fn add(&mut self, code: &'static Code, offset: u64) {
        if !self.found.iter().any(|(known, _)| known.name == code.name) {
            self.found.push((code, offset));
        }
    }

    #[inline]
    pub(in crate::document) fn report(&mut self, events: &mut Events) {
        while let Some(&(code, offset)) = self.found.get(self.reported) {
            events.push(Event::Diagnostic(code, offset));
            self.reported += 1;
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JsonExpects {
    #[default]
    Value,
    FirstItem,
    Name,
    FirstName,
    Colon,
    Comma,
    End,
}

impl JsonExpects {
    fn is_value(self) -> bool {
        matches!(self, JsonExpects::Value | JsonExpects::FirstItem)
    }
}

/// The rest of a partly read token, which is skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JsonRest {
    #[default]
    Nothing,
    Word,
    String,
    Line,
    Comment,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::document) enum JsonSequence {
    #[default]
    One,
    Lines,
    /// JSON5, or JSON with comments: a single value.
    Relaxed,
}

#[derive(Clone, Debug, Default)]
pub(in crate::document) struct JsonTokenizer {
    pub(in crate::document) at: usize,
    pub(in crate::document) faults: JsonFaults,
    /// The number of line ends before, in JSON Lines.
    pub(in crate::document) lines: u64,
    sequence: JsonSequence,
    levels: Vec<JsonContainer>,
    beyond: u64,
    expects: JsonExpects,
    rest: JsonRest,
}

impl JsonTokenizer {
    pub(in crate::document) fn new(sequence: JsonSequence) -> Self {
        JsonTokenizer {
            sequence,
            ..JsonTokenizer::default()
        }
    }

    pub(in crate::document) fn skip_line(&mut self) {
        self.rest = JsonRest::Line;
    }

    /// Goes back to the start of the last token, a string that is a value.
    pub(in crate::document) fn unread_string(&mut self, start: usize) {
        self.at = start;
        self.expects = JsonExpects::Value;
    }

    /// Goes back to before the last token, which opened an array that is a value.
    pub(in crate::document) fn unread_array(&mut self) {
        self.at -= 1;
        self.levels.pop();
        self.expects = JsonExpects::Value;
    }

    /// Ends a value, and reads the comma that follows at once.
    #[inline(always)]
    fn end_value(&mut self, bytes: &[u8]) {
        self.expects = if self.levels.is_empty() {
            JsonExpects::End
        } else if bytes.get(self.at) == Some(&b',') {
            self.at += 1;
            self.after_comma()
        } else {
            JsonExpects::Comma
        };
    }

    #[inline(always)]
    fn after_comma(&self) -> JsonExpects {
        match self.levels.last() {
            None => self.expects,
            Some(JsonContainer::Object) => JsonExpects::Name,
            Some(JsonContainer::Array) => JsonExpects::Value,
        }
    }

    /// Adds a fault at an index unless the token there is expected; too deep containers expect any.
    #[inline]
    fn expect(&mut self, is_right: bool, window: &Window<'_>, at: usize) {
        if !is_right && self.beyond == 0 {
            self.fault(window, at);
        }
    }

    fn fault(&mut self, window: &Window<'_>, at: usize) {
        self.faults.add(&JSON_NOT_WELL_FORMED, window.offset_at(at));
    }

    #[inline(always)]
    pub(in crate::document) fn next(&mut self, window: &Window<'_>) -> JsonToken {
        let start = self.at;
        let token = loop {
            if let Some(token) = self.read(window) {
                break token;
            }
        };
        step(self.at.saturating_sub(start));
        token
    }

    /// Reads a token, or a part of the grammar that is not a token by itself.
    #[inline(always)]
    fn read(&mut self, window: &Window<'_>) -> Option<JsonToken> {
        let bytes = window.bytes;
        if self.rest != JsonRest::Nothing && !self.skip_rest(window) {
            return Some(self.end(window));
        }
        self.at = skip_blanks(bytes, self.at, self.sequence == JsonSequence::Lines);
        let Some(&byte) = bytes.get(self.at) else {
            return Some(self.end(window));
        };
        match byte {
            b'"' => self.string(window),
            b',' => {
                self.expect(self.expects == JsonExpects::Comma, window, self.at);
                self.at += 1;
                self.expects = self.after_comma();
                None
            }
            b':' => {
                self.expect(self.expects == JsonExpects::Colon, window, self.at);
                self.at += 1;
                if !self.levels.is_empty() {
                    self.expects = JsonExpects::Value;
                }
                None
            }
            b'{' => self.open(JsonContainer::Object, window),
            b'[' => self.open(JsonContainer::Array, window),
            b'}' => self.close(JsonContainer::Object, window),
            b']' => self.close(JsonContainer::Array, window),
            b'\'' if self.sequence == JsonSequence::Relaxed => self.string(window),
            b'/' => self.comment(window),
            b'\n' => self.end_line(window),
            _ if WORD.contains(byte) => self.word(window),
            _ => {
                self.fault(window, self.at);
                self.at += 1;
                None
            }
        }
    }

    /// Ends the value of a line (JSON Lines); closes open containers without reading the line end.
    fn end_line(&mut self, window: &Window<'_>) -> Option<JsonToken> {
        if self.levels.is_empty() {
            self.at += 1;
            self.lines += 1;
            self.expects = JsonExpects::Value;
            return None;
        }
        self.beyond = 0;
        self.expect(false, window, self.at);
        self.levels.pop();
        Some(JsonToken::Close)
    }

    #[cold]
    fn end(&mut self, window: &Window<'_>) -> JsonToken {
        if !window.last {
            return JsonToken::More;
        }
        let is_complete = match self.sequence {
            JsonSequence::Lines => self.levels.is_empty(),
            _ => self.expects == JsonExpects::End,
        };
        self.at = window.bytes.len();
        if !is_complete {
            self.fault(window, self.at);
        }
        JsonToken::End
    }

    /// Skips the rest of a token; returns whether the window holds its end.
    #[cold]
    fn skip_rest(&mut self, window: &Window<'_>) -> bool {
        let left = &window.bytes[self.at..];
        let end = match self.rest {
            JsonRest::Nothing => Some(0),
            JsonRest::Word => WORD.first_outside(left),
            JsonRest::Line => memchr::memchr(b'\n', left),
            JsonRest::Comment => memchr::memmem::find(left, b"*/").map(|end| end + 2),
            JsonRest::String => match scan_string(left, 0, window.last).end {
                StringEnd::Closed(end) => Some(end + 1),
                StringEnd::Break(end) => Some(end),
                StringEnd::Open(end) => {
                    self.at += end;
                    return false;
                }
            },
        };
        if let Some(end) = end {
            self.at += end;
            self.rest = JsonRest::Nothing;
            return true;
        }
        // The first half of `*/` may be at the end.
        let kept = usize::from(self.rest == JsonRest::Comment && left.ends_with(b"*"));
        self.at = window.bytes.len() - kept;
        false
    }

    #[inline(always)]
    fn open(&mut self, container: JsonContainer, window: &Window<'_>) -> Option<JsonToken> {
        let start = self.at;
        self.at += 1;
        if self.levels.len() == MAX_DEPTH {
            self.beyond += 1;
            self.faults.add(&JSON_TOO_DEEP, window.offset_at(start));
            return None;
        }
        self.expect(self.expects.is_value(), window, start);
        self.levels.push(container);
        self.expects = match container {
            JsonContainer::Object => JsonExpects::FirstName,
            JsonContainer::Array => JsonExpects::FirstItem,
        };
        Some(JsonToken::Open(container))
    }

    #[inline(always)]
    fn close(&mut self, container: JsonContainer, window: &Window<'_>) -> Option<JsonToken> {
        let start = self.at;
        self.at += 1;
        if self.beyond > 0 {
            self.beyond -= 1;
            if self.beyond == 0 {
                self.end_value(window.bytes);
            }
            return None;
        }
        let is_object = container == JsonContainer::Object;
        let may_end = match self.expects {
            JsonExpects::Comma => true,
            JsonExpects::FirstName => is_object,
            JsonExpects::FirstItem => !is_object,
            JsonExpects::Name => is_object && self.sequence == JsonSequence::Relaxed,
            JsonExpects::Value => !is_object && self.sequence == JsonSequence::Relaxed,
            JsonExpects::Colon | JsonExpects::End => false,
        };
        let innermost = self.levels.last().copied();
        self.expect(may_end && innermost == Some(container), window, start);
        self.levels.pop()?;
        self.end_value(window.bytes);
        Some(JsonToken::Close)
    }

    fn comment(&mut self, window: &Window<'_>) -> Option<JsonToken> {
        let (bytes, start) = (window.bytes, self.at);
        let end = match bytes.get(start + 1) {
            None if !window.last => return Some(JsonToken::More),
            Some(b'/') => JsonRest::Line,
            Some(b'*') => JsonRest::Comment,
            _ => JsonRest::Nothing,
        };
        let offset = window.offset_at(start);
        if self.sequence != JsonSequence::Relaxed || end == JsonRest::Nothing {
            self.fault(window, start);
        }
        if end == JsonRest::Nothing {
            self.at += 1;
            return None;
        }
        let limit = bytes.len().min(start + LONGEST_STRING);
        let text = &bytes[start + 2..limit];
        let length = match end {
            JsonRest::Line => memchr::memchr2(b'\n', b'\r', text),
            _ => memchr::memmem::find(text, b"*/"),
        };
        let length = match length {
            None if limit < bytes.len() => {
                self.at += 2;
                self.rest = end;
                self.faults.add(&JSON_STRING_TOO_LONG, offset);
                return None;
            }
            None if !window.last => return Some(JsonToken::More),
            known => known.unwrap_or(text.len()),
        };
        self.at = start + 2 + length;
        if end == JsonRest::Comment {
            self.at = bytes.len().min(self.at + 2);
        }
        Some(JsonToken::Comment(start + 2..start + 2 + length))
    }

    #[inline]
    fn is_name(&self) -> bool {
        match self.expects {
            _ if self.beyond > 0 => false,
            JsonExpects::Name | JsonExpects::FirstName => true,
            // The comma is missing.
            JsonExpects::Comma => self.levels.last() == Some(&JsonContainer::Object),
            _ => false,
        }
    }

    #[inline]
    fn expects_text(&self, is_name: bool) -> bool {
        self.expects.is_value() || is_name && self.expects != JsonExpects::Comma
    }

    #[inline(always)]
    fn string(&mut self, window: &Window<'_>) -> Option<JsonToken> {
        let bytes = window.bytes;
        let (quote, start) = (self.at, self.at + 1);
        let limit = bytes.len().min(start + LONGEST_STRING + 1);
        let scan = match self.sequence {
            JsonSequence::Relaxed => scan_relaxed_string(&bytes[..limit], start, bytes[quote]),
            _ => scan_string(&bytes[..limit], start, window.last && limit == bytes.len()),
        };
        let (mut text, mut is_long) = (scan.text, false);
        self.at = match scan.end {
            StringEnd::Closed(end) => end + 1,
            StringEnd::Break(end) => end,
            StringEnd::Open(end) if bytes.len() - start > LONGEST_STRING => {
                self.rest = JsonRest::String;
                text.range.end = start;
                is_long = true;
                end
            }
            StringEnd::Open(_) if !window.last => return Some(JsonToken::More),
            StringEnd::Open(_) => {
                text.range.end = bytes.len();
                bytes.len()
            }
        };
        let is_name = self.is_name();
        if is_long {
            self.faults
                .add(&JSON_STRING_TOO_LONG, window.offset_at(quote));
        } else if let Some(fault) = scan.fault {
            self.fault(window, fault);
        } else {
            self.expect(self.expects_text(is_name), window, quote);
        }
        let other = is_long.then_some(JsonToken::Other(1));
        self.text_token(text, is_name, other, bytes)
    }

    /// Reads a number, `true`, `false` or `null`; other words are faults, and may be names, or strings
    /// without quotes if a colon and a slash follow, as in a URI.
    #[inline(always)]
    fn word(&mut self, window: &Window<'_>) -> Option<JsonToken> {
        let (bytes, start) = (window.bytes, self.at);
        let is_relaxed = self.sequence == JsonSequence::Relaxed;
        let (is_name, mut is_uri) = (self.is_name(), false);
        let (length, is_value) = match short_number_length(bytes, start) {
            Some(length) => (length, true),
            None => {
                let left = &bytes[start..bytes.len().min(start + LONGEST_WORD + 1)];
                let mut end = WORD.first_outside(left);
                let word = &left[..end.unwrap_or(left.len())];
                let is_value = is_value(word) || is_relaxed && is_relaxed_value(word);
                let after = &left[word.len()..];
                is_uri = !is_name && !is_value && !after.is_empty();
                is_uri &= [&b":/"[..], b":\\/"]
                    .iter()
                    .any(|start| after.starts_with(start) || start.starts_with(after));
                if is_uri {
                    end = URI_END.first_inside(left);
                }
                if end.is_none() && left.len() <= LONGEST_WORD && !window.last {
                    return Some(JsonToken::More);
                }
                let length = end.unwrap_or(left.len());
                (length, is_value || length > LONGEST_WORD)
            }
        };
        let is_right = if is_name { is_relaxed } else { is_value };
        self.expect(is_right && self.expects_text(is_name), window, start);
        self.at += length;
        if length > LONGEST_WORD {
            self.rest = JsonRest::Word;
        }
        let text = JsonText {
            range: start..self.at,
            is_quoted: false,
            has_escapes: is_uri && bytes[start..self.at].contains(&b'\\'),
            may_have_colon: is_uri,
        };
        // Numbers of an array in a row are one token.
        let mut count = 1;
        let in_array = !is_uri && self.levels.last() == Some(&JsonContainer::Array);
        while in_array && bytes.get(self.at) == Some(&b',') {
            let next = skip_blanks(bytes, self.at + 1, self.sequence == JsonSequence::Lines);
            let Some(length) = short_number_length(bytes, next) else {
                break;
            };
            self.at = next + length;
            count += 1;
        }
        let other = (!is_uri || length > LONGEST_WORD).then_some(JsonToken::Other(count));
        self.text_token(text, is_name, other, bytes)
    }

    /// Ends a string or a word, which as a value without text is `other`; `None` in too deep
    /// containers.
    #[inline(always)]
    fn text_token(
        &mut self,
        text: JsonText,
        is_name: bool,
        other: Option<JsonToken>,
        bytes: &[u8],
    ) -> Option<JsonToken> {
        if self.beyond > 0 {
            return None;
        }
        if is_name {
            self.expects = JsonExpects::Colon;
            if bytes.get(self.at) == Some(&b':') {
                self.at += 1;
                self.expects = JsonExpects::Value;
            }
            return Some(JsonToken::Name(text));
        }
        self.end_value(bytes);
        Some(other.unwrap_or(JsonToken::String(text)))
    }
}

/// Returns the index of the first byte that is not white space, or is a line end to stop at.
#[inline(always)]
fn skip_blanks(bytes: &[u8], at: usize, stops_at_line: bool) -> usize {
    let is_end = |at: usize| bytes.get(at).is_none_or(|byte| *byte > b' ');
    if is_end(at) {
        return at;
    }
    if bytes[at] == b' ' && is_end(at + 1) {
        return at + 1;
    }
    skip_many_blanks(bytes, at, stops_at_line)
}

/// Does the same for line ends and indentation.
#[inline(never)]
fn skip_many_blanks(bytes: &[u8], mut at: usize, stops_at_line: bool) -> usize {
    let line_end = if stops_at_line { b' ' } else { b'\n' };
    let blanks = [b' ', b'\t', b'\r', line_end];
    while let Some(block) = simd::at(bytes, at) {
        let length = (!block.any_of(blanks)).trailing_zeros() as usize;
        at += length;
        if length < simd::LENGTH {
            return at;
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let end = rest.iter().position(|byte| !blanks.contains(byte));
    end.map_or(bytes.len(), |end| at + end)
}

#[cfg(test)]
#[path = "../../../tests/unit/document/json/tokenizer.rs"]
mod tests;
