//! Archives: every reading of the same bytes is the same, ends, and gives no more than its size allows.

use std::io::Cursor;

use uriscan::archive::{ArchiveFormat, ArchiveOptions, ArchiveSource};
use uriscan::document::Format;

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

pub(super) fn check(mut input: Input<'_>) {
    let step = 1 + input.below(512);
    let bytes = input.document().to_vec();
    // Half of the time what it is named as decides.
    let packages = ["epub", "ooxml", "odf"].map(Format::named);
    let named = packages.into_iter().chain([None; 3]).nth(input.below(6));
    let Some(format) = ArchiveFormat::of_file(&bytes, named.flatten()) else {
        return;
    };
    let stream = || ArchiveSource::Stream(Box::new(Cursor::new(bytes.clone())), None);
    let file = || ArchiveSource::File(Box::new(Cursor::new(bytes.clone())));
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
