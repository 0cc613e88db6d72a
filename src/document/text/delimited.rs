//! URIs in angle brackets or double quotes, whose white space is ignored, and hyperlinks of
//! terminals (RFC 2396 Appendix E; T9 to T24).

use std::cell::Cell;
use std::ops::Range;

use super::candidate::{Candidate, Workspace};
use super::lines::{self, LinePrefix, ReplyMark};
use super::schemes::{LONGEST_RUN, SchemeForm, SchemeStart};
use super::view::{
    PADDING, Role, TextView, is_blank, is_break, is_escape, is_ignorable, is_scheme_byte, role,
};
use crate::bytes::class::ByteSet;
use crate::bytes::simd::Block;
use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::uri::scheme_length;

/// T13: the most bytes between delimiters.
const LONGEST: usize = 16_384;

/// T13: the most line breaks, and the most other runs of blanks.
const ANGLE: [usize; 2] = [64, 8];
/// Quotation marks often hold prose.
const QUOTE: [usize; 2] = [8, 1];

/// A delimiter before a URI, with at most blanks and `URL:` between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// The index of the delimiter.
    at: usize,
    /// The delimiter is `"`, and not `<`.
    is_quote: bool,
    /// `URL:` is between the delimiter and the URI.
    has_prefix: bool,
}

impl Opening {
    fn closer(self) -> u8 {
        if self.is_quote { b'"' } else { b'>' }
    }

    /// Returns the URI at `start` if it goes on to a closing delimiter without a byte that needs a decision.
    #[inline(always)]
    fn read_plain(self, view: &TextView, start: usize) -> Option<Candidate> {
        if self.at + 1 != start {
            return None;
        }
        let end = view.first(start, start + LONGEST, &MARKED, marks);
        if view.at(end)? != self.closer() {
            return None;
        }
        self.candidate(view, start..end, end)
    }

    /// Returns a candidate before the closing delimiter at `closer`.
    #[inline(always)]
    fn candidate(self, view: &TextView, raw: Range<usize>, closer: usize) -> Option<Candidate> {
        let after = || view.at(closer + 1);
        let is_inside = || after().is_some_and(|byte| byte.is_ascii_alphanumeric());
        // T18
        if raw.is_empty() || (self.is_quote && is_inside()) {
            return None;
        }
        let context = [Context::Angle, Context::Quoted][usize::from(self.is_quote)];
        Some(Candidate::new(raw, closer + 1, context, Flags::NONE))
    }
}

/// The delimiter and `URL:` before a URI.
#[derive(Clone, Copy, Debug)]
pub(super) struct UriPrefix {
    pub(super) opening: Option<Opening>,
    /// T35: `URL:` is before the URI.
    pub(super) has_prefix: bool,
}

impl UriPrefix {
    /// T9: looks back from a URI at `at`.
    #[inline(always)]
    pub(super) fn of(view: &TextView, at: usize) -> UriPrefix {
        let unpadded = view.back_over_blanks(at);
        let has_prefix = ends_in_prefix(view, unpadded);
        let (mut end, mut is_padded) = (unpadded, unpadded < at);
        if has_prefix {
            end = view.back_over_blanks(unpadded - PREFIX.len());
            is_padded |= end < unpadded - PREFIX.len();
        }
        let is_quote = match view.before(end) {
            Some(b'<') => Some(false),
            // A quotation mark before blanks may as well have closed something.
            Some(b'"') if !is_padded || may_precede_quote(view.before(end - 1)) => Some(true),
            _ => None,
        };
        let is_quote = is_quote.filter(|_| end > view.floor);
        let opening = is_quote.map(|is_quote| Opening {
            at: end - 1,
            is_quote,
            has_prefix,
        });
        UriPrefix {
            opening,
            has_prefix,
        }
    }
}

const PREFIX: &[u8] = b"URL:";

/// Returns whether `URL:` ends at an index, in any case, and not as the end of a longer run.
#[inline]
pub(super) fn ends_in_prefix(view: &TextView, end: usize) -> bool {
    match view.bytes[..end] {
        [ref before @ .., b'U' | b'u', b'R' | b'r', b'L' | b'l', b':'] => {
            !before.last().is_some_and(|&byte| is_scheme_byte(byte))
        }
        _ => false,
    }
}

