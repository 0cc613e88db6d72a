//! Labels by which references name parts of the same message (RFC 2557, RFC 2392).

use std::borrow::Cow;
use std::collections::HashMap;

use percent_encoding::percent_decode;

use crate::bytes::class::split_once;
use crate::bytes::steps::step;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelKind {
    /// A Content-Location, resolved.
    Location,
    /// A Content-ID.
    ContentId,
}

/// The largest number of labels.
const MAX_LABELS: usize = 64 << 10;
/// The approximate limit on their memory, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// The approximate overhead of a map entry, in bytes.
const ENTRY: usize = 64;

/// The labels in the messages that are open or have pending references.
#[derive(Debug, Default)]
pub(super) struct PartLabels {
    /// Parts by the identity of a scope, the number of the kind and the name.
    parts: HashMap<Vec<u8>, String>,
    /// The numbers of labels by their kinds.
    counts: [usize; 2],
    bytes: usize,
    /// The key of the next lookup.
    key: Vec<u8>,
}

impl PartLabels {
    pub(super) fn is_empty(&self) -> bool {
        self.counts == [0, 0]
    }

    pub(super) fn clear(&mut self) {
        if !self.is_empty() {
            self.parts.clear();
            (self.counts, self.bytes) = ([0, 0], 0);
        }
    }

    /// Adds a label to some scopes; returns false if a limit is exceeded.
    pub(super) fn add(
        &mut self,
        kind: LabelKind,
        name: &[u8],
        scope_ids: &[Option<u64>],
        part: &str,
    ) -> bool {
        if scope_ids.iter().all(Option::is_none) {
            return true;
        }
        if self.counts.iter().sum::<usize>() >= MAX_LABELS {
            return false;
        }
        self.counts[kind as usize] += 1;
        self.set_key(kind, name);
        for &scope_id in scope_ids.iter().flatten() {
            self.set_scope(scope_id);
            // The first part with a label wins.
            if self.parts.contains_key(&self.key) {
                continue;
            }
            self.bytes += self.key.len() + part.len() + ENTRY;
            if self.bytes > MAX_BYTES {
                return false;
            }
            self.parts.insert(self.key.clone(), part.to_owned());
        }
        true
    }

    /// Returns whether there are labels of the kind of a target.
    #[inline]
    pub(super) fn may_name(&self, target: &[u8]) -> bool {
        !self.is_empty() && self.counts[usize::from(names_part(target))] > 0
    }

    /// Returns the part that a target names, in the first of the given scopes that has the label.
    pub(super) fn part(&mut self, target: &[u8], scope_ids: &[u64]) -> Option<&str> {
        match content_id(target) {
            Some(name) => self.set_key(LabelKind::ContentId, &name),
            None => self.set_key(LabelKind::Location, split_once(target, b'#').0),
        }
        let scope_id = scope_ids.iter().copied().find(|&scope_id| {
            step(1);
            self.set_scope(scope_id);
            self.parts.contains_key(&self.key)
        })?;
        self.set_scope(scope_id);
        self.parts.get(&self.key).map(String::as_str)
    }

    /// Makes the key of a label, without a scope.
    fn set_key(&mut self, kind: LabelKind, name: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(&[0; ID_LENGTH]);
        self.key.push(kind as u8);
        self.key.extend_from_slice(name);
    }

    fn set_scope(&mut self, scope_id: u64) {
        self.key[..ID_LENGTH].copy_from_slice(&scope_id.to_ne_bytes());
    }
}

const ID_LENGTH: usize = size_of::<u64>();

/// Returns whether a reference is a `cid:` URI.
pub(super) fn names_part(reference: &[u8]) -> bool {
    matches!(reference, [b'c' | b'C', b'i' | b'I', b'd' | b'D', b':', ..])
}

/// Returns the identifier in a `cid:` URI, percent-decoded (RFC 2392 section 2).
fn content_id(target: &[u8]) -> Option<Cow<'_, [u8]>> {
    names_part(target).then(|| percent_decode(&target[4..]).into())
}
