//! Dates, as days and seconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::NaiveDate;
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
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits && text.len() == 14 {
        let date = [&text[..4], &text[4..6], &text[6..8]].join("-");
        let time = [&text[8..10], &text[10..12], &text[12..]].join(":");
        return seconds(&[date, time].join("T"));
    }
    if digits {
        return text.parse().ok();
    }
    let days = date(text)?.to_epoch_days().max(0) as u64;
    let mut time = text.get(11..19).unwrap_or_default().split(':');
    let mut part = || {
        time.next()
            .and_then(|part| part.parse().ok())
            .unwrap_or(0u64)
    };
    Some(days * 86_400 + part() * 3600 + part() * 60 + part())
}
