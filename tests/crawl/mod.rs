//! Web archives from a seed, with damage of every kind: read in pieces, on any number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use uriscan::output::Output;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, MessageForm, PipelineOptions, ReportMode, Verbosity};

use generate::crawl::{Crawl, DAMAGES, Record, target};

#[path = "../../benches/generate/mod.rs"]
mod generate;

/// The records of a run, and whether it found damage.
struct Run {
    output: String,
    damaged: u64,
}

fn run(path: &Path, threads: usize, piece: u64) -> Run {
    report(path, threads, piece, ReportMode::Links)
}

fn report(path: &Path, threads: usize, piece: u64, report: ReportMode) -> Run {
    let options = PipelineOptions {
        output: Output::named("jsonl").unwrap(),
        threads,
        piece_size: piece,
        report,
        verbosity: Verbosity {
            summary: true,
            archives: Some(MessageForm::Records),
            ..Verbosity::default()
        },
        ..PipelineOptions::default()
    };
    let walk = Walk::new(
        [Ok(Root::Path(path.into()))].into_iter(),
        Default::default(),
    );
    let mut output = Vec::new();
    let outcome = pipeline::run::run(&options, walk, (&mut output, None));
    assert!(outcome.output_error.is_none());
    Run {
        output: String::from_utf8(output).unwrap(),
        damaged: outcome.summary.damaged,
    }
}

/// A file of these bytes.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, bytes).unwrap();
    (directory, path)
}

fn bytes(records: &[Record]) -> Vec<u8> {
    let bytes = records.iter().map(|record| record.bytes.as_slice());
    bytes.collect::<Vec<_>>().concat()
}

/// The targets and the codes of diagnostics in the output.
fn found(output: &str) -> (BTreeSet<String>, BTreeMap<String, u64>) {
    let (mut targets, mut codes) = (BTreeSet::new(), BTreeMap::new());
    for line in output.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        match record["type"].as_str() {
            Some("link") => {
                targets.extend(record["target"].as_str().map(str::to_owned));
            }
            Some("diagnostic") => {
                let code = record["code"].as_str().unwrap();
                *codes.entry(code.to_owned()).or_default() += record["count"].as_u64().unwrap();
            }
            _ => {}
        }
    }
    (targets, codes)
}

fn check(records: &[Record], targets: &BTreeSet<String>) {
    for (index, record) in records.iter().enumerate() {
        if record.damage.is_some_and(|damage| !damage.keeps_links) {
            continue;
        }
        for link in 0..record.links {
            let wanted = target(record.page, link);
            let near = &records[index.saturating_sub(2)..=index];
            let near = near
                .iter()
                .map(|record| record.damage.map(|damage| damage.name));
            let near: Vec<_> = near.collect();
            assert!(targets.contains(&wanted), "{wanted}, {near:?}");
        }
    }
}

#[test]
fn each_kind_of_damage_is_reported_and_harms_no_other_record() {
    for damage in &DAMAGES {
        for is_packed in [true, false] {
            if damage.packed && !is_packed {
                continue;
            }
            for seed in 0..3 {
                let mut crawl = Crawl::new(seed, is_packed, 0);
                let records: Vec<_> = (0..5)
                    .map(|index| crawl.record_with((index == 2).then_some(damage)))
                    .collect();
                let name = ["x.warc", "x.warc.gz"][usize::from(is_packed)];
                let (_directory, path) = file(name, &bytes(&records));
                let run = run(&path, 1, 1 << 20);
                let (targets, codes) = found(&run.output);
                check(&records, &targets);
                assert!(
                    codes.contains_key(damage.code),
                    "{}: {codes:?}",
                    damage.name
                );
                let is_damage = !damage.code.starts_with("http.");
                assert_eq!(run.damaged > 0, is_damage, "{}: {codes:?}", damage.name);
            }
        }
    }
}

