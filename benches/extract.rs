//! Whole documents to links, with resolution: the throughput on 4 MiB of each kind of input, and the
//! latency of one short document.

mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{KINDS, Kind};
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions, Positions};
use uriscan::linker::Link;
use uriscan::uri::{Base, BaseSource};

const SIZE: usize = 4 << 20;
const SEED: u64 = 2396;

fn extract(criterion: &mut Criterion) {
    let base = Base {
        uri: b"http://example.com/api/org/example/page.html".to_vec(),
        source: BaseSource::RetrievalRoot,
    };
    let mut group = criterion.benchmark_group("extract");
    for Kind { name, format, make } in KINDS {
        let input = make(SEED, SIZE);
        let format = Format::named(format).expect("the format is known");
        let document = Document::new(format, Some(&base));
        group.throughput(Throughput::Bytes(input.len() as u64));
        for (positions, suffix) in [(Positions::Offsets, ""), (Positions::Lines, ", with lines")] {
            let options = ExtractorOptions::default().with_positions(positions);
            let mut extractor = Extractor::new(&options);
            group.bench_function(format!("{name}{suffix}"), |bencher| {
                bencher.iter(|| {
                    let mut links = 0;
                    let mut sink = |link: &Link<'_>| {
                        black_box(link);
                        links += 1;
                    };
                    for bytes in &input.documents {
                        extractor.extract_bytes(&document, bytes, &mut sink);
                    }
                    assert_eq!(links, input.links);
                });
            });
        }
    }
    group.finish();
}

/// A document, its format, and how many links are in it.
#[rustfmt::skip]
const SHORT: [(&str, &[u8], usize); 3] = [
    ("text", b"I found it under <http://www.example.com/rfc/\n rfc1738.txt>, Jim.\n", 1),
    ("html", b"<!DOCTYPE html><title>x</title><p><a href=../a.html>a</a> <img src='b.png'>\n", 2),
    ("eml", b"Subject: x\nContent-Type: text/html\n\n<a href='http://www.example.com/'>x</a>\n", 1),
];

fn latency(criterion: &mut Criterion) {
    let base = Base {
        uri: b"http://example.com/directory/page.html".to_vec(),
        source: BaseSource::RetrievalRoot,
    };
    let mut group = criterion.benchmark_group("latency");
    for (format, bytes, expected) in SHORT {
        let format = Format::named(format).expect("the format is known");
        let document = Document::new(format, Some(&base));
        let count = |extractor: &mut Extractor| {
            let mut links = 0;
            extractor.extract_bytes(&document, black_box(bytes), &mut |link: &Link<'_>| {
                black_box(link);
                links += 1;
            });
            assert_eq!(links, expected);
        };
        let mut extractor = Extractor::new(&ExtractorOptions::default());
        group.bench_function(format.name, |bencher| {
            bencher.iter(|| count(&mut extractor));
        });
        group.bench_function(format!("{}, the first document", format.name), |bencher| {
            bencher.iter(|| count(&mut Extractor::new(&ExtractorOptions::default())));
        });
    }
    group.finish();
}

criterion_group!(benches, extract, latency);
criterion_main!(benches);
