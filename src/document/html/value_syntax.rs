//! Grammars of values that are more than one reference: lists, image candidates, meta refresh and
//! assigned locations. All functions return ranges of the decoded value.

use std::ops::Range;

use super::attributes::ValueSyntax;
use crate::bytes::class::{run_end, run_start};
use crate::bytes::seek::{is_space, skip_space};

/// The longest attribute value, or text of an element, that is searched, in bytes.
pub(super) const LIMIT: usize = 4 << 20;

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
    let outside = || {
        let mut is_inside = false;
        move |byte: u8| {
            is_inside = (is_inside || byte == b'(') && byte != b')';
            !is_inside
        }
    };
    let mut is_outside = outside();
    let length = bytes[start..]
        .iter()
        .position(|&byte| is_outside(byte) && byte == b',');
    let end = start + length.unwrap_or(bytes.len() - start);
    let mut is_outside = outside();
    let items = bytes[start..end].split(|&byte| is_outside(byte) && is_space(byte));
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
/// steps"); `None` if the document merely reloads or the value is invalid.
pub(in crate::document) fn refresh(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let bytes = &bytes[..range.end];
    let start = skip_space(bytes, range.start);
    let mut at = run_end(bytes, start, |byte| byte.is_ascii_digit() || byte == b'.');
    if at == start {
        return None;
    }
    let separator = *bytes.get(at)?;
    if !matches!(separator, b';' | b',') && !is_space(separator) {
        return None;
    }
    at = skip_space(bytes, at);
    if matches!(bytes.get(at), Some(b';' | b',')) {
        at = skip_space(bytes, at + 1);
    }
    if at == bytes.len() {
        return None;
    }
    let all = at..bytes.len();
    if bytes[at..].len() >= 3 && bytes[at..at + 3].eq_ignore_ascii_case(b"url") {
        let equals = skip_space(bytes, at + 3);
        if bytes.get(equals) != Some(&b'=') {
            return Some(all);
        }
        at = skip_space(bytes, equals + 1);
    }
    let Some(&quote @ (b'"' | b'\'')) = bytes.get(at) else {
        return Some(at..bytes.len());
    };
    Some(at + 1..run_end(bytes, at + 1, |byte| byte != quote))
}

/// Returns the string literals that a script assigns to a location, without their quotes. One with a
/// backslash is left out: it differs from its value.
fn locations(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    let bytes = &bytes[..range.end];
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memmem::find(&bytes[at..], b"location")?;
            at = start + b"location".len();
            let is_named =
                |&byte: &u8| matches!(byte, b'$' | b'_' | 0x80..) || byte.is_ascii_alphanumeric();
            if bytes[..start].last().is_some_and(is_named) {
                continue;
            }
            if bytes[at..].starts_with(b".href") {
                at += b".href".len();
            }
            let equals = skip_space(bytes, at);
            if *bytes.get(equals)? != b'=' {
                continue;
            }
            let quote = skip_space(bytes, equals + 1);
            if !matches!(*bytes.get(quote)?, b'"' | b'\'') {
                continue;
            }
            let mut is_escaped = false;
            let length = bytes[quote + 1..].iter().position(|&byte| {
                let is_end = byte == bytes[quote] && !is_escaped;
                is_escaped = byte == b'\\' && !is_escaped;
                is_end
            });
            at = quote + 1 + length?;
            if !bytes[quote + 1..at].contains(&b'\\') {
                return Some(quote + 1..at);
            }
        }
    })
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/value_syntax.rs"]
mod tests;
