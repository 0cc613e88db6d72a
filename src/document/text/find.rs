//! The references of a slice, one by one.

use std::borrow::Cow;
use std::ops::Range;

use super::{BOUNDS, TextOptions, TextScanner};
use crate::bytes::window::Window;
use crate::document::Scan;
use crate::document::events::{Batch, Context, Event, Events, FoundReference, TextRange};
use crate::document::flags::Flags;

/// How much of the slice is scanned at a time: it stays in the cache, and so do its finds.
const STRIDE: usize = 256 << 10;

/// One reference in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextReference<'a> {
    /// From the reference's first to its last byte, inner line breaks included.
    pub span: Range<usize>,
    /// The reference as cleaned; borrowed where the text holds it as it is.
    pub reference: Cow<'a, [u8]>,
    /// Where it stands.
    pub context: Context,
    /// What was done to it and what is odd about it.
    pub flags: Flags,
    /// Other readings, best first.
    pub alternatives: Vec<Vec<u8>>,
}

impl TextReference<'_> {
    /// How sure it is that the reference reads as its author meant it.
    pub fn certainty(&self) -> Certainty {
        Certainty::of(self.context, self.flags)
    }
}

/// The references of a text, in order. They never overlap.
///
/// The example of RFC 2396 Appendix E, where white space and a line break stand inside one URI:
///
/// ```
/// use uriscan::document::text::{Certainty, TextOptions, find};
/// let text = b"   Yes, Jim, I found it under \"http://www.w3.org/Addressing/\",
///    but you can probably pick it up from <ftp://ds.internic.
///    net/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
///    ietf/uri/historical.html#WARNING>.";
/// let finds: Vec<_> = find(text, &TextOptions::default()).collect();
/// let references: Vec<_> = finds.iter().map(|find| find.reference.escape_ascii().to_string()).collect();
/// assert_eq!(references, [
///     "http://www.w3.org/Addressing/",
///     "ftp://ds.internic.net/rfc/",
///     "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
/// ]);
/// assert_eq!(finds[0].certainty(), Certainty::Exact);
/// assert_eq!(finds[1].certainty(), Certainty::Likely);
/// ```
pub fn find<'a>(bytes: &'a [u8], options: &TextOptions) -> TextReferences<'a> {
    TextReferences {
        bytes,
        scanner: TextScanner::new(options.clone()),
        events: Batch::default(),
        window: Window {
            bytes: &[],
            start: 0,
            offset: 0,
            last: false,
        },
        consumed: 0,
        scanned: 0,
        next: 0,
    }
}

/// An iterator over the references of a text; [`find`] makes it.
#[derive(Debug)]
pub struct TextReferences<'a> {
    bytes: &'a [u8],
    scanner: TextScanner,
    events: Batch,
    window: Window<'a>,
    /// What the scanner has consumed of the bytes.
    consumed: usize,
    /// How far the window reaches.
    scanned: usize,
    /// The next event of the batch.
    next: usize,
}

impl<'a> TextReferences<'a> {
    /// Scans the next stretch; false at the end of the text.
    fn advance(&mut self) -> bool {
        if self.window.last {
            return false;
        }
        let behind = self.consumed.saturating_sub(BOUNDS.look_behind);
        // What is waited for grows by doubling, so that waiting is linear in time.
        let pending = self.scanned - self.consumed;
        self.scanned = self.bytes.len().min(self.scanned + STRIDE.max(pending));
        self.window = Window {
            bytes: &self.bytes[behind..self.scanned],
            start: self.consumed - behind,
            offset: behind as u64,
            last: self.scanned == self.bytes.len(),
        };
        let mut events = Events::from(std::mem::take(&mut self.events));
        events.clear();
        self.next = 0;
        self.consumed = behind + self.scanner.scan(self.window, &mut events);
        self.events = events.into();
        true
    }

    fn text(&self, text: TextRange) -> Cow<'a, [u8]> {
        match text {
            TextRange::Window(start, end) => {
                Cow::Borrowed(&self.window.bytes[start as usize..end as usize])
            }
            stored => Cow::Owned(self.events.bytes(stored, self.window.bytes).to_vec()),
        }
    }

    fn make(&self, found: &FoundReference) -> TextReference<'a> {
        TextReference {
            span: found.span.start as usize..found.span.end as usize,
            reference: self.text(found.text),
            context: found.context,
            flags: found.flags,
            alternatives: self
                .events
                .alternatives(found)
                .iter()
                .map(|&text| self.text(text).into_owned())
                .collect(),
        }
    }
}

impl<'a> Iterator for TextReferences<'a> {
    type Item = TextReference<'a>;

    fn next(&mut self) -> Option<TextReference<'a>> {
        loop {
            while let Some(event) = self.events.list.get(self.next) {
                self.next += 1;
                if let Event::Reference(found) = event {
                    return Some(self.make(found));
                }
            }
            if !self.advance() {
                return None;
            }
        }
    }
}

/// How sure it is that a reference reads as its author meant it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Something had to be guessed; there may be another reading.
    Doubtful,
    /// Something was removed or left out by a rule that is nearly always right.
    Likely,
    /// Its ends are marked, or nothing about it is in doubt.
    Exact,
}

const DOUBTFUL_INSIDE: Flags = Flags::HYPHEN.union(Flags::INNER_SPACE);
const LIKELY_INSIDE: Flags = Flags::WRAPPED.union(Flags::IGNORABLE_REMOVED);
const DOUBTFUL: Flags = DOUBTFUL_INSIDE
    .union(Flags::ELLIPSIS)
    .union(Flags::UNCLOSED)
    .union(Flags::MAYBE_WRAPPED)
    .union(Flags::OVERLONG)
    .union(Flags::UNKNOWN_SCHEME)
    .union(Flags::ODD_HOST)
    .union(Flags::SCHEME_GUESSED);
const LIKELY: Flags = LIKELY_INSIDE
    .union(Flags::TRIMMED)
    .union(Flags::GLUED)
    .union(Flags::FOOTNOTE_CUT);

impl Certainty {
    /// The certainty of a reference found in a context with these flags.
    ///
    /// ```
    /// use uriscan::document::{events::Context, flags::Flags, text::Certainty};
    /// assert_eq!(Certainty::of(Context::Bare, Flags::TRIMMED), Certainty::Likely);
    /// assert_eq!(Certainty::of(Context::Angle, Flags::ODD_HOST), Certainty::Exact);
    /// assert!(Certainty::of(Context::Quoted, Flags::HYPHEN) < Certainty::Likely);
    /// ```
    pub fn of(context: Context, flags: Flags) -> Self {
        let (doubtful, likely) = match context {
            Context::Osc8 => (Flags::NONE, Flags::NONE),
            Context::Angle | Context::Quoted => (DOUBTFUL_INSIDE, LIKELY_INSIDE),
            _ => (DOUBTFUL, LIKELY),
        };
        if flags.intersects(doubtful) {
            Certainty::Doubtful
        } else if flags.intersects(likely) {
            Certainty::Likely
        } else {
            Certainty::Exact
        }
    }

    /// The name: `exact`, `likely` or `doubtful`.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Exact => "exact",
            Certainty::Likely => "likely",
            Certainty::Doubtful => "doubtful",
        }
    }
}
