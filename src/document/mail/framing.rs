//! The framing of messages in archives: the loop that feeds them, and every framing but mbox.

use std::ops::ControlFlow;

use memchr::{memchr, memchr2, memmem};

use super::part_scanners::{PartScanners, Run};
use super::tree::{Ending, MimeTree};
use crate::bytes::lines::BYTE_ORDER_MARK;
use crate::bytes::window::Window;
use crate::document::diagnostic::{self, Code};
use crate::document::events::Events;
use crate::document::{PieceIndex, SplitContext};

/// The farthest that a framing looks ahead to check a count of bytes, in bytes.
pub(super) const LOOK_AHEAD: usize = 4 << 20;

/// A way of framing messages in an archive.
pub(super) trait Framing: Default + Send {
    /// Returns a framing for a piece of an archive.
    fn piece(_split: SplitContext, _index: Option<PieceIndex>) -> Self {
        Self::default()
    }

    /// Writes the window in another form to `copy`, if it needs one; returns whether it does.
    fn translate(&mut self, _window: &Window<'_>, _copy: &mut Vec<u8>) -> bool {
        false
    }

    /// Begins the next message, from `at` on: returns the index of its first byte, or breaks with
    /// the index up to which the window was consumed.
    fn begin(&mut self, at: usize, feed: &mut Feed<'_, '_>) -> ControlFlow<usize, usize>;

    /// Finds the end of the open message, from `at` on.
    fn end(&mut self, at: usize, feed: &mut Feed<'_, '_>) -> MessageEnd;

    /// Takes the length that the message's own header claims for the body, which begins at an
    /// offset; returns whether the end has to be found again.
    fn end_header(&mut self, _length: Option<u64>, _body: u64) -> bool {
        false
    }
}

/// The end of a message in a window.
pub(super) enum MessageEnd {
    /// It ends at `end`, and the framing goes on at `next`.
    At {
        end: usize,
        next: usize,
        ending: Ending,
    },
    /// It does not end before this index.
    NotBefore(usize),
}

/// The messages of an archive, and the scanners for their parts.
pub(super) struct ArchiveState {
    pub(super) tree: MimeTree,
    pub(super) scanners: PartScanners,
    /// Messages that have begun.
    pub(super) count: u64,
    /// A message is open.
    pub(super) is_open: bool,
}

/// A window from which messages are fed to the tree of an archive.
pub(super) struct Feed<'a, 'f> {
    pub(super) window: Window<'a>,
    pub(super) archive: &'a mut ArchiveState,
    pub(super) out: &'a mut Events<'f>,
}

impl Feed<'_, '_> {
    /// Begins the next message, at an index.
    pub(super) fn begin(&mut self, at: usize, unquotes: bool) {
        let offset = self.window.offset_at(at);
        self.archive.count += 1;
        self.archive.scanners.counts.members += 1;
        self.archive
            .tree
            .begin(self.archive.count, offset, unquotes);
    }

    /// Begins message 0, which is the text before the first message.
    pub(super) fn begin_junk(&mut self, at: usize) {
        let offset = self.window.offset_at(at);
        let ArchiveState { tree, scanners, .. } = &mut *self.archive;
        tree.begin(0, offset, false);
        tree.begin_body(&mut Run {
            scanners,
            out: self.out,
        });
        self.diagnose(&diagnostic::LEADING_JUNK, at);
    }

    pub(super) fn diagnose(&mut self, code: &'static Code, at: usize) {
        let offset = self.window.offset_at(at);
        self.archive.tree.diagnose(code, offset, self.out);
    }

    /// Feeds the bytes from `at` up to `to` and returns the index where it stopped: after the
    /// message's own header, if that ends.
    fn feed(&mut self, at: usize, to: usize, end: bool) -> usize {
        let bytes = &self.window.bytes[at..to];
        let offset = self.window.offset_at(at);
        let ArchiveState { tree, scanners, .. } = &mut *self.archive;
        let mut run = Run {
            scanners,
            out: self.out,
        };
        at + tree.feed(bytes, offset, end, &mut run)
    }

