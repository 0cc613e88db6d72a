use super::*;
use crate::decode::offset_map::OffsetMap;

/// Decodes in pieces of a size; returns the text, where each byte of it starts, and the faults.
fn decode(mut decoder: impl Decode, input: &str, size: usize) -> (String, Vec<u64>, u64) {
    let (mut out, mut map) = (Vec::new(), OffsetMap::default());
    for piece in input.as_bytes().chunks(size) {
        decoder.push(piece, &mut out, &mut map);
    }
    decoder.finish(&mut out, &mut map);
    let starts = (0..=out.len() as u64).map(|at| map.start(at)).collect();
    (String::from_utf8(out).unwrap(), starts, decoder.faults())
}

#[test]
fn groups_are_decoded_as_their_digits_are() {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u8> = alphabet.iter().copied().cycle().take(200).collect();
    for length in 0..digits.len() {
        for (at, byte) in [(length, b'A'), (length / 2, b'='), (length / 3, b'\xFF')] {
            let mut input = digits[..length].to_vec();
            input
                .get_mut(at)
                .into_iter()
                .for_each(|digit| *digit = byte);
            let valid = input
                .iter()
                .map_while(|&byte| sextet(byte))
                .collect::<Vec<_>>();
            let expected: Vec<u8> = valid
                .chunks_exact(4)
                .map(|group| {
                    group
                        .iter()
                        .fold(0, |bits, &digit| bits << 6 | u32::from(digit))
                })
                .flat_map(|bits| [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8])
                .collect();
            let mut out = Vec::new();
            assert_eq!(decode_quanta(&input, &mut out), expected.len() / 3);
            assert_eq!(out, expected, "{length}");
        }
    }
}

#[test]
fn offsets_of_decoded_bytes_do_not_depend_on_the_pieces() {
    for size in 1..20 {
        let quoted = decode(QuotedPrintable::default(), "a=3Db= \r\nc=xd=\ne=", size);
        let starts = vec![0, 1, 4, 9, 10, 11, 12, 15, 17];
        assert_eq!(quoted, ("a=bc=xde".to_owned(), starts, 1), "{size}");
        let base64 = decode(Base64::default(), "YWJj\r\nZGV!m\nZw==aGk", size);
        let starts = vec![0, 0, 0, 6, 6, 6, 12, 16, 16, 19];
        assert_eq!(base64, ("abcdefghi".to_owned(), starts, 1), "{size}");
    }
}
