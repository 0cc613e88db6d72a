//! References in AsciiDoc, as Asciidoctor would link them.
//!
//! A document is read block by block: `body` finds the structure of the lines, `attributes` replaces
//! the references to attributes, and `inline` finds the macros and the URIs in text.
#![doc = include_str!("rules.md")]

mod attributes;
mod body;
mod ids;
mod inline;
mod references;

use super::Format;
use super::blocks::{BlockScanner, format};
use body::AdocReader;

/// AsciiDoc.
pub(super) const FORMAT: Format = format("adoc", &["adoc", "asciidoc", "asc"], |options| {
    let reader = AdocReader::new(options.text.clone(), options.html.extended);
    Box::new(BlockScanner::new(reader, options))
});
