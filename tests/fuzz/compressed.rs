//! Any bytes as compressed data, and compressed data with damage: nothing panics, output and its
//! errors do not depend on how much is read at a time, and what stands before damage is kept.

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use uriscan::decode::compression::{Codec, Decompressed};
use uriscan::document::diagnostic::Code;

use super::Input;

/// Output beyond this is not read, for time.
const MOST: u64 = 1 << 20;

pub(super) fn check(mut input: Input<'_>) {
    let step = 1 + input.below(200);
    match input.below(4) {
        0 => differ(input, gzip, step),
        1 => differ(input, zstd, step),
        _ => decompress(input, step),
    }
}

/// What is read of compressed data, and the code of its error.
type Content = (Vec<u8>, Option<&'static str>);

/// Reads on one thread, and with others that decompress ahead, which change nothing.
fn read(stored: &[u8], step: usize) -> Option<Content> {
    let codec = Codec::of(stored)?;
    let document = || Decompressed::new(codec, Box::new(Cursor::new(stored.to_vec())));
    let ahead = document().ahead(Arc::new(stored.to_vec()), 2, 1 + step);
    let alone = read_document(document(), stored, step);
    assert!(read_document(ahead, stored, step) == alone);
    Some(alone)
}

fn read_document(mut document: Decompressed, stored: &[u8], step: usize) -> Content {
    let mut content = Vec::new();
    let mut into = vec![0; step];
    while (content.len() as u64) < MOST {
        let n = document.read(&mut into).expect("memory can be read");
        content.extend_from_slice(&into[..n]);
        if n == 0 {
            break;
        }
    }
    assert!(document.input() <= stored.len() as u64);
    let error = document.error();
    (content, error.map(|error| <&Code>::from(error.fault).name))
}

/// Any bytes, behind the magic of a codec at times.
fn decompress(mut input: Input<'_>, step: usize) {
    let magic: &[u8] = input.pick(&[
        &b""[..],
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"BZh91AY&SY",
        b"\xfd7zXZ\0",
        b"\x04\x22\x4d\x18\x40\x40\xc0",
        b"#! cunbatch\n\x1f\x9d\x90",
    ]);
    let stored = [magic, input.document()].concat();
    let Some((small, told)) = read(&stored, step) else {
        return;
    };
    let Some((large, told_at_once)) = read(&stored, 64 << 10) else {
        return;
    };
    let both = small.len().min(large.len());
    assert!(small[..both] == large[..both]);
    if (both as u64) < MOST {
        assert_eq!((small.len(), told), (large.len(), told_at_once));
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::new((content.len() % 10) as u32);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(content).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

fn zstd(content: &[u8]) -> Vec<u8> {
    compress_to_vec(content, CompressionLevel::Fastest)
}

/// Content that is compressed, read back as it is, cut short, and with one byte changed.
fn differ(mut input: Input<'_>, compress: fn(&[u8]) -> Vec<u8>, step: usize) {
    let at = input.below(256) << 8 | input.below(256);
    let change = 1 + input.below(255) as u8;
    let content = input.document();
    let stored = compress(content);
    let whole = (content.to_vec(), None);
    assert_eq!(read(&stored, step), Some(whole), "as it is");

    let at = at % stored.len();
    let Some((kept, told)) = read(&stored[..at], step) else {
        return;
    };
    assert!(content.starts_with(&kept), "cut at {at}");
    assert_eq!(told, Some("compress.truncated"), "cut at {at}");

    let mut damaged = stored;
    damaged[at] ^= change;
    let Some((got, told)) = read(&damaged, step) else {
        return;
    };
    assert!(got.starts_with(&kept), "changed at {at}");
    assert!(told.is_some() || got == content, "changed at {at}");
}
