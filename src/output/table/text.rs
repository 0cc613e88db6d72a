//! The forms that values have in columns of text.

use std::borrow::Cow;

use chrono::NaiveDate;

use crate::uri::percent::encode_invalid;

/// Returns a URI as UTF-8, with triplets for invalid bytes.
pub(super) fn uri(value: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(value) {
        return Cow::Borrowed(text);
    }
    let mut encoded = Vec::new();
    encode_invalid(value, &mut encoded);
    Cow::Owned(String::from_utf8_lossy(&encoded).into_owned())
}

/// Returns a time in UTC in microseconds since 1970: as in RFC 3339 section 5.6, or the fourteen digits of ARC.
pub(super) fn microseconds(text: &[u8]) -> Option<i64> {
    let number = |digits: &[u8]| {
        let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
        let digits = digits.iter().map(|digit| i64::from(digit - b'0'));
        Some(digits.fold(0, |number, digit| 10 * number + digit))
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    let has_marks = marks.iter().all(|&(at, mark)| text.get(at) == Some(&mark));
    let (starts, fraction): (_, &[u8]) = match text.strip_suffix(b"Z") {
        Some(time) if has_marks && time.len() >= 19 => ([5, 8, 11, 14, 17], &time[19..]),
        _ if text.len() == 14 => ([4, 6, 8, 10, 12], b""),
        _ => return None,
    };
    let year = number(&text[..4])?;
    let [month, day, hour, minute, second] = starts.map(|at| number(&text[at..at + 2]));
    let (month, day, hour, minute, second) = (month?, day?, hour?, minute?, second?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let fraction = match fraction {
        [] => 0,
        [b'.', digits @ ..] => {
            let six: Vec<u8> = digits.iter().copied().chain([b'0'; 6]).take(6).collect();
            number(digits).and(number(&six))?
        }
        _ => return None,
    };
    let date = NaiveDate::from_ymd_opt(year as i32, month as u32, day as u32)?;
    let days = i64::from(date.to_epoch_days());
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + fraction)
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/text.rs"]
mod tests;
