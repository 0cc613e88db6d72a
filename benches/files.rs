//! Trees of files through the whole pipeline, from the walk to the output, beside the least that it
//! takes: to walk and read them.

mod generate;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::KINDS;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, PipelineOptions, bases::Bases};

/// Texts are cut to this length.
const SHORT: usize = 8 << 10;
const SIZE: usize = 16 << 20;

/// A tree of short files, or of one long one.
struct Shape {
    name: &'static str,
    kind: &'static str,
    length: usize,
}

#[rustfmt::skip]
const SHAPES: [Shape; 3] = [
    Shape { name: "short texts", kind: "source", length: SHORT },
    Shape { name: "pages", kind: "reference", length: usize::MAX },
    Shape { name: "one long text", kind: "log", length: usize::MAX },
];

/// Writes the files, and returns how many bytes there are.
fn write(shape: &Shape, directory: &Path) -> io::Result<u64> {
    let kind = KINDS.iter().find(|kind| kind.name == shape.kind);
    let kind = kind.expect("the kind is known");
    let input = (kind.make)(2396, SIZE);
    let mut bytes = 0;
    let documents = input.documents.iter();
    let files = documents.flat_map(|document| document.chunks(shape.length.min(document.len())));
    for (number, file) in files.enumerate() {
        let folder = directory.join((number / 64).to_string());
        fs::create_dir_all(&folder)?;
        let extension = if kind.format == "html" { "html" } else { "txt" };
        fs::write(folder.join(format!("{number}.{extension}")), file)?;
        bytes += file.len() as u64;
    }
    Ok(bytes)
}

/// Reads all files below a directory into one buffer; returns how many bytes there are.
fn read(directory: &Path, buffer: &mut Vec<u8>) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => read(&entry.path(), buffer)?,
            false => {
                buffer.clear();
                File::open(entry.path())?.read_to_end(buffer)? as u64
            }
        };
    }
    Ok(bytes)
}

fn run(directory: &Path, threads: usize) -> pipeline::run::RunOutcome {
    let options = PipelineOptions {
        threads,
        bases: Bases::here(),
        ..PipelineOptions::default()
    };
    let roots = [Ok(Root::Path(directory.to_owned()))];
    let walk = Walk::new(roots.into_iter(), Default::default());
    pipeline::run::run(&options, walk, (io::sink(), None))
}

fn files(criterion: &mut Criterion) {
    for shape in SHAPES {
        let directory = tempfile::tempdir().expect("a directory");
        let length = write(&shape, directory.path()).expect("files are written");
        let expected = run(directory.path(), 1).summary;
        assert!(expected.bytes == length && expected.references > 100);
        let mut group = criterion.benchmark_group(format!("files: {}", shape.name));
        group.throughput(Throughput::Bytes(length));
        let mut buffer = Vec::new();
        group.bench_function("limit: walk and read", |bencher| {
            bencher.iter(|| {
                let bytes = read(directory.path(), &mut buffer).expect("it is read");
                assert_eq!(bytes, length);
            });
        });
        for threads in [1, 2] {
            group.bench_function(format!("{threads} threads"), |bencher| {
                bencher.iter(|| assert_eq!(run(directory.path(), threads).summary, expected));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, files);
criterion_main!(benches);
