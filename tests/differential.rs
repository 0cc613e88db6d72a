//! The same bytes give the same links, diagnostics and exit code, however they arrive: by name, under
//! another name, from a pipe, in a zip and in a tar.
//!
//! Documents and archives of every format are changed by bytes that are flipped, cut, inserted, deleted
//! and doubled, from a seed. `URISCAN_MUTATIONS` is the number of changed documents of each format: 200
//! and more find what the default leaves out. A zip that comes from a pipe is left out: it is read by its
//! local headers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Map, Value};
use uriscan::Format;
use uriscan::document::sniff::NamedType;
use uriscan::output::Output;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, PipelineOptions, Verbosity};

use crate::compressed::{bzip2, gzip, lz4, zstd};
use crate::packages::zip::{Member, members_of, tar, zip};

/// Mutations of each format where the environment names no number.
const MUTATIONS: usize = 8;

/// A document to change.
struct Seed {
    /// Its name; the format is what follows the first dot.
    name: String,
    bytes: Vec<u8>,
    /// The format that the name says, where the content does not.
    format: Option<&'static str>,
    /// The first bytes that are left as they are: they say what the document is.
    kept: usize,
    /// It is read by its directory, which a pipe does not have first.
    needs_end: bool,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The compressed members of something whose parts begin with `mark`.
fn members(content: &[u8], mark: &[u8], pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut starts: Vec<_> = memchr::memmem::find_iter(content, mark).collect();
    starts.push(content.len());
    let parts = starts
        .windows(2)
        .map(|range| pack(&content[range[0]..range[1]]));
    parts.collect::<Vec<_>>().concat()
}

fn seeds() -> Vec<Seed> {
    let read = |path: &str| fs::read(root().join(path)).unwrap();
    let mut seeds = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>, format: Option<&'static str>, kept: usize| {
        let bytes = bytes[..bytes.len().min(64 << 10)].to_vec();
        seeds.push(Seed {
            name: name.to_owned(),
            bytes,
            format,
            kept,
            needs_end: name.ends_with("zip") || name.ends_with("wacz"),
        });
    };
    for (path, format) in [
        ("text/lists.txt", "text"),
        ("html/attribute-quoting.html", "html"),
        ("css/conditions.css", "css"),
        ("xml/drawing.svg", "xml"),
        ("json/strings.json", "json"),
        ("jsonld/person.jsonld", "jsonld"),
        ("ipynb/cells.ipynb", "ipynb"),
        ("har/entry.har", "har"),
        ("markdown/links.md", "markdown"),
        ("rst/guide.rst", "rst"),
        ("adoc/manual.adoc", "adoc"),
        ("troff/tool.1", "troff"),
        ("pdf/actions.pdf", "pdf"),
        ("mbox/a-thread.mbox", "mbox"),
        ("mhtml/style-sheet.mht", "eml"),
    ] {
        let file = path.split('/').next_back().unwrap();
        let extension = file.split_once('.').unwrap().1;
        let bytes = read(&format!("corpus/{path}"));
        add(&format!("x.{extension}"), bytes, Some(format), 64);
    }
    for (name, path) in [
        ("x.epub", "epub/book"),
        ("x.odt", "odf/memo"),
        ("x.docx", "ooxml/letter"),
    ] {
        let mut members = members_of(&root().join("corpus").join(path));
        // What the first member is called says what the package is.
        members.sort_by_key(|one| !matches!(&*one.name, "mimetype" | "[Content_Types].xml"));
        add(name, zip(&members), None, 80);
    }
    for name in [
        "arc_v1.arc",
        "tar_nested.tar.gz",
        "tar_pax_long.tar.xz",
        "tar_ustar_prefix.tar",
        "wacz_one.wacz",
        "warc_resource.warc",
        "warc_stacked.warc",
        "warc_gzip_chunked.warc",
        "warc_gz_offsets.warc.gz",
        "warc_gz_records.warc.gz",
        "warc_gz_members_across.warc.gz",
        "warc_zst_dict.warc.zst",
        "wat_base.warc.wat.gz",
        "wet_two.warc.wet.gz",
        "zip_methods.zip",
        "zip_mbox.zip",
        "zip64_small.zip",
    ] {
        let extension = name.split_once('.').unwrap().1;
        add(
            &format!("x.{extension}"),
            read(&format!("tests/vectors/archives/{name}")),
            None,
            0,
        );
    }
    let warc = read("tests/vectors/archives/warc_resource.warc");
    let crawl = warc.repeat(3);
    let mail = read("corpus/mbox/a-thread.mbox");
    let text = (0..300).fold(String::new(), |mut text, n: u32| {
        let _ = writeln!(
            text,
            "see http://example.com/{}/{n}",
            n.wrapping_mul(n) % 997
        );
        text
    });
    type Packer = fn(&[u8]) -> Vec<u8>;
    let packers: [(&str, Packer); 4] = [("gz", gzip), ("zst", zstd), ("bz2", bzip2), ("lz4", lz4)];
    for (extension, pack) in packers {
        let parts = text.as_bytes().chunks(1500).map(pack).collect::<Vec<_>>();
        add(
            &format!("x.txt.{extension}"),
            parts.concat(),
            Some("text"),
            4,
        );
        let messages = members(&mail, b"From ", pack);
        add(&format!("x.mbox.{extension}"), messages, Some("mbox"), 10);
        let records = members(&crawl, b"WARC/1.0\r\nWARC-Type", pack);
        add(&format!("x.warc.{extension}"), records, None, 0);
    }
    add("x.warc.gz", gzip(&crawl), None, 0);
    add(
        "x.tar.zst",
        zstd(&tar(&[
            Member::new("a.html", "<a href=b>"),
            Member::new("c.txt", text.as_str()),
        ])),
        None,
        0,
    );
    let wacz = [
        Member::new(
            "archive/a.warc.gz",
            members(&crawl, b"WARC/1.0\r\nWARC-Type", gzip),
        ),
        Member::new(
            "indexes/index.cdxj",
            "com,example)/ 20200101000000 {\"url\": \"http://example.com/\"}\n",
        ),
        Member::new("pages/pages.jsonl", "{\"url\": \"http://example.com/\"}\n"),
        Member::new("datapackage.json", "{\"url\": \"http://example.com/\"}\n"),
    ];
    add("x.zip", zip(&wacz), None, 0);
    add(
        "x.zip",
        zip(&[
            Member::new("a/b.zip", zip(&wacz)),
            Member::new("c.html", "<a href=d>"),
        ]),
        None,
        0,
    );
    seeds
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
    }
}

