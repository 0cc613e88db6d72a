//! References in HTML, as a WHATWG parser without scripting finds them.
//!
//! One tokenizer (`tokenizer`, with the fast path of `tag`) asks one of two implementors of
//! `TreeFeedback`: the `simulator`, which tracks the tree builder from tags alone, or, where that is
//! no longer exact, the `tree_builder` itself. The `scanner` runs the first and falls back to the
//! second. `report` applies the table of `attributes` to the tags that were accepted.
#![doc = include_str!("rules.md")]

mod attributes;
mod description;
mod dom;
mod encoding;
mod feedback;
mod json;
mod names;
mod raw_text;
mod report;
mod scanner;
mod simulator;
mod tag;
mod tokenizer;
mod tree_builder;
mod value;
mod value_syntax;
#[cfg(feature = "documents")]
pub(in crate::document) mod xml;

pub use super::options::HtmlOptions;
#[cfg(feature = "internals")]
pub use encoding::prescan;
pub(super) use scanner::FORMAT;
pub(super) use value_syntax::refresh;
