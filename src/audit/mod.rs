//! Layer 6: the links of document trees, checked against what stands on disk.

pub mod baseline;
pub mod check;
pub mod rules;
pub mod suggest;
pub mod tree;
