//! One mailbox: ours, and `mailparse` with `linkify` for text and `html5gum` for HTML.
//!
//! `MAILBOX=archive.mbox cargo bench --bench mail`; without it a small generated one is read. The
//! peers split at every line that starts with `From ` and do less: no header fields, no bases, no
//! positions, no parts outside the tree. On two real lists (24 MB of plain text, 23 MB of HTML and
//! quoted-printable) they find 9,760 of the 9,765 links that they report where we do; in the other five
//! they take a word before the scheme or a backslash for a part of the URI. We report another 4,936:
//! 3,463 in header fields, the rest `mailto:` and other schemes, and attributes besides href and src.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use html5gum::{Token, Tokenizer};
use linkify::{LinkFinder, LinkKind};
use mailparse::ParsedMail;
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, Options};
use uriscan::resolver::Link;

fn archive() -> Vec<u8> {
    if let Some(path) = std::env::var_os("MAILBOX") {
        return std::fs::read(path).expect("the mailbox can be read");
    }
    let plain =
        "From a@b.example Thu Mar  2 10:11:12 2006\nSubject: x\n\nsee <http://a.example/x>\n\n";
    let html = "From a@b.example Thu Mar  2 10:11:12 2006\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3D\"http://a.example/y\">=\n</a>\n\n";
    [plain, html].concat().repeat(5000).into_bytes()
}

/// The messages, as most readers of mailboxes split them.
fn messages(archive: &[u8]) -> Vec<&[u8]> {
    let mut starts: Vec<usize> = memchr::memmem::find_iter(archive, b"\nFrom ")
        .map(|at| at + 1)
        .collect();
    starts.insert(0, 0);
    starts.push(archive.len());
    starts
        .windows(2)
        .map(|pair| &archive[pair[0]..pair[1]])
        .collect()
}

fn leaf_links(mail: &ParsedMail<'_>, finder: &LinkFinder) -> usize {
    let inner: usize = mail
        .subparts
        .iter()
        .map(|part| leaf_links(part, finder))
        .sum();
    let media_type = mail.ctype.mimetype.as_str();
    if !mail.subparts.is_empty()
        || !(media_type.starts_with("text/") || media_type.starts_with("message/"))
    {
        return inner;
    }
    let Ok(body) = mail.get_body() else {
        return inner;
    };
    if media_type != "text/html" {
        return inner + finder.links(&body).count();
    }
    let mut links = 0;
    for token in Tokenizer::new(&body) {
        if let Ok(Token::StartTag(tag)) = token {
            links += tag
                .attributes
                .keys()
                .filter(|name| matches!(name.as_slice(), b"href" | b"src"))
                .count();
        }
    }
    inner + links
}

fn mail(criterion: &mut Criterion) {
    let archive = archive();
    let mut group = criterion.benchmark_group("mailbox");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(archive.len() as u64));
    let document = Document::new(Format::named("mbox").expect("a format of ours"), None);
    let mut extractor = Extractor::new(&Options::default());
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
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    group.bench_function("mailparse, linkify, html5gum", |bencher| {
        bencher.iter(|| {
            let mut links = 0;
            for message in messages(black_box(&archive)) {
                let header = message
                    .iter()
                    .position(|&byte| byte == b'\n')
                    .map_or(0, |at| at + 1);
                if let Ok(mail) = mailparse::parse_mail(&message[header..]) {
                    links += leaf_links(&mail, &finder);
                }
            }
            assert!(links > 0);
            links
        });
    });
    group.finish();
}

criterion_group!(benches, mail);
criterion_main!(benches);
