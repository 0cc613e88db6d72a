//! Where a mailbox can be cut: its messages, found without reading them.
//!
//! Nothing but separators matters to the next message: the rule for them, the style of the first
//! one, and Content-Length fields, which can lead over some. So one look at each line that starts
//! with `From ` and at the names of header fields finds what the scanner would, many times faster.

use memchr::{memchr, memchr_iter, memmem};

use super::LOOK_AHEAD;
use super::mbox::{LEAD, before, candidate, leads, message_end};
use super::separator::{self, FromLine, SeparatorStyle};
use crate::bytes::simd::Block;
use crate::bytes::window::Window;
use crate::document::mail::header::{is_from_line, split_field};
use crate::document::{LineQuoting, MessageFinder, MessageSearch, ReadAt, SplitContext};

/// A longer header block is not looked through: the rest of the archive is not cut.
const HEADER: usize = 256 << 10;

const LENGTH: &[u8] = b"content-length";

/// The messages of a mailbox.
#[derive(Debug)]
pub(in crate::document::mail) struct Cutter {
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

impl Default for Cutter {
    fn default() -> Self {
        Cutter {
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

impl MessageFinder for Cutter {
    fn next(&mut self, window: &Window<'_>, peek: ReadAt<'_>) -> MessageSearch {
        let bytes = window.bytes;
        let mut at = window.start;
        if !self.started {
            let skipped = |byte: &&u8| matches!(byte, 0 | b'\n' | b'\r');
            at += bytes[at..].iter().take_while(skipped).count();
            if at == bytes.len() {
                return MessageSearch::Nothing(at);
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
                    Err(Partial) if to - from > HEADER => return MessageSearch::Lost,
                    Err(Partial) => return MessageSearch::Nothing(from),
                }
            }
            let (line, behind) = match next {
                NextMessage::Separator(line, behind) => (line, behind),
                NextMessage::None(safe) => return MessageSearch::Nothing(safe),
            };
            if let Some(claimed) = self.skips(window, line, peek) {
                self.verified = claimed;
                // Nobody looks at what it leads over.
                self.quoted = true;
                // What the claim leads to ends the message at the latest.
                self.claimed = None;
                let end = usize::try_from(claimed - window.offset).unwrap_or(usize::MAX);
                if end >= bytes.len() {
                    return MessageSearch::Nothing(bytes.len());
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
            return MessageSearch::Message {
                at: line,
                next: behind,
            };
        }
    }

    fn share(&self) -> SplitContext {
        SplitContext {
            before: self.messages.saturating_sub(1),
            style: self.style,
            end: None,
        }
    }

    fn take(&mut self, end: u64) -> (Vec<u64>, LineQuoting) {
        // The line that begins the next piece ends this one.
        let behind = self.lines.partition_point(|&line| line < end);
        let rest = self.lines[behind..].to_vec();
        let mut taken = std::mem::replace(&mut self.lines, rest);
        taken.truncate(behind + 1);
        let quoting = match std::mem::take(&mut self.quoted) {
            true => LineQuoting::Some,
            false => LineQuoting::None,
        };
        (taken, quoting)
    }
}

impl Cutter {
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
    fn skips(&self, window: &Window<'_>, line: usize, peek: ReadAt<'_>) -> Option<u64> {
        let claimed = self.claimed?;
        let offset = window.offset_at(line);
        if claimed <= offset || claimed - offset > LOOK_AHEAD as u64 {
            return None;
        }
        // One byte before, and what a claim leads to.
        let mut seen = [0; 1 + LEAD];
        let n = peek(claimed - 1, &mut seen);
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
