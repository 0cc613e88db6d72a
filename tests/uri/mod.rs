//! URI references: the published tables, the algorithms transcribed, other engines.

mod generate;
mod naive;
mod oracles;
mod vectors;
