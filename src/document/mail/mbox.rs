//! The mbox family: mboxo, mboxrd, mboxcl, mboxcl2, and the variants of other programs (rules M2 to
//! M6).
//!
//! [`SeparatorSearch`] finds separators for the scanner ([`Mbox`]) and the splitter
//! ([`MboxFinder`]). Where a message begins depends on three things only: the lines around a
//! separator, the style of the first one, and Content-Length fields, which can lead over some. So
//! the splitter tests lines that start with `From ` and the names of header fields, and nothing
//! else.

use std::ops::{ControlFlow, Range};

use memchr::{memchr_iter, memmem, memrchr};

use super::framing::{ArchiveState, Feed, Framing, LOOK_AHEAD, MessageEnd};
use super::header::{Header, HeaderStop, Hyphens};
use super::part_scanners::PartScanners;
use super::separator::{self, FromLine, PrecedingLine, SeparatorStyle};
use super::tree::Ending;
use super::{Headers, MailOptions};
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::{
    FormatOptions, MemberFinder, MemberSearch, PieceIndex, ReadAt, SplitContext,
};

/// The length of a blank line and the start of a separator.
const LEAD: usize = 16;

/// The longest header block that is searched for a Content-Length field: behind a longer one, an
/// archive is not split.
const MAX_HEADER: usize = 256 << 10;

const CONTENT_LENGTH: &[u8] = b"content-length";

/// The search for separators, shared by scanning and splitting.
struct SeparatorSearch {
    finder: memmem::Finder<'static>,
    style: SeparatorStyle,
    /// The offset where the Content-Length field of the current message says that it ends.
    claimed: Option<u64>,
    /// No line before this offset is a separator: a Content-Length field leads over it.
    verified: u64,
    /// The offset of a line that is known to be a separator.
    stop: Option<u64>,
}

/// The next separator in a window.
enum NextSeparator {
    /// Its line begins at `line` and ends before `next`.
    Found { line: usize, next: usize },
    /// More bytes are needed to classify the line at this index.
    Unknown(usize),
    /// No line in the window is one.
    None,
    /// A Content-Length field leads over the whole window.
    LedOver,
}

impl Default for SeparatorSearch {
    fn default() -> Self {
        SeparatorSearch {
            finder: memmem::Finder::new(b"From"),
            style: SeparatorStyle::Unknown,
            claimed: None,
            verified: 0,
            stop: None,
        }
    }
}

impl SeparatorSearch {
    /// Finds the next line from `at` on that is a separator by the lines around it. `candidate`
    /// finds the next line to classify; `text` takes those that are none.
    fn next(
        &self,
        window: &Window<'_>,
        at: usize,
        mut candidate: impl FnMut(usize) -> Option<usize>,
        mut text: impl FnMut(usize),
    ) -> NextSeparator {
        let bytes = window.bytes;
        let verified = usize::try_from(self.verified.saturating_sub(window.offset));
        let mut from = at.max(verified.unwrap_or(usize::MAX));
        if from >= bytes.len() {
            return NextSeparator::LedOver;
        }
        while let Some(line) = candidate(from) {
            let before = before(bytes, line, window.offset);
            let verdict = if self.stop == Some(window.offset_at(line)) {
                // The splitter has seen more of the archive.
                FromLine::Separator(0)
            } else {
                separator::classify(&bytes[line..], window.last, before, self.style)
            };
            match verdict {
                FromLine::Separator(length) => {
                    let next = line + length;
                    return NextSeparator::Found { line, next };
                }
                FromLine::Unknown => return NextSeparator::Unknown(line),
                FromLine::Text => {
                    text(line);
                    from = (line + 4).min(bytes.len());
                }
            }
        }
        NextSeparator::None
    }

    /// Finds the next line that starts like a separator; the first line of a mailbox, which begins
    /// at `from` if `first`, may stand behind NULs. Sets `quoted` at lines that may be quoted.
    fn candidate(
        &self,
        bytes: &[u8],
        from: usize,
        first: bool,
        quoted: &mut bool,
    ) -> Option<usize> {
        let starts = first || from == 0 || bytes[from - 1] == b'\n';
        if starts && from < bytes.len() && separator::is_candidate(&bytes[from..], false) {
            return Some(from);
        }
        for line in self.finder.find_iter(&bytes[from..]).map(|at| from + at) {
            match line.checked_sub(1).map(|before| bytes[before]) {
                Some(b'\n') if separator::is_candidate(&bytes[line..], false) => return Some(line),
                Some(b'>') => *quoted = true,
                _ => {}
            }
        }
        None
    }