    /// Feeds the messages of the window, and returns the index up to which it was consumed.
    pub(super) fn feed_messages(&mut self, framing: &mut impl Framing) -> usize {
        let mut at = self.window.start;
        loop {
            if !self.archive.is_open {
                match framing.begin(at, self) {
                    ControlFlow::Continue(first) => at = first,
                    ControlFlow::Break(consumed) => return consumed,
                }
                self.archive.is_open = true;
            }
            let found = framing.end(at, self);
            let (to, next, ending) = match found {
                MessageEnd::At { end, next, ending } => (end, next, Some(ending)),
                MessageEnd::NotBefore(to) => (to, to, None),
            };
            let in_header = self.archive.tree.in_first_header();
            if in_header {
                at = self.feed(at, to, ending.is_some());
                let tree = &mut self.archive.tree;
                if tree.in_first_header() {
                    return at;
                }
                // The blank line that ends the header may be left to a separator.
                let body = if tree.ended_in_header { next } else { at };
                let length = tree.content_length.take();
                if framing.end_header(length, self.window.offset_at(body)) {
                    continue;
                }
            }
            let Some(ending) = ending else {
                return self.feed(at, to, false);
            };
            if at < to || !in_header {
                self.feed(at, to, true);
            }
            let ArchiveState { tree, scanners, .. } = &mut *self.archive;
            tree.end(
                ending,
                &mut Run {
                    scanners,
                    out: self.out,
                },
            );
            self.archive.is_open = false;
            at = next;
        }
    }
}

/// The framing of a file that is one message.
#[derive(Debug, Default)]
pub(super) struct SingleMessage {
    has_begun: bool,
    endings: LineEndings,
}

/// The line ends of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineEndings {
    #[default]
    Unknown,
    /// With LF or CR LF.
    LineFeed,
    /// With CR alone.
    CarriageReturn,
}

/// The first line break is looked for in this many bytes.
const FIRST_LINE: usize = 64 << 10;

impl Framing for SingleMessage {
    /// Replaces each CR that ends a line by LF.
    fn translate(&mut self, window: &Window<'_>, copy: &mut Vec<u8>) -> bool {
        if self.endings == LineEndings::Unknown {
            self.endings = line_endings(&window.bytes[window.start..], window.last);
        }
        if self.endings != LineEndings::CarriageReturn {
            return false;
        }
        copy.clear();
        copy.extend_from_slice(window.bytes);
        if !window.last && copy.len() > window.start && copy.ends_with(b"\r") {
            // An LF may follow.
            copy.pop();
        }
        for index in window.start..copy.len() {
            if copy[index] == b'\r' && copy.get(index + 1) != Some(&b'\n') {
                copy[index] = b'\n';
            }
        }
        true
    }

    fn begin(&mut self, at: usize, feed: &mut Feed<'_, '_>) -> ControlFlow<usize, usize> {
        let pending = &feed.window.bytes[at..];
        if self.has_begun || self.endings == LineEndings::Unknown || pending.is_empty() {
            return ControlFlow::Break(at);
        }
        self.has_begun = true;
        let mark = pending.starts_with(BYTE_ORDER_MARK);
        feed.begin(at, false);
        ControlFlow::Continue(at + if mark { BYTE_ORDER_MARK.len() } else { 0 })
    }

    fn end(&mut self, _at: usize, feed: &mut Feed<'_, '_>) -> MessageEnd {
        let end = feed.window.bytes.len();
        if !feed.window.last {
            return MessageEnd::NotBefore(end);
        }
        MessageEnd::At {
            end,
            next: end,
            ending: Ending::Whole,
        }
    }
}

fn line_endings(bytes: &[u8], last: bool) -> LineEndings {
    match memchr2(b'\r', b'\n', bytes) {
        Some(at) if bytes[at] == b'\n' => LineEndings::LineFeed,
        Some(at) => match bytes.get(at + 1) {
            Some(b'\n') => LineEndings::LineFeed,
            Some(_) => LineEndings::CarriageReturn,
            None if last => LineEndings::LineFeed,
            None => LineEndings::Unknown,
        },
        None if last || bytes.len() >= FIRST_LINE => LineEndings::LineFeed,
        None => LineEndings::Unknown,
    }
}

const SEPARATOR: &[u8] = b"\x01\x01\x01\x01";

/// The framing of MMDF: messages between lines of four control-A.
#[derive(Debug, Default)]
pub(super) struct Mmdf {
    /// A separator has been read.
    has_begun: bool,
}

impl Framing for Mmdf {
    fn begin(&mut self, mut at: usize, feed: &mut Feed<'_, '_>) -> ControlFlow<usize, usize> {
        let bytes = feed.window.bytes;
        loop {
            at += bytes[at..]
                .iter()
                .take_while(|&&byte| matches!(byte, b'\n' | b'\r'))
                .count();
            match separator(bytes, at, feed.window.last) {
                MmdfMark::At(line, next) if line == at => {
                    self.has_begun = true;
                    at = next;
                }
                MmdfMark::Unknown(line) if line == at => return ControlFlow::Break(at),
                _ if at == bytes.len() => return ControlFlow::Break(at),
                _ if self.has_begun => {
                    feed.begin(at, false);
                    return ControlFlow::Continue(at);
                }
                _ => {
                    feed.begin_junk(at);
                    return ControlFlow::Continue(at);
                }
            }
        }
    }

