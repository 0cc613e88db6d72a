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

/// A count with its noun, which forms its plural with an s.
///
/// ```
/// use uriscan::output::decimal::counted;
/// assert_eq!(counted(1, "file"), "1 file");
/// assert_eq!(counted(0, "file"), "0 files");
/// ```
pub fn counted(count: u64, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
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
