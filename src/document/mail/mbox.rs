//! The mbox family: mboxo, mboxrd, mboxcl, mboxcl2, and what other programs write.

use memchr::{memchr, memchr_iter, memmem};

use super::framing::{ArchiveState, Framing, LOOK_AHEAD};
use super::header::{is_from_line, split_field};
use super::separator::{self, FromLine, PrecedingLine, SeparatorStyle};
use super::tree::Ending;
use super::unquote::LineUnquoter;
use crate::bytes::simd::Block;
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::Events;
use crate::document::{MemberFinder, MemberSearch, PieceIndex, ReadAt, SplitContext};

/// A blank line and the start of a separator.
pub(super) const LEAD: usize = 16;
/// A longer header block is not looked through: the rest of the archive is not cut.
const HEADER: usize = 256 << 10;
const LENGTH: &[u8] = b"content-length";

/// A mailbox in the making.
pub(super) struct Mbox {
    finder: memmem::Finder<'static>,
    stage: MboxStage,
    style: SeparatorStyle,
    /// Lines before this offset have been judged, and told of.
    judged: u64,
    /// Where the Content-Length field says that the message at hand ends.
    claimed: Option<u64>,
    /// The claim leads to a separator: no line before it is one.
    verified: u64,
    /// The claim was not believed.
    doubted: bool,
    /// The message that begins at this offset belongs to another piece of the archive.
    stop: Option<u64>,
    /// The piece has come to its end.
    done: bool,
    /// Lines that start like separators, where they are known already.
    index: Option<PieceIndex>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MboxStage {
    /// Before the first message.
    Start,
    /// In text before it.
    Junk,
    Message,
}

/// A separator ahead.
#[derive(Clone, Copy, Debug)]
enum SeparatorAhead {
    /// The message ends at `end`, the separator stands at `line` and ends at `next`.
    Separator {
        end: usize,
        line: usize,
        next: usize,
    },
    /// None up to here.
    None(usize),
}

impl Default for Mbox {
    fn default() -> Self {
        Mbox {
            finder: memmem::Finder::new(b"From"),
            stage: MboxStage::Start,
            style: SeparatorStyle::Unknown,
            judged: 0,
            claimed: None,
            verified: 0,
            doubted: false,
            stop: None,
            done: false,
            index: None,
        }
    }
}

impl Framing for Mbox {
    fn piece(split: SplitContext, index: Option<PieceIndex>) -> Self {
        Mbox {
            index,
            style: SeparatorStyle::of_state(split.state),
            stop: split.end,
            ..Mbox::default()
        }
    }

    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        if self.done {
            return bytes.len();
        }
        loop {
            if self.stage == MboxStage::Start {
                at += bytes[at..]
                    .iter()
                    .take_while(|&&byte| matches!(byte, 0 | b'\n' | b'\r'))
                    .count();
                if at == bytes.len() {
                    return at;
                }
            }
            let ahead = self.ahead(&window, at, archive, out);
            match ahead {
                SeparatorAhead::None(safe) => {
                    if self.stage == MboxStage::Start {
                        if safe <= at && !window.last {
                            return at;
                        }
                        self.begin_junk(&window, at, archive, out);
                    }
                    if window.last {
                        let header = archive.tree.in_first_header();
                        if header && self.stage == MboxStage::Message {
                            at = archive.feed(&window, at, bytes.len(), true, out);
                            self.header_done(true, &window, at, archive);
                        }
                        self.finish(&window, at, bytes.len(), bytes.len(), archive, out);
                        return bytes.len();
                    }
                    let header = archive.tree.in_first_header();
                    let stopped = archive.feed(&window, at, safe.max(at), false, out);
                    self.header_done(header, &window, stopped, archive);
                    let go_on = header && !archive.tree.in_first_header();
                    if !go_on || stopped >= safe {
                        return stopped;
                    }
                    at = stopped;
                }
                SeparatorAhead::Separator { end, line, next } => {
                    let header = archive.tree.in_first_header() && self.stage == MboxStage::Message;
                    if self.stage == MboxStage::Start && line > at {
                        self.begin_junk(&window, at, archive, out);
                    }
                    if header {
                        // The field that tells the length stands in the header.
                        at = archive.feed(&window, at, end, true, out);
                        // The blank line that ends it was taken for the separator's.
                        let body = if archive.tree.cut { line } else { at };
                        self.header_done(true, &window, body, archive);
                        if self.claimed.is_some() {
                            continue;
                        }
                    }
                    if self.stage != MboxStage::Start {
                        self.finish(&window, at, end, line, archive, out);
                    }
                    if self.stop == Some(window.offset_at(line)) {
                        self.done = true;
                        return bytes.len();
                    }
                    self.begin_message(&window, line, next, archive);
                    at = next;
                }
            }
        }
    }
}

