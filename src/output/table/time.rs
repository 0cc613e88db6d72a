//! Times as numbers.

use chrono::{DateTime, NaiveDateTime};

/// Returns a time in UTC in microseconds since 1970: as in RFC 3339 section 5.6, or the fourteen digits of ARC.
pub(super) fn microseconds(text: &[u8]) -> Option<i64> {
    let text = str::from_utf8(text).ok()?;
    let is_arc = text.len() == 14 && text.bytes().all(|byte| byte.is_ascii_digit());
    let time = if is_arc {
        let time = NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S");
        time.ok()?.and_utc()
    } else {
        let is_utc = text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T');
        let time = DateTime::parse_from_rfc3339(text).ok();
        time.filter(|_| is_utc)?.to_utc()
    };
    Some(time.timestamp_micros())
}

#[cfg(test)]
#[path = "../../../tests/unit/output/table/time.rs"]
mod tests;
