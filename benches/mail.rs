//! Throughput on a generated mailbox: plain text, quoted-printable HTML, base64, attachments.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, Options};
use uriscan::resolver::Link;

/// One message of each kind, again and again; every message holds three links.
fn mailbox(messages: usize) -> Vec<u8> {
    let prose = "It is a long way to the end of this line, and nothing in it is a reference.\n";
    let from = "From a@b.example Thu Mar  2 10:11:12 2006\n";
    let trace = "Received: from mx.example by mail.example with ESMTP id 0123456789ABCDEF\n\tfor <list@example.org>; Thu, 2 Mar 2006 10:11:12 +0000\n";
    let list = "List-Archive: <http://list.example/archive>\nSubject: Re: what we said\n";
    let header = format!("{}{list}", trace.repeat(6));
    let plain = format!(
        "Content-Type: text/plain; charset=utf-8\n\n{p}> see <http://a.example/x>\n{p}http://b.example/\n{p}\n",
        p = prose.repeat(20)
    );
    let html = format!(
        "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n{p}<a href=3D\"http://a.example/y\">=\n<img src=3D\"http://b.example/\">{p}\n--x--\n\n",
        p = "<p class=3D\"a\">text that goes on for a while, as it does in mail =\nmade by machines</p>\n".repeat(20)
    );
    let attachment = format!(
        "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nhttp://a.example/ http://b.example/\n--x\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n{}\n--x--\n\n",
        "VGhpcyBsaW5lIGlzIHBhcnQgb2YgYW4gYXR0YWNobWVudCB0aGF0IG5vYm9keSBkZWNvZGVzLg0K\n"
            .repeat(200)
    );
    let kinds = [plain.as_str(), &html, &plain, &attachment];
    (0..messages)
        .flat_map(|index| [from, &header, kinds[index % kinds.len()]])
        .collect::<String>()
        .into_bytes()
}

fn mail(criterion: &mut Criterion) {
    const MESSAGES: usize = 2000;
    let archive = mailbox(MESSAGES);
    let format = Format::named("mbox").expect("a format of ours");
    let document = Document::new(format, None);
    let mut extractor = Extractor::new(&Options::default());
    let mut group = criterion.benchmark_group("mail");
    group.throughput(Throughput::Bytes(archive.len() as u64));
    group.bench_function("mbox", |bencher| {
        bencher.iter(|| {
            let mut links = 0;
            extractor.extract_bytes(&document, &archive, &mut |_: &Link<'_>| links += 1);
            assert_eq!(links, 3 * MESSAGES);
        });
    });
    group.finish();
}

criterion_group!(benches, mail);
criterion_main!(benches);
