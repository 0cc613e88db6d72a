//! Archives: every reading of the same bytes is the same, ends, and gives no more than its size allows.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use uriscan::archive::{ArchiveFormat, ArchiveOptions, ArchiveSource};
use uriscan::document::Format;
use uriscan::output::Output;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, PipelineOptions};

use super::Input;

/// What a container gives: the names of members, lengths of contents, and codes of damage.
#[derive(Debug, PartialEq, Eq)]
struct Reading {
    members: Vec<(Vec<u8>, u64)>,
    codes: Vec<&'static str>,
}

/// Reads a container with a buffer of so many bytes.
fn read(format: &ArchiveFormat, source: ArchiveSource, step: usize) -> Reading {
    let options = ArchiveOptions {
        reads_metadata: true,
        ..ArchiveOptions::default()
    };
    let mut container = format.open(source, &options);
    let mut reading = Reading {
        members: Vec::new(),
        codes: Vec::new(),
    };
    let mut buffer = vec![0; step];
    loop {
        let member = container.next().expect("memory can be read");
        let Some(member) = member else { break };
        let mut length = 0;
        loop {
            let n = container.read(&mut buffer).expect("memory can be read");
            if n == 0 {
                break;
            }
            length += n as u64;
        }
        reading.members.push((member.name, length));
        let faults = container.faults().into_iter();
        reading.codes.extend(faults.map(|fault| fault.code.name));
    }
    let faults = container.faults().into_iter();
    reading.codes.extend(faults.map(|fault| fault.code.name));
    reading
}

/// The records of a file, read by so many threads in pieces of one byte and more.
fn output(path: &Path, threads: usize) -> String {
    let options = PipelineOptions {
        output: Output::named("jsonl").expect("it is one"),
        threads,
        piece_size: 1,
        ..PipelineOptions::default()
    };
    let walk = Walk::new(
        [Ok(Root::Path(path.into()))].into_iter(),
        Default::default(),
    );
    let mut output = Vec::new();
    pipeline::run::run(&options, walk, (&mut output, None));
    String::from_utf8(output).expect("records are UTF-8")
}

/// A web archive with a gzip member for each record, and a few bytes changed in them.
fn pack(bytes: &[u8], changed: &[usize]) -> Vec<u8> {
    let mut packed = Vec::new();
    let starts = memchr::memmem::find_iter(bytes, b"\nWARC/").map(|at| at + 1);
    let mut from = 0;
    for end in starts.chain([bytes.len()]) {
        let mut encoder = GzEncoder::new(&mut packed, Compression::fast());
        let written = encoder.write_all(&bytes[from..end]);
        written
            .and_then(|()| encoder.finish().map(drop))
            .expect("a vector takes all");
        from = end;
    }
    for &at in changed {
        let at = at % packed.len();
        packed[at] ^= 0x55;
    }
    packed
}

/// Checks that the pieces of a file give what the whole gives.
fn check_pieces(name: &str, bytes: &[u8]) {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let path = directory.path().join(name);
    fs::write(&path, bytes).expect("a file can be written");
    assert_eq!(output(&path, 1), output(&path, 2), "{name}");
}

pub(super) fn check(mut input: Input<'_>) {
    let step = 1 + input.below(512);
    let has_pieces = input.below(4) == 0;
    let changed = (0..input.below(4)).map(|_| input.below(256) * 256 + input.below(256));
    let changed: Vec<usize> = changed.collect();
    let bytes = input.document().to_vec();
    // Half of the time what it is named as decides.
    let packages = ["epub", "ooxml", "odf"].map(Format::named);
    let named = packages.into_iter().chain([None; 3]).nth(input.below(6));
    let Some(format) = ArchiveFormat::of_file(&bytes, || named.flatten()) else {
        return;
    };
    let stream = || ArchiveSource::Pipe(Box::new(Cursor::new(bytes.clone())));
    let file = || ArchiveSource::File(Arc::new(bytes.clone()));
    if has_pieces && bytes.starts_with(b"WARC/") {
        check_pieces("x.warc", &bytes);
        check_pieces("x.warc.gz", &pack(&bytes, &changed));
    } else if has_pieces && ["zip", "tar"].contains(&format.name) {
        check_pieces("x", &bytes);
    }
    let streamed = read(format, stream(), step);
    assert_eq!(streamed, read(format, stream(), 64 << 10));
    let length: u64 = streamed.members.iter().map(|(_, length)| length).sum();
    assert!(length <= (64 << 20) + 1000 * bytes.len() as u64);
    let filed = read(format, file(), step);
    assert_eq!(filed, read(format, file(), 64 << 10));
    // Only a zip has another order, and other members, in its directory.
    if !["zip", "epub", "ooxml", "odf"].contains(&format.name) {
        assert_eq!(streamed, filed);
    }
}
