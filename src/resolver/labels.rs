//! Names that the parts of a `multipart/related` have for each other (RFC 2557, RFC 2392).

use std::collections::HashMap;

/// What a reference can name a part by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its Content-Location, resolved.
    Location,
    /// Its Content-ID.
    ContentId,
}

/// More labels are not kept.
const MOST: usize = 64 << 10;

/// The labels of the documents that are open or held.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The kind's letter and the name, to the frames in which they count and the parts they name.
    parts: HashMap<Vec<u8>, Vec<(usize, String)>>,
    count: usize,
    key: Vec<u8>,
}

impl Labels {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        if self.count > 0 {
            self.parts.clear();
            self.count = 0;
        }
    }

    /// Adds a name that counts in a frame; false when there are too many.
    pub(super) fn add(&mut self, kind: Kind, name: &[u8], scope: usize, part: &str) -> bool {
        if self.count >= MOST {
            return false;
        }
        self.count += 1;
        let parts = self.parts.entry(key(kind, name)).or_default();
        // The first part of a name is the one that counts.
        if !parts.iter().any(|(known, _)| *known == scope) {
            parts.push((scope, part.to_owned()));
        }
        true
    }

    /// The part that a reference's target names, in the innermost of the given frames.
    pub(super) fn part(&mut self, target: &[u8], scopes: &[usize]) -> Option<&str> {
        let (kind, name) = match content_id(target) {
            Some(name) => (Kind::ContentId, name),
            None => {
                let end = memchr::memchr(b'#', target).unwrap_or(target.len());
                (Kind::Location, target[..end].to_vec())
            }
        };
        self.key = key(kind, &name);
        let parts = self.parts.get(&self.key)?;
        scopes
            .iter()
            .find_map(|scope| parts.iter().find(|(known, _)| known == scope))
            .map(|(_, part)| part.as_str())
    }
}

fn key(kind: Kind, name: &[u8]) -> Vec<u8> {
    let letter = match kind {
        Kind::Location => b'l',
        Kind::ContentId => b'c',
    };
    let mut key = vec![letter];
    key.extend_from_slice(name);
    key
}

/// The identifier that a `cid:` URI names, its percent escapes decoded (RFC 2392 section 2).
fn content_id(target: &[u8]) -> Option<Vec<u8>> {
    let (scheme, rest) = target.split_at_checked(4)?;
    if !scheme.eq_ignore_ascii_case(b"cid:") {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut name = Vec::new();
    let mut at = 0;
    while at < rest.len() {
        if let [b'%', high, low, ..] = rest[at..]
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            name.push((high << 4 | low) as u8);
            at += 3;
        } else {
            name.push(rest[at]);
            at += 1;
        }
    }
    Some(name)
}
