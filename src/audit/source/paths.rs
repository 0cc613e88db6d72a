//! Paths of files and URLs.

use crate::bytes::pattern::Pattern;
use crate::pipeline::bases::push_segments;

/// Splits a path into the directory with its slash, the name without its extension, and the extension.
pub(super) fn parts(path: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let at = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    let (directory, name) = path.split_at(at);
    match memchr::memrchr(b'.', name) {
        Some(dot) if dot > 0 => (directory, &name[..dot], &name[dot + 1..]),
        _ => (directory, name, b""),
    }
}

/// Returns a URL without its index file and the slash at its end.
pub(super) fn normal(url: &[u8]) -> &[u8] {
    let directory = url.strip_suffix(b"index.html");
    let url = directory.filter(|url| url.ends_with(b"/")).unwrap_or(url);
    url.strip_suffix(b"/").unwrap_or(url)
}

/// Resolves a path against a directory with its slash; `..` ends at the root.
pub(in crate::audit) fn join(directory: &[u8], path: &[u8]) -> Vec<u8> {
    let start = [directory, b"/"][usize::from(path.starts_with(b"/"))];
    let mut joined = start.strip_suffix(b"/").unwrap_or(start).to_vec();
    push_segments(path, &mut joined);
    let last = &path[up_to_slash(path).len()..];
    if joined.is_empty() || matches!(last, b"" | b"." | b"..") {
        joined.push(b'/');
    }
    joined
}

/// Returns whether the name of a file or of a directory above it begins with a text.
pub(super) fn has_segment(path: &[u8], start: &[u8]) -> bool {
    let mut names = path.split(|&byte| byte == b'/');
    names.any(|name| name.starts_with(start))
}

/// Returns a path with its slash up to the last one.
pub(super) fn up_to_slash(path: &[u8]) -> &[u8] {
    &path[..memchr::memrchr(b'/', path).map_or(0, |at| at + 1)]
}

/// Returns the path of a directory with a slash at its end.
pub(in crate::audit) fn with_slash(directory: &[u8]) -> Vec<u8> {
    [directory.strip_suffix(b"/").unwrap_or(directory), b"/"].concat()
}

/// Returns the last name of the path of a file or a directory.
pub(super) fn last_name(path: &[u8]) -> &[u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    &path[up_to_slash(path).len()..]
}

/// Returns the directory above another one, which has a slash at its end.
pub(in crate::audit) fn above(directory: &[u8]) -> &[u8] {
    up_to_slash(directory.strip_suffix(b"/").unwrap_or(directory))
}

/// Returns the rest of a path at or below another one, with its slash.
pub(in crate::audit) fn below<'p>(path: &'p [u8], above: &[u8]) -> Option<&'p [u8]> {
    let rest = path.strip_prefix(above)?;
    (rest.is_empty() || rest.starts_with(b"/")).then_some(rest)
}

/// Returns the path of a URL with slashes around it.
pub(super) fn in_slashes(path: &str) -> String {
    match path.trim_matches('/') {
        "" => "/".to_owned(),
        path => format!("/{path}/"),
    }
}

/// Returns a path with other names in it.
pub(super) fn renamed<'p, N: AsRef<[u8]>>(path: &'p [u8], name: impl Fn(&'p [u8]) -> N) -> Vec<u8> {
    let names = path.split(|&byte| byte == b'/').map(name);
    names
        .map(|name| name.as_ref().to_vec())
        .collect::<Vec<_>>()
        .join(&b'/')
}

/// Returns the URL of a page by its path: the directory of an index, or the name with another end.
pub(super) fn page_url(below: &[u8], index: &[&str], end: &str) -> Vec<u8> {
    let (directory, name, _) = parts(below);
    match index.iter().any(|index| index.as_bytes() == name) {
        true => [b"/", directory].concat(),
        false => [b"/", directory, name, end.as_bytes()].concat(),
    }
}

/// A variable of a pattern of URLs.
static VARIABLE: Pattern = Pattern::new(r":([A-Za-z_]*\[?)");
static DAY: Pattern = Pattern::new(r"^(\d+)[-/](\d+)[-/](\d+)");

/// Returns the URL that a pattern makes by a date and other values; for a variable without a value, the URL up to there
/// and the name.
pub(super) fn expand<'p>(
    pattern: &'p str,
    date: &[u8],
    value: impl Fn(&str) -> Option<String>,
) -> Result<String, (String, &'p str)> {
    let day = DAY.captures(date);
    let part = |number| {
        let digits = day.as_ref()?.get(number)?.as_bytes();
        Some(String::from_utf8_lossy(digits).into_owned())
    };
    let two = |number| Some(format!("{:0>2}", part(number)?));
    let short = |number| Some(part(number)?.trim_start_matches('0').to_owned());
    let (mut url, mut at) = (String::new(), 0);
    for [whole, name] in VARIABLE.groups(pattern.as_bytes(), 0) {
        url += &pattern[at..whole.start];
        at = whole.end;
        let name = &pattern[name];
        let value = match name {
            "year" => part(1),
            "short_year" => part(1).map(|year| year.chars().skip(2).collect()),
            "month" => two(2),
            "i_month" => short(2),
            "day" => two(3),
            "i_day" => short(3),
            name => value(name),
        };
        match value {
            Some(value) => url += &value,
            None => return Err((url, name)),
        }
    }
    Ok(url + &pattern[at..])
}
