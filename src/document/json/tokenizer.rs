//! The tokens of JSON (RFC 8259), from windows of any size.
//!
//! Text that is not well-formed gives a [`JsonToken::Fault`], and reading goes on behind it: whoever wants
//! all or nothing stops there.

use std::ops::Range;

use crate::bytes::class::ByteSet;
use crate::bytes::simd;
use crate::decode::RecordOffsets;

/// The longest string that is read, in bytes between its quotes.
pub(in crate::document) const LONGEST_STRING: usize = 4 << 20;
/// The longest number or word that is checked, in bytes.
const LONGEST_WORD: usize = 1024;
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

/// A token. Ranges are those of the contents of strings, with their escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::document) enum JsonToken {
    Open(JsonContainer),
    Close,
    /// The name of a member.
    Name(Range<usize>),
    /// A value that is a string.
    String(Range<usize>),
    /// A value that holds no text: a number, `true`, `false`, `null`, or a string that is too long.
    Other,
    /// An error at an index.
    Fault(JsonFault, usize),
    /// The token is cut by the end of the window.
    More,
    /// The document is at its end.
    End,
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

/// The sequence of values that a document is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::document) enum JsonSequence {
    /// One value.
    #[default]
    One,
    /// One value on each line.
    #[cfg(feature = "documents")]
    Lines,
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
        self.expects = match self.depth {
            0 => JsonExpects::End,
            _ => JsonExpects::Comma,
        };
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
        match self.next_usual(bytes, at) {
            Some(token) => token,
            None => self.next_any(bytes, at, last),
        }
    }

    /// Returns the next token if it is an expected one, wholly in view and without escapes.
    #[inline(always)]
    fn next_usual(&mut self, bytes: &[u8], at: &mut usize) -> Option<JsonToken> {
        if self.rest != JsonRest::Nothing || self.beyond > 0 {
            return None;
        }
        let mut here = *at;
        if *bytes.get(here)? <= b' ' {
            self.pass_blanks(bytes, &mut here);
        }
        if self.expects == JsonExpects::Comma && bytes.get(here) == Some(&b',') {
            self.expects = self.behind_comma();
            self.noted = false;
            here += 1;
            *at = here;
            if *bytes.get(here)? <= b' ' {
                self.pass_blanks(bytes, &mut here);
            }
        }
        let takes_value = matches!(self.expects, JsonExpects::Value | JsonExpects::FirstItem);
        let token = match *bytes.get(here)? {
            b'"' => {
                let start = here + 1;
                let mut end = special(bytes, start);
                while bytes.get(end) == Some(&b'\\')
                    && bytes
                        .get(end + 1)
                        .is_some_and(|escaped| is_escape(*escaped))
                {
                    end = special(bytes, end + 2);
                }
                if bytes.get(end) != Some(&b'"') || end - start > LONGEST_STRING {
                    return None;
                }
                here = end + 1;
                if takes_value {
                    self.end_value();
                    JsonToken::String(start..end)
                } else if matches!(self.expects, JsonExpects::Name | JsonExpects::FirstName) {
                    let colon = bytes.get(here) == Some(&b':');
                    here += usize::from(colon);
                    self.expects = match colon {
                        true => JsonExpects::Value,
                        false => JsonExpects::Colon,
                    };
                    JsonToken::Name(start..end)
                } else {
                    return None;
                }
            }
            b'-' | b'0'..=b'9' if takes_value => {
                let length = value_length(&bytes[here..]);
                let next = *bytes.get(here + length)?;
                if length == 0 || length > LONGEST_WORD || WORD.contains(next) {
                    return None;
                }
                here += length;
                self.end_value();
                JsonToken::Other
            }
            open @ (b'{' | b'[') if takes_value && self.depth < DEEPEST => {
                here += 1;
                let container = match open {
                    b'{' => JsonContainer::Object,
                    _ => JsonContainer::Array,
                };
                self.push(container);
                JsonToken::Open(container)
            }
            close @ (b'}' | b']') => {
                let first = match self.in_object {
                    true => JsonExpects::FirstName,
                    false => JsonExpects::FirstItem,
                };
                let may_end = self.expects == JsonExpects::Comma || self.expects == first;
                if self.depth == 0 || !may_end || self.in_object != (close == b'}') {
                    return None;
                }
                here += 1;
                self.pop();
                self.end_value();
                JsonToken::Close
            }
            _ => return None,
        };
        self.noted = false;
        *at = here;
        Some(token)
    }

    /// Returns the next token, whatever it is.
    fn next_any(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> JsonToken {
        loop {
            if self.rest != JsonRest::Nothing && !self.pass_rest(bytes, at, last) {
                return self.end(bytes, at, last);
            }
            self.pass_blanks(bytes, at);
            let Some(&byte) = bytes.get(*at) else {
                return self.end(bytes, at, last);
            };
            let token = match byte {
                #[cfg(feature = "documents")]
                b'\n' if self.sequence == JsonSequence::Lines && self.is_open() => {
                    self.end_line(*at)
                }
                b'"' => self.string(bytes, at, last),
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

    /// Passes over white space, up to a line end that means something.
    #[inline]
    fn pass_blanks(&self, bytes: &[u8], at: &mut usize) {
        while let Some(&byte) = bytes.get(*at) {
            match byte {
                #[cfg(feature = "documents")]
                b'\n' if self.sequence == JsonSequence::Lines && self.is_open() => return,
                b' ' | b'\t' | b'\r' => *at += 1,
                b'\n' => {
                    *at += 1;
                    // Indentation.
                    while let Some(block) = simd::at(bytes, *at) {
                        let blanks = (!block.equal(b' ')).trailing_zeros() as usize;
                        *at += blanks.min(simd::LENGTH);
                        if blanks < simd::LENGTH {
                            break;
                        }
                    }
                }
                _ => return,
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
            JsonSequence::One => self.expects == JsonExpects::End,
            #[cfg(feature = "documents")]
            JsonSequence::Lines => self.depth == 0,
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
        let may_end = self.expects == JsonExpects::Comma || self.expects == first;
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

    /// Passes over a comment, which JSON does not have and configurations do.
    fn comment(&mut self, bytes: &[u8], at: &mut usize, last: bool) -> Option<JsonToken> {
        let start = *at;
        self.rest = match bytes.get(start + 1) {
            None if !last => return Some(JsonToken::More),
            Some(b'/') => JsonRest::Line,
            Some(b'*') => JsonRest::Comment,
            _ => JsonRest::Nothing,
        };
        *at += match self.rest {
            JsonRest::Nothing => 1,
            _ => 2,
        };
        Some(not_well_formed(start))
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
        let (end, fault) = string_end(&bytes[..limit], start, last && limit == bytes.len());
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
                JsonToken::Name(start..end)
            }
            (0, false) => {
                self.end_value();
                JsonToken::String(start..end)
            }
        })
    }

    /// Leaves out a string that is too long.
    fn long_string(&mut self, at: &mut usize, end: usize) -> Option<JsonToken> {
        if !self.note_unless(false) {
            return Some(JsonToken::Fault(JsonFault::TooLong, *at));
        }
        let name = *at..*at;
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
        let is_value = is_long || value_length(word) == length;
        let is_expected = matches!(self.expects, JsonExpects::Value | JsonExpects::FirstItem);
        if !self.note_unless(is_value && is_expected || self.beyond > 0) {
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
            return Some(JsonToken::Name(start..start + length));
        }
        self.end_value();
        Some(JsonToken::Other)
    }
}

fn not_well_formed(at: usize) -> JsonToken {
    JsonToken::Fault(JsonFault::NotWellFormed, at)
}

/// The bytes of numbers and words.
const WORD: ByteSet = ByteSet::ALPHANUMERIC.with(b"+-._$");

enum StringEnd {
    /// The index of the quote.
    Closed(usize),
    /// The index of a line break.
    Break(usize),
    /// The index of the end of the bytes, or of an escape that may be cut by it.
    Open(usize),
}

/// Returns the end of a string, from `at` on, and the index of its first fault.
fn string_end(bytes: &[u8], mut at: usize, last: bool) -> (StringEnd, Option<usize>) {
    let mut fault = None;
    loop {
        at = special(bytes, at);
        match bytes.get(at) {
            None => return (StringEnd::Open(at), fault.or(last.then_some(at))),
            Some(b'"') => return (StringEnd::Closed(at), fault),
            Some(b'\n') => return (StringEnd::Break(at), fault.or(Some(at))),
            Some(b'\\') if at + 6 > bytes.len() && !last => {
                // The escape may be whole; the quote behind it may not be missed.
                match bytes.get(at + 1) {
                    Some(b'u') | None => return (StringEnd::Open(at), fault),
                    Some(b'\n') => return (StringEnd::Break(at + 1), fault.or(Some(at))),
                    Some(byte) => {
                        if !is_escape(*byte) {
                            fault = fault.or(Some(at));
                        }
                        at += 2;
                    }
                }
            }
            Some(b'\\') => {
                let digits = bytes.get(at + 2..at + 6);
                let is_right = match bytes.get(at + 1) {
                    Some(b'u') => {
                        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
                    }
                    Some(&byte) => is_escape(byte),
                    None => false,
                };
                if !is_right {
                    fault = fault.or(Some(at));
                }
                at = match bytes.get(at + 1) {
                    None | Some(b'\n') => at + 1,
                    Some(_) => at + 2,
                };
            }
            Some(_) => {
                fault = fault.or(Some(at));
                at += 1;
            }
        }
    }
}

/// Returns the index of the first byte from `at` on that a string does not go on with: a quote, a backslash
/// or a control character; that of the end if there is none.
#[inline]
fn special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = simd::at(bytes, at) {
        let found = block.equal(b'"') | block.equal(b'\\') | block.up_to(0x1F);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += simd::LENGTH;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let found = rest
        .iter()
        .position(|&byte| matches!(byte, b'"' | b'\\' | ..=0x1F));
    at + found.unwrap_or(rest.len())
}

/// Returns whether a byte behind a backslash stands for a character by itself.
fn is_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}

/// Appends a raw string to `out`, escapes replaced, and records where its bytes come from.
pub(in crate::document) fn unescape(
    bytes: &[u8],
    out: &mut Vec<u8>,
    offsets: &mut impl RecordOffsets,
) {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        offsets.copy(plain);
        at += plain;
        if at == bytes.len() {
            return;
        }
        let (start, length) = (at, out.len());
        let escaped = bytes.get(at + 1).copied().unwrap_or(b'\\');
        at = bytes.len().min(at + 2);
        match escaped {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                if let Some(mut unit) = four_digits(bytes, at) {
                    at += 4;
                    if (0xD800..0xDC00).contains(&unit)
                        && bytes[at..].starts_with(b"\\u")
                        && let Some(low) = four_digits(bytes, at + 2)
                        && (0xDC00..0xE000).contains(&low)
                    {
                        unit = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        at += 6;
                    }
                    let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                } else {
                    out.push(b'u');
                }
            }
            _ => out.push(escaped),
        }
        offsets.put(out.len() - length, at - start);
    }
}

