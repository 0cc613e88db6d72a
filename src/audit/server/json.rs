//! Rules of hosts in JSON: `vercel.json` (<https://vercel.com/docs/project-configuration>),
//! `firebase.json` (<https://firebase.google.com/docs/hosting/full-config>) and `staticwebapp.config.json`
//! (<https://learn.microsoft.com/azure/static-web-apps/configuration>).

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::rule::*;

type JsonMembers<'a> = BTreeMap<String, &'a RawValue>;

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

fn member<'a, T: Deserialize<'a>>(members: &JsonMembers<'a>, name: &str) -> Option<T> {
    read(members.get(name)?)
}

/// The names of a list, of the path and of the destination of its rules, and their usual status.
type RuleNames = (&'static str, &'static str, &'static str, u16);

/// The names of a host's settings.
pub(super) struct JsonRules {
    /// The member that holds the settings; `None` if they are at the top.
    hosting: Option<&'static str>,
    directory: &'static str,
    lists: [RuleNames; 2],
    status: &'static str,
    /// Members that name a program in the place of the destination.
    programs: &'static [&'static str],
    pattern: fn(&str) -> Option<PathPattern>,
}

/// Answers of programs: no file of the tree has a path below.
const PROGRAM: &str = "/__/";

#[rustfmt::skip]
pub(super) static VERCEL: JsonRules = JsonRules {
    hosting: None,
    directory: "outputDirectory",
    lists: [("redirects", "source", "destination", 308), ("rewrites", "source", "destination", 200)],
    status: "statusCode",
    programs: &[],
    pattern,
};

#[rustfmt::skip]
pub(super) static FIREBASE: JsonRules = JsonRules {
    hosting: Some("hosting"),
    directory: "public",
    lists: [("redirects", "source", "destination", 301), ("rewrites", "source", "destination", 200)],
    status: "type",
    programs: &["function", "run", "dynamicLinks"],
    pattern: glob,
};

#[rustfmt::skip]
pub(super) static AZURE: JsonRules = JsonRules {
    directory: "",
    lists: [("routes", "route", "redirect", 302), ("routes", "route", "rewrite", 200)],
    pattern: |source| PathPattern::expression(&expression_of(source), None),
    ..VERCEL
};

