//! The bytes under a scanner and where they stand in the document: those of a window as they are,
//! or those that the decoding of a value made.

use std::ops::Range;

use crate::document::events::{Events, Span, TextRange};

/// Bytes, and where they stand.
#[derive(Clone, Copy)]
pub(super) struct ValueSource<'a> {
    pub(super) bytes: &'a [u8],
    place: SourcePlace<'a>,
}

#[derive(Clone, Copy)]
enum SourcePlace<'a> {
    /// They are the window; the offset is that of its first byte.
    Window(u64),
    /// They were decoded.
    Decoded(&'a Offsets),
}

impl<'a> ValueSource<'a> {
    /// The bytes of a window.
    pub(super) fn window(bytes: &'a [u8], offset: u64) -> Self {
        let place = SourcePlace::Window(offset);
        ValueSource { bytes, place }
    }

    /// Decoded bytes.
    pub(super) fn decoded(bytes: &'a [u8], offsets: &'a Offsets) -> Self {
        let place = SourcePlace::Decoded(offsets);
        ValueSource { bytes, place }
    }

    /// The same without what stands from `end` on.
    pub(super) fn until(&self, end: usize) -> Self {
        let bytes = &self.bytes[..end];
        ValueSource { bytes, ..*self }
    }

    /// Where bytes stand in the document.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        match self.place {
            SourcePlace::Window(offset) => Span {
                start: offset + range.start as u64,
                end: offset + range.end as u64,
            },
            SourcePlace::Decoded(offsets) => {
                let start = offsets.start_of(range.start);
                let end = match range.is_empty() {
                    true => start,
                    false => offsets.end_of(range.end),
                };
                Span { start, end }
            }
        }
    }

    /// The offset in the document of one byte.
    pub(super) fn offset(&self, at: usize) -> u64 {
        self.span(at..at).start
    }

    /// Bytes as the text of an event.
    pub(super) fn text(&self, range: Range<usize>, events: &mut Events) -> TextRange {
        match self.place {
            SourcePlace::Window(_) => TextRange::window(range),
            SourcePlace::Decoded(_) => events.store(&self.bytes[range]),
        }
    }
}

/// Where each piece of decoded bytes stands in the document.
#[derive(Debug, Default)]
pub(super) struct Offsets {
    pieces: Vec<DecodedPiece>,
}

/// A stretch of decoded bytes: small, for a value may have one for each of its bytes.
#[derive(Clone, Copy, Debug)]
struct DecodedPiece {
    /// Offset in the document of its first byte.
    start: u64,
    /// Index of its first decoded byte.
    at: u32,
    /// Its bytes in the document; with the highest bit, each of them stands there as it is.
    length: u32,
}

/// Marks a piece that stands in the document as it is.
const VERBATIM: u32 = 1 << 31;

impl DecodedPiece {
    fn at(self) -> usize {
        self.at as usize
    }

    fn end(self) -> u64 {
        self.start + u64::from(self.length & !VERBATIM)
    }

    fn is_verbatim(self) -> bool {
        self.length & VERBATIM != 0
    }

    /// Takes what stands right behind it in the same way; false when that is another piece.
    fn extend(&mut self, at: usize, span: Span) -> bool {
        let length = span.end - self.start;
        let follows = self.is_verbatim()
            && self.end() == span.start
            && at.checked_sub(self.at()) == usize::try_from(span.start - self.start).ok()
            && length < u64::from(VERBATIM);
        if follows {
            self.length = length as u32 | VERBATIM;
        }
        follows
    }
}

impl Offsets {
    /// Forgets everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Says that the bytes from `at` on are `range` of `source`, unchanged.
    pub(super) fn verbatim(&mut self, at: usize, source: &ValueSource<'_>, range: Range<usize>) {
        match source.place {
            SourcePlace::Window(_) => self.push(at, source.span(range), true),
            SourcePlace::Decoded(offsets) => {
                let mut from = range.start;
                while from < range.end {
                    let (piece, end) = offsets.piece(from);
                    let to = end.min(range.end);
                    self.push(
                        at + from - range.start,
                        source.span(from..to),
                        piece.is_verbatim(),
                    );
                    from = to;
                }
            }
        }
    }

    /// Says that the bytes from `at` on stand for `range` of `source`.
    pub(super) fn replaced(&mut self, at: usize, source: &ValueSource<'_>, range: Range<usize>) {
        self.push(at, source.span(range), false);
    }

    /// Says where the end stands: `at` is the number of bytes.
    pub(super) fn finish(&mut self, at: usize, source: &ValueSource<'_>, end: usize) {
        let end = match source.place {
            SourcePlace::Window(_) => source.span(end..end).end,
            SourcePlace::Decoded(offsets) if end > 0 => offsets.end_of(end),
            SourcePlace::Decoded(offsets) => offsets.start_of(0),
        };
        self.push(at, Span { start: end, end }, true);
    }

    fn push(&mut self, at: usize, span: Span, verbatim: bool) {
        if verbatim && span.end > span.start {
            let last = self.pieces.last_mut();
            if last.is_some_and(|last| last.extend(at, span)) {
                return;
            }
        }
        // INVARIANT: what is decoded at one time is shorter than 2 GiB.
        let length = (span.end - span.start) as u32;
        self.pieces.push(DecodedPiece {
            start: span.start,
            at: at as u32,
            length: length | if verbatim { VERBATIM } else { 0 },
        });
    }

    /// The piece of a byte, and the index at which it ends.
    fn piece(&self, at: usize) -> (DecodedPiece, usize) {
        let next = self.pieces.partition_point(|piece| piece.at() <= at);
        let end = self.pieces.get(next).map_or(usize::MAX, |piece| piece.at());
        // INVARIANT: the first piece starts at 0, so one precedes `next`.
        (self.pieces[next.saturating_sub(1)], end)
    }

    fn start_of(&self, at: usize) -> u64 {
        let (piece, _) = self.piece(at);
        match piece.is_verbatim() {
            true => piece.start + (at - piece.at()) as u64,
            false => piece.start,
        }
    }

    fn end_of(&self, end: usize) -> u64 {
        let (piece, _) = self.piece(end - 1);
        match piece.is_verbatim() {
            true => piece.start + (end - piece.at()) as u64,
            false => piece.end(),
        }
    }
}
