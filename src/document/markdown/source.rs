//! The source for the parser: same length, no front matter, bounded depth of containers.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::split::{fence_after, fence_of};
use crate::bytes::class::run_end;
use crate::bytes::lines::mark_length;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;

/// The maximum depth of block quotes, list items, footnotes and definitions (K15).
const MAX_CONTAINERS: usize = 100;

/// Takes the place of a NUL, of a byte that is not UTF-8, or of one that must not open a block. The parser
/// reads DEL as text: other control characters end a destination.
pub(super) const REPLACED: char = '\x7F';

/// Converts bytes to text of the same length: a byte order mark and metadata become spaces; NULs, bytes
/// that are not UTF-8 and the markers of containers that are too deep become [`REPLACED`].
pub(super) fn to_text(bytes: &[u8], metadata: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut at = mark_length(bytes);
    text.extend(std::iter::repeat_n(' ', at));
    for range in metadata.iter().chain([&(bytes.len()..bytes.len())]) {
        for chunk in bytes[at..range.start].utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(std::iter::repeat_n(REPLACED, chunk.invalid().len()));
        }
        let blank = |&byte: &u8| if byte == b'\n' { '\n' } else { ' ' };
        text.extend(bytes[range.clone()].iter().map(blank));
        at = range.end;
    }
    if memchr(0, text.as_bytes()).is_some() {
        text = text.replace('\0', "\x7F");
    }
    bound_containers(text)
}

/// Returns the metadata blocks of a document with their marks (K14).
pub(super) fn metadata(bytes: &[u8], kind: Metadata, is_start: bool) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    if kind == Metadata::None || !is_start && kind == Metadata::FrontMatter {
        return blocks;
    }
    let mut open: Option<(usize, &[u8])> = None;
    let mut fence = None;
    let mut follows_blank = false;
    let mut at = mark_length(bytes);
    let first = at;
    while at < bytes.len() {
        step(1);
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        let line = bytes[at..end].trim_ascii_end();
        let is_first = is_start && at == first;
        if let Some((start, mark)) = open {
            if line == mark || kind == Metadata::Anywhere && mark == b"---" && line == b"..." {
                blocks.push(start..end);
                open = None;
            }
        } else if is_first && matches!(line, b"---" | b"+++") {
            open = Some((at, line));
        } else if kind == Metadata::FrontMatter {
            break;
        } else {
            let next = memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |next| end + next);
            let is_followed = !bytes[end..next].trim_ascii().is_empty();
            if fence.is_none() && follows_blank && is_followed && line == b"---" {
                open = Some((at, line));
            }
            fence = fence_after(fence, line);
        }
        follows_blank = line.is_empty();
        at = end;
    }
    blocks
}

/// Where a document has metadata, which is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metadata {
    /// Nowhere.
    None,
    /// At its start.
    FrontMatter,
    /// At its start and after blank lines, as in Pandoc.
    Anywhere,
}

/// The mark of an admonition, of details or of a tab in Python-Markdown, and the byte after it.
static BLOCK: Pattern =
    Pattern::new(r#"(?m)^[ \t]*((?:!!!|\?\?\?\+?)[ \t]+[A-Za-z]|===[!+]?[ \t]+["'])"#);

/// Makes an item of a list of each block of Python-Markdown, with the same indentation of its content.
pub(super) fn as_items(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut items = Cow::Borrowed(bytes);
    for [_, mark] in BLOCK.groups(bytes, 0) {
        let item = &mut items.to_mut()[mark];
        item[..4].copy_from_slice(b"-   ");
        if item[4].is_ascii_whitespace() {
            item[4] = REPLACED as u8;
        }
    }
    items
}

/// Blanks the marks of code fences that nothing closes before a blank line ends their quotation, or before
/// the end of the document: HonKit reads such a fence as text, and a quotation up to a blank line.
pub(super) fn without_open_fences(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(bytes);
    let (mut end, mut fence, mut is_quoted) = (0, None, false);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        end += line.len();
        let quoted = line.trim_ascii_start().strip_prefix(b">");
        is_quoted |= quoted.is_some() && fence.is_none();
        let own = quoted.filter(|_| is_quoted).unwrap_or(line);
        fence = match (fence, fence_of(own)) {
            (None, Some(mark)) => Some((mark, end - own.trim_ascii_start().len())),
            (Some((mark, _)), _) if closes(own, mark) => None,
            (open, _) => open,
        };
        let is_blank = line.trim_ascii().is_empty();
        if let Some((_, at)) = fence.filter(|_| end == bytes.len() || is_quoted && is_blank) {
            text.to_mut()[at..at + 3].fill(b' ');
            fence = None;
        }
        is_quoted &= !is_blank;
    }
    text
}

/// Returns whether a line closes the code fence of a character.
fn closes(line: &[u8], mark: u8) -> bool {
    fence_of(line) == Some(mark) && line.trim_ascii_end().ends_with(&[mark])
}

fn bound_containers(text: String) -> String {
    let mut excess = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        excess.extend(excess_marker(line.as_bytes()).map(|at| start + at));
        start += line.len();
    }
    if excess.is_empty() {
        return text;
    }
    let mut bounded = String::with_capacity(text.len());
    for at in excess {
        bounded.push_str(&text[bounded.len()..at]);
        bounded.push(REPLACED);
    }
    bounded.push_str(&text[bounded.len()..]);
    bounded
}

/// The marker of a list item or a definition, and a blank.
static ITEM: Pattern = Pattern::new(r"^(?:[-+*:]|[0-9]{1,9}[.)])(?:[ \t\n\r]|$)");
/// The label that begins a footnote.
static FOOTNOTE: Pattern = Pattern::new(r"^\[\^(?:\\[^\n]|[^\\\]\n])*\]:");

/// Returns the index of the first marker of a line that may open a container beyond the limit. A
/// container is opened by its marker, or continued by one (`>`) or by two or more columns of blanks, so
/// that their sum bounds the depth whatever the lines before.
fn excess_marker(line: &[u8]) -> Option<usize> {
    let (mut at, mut depth, mut blanks) = (0, 0, 0);
    loop {
        step(1);
        let rest = &line[at..];
        // The length of the marker with its blanks.
        let (length, padding) = match rest.first()? {
            byte @ (b' ' | b'\t') => {
                blanks += if *byte == b'\t' { 4 } else { 1 };
                at += 1;
                continue;
            }
            b'>' => (1, 1),
            b'-' | b'+' | b'*' | b':' | b'0'..=b'9' => (ITEM.trimmed_length(rest)?, 4),
            b'[' => (FOOTNOTE.trimmed_length(rest)?, 4),
            _ => return None,
        };
        if depth + blanks / 2 >= MAX_CONTAINERS {
            return Some(at);
        }
        depth += 1;
        at += length;
        let limit = line.len().min(at + padding);
        at = run_end(&line[..limit], at, |byte| byte == b' ');
    }
}
