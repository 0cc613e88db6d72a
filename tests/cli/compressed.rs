//! Compressed files: looked into where they are named, or everywhere with `-z`.

use std::io::Write;

use flate2::Compression;

use super::Tree;
use crate::compressed::{bzip2, gzip, lz4, zstd};

const TEXT: &[u8] = b"see http://example.com/1\n";
const OUT: &str = "http://example.com/1\n";

/// `printf 'see http://example.com/xz\n' | xz -9 --check=crc32`
const XZ: &[u8] = b"\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x1c\x00\x00\x00\x10\xcf\x58\xcc\x01\x00\x19\x73\x65\x65\x20\x68\x74\x74\x70\x3a\x2f\x2f\x65\x78\x61\x6d\x70\x6c\x65\x2e\x63\x6f\x6d\x2f\x78\x7a\x0a\x00\x00\x00\x70\x7b\xc2\x44\x00\x01\x2e\x1a\x7d\x45\xe3\xd6\x90\x42\x99\x0d\x01\x00\x00\x00\x00\x01\x59\x5a";

#[test]
fn every_codec_is_known_by_its_content() {
    let tree = Tree::new(&[]);
    let skippable = [&b"\x5a\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd(TEXT)].concat();
    for (bytes, out) in [
        (gzip(TEXT), OUT),
        (bzip2(TEXT), OUT),
        (zstd(TEXT), OUT),
        (lz4(TEXT), OUT),
        (skippable, OUT),
        (XZ.to_vec(), "http://example.com/xz\n"),
    ] {
        tree.write("any", &bytes);
        tree.run(&["any"]).is(0, out);
        tree.run(&[".", "-z"]).is(0, out);
        tree.run(&["."]).is(1, "");
        tree.run(&[".", "--stats=json"])
            .tells(1, "", "\"skipped_files\":1,");
        tree.pipe(&bytes, &[]).is(0, out);
    }
}

#[test]
fn members_follow_one_another() {
    let tree = Tree::new(&[]);
    let other = b"and http://example.com/2\n";
    let both = "http://example.com/1\nhttp://example.com/2\n";
    for (bytes, out) in [
        ([gzip(TEXT), gzip(other)].concat(), both),
        ([gzip(TEXT), vec![0; 512], gzip(other)].concat(), both),
        ([bzip2(TEXT), bzip2(other)].concat(), both),
        ([zstd(TEXT), zstd(other)].concat(), both),
        (
            [XZ, &[0; 4], XZ].concat(),
            "http://example.com/xz\nhttp://example.com/xz\n",
        ),
        (gzip(&bzip2(&zstd(TEXT))), OUT),
    ] {
        tree.write("any", &bytes);
        tree.run(&["any"]).is(0, out);
    }
}

#[test]
fn the_name_inside_decides_the_format() {
    let tree = Tree::new(&[]);
    tree.write("a.html.gz", &gzip(b"<p><a href=x>"));
    let base = ["--base", "http://example.com/"];
    tree.run(&[&["a.html.gz"], &base[..]].concat())
        .is(0, "http://example.com/x\n");
    tree.write("b", &gzip(b"<!doctype html><a href=x>"));
    tree.run(&[&["b"], &base[..]].concat())
        .is(0, "http://example.com/x\n");
    tree.write("c.gz", &gzip(b"<p><a href=x>"));
    tree.run(&[&["c.gz", "-t", "html"], &base[..]].concat())
        .is(0, "http://example.com/x\n");
    tree.write("d.gz", &gzip(b"\x89PNG\r\n\x1a\n"));
    tree.run(&["d.gz"]).tells(1, "", "not text but PNG");
}

#[test]
fn damaged_compressed_file_keeps_earlier_links_and_reports_damage() {
    let tree = Tree::new(&[]);
    // Digits of a generator do not compress, so that half of the bytes hold half of the lines.
    let mut seed = 7_u64;
    let lines: String = (0..20_000)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("http://example.com/{seed}\n")
        })
        .collect();
    for (name, whole) in [
        ("gzip", gzip(lines.as_bytes())),
        ("bzip2", bzip2(lines.as_bytes())),
        ("zstd", zstd(lines.as_bytes())),
    ] {
        let ran = |bytes: &[u8]| {
            tree.write("any", bytes);
            tree.run(&["any"])
        };
        let cut = ran(&whole[..whole.len() / 2]);
        assert_eq!(cut.code, 2, "{name}: {}", cut.err);
        assert!(
            cut.err.contains("compress.truncated"),
            "{name}: {}",
            cut.err
        );
        let kept = cut.out.lines().count();
        assert!(
            kept > 5000 && lines.starts_with(cut.out.rsplit_once("http").unwrap().0),
            "{name}: {kept}"
        );
        let mut damaged = whole.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 64].fill(0xA5);
        let damaged = ran(&damaged);
        assert_eq!(damaged.code, 2, "{name}: {}", damaged.err);
        assert!(
            damaged.err.contains("compress.corrupt"),
            "{name}: {}",
            damaged.err
        );
    }
    tree.write("any", &[&gzip(TEXT)[..], b"garbage"].concat());
    tree.run(&["any"]).tells(2, OUT, "compress.corrupt");
    tree.write("padded", &[&gzip(TEXT)[..], &[0; 600]].concat());
    tree.run(&["padded", "-v"])
        .tells(0, OUT, "gzip.trailing-garbage");
    tree.write("other", &[&bzip2(TEXT)[..], b"garbage"].concat());
    tree.run(&["other"]).tells(2, OUT, "compress.corrupt");
    let json = tree.run(&["padded", "--json", "--fields", "target"]);
    assert!(
        json.out.contains("\"code\":\"gzip.trailing-garbage\""),
        "{}",
        json.out
    );
}

