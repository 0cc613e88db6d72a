//! Standalone URIs and mail addresses, which end where docutils ends them.

use std::ops::Range;

use super::boundary::{ends, starts};
use crate::bytes::class::{ByteSet, run_end, run_start};
use crate::bytes::steps::step;
use crate::document::text::schemes::SchemeForm;
use crate::uri::{SCHEME, scheme_length};

/// The characters of URIs (RFC 2396 and RFC 2732), and escapes.
const URI: ByteSet = ByteSet::ALPHANUMERIC.with(b"-_.!~*'()[];/:@&=+$,%\0");
/// Those that may be the last one.
const LAST: ByteSet = ByteSet::ALPHANUMERIC.with(b"_~*/=+");
/// The characters of the names in mail addresses.
const MAIL: ByteSet = ByteSet::ALPHANUMERIC.with(b"-_!~*'{|}/#?^`&=+$%\0");

/// Calls `found` for the URIs, and the wanted mail addresses, in a part of a text; addresses have no colon.
pub(super) fn standalone(
    text: &[u8],
    part: Range<usize>,
    email: bool,
    found: &mut dyn FnMut(Range<usize>),
) {
    let text = &text[..part.end];
    let (mut from, mut at) = (part.start, part.start);
    let mut runs = UriRuns::default();
    let second = if email { b'@' } else { b':' };
    while let Some(next) = memchr::memchr2(b':', second, &text[at..]) {
        step(1);
        at += next;
        let range = match text[at] {
            b':' => uri(text, from, at, &mut runs),
            _ => address(text, from, at),
        };
        at += 1;
        if let Some(range) = range {
            (from, at) = (range.end, range.end);
            found(range);
        }
    }
}

/// The maximum length of a scheme, in bytes.
const LONGEST_SCHEME: usize = 64;

/// Returns the range of the URI with a colon at `colon`.
fn uri(text: &[u8], from: usize, colon: usize, runs: &mut UriRuns) -> Option<Range<usize>> {
    let floor = from.max(colon.saturating_sub(LONGEST_SCHEME));
    let start = run_start(text, floor..colon, |byte| SCHEME.contains(byte));
    let start =
        (start..colon).find(|&at| text[at].is_ascii_alphabetic() && starts(text, from, at))?;
    let form = SchemeForm::named(&text[start..colon])?;
    let end = uri_end(text, colon, runs)?;
    is_in_form(form, &text[colon + 1..end]).then_some(start..end)
}

/// Returns whether a URI of any scheme begins a text.
pub(super) fn begins_uri(text: &[u8]) -> bool {
    let end = |colon| uri_end(text, colon, &mut UriRuns::default());
    scheme_length(text).and_then(end).is_some()
}

/// The end of the last run of the characters of URIs, which may hold several colons.
#[derive(Debug, Default)]
struct UriRuns {
    start: usize,
    end: usize,
}

impl UriRuns {
    fn end(&mut self, text: &[u8], from: usize) -> usize {
        if !(self.start <= from && from < self.end) {
            self.start = from;
            self.end = uri_run(text, from);
            step(self.end - from);
        }
        self.end
    }
}

/// Returns the end of the URI with a colon at `colon`: path, query and fragment are as long as possible.
fn uri_end(text: &[u8], colon: usize, runs: &mut UriRuns) -> Option<usize> {
    let path = runs.end(text, colon + 1);
    let query = || {
        let run = (text.get(path) == Some(&b'?')).then(|| uri_run(text, path + 1))?;
        longest(text, path + 1, run, &|end| fragment(text, end))
    };
    if path > colon + 1 && may_end(text, path, path) {
        let longer = query().or_else(|| fragment(text, path));
        if longer.is_some() {
            return longer;
        }
    }
    longest(text, colon + 1, path, &|end| ended(text, end))
}

/// Returns the end of a URI whose path or query ends at `end`.
fn fragment(text: &[u8], end: usize) -> Option<usize> {
    let after = (text.get(end) == Some(&b'#')).then(|| {
        let run = uri_run(text, end + 1);
        longest(text, end + 1, run, &|end| ended(text, end))
    });
    after.flatten().or_else(|| ended(text, end))
}

/// Returns the index of an end, if a URI may end there.
fn ended(text: &[u8], end: usize) -> Option<usize> {
    ends(text, end).then_some(end)
}

fn uri_run(text: &[u8], from: usize) -> usize {
    run_end(text, from, |byte| URI.contains(byte))
}

/// Returns whether a component whose characters end at `last` may end at `end`.
fn may_end(text: &[u8], end: usize, last: usize) -> bool {
    LAST.contains(text[end - 1]) || end == last && text.get(end) == Some(&b'>')
}

/// Tries the ends of the component at `from`, whose characters end at `last`, from the longest on.
fn longest(
    text: &[u8],
    from: usize,
    last: usize,
    then: &dyn Fn(usize) -> Option<usize>,
) -> Option<usize> {
    (from + 1..=last).rev().find_map(|end| {
        step(1);
        may_end(text, end, last).then(|| then(end)).flatten()
    })
}

/// The bytes of a URI whose form is looked at.
const FORM: usize = 512;

/// Returns whether the text after the colon is in the form of its scheme (T7).
fn is_in_form(form: SchemeForm, rest: &[u8]) -> bool {
    let rest = &rest[..rest.len().min(FORM)];
    let authority = rest.strip_prefix(b"//");
    let has_host = authority.is_some_and(|authority| {
        let first = authority.first();
        first.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"[%_\0".contains(byte))
    });
    form.admits(rest, has_host)
}

/// Returns the range of the mail address with an `@` at `at`.
fn address(text: &[u8], from: usize, at: usize) -> Option<Range<usize>> {
    if at > from && text[at - 1] == 0 {
        return None;
    }
    const LONGEST: usize = 320;
    let floor = from.max(at.saturating_sub(LONGEST));
    let is_name = |byte: u8| MAIL.contains(byte) || byte == b'.';
    let start = run_start(text, floor..at, is_name);
    let start = (start..at).find(|&start| {
        text[start] != b'.' && starts(text, from, start) && !text[start..at].ends_with(b".")
    })?;
    let limit = text.len().min(at + 1 + LONGEST);
    let last = run_end(&text[..limit], at + 1, is_name);
    let is_end = |end: &usize| {
        (LAST.contains(text[end - 1]) || text.get(*end) == Some(&b'>')) && ends(text, *end)
    };
    let end = (at + 3..=last).rev().find(is_end)?;
    Some(start..end)
}

/// Returns whether a text is a mail address and nothing else.
pub(super) fn is_email(text: &[u8]) -> bool {
    let at = memchr::memchr(b'@', text).filter(|_| !text.contains(&b':'));
    at.and_then(|at| address(text, 0, at)) == Some(0..text.len())
}