impl Mbox {
    fn begin_junk(
        &mut self,
        window: &Window<'_>,
        at: usize,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) {
        self.stage = MboxStage::Junk;
        let offset = window.offset_at(at);
        archive.begin_junk(offset, out);
        archive
            .tree
            .diagnose(&diagnostic::LEADING_JUNK, offset, out);
    }

    fn begin_message(
        &mut self,
        window: &Window<'_>,
        line: usize,
        next: usize,
        archive: &mut ArchiveState,
    ) {
        if self.style == SeparatorStyle::Unknown {
            self.style = separator::style_of(&window.bytes[line..next]);
        }
        self.stage = MboxStage::Message;
        archive.readers.quoted = self.index.as_ref().is_some_and(|index| index.escaped);
        self.claimed = None;
        self.doubted = false;
        archive.begin(window.offset_at(line), LineUnquoter::mailbox());
    }

    /// Takes note of the length that the header claims.
    fn header_done(
        &mut self,
        header: bool,
        window: &Window<'_>,
        at: usize,
        archive: &mut ArchiveState,
    ) {
        if header && !archive.tree.in_first_header() {
            let length = archive.tree.content_length.take();
            self.claimed = length.map(|length| window.offset_at(at).saturating_add(length));
        }
    }

    /// The message ends at `end`, in front of the separator at `line`.
    fn finish(
        &mut self,
        window: &Window<'_>,
        at: usize,
        end: usize,
        line: usize,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) {
        let file = window.last && line == window.bytes.len();
        if let Some(claimed) = self.claimed.take() {
            let fits = [end, line]
                .iter()
                .any(|&at| window.offset_at(at) == claimed)
                || (file && self.fits_end(window, claimed));
            self.doubted |= !fits;
        }
        if std::mem::take(&mut self.doubted) {
            let offset = window.offset_at(end);
            let code = &diagnostic::CONTENT_LENGTH_MISMATCH;
            archive.tree.diagnose(code, offset, out);
        }
        let ending = if file {
            Ending::Truncated
        } else {
            Ending::Whole
        };
        archive.finish(window, at, end, ending, out);
    }

    /// Whether a claim leads to the end of the file, or to the blank line before it.
    fn fits_end(&self, window: &Window<'_>, claimed: u64) -> bool {
        let Some(at) = claimed.checked_sub(window.offset) else {
            return false;
        };
        let rest = usize::try_from(at)
            .ok()
            .and_then(|at| window.bytes.get(at..));
        rest.is_some_and(|rest| matches!(rest, b"" | b"\n" | b"\r\n"))
    }