#[test]
fn a_length_that_takes_in_the_start_of_the_next_record_loses_none() {
    for line_end in ["\r\n", "\n"] {
        for excess in 0..24 {
            let record = |name: &str, excess: usize| {
                let block = format!("HTTP/1.1 200 OK\n\n<a href={name}>{:60}", "");
                let head = "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://www.example.com/\n\
                            Content-Type: application/http\nContent-Length: ";
                let block = block.replace('\n', line_end);
                let length = block.len() + excess;
                format!("{head}{length}\n\n").replace('\n', line_end) + &block + line_end + line_end
            };
            let records = [record("a", excess), record("b", 5), record("c", 0)].concat();
            let (_directory, path) = file("x.warc", records.as_bytes());
            let (targets, _) = found(&run(&path, 1, 1 << 20).output);
            let expected = ["a", "b", "c"].map(|name| format!("http://www.example.com/{name}"));
            assert_eq!(targets, BTreeSet::from(expected), "{excess}, {line_end:?}");
        }
    }
}

#[test]
fn a_length_beyond_the_end_of_the_file_loses_no_record() {
    let block = |name: &str| format!("HTTP/1.1 200 OK\r\n\r\n<a href={name}>");
    for length in [
        100,
        10_000_000,
        16 << 20,
        (16 << 20) + 1,
        100_000_000,
        u64::MAX,
    ] {
        let record = |name: &str, length: u64| {
            let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://www.example.com/\r\n\
                        Content-Type: application/http\r\nContent-Length: ";
            format!("{head}{length}\r\n\r\n{}\r\n\r\n", block(name))
        };
        let next = record("b", block("b").len() as u64);
        let records = [record("a", length), next].concat();
        for (name, bytes) in [
            ("x.warc", records.clone().into_bytes()),
            ("x.warc.gz", crate::compressed::gzip(records.as_bytes())),
        ] {
            let (_directory, path) = file(name, &bytes);
            let (targets, codes) = found(&run(&path, 1, 1 << 20).output);
            let expected = ["a", "b"].map(|name| format!("http://www.example.com/{name}"));
            assert_eq!(targets, BTreeSet::from(expected), "{length}");
            let resync = BTreeMap::from([("warc.resync".to_owned(), 1)]);
            assert_eq!(codes, resync, "{length}");
        }
    }
}

#[test]
fn a_cut_block_of_any_declared_length_is_reported_once() {
    let block = "HTTP/1.1 200 OK\r\n\r\n<a href=a>";
    for kind in ["response", "request"] {
        for length in [block.len() + 1, (16 << 20) + 1, usize::MAX] {
            let record = format!(
                "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://www.example.com/\r\n\
                 Content-Type: application/http\r\nContent-Length: {length}\r\n\r\n{block}"
            );
            let (_directory, path) = file("x.warc", record.as_bytes());
            let run = run(&path, 1, 1 << 20);
            let (_, codes) = found(&run.output);
            let short = BTreeMap::from([("warc.short-record".to_owned(), 1)]);
            assert_eq!((codes, run.damaged), (short, 1), "{kind}, {length}");
        }
    }
}

#[test]
fn pieces_have_the_records_of_the_whole() {
    for (is_packed, damaged, bytes_made) in [
        (true, 30, 1 << 20),
        (true, 400, 300 << 10),
        (false, 30, 2 << 20),
        (false, 400, 1 << 20),
        (true, 0, 300 << 10),
    ] {
        for seed in 0..crate::rounds(1, 2) {
            let records = Crawl::new(seed, is_packed, damaged).records(bytes_made);
            let name = ["x.warc", "x.warc.gz"][usize::from(is_packed)];
            let (_directory, path) = file(name, &bytes(&records));
            let whole = run(&path, 1, 1 << 20);
            let (targets, codes) = found(&whole.output);
            check(&records, &targets);
            let reported: u64 = codes.values().sum();
            let caused = records.iter().filter(|record| record.damage.is_some());
            assert!(reported >= caused.count() as u64, "{codes:?}");
            for (threads, piece) in [(2, 1), (2, 20_000), (3, 100_000)] {
                let pieces = run(&path, threads, piece);
                assert_eq!(whole.damaged, pieces.damaged);
                let mut lines = whole.output.lines().zip(pieces.output.lines());
                let different = lines.find(|(one, other)| one != other);
                assert_eq!(
                    different, None,
                    "{name}, {seed}, {damaged}, {threads}, {piece}"
                );
                assert_eq!(whole.output.len(), pieces.output.len());
            }
        }
    }
}