/// Changes one place, or a few.
fn mutate(seed: &Seed, number: usize) -> Vec<u8> {
    let start = seed
        .name
        .bytes()
        .fold(seed.bytes.len() as u64 + 1, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        });
    let mut random = Random(start.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (number as u64 + 1));
    let mut bytes = seed.bytes.clone();
    for _ in 0..8 {
        random.below(1);
    }
    for _ in 0..=random.below(3) {
        let kept = seed.kept.min(bytes.len());
        let at = kept + random.below(bytes.len() - kept);
        let most = (bytes.len() - at).min(1 + random.below(400));
        match random.below(8) {
            0 => bytes.truncate(at),
            1 | 2 => {
                let n = 1 + random.below(16);
                let new: Vec<u8> = (0..n).map(|_| random.below(256) as u8).collect();
                bytes.splice(at..at, new);
            }
            3 => drop(bytes.drain(at..at + most)),
            4 => {
                let copy = bytes[at..at + most].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    bytes
}

/// The ways in which bytes arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Name,
    OtherName,
    Pipe,
    Zip,
    Tar,
}

/// What a run found.
#[derive(Debug, PartialEq)]
struct Found {
    links: Vec<Map<String, Value>>,
    codes: BTreeMap<String, u64>,
    exit: u8,
}

/// Names of what was read, as one way of arriving has them.
struct Names {
    /// The document's name, without the directory.
    file: String,
    /// In front of the document's member names.
    member: String,
    /// The URI of its directory.
    directory: String,
}

const SERVED: &str = "http://example.com/served/";

/// Keeps of a record what does not depend on the way.
fn normalised(mut record: Map<String, Value>, names: &Names) -> Map<String, Value> {
    record.remove("path");
    // Spans in a member are of the member.
    record.remove("loc");
    if let Some(member) = record.get("member").and_then(Value::as_str) {
        let inner = member.strip_prefix(&names.member).unwrap_or(member);
        let inner = inner.strip_prefix('!').unwrap_or(inner);
        let member = if inner.is_empty() {
            Value::Null
        } else {
            inner.into()
        };
        record.insert("member".to_owned(), member);
    }
    // A `..` stops at the root of an archive.
    let reference = record
        .get("reference")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let leaves =
        reference.contains("..") || reference.starts_with('/') || reference.starts_with('\\');
    let base = record.get("base").and_then(Value::as_str);
    if leaves && base.is_some_and(|base| base.starts_with(SERVED)) {
        record.remove("target");
        record.remove("flags");
    }
    let document = format!("{}{}", names.directory, names.file);
    for value in record.values_mut() {
        if let Some(text) = value.as_str() {
            let text = text
                .replace(&document, "document:")
                .replace(&names.directory, "directory:");
            *value = text.into();
        }
    }
    record
}

fn found(output: &[u8], names: &Names, exit: u8) -> Found {
    let mut found = Found {
        links: Vec::new(),
        codes: BTreeMap::new(),
        exit,
    };
    for line in output
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let Value::Object(record) = serde_json::from_slice(line).unwrap() else {
            panic!("a record is an object");
        };
        match record["type"].as_str() {
            Some("link") => found.links.push(normalised(record, names)),
            Some("diagnostic") => {
                let code = record["code"].as_str().unwrap().to_owned();
                *found.codes.entry(code).or_default() += record["count"].as_u64().unwrap();
            }
            _ => {}
        }
    }
    found
}

