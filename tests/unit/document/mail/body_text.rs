use super::*;

#[test]
fn lines_are_base64_as_their_bytes_are() {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/AZaz09+/==";
    for length in 0..digits.len() {
        let mut line = digits[..length].to_vec();
        assert_eq!(is_encoded(&line), length >= MIN_LINE, "{length}");
        for at in [0, length / 2, length.saturating_sub(1)] {
            if length < MIN_LINE {
                continue;
            }
            for byte in 0..=255 {
                let digit = std::mem::replace(&mut line[at], byte);
                let expected = sextet(byte).is_some() || byte == b'=';
                assert_eq!(is_encoded(&line), expected, "{byte} at {at} of {length}");
                line[at] = digit;
            }
        }
    }
}
