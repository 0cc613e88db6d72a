//! Transcriptions to the letter, on strings, of the algorithms of RFC 1808, RFC 2396 and RFC 3986.

use uriscan::uri::{ExcessDots, SameScheme};

/// Appendix B of RFC 2396 and RFC 3986.
#[derive(Clone, Default)]
struct Parts {
    scheme: Option<String>,
    authority: Option<String>,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
}

fn take(text: &mut String, delimiter: char) -> Option<String> {
    let at = text.find(delimiter)?;
    let after = text.split_off(at + 1);
    text.pop();
    Some(after)
}

fn split(reference: &str) -> Parts {
    let mut parts = Parts {
        path: reference.to_owned(),
        ..Parts::default()
    };
    parts.fragment = take(&mut parts.path, '#');
    parts.query = take(&mut parts.path, '?');
    let colon = parts
        .path
        .find([':', '/'])
        .filter(|&at| at > 0 && parts.path[at..].starts_with(':'));
    if let Some(at) = colon {
        parts.scheme = Some(parts.path[..at].to_owned());
        parts.path.replace_range(..=at, "");
    }
    if let Some(rest) = parts.path.strip_prefix("//") {
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        (parts.authority, parts.path) = (Some(authority.to_owned()), path.to_owned());
    }
    parts
}

/// RFC 3986 section 5.3, RFC 2396 section 5.2 step 7.
fn recompose(parts: &Parts) -> String {
    let mut result = String::new();
    if let Some(scheme) = &parts.scheme {
        result = scheme.clone() + ":";
    }
    if let Some(authority) = &parts.authority {
        result = result + "//" + authority;
    }
    result += &parts.path;
    if let Some(query) = &parts.query {
        result = result + "?" + query;
    }
    if let Some(fragment) = &parts.fragment {
        result = result + "#" + fragment;
    }
    result
}

fn same_scheme(one: &Option<String>, other: &Option<String>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one.eq_ignore_ascii_case(other))
}

/// RFC 3986 section 5.2.2.
pub(super) fn rfc3986(base: &str, reference: &str, scheme: SameScheme) -> String {
    let base = split(base);
    let mut r = split(reference);
    let mut t = Parts::default();
    if scheme == SameScheme::Compat && same_scheme(&r.scheme, &base.scheme) {
        r.scheme = None;
    }
    if r.scheme.is_some() {
        t = Parts {
            path: remove_dot_segments(&r.path),
            ..r.clone()
        };
    } else {
        if r.authority.is_some() {
            t = Parts {
                path: remove_dot_segments(&r.path),
                ..r.clone()
            };
        } else {
            if r.path.is_empty() {
                t.path = base.path.clone();
                t.query = if r.query.is_some() {
                    r.query.clone()
                } else {
                    base.query.clone()
                };
            } else {
                t.path = if r.path.starts_with('/') {
                    remove_dot_segments(&r.path)
                } else {
                    remove_dot_segments(&merge(&base, &r.path))
                };
                t.query = r.query.clone();
            }
            t.authority = base.authority.clone();
        }
        t.scheme = base.scheme.clone();
    }
    t.fragment = r.fragment;
    recompose(&t)
}

/// RFC 3986 section 5.2.3.
fn merge(base: &Parts, path: &str) -> String {
    if base.authority.is_some() && base.path.is_empty() {
        return format!("/{path}");
    }
    let directory = base.path.rfind('/').map_or("", |at| &base.path[..=at]);
    format!("{directory}{path}")
}

