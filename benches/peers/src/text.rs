//! URIs in text by others.

use std::hint::black_box;

use linkify::{LinkFinder, LinkKind};

/// `linkify`, its kind of URL only. It wants UTF-8, which is checked here.
pub fn by_linkify(text: &[u8]) -> usize {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    finder.links(&String::from_utf8_lossy(text)).count()
}

/// No rule at all: every `:` visited.
pub fn every_colon(text: &[u8]) -> usize {
    memchr::memchr_iter(b':', text)
        .filter(|&at| black_box(at) < text.len())
        .count()
}