fn run(path: &Path, directory: &Path, names: &Names, format: Option<&str>) -> Found {
    let mut options = PipelineOptions {
        output: Output::named("jsonl").unwrap(),
        formats: format
            .into_iter()
            .map(|name| Format::named(name).unwrap())
            .collect(),
        verbosity: Verbosity {
            summary: true,
            ..Verbosity::default()
        },
        types: Vec::<NamedType>::new(),
        ..PipelineOptions::default()
    };
    let served = directory.as_os_str().as_encoded_bytes();
    options.bases.mounts.add(served, SERVED.as_bytes());
    let roots = [Ok(Root::Path(path.into()))];
    let walk = Walk::new(roots.into_iter(), Default::default());
    let mut output = Vec::new();
    let outcome = pipeline::run::run(&options, walk, (&mut output, None));
    let exit = match outcome.summary {
        ref summary if summary.errors + summary.damaged > 0 => 2,
        ref summary => u8::from(summary.references == 0),
    };
    found(&output, names, exit)
}

/// Reads a document that arrives in one way.
fn read(seed: &Seed, bytes: &[u8], way: Way, directory: &Path) -> Found {
    let write = |name: &str, bytes: &[u8]| {
        let path: PathBuf = directory.join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let member = || [Member::new(&seed.name, bytes)];
    let in_archive = |archive: &str, bytes: Vec<u8>| {
        let names = Names {
            file: seed.name.clone(),
            member: seed.name.clone(),
            directory: format!("{SERVED}{archive}!/"),
        };
        run(&write(archive, &bytes), directory, &names, None)
    };
    let plain = |file: &str| Names {
        file: file.to_owned(),
        member: String::new(),
        directory: SERVED.to_owned(),
    };
    match way {
        Way::Name => run(
            &write(&seed.name, bytes),
            directory,
            &plain(&seed.name),
            None,
        ),
        Way::OtherName => run(
            &write("y.other", bytes),
            directory,
            &plain("y.other"),
            seed.format,
        ),
        Way::Zip => in_archive("outer.zip", zip(&member())),
        Way::Tar => in_archive("outer.tar", tar(&member())),
        Way::Pipe => thread::scope(|scope| {
            let (input, mut end) = io::pipe().unwrap();
            let path = directory.join("z.other");
            let _ = fs::remove_file(&path);
            symlink(format!("/dev/fd/{}", input.as_raw_fd()), &path).unwrap();
            scope.spawn(move || {
                // A run that has read enough closes the pipe.
                let _ = end.write_all(bytes);
            });
            let found = run(&path, directory, &plain("z.other"), seed.format);
            drop(input);
            found
        }),
    }
}

/// Reads a document from the command's standard input.
fn read_from_standard_input(seed: &Seed, bytes: &[u8]) -> Found {
    let mut command = Command::new(env!("CARGO_BIN_EXE_uriscan"));
    command.args(["--json", "--threads", "1", "--base", SERVED]);
    if let Some(format) = seed.format {
        command.args(["-t", format]);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        scope.spawn(move || drop(input.write_all(bytes)));
        child.wait_with_output().unwrap()
    });
    let names = Names {
        file: String::new(),
        member: String::new(),
        directory: SERVED.to_owned(),
    };
    let exit = output.status.code().unwrap() as u8;
    found(&output.stdout, &names, exit)
}