/// RFC 3986 section 5.2.4.
fn remove_dot_segments(path: &str) -> String {
    let (mut input, mut output) = (path.to_owned(), String::new());
    while !input.is_empty() {
        if input.starts_with("../") {
            input.replace_range(..3, "");
        } else if input.starts_with("./") {
            input.replace_range(..2, "");
        } else if input.starts_with("/./") || input == "/." {
            input = "/".to_owned() + input.get(3..).unwrap_or("");
        } else if input.starts_with("/../") || input == "/.." {
            input = "/".to_owned() + input.get(4..).unwrap_or("");
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "." || input == ".." {
            input.clear();
        } else {
            let end = input
                .char_indices()
                .skip(1)
                .find(|(_, c)| *c == '/')
                .map_or(input.len(), |(at, _)| at);
            output += &input[..end];
            input.replace_range(..end, "");
        }
    }
    output
}

/// RFC 2396 section 5.2; an error is `None`.
pub(super) fn rfc2396(
    base: &str,
    reference: &str,
    excess: ExcessDots,
    scheme: SameScheme,
) -> Option<String> {
    let base_parts = split(base);
    let mut r = split(reference);
    // 2)
    if r.path.is_empty() && r.scheme.is_none() && r.authority.is_none() && r.query.is_none() {
        let fragment = r
            .fragment
            .map_or(String::new(), |fragment| format!("#{fragment}"));
        return Some(base[..base.find('#').unwrap_or(base.len())].to_owned() + &fragment);
    }
    // 3)
    if let Some(name) = &r.scheme {
        let hierarchical = "http https ftp file gopher nntp telnet wais prospero";
        let ignored = scheme == SameScheme::Compat
            && same_scheme(&r.scheme, &base_parts.scheme)
            && hierarchical
                .split(' ')
                .any(|one| one.eq_ignore_ascii_case(name));
        if !ignored {
            return Some(reference.to_owned());
        }
    }
    // Section 5.
    if base_parts.authority.is_none() && !base_parts.path.starts_with('/') {
        return None;
    }
    r.scheme = base_parts.scheme.clone();
    // 4)
    if r.authority.is_some() {
        return Some(recompose(&r));
    }
    r.authority = base_parts.authority.clone();
    // 5)
    if r.path.starts_with('/') {
        return Some(recompose(&r));
    }
    // 6) a, b
    let directory = base_parts
        .path
        .rfind('/')
        .map_or("", |at| &base_parts.path[..=at]);
    r.path = remove_merged(&format!("{directory}{}", r.path), excess)?;
    // 7)
    Some(recompose(&r))
}

/// Steps 6 c to g: whole segments at a time, the leftmost first, until nothing changes.
fn remove_merged(buffer: &str, excess: ExcessDots) -> Option<String> {
    let (slash, rest) = match buffer.strip_prefix('/') {
        Some(rest) => ("/", rest),
        None => ("", buffer),
    };
    let mut segments: Vec<&str> = rest.split('/').collect();
    // c, d) Where the last segment is removed, an empty one remains behind its slash.
    if segments.last() == Some(&".") {
        segments.pop();
        segments.push("");
    }
    segments.retain(|segment| *segment != ".");
    // e, f)
    while let Some(at) = segments
        .windows(2)
        .position(|pair| pair[0] != ".." && pair[1] == "..")
    {
        let is_last = at + 2 == segments.len();
        segments.drain(at..at + 2);
        if is_last {
            segments.push("");
        }
    }
    // g)
    if segments.first() == Some(&"..") {
        match excess {
            ExcessDots::Keep => {}
            ExcessDots::Error => return None,
            ExcessDots::Remove => {
                let is_last = segments.last() == Some(&"..");
                segments.retain(|segment| *segment != "..");
                if is_last {
                    segments.push("");
                }
            }
        }
    }
    Some(slash.to_owned() + &segments.join("/"))
}

/// The six components of RFC 1808, and whether there were slashes before the network location.
#[derive(Clone, Default)]
struct Parts1808 {
    scheme: String,
    slashes: bool,
    net_loc: String,
    path: String,
    params: String,
    query: String,
    fragment: String,
}

/// RFC 1808 section 2.4.
fn split1808(url: &str) -> Parts1808 {
    let mut parts = Parts1808 {
        path: url.to_owned(),
        ..Parts1808::default()
    };
    parts.fragment = take(&mut parts.path, '#').unwrap_or_default();
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    if let Some(at) = parts.path.find(|c| !is_scheme(c))
        && at > 0
        && parts.path[at..].starts_with(':')
    {
        parts.scheme = parts.path[..at].to_owned();
        parts.path.replace_range(..=at, "");
    }
    if let Some(rest) = parts.path.strip_prefix("//") {
        let (net_loc, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        (parts.slashes, parts.net_loc, parts.path) = (true, net_loc.to_owned(), path.to_owned());
    }
    parts.query = take(&mut parts.path, '?').unwrap_or_default();
    parts.params = take(&mut parts.path, ';').unwrap_or_default();
    parts
}

/// RFC 1808 section 4; a base that is never used with relative URLs is `None`.
pub(super) fn rfc1808(base: &str, reference: &str) -> Option<String> {
    let b = split1808(base);
    let mut r = split1808(reference);
    // 2 a, b)
    if reference.is_empty() {
        return Some(base.to_owned());
    }
    if !r.scheme.is_empty() {
        return Some(reference.to_owned());
    }
    if !reference.starts_with('#') && !b.slashes && !b.path.starts_with('/') {
        return None;
    }
    // 2 c)
    r.scheme.clone_from(&b.scheme);
    // 3)
    if r.net_loc.is_empty() {
        (r.net_loc, r.slashes) = (b.net_loc, b.slashes);
        // 4)
        if !r.path.starts_with('/') {
            if r.path.is_empty() {
                // 5)
                r.path = b.path;
                if r.params.is_empty() {
                    r.params = b.params;
                    if r.query.is_empty() {
                        r.query = b.query;
                    }
                }
            } else {
                // 6) A base without a path is not foreseen: the root stands for it.
                let directory = b.path.rfind('/').map_or("/", |at| &b.path[..=at]);
                r.path = remove_merged(&format!("{directory}{}", r.path), ExcessDots::Keep)?;
            }
        }
    }
    // 7)
    let mut result = r.scheme + ":";
    if r.slashes {
        result = result + "//" + &r.net_loc;
    }
    result += &r.path;
    for (delimiter, component) in [(";", r.params), ("?", r.query), ("#", r.fragment)] {
        if !component.is_empty() {
            result = result + delimiter + &component;
        }
    }
    Some(result)
}
