//! Configuration of Apache httpd in directories: `.htaccess`.
//!
//! <https://httpd.apache.org/docs/2.4/mod/mod_alias.html>,
//! <https://httpd.apache.org/docs/2.4/mod/mod_dir.html>

use super::rule::{
    DestinationTemplate, ErrorPage, ParsedRules, PathPattern, RestPattern, ServerRule,
    TemplatePlaces,
};
use crate::bytes::lines::Position;
use crate::document::events::Span;

/// The directives of a file.
#[derive(Debug, Default)]
pub(super) struct DirectoryDirectives {
    /// `Redirect` and `RedirectMatch`.
    pub(super) parsed: ParsedRules,
    /// The names of index files, if `DirectoryIndex` sets them.
    pub(super) index: Option<Vec<String>>,
    /// Whether extensions may be left out, if `Options` says so.
    pub(super) multiviews: Option<bool>,
    /// The pages of `ErrorDocument`.
    pub(super) error_pages: Vec<ErrorPage>,
}

/// Directives that change headers, access or content, and not what stands at a path.
const WITHOUT_EFFECT: &[&str] = &[
    "addcharset",
    "adddefaultcharset",
    "addencoding",
    "addlanguage",
    "addoutputfilterbytype",
    "addtype",
    "allow",
    "authname",
    "authtype",
    "authuserfile",
    "browsermatch",
    "contentdigest",
    "defaultlanguage",
    "defaulttype",
    "deny",
    "expiresactive",
    "expiresbytype",
    "expiresdefault",
    "fileetag",
    "forcetype",
    "header",
    "indexignore",
    "indexoptions",
    "limitrequestbody",
    "order",
    "php_flag",
    "php_value",
    "requestheader",
    "require",
    "satisfy",
    "serversignature",
    "setenv",
    "setenvif",
    "setenvifnocase",
    "setoutputfilter",
    "unsetenv",
];

/// Reads the directives of a file.
pub(super) fn parse(text: &[u8]) -> DirectoryDirectives {
    let mut found = DirectoryDirectives::default();
    // The sections that are open, and whether each holds for all requests.
    let mut sections: Vec<bool> = Vec::new();
    for line in LogicalLines::new(text) {
        let words = words(&line.text);
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
        if WITHOUT_EFFECT.contains(&&*name) {
            continue;
        }
        if sections.contains(&false) || found.directive(&name, &words[1..], &line).is_none() {
            found.parsed.unfollowed.add(line.start);
        }
    }
    found
}

impl DirectoryDirectives {
    /// Takes a directive; returns none if it is not followed.
    fn directive(&mut self, name: &str, words: &[Vec<u8>], line: &LogicalLine) -> Option<()> {
        match name {
            "redirect" => self.redirect(words, line)?,
            "redirectpermanent" => self.redirect(&with_status(b"301", words), line)?,
            "redirecttemp" => self.redirect(&with_status(b"302", words), line)?,
            "redirectmatch" => {
                let (status, rest) = status(words);
                let pattern = str::from_utf8(rest.first()?).ok()?;
                let from = PathPattern::expression(pattern, None)?;
                self.rule(from, TemplatePlaces::Numbers, status, rest.get(1), line)?;
            }
            "directoryindex" => {
                let names = words
                    .iter()
                    .filter(|name| !name.eq_ignore_ascii_case(b"disabled"));
                let names = names.map(|name| String::from_utf8(name.clone()).ok());
                let names: Vec<String> = names.collect::<Option<_>>()?;
                // Pages elsewhere that are served for each directory.
                if names.iter().any(|name| name.contains('/')) {
                    return None;
                }
                self.index = Some(names);
            }
            "errordocument" => {
                let page = words.get(1)?;
                if page.starts_with(b"/") {
                    self.error_pages.push(ErrorPage {
                        path: page.clone(),
                        position: line.position(),
                        span: line.span(),
                    });
                }
            }
            "options" => {
                let is_relative = words
                    .iter()
                    .any(|word| word.starts_with(b"+") || word.starts_with(b"-"));
                let mut multiviews = (!is_relative).then_some(false);
                for word in words {
                    let (sign, option) = match word.split_first() {
                        Some((sign @ (b'+' | b'-'), option)) => (*sign, option),
                        _ => (b'+', word.as_slice()),
                    };
                    if option.eq_ignore_ascii_case(b"multiviews") {
                        multiviews = Some(sign == b'+');
                    }
                }
                self.multiviews = multiviews.or(self.multiviews);
            }
            _ => return None,
        }
        Some(())
    }

