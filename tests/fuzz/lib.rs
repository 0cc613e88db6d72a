//! The tests of uriscan as a library, so that a fuzzer can call their oracles.

// Only what the targets call is used here; the rest are tests.
#![allow(dead_code, unused_imports, unused_macros, clippy::unwrap_used)]

#[path = "../adoc/mod.rs"]
mod adoc;
#[path = "../css/mod.rs"]
mod css;
#[path = "mod.rs"]
mod fuzz;
#[path = "../html/mod.rs"]
mod html;
#[path = "../json/mod.rs"]
mod json;
#[path = "../mail/mod.rs"]
mod mail;
#[path = "../markup.rs"]
mod markup;
#[path = "../pdf/mod.rs"]
mod pdf;
#[path = "../rst/mod.rs"]
mod rst;
#[path = "../tables"]
mod tables {
    pub(crate) mod cells;
}
#[path = "../text/mod.rs"]
mod text;
#[path = "../troff/mod.rs"]
mod troff;
#[path = "../uri/mod.rs"]
mod uri;
#[path = "../xml/mod.rs"]
mod xml;

/// Puts bytes to the check of a target.
///
/// # Panics
///
/// Where the library is wrong, and where there is no such target.
pub fn run(name: &str, bytes: &[u8]) {
    fuzz::run(name, bytes);
}
