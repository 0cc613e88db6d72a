//! Grammars of values that are more than one reference: lists, image candidates, meta refresh and
//! assigned locations. All functions return ranges of the decoded value.

use std::ops::Range;

use super::attributes::ValueSyntax;
use crate::bytes::seek::is_space;

/// The longest attribute value, or text of an element, that is searched, in bytes.
pub(super) const LIMIT: usize = 4 << 20;

/// Returns the references in a value that is a list.
pub(super) fn items<'a>(
    syntax: ValueSyntax,
    bytes: &'a [u8],
    range: Range<usize>,
) -> Box<dyn Iterator<Item = Range<usize>> + 'a> {
    match syntax {
        ValueSyntax::SpaceList => Box::new(spaced(bytes, range)),
        ValueSyntax::CommaList => Box::new(commas(bytes, range)),
        ValueSyntax::Location => Box::new(locations(bytes, range)),
        _ => Box::new(srcset(bytes, range)),
    }
}

/// Returns the items separated by white space.
fn spaced(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    split(bytes, range, is_space)
}

/// Returns the non-empty items separated by commas, trimmed of white space.
fn commas(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    split(bytes, range, |byte| byte == b',')
        .map(move |item| trim(bytes, item))
        .filter(|item| !item.is_empty())
}

fn split(
    bytes: &[u8],
    range: Range<usize>,
    separates: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let item = &bytes[at..range.end];
        let start = at + item.iter().position(|&byte| !separates(byte))?;
        let rest = &bytes[start..range.end];
        let length = rest.iter().position(|&byte| separates(byte));
        at = start + length.unwrap_or(rest.len());
        Some(start..at)
    })
}

/// Trims white space from both ends of a range.
fn trim(bytes: &[u8], mut range: Range<usize>) -> Range<usize> {
    while range.start < range.end && is_space(bytes[range.start]) {
        range.start += 1;
    }
    while range.start < range.end && is_space(bytes[range.end - 1]) {
        range.end -= 1;
    }
    range
}

/// Returns the references of valid image candidates (WHATWG HTML 4.8.4.2.2, "parse a srcset
/// attribute").
fn srcset(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    let bytes = &bytes[..range.end];
    std::iter::from_fn(move || {
        loop {
            let skipped = bytes[at..]
                .iter()
                .position(|&byte| !is_space(byte) && byte != b',');
            let start = at + skipped?;
            let length = bytes[start..].iter().position(|&byte| is_space(byte));
            let mut end = start + length.unwrap_or(bytes.len() - start);
            at = end;
            if bytes[end - 1] == b',' {
                while end > start && bytes[end - 1] == b',' {
                    end -= 1;
                }
                return Some(start..end);
            }
            let mut descriptors = Descriptors::default();
            at = descriptors.read(bytes, at);
            if descriptors.valid() {
                return Some(start..end);
            }
        }
    })
}

/// The descriptors of one image candidate.
#[derive(Default)]
struct Descriptors {
    width: bool,
    density: bool,
    height: bool,
    invalid: bool,
}

impl Descriptors {
    /// Reads descriptors up to a comma outside parentheses; returns the index after the comma.
    fn read(&mut self, bytes: &[u8], mut at: usize) -> usize {
        let mut start = at;
        let mut in_parentheses = false;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b')' => in_parentheses = false,
                b'(' => in_parentheses = true,
                b',' if !in_parentheses => break,
                _ if is_space(byte) && !in_parentheses => {
                    self.add(&bytes[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        self.add(&bytes[start..at]);
        bytes.len().min(at + 1)
    }

    fn add(&mut self, descriptor: &[u8]) {
        let Some((&kind, number)) = descriptor.split_last() else {
            return;
        };
        let conflicts = match kind {
            b'w' if is_positive_integer(number) => {
                std::mem::replace(&mut self.width, true) || self.density
            }
            b'x' if is_density(number) => {
                std::mem::replace(&mut self.density, true) || self.width || self.height
            }
            b'h' if is_positive_integer(number) => {
                std::mem::replace(&mut self.height, true) || self.density
            }
            _ => true,
        };
        self.invalid |= conflicts;
    }

    fn valid(&self) -> bool {
        !self.invalid && (!self.height || self.width)
    }
}

/// Whether a number is a valid non-negative integer other than zero.
fn is_positive_integer(number: &[u8]) -> bool {
    number.iter().all(u8::is_ascii_digit) && number.iter().any(|&digit| digit != b'0')
}

/// Whether a number is a valid floating-point number of at least zero (WHATWG HTML 2.3.4.3).
fn is_density(number: &[u8]) -> bool {
    // Rust also reads `+1`, `1.`, `inf` and `nan`.
    let is_strict = number.first() != Some(&b'+')
        && number
            .iter()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte))
        && (number.split(|&byte| byte == b'.').skip(1))
            .all(|it| it.first().is_some_and(u8::is_ascii_digit));
    let number = str::from_utf8(number)
        .ok()
        .and_then(|number| number.parse().ok());
    is_strict && number.is_some_and(|number: f64| number >= 0.0)
}

/// Returns the reference in the `content` of a meta refresh (WHATWG HTML, "shared declarative refresh
/// steps"); none if the document merely reloads or the value is invalid.
pub(in crate::document) fn refresh(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let bytes = &bytes[..range.end];
    let space = |at: usize| {
        let rest = &bytes[at..];
        at + rest
            .iter()
            .position(|&byte| !is_space(byte))
            .unwrap_or(rest.len())
    };
    let start = space(range.start);
    let mut at = start;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if at == start && bytes.get(at) != Some(&b'.') {
        return None;
    }
    while bytes
        .get(at)
        .is_some_and(|&byte| byte.is_ascii_digit() || byte == b'.')
    {
        at += 1;
    }
    let separator = *bytes.get(at)?;
    if !matches!(separator, b';' | b',') && !is_space(separator) {
        return None;
    }
    at = space(at);
    if matches!(bytes.get(at), Some(b';' | b',')) {
        at = space(at + 1);
    }
    if at == bytes.len() {
        return None;
    }
    let all = at..bytes.len();
    if bytes[at..].len() >= 3 && bytes[at..at + 3].eq_ignore_ascii_case(b"url") {
        let equals = space(at + 3);
        if bytes.get(equals) != Some(&b'=') {
            return Some(all);
        }
        at = space(equals + 1);
    }
    let Some(&quote @ (b'"' | b'\'')) = bytes.get(at) else {
        return Some(at..bytes.len());
    };
    let rest = &bytes[at + 1..];
    let length = rest.iter().position(|&byte| byte == quote);
    Some(at + 1..at + 1 + length.unwrap_or(rest.len()))
}

/// Returns the string literals that a script assigns to a location, without their quotes.
fn locations(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    let bytes = &bytes[..range.end];
    std::iter::from_fn(move || {
        loop {
            at += memchr::memmem::find(&bytes[at..], b"location")? + b"location".len();
            if bytes[at..].starts_with(b".href") {
                at += b".href".len();
            }
            let start = at
                + bytes[at..]
                    .iter()
                    .position(|byte| !byte.is_ascii_whitespace())?;
            if bytes[start] != b'=' {
                continue;
            }
            let rest = &bytes[start + 1..];
            let quote = start + 1 + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
            if !matches!(bytes[quote], b'"' | b'\'') {
                continue;
            }
            let length = memchr::memchr(bytes[quote], &bytes[quote + 1..])?;
            at = quote + 1 + length;
            return Some(quote + 1..at);
        }
    })
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/value_syntax.rs"]
mod tests;
