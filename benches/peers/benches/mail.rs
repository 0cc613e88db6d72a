//! One mailbox: ours, and `mailparse` and `mail-parser` with `linkify` for text and `html5gum` for HTML.
//!
//! `MAILBOX=archive.mbox cargo bench --bench mail`; without it a small generated one is read. The
//! peers split at every line that starts with `From ` and do less: no header fields, no bases, no
//! positions, no parts outside the tree. On two real lists (24 MB of plain text, 23 MB of HTML and
//! quoted-printable) they find 9,760 of the 9,765 links that they report where we do; in the other five
//! they take a word before the scheme or a backslash for a part of the URI. We report another 4,936:
//! 3,463 in header fields, the rest `mailto:` and other schemes, and attributes besides href and src.

#[path = "../../generate/mod.rs"]
mod generate;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::KINDS;
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;
use uriscan_peers::mail::{by_mail_parser, by_mailparse};

fn archive() -> Vec<u8> {
    if let Some(path) = std::env::var_os("MAILBOX") {
        return std::fs::read(path).expect("the mailbox can be read");
    }
    let kind = KINDS.iter().find(|kind| kind.format == "mbox");
    let mut input = (kind.expect("there is one").make)(2396, 4 << 20);
    input.documents.remove(0)
}

/// Counts the links of an archive.
type Count = fn(&[u8]) -> usize;

fn mail(criterion: &mut Criterion) {
    let archive = archive();
    let mut group = criterion.benchmark_group("mailbox");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(archive.len() as u64));
    let document = Document::new(Format::named("mbox").expect("a format of ours"), None);
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    group.bench_function("uriscan", |bencher| {
        bencher.iter(|| {
            let mut links = 0;
            extractor.extract_bytes(&document, black_box(&archive), &mut |_: &Link<'_>| {
                links += 1
            });
            assert!(links > 0);
            links
        });
    });
    let peers: [(&str, Count); 2] = [
        ("mailparse, linkify, html5gum", by_mailparse),
        ("mail-parser, linkify, html5gum", by_mail_parser),
    ];
    for (peer, count) in peers {
        group.bench_function(peer, |bencher| {
            bencher.iter(|| {
                let links = count(black_box(&archive));
                assert!(links > 0);
                links
            });
        });
    }
    group.finish();
}

criterion_group!(benches, mail);
criterion_main!(benches);
