//! Links of a document that is pushed in chunks of 64 KiB, against the same document pulled from a reader.
//!
//! `cargo bench --bench push` asserts that the links are the same. Instructions are counted by
//! `valgrind --tool=callgrind PROGRAM push|pull FORMAT FILE`, with
//! `GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=100000000`: without it callgrind counts an instruction for each
//! byte of a copy.

use std::env::args;
use std::io::Cursor;

use uriscan::{Document, Extractor, ExtractorOptions, Format, Link};

const CHUNK: usize = 64 << 10;

/// The number of links and a sum over their references and spans.
#[derive(Debug, Default, PartialEq, Eq)]
struct Links {
    count: u64,
    sum: u64,
}

impl Links {
    fn add(&mut self, link: &Link<'_>) {
        self.count += 1;
        let first = link.reference.first().copied().unwrap_or_default();
        let place = link.span.start ^ (link.span.end << 20) ^ u64::from(first);
        self.sum = self.sum.rotate_left(7).wrapping_add(place);
    }
}

fn read(mode: &str, format: &'static Format, bytes: &[u8]) -> Links {
    let mut links = Links::default();
    let mut sink = |link: &Link<'_>| links.add(link);
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let document = Document::new(format, None);
    if mode == "pull" {
        let read = extractor.extract(&document, Cursor::new(bytes), &mut sink);
        read.expect("memory does not fail");
    } else {
        let mut stream = extractor.stream(&document, &mut sink);
        for chunk in bytes.chunks(CHUNK) {
            stream.write(chunk).expect("the document is kept");
        }
        stream.finish().expect("the document is kept");
    }
    links
}

fn main() {
    let given: Vec<String> = args()
        .skip(1)
        .filter(|one| !one.starts_with("--"))
        .collect();
    if let [mode, format, path] = &given[..] {
        let format = Format::named(format).expect("a format");
        let bytes = std::fs::read(path).expect("a file");
        println!("{:?}", read(mode, format, &bytes));
        return;
    }
    let page = "<p>text and <a href='a/b.html?x=1&amp;y=2'>a link</a> http://www.example.com/\n";
    for format in [Format::HTML, Format::TEXT] {
        let bytes = page.repeat(40_000);
        let pulled = read("pull", format, bytes.as_bytes());
        assert_eq!(read("push", format, bytes.as_bytes()), pulled);
        assert_eq!(pulled.count, 40_000);
    }
}
