//! Throughput on a generated mailing list: plain text, quoted-printable HTML, attachments; beside the
//! least that a search for URIs does: visiting every `:`.

mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::KINDS;
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;

fn mail(criterion: &mut Criterion) {
    let kind = KINDS.iter().find(|kind| kind.format == "mbox");
    let input = (kind.expect("there is one").make)(2396, 4 << 20);
    let archive = &input.documents[0];
    let format = Format::named("mbox").expect("a format of ours");
    let document = Document::new(format, None);
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let mut group = criterion.benchmark_group("mail");
    group.throughput(Throughput::Bytes(archive.len() as u64));
    group.bench_function("limit: every `:`", |bencher| {
        bencher.iter(|| {
            let colons = memchr::memchr_iter(b':', black_box(archive));
            let visited = colons.filter(|&at| black_box(at) < archive.len()).count();
            assert!(visited > input.links);
        });
    });
    group.bench_function("mbox", |bencher| {
        bencher.iter(|| {
            let mut links = 0;
            extractor.extract_bytes(&document, archive, &mut |_: &Link<'_>| links += 1);
            assert_eq!(links, input.links);
        });
    });
    group.finish();
}

criterion_group!(benches, mail);
criterion_main!(benches);
