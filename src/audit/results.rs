//! Answers about targets on the network, as online checkers and archives have written them down.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foldhash::HashMap;
use serde_json::{Map, Value};

use super::date::seconds;
use super::target::split_fragment;
use crate::uri::{Resolver, Rules};

/// The answers for the targets of an audit.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnlineResults {
    by_url: HashMap<Box<[u8]>, OnlineResult>,
    /// In seconds since 1970; older answers are ignored.
    oldest: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct OnlineResult {
    pub(super) answer: OnlineAnswer,
    /// The status, or the reason why it is missing.
    pub(super) status: String,
    pub(super) location: Option<String>,
    /// In seconds since 1970.
    checked: u64,
    /// The time of an archived copy, as in CDX: 14 digits.
    archived: Option<String>,
    archived_url: String,
}

/// The kinds of answers that rules are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OnlineAnswer {
    #[default]
    Unknown,
    Fine,
    /// 404 or 410.
    Gone,
    /// 301 or 308, with the new address.
    Moved,
    /// Another error, or no answer at all.
    Unreachable,
}

impl OnlineResult {
    /// Returns the address of the archived copy.
    pub(super) fn copy(&self) -> Option<Vec<u8>> {
        let time = self.archived.as_ref()?;
        let copy = format!("https://web.archive.org/web/{time}/{}", self.archived_url);
        Some(copy.into_bytes())
    }
}

