//! HTML to events, without resolution: 4 MiB of generated pages of each kind, beside the least that a
//! reader of tags does: visiting every `<`.

mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{KINDS, Kind};
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::{Format, FormatOptions, ScanStart};

const SIZE: usize = 4 << 20;
const SEED: u64 = 2396;

fn html(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("html");
    for Kind { name, format, make } in KINDS {
        if format != "html" {
            continue;
        }
        let input = make(SEED, SIZE);
        let format = Format::named(format).expect("the format is known");
        let mut scanner = (format.scanner)(&FormatOptions::default());
        let mut events = Events::default();
        group.throughput(Throughput::Bytes(input.len() as u64));
        let brackets = |bytes: &Vec<u8>| {
            let brackets = memchr::memchr_iter(b'<', black_box(bytes));
            brackets.filter(|&at| black_box(at) < bytes.len()).count()
        };
        group.bench_function(format!("limit: every `<` of {name}"), |bencher| {
            bencher.iter(|| {
                let visited: usize = input.documents.iter().map(brackets).sum();
                assert!(visited > input.links);
            });
        });
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut links = 0;
                for bytes in &input.documents {
                    events.clear();
                    scanner.begin(&ScanStart::default());
                    scanner.scan(Window::whole(bytes), &mut events);
                    let is_reference = |event: &&Event| matches!(event, Event::Reference(_));
                    links += events.list.iter().filter(is_reference).count();
                }
                assert_eq!(links, input.links);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, html);
criterion_main!(benches);
