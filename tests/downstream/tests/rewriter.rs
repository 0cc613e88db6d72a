//! Rewrites the links of pages: to absolute ones, and from one host to another.

use uriscan::rewrite::replacement;
use uriscan::{Base, Document, Extractor, ExtractorOptions, Format, Link};

/// Returns a page with another reference for each link for which there is one.
fn rewritten(page: &[u8], base: &Base, new: impl Fn(&Link<'_>) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut splices = Vec::new();
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    extractor.extract_bytes(
        &Document::new(Format::HTML, Some(base)),
        page,
        &mut |link: &Link<'_>| {
            // A reference that cannot be written there stays as it is.
            if let Some(bytes) = new(link).and_then(|new| replacement(link, &new).ok()) {
                splices.push((link.span.start as usize..link.span.end as usize, bytes));
            }
        },
    );
    splices.sort_by_key(|(range, _)| range.start);
    let mut page = page.to_vec();
    for (range, bytes) in splices.into_iter().rev() {
        page.splice(range, bytes);
    }
    page
}

#[test]
fn links_become_absolute() {
    let base = Base::retrieved("http://example.com/docs/a.html").unwrap();
    let page = br#"<a href="b.html?x=1&amp;y=2">b</a> <a href=../c title=c>c</a> <p style="background: url(d.png)">"#;
    let absolute = rewritten(page, &base, |link| link.target.ok().map(<[u8]>::to_vec));
    assert_eq!(
        String::from_utf8_lossy(&absolute),
        r#"<a href="http://example.com/docs/b.html?x=1&amp;y=2">b</a> <a href=http://example.com/c title=c>c</a> <p style="background: url(http://example.com/docs/d.png)">"#,
    );
}

#[test]
fn a_host_moves() {
    let base = Base::retrieved("http://example.com/").unwrap();
    let page = b"<img src='http://old.example/a b.png'> <a href=http://other.example/>o</a>";
    let moved = rewritten(page, &base, |link| {
        let rest = link.target.ok()?.strip_prefix(b"http://old.example/")?;
        Some([b"https://new.example/it's/", rest].concat())
    });
    assert_eq!(
        String::from_utf8_lossy(&moved),
        "<img src='https://new.example/it&#39;s/a%20b.png'> <a href=http://other.example/>o</a>",
    );
}
