//! URIs in made-up texts: ours, `linkify`, and the floor of both.

#[path = "../../texts.rs"]
mod texts;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use linkify::{LinkFinder, LinkKind};
use memchr::memchr_iter;
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::text::{Options, Scanner};
use uriscan::document::{Scan, Start};

fn scan(criterion: &mut Criterion) {
    for text in texts::texts(1 << 20) {
        let mut group = criterion.benchmark_group(text.name);
        group.throughput(Throughput::Bytes(text.bytes.len() as u64));
        group.bench_function("every colon", |bencher| {
            bencher.iter(|| {
                let colons = memchr_iter(b':', black_box(&text.bytes));
                colons.filter(|&at| black_box(at) > 0).count()
            });
        });
        let mut scanner = Scanner::new(Options::default());
        let mut events = Events::default();
        group.bench_function("uriscan", |bencher| {
            bencher.iter(|| {
                events.clear();
                scanner.begin(&Start::default());
                scanner.scan(Window::whole(black_box(&text.bytes)), &mut events)
            });
        });
        let references = events
            .list
            .iter()
            .filter(|event| matches!(event, Event::Reference(_)));
        assert_eq!(references.count(), text.uris, "{}", text.name);

        // It wants what is already known to be UTF-8, which is not asked of it in the first row; who
        // has read a file must ask, as in the second.
        let string = std::str::from_utf8(&text.bytes).expect("made-up texts are UTF-8");
        let mut finder = LinkFinder::new();
        finder.kinds(&[LinkKind::Url]);
        group.bench_function("linkify", |bencher| {
            bencher.iter(|| {
                let found = finder.links(black_box(string)).count();
                assert_eq!(found, text.uris);
            });
        });
        group.bench_function("linkify, given bytes", |bencher| {
            bencher.iter(|| {
                let string = std::str::from_utf8(black_box(&text.bytes));
                let found = string.map_or(0, |string| finder.links(string).count());
                assert_eq!(found, text.uris);
            });
        });
        group.finish();
    }
}

criterion_group!(benches, scan);
criterion_main!(benches);
