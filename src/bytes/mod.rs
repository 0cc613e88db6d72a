//! Bytes: classes of them, knowing no URI and no format.

pub mod class;
