use super::*;
use crate::decode::offset_map::OffsetMap;

/// Decodes in pieces of a size; returns the text, where each byte of it starts, and the faults.
fn decode(mut decoder: impl Decode, input: &str, size: usize) -> (Vec<u8>, Vec<u64>, u64) {
    let (mut out, mut map) = (Vec::new(), OffsetMap::default());
    for piece in input.as_bytes().chunks(size) {
        decoder.push(piece, &mut out, &mut map);
    }
    decoder.finish(&mut out, &mut map);
    let starts = (0..=out.len() as u64).map(|at| map.start(at)).collect();
    (out, starts, decoder.faults())
}

#[test]
fn lines_are_decoded_as_their_digits_are() {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: String = alphabet
        .iter()
        .cycle()
        .take(200)
        .map(|&digit| char::from(digit))
        .collect();
    for length in 0..digits.len() {
        for (at, other) in [
            (length, 'A'),
            (length / 2, '='),
            (length / 3, '!'),
            (length / 4, '\n'),
        ] {
            for end in ["", "\n", "\r\n", " \n", "=\n", "==\n", "\n\n"] {
                let (start, rest) = digits[..length].split_at(at);
                let line = format!("{start}{other}{rest}{end}");
                let input = line.repeat(2);
                // A piece of one byte has no group.
                let expected = decode(Base64::default(), &input, 1);
                assert_eq!(
                    decode(Base64::default(), &input, input.len()),
                    expected,
                    "{input}"
                );
            }
        }
    }
}

#[test]
fn offsets_of_decoded_bytes_do_not_depend_on_the_pieces() {
    for size in 1..20 {
        let quoted = decode(QuotedPrintable::default(), "a=3Db= \r\nc=xd=\ne=", size);
        let starts = vec![0, 1, 4, 9, 10, 11, 12, 15, 17];
        assert_eq!(quoted, (b"a=bc=xde".to_vec(), starts, 1), "{size}");
        let base64 = decode(Base64::default(), "YWJj\r\nZGV!m\nZw==aGk", size);
        let starts = vec![0, 0, 0, 6, 6, 6, 12, 16, 16, 19];
        assert_eq!(base64, (b"abcdefghi".to_vec(), starts, 1), "{size}");
    }
}
