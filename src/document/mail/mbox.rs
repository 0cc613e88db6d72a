//! The mbox family: mboxo, mboxrd, mboxcl, mboxcl2, and the variants of other programs (rules M2 to
//! M6).
//!
//! [`SeparatorSearch`] finds separators for the scanner ([`Mbox`]) and the splitter ([`MboxFinder`]).
//! A message's start depends only on the lines around a separator, the style of the first one, and
//! Content-Length fields, which can span some; the splitter reads nothing else.

use std::ops::{ControlFlow, Range};

use memchr::{memchr_iter, memrchr2};

use super::Headers;
use super::framing::{ArchiveState, Feed, Framing, LOOK_AHEAD, MessageEnd};
use super::header::{Header, HeaderStop, Hyphens};
use super::part_scanners::PartScanners;
use super::separator::{self, FromLine, PrecedingLine, SeparatorStyle};
use super::tree::Ending;
use crate::bytes::class::run_end;
use crate::bytes::lines::{BYTE_ORDER_MARK, mark_length, without_break};
use crate::bytes::literal::Literal;
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::{
    FormatOptions, MemberFinder, MemberSearch, PieceIndex, ReadBytesAt, SplitContext,
};

/// The length of a blank line and the start of a separator.
const LEAD: usize = 16;

/// The longest header block that is searched for a Content-Length field: an archive with a longer one
/// is not split.
const MAX_HEADER: usize = 256 << 10;

const CONTENT_LENGTH: &[u8] = b"content-length";

static FROM: Literal = Literal::new(b"From", 3);

/// The search for separators, shared by scanning and splitting.
#[derive(Default)]
struct SeparatorSearch {
    style: SeparatorStyle,
    /// The search has got past the NULs and line ends before the first message.
    has_started: bool,
    /// The end of the current message by its Content-Length field.
    claimed: Option<u64>,
    /// The Content-Length field of the current message is wrong.
    is_doubted: bool,
    /// No line before this offset is a separator: a Content-Length field spans it.
    verified: u64,
    /// The offset of a line that is known to be a separator.
    stop: Option<u64>,
    /// The findings of the splitter, which has seen more of the archive.
    known: Option<PieceIndex>,
    /// A line may be quoted.
    quoted: bool,
}

impl SeparatorSearch {
    /// Finds the separator that ends the current message, from `at` on, or returns the index up to which
    /// the message goes in any case.
    ///
    /// `leads` tests whether the bytes at an offset from a Content-Length field end a message, or returns
    /// `None` if more bytes decide. `seen` takes each line that may be a separator, and whether it is text.
    fn next(
        &mut self,
        window: &Window,
        at: usize,
        mut leads: impl FnMut(u64) -> Option<bool>,
        mut seen: impl FnMut(usize, bool),
    ) -> Result<Range<usize>, usize> {
        let bytes = window.bytes;
        let mut from = at;
        let found = loop {
            let verified = usize::try_from(self.verified.saturating_sub(window.offset));
            from = from.max(verified.unwrap_or(usize::MAX));
            if from >= bytes.len() {
                break Err(bytes.len());
            }
            let Some(line) = self.candidate(window, from) else {
                break Err(safe_end(bytes, at.max(window.start), window.last));
            };
            let verdict = if self.stop == Some(window.offset_at(line)) {
                FromLine::Separator(0)
            } else {
                let before = before(bytes, line, window.offset);
                separator::classify(&bytes[line..], window.last, before, self.style)
            };
            let claim = match verdict {
                FromLine::Separator(_) => self.claim(window.offset_at(line), &mut leads),
                FromLine::Text => Some(false),
                FromLine::Unknown => None,
            };
            let Some(is_claimed) = claim else {
                break Err(message_end(bytes, at, line));
            };
            seen(line, verdict == FromLine::Text);
            match verdict {
                FromLine::Separator(length) if !is_claimed => break Ok(line..line + length),
                _ => from = (line + 4).min(bytes.len()),
            }
        };
        self.has_started |= window.last || found != Err(at);
        found
    }

    /// Returns whether a Content-Length field spans a separator: its offset is another separator, or the
    /// end of the file.
    fn claim(&mut self, line: u64, leads: impl FnOnce(u64) -> Option<bool>) -> Option<bool> {
        let Some(claimed) = self.claimed.filter(|&claimed| claimed > line) else {
            return Some(false);
        };
        let is_near = claimed - line <= LOOK_AHEAD as u64;
        if is_near && self.stop.is_none_or(|stop| claimed <= stop) && leads(claimed)? {
            self.verified = claimed;
            // Nothing searches for quoted lines in the claimed length.
            self.quoted = true;
            return Some(true);
        }
        self.claimed = None;
        self.is_doubted = true;
        Some(false)
    }

