//! Where the scheme before a colon starts (rules S1 to S8).

use super::schemes::{SchemeForm, TextScheme};
use super::view::{TextView, is_scheme_byte};
use crate::document::flags::Flags;

/// S1: a longer run of scheme bytes is a blob.
pub(super) const LONGEST_RUN: usize = 64;

/// A scheme in front of a colon.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemeStart {
    /// Index of the scheme's first byte.
    pub(super) at: usize,
    /// Index of its colon.
    pub(super) colon: usize,
    /// Its row, unless it is compound or not known.
    pub(super) scheme: Option<&'static TextScheme>,
    /// `//` follows the colon.
    pub(super) slashes: bool,
    /// `glued` or `unknown-scheme`.
    pub(super) flags: Flags,
}

impl SchemeStart {
    /// S7: the schemes with an Internet host.
    pub(super) fn is_special(&self) -> bool {
        self.scheme.is_some_and(TextScheme::is_special)
    }

    /// The one scheme whose authority may be empty.
    pub(super) fn is_file(&self) -> bool {
        self.scheme.is_some_and(|scheme| scheme.name == "file")
    }

    /// S7: the shape that the text behind the colon must have without `//`.
    pub(super) fn shape(&self) -> Option<super::shapes::SchemeShape> {
        match self.scheme?.form {
            SchemeForm::NoSlash(shape) => Some(shape),
            _ => None,
        }
    }
}

/// The start of the run of scheme bytes before an index, at most 64 bytes back.
pub(super) fn run_start(view: &TextView<'_>, end: usize) -> usize {
    let least = view.floor.max(end.saturating_sub(LONGEST_RUN));
    let run = view.bytes[least..end].iter().rev();
    end - run.take_while(|&&byte| is_scheme_byte(byte)).count()
}

/// The scheme before the colon at an index.
pub(super) fn of(view: &TextView<'_>, colon: usize) -> Option<SchemeStart> {
    let run = run_start(view, colon);
    let name = &view.bytes[run..colon];
    let start = |n: usize, scheme, flags| SchemeStart {
        at: run + n,
        colon,
        scheme,
        slashes: view.at(colon + 1) == Some(b'/') && view.at(colon + 2) == Some(b'/'),
        flags,
    };
    // S1: nothing before the colon, or the end of a blob.
    let first = *name.first()?;
    let blob = name.len() == LONGEST_RUN
        && run > view.floor
        && view.before(run).is_some_and(is_scheme_byte);
    // S2: the whole run is known.
    if !blob && let Some(scheme) = TextScheme::named(name) {
        return Some(start(0, Some(scheme), Flags::NONE));
    }
    let slashes = start(0, None, Flags::NONE).slashes;
    // S3: git+https.
    if slashes
        && let Some(plus) = memchr::memrchr(b'+', name)
        && TextScheme::named(&name[plus + 1..]).is_some()
    {
        let letter = name.iter().position(u8::is_ascii_alphabetic)?;
        return Some(start(
            letter,
            TextScheme::named(&name[letter..]),
            Flags::NONE,
        ));
    }
    // S4: "sentence.https://", "2https://".
    if let Some(tail) = known_tail(name) {
        let glued = match name[tail - 1].is_ascii_digit() {
            true => Flags::GLUED,
            false => Flags::NONE,
        };
        return Some(start(tail, TextScheme::named(&name[tail..]), glued));
    }
    if !slashes {
        return None;
    }
    // S5: "linkhttps://".
    for scheme in [&b"https"[..], b"http"] {
        if let Some(tail) = name.len().checked_sub(scheme.len())
            && name[tail..].eq_ignore_ascii_case(scheme)
        {
            return Some(start(tail, TextScheme::named(scheme), Flags::GLUED));
        }
    }
    // S6: any other scheme of at least two bytes.
    if blob {
        return None;
    }
    let mut skipped = 0;
    if !first.is_ascii_alphanumeric() {
        skipped = name.iter().position(u8::is_ascii_alphanumeric)?;
    }
    let accepted = name[skipped].is_ascii_alphabetic() && name.len() - skipped >= 2;
    accepted.then(|| start(skipped, None, Flags::UNKNOWN_SCHEME))
}

/// S4: where the longest known tail starts that follows `.`, `-` or a digit.
fn known_tail(name: &[u8]) -> Option<usize> {
    let least = name.len().saturating_sub(TextScheme::LONGEST).max(1);
    (least..name.len()).find(|&at| {
        let joint = matches!(name[at - 1], b'.' | b'-' | b'0'..=b'9');
        joint && TextScheme::named(&name[at..]).is_some()
    })
}