    fn end(&mut self, at: usize, feed: &mut Feed<'_, '_>) -> MessageEnd {
        let end = feed.window.bytes.len();
        match separator(feed.window.bytes, at, feed.window.last) {
            MmdfMark::At(end, next) => {
                self.has_begun = true;
                let ending = Ending::Whole;
                MessageEnd::At { end, next, ending }
            }
            MmdfMark::Unknown(line) => MessageEnd::NotBefore(line),
            MmdfMark::No if feed.window.last => MessageEnd::At {
                end,
                next: end,
                ending: Ending::Truncated,
            },
            MmdfMark::No => MessageEnd::NotBefore(end),
        }
    }
}

enum MmdfMark {
    /// A separator line, and the index behind it.
    At(usize, usize),
    /// A prefix, which more bytes may complete.
    Unknown(usize),
    No,
}

fn separator(bytes: &[u8], from: usize, last: bool) -> MmdfMark {
    let starts = |at: usize| at == 0 || bytes[at - 1] == b'\n';
    for at in memmem::find_iter(&bytes[from..], SEPARATOR).map(|at| from + at) {
        if !starts(at) {
            continue;
        }
        match bytes[at + SEPARATOR.len()..] {
            [b'\n', ..] => return MmdfMark::At(at, at + SEPARATOR.len() + 1),
            [b'\r', b'\n', ..] => return MmdfMark::At(at, at + SEPARATOR.len() + 2),
            [] | [b'\r'] if last => return MmdfMark::At(at, bytes.len()),
            [] | [b'\r'] => return MmdfMark::Unknown(at),
            _ => {}
        }
    }
    let ones = bytes[from..]
        .iter()
        .rev()
        .take_while(|&&byte| byte == 1)
        .count();
    let at = bytes.len() - ones;
    if !last && (1..=SEPARATOR.len()).contains(&ones) && starts(at) {
        return MmdfMark::Unknown(at);
    }
    MmdfMark::No
}

/// The longest line with a count, in bytes.
const COUNT_LINE: usize = 1024;

/// The framing of a batch of news: `#! rnews N`, then N bytes, and so on.
#[derive(Debug, Default)]
pub(super) struct Rnews {
    /// The offset to which the count of the current article leads.
    end: u64,
    header: RnewsHeader,
    /// No line of the batch before this offset ends the current article.
    floor: u64,
    /// The rest is compressed, and skipped.
    is_closed: bool,
}

/// Whether the count of an article leads to another line of the batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RnewsHeader {
    /// More bytes are needed to tell.
    #[default]
    Unknown,
    Right,
    /// It does not: the article continues to the next such line.
    Wrong,
}

const RNEWS: &[u8] = b"#! rnews ";

impl Framing for Rnews {
    fn begin(&mut self, mut at: usize, feed: &mut Feed<'_, '_>) -> ControlFlow<usize, usize> {
        let window = feed.window;
        if self.is_closed {
            return ControlFlow::Break(window.bytes.len());
        }
        let (line, length) = loop {
            let rest = &window.bytes[at..];
            let head = &rest[..rest.len().min(COUNT_LINE)];
            let length = match memchr(b'\n', head) {
                Some(end) => end + 1,
                None if head.is_empty() || (!window.last && head.len() < COUNT_LINE) => {
                    return ControlFlow::Break(at);
                }
                None => head.len(),
            };
            let line = rest[..length].trim_ascii();
            if !line.is_empty() {
                break (line, length);
            }
            at += length;
        };
        let offset = window.offset_at(at);
        feed.begin(at, false);
        if line == b"#! cunbatch" || line == b"#! gunbatch" || line == b"#! zunbatch" {
            let counts = &mut feed.archive.scanners.counts;
            counts.skip("application/x-compressed-news");
            feed.diagnose(&diagnostic::OPAQUE, at);
            self.is_closed = true;
            (self.end, self.header) = (offset, RnewsHeader::Right);
            return ControlFlow::Continue(at);
        }
        let count = line.strip_prefix(RNEWS).and_then(|rest| {
            let digits = rest.split(|byte| !byte.is_ascii_digit()).next()?;
            std::str::from_utf8(digits).ok()?.parse::<u64>().ok()
        });
        if let Some(count) = count {
            at += length;
            self.end = window.offset_at(at).saturating_add(count);
            self.header = RnewsHeader::Unknown;
        } else {
            // An article without a line of the batch, or the rest of one.
            self.floor = offset + 1;
            self.header = RnewsHeader::Wrong;
        }
        ControlFlow::Continue(at)
    }

