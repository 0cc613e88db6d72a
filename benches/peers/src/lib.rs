//! What other libraries find in the same bytes, for the benches and for the table of `main.rs`.

pub mod html;
pub mod mail;
pub mod text;