/// Returns how the readings of a changed document differ; empty if they do not.
fn differences(seed: &Seed, bytes: &[u8], number: usize, directory: &Path) -> String {
    let mut told = String::new();
    let named = read(seed, bytes, Way::Name, directory);
    for way in [Way::OtherName, Way::Pipe, Way::Zip, Way::Tar] {
        if way == Way::Pipe && seed.needs_end {
            continue;
        }
        let other = read(seed, bytes, way, directory);
        if other == named {
            continue;
        }
        let _ = writeln!(
            told,
            "{} {number} by {way:?}: {} links for {}, exit code {} for {}, {:?} for {:?}",
            seed.name,
            other.links.len(),
            named.links.len(),
            other.exit,
            named.exit,
            other.codes,
            named.codes,
        );
        let pairs = other.links.iter().zip(&named.links);
        for (other, named) in pairs.filter(|(other, named)| other != named).take(1) {
            for (key, value) in other
                .iter()
                .filter(|(key, value)| named.get(*key) != Some(value))
            {
                let expected = named.get(key);
                let _ = writeln!(
                    told,
                    "  {}: {key} {value} for {expected:?}",
                    other["reference"]
                );
            }
        }
    }
    if number.is_multiple_of(10) && !seed.needs_end {
        let other = read_from_standard_input(seed, bytes);
        let raw = |found: &Found| {
            found
                .links
                .iter()
                .map(|link| link["reference"].clone())
                .collect::<Vec<_>>()
        };
        if raw(&other) != raw(&named) || (&other.codes, other.exit) != (&named.codes, named.exit) {
            let _ = writeln!(
                told,
                "{} {number} from standard input: {:?} for {:?}",
                seed.name, other.codes, named.codes
            );
        }
    }
    told
}

#[test]
fn changed_documents_give_the_same_links_diagnostics_and_exit_code_by_all_inputs() {
    let count =
        std::env::var("URISCAN_MUTATIONS").map_or(MUTATIONS, |count| count.parse().unwrap());
    let only = std::env::var("URISCAN_MUTATED").unwrap_or_default();
    let seeds: Vec<Seed> = seeds()
        .into_iter()
        .filter(|seed| seed.name.contains(&only))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let directory = tempfile::tempdir().unwrap();
        let mut told = String::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(seed) = seeds.get(index) else {
                return told;
            };
            for number in 0..count {
                let bytes = mutate(seed, number);
                if let Ok(wanted) = std::env::var("URISCAN_KEEP") {
                    fs::write(format!("{wanted}/{index}-{number}-{}", seed.name), &bytes).unwrap();
                }
                told += &differences(seed, &bytes, number, directory.path());
            }
        }
    };
    let told = thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        let told = workers.into_iter().map(|worker| worker.join().unwrap());
        told.collect::<String>()
    });
    assert!(told.is_empty(), "{told}");
}