impl OnlineResults {
    /// Ignores answers before a time, in seconds since 1970.
    pub(crate) fn since(oldest: u64) -> Self {
        OnlineResults {
            oldest,
            ..OnlineResults::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_url.is_empty()
    }

    /// By the target with its fragment, or else without.
    pub(super) fn find(&self, target: &[u8]) -> Option<&OnlineResult> {
        if self.is_empty() {
            return None;
        }
        let target = normal(target);
        let known = |url: &[u8]| self.by_url.get(url);
        let exact = known(&target).filter(|result| result.answer != OnlineAnswer::Unknown);
        exact.or_else(|| known(split_fragment(&target).0))
    }

    /// Reads a file that was written at a time.
    pub(crate) fn read(&mut self, bytes: &[u8], written: SystemTime) -> Result<(), String> {
        let written = written.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let written = written.as_secs();
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{FEFF}').trim_start();
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Array(pages)) => {
                // The pages of muffet, or records.
                for page in &pages {
                    match page.get("links").and_then(Value::as_array) {
                        Some(links) => links.iter().for_each(|link| self.record(link, written)),
                        None => self.record(page, written),
                    }
                }
                return Ok(());
            }
            Ok(Value::Object(report)) if !report.contains_key("url") => {
                return self.report(&report, written);
            }
            _ => {}
        }
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let mut lines = lines.peekable();
        let first = lines.peek().copied().unwrap_or_default();
        if first.starts_with('{') {
            for line in lines {
                let record = serde_json::from_str(line).map_err(|error| error.to_string())?;
                self.record(&record, written);
            }
            return Ok(());
        }
        if table(first).headers().is_ok_and(is_table) {
            return self.table(text, written);
        }
        lines.try_for_each(|line| self.capture(line))
    }

    /// Reads CSV whose first line names the columns.
    fn table(&mut self, text: &str, written: u64) -> Result<(), String> {
        let mut table = table(text);
        let names = table.headers().map_err(|error| error.to_string())?.clone();
        for row in table.records() {
            let row = row.map_err(|error| error.to_string())?;
            let cell = |name: &str| {
                let mut names = names.iter();
                let at = names.position(|known| known.eq_ignore_ascii_case(name));
                row.get(at?).filter(|cell| !cell.is_empty())
            };
            let (url, status) = (cell("url").unwrap_or_default(), cell("status"));
            if url.contains('\n') {
                let line = row.position().map_or(0, csv::Position::line);
                return Err(format!("line {line}: a quote is not closed"));
            }
            let checked = cell("checked_at").and_then(seconds).unwrap_or(written);
            self.add(url, status.unwrap_or_default(), cell("location"), checked);
        }
        Ok(())
    }

    /// Reads a report of lychee or linkinator.
    fn report(&mut self, report: &Map<String, Value>, written: u64) -> Result<(), String> {
        if let Some(links) = report.get("links").and_then(Value::as_array) {
            links.iter().for_each(|link| self.record(link, written));
            return Ok(());
        }
        let maps = report.iter().filter(|(name, _)| name.ends_with("_map"));
        // Addresses that were left out have no answer; suggestions are not answers.
        let others = ["excluded_map", "suggestion_map"];
        let maps = maps.filter(|(name, _)| !others.contains(&&***name));
        let mut maps = maps.peekable();
        if maps.peek().is_none() {
            return Err("it is not the output of a known checker".to_owned());
        }
        let maps = maps.filter_map(|(_, map)| map.as_object());
        let pages = maps.flat_map(Map::values);
        let links = pages.filter_map(Value::as_array).flatten();
        links.for_each(|link| self.record(link, written));
        Ok(())
    }

    /// Reads an object with `url`, `status` or `error`, and maybe `checked_at` and `location`.
    fn record(&mut self, record: &Value, written: u64) {
        let text = |key: &str| record.get(key).and_then(Value::as_str);
        // Redirects that lychee followed have no status, and may have led to an error.
        let url = text("url").or(text("origin"));
        let Some(url) = url.filter(|_| text("state") != Some("SKIPPED")) else {
            return;
        };
        let known = self.by_url.get(&*normal(url.as_bytes()));
        let is_error = |known: &OnlineResult| {
            matches!(known.answer, OnlineAnswer::Gone | OnlineAnswer::Unreachable)
        };
        if text("url").is_none() && known.is_some_and(is_error) {
            return;
        }
        let report = record.get("status").or(record.get("error"));
        let report = report.unwrap_or(&Value::Null);
        // The status of lychee, and the redirects that it followed, are in an object.
        let status = report.get("code").or(report.get("text")).unwrap_or(report);
        let (mut code, mut location) = (word(status), text("location"));
        if status.is_null() && text("origin").is_some() {
            "200".clone_into(&mut code);
        }
        let redirects = report.get("redirects").or(record.get("redirects"));
        let redirects = redirects.map(|list| list.get("redirects").unwrap_or(list));
        if let Some(steps) = redirects.and_then(Value::as_array) {
            let is_permanent = |step: &Value| {
                let code = step.get("code").and_then(Value::as_u64);
                matches!(code, Some(301 | 308))
            };
            let last = steps.last().and_then(|step| step.get("url")?.as_str());
            if last.is_some()
                && steps.iter().all(is_permanent)
                && class(&code, None) == OnlineAnswer::Fine
            {
                (code, location) = ("301".to_owned(), last);
            }
        }
        let checked = text("checked_at").and_then(seconds).unwrap_or(written);
        self.add(url, &code, location, checked);
    }

    /// Reads a line of CDX or CDXJ: a copy in an archive.
    fn capture(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        let mut words = line.split_ascii_whitespace();
        let (first, time) = (words.next(), words.next().unwrap_or_default());
        if first == Some("CDX") || first.is_some_and(|first| first.starts_with('!')) {
            return Ok(());
        }
        if time.len() < 4 || !time.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("a line of it is neither a result nor a record of CDX".to_owned());
        }
        let (url, status) = match line.split_once(" {") {
            Some((_, fields)) => {
                let fields: Value = serde_json::from_str(&format!("{{{fields}"))
                    .map_err(|error| error.to_string())?;
                let field = |key: &str| fields.get(key).map(word);
                (field("url"), field("status"))
            }
            None => (
                words.next().map(str::to_owned),
                words.nth(1).map(str::to_owned),
            ),
        };
        let (Some(url), Some(status)) = (url, status) else {
            return Ok(());
        };
        if status.starts_with('2') {
            let result = self.by_url.entry(normal(url.as_bytes()).into());
            let result = result.or_default();
            if result.archived.as_deref().is_none_or(|known| known < time) {
                result.archived = Some(time.to_owned());
                result.archived_url = url;
            }
        }
        Ok(())
    }

    /// Of several answers the newest is kept.
    fn add(&mut self, url: &str, status: &str, location: Option<&str>, checked: u64) {
        let answer = class(status, location);
        let status = if status == "0" { "no answer" } else { status };
        if answer == OnlineAnswer::Unknown || checked < self.oldest {
            return;
        }
        let result = self.by_url.entry(normal(url.as_bytes()).into());
        let result = result.or_default();
        if result.answer == OnlineAnswer::Unknown || result.checked <= checked {
            (result.answer, result.checked) = (answer, checked);
            result.status = status.to_owned();
            result.location = location.map(str::to_owned);
        }
    }
}

/// Returns a text or a number of JSON.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// In the form that the URL standard gives it.
fn normal(url: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let resolver = Resolver::without_base(Rules::Whatwg);
    match resolver.resolve_into(url, &mut out) {
        Ok(_) => out,
        Err(_) => url.to_vec(),
    }
}

/// Returns the kind of a status such as `404`, `404 Not Found` or `timeout`.
fn class(status: &str, location: Option<&str>) -> OnlineAnswer {
    let digits = status.split(|c: char| !c.is_ascii_digit()).next();
    match digits.unwrap_or_default().parse() {
        Ok(404u16 | 410) => OnlineAnswer::Gone,
        Ok(301 | 308) if location.is_some() => OnlineAnswer::Moved,
        Ok(200..400) => OnlineAnswer::Fine,
        _ if status.is_empty() => OnlineAnswer::Unknown,
        _ if status.eq_ignore_ascii_case("ok") => OnlineAnswer::Fine,
        _ => OnlineAnswer::Unreachable,
    }
}

fn table(text: &str) -> csv::Reader<&[u8]> {
    let mut table = csv::ReaderBuilder::new();
    let table = table.flexible(true).trim(csv::Trim::All);
    table.from_reader(text.as_bytes())
}

fn is_table(names: &csv::StringRecord) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case("url"))
}
