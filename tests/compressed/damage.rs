use flate2::{Compression, write::GzEncoder};

use super::*;

/// Something that neither compresses nor repeats.
fn noise(length: usize) -> Vec<u8> {
    let mut seed = 7_u64;
    let next = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 56) as u8
    };
    (0..length).map(next).collect()
}

/// So many lines, each with a number that does not compress.
fn numbers(count: u64) -> Vec<u8> {
    let line = |n: u64| {
        let number = n.wrapping_mul(6_364_136_223_846_793_005);
        format!("http://example.com/{number}\n")
    };
    (0..count).map(line).collect::<String>().into_bytes()
}

/// Checks that all of `kept` is read, and at most what follows it of `whole`.
#[track_caller]
fn expect_kept(stored: &[u8], kept: &[u8], trouble: &str) {
    for step in [1, 100, 8 << 10, 1 << 20] {
        let (content, told) = read_in_steps(stored, step);
        assert_eq!(told, Some(trouble), "in steps of {step}");
        assert!(
            content.starts_with(kept),
            "{} of {} in steps of {step}",
            content.len(),
            kept.len()
        );
    }
}

#[test]
fn gzip_links_before_garbage_after_a_flush_are_kept() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let kept = numbers(300);
    encoder.write_all(&kept).unwrap();
    encoder.flush().unwrap();
    let flushed = encoder.get_ref().clone();
    for garbage in [&[0xFF; 100][..], &[0xA5; 100], &[6; 100], &noise(300)] {
        expect_kept(&[&flushed, garbage].concat(), &kept, "compress.corrupt");
    }
    expect_kept(&flushed, &kept, "compress.truncated");
}

#[test]
fn content_before_a_wrong_checksum_or_length_is_kept_in_gzip() {
    let whole = gzip(&lines());
    for at in whole.len() - 8..whole.len() {
        let mut stored = whole.clone();
        stored[at] ^= 1;
        expect_kept(&stored, &lines(), "compress.corrupt");
    }
}

#[test]
fn the_window_is_handed_over_when_a_zstd_frame_is_damaged() {
    // Blocks of 128 KiB: what the last of them repeats is in the window.
    let content = numbers(20_000);
    let whole = zstd(&content);
    let mut blocks = Vec::new();
    let mut at = whole.len() - 4;
    // The frame header is followed by blocks up to the checksum.
    let mut block = 4 + header_length(&whole);
    while block < at {
        blocks.push(block);
        let header = u32::from_le_bytes([whole[block], whole[block + 1], whole[block + 2], 0]);
        let size = if header >> 1 & 3 == 1 { 1 } else { header >> 3 };
        block += 3 + size as usize;
    }
    assert!(blocks.len() > 3, "{blocks:?}");
    for (n, block) in blocks.into_iter().enumerate().skip(1) {
        at = (n * (128 << 10)).min(content.len());
        let kept = &content[..at];
        // A block of the reserved type, and a file that ends in a block or in its header.
        let mut damaged = whole.clone();
        damaged[block] |= 6;
        expect_kept(&damaged, kept, "compress.corrupt");
        expect_kept(&whole[..block], kept, "compress.truncated");
        expect_kept(&whole[..block + 2], kept, "compress.truncated");
        expect_kept(&whole[..block + 10], kept, "compress.truncated");
    }
    for cut in 1..=4 {
        expect_kept(&whole[..whole.len() - cut], &content, "compress.truncated");
    }
}

