//! The ends of text without markup: RCDATA, RAWTEXT, script data and comments.

use memchr::{memchr, memchr2};

use super::tag::tag_end;
use crate::bytes::seek::{self, is_space};

/// Returns the index after the end tag of an element whose text has no markup, or the length.
pub(super) fn find_raw_text_end(bytes: &[u8], at: usize, name: &[u8]) -> usize {
    match find_end_tag(bytes, at, name, true) {
        Ok(open) => {
            let name_end = seek::tag_name_end(bytes, open + 2);
            tag_end(bytes, name_end).unwrap_or(bytes.len())
        }
        Err(end) => end,
    }
}

/// Finds `</name` and a byte that ends a name (WHATWG HTML 13.2.5.9 to 13.2.5.14). Returns the index of
/// the `<`, or the one at which the search continues with more bytes.
pub(super) fn find_end_tag(
    bytes: &[u8],
    mut at: usize,
    name: &[u8],
    last: bool,
) -> Result<usize, usize> {
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let open = at + found;
        match is_end_tag(bytes, open, name) {
            Some(true) => return Ok(open),
            Some(false) => at = open + 1,
            None if last => break,
            None => return Err(open),
        }
    }
    Err(bytes.len())
}

/// Whether `</name` and a byte that ends a name are at `open`; `None` if too few bytes follow.
fn is_end_tag(bytes: &[u8], open: usize, name: &[u8]) -> Option<bool> {
    Some(starts_with(&bytes[open + 1..], b"/")? && starts_with_name(&bytes[open + 2..], name)?)
}

/// Whether bytes start with a prefix in any case; `None` if they end within it.
pub(super) fn starts_with(bytes: &[u8], prefix: &[u8]) -> Option<bool> {
    let length = bytes.len().min(prefix.len());
    let is_same = bytes[..length].eq_ignore_ascii_case(&prefix[..length]);
    (!is_same || length == prefix.len()).then_some(is_same)
}

/// Whether bytes start with a name and a byte that ends it; `None` if they are too few.
fn starts_with_name(bytes: &[u8], name: &[u8]) -> Option<bool> {
    let ends_name = |&byte: &u8| is_space(byte) || matches!(byte, b'/' | b'>');
    Some(starts_with(bytes, name)? && bytes.get(name.len()).map(ends_name)?)
}

/// The escape state of script data (WHATWG HTML 13.2.5.15 to 13.2.5.31).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ScriptEscape {
    #[default]
    None,
    /// After `<!--`: an end tag still ends the script.
    Escaped,
    /// After `<!-- <script>`: an end tag ends this state only.
    Double,
}

/// Finds the end tag of a script, as [`find_end_tag`] does.
pub(super) fn find_script_end(
    bytes: &[u8],
    mut at: usize,
    escape: &mut ScriptEscape,
    last: bool,
) -> Result<usize, usize> {
    loop {
        let found = match *escape {
            ScriptEscape::None => memchr(b'<', &bytes[at..]),
            _ => memchr2(b'<', b'-', &bytes[at..]),
        };
        at += found.ok_or(bytes.len())?;
        match is_script_end(bytes, at, escape) {
            Some(true) => return Ok(at),
            Some(false) => at += 1,
            None => return Err(if last { bytes.len() } else { at }),
        }
    }
}

/// Whether the end tag of a script is at `at`, a `<` or a `-`; `None` if too few bytes follow.
fn is_script_end(bytes: &[u8], at: usize, escape: &mut ScriptEscape) -> Option<bool> {
    const NAME: &[u8] = b"script";
    let rest = &bytes[at..];
    if rest[0] == b'-' {
        if starts_with(rest, b"-->")? {
            *escape = ScriptEscape::None;
        }
        return Some(false);
    }
    let closes = is_end_tag(bytes, at, NAME)?;
    let (opens, next) = match *escape {
        ScriptEscape::Double => (closes, ScriptEscape::Escaped),
        _ if closes => return Some(true),
        ScriptEscape::None => (starts_with(rest, b"<!--")?, ScriptEscape::Escaped),
        ScriptEscape::Escaped => (starts_with_name(&rest[1..], NAME)?, ScriptEscape::Double),
    };
    if opens {
        *escape = next;
    }
    Some(false)
}

/// Finds the end of a comment whose contents start at `start`, after `<!--`, or before. Returns the index after the
/// `>`, or the one at which the search continues with more bytes.
pub(super) fn find_comment_end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let mut at = start;
    while let Some(found) = memchr(b'>', &bytes[at..]) {
        let more = at + found;
        // `-->` may share its dashes with `<!--`; `--!>` may not.
        if bytes[..more].ends_with(b"--") || bytes[start..more].ends_with(b"--!") {
            return Ok(more + 1);
        }
        at = more + 1;
    }
    // The last three bytes may be the `--!` of the end.
    Err(bytes.len().saturating_sub(3).max(start))
}

#[cfg(test)]
#[path = "../../../tests/unit/document/html/raw_text.rs"]
mod tests;
