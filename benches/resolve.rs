//! Ten thousand mixed references against one base.

#[path = "hrefs.rs"]
mod hrefs;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use uriscan::uri::{Resolver, Rules};
use url::Url;

fn resolve(criterion: &mut Criterion) {
    let references = hrefs::references(10_000);
    let base = Url::parse(hrefs::BASE).expect("the base parses");
    let expected: usize = references
        .iter()
        .map(|reference| base.join(reference).map_or(0, |url| url.as_str().len()))
        .sum();
    let mut group = criterion.benchmark_group("resolve");
    group.throughput(Throughput::Elements(references.len() as u64));

    let mut targets = Vec::new();
    for (name, rules) in [
        ("whatwg", Rules::Whatwg),
        ("rfc3986", Rules::RFC3986),
        ("citation", Rules::CITATION),
        ("rfc2396", Rules::RFC2396),
        ("rfc1808", Rules::Rfc1808),
    ] {
        let resolver = Resolver::new(hrefs::BASE.as_bytes(), rules).expect("the base is absolute");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                targets.clear();
                for reference in &references {
                    let resolved =
                        resolver.resolve_into(black_box(reference.as_bytes()), &mut targets);
                    black_box(resolved).expect("every reference resolves");
                }
                targets.len()
            });
        });
        if rules == Rules::Whatwg {
            assert_eq!(targets.len(), expected);
        }
    }
    group.bench_function("url join", |bencher| {
        bencher.iter(|| {
            let lengths = references.iter().map(|reference| {
                base.join(black_box(reference))
                    .map_or(0, |url| url.as_str().len())
            });
            assert_eq!(lengths.sum::<usize>(), expected);
        });
    });
    // The least that any resolver does: the front of the base, then the reference.
    group.bench_function("two copies", |bencher| {
        let directory = &hrefs::BASE.as_bytes()[..43];
        bencher.iter(|| {
            targets.clear();
            for reference in &references {
                targets.extend_from_slice(black_box(directory));
                targets.extend_from_slice(black_box(reference.as_bytes()));
            }
            targets.len()
        });
    });
    group.finish();
}

criterion_group!(benches, resolve);
criterion_main!(benches);