    fn end(&mut self, at: usize, feed: &mut Feed<'_, '_>) -> MessageEnd {
        let window = feed.window;
        if self.header == RnewsHeader::Unknown {
            self.header = self.lead(&window, at);
        }
        let (end, is_whole) = match self.header {
            RnewsHeader::Unknown => (at, false),
            RnewsHeader::Right => counted(&window, self.end),
            RnewsHeader::Wrong => next_line(&window, at, self.floor),
        };
        if !is_whole {
            return MessageEnd::NotBefore(end);
        }
        if self.header == RnewsHeader::Wrong {
            feed.diagnose(&diagnostic::RNEWS_RESYNC, end);
        }
        MessageEnd::At {
            end,
            next: end,
            ending: Ending::Whole,
        }
    }
}

/// Returns the index where a message ends whose end is known, or that of the window, and whether it
/// ends there.
fn counted(window: &Window<'_>, end: u64) -> (usize, bool) {
    let end = usize::try_from(end - window.offset).unwrap_or(usize::MAX);
    let length = window.bytes.len();
    (end.min(length), end <= length || window.last)
}

impl Rnews {
    /// Tests whether the count leads to another line of the batch, or to the end.
    fn lead(&self, window: &Window<'_>, at: usize) -> RnewsHeader {
        let end = usize::try_from(self.end - window.offset).unwrap_or(usize::MAX);
        if end.saturating_sub(at) > LOOK_AHEAD {
            // The count of a long article cannot be checked.
            return RnewsHeader::Right;
        }
        let seen = window.last || end.saturating_add(COUNT_LINE) <= window.bytes.len();
        if !seen {
            return RnewsHeader::Unknown;
        }
        let Some(rest) = window.bytes.get(end..) else {
            return RnewsHeader::Wrong;
        };
        let behind = rest[..rest.len().min(COUNT_LINE)].trim_ascii_start();
        let is_end = behind.is_empty() && rest.len() < COUNT_LINE;
        if is_end || behind.starts_with(b"#! ") {
            RnewsHeader::Right
        } else {
            RnewsHeader::Wrong
        }
    }
}

/// Returns the index of the next line of the batch, or of the end, and whether the article ends
/// there.
fn next_line(window: &Window<'_>, at: usize, floor: u64) -> (usize, bool) {
    let (bytes, last) = (window.bytes, window.last);
    let found = memmem::find_iter(&bytes[at..], RNEWS)
        .map(|found| at + found)
        .find(|&found| window.offset_at(found) >= floor && found > 0 && bytes[found - 1] == b'\n');
    match found {
        Some(line) => (line, true),
        None if last => (bytes.len(), true),
        None => {
            // The last line may become one with more bytes.
            let line = memchr::memrchr(b'\n', &bytes[at..]).map_or(at, |end| at + end + 1);
            let rest = &bytes[line..];
            let stop = if RNEWS.starts_with(rest) {
                line
            } else {
                bytes.len()
            };
            (stop, false)
        }
    }
}

/// The framing of an emlx file: the length, the message, a property list.
#[derive(Debug, Default)]
pub(super) struct Emlx {
    end: Option<u64>,
}

impl Framing for Emlx {
    fn begin(&mut self, mut at: usize, feed: &mut Feed<'_, '_>) -> ControlFlow<usize, usize> {
        let window = feed.window;
        let rest = &window.bytes[at..];
        if self.end.is_some() || rest.is_empty() {
            return ControlFlow::Break(window.bytes.len());
        }
        let head = &rest[..rest.len().min(COUNT_LINE)];
        let length = memchr(b'\n', head);
        if length.is_none() && head.len() < COUNT_LINE && !window.last {
            return ControlFlow::Break(at);
        }
        let count = length.and_then(|length| {
            let count = std::str::from_utf8(head[..length].trim_ascii()).ok()?;
            Some((length, count.parse::<u64>().ok()?))
        });
        // Without a count the file is a message.
        let mut end = u64::MAX;
        if let Some((length, count)) = count {
            at += length + 1;
            end = window.offset_at(at).saturating_add(count);
        }
        self.end = Some(end);
        feed.begin(at, false);
        ControlFlow::Continue(at)
    }

    fn end(&mut self, _at: usize, feed: &mut Feed<'_, '_>) -> MessageEnd {
        match counted(&feed.window, self.end.unwrap_or(u64::MAX)) {
            (end, true) => MessageEnd::At {
                end,
                next: end,
                ending: Ending::Whole,
            },
            (end, false) => MessageEnd::NotBefore(end),
        }
    }
}
