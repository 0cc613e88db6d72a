//! The references of a slice, as an iterator.

use std::borrow::Cow;
use std::ops::Range;

use super::TextOptions;
use super::scanner::{BOUNDS, TextScanner};
use crate::bytes::window::Window;
use crate::document::Scan;
use crate::document::events::{Batch, Context, Event, Events, FoundReference, TextRange};
use crate::document::flags::Flags;

/// The bytes that are scanned at a time: they stay in the cache, and so do their references.
const STRIDE: usize = 256 << 10;

/// One reference in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextReference<'a> {
    /// From the reference's first to its last byte, inner line breaks included.
    pub span: Range<usize>,
    /// The cleaned reference; borrowed where the text holds it unchanged.
    pub reference: Cow<'a, [u8]>,
    /// The kind of place in which it appears.
    pub context: Context,
    /// The changes made to the reference, and its peculiarities.
    pub flags: Flags,
    /// Other readings, best first.
    pub alternatives: Vec<Vec<u8>>,
}

impl TextReference<'_> {
    /// Returns the certainty that the reference is as its author meant it.
    pub fn certainty(&self) -> Certainty {
        Certainty::of(self.context, self.flags)
    }
}

/// Returns the references of a text, in order. They never overlap.
///
/// The example of RFC 2396 Appendix E, where white space and a line break stand inside one URI:
///
/// ```
/// use uriscan::text::{Certainty, TextOptions, find};
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
            last: false,
            ..Window::whole(&[])
        },
        consumed: 0,
        scanned: 0,
        next: 0,
    }
}

/// An iterator over the references of a text; [`find()`] makes it.
#[derive(Debug)]
pub struct TextReferences<'a> {
    bytes: &'a [u8],
    scanner: TextScanner,
    events: Batch,
    window: Window<'a>,
    /// The number of bytes that the scanner has consumed.
    consumed: usize,
    /// The index at which the window ends.
    scanned: usize,
    /// The index of the next event in `events`.
    next: usize,
}

impl<'a> TextReferences<'a> {
    /// Scans the next window. Returns false at the end of the text.
    fn advance(&mut self) -> bool {
        if self.window.last {
            return false;
        }
        let behind = self.consumed.saturating_sub(BOUNDS.look_behind);
        // While the scanner waits for more, windows double: the time stays linear.
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
        self.events = events.batch;
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

    fn reference(&self, found: &FoundReference) -> TextReference<'a> {
        let others = self.events.alternatives(found).iter();
        TextReference {
            span: found.span.start as usize..found.span.end as usize,
            reference: self.text(found.text),
            context: found.context,
            flags: found.flags,
            alternatives: others.map(|&text| self.text(text).into_owned()).collect(),
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
                    return Some(self.reference(found));
                }
            }
            if !self.advance() {
                return None;
            }
        }
    }
}

named! {
    /// The certainty that a reference is as its author meant it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Certainty {
        /// Something was guessed: another reading is possible.
        Doubtful = "doubtful",
        /// Something was removed or left out, by a rule that is nearly always right.
        Likely = "likely",
        /// Delimiters mark its ends, or nothing is in doubt.
        Exact = "exact",
    }
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

displayed_by_name!(Certainty);

impl Certainty {
    /// Returns the certainty of a reference, from the kind of place and its flags.
    ///
    /// ```
    /// use uriscan::text::Certainty;
    /// use uriscan::{Context, Flags};
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
}
