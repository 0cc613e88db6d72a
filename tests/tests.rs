//! One binary for all integration tests: one module per theme.

// The base stack: which base a reference gets, and when.
mod bases;
// URI references.
mod uri;
// URIs in plain text.
mod text;
