//! HTML by others. They report attributes and resolve nothing; only handlers that ask for a value
//! are given one.

use std::cell::Cell;
use std::hint::black_box;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use lol_html::{HtmlRewriter, Settings, element};

/// The attributes that most other tools look for.
fn is_link(name: &[u8]) -> bool {
    matches!(name, b"href" | b"src")
}

/// `lol_html` with handlers for `[href]` and `[src]`.
pub fn by_lol_html(html: &[u8]) -> usize {
    let links = Cell::new(0);
    let take = |value: Option<String>| {
        black_box(value);
        links.set(links.get() + 1);
        Ok(())
    };
    let settings = Settings::new()
        .append_element_content_handler(element!("[href]", |element| {
            take(element.get_attribute("href"))
        }))
        .append_element_content_handler(element!("[src]", |element| {
            take(element.get_attribute("src"))
        }))
        .with_strict(false);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // It gives up text that it finds ambiguous; what it has found by then counts.
    if rewriter.write(html).is_ok() {
        let _ = rewriter.end();
    }
    links.get()
}

/// Counts attributes.
struct Attributes(Cell<usize>);

impl TokenSink for Attributes {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token {
            let is_link = |one: &&html5ever::Attribute| is_link(one.name.local.as_bytes());
            self.0
                .set(self.0.get() + tag.attrs.iter().filter(is_link).count());
        }
        TokenSinkResult::Continue
    }
}

/// The tokenizer of html5ever, without a tree.
pub fn by_html5ever(html: &[u8]) -> usize {
    let tokenizer = Tokenizer::new(Attributes(Cell::new(0)), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(&String::from_utf8_lossy(html)));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.get()
}

/// `html5gum`.
pub fn by_html5gum(html: &[u8]) -> usize {
    let tokens = html5gum::Tokenizer::new(html).flatten();
    tokens
        .map(|token| match token {
            html5gum::Token::StartTag(tag) => {
                tag.attributes.keys().filter(|name| is_link(name)).count()
            }
            _ => 0,
        })
        .sum()
}

/// No parser at all: every `<` visited.
pub fn every_bracket(html: &[u8]) -> usize {
    memchr::memchr_iter(b'<', html)
        .filter(|&at| black_box(at) < html.len())
        .count()
}