/// A WARC in a WARC, stored: what looks like the start of a piece is none.
#[test]
fn an_archive_in_a_record_is_no_piece() {
    let inner = bytes(&Crawl::new(1, true, 0).records(300 << 10));
    for is_packed in [true, false] {
        let mut records = bytes(&Crawl::new(2, is_packed, 0).records(200 << 10));
        let mut record = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://www.example.com/x.warc.gz\r\n\
             Content-Type: application/gzip\r\nContent-Length: {}\r\n\r\n",
            inner.len()
        )
        .into_bytes();
        record.extend_from_slice(&inner);
        record.extend_from_slice(b"\r\n\r\n");
        if is_packed {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
            encoder.write_all(&record).unwrap();
            record = encoder.finish().unwrap();
        }
        records.extend_from_slice(&record);
        records.extend_from_slice(&bytes(&Crawl::new(3, is_packed, 0).records(200 << 10)));
        let name = ["x.warc", "x.warc.gz"][usize::from(is_packed)];
        let (_directory, path) = file(name, &records);
        let whole = run(&path, 1, 1 << 20);
        assert_eq!(whole.damaged, 0);
        for piece in [1, 10_000, 50_000, 100_000] {
            assert!(
                run(&path, 2, piece).output == whole.output,
                "{name}, {piece}"
            );
        }
    }
}

/// Members that hold several records, parts of records, or all of them.
#[test]
fn members_need_not_be_records() {
    let plain = bytes(&Crawl::new(5, false, 30).records(1 << 20));
    for size in [30_000, 200_000, 1 << 20] {
        let members = plain.chunks(size).map(|chunk| {
            let fast = flate2::Compression::fast();
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), fast);
            encoder.write_all(chunk).unwrap();
            encoder.finish().unwrap()
        });
        let packed = members.collect::<Vec<_>>().concat();
        let (_directory, path) = file("x.warc.gz", &packed);
        let whole = run(&path, 1, 1 << 20);
        for piece in [1, 10_000, 50_000] {
            assert!(
                run(&path, 2, piece).output == whole.output,
                "{size}, {piece}"
            );
        }
    }
}

fn packed(content: &[u8], extension: &str) -> Vec<u8> {
    match extension {
        "zst" => crate::compressed::zstd(content),
        "bz2" => crate::compressed::bzip2(content),
        _ => crate::compressed::gzip(content),
    }
}

#[test]
fn counts_of_pieces_are_those_of_the_whole() {
    let records = |is_packed| bytes(&Crawl::new(4, is_packed, 30).records(300 << 10));
    let text = "see http://example.com/ or <http://example.org/>\n".repeat(2000);
    let mail =
        "From a@example.com Thu Jan  1 00:00:00 1970\nSubject: x\n\nhttp://example.com/a\n\n"
            .repeat(500);
    for (name, stored) in [
        ("x.warc.gz", records(true)),
        ("x.warc", records(false)),
        ("x.txt", text.into_bytes()),
        ("x.mbox", mail.into_bytes()),
        ("none.txt", b"nothing\n".repeat(2000)),
    ] {
        let (_directory, path) = file(name, &stored);
        for mode in [ReportMode::Count, ReportMode::Paths] {
            let whole = report(&path, 1, 1 << 40, mode);
            // The last line is the summary.
            let lines = whole.output.lines().count();
            assert_eq!(lines, if name == "none.txt" { 1 } else { 2 }, "{name}");
            for (threads, piece) in [(1, 5000), (2, 1000), (3, 20_000)] {
                let pieces = report(&path, threads, piece, mode);
                assert_eq!(pieces.output, whole.output, "{name}, {threads}, {piece}");
                assert_eq!(pieces.damaged, whole.damaged, "{name}, {threads}, {piece}");
            }
        }
    }
}

