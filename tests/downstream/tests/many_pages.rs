//! One extractor for very many small pages: memory is taken for the first ones and then reused.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use uriscan::{Base, Document, Extractor, ExtractorOptions, Format, Link};

struct Counting;

thread_local! {
    /// Those of this thread: the one that runs the tests allocates beside it.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Reads a page ten times, and then a thousand times with at most as many allocations.
fn read_often(options: &ExtractorOptions, attributes: &str) {
    let links: String = (0..23)
        .map(|n| format!("<p class=entry>Some words before <a {attributes} href=\"../page{n}.html?from=1&amp;n={n}\">page <b>{n}</b> &amp;c</a></p>\n"))
        .collect();
    let page = format!("<!DOCTYPE html><title>Page</title><base href=/docs/a/>{links}");
    let mut extractor = Extractor::new(options);
    let base = Base::retrieved("http://example.com/index.html").unwrap();
    let document = Document::new(Format::HTML, Some(&base));
    let (mut targets, mut bytes) = (0, 0);
    let mut sink = |link: &Link<'_>| {
        targets += 1;
        bytes += link.target.map_or(0, <[u8]>::len);
    };
    for _ in 0..10 {
        extractor.extract_bytes(&document, page.as_bytes(), &mut sink);
    }
    let before = ALLOCATIONS.get();
    for _ in 0..1000 {
        extractor.extract_bytes(&document, page.as_bytes(), &mut sink);
    }
    let allocations = ALLOCATIONS.get() - before;
    assert!(
        allocations <= 1000,
        "{allocations} allocations for 1000 pages"
    );
    assert_eq!(targets, 1010 * 23);
    assert!(bytes > targets * 20);
}

#[test]
fn a_page_takes_at_most_one_allocation() {
    read_often(&ExtractorOptions::default(), "");
}

#[test]
fn descriptions_take_no_allocations() {
    let mut options = ExtractorOptions::default();
    options.formats.html.descriptions = true;
    read_often(&options, "rel='nofollow UGC' hreflang=de title='A &amp; b'");
}
