//! The start tags of a document, each with its effect on the tree.

use std::cell::RefCell;

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::tree::{Id, Outcome, Tree};

/// A start tag.
#[derive(Debug)]
pub(crate) struct StartTag {
    /// The attributes without duplicates, names in lower case.
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) outcome: Outcome,
    /// Whether the tag is a meta element that the tree builder reads for an encoding.
    pub(crate) declares_encoding: bool,
}

impl StartTag {
    /// The value of an attribute.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name)?;
        Some(value)
    }
}

/// A parsed document.
pub(crate) struct Parsed {
    pub(crate) tags: Vec<StartTag>,
    pub(crate) tree: Tree,
}

/// Options of the tree builder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parsing {
    pub(crate) scripting: bool,
    pub(crate) srcdoc: bool,
}

/// Records start tags between tokenizer and tree builder.
struct Tee {
    builder: TreeBuilder<Id, Tree>,
    tags: RefCell<Vec<StartTag>>,
}

impl TokenSink for Tee {
    type Handle = Id;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Id> {
        let Token::TagToken(mut tag) = token else {
            return self.builder.process_token(token, line);
        };
        if tag.kind == TagKind::EndTag {
            return self.builder.process_token(Token::TagToken(tag), line);
        }
        lower_shadow_mode(&mut tag);
        let attributes = tag
            .attrs
            .iter()
            .map(|attribute| {
                (
                    attribute.name.local.to_string(),
                    attribute.value.to_string(),
                )
            })
            .collect();
        self.builder.sink.begin(&tag.name);
        let is_meta = &*tag.name == "meta";
        let result = self.builder.process_token(Token::TagToken(tag), line);
        let outcome = self.builder.sink.end();
        self.tags.borrow_mut().push(StartTag {
            attributes,
            outcome,
            // html5ever 0.40 also asks of a link's charset; only a meta element declares.
            declares_encoding: is_meta && matches!(result, TokenSinkResult::EncodingIndicator(_)),
        });
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// HTML, shadowrootmode: the keywords are case-insensitive, but not in html5ever 0.40.
fn lower_shadow_mode(tag: &mut Tag) {
    for attribute in &mut tag.attrs {
        if &*tag.name == "template" && &*attribute.name.local == "shadowrootmode" {
            attribute.value = StrTendril::from(attribute.value.to_ascii_lowercase());
        }
    }
}

/// Parses a decoded document.
pub(crate) fn parse(text: &str, parsing: Parsing) -> Parsed {
    let builder = TreeBuilder::new(
        Tree::new(),
        TreeBuilderOpts {
            scripting_enabled: parsing.scripting,
            iframe_srcdoc: parsing.srcdoc,
            ..TreeBuilderOpts::default()
        },
    );
    let tee = Tee {
        builder,
        tags: RefCell::new(Vec::new()),
    };
    // The decoder has removed the byte order mark; a second one is text.
    let tokenizer = Tokenizer::new(
        tee,
        TokenizerOpts {
            discard_bom: false,
            ..TokenizerOpts::default()
        },
    );
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    // `feed` returns early for scripts and declared encodings.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let tee = tokenizer.sink;
    Parsed {
        tags: tee.tags.into_inner(),
        tree: tee.builder.sink,
    }
}
