//! One binary for all integration tests: one module per theme.

// The base stack: which base a reference gets, and when.
mod bases;
// The command, run as its users run it.
mod cli;
// Which module may use which.
mod layers;
// URI references.
mod uri;
// URIs in plain text.
mod text;
