//! One binary for all integration tests: one module per theme.

// The base stack: which base a reference gets, and when.
mod bases;
// The documents of `corpus/` give the links that were written by hand beside them.
mod corpus;
// The sample session of README.md is what one sees.
mod readme;
// URIs in plain text.
mod text;
// URI references.
mod uri;
