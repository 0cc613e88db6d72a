//! A streaming link extractor and resolver for documents.
//!
//! uriscan finds the URI references of plain text (RFC 2396 Appendix E), HTML, Markdown and mail,
//! and resolves each against the right base (RFC 2396 section 5.1): the document's own `BASE`, else
//! the entity that encloses it, else where it was retrieved from, else a default.
//!
//! ```
//! use uriscan::document::Format;
//! use uriscan::extractor::{Document, Extractor, ExtractorOptions};
//! use uriscan::resolver::Link;
//! use uriscan::uri::{Base, BaseSource};
//!
//! let html = Format::named("html").unwrap();
//! let base = Base {
//!     uri: b"http://example.com/docs/a.html".to_vec(),
//!     source: BaseSource::RetrievalRoot,
//! };
//! let page = b"<a href='b.html'>b</a> <base href='http://example.org/'>";
//! let mut extractor = Extractor::new(&ExtractorOptions::default());
//! let mut targets = Vec::new();
//! extractor.extract_bytes(&Document::new(html, Some(&base)), page, &mut |link: &Link<'_>| {
//!     targets.push(link.target.unwrap().to_vec());
//! });
//! assert_eq!(targets, [b"http://example.org/b.html"]);
//! ```
//!
//! # The idea
//!
//! A **scanner** turns windows of bytes into **events**: enter, base, settled, reference, leave. A
//! **linker** turns events into **links** by keeping a stack of base URIs. Scanners never resolve;
//! the linker never sees a format. An **extractor** runs one document through both. A **pipeline**
//! runs many documents, and the pieces of very large ones, through many extractors and writes in
//! input order. What comes in kinds (formats, outputs, attributes, schemes) is a row in a table.
//!
//! # Words
//!
//! A *reference* is what stands in a document (RFC 3986 section 4.1); it is *resolved* against a
//! *base URI* to a *target*. A *link* is a reference with its place, its base and its target. A
//! *window* is the part of a document in view; `at` is an index into it, an *offset* counts bytes
//! from the document's start, and a *span* is a half-open pair of offsets.
//!
//! # The house, from the ground up
//!
//! | layer | module | owns |
//! | --- | --- | --- |
//! | 1 | [`bytes`] | windows, lines and columns, byte classes |
//! | 2 | [`uri`] | the grammar of references, and resolution by four rule sets |
//! | 2 | [`decode`] | bytes to bytes: charsets, transfer encodings, compression |
//! | 3 | [`document`] | one scanner a format: bytes to events |
//! | 4 | [`resolver`] | events to links: the stack of bases, and what waits for them |
//! | 5 | [`extractor`] | one document from start to end |
//! | 5 | [`output`] | one link to bytes: text, JSON Lines, CSV, TSV |
//! | 6 | [`pipeline`] | many documents on all cores, written in order |
//! | 6 | [`audit`] | the links of document trees, checked against what stands on disk |
//! | 7 | [`cli`] | the command line |
//!
//! A module uses what stands in a lower layer or beside it in its own, and nothing above.

pub mod audit;
pub mod bytes;
pub mod cli;
pub mod decode;
pub mod document;
#[doc = include_str!("examples.md")]
pub mod examples {}
pub mod extractor;
// Documents that would take far longer, or far more memory, than their length.
#[cfg(test)]
mod hostile;
pub mod output;
pub mod pipeline;
pub mod resolver;
pub mod uri;

// The library example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
