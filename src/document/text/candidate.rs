//! A candidate for a reference, and the memory in which it is cleaned.

use std::ops::Range;

use super::view::{TextView, is_escape};
use crate::bytes::class::ByteSet;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::document::events::{Context, Event, Events, FoundReference, Span, TextRange};
use crate::document::flags::Flags;
use crate::uri::ByteClasses;

/// A reference in indices of the window.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The range from the first to the last byte of the reference, removed bytes included.
    pub(super) raw: Range<usize>,
    /// The index after the closing delimiter, from which scanning continues.
    pub(super) outer_end: usize,
    pub(super) context: Context,
    pub(super) flags: Flags,
    /// The classes of the bytes of the reference, once it is checked.
    pub(super) classes: ByteClasses,
    /// The reference is the text of the [`Workspace`].
    pub(super) cleaned: bool,
}

/// Memory that all candidates share.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// The cleaned reference.
    pub(super) text: Vec<u8>,
    /// T19: indices of doubtful hyphens in `text`.
    pub(super) hyphens: Vec<usize>,
    /// T16: indices in `text` at which a backslash was removed.
    pub(super) continuations: Vec<usize>,
    /// T20: the length of the reading without delimiters.
    pub(super) shorter: Option<usize>,
    /// T39: text without the escapes of troff.
    pub(super) unescaped: Unescaped,
}

impl Candidate {
    /// Returns a candidate that is unchanged in the window.
    #[inline]
    pub(super) fn new(raw: Range<usize>, outer_end: usize, context: Context, flags: Flags) -> Self {
        Candidate {
            raw,
            outer_end,
            context,
            flags,
            classes: ByteClasses::default(),
            cleaned: false,
        }
    }
}

impl Workspace {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.hyphens.clear();
        self.continuations.clear();
        self.shorter = None;
    }

    pub(super) fn reference<'a>(&'a self, candidate: &Candidate, bytes: &'a [u8]) -> &'a [u8] {
        if candidate.cleaned {
            &self.text
        } else {
            &bytes[candidate.raw.clone()]
        }
    }

    #[inline]
    pub(super) fn report(&self, candidate: &Candidate, window: &Window, events: &mut Events) {
        let span = Span::of(&candidate.raw, window);
        let (text, alternatives) = if candidate.cleaned {
            self.store(events)
        } else {
            (TextRange::window(candidate.raw.clone()), (0, 0))
        };
        events.push(Event::Reference(FoundReference {
            flags: candidate.flags,
            classes: candidate.classes,
            alternatives,
            ..FoundReference::new(span, text, candidate.context)
        }));
    }

    /// Stores a cleaned reference, and its readings without doubtful hyphens (T19), with backslashes (T16),
    /// without delimiters (T20).
    #[cold]
    fn store(&self, events: &mut Events) -> (TextRange, (u32, u32)) {
        let text = events.store(&self.text);
        let mut texts = Vec::new();
        let mut store = |places: &[usize], removed: usize, inserted: &[u8]| {
            if places.is_empty() {
                return;
            }
            texts.push(events.store_with(|text| {
                let mut from = 0;
                for &at in places {
                    text.extend_from_slice(&self.text[from..at]);
                    text.extend_from_slice(inserted);
                    from = at + removed;
                }
                text.extend_from_slice(&self.text[from..]);
            }));
        };
        store(&self.hyphens, 1, b"");
        store(&self.continuations, 0, b"\\");
        if let Some(length) = self.shorter {
            texts.push(events.store(&self.text[..length]));
        }
        (text, events.store_alternatives(&texts))
    }
}

/// T39: a part of the window without escapes of troff, up to the last possible end of a bare URI. The
/// next URI in it uses it again, so that no byte is copied more than twice.
#[derive(Debug, Default)]
pub(super) struct Unescaped {
    pub(super) text: Vec<u8>,
    /// The index in `text` and the index in the window of each end of an escape.
    places: Vec<(usize, usize)>,
    /// The range of the window that `text` replaces.
    start: usize,
    pub(super) end: usize,
    /// The part continues after `end`.
    is_cut: bool,
}

impl Unescaped {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
        (self.start, self.end, self.is_cut) = (0, 0, false);
    }

    /// Reads the part with a URI of at most `longest` bytes at an index, up to a byte of `stops`.
    pub(super) fn reach(&mut self, view: &TextView, at: usize, longest: usize, stops: &ByteSet) {
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
            let rest = &bytes[self.end..];
            let length = stops.first_inside(rest).unwrap_or(rest.len());
            let stop = (self.end + length).min(limit);
            step(stop - self.end + 1);
            self.text.extend_from_slice(&bytes[self.end..stop]);
            self.end = stop;
            match bytes.get(stop..stop + 2) {
                _ if stop == limit => break,
                Some(&[b'\\', next]) if is_escape(next) => {
                    self.end += 2;
                    if next == b'-' {
                        // The hyphen replaces the second byte of its escape.
                        self.places.push((self.text.len(), stop + 1));
                        self.text.push(b'-');
                    }
                    self.places.push((self.text.len(), self.end));
                }
                _ => {
                    // The stop itself, and the byte that shows that a backslash begins no escape.
                    let rest = &bytes[stop..bytes.len().min(stop + 2)];
                    self.text.extend_from_slice(rest);
                    self.end += rest.len().min(1);
                    return;
                }
            }
        }
        self.is_cut = true;
    }

    /// Returns the index in `text` of the first byte at or after an index of the window.
    pub(super) fn index(&self, at: usize) -> usize {
        let next = self.places.partition_point(|&(_, place)| place <= at);
        let (index, place) = self.places[next - 1];
        let end = self.places.get(next).map_or(self.text.len(), |next| next.0);
        (index + at - place).min(end)
    }

    /// Returns the index in the window of a byte of `text`.
    pub(super) fn place(&self, index: usize) -> usize {
        let next = self.places.partition_point(|&(other, _)| other <= index);
        let (other, place) = self.places[next - 1];
        place + index - other
    }
}
