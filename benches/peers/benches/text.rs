//! URIs in texts: ours, `linkify`, and the floor of both.
//!
//! Texts are generated; `TEXT_FILES=list cargo bench --bench text` reads those of a list of paths
//! instead. Each prints once what it finds.

#[path = "../../generate/mod.rs"]
mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::KINDS;
use linkify::{LinkFinder, LinkKind};
use memchr::memchr_iter;
use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::text::{TextOptions, TextScanner};
use uriscan::document::{Scan, ScanStart};

/// The files of a list of paths, those that are UTF-8, which `linkify` asks for.
fn listed(list: &str) -> Vec<String> {
    let list = std::fs::read_to_string(list).expect("a list of files");
    let read = |path: &str| String::from_utf8(std::fs::read(path).expect(path)).ok();
    list.lines().filter_map(read).collect()
}

fn text(criterion: &mut Criterion) {
    if let Ok(list) = std::env::var("TEXT_FILES") {
        return compare(criterion, "listed", &listed(&list), None);
    }
    for kind in KINDS.iter().filter(|kind| kind.format == "text") {
        let input = (kind.make)(2396, 1 << 20);
        let texts = input.documents.into_iter().map(String::from_utf8);
        let texts: Result<Vec<_>, _> = texts.collect();
        let texts = texts.expect("made-up texts are UTF-8");
        compare(criterion, kind.name, &texts, Some(input.links));
    }
}

/// Everybody over the same texts; whoever looks for URIs must find so many, where that is known.
fn compare(criterion: &mut Criterion, name: &str, texts: &[String], links: Option<usize>) {
    let mut group = criterion.benchmark_group(name);
    let bytes: usize = texts.iter().map(String::len).sum();
    group.throughput(Throughput::Bytes(bytes as u64));
    let mut time = |row: &str, links: Option<usize>, find: &mut dyn FnMut(&str) -> usize| {
        let mut all = || -> usize { texts.iter().map(|text| find(black_box(text))).sum() };
        let found = all();
        eprintln!("{name}, {row}: {found}");
        assert!(links.is_none_or(|links| links == found), "not {links:?}");
        group.bench_function(row, |bencher| bencher.iter(|| assert_eq!(all(), found)));
    };
    time("every colon", None, &mut |text| {
        let colons = memchr_iter(b':', text.as_bytes());
        colons.filter(|&at| black_box(at) > 0).count()
    });
    let mut scanner = TextScanner::new(TextOptions::default());
    let mut events = Events::default();
    time("uriscan", links, &mut |text| {
        events.clear();
        scanner.begin(&ScanStart::default());
        scanner.scan(Window::whole(text.as_bytes()), &mut events);
        let is_reference = |event: &&Event| matches!(event, Event::Reference(_));
        events.list.iter().filter(is_reference).count()
    });
    let mut urls = LinkFinder::new();
    urls.kinds(&[LinkKind::Url]);
    time("linkify", links, &mut |text| urls.links(text).count());
    // It wants what is already known to be UTF-8; who has read a file must ask.
    time("linkify, given bytes", links, &mut |text| {
        let text = std::str::from_utf8(text.as_bytes());
        text.map_or(0, |text| urls.links(text).count())
    });
    group.finish();
}

criterion_group!(benches, text);
criterion_main!(benches);