/// The length of a zstd frame header behind its magic.
fn header_length(frame: &[u8]) -> usize {
    let descriptor = frame[4];
    let single = descriptor & 0x20 != 0;
    let size = match descriptor >> 6 {
        0 => usize::from(single),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    1 + usize::from(!single) + [0, 1, 2, 4][usize::from(descriptor & 3)] + size
}

#[test]
fn raw_zstd_block_is_read_up_to_the_cut() {
    let content = noise(70_000);
    // A window of 128 KiB, and a last block that is raw.
    let header = (content.len() as u32) << 3 | 1;
    let frame = [
        b"\x28\xb5\x2f\xfd\0\x38",
        &header.to_le_bytes()[..3],
        &content,
    ]
    .concat();
    assert_eq!(read(&frame), (content.clone(), None));
    for cut in [10, 11, 1000, 69_999, 70_008] {
        let (got, told) = read(&frame[..cut]);
        assert_eq!(got, content[..cut - 9]);
        assert_eq!(told, Some("compress.truncated"));
    }
}

#[test]
fn blocks_before_damage_are_kept_in_bzip2() {
    // Blocks of 100 KB before a run length coding that changes little here.
    let content = numbers(20_000);
    let whole = bzip2(&content);
    let cut = read(&whole[..whole.len() / 2]);
    assert_eq!(cut.1, Some("compress.truncated"));
    assert!(cut.0.len() > 200_000 && content.starts_with(&cut.0));
    let mut damaged = whole.clone();
    let middle = whole.len() / 2;
    damaged[middle..].fill(0xA5);
    expect_kept(&damaged, &cut.0, "compress.corrupt");
    // The end of the last block and garbage in one read.
    let end = whole.len() - 10;
    let (kept, _) = read(&whole[..end]);
    expect_kept(
        &[&whole[..end], &[0xA5; 100]].concat(),
        &kept,
        "compress.corrupt",
    );
}

#[test]
fn chunks_before_damage_are_kept_in_xz() {
    let content = numbers(10_000);
    let whole = xz(&content, SMALL);
    // Headers of chunks stand behind those of the stream and the block.
    let second = 12 + 12 + 3 + (1 << 16);
    let mut damaged = whole.clone();
    damaged[second] = 0x55;
    expect_kept(&damaged, &content[..1 << 16], "compress.corrupt");
    expect_kept(&whole[..second], &content[..1 << 16], "compress.truncated");
    expect_kept(
        &whole[..second + 503],
        &content[..(1 << 16) + 500],
        "compress.truncated",
    );
    // A stream that LZMA has compressed: all that the bytes before a cut say.
    let made = made("lines.xz");
    let mut longest = 0;
    for cut in 200..made.len() {
        let (got, told) = read(&made[..cut]);
        assert_eq!(told, Some("compress.truncated"), "{cut}");
        assert!(got.len() >= longest && lines().starts_with(&got), "{cut}");
        longest = got.len();
    }
    assert_eq!(longest, lines().len());
    let (half, _) = read(&made[..400]);
    assert!(half.len() > 2000, "{}", half.len());
}

#[test]
fn file_cut_at_any_byte_is_truncated_and_keeps_earlier_links() {
    for name in CHECKED {
        let whole = made(name);
        // The fewest bytes that no text begins with.
        let least = match name {
            "lines.gz" => 3,
            "lines.bz2" => 4,
            _ => 6,
        };
        for cut in least..whole.len() {
            let (got, told) = read_in_steps(&whole[..cut], 1000);
            assert_eq!(told, Some("compress.truncated"), "{name} cut at {cut}");
            assert!(lines().starts_with(&got), "{name} cut at {cut}");
        }
    }
}

#[test]
fn file_cut_at_any_byte_of_its_second_member_is_reported() {
    for name in CHECKED {
        let first = made(name);
        let both = first.repeat(2);
        assert_eq!(read(&both), (lines().repeat(2), None), "{name}");
        for cut in first.len() + 1..both.len() {
            let (got, told) = read_in_steps(&both[..cut], 1000);
            assert_eq!(told, Some("compress.truncated"), "{name} cut at {cut}");
            assert!(got.starts_with(&lines()), "{name} cut at {cut}");
        }
    }
}

#[test]
fn links_before_damage_are_the_same_for_any_read_size() {
    for name in CHECKED {
        let whole = made(name);
        for at in (16..whole.len()).step_by(9) {
            let mut stored = whole.clone();
            stored[at] ^= 0x55;
            let large = read(&stored);
            for step in [1, 100] {
                let same = read_in_steps(&stored, step) == large;
                assert!(same, "{name} changed at {at}, in steps of {step}");
            }
        }
    }
}

/// Flips one bit after the other, and checks that each is reported or changes nothing.
fn flip_every_bit(name: &str, expected: &[u8], stored: &[u8]) -> usize {
    let mut told_of = 0;
    for bit in 0..stored.len() * 8 {
        let mut flipped = stored.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        // Without its magic it is no longer taken for something compressed.
        if Codec::of(&flipped).is_none() {
            told_of += 1;
            continue;
        }
        match read(&flipped) {
            (_, Some(_)) => told_of += 1,
            (got, None) => assert_eq!(got, expected, "{name}, bit {bit}"),
        }
    }
    told_of
}

#[test]
fn no_flipped_bit_is_silent_where_there_is_a_checksum() {
    for name in CHECKED {
        let stored = made(name);
        let bits = stored.len() * 8;
        let told_of = flip_every_bit(name, &lines(), &stored);
        // The fields of headers that nothing depends on: time, system, unused bits, window size.
        assert!(told_of >= bits - 72, "{name}: {told_of} of {bits}");
    }
}

#[test]
fn wrong_zstd_checksum_is_reported() {
    let whole = made("lines.zst");
    for at in whole.len() - 4..whole.len() {
        let mut stored = whole.clone();
        stored[at] ^= 0x10;
        expect_kept(&stored, &lines(), "compress.corrupt");
    }
}

#[test]
fn wrong_zstd_content_size_is_reported() {
    // One segment of 3 bytes that says it has 4, and of 4 that says it has 3.
    for (size, content) in [(4, b"abc".as_slice()), (3, b"abcd")] {
        let header = (content.len() as u32) << 3 | 1;
        let header = &header.to_le_bytes()[..3];
        let frame = [b"\x28\xb5\x2f\xfd\x20", &[size][..], header, content].concat();
        let (_, told) = read(&frame);
        assert_eq!(told, Some("compress.corrupt"), "{size}");
    }
}

#[test]
fn trailing_garbage_is_reported_for_every_codec() {
    for name in CHECKED {
        for garbage in [&b"garbage"[..], b"\x1f\x8b", b"\x28\xb5", b"x", &[0; 3]] {
            let (got, told) = read(&[&made(name), garbage].concat());
            let told = told.unwrap_or_default();
            assert_eq!(got, lines(), "{name}");
            let expected = match (name, garbage) {
                ("lines.gz", [0, ..]) => "gzip.trailing-garbage",
                ("lines.gz", b"\x1f\x8b") | ("lines.zst" | "fast.zst", b"\x28\xb5") => {
                    "compress.truncated"
                }
                _ => "compress.corrupt",
            };
            assert_eq!(told, expected, "{name}: {garbage:?}");
        }
    }
}
