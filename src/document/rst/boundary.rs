//! The characters of inline text: escapes, names, and the neighbours of markup
//! (`docutils.utils.punctuation_chars`).

use std::ops::Range;

use super::super::blocks::{char_at, char_before};

/// Returns whether a start-string may be at an index.
pub(super) fn starts(text: &[u8], from: usize, at: usize) -> bool {
    at == from
        || char_before(text, at).is_none_or(|before| match before {
            '"' | '\'' | '(' | '<' | '[' | '{' | '-' | '/' | ':' => true,
            other => other.is_whitespace() || is_punctuation(other),
        })
}

/// Returns whether an end-string may end at an index.
pub(super) fn ends(text: &[u8], at: usize) -> bool {
    char_at(text, at).is_none_or(|next| match next {
        '\0' | '\\' | '.' | ',' | ';' | '!' | '?' => true,
        '-' | '/' | ':' | '"' | '\'' | ')' | '>' | ']' | '}' => true,
        other => other.is_whitespace() || is_punctuation(other),
    })
}

/// Returns whether a character beyond ASCII is punctuation beside which markup may begin and end.
fn is_punctuation(character: char) -> bool {
    matches!(character,
        '\u{a1}' | '\u{ab}' | '\u{b7}' | '\u{bb}' | '\u{bf}' | '\u{37e}' | '\u{387}'
        | '\u{55a}'..='\u{55f}' | '\u{589}' | '\u{58a}' | '\u{5be}' | '\u{5c0}' | '\u{5c3}'
        | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{66a}'..='\u{66d}' | '\u{6d4}' | '\u{964}' | '\u{965}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}'
        | '\u{2053}'..='\u{205e}' | '\u{207d}' | '\u{207e}' | '\u{208d}' | '\u{208e}'
        | '\u{2329}' | '\u{232a}' | '\u{2768}'..='\u{2775}' | '\u{27e6}'..='\u{27ef}'
        | '\u{2983}'..='\u{2998}' | '\u{2e00}'..='\u{2e31}' | '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{3030}' | '\u{303d}'
        | '\u{30a0}' | '\u{30fb}' | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe61}'
        | '\u{fe63}' | '\u{fe68}' | '\u{ff01}'..='\u{ff03}' | '\u{ff05}'..='\u{ff0a}'
        | '\u{ff0c}'..='\u{ff0f}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff20}'
        | '\u{ff3b}'..='\u{ff3d}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff65}')
}

/// Returns a text with NUL for backslashes that escape.
pub(super) fn escaped(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', text.get(at..).unwrap_or_default()) {
        text[at + found] = 0;
        at += found + 2;
    }
    text
}

/// Removes escapes, and blanks that are escaped.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    without_escapes(text, |_| false, None)
}

/// Removes escapes, and white space that is not escaped; escaped white space becomes a space.
pub(super) fn unescape_uri(text: &[u8]) -> Vec<u8> {
    let is_white = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0B;
    without_escapes(text, is_white, Some(b' '))
}

fn without_escapes(text: &[u8], is_dropped: fn(u8) -> bool, blank: Option<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            0 => match bytes.next() {
                Some(b' ' | b'\n') => out.extend(blank),
                escaped => out.extend(escaped),
            },
            byte => out.extend(Some(byte).filter(|&byte| !is_dropped(byte))),
        }
    }
    out
}

/// Finds the target in `title <target>`, the contents of a role; returns the end of the title, too.
pub(super) fn explicit_title(text: &[u8], contents: Range<usize>) -> Option<(usize, Range<usize>)> {
    let close = contents.end.checked_sub(1).filter(|&at| text[at] == b'>')?;
    let open = contents.start + memchr::memrchr(b'<', &text[contents.start..close])?;
    let is_escaped = open > contents.start && text[open - 1] == 0;
    let title = text[contents.start..open].trim_ascii_end();
    if title.is_empty() || is_escaped {
        return None;
    }
    Some((contents.start + title.len(), open + 1..close))
}

/// Returns the index after the simple name at an index: letters and digits, with single `-._+:` inside.
pub(super) fn simple_name(text: &[u8], at: usize) -> usize {
    let mut end = word_end(text, at);
    if end == at {
        return at;
    }
    while let Some(b'-' | b'.' | b'_' | b'+' | b':') = text.get(end) {
        let next = word_end(text, end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

/// Returns the index after the label of a footnote at an index.
pub(super) fn label_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at) {
        Some(b'*') => Some(at + 1),
        Some(b'#') => Some(simple_name(text, at + 1)),
        _ => Some(simple_name(text, at)).filter(|&end| end > at),
    }
}

fn word_end(text: &[u8], mut at: usize) -> usize {
    while let Some(character) = char_at(text, at).filter(|&character| is_word(character)) {
        at += character.len_utf8();
    }
    at
}

pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() && character != '\u{fffd}'
}