    /// Returns the offset behind the separator at `line` to which a Content-Length field leads, if
    /// that is near enough to be checked.
    fn claim_over(&self, line: u64) -> Option<u64> {
        let ahead = self.claimed?.checked_sub(line)?;
        (1..=LOOK_AHEAD as u64)
            .contains(&ahead)
            .then_some(line + ahead)
    }

    /// Begins the message after the separator `line`.
    fn begin_message(&mut self, line: &[u8]) {
        if self.style == SeparatorStyle::Unknown {
            self.style = separator::style_of(line);
        }
        self.claimed = None;
    }
}

/// Returns the length of the NULs and line ends before the first separator.
fn leading(bytes: &[u8]) -> usize {
    let skipped = |byte: &&u8| matches!(byte, 0 | b'\n' | b'\r');
    bytes.iter().take_while(skipped).count()
}

/// Returns what the line before a candidate is.
fn before(bytes: &[u8], line: usize, offset: u64) -> PrecedingLine {
    let text = &bytes[..line];
    let Some(text) = text.strip_suffix(b"\n") else {
        // The first line of the file, behind nothing but NULs.
        return PrecedingLine::Blank;
    };
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    match text.ends_with(b"\n") || (text.is_empty() && offset == 0) {
        true => PrecedingLine::Blank,
        false => PrecedingLine::Text,
    }
}

/// Returns the end of a message in front of a separator, to which one blank line belongs.
fn message_end(bytes: &[u8], at: usize, line: usize) -> usize {
    let text = &bytes[at..line];
    let cut = text
        .strip_suffix(b"\n")
        .map(|text| text.strip_suffix(b"\r").unwrap_or(text))
        .filter(|text| {
            text.ends_with(b"\n") || (text.is_empty() && at > 0 && bytes[at - 1] == b'\n')
        });
    cut.map_or(line, |text| at + text.len())
}

/// Returns the end of what belongs to the message whatever follows: not a last line that may become
/// a separator, nor the blank line before it.
fn safe_end(bytes: &[u8], at: usize, last: bool) -> usize {
    if last {
        return bytes.len();
    }
    let line = memrchr(b'\n', &bytes[at..]).map_or(at, |end| at + end + 1);
    let starts = line == 0 || bytes[line - 1] == b'\n';
    let rest = &bytes[line..];
    if starts && (rest == b"\r" || separator::is_candidate(rest, false)) {
        message_end(bytes, at, line)
    } else {
        bytes.len()
    }
}

