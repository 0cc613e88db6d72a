//! Layer 1: bytes and offsets. Knows no URI and no format.

pub mod anchor;
pub mod lines;
pub mod window;
