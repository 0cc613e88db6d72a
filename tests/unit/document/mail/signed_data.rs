use super::*;

const CONTENT: &str =
    "Content-Type: text/html\r\n\r\n<a href=\"http://example.com/signed\">x</a>\r\n";
/// Written by `openssl cms -sign -nodetach -nocerts`.
const DER: &[u8] = include_bytes!("../../../mail/signed/der.p7m");
/// The same with `-stream`: lengths are indefinite, and the content is in pieces.
const BER: &[u8] = include_bytes!("../../../mail/signed/ber.p7m");
/// Written by `openssl cms -encrypt`.
const ENCRYPTED: &[u8] = include_bytes!("../../../mail/signed/enc.p7m");

/// Reads data in pieces of one length.
fn read(bytes: &[u8], length: usize) -> (SignedState, String) {
    let (mut data, mut out) = (SignedData::default(), Vec::new());
    for piece in bytes.chunks(length) {
        data.push(piece, &mut out);
    }
    (data.state, String::from_utf8_lossy(&out).into_owned())
}

#[test]
fn content_is_the_same_in_every_encoding_and_piece() {
    for bytes in [DER, BER] {
        for length in [1, 2, 7, 4096] {
            assert_eq!(read(bytes, length), (SignedState::Done, CONTENT.to_owned()));
        }
    }
    assert_eq!(read(ENCRYPTED, 5), (SignedState::Encrypted, String::new()));
}

#[test]
fn every_start_and_every_changed_byte_is_read_in_bounds() {
    for bytes in [DER, BER] {
        for end in 0..bytes.len() {
            let (_, out) = read(&bytes[..end], 3);
            assert!(CONTENT.starts_with(&out), "{end}");
            for byte in [0, 0x24, 0x30, 0x7F, 0x80, 0x88, 0xFF] {
                let mut changed = bytes.to_vec();
                changed[end] = byte;
                let (_, out) = read(&changed, 64);
                assert!(out.chars().count() <= bytes.len());
            }
        }
    }
}

#[test]
fn nested_and_endless_forms_end() {
    let start = &BER[..BER
        .windows(2)
        .position(|pair| pair == [0x24, 0x80])
        .unwrap()];
    let deep = [start, &[0x24, 0x80].repeat(100_000)].concat();
    assert_eq!(read(&deep, 4096).0, SignedState::Failed);
    let pieces = [
        start,
        &[0x24, 0x80],
        &[0x24, 3, 4, 1, b'a'],
        &[4, 1, b'b', 0, 0],
        b"rest",
    ]
    .concat();
    assert_eq!(read(&pieces, 1), (SignedState::Done, "ab".to_owned()));
    let huge = [
        start,
        &[0x04, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        b"abc",
    ]
    .concat();
    assert_eq!(read(&huge, 2), (SignedState::Going, "abc".to_owned()));
    let long = [start, &[0x04, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(read(&long, 2).0, SignedState::Failed);
}
