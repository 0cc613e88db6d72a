//! Configuration of Vercel, as far as it is about files: `vercel.json`.
//!
//! <https://vercel.com/docs/project-configuration>

use std::collections::BTreeMap;

use percent_encoding::percent_decode;
use serde_json::value::RawValue;

use super::rule::{
    DestinationTemplate, Occurrences, ParsedRules, PathPattern, RestPattern, RulePositions,
    SegmentPattern, ServerRule, TemplatePlaces, UNPLACED, segments,
};
use crate::document::events::Span;

/// The contents of a file.
#[derive(Debug, Default)]
pub(super) struct VercelConfig {
    /// `redirects` and, after them, `rewrites`.
    pub(super) parsed: ParsedRules,
    /// Pages are served without their extension.
    pub(super) clean_urls: bool,
    /// The slash at the end of a path is added, or removed.
    pub(super) trailing_slash: Option<bool>,
}

type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Reads a file; none where it is no JSON object.
pub(super) fn parse(text: &str) -> Option<VercelConfig> {
    let members: Members<'_> = serde_json::from_str(text).ok()?;
    let mut config = VercelConfig::default();
    let flag = |name: &str| serde_json::from_str::<bool>(members.get(name)?.get()).ok();
    config.clean_urls = flag("cleanUrls") == Some(true);
    config.trailing_slash = flag("trailingSlash");
    let mut positions = RulePositions::new(text.as_bytes());
    for (name, is_redirect) in [("redirects", true), ("rewrites", false)] {
        let Some(list) = members.get(name) else {
            continue;
        };
        let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(list.get()) else {
            config.parsed.invalid.add(offset_in(text, list.get()));
            continue;
        };
        for entry in entries {
            let start = offset_in(text, entry.get());
            match rule(
                text,
                entry.get(),
                is_redirect,
                &mut config.parsed.unfollowed,
            ) {
                Some(Some(mut rule)) => {
                    rule.position = positions.at(rule.span.start as usize);
                    config.parsed.rules.push(rule);
                }
                Some(None) => {}
                None => config.parsed.invalid.add(start),
            }
        }
    }
    // The older way, which is written in an order of its own.
    if let Some(routes) = members.get("routes") {
        config.parsed.unfollowed.add(offset_in(text, routes.get()));
    }
    Some(config)
}

/// Returns the directory of the site, below that of the file, if the file names one.
pub(super) fn published(text: &str) -> Option<String> {
    let members: Members<'_> = serde_json::from_str(text).ok()?;
    serde_json::from_str(members.get("outputDirectory")?.get()).ok()
}

/// Returns the offset of a part of a text.
fn offset_in(text: &str, part: &str) -> u64 {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize) as u64
}

/// Reads a rule: an error if it is none, and nothing if it is counted as not followed.
fn rule(
    text: &str,
    entry: &str,
    is_redirect: bool,
    unfollowed: &mut Occurrences,
) -> Option<Option<ServerRule>> {
    let members: Members<'_> = serde_json::from_str(entry).ok()?;
    let string = |name: &str| serde_json::from_str::<String>(members.get(name)?.get()).ok();
    let (source, destination) = (string("source")?, string("destination")?);
    let written = members.get("destination")?.get();
    let offset = offset_in(text, written);
    let status = match (is_redirect, members.get("statusCode")) {
        (true, Some(status)) => serde_json::from_str(status.get()).unwrap_or(308),
        (true, None) => 308,
        (false, _) => 200,
    };
    let Some(from) = pattern(&source) else {
        unfollowed.add(offset);
        return Some(None);
    };
    let is_conditional = |name: &str| members.get(name).is_some_and(|list| list.get() != "[]");
    Some(Some(ServerRule {
        from,
        query: Vec::new(),
        to: DestinationTemplate {
            text: destination.into_bytes().into(),
            places: TemplatePlaces::Both,
        },
        status,
        force: is_redirect,
        conditional: is_conditional("has") || is_conditional("missing"),
        position: UNPLACED,
        // Without its quotes.
        span: Span {
            start: offset + 1,
            end: offset + written.len() as u64 - 1,
        },
    }))
}