    /// The next separator behind `at`, which stands in the message at hand.
    fn ahead(
        &mut self,
        window: &Window<'_>,
        at: usize,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> SeparatorAhead {
        let bytes = window.bytes;
        let verified = usize::try_from(self.verified.saturating_sub(window.offset));
        let mut from = at.max(verified.unwrap_or(usize::MAX));
        if from >= bytes.len() && from > at {
            return SeparatorAhead::None(bytes.len());
        }
        loop {
            let start = self.stage == MboxStage::Start;
            let line = match &self.index {
                Some(index) => known_candidate(index, window, from),
                None => {
                    let quoted = &mut archive.readers.quoted;
                    candidate(&self.finder, bytes, from, start, quoted)
                }
            };
            let Some(line) = line else {
                return SeparatorAhead::None(safe_end(bytes, at.max(window.start), window.last));
            };
            let before = before(bytes, line, window.offset);
            let end = message_end(bytes, at, line);
            let verdict = if self.stop == Some(window.offset_at(line)) {
                // Whoever cut the archive here has seen more of it.
                FromLine::Separator(0)
            } else {
                separator::judge(&bytes[line..], window.last, before, self.style)
            };
            match verdict {
                FromLine::Unknown => return SeparatorAhead::None(end),
                FromLine::Text => {
                    let offset = window.offset_at(line);
                    let told = offset < self.judged || self.stage != MboxStage::Message;
                    if !told && separator::is_candidate(&bytes[line..], true) {
                        let code = &diagnostic::FROM_LINE_IN_BODY;
                        archive.tree.diagnose(code, offset, out);
                    }
                    self.judged = self.judged.max(offset + 1);
                    from = (line + 4).min(bytes.len());
                }
                FromLine::Separator(length) => match self.claim(window, end, line) {
                    ContentLengthClaim::None => {
                        return SeparatorAhead::Separator {
                            end,
                            line,
                            next: line + length,
                        };
                    }
                    ContentLengthClaim::Unknown => return SeparatorAhead::None(end),
                    ContentLengthClaim::Verified(claimed) => {
                        self.verified = window.offset_at(claimed);
                        // Nobody looks at what it leads over.
                        archive.readers.quoted = true;
                        from = claimed;
                        if from >= bytes.len() {
                            return SeparatorAhead::None(bytes.len());
                        }
                    }
                },
            }
        }
    }

    /// What a Content-Length says of a separator: it is believed if it leads to another one, or to
    /// the end of the file.
    fn claim(&mut self, window: &Window<'_>, end: usize, line: usize) -> ContentLengthClaim {
        let Some(claimed) = self.claimed else {
            return ContentLengthClaim::None;
        };
        if window.offset_at(end) == claimed || window.offset_at(line) >= claimed {
            return ContentLengthClaim::None;
        }
        let beyond = self.stop.is_some_and(|stop| claimed > stop);
        if !beyond && claimed - window.offset_at(line) <= LOOK_AHEAD as u64 {
            let claimed = window.at_offset(claimed);
            if !window.last && claimed + LEAD > window.bytes.len() {
                return ContentLengthClaim::Unknown;
            }
            if leads(window.bytes, claimed, window.last) {
                return ContentLengthClaim::Verified(claimed);
            }
        }
        self.claimed = None;
        self.doubted = true;
        ContentLengthClaim::None
    }
}

/// The first known candidate from an index of the window on.
fn known_candidate(index: &PieceIndex, window: &Window<'_>, from: usize) -> Option<usize> {
    let from = window.offset_at(from);
    let next = index.candidates.partition_point(|&line| line < from);
    let line = usize::try_from(index.candidates.get(next)? - window.offset).ok()?;
    (line < window.bytes.len()).then_some(line)
}

/// The next line that starts like a separator; at the `start` of a mailbox it may stand behind NULs.
/// Takes note of lines that may be quoted.
pub(super) fn candidate(
    finder: &memmem::Finder<'_>,
    bytes: &[u8],
    from: usize,
    start: bool,
    quoted: &mut bool,
) -> Option<usize> {
    let starts = start || from == 0 || bytes[from - 1] == b'\n';
    if starts && separator::is_candidate(&bytes[from..], false) && from < bytes.len() {
        return Some(from);
    }
    let words = finder.find_iter(&bytes[from..]).map(|at| from + at);
    for line in words {
        match line.checked_sub(1).map(|before| bytes[before]) {
            Some(b'\n') if separator::is_candidate(&bytes[line..], false) => return Some(line),
            Some(b'>') => *quoted = true,
            _ => {}
        }
    }
    None
}

enum ContentLengthClaim {
    /// There is none, or it says the same.
    None,
    /// More bytes are needed to tell.
    Unknown,
    /// The message ends here and not earlier.
    Verified(usize),
}

/// Whether an index, to which a Content-Length leads, is the end of the file or stands in front of
/// a separator.
pub(super) fn leads(bytes: &[u8], claimed: usize, last: bool) -> bool {
    let Some(rest) = bytes.get(claimed..) else {
        return false;
    };
    let behind = rest
        .strip_prefix(b"\r\n")
        .or_else(|| rest.strip_prefix(b"\n"))
        .unwrap_or(rest);
    bytes[claimed - 1] == b'\n'
        && (last && behind.is_empty() || rest.starts_with(b"From ") || behind.starts_with(b"From "))
}

/// What stands before a line.
pub(super) fn before(bytes: &[u8], line: usize, offset: u64) -> PrecedingLine {
    let text = &bytes[..line];
    let Some(text) = text.strip_suffix(b"\n") else {
        // The first line of the file, behind nothing but NULs.
        return PrecedingLine::Blank;
    };
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let blank = text.ends_with(b"\n") || (text.is_empty() && offset == 0);
    if blank {
        PrecedingLine::Blank
    } else {
        PrecedingLine::Text
    }
}

/// The end of a message in front of a separator: one blank line belongs to the separator.
pub(super) fn message_end(bytes: &[u8], at: usize, line: usize) -> usize {
    let text = &bytes[at..line];
    let cut = text
        .strip_suffix(b"\n")
        .map(|text| text.strip_suffix(b"\r").unwrap_or(text))
        .filter(|text| {
            text.ends_with(b"\n") || (text.is_empty() && at > 0 && bytes[at - 1] == b'\n')
        });
    cut.map_or(line, |text| at + text.len())
}

/// The end of what certainly belongs to the message: a last line that may become a separator, and
/// the blank line before it, may not.
fn safe_end(bytes: &[u8], at: usize, last: bool) -> usize {
    if last {
        return bytes.len();
    }
    let line = memchr::memrchr(b'\n', &bytes[at..]).map_or(at, |end| at + end + 1);
    let starts = line == 0 || bytes[line - 1] == b'\n';
    let rest = &bytes[line..];
    if starts && (rest == b"\r" || separator::is_candidate(rest, false)) {
        message_end(bytes, at, line)
    } else {
        bytes.len()
    }
}

/// The messages of a mailbox.
#[derive(Debug)]
pub(super) struct MboxFinder {
    finder: memmem::Finder<'static>,
    style: SeparatorStyle,
    /// The first byte that is no NUL and ends no line has been seen.
    started: bool,
    /// Messages that have begun.
    messages: u64,
    /// Offset of the header of the message at hand, until it has been looked through.
    header: Option<u64>,
    /// Where its Content-Length field says that it ends.
    claimed: Option<u64>,
    /// No line before this offset separates messages.
    verified: u64,
    /// Lines that may separate messages, and whether any is quoted, since they were taken last.
    lines: Vec<u64>,
    quoted: bool,
}

impl Default for MboxFinder {
    fn default() -> Self {
        MboxFinder {
            finder: memmem::Finder::new(b"From"),
            style: SeparatorStyle::Unknown,
            started: false,
            messages: 0,
            header: None,
            claimed: None,
            verified: 0,
            lines: Vec::new(),
            quoted: false,
        }
    }
}

/// What comes next in a window.
enum NextMessage {
    /// A separator and the index behind its line.
    Separator(usize, usize),
    /// None before this index.
    None(usize),
}

impl MemberFinder for MboxFinder {
    fn next(&mut self, window: &Window<'_>, read_at: ReadAt<'_>) -> MemberSearch {
        let bytes = window.bytes;
        let mut at = window.start;
        if !self.started {
            let skipped = |byte: &&u8| matches!(byte, 0 | b'\n' | b'\r');
            at += bytes[at..].iter().take_while(skipped).count();
            if at == bytes.len() {
                return MemberSearch::NotBefore(at);
            }
        }
        loop {
            let next = self.separator(window, at);
            if let Some(header) = self.header {
                let from = window.at_offset(header);
                let (to, end, whole) = match next {
                    NextMessage::Separator(line, _) => (message_end(bytes, from, line), line, true),
                    NextMessage::None(safe) => (safe.max(from), bytes.len(), window.last),
                };
                match length(&bytes[from..to], whole) {
                    Ok(claim) => {
                        self.header = None;
                        self.claimed = claim.map(|(body, length)| {
                            let body = body.map_or(end, |body| from + body);
                            window.offset_at(body).saturating_add(length)
                        });
                    }
                    Err(Partial) if to - from > HEADER => return MemberSearch::Lost,
                    Err(Partial) => return MemberSearch::NotBefore(from),
                }
            }
            let (line, behind) = match next {
                NextMessage::Separator(line, behind) => (line, behind),
                NextMessage::None(safe) => return MemberSearch::NotBefore(safe),
            };
            if let Some(claimed) = self.skips(window, line, read_at) {
                self.verified = claimed;
                // Nobody looks at what it leads over.
                self.quoted = true;
                // What the claim leads to ends the message at the latest.
                self.claimed = None;
                let end = usize::try_from(claimed - window.offset).unwrap_or(usize::MAX);
                if end >= bytes.len() {
                    return MemberSearch::NotBefore(bytes.len());
                }
                at = end;
                continue;
            }
            if self.style == SeparatorStyle::Unknown {
                self.style = separator::style_of(&bytes[line..behind]);
            }
            self.messages += 1;
            self.header = Some(window.offset_at(behind));
            self.claimed = None;
            return MemberSearch::Found {
                at: line,
                next: behind,
            };
        }
    }

