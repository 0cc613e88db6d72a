//! One binary for all integration tests: one module per theme.

// A test that cannot go on should say where.
#![allow(clippy::unwrap_used)]

// The base stack: which base a reference gets, and when.
mod bases;
// The command, run as its users run it.
mod cli;
// Which module may use which.
mod layers;
// URI references.
mod uri;
// References in HTML: an independent oracle, cases and hostile documents.
mod html;
// URIs in plain text.
mod text;
// URI references.
mod uri;
