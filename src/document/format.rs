//! A document format, and the contract of its scanner.
//!
//! [`Scan::scan`] reports everything before index `n` of the window and returns `n`. The next window
//! starts with the bytes from `n` on, after up to [`look_behind`](Bounds) consumed bytes. In the last
//! window `n` is its length. *However a document is cut into windows, the events are the same.*
//!
//! Spans of references lie within the pending bytes, and ascend. A scanner that sees `look_ahead`
//! pending bytes consumes at least one.

use encoding_rs::Encoding;

use super::archive::{ArchiveCounts, MemberFinder, PieceIndex, SplitContext};
use super::events::{Events, RestartHints, RuleFamily};
use super::options::{FormatOptions, RstRoles, Slug, TextSource};
use crate::bytes::pattern::Pattern;
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset;

/// The points at which a long document can be split without a change to its links.
#[derive(Clone, Copy)]
pub(crate) enum SplitPoint {
    /// After a line that is recognized without the text before it. Finds the first such index, after an
    /// LF, in bytes from anywhere in the document.
    Line(fn(&[u8]) -> Option<usize>),
    Member(fn() -> Box<dyn MemberFinder>),
}

/// A scanner.
pub trait Scan: Send {
    /// Starts another document.
    fn begin(&mut self, start: &ScanStart);

    /// Reports the events of a window, and returns the number of bytes consumed.
    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize;

    /// Called when references were released before their document was settled: it cannot be read again.
    fn references_released(&mut self) {}

    /// Sets the findings of a [`MemberFinder`] for the piece of an archive that begins next.
    fn set_index(&mut self, _index: Option<&PieceIndex>) {}

    /// Returns the members read and the parts skipped since an archive began; `None` for other formats.
    fn counts(&self) -> Option<&ArchiveCounts> {
        None
    }
}

/// Facts about a document that are known before its first byte.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScanStart {
    /// The encoding that a transport or the user declares.
    pub declared: Option<&'static Encoding>,
    /// The encoding that the caller detected. A document in an encoding that [needs
    /// transcoding](charset::needs_transcoding) comes in UTF-8, without its mark.
    pub detected: Option<charset::Detected>,
    /// The findings of an earlier pass over the same document.
    pub restart: RestartHints,
    /// Whether the document can be read again from its first byte.
    pub reread: Reread,
    /// The rest of the archive that the document is a piece of.
    pub split: SplitContext,
    /// Whether line numbers are needed, for scanners that count lines themselves.
    pub positions: Positions,
    /// Whether plain text is declared as the source of formatted text.
    pub source: TextSource,
    /// The dialect of Markdown of the document's tree, if known.
    pub slug: Option<Slug>,
    /// The roles of reStructuredText.
    pub roles: RstRoles,
}

/// Whether references carry their line and column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Positions {
    /// Offsets only, which cost nothing.
    #[default]
    Offsets,
    /// Offsets, lines and columns.
    Lines,
}

/// Whether a document can be read again after an
/// [`Event::Restart`](crate::document::events::Event::Restart).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reread {
    /// From its first byte.
    #[default]
    Possible,
    /// The scanner continues with its approximation.
    Impossible,
}

/// Whether the URI of a file is a base of its contents (RFC 2396 section 5.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retrieval {
    Place,
    /// It is not: a message was not written for the folder that keeps it.
    Elsewhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    Once,
    /// Once, or a second time after a [`Restart`](crate::document::events::Event::Restart).
    MaybeTwice,
    /// Once, and in one window, up to `max_document` bytes; the text has no lines.
    Held,
}

/// A document format.
pub struct Format {
    /// The name in `--type`.
    pub name: &'static str,
    /// Extensions of file names, in lower case.
    pub extensions: &'static [&'static str],
    /// Names of files, in lower case, that are of the format with any extension.
    pub(crate) file_names: &'static [&'static str],
    pub(crate) media_types: &'static [&'static str],
    /// Bytes one of which begins each document, after white space; empty: any.
    pub(crate) starts: &'static [u8],
    pub(crate) family: RuleFamily,
    pub(crate) retrieval: Retrieval,
    /// Whether nothing in a document changes its base: it is settled before its first byte.
    pub(crate) is_settled: bool,
    /// The number of bytes that the scanner needs to see.
    #[doc(hidden)]
    pub bounds: Bounds,
    pub(crate) reading: Passes,
    /// Finds the encoding that a document declares; `None` for formats without declarations.
    pub(crate) prescan: Option<charset::Prescan>,
    pub(crate) conversion: charset::Conversion,
    pub(crate) split_point: Option<SplitPoint>,
    /// Makes a scanner.
    #[doc(hidden)]
    pub scanner: fn(&FormatOptions) -> Box<dyn Scan>,
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl Default for &Format {
    fn default() -> Self {
        Format::TEXT
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Format").field(&self.name).finish()
    }
}

/// Subtypes of `application` that are text.
#[rustfmt::skip]
static TEXTUAL: &[&str] = &[
    "csv", "dart", "dtd", "ecmascript", "graphql", "javascript", "json", "json5", "jsonl", "jsonlines",
    "markdown", "mbox", "n-quads", "n-triples", "ndjson", "node", "php", "sgml", "sieve",
    "sparql-query", "sparql-update", "sql", "text", "toml", "trig", "txt", "typescript", "wsdl", "xml",
    "x-awk", "x-bash", "x-bibtex", "x-bsh", "x-c", "x-c++", "x-csh", "x-csv", "x-desktop", "x-diff",
    "x-ecmascript", "x-httpd-php", "x-ini", "x-java", "x-javascript", "x-json", "x-jsonlines", "x-latex",
    "x-lua", "x-markdown", "x-mbox", "x-ndjson", "x-patch", "x-perl", "x-php", "x-python", "x-ruby", "x-sh",
    "x-shar", "x-shellscript", "x-sql", "x-subrip", "x-tcl", "x-tex", "x-texinfo", "x-toml", "x-troff",
    "x-troff-man", "x-troff-me", "x-troff-ms", "x-typescript", "x-xml", "x-yaml", "xml-dtd",
    "xml-external-parsed-entity", "yaml",
];

/// Suffixes of subtypes that are text (RFC 6839, RFC 7303, RFC 9512).
static SUFFIXES: &[&str] = &["+xml", "+json", "+json-seq", "+yaml"];

/// Returns whether a subtype of `application` is text.
pub(crate) fn is_textual(subtype: &str) -> bool {
    TEXTUAL.contains(&subtype) || SUFFIXES.iter().any(|suffix| subtype.ends_with(suffix))
}

/// Returns the media type of a `Content-Type` field in lower case, without parameters, and the label of the
/// charset, which may be empty.
pub(crate) fn content_type(value: &[u8]) -> (String, &[u8]) {
    // A value in quotes may have semicolons.
    static PART: Pattern = Pattern::new(r#"(?:="(?:\\.?|[^"\\])*(?:"|$)|[^;])*"#);
    let mut parts = PART
        .find_iter(value)
        .map(|part| part.as_bytes().trim_ascii());
    let name = parts.next().unwrap_or_default();
    let label = parts.find_map(|parameter| {
        let equals = memchr::memchr(b'=', parameter)?;
        let (key, value) = (&parameter[..equals], &parameter[equals + 1..]);
        let is_charset = key.trim_ascii_end().eq_ignore_ascii_case(b"charset");
        is_charset.then(|| value.trim_ascii())
    });
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let label = label.and_then(|label| label.split(is_quote).find(|part| !part.is_empty()));
    (
        String::from_utf8_lossy(name).to_ascii_lowercase(),
        label.unwrap_or_default(),
    )
}