fn may_precede_quote(byte: Option<u8>) -> bool {
    byte.is_none_or(|byte| is_blank(byte) || b"([{=:,".contains(&byte))
}

/// Bytes that need a decision between delimiters: controls, blanks, delimiters, `\`, and the lead bytes
/// of Unicode's white space and of ignorable characters.
static MARKED: ByteSet = ByteSet::EMPTY
    .with_range(0, b' ')
    .with(b"<>\"\\\x7F\xC2\xE1\xE2\xE3\xEF");

/// Marks the bytes of [`MARKED`], and others beyond ASCII. One comparison for two bytes that differ in one bit.
#[inline(always)]
fn marks(block: Block) -> u32 {
    let joined = block.with(2);
    let delimiters = joined.marks(b'"') | joined.marks(b'>') | block.marks(b'\\');
    (block.outside(b'!', b'~') | delimiters).bits()
}

/// A run of blanks and ignorable characters between delimiters.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    end: usize,
    /// The run holds a blank, and not ignorable characters alone.
    has_blank: bool,
    is_wrap: bool,
    /// T16: a backslash is before the line break.
    is_continued: bool,
}

struct DelimitedReader<'v, 'a> {
    view: &'v TextView<'a>,
    opening: Opening,
    start: usize,
    limits: [usize; 2],
    /// The prefix of the opening line, from the first line break on.
    prefix: Option<LinePrefix>,
    /// T14: `&gt;` may be a reply mark; set to true if one was read as such.
    entities: Option<&'v Cell<bool>>,
    /// T39: whether escapes of troff apply, from the first backslash on.
    is_troff: Option<bool>,
    wraps: usize,
    spaces: usize,
    flags: Flags,
    /// The index up to which the workspace has the text.
    copied: usize,
    /// The index after the last byte that was kept.
    kept: usize,
}

impl<'v, 'a> DelimitedReader<'v, 'a> {
    fn new(view: &'v TextView<'a>, opening: Opening, entities: Option<&'v Cell<bool>>) -> Self {
        let limits = if opening.is_quote { QUOTE } else { ANGLE };
        DelimitedReader {
            view,
            opening,
            start: 0,
            limits: if view.strict { [usize::MAX; 2] } else { limits },
            prefix: None,
            entities: entities.filter(|_| !opening.is_quote),
            is_troff: None,
            wraps: 0,
            spaces: 0,
            flags: Flags::NONE,
            copied: 0,
            kept: 0,
        }
    }

    /// Goes from the delimiter to the URI's first byte (T9), and returns its index.
    fn open(&mut self) -> Option<usize> {
        let opening = self.opening;
        let limit = opening.at + LONGEST;
        let mut start = opening.at + 1;
        // The URI mostly follows directly.
        if opening.has_prefix || !self.view.at(start)?.is_ascii_graphic() {
            start = self.read_gap(start, limit)?.end;
        }
        if opening.has_prefix {
            self.flags |= Flags::URL_PREFIX;
            start = self.read_gap(start + PREFIX.len(), limit)?.end;
        }
        (self.start, self.copied, self.kept) = (start, start, start);
        Some(start)
    }

    /// Continues to the closing delimiter and removes blanks on the way (T10 to T20).
    fn read(&mut self, workspace: &mut Workspace) -> Option<Candidate> {
        let view = self.view;
        workspace.clear();
        let limit = self.start + LONGEST;
        let mut at = self.start;
        let (end, closer) = loop {
            at = view.first(at, limit + 1, &MARKED, marks);
            if at > limit {
                return None;
            }
            match view.at(at)? {
                byte if byte == self.opening.closer() => break (at, at),
                b'\\' if !self.ends_line(at) => at = self.backslash(at, workspace)?,
                // T10
                b'<' | b'>' | b'"' => return None,
                _ => match self.read_gap(at, limit)? {
                    gap if gap.end == at => {
                        let scalar = view.scalar(at);
                        if scalar.is_some_and(|(code, _)| code < 0x80) {
                            return None;
                        }
                        at += scalar.map_or(1, |(_, length)| length);
                    }
                    gap if view.at(gap.end)? == self.opening.closer() => {
                        // T17
                        let has_marks = self.prefix.is_some_and(|prefix| prefix.marks() > 0);
                        let is_mark = gap.is_wrap && !self.opening.is_quote && !has_marks;
                        if is_mark && self.spaces > 0 {
                            return None;
                        }
                        if gap.is_continued {
                            self.leave_out(at, gap, workspace);
                        }
                        break (at, gap.end);
                    }
                    gap => {
                        self.remove(at, gap, workspace)?;
                        at = gap.end;
                    }
                },
            }
        };
        self.close(end, closer, workspace)
    }

