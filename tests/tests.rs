//! One binary for all integration tests: one module per theme.

// The base stack: which base a reference gets, and when.
mod bases;
// The documents of `corpus/` give the links that were written by hand beside them.
mod corpus;
// URI references.
mod uri;
// URIs in plain text.
mod text;
