//! S: where the scheme starts, and whether what follows it can be its URI.

use super::chars::{Text, is_scheme_byte, is_ws};
use super::sets::{is_known, is_noslash};
use super::shape;

/// The longest run of scheme bytes.
pub(super) const LONGEST: usize = 64;

/// A scheme before a colon.
#[derive(Clone, Debug)]
pub(super) struct Scheme {
    pub(super) start: usize,
    pub(super) colon: usize,
    pub(super) name: Vec<u8>,
    pub(super) glued: bool,
    pub(super) unknown: bool,
}

impl Scheme {
    /// Whether `//` follows directly.
    pub(super) fn has_slashes(&self, text: Text<'_>) -> bool {
        text.has_at(self.colon + 1, b"//")
    }

    /// S7: a NOSLASH scheme, behind whose colon its shape begins at once ("Note: x", "INFO: root").
    pub(super) fn may_go_without_slashes(&self, text: Text<'_>) -> bool {
        let behind = self.colon + 1;
        let blank_follows = text.byte(behind).is_none_or(is_ws);
        // D6a: a line that goes on behind a backslash is no other than one that just ends.
        let goes_on = text.byte(behind) == Some(b'\\') && text.line_break(behind + 1).is_some();
        !blank_follows && !goes_on && is_noslash(&self.name)
    }

    /// S7 for a scheme that `//` does not follow; `rest` is what was read behind the colon.
    pub(super) fn suits(&self, text: Text<'_>, rest: &[u8]) -> bool {
        self.may_go_without_slashes(text) && shape::suits(&self.name, rest)
    }

    pub(super) fn flags(&self) -> Vec<&'static str> {
        let glued = self.glued.then_some("glued");
        let unknown = self.unknown.then_some("unknown-scheme");
        glued.into_iter().chain(unknown).collect()
    }
}

/// The scheme that ends at `colon`, by the first of S1 to S6 that applies; nothing before `resume`
/// belongs to it.
pub(super) fn before(text: Text<'_>, colon: usize, resume: usize) -> Option<Scheme> {
    // R: the run of scheme bytes before the colon, at most 64.
    let mut start = colon;
    while start > resume
        && colon - start < LONGEST
        && text.byte_before(start).is_some_and(is_scheme_byte)
    {
        start -= 1;
    }
    let run = &text.0[start..colon];
    let slashes = text.has_at(colon + 1, b"//");
    let scheme = |offset: usize, glued: bool, unknown: bool| {
        Some(Scheme {
            start: start + offset,
            colon,
            name: run[offset..].to_ascii_lowercase(),
            glued,
            unknown,
        })
    };
    // S1: an empty run is no candidate; a run with more before it counts only through S3 to S5.
    if run.is_empty() {
        return None;
    }
    let blob = start > resume && text.byte_before(start).is_some_and(is_scheme_byte);
    // S2: a known scheme.
    if !blob && is_known(run) {
        return scheme(0, false, false);
    }
    // S3: a known scheme behind the last `+`: the whole run from its first letter.
    if let Some(plus) = run.iter().rposition(|&byte| byte == b'+')
        && slashes
        && is_known(&run[plus + 1..])
        && let Some(letter) = run.iter().position(u8::is_ascii_alphabetic)
    {
        return scheme(letter, false, false);
    }
    // S4: the longest known tail behind a dot, a hyphen or a digit.
    for tail in 1..run.len() {
        let before = run[tail - 1];
        let may_precede = matches!(before, b'.' | b'-') || before.is_ascii_digit();
        if may_precede && is_known(&run[tail..]) {
            return scheme(tail, before.is_ascii_digit(), false);
        }
    }
    if !slashes {
        return None;
    }
    // S5: letters glued to https or http.
    for tail in ["https", "http"] {
        if run.to_ascii_lowercase().ends_with(tail.as_bytes()) {
            return scheme(run.len() - tail.len(), true, false);
        }
    }
    // S6: any other scheme with at least two bytes.
    let letter = run
        .iter()
        .position(|byte| !matches!(byte, b'+' | b'-' | b'.'))?;
    let is_scheme = run[letter].is_ascii_alphabetic() && run.len() - letter >= 2;
    if blob || !is_scheme {
        return None;
    }
    scheme(letter, false, true)
}
