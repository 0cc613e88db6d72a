//! URI references: the published tables, the algorithms transcribed, other engines.

mod bases;
mod generate;
mod laws;
mod naive;
mod oracles;
mod rows;
mod vectors;
