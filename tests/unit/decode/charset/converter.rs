use encoding_rs::{ISO_2022_JP, REPLACEMENT, UTF_16BE, UTF_16LE};

use super::*;
use crate::decode::charset::{TextCharset, of_label};
use crate::decode::offset_map::OffsetMap;

/// Converts in pieces of a size.
fn convert(input: ConverterInput, bytes: &[u8], size: usize) -> (Vec<u8>, OffsetMap) {
    let mut converter = Converter::new(input);
    let (mut out, mut map) = (Vec::new(), OffsetMap::default());
    for piece in bytes.chunks(size) {
        converter.push(piece, &mut out, &mut map);
    }
    converter.finish(&mut out, &mut map);
    (out, map)
}

#[test]
fn conversion_does_not_depend_on_the_pieces() {
    let rows: &[(&str, &[u8])] = &[
        ("utf-16le", b"a\0=\xD8\0\xDEb\0=\xD8x\0"),
        ("utf-32be", b"\0\0\0a\0\x01\xF6\0\0"),
        ("utf-7", b"a+ADw-x+2D3eAA.+ZeVnLIqe-!"),
        ("iso-2022-jp", b"x\x1B$B$\"$$\x1B(B http \x1B(Jy\x1B(B"),
        ("big5", b"abc \xA4\xA4\xA4\xE5 d\xFFe"),
        ("hz", b"~{5ZHU~} <x>~~~\n!"),
        ("iso-2022-cn", b"\x1B$)A\x0E=;\x0F \x1B$*H\x1BN!! <x>\n"),
    ];
    for (label, bytes) in rows {
        let input = match of_label(label.as_bytes()).0 {
            TextCharset::Convert(input) => input,
            TextCharset::Superset(encoding) => ConverterInput::Encoding(encoding),
            TextCharset::Guess => panic!("{label} is converted"),
        };
        let run = |size: usize| {
            let (out, map) = convert(input, bytes, size);
            let starts: Vec<u64> = (0..=out.len() as u64).map(|at| map.start(at)).collect();
            (out, starts)
        };
        for size in 1..6 {
            assert_eq!(run(size), run(99), "{label} in pieces of {size}");
        }
    }
}

/// Converts in pieces of a size, and returns the text and where each character is stored.
fn decode(encoding: &'static Encoding, bytes: &[u8], size: usize) -> (String, Vec<u64>) {
    let (out, map) = convert(encoding.into(), bytes, size);
    let text = String::from_utf8(out).unwrap();
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let stored = ends.map(|at| map.start(at as u64)).collect();
    (text, stored)
}

#[test]
fn text_and_places_are_the_same_for_pieces_of_any_size() {
    let rows: &[(&'static Encoding, &[u8], &[u64])] = &[
        (
            UTF_16LE,
            b"a\0b\0\xe9\0\x42\x30\x34\xd8\x1e\xddz\0",
            &[0, 2, 4, 6, 8, 12, 14],
        ),
        (UTF_16BE, b"\0a\xd8\x34\0b\xdd\x1e\0", &[0, 2, 4, 6, 8, 9]),
        (UTF_16LE, b"a\0\x34\xd8", &[0, 2, 4]),
        (ISO_2022_JP, b"x\x1b$B$\"$$\x1b(By", &[0, 4, 6, 11, 12]),
    ];
    for (encoding, bytes, places) in rows {
        let (expected, _) = encoding.decode_without_bom_handling(bytes);
        for size in 1..=bytes.len() {
            let (text, stored) = decode(encoding, bytes, size);
            assert_eq!(text, expected, "{} in pieces of {size}", encoding.name());
            assert_eq!(stored, *places, "{} in pieces of {size}", encoding.name());
        }
    }
    assert_eq!(decode(REPLACEMENT, b"<a href=x>", 3).0, "\u{fffd}");
}

#[test]
fn any_bytes_decode_as_encoding_rs_has_it() {
    let mut state = 1u32;
    for round in 0..2000 {
        let length = round % 23;
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"\x1b$(BJ@\"!a\0\xd8\xdc\xff<"[(state >> 24) as usize % 14]
            })
            .collect();
        for encoding in [UTF_16LE, UTF_16BE, ISO_2022_JP, REPLACEMENT] {
            let (expected, _) = encoding.decode_without_bom_handling(&bytes);
            let (text, stored) = decode(encoding, &bytes, 1 + round % 5);
            assert_eq!(text, expected, "{} {bytes:?}", encoding.name());
            assert!(
                stored.is_sorted(),
                "{} {bytes:?} {stored:?}",
                encoding.name()
            );
            assert!(
                stored.iter().all(|&at| at <= bytes.len() as u64),
                "{stored:?}"
            );
        }
    }
}
