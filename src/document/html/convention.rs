//! What is a reference only by convention (`--extended`): Open Graph and its like, locations in
//! event handlers.

use std::ops::Range;

use super::names::Attribute;
use super::source::ValueSource;
use super::tag::Tag;
use super::value;

/// Values of `property` and `name` of a `meta` whose `content` is a reference.
const PROPERTIES: &[&[u8]] = &[
    b"og:image",
    b"og:image:url",
    b"og:image:secure_url",
    b"og:video",
    b"og:video:url",
    b"og:video:secure_url",
    b"og:audio",
    b"og:audio:url",
    b"og:audio:secure_url",
    b"og:url",
    b"twitter:image",
    b"twitter:image:src",
    b"twitter:player",
    b"twitter:player:stream",
    b"msapplication-tileimage",
    b"msapplication-config",
];

/// Whether the `content` of a `meta` is a reference by its other attributes.
pub(super) fn is_reference(source: &ValueSource<'_>, tag: &Tag) -> bool {
    let listed = |attribute| {
        tag.value(attribute).is_some_and(|range| {
            let value = value::plain(source, range).to_ascii_lowercase();
            PROPERTIES.contains(&&*value)
        })
    };
    listed(Attribute::Property)
        || listed(Attribute::Called)
        || tag.value(Attribute::ItemProp).is_some()
}

/// The strings that a script assigns to a location, without their quotes.
pub(super) fn locations(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
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
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_string_that_is_assigned() {
        let script = "location='a'; window.location.href = \"b\"; location==x; location.reload()";
        let found: Vec<_> = locations(script.as_bytes(), 0..script.len())
            .map(|range| &script[range])
            .collect();
        assert_eq!(found, ["a", "b"]);
    }
}
