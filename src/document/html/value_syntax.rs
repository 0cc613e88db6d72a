//! Grammars of values that are more than one reference: lists, image candidates, meta refresh and
//! assigned locations. All functions return ranges of the decoded value.

use std::ops::Range;

use super::attributes::ValueSyntax;
use crate::bytes::class::{self, run_end, run_start};
use crate::bytes::pattern::Pattern;
use crate::bytes::seek::is_space;

/// The longest attribute value, or text of an element, that is searched, in bytes.
pub(super) const LIMIT: usize = 4 << 20;

static DENSITY: Pattern = Pattern::new(r"^-?(?:[0-9]+|[0-9]*\.[0-9]+)(?:[eE][+-]?[0-9]+)?$");
/// What precedes the reference of a refresh: a time, and a name.
static REFRESH: Pattern = Pattern::new(
    r"^[\t\n\f\r ]*[0-9.]+(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*((?i:url)[\t\n\f\r ]*=[\t\n\f\r ]*)?",
);
/// A string literal, which the end of the script may cut, that is assigned to a location.
static ASSIGNED: Pattern = Pattern::new(
    r#"(?:^|[^$0-9A-Z_a-z\x80-\xFF])location(?:\.href)?[\t\n\f\r ]*=[\t\n\f\r ]*("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)"#,
);

pub(super) fn items<'a>(
    syntax: ValueSyntax,
    bytes: &'a [u8],
    range: Range<usize>,
) -> Box<dyn Iterator<Item = Range<usize>> + 'a> {
    match syntax {
        ValueSyntax::SpaceList => Box::new(split(bytes, range, is_space)),
        ValueSyntax::CommaList => Box::new(commas(bytes, range)),
        ValueSyntax::Location => Box::new(locations(bytes, range)),
        _ => Box::new(srcset(bytes, range)),
    }
}

/// Returns the non-empty items separated by commas, trimmed of white space.
fn commas(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let items = split(bytes, range, |byte| byte == b',').map(move |item| {
        let text = bytes[item.clone()].trim_ascii_start();
        let start = item.end - text.len();
        start..start + text.trim_ascii_end().len()
    });
    items.filter(|item| !item.is_empty())
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
        at = run_end(&bytes[..range.end], start, |byte| !separates(byte));
        Some(start..at)
    })
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
            let end = run_end(bytes, start, |byte| !is_space(byte));
            at = end;
            if bytes[end - 1] == b',' {
                return Some(start..run_start(bytes, start..end, |byte| byte == b','));
            }
            let (are_valid, next) = descriptors(bytes, at);
            at = next;
            if are_valid {
                return Some(start..end);
            }
        }
    })
}

/// Reads descriptors up to a comma outside parentheses; returns whether they are valid, and the end.
fn descriptors(bytes: &[u8], start: usize) -> (bool, usize) {
    let mut is_inside = false;
    let length = bytes[start..].iter().position(|&byte| {
        is_inside = (is_inside || byte == b'(') && byte != b')';
        byte == b',' && !is_inside
    });
    let end = start + length.unwrap_or(bytes.len() - start);
    // A descriptor with parentheses is invalid, and so are its parts.
    let items = bytes[start..end].split(|&byte| is_space(byte));
    // No more than two are valid.
    let kinds = items.filter(|item| !item.is_empty()).take(3);
    let kinds: Vec<u8> = kinds
        .map(|item| match item.split_last() {
            Some((&kind @ (b'w' | b'h'), number)) if is_positive_integer(number) => kind,
            Some((b'x', number)) if is_density(number) => b'x',
            _ => b'?',
        })
        .collect();
    let are_valid = matches!(&*kinds, b"" | b"w" | b"x" | b"wh" | b"hw");
    (are_valid, bytes.len().min(end + 1))
}

/// Whether a number is a valid non-negative integer other than zero.
fn is_positive_integer(number: &[u8]) -> bool {
    number.iter().all(u8::is_ascii_digit) && number.iter().any(|&digit| digit != b'0')
}

/// Whether a number is a valid floating-point number of at least zero (WHATWG HTML 2.3.4.3).
fn is_density(number: &[u8]) -> bool {
    // Rust reads all of these, and others.
    DENSITY.is_match(number) && class::number(number).is_some_and(|number: f64| number >= 0.0)
}

/// Returns the reference in the `content` of a meta refresh (WHATWG HTML, "shared declarative refresh
/// steps"); `None` if the document merely reloads or the value is invalid.
pub(in crate::document) fn refresh(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let text = &bytes[range.clone()];
    let [before, name] = REFRESH.group_at(text, 0)?;
    let start = range.start + before.end;
    match &text[before.end..] {
        [] if name.is_empty() => None,
        [quote @ (b'"' | b'\''), ..] => {
            let bytes = &bytes[..range.end];
            Some(start + 1..run_end(bytes, start + 1, |byte| byte != *quote))
        }
        _ => Some(start..range.end),
    }
}

/// Returns the string literals that a script assigns to a location, without their quotes. One with a
/// backslash is left out: it differs from its value.
fn locations(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let text = &bytes[range.clone()];
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let [_, literal] = ASSIGNED.group_at(text, at)?;
            match &text[literal.clone()] {
                [quote, inner @ .., end] if quote == end => {
                    at = literal.end - 1;
                    if !inner.contains(&b'\\') {
                        return Some(range.start + literal.start + 1..range.start + at);
                    }
                }
                _ => return None,
            }
        }
    })
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/value_syntax.rs"]
mod tests;
