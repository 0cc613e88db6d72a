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

/// Returns whether bytes begin with the start tag of an element of HTML, after comments.
pub(crate) fn starts_with_tag(head: &[u8]) -> bool {
    let mut rest = head
        .strip_prefix("\u{feff}".as_bytes())
        .unwrap_or(head)
        .trim_ascii_start();
    while rest.starts_with(b"<!--")
        && let Some(end) = memchr::memmem::find(rest, b"-->")
    {
        rest = rest[end + 3..].trim_ascii_start();
    }
    let end = crate::bytes::seek::tag_name_end(rest, rest.len().min(1));
    let name = rest.get(1..end).unwrap_or_default();
    rest.starts_with(b"<")
        && end < rest.len()
        && name.iter().all(u8::is_ascii_alphanumeric)
        && names::Element::of(name) != names::Element::Other
}

pub use super::options::HtmlOptions;
pub(crate) use description::page_text;
pub(super) use description::{push_link_types, push_seen_text};
#[cfg(feature = "internals")]
pub use encoding::prescan;
pub(super) use scanner::FORMAT;
#[cfg(feature = "markdown")]
pub(super) use value::{CharacterContext, decode_reference};
pub(super) use value_syntax::refresh;
