//! Tags that are longer than the limit: what stands within it counts, the rest is passed over
//! window by window.

use super::LIMIT;
use super::tag::{Attributes, Step};
use crate::bytes::seek;

/// Where in a tag that is passed over a window ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inside {
    /// Before, between or in names.
    Names,
    /// In a value that ends at the quote.
    Quoted(u8),
    /// In a value without quotes.
    Bare,
}

/// What was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// The tag ends before the index.
    Tag(usize),
    /// The bytes before the index; more of the tag follows.
    Some(usize, Inside),
}

/// Whether a tag that starts at one index and is not over at another must not be waited for.
pub(super) fn is_overlong(start: usize, at: usize) -> bool {
    at - start > LIMIT
}

/// Where the bytes end, if the attribute that they cut starts at `start`.
pub(super) fn cut(bytes: &[u8], start: usize) -> Inside {
    if start >= bytes.len() {
        return Inside::Names;
    }
    let name_end = seek::attribute_name_end(bytes, start + 1);
    let equals = seek::skip_space(bytes, name_end);
    if bytes.get(equals) != Some(&b'=') {
        return Inside::Names;
    }
    match bytes.get(seek::skip_space(bytes, equals + 1)) {
        Some(&quote @ (b'"' | b'\'')) => Inside::Quoted(quote),
        Some(_) => Inside::Bare,
        None => Inside::Names,
    }
}

/// Passes over what is in view of a tag from an index on.
pub(super) fn pass(bytes: &[u8], at: usize, inside: Inside) -> Passed {
    let length = bytes.len();
    let at = match inside {
        Inside::Names => at,
        Inside::Quoted(quote) => match seek::next(quote, bytes, at) {
            end if end == length => return Passed::Some(length, inside),
            end => end + 1,
        },
        Inside::Bare => match seek::bare_value_end(bytes, at) {
            end if end == length => return Passed::Some(length, inside),
            end => end,
        },
    };
    let mut attributes = Attributes::new(bytes, at);
    loop {
        match attributes.step() {
            Step::Attribute(_) => {}
            Step::End { end, .. } => return Passed::Tag(end),
            Step::Cut(start) if is_overlong(start, length) => {
                return Passed::Some(length, cut(bytes, start));
            }
            Step::Cut(start) => return Passed::Some(start, Inside::Names),
        }
    }
}
