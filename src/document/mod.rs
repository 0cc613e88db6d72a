//! Layer 3: one file or folder per format. Bytes come in as windows, events go out.
//!
//! The contract of scanners is [`Scan`], in `format`; `FORMATS` is the table of all formats.

#[cfg(feature = "documents")]
mod adoc;
mod archive;
#[cfg(feature = "documents")]
mod blocks;
mod css;
pub mod diagnostic;
#[cfg(any(feature = "documents", feature = "markdown"))]
mod docutils;
pub mod events;
pub mod flags;
mod format;
pub mod html;
#[cfg(feature = "documents")]
pub(crate) mod http;
pub(crate) mod json;
#[cfg(feature = "documents")]
mod latex;
#[cfg(feature = "mail")]
pub mod mail;
#[cfg(feature = "markdown")]
pub(crate) mod markdown;
mod nested;
pub(crate) mod options;
#[cfg(feature = "documents")]
mod org;
#[cfg(feature = "audit")]
pub(crate) mod package;
#[cfg(feature = "documents")]
mod pdf;
mod remark;
#[cfg(feature = "documents")]
mod rst;
pub mod sniff;
mod source_text;
pub mod text;
#[cfg(feature = "documents")]
pub(crate) mod troff;
#[cfg(feature = "documents")]
pub(crate) mod xml;

use std::path::Path;

pub(crate) use archive::{
    ArchiveCounts, MemberFinder, MemberSearch, PieceIndex, ReadBytesAt, SplitContext,
};
pub use format::{Format, Positions, Scan, ScanStart};
pub(crate) use format::{Passes, Reread, Retrieval, SplitPoint, content_type, is_textual};
pub(crate) use options::NestingLimit;
pub use options::{AnchorReporting, FormatOptions};

static FORMATS: &[&[Format]] = &[
    &[text::FORMAT, html::FORMAT, css::FORMAT],
    #[cfg(feature = "documents")]
    json::FORMATS,
    #[cfg(feature = "documents")]
    &[xml::FORMAT, pdf::FORMAT],
    #[cfg(feature = "audit")]
    &[package::EPUB, package::OOXML, package::ODF],
    #[cfg(feature = "documents")]
    &[rst::FORMAT, adoc::FORMAT, troff::FORMAT],
    &[text::CSV, text::TSV, text::FOLDED],
    #[cfg(feature = "documents")]
    &[org::FORMAT, latex::FORMAT],
    #[cfg(feature = "markdown")]
    &[markdown::FORMAT, markdown::MDX, markdown::QUARTO],
    #[cfg(feature = "mail")]
    &[
        mail::MBOX,
        mail::EML,
        mail::MHTML,
        mail::NEWS,
        mail::MMDF,
        mail::EMLX,
    ],
];

/// Media types of documents; in messages types of `text` are plain text, but for XML.
#[rustfmt::skip]
static DECLARED: &[(&str, &[&str])] = &[
    ("adoc", &["text/asciidoc"]),
    ("ipynb", &["application/x-ipynb+json"]),
    ("json", &["application/json", "application/x-json", "text/json"]),
    ("json5", &["application/json5"]),
    ("jsonl", &["application/jsonl", "application/x-jsonlines", "application/x-ndjson"]),
    ("jsonfeed", &["application/feed+json"]),
    ("jsonld", &["application/ld+json"]),
    ("eml", &["message/global", "message/rfc822"]),
    ("latex", &["application/x-latex", "application/x-tex", "text/x-tex"]),
    ("markdown", &["text/markdown", "text/x-markdown"]),
    ("mbox", &["application/mbox"]),
    ("mhtml", &["multipart/related"]),
    ("pdf", &["application/pdf"]),
    ("rst", &["text/prs.fallenstein.rst", "text/x-rst"]),
    ("troff", &["text/troff", "text/x-troff", "application/x-troff", "application/x-troff-man"]),
    ("troff", &["application/x-troff-me", "application/x-troff-ms"]),
    ("webmanifest", &["application/manifest+json"]),
    ("xml", &["application/xml", "text/xml"]),
];