/// Frames of zstd, whose dictionary stands in front of the first.
#[test]
fn frames_are_pieces() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/archives");
    for name in [
        "warc_zst_dict.warc.zst",
        "warc_zst_dict_packed.warc.zst",
        "warc_zst_skippable.warc.zst",
    ] {
        let path = folder.join(name);
        let whole = run(&path, 1, 1 << 20);
        assert!(whole.output.contains("\"type\":\"link\""), "{name}");
        let mut stored = fs::read(&path).unwrap();
        for at in (0..stored.len() + 1).step_by(crate::rounds(20, 1)) {
            if let Some(byte) = stored.get_mut(at.wrapping_sub(1)) {
                *byte ^= 4;
            }
            let (_directory, path) = file(name, &stored);
            let whole = run(&path, 1, 1 << 20);
            for piece in [1, 400] {
                assert!(
                    run(&path, 2, piece).output == whole.output,
                    "{name}, {at}, {piece}"
                );
            }
            if let Some(byte) = stored.get_mut(at.wrapping_sub(1)) {
                *byte ^= 4;
            }
        }
    }
    for damaged in [0, 100] {
        let records = Crawl::new(9, false, damaged).records(1 << 20);
        let stored: Vec<_> = records
            .iter()
            .map(|record| packed(&record.bytes, "zst"))
            .collect();
        let (_directory, path) = file("x.warc.zst", &stored.concat());
        let whole = run(&path, 1, 1 << 20);
        for piece in [1, 10_000, 50_000] {
            assert!(
                run(&path, 2, piece).output == whole.output,
                "{damaged}, {piece}"
            );
        }
    }
}