/// Returns whether `claimed`, to which a Content-Length field leads, is the end of the file or
/// stands in front of a separator.
fn leads(bytes: &[u8], claimed: usize, last: bool) -> bool {
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

/// The framing of a mailbox.
#[derive(Default)]
pub(super) struct Mbox {
    search: SeparatorSearch,
    stage: MboxStage,
    /// The separator that ended the last message, as indices of the window.
    separator: Option<Range<usize>>,
    /// Lines before this offset have been classified, and diagnosed.
    classified: u64,
    /// A Content-Length field of the current message led nowhere.
    is_doubted: bool,
    /// The findings of the splitter in the piece.
    index: Option<PieceIndex>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MboxStage {
    /// Before the first message.
    #[default]
    Start,
    /// In text before it.
    Junk,
    Message,
}

/// A separator ahead.
enum SeparatorAhead {
    /// The message ends at `end`, before the separator.
    Separator { end: usize, line: Range<usize> },
    /// There is none before this index.
    None(usize),
}

impl Framing for Mbox {
    fn piece(split: SplitContext, index: Option<PieceIndex>) -> Self {
        Mbox {
            search: SeparatorSearch {
                style: SeparatorStyle::of_state(split.state),
                stop: split.end,
                ..SeparatorSearch::default()
            },
            index,
            ..Mbox::default()
        }
    }

    fn begin(&mut self, mut at: usize, feed: &mut Feed<'_, '_>) -> ControlFlow<usize, usize> {
        let window = feed.window;
        let bytes = window.bytes;
        if self.stage == MboxStage::Start {
            at += leading(&bytes[at..]);
            if at == bytes.len() {
                return ControlFlow::Break(at);
            }
            match self.ahead(at, feed) {
                SeparatorAhead::None(safe) if safe <= at && !window.last => {
                    return ControlFlow::Break(at);
                }
                SeparatorAhead::Separator { line, .. } if line.start == at => {
                    self.separator = Some(line);
                }
                _ => {
                    self.stage = MboxStage::Junk;
                    feed.begin_junk(at);
                    return ControlFlow::Continue(at);
                }
            }
        }
        self.stage = MboxStage::Message;
        let is_inside =
            |line: &Range<usize>| self.search.stop != Some(window.offset_at(line.start));
        let Some(line) = self.separator.take().filter(is_inside) else {
            return ControlFlow::Break(bytes.len());
        };
        self.search.begin_message(&bytes[line.clone()]);
        self.is_doubted = false;
        feed.archive.scanners.quoted = self.index.as_ref().is_some_and(|index| index.escaped);
        feed.begin(line.start, true);
        ControlFlow::Continue(line.end)
    }

    fn end(&mut self, at: usize, feed: &mut Feed<'_, '_>) -> MessageEnd {
        let length = feed.window.bytes.len();
        self.separator = None;
        let (end, next, ending) = match self.ahead(at, feed) {
            SeparatorAhead::None(safe) if !feed.window.last => {
                return MessageEnd::NotBefore(safe.max(at));
            }
            SeparatorAhead::None(_) => (length, length, Ending::Truncated),
            SeparatorAhead::Separator { end, line } => {
                let next = line.start;
                self.separator = Some(line);
                (end, next, Ending::Whole)
            }
        };
        // Its header can still claim a length.
        if !feed.archive.tree.in_first_header() {
            self.compare_length(end, next, feed);
        }
        MessageEnd::At { end, next, ending }
    }

    fn end_header(&mut self, length: Option<u64>, body: u64) -> bool {
        self.search.claimed = length.map(|length| body.saturating_add(length));
        self.search.claimed.is_some()
    }
}

impl Mbox {
    /// Reports a Content-Length field that does not lead to the end of the message, which is `end`,
    /// before the separator at `line`.
    fn compare_length(&mut self, end: usize, line: usize, feed: &mut Feed<'_, '_>) {
        let window = feed.window;
        let is_file = window.last && line == window.bytes.len();
        if let Some(claimed) = self.search.claimed.take() {
            let fits = [end, line]
                .iter()
                .any(|&at| window.offset_at(at) == claimed)
                || (is_file && fits_end(&window, claimed));
            self.is_doubted |= !fits;
        }
        if std::mem::take(&mut self.is_doubted) {
            feed.diagnose(&diagnostic::CONTENT_LENGTH_MISMATCH, end);
        }
    }

    /// Finds the separator that ends the current message, from `at` on.
    fn ahead(&mut self, at: usize, feed: &mut Feed<'_, '_>) -> SeparatorAhead {
        let window = &feed.window;
        let bytes = window.bytes;
        loop {
            let (search, index) = (&self.search, &self.index);
            let (stage, classified) = (self.stage, &mut self.classified);
            let ArchiveState { tree, scanners, .. } = &mut *feed.archive;
            let quoted = &mut scanners.quoted;
            let candidate = |from| match index {
                Some(index) => known_candidate(index, window, from),
                None => search.candidate(bytes, from, stage == MboxStage::Start, quoted),
            };
            let next = search.next(window, at, candidate, |line| {
                let offset = window.offset_at(line);
                let is_new = offset >= *classified && stage == MboxStage::Message;
                if is_new && separator::is_candidate(&bytes[line..], true) {
                    tree.diagnose(&diagnostic::FROM_LINE_IN_BODY, offset, feed.out);
                }
                *classified = (*classified).max(offset + 1);
            });
            let line = match next {
                NextSeparator::Found { line, next } => line..next,
                NextSeparator::Unknown(line) => {
                    return SeparatorAhead::None(message_end(bytes, at, line));
                }
                NextSeparator::None => {
                    let safe = safe_end(bytes, at.max(window.start), window.last);
                    return SeparatorAhead::None(safe);
                }
                NextSeparator::LedOver => return SeparatorAhead::None(bytes.len()),
            };
            let end = message_end(bytes, at, line.start);
            match self.claim(window, line.start) {
                ContentLengthClaim::None => return SeparatorAhead::Separator { end, line },
                ContentLengthClaim::Unknown => return SeparatorAhead::None(end),
                ContentLengthClaim::Verified(claimed) => {
                    self.search.verified = claimed;
                    // Nothing searches for quoted lines in what the claim leads over.
                    scanners.quoted = true;
                }
            }
        }
    }

    /// Tests whether a Content-Length field leads over a separator: it does if it leads to another
    /// one, or to the end of the file.
    fn claim(&mut self, window: &Window<'_>, line: usize) -> ContentLengthClaim {
        let line = window.offset_at(line);
        if self.search.claimed.is_none_or(|claimed| claimed <= line) {
            return ContentLengthClaim::None;
        }
        let is_in_piece = |claimed: &u64| self.search.stop.is_none_or(|stop| *claimed <= stop);
        if let Some(offset) = self.search.claim_over(line).filter(is_in_piece) {
            let claimed = window.at_offset(offset);
            if !window.last && claimed + LEAD > window.bytes.len() {
                return ContentLengthClaim::Unknown;
            }
            if leads(window.bytes, claimed, window.last) {
                return ContentLengthClaim::Verified(offset);
            }
        }
        self.search.claimed = None;
        self.is_doubted = true;
        ContentLengthClaim::None
    }
}

/// The meaning of a Content-Length field for a separator.
enum ContentLengthClaim {
    /// Nothing, or that the message ends there.
    None,
    /// More bytes are needed to tell.
    Unknown,
    /// The message ends at this offset and not earlier.
    Verified(u64),
}

/// Returns whether a claim leads to the end of the file, or to the blank line before it.
fn fits_end(window: &Window<'_>, claimed: u64) -> bool {
    let at = claimed.checked_sub(window.offset).map(usize::try_from);
    let rest = at.and_then(|at| window.bytes.get(at.ok()?..));
    matches!(rest, Some(b"" | b"\n" | b"\r\n"))
}

/// Returns the first known candidate from an index of the window on.
fn known_candidate(index: &PieceIndex, window: &Window<'_>, from: usize) -> Option<usize> {
    let from = window.offset_at(from);
    let next = index.candidates.partition_point(|&line| line < from);
    let line = usize::try_from(index.candidates.get(next)? - window.offset).ok()?;
    (line < window.bytes.len()).then_some(line)
}

/// Finds the messages of a mailbox without scanning them.
#[derive(Default)]
pub(super) struct MboxFinder {
    search: SeparatorSearch,
    /// The first byte that is neither NUL nor a line end has been seen.
    has_started: bool,
    /// Messages that have begun.
    messages: u64,
    /// The offset of the header of the current message, until it has been searched.
    header: Option<u64>,
    lengths: ContentLengthReader,
    /// The findings since the index was taken last.
    index: PieceIndex,
}

impl MemberFinder for MboxFinder {
    fn next(&mut self, window: &Window<'_>, read_at: ReadAt<'_>) -> MemberSearch {
        let bytes = window.bytes;
        let mut at = window.start;
        if !self.has_started {
            at += leading(&bytes[at..]);
            if at == bytes.len() {
                return MemberSearch::NotBefore(at);
            }
        }
        loop {
            let next = self.separator(window, at);
            if let Some(header) = self.header {
                let from = window.at_offset(header);
                let (to, end, whole) = match next {
                    Ok((line, _)) => (message_end(bytes, from, line), line, true),
                    Err(safe) => (safe.max(from), bytes.len(), window.last),
                };
                match self.lengths.read(&bytes[from..to], whole) {
                    Ok(claim) => {
                        self.header = None;
                        self.search.claimed = claim.map(|(body, length)| {
                            let body = body.map_or(end, |body| from + body);
                            window.offset_at(body).saturating_add(length)
                        });
                    }
                    Err(NeedMore) if to - from > MAX_HEADER => return MemberSearch::Lost,
                    Err(NeedMore) => return MemberSearch::NotBefore(from),
                }
            }
            let (line, next) = match next {
                Ok(found) => found,
                Err(safe) => return MemberSearch::NotBefore(safe),
            };
            if let Some(claimed) = self.leads_over(window, line, read_at) {
                self.search.verified = claimed;
                // Nothing searches for quoted lines in what the claim leads over.
                self.index.escaped = true;
                // The message ends where the claim leads, at the latest.
                self.search.claimed = None;
                let end = usize::try_from(claimed - window.offset).unwrap_or(usize::MAX);
                if end >= bytes.len() {
                    return MemberSearch::NotBefore(bytes.len());
                }
                at = end;
                continue;
            }
            self.search.begin_message(&bytes[line..next]);
            self.messages += 1;
            self.header = Some(window.offset_at(next));
            return MemberSearch::Found { at: line, next };
        }
    }

    fn context(&self) -> SplitContext {
        SplitContext {
            before: self.messages.saturating_sub(1),
            end: None,
            state: self.search.style as u8,
        }
    }

    fn take_index(&mut self, end: u64) -> PieceIndex {
        let candidates = &mut self.index.candidates;
        // The line that begins the next piece ends this one.
        let behind = candidates.partition_point(|&line| line < end);
        let rest = candidates[behind..].to_vec();
        candidates.truncate(behind + 1);
        let next = PieceIndex {
            candidates: rest,
            escaped: false,
        };
        std::mem::replace(&mut self.index, next)
    }
}

impl MboxFinder {
    /// Finds the next separator from `at` on: returns the indices of its start and its end, or else
    /// the index up to which there is none.
    fn separator(&mut self, window: &Window<'_>, at: usize) -> Result<(usize, usize), usize> {
        let bytes = window.bytes;
        let first = !std::mem::replace(&mut self.has_started, true);
        let PieceIndex {
            candidates,
            escaped,
        } = &mut self.index;
        let candidate = |from| {
            let line = self.search.candidate(bytes, from, first, escaped)?;
            let offset = window.offset_at(line);
            if candidates.last().is_none_or(|&last| last < offset) {
                candidates.push(offset);
            }
            Some(line)
        };
        let mut started = !first;
        match self.search.next(window, at, candidate, |_| started = true) {
            NextSeparator::Found { line, next } => Ok((line, next)),
            NextSeparator::Unknown(line) => {
                self.has_started = started;
                Err(line.saturating_sub(LEAD).max(at))
            }
            NextSeparator::None if window.last => Err(bytes.len()),
            // The start of a candidate may stand at the end.
            NextSeparator::None => Err(bytes.len().saturating_sub(LEAD).max(at)),
            NextSeparator::LedOver => Err(bytes.len()),
        }
    }

    /// Returns the offset where the current message ends, if a Content-Length field leads over the
    /// separator at `line`.
    fn leads_over(&self, window: &Window<'_>, line: usize, read_at: ReadAt<'_>) -> Option<u64> {
        let claimed = self.search.claim_over(window.offset_at(line))?;
        // The byte before the end that is claimed, and the bytes behind it.
        let mut seen = [0; 1 + LEAD];
        let n = read_at(claimed - 1, &mut seen);
        let last = n < seen.len();
        leads(&seen[..n], 1, last).then_some(claimed)
    }
}

/// More bytes are needed.
struct NeedMore;

/// Reads the Content-Length fields of header blocks.
#[derive(Default)]
struct ContentLengthReader {
    /// Made for the first header block that names the field.
    parser: Option<Box<(Header, PartScanners)>>,
}

impl ContentLengthReader {
    /// Returns the length that a header block claims for its body, if any, and the index where the
    /// body begins; `None` if it has none.
    fn read(
        &mut self,
        header: &[u8],
        whole: bool,
    ) -> Result<Option<(Option<usize>, u64)>, NeedMore> {
        if !names_length(header, whole)? {
            return Ok(None);
        }
        let (block, scanners) = &mut **self.parser.get_or_insert_with(|| {
            let options = FormatOptions {
                mail: MailOptions {
                    headers: Headers::None,
                    ..MailOptions::default()
                },
                ..FormatOptions::default()
            };
            Box::new((Header::default(), PartScanners::new(&options)))
        });
        block.begin();
        let (body, stop) = block.feed(header, 0, whole, Hyphens::TakeAll, scanners);
        let body = match stop {
            HeaderStop::NeedMore => return Err(NeedMore),
            HeaderStop::End => None,
            _ => Some(body),
        };
        Ok(block.entity.length.map(|length| (body, length)))
    }
}

/// Returns whether a line before the first empty one starts with the field's name. Most headers
/// have none such, and are not parsed.
fn names_length(header: &[u8], whole: bool) -> Result<bool, NeedMore> {
    if let Some(answer) = starts_with_length(header) {
        return Ok(answer);
    }
    let mut answers = memchr_iter(b'\n', header).map(|at| starts_with_length(&header[at + 1..]));
    if let Some(answer) = answers.find_map(|answer| answer) {
        return Ok(answer);
    }
    if whole { Ok(false) } else { Err(NeedMore) }
}

/// Returns `true` for the field, `false` for the end of the header, and `None` for other lines.
fn starts_with_length(line: &[u8]) -> Option<bool> {
    match line {
        [b'\n', ..] | [b'\r', b'\n', ..] => Some(false),
        [b'c' | b'C', ..] => {
            let name = line.get(..CONTENT_LENGTH.len())?;
            name.eq_ignore_ascii_case(CONTENT_LENGTH).then_some(true)
        }
        _ => None,
    }
}
