//! References in Org: links in brackets, and URIs by the rules for text.
#![doc = include_str!("rules.md")]

use std::ops::Range;

use memchr::{memchr, memmem};

use super::blocks::{
    BlockReader, BlockResults, BlockScanner, erase, format, lines, text_references,
};
use super::events::NameRange;
use super::options::TextOptions;
use super::text::schemes::SchemeForm;
use super::{Format, ScanStart};
use crate::bytes::class::run_end;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;

/// Org.
pub(super) const FORMAT: Format = format("org", &["org"], |options| {
    let reader = OrgReader {
        text: options.text.clone(),
        ..OrgReader::default()
    };
    Box::new(BlockScanner::new(reader, options))
});

/// Skipped blocks.
const VERBATIM: [&str; 4] = ["src", "example", "export", "comment"];
/// Maximum length of a link, and of a verbatim text, in bytes.
const MAX_LINK_LEN: usize = 4 << 10;

/// A link: its target, and its text if it has one.
static LINK: Pattern = Pattern::new(r"^\[\[((?:\\.|[^\[\]\\])*)\](?:\]|\[(.*?)\]\])");
/// A backslash in a target, before a bracket or another backslash.
static ESCAPE: Pattern = Pattern::new(r"\\([\[\]\\])");

#[derive(Default)]
struct OrgReader {
    results: BlockResults,
    text: TextOptions,
    /// The name of the open block that is skipped.
    verbatim: Option<&'static str>,
}

fn keyword<'a>(line: &'a [u8], keyword: &str) -> Option<&'a [u8]> {
    let (head, rest) = line.split_at_checked(2 + keyword.len())?;
    let is_own = head.starts_with(b"#+") && head[2..].eq_ignore_ascii_case(keyword.as_bytes());
    is_own.then_some(rest)
}

/// Returns the name of the skipped block that a line begins.
fn verbatim_name(line: &[u8]) -> Option<&'static str> {
    let rest = keyword(line.trim_ascii_start(), "begin_")?;
    let word = &rest[..run_end(rest, 0, |byte| !byte.is_ascii_whitespace())];
    let mut names = VERBATIM.into_iter();
    names.find(|name| word.eq_ignore_ascii_case(name.as_bytes()))
}

impl BlockReader for OrgReader {
    fn begin(&mut self, _start: &ScanStart) {
        self.verbatim = None;
    }

    fn passes_over(&mut self, head: &[u8]) -> bool {
        let Some(name) = self.verbatim else {
            return false;
        };
        let rest = keyword(head.trim_ascii(), "end_");
        let is_end = rest.is_some_and(|rest| rest.eq_ignore_ascii_case(name.as_bytes()));
        let stars = run_end(head, 0, |byte| byte == b'*');
        // A heading ends all blocks.
        let is_heading = stars > 0 && head[stars..].starts_with(b" ");
        if is_end || is_heading {
            self.verbatim = None;
        }
        !is_heading
    }

    /// Whether a line begins a block that is skipped.
    fn is_apart(&self, head: &[u8], _previous: Option<&[u8]>) -> bool {
        verbatim_name(head).is_some()
    }

    fn results(&mut self) -> &mut BlockResults {
        &mut self.results
    }

    fn read(&mut self, bytes: &[u8], block: Range<usize>) {
        self.verbatim = verbatim_name(&bytes[block.clone()]);
        if self.verbatim.is_some() {
            return;
        }
        let mut text = bytes[block.clone()].to_vec();
        for line in lines(bytes, block.clone()) {
            step(1);
            let own = line.text();
            let erased = line.start - block.start..line.end - block.start;
            if let [b'#', b' ', ..] | [b'#'] = own {
                self.results.comment(line.range(), &own[1..]);
                text[erased].fill(b' ');
            } else if let [b':', b' ', ..] | [b':'] = own {
                text[erased].fill(b' ');
            }
        }
        self.inline(&mut text, block.start);
    }
}

