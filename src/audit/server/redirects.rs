//! Redirect rules of Netlify and of those who follow it: `_redirects` and `netlify.toml`.
//!
//! <https://docs.netlify.com/manage/routing/redirects/overview/>

use std::ops::Range;

use percent_encoding::percent_decode;
use toml::de::{DeTable, DeValue};

use super::rule::{
    DestinationTemplate, ParsedRules, PathPattern, QueryCondition, RestPattern, RulePositions,
    SegmentPattern, ServerRule, TemplatePlaces, UNPLACED, segments,
};
use crate::document::events::Span;

/// The name by which a destination has what `*` stands for.
const SPLAT: &[u8] = b"splat";

/// Reads the lines of `_redirects`: a path, parameters of the query, a destination, a status,
/// conditions.
pub(super) fn parse_lines(text: &[u8]) -> ParsedRules {
    let mut parsed = ParsedRules::default();
    let mut start = 0;
    let mut positions = RulePositions::new(text);
    for line in text.split(|&byte| byte == b'\n') {
        let at = start;
        start += line.len() + 1;
        let words: Vec<Range<usize>> = words(line)
            .take_while(|word| line[word.start] != b'#')
            .collect();
        if words.is_empty() {
            continue;
        }
        let mut rule = match rule_of(line, &words) {
            Ok(rule) => rule,
            Err(unfit) => {
                match unfit {
                    Unfit::Invalid => parsed.invalid.add(at as u64),
                    Unfit::Unfollowed => parsed.unfollowed.add(at as u64),
                }
                continue;
            }
        };
        rule.span.start += at as u64;
        rule.span.end += at as u64;
        rule.position = positions.at(rule.span.start as usize);
        parsed.rules.push(rule);
    }
    parsed
}

/// The reason why a rule is not in the index.
enum Unfit {
    /// The server ignores it too.
    Invalid,
    /// Only the server can follow it.
    Unfollowed,
}

/// Returns the directory of the site, below that of a `netlify.toml`, if the file names one.
pub(super) fn published(text: &str) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let DeValue::Table(build) = find(document.get_ref(), "build")?.into_inner() else {
        return None;
    };
    let string = |key: &str| match find(&build, key)?.into_inner() {
        DeValue::String(text) => Some(text.into_owned()),
        _ => None,
    };
    let base = string("base").unwrap_or_default();
    Some(format!("{base}/{}", string("publish")?))
}

/// Returns the ranges of the words of a line.
fn words(line: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at
            + line[at..]
                .iter()
                .position(|byte| !byte.is_ascii_whitespace())?;
        let length = (line[start..].iter()).position(u8::is_ascii_whitespace);
        at = length.map_or(line.len(), |length| start + length);
        Some(start..at)
    })
}

fn rule_of(line: &[u8], words: &[Range<usize>]) -> Result<ServerRule, Unfit> {
    let word = |index: usize| words.get(index).map(|word| &line[word.clone()]);
    let is_destination = |index: &usize| {
        word(*index).is_some_and(|word| word.starts_with(b"/") || is_absolute(word))
    };
    let to = (1..words.len())
        .find(is_destination)
        .ok_or(Unfit::Invalid)?;
    let from = word(0).ok_or(Unfit::Invalid)?;
    let mut query = Vec::new();
    for index in 1..to {
        let pair = word(index).unwrap_or_default();
        let at = memchr::memchr(b'=', pair).ok_or(Unfit::Invalid)?;
        query.push(condition(&pair[..at], &pair[at + 1..]));
    }
    let mut status = word(to + 1).unwrap_or_default();
    let force = status.ends_with(b"!");
    status = status.strip_suffix(b"!").unwrap_or(status);
    let number = str::from_utf8(status)
        .ok()
        .and_then(|text| text.parse().ok());
    // Those of Netlify are Country, Language, Role and Cookie.
    let others = words.get(to + 1..).unwrap_or_default();
    let conditional = others.iter().any(|word| line[word.clone()].contains(&b'='));
    Ok(ServerRule {
        from: pattern(from)?,
        query,
        to: template(word(to).unwrap_or_default()),
        status: number.unwrap_or(301),
        force,
        conditional,
        position: UNPLACED,
        span: Span {
            start: words[to].start as u64,
            end: words[to].end as u64,
        },
    })
}

/// Returns a condition on a parameter, whose value may be a `:name`.
fn condition(key: &[u8], value: &[u8]) -> QueryCondition {
    let decoded = |bytes: &[u8]| percent_decode(bytes).collect::<Vec<u8>>();
    match value.strip_prefix(b":") {
        Some(name) => QueryCondition::Named {
            key: decoded(key).into(),
            name: name.into(),
        },
        None => QueryCondition::Literal([&*decoded(key), b"=", &*decoded(value)].concat().into()),
    }
}

fn is_absolute(reference: &[u8]) -> bool {
    let scheme = memchr::memmem::find(reference, b"://");
    scheme.is_some_and(|end| end > 0 && reference[..end].iter().all(u8::is_ascii_alphabetic))
}

fn template(text: &[u8]) -> DestinationTemplate {
    // A splat may be written as in the path.
    let text = match text.strip_suffix(b"/*") {
        Some(start) => [start, b"/:splat"].concat(),
        None => text.to_vec(),
    };
    DestinationTemplate {
        text: text.into(),
        places: TemplatePlaces::Names,
    }
}

