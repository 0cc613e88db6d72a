//! A streaming link extractor and resolver for documents.
//!
//! uriscan finds the URI references of plain text (RFC 2396 Appendix E), HTML, style sheets, XML, JSON,
//! reStructuredText, AsciiDoc, manual pages, Markdown, PDF, EPUB, office documents and mail, and
//! resolves each against the right base (RFC 2396 section 5.1): the document's own `BASE`, else the
//! entity that encloses the document, else its retrieval URI, else a default.
//!
//! ```
//! use uriscan::{Base, Format, links};
//!
//! let page = b"<a href='b.html'>b</a> <base href='http://example.org/'>";
//! let base = Base::retrieved("http://example.com/docs/a.html")?;
//! let targets: Vec<_> = links(page, Format::HTML, Some(&base)).map(|link| link.target).collect();
//! assert_eq!(targets, [Ok(b"http://example.org/b.html".to_vec())]);
//! # Ok::<(), uriscan::BaseError>(())
//! ```
//!
//! | task | items |
//! | --- | --- |
//! | links of a document in memory | [`links()`], [`OwnedLink`] |
//! | links of streams and of many documents | [`Extractor`], [`Document`], [`Sink`], [`Link`] |
//! | resolve a reference | [`resolve()`], [`Resolver`], [`Rules`] |
//! | split, validate, normalise a reference | [`Reference`], [`validate()`], [`normalize()`] |
#![cfg_attr(
    feature = "audit",
    doc = "| check the links of document trees | [`audit()`], [`AuditOptions`], [`Finding`] |"
)]
//!
//! [`examples`] has programs to start from.
//!
//! # Features
//!
//! `default-features = false` leaves text, HTML, style sheets and resolution. `documents` (JSON, XML,
//! PDF and the markup of manuals), `markdown` and `mail` add formats, `compression` (part of `mail`)
//! decompression, `audit` archives and the checking of document trees with all formats, `cli` the
//! command, and `arrow` its tables of links; the last two are the default.
//!
//! A program cannot add formats, rules or outputs to those in the crate. Without
//! `audit` the library also builds for `wasm32-unknown-unknown`.
//!
//! # Terms
//!
//! A *reference* is a string in a document (RFC 3986 section 4.1); it is *resolved* against a
//! *base URI* to a *target*. A *link* is a reference with its position, its base and its target. An
//! *offset* is a number of bytes from the start of a document, and a *span* is a half-open pair of offsets.
//!
//! # Inside
//!
//! A **scanner** turns windows of bytes into **events**: enter, base, settled, reference, leave. A
//! **linker** turns events into **links** by means of a stack of base URIs. Scanners never resolve;
//! the linker knows no format. An **extractor** runs one document through both. A **pipeline** runs
//! many documents, and the pieces of very large ones, through many extractors and writes in input
//! order. Each format, output, attribute, scheme and audit rule is a row in a table.
//!
//! | layer | module | contents |
//! | --- | --- | --- |
//! | 1 | `bytes` | windows, lines and columns, byte classes, vectorised search |
//! | 2 | `uri` | the grammar of references, and resolution by four rule sets |
//! | 2 | `decode` | charsets, transfer encodings, compression: bytes to bytes |
//! | 3 | `document` | one scanner a format: bytes to events |
//! | 4 | `linker` | events to links: the stack of bases, and references whose base is pending |
//! | 4 | `archive` | files of other files: tar, zip, packages (EPUB, OOXML, ODF), web archives |
//! | 5 | `extractor` | one document from start to end |
//! | 5 | `output` | links to bytes: text, JSON Lines, CSV, TSV, tables (Arrow) |
//! | 5 | `rewrite` | other references in the place of those that were found |
//! | 6 | `links`, `response` | the links of one document in memory, as values; those of a response of HTTP |
//! | 6 | `pipeline` | many documents on all cores, written in order |
//! | 6 | `audit` | the links of document trees, checked against the files on disk |
//! | 7 | `cli` | the command line |
//!
//! A module uses modules of lower layers, or of the same layer without cycles.
//!
//! CONTRIBUTING.md has every file that a new row of a table needs.

// The documentation on docs.rs says which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// A library without the command has code that only the command, the audit or tables use.
#![cfg_attr(not(feature = "arrow"), allow(dead_code, unused_imports))]

/// Displays values by their names in records.
macro_rules! displayed_by_name {
    ($($named:ty),*) => {
        $(impl std::fmt::Display for $named {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        })*
    };
}

