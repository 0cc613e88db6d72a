//! Documents besides text, HTML and mail: bytes to events, without resolution, of 4 MiB of each kind.
//!
//! JSON stands beside `serde_json` into `IgnoredAny`, which reads all of a document and keeps nothing.

mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{DOCUMENTS, Input, Kind};
use serde::de::IgnoredAny;
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::{Format, FormatOptions, ScanStart};

const SIZE: usize = 4 << 20;
const SEED: u64 = 2396;

/// Reads all documents of an input, and keeps nothing.
type Least = fn(&Input);

/// The reader that a kind of input is compared with, by the beginning of its name.
const LEAST: [(&str, &str, Least); 1] = [("json-", "serde_json into IgnoredAny", json)];

fn json(input: &Input) {
    for bytes in &input.documents {
        let parsed = serde_json::from_slice::<IgnoredAny>(black_box(bytes));
        assert!(parsed.is_ok());
    }
}

fn documents(criterion: &mut Criterion) {
    for Kind { name, format, make } in DOCUMENTS {
        let input = make(SEED, SIZE);
        let format = Format::named(format).expect("the format is known");
        let mut scanner = (format.scanner)(&FormatOptions::default());
        let mut events = Events::default();
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(input.len() as u64));
        for (_, reader, read) in LEAST.iter().filter(|(start, ..)| name.starts_with(start)) {
            group.bench_function(*reader, |bencher| bencher.iter(|| read(&input)));
        }
        group.bench_function("events", |bencher| {
            bencher.iter(|| {
                let mut links = 0;
                for bytes in &input.documents {
                    events.clear();
                    scanner.begin(&ScanStart::default());
                    scanner.scan(Window::whole(black_box(bytes)), &mut events);
                    let is_reference = |event: &&Event| matches!(event, Event::Reference(_));
                    links += events.list.iter().filter(is_reference).count();
                }
                assert_eq!(links, input.links);
            });
        });
        group.finish();
    }
}

criterion_group!(benches, documents);
criterion_main!(benches);
