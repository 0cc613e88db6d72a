//! Layer 3: one file or folder per format. Bytes come in as windows, events go out.
//!
//! # The contract
//!
//! [`Scan::scan`] reports what lies wholly before index `n` of the window and returns `n`; the
//! bytes from `n` on come back in the next window, after up to
//! [`look_behind`](crate::bytes::window::Bounds) bytes of what was consumed. In the last window `n`
//! is its length. *However a document is cut into windows, the events are the same.*
//!
//! Spans of references lie within the bytes that were pending, and ascend. A scanner that sees
//! `look_ahead` pending bytes consumes at least one.

pub mod diagnostic;
pub mod events;
pub mod flags;
pub mod html;
#[cfg(feature = "mail")]
pub mod mail;
#[cfg(feature = "markdown")]
pub mod markdown;
mod nested;
pub mod text;

use std::collections::BTreeMap;

use encoding_rs::Encoding;

use crate::bytes::window::{Bounds, Window};
use crate::decode::charset;
use events::{Events, RestartHints, RuleFamily};

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
    pub source: text::TextSource,
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
/// [`Event::Restart`](events::Event::Restart).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reread {
    /// It can.
    #[default]
    Possible,
    /// It cannot: the scanner goes on as well as it can.
    Impossible,
}

/// The options of all formats.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FormatOptions {
    /// Plain text.
    pub text: text::TextOptions,
    /// HTML.
    pub html: html::HtmlOptions,
    /// Markdown.
    #[cfg(feature = "markdown")]
    pub markdown: markdown::MarkdownOptions,
    /// Mail and news.
    #[cfg(feature = "mail")]
    pub mail: mail::MailOptions,
    /// Whether the places that fragments can name are reported too.
    pub anchors: AnchorReporting,
}

/// Whether scanners report what fragments can name: `id`, `a[name]`, headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnchorReporting {
    /// They report references only.
    #[default]
    Leave,
    /// They report both, in one pass.
    Report,
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
    /// [`Restart`](events::Event::Restart).
    MaybeTwice,
}

/// How much of an archive was read, and what was passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveCounts {
    /// Members.
    pub members: u64,
    /// Parts of members that were read.
    pub parts: u64,
    /// Parts that were not read, by media type.
    pub skipped: BTreeMap<String, u64>,
}

impl ArchiveCounts {
    /// A hostile archive must not fill the memory with names: more of them are counted as `*`.
    const NAMES: usize = 1024;

    /// Counts a part that is not read.
    pub(crate) fn skip(&mut self, media_type: &str) {
        if let Some(count) = self.skipped.get_mut(media_type) {
            *count += 1;
            return;
        }
        let is_full = self.skipped.len() >= Self::NAMES;
        let name = if is_full { "*" } else { media_type };
        *self.skipped.entry(name.to_owned()).or_default() += 1;
    }

    /// Adds the counts of another piece of the archive.
    pub fn add(&mut self, other: &ArchiveCounts) {
        self.members += other.members;
        self.parts += other.parts;
        for (name, count) in &other.skipped {
            *self.skipped.entry(name.clone()).or_default() += count;
        }
    }
}

/// Where a long document can be split so that its pieces have the links of the whole.
#[derive(Clone, Copy)]
pub enum SplitPoint {
    /// Behind a line that is recognized without the text before it: finds the first such index,
    /// behind an LF, in bytes that may start anywhere in the document.
    Line(fn(&[u8]) -> Option<usize>),
    /// Between the members of an archive, which have to be found one after the other.
    Member(fn() -> Box<dyn MemberFinder>),
}

/// Finds where the members of an archive begin, as its scanner does, but faster.
pub trait MemberFinder: Send {
    /// Looks for the next member in the pending bytes of a window. A member has to be looked for
    /// from `next` of the one before it on.
    fn next(&mut self, window: &Window<'_>, read_at: ReadAt<'_>) -> MemberSearch;

    /// Returns the context of a piece that starts with the member found last.
    fn context(&self) -> SplitContext;

    /// Takes what was found since the last call and before the offset `end`.
    fn take_index(&mut self, end: u64) -> PieceIndex;
}

/// What a [`MemberFinder`] found in a piece of an archive, so that its scanner need not search again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceIndex {
    /// The offsets of all lines that may begin a member, in ascending order.
    pub candidates: Vec<u64>,
    /// Whether the piece may hold lines that were escaped so as not to begin a member.
    pub escaped: bool,
}

/// Reads bytes of the archive at an offset; returns how many there are, fewer only at its end.
pub type ReadAt<'a> = &'a dyn Fn(u64, &mut [u8]) -> usize;

/// The result of a search for the next member of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberSearch {
    /// A member begins at `at`; its first line ends at `next`.
    Found {
        /// The index of its first byte.
        at: usize,
        /// The index from which on to look for the one behind it.
        next: usize,
    },
    /// No member begins before this index, from which on more bytes are needed.
    NotBefore(usize),
    /// The next member cannot be found: the rest of the archive is one piece.
    Lost,
}

/// The rest of the archive of which a document is a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitContext {
    /// How many members stand before the piece.
    pub before: u64,
    /// The offset of the first member behind the piece, if there is one. The scanner sees some
    /// bytes of it, to find where the one before it ends.
    pub end: Option<u64>,
    /// What the first member decides for the others, in the format's own encoding; 0 at the start.
    pub state: u8,
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

/// Every format, one row each.
pub static FORMATS: &[Format] = &[
    text::FORMAT,
    html::FORMAT,
    #[cfg(feature = "markdown")]
    markdown::FORMAT,
    #[cfg(feature = "mail")]
    mail::MBOX,
    #[cfg(feature = "mail")]
    mail::EML,
    #[cfg(feature = "mail")]
    mail::MHTML,
    #[cfg(feature = "mail")]
    mail::NEWS,
    #[cfg(feature = "mail")]
    mail::MMDF,
    #[cfg(feature = "mail")]
    mail::EMLX,
];

impl Format {
    /// Plain text.
    pub const TEXT: &'static Format = &text::FORMAT;
    /// HTML.
    pub const HTML: &'static Format = &html::FORMAT;
    /// CommonMark with the extensions of GitHub.
    #[cfg(feature = "markdown")]
    pub const MARKDOWN: &'static Format = &markdown::FORMAT;
    /// One message of mail.
    #[cfg(feature = "mail")]
    pub const MAIL: &'static Format = &mail::EML;
    /// Messages of mail, each after a `From ` line.
    #[cfg(feature = "mail")]
    pub const MBOX: &'static Format = &mail::MBOX;

    /// The format of a name, as `--type` takes it.
    ///
    /// ```
    /// use uriscan::Format;
    /// assert_eq!(Format::named("html").unwrap().name, "html");
    /// assert!(Format::named("nothing").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format of an extension, in any case.
    pub fn of_extension(extension: &str) -> Option<&'static Format> {
        let lower = extension.to_ascii_lowercase();
        FORMATS
            .iter()
            .find(|format| format.extensions.contains(&lower.as_str()))
    }
}
