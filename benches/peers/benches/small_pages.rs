//! Small pages in a crawler: 2.4 KB with 23 links, one extractor for all, each target once.
//!
//! ours; `lol_html` and `url`; `html5gum` and `url`. All find the same targets. `-- NAME PAGES` reads a
//! number of pages by one of them alone, to be counted by callgrind; `descriptions` is ours with the text of
//! each link.

#[path = "../../generate/random.rs"]
#[allow(dead_code)]
mod random;

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Instant;

use lol_html::{HtmlRewriter, Settings, element};
use random::Random;
use uriscan::{Base, Document, Extractor, ExtractorOptions, Format, Link};
use url::Url;

const SEED: u64 = 2396;
/// The pages of the site, which link to each other.
const SITE: usize = 1000;
const LINKS: usize = 23;
const ROUNDS: usize = 5;

struct Page {
    url: String,
    html: String,
}

fn path(page: usize) -> String {
    format!("docs/part{}/page{page}.html", page % 20)
}

fn site() -> Vec<Page> {
    let mut random = Random::new(SEED);
    let page = |page| {
        let mut html = format!(
            "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>{}</title></head>\n<body>\n",
            random.words(4)
        );
        for _ in 0..LINKS {
            let to = random.below(SITE);
            let href = match random.below(6) {
                0 => format!("/{}", path(to)),
                1 => format!(
                    "http://www.example.com/{}?from={page}&amp;to={to}",
                    path(to % 50)
                ),
                2 => format!("page{}.html#{}", to - to % 20 + page % 20, random.word()),
                _ => format!("../part{}/page{to}.html", to % 20),
            };
            html += &format!(
                "<p class=\"entry\">{} <a class=\"to\" href=\"{href}\">{}</a></p>\n",
                random.words(4),
                random.words(2)
            );
        }
        html += "</body>\n</html>\n";
        let url = format!("http://www.example.com/{}", path(page));
        Page { url, html }
    };
    (0..SITE).map(page).collect()
}

/// The URLs that are known, without fragments, and the number of links to them.
#[derive(Default)]
struct Frontier {
    known: HashSet<Box<[u8]>>,
    links: usize,
}

impl Frontier {
    fn add(&mut self, url: &[u8]) {
        let end = url.iter().position(|&byte| byte == b'#');
        let url = &url[..end.unwrap_or(url.len())];
        self.links += 1;
        if !self.known.contains(url) {
            self.known.insert(url.into());
        }
    }
}

/// Reads pages, and returns what they link to.
type Crawl = fn(&[Page], usize) -> Frontier;

fn ours(pages: &[Page], count: usize, descriptions: bool) -> Frontier {
    let mut options = ExtractorOptions::default();
    options.formats.html.descriptions = descriptions;
    let mut extractor = Extractor::new(&options);
    let mut frontier = Frontier::default();
    for page in pages.iter().cycle().take(count) {
        let base = Base::retrieved(&page.url).expect("the URL is absolute");
        let document = Document::new(Format::HTML, Some(&base));
        let mut sink = |link: &Link<'_>| frontier.add(link.target.unwrap_or_default());
        extractor.extract_bytes(&document, page.html.as_bytes(), &mut sink);
    }
    frontier
}

fn by_lol_html(pages: &[Page], count: usize) -> Frontier {
    let frontier = RefCell::new(Frontier::default());
    for page in pages.iter().cycle().take(count) {
        let base = Url::parse(&page.url).expect("the URL is absolute");
        let href = element!("[href]", |element| {
            let href = element.get_attribute("href").unwrap_or_default();
            // Values are not decoded.
            if let Ok(url) = base.join(&href.replace("&amp;", "&")) {
                frontier.borrow_mut().add(url.as_str().as_bytes());
            }
            Ok(())
        });
        let settings = Settings::new().append_element_content_handler(href);
        let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
        rewriter.write(page.html.as_bytes()).expect("it is HTML");
        rewriter.end().expect("it is HTML");
    }
    frontier.into_inner()
}

fn by_html5gum(pages: &[Page], count: usize) -> Frontier {
    let mut frontier = Frontier::default();
    for page in pages.iter().cycle().take(count) {
        let base = Url::parse(&page.url).expect("the URL is absolute");
        for token in html5gum::Tokenizer::new(page.html.as_bytes()).flatten() {
            if let html5gum::Token::StartTag(tag) = token
                && let Some(href) = tag.attributes.get(&b"href"[..])
                && let Ok(url) = base.join(&String::from_utf8_lossy(href))
            {
                frontier.add(url.as_str().as_bytes());
            }
        }
    }
    frontier
}

const CRAWLS: [(&str, Crawl); 4] = [
    ("uriscan", |pages, count| ours(pages, count, false)),
    ("descriptions", |pages, count| ours(pages, count, true)),
    ("lol_html", by_lol_html),
    ("html5gum", by_html5gum),
];

fn main() {
    let pages = site();
    let arguments = std::env::args().skip(1);
    // Cargo adds this one.
    let arguments: Vec<String> = arguments.filter(|argument| argument != "--bench").collect();
    if let [name, count] = &arguments[..] {
        let crawl = CRAWLS.iter().find(|(crawl, _)| crawl == name);
        let count = count.parse().expect("it is a number");
        println!("{}", crawl.expect("it is known").1(&pages, count).links);
        return;
    }
    let bytes: usize = pages.iter().map(|page| page.html.len()).sum();
    println!("{} bytes a page", bytes / pages.len());
    let mut least = [f64::INFINITY; CRAWLS.len()];
    let known = by_html5gum(&pages, SITE).known;
    // They take turns, and the least time of each is its own.
    for _ in 0..ROUNDS {
        for ((name, crawl), least) in CRAWLS.iter().zip(&mut least) {
            let count = 100 * SITE;
            let start = Instant::now();
            let frontier = crawl(&pages, count);
            *least = least.min(start.elapsed().as_secs_f64() * 1e6 / count as f64);
            assert_eq!(frontier.links, LINKS * count, "{name}");
            assert!(frontier.known == known, "{name}");
        }
    }
    for ((name, _), least) in CRAWLS.iter().zip(least) {
        println!("{name:12} {least:5.1} microseconds a page");
    }
}
