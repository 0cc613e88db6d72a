//! Documents besides text, HTML and mail: bytes to events, without resolution, of 4 MiB of each kind.
//!
//! JSON stands beside `serde_json` into `IgnoredAny`, which reads all of a document and keeps nothing, and
//! XML beside the bare event loop of `quick-xml`. JSON is to take at most 1.5 times the time on every
//! input; in notebooks that is with the Markdown of their cells, which takes half of the instructions.
//! XML is to have at least 0.7 of the speed, also where it reads the HTML in feeds, which `quick-xml` does not.
//! First, both are run in turn, and the median of the ratios is printed: a busy machine disturbs that less.

mod generate;

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{DOCUMENTS, Input, Kind};
use serde::de::IgnoredAny;
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::{Format, FormatOptions, Scan, ScanStart};

const SIZE: usize = 4 << 20;
const SEED: u64 = 2396;

/// Reads all documents of an input, and keeps nothing.
type Least = fn(&Input);

/// The reader that a kind of input is compared with, by the beginning of its name.
const LEAST: [(&str, &str, Least); 2] = [
    ("json-", "serde_json into IgnoredAny", json),
    ("xml-", "event loop of quick-xml", xml),
];

/// The runs of each reader whose times are compared.
const PAIRS: usize = 15;

fn json(input: &Input) {
    for bytes in &input.documents {
        let parsed = serde_json::from_slice::<IgnoredAny>(black_box(bytes));
        assert!(parsed.is_ok());
    }
}

fn xml(input: &Input) {
    for bytes in &input.documents {
        let mut reader = quick_xml::Reader::from_reader(&black_box(bytes)[..]);
        loop {
            match reader.read_event().expect("it is well-formed") {
                quick_xml::events::Event::Eof => break,
                event => drop(black_box(event)),
            }
        }
    }
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// Scans the documents of an input; returns the number of references.
fn references(input: &Input, scanner: &mut dyn Scan, events: &mut Events) -> usize {
    let mut links = 0;
    for bytes in &input.documents {
        events.clear();
        scanner.begin(&ScanStart::default());
        scanner.scan(Window::whole(black_box(bytes)), events);
        let is_reference = |event: &&Event| matches!(event, Event::Reference(_));
        links += events.list.iter().filter(is_reference).count();
    }
    links
}

fn pairs(_: &mut Criterion) {
    // Not where each bench is only to run once.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    for Kind { name, format, make } in DOCUMENTS {
        let Some((_, reader, read)) = LEAST.iter().find(|(start, ..)| name.starts_with(start))
        else {
            continue;
        };
        let input = make(SEED, SIZE);
        let format = Format::named(format).expect("the format is known");
        let mut scanner = (format.scanner)(&FormatOptions::default());
        let mut events = Events::default();
        let mut ratios: Vec<f64> = (0..PAIRS)
            .map(|_| {
                let least = timed(|| read(&input));
                let links =
                    || assert_eq!(references(&input, &mut *scanner, &mut events), input.links);
                least / timed(links)
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!("{name}: {:.2} of the speed of {reader}", ratios[PAIRS / 2]);
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
                let links = references(&input, &mut *scanner, &mut events);
                assert_eq!(links, input.links);
            });
        });
        group.finish();
    }
}

criterion_group!(benches, pairs, documents);
criterion_main!(benches);
