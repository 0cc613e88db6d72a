//! One binary for all integration tests: one module per theme.

// URIs in plain text.
mod text;
