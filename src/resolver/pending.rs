//! References that wait for their base from one window to the next, copied, in document order.

use crate::document::events::{Batch, FoundReference, TextRange};

/// Copies of references, each with the index of its document's scope.
#[derive(Debug, Default)]
pub(super) struct PendingReferences {
    list: Vec<(usize, FoundReference)>,
    /// Holds the texts of the references, and no events.
    texts: Batch,
}

impl PendingReferences {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.texts.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Bytes in use.
    pub(super) fn size(&self) -> usize {
        self.texts.size() + self.list.len() * size_of::<(usize, FoundReference)>()
    }

    /// Drops all but the first `len` references, and their texts.
    pub(super) fn truncate(&mut self, len: usize) {
        if let Some((_, first)) = self.list.get(len) {
            self.texts.drop_texts_from(first);
        }
        self.list.truncate(len);
    }

    pub(super) fn scope(&self, index: usize) -> usize {
        self.list[index].0
    }

    pub(super) fn found(&self, index: usize) -> (&FoundReference, &[TextRange]) {
        let found = &self.list[index].1;
        (found, self.texts.alternatives(found))
    }

    pub(super) fn bytes(&self, text: TextRange) -> &[u8] {
        // Every text was copied, so none lies in a window.
        self.texts.bytes(text, &[])
    }

    /// Copies a reference out of its batch and its window.
    pub(super) fn push(
        &mut self,
        scope: usize,
        found: &FoundReference,
        events: &Batch,
        window: &[u8],
    ) {
        let copy = self.texts.adopt_reference(found, events, window);
        self.list.push((scope, copy));
    }
}