fn four_digits(bytes: &[u8], at: usize) -> Option<u32> {
    let mut digits = bytes.get(at..at + 4)?.iter();
    digits.try_fold(0, |number, &digit| {
        Some(number * 16 + (digit as char).to_digit(16)?)
    })
}

/// Returns the length of the number (RFC 8259 section 6), `true`, `false` or `null` at the start; 0 if there
/// is none.
#[inline]
fn value_length(word: &[u8]) -> usize {
    let digits = |at: usize| {
        let rest = word.get(at..).unwrap_or_default();
        let end = rest.iter().position(|byte| !byte.is_ascii_digit());
        at + end.unwrap_or(rest.len())
    };
    let whole = usize::from(word.first() == Some(&b'-'));
    let mut end = digits(whole);
    match end - whole {
        0 => {
            let words: [&[u8]; 3] = [b"true", b"false", b"null"];
            let found = words.iter().find(|known| word.starts_with(known));
            return found.map_or(0, |word| word.len());
        }
        1 => {}
        _ if word[whole] == b'0' => return 0,
        _ => {}
    }
    if word.get(end) == Some(&b'.') {
        let start = end + 1;
        end = digits(start);
        if end == start {
            return 0;
        }
    }
    if matches!(word.get(end), Some(b'e' | b'E')) {
        let start = end + 1 + usize::from(matches!(word.get(end + 1), Some(b'+' | b'-')));
        end = digits(start);
        if end <= start {
            return 0;
        }
    }
    end
}
