//! References in HTML, as a WHATWG parser without scripting finds them.
//!
//! One tokenizer (`tokenizer`, with the fast path of `tag`) asks one of two implementors of
//! `TreeFeedback`: the `simulator`, which tracks the tree builder from tags alone, or, where that is
//! no longer exact, the `tree_builder` itself. The `scanner` runs the first and falls back to the
//! second. `report` applies the table of `attributes` to the tags that were accepted.
#![doc = include_str!("rules.md")]

mod attributes;
mod css;
mod dom;
mod encoding;
mod feedback;
mod json;
mod names;
mod report;
mod scanner;
mod simulator;
mod srcdoc;
mod tag;
mod tokenizer;
mod tree_builder;
mod value;
mod value_syntax;

pub use encoding::prescan;
pub(super) use scanner::FORMAT;
pub use scanner::HtmlScanner;

/// Options for HTML.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HtmlOptions {
    /// Also report references by convention: Open Graph, lazy loading, JSON-LD and the like.
    pub extended: bool,
    /// Parse `noscript` as a browser with scripting does.
    pub scripting: bool,
    /// Also scan character data for URIs, by the rules for text.
    pub text: bool,
    /// The largest document, in bytes, that is held or read twice where exactness needs it.
    pub max_document: u64,
    /// An attribute, in lower case: references of elements that have it get
    /// [`Flags::IGNORED`](super::flags::Flags::IGNORED).
    pub ignore: Option<String>,
}

impl Default for HtmlOptions {
    fn default() -> Self {
        HtmlOptions {
            extended: false,
            scripting: false,
            text: false,
            max_document: 64 << 20,
            ignore: None,
        }
    }
}

/// The longest attribute value, or text of an element, that is searched, in bytes.
const LIMIT: usize = 4 << 20;