/// A header of ustar and the content behind it.
fn tar_member(name: &str, content: &[u8]) -> Vec<u8> {
    let mut member = vec![0; 512];
    member[..name.len()].copy_from_slice(name.as_bytes());
    member[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    member[148..156].fill(b' ');
    member[257..263].copy_from_slice(b"ustar\0");
    let sum: u32 = member.iter().map(|&byte| u32::from(byte)).sum();
    member[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    member.extend_from_slice(content);
    member.resize(member.len().next_multiple_of(512), 0);
    member
}

/// What is compressed in one stream is decompressed by one thread and read by another.
#[test]
fn one_stream_gives_the_same_on_two_threads() {
    let records = bytes(&Crawl::new(7, false, 30).records(2 << 20));
    let mut tar = Vec::new();
    let mut page = b"<base href=http://example.com/x/>".to_vec();
    for number in 0..40_000 {
        page.extend_from_slice(format!("<a href=page{number}.html>{number}</a>\n").as_bytes());
    }
    for (number, page) in page.chunks(50_000).enumerate() {
        tar.extend(tar_member(&format!("site/{number}.html"), page));
    }
    tar.resize(tar.len() + 1024, 0);
    let extensions = ["gz", "zst", "bz2"];
    let contents = [("x.warc", records), ("x.tar", tar), ("x.html", page)];
    for (number, (name, content)) in contents.into_iter().enumerate() {
        for extension in crate::rounds(&extensions[number..=number], &extensions) {
            let whole = packed(&content, extension);
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            let mut checksum = whole.clone();
            checksum[whole.len() - 6] ^= 1;
            let cut = whole[..whole.len() * 2 / 3].to_vec();
            let twice = [whole.as_slice(), &whole].concat();
            for (kind, stored) in [whole, flipped, checksum, cut, twice].iter().enumerate() {
                let name = format!("{name}.{extension}");
                let (_directory, path) = file(&name, stored);
                let one = run(&path, 1, 1 << 20);
                let two = run(&path, 2, 1 << 20);
                assert!(one.output == two.output, "{name}, {kind}");
                assert_eq!(one.damaged, two.damaged, "{name}, {kind}");
                assert_eq!(
                    one.damaged > 0,
                    matches!(kind, 1..=3) || name.starts_with("x.warc"),
                    "{name}, {kind}"
                );
                assert!(one.output.lines().count() > 100, "{name}, {kind}");
            }
        }
    }
}

/// Writes an archive of `URISCAN_CRAWL_MIB` mebibytes (4 by default) at `URISCAN_CRAWL`, or else at a
/// temporary place, with damage to 3 % of its records; reads it with two threads and checks the links.
#[test]
fn a_crawl_of_any_size() {
    let directory = tempfile::tempdir().unwrap();
    let path = std::env::var_os("URISCAN_CRAWL");
    let path = path.unwrap_or_else(|| directory.path().join("crawl.warc.gz").into());
    let size = std::env::var("URISCAN_CRAWL_MIB").unwrap_or("4".to_owned());
    let size = size.parse::<usize>().unwrap() << 20;
    let mut crawl = Crawl::new(2396, true, 30);
    let mut writer = BufWriter::new(fs::File::create(&path).unwrap());
    let (mut written, mut links, mut damaged) = (0, Vec::new(), 0_u64);
    while written < size {
        let record = crawl.record();
        writer.write_all(&record.bytes).unwrap();
        written += record.bytes.len();
        let is_kept = record.damage.is_none_or(|damage| damage.keeps_links);
        links.push(if is_kept { record.links } else { 0 });
        damaged += u64::from(record.damage.is_some());
    }
    writer.into_inner().unwrap().sync_all().unwrap();
    let program = std::env::var_os("URISCAN_PROGRAM");
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_uriscan").into());
    let mut child = Command::new(program)
        .args(["-j2", "-v", "--messages=json"])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(fs::File::create(Path::new(&path).with_extension("err")).unwrap())
        .spawn()
        .unwrap();
    let mut next = vec![0; links.len()];
    for line in BufReader::new(child.stdout.take().unwrap()).split(b'\n') {
        let line = String::from_utf8_lossy(&line.unwrap()).into_owned();
        let numbers = line.strip_prefix("https://www.example.com/");
        let Some((page, link)) = numbers.and_then(|numbers| numbers.split_once('/')) else {
            continue;
        };
        let (Ok(page), Ok(link)) = (page.parse::<usize>(), link.parse::<usize>()) else {
            continue;
        };
        if next.get(page) == Some(&link) {
            next[page] += 1;
        }
    }
    let code = child.wait().unwrap().code();
    // A message counts all damage of one kind.
    let messages = fs::read_to_string(Path::new(&path).with_extension("err")).unwrap();
    let messages = messages.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["count"].as_u64().unwrap_or(0)
    });
    let messages = messages.sum::<u64>();
    for (page, (&wanted, &found)) in links.iter().zip(&next).enumerate() {
        assert!(found >= wanted, "page {page}: {found} of {wanted} links");
    }
    assert!(
        messages >= damaged,
        "{messages} faults for {damaged} records"
    );
    assert_eq!(code, Some(2));
    println!(
        "{} records, {damaged} damaged, {messages} faults",
        links.len()
    );
}