    /// T39: returns whether escapes of troff apply.
    fn is_troff(&mut self) -> bool {
        let (view, opening) = (self.view, self.opening.at);
        *self
            .is_troff
            .get_or_insert_with(|| lines::is_troff(view, opening))
    }

    /// T16: returns whether a backslash at an index continues the line after the line break.
    fn ends_line(&self, at: usize) -> bool {
        let is_inside = self.start > 0 && at > self.start && !self.opening.is_quote;
        is_inside && self.view.at(at + 1).is_some_and(is_break)
    }

    /// Returns the index after a backslash, or after the escape of troff that it begins (T39); `None` where
    /// a backslash refuses the reference (T10).
    fn backslash(&mut self, at: usize, workspace: &mut Workspace) -> Option<usize> {
        let next = self.view.at(at + 1)?;
        if at > self.start && is_escape(next) && self.is_troff() {
            self.copy_up_to(at, workspace);
            self.copied = if next == b'-' { at + 1 } else { at + 2 };
            return Some(at + 2);
        }
        (!self.opening.is_quote).then_some(at + 1)
    }

    fn copy_up_to(&mut self, end: usize, workspace: &mut Workspace) {
        if self.copied < end {
            (workspace.text).extend_from_slice(&self.view.bytes[self.copied..end]);
            self.kept = end;
        }
    }

    /// Leaves out a run, and the backslash in it (T16).
    fn leave_out(&mut self, at: usize, gap: Gap, workspace: &mut Workspace) {
        self.copy_up_to(at, workspace);
        self.copied = gap.end;
        if gap.is_continued {
            workspace.continuations.push(workspace.text.len());
        }
    }

    /// Removes a run, within the limits (T11, T13, T19).
    fn remove(&mut self, at: usize, gap: Gap, workspace: &mut Workspace) -> Option<()> {
        self.leave_out(at, gap, workspace);
        if !gap.has_blank {
            return Some(());
        }
        workspace.shorter.get_or_insert(workspace.text.len());
        if gap.is_wrap {
            self.wraps += 1;
            self.flags |= Flags::WRAPPED;
            if !gap.is_continued && workspace.text.ends_with(b"-") {
                self.flags |= Flags::HYPHEN;
                workspace.hyphens.push(workspace.text.len() - 1);
            }
        } else {
            self.spaces += 1;
            self.flags |= Flags::INNER_SPACE;
        }
        let [wraps, spaces] = self.limits;
        (self.wraps <= wraps && self.spaces <= spaces).then_some(())
    }