#[test]
fn excessive_compression_ratio_stops_reading() {
    let tree = Tree::new(&[]);
    let megabyte = gzip(&vec![b'\n'; 1 << 20]);
    tree.write("bomb", &gzip(&megabyte.repeat(80)));
    tree.run(&["bomb"]).tells(2, "", "archive.ratio-limit");
    let mut deep = TEXT.to_vec();
    for _ in 0..5 {
        deep = gzip(&deep);
    }
    tree.write("deep", &deep);
    tree.run(&["deep"]).tells(2, "", "skipped");
    tree.run(&["deep"]).tells(2, "", "archive.depth-limit");
}

#[test]
fn links_before_garbage_after_a_flush_are_kept() {
    let tree = Tree::new(&[]);
    let lines: String = (0..10_000)
        .map(|n| format!("http://example.com/{n}\n"))
        .collect();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(lines.as_bytes()).unwrap();
    encoder.flush().unwrap();
    let flushed = encoder.get_ref().clone();
    tree.write("any", &[&flushed[..], &[0xFF; 64]].concat());
    tree.run(&["any"]).tells(2, &lines, "compress.corrupt");
}

#[test]
fn a_skippable_frame_that_claims_four_gigabytes_is_truncated() {
    let tree = Tree::new(&[]);
    let claims = b"\x50\x2a\x4d\x18\xff\xff\xff\xff";
    tree.write("any", claims);
    tree.run(&["any"]).tells(2, "", "compress.truncated");
    tree.run(&["-z", "."]).tells(2, "", "compress.truncated");
    // Even if the name has the extension of a format.
    tree.write("any.png.zst", claims);
    tree.run(&["any.png.zst"])
        .tells(2, "", "compress.truncated");
    tree.run(&["any.png.zst", "-t", "html", "-t", "eml"])
        .tells(2, "", "compress.truncated");
    tree.write("behind", &[&zstd(TEXT)[..], claims].concat());
    tree.run(&["behind"]).tells(2, OUT, "compress.truncated");
}

#[test]
fn a_window_above_the_limit_is_named_and_not_called_damage() {
    let tree = Tree::new(&[]);
    tree.write("any", b"\x28\xb5\x2f\xfd\0\xa0\x21\0\0http");
    let ran = tree.run(&["any"]);
    ran.tells(2, "", "compress.window-limit");
    assert!(ran.err.contains("128 MiB") && !ran.err.contains("damaged"));
}

#[test]
fn wrong_zstd_checksum_is_reported() {
    let tree = Tree::new(&[]);
    let mut stored = zstd(TEXT);
    *stored.last_mut().unwrap() ^= 1;
    tree.write("any", &stored);
    tree.run(&["any"]).tells(2, OUT, "compress.corrupt");
}
