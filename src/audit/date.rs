//! Dates, as days and seconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use toml::value::{Date, Datetime};

/// Reads `2030-12-31`, without the time after a `T` or a blank.
pub(super) fn date(text: &str) -> Option<Date> {
    let day = text.split(['T', ' ']).next()?;
    day.parse::<Datetime>().ok()?.date
}

pub(super) fn days_from_today(day: Date) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let today = now.map_or(0, |since| since.as_secs() / 86_400);
    days_before(day) as i64 - today as i64
}

/// Returns the days since 1970; 0 for earlier dates. Years start in March, so that the day that a
/// leap year adds is the last one.
pub(super) fn days_before(date: Date) -> u64 {
    let (year, month) = match (u64::from(date.year), u64::from(date.month)) {
        (year, month @ 3..) => (year, month - 3),
        (year, month) => (year.saturating_sub(1), month + 9),
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + u64::from(date.day);
    days.saturating_sub(719_469)
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
    let days = days_before(date(text)?);
    let mut time = text.get(11..19).unwrap_or_default().split(':');
    let mut part = || {
        time.next()
            .map_or(0, |part| part.parse::<u64>().unwrap_or(0))
    };
    Some(days * 86_400 + part() * 3600 + part() * 60 + part())
}