    fn candidate(&mut self, window: &Window, from: usize) -> Option<usize> {
        let bytes = window.bytes;
        if let Some(known) = &self.known {
            let from = window.offset_at(from);
            let next = known.candidates.partition_point(|&line| line < from);
            let line = usize::try_from(known.candidates.get(next)? - window.offset).ok()?;
            return (line < bytes.len()).then_some(line);
        }
        // A separator may follow NULs.
        let starts = !self.has_started || from == 0 || matches!(bytes[from - 1], b'\n' | 0);
        if starts && separator::is_candidate(&bytes[from..], false) {
            return Some(from);
        }
        for line in FROM.find_iter(bytes, from) {
            match line.checked_sub(1).map(|before| bytes[before]) {
                Some(b'\n' | 0) if separator::is_candidate(&bytes[line..], false) => {
                    return Some(line);
                }
                Some(b'>') => self.quoted = true,
                _ => {}
            }
        }
        None
    }

    fn begin_message(&mut self, line: &[u8]) {
        if self.style == SeparatorStyle::Unknown {
            self.style = separator::style_of(line);
        }
        self.claimed = None;
        self.is_doubted = false;
    }
}

/// Skips a byte order mark, NULs and line ends before the first separator; breaks if more bytes are needed.
fn skip_leading(window: &Window, mut at: usize) -> ControlFlow<usize, usize> {
    let bytes = window.bytes;
    if window.offset_at(at) == 0 {
        if !window.last && BYTE_ORDER_MARK.starts_with(&bytes[at..]) {
            return ControlFlow::Break(at);
        }
        at += mark_length(&bytes[at..]);
    }
    at = run_end(bytes, at, |byte| matches!(byte, 0 | b'\n' | b'\r'));
    if at < bytes.len() {
        ControlFlow::Continue(at)
    } else {
        ControlFlow::Break(at)
    }
}

fn before(bytes: &[u8], line: usize, offset: u64) -> PrecedingLine {
    let text = without_break(&bytes[..line]);
    // The first line of the file, or the first after NULs, follows no line.
    let is_blank =
        !bytes[..line].ends_with(b"\n") || text.ends_with(b"\n") || text.is_empty() && offset == 0;
    [PrecedingLine::Text, PrecedingLine::Blank][usize::from(is_blank)]
}

/// Returns the end of a message before a separator, to which one blank line belongs.
fn message_end(bytes: &[u8], at: usize, line: usize) -> usize {
    let text = &bytes[at..line];
    let end = at + without_break(text).len();
    let is_blank = text.ends_with(b"\n") && end > 0 && bytes[end - 1] == b'\n';
    if is_blank { end } else { line }
}

/// Returns the end of the bytes that certainly belong to the message: without a last line that
/// may become a separator, and the blank line before it.
fn safe_end(bytes: &[u8], at: usize, last: bool) -> usize {
    if last {
        return bytes.len();
    }
    let line = memrchr2(b'\n', 0, &bytes[at..]).map_or(at, |end| at + end + 1);
    let starts = line == 0 || matches!(bytes[line - 1], b'\n' | 0);
    let rest = &bytes[line..];
    if starts && (rest == b"\r" || separator::is_candidate(rest, false)) {
        message_end(bytes, at, line)
    } else {
        bytes.len()
    }
}

/// Returns whether the offset of a Content-Length field is the end of the file or before a separator.
fn leads(bytes: &[u8], claimed: usize, last: bool) -> bool {
    let Some(rest) = bytes.get(claimed..) else {
        return false;
    };
    let next = rest
        .strip_prefix(b"\r\n")
        .or_else(|| rest.strip_prefix(b"\n"))
        .unwrap_or(rest);
    bytes[claimed - 1] == b'\n'
        && (last && next.is_empty() || rest.starts_with(b"From ") || next.starts_with(b"From "))
}

#[derive(Default)]
pub(super) struct Mbox {
    search: SeparatorSearch,
    /// A message has begun, not only text before the first one.
    has_messages: bool,
    /// The separator that ended the last message, as indices of the window.
    separator: Option<Range<usize>>,
    /// Lines before this offset have been classified, and diagnosed.
    classified: u64,
}

