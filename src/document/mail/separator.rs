//! Which lines that start with `From ` separate messages (rule M2).

use memchr::memchr;

use super::envelope::month;
use super::header::split_field;
use crate::bytes::class::run_end;
use crate::bytes::pattern::Pattern;

/// The longest separator, in bytes, and the longest part of the next line that is tested.
pub(super) const LINE: usize = 4096;
const FIELD: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromLine {
    Separator(usize),
    Text,
    /// More bytes are needed to decide.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrecedingLine {
    /// A blank line, or nothing.
    Blank,
    Text,
}

/// Whether the separators of an archive name commits, as `git format-patch` writes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SeparatorStyle {
    #[default]
    Unknown,
    /// The first separator does.
    Git,
    /// The first separator does not: such lines are pasted patches.
    Mail,
}

impl SeparatorStyle {
    /// Returns the style that a [`SplitContext`](crate::document::SplitContext) holds.
    pub(super) fn of_state(state: u8) -> Self {
        let styles = [Self::Unknown, Self::Git, Self::Mail];
        styles[usize::from(state.min(2))]
    }
}

/// Returns whether bytes start with a separator, as a file in the mbox format does.
///
/// ```
/// use uriscan::document::mail::is_separator;
/// assert!(is_separator(b"From a@example.com Thu Mar  2 10:11:12 2006\nSubject: x\n"));
/// assert!(!is_separator(b"From here on it is text.\n"));
/// ```
pub fn is_separator(bytes: &[u8]) -> bool {
    matches!(
        classify(bytes, true, PrecedingLine::Blank, SeparatorStyle::Unknown),
        FromLine::Separator(_)
    )
}

/// Returns whether a line starts with `From ` or is `From`, or may do so with more bytes.
pub(super) fn is_candidate(line: &[u8], last: bool) -> bool {
    match line.strip_prefix(b"From") {
        Some(rest) => matches!(rest, [] | [b' ' | b'\n' | b'\r', ..]),
        None => !last && b"From".starts_with(line),
    }
}

pub(super) fn classify(
    bytes: &[u8],
    last: bool,
    preceding: PrecedingLine,
    style: SeparatorStyle,
) -> FromLine {
    let head = &bytes[..bytes.len().min(LINE)];
    let (line, length) = match memchr(b'\n', head) {
        Some(end) => (&bytes[..end], end + 1),
        None if head.len() == LINE => return FromLine::Text,
        None if last => (bytes, bytes.len()),
        None => return FromLine::Unknown,
    };
    // `From` without a blank after it is text.
    if !line.starts_with(b"From ") {
        return FromLine::Text;
    }
    let rest = line[4..].trim_ascii();
    if style == SeparatorStyle::Mail && is_git(rest) {
        return FromLine::Text;
    }
    let next = &bytes[length..];
    let next = &next[..next.len().min(FIELD)];
    let value = split_field(next).map(|(_, value)| &next[value..]);
    let is_field = value.is_some();
    // With more bytes, a name before a colon and two slashes may become a scheme.
    let unknown = !last
        && next.len() < FIELD
        && match value {
            Some(value) => matches!(value, b"" | b"/"),
            None => next.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t')),
        };
    let is_dated = ends_in_date(rest);
    let is_after_blank = preceding == PrecedingLine::Blank;
    let is_token = || is_after_blank && !rest.iter().any(u8::is_ascii_whitespace);
    let may_separate = is_dated || is_token() || matches!(rest, b"" | b"-");
    let is_certain = is_dated && (is_after_blank || next.starts_with(b">From "));
    match (may_separate, unknown) {
        (true, _) if is_certain => FromLine::Separator(length),
        (true, true) => FromLine::Unknown,
        (true, false) if is_field => FromLine::Separator(length),
        _ => FromLine::Text,
    }
}

pub(super) fn style_of(line: &[u8]) -> SeparatorStyle {
    let rest = line.get(4..).unwrap_or_default().trim_ascii();
    [SeparatorStyle::Mail, SeparatorStyle::Git][usize::from(is_git(rest))]
}

/// Matches `<40 or 64 hexadecimal digits> Mon Sep 17 00:00:00 2001`.
fn is_git(rest: &[u8]) -> bool {
    let digits = run_end(rest, 0, |byte| byte.is_ascii_hexdigit());
    matches!(digits, 40 | 64) && rest[digits..].trim_ascii() == b"Mon Sep 17 00:00:00 2001"
}

/// Returns whether the words of a line, maybe without the host that UUCP appends, end in a date: a month, a
/// day, a time and a year in any order, with nothing but weekdays, zones, `AM` and `PM` between and after them.
fn ends_in_date(line: &[u8]) -> bool {
    is_date(line)
        || REMOTE
            .find(line)
            .is_some_and(|host| is_date(&line[..host.start()]))
}

fn is_date(line: &[u8]) -> bool {
    let mut seen = 0;
    // Nearly all bytes come after the comma.
    let is_between = |&byte: &u8| byte <= b',' && matches!(byte, b' ' | b'\t' | b',');
    let words = line.rsplit(is_between).filter(|word| !word.is_empty());
    let mut parts = words.take(12).map_while(date_part);
    parts.any(|part| {
        // Of two short numbers one is a year.
        seen |= if part & seen == DAY { YEAR } else { part };
        seen == MONTH | DAY | TIME | YEAR
    })
}

const MONTH: u8 = 1;
const DAY: u8 = 2;
const TIME: u8 = 4;
const YEAR: u8 = 8;

/// Names of weekdays and zones, also in parentheses, offsets of zones, `AM` and `PM`.
static OTHER: Pattern =
    Pattern::new(r"^(?:[A-Z]{1,5}|\([A-Z]{1,5}\)|[+-][0-9]{4}|(?i:mon|tue|wed|thu|fri|sat|sun))$");
/// The host that UUCP appends.
static REMOTE: Pattern = Pattern::new(r" remote from [^ ]+$");

fn date_part(word: &[u8]) -> Option<u8> {
    let is_number = word.iter().all(u8::is_ascii_digit);
    // `9:30` and `10:11:12`: nearly every separator has one, and a pattern takes longer.
    let is_time = || {
        let parts = word.split(|&byte| byte == b':');
        let is_part = |part: &[u8]| matches!(part, [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9']);
        matches!(parts.clone().count(), 2 | 3) && parts.into_iter().all(is_part)
    };
    match word.len() {
        1 | 2 if is_number => Some(DAY),
        4 if is_number => Some(YEAR),
        3 if month(word).is_some() => Some(MONTH),
        4..=8 if is_time() => Some(TIME),
        1..=7 if OTHER.is_match(word) => Some(0),
        _ => None,
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/separator.rs"]
mod tests;
