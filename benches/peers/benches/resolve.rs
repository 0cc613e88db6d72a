//! Ten thousand mixed references against one base: ours, `oxiri`, `url`.

#[path = "../../hrefs.rs"]
mod hrefs;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use oxiri::{Iri, IriRef};
use uriscan::uri::{Grammar, Resolver, Rules, validate};
use url::Url;

fn resolve(criterion: &mut Criterion) {
    // Those that are IRI references: oxiri refuses the others.
    let mut references = hrefs::references(11_000);
    references.retain(|reference| IriRef::parse(reference.as_str()).is_ok());
    references.truncate(10_000);
    assert_eq!(references.len(), 10_000);
    let parsed: Vec<IriRef<&str>> = references
        .iter()
        .map(|reference| IriRef::parse_unchecked(&**reference))
        .collect();
    let base = Iri::parse(hrefs::BASE).expect("the base is an IRI");
    let mut expected = String::new();
    for reference in &parsed {
        base.resolve_into(reference, &mut expected)
            .expect("every reference resolves");
    }

    let mut group = criterion.benchmark_group("resolve by RFC 3986");
    group.throughput(Throughput::Elements(references.len() as u64));
    let resolver =
        Resolver::new(hrefs::BASE.as_bytes(), Rules::RFC3986).expect("the base is absolute");
    let mut targets = Vec::new();
    group.bench_function("uriscan", |bencher| {
        bencher.iter(|| {
            targets.clear();
            for reference in &references {
                black_box(resolver.resolve_into(black_box(reference.as_bytes()), &mut targets))
                    .expect("it resolves");
            }
            assert_eq!(targets.len(), expected.len());
        });
    });
    assert_eq!(targets, expected.as_bytes());
    group.bench_function("uriscan, validating", |bencher| {
        bencher.iter(|| {
            targets.clear();
            let mut invalid = 0;
            for reference in &references {
                invalid += usize::from(
                    validate(black_box(reference.as_bytes()), Grammar::Rfc3986).is_err(),
                );
                black_box(resolver.resolve_into(black_box(reference.as_bytes()), &mut targets))
                    .expect("it resolves");
            }
            (targets.len(), invalid)
        });
    });
    let mut buffer = String::new();
    group.bench_function("oxiri parse and resolve_into", |bencher| {
        bencher.iter(|| {
            buffer.clear();
            for reference in &references {
                let reference =
                    IriRef::parse(black_box(reference.as_str())).expect("it is an IRI reference");
                black_box(base.resolve_into(&reference, &mut buffer)).expect("it resolves");
            }
            assert_eq!(buffer.len(), expected.len());
        });
    });
    group.bench_function("oxiri resolve_into, parsed before", |bencher| {
        bencher.iter(|| {
            buffer.clear();
            for reference in &parsed {
                black_box(base.resolve_into(black_box(reference), &mut buffer))
                    .expect("it resolves");
            }
            assert_eq!(buffer.len(), expected.len());
        });
    });
    group.bench_function("oxiri resolve_into_unchecked, parsed before", |bencher| {
        bencher.iter(|| {
            buffer.clear();
            for reference in &parsed {
                base.resolve_into_unchecked(black_box(reference), &mut buffer);
            }
            assert_eq!(buffer.len(), expected.len());
        });
    });
    group.finish();
}

/// The same references by the WHATWG rules.
fn join(criterion: &mut Criterion) {
    let references = hrefs::references(10_000);
    let base = Url::parse(hrefs::BASE).expect("the base parses");
    let length = |reference: &String| {
        base.join(black_box(reference))
            .map_or(0, |url| url.as_str().len())
    };
    let expected: usize = references.iter().map(length).sum();
    let mut group = criterion.benchmark_group("resolve by WHATWG");
    group.throughput(Throughput::Elements(references.len() as u64));
    let resolver =
        Resolver::new(hrefs::BASE.as_bytes(), Rules::Whatwg).expect("the base is absolute");
    let mut targets = Vec::new();
    group.bench_function("uriscan", |bencher| {
        bencher.iter(|| {
            targets.clear();
            for reference in &references {
                black_box(resolver.resolve_into(black_box(reference.as_bytes()), &mut targets))
                    .expect("it resolves");
            }
            assert_eq!(targets.len(), expected);
        });
    });
    group.bench_function("url join", |bencher| {
        bencher.iter(|| assert_eq!(references.iter().map(length).sum::<usize>(), expected));
    });
    group.finish();
}

criterion_group!(benches, resolve, join);
criterion_main!(benches);
