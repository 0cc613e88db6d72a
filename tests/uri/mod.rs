//! URI references: the published tables, the algorithms transcribed, other engines.

mod vectors;
