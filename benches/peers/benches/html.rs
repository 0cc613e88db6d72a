//! Links in HTML: ours, resolved; `lol_html` with handlers for `[href]` and `[src]`; and the
//! tokenizers `html5gum` and html5ever, whose attributes of these names are counted.
//!
//! Pages are generated; `HTML_FILES=list cargo bench --bench html` reads those of a list of paths
//! instead. Each prints what it counts once. We find the attributes that `lol_html` counts but for
//! `base` and empty `src`, and more: `srcset`, `style`, `background` and others, each item of a
//! list for itself.

#[path = "../../generate/mod.rs"]
mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{KINDS, Kind};
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;
use uriscan::uri::{Base, BaseSource};
use uriscan_peers::html::{by_html5ever, by_html5gum, by_lol_html};

const SIZE: usize = 4 << 20;
const SEED: u64 = 2396;

fn ours(extractor: &mut Extractor, base: &Base, html: &[u8]) -> usize {
    let format = Format::named("html").expect("the format is known");
    let mut links = 0;
    let mut sink = |link: &Link<'_>| {
        black_box(link);
        links += 1;
    };
    extractor.extract_bytes(&Document::new(format, Some(base)), html, &mut sink);
    links
}

/// The pages of a list of paths, those that are UTF-8, which html5ever asks for.
fn listed(list: &str) -> Vec<Vec<u8>> {
    let list = std::fs::read_to_string(list).expect("a list of files");
    let read = |path: &str| std::fs::read(path).expect(path);
    let pages = list.lines().map(read);
    pages
        .filter(|page| std::str::from_utf8(page).is_ok())
        .collect()
}

fn html(criterion: &mut Criterion) {
    if let Ok(list) = std::env::var("HTML_FILES") {
        let pages = listed(&list);
        let bytes = pages.iter().map(Vec::len).sum();
        return compare(criterion, "listed", bytes, &pages);
    }
    for Kind { name, format, make } in KINDS {
        if format == "html" {
            let input = make(SEED, SIZE);
            compare(criterion, name, input.len(), &input.documents);
        }
    }
}

/// Counts the links of a page.
type Count<'a> = dyn FnMut(&[u8]) -> usize + 'a;

fn compare(criterion: &mut Criterion, name: &str, bytes: usize, pages: &[Vec<u8>]) {
    let base = Base {
        uri: b"http://example.com/api/org/example/page.html".to_vec(),
        source: BaseSource::RetrievalRoot,
    };
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let mut ours = |html: &[u8]| ours(&mut extractor, &base, html);
    let mut lol_html = by_lol_html;
    let mut html5ever = by_html5ever;
    let mut html5gum = by_html5gum;
    let peers: [(&str, &mut Count); 4] = [
        ("uriscan", &mut ours),
        ("lol_html", &mut lol_html),
        ("html5ever", &mut html5ever),
        ("html5gum", &mut html5gum),
    ];
    let mut group = criterion.benchmark_group(format!("html {name}"));
    group.throughput(Throughput::Bytes(bytes as u64));
    for (peer, count) in peers {
        let mut all = || pages.iter().map(|html| count(html)).sum::<usize>();
        println!("{peer} counts {} in {bytes} bytes", all());
        group.bench_function(peer, |bencher| bencher.iter(|| black_box(all())));
    }
    group.finish();
}

criterion_group!(benches, html);
criterion_main!(benches);
