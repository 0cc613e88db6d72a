//! The characters before and behind inline markup (`docutils.utils.punctuation_chars`).

use super::super::blocks::{char_at, char_before};

/// Returns whether a start-string may stand at an index.
pub(super) fn starts(text: &[u8], from: usize, at: usize) -> bool {
    at == from
        || char_before(text, at).is_none_or(|before| match before {
            '"' | '\'' | '(' | '<' | '[' | '{' | '-' | '/' | ':' => true,
            other => other.is_whitespace() || is_punctuation(other),
        })
}

/// Returns whether an end-string may end at an index of a text that ends at `to`.
pub(super) fn ends_in(text: &[u8], at: usize, to: usize) -> bool {
    at >= to
        || char_at(text, at).is_none_or(|next| match next {
            '\0' | '\\' | '.' | ',' | ';' | '!' | '?' => true,
            '-' | '/' | ':' | '"' | '\'' | ')' | '>' | ']' | '}' => true,
            other => other.is_whitespace() || is_punctuation(other),
        })
}

/// Returns whether a character beyond ASCII is punctuation by which markup may begin and end: most of
/// Unicode's.
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
