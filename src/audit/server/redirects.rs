//! Redirect rules of Netlify and of those who follow it: `_redirects` and `netlify.toml`.
//!
//! <https://docs.netlify.com/manage/routing/redirects/overview/>

use toml::de::{DeTable, DeValue};

use super::rule::*;
use crate::bytes::pattern::Pattern;

/// `PATH PARAMETERS DESTINATION STATUS CONDITIONS`
pub(super) fn parse_lines(text: &[u8]) -> Option<ParsedRules> {
    let mut parsed = ParsedRules::default();
    for line in text.split(|&byte| byte == b'\n') {
        let words = line.split(u8::is_ascii_whitespace);
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<&[u8]> = words.take_while(|word| word[0] != b'#').collect();
        if !words.is_empty() {
            parsed.add(rule_of(text, &words), offset_in(text, line));
        }
    }
    Some(parsed)
}

fn rule_of(text: &[u8], words: &[&[u8]]) -> Result<ServerRule, Unfit> {
    let is_destination = |word: &&[u8]| word.starts_with(b"/") || ABSOLUTE.is_match(word);
    let to = words[1..].iter().position(is_destination);
    let to = to.ok_or(Unfit::Invalid)? + 1;
    let mut query = Vec::new();
    for pair in &words[1..to] {
        let at = memchr::memchr(b'=', pair).ok_or(Unfit::Invalid)?;
        query.push(condition(&pair[..at], &pair[at + 1..]));
    }
    let others = &words[to + 1..];
    let status = others.first().copied().unwrap_or_default();
    let number = status.strip_suffix(b"!").unwrap_or(status);
    let number = str::from_utf8(number).ok();
    let number = number.and_then(|text| text.parse().ok());
    let start = offset_in(text, words[to]);
    let end = start + words[to].len() as u64;
    Ok(ServerRule {
        from: pattern(words[0])?,
        query,
        to: template(words[to], Span { start, end }),
        status: number.unwrap_or(301),
        force: status.ends_with(b"!"),
        // Those of Netlify are Country, Language, Role and Cookie.
        conditional: others.iter().any(|word| word.contains(&b'=')),
    })
}

/// The value may be a `:name`.
fn condition(key: &[u8], value: &[u8]) -> QueryCondition {
    let decoded = |bytes: &[u8]| percent_decode(bytes).collect();
    let name = value.strip_prefix(b":");
    QueryCondition {
        key: decoded(key),
        value: name.map_or_else(|| decoded(value), Into::into),
        is_named: name.is_some(),
    }
}

static ABSOLUTE: Pattern = Pattern::new("^[A-Za-z]+://");

fn template(text: &[u8], span: Span) -> DestinationTemplate {
    // A splat may be written as in the path.
    let text: Box<[u8]> = match text.strip_suffix(b"/*") {
        Some(start) => [start, b"/:splat"].concat().into(),
        None => text.into(),
    };
    DestinationTemplate::new(text, TemplatePlaces::Names, span)
}

/// Parses a path with `:name` and `*`.
fn pattern(from: &[u8]) -> Result<PathPattern, Unfit> {
    if ABSOLUTE.is_match(from) {
        // The rule is about another host, or about a scheme.
        return Err(Unfit::Unfollowed);
    }
    if !from.starts_with(b"/") || from.contains(&b'?') {
        return Err(Unfit::Invalid);
    }
    let end = memchr::memchr(b'#', from).unwrap_or(from.len());
    let from = from[..end].strip_suffix(b"/").unwrap_or(&from[..end]);
    let segments = PathPattern::segments(from, |segment| match segment.strip_prefix(b":") {
        Some(name) => NAME
            .is_match(name)
            .then(|| SegmentPattern::Named(name.into())),
        None if segment == b"*" => Some(SegmentPattern::rest(b"splat")),
        None => (!segment.contains(&b'*')).then(|| SegmentPattern::literal(segment)),
    });
    let pattern = segments.or_else(|| expression(from));
    pattern.ok_or(Unfit::Unfollowed)
}

