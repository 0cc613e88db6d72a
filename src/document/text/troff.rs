//! Escapes in the source of man pages (rule B14): `\:` allows a line to break, `\-` is a hyphen.

use super::TextSource;
use super::bare::{self, Bare};
use super::prefix;
use super::reading::{Candidate, Workspace};
use super::start::SchemeStart;
use super::view::{ByteClassSet, TextView};
use crate::bytes::steps::step;

/// Whether a byte behind a backslash makes an escape that a URI may hold.
pub(super) fn is_escape(byte: u8) -> bool {
    matches!(byte, b':' | b'-')
}

/// Whether escapes count in the line of an index.
pub(super) fn applies(view: &TextView<'_>, at: usize) -> bool {
    view.source == TextSource::Troff || prefix::is_control_line(view, at)
}

/// More than any rule reads behind the longest URI, in bytes.
const MARGIN: usize = 64;

/// A stretch of the window without escapes, up to where any bare URI in it ends at the latest.
///
/// It is kept for the next URI in the same stretch, so that no byte is copied more than twice.
#[derive(Debug, Default)]
pub(super) struct Unescaped {
    text: Vec<u8>,
    /// Where `text` goes on after an escape: an index in it, and the same place in the window.
    places: Vec<(usize, usize)>,
    /// The indices of the window that were read.
    start: usize,
    end: usize,
    /// The stretch goes on behind `end`.
    is_cut: bool,
}

/// Every byte at which a bare URI stops in any case, the backslash among them.
static STOPS: ByteClassSet = bare::STOPS;

impl Unescaped {
    /// Forgets the window.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
        (self.start, self.end, self.is_cut) = (0, 0, false);
    }

    /// Makes sure that all of a URI that starts at an index is there.
    fn reach(&mut self, view: &TextView<'_>, at: usize) {
        let reach = at + bare::LONGEST + MARGIN;
        let is_there = self.start <= at && at < self.end && (!self.is_cut || reach <= self.end);
        if is_there {
            return;
        }
        self.clear();
        (self.start, self.end) = (at, at);
        self.places.push((0, at));
        let limit = at + 2 * (bare::LONGEST + MARGIN);
        let bytes = view.bytes;
        while self.end < limit {
            let length = bytes[self.end..]
                .iter()
                .position(|&byte| STOPS[byte as usize])
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
    fn index(&self, at: usize) -> usize {
        let next = self.places.partition_point(|&(_, place)| place <= at);
        let (index, place) = self.places[next - 1];
        let end = self.places.get(next).map_or(self.text.len(), |next| next.0);
        (index + at - place).min(end)
    }

    /// The index of the window at which a byte of the text stands.
    fn place(&self, index: usize) -> usize {
        let next = self.places.partition_point(|&(other, _)| other <= index);
        let (other, place) = self.places[next - 1];
        place + index - other
    }
}

/// The bare URI of a scheme, read without escapes.
pub(super) fn read(
    around: &Bare<'_, '_>,
    start: &SchemeStart,
    workspace: &mut Workspace,
) -> Option<Candidate> {
    let view = around.view;
    let unescaped = &mut workspace.unescaped;
    unescaped.reach(view, start.at);
    // However many escapes there are, no more of the window is looked at than without them (B11).
    let reach = start.at + bare::LONGEST + MARGIN;
    let is_cut = reach <= unescaped.end;
    let length = match is_cut {
        true => unescaped.index(reach),
        false => unescaped.text.len(),
    };
    let inner = TextView::new(&unescaped.text[..length], 0);
    let at = unescaped.index(start.at);
    let limit = unescaped.index(start.at + bare::LONGEST);
    let bare = around.moved(&inner, at, limit);
    let moved = SchemeStart {
        at,
        colon: at + (start.colon - start.at),
        ..*start
    };
    let reading = bare::read_at(&bare, &moved);
    if inner.take_beyond() && !is_cut {
        view.look_beyond();
    }
    let reading = reading?;
    let end = unescaped.place(reading.raw.end - 1) + 1;
    let raw = start.at..end;
    let cleaned = raw.len() > reading.raw.len();
    if cleaned {
        workspace
            .text
            .extend_from_slice(&unescaped.text[reading.raw]);
    }
    Some(Candidate {
        raw,
        outer_end: end,
        cleaned,
        ..reading
    })
}
