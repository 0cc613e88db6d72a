//! References in reStructuredText, as docutils would link them, and the files that Sphinx would read.
//!
//! A document is read block by block: `body` finds the elements of the lines, `inline` the markup in
//! their text, and `uri` the URIs between that.
#![doc = include_str!("rules.md")]

mod body;
mod boundary;
mod directives;
mod ids;
mod inline;
mod references;
mod uri;

use super::Format;
use super::blocks::{BlockScanner, format};
use body::BodyReader;

/// reStructuredText.
pub(super) const FORMAT: Format = format("rst", &["rst", "rest"], |options| {
    let reader = BodyReader::new(options.text.email);
    Box::new(BlockScanner::new(reader, options))
});
