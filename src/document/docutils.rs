//! The identifiers that docutils derives from names (`docutils.nodes.make_id`).

use unicode_normalization::UnicodeNormalization;

/// Letters that have no decomposition, and their replacements.
#[rustfmt::skip]
const LETTERS: [(char, &str); 8] = [
    ('\u{df}', "sz"), ('\u{e6}', "ae"), ('\u{f8}', "o"), ('\u{111}', "d"), ('\u{127}', "h"),
    ('\u{131}', "i"), ('\u{142}', "l"), ('\u{153}', "oe"),
];

/// Returns the identifier of a name: letters in lower case, digits, and hyphens; it may be empty.
pub(super) fn make_id(name: &[u8]) -> Vec<u8> {
    let mut id = Vec::new();
    let mut push = |character: char| {
        if character.is_ascii_alphanumeric() {
            id.push(character.to_ascii_lowercase() as u8);
        } else if character.is_ascii() && id.last().is_some_and(|&last| last != b'-') {
            id.push(b'-');
        }
    };
    let name = String::from_utf8_lossy(name);
    for character in name.chars().flat_map(char::to_lowercase) {
        match LETTERS.iter().find(|(letter, _)| *letter == character) {
            Some((_, letters)) => letters.chars().for_each(&mut push),
            None => std::iter::once(character).nfkd().for_each(&mut push),
        }
    }
    let start = id.iter().position(u8::is_ascii_alphabetic);
    id.drain(..start.unwrap_or(id.len()));
    while id.last() == Some(&b'-') {
        id.pop();
    }
    id
}

/// Returns a name for comparison (`docutils.nodes.fully_normalize_name`): lower case, white space collapsed.
pub(super) fn normal_name(name: &[u8]) -> Vec<u8> {
    let name = String::from_utf8_lossy(name).to_lowercase();
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").into_bytes()
}

#[cfg(test)]
#[path = "../../tests/unit/document/docutils.rs"]
mod tests;
