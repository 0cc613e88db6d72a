//! HTML to events, without resolution: 4 MiB of generated pages of each kind.

mod generate;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::{KINDS, Kind};
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::{Format, Options, Start};

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
        let mut scanner = (format.scanner)(&Options::default());
        let mut events = Events::default();
        group.throughput(Throughput::Bytes(input.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut links = 0;
                for bytes in &input.documents {
                    events.clear();
                    scanner.begin(&Start::default());
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
