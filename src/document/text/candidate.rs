//! What the rules make of a candidate: one reading, and the cleaned text where it differs from
//! what stands in the window.

use std::ops::Range;

use super::view::{ByteClassSet, TextView, is_escape};
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::document::events::{Context, Event, Events, FoundReference, TextRange};
use crate::document::flags::Flags;

/// A find, in indices of the window.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// From the reference's first to its last byte, inner breaks included.
    pub(super) raw: Range<usize>,
    /// Behind the closing delimiter: scanning resumes here.
    pub(super) outer_end: usize,
    /// Where it stands.
    pub(super) context: Context,
    /// What was done to it and what is odd about it.
    pub(super) flags: Flags,
    /// The reference is the workspace's text, not the window's.
    pub(super) cleaned: bool,
    /// D10: the reading without delimiters is so much of the reference.
    pub(super) shorter: Option<usize>,
}

/// Memory that is used again for each candidate.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// The cleaned reference.
    pub(super) text: Vec<u8>,
    /// D9: indices of the doubtful hyphens in it.
    pub(super) hyphens: Vec<usize>,
    /// D6a: indices in it before which a backslash was removed.
    pub(super) continuations: Vec<usize>,
    /// B14: text without the escapes of troff.
    pub(super) unescaped: Unescaped,
}

impl Workspace {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.hyphens.clear();
        self.continuations.clear();
    }

    /// The reference of a reading.
    pub(super) fn reference<'a>(&'a self, reading: &Candidate, bytes: &'a [u8]) -> &'a [u8] {
        match reading.cleaned {
            true => &self.text,
            false => &bytes[reading.raw.clone()],
        }
    }

    /// Reports a reading.
    #[inline]
    pub(super) fn report(&self, reading: &Candidate, window: &Window<'_>, events: &mut Events) {
        let span = crate::document::events::Span {
            start: window.offset_at(reading.raw.start),
            end: window.offset_at(reading.raw.end),
        };
        let (text, alternatives) = match reading.cleaned {
            true => self.store(reading, events),
            false => (TextRange::window(reading.raw.clone()), (0, 0)),
        };
        let mut found = FoundReference::new(span, text, reading.context);
        found.flags = reading.flags;
        found.alternatives = alternatives;
        events.push(Event::Reference(found));
    }

    /// Stores a cleaned reference and its other readings; only such a one has any.
    #[cold]
    fn store(&self, reading: &Candidate, events: &mut Events) -> (TextRange, (u32, u32)) {
        let text = events.store(&self.text);
        let is_doubtful = !self.hyphens.is_empty() || !self.continuations.is_empty();
        let alternatives = match is_doubtful || reading.shorter.is_some() {
            true => self.alternatives(reading, text, events),
            false => (0, 0),
        };
        (text, alternatives)
    }

    /// D9, D6a, D10: without the doubtful hyphens, with the backslashes, then as it would read without delimiters.
    fn alternatives(
        &self,
        reading: &Candidate,
        text: TextRange,
        events: &mut Events,
    ) -> (u32, u32) {
        let mut texts = [text; 3];
        let mut n = 0;
        if !self.hyphens.is_empty() {
            texts[n] = events.store_with(|store| {
                let mut from = 0;
                for &hyphen in &self.hyphens {
                    store.extend_from_slice(&self.text[from..hyphen]);
                    from = hyphen + 1;
                }
                store.extend_from_slice(&self.text[from..]);
            });
            n += 1;
        }
        if !self.continuations.is_empty() {
            texts[n] = events.store_with(|store| {
                let mut from = 0;
                for &at in &self.continuations {
                    store.extend_from_slice(&self.text[from..at]);
                    store.push(b'\\');
                    from = at;
                }
                store.extend_from_slice(&self.text[from..]);
            });
            n += 1;
        }
        if let Some(length) = reading.shorter {
            texts[n] = match text {
                TextRange::Window(start, _) => TextRange::Window(start, start + length as u32),
                TextRange::Stored(start, _) => TextRange::Stored(start, start + length as u32),
            };
            n += 1;
        }
        events.store_alternatives(&texts[..n])
    }
}

/// A stretch of the window without escapes, up to where any bare URI in it ends at the latest.
///
/// It is kept for the next URI in the same stretch, so that no byte is copied more than twice.
#[derive(Debug, Default)]
pub(super) struct Unescaped {
    pub(super) text: Vec<u8>,
    /// Where `text` goes on after an escape: an index in it, and the same place in the window.
    places: Vec<(usize, usize)>,
    /// The indices of the window that were read.
    start: usize,
    pub(super) end: usize,
    /// The stretch goes on behind `end`.
    is_cut: bool,
}

impl Unescaped {
    /// Forgets the window.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
        (self.start, self.end, self.is_cut) = (0, 0, false);
    }

    /// Makes sure that all of a URI that starts at an index is there.
    pub(super) fn reach(
        &mut self,
        view: &TextView<'_>,
        at: usize,
        longest: usize,
        stops: &ByteClassSet,
    ) {
        let reach = at + longest;
        let is_there = self.start <= at && at < self.end && (!self.is_cut || reach <= self.end);
        if is_there {
            return;
        }
        self.clear();
        (self.start, self.end) = (at, at);
        self.places.push((0, at));
        let limit = at + 2 * longest;
        let bytes = view.bytes;
        while self.end < limit {
            let length = bytes[self.end..]
                .iter()
                .position(|&byte| stops[byte as usize])
                .unwrap_or(bytes.len() - self.end);
            let stop = (self.end + length).min(limit);
            step(stop - self.end + 1);
            self.text.extend_from_slice(&bytes[self.end..stop]);
            self.end = stop;
            match bytes.get(stop..stop + 2) {
                _ if stop == limit => break,
                Some(&[b'\\', next]) if is_escape(next) => {
                    self.end += 2;
                    if next == b'-' {
                        // The place of the hyphen is that of its escape's second byte.
                        self.places.push((self.text.len(), stop + 1));
                        self.text.push(b'-');
                    }
                    self.places.push((self.text.len(), self.end));
                }
                _ => {
                    // The stop itself, and what tells that a backslash begins no escape.
                    let behind = &bytes[stop..bytes.len().min(stop + 2)];
                    self.text.extend_from_slice(behind);
                    self.end += behind.len().min(1);
                    return;
                }
            }
        }
        self.is_cut = true;
    }

    /// The index in the text of the first byte that stands at an index of the window, or behind it.
    pub(super) fn index(&self, at: usize) -> usize {
        let next = self.places.partition_point(|&(_, place)| place <= at);
        let (index, place) = self.places[next - 1];
        let end = self.places.get(next).map_or(self.text.len(), |next| next.0);
        (index + at - place).min(end)
    }

    /// The index of the window at which a byte of the text stands.
    pub(super) fn place(&self, index: usize) -> usize {
        let next = self.places.partition_point(|&(other, _)| other <= index);
        let (other, place) = self.places[next - 1];
        place + index - other
    }
}