impl Framing for Mbox {
    fn piece(split: SplitContext, index: Option<PieceIndex>) -> Self {
        Mbox {
            search: SeparatorSearch {
                style: SeparatorStyle::of_state(split.state),
                stop: split.end,
                known: index,
                ..SeparatorSearch::default()
            },
            ..Mbox::default()
        }
    }

    fn begin(&mut self, mut at: usize, feed: &mut Feed) -> ControlFlow<usize, usize> {
        let window = feed.window;
        let bytes = window.bytes;
        if !self.search.has_started {
            at = skip_leading(&window, at)?;
            match self.ahead(at, feed) {
                Err(_) if !self.search.has_started => return ControlFlow::Break(at),
                Ok(line) if line.start == at => self.separator = Some(line),
                _ => {
                    feed.begin_junk(at);
                    return ControlFlow::Continue(at);
                }
            }
        }
        self.has_messages = true;
        let is_inside =
            |line: &Range<usize>| self.search.stop != Some(window.offset_at(line.start));
        let Some(line) = self.separator.take().filter(is_inside) else {
            return ControlFlow::Break(bytes.len());
        };
        self.search.begin_message(&bytes[line.clone()]);
        let known = self.search.known.as_ref();
        self.search.quoted = known.is_some_and(|known| known.escaped);
        feed.archive.scanners.quoted = self.search.quoted;
        feed.begin(line.start, true);
        let ArchiveState { tree, scanners, .. } = &mut *feed.archive;
        tree.take_separator(&bytes[line.clone()], scanners.options.envelope);
        ControlFlow::Continue(line.end)
    }

