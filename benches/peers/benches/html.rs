//! Links in HTML: ours, `lol_html` with handlers for `[href]` and `[src]`, and the tokenizers
//! `html5gum` and html5ever, which find no links but read every attribute.

#[path = "../../generate/mod.rs"]
mod generate;

use std::cell::Cell;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{KINDS, Kind};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use lol_html::{HtmlRewriter, Settings, element};
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::{Format, Options, Scan, Start};

const SIZE: usize = 4 << 20;
const SEED: u64 = 2396;

fn ours(scanner: &mut dyn Scan, events: &mut Events, html: &[u8]) -> usize {
    events.clear();
    scanner.begin(&Start::default());
    scanner.scan(Window::whole(html), events);
    let is_reference = |event: &&Event| matches!(event, Event::Reference(_));
    events.list.iter().filter(is_reference).count()
}

fn by_lol_html(html: &[u8]) -> usize {
    let links = Cell::new(0);
    let take = |value: Option<String>| {
        black_box(value);
        links.set(links.get() + 1);
        Ok(())
    };
    let settings = Settings {
        element_content_handlers: vec![
            element!("[href]", |element| take(element.get_attribute("href"))),
            element!("[src]", |element| take(element.get_attribute("src"))),
        ],
        strict: false,
        ..Settings::new()
    };
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html).expect("nothing stops it");
    rewriter.end().expect("nothing stops it");
    links.get()
}

/// Counts attributes.
struct Attributes(Cell<usize>);

impl TokenSink for Attributes {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token {
            self.0.set(self.0.get() + tag.attrs.len());
        }
        TokenSinkResult::Continue
    }
}

fn by_html5ever(html: &[u8]) -> usize {
    let tokenizer = Tokenizer::new(Attributes(Cell::new(0)), TokenizerOpts::default());
    let input = BufferQueue::default();
    let text = std::str::from_utf8(html).expect("the pages are UTF-8");
    input.push_back(StrTendril::from_slice(text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.get()
}

fn by_html5gum(html: &[u8]) -> usize {
    let tokens = html5gum::Tokenizer::new(html).flatten();
    tokens
        .map(|token| match token {
            html5gum::Token::StartTag(tag) => tag.attributes.len(),
            _ => 0,
        })
        .sum()
}

fn html(criterion: &mut Criterion) {
    for Kind { name, format, make } in KINDS {
        if format != "html" {
            continue;
        }
        let input = make(SEED, SIZE);
        let mut group = criterion.benchmark_group(format!("html {name}"));
        group.throughput(Throughput::Bytes(input.len() as u64));
        let format = Format::named(format).expect("the format is known");
        let mut scanner = (format.scanner)(&Options::default());
        let mut events = Events::default();
        group.bench_function("uriscan", |bencher| {
            bencher.iter(|| {
                let count = |html: &Vec<u8>| ours(&mut *scanner, &mut events, html);
                let links: usize = input.documents.iter().map(count).sum();
                assert_eq!(links, input.links);
            });
        });
        let peers: [(&str, fn(&[u8]) -> usize); 3] = [
            ("lol_html", by_lol_html),
            ("html5ever", by_html5ever),
            ("html5gum", by_html5gum),
        ];
        for (peer, count) in peers {
            group.bench_function(peer, |bencher| {
                bencher.iter(|| {
                    let count = |html: &Vec<u8>| count(html);
                    let found: usize = input.documents.iter().map(count).sum();
                    assert!(found > input.links / 2, "{found}");
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, html);
criterion_main!(benches);
