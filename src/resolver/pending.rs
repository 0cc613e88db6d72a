//! References that wait from one window to the next: copies, in document order.

use crate::document::events::{BaseSelector, Batch, FoundReference, NameRange, TextRange};

/// Copies of references, each with the index of its document's frame.
#[derive(Debug, Default)]
pub(super) struct PendingReferences {
    list: Vec<(usize, FoundReference)>,
    store: Vec<u8>,
    alternatives: Vec<TextRange>,
}

impl PendingReferences {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.store.clear();
        self.alternatives.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Bytes in use.
    pub(super) fn size(&self) -> usize {
        self.store.len() + self.list.len() * size_of::<(usize, FoundReference)>()
    }

    /// Drops what was kept behind the first `len` references, with its bytes.
    pub(super) fn truncate(&mut self, len: usize) {
        if let Some((_, first)) = self.list.get(len) {
            // INVARIANT: a reference's own text is the first that is stored of it.
            let (TextRange::Window(start, _) | TextRange::Stored(start, _)) = first.text;
            self.store.truncate(start as usize);
            self.alternatives.truncate(first.alternatives.0 as usize);
        }
        self.list.truncate(len);
    }

    pub(super) fn frame(&self, index: usize) -> usize {
        self.list[index].0
    }

    pub(super) fn found(&self, index: usize) -> (&FoundReference, &[TextRange]) {
        let found = &self.list[index].1;
        let (start, end) = found.alternatives;
        (found, &self.alternatives[start as usize..end as usize])
    }

    pub(super) fn bytes(&self, text: TextRange) -> &[u8] {
        match text {
            TextRange::Window(start, end) | TextRange::Stored(start, end) => {
                &self.store[start as usize..end as usize]
            }
        }
    }

    /// Copies a reference out of its batch and its window.
    pub(super) fn keep(
        &mut self,
        frame: usize,
        found: &FoundReference,
        events: &Batch,
        window: &[u8],
    ) {
        let mut copy = *found;
        copy.text = self.store(events.bytes(found.text, window));
        copy.element = self.name(found.element, events, window);
        copy.attribute = self.name(found.attribute, events, window);
        if let BaseSelector::Codebase(text) = found.wants {
            copy.wants = BaseSelector::Codebase(self.store(events.bytes(text, window)));
        }
        let start = self.alternatives.len() as u32;
        for &text in events.alternatives(found) {
            let text = self.store(events.bytes(text, window));
            self.alternatives.push(text);
        }
        copy.alternatives = (start, self.alternatives.len() as u32);
        self.list.push((frame, copy));
    }

    fn name(&mut self, name: NameRange, events: &Batch, window: &[u8]) -> NameRange {
        match name {
            NameRange::Other(text) => NameRange::Other(self.store(events.bytes(text, window))),
            known => known,
        }
    }

    fn store(&mut self, bytes: &[u8]) -> TextRange {
        let start = self.store.len() as u32;
        self.store.extend_from_slice(bytes);
        TextRange::Stored(start, self.store.len() as u32)
    }
}
