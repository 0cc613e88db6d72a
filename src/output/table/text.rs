//! The forms that values have in columns of text.

use std::borrow::Cow;
use std::ops::Range;

use crate::linker::lossy;
use crate::output::column::ColumnKind;
use crate::uri::percent::encode_invalid;

/// Returns a value in the form of a column of text.
pub(super) fn formed(value: &[u8], kind: ColumnKind) -> Cow<'_, str> {
    match kind {
        ColumnKind::Uri | ColumnKind::SharedUri => uri(value),
        _ => lossy(value),
    }
}

/// Returns a URI as UTF-8, with triplets for invalid bytes.
fn uri(value: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(value) {
        return Cow::Borrowed(text);
    }
    let mut encoded = Vec::new();
    encode_invalid(value, &mut encoded);
    Cow::Owned(String::from_utf8_lossy(&encoded).into_owned())
}

/// Returns a time (RFC 3339 section 5.6, in UTC, without fractions) in microseconds since 1970.
pub(super) fn microseconds(text: &[u8]) -> Option<i64> {
    let number = |range: Range<usize>| {
        let digits = text.get(range)?;
        let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
        let digits = digits.iter().map(|digit| i64::from(digit - b'0'));
        Some(digits.fold(0, |number, digit| 10 * number + digit))
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !text.ends_with(b"Z") || text.len() != 20 {
        return None;
    }
    // Years begin in March, so that a leap day is the last one of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    // Days from March 1 of the year 0 to January 1, 1970.
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000)
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/text.rs"]
mod tests;
