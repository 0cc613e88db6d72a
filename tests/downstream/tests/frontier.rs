//! The frontier of a crawler: what the pages of a site lead to, each URL once.
#![cfg(feature = "formats")]

use std::collections::HashSet;
use std::ops::ControlFlow;

use uriscan::formats::HtmlOptions;
use uriscan::http::Response;
use uriscan::{BaseError, Extractor, ExtractorOptions, FormatOptions, Link, Sink};

/// The URLs to fetch, and those that are known.
#[derive(Default)]
struct Frontier {
    known: HashSet<Box<[u8]>>,
    next: Vec<Box<[u8]>>,
    canonical: Option<Box<[u8]>>,
}

impl Sink for Frontier {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let Ok(target) = link.target else {
            return ControlFlow::Continue(());
        };
        let rel = link
            .description
            .and_then(|description| description.rel)
            .unwrap_or_default();
        let has = |name| rel.split(' ').any(|one| one == name);
        let is_page = matches!(link.element, Some("a" | "area")) || link.element.is_none();
        if has("canonical") {
            self.canonical = Some(target.into());
        } else if is_page && !has("nofollow") && target.starts_with(b"http") {
            let end = target
                .iter()
                .position(|&byte| byte == b'#')
                .unwrap_or(target.len());
            if !self.known.contains(&target[..end]) {
                self.known.insert(target[..end].into());
                self.next.push(target[..end].into());
            }
        }
        ControlFlow::Continue(())
    }
}

fn fetched(
    extractor: &mut Extractor,
    frontier: &mut Frontier,
    url: &str,
    headers: &[(&str, &[u8])],
    body: &[u8],
) -> Result<(), BaseError> {
    let response = Response::new(url, headers.iter().copied())?;
    response.header_links(extractor, frontier);
    extractor.extract_bytes(&response.document(), body, frontier);
    Ok(())
}

#[test]
fn pages_lead_to_pages() {
    let html = HtmlOptions {
        descriptions: true,
        ..HtmlOptions::default()
    };
    let options = ExtractorOptions {
        formats: FormatOptions {
            html,
            ..FormatOptions::default()
        },
        ..ExtractorOptions::default()
    };
    let mut extractor = Extractor::new(&options);
    let mut frontier = Frontier::default();
    let headers: [(&str, &[u8]); 3] = [
        ("Content-Type", b"text/html; charset=iso-8859-1"),
        ("Link", b"<page2>; rel=next"),
        ("Content-Location", b"/docs/index.html"),
    ];
    let body = b"<link rel=canonical href=index.html><a href=guide>g</a> <a rel='nofollow' href=login>l</a>\
        <a href=guide#two>h</a><a href='caf\xe9?caf\xe9'>c</a><img src=logo.png>";
    fetched(
        &mut extractor,
        &mut frontier,
        "http://example.com/docs",
        &headers,
        body,
    )
    .unwrap();
    let next: Vec<_> = frontier
        .next
        .iter()
        .map(|url| String::from_utf8_lossy(url))
        .collect();
    assert_eq!(
        next,
        [
            "http://example.com/page2",
            "http://example.com/docs/guide",
            "http://example.com/docs/caf%C3%A9?caf%E9",
        ]
    );
    assert_eq!(
        frontier.canonical.as_deref(),
        Some(&b"http://example.com/docs/index.html"[..])
    );
}
