//! Configuration of Apache httpd in directories: `.htaccess`.
//!
//! <https://httpd.apache.org/docs/2.4/mod/mod_alias.html>,
//! <https://httpd.apache.org/docs/2.4/mod/mod_dir.html>

use regex::bytes::Captures;

use super::rule::*;
use crate::bytes::pattern::Pattern;

/// Directives that do not change which file is at a path.
const INERT: &str = "addcharset adddefaultcharset addencoding addlanguage addoutputfilterbytype addtype allow authname \
    authtype authuserfile browsermatch contentdigest defaultlanguage defaulttype deny expiresactive expiresbytype \
    expiresdefault fileetag forcetype header indexignore indexoptions limitrequestbody order php_flag php_value \
    requestheader require satisfy serversignature setenv setenvif setenvifnocase setoutputfilter unsetenv";

/// Maximum number of names of index files.
const MAX_INDEX_NAMES: usize = 256;

pub(super) fn parse(text: &[u8]) -> Option<ParsedRules> {
    let mut found = ParsedRules::default();
    // Whether each open section holds for all requests.
    let mut sections: Vec<bool> = Vec::new();
    let mut at = 0;
    while let Some((line, span)) = logical_line(text, &mut at) {
        let words = words(&line);
        let Some(name) = words.first().map(|name| name.to_ascii_lowercase()) else {
            continue;
        };
        if name.starts_with(b"</") {
            sections.pop();
            continue;
        }
        if let Some(section) = name.strip_prefix(b"<") {
            // Modules are taken to be there.
            let negated = words.get(1).is_some_and(|word| word.starts_with(b"!"));
            let is_transparent = section == b"ifmodule" || section == b"ifversion";
            sections.push(is_transparent && !negated);
            continue;
        }
        let name = String::from_utf8_lossy(&name);
        let followed = match &*name {
            _ if INERT.split(' ').any(|known| known == name) => continue,
            _ if sections.contains(&false) => None,
            name => found.directive(name, &words[1..], span),
        };
        if followed.is_none() {
            found.unfollowed.push(span.start);
        }
    }
    Some(found)
}

impl ParsedRules {
    fn directive(&mut self, name: &str, words: &[Vec<u8>], span: Span) -> Option<()> {
        match name {
            "redirect" | "redirectpermanent" | "redirecttemp" | "redirectmatch" => {
                let (status, words) = match name {
                    "redirectpermanent" => (301, words),
                    "redirecttemp" => (302, words),
                    _ => status(words),
                };
                let (path, to) = (words.first()?, words.get(1));
                let (from, places) = if name == "redirectmatch" {
                    let expression = PathPattern::expression(str::from_utf8(path).ok()?, None);
                    (expression?, TemplatePlaces::Numbers)
                } else if path.starts_with(b"/") {
                    // `/a/` matches paths below `/a`, and `/a` itself too.
                    let prefix = path.strip_suffix(b"/");
                    let literals = segments(prefix.unwrap_or(path)).map(SegmentPattern::literal);
                    let rest = SegmentPattern::Rest {
                        name: Box::default(),
                        least: usize::from(prefix.is_some()),
                    };
                    let prefix = literals.chain([rest]).collect();
                    (PathPattern::Segments(prefix), TemplatePlaces::Append)
                } else {
                    return None;
                };
                // Only redirects have a destination, and they must have one.
                if (300..400).contains(&status) != to.is_some() {
                    return None;
                }
                let text = to.cloned().unwrap_or_default();
                self.rules.push(ServerRule {
                    from,
                    query: Vec::new(),
                    to: DestinationTemplate::new(text, places, span),
                    status,
                    force: true,
                    conditional: false,
                });
            }
            "directoryindex" => {
                let names = (words.iter()).filter(|name| !name.eq_ignore_ascii_case(b"disabled"));
                let names = names.map(|name| String::from_utf8(name.clone()).ok());
                let names: Arc<[String]> = names.collect::<Option<_>>()?;
                // Pages elsewhere that are served for each directory, or too many to look for in each.
                if names.len() > MAX_INDEX_NAMES || names.iter().any(|name| name.contains('/')) {
                    return None;
                }
                self.settings.index = Some(names);
            }
            "errordocument" => {
                let path = words.get(1)?.clone();
                if path.starts_with(b"/") {
                    let page = DestinationTemplate::new(path, TemplatePlaces::Nothing, span);
                    self.error_pages.push(page);
                }
            }
            "options" => {
                let is_relative = |word: &Vec<u8>| word.starts_with(b"+") || word.starts_with(b"-");
                let is_whole = !words.iter().any(is_relative);
                let mut words = words.iter().rev();
                let named = words.find_map(|word| match &*word.to_ascii_lowercase() {
                    b"multiviews" | b"+multiviews" => Some(OptionalExtension::WithoutSlash),
                    b"-multiviews" => Some(OptionalExtension::Never),
                    _ => None,
                });
                let pages = named.or(is_whole.then_some(OptionalExtension::Never));
                self.settings.pages = pages.or(self.settings.pages);
            }
            _ => return None,
        }
        Some(())
    }
}

/// The default is 302.
fn status(words: &[Vec<u8>]) -> (u16, &[Vec<u8>]) {
    let Some((first, rest)) = words.split_first() else {
        return (302, words);
    };
    let number = match first.to_ascii_lowercase().as_slice() {
        b"permanent" => Some(301),
        b"temp" => Some(302),
        b"seeother" => Some(303),
        b"gone" => Some(410),
        digits => (str::from_utf8(digits).ok()).and_then(|text| text.parse().ok()),
    };
    number.map_or((302, words), |number| (number, rest))
}

/// Returns the line at an offset, with its continuations, and moves the offset to the next one.
fn logical_line(text: &[u8], at: &mut usize) -> Option<(Vec<u8>, Span)> {
    let (mut line, start) = (Vec::new(), *at as u64);
    loop {
        let rest = text.get(*at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        *at += end + 1;
        let piece = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        match piece.strip_suffix(b"\\") {
            Some(piece) if *at < text.len() => line.extend_from_slice(piece),
            _ => {
                line.extend_from_slice(piece);
                let end = (*at - 1) as u64;
                return Some((line, Span { start, end }));
            }
        }
    }
}

/// A word, which may be quoted; only the quote itself is escaped by a backslash.
static WORD: Pattern = Pattern::new(r#""((?:\\"|[^"])*)"?|'((?:\\'|[^'])*)'?|[^ \t\n\x0C\r]+"#);

/// Splits a line into words; a comment has none.
fn words(line: &[u8]) -> Vec<Vec<u8>> {
    let line = line.trim_ascii();
    let words = WORD.captures_iter(line).filter(|_| !line.starts_with(b"#"));
    let word = |word: Captures<'_>| {
        let Some(text) = word.get(1).or(word.get(2)) else {
            return word[0].to_vec();
        };
        let (text, escape) = (text.as_bytes(), [b'\\', word[0][0]]);
        let bytes = text.iter().enumerate();
        let kept = bytes.filter(|(at, _)| !text[*at..].starts_with(&escape));
        kept.map(|(_, byte)| *byte).collect()
    };
    words.map(word).collect()
}