/// What the metadata of a crawl (WAT) have of a page, and what the page itself has besides: markup, its
/// entry in the metadata (`!` for what stands in `Head`), and the targets that only the page gives.
const MARKUP: &[(&str, &str, &[&str])] = &[
    (
        "<link rel=stylesheet href=s.css>",
        r#"!Link{"path":"LINK@/href","url":"s.css","rel":"stylesheet"}"#,
        &[],
    ),
    (
        "<script src=/js/a.js></script>",
        r#"!Scripts{"path":"SCRIPT@/src","url":"/js/a.js"}"#,
        &[],
    ),
    (
        "<meta http-equiv=refresh content='9; url=later.html'>",
        r#"!Metas{"http-equiv":"refresh","content":"9; url=later.html"}"#,
        &[],
    ),
    (
        "<style>@import 'i.css'; p { background: url(bg.png) }</style>",
        r#"{"path":"STYLE/#text","href":"bg.png"}"#,
        &["i.css"],
    ),
    (
        "<a href=one.html>1</a>",
        r#"{"path":"A@/href","url":"one.html","text":"1"}"#,
        &[],
    ),
    (
        "<a href='two.html?a=1&amp;b=2#c'>2</a>",
        r#"{"path":"A@/href","url":"two.html?a=1&b=2#c"}"#,
        &[],
    ),
    (
        "<a href='https://example.org/abs'>3</a>",
        r#"{"path":"A@/href","url":"https://example.org/abs"}"#,
        &[],
    ),
    (
        "<img src=i.png srcset='i1.png 1x, i2.png 2x' alt=i>",
        r#"{"path":"IMG@/src","url":"i.png","alt":"i"}"#,
        &["i1.png", "i2.png"],
    ),
    (
        "<form action=../find></form>",
        r#"{"path":"FORM@/action","url":"../find","method":"post"}"#,
        &[],
    ),
    (
        "<iframe src=//frames.example.net/f></iframe>",
        r#"{"path":"IFRAME@/src","url":"//frames.example.net/f"}"#,
        &[],
    ),
    (
        "<iframe srcdoc='&lt;a href=inner.html>'></iframe>",
        "",
        &["inner.html"],
    ),
    ("<p style='background: url(p.png)'>p</p>", "", &["p.png"]),
    (
        "<video poster=v.png src=v.mp4></video>",
        r#"{"path":"VIDEO@/src","url":"v.mp4"}"#,
        &["v.png"],
    ),
    (
        "<blockquote cite=q.html>q</blockquote>",
        r#"{"path":"BLOCKQUOTE@/cite","url":"q.html"}"#,
        &[],
    ),
];

/// The metadata have the same targets as the page, but for what they leave out: imports of style
/// sheets, `srcset`, documents in attributes, `style` attributes and posters.
#[test]
fn metadata_of_a_crawl_have_the_targets_of_its_pages() {
    let mut page = String::from("<!doctype html><base href=/b/>");
    let (mut head, mut links): (BTreeMap<&str, Vec<&str>>, Vec<&str>) = Default::default();
    let mut only = BTreeSet::new();
    for (markup, entry, missing) in MARKUP {
        page.push_str(markup);
        match entry.strip_prefix('!') {
            Some(entry) => {
                let brace = entry.find('{').unwrap();
                head.entry(&entry[..brace])
                    .or_default()
                    .push(&entry[brace..]);
            }
            None if entry.is_empty() => {}
            None => links.push(entry),
        }
        only.extend(
            missing
                .iter()
                .map(|path| format!("http://www.example.com/b/{path}")),
        );
    }
    let head: Vec<String> = head
        .iter()
        .map(|(key, entries)| format!("\"{key}\":[{}]", entries.join(",")))
        .collect();
    let metadata = format!(
        "{{\"Envelope\":{{\"Payload-Metadata\":{{\"HTTP-Response-Metadata\":{{\"Headers\":\
         {{\"Link\":\"<next.html>; rel=next\"}},\"HTML-Metadata\":{{\"Head\":{{\"Base\":\"/b/\",{}}},\
         \"Links\":[{}]}}}}}}}}}}",
        head.join(","),
        links.join(",")
    );
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: <next.html>; rel=next\r\n\r\n{page}"
    );
    let targets = |kind: &str, media_type: &str, block: &str| {
        let length = block.len();
        let record = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://www.example.com/d/page.html\r\n\
             Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
        );
        let (_directory, path) = file("x.warc", record.as_bytes());
        found(&run(&path, 1, 1 << 20).output).0
    };
    let of_page = targets("response", "application/http; msgtype=response", &http);
    let of_metadata = targets("metadata", "application/json", &metadata);
    let more: Vec<_> = of_metadata.difference(&of_page).collect();
    assert!(more.is_empty(), "{more:?}");
    assert_eq!(
        of_page
            .difference(&of_metadata)
            .cloned()
            .collect::<BTreeSet<_>>(),
        only
    );
    assert!(of_metadata.len() > 10);
}
