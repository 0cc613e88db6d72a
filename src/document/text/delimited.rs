//! URIs between `<` and `>` or between double quotes: white space inside them is ignored
//! (RFC 2396 Appendix E; rules D1 to D13).

use super::prefix::Prefix;
use super::reading::{Reading, Workspace};
use super::start::Start;
use super::unicode::{Role, is_ignorable, role};
use super::view::{Set, View, is_blank, is_break, is_scheme_byte};
use crate::document::events::Context;
use crate::document::flags::Flags;

/// D5: raw bytes between the delimiters.
pub(super) const LONGEST: usize = 16_384;

/// D5: line breaks and runs of blanks.
#[derive(Clone, Copy, Debug)]
struct Limits {
    wraps: usize,
    spaces: usize,
}

const ANGLE: Limits = Limits {
    wraps: 64,
    spaces: 8,
};
/// Prose in quotes is common.
const QUOTE: Limits = Limits {
    wraps: 8,
    spaces: 1,
};
const NONE: Limits = Limits {
    wraps: usize::MAX,
    spaces: usize::MAX,
};

/// A delimiter that opens directly before a URI, WS and `URL:` aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// Index of the delimiter.
    pub(super) at: usize,
    /// It is `"`, not `<`.
    pub(super) is_quote: bool,
    /// `URL:` stands between it and the URI.
    pub(super) has_prefix: bool,
}

impl Opening {
    /// D1: what opens before the URI at `at`.
    pub(super) fn before(view: &View<'_>, at: usize) -> Option<Opening> {
        let unpadded = view.back_over_blanks(at);
        let has_prefix = ends_in_prefix(view, unpadded);
        let (mut end, mut padded) = (unpadded, unpadded < at);
        if has_prefix {
            end = view.back_over_blanks(unpadded - 4);
            padded |= end < unpadded - 4;
        }
        let delimiter = end.checked_sub(1).filter(|&at| at >= view.floor)?;
        let is_quote = match view.bytes[delimiter] {
            b'<' => false,
            b'"' => true,
            _ => return None,
        };
        // A quote with WS behind it may as well have closed something.
        let opens = view.before(delimiter).is_none_or(|byte| {
            is_blank(byte) || matches!(byte, b'(' | b'[' | b'{' | b'=' | b':' | b',')
        });
        let accepted = !is_quote || !padded || opens;
        accepted.then_some(Opening {
            at: delimiter,
            is_quote,
            has_prefix,
        })
    }
}

/// Whether `URL:` ends at an index, in any case, and not as the end of a longer run.
fn ends_in_prefix(view: &View<'_>, end: usize) -> bool {
    end.checked_sub(4).is_some_and(|at| {
        at >= view.floor
            && view.bytes[at..end].eq_ignore_ascii_case(b"URL:")
            && !view.before(at).is_some_and(is_scheme_byte)
    })
}

/// B9: whether `URL:` stands directly before an index, spaces aside.
pub(super) fn has_prefix(view: &View<'_>, at: usize) -> bool {
    ends_in_prefix(view, view.back_over_spaces(at))
}

/// Everything that a delimited URI does not simply hold: controls, WS, delimiters, `\`, and the
/// lead bytes of blanks and ignorable characters.
static SPECIAL: Set = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte <= 0x20 {
        set[byte] = true;
        byte += 1;
    }
    let others = b"<>\"\\\x7F\xC2\xE1\xE2\xE3\xEF";
    let mut n = 0;
    while n < others.len() {
        set[others[n] as usize] = true;
        n += 1;
    }
    set
};

/// A run of WS inside delimiters.
#[derive(Clone, Copy, Debug)]
struct Gap {
    end: usize,
    is_wrap: bool,
    /// A prefix was skipped behind the line break.
    led: bool,
}

/// What is done with a character inside delimiters.
enum Step {
    Keep(usize),
    Drop(usize),
    Blank,
}

/// One attempt to read what stands between delimiters.
struct Attempt<'v, 'a> {
    view: &'v View<'a>,
    opening: Opening,
    /// Index of the URI's first byte.
    start: usize,
    limits: Limits,
    /// The prefix of the opening line, once a line break was met.
    prefix: Option<Prefix>,
    wraps: usize,
    spaces: usize,
    flags: Flags,
    /// The cleaned text up to the first run that was removed.
    shorter: Option<usize>,
    /// What stands before this index is in the workspace's text.
    copied: usize,
    /// Behind the last byte that was kept.
    kept: usize,
}

/// Cleaned text between delimiters.
pub(super) struct Cleaned {
    pub(super) reading: Reading,
    pub(super) spaces: usize,
}

impl<'v, 'a> Attempt<'v, 'a> {
    fn new(view: &'v View<'a>, opening: Opening, start: usize, strict: bool) -> Self {
        let limits = match opening.is_quote {
            _ if strict => NONE,
            true => QUOTE,
            false => ANGLE,
        };
        Attempt {
            view,
            opening,
            start,
            limits,
            prefix: None,
            wraps: 0,
            spaces: 0,
            flags: Flags::NONE,
            shorter: None,
            copied: start,
            kept: start,
        }
    }

