//! One binary for all integration tests: one module per theme.

// URI references.
mod uri;