/// Returns the pattern of a path with `:name` and `*`.
fn pattern(from: &[u8]) -> Result<PathPattern, Unfit> {
    if is_absolute(from) {
        // The rule is about another host, or about a scheme.
        return Err(Unfit::Unfollowed);
    }
    if !from.starts_with(b"/") || from.contains(&b'?') {
        return Err(Unfit::Invalid);
    }
    let end = memchr::memchr(b'#', from).unwrap_or(from.len());
    let from = &from[..end];
    let from = from.strip_suffix(b"/").unwrap_or(from);
    let mut patterns = Vec::new();
    let mut rest = None;
    for segment in segments(from) {
        let name = segment.strip_prefix(b":").filter(|name| {
            let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            !name.is_empty() && name.iter().all(in_name)
        });
        if rest.is_some() || segment.starts_with(b":") && name.is_none() {
            return expression(from);
        }
        match (segment, name) {
            (b"*", _) => {
                rest = Some(RestPattern {
                    name: SPLAT.into(),
                    least: 0,
                });
            }
            (_, Some(name)) => patterns.push(SegmentPattern::Named(name.into())),
            (segment, None) if segment.contains(&b'*') => return expression(from),
            (segment, None) => {
                let decoded: Vec<u8> = percent_decode(segment).collect();
                patterns.push(SegmentPattern::Literal(decoded.into()));
            }
        }
    }
    Ok(PathPattern::Segments {
        segments: patterns,
        rest,
    })
}

/// Returns the expression of a path with a place inside a segment, or with a `*` that is not its end.
fn expression(from: &[u8]) -> Result<PathPattern, Unfit> {
    let mut out = String::from("^");
    let decoded: Vec<u8> = percent_decode(from).collect();
    let text = str::from_utf8(&decoded).map_err(|_| Unfit::Unfollowed)?;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        let name = rest
            .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .unwrap_or(rest.len());
        match first {
            '*' if out.contains("<splat>") => out.push_str(".*"),
            '*' => out.push_str("(?<splat>.*)"),
            ':' if rest.starts_with(|next: char| next.is_ascii_alphabetic()) => {
                let group = format!("?<{}>", &rest[..name]);
                // The first place of a name counts.
                let group = if out.contains(&group) { "?:" } else { &group };
                out.push_str(&format!("({group}[^/]+)"));
                rest = &rest[name..];
            }
            _ => out.push_str(&regex::escape(first.encode_utf8(&mut [0; 4]))),
        }
    }
    out.push('$');
    PathPattern::expression(&out, None).ok_or(Unfit::Unfollowed)
}

/// Reads the `[[redirects]]` of `netlify.toml`; none where it is no TOML.
pub(super) fn parse_toml(text: &str) -> Option<ParsedRules> {
    let document = DeTable::parse(text).ok()?;
    let mut parsed = ParsedRules::default();
    let Some(redirects) = find(document.get_ref(), "redirects") else {
        return Some(parsed);
    };
    let DeValue::Array(redirects) = redirects.into_inner() else {
        return None;
    };
    let mut positions = RulePositions::new(text.as_bytes());
    for entry in redirects {
        let start = entry.span().start;
        let DeValue::Table(table) = entry.into_inner() else {
            parsed.invalid.add(start as u64);
            continue;
        };
        let string = |key: &str| match find(&table, key)?.into_inner() {
            DeValue::String(text) => Some(text.into_owned()),
            _ => None,
        };
        let from = string("from").ok_or(Unfit::Invalid);
        let from = match from.and_then(|from| pattern_with_slash(from.as_bytes())) {
            Ok(from) => from,
            Err(Unfit::Invalid) => {
                parsed.invalid.add(start as u64);
                continue;
            }
            Err(Unfit::Unfollowed) => {
                parsed.unfollowed.add(start as u64);
                continue;
            }
        };
        let Some(to) = string("to") else {
            parsed.invalid.add(start as u64);
            continue;
        };
        let span = find(&table, "to").map_or(start..start, |to| to.span());
        let pairs = match find(&table, "query").map(toml::Spanned::into_inner) {
            Some(DeValue::Table(pairs)) => pairs,
            _ => DeTable::new(),
        };
        let query = pairs
            .iter()
            .filter_map(|(key, value)| match value.get_ref() {
                DeValue::String(value) => {
                    Some(condition(key.get_ref().as_bytes(), value.as_bytes()))
                }
                _ => None,
            });
        let is_set = |key: &str| match find(&table, key).map(toml::Spanned::into_inner) {
            Some(DeValue::Boolean(set)) => set,
            Some(DeValue::Table(table)) => !table.is_empty(),
            _ => false,
        };
        let status = match find(&table, "status").map(toml::Spanned::into_inner) {
            Some(DeValue::Integer(number)) => number.to_string().parse().ok(),
            _ => None,
        };
        parsed.rules.push(ServerRule {
            from,
            query: query.collect(),
            to: template(to.as_bytes()),
            status: status.unwrap_or(301),
            force: is_set("force"),
            conditional: is_set("conditions"),
            position: positions.at(span.start + 1),
            span: Span {
                start: span.start as u64 + 1,
                end: (span.end as u64).saturating_sub(1),
            },
        });
    }
    Some(parsed)
}

fn find<'t>(table: &DeTable<'t>, key: &str) -> Option<toml::Spanned<DeValue<'t>>> {
    let found = table.iter().find(|(known, _)| known.get_ref() == key);
    found.map(|(_, value)| value.clone())
}

/// Returns the pattern of a path, which may lack the slash at its start.
fn pattern_with_slash(from: &[u8]) -> Result<PathPattern, Unfit> {
    match from.starts_with(b"/") || is_absolute(from) {
        true => pattern(from),
        false => pattern(&[b"/", from].concat()),
    }
}
