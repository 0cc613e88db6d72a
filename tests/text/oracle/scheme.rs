//! Where a scheme starts, and whether its URI can follow (T1 to T8).

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
    /// `//` follows directly.
    pub(super) fn has_slashes(&self, text: Text<'_>) -> bool {
        text.has_at(self.colon + 1, b"//")
    }

    /// T7: returns whether a shape may follow the colon; it does not start with a blank.
    pub(super) fn may_go_without_slashes(&self, text: Text<'_>) -> bool {
        let behind = self.colon + 1;
        let blank_follows = text.byte(behind).is_none_or(is_ws);
        // T16: a backslash before a line break counts as the break.
        let goes_on = text.byte(behind) == Some(b'\\') && text.line_break(behind + 1).is_some();
        !blank_follows && !goes_on && is_noslash(&self.name)
    }

    /// T7: returns whether `rest`, behind the colon, has the shape.
    pub(super) fn suits(&self, text: Text<'_>, rest: &[u8]) -> bool {
        self.may_go_without_slashes(text) && shape::suits(&self.name, rest)
    }

    pub(super) fn flags(&self) -> Vec<&'static str> {
        let glued = self.glued.then_some("glued");
        let unknown = self.unknown.then_some("unknown-scheme");
        glued.into_iter().chain(unknown).collect()
    }
}

/// Returns the scheme that ends at `colon` and starts behind `resume`, by the first rule of T1 to T6
/// that applies.
pub(super) fn before(text: Text<'_>, colon: usize, resume: usize) -> Option<Scheme> {
    // The run of scheme bytes before the colon.
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
    // T1
    if run.is_empty() {
        return None;
    }
    let blob = start > resume && text.byte_before(start).is_some_and(is_scheme_byte);
    // T2
    if !blob && is_known(run) {
        return scheme(0, false, false);
    }
    // T3
    if let Some(plus) = run.iter().rposition(|&byte| byte == b'+')
        && slashes
        && is_known(&run[plus + 1..])
        && let Some(letter) = run.iter().position(u8::is_ascii_alphabetic)
    {
        return scheme(letter, false, false);
    }
    // T4
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
    // T5
    for tail in ["https", "http"] {
        if run.to_ascii_lowercase().ends_with(tail.as_bytes()) {
            return scheme(run.len() - tail.len(), true, false);
        }
    }
    // T6
    let letter = run
        .iter()
        .position(|byte| !matches!(byte, b'+' | b'-' | b'.'))?;
    let is_scheme = run[letter].is_ascii_alphabetic() && run.len() - letter >= 2;
    if blob || !is_scheme {
        return None;
    }
    scheme(letter, false, true)
}
