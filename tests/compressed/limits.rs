use super::*;

/// A zstd frame with a window descriptor, and one raw block.
fn window(descriptor: u8) -> Vec<u8> {
    [
        b"\x28\xb5\x2f\xfd\0".as_slice(),
        &[descriptor],
        b"\x21\0\0http",
    ]
    .concat()
}

#[test]
fn a_window_above_the_limit_is_named() {
    // Exponents stand above three bits of mantissa: 128 MiB, the next larger, 2 GiB, the largest.
    assert_eq!(read(&window(17 << 3)), (b"http".to_vec(), None));
    for descriptor in [17 << 3 | 1, 21 << 3, 0xFF] {
        let expected = (Vec::new(), Some("compress.window-limit"));
        assert_eq!(read(&window(descriptor)), expected, "{descriptor:#x}");
    }
    // One segment of 2^40 bytes is a window of that size.
    let segment = b"\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0\x01\0\0";
    assert_eq!(read(segment).1, Some("compress.window-limit"));
}

#[test]
fn a_dictionary_above_the_limit_is_named() {
    // Sizes of 128 MiB, 192 MiB and 4 GiB.
    assert_eq!(read(&xz(b"http", 30)), (b"http".to_vec(), None));
    for size in [31, 40] {
        let expected = (Vec::new(), Some("compress.window-limit"));
        assert_eq!(read(&xz(b"http", size)), expected, "{size}");
    }
}

#[test]
fn oversized_window_still_reports_later_frames() {
    let both = [zstd(b"first "), window(0xFF)].concat();
    assert_eq!(
        read(&both),
        (b"first ".to_vec(), Some("compress.window-limit"))
    );
}

#[test]
fn dictionary_and_reserved_feature_are_unsupported() {
    let unsupported = (Vec::new(), Some("compress.unsupported"));
    // A dictionary with the number 7, and the reserved bit of the descriptor.
    assert_eq!(read(b"\x28\xb5\x2f\xfd\x01\x38\x07\x01\0\0"), unsupported);
    assert_eq!(read(b"\x28\xb5\x2f\xfd\x08\x38\x01\0\0"), unsupported);
    let mut member = gzip(b"http");
    member[3] |= 0x20;
    assert_eq!(read(&member), unsupported);
    // Two filters before LZMA2.
    assert_eq!(read(&made("filters.xz")), unsupported);
    // A check of a kind that is reserved.
    let mut stream = xz(b"http", SMALL);
    stream[7] = 2;
    let mut crc = flate2::Crc::new();
    crc.update(&stream[6..8]);
    stream[8..12].copy_from_slice(&crc.sum().to_le_bytes());
    assert_eq!(read(&stream), unsupported);
}

#[test]
fn a_skippable_frame_that_claims_more_than_there_is_is_truncated() {
    let claims = b"\x5a\x2a\x4d\x18\xff\xff\xff\xff and nothing of that";
    assert_eq!(read(claims), (Vec::new(), Some("compress.truncated")));
    let behind = [zstd(b"first "), claims.to_vec()].concat();
    assert_eq!(
        read(&behind),
        (b"first ".to_vec(), Some("compress.truncated"))
    );
    for cut in 4..8 {
        let cut = read(&claims[..cut]);
        assert_eq!(cut, (Vec::new(), Some("compress.truncated")));
    }
}

#[test]
fn empty_members_are_passed_over() {
    let empty_zstd = b"\x28\xb5\x2f\xfd\x20\0\x01\0\0".to_vec();
    let skippable = b"\x50\x2a\x4d\x18\0\0\0\0".to_vec();
    for (empty, full) in [
        (gzip(b""), gzip(b"http")),
        (bzip2(b""), bzip2(b"http")),
        (empty_zstd, zstd(b"http")),
        (skippable, zstd(b"http")),
        (xz(b"", SMALL), xz(b"http", SMALL)),
    ] {
        assert_eq!(read(&empty), (Vec::new(), None));
        let stored = [empty.repeat(1000), full.clone(), empty, full].concat();
        assert_eq!(read(&stored), (b"httphttp".to_vec(), None));
    }
}

#[test]
fn a_skippable_frame_before_one_of_lz4_is_of_lz4() {
    let stored = [b"\x50\x2a\x4d\x18\x02\0\0\0ab", &lz4(b"http")[..]].concat();
    assert_eq!(read(&stored), (b"http".to_vec(), None));
}

/// A gzip member with optional fields, and the checksum of its header.
fn fields(extra: usize, name: usize, comment: usize) -> Vec<u8> {
    let mut header = b"\x1f\x8b\x08\x1e\0\0\0\0\0\xff".to_vec();
    header.extend((extra as u16).to_le_bytes());
    header.resize(header.len() + extra, b'x');
    for length in [name, comment] {
        header.resize(header.len() + length, b'n');
        header.push(0);
    }
    let mut crc = flate2::Crc::new();
    crc.update(&header);
    header.extend((crc.sum() as u16).to_le_bytes());
    header.extend(&gzip(b"http")[10..]);
    header
}

#[test]
fn gzip_headers_of_any_length_are_passed_over() {
    for member in [
        fields(0, 0, 0),
        fields(65_535, 3, 0),
        fields(9, 1 << 20, 1 << 20),
    ] {
        assert_eq!(read(&member), (b"http".to_vec(), None));
        assert_eq!(read(&member.repeat(3)), (b"http".repeat(3), None));
    }
    let member = fields(3, 4, 5);
    for cut in 10..member.len() {
        assert_eq!(read(&member[..cut]).1, Some("compress.truncated"), "{cut}");
    }
    // A name that never ends.
    let endless = [
        b"\x1f\x8b\x08\x08\0\0\0\0\0\xff".as_slice(),
        &[b'n'; 1 << 20],
    ]
    .concat();
    assert_eq!(read(&endless), (Vec::new(), Some("compress.truncated")));
}

#[test]
fn wrong_gzip_header_checksum_is_reported() {
    let mut member = fields(3, 4, 5);
    member[14] ^= 1;
    assert_eq!(read(&member).1, Some("compress.corrupt"));
}

#[test]
fn xz_streams_are_padded_in_fours() {
    let stream = xz(b"http", SMALL);
    for zeros in [0, 4, 8, 400] {
        let padded = [&stream[..], &vec![0; zeros], &stream].concat();
        assert_eq!(read(&padded), (b"httphttp".to_vec(), None), "{zeros}");
    }
    let padded = [&stream[..], &[0; 6]].concat();
    let expected = (b"http".to_vec(), Some("compress.corrupt"));
    assert_eq!(read(&padded), expected);
}

#[test]
fn excessive_zstd_ratio_stops_reading() {
    // Frames of blocks of one byte that stands for 128 KiB.
    let block = [2, 0, 0x10, b'\n'];
    let frame = [
        b"\x28\xb5\x2f\xfd\0\x38",
        block.repeat(8).as_slice(),
        b"\x01\0\0",
    ]
    .concat();
    let (content, told) = read(&frame.repeat(1100));
    assert_eq!(told, Some("archive.ratio-limit"));
    assert!(content.len() <= 65 << 20, "{}", content.len());
}
