//! Rules of hosts in JSON: `vercel.json` (<https://vercel.com/docs/project-configuration>) and
//! `firebase.json` (<https://firebase.google.com/docs/hosting/full-config>).

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::rule::{
    DestinationTemplate, ParsedRules, PathPattern, SegmentPattern, ServerRule, TemplatePlaces,
    is_name, offset_in,
};
use crate::audit::disk::OptionalExtension;
use crate::document::events::Span;

type JsonMembers<'a> = BTreeMap<String, &'a RawValue>;

/// The names of a host's settings.
pub(super) struct JsonRules {
    /// The member that holds the settings; `None` if they are at the top.
    hosting: Option<&'static str>,
    directory: &'static str,
    status: &'static str,
    usual_status: u16,
    pattern: fn(&str) -> Option<PathPattern>,
}

pub(super) static VERCEL: JsonRules = JsonRules {
    hosting: None,
    directory: "outputDirectory",
    status: "statusCode",
    usual_status: 308,
    pattern,
};

pub(super) static FIREBASE: JsonRules = JsonRules {
    hosting: Some("hosting"),
    directory: "public",
    status: "type",
    usual_status: 301,
    pattern: glob,
};

impl JsonRules {
    /// Returns the settings, of the first site if there are several; `None` if the text holds none.
    fn members<'t>(&self, text: &'t str) -> Option<JsonMembers<'t>> {
        let members: JsonMembers<'_> = serde_json::from_str(text).ok()?;
        match self.hosting {
            None => Some(members),
            Some(name) => {
                let settings = members.get(name)?.get();
                let sites = serde_json::from_str::<Vec<_>>(settings).ok();
                let first = sites.and_then(|sites| sites.into_iter().next());
                first.or_else(|| serde_json::from_str(settings).ok())
            }
        }
    }

    /// Returns the directory of the site below the file's, if it is named.
    pub(super) fn published(&self, text: &[u8]) -> Option<String> {
        let members = self.members(str::from_utf8(text).ok()?)?;
        serde_json::from_str(members.get(self.directory)?.get()).ok()
    }

    /// `None` if the text holds no settings.
    pub(super) fn parse(&self, text: &[u8]) -> Option<ParsedRules> {
        let text = str::from_utf8(text).ok()?;
        let members = self.members(text)?;
        let mut parsed = ParsedRules::default();
        let flag = |name: &str| serde_json::from_str::<bool>(members.get(name)?.get()).ok();
        let clean_urls = flag("cleanUrls") == Some(true);
        parsed.settings.pages = clean_urls.then_some(OptionalExtension::WithSlash);
        parsed.settings.trailing_slash = flag("trailingSlash");
        let offset = |part: &RawValue| offset_in(text.as_bytes(), part.get().as_bytes());
        for (name, is_redirect) in [("redirects", true), ("rewrites", false)] {
            let Some(list) = members.get(name) else {
                continue;
            };
            let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(list.get()) else {
                parsed.invalid.add(offset(list));
                continue;
            };
            for entry in entries {
                match self.rule(text, entry.get(), is_redirect) {
                    Some(Ok(rule)) => parsed.rules.push(rule),
                    Some(Err(at)) => parsed.unfollowed.add(at),
                    None => parsed.invalid.add(offset(entry)),
                }
            }
        }
        // The older way, with another order.
        if let Some(routes) = members.get("routes") {
            parsed.unfollowed.add(offset(routes));
        }
        Some(parsed)
    }

    /// `None` if this is not a rule, and the offset of the destination if it is not followed.
    fn rule(&self, text: &str, entry: &str, is_redirect: bool) -> Option<Result<ServerRule, u64>> {
        let members: JsonMembers<'_> = serde_json::from_str(entry).ok()?;
        let string = |name: &str| serde_json::from_str::<String>(members.get(name)?.get()).ok();
        let (source, destination) = (string("source")?, string("destination")?);
        let written = members.get("destination")?.get();
        let offset = offset_in(text.as_bytes(), written.as_bytes());
        let status = members.get(self.status).filter(|_| is_redirect);
        let status = status.and_then(|status| serde_json::from_str(status.get()).ok());
        let is_conditional = |name: &str| members.get(name).is_some_and(|list| list.get() != "[]");
        // Without its quotes.
        let span = Span {
            start: offset + 1,
            end: offset + written.len() as u64 - 1,
        };
        let rule = |from| ServerRule {
            from,
            query: Vec::new(),
            to: DestinationTemplate::new(destination.into_bytes(), TemplatePlaces::Both, span),
            status: status.unwrap_or(if is_redirect { self.usual_status } else { 200 }),
            force: is_redirect,
            conditional: is_conditional("has") || is_conditional("missing"),
        };
        Some((self.pattern)(&source).map(rule).ok_or(offset))
    }
}

/// Parses a glob of Firebase, whose segments are texts, `:name`, `:name*`, `*` or `**`.
fn glob(source: &str) -> Option<PathPattern> {
    let path = source.strip_suffix('/').unwrap_or(source).as_bytes();
    PathPattern::segments(path, |segment| {
        let name = segment.strip_prefix(b":").unwrap_or_default();
        match name.strip_suffix(b"*") {
            _ if segment == b"**" => Some(SegmentPattern::rest(b"")),
            _ if segment == b"*" => Some(SegmentPattern::Named(Box::default())),
            Some(all) if is_name(all) => Some(SegmentPattern::rest(all)),
            None if is_name(name) => Some(SegmentPattern::Named(name.into())),
            _ if segment.iter().any(|byte| b"():*+?{}\\[]!@|".contains(byte)) => None,
            _ => Some(SegmentPattern::literal(segment)),
        }
    })
}

/// Parses a pattern in the syntax of path-to-regexp.
fn pattern(source: &str) -> Option<PathPattern> {
    if !source.starts_with('/') {
        return None;
    }
    let path = source.strip_suffix('/').unwrap_or(source).as_bytes();
    let is_special = |byte: &u8| b"():*+?{}\\[]".contains(byte);
    let segments = PathPattern::segments(path, |segment| {
        let name = segment.strip_prefix(b":").unwrap_or_default();
        let all = name.strip_suffix(b"*").unwrap_or_default();
        if is_name(name) {
            Some(SegmentPattern::Named(name.into()))
        } else if is_name(all) || segment == b"(.*)" {
            Some(SegmentPattern::rest(all))
        } else {
            (!segment.iter().any(is_special)).then(|| SegmentPattern::literal(segment))
        }
    });
    segments.or_else(|| expression(source))
}

/// `None` for syntax that expressions lack.
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
                let mut slash = "";
                if modifier.is_some() && out.ends_with('/') {
                    out.pop();
                    slash = "/";
                }
                let opening = match name {
                    "" => "(".to_owned(),
                    name => format!("(?<{name}>"),
                };
                let repeated = format!("{opening}(?:{inner})(?:{slash}(?:{inner}))*)");
                out += &match modifier {
                    None => format!("{opening}{inner})"),
                    Some('?') => format!("(?:{slash}{opening}{inner}))?"),
                    Some('+') => format!("(?:{slash}{repeated})"),
                    Some(_) => format!("(?:{slash}{repeated})?"),
                };
            }
            '{' | '}' => return None,
            _ => out.push_str(&regex::escape(first.encode_utf8(&mut [0; 4]))),
        }
    }
    out.push_str("/?$");
    PathPattern::expression(&out, except.as_deref())
}

/// Returns the index of the closing parenthesis.
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
