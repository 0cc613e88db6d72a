//! URI references: the published tables, the algorithms transcribed, another engine, and laws.

// File names, URIs and mounts.
mod bases;
// References and bases made of the tokens that decide.
pub(crate) mod generate;
// The grammars of the RFCs, and a matcher for their rows.
mod grammar;
// Validation against the grammars.
mod grammars;
// What holds for any bytes.
mod laws;
// The pseudo-code of the RFCs on strings.
mod naive;
// Resolution against the transcriptions, the plain way and the `url` crate.
pub(crate) mod oracles;
// Rows that no published table has.
mod rows;
// The published tables.
mod vectors;
