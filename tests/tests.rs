//! One binary for all integration tests: one module per theme.