    fn redirect(&mut self, words: &[Vec<u8>], line: &LogicalLine) -> Option<()> {
        let (status, rest) = status(words);
        let path = rest.first()?;
        if !path.starts_with(b"/") {
            return None;
        }
        // `/a/` is for what is below `/a`, and `/a` for itself too.
        let (prefix, least) = match path.strip_suffix(b"/") {
            Some(prefix) => (prefix, 1),
            None => (path.as_slice(), 0),
        };
        let name = Box::default();
        let from = PathPattern::literal(prefix, Some(RestPattern { name, least }));
        self.rule(from, TemplatePlaces::Append, status, rest.get(1), line)
    }

    fn rule(
        &mut self,
        from: PathPattern,
        places: TemplatePlaces,
        status: u16,
        to: Option<&Vec<u8>>,
        line: &LogicalLine,
    ) -> Option<()> {
        // Only redirects have a destination, and they must have one.
        if (300..400).contains(&status) != to.is_some() {
            return None;
        }
        let text = to.cloned().unwrap_or_default().into();
        self.parsed.rules.push(ServerRule {
            from,
            query: Vec::new(),
            to: DestinationTemplate { text, places },
            status,
            force: true,
            conditional: false,
            position: line.position(),
            span: line.span(),
        });
        Some(())
    }
}

fn with_status(status: &[u8], words: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut all = vec![status.to_vec()];
    all.extend_from_slice(words);
    all
}

/// Splits the status off, which is 302 if it is not given.
fn status(words: &[Vec<u8>]) -> (u16, &[Vec<u8>]) {
    let Some((first, rest)) = words.split_first() else {
        return (302, words);
    };
    let number = match first.to_ascii_lowercase().as_slice() {
        b"permanent" => Some(301),
        b"temp" => Some(302),
        b"seeother" => Some(303),
        b"gone" => Some(410),
        digits => str::from_utf8(digits)
            .ok()
            .and_then(|text| text.parse().ok()),
    };
    match number {
        Some(number) => (number, rest),
        None => (302, words),
    }
}

/// A line with those that continue it.
struct LogicalLine {
    text: Vec<u8>,
    /// The offsets in the file.
    start: u64,
    end: u64,
    /// The number, from 1.
    number: u64,
}

impl LogicalLine {
    fn position(&self) -> Position {
        Position {
            line: self.number,
            column: 1,
        }
    }

    fn span(&self) -> Span {
        Span {
            start: self.start,
            end: self.end,
        }
    }
}

struct LogicalLines<'a> {
    text: &'a [u8],
    at: usize,
    number: u64,
}

impl<'a> LogicalLines<'a> {
    fn new(text: &'a [u8]) -> Self {
        let (at, number) = (0, 0);
        LogicalLines { text, at, number }
    }
}

impl Iterator for LogicalLines<'_> {
    type Item = LogicalLine;

    fn next(&mut self) -> Option<LogicalLine> {
        let mut line = LogicalLine {
            text: Vec::new(),
            start: self.at as u64,
            end: 0,
            number: self.number + 1,
        };
        loop {
            let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.at += end + 1;
            self.number += 1;
            let piece = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            match piece.strip_suffix(b"\\") {
                Some(piece) if self.at < self.text.len() => line.text.extend_from_slice(piece),
                _ => {
                    line.text.extend_from_slice(piece);
                    line.end = (self.at - 1) as u64;
                    return Some(line);
                }
            }
        }
    }
}

/// Splits a line into words, which may be quoted; a comment has none.
fn words(line: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut rest = line.trim_ascii();
    if rest.starts_with(b"#") {
        return words;
    }
    while let Some(&first) = rest.first() {
        let mut word = Vec::new();
        let quote = matches!(first, b'"' | b'\'').then_some(first);
        let mut at = usize::from(quote.is_some());
        while let Some(&byte) = rest.get(at) {
            at += 1;
            match quote {
                Some(quote) if byte == quote => break,
                None if byte.is_ascii_whitespace() => break,
                // The quote itself may stand behind a backslash; all else keeps it.
                Some(quote) if byte == b'\\' && rest.get(at) == Some(&quote) => {
                    word.push(quote);
                    at += 1;
                }
                _ => word.push(byte),
            }
        }
        words.push(word);
        rest = rest[at.min(rest.len())..].trim_ascii_start();
    }
    words
}
