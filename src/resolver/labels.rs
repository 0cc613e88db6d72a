//! Names that the parts of a message have for each other (RFC 2557, RFC 2392).

use std::borrow::Cow;
use std::collections::HashMap;

use percent_encoding::percent_decode;

use crate::bytes::steps::step;

/// What a reference can name a part by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelKind {
    /// Its Content-Location, resolved.
    Location,
    /// Its Content-ID.
    ContentId,
}

/// More labels are not kept.
const MOST: usize = 64 << 10;
/// Nor more bytes of them, about.
const MOST_BYTES: usize = 16 << 20;
/// What a map needs for a row besides its bytes, about.
const ROW: usize = 64;

/// The labels of the messages that are open or held.
#[derive(Debug, Default)]
pub(super) struct PartLabels {
    /// The frame in which a name counts, the kind's letter and the name, to the part that they name.
    parts: HashMap<Vec<u8>, String>,
    /// Labels of each kind.
    locations: usize,
    ids: usize,
    bytes: usize,
    key: Vec<u8>,
}

impl PartLabels {
    pub(super) fn is_empty(&self) -> bool {
        self.locations + self.ids == 0
    }

    pub(super) fn clear(&mut self) {
        if !self.is_empty() {
            self.parts.clear();
            (self.locations, self.ids, self.bytes) = (0, 0, 0);
        }
    }

    /// Adds a name that counts in some frames; false when there are too many.
    pub(super) fn add(
        &mut self,
        kind: LabelKind,
        name: &[u8],
        scopes: &[Option<u64>],
        part: &str,
    ) -> bool {
        if scopes.iter().all(Option::is_none) {
            return true;
        }
        if self.locations + self.ids >= MOST {
            return false;
        }
        match kind {
            LabelKind::Location => self.locations += 1,
            LabelKind::ContentId => self.ids += 1,
        }
        self.fill(kind, name);
        for &scope in scopes.iter().flatten() {
            self.scope(scope);
            // The first part of a name is the one that counts.
            if self.parts.contains_key(&self.key) {
                continue;
            }
            self.bytes += self.key.len() + part.len() + ROW;
            if self.bytes > MOST_BYTES {
                return false;
            }
            self.parts.insert(self.key.clone(), part.to_owned());
        }
        true
    }

    /// Whether there are labels of the kind that a reference's target can name a part by.
    #[inline]
    pub(super) fn may_name(&self, target: &[u8]) -> bool {
        !self.is_empty() && self.has_kind_of(target)
    }

    fn has_kind_of(&self, target: &[u8]) -> bool {
        match names_part(target) {
            true => self.ids > 0,
            false => self.locations > 0,
        }
    }

    /// The part that a reference's target names, in the first of the given frames that has it.
    pub(super) fn part(&mut self, target: &[u8], scopes: &[u64]) -> Option<&str> {
        match content_id(target) {
            Some(name) => self.fill(LabelKind::ContentId, &name),
            None => {
                let end = memchr::memchr(b'#', target).unwrap_or(target.len());
                self.fill(LabelKind::Location, &target[..end]);
            }
        }
        let scope = scopes.iter().copied().find(|&scope| {
            step(1);
            self.scope(scope);
            self.parts.contains_key(&self.key)
        })?;
        self.scope(scope);
        self.parts.get(&self.key).map(String::as_str)
    }

    /// Makes a key of a name, for no frame yet.
    fn fill(&mut self, kind: LabelKind, name: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(&[0; SCOPE]);
        self.key.push(match kind {
            LabelKind::Location => b'l',
            LabelKind::ContentId => b'c',
        });
        self.key.extend_from_slice(name);
    }

    /// Makes the key count in a frame.
    fn scope(&mut self, scope: u64) {
        self.key[..SCOPE].copy_from_slice(&scope.to_ne_bytes());
    }
}

/// The bytes of a frame's identity.
const SCOPE: usize = size_of::<u64>();

/// Whether a reference is a `cid:` URI.
pub(super) fn names_part(reference: &[u8]) -> bool {
    matches!(reference, [b'c' | b'C', b'i' | b'I', b'd' | b'D', b':', ..])
}

/// The identifier that a `cid:` URI names, its percent escapes decoded (RFC 2392 section 2).
fn content_id(target: &[u8]) -> Option<Cow<'_, [u8]>> {
    names_part(target).then(|| percent_decode(&target[4..]).into())
}
