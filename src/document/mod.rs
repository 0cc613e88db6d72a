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
pub mod mail;
pub mod markdown;
pub mod text;

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

    /// Takes what is known of the piece of an archive that begins next; by default it is left aside.
    fn know(&mut self, _known: Option<KnownSeparators<'_>>) {}

    /// How much of an archive was read since it began, and what was passed over.
    fn tally(&self) -> Option<&mail::ArchiveTally> {
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
    /// What is to be known of an archive of which the document is a piece.
    pub share: SplitContext,
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
pub struct FormatOptions {
    /// Plain text.
    pub text: text::TextOptions,
    /// HTML.
    pub html: html::HtmlOptions,
    /// Markdown.
    pub markdown: markdown::MarkdownOptions,
    /// Mail and news.
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
    /// It is not: nobody wrote a mail for the folder that keeps it.
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

/// Where a long document can be cut so that its pieces have the links of the whole.
#[derive(Clone, Copy)]
pub enum SplitPoint {
    /// Behind a line that anybody can tell: finds the first such index, behind an LF, in bytes that
    /// may start anywhere in the document.
    Line(fn(&[u8]) -> Option<usize>),
    /// Between the messages of an archive, which have to be found one after the other.
    Message(fn() -> Box<dyn MessageFinder>),
}

/// Finds where the messages of an archive begin, as its scanner does, but faster.
pub trait MessageFinder: Send {
    /// Looks for the next message in the pending bytes of a window. A message has to be looked for
    /// from `next` of the one before it on.
    fn next(&mut self, window: &Window<'_>, peek: ReadAt<'_>) -> MessageSearch;

    /// What the scanner has to know that starts with the message that was seen last.
    fn share(&self) -> SplitContext;

    /// What the look found up to an offset, behind what was taken before; whether lines are quoted
    /// counts from one taking to the next.
    fn take(&mut self, end: u64) -> (Vec<u64>, LineQuoting);
}

/// What a look for messages has found in a piece of an archive, so that its scanner need not look.
#[derive(Clone, Copy, Debug)]
pub struct KnownSeparators<'a> {
    /// The offsets of all lines that may separate messages, in order.
    pub lines: &'a [u64],
    /// Whether any line may be quoted.
    pub quoting: LineQuoting,
}

/// Whether lines that look like separators are quoted somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineQuoting {
    /// No line is.
    #[default]
    None,
    /// Some may be.
    Some,
}

/// Reads bytes of the archive at an offset; returns how many there are, fewer only at its end.
pub type ReadAt<'a> = &'a dyn Fn(u64, &mut [u8]) -> usize;

/// What was seen of the next message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageSearch {
    /// It begins at `at`; what begins it ends at `next`.
    Message {
        /// The index of its first byte.
        at: usize,
        /// The index from which on the one behind it is to be looked for.
        next: usize,
    },
    /// There is none before this index, from which on it is to be looked for with more bytes.
    Nothing(usize),
    /// There is no telling: the rest is not to be cut.
    Lost,
}

/// What the scanner of a piece of an archive has to know of the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitContext {
    /// How many messages stand before the piece.
    pub before: u64,
    /// How the archive's first message was separated.
    pub style: mail::SeparatorStyle,
    /// The offset of the first message behind the piece, if there is one. The scanner gets to see
    /// some bytes of it, so that it knows where the one before it ends.
    pub end: Option<u64>,
}

/// A document format.
pub struct Format {
    /// The name that `--type` takes.
    pub name: &'static str,
    /// Extensions of file names, in lower case.
    pub extensions: &'static [&'static str],
    /// Whose rules `auto` follows.
    pub family: RuleFamily,
    /// Whether the place of a file is a base of what it holds.
    pub retrieval: Retrieval,
    /// How much its scanner needs to see.
    pub bounds: Bounds,
    /// Whether a document may have to be read a second time.
    pub reading: Passes,
    /// Finds the encoding that a document declares for itself, where documents do so.
    pub prescan: Option<charset::Prescan>,
    /// Which documents are turned into UTF-8 first.
    pub conversion: charset::Conversion,
    /// Where a long document can be cut, if it can.
    pub seam: Option<SplitPoint>,
    /// Makes a scanner.
    pub scanner: fn(&FormatOptions) -> Box<dyn Scan>,
}

/// Every format, one row each.
pub static FORMATS: &[Format] = &[
    text::FORMAT,
    html::FORMAT,
    markdown::FORMAT,
    mail::MBOX,
    mail::EML,
    mail::MHTML,
    mail::NEWS,
    mail::MMDF,
    mail::EMLX,
];

impl Format {
    /// The format of a name, as `--type` takes it.
    ///
    /// ```
    /// use uriscan::document::Format;
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