    fn closer(&self) -> u8 {
        if self.opening.is_quote { b'"' } else { b'>' }
    }

    /// D2 to D9: goes on to the closing delimiter and removes WS on the way.
    fn read(mut self, workspace: &mut Workspace) -> Option<Cleaned> {
        let view = self.view;
        workspace.clear();
        let limit = self.start + LONGEST;
        let mut at = self.start;
        loop {
            at = view.first(at, limit + 1, &SPECIAL);
            if at > limit {
                return None;
            }
            let byte = view.at(at)?;
            if byte == self.closer() {
                return self.close(at, at, workspace);
            }
            match self.step(at, byte)? {
                Step::Keep(length) => {
                    at += length;
                    continue;
                }
                Step::Drop(length) => {
                    self.keep(at, workspace);
                    self.flags |= Flags::IGNORABLE_REMOVED;
                    at += length;
                    self.copied = at;
                    continue;
                }
                Step::Blank => {}
            }
            let gap = self.gap(at, limit).filter(|gap| gap.end <= limit)?;
            if view.at(gap.end)? == self.closer() {
                // D7: it is a reply mark.
                let first = gap.is_wrap && !gap.led && !self.is_reply();
                if first && !self.opening.is_quote && self.spaces > 0 {
                    return None;
                }
                return self.close(at, gap.end, workspace);
            }
            self.remove(at, gap, workspace)?;
            at = gap.end;
        }
    }

    /// What is done with a character that is not simply kept. None where it may not stand here.
    fn step(&self, at: usize, byte: u8) -> Option<Step> {
        match byte {
            b'\\' if !self.opening.is_quote => Some(Step::Keep(1)),
            _ if is_blank(byte) => Some(Step::Blank),
            0x80.. => Some(match self.view.scalar(at) {
                Some((code, length)) if is_ignorable(code) => Step::Drop(length),
                Some((code, _)) if role(code) == Role::Blank => Step::Blank,
                Some((_, length)) => Step::Keep(length),
                None => Step::Keep(1),
            }),
            _ => None,
        }
    }

    fn is_reply(&self) -> bool {
        matches!(self.prefix, Some(Prefix::Replies(_)))
    }

    /// Copies what was kept up to an index.
    fn keep(&mut self, end: usize, workspace: &mut Workspace) {
        if self.copied < end {
            workspace
                .text
                .extend_from_slice(&self.view.bytes[self.copied..end]);
            self.kept = end;
        }
    }

    /// D3, D5, D9: removes a run of WS.
    fn remove(&mut self, at: usize, gap: Gap, workspace: &mut Workspace) -> Option<()> {
        self.keep(at, workspace);
        self.copied = gap.end;
        self.shorter.get_or_insert(workspace.text.len());
        if gap.is_wrap {
            self.wraps += 1;
            self.flags |= Flags::WRAPPED;
            if self.view.before(at) == Some(b'-') {
                self.flags |= Flags::HYPHEN;
                workspace.hyphens.push(workspace.text.len() - 1);
            }
        } else {
            self.spaces += 1;
            self.flags |= Flags::INNER_SPACE;
        }
        (self.wraps <= self.limits.wraps && self.spaces <= self.limits.spaces).then_some(())
    }

    /// The run of WS at an index. None where it holds an empty line (D4) or lacks reply marks (D6).
    fn gap(&mut self, from: usize, limit: usize) -> Option<Gap> {
        let view = self.view;
        let mut gap = Gap {
            end: from,
            is_wrap: false,
            led: false,
        };
        while gap.end <= limit {
            let byte = view.at(gap.end)?;
            if is_break(byte) {
                // D4: an empty line ends it.
                if gap.is_wrap {
                    return None;
                }
                gap.is_wrap = true;
                gap.end += 1;
                if byte == b'\r' && view.at(gap.end) == Some(b'\n') {
                    gap.end += 1;
                }
                let opening = self.opening.at;
                let prefix = *self
                    .prefix
                    .get_or_insert_with(|| Prefix::before(view, opening));
                let skipped = prefix.skip(view, gap.end, limit)?;
                gap.end = skipped.at;
                gap.led = skipped.found;
            } else if is_blank(byte) {
                gap.end += 1;
            } else {
                match view.scalar(gap.end) {
                    Some((code, length)) if code >= 0x80 && role(code) == Role::Blank => {
                        gap.end += length;
                    }
                    _ => break,
                }
            }
        }
        Some(gap)
    }

