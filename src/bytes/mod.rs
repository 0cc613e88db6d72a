//! Layer 1: bytes and offsets. Knows no URI and no format.

pub mod class;
pub mod lines;
pub mod prefilter;
pub mod seek;
#[allow(unsafe_code)]
pub mod simd;
pub mod source;
pub(crate) mod steps;
pub mod window;
