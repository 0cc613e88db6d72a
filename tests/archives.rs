//! Archives with expectations that were written by hand from the formats' standards.
//!
//! `tests/vectors/archives/` holds each archive and beside it `NAME.expect.json`: `case` (the file),
//! `why` (the rule that it shows), `options` (flags of the command; `ARCHIVE=` at the start of one
//! stands for the file), `links` in order, `diagnostics` (`a|b` is one of them, `x.*` any of a
//! family), `may` (codes that are allowed besides) and `exit` (a code, or a list of those allowed). Of
//! a link only the fields that stand there are compared; `{ARCHIVE}` is the `file:` URI of the file.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Decompress, FlushDecompress};
use serde_json::Value;
use uriscan::archive::{ArchiveFormat, ArchiveOptions, ArchiveSource};
use uriscan::output::Output;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, PipelineOptions};

use crate::cli::Tree;
use crate::compressed::gzip;
use crate::packages::zip::{Member, tar, zip};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/archives")
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    let items = value.and_then(Value::as_array);
    let items = items.into_iter().flatten();
    items.map(|item| item.as_str().unwrap()).collect()
}

/// Records of a run of the command, and its exit code.
struct Run {
    links: Vec<Value>,
    codes: BTreeSet<String>,
    exit: Option<i32>,
}

fn run(directory: &Path, arguments: &[String], input: Stdio) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(["--json", "-z"])
        .args(arguments)
        .current_dir(directory)
        .stdin(input)
        .output()
        .unwrap();
    let mut run = Run {
        links: Vec::new(),
        codes: BTreeSet::new(),
        exit: output.status.code(),
    };
    let lines = output.stdout.split(|&byte| byte == b'\n');
    for line in lines.filter(|line| !line.is_empty()) {
        let record: Value = serde_json::from_slice(line).unwrap();
        match record["type"].as_str() {
            Some("link") => run.links.push(record),
            Some("diagnostic") => {
                let code = record["code"].as_str().unwrap();
                run.codes.insert(code.to_owned());
            }
            _ => panic!("{record}"),
        }
    }
    run
}

/// Whether a code is one that an expectation names.
fn is_named(code: &str, name: &str) -> bool {
    match name.strip_suffix('*') {
        Some(family) => code.starts_with(family),
        None => code == name,
    }
}

fn differences(expectation: &Path) -> Vec<String> {
    let expected: Value = serde_json::from_slice(&fs::read(expectation).unwrap()).unwrap();
    let name = expected["case"].as_str().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().canonicalize().unwrap();
    fs::copy(folder().join(name), directory.join(name)).unwrap();
    let uri = format!("file://{}/{name}", directory.display());
    let options = texts(expected.get("options")).into_iter();
    let options = options.map(|option| match option.strip_prefix("ARCHIVE=") {
        Some(rest) => format!("{name}={rest}"),
        None => option.to_owned(),
    });
    let arguments: Vec<_> = options.chain([name.to_owned()]).collect();
    let got = run(&directory, &arguments, Stdio::null());
    let wanted = expected["links"].as_array().unwrap();
    let mut found = Vec::new();
    if got.links.len() != wanted.len() {
        found.push(format!("{} links, not {}", got.links.len(), wanted.len()));
    }
    for (at, (got, wanted)) in got.links.iter().zip(wanted).enumerate() {
        for (key, value) in wanted.as_object().unwrap() {
            let value = match value {
                Value::String(text) => Value::String(text.replace("{ARCHIVE}", &uri)),
                other => other.clone(),
            };
            let got = got.get(key).unwrap_or(&Value::Null);
            if *got != value {
                found.push(format!("link {}: {key} {got}, not {value}", at + 1));
            }
        }
    }
    let diagnostics = texts(expected.get("diagnostics"));
    for wanted in &diagnostics {
        let mut names = wanted.split('|');
        if !names.any(|name| got.codes.iter().any(|code| is_named(code, name))) {
            found.push(format!("no {wanted} in {:?}", got.codes));
        }
    }
    let names = diagnostics.iter().flat_map(|names| names.split('|'));
    let allowed: Vec<_> = names.chain(texts(expected.get("may"))).collect();
    for code in &got.codes {
        if !allowed.iter().any(|name| is_named(code, name)) {
            found.push(format!("diagnostic {code}"));
        }
    }
    let exit = got.exit.map_or(Value::Null, Value::from);
    let is_allowed = match &expected["exit"] {
        Value::Array(codes) => codes.contains(&exit),
        code => *code == exit,
    };
    if !is_allowed {
        found.push(format!("exit {exit}, not {}", expected["exit"]));
    }
    found
}

