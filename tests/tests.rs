//! One binary for all integration tests: one module per theme.

// A test that cannot go on should say where.
#![allow(clippy::unwrap_used)]

/// Returns the rounds of a test that takes long: `all` where `URISCAN_ROUNDS` is `all`.
fn rounds<T>(few: T, all: T) -> T {
    match std::env::var_os("URISCAN_ROUNDS") {
        Some(rounds) if rounds == "all" => all,
        _ => few,
    }
}

// AsciiDoc.
mod adoc;
// What users of the library rely on.
mod api;
mod archives;
// The audit of document trees.
mod audit;
// The base stack: which base a reference gets, and when.
mod bases;
// The command, run as its users run it.
mod cli;
// Compressed documents as a library reads them.
mod compressed;
// Web archives from a seed, damaged and in pieces.
mod crawl;
// Style sheets.
mod css;
// The documents of `corpus/` give the links that were written by hand beside them.
mod corpus;
// Changed documents, however they arrive.
#[cfg(target_os = "linux")]
mod differential;
// Documents of all formats, with expectations written by hand.
mod documents;
// Programs that embed the library, with bad input.
mod embedding;
// What a fuzzer tries, on fixed seeds.
mod fuzz;
// Adversarial documents: steps, output and memory grow in proportion to the length.
mod hostile;
// References in HTML: an independent oracle, cases and hostile documents.
mod html;
// JSON documents of all kinds.
mod json;
// LaTeX.
mod latex;
// Which module may use which.
mod layers;
// What the tests of formats share that are read in blocks of lines.
mod markup;
// Markdown.
mod markdown;
// Mail and news archives.
mod mail;
// Org.
mod org;
// Packages: EPUB, OOXML, ODF.
mod packages;
// The files by which others get the command.
mod packaging;
// PDF files.
mod pdf;
// The picture in README.md.
mod picture;
// Each row of each table has a test.
mod rows;
// References of documents, replaced by others.
mod rewriting;
// reStructuredText.
mod rst;
// The sample session of README.md is what one sees.
mod readme;
// Tables of links.
#[cfg(feature = "arrow")]
mod tables;
// Placeholders of template engines, in every format.
mod templates;
// URIs in plain text.
mod text;
// Sources of manual pages.
mod troff;
// URI references.
mod uri;
// XML of any vocabulary.
mod xml;
