//! References in LaTeX: the arguments of `\url` and `\href`, and URIs by the rules for text.
#![doc = include_str!("rules.md")]

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::blocks::{
    BlockReader, BlockResults, BlockScanner, LINE_HEAD, erase, format, text_references,
};
use super::flags::Flags;
use super::options::TextOptions;
use super::{Format, ScanStart};
use crate::bytes::class::run_end;
use crate::bytes::steps::step;

/// LaTeX.
pub(super) const FORMAT: Format = format("latex", &["tex", "ltx", "latex"], |options| {
    let reader = LatexReader {
        text: options.text.clone(),
        ..LatexReader::default()
    };
    Box::new(BlockScanner::new(reader, options))
});

/// Skipped environments, by their end.
#[rustfmt::skip]
const VERBATIM: [&[u8]; 6] = [
    b"\\end{verbatim}", b"\\end{verbatim*}", b"\\end{Verbatim}", b"\\end{lstlisting}",
    b"\\end{minted}", b"\\end{comment}",
];
/// Maximum length of an argument, in bytes.
const MAX_ARGUMENT_LEN: usize = 4 << 10;

#[derive(Default)]
struct LatexReader {
    results: BlockResults,
    text: TextOptions,
    /// The end of the open environment that is skipped.
    verbatim: Option<&'static [u8]>,
}

impl BlockReader for LatexReader {
    fn begin(&mut self, _start: &ScanStart) {
        self.verbatim = None;
    }

    fn passes_over(&mut self, head: &[u8]) -> bool {
        // The end of an environment may be past the head of a long line.
        (self.verbatim)
            .is_some_and(|end| head.len() < LINE_HEAD && memmem::find(head, end).is_none())
    }

    fn results(&mut self) -> &mut BlockResults {
        &mut self.results
    }

    fn read(&mut self, bytes: &[u8], block: Range<usize>) {
        let mut text = bytes[block.clone()].to_vec();
        let mut at = 0;
        loop {
            step(1);
            if let Some(end) = self.verbatim {
                let found = memmem::find(&text[at..], end);
                let next = found.map_or(text.len(), |found| at + found + end.len());
                erase(&mut text[at..next]);
                at = next;
                if found.is_none() {
                    break;
                }
                self.verbatim = None;
            }
            let Some(next) = memchr2(b'\\', b'%', &text[at..]) else {
                break;
            };
            at += next;
            if text[at] == b'%' {
                let end = memchr2(b'\n', b'\r', &text[at..]);
                let end = end.map_or(text.len(), |end| at + end);
                let whole = block.start + at..block.start + end;
                self.results.comment(whole, &text[at + 1..end]);
                erase(&mut text[at..end]);
                at = end;
                continue;
            }
            let rest = &text[at + 1..];
            let head = &rest[..rest.len().min(64)];
            let name = run_end(head, 0, |byte| byte.is_ascii_alphabetic());
            let arguments = at + 1 + name;
            at = match &rest[..name] {
                b"" => (at + 2).min(text.len()),
                b"begin" => {
                    let rest = &text[arguments..];
                    let own = VERBATIM.into_iter().find(|end| rest.starts_with(&end[4..]));
                    self.verbatim = own;
                    arguments + own.map_or(0, |end| end.len() - 4)
                }
                kind @ (b"url" | b"nolinkurl" | b"href" | b"verb" | b"lstinline") => {
                    let is_href = kind == b"href";
                    let argument = argument(&text, arguments).unwrap_or(arguments..arguments);
                    if (kind.ends_with(b"url") || is_href) && argument.start > arguments {
                        let range = block.start + argument.start..block.start + argument.end;
                        let (url, is_template) = url(&text[argument.clone()], is_href);
                        let element = if is_href { "href" } else { "url" };
                        let mut found = self.results.element(range, &url, element);
                        found.flags = Flags::TEMPLATE.when(is_template);
                        self.results.reference(found);
                    }
                    erase(&mut text[argument.clone()]);
                    argument.end
                }
                _ => arguments,
            };
        }
        text_references(&text, block.start, &self.text, &mut self.results);
    }
}

/// Returns the argument after `at`, without its braces or other delimiters; skips options in brackets.
fn argument(text: &[u8], at: usize) -> Option<Range<usize>> {
    let text = &text[..text.len().min(at + MAX_ARGUMENT_LEN)];
    let skip = |at: usize| run_end(text, at, |byte| byte.is_ascii_whitespace());
    // `\verb*|x|`
    let mut start = skip(at + usize::from(text.get(at) == Some(&b'*')));
    if text.get(start) == Some(&b'[') {
        start = skip(start + memchr(b']', &text[start..])? + 1);
    }
    let open = *text.get(start)?;
    start += 1;
    if open != b'{' {
        let is_delimiter = open.is_ascii_punctuation() && !b"\\}%".contains(&open);
        let end = memchr2(open, b'\n', &text[start..]).filter(|_| is_delimiter)?;
        return (text[start + end] == open).then_some(start..start + end);
    }
    let mut depth = 0;
    let mut end = start;
    loop {
        match *text.get(end)? {
            b'\\' => end += 1,
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(start..end),
            b'}' => depth -= 1,
            _ => {}
        }
        end += 1;
    }
}

/// Returns the URL of an argument, and whether it is a template.
fn url(raw: &[u8], is_href: bool) -> (Vec<u8>, bool) {
    let mut url = Vec::with_capacity(raw.len());
    let mut is_template = matches!(raw.trim_ascii(), [b'#', b'1'..=b'9']);
    let mut at = 0;
    while at < raw.len() {
        match raw[at..] {
            [b'\\', escaped, ..] if is_href && b"%#_&~{}\\".contains(&escaped) => {
                url.push(escaped);
                at += 1;
            }
            // Blanks are left out.
            [byte, ..] if byte.is_ascii_whitespace() => {}
            [byte, ..] => {
                is_template |=
                    byte == b'\\' && raw.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
                url.push(byte);
            }
            [] => {}
        }
        at += 1;
    }
    (url, is_template)
}