fn expectations() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_str().unwrap().ends_with(".expect.json"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

#[test]
fn archives_have_their_expected_links() {
    let mut failed = Vec::new();
    for expectation in expectations() {
        let name = expectation.file_name().unwrap().to_string_lossy();
        let differences = differences(&expectation).into_iter();
        failed.extend(differences.map(|difference| format!("{name}: {difference}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The references of all links, in order.
fn references(run: &Run) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let links = run.links.iter();
    links
        .map(|link| (text(&link["member"]), text(&link["reference"])))
        .collect()
}

#[test]
fn a_stream_gives_the_members_of_the_file() {
    for name in [
        "zip_methods.zip",
        "zip_mbox.zip",
        "tar_ustar_prefix.tar",
        "wet_two.warc.wet.gz",
    ] {
        let directory = folder();
        let file = fs::File::open(directory.join(name)).unwrap();
        let streamed = run(&directory, &["-".to_owned()], Stdio::from(file));
        let read = run(&directory, &[name.to_owned()], Stdio::null());
        assert!(!read.links.is_empty());
        assert_eq!(references(&streamed), references(&read), "{name}");
        assert_eq!(streamed.codes, read.codes, "{name}");
    }
}

/// Members are unpacked as a whole up to some length, and bit by bit beyond it and in a stream.
#[test]
fn long_members_of_a_stream_are_those_of_the_file() {
    let page = |length: usize| {
        let links = (0..).map(|n| format!("{:>60000}<a href={n}>x</a>\n", ""));
        let mut bytes = Vec::with_capacity(length + 70_000);
        links
            .take_while(|link| {
                bytes.extend_from_slice(link.as_bytes());
                bytes.len() < length
            })
            .for_each(drop);
        bytes.truncate(length);
        bytes
    };
    let lengths = [10, 1 << 20, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, 6 << 20];
    let members = lengths.map(|length| Member::new(&format!("{length}.html"), page(length)));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.zip");
    fs::write(&path, zip(&members)).unwrap();
    let file = fs::File::open(&path).unwrap();
    let streamed = run(directory.path(), &["-".to_owned()], Stdio::from(file));
    let read = run(directory.path(), &["long.zip".to_owned()], Stdio::null());
    assert!(read.links.len() > 300);
    assert_eq!(references(&streamed), references(&read));
    assert_eq!((streamed.exit, read.exit), (Some(0), Some(0)));
}

/// A directory may name the same contents again and again: they are read as often as the file has room for
/// them.
#[test]
fn members_in_one_place_cost_no_more_than_the_file() {
    let page = "<a href=a>b</a>".to_owned() + &" ".repeat(2 << 20);
    let one = zip(&[Member::new("a.html", page)]);
    let length = |at: usize| u32::from_le_bytes(one[at..at + 4].try_into().unwrap()) as usize;
    let (size, start) = (length(one.len() - 10), length(one.len() - 6));
    let end = one.len() - 22;
    let mut many = one[..end].to_vec();
    let count = 50_u16;
    for _ in 1..count {
        many.extend_from_slice(&one[start..end]);
    }
    many.extend_from_slice(&one[end..]);
    let end = many.len() - 22;
    many[end + 8..end + 10].copy_from_slice(&count.to_le_bytes());
    many[end + 10..end + 12].copy_from_slice(&count.to_le_bytes());
    many[end + 12..end + 16].copy_from_slice(&(size as u32 * u32::from(count)).to_le_bytes());
    let room = many.len() / (start - 36);
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("many.zip"), many).unwrap();
    let [one, two] = ["-j1", "-j2"].map(|threads| {
        let arguments = [threads, "many.zip"].map(str::to_owned);
        run(directory.path(), &arguments, Stdio::null())
    });
    assert!((1..50).contains(&room));
    assert_eq!(one.links.len(), room);
    assert_eq!(one.codes, BTreeSet::from(["archive.inconsistent".into()]));
    assert_eq!(one.exit, Some(2));
    assert_eq!((one.links, one.codes), (two.links, two.codes));
}

/// Each archive may keep the ratio while all of them do not.
#[test]
fn archives_in_archives_keep_the_ratio_together() {
    let page = "http://example.com/\n".to_owned() + &" ".repeat(40 << 20);
    let inner = zip(&[Member::new("a.txt", page)]);
    let copies = [1, 2, 3, 4].map(|n| Member::new(&format!("{n}.zip"), inner.as_slice()));
    let outer = zip(&[
        Member::new("b.zip", zip(&copies)),
        Member::new("c.txt", "http://example.com/c"),
    ]);
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("outer.zip"), outer).unwrap();
    let read = run(directory.path(), &["outer.zip".to_owned()], Stdio::null());
    let members: Vec<_> = references(&read)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(members, ["b.zip!1.zip!a.txt", "b.zip!2.zip!a.txt", "c.txt"]);
    assert_eq!(read.codes, BTreeSet::from(["archive.ratio-limit".into()]));
    assert_eq!(read.exit, Some(2));
}

/// A checksum without digits is none, whatever the bytes sum up to.
#[test]
fn text_is_no_tar() {
    let mut block = b"http://example.com/ ".to_vec();
    let mut sum: i32 = block.iter().map(|&byte| i32::from(byte)).sum();
    // The checksum counts as blanks.
    sum += 8 * i32::from(b' ');
    while block.len() < 511 {
        let byte = if sum > 0 { b'\xE9' } else { b'a' };
        if !(148..156).contains(&block.len()) {
            sum += i32::from(byte as i8);
            block.push(byte);
        } else {
            block.push(b'x');
        }
    }
    block.push(i8::try_from(-sum).unwrap() as u8);
    assert!(ArchiveFormat::of(&block).is_none());
    block[148] = b'\0';
    assert!(ArchiveFormat::of(&block).is_none());
}

#[test]
fn cut_archives_keep_the_links_before_the_cut() {
    for name in [
        "zip_order.zip",
        "tar_truncated.tar",
        "warc_stacked.warc",
        "warc_gz_sl.warc.gz",
    ] {
        let whole = fs::read(folder().join(name)).unwrap();
        let temporary = tempfile::tempdir().unwrap();
        let all = references(&run(&folder(), &[name.to_owned()], Stdio::null()));
        // Each process takes a few milliseconds.
        let cuts = (1..whole.len()).step_by((whole.len() / crate::rounds(10, 40)).max(1));
        let arguments: Vec<_> = cuts
            .map(|cut| {
                let path = temporary.path().join(format!("{cut:06}-{name}"));
                fs::write(&path, &whole[..cut]).unwrap();
                path.file_name().unwrap().to_str().unwrap().to_owned()
            })
            .collect();
        for argument in &arguments {
            let cut = run(
                temporary.path(),
                std::slice::from_ref(argument),
                Stdio::null(),
            );
            for found in references(&cut) {
                let is_known = all.contains(&found) || all.iter().any(|one| one.0 == found.0);
                assert!(is_known || found.0.is_empty(), "{argument}: {found:?}");
            }
            let code = cut.exit.unwrap();
            assert!(code <= 2, "{argument}: {code}");
        }
    }
}

#[test]
fn members_of_a_tar_of_unknown_types_are_files() {
    let links = |kind: u8| {
        let mut archive = tar(&[Member::new("a.txt", "http://example.com/a")]);
        archive[156] = kind;
        archive[148..156].fill(b' ');
        let sum: u32 = archive[..512].iter().map(|&byte| u32::from(byte)).sum();
        archive[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let tree = Tree::new(&[]);
        tree.write("x.tar", &archive);
        tree.run(&["x.tar"]).out
    };
    for kind in [b'Z', b'9', b'0', 0] {
        assert_eq!(links(kind), "http://example.com/a\n", "{}", kind as char);
    }
    for kind in [b'5', b'D', b'V'] {
        assert_eq!(links(kind), "", "{}", kind as char);
    }
}

#[test]
fn a_tar_whose_first_header_is_cut_or_wrong_is_damaged() {
    let whole = fs::read(folder().join("tar_truncated.tar")).unwrap();
    let mut wrong = whole.clone();
    wrong[0] ^= 0x55;
    let temporary = tempfile::tempdir().unwrap();
    for (bytes, code) in [
        (&whole[..300], "archive.truncated"),
        (&whole[..511], "archive.truncated"),
        (&wrong[..], "archive.inconsistent"),
    ] {
        fs::write(temporary.path().join("a.tar"), bytes).unwrap();
        let run = run(temporary.path(), &["a.tar".to_owned()], Stdio::null());
        assert!(run.codes.contains(code), "{code}: {:?}", run.codes);
        assert_eq!(run.exit, Some(2), "{code}");
    }
}

#[test]
fn a_compressed_tar_whose_first_bytes_are_damaged_is_read_to_its_end() {
    let page = |name: &str| Member::new(name, "http://example.com/\n".repeat(100));
    let mut bytes = tar(&["a.txt", "b.txt"].map(page));
    bytes[257..263].copy_from_slice(b"USTAR ");
    let mut packed = gzip(&bytes);
    let at = packed.len() - 8;
    packed[at] ^= 1;
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("a.tar.gz"), &packed).unwrap();
    fs::write(temporary.path().join("a.tgz"), &packed).unwrap();
    fs::write(temporary.path().join("a"), &packed).unwrap();
    for name in ["a.tar.gz", "a.tgz", "a"] {
        let run = run(temporary.path(), &[name.to_owned()], Stdio::null());
        assert!(run.codes.contains("compress.corrupt"), "{:?}", run.codes);
        assert_eq!((run.exit, run.links.len()), (Some(2), 100), "{name}");
    }
    // Nothing in it is recognised, and it is damaged all the same.
    let mut binary = gzip(&[0; 30_000]);
    let at = binary.len() - 8;
    binary[at] ^= 1;
    fs::write(temporary.path().join("b"), &binary).unwrap();
    let run_b = run(temporary.path(), &["b".to_owned()], Stdio::null());
    assert!(
        run_b.codes.contains("compress.corrupt"),
        "{:?}",
        run_b.codes
    );
    assert_eq!(run_b.exit, Some(2));
    fs::write(temporary.path().join("a.tar"), &bytes).unwrap();
    let run = run(temporary.path(), &["a.tar".to_owned()], Stdio::null());
    assert!(
        run.codes.contains("archive.inconsistent"),
        "{:?}",
        run.codes
    );
    assert_eq!((run.exit, run.links.len()), (Some(2), 100));
}

#[test]
fn threads_change_nothing() {
    let directory = folder();
    let names = expectations().into_iter().map(|path| {
        let expected: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        expected["case"].as_str().unwrap().to_owned()
    });
    let names: Vec<String> = names.collect();
    let one = [vec!["-j1".to_owned()], names.clone()].concat();
    let many = [vec!["-j4".to_owned()], names].concat();
    let one = run(&directory, &one, Stdio::null());
    let many = run(&directory, &many, Stdio::null());
    assert_eq!(one.links, many.links);
    assert_eq!(one.codes, many.codes);
}

#[test]
fn a_long_archive_of_text_is_not_split_as_text() {
    let text = "see <http://example.com/a> and more words\n".repeat(5000);
    let mut archive = String::new();
    for number in 1..=3 {
        archive += &format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://example.org/{number}\r\n\
             Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        );
    }
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("crawl.txt");
    fs::write(&path, &archive).unwrap();
    let outputs = [1, 4].map(|threads| {
        let options = PipelineOptions {
            output: Output::named("jsonl").unwrap(),
            threads,
            piece_size: 16 << 10,
            ..PipelineOptions::default()
        };
        let roots = [Ok(Root::Path(path.clone()))];
        let walk = Walk::new(roots.into_iter(), Default::default());
        let mut output = Vec::new();
        pipeline::run::run(&options, walk, (&mut output, None));
        String::from_utf8(output).unwrap()
    });
    assert_eq!(outputs[0].lines().count(), 15_000);
    let is_of_record = |line: &str| line.contains("\"warc_type\":\"conversion\"");
    assert!(outputs[0].lines().all(is_of_record));
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn a_walk_opens_records_as_it_does_mailboxes_and_other_archives_on_demand() {
    let temporary = tempfile::tempdir().unwrap();
    for name in ["warc_resource.warc", "zip_order.zip"] {
        fs::copy(folder().join(name), temporary.path().join(name)).unwrap();
    }
    let output = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
            .args(arguments)
            .current_dir(temporary.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let walked = output(&["."]);
    assert!(walked.contains("http://www.example.com/res/z"), "{walked}");
    assert!(!walked.contains("http://example.org/deflated"), "{walked}");
    assert!(output(&["-z", "."]).contains("http://example.org/deflated"));
}

#[test]
fn an_audit_skips_archives_and_counts_them() {
    let temporary = tempfile::tempdir().unwrap();
    for name in ["warc_resource.warc", "arc_v1.arc", "zip_order.zip"] {
        fs::copy(folder().join(name), temporary.path().join(name)).unwrap();
    }
    fs::write(temporary.path().join("index.html"), "<a href='#top'>a</a>").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(["audit", "--json", "."])
        .current_dir(temporary.path())
        .output()
        .unwrap();
    let records = String::from_utf8(output.stdout).unwrap();
    assert_eq!(records.lines().count(), 1, "{records}");
    let summary: Value = serde_json::from_str(&records).unwrap();
    assert_eq!(summary["files"], 1);
    assert_eq!(summary["skipped_archive"], 3);
    assert_eq!(output.status.code(), Some(0));
}

/// Every archive of files, whole and damaged in some bytes, gives the same with a piece for each member.
#[test]
fn pieces_have_the_members_of_the_whole() {
    let names = fs::read_dir(folder()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_of_files = |name: &String| name.ends_with(".zip") || name.ends_with(".tar");
    let temporary = tempfile::tempdir().unwrap();
    let mut roots = Vec::new();
    for name in names.filter(is_of_files) {
        let whole = fs::read(folder().join(&name)).unwrap();
        // The offsets are far enough apart for different fields and contents to be hit.
        for changed in (0..whole.len()).step_by((whole.len() / crate::rounds(20, 60)).max(1)) {
            let mut bytes = whole.clone();
            bytes[changed] ^= if changed == 0 { 0 } else { 0x55 };
            let path = temporary.path().join(format!("{changed:06}-{name}"));
            fs::write(&path, bytes).unwrap();
            roots.push(path);
        }
    }
    let outputs = [1, 4].map(|threads| {
        let options = PipelineOptions {
            output: Output::named("jsonl").unwrap(),
            threads,
            piece_size: 1,
            ..PipelineOptions::default()
        };
        let roots: Vec<_> = roots.iter().cloned().map(Root::Path).map(Ok).collect();
        let walk = Walk::new(roots.into_iter(), Default::default());
        let mut output = Vec::new();
        pipeline::run::run(&options, walk, (&mut output, None));
        String::from_utf8(output).unwrap()
    });
    assert!(outputs[0].lines().count() > roots.len());
    for (one, many) in outputs[0].lines().zip(outputs[1].lines()) {
        assert_eq!(one, many);
    }
    assert_eq!(outputs[0].len(), outputs[1].len());
}

/// Cut at every byte, an archive gives links of the whole, with pieces and without.
#[test]
fn every_cut_of_a_small_archive_gives_links_of_the_whole() {
    let names = fs::read_dir(folder()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for name in names.filter(|name| !name.ends_with(".expect.json")) {
        let whole = fs::read(folder().join(&name)).unwrap();
        if whole.len() > 700 {
            continue;
        }
        let temporary = tempfile::tempdir().unwrap();
        // Each file has other cuts.
        let cuts = (1..=whole.len())
            .rev()
            .step_by(crate::rounds(23, 1))
            .map(|cut| {
                let path = temporary.path().join(format!("{cut:06}-{name}"));
                fs::write(&path, &whole[..cut]).unwrap();
                path
            });
        let cuts: Vec<PathBuf> = cuts.collect();
        let outputs = [1, 3].map(|threads| {
            let options = PipelineOptions {
                output: Output::named("jsonl").unwrap(),
                threads,
                piece_size: 1,
                ..PipelineOptions::default()
            };
            let roots = cuts.iter().map(|path| Ok(Root::Path(path.clone())));
            let walk = Walk::new(roots.collect::<Vec<_>>().into_iter(), Default::default());
            let mut output = Vec::new();
            pipeline::run::run(&options, walk, (&mut output, None));
            String::from_utf8(output).unwrap()
        });
        assert!(outputs[0] == outputs[1], "{name}");
        let mut links: Vec<(String, String)> = Vec::new();
        for line in outputs[0].lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            if record["type"] == "link" {
                let path = record["path"].as_str().unwrap().to_owned();
                links.push((path, record["member"].to_string()));
            }
        }
        let last = cuts[0].to_str().unwrap();
        let all: BTreeSet<_> = links
            .iter()
            .filter(|link| link.0 == last)
            .map(|link| &link.1)
            .collect();
        for (path, member) in &links {
            // A cut leaves a zip without its directory, or of others what looks like a document.
            let is_other = member == "null" || name.ends_with(".zip");
            assert!(all.contains(member) || is_other, "{path}: {member}");
        }
    }
}

#[test]
fn counts_of_a_container_are_of_members() {
    let output = |format: &str, name: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
            .args(
                ["--stats", format, name]
                    .iter()
                    .filter(|argument| !argument.is_empty()),
            )
            .current_dir(folder())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    assert!(output("", "warc_response.warc").contains(": 3 members, 1 part, 2 links"));
    let records = output("--json", "zip_order.zip");
    assert!(records.contains("\"messages\":0,\"members\":"), "{records}");
}

#[test]
fn segments_that_follow_one_another_are_joined() {
    let record = |kind: &str, more: &str, block: &str| {
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://example.org/p/\r\n{more}\
             Content-Type: application/http\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let first = "WARC-Record-ID: <urn:uuid:1>\r\nWARC-Segment-Number: 1\r\n";
    let other = |number: u8| {
        format!("WARC-Segment-Origin-ID: <urn:uuid:1>\r\nWARC-Segment-Number: {number}\r\n")
    };
    let parts = [
        record(
            "response",
            first,
            "HTTP/1.1 200 OK\r\nContent-Type: text/ht",
        ),
        record(
            "continuation",
            &other(2),
            "ml\r\n\r\n<a href=one>1</a><a hre",
        ),
        record("continuation", &other(3), "f=two>2</a>"),
        record(
            "response",
            "",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=last>",
        ),
    ];
    let targets = |records: &[&String]| {
        let temporary = tempfile::tempdir().unwrap();
        let text: String = records.iter().map(|record| record.as_str()).collect();
        fs::write(temporary.path().join("x.warc"), text).unwrap();
        let run = run(temporary.path(), &["x.warc".to_owned()], Stdio::null());
        let links = run.links.iter();
        let links = links.map(|link| link["reference"].as_str().unwrap().to_owned());
        (
            links.collect::<Vec<_>>(),
            run.codes.into_iter().collect::<Vec<_>>(),
            run.exit,
        )
    };
    let [one, two, three, last] = &parts;
    let joined = targets(&[one, two, three, last]);
    assert_eq!(
        joined,
        (
            vec!["one".into(), "two".into(), "last".into()],
            vec![],
            Some(0)
        )
    );
    let missing = vec!["warc.continuation-missing".to_owned()];
    assert_eq!(
        targets(&[one, two, last, three]),
        (vec!["one".into(), "last".into()], missing, Some(2))
    );
}

/// Contents of a deflated member of a stream, up to damage, and the codes of what is wrong.
fn streamed(bytes: Vec<u8>) -> (Vec<u8>, Vec<&'static str>) {
    let format = ArchiveFormat::of(&bytes).unwrap();
    let source = ArchiveSource::Pipe(Box::new(Cursor::new(bytes)));
    let mut zip = format.open(source, &ArchiveOptions::default());
    zip.next().unwrap().unwrap();
    let (mut contents, mut buffer) = (Vec::new(), [0; 700]);
    loop {
        match zip.read(&mut buffer).unwrap() {
            0 => break,
            n => contents.extend_from_slice(&buffer[..n]),
        }
    }
    let codes = zip.faults().iter().map(|fault| fault.code.name).collect();
    (contents, codes)
}

/// The bytes that deflated data give before they end or are damaged.
fn inflated(packed: &[u8]) -> Vec<u8> {
    let (mut inflate, mut out) = (Decompress::new(false), Vec::new());
    loop {
        let mut byte = [0];
        let before = (inflate.total_in(), inflate.total_out());
        let rest = &packed[before.0 as usize..];
        let result = inflate.decompress(rest, &mut byte, FlushDecompress::None);
        if inflate.total_out() > before.1 {
            out.push(byte[0]);
        } else if result.is_err() || inflate.total_in() == before.0 {
            return out;
        }
    }
}

#[test]
fn all_bytes_in_front_of_damage_in_a_stream_are_read() {
    let lines = (0..400).map(|n| format!("http://example.com/{n}/{}\n", n * n % 977));
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(lines.collect::<String>().as_bytes())
        .unwrap();
    let packed = encoder.finish().unwrap();
    // The lengths stand in a descriptor behind the contents.
    let mut header = b"PK\x03\x04\x14\0\x08\0\x08\0".to_vec();
    header.resize(26, 0);
    header.extend_from_slice(b"\x05\0\0\0x.txt");
    for at in (1..packed.len()).step_by(97) {
        let (contents, codes) = streamed([&header, &packed[..at]].concat());
        assert_eq!(contents, inflated(&packed[..at]), "cut at {at}");
        assert_eq!(codes, ["compress.corrupt"], "cut at {at}");
        let mut flipped = packed.clone();
        flipped[at] ^= 0x10;
        let (contents, codes) = streamed([header.as_slice(), &flipped].concat());
        assert_eq!(contents, inflated(&flipped), "flipped at {at}");
        assert_eq!(codes, ["compress.corrupt"], "flipped at {at}");
    }
}