    /// The closing delimiter stands at `closer`, the content ends at `end`.
    fn close(mut self, end: usize, closer: usize, workspace: &mut Workspace) -> Option<Cleaned> {
        // D8: this quote would open a string.
        if self.opening.is_quote
            && self
                .view
                .at(closer + 1)
                .is_some_and(|byte| byte.is_ascii_alphanumeric())
        {
            return None;
        }
        let cleaned = self.copied > self.start;
        if cleaned {
            self.keep(end, workspace);
        } else {
            self.kept = end;
        }
        if self.opening.has_prefix {
            self.flags |= Flags::URL_PREFIX;
        }
        let context = match self.opening.is_quote {
            true => Context::Quoted,
            false => Context::Angle,
        };
        Some(Cleaned {
            reading: Reading {
                raw: self.start..self.kept,
                outer_end: closer + 1,
                context,
                flags: self.flags,
                cleaned,
                shorter: self.shorter.filter(|_| self.spaces > 0),
            },
            spaces: self.spaces,
        })
    }
}

/// The URI of a scheme with a delimiter before it, or None where the rules for bare URIs decide.
pub(super) fn read(
    view: &View<'_>,
    opening: Opening,
    start: &Start,
    strict: bool,
    workspace: &mut Workspace,
) -> Option<Reading> {
    let mut attempt = Attempt::new(view, opening, start.at, strict);
    if !start.slashes && start.is_special() {
        // D3: a line break may fall between `:` and `//`.
        let gap = attempt.gap(start.colon + 1, start.at + LONGEST)?;
        let slashes = view.at(gap.end) == Some(b'/') && view.at(gap.end + 1) == Some(b'/');
        if !gap.is_wrap || !slashes {
            return None;
        }
    }
    let Cleaned { mut reading, .. } = attempt.read(workspace)?;
    let reference = workspace.reference(&reading, view.bytes);
    let accepted = is_acceptable(start, &reference[start.colon + 1 - start.at..]);
    reading.flags |= start.flags;
    accepted.then_some(reading)
}

/// D12: behind the colon stands `//` or what has the scheme's shape.
pub(super) fn is_acceptable(start: &Start, rest: &[u8]) -> bool {
    match rest.strip_prefix(b"//") {
        Some(rest) => has_authority(rest, start.is_file()),
        None => start.shape().is_some_and(|shape| shape(rest)),
    }
}

/// D11: behind `//` stands something with a letter or a digit before the path begins.
fn has_authority(rest: &[u8], is_file: bool) -> bool {
    if is_file && rest.first() == Some(&b'/') {
        return true;
    }
    rest.iter()
        .take_while(|byte| !matches!(byte, b'/' | b'?' | b'#'))
        .any(|&byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
}

/// D12: a reference in `<URL:...>` that no known scheme introduces: any other scheme without `//`,
/// or a relative reference. `colon` is that of `URL:`.
pub(super) fn read_prefixed(
    view: &View<'_>,
    colon: usize,
    strict: bool,
    workspace: &mut Workspace,
) -> Option<Reading> {
    let start = skip_padding(view, colon + 1)?;
    let scheme = scheme_length(view, start);
    if let Some(length) = scheme
        && view.at(start + length + 1) == Some(b'/')
        && view.at(start + length + 2) == Some(b'/')
    {
        return None;
    }
    let opening = Opening::before(view, start).filter(|opening| !opening.is_quote)?;
    let Cleaned {
        mut reading,
        spaces,
    } = Attempt::new(view, opening, start, strict).read(workspace)?;
    let reference = workspace.reference(&reading, view.bytes);
    let Some(length) = scheme else {
        reading.flags |= Flags::RELATIVE;
        return (spaces == 0 && !reference.is_empty()).then_some(reading);
    };
    let known = super::schemes::Scheme::named(&reference[..length]);
    let rest = &reference[length + 1..];
    let shaped = match known.map(|scheme| scheme.form) {
        Some(super::schemes::Form::NoSlash(shape)) => shape(rest),
        Some(super::schemes::Form::Special) => rest
            .strip_prefix(b"//")
            .is_some_and(|rest| has_authority(rest, false)),
        _ => false,
    };
    if known.is_none() {
        reading.flags |= Flags::UNKNOWN_SCHEME;
    }
    (shaped || spaces == 0 && !rest.is_empty()).then_some(reading)
}

/// Behind `URL:`, at most 64 bytes of WS with at most one line break.
fn skip_padding(view: &View<'_>, from: usize) -> Option<usize> {
    let mut at = from;
    while at <= from + super::view::PADDING {
        match view.at(at) {
            Some(byte) if is_blank(byte) => at += 1,
            Some(_) => break,
            None => return None,
        }
    }
    (view.back_over_blanks(at) == from).then_some(at)
}

/// The length of the scheme at an index, if a colon follows it.
fn scheme_length(view: &View<'_>, at: usize) -> Option<usize> {
    if !view.at(at)?.is_ascii_alphabetic() {
        return None;
    }
    let length =
        (1..=super::start::LONGEST_RUN).find(|&n| !view.at(at + n).is_some_and(is_scheme_byte))?;
    (view.at(at + length) == Some(b':')).then_some(length)
}
