//! The envelope of a message: its date, sender, subject and the like (RFC 9051 section 7.5.2; rule M24).

use std::borrow::Cow;

use chrono::{Datelike, NaiveDate, SecondsFormat, TimeDelta};
use encoding_rs::WINDOWS_1252;
use memchr::{memchr_iter, memchr3};

use super::MailOptions;
use super::field_value::{self, Comments};
use super::header::Header;
use super::header_field::EntityProperty;
use crate::bytes::class::{self, run_end};
use crate::bytes::pattern::Pattern;
use crate::document::events::{Envelope, Events, RawEnvelope};
use crate::document::source_text::DecodedText;

/// The longest subject and the longest address, in bytes.
const MAX_TEXT: usize = 512;

/// The fields of an envelope.
const PROPERTIES: [EntityProperty; 11] = {
    use EntityProperty::*;
    [
        Date, Separator, From, Subject, ReplyTo, To, Cc, InReplyTo, References, ListId, Labels,
    ]
};

/// The key of the field with the author's name, whose address is always kept.
const NAME: EntityProperty = EntityProperty::None;

/// The bytes before each value: the key of the field, and the length of the value.
const LEAD: usize = 1 + size_of::<u32>();

/// Stores the values undecoded: records decode them where they are shown.
pub(super) fn store(header: &Header, options: &MailOptions, out: &mut Events) -> RawEnvelope {
    let is_whole = options.message_fields;
    let name = is_whole.then_some((NAME, EntityProperty::From));
    let fields = out.store_with(|store| {
        for (key, property) in PROPERTIES.map(|it| (it, it)).into_iter().chain(name) {
            if let Some(value) = header.value(property) {
                store.push(key as u8);
                store.extend_from_slice(&(value.len() as u32).to_le_bytes());
                store.extend_from_slice(value);
            }
        }
    });
    RawEnvelope {
        fields,
        decode,
        is_whole,
    }
}

fn decode(mut stored: &[u8]) -> Envelope {
    use EntityProperty::{
        Cc, Date, From, InReplyTo, Labels, ListId, References, ReplyTo, Separator, Subject, To,
    };
    let mut raw = [None; EntityProperty::COUNT];
    while let Some(([key, length @ ..], rest)) = stored.split_first_chunk::<LEAD>() {
        let (value, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        raw[usize::from(*key)] = Some(value);
        stored = rest;
    }
    let value = |property: EntityProperty| raw[property as usize];
    let named = |name, date: Option<String>| date.map(|date| (date, name));
    let dated = named("date", value(Date).and_then(date))
        .or_else(|| named("iso8601", value(Date).and_then(iso8601)))
        .or_else(|| named("from-line", value(Separator).and_then(separator_date)));
    let (date, date_source) = dated.unzip();
    let all = |property| value(property).map(addresses).unwrap_or_default();
    let references = value(References).map(identifiers).unwrap_or_default();
    let ends = references.first().into_iter().chain(references.last());
    Envelope {
        date,
        date_source,
        from: value(From).and_then(address),
        from_name: value(NAME).and_then(name),
        subject: value(Subject).map(subject),
        reply_to: value(ReplyTo).and_then(address),
        to_text: value(To).map(|raw| decoded(raw).into_owned()),
        to: all(To),
        cc: all(Cc),
        in_reply_to: value(InReplyTo).and_then(|raw| identifiers(raw).into_iter().next()),
        references: ends.cloned().collect(),
        list_id: value(ListId).and_then(list_id),
        labels: value(Labels).map(split_labels).unwrap_or_default(),
    }
}

/// Returns a value as text, in UTF-8 or else windows-1252.
fn plain(raw: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(raw) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(raw).0,
    }
}

/// Returns a value as text, unfolded and with encoded words decoded.
fn decoded(raw: &[u8]) -> Cow<'_, str> {
    let plain = plain(raw);
    if memchr3(b'\r', b'\n', b'=', plain.as_bytes()).is_none() {
        return plain;
    }
    let mut text = DecodedText::default();
    field_value::text(plain.as_bytes(), &mut text);
    Cow::Owned(String::from_utf8_lossy(&text.bytes).into_owned())
}