    fn end(&mut self, at: usize, feed: &mut Feed) -> MessageEnd {
        let bytes = feed.window.bytes;
        let found = self.ahead(at, feed);
        self.separator = found.clone().ok();
        let (end, next, ending) = match found {
            Err(safe) if !feed.window.last => return MessageEnd::NotBefore(safe.max(at)),
            Err(_) => (bytes.len(), bytes.len(), Ending::Truncated),
            Ok(line) => {
                let end = message_end(bytes, at, line.start);
                (end, line.start, Ending::Whole)
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
    /// Reports a Content-Length field that differs from the message's `end`, before the separator at `line`.
    fn compare_length(&mut self, end: usize, line: usize, feed: &mut Feed) {
        let window = feed.window;
        let is_file = window.last && line == window.bytes.len();
        if let Some(claimed) = self.search.claimed.take() {
            let ends = [window.offset_at(end), window.offset_at(line)];
            self.search.is_doubted |=
                !(ends.contains(&claimed) || is_file && fits_end(&window, claimed));
        }
        if std::mem::take(&mut self.search.is_doubted) {
            feed.diagnose(&diagnostic::MBOX_CONTENT_LENGTH_MISMATCH, end);
        }
    }

    fn ahead(&mut self, at: usize, feed: &mut Feed) -> Result<Range<usize>, usize> {
        let window = feed.window;
        let ArchiveState { tree, scanners, .. } = &mut *feed.archive;
        let leads = |claimed| {
            let claimed = window.at_offset(claimed);
            let is_seen = window.last || claimed + LEAD <= window.bytes.len();
            is_seen.then(|| leads(window.bytes, claimed, window.last))
        };
        let found = self.search.next(&window, at, leads, |line, is_text| {
            let offset = window.offset_at(line);
            if is_text && offset >= self.classified {
                self.classified = offset + 1;
                if self.has_messages && separator::is_candidate(&window.bytes[line..], true) {
                    tree.diagnose(&diagnostic::MBOX_FROM_LINE_IN_BODY, offset, feed.out);
                }
            }
        });
        scanners.quoted |= self.search.quoted;
        found
    }
}

/// Returns whether a claim ends at the end of the file, or at the blank line before it.
fn fits_end(window: &Window, claimed: u64) -> bool {
    let at = claimed.checked_sub(window.offset).map(usize::try_from);
    let rest = at.and_then(|at| window.bytes.get(at.ok()?..));
    matches!(rest, Some(b"" | b"\n" | b"\r\n"))
}

/// Finds the messages of a mailbox without scanning them.
#[derive(Default)]
pub(super) struct MboxFinder {
    search: SeparatorSearch,
    messages: u64,
    /// The offset of the header of the current message, until it has been searched.
    header: Option<u64>,
    /// Reads Content-Length fields; made for the first header block that names the field.
    parser: Option<Box<(Header, PartScanners)>>,
    /// The offsets of all lines that may begin a message, since the index was taken last.
    candidates: Vec<u64>,
}

impl MemberFinder for MboxFinder {
    fn next(&mut self, window: &Window, read_at: ReadBytesAt) -> MemberSearch {
        let bytes = window.bytes;
        let mut at = window.start;
        if !self.search.has_started {
            at = match skip_leading(window, at) {
                ControlFlow::Continue(first) => first,
                ControlFlow::Break(end) => return MemberSearch::NotBefore(end),
            };
        }
        let mut found = self.separator(window, at, read_at);
        if let Some(header) = self.header {
            let from = window.at_offset(header);
            let (to, end) = match &found {
                Ok(line) => (message_end(bytes, from, line.start), line.start),
                Err(safe) => ((*safe).max(from), bytes.len()),
            };
            let is_whole = found.is_ok() || window.last;
            let Some(claim) = self.content_length(&bytes[from..to], is_whole) else {
                return if to - from > MAX_HEADER {
                    MemberSearch::Lost
                } else {
                    MemberSearch::NotBefore(from)
                };
            };
            self.header = None;
            if let Some((body, length)) = claim {
                let body = window.offset_at(body.map_or(end, |body| from + body));
                self.search.claimed = Some(body.saturating_add(length));
                if let Ok(line) = &found {
                    let line = window.offset_at(line.start);
                    let is_over = self
                        .search
                        .claim(line, |claimed| leads_at(claimed, read_at));
                    if is_over == Some(true) {
                        found = self.separator(window, at, read_at);
                    }
                }
            }
        }
        match found {
            Err(safe) => MemberSearch::NotBefore(safe),
            Ok(line) => {
                self.search.begin_message(&bytes[line.clone()]);
                self.messages += 1;
                self.header = Some(window.offset_at(line.end));
                MemberSearch::Found {
                    at: line.start,
                    next: line.end,
                }
            }
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
        let next = self.candidates.partition_point(|&line| line < end);
        let rest = self.candidates[next..].to_vec();
        // The line that begins the next piece ends this one.
        self.candidates.truncate(next + 1);
        PieceIndex {
            candidates: std::mem::replace(&mut self.candidates, rest),
            escaped: std::mem::take(&mut self.search.quoted),
        }
    }
}

/// Reads the bytes around an offset, to test whether they end a message.
fn leads_at(claimed: u64, read_at: ReadBytesAt) -> Option<bool> {
    let mut seen = [0; 1 + LEAD];
    let n = read_at(claimed - 1, &mut seen);
    Some(leads(&seen[..n], 1, n < seen.len()))
}

impl MboxFinder {
    /// Finds the next separator from `at` on, or returns the index up to which there is not any.
    fn separator(
        &mut self,
        window: &Window,
        at: usize,
        read_at: ReadBytesAt,
    ) -> Result<Range<usize>, usize> {
        let leads = |claimed| leads_at(claimed, read_at);
        self.search.next(window, at, leads, |line, _| {
            let offset = window.offset_at(line);
            if self.candidates.last().is_none_or(|&last| last < offset) {
                self.candidates.push(offset);
            }
        })
    }

    /// Returns the length that a header block claims for its body, and the index of the body; `None` if
    /// more bytes are needed.
    fn content_length(
        &mut self,
        header: &[u8],
        is_whole: bool,
    ) -> Option<Option<(Option<usize>, u64)>> {
        // Most headers have no such field, and are not parsed.
        let mut lines = [0]
            .into_iter()
            .chain(memchr_iter(b'\n', header).map(|at| at + 1));
        let names_length = lines.find_map(|line| match &header[line..] {
            [b'\n', ..] | [b'\r', b'\n', ..] => Some(false),
            [b'c' | b'C', ..] => {
                let name = header.get(line..line + CONTENT_LENGTH.len())?;
                name.eq_ignore_ascii_case(CONTENT_LENGTH).then_some(true)
            }
            _ => None,
        });
        match names_length {
            None if !is_whole => return None,
            Some(true) => {}
            _ => return Some(None),
        }
        let (block, scanners) = &mut **self.parser.get_or_insert_with(|| {
            let mut options = FormatOptions::default();
            options.mail.headers = Headers::None;
            Box::new((Header::default(), PartScanners::new(&options)))
        });
        block.begin();
        let (body, stop) = block.feed(header, 0, is_whole, Hyphens::TakeAll, scanners);
        let body = match stop {
            HeaderStop::NeedMore => return None,
            HeaderStop::End => None,
            _ => Some(body),
        };
        Some(block.entity.length.map(|length| (body, length)))
    }
}
