//! Whole documents to links, with resolution: 4 MiB of each kind of input.

mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{KINDS, Kind};
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, Options, Positions};
use uriscan::resolver::Link;
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
            let options = Options {
                positions,
                ..Options::default()
            };
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

criterion_group!(benches, extract);
criterion_main!(benches);
