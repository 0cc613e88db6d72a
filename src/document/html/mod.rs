//! References in HTML, found as the WHATWG parser would.
//!
//! One tokenizer (`tokens`) with two sources of feedback (`tree`): what can be proved without
//! building the tree (`fast`), and, where the proof ends, the tree builder itself. What
//! the accepted tags hold is a table, in `attributes`.

mod attributes;
mod css;
mod dom;
mod encoding;
mod feedback;
mod json;
mod names;
mod prescan;
mod report;
mod scanner;
mod simulator;
mod srcdoc;
mod tag;
mod tokenizer;
mod tree_builder;
mod value;
mod value_syntax;

pub use prescan::prescan;
pub(super) use scanner::FORMAT;
pub use scanner::HtmlScanner;

/// How HTML is read.
#[derive(Clone, Debug)]
pub struct HtmlOptions {
    /// Also report what is a reference only by convention: Open Graph, lazy loading and the like.
    pub extended: bool,
    /// Parse `noscript` as a browser that runs scripts does.
    pub scripting: bool,
    /// Also scan character data for URIs, by the rules for text.
    pub text: bool,
    /// The largest document, in bytes, that is read twice where exactness asks for it.
    pub max_document: u64,
    /// An attribute, in lower case, that marks the references of its element as
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

/// The longest value, or text of an element, that is looked at.
const LIMIT: usize = 4 << 20;