    fn context(&self) -> SplitContext {
        SplitContext {
            before: self.messages.saturating_sub(1),
            end: None,
            state: self.style as u8,
        }
    }

    fn take_index(&mut self, end: u64) -> PieceIndex {
        // The line that begins the next piece ends this one.
        let behind = self.lines.partition_point(|&line| line < end);
        let rest = self.lines[behind..].to_vec();
        let mut candidates = std::mem::replace(&mut self.lines, rest);
        candidates.truncate(behind + 1);
        PieceIndex {
            candidates,
            escaped: std::mem::take(&mut self.quoted),
        }
    }
}

impl MboxFinder {
    /// The next line that separates messages as far as the lines around it tell.
    fn separator(&mut self, window: &Window<'_>, at: usize) -> NextMessage {
        let bytes = window.bytes;
        let verified = usize::try_from(self.verified.saturating_sub(window.offset));
        let mut from = at.max(verified.unwrap_or(usize::MAX));
        if from >= bytes.len() {
            return NextMessage::None(bytes.len());
        }
        loop {
            let start = !std::mem::replace(&mut self.started, true);
            let Some(line) = candidate(&self.finder, bytes, from, start, &mut self.quoted) else {
                // The start of the word may stand at the end.
                let safe = bytes.len().saturating_sub(LEAD);
                return NextMessage::None(if window.last {
                    bytes.len()
                } else {
                    safe.max(at)
                });
            };
            let offset = window.offset_at(line);
            if self.lines.last().is_none_or(|&last| last < offset) {
                self.lines.push(offset);
            }
            let before = before(bytes, line, window.offset);
            match separator::judge(&bytes[line..], window.last, before, self.style) {
                FromLine::Separator(length) => return NextMessage::Separator(line, line + length),
                FromLine::Text => from = (line + 4).min(bytes.len()),
                FromLine::Unknown => {
                    self.started = !start;
                    return NextMessage::None(line.saturating_sub(LEAD).max(at));
                }
            }
        }
    }