impl Format {
    /// Plain text.
    pub const TEXT: &'static Format = &text::FORMAT;
    #[cfg(feature = "mail")]
    pub(crate) const FOLDED: &'static Format = &text::FOLDED;
    /// HTML.
    pub const HTML: &'static Format = &html::FORMAT;
    /// Style sheets.
    pub const CSS: &'static Format = &css::FORMAT;
    /// XML of any vocabulary.
    #[cfg(feature = "documents")]
    pub const XML: &'static Format = &xml::FORMAT;
    /// XML in a package, where unknown vocabularies are not searched as text.
    #[cfg(feature = "audit")]
    pub(crate) const XML_PART: &'static Format = &xml::PART;
    #[cfg(feature = "audit")]
    pub(crate) const PDF: &'static Format = &pdf::FORMAT;
    /// reStructuredText.
    #[cfg(feature = "documents")]
    pub const RST: &'static Format = &rst::FORMAT;
    /// CommonMark with the extensions of GitHub.
    #[cfg(feature = "markdown")]
    pub const MARKDOWN: &'static Format = &markdown::FORMAT;
    #[cfg(all(feature = "documents", feature = "markdown"))]
    pub(crate) const MARKDOWN_CELL: &'static Format = &markdown::CELL;
    #[cfg(all(feature = "documents", not(feature = "markdown")))]
    pub(crate) const MARKDOWN_CELL: &'static Format = &text::FORMAT;
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
        Format::all().find(|format| format.name == name)
    }

    /// Whether documents are read as `other`: MDX and Quarto's Markdown are Markdown.
    #[cfg(feature = "audit")]
    pub(crate) fn is_a(&self, other: &Format) -> bool {
        self == other || *other == markdown::FORMAT && self.is_markdown()
    }

    #[cfg(feature = "audit")]
    pub(crate) fn is_markdown(&self) -> bool {
        [markdown::FORMAT, markdown::MDX, markdown::QUARTO].contains(self)
    }

    /// The format of a media type, in lower case.
    pub(crate) fn of_media_type(media_type: &str) -> Option<&'static Format> {
        Format::all().find(|format| format.media_types.contains(&media_type))
    }

    /// Returns the format that a media type in lower case declares for a whole document: plain text for
    /// unknown text.
    pub(crate) fn of_declared(media_type: &str) -> Option<&'static Format> {
        let is_text = match media_type.split_once('/') {
            Some(("application", subtype)) => is_textual(subtype),
            Some((kind, _)) => kind == "text",
            None => false,
        };
        let row = DECLARED.iter().find(|row| row.1.contains(&media_type));
        let suffix = media_type.rsplit_once('+').map(|(_, suffix)| suffix);
        let name = row.map(|row| row.0).or(suffix);
        let known = Self::of_media_type(media_type).or_else(|| Self::named(name?));
        known.or_else(|| is_text.then_some(Format::TEXT))
    }

    /// Returns every format that this build has.
    ///
    /// ```
    /// use uriscan::Format;
    /// assert!(Format::all().any(|format| format == Format::CSS));
    /// ```
    pub fn all() -> impl Iterator<Item = &'static Format> + Clone {
        FORMATS.iter().copied().flatten()
    }

    /// Returns the format of a file by its name, or by its extension; `None` where they name none.
    ///
    /// ```
    /// use uriscan::Format;
    /// assert_eq!(Format::for_path("docs/Index.HTML"), Some(Format::HTML));
    /// assert_eq!(Format::for_path("logo.png"), None);
    /// ```
    pub fn for_path(path: impl AsRef<Path>) -> Option<&'static Format> {
        Self::of_path(path.as_ref().as_os_str().as_encoded_bytes())
    }

    /// Returns the format of a file by its name, or by its extension.
    pub(crate) fn of_path(path: &[u8]) -> Option<&'static Format> {
        let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next()?;
        let has_name = |row: &&str| name.eq_ignore_ascii_case(row.as_bytes());
        let whole = Self::all().find(|format| format.file_names.iter().any(has_name));
        let extension = || str::from_utf8(&name[memchr::memrchr(b'.', name)? + 1..]).ok();
        whole.or_else(|| extension().and_then(Format::of_extension))
    }

    /// The format of an extension, in any case.
    pub fn of_extension(extension: &str) -> Option<&'static Format> {
        let is_own = |own: &&str| own.eq_ignore_ascii_case(extension);
        Format::all().find(|format| format.extensions.iter().any(is_own))
    }
}
