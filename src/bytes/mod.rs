//! Layer 1: bytes and offsets. Knows no URI and no format.

pub mod lines;
pub mod seek;
pub mod window;
