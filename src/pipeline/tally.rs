//! Links counted by what they have in common.

use std::collections::HashMap;

use crate::output::decimal;
use crate::output::place::Place;
use crate::output::text::push_lossy;
use crate::resolver::Link;
use crate::uri::Reference;

/// What links are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The host of the target.
    Host,
    /// The scheme of the target.
    Scheme,
    /// The target.
    Target,
    /// The path of the file.
    Path,
}

impl Key {
    /// What a link is counted under; what has no target is counted by its reference.
    fn of<'a>(self, place: &'a Place, link: &'a Link<'_>) -> &'a [u8] {
        let uri = link.target.unwrap_or(link.reference);
        match self {
            Key::Target => uri,
            Key::Path => place.path(),
            Key::Scheme => Reference::split(uri).scheme.unwrap_or_default(),
            Key::Host => host(Reference::split(uri).authority.unwrap_or_default()),
        }
    }
}

/// An authority without user information and port (RFC 3986 section 3.2).
fn host(authority: &[u8]) -> &[u8] {
    let from = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
    let host = &authority[from..];
    // The colons of an IP literal stand in brackets.
    match memchr::memrchr(b':', host) {
        Some(at) if host[at..].iter().skip(1).all(u8::is_ascii_digit) => &host[..at],
        _ => host,
    }
}

/// How often each key occurred.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: HashMap<Vec<u8>, u64>,
}

impl Tally {
    /// Counts a link.
    pub fn count(&mut self, key: Key, place: &Place, link: &Link<'_>) {
        let key = key.of(place, link);
        if let Some(count) = self.counts.get_mut(key) {
            *count += 1;
        } else {
            self.counts.insert(key.to_vec(), 1);
        }
    }

    /// Adds what another worker has counted.
    pub fn add(&mut self, other: Tally) {
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
    }

    /// Appends a line for each key, the most frequent first: the count, a tab, the key; `-` stands
    /// for an empty one.
    pub fn push(&self, terminator: u8, out: &mut Vec<u8>) {
        let mut rows: Vec<_> = self.counts.iter().collect();
        rows.sort_unstable_by(|(key, count), (other, others)| {
            others.cmp(count).then_with(|| key.cmp(other))
        });
        for (key, count) in rows {
            decimal::push(*count, out);
            out.push(b'\t');
            push_lossy(if key.is_empty() { b"-" } else { key }, out);
            out.push(terminator);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn hosts_stand_between_user_and_port() {
        for (authority, expected) in [
            ("example.com", "example.com"),
            ("example.com:80", "example.com"),
            ("example.com:", "example.com"),
            ("user:secret@example.com:80", "example.com"),
            ("[::1]", "[::1]"),
            ("[::1]:80", "[::1]"),
            ("", ""),
        ] {
            assert_eq!(
                host(authority.as_bytes()),
                expected.as_bytes(),
                "{authority}"
            );
        }
    }
}
