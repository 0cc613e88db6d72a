//! Layer 1: bytes and offsets. Knows no URI and no format.

pub mod anchor;
#[allow(unsafe_code)]
pub mod block;
pub mod class;
pub mod lines;
pub mod seek;
pub mod source;
pub(crate) mod steps;
pub mod window;