    /// Where the message at hand goes on to, over a line that looks like a separator.
    fn skips(&self, window: &Window<'_>, line: usize, read_at: ReadAt<'_>) -> Option<u64> {
        let claimed = self.claimed?;
        let offset = window.offset_at(line);
        if claimed <= offset || claimed - offset > LOOK_AHEAD as u64 {
            return None;
        }
        // One byte before, and what a claim leads to.
        let mut seen = [0; 1 + LEAD];
        let n = read_at(claimed - 1, &mut seen);
        let last = n < seen.len();
        leads(&seen[..n], 1, last).then_some(claimed)
    }
}

/// More bytes are needed.
struct Partial;

/// The length that a header block claims for its body, if it does, and where that begins; nowhere
/// if the block goes on to the end.
fn length(header: &[u8], whole: bool) -> Result<Option<(Option<usize>, u64)>, Partial> {
    if !names_length(header, whole)? {
        return Ok(None);
    }
    let mut length = None;
    let mut at = 0;
    let mut lines = 0;
    while at < header.len() {
        let rest = &header[at..];
        let end = match memchr(b'\n', rest) {
            Some(end) => end + 1,
            None if whole => rest.len(),
            None => return Err(Partial),
        };
        let line = &rest[..end];
        match line {
            [b' ' | b'\t', ..] if lines > 0 => {}
            [b'\n', ..] | [b'\r', b'\n'] | [b'\r'] => {
                let body = if line == b"\r" { at } else { at + end };
                return Ok(length.map(|length| (Some(body), length)));
            }
            _ => match split_field(line) {
                Some((name, value)) => {
                    if length.is_none() && name.eq_ignore_ascii_case(LENGTH) {
                        length = value_of(&rest[value..]);
                    }
                }
                None if is_from_line(line, lines == 0) => {
                    // In front of the first field it is no line.
                    if lines == 0 {
                        at += end;
                        continue;
                    }
                }
                None => return Ok(length.map(|length| (Some(at), length))),
            },
        }
        lines += 1;
        at += end;
    }
    match whole {
        true => Ok(length.map(|length| (None, length))),
        false => Err(Partial),
    }
}

/// Whether a line before the first empty one starts with the field's name. Most headers have none
/// such, and are looked through by this alone.
fn names_length(header: &[u8], whole: bool) -> Result<bool, Partial> {
    if let Some(answer) = starts_with_length(header) {
        return Ok(answer);
    }
    let (blocks, rest) = header.as_chunks();
    for (index, block) in blocks.iter().enumerate() {
        let mut breaks = Block::new(block).equal(b'\n');
        while breaks != 0 {
            let line = 16 * index + breaks.trailing_zeros() as usize + 1;
            if let Some(answer) = starts_with_length(&header[line..]) {
                return Ok(answer);
            }
            breaks &= breaks - 1;
        }
    }
    let from = header.len() - rest.len();
    for at in memchr_iter(b'\n', rest) {
        if let Some(answer) = starts_with_length(&header[from + at + 1..]) {
            return Ok(answer);
        }
    }
    if whole { Ok(false) } else { Err(Partial) }
}

/// What a line says: it is the field, or it is empty.
#[inline(always)]
fn starts_with_length(line: &[u8]) -> Option<bool> {
    match line {
        [b'\n', ..] | [b'\r', b'\n', ..] => Some(false),
        [b'c' | b'C', ..] => {
            let name = line.get(..LENGTH.len())?;
            name.eq_ignore_ascii_case(LENGTH).then_some(true)
        }
        _ => None,
    }
}

/// The number that a field holds, which may be folded.
fn value_of(rest: &[u8]) -> Option<u64> {
    let mut end = 0;
    loop {
        end += memchr(b'\n', &rest[end..]).map_or(rest.len() - end, |at| at + 1);
        if !matches!(rest.get(end), Some(b' ' | b'\t')) {
            break;
        }
    }
    std::str::from_utf8(rest[..end].trim_ascii())
        .ok()?
        .parse()
        .ok()
}
