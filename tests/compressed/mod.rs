//! Compressed documents as a library reads them: damage, limits, and what checksums tell.

// Members that other threads decompress before they are asked for.
mod ahead;
// Changed bytes, which checksums, lengths and magics reveal.
mod damage;
// Members, headers and windows at their limits.
mod limits;

use std::io::{Cursor, Read, Write};
use std::path::Path;

use uriscan::decode::compression::{Codec, Decompressed};
use uriscan::document::diagnostic::Code;

/// Reads a compressed document in steps of `step` bytes; returns its content and the code of its error.
fn read_in_steps(stored: &[u8], step: usize) -> (Vec<u8>, Option<&'static str>) {
    read_document(document(stored), step)
}

fn document(stored: &[u8]) -> Decompressed {
    let codec = Codec::of(stored).expect("it is compressed");
    Decompressed::new(codec, Box::new(Cursor::new(stored.to_vec())))
}

fn read_document(mut document: Decompressed, step: usize) -> (Vec<u8>, Option<&'static str>) {
    let mut content = Vec::new();
    let mut into = vec![0; step];
    loop {
        match document.read(&mut into).expect("memory can be read") {
            0 => break,
            n => content.extend_from_slice(&into[..n]),
        }
    }
    let error = document.error();
    (content, error.map(|error| <&Code>::from(error.fault).name))
}

/// The same in one step size that users have.
fn read(stored: &[u8]) -> (Vec<u8>, Option<&'static str>) {
    read_in_steps(stored, 64 << 10)
}

/// The lines that `made/` holds, as `gzip`, `bzip2`, `xz`, `zstd` and `lz4` have written them.
fn lines() -> Vec<u8> {
    let line = |n: u32| format!("see http://example.com/{}/{n}\n", n * n % 997);
    (0..200).map(line).collect::<String>().into_bytes()
}

fn made(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compressed/made");
    std::fs::read(folder.join(name)).unwrap()
}

/// Files with a checksum of their content.
const CHECKED: [&str; 8] = [
    "lines.gz",
    "lines.bz2",
    "lines.xz",
    "blocks.xz",
    "x86.xz",
    "lines.zst",
    "fast.zst",
    "lines.lz4",
];

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn lz4(content: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(content: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    compress_to_vec(content, CompressionLevel::Fastest)
}

/// An xz stream with CRC-32 of chunks that are stored as they are, and a dictionary of the size that
/// the byte stands for.
pub(crate) fn xz(content: &[u8], dictionary: u8) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        crc.sum().to_le_bytes()
    };
    let mut stream = b"\xfd7zXZ\0\0\x01".to_vec();
    stream.extend(crc(b"\0\x01"));
    let header = [2, 0, 0x21, 1, dictionary, 0, 0, 0];
    let block = stream.len();
    stream.extend(header);
    stream.extend(crc(&header));
    for (n, chunk) in content.chunks(1 << 16).enumerate() {
        stream.push(if n == 0 { 1 } else { 2 });
        stream.extend((chunk.len() as u16).wrapping_sub(1).to_be_bytes());
        stream.extend(chunk);
    }
    stream.push(0);
    let unpadded = stream.len() - block + 4;
    stream.resize(stream.len().next_multiple_of(4), 0);
    stream.extend(crc(content));
    let mut index = vec![0, 1];
    for mut number in [unpadded, content.len()] {
        while number >= 0x80 {
            index.push(number as u8 | 0x80);
            number >>= 7;
        }
        index.push(number as u8);
    }
    index.resize(index.len().next_multiple_of(4), 0);
    let backward = (index.len() / 4) as u32;
    stream.extend(&index);
    stream.extend(crc(&index));
    let footer = [&backward.to_le_bytes()[..], &[0, 1]].concat();
    stream.extend(crc(&footer));
    stream.extend(footer);
    stream.extend(b"YZ");
    stream
}

/// The byte of a dictionary of 64 KiB.
const SMALL: u8 = 8;

#[test]
fn files_written_by_the_tools_are_read() {
    let made = CHECKED.map(made);
    let own = [
        gzip(&lines()),
        bzip2(&lines()),
        zstd(&lines()),
        xz(&lines(), SMALL),
    ];
    for stored in made
        .iter()
        .chain(&own)
        .chain([&self::made("unchecked.zst")])
    {
        for step in [1, 7, 1000, 64 << 10] {
            assert_eq!(read_in_steps(stored, step), (lines(), None), "{step}");
        }
    }
}