/// Returns the pattern of a path in the syntax of path-to-regexp.
fn pattern(source: &str) -> Option<PathPattern> {
    if !source.starts_with('/') {
        return None;
    }
    simple_pattern(source).or_else(|| expression(source))
}

/// Returns the pattern of a path whose places are whole segments; none for others.
fn simple_pattern(source: &str) -> Option<PathPattern> {
    let is_name = |name: &str| {
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(in_name)
    };
    let mut patterns = Vec::new();
    let mut rest = None;
    for segment in segments(source.strip_suffix('/').unwrap_or(source).as_bytes()) {
        let segment = str::from_utf8(segment).ok()?;
        if rest.is_some() {
            return None;
        }
        let name = segment.strip_prefix(':');
        if let Some(name) = name.filter(|name| is_name(name)) {
            patterns.push(SegmentPattern::Named(name.as_bytes().into()));
        } else if let Some(name) = name.and_then(|name| name.strip_suffix('*'))
            && is_name(name)
        {
            let name = name.as_bytes().into();
            rest = Some(RestPattern { name, least: 0 });
        } else if segment == "(.*)" {
            let name = Box::default();
            rest = Some(RestPattern { name, least: 0 });
        } else if segment.contains(['(', ')', ':', '*', '+', '?', '{', '}', '\\', '[', ']']) {
            return None;
        } else {
            let decoded: Vec<u8> = percent_decode(segment.as_bytes()).collect();
            patterns.push(SegmentPattern::Literal(decoded.into()));
        }
    }
    Some(PathPattern::Segments {
        segments: patterns,
        rest,
    })
}

/// Returns the expression of a path; none for what the syntax of expressions lacks.
fn expression(source: &str) -> Option<PathPattern> {
    let mut out = String::from("^");
    let mut except = None;
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '\\' => {
                let escaped = rest.chars().next()?;
                rest = &rest[escaped.len_utf8()..];
                out.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
            }
            ':' | '(' => {
                let mut name = "";
                if first == ':' {
                    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let end = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
                    (name, rest) = rest.split_at(end);
                    name.chars().next()?;
                }
                let mut inner = "[^/]+?";
                if first == '(' || rest.starts_with('(') {
                    let group = if first == '(' { rest } else { &rest[1..] };
                    let end = group_end(group)?;
                    (inner, rest) = (&group[..end], &group[end + 1..]);
                }
                if let Some(look) = inner.strip_prefix("(?!") {
                    let end = group_end(look)?;
                    if except.is_some() {
                        return None;
                    }
                    except = Some(format!("{out}(?:{})", &look[..end]));
                    inner = &look[end + 1..];
                }
                let modifier = rest.chars().next().filter(|next| "*+?".contains(*next));
                rest = &rest[modifier.map_or(0, char::len_utf8)..];
                // The slash before a place belongs to it.
                let slash = match modifier.is_some() && out.ends_with('/') {
                    true => {
                        out.pop();
                        "/"
                    }
                    false => "",
                };
                let opening = match name {
                    "" => "(".to_owned(),
                    name => format!("(?<{name}>"),
                };
                out.push_str(&match modifier {
                    None => format!("{opening}{inner})"),
                    Some('?') => format!("(?:{slash}{opening}{inner}))?"),
                    Some('+') => format!("(?:{slash}{opening}(?:{inner})(?:{slash}(?:{inner}))*))"),
                    Some(_) => format!("(?:{slash}{opening}(?:{inner})(?:{slash}(?:{inner}))*))?"),
                });
            }
            '{' | '}' => return None,
            _ => out.push_str(&regex::escape(first.encode_utf8(&mut [0; 4]))),
        }
    }
    out.push_str("/?$");
    PathPattern::expression(&out, except.as_deref())
}

/// Returns the index of the parenthesis that closes a group.
fn group_end(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}
