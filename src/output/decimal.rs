//! Numbers to digits.

/// Appends a number in decimal digits.
///
/// ```
/// let mut out = b"line ".to_vec();
/// uriscan::output::decimal::push(10_240, &mut out);
/// assert_eq!(out, b"line 10240");
/// ```
pub fn push(mut number: u64, out: &mut Vec<u8>) {
    // The longest u64 has twenty digits.
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_of_every_length() {
        for number in [0, 7, 10, 99, 100, 65_535, 4_294_967_296, u64::MAX] {
            let mut out = Vec::new();
            super::push(number, &mut out);
            assert_eq!(out, number.to_string().into_bytes());
        }
    }
}
