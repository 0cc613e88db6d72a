//! The DOCTYPE: the entities and system identifiers that it declares.

use std::ops::Range;

use memchr::memchr;

use super::tokens::{end_of, space_end};
use crate::bytes::seek::is_space;

/// A declaration in the DOCTYPE.
pub(super) enum Declaration<'a> {
    /// A general entity with a literal value. That of an external one is empty: it is never loaded.
    Entity(&'a [u8], &'a [u8]),
    /// An external subset or a parameter entity, which may declare more and is never loaded.
    Open,
    /// A system identifier, of the DOCTYPE or of a declaration inside.
    System {
        keyword: &'static str,
        identifier: Range<usize>,
    },
}

/// Words and literals of a declaration in the DOCTYPE beyond this number are passed over.
const MOST_WORDS: usize = 8;

/// Reads the DOCTYPE at `at`, a `<!`.
pub(super) fn read_doctype<'a>(
    bytes: &'a [u8],
    at: usize,
    mut found: impl FnMut(Declaration<'a>),
) -> Option<usize> {
    let mut is_inside = false;
    let mut at = at + 2;
    // The words and literals of the declaration that is open.
    let mut words: Vec<Range<usize>> = Vec::new();
    loop {
        at = space_end(bytes, at);
        let byte = *bytes.get(at)?;
        match byte {
            b'[' | b']' | b'<'
                if !bytes[at..].starts_with(b"<!--") && !bytes[at..].starts_with(b"<?") =>
            {
                if byte == b'[' && !is_inside {
                    declared(bytes, &words, &mut found);
                }
                is_inside = byte != b']' && (is_inside || byte == b'[');
                words.clear();
                at += 1;
            }
            b'"' | b'\'' => {
                let literal = at + 1..at + 1 + memchr(byte, &bytes[at + 1..])?;
                at = literal.end + 1;
                if words.len() < MOST_WORDS {
                    words.push(literal);
                }
            }
            b'<' => {
                let marker: &[u8] = match bytes[at + 1] {
                    b'!' => b"-->",
                    _ => b"?>",
                };
                at = end_of(bytes, at + 1 + marker.len(), marker)?;
            }
            b'>' => {
                at += 1;
                declared(bytes, &words, &mut found);
                if !is_inside {
                    return Some(at);
                }
                words.clear();
            }
            _ => {
                let is_end = |byte: &u8| is_space(*byte) || b"<>[]\"'".contains(byte);
                let length = bytes[at..].iter().position(is_end);
                let end = length.map_or(bytes.len(), |length| at + length);
                // References to parameter entities stand between declarations.
                if is_inside && byte == b'%' && words.is_empty() {
                    found(Declaration::Open);
                } else if words.len() < MOST_WORDS {
                    words.push(at..end);
                }
                at = end;
            }
        }
    }
}

/// Passes on what the words of a declaration in the DOCTYPE, or of the DOCTYPE itself, say.
fn declared<'a>(bytes: &'a [u8], words: &[Range<usize>], found: &mut impl FnMut(Declaration<'a>)) {
    let is_literal = |word: &Range<usize>| matches!(bytes[word.start - 1], b'"' | b'\'');
    let is = |word: Option<&Range<usize>>, text: &[u8]| {
        word.is_some_and(|word| bytes[word.clone()] == *text)
    };
    let system = match words {
        [.., keyword, system] if is(Some(keyword), b"SYSTEM") && is_literal(system) => Some(system),
        [.., keyword, public, system]
            if is(Some(keyword), b"PUBLIC") && is_literal(public) && is_literal(system) =>
        {
            Some(system)
        }
        _ => None,
    };
    // The words of the DOCTYPE begin behind its `<!`.
    let keyword = match words.first().map(|word| &bytes[word.clone()]) {
        Some(b"DOCTYPE") => "doctype",
        Some(b"!ENTITY") => "entity",
        Some(b"!NOTATION") => "notation",
        _ => return,
    };
    if let Some(system) = system {
        let identifier = system.clone();
        found(Declaration::System {
            keyword,
            identifier,
        });
    }
    match (keyword, words) {
        ("doctype", _) if system.is_some() => found(Declaration::Open),
        ("entity", [_, name, rest @ ..]) if !is(Some(name), b"%") => {
            let value = match rest {
                [literal] if is_literal(literal) => &bytes[literal.clone()],
                _ => b"",
            };
            found(Declaration::Entity(&bytes[name.clone()], value));
        }
        _ => {}
    }
}