    /// Returns the run of blanks and ignorable characters at an index, which may be empty; `None` if it
    /// holds an empty line (T12) or lacks reply marks (T15).
    fn read_gap(&mut self, from: usize, limit: usize) -> Option<Gap> {
        let view = self.view;
        let mut gap = Gap {
            end: from,
            ..Gap::default()
        };
        while gap.end <= limit {
            let byte = view.at(gap.end)?;
            if is_break(byte) {
                // T12
                if gap.is_wrap {
                    return None;
                }
                gap.has_blank = true;
                gap.is_wrap = true;
                gap.end += 1;
                if byte == b'\r' && view.at(gap.end) == Some(b'\n') {
                    gap.end += 1;
                }
                let prefix = self.line_prefix(gap.end, limit);
                gap.end = prefix.skip(view, gap.end, limit)?;
            } else if byte == b'\\' && self.ends_line(gap.end) {
                gap.is_continued = true;
                gap.end += 1;
            } else if byte == b'\\'
                && self.start > 0
                && gap.end > from
                && view.at(gap.end + 1) == Some(b':')
                && self.is_troff()
            {
                // T39: a break hint does not split the run.
                gap.end += 2;
            } else if is_blank(byte) {
                gap.has_blank = true;
                gap.end += 1;
            } else if byte < 0x80 {
                break;
            } else {
                match view.scalar(gap.end) {
                    Some((code, length)) if role(code) == Role::Blank => {
                        gap.has_blank = true;
                        gap.end += length;
                    }
                    Some((code, length)) if is_ignorable(code) => {
                        self.flags |= Flags::IGNORABLE_REMOVED;
                        gap.end += length;
                    }
                    _ => break,
                }
            }
        }
        (gap.end <= limit).then_some(gap)
    }

    /// Returns the prefix of every line; the second line starts at `next` (T14, T15).
    fn line_prefix(&mut self, next: usize, limit: usize) -> LinePrefix {
        if let Some(prefix) = self.prefix {
            return prefix;
        }
        let (view, opening) = (self.view, self.opening.at);
        let plain = LinePrefix::before(view, opening, ReplyMark::Plain);
        let mut prefix = plain;
        if let Some(seen) = self.entities {
            prefix = LinePrefix::before(view, opening, ReplyMark::Either);
            if prefix == LinePrefix::Nothing {
                prefix = LinePrefix::entities(view, next, limit).unwrap_or(prefix);
            }
            // Reply marks that are all written `>` read the same either way.
            seen.set(prefix.marks() != plain.marks());
        }
        self.prefix = Some(prefix);
        prefix
    }

    /// Ends the reference at `end`, before the closing delimiter at `closer`.
    fn close(&mut self, end: usize, closer: usize, workspace: &mut Workspace) -> Option<Candidate> {
        let cleaned = self.copied > self.start;
        if cleaned {
            self.copy_up_to(end, workspace);
        } else {
            self.kept = end;
        }
        if self.spaces == 0 {
            workspace.shorter = None;
        }
        let raw = self.start..self.kept;
        let candidate = self.opening.candidate(self.view, raw, closer)?;
        Some(Candidate {
            cleaned,
            flags: self.flags,
            ..candidate
        })
    }
}

/// Reads the URI of a scheme with a delimiter before it, or returns `None` for a bare URI (T23).
#[inline]
pub(super) fn read(
    view: &TextView,
    opening: Opening,
    start: &SchemeStart,
    workspace: &mut Workspace,
) -> Option<Candidate> {
    let read = |entities: Option<&Cell<bool>>| {
        let mut reader = DelimitedReader::new(view, opening, entities);
        if reader.open()? != start.at {
            return None;
        }
        if !start.slashes && start.is_special() {
            // T11: a line break may stand between `:` and `//`.
            let gap = reader.read_gap(start.colon + 1, start.at + LONGEST)?;
            let slashes = view.at(gap.end) == Some(b'/') && view.at(gap.end + 1) == Some(b'/');
            if !gap.is_wrap || !slashes {
                return None;
            }
        }
        reader.read(workspace)
    };
    let plain = (start.slashes).then(|| opening.read_plain(view, start.at));
    let mut candidate = plain.flatten().or_else(|| with_entity_marks(read))?;
    let reference = workspace.reference(&candidate, view.bytes);
    candidate.flags |= start.flags;
    is_acceptable(start, &reference[start.colon + 1 - start.at..]).then_some(candidate)
}

/// T14: reads with `&gt;` as a reply mark, and without if not every line has such marks.
#[inline(never)]
fn with_entity_marks<T>(mut read: impl FnMut(Option<&Cell<bool>>) -> Option<T>) -> Option<T> {
    let seen = Cell::new(false);
    match read(Some(&seen)) {
        None if seen.get() => read(None),
        candidate => candidate,
    }
}

