//! A document format, and the contract of its scanner.
//!
//! [`Scan::scan`] reports what lies wholly before index `n` of the window and returns `n`; the
//! bytes from `n` on come back in the next window, after up to
//! [`look_behind`](Bounds) bytes of what was consumed. In the last window `n`
//! is its length. *However a document is cut into windows, the events are the same.*
//!
//! Spans of references lie within the bytes that were pending, and ascend. A scanner that sees
//! `look_ahead` pending bytes consumes at least one.

use encoding_rs::Encoding;

use super::archive::{ArchiveCounts, MemberFinder, PieceIndex, SplitContext};
use super::events::{Events, RestartHints, RuleFamily};
use super::options::{FormatOptions, TextSource};
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset;

/// Where a long document can be split so that its pieces have the links of the whole.
#[derive(Clone, Copy)]
pub enum SplitPoint {
    /// Behind a line that is recognized without the text before it: finds the first such index,
    /// behind an LF, in bytes that may start anywhere in the document.
    Line(fn(&[u8]) -> Option<usize>),
    /// Between the members of an archive, which have to be found one after the other.
    Member(fn() -> Box<dyn MemberFinder>),
}

/// What every scanner does.
pub trait Scan: Send {
    /// Gets ready for another document.
    fn begin(&mut self, start: &ScanStart);

    /// Reports what lies wholly before an index of the window, and returns that index.
    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize;

    /// References were handed on before their document was settled: it cannot be read again.
    fn handed_on(&mut self) {}

    /// Takes what a [`MemberFinder`] found in the piece of an archive that begins next.
    fn set_index(&mut self, _index: Option<&PieceIndex>) {}

    /// Returns how much of an archive was read since it began, and what was passed over; `None`
    /// for formats that are no archives.
    fn counts(&self) -> Option<&ArchiveCounts> {
        None
    }
}

/// What is known of a document before its first byte.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanStart {
    /// The encoding that a transport or the user declares.
    pub declared: Option<&'static Encoding>,
    /// The encoding that was detected, where its driver did that. A document in an encoding that
    /// [needs transcoding](charset::needs_transcoding) then comes in UTF-8, without its mark.
    pub detected: Option<charset::Detected>,
    /// What an earlier pass over the same document found out.
    pub again: RestartHints,
    /// Whether the document can be read again from its first byte.
    pub reread: Reread,
    /// The rest of the archive of which the document is a piece.
    pub split: SplitContext,
    /// Whether a scanner that counts lines itself has to.
    pub positions: Positions,
    /// Whether plain text is declared as the source of formatted text.
    pub source: TextSource,
}

/// Whether references carry their line and column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Positions {
    /// They carry offsets only, which cost nothing.
    #[default]
    Offsets,
    /// They carry lines and columns too.
    Lines,
}

/// Whether a document can be read again, when a scanner asks for it with
/// [`Event::Restart`](crate::document::events::Event::Restart).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reread {
    /// It can.
    #[default]
    Possible,
    /// It cannot: the scanner goes on as well as it can.
    Impossible,
}

/// Whether the place of a file is a base of what it holds (RFC 2396 section 5.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retrieval {
    /// It is: the document was retrieved from there.
    Place,
    /// It is not: what it holds was not written for the folder that keeps it.
    Elsewhere,
}

/// How often a scanner reads a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Once, from start to end.
    Once,
    /// Once, or a second time from its first byte after a
    /// [`Restart`](crate::document::events::Event::Restart).
    MaybeTwice,
}

/// A document format.
pub struct Format {
    /// The name that `--type` takes.
    pub name: &'static str,
    /// Extensions of file names, in lower case.
    pub extensions: &'static [&'static str],
    /// Whose rules `auto` follows.
    pub(crate) family: RuleFamily,
    /// Whether the place of a file is a base of what it holds.
    pub(crate) retrieval: Retrieval,
    /// How much its scanner needs to see.
    #[doc(hidden)]
    pub bounds: Bounds,
    /// Whether a document may have to be read a second time.
    pub(crate) reading: Passes,
    /// Finds the encoding that a document declares for itself, where documents do so.
    pub(crate) prescan: Option<charset::Prescan>,
    /// Which documents are turned into UTF-8 first.
    pub(crate) conversion: charset::Conversion,
    /// Where a long document can be split, if it can.
    pub(crate) split_point: Option<SplitPoint>,
    /// Makes a scanner.
    #[doc(hidden)]
    pub scanner: fn(&FormatOptions) -> Box<dyn Scan>,
}