fn truncated(text: &str) -> String {
    let text = text.trim();
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

pub(crate) fn subject(raw: &[u8]) -> String {
    truncated(&decoded(raw))
}

/// Returns the first address of a field (RFC 5322 section 3.4): the text in angle brackets without
/// the route, else the text outside comments and quoted names.
pub(crate) fn address(raw: &[u8]) -> Option<String> {
    // An encoded word cannot be an address, but some mailers encode the whole field.
    let first = |text: &str| Some(mailboxes(text).into_iter().next()?.1);
    first(&plain(raw))
        .filter(|address| !address.contains("=?"))
        .or_else(|| first(&decoded(raw)))
}

/// Returns all addresses of a field.
fn addresses(raw: &[u8]) -> Vec<String> {
    let mailboxes = mailboxes(&plain(raw)).into_iter();
    mailboxes.map(|(_, address)| address).collect()
}

/// Returns the name of the first mailbox of a field: the phrase before the address, else the comment after it.
fn name(raw: &[u8]) -> Option<String> {
    let (name, _) = mailboxes(&plain(raw)).into_iter().next()?;
    non_empty(decoded(name.trim_ascii()).replace('\\', "").as_bytes())
}

/// Returns the name, without the quotes of a phrase, and the address of each mailbox of a field.
fn mailboxes(text: &str) -> Vec<(Vec<u8>, String)> {
    let mut found = Vec::new();
    let value = text.as_bytes();
    let mut plain: Vec<u8> = Vec::with_capacity(64);
    let (mut at, mut comment, mut is_taken) = (0, 0..0, false);
    // After a comment or a string that is not closed, no other opens.
    let (mut comments, mut strings) = (Comments::default(), true);
    loop {
        if let Some(end) = value.get(at).and_then(|_| comments.skip(value, at)) {
            comment = at + 1..(end - 1).max(at + 1);
            at = end;
            continue;
        }
        match value.get(at) {
            Some(b'"') if strings => {
                let end = quoted_end(value, at);
                strings = end > at + 1;
                plain.extend_from_slice(&value[at..end]);
                at = end;
                continue;
            }
            Some(b'<') if !is_taken => {
                let inner = &value[at + 1..];
                let inner = &inner[..bracket_end(inner)];
                at += inner.len();
                // An obsolete route: `<@a.example,@b.example:user@c.example>`.
                let colon = inner.iter().position(|&byte| byte == b':');
                let colon = colon.filter(|_| inner.starts_with(b"@"));
                let address = non_empty(colon.map_or(inner, |colon| &inner[colon + 1..]));
                plain.retain(|&byte| byte != b'"');
                found.extend(address.map(|address| (plain.clone(), address)));
                is_taken = true;
            }
            // The name of a group.
            Some(b':') => plain.clear(),
            Some(b',' | b';') | None => {
                let address = non_empty(&plain).filter(|_| !is_taken);
                found.extend(address.map(|address| (value[comment.clone()].to_vec(), address)));
                if at >= value.len() {
                    return found;
                }
                plain.clear();
                (comment, is_taken) = (0..0, false);
            }
            Some(b'\r' | b'\n') => {}
            Some(&byte) => plain.push(byte),
        }
        at += 1;
    }
}

/// Returns the identifiers of a field, in angle brackets.
fn identifiers(raw: &[u8]) -> Vec<String> {
    let text = decoded(raw);
    let mut found = Vec::new();
    field_value::brackets(text.as_bytes(), |start, end| {
        if text[end..].starts_with('>') {
            found.push(truncated(&text[start - 1..end + 1]));
        }
    });
    found
}

/// Returns the identifier of a list, without its phrase and brackets (RFC 2919 section 3).
fn list_id(raw: &[u8]) -> Option<String> {
    let text = decoded(raw);
    let inner = text.rsplit_once('<').map_or(&*text, |(_, inner)| inner);
    non_empty(inner.split('>').next().unwrap_or_default().as_bytes())
}

/// Returns labels, with commas between them; one in quotes may hold a comma.
fn split_labels(raw: &[u8]) -> Vec<String> {
    let text = decoded(raw);
    let mut is_quoted = false;
    let labels = text.split(|character| {
        is_quoted ^= character == '"';
        character == ',' && !is_quoted
    });
    let labels = labels.map(|label| label.trim().trim_matches('"'));
    let labels = labels.filter(|label| !label.is_empty());
    labels.map(truncated).collect()
}

/// Returns the index after the quoted string that starts at `at`; one that never closes is its quote only.
fn quoted_end(value: &[u8], at: usize) -> usize {
    static QUOTED: Pattern = Pattern::new(r#"^"(?:\\.|[^"\\])*""#);
    at + QUOTED.find(&value[at..]).map_or(1, |found| found.len())
}

/// Returns the index of the bracket that closes an address, whose local part may be quoted.
fn bracket_end(inner: &[u8]) -> usize {
    let quoted = inner.starts_with(b"\"").then(|| quoted_end(inner, 0));
    run_end(inner, quoted.unwrap_or(0), |byte| byte != b'>')
}

fn non_empty(bytes: &[u8]) -> Option<String> {
    // Only ASCII was removed from UTF-8.
    let text = truncated(&String::from_utf8_lossy(bytes));
    (!text.is_empty()).then_some(text)
}

/// The longest value that is parsed as a date, in bytes.
const MAX_DATE: usize = 1024;

const MONTHS: [&[u8; 3]; 12] = [
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
];

/// Zones with a name, and their hours; all other names are UTC (RFC 5322 section 4.3).
#[rustfmt::skip]
const ZONES: [(&[u8], i64); 8] = [
    (b"est", -5), (b"edt", -4), (b"cst", -6), (b"cdt", -5),
    (b"mst", -7), (b"mdt", -6), (b"pst", -8), (b"pdt", -7),
];

/// Returns the date in `value` (RFC 5322 sections 3.3 and 4.3, and the forms of old news articles)
/// as a time of UTC (RFC 3339 section 5.6). The weekday is not compared with the date. A leap second
/// becomes the second before it.
pub(crate) fn date(value: &[u8]) -> Option<String> {
    if value.len() > MAX_DATE {
        return None;
    }
    let mut date = Date::default();
    let mut at = 0;
    let mut comments = Comments::default();
    while at < value.len() {
        if let Some(end) = comments.skip(value, at) {
            at = end;
        } else if is_between(value[at]) {
            at += 1;
        } else {
            // A parenthesis that opens no comment is the start of a word.
            let is_part = |byte| !is_between(byte) && byte != b'(';
            let end = run_end(value, at + 1, is_part);
            date.take_word(&value[at..end])?;
            at = end;
        }
    }
    date.utc()
}

/// Returns a date such as `2006-03-02T15:11:12+01:00` as a time of UTC (ISO 8601; RFC 3339 section 5.6).
/// Without a zone it is of UTC, and without a time it is the start of the day.
pub(crate) fn iso8601(value: &[u8]) -> Option<String> {
    static FORM: Pattern = Pattern::new(
        r"^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]|$)([0-9:.]*)[\t\n\f\r ]*([Zz]?$|[+-].*)",
    );
    let value = value.trim_ascii();
    let (_, [year, month, day, clock, zone]) = FORM.captures(value)?.extract();
    let date = Date {
        year: number(year),
        month: number(month),
        day: number(day),
        time: Some(time(if value.len() == 10 {
            &b"00:00"[..]
        } else {
            clock
        })?),
        zone: match zone {
            b"" | b"Z" | b"z" => None,
            _ => Some(offset(zone)?),
        },
        half: None,
    };
    date.utc()
}

/// Returns the date of a separator, after its sender, which may have blanks.
fn separator_date(line: &[u8]) -> Option<String> {
    let blanks = memchr_iter(b' ', line);
    blanks.take(8).find_map(|at| date(&line[at..]))
}

fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b','
}

#[derive(Default)]
struct Date {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    /// Hour, minute and second.
    time: Option<(u32, u32, u32)>,
    /// The hour at which the half of the day begins, of a 12-hour clock.
    half: Option<u32>,
    /// The minutes that the zone is ahead of UTC.
    zone: Option<i64>,
}

impl Date {
    /// Takes a word, or three with hyphens between them (`25-Sep-98`).
    fn take_word(&mut self, word: &[u8]) -> Option<()> {
        if word[0].is_ascii_digit() && word.contains(&b'-') {
            let mut parts = word.splitn(3, |&byte| byte == b'-');
            let parts = [parts.next()?, parts.next()?, parts.next()?];
            return parts.iter().try_for_each(|part| self.take(part));
        }
        self.take(word)
    }

    /// Takes a word; `None` if it cannot belong to a date.
    fn take(&mut self, word: &[u8]) -> Option<()> {
        if word.is_empty() {
            return None;
        }
        if word.contains(&b':') && word[0].is_ascii_digit() {
            return set(&mut self.time, time(word)?);
        }
        if matches!(word[0], b'+' | b'-') {
            return set(&mut self.zone, offset(word)?);
        }
        if let Some(number) = number(word) {
            return match (self.day, word.len()) {
                (None, 1 | 2) if number > 0 => set(&mut self.day, number),
                (_, 2..=4) => set(&mut self.year, full_year(number, word.len())),
                _ => None,
            };
        }
        if let Some(month) = month(word) {
            return set(&mut self.month, month);
        }
        if word.eq_ignore_ascii_case(b"am") {
            return set(&mut self.half, 0);
        }
        if word.eq_ignore_ascii_case(b"pm") {
            return set(&mut self.half, 12);
        }
        // Zones follow the time; the weekday precedes it.
        if self.time.is_some() {
            let split = word.iter().position(|byte| matches!(byte, b'+' | b'-'));
            let zone = ZONES.iter().find(|zone| word.eq_ignore_ascii_case(zone.0));
            let minutes = match split {
                // `GMT+0200`.
                Some(at) => offset(&word[at..])?,
                None => zone.map_or(0, |zone| zone.1 * 60),
            };
            // The name of a zone may follow its offset.
            self.zone = self.zone.or(Some(minutes));
        }
        (!word.iter().any(u8::is_ascii_control)).then_some(())
    }

    fn utc(&self) -> Option<String> {
        let day = NaiveDate::from_ymd_opt(self.year? as i32, self.month?, self.day?)?;
        let (mut hour, minute, second) = self.time?;
        match self.half {
            Some(_) if !(1..=12).contains(&hour) => return None,
            Some(half) => hour = hour % 12 + half,
            None => {}
        }
        let second = if second == 60 { 59 } else { second };
        let time = day.and_hms_opt(hour, minute, second)?;
        let time = time - TimeDelta::minutes(self.zone.unwrap_or(0));
        let is_written = (0..=9999).contains(&time.year());
        is_written.then(|| time.and_utc().to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

fn number(word: &[u8]) -> Option<u32> {
    let is_number = word.len() <= 4 && word.iter().all(u8::is_ascii_digit);
    class::number(word).filter(|_| is_number)
}

/// Returns the year of two or three digits (RFC 5322 section 4.3).
fn full_year(number: u32, digits: usize) -> u32 {
    match (digits, number) {
        (2, 0..50) => number + 2000,
        (2 | 3, _) => number + 1900,
        _ => number,
    }
}

pub(super) fn month(word: &[u8]) -> Option<u32> {
    // `sept` and unabbreviated names occur.
    let start = word.first_chunk()?.map(|byte| byte.to_ascii_lowercase());
    let index = MONTHS.iter().position(|&&month| month == start)?;
    let known = word.iter().all(u8::is_ascii_alphabetic) && word.len() <= 9;
    known.then_some(index as u32 + 1)
}

/// Parses `9:30` and `10:11:12`; a fraction of a second is ignored.
fn time(word: &[u8]) -> Option<(u32, u32, u32)> {
    let mut parts = word.split(|&byte| byte == b':');
    let part = |part: &[u8]| number(part).filter(|_| part.len() <= 2);
    let (hour, minute) = (part(parts.next()?)?, part(parts.next()?)?);
    let second = match parts.next() {
        Some(second) => part(second.split(|&byte| byte == b'.').next()?)?,
        None => 0,
    };
    parts.next().is_none().then_some((hour, minute, second))
}

/// Parses `+0100` and `-08:00` as minutes.
fn offset(word: &[u8]) -> Option<i64> {
    let sign = if word[0] == b'-' { -1 } else { 1 };
    let mut digits = word[1..].to_vec();
    digits.retain(|&byte| byte != b':');
    let number = number(&digits).filter(|_| digits.len() == 4)?;
    let (hours, minutes) = (i64::from(number / 100), i64::from(number % 100));
    (minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/envelope.rs"]
mod tests;
