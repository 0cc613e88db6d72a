//! Scanning made-up texts, beside the least that such a scan does: visiting every colon.

mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::KINDS;
use memchr::memchr_iter;
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::text::{TextOptions, TextScanner};
use uriscan::document::{Scan, ScanStart};

fn count(events: &Events) -> usize {
    let is_reference = |event: &&Event| matches!(event, Event::Reference(_));
    events.list.iter().filter(is_reference).count()
}

fn scan(criterion: &mut Criterion) {
    for kind in KINDS.iter().filter(|kind| kind.format == "text") {
        let input = (kind.make)(2396, 1 << 20);
        let text = &input.documents[0];
        let mut group = criterion.benchmark_group(kind.name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut visited = 0;
        group.bench_function("every colon", |bencher| {
            bencher.iter(|| {
                visited = 0;
                for at in memchr_iter(b':', black_box(text)) {
                    visited += usize::from(black_box(at) > 0);
                }
            });
        });
        assert!(visited >= input.links);
        let mut scanner = TextScanner::new(TextOptions::default());
        let mut events = Events::default();
        group.bench_function("scan", |bencher| {
            bencher.iter(|| {
                events.clear();
                scanner.begin(&ScanStart::default());
                scanner.scan(Window::whole(black_box(text)), &mut events)
            });
        });
        assert_eq!(count(&events), input.links, "{}", kind.name);
        group.finish();
    }
}

criterion_group!(benches, scan);
criterion_main!(benches);