impl OrgReader {
    fn inline(&mut self, text: &mut [u8], start: usize) {
        let mut at = 0;
        while let Some(next) = text[at..].iter().position(|byte| b"[=~@s".contains(byte)) {
            step(1);
            at += next;
            let rest = &text[at..text.len().min(at + MAX_LINK_LEN)];
            let end = match rest {
                [b'[', b'[', ..] => self.link(text, at, start),
                [b'=' | b'~', ..] => verbatim_end(text, at),
                // `@@html:<b>@@` and `src_sh{curl}`.
                [b'@', b'@', ..] => memmem::find(&rest[2..], b"@@").map(|end| at + end + 4),
                [b's', ..] if rest.starts_with(b"src_") => {
                    let open = memchr(b'{', &rest[..rest.len().min(64)]);
                    let close = open.and_then(|open| Some(open + memchr(b'}', &rest[open..])? + 1));
                    close.map(|close| at + close)
                }
                _ => None,
            };
            // Skips one byte of an unclosed construct; the rest may be a link.
            let Some(end) = end else {
                at += 1;
                continue;
            };
            erase(&mut text[at..end]);
            at = end;
        }
        text_references(text, start, &self.text, &mut self.results);
    }

    /// Reports the link in brackets at `at`; returns the index after it.
    fn link(&mut self, text: &[u8], at: usize, start: usize) -> Option<usize> {
        let found = LINK.captures(&text[at..text.len().min(at + MAX_LINK_LEN)])?;
        let place = |range: Range<usize>| start + at + range.start..start + at + range.end;
        // An image in the place of a text.
        if let Some(shown) = found.get(2)
            && !shown.as_bytes().iter().any(u8::is_ascii_whitespace)
        {
            let range = place(shown.range());
            self.report(shown.as_bytes(), range, "img");
        }
        let written = found.get(1)?;
        let target = ESCAPE.replace_all(written.as_bytes(), b"$1");
        let range = place(written.range());
        self.report(&target, range, "a");
        Some(at + found[0].len())
    }

    /// Reports a target, if it is a URI or a file.
    fn report(&mut self, target: &[u8], mut range: Range<usize>, element: &'static str) {
        let words: Vec<&[u8]> = target.split(u8::is_ascii_whitespace).collect();
        let joined = words.join(&b" "[..]);
        let target = joined.trim_ascii();
        let colon = memchr(b':', target).unwrap_or(0);
        let rest = &target[(colon + 1).min(target.len())..];
        let is_scheme =
            colon > 0 && (SchemeForm::named(&target[..colon]).is_some() || rest.starts_with(b"//"));
        let path = match target {
            [b'f', b'i', b'l', b'e', b':', ..] if !rest.starts_with(b"//") => rest,
            [b'/', ..] | [b'~', b'/', ..] => target,
            _ if target.starts_with(b"./") || target.starts_with(b"../") => target,
            _ if is_scheme => &b""[..],
            _ => return,
        };
        // A place in the file.
        let path = memmem::find(path, b"::").map_or(path, |search| &path[..search]);
        // The bytes of the path alone; escapes make the span longer.
        if range.len() == joined.len() && !path.is_empty() {
            let blanks = joined.len() - joined.trim_ascii_start().len();
            let skipped = if target.starts_with(b"file:") { 5 } else { 0 };
            range.start += blanks + skipped;
            range.end = range.start + path.len();
        }
        let text = match path {
            [] if !is_scheme || target.starts_with(b"file:::") => return,
            [] => target,
            path => path,
        };
        let mut found = self.results.element(range, text, element);
        found.attribute = NameRange::Known(if element == "a" { "href" } else { "src" });
        found.resolves_as = self.results.store_path(path);
        self.results.reference(found);
    }
}

/// Returns the index after the verbatim text whose mark is at `at`.
fn verbatim_end(text: &[u8], at: usize) -> Option<usize> {
    let opens = |byte: u8| byte.is_ascii_whitespace() || b"-({'\"".contains(&byte);
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"-.,:!?;'\")}\\[".contains(byte);
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    if at > 0 && !opens(text[at - 1]) || is_blank(text.get(at + 1)) {
        return None;
    }
    let limit = text.len().min(at + MAX_LINK_LEN);
    let mut closing = memchr::memchr_iter(text[at], &text[at + 1..limit]).map(|end| at + 1 + end);
    let end = closing.find(|&end| {
        end > at + 1 && !is_blank(text.get(end - 1)) && text.get(end + 1).is_none_or(&ends)
    })?;
    // At most one line break.
    let breaks = memchr::memchr_iter(b'\n', &text[at..end]).count();
    (breaks <= 1).then_some(end + 1)
}