/// T22: returns whether `rest`, after the colon, starts with `//` or has the scheme's shape.
#[inline]
fn is_acceptable(start: &SchemeStart, rest: &[u8]) -> bool {
    let is_in_form = match start.shape() {
        Some(shape) => start.slashes || shape(rest),
        // T11: a line break before the slashes is removed.
        None => rest.starts_with(b"//"),
    };
    is_in_form && has_authority(rest, start.is_file())
}

/// T21: returns whether `//`, if there, is before an authority.
fn has_authority(rest: &[u8], is_file: bool) -> bool {
    let Some(rest) = rest.strip_prefix(b"//") else {
        return true;
    };
    let is_part = |byte: &&u8| !matches!(byte, b'/' | b'?' | b'#');
    let mut authority = rest.iter().take_while(is_part);
    // `[::]` has neither a letter nor a digit.
    authority.any(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b']' | 0x80..))
        || is_file && rest.starts_with(b"/")
}

/// T22: reads the reference in `<URL:...>`, of any scheme or relative; `colon` is the colon of `URL:`.
pub(super) fn read_prefixed(
    view: &TextView,
    colon: usize,
    workspace: &mut Workspace,
) -> Option<Candidate> {
    let before = UriPrefix::of(view, colon + 1);
    let opening = before
        .opening
        .filter(|opening| !opening.is_quote && opening.has_prefix)?;
    let mut candidate = with_entity_marks(|entities| {
        let mut reader = DelimitedReader::new(view, opening, entities);
        if reader.open()? - (colon + 1) > PADDING {
            return None;
        }
        reader.read(workspace)
    })?;
    let reference = workspace.reference(&candidate, view.bytes);
    let has_spaces = candidate.flags.contains(Flags::INNER_SPACE);
    let raw = scheme_length(&view.bytes[candidate.raw.clone()]);
    let Some(length) = raw else {
        candidate.flags |= Flags::RELATIVE;
        // T11: a scheme's name is never joined.
        let is_relative = scheme_length(reference).is_none() && has_authority(reference, false);
        return (!has_spaces && is_relative).then_some(candidate);
    };
    let (name, rest) = (&reference[..length], &reference[length + 1..]);
    let slashes = rest.starts_with(b"//");
    let compound = memchr::memrchr(b'+', name).filter(|_| slashes);
    let known = SchemeForm::named(name).or_else(|| SchemeForm::named(&name[compound? + 1..]));
    if known.is_none() {
        candidate.flags |= Flags::UNKNOWN_SCHEME;
        if !slashes && has_spaces {
            return None;
        }
    }
    let is_file = name.eq_ignore_ascii_case(b"file");
    let accepted = length <= LONGEST_RUN && !rest.is_empty() && has_authority(rest, is_file);
    accepted.then_some(candidate)
}

/// T24: the longest introducer with its parameters, in bytes.
const LONGEST_OPENING: usize = 256;

/// T24: returns whether `ESC ]8;params;` ends at an index.
pub(super) fn opens_hyperlink(view: &TextView, at: usize) -> bool {
    if view.before(at) != Some(b';') {
        return false;
    }
    let least = view.floor.max(at.saturating_sub(LONGEST_OPENING));
    let opening = &view.bytes[least..at - 1.min(at)];
    let Some(semicolon) = memchr::memrchr(b';', opening) else {
        return false;
    };
    opening[..semicolon].ends_with(b"\x1B]8")
        && !opening[semicolon..].iter().any(u8::is_ascii_control)
}

/// T24: reads the URI up to BEL or `ESC \`, unchanged.
pub(super) fn read_hyperlink(view: &TextView, start: &SchemeStart) -> Option<Candidate> {
    let mut end = start.colon;
    let limit = start.at + LONGEST;
    while !view.at(end)?.is_ascii_control() {
        end += 1;
        if end > limit {
            return None;
        }
    }
    let outer_end = match view.at(end)? {
        0x07 => end + 1,
        0x1B if view.at(end + 1) == Some(b'\\') => end + 2,
        _ => return None,
    };
    let rest = &view.bytes[start.colon + 1..end];
    is_acceptable(start, rest)
        .then(|| Candidate::new(start.at..end, outer_end, Context::Osc8, start.flags))
}