impl JsonRules {
    /// Returns the settings of each site; `None` if the text holds none.
    fn settings<'t>(&self, text: &'t [u8]) -> Option<Vec<&'t RawValue>> {
        let whole: &RawValue = serde_json::from_slice(text).ok()?;
        let Some(name) = self.hosting else {
            return Some(vec![whole]);
        };
        let hosting = *read::<JsonMembers<'t>>(whole)?.get(name)?;
        Some(read(hosting).unwrap_or_else(|| vec![hosting]))
    }

    /// Returns each site's directory below the file's, if it is named, and the range of its settings;
    /// an empty range if the text holds none.
    pub(super) fn sites(&self, text: &[u8]) -> Vec<(Option<String>, Range<usize>)> {
        let Some(sites) = self.settings(text) else {
            return vec![(None, 0..0)];
        };
        let site = |settings: &RawValue| {
            let directory = read(settings).and_then(|members| member(&members, self.directory));
            let settings = settings.get().as_bytes();
            let start = offset_in(text, settings) as usize;
            (directory, start..start + settings.len())
        };
        sites.into_iter().map(site).collect()
    }

    /// `None` if the text holds no settings of a site.
    pub(super) fn parse(&self, text: &[u8]) -> Option<ParsedRules> {
        let text = str::from_utf8(text).ok()?;
        let members: JsonMembers<'_> = serde_json::from_str(text).ok()?;
        let mut parsed = ParsedRules::default();
        let clean_urls = member(&members, "cleanUrls") == Some(true);
        parsed.settings.pages = clean_urls.then_some(OptionalExtension::WithSlash);
        parsed.settings.trailing_slash = member(&members, "trailingSlash");
        let offset = |part: &RawValue| offset_in(text.as_bytes(), part.get().as_bytes());
        // Where all are in one list, rules without a destination set something else.
        let has_routes = self.lists[0].0 == "routes";
        for names in &self.lists {
            let Some(list) = members.get(names.0) else {
                continue;
            };
            let Some(entries) = read::<Vec<&RawValue>>(list) else {
                parsed.invalid.push(offset(list));
                continue;
            };
            for entry in entries {
                match self.rule(text, entry, names) {
                    Some(Ok(rule)) => parsed.rules.push(rule),
                    Some(Err(at)) => parsed.unfollowed.push(at),
                    None if has_routes => {}
                    None => parsed.invalid.push(offset(entry)),
                }
            }
        }
        // The older way, with another order.
        if let Some(routes) = members.get("routes").filter(|_| !has_routes) {
            parsed.unfollowed.push(offset(routes));
        }
        if has_routes {
            let rule = |rule: &&RawValue| self.rule(text, rule, &("", "", "rewrite", 200))?.ok();
            (parsed.rules).extend(members.get("navigationFallback").and_then(rule));
            let pages: JsonMembers<'_> = member(&members, "responseOverrides").unwrap_or_default();
            let pages = pages.values().filter_map(rule);
            parsed.error_pages = pages.map(|page| page.to).collect();
        }
        Some(parsed)
    }

    /// `None` if this is not a rule, and the offset of the destination if it is not followed. Without a name of
    /// the path all paths are meant that no file has, except for a list.
    fn rule(
        &self,
        text: &str,
        entry: &RawValue,
        names: &RuleNames,
    ) -> Option<Result<ServerRule, u64>> {
        let &(_, from, to, usual) = names;
        let is_redirect = usual != 200;
        let members: JsonMembers<'_> = read(entry)?;
        let mut programs = self.programs.iter();
        let program = programs.find_map(|name| members.get(*name));
        let (written, destination) = match members.get(to) {
            Some(written) => (written, read(written)?),
            None => (program?, PROGRAM.to_owned()),
        };
        let pattern = if from.is_empty() {
            let list = members.get("exclude").map_or("[]", |list| list.get());
            let except = serde_json::from_str::<Vec<String>>(list).ok()?;
            let except = except.iter().map(|path| expression_of(path));
            // No path is empty.
            let except = except.chain(["^$".to_owned()]).collect::<Vec<_>>();
            PathPattern::expression("^/", Some(&except.join("|")))
        } else if let Some(expression) = member::<String>(&members, "regex") {
            PathPattern::expression(&expression, None)
        } else {
            (self.pattern)(&member::<String>(&members, from)?)
        };
        let written = written.get();
        let offset = offset_in(text.as_bytes(), written.as_bytes());
        let status = member(&members, self.status).filter(|_| is_redirect);
        let is_conditional = |name: &str| members.get(name).is_some_and(|list| list.get() != "[]");
        // Without its quotes.
        let span = Span {
            start: offset + 1,
            end: offset + written.len() as u64 - 1,
        };
        let rule = |pattern| ServerRule {
            from: pattern,
            query: Vec::new(),
            to: DestinationTemplate::new(destination.into_bytes(), TemplatePlaces::Both, span),
            status: status.unwrap_or(usual),
            force: is_redirect || from == "route",
            conditional: is_conditional("has") || is_conditional("missing"),
        };
        Some(pattern.map(rule).ok_or(offset))
    }
}

/// Returns the expression for a path of Azure, where `*` is any text and `{a,b}` one of its parts.
fn expression_of(source: &str) -> String {
    let text = regex::escape(source.strip_suffix('/').unwrap_or(source));
    let text = text.replace("\\*", ".*").replace(',', "|");
    let text = text.replace("\\{", "(?:").replace("\\}", ")");
    format!("^(?:{text})$")
}

/// Parses a glob of Firebase, whose segments are texts, `:name`, `:name*`, `*` or `**`.
fn glob(source: &str) -> Option<PathPattern> {
    let path = source.strip_suffix('/').unwrap_or(source).as_bytes();
    PathPattern::segments(path, |text| match text {
        b"*" => Some(SegmentPattern::Named(Box::default())),
        _ => segment(text, b"**", b"():*+?{}\\[]!@|"),
    })
}

/// Parses a pattern in the syntax of path-to-regexp.
fn pattern(source: &str) -> Option<PathPattern> {
    if !source.starts_with('/') {
        return None;
    }
    let path = source.strip_suffix('/').unwrap_or(source).as_bytes();
    let segments = PathPattern::segments(path, |text| segment(text, b"(.*)", b"():*+?{}\\[]"));
    segments.or_else(|| expression(source))
}

/// Parses a segment: a name after a colon, maybe with `*`, `all`, or a text without special bytes.
fn segment(text: &[u8], all: &[u8], special: &[u8]) -> Option<SegmentPattern> {
    let name = text.strip_prefix(b":").unwrap_or_default();
    match name.strip_suffix(b"*") {
        _ if text == all => Some(SegmentPattern::rest(b"")),
        Some(all) if NAME.is_match(all) => Some(SegmentPattern::rest(all)),
        None if NAME.is_match(name) => Some(SegmentPattern::Named(name.into())),
        _ if text.iter().any(|byte| special.contains(byte)) => None,
        _ => Some(SegmentPattern::literal(text)),
    }
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
