//! Dates at the end of a `From ` line, in every shape that is known from archives.

/// Whether the words of a line end in a date: a month, a day, a time, a year, and nothing behind
/// the first of them but weekdays, zones and halves of the day.
pub(super) fn ends_in_date(line: &[u8]) -> bool {
    let (mut months, mut times, mut years, mut days) = (0, 0, 0, 0);
    let words = line
        .rsplit(|byte| matches!(byte, b' ' | b'\t' | b','))
        .filter(|word| !word.is_empty());
    for word in words.take(12) {
        match DateWord::of(word) {
            Some(DateWord::Month) => months += 1,
            Some(DateWord::Time) => times += 1,
            Some(DateWord::Year) => years += 1,
            Some(DateWord::Day) => days += 1,
            Some(DateWord::Weekday | DateWord::Zone) => {}
            None => break,
        }
        if months > 0 && times > 0 && years > 0 && days > 0 {
            return true;
        }
    }
    false
}

enum DateWord {
    Weekday,
    Month,
    Day,
    Time,
    Year,
    Zone,
}

const WEEKDAYS: [&[u8]; 7] = [b"mon", b"tue", b"wed", b"thu", b"fri", b"sat", b"sun"];
const MONTHS: [&[u8]; 12] = [
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
];

impl DateWord {
    fn of(word: &[u8]) -> Option<DateWord> {
        let is_any = |names: &[&[u8]]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        let digits = word.iter().all(u8::is_ascii_digit);
        match word.len() {
            1 | 2 if digits => Some(DateWord::Day),
            4 if digits => Some(DateWord::Year),
            3 if is_any(&WEEKDAYS) => Some(DateWord::Weekday),
            3 if is_any(&MONTHS) => Some(DateWord::Month),
            4..=8 if is_time(word) => Some(DateWord::Time),
            5 if matches!(word[0], b'+' | b'-') && word[1..].iter().all(u8::is_ascii_digit) => {
                Some(DateWord::Zone)
            }
            // Names of zones, halves of the day, and zones in parentheses.
            1..=7 if is_zone(word) => Some(DateWord::Zone),
            _ => None,
        }
    }
}

fn is_zone(word: &[u8]) -> bool {
    let inner = word
        .strip_prefix(b"(")
        .and_then(|word| word.strip_suffix(b")"))
        .unwrap_or(word);
    !inner.is_empty() && inner.len() <= 5 && inner.iter().all(u8::is_ascii_uppercase)
}

/// `9:30`, `10:11:12`.
fn is_time(word: &[u8]) -> bool {
    let mut parts = 0;
    let short = word.split(|&byte| byte == b':').all(|part| {
        parts += 1;
        (1..=2).contains(&part.len()) && part.iter().all(u8::is_ascii_digit)
    });
    short && (2..=3).contains(&parts)
}
