//! URI references: published tables, transcribed algorithms, another engine, and invariants.

// File names, URIs and mounts.
mod bases;
// Generated references and bases.
pub(crate) mod generate;
// The grammars of the RFCs, and a matcher for their rows.
mod grammar;
// Validation compared with the grammars.
mod grammars;
// Invariants over any bytes.
mod laws;
// The pseudo-code of the RFCs on strings.
mod naive;
// Resolution compared with the transcriptions, the slow path and the `url` crate.
pub(crate) mod oracles;
// Rows beyond the published tables.
mod rows;
// The published tables.
mod vectors;
