//! Dates, as days and seconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{NaiveDate, NaiveDateTime};
use toml::value::Datetime;

/// Reads `2030-12-31`, without the time after a `T` or a blank.
pub(super) fn date(text: &str) -> Option<NaiveDate> {
    let day = text.split(['T', ' ']).next()?;
    let date = day.parse::<Datetime>().ok()?.date?;
    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
}

pub(super) fn days_from_today(day: NaiveDate) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let today = now.map_or(0, |since| since.as_secs() / 86_400);
    i64::from(day.to_epoch_days()) - today as i64
}

/// Returns the seconds since 1970 of `2026-11-20T10:00:00Z`, of `20261120100000` or of such a number.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let time = match text.len() {
        14 if is_number => NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S").ok()?,
        _ if is_number => return text.parse().ok(),
        _ => {
            let time = text.get(11..19).and_then(|time| time.parse().ok());
            date(text)?.and_time(time.unwrap_or_default())
        }
    };
    Some(time.and_utc().timestamp().max(0) as u64)
}