/// An enum whose values have names in records and messages.
macro_rules! named {
    ($(#[$on:meta])* pub enum $named:ident { $($(#[$note:meta])* $value:ident = $name:literal,)* }) => {
        $(#[$on])*
        pub enum $named { $($(#[$note])* $value,)* }

        impl $named {
            /// Every value, in order.
            #[allow(dead_code)]
            pub(crate) const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// The name used in records and messages.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }
        }
    };
}

/// Setters of one field each.
macro_rules! setters {
    ($($(#[$about:meta])* $name:ident($value:ident: $type:ty) => $($field:ident).+ = $to:expr;)*) => {$(
        $(#[$about])*
        #[must_use]
        pub fn $name(mut self, $value: $type) -> Self {
            self.$($field).+ = $to;
            self
        }
    )*};
}

// With the feature `internals` the tests, benchmarks and fuzz targets of this package see the
// modules, which are not part of the public API.
#[cfg(all(feature = "audit", not(feature = "internals")))]
mod archive;
#[cfg(all(feature = "audit", feature = "internals"))]
pub mod archive;
#[cfg(feature = "audit")]
pub mod audit;
#[cfg(not(feature = "internals"))]
mod bytes;
#[cfg(feature = "internals")]
pub mod bytes;
#[cfg(all(feature = "cli", not(feature = "internals")))]
mod cli;
#[cfg(all(feature = "cli", feature = "internals"))]
pub mod cli;
#[cfg(not(feature = "internals"))]
mod decode;
#[cfg(feature = "internals")]
pub mod decode;
#[cfg(not(feature = "internals"))]
mod document;
#[cfg(feature = "internals")]
pub mod document;
#[cfg(not(feature = "internals"))]
mod extractor;
#[cfg(feature = "internals")]
pub mod extractor;
#[cfg(not(feature = "internals"))]
mod linker;
#[cfg(feature = "internals")]
pub mod linker;
mod links;
#[cfg(all(feature = "audit", not(feature = "internals")))]
mod output;
#[cfg(all(feature = "audit", feature = "internals"))]
pub mod output;
#[cfg(all(feature = "audit", not(feature = "internals")))]
mod pipeline;
#[cfg(all(feature = "audit", feature = "internals"))]
pub mod pipeline;
#[cfg(feature = "documents")]
mod response;
pub mod rewrite;
#[cfg(not(feature = "internals"))]
mod uri;
#[cfg(feature = "internals")]
pub mod uri;

#[cfg(feature = "audit")]
pub use audit::{
    AuditError, AuditOptions, AuditSummary, Finding, IgnoreEntry, Level, LinkState, audit,
};
pub use bytes::lines::Position;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::main as run_command;
pub use document::diagnostic::{Code, Effect, codes};
pub use document::events::{Context, Span};
pub use document::flags::Flags;
pub use document::{Format, FormatOptions, Positions};
/// The crate whose `Encoding` is the type of [`Document::declared`].
pub use encoding_rs;
pub use extractor::{Document, Extractor, ExtractorOptions, Stream};
pub use linker::{Diagnostic, EmbeddedBases, Found, Link, Ruling, Sink};
pub use links::{Links, OwnedLink, OwnedMember, links};
pub use uri::{
    Base, BaseError, BaseSource, Component, Fault, Grammar, Reference, ReferenceKind, ResolveError,
    ResolveErrorKind, Resolved, Resolver, Rules, normalize, resolve, validate,
};

/// Options of the formats.
pub mod formats {
    pub use crate::document::AnchorReporting;
    pub use crate::document::html::HtmlOptions;
    #[cfg(feature = "mail")]
    pub use crate::document::mail::{Alternatives, Attachments, Headers, MailOptions, MimeBase};
    #[cfg(feature = "markdown")]
    pub use crate::document::markdown::{MarkdownOptions, Slug};
    pub use crate::document::text::{NonAscii, TextOptions};
}

/// Responses of HTTP.
#[cfg(feature = "documents")]
pub mod http {
    pub use crate::response::Response;
}

/// The parts of a link, and links that mail gateways have rewritten.
pub mod link {
    pub use crate::linker::{Envelope, LinkBase, LinkDescription, LinkMember, WebRecord};
    pub use crate::uri::unwrap::{Gateway, Unwrapper, UrlCoding};
}

/// File names as URIs, and directories that are mounted at URIs.
pub mod path {
    pub use crate::uri::base::{PathStyle, file_path, file_uri};
    pub use crate::uri::{Mounts, Served};
}

/// The choices that the texts of the RFCs leave open.
pub mod rules {
    pub use crate::uri::{ExcessDots, Normalization, RuleForm, SameScheme};
}

/// References in plain text.
pub mod text {
    pub use crate::document::text::{
        Certainty, NonAscii, TextOptions, TextReference, TextReferences, find,
    };
}

#[doc = include_str!("examples.md")]
pub mod examples {}

// The library example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
