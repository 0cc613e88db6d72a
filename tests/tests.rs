//! One binary for all integration tests: one module per theme.

// References in HTML: an independent oracle, cases and hostile documents.
mod html;