/// A place for any text, or for a segment with a name.
static PLACE: Pattern = Pattern::new(r"\*|:([A-Za-z][0-9A-Za-z_]*)");

/// Makes an expression for a place inside a segment, or a `*` before the end.
fn expression(from: &[u8]) -> Option<PathPattern> {
    let decoded: Vec<u8> = percent_decode(from).collect();
    let text = str::from_utf8(&decoded).ok()?;
    let (mut out, mut at) = (String::from("^"), 0);
    for [whole, name] in PLACE.groups(&decoded, 0) {
        out += &regex::escape(&text[at..whole.start]);
        at = whole.end;
        let (name, inner) = match &text[name] {
            "" => ("splat", ".*"),
            name => (name, "[^/]+"),
        };
        let group = format!("?<{name}>");
        // The first place of a name is used.
        let group = if out.contains(&group) { "?:" } else { &group };
        out += &format!("({group}{inner})");
    }
    out += &regex::escape(&text[at..]);
    out.push('$');
    PathPattern::expression(&out, None)
}

/// Returns the directory of the site below the file's, if it is named.
pub(super) fn published(text: &[u8]) -> Option<String> {
    let document = DeTable::parse(str::from_utf8(text).ok()?).ok()?;
    let build = document.get_ref().get("build")?.get_ref();
    let string = |key: &str| build.get(key)?.get_ref().as_str();
    Some([string("base").unwrap_or_default(), string("publish")?].join("/"))
}

/// Returns the directory that `wrangler.toml` names for Cloudflare Pages.
pub(super) fn output_directory(text: &[u8]) -> Option<String> {
    let document = DeTable::parse(str::from_utf8(text).ok()?).ok()?;
    let directory = document.get_ref().get("pages_build_output_dir")?;
    directory.get_ref().as_str().map(str::to_owned)
}

/// `None` if the text is not TOML.
pub(super) fn parse_toml(text: &[u8]) -> Option<ParsedRules> {
    let document = DeTable::parse(str::from_utf8(text).ok()?).ok()?;
    let mut parsed = ParsedRules::default();
    if let Some(redirects) = document.get_ref().get("redirects") {
        for entry in redirects.get_ref().as_array()?.iter() {
            parsed.add(rule_of_table(entry.get_ref()), entry.span().start as u64);
        }
    }
    Some(parsed)
}

fn rule_of_table(entry: &DeValue<'_>) -> Result<ServerRule, Unfit> {
    let get = |key: &str| entry.get(key).map(toml::Spanned::get_ref);
    let from = get("from").and_then(DeValue::as_str);
    let from = from.ok_or(Unfit::Invalid)?;
    // The slash at the start may be left out.
    let is_whole = from.starts_with('/') || ABSOLUTE.is_match(from.as_bytes());
    let slash = if is_whole { "" } else { "/" };
    let from = pattern([slash, from].concat().as_bytes())?;
    let to = entry.get("to").ok_or(Unfit::Invalid)?;
    let text = to.get_ref().as_str().ok_or(Unfit::Invalid)?;
    let pairs = get("query").and_then(DeValue::as_table);
    let pairs = pairs.into_iter().flatten().filter_map(|(key, value)| {
        let value = value.get_ref().as_str()?;
        Some(condition(key.get_ref().as_bytes(), value.as_bytes()))
    });
    let is_set = |key| match get(key) {
        Some(DeValue::Boolean(set)) => *set,
        Some(DeValue::Table(table)) => !table.is_empty(),
        _ => false,
    };
    let status = get("status").and_then(DeValue::as_integer);
    let status = status.and_then(|number| number.to_string().parse().ok());
    // Without its quotes.
    let span = Span {
        start: to.span().start as u64 + 1,
        end: (to.span().end as u64).saturating_sub(1),
    };
    Ok(ServerRule {
        from,
        query: pairs.collect(),
        to: template(text.as_bytes(), span),
        status: status.unwrap_or(301),
        force: is_set("force"),
        conditional: is_set("conditions"),
    })
}
