//! The framing of messages in archives: the loop that feeds them, and every framing but mbox.

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memchr2, memmem, memrchr};

use super::part_scanners::{PartScanners, Run};
use super::tree::{Ending, MimeTree};
use crate::bytes::class::{number, run_end};
use crate::bytes::lines::{mark_length, with_line_feeds};
use crate::bytes::pattern::Pattern;
use crate::bytes::window::Window;
use crate::document::diagnostic::{self, Code};
use crate::document::events::Events;
use crate::document::{PieceIndex, SplitContext};

/// The longest look-ahead to check a length, in bytes.
pub(super) const LOOK_AHEAD: usize = 4 << 20;

pub(super) trait Framing: Default + Send {
    /// Returns a framing for a piece of an archive.
    fn piece(_split: SplitContext, _index: Option<PieceIndex>) -> Self {
        Self::default()
    }

    /// Writes the window in another form to `copy`, if the framing needs one; returns whether it does.
    fn translate(&mut self, _window: &Window, _copy: &mut Vec<u8>) -> bool {
        false
    }

    /// Begins the next message, from `at` on: returns the index of its first byte, or breaks with the
    /// index up to which the window was consumed.
    fn begin(&mut self, at: usize, feed: &mut Feed) -> ControlFlow<usize, usize>;

    /// Finds the end of the open message, from `at` on.
    fn end(&mut self, at: usize, feed: &mut Feed) -> MessageEnd;

    /// Takes the length that the message's own header claims for the body, which begins at an offset;
    /// returns whether the end has to be found again.
    fn end_header(&mut self, _length: Option<u64>, _body: u64) -> bool {
        false
    }
}

pub(super) enum MessageEnd {
    /// It ends at `end`, and the framing continues at `next`.
    At {
        end: usize,
        next: usize,
        ending: Ending,
    },
    /// It does not end before this index.
    NotBefore(usize),
}

impl MessageEnd {
    fn whole(end: usize) -> Self {
        MessageEnd::At {
            end,
            next: end,
            ending: Ending::Whole,
        }
    }

    /// Returns the end of a message that ends at an offset, or with the file.
    fn counted(window: &Window, end: u64) -> Self {
        let end = usize::try_from(end - window.offset).unwrap_or(usize::MAX);
        let length = window.bytes.len();
        if end <= length || window.last {
            MessageEnd::whole(end.min(length))
        } else {
            MessageEnd::NotBefore(length)
        }
    }
}

/// The messages of an archive, and the scanners for their parts.
pub(super) struct ArchiveState {
    pub(super) tree: MimeTree,
    pub(super) scanners: PartScanners,
    /// Messages that have begun.
    pub(super) count: u64,
    pub(super) is_open: bool,
}

/// A window from which messages are fed to the tree of an archive.
pub(super) struct Feed<'a, 'f> {
    pub(super) window: Window<'a>,
    pub(super) archive: &'a mut ArchiveState,
    pub(super) out: &'a mut Events<'f>,
}

impl<'f> Feed<'_, 'f> {
    fn tree(&mut self) -> (&mut MimeTree, Run<'_, 'f>) {
        let ArchiveState { tree, scanners, .. } = &mut *self.archive;
        let out = &mut *self.out;
        (tree, Run { scanners, out })
    }

    pub(super) fn begin(&mut self, at: usize, unquotes: bool) {
        let offset = self.window.offset_at(at);
        self.archive.count += 1;
        self.archive.scanners.counts.members += 1;
        let count = self.archive.count;
        self.archive.tree.begin(count, offset, unquotes);
    }

    /// Begins message 0, the text before the first message.
    pub(super) fn begin_junk(&mut self, at: usize) {
        let offset = self.window.offset_at(at);
        let (tree, mut run) = self.tree();
        tree.begin(0, offset, false);
        tree.begin_body(&mut run);
        self.diagnose(&diagnostic::MBOX_LEADING_JUNK, at);
    }

    pub(super) fn diagnose(&mut self, code: &'static Code, at: usize) {
        let offset = self.window.offset_at(at);
        self.archive.tree.diagnose(code, offset, self.out);
    }

    /// Feeds the bytes up to `to`; returns where it stopped: after the message's own header, if that ends.
    fn feed(&mut self, at: usize, to: usize, end: bool) -> usize {
        let bytes = &self.window.bytes[at..to];
        let offset = self.window.offset_at(at);
        let (tree, mut run) = self.tree();
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
            let (to, next, ending) = match framing.end(at, self) {
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
            let (tree, mut run) = self.tree();
            tree.end(ending, &mut run);
            self.archive.is_open = false;
            at = next;
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct SingleMessage {
    has_begun: bool,
    endings: LineEndings,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineEndings {
    #[default]
    Unknown,
    /// With LF or CR LF.
    LineFeed,
    /// With CR alone.
    CarriageReturn,
}

/// The first line break is searched in this many bytes.
const FIRST_LINE: usize = 64 << 10;

impl Framing for SingleMessage {
    /// Replaces each CR that ends a line by LF.
    fn translate(&mut self, window: &Window, copy: &mut Vec<u8>) -> bool {
        if self.endings == LineEndings::Unknown {
            self.endings = line_endings(&window.bytes[window.start..], window.last);
        }
        if self.endings != LineEndings::CarriageReturn {
            return false;
        }
        let (before, pending) = window.bytes.split_at(window.start);
        // An LF may follow.
        let cut = pending.strip_suffix(b"\r").filter(|_| !window.last);
        copy.clear();
        copy.extend_from_slice(before);
        copy.extend_from_slice(&with_line_feeds(cut.unwrap_or(pending)));
        true
    }

    fn begin(&mut self, at: usize, feed: &mut Feed) -> ControlFlow<usize, usize> {
        let pending = &feed.window.bytes[at..];
        if self.has_begun || self.endings == LineEndings::Unknown || pending.is_empty() {
            return ControlFlow::Break(at);
        }
        self.has_begun = true;
        let mark = mark_length(pending);
        feed.begin(at, false);
        ControlFlow::Continue(at + mark)
    }

    fn end(&mut self, _at: usize, feed: &mut Feed) -> MessageEnd {
        MessageEnd::counted(&feed.window, u64::MAX)
    }
}

fn line_endings(bytes: &[u8], last: bool) -> LineEndings {
    let found = memchr2(b'\r', b'\n', bytes);
    match found.map(|at| &bytes[at..]) {
        Some([b'\r']) if !last => LineEndings::Unknown,
        Some([b'\r', next, ..]) if *next != b'\n' => LineEndings::CarriageReturn,
        None if !last && bytes.len() < FIRST_LINE => LineEndings::Unknown,
        _ => LineEndings::LineFeed,
    }
}

#[derive(Debug, Default)]
pub(super) struct Mmdf {
    has_begun: bool,
}

impl Framing for Mmdf {
    fn begin(&mut self, mut at: usize, feed: &mut Feed) -> ControlFlow<usize, usize> {
        let Window { bytes, last, .. } = feed.window;
        loop {
            at = run_end(bytes, at, |byte| matches!(byte, b'\n' | b'\r'));
            match separator(bytes, at, last) {
                Ok(line) if line.start == at => {
                    self.has_begun = true;
                    at = line.end;
                    continue;
                }
                Err(safe) if safe == at => return ControlFlow::Break(at),
                _ if self.has_begun => feed.begin(at, false),
                _ => feed.begin_junk(at),
            }
            return ControlFlow::Continue(at);
        }
    }

    fn end(&mut self, at: usize, feed: &mut Feed) -> MessageEnd {
        let Window { bytes, last, .. } = feed.window;
        let (line, ending) = match separator(bytes, at, last) {
            Ok(line) => (line, Ending::Whole),
            Err(end) if last => (end..end, Ending::Truncated),
            Err(safe) => return MessageEnd::NotBefore(safe),
        };
        self.has_begun |= ending == Ending::Whole;
        MessageEnd::At {
            end: line.start,
            next: line.end,
            ending,
        }
    }
}

/// Returns the first separator line from an index on, or else the index before which there is not any.
fn separator(bytes: &[u8], from: usize, last: bool) -> Result<Range<usize>, usize> {
    static LINE: Pattern = Pattern::new(r"(?m)^\x01{4}(?:\r?\n|\r?\z)");
    // More bytes may complete a separator.
    static START: Pattern = Pattern::new(r"(?m)^\x01{1,3}\z");
    match LINE.find_at(bytes, from).map(|found| found.range()) {
        Some(line) if last || bytes[line.clone()].ends_with(b"\n") => Ok(line),
        Some(line) => Err(line.start),
        None if last => Err(bytes.len()),
        None => Err((START.find_at(bytes, from)).map_or(bytes.len(), |start| start.start())),
    }
}

/// The longest line with a length, in bytes.
const COUNT_LINE: usize = 1024;

/// Returns the length of the line at the start with its end, and the line without; `None` if more
/// bytes are needed.
fn count_line(rest: &[u8], last: bool) -> Option<(usize, &[u8])> {
    let head = &rest[..rest.len().min(COUNT_LINE)];
    let length = match memchr(b'\n', head) {
        Some(end) => end + 1,
        None if !last && head.len() < COUNT_LINE => return None,
        None => head.len(),
    };
    Some((length, head[..length].trim_ascii()))
}

/// The framing of a batch of news: `#! rnews N`, then N bytes, and so on.
#[derive(Debug, Default)]
pub(super) struct Rnews {
    /// The offset of the end that the length of the current article gives.
    end: u64,
    /// Whether another line of the batch is there: if not, the article continues to the next such line;
    /// `None` while more bytes are needed.
    is_right: Option<bool>,
    /// No line of the batch before this offset ends the current article.
    floor: u64,
    /// The rest is compressed, and skipped.
    is_closed: bool,
}

const RNEWS: &[u8] = b"#! rnews ";

impl Framing for Rnews {
    fn begin(&mut self, mut at: usize, feed: &mut Feed) -> ControlFlow<usize, usize> {
        let Window { bytes, last, .. } = feed.window;
        if self.is_closed {
            return ControlFlow::Break(bytes.len());
        }
        let (length, line) = loop {
            match count_line(&bytes[at..], last) {
                None | Some((0, _)) => return ControlFlow::Break(at),
                Some((length, b"")) => at += length,
                Some(found) => break found,
            }
        };
        let offset = feed.window.offset_at(at);
        feed.begin(at, false);
        if matches!(line, b"#! cunbatch" | b"#! gunbatch" | b"#! zunbatch") {
            (feed.archive.scanners.counts).skip("application/x-compressed-news");
            feed.diagnose(&diagnostic::BODY_OPAQUE, at);
            self.is_closed = true;
            (self.end, self.is_right) = (offset, Some(true));
            return ControlFlow::Continue(at);
        }
        let count = line.strip_prefix(RNEWS);
        let digits = count.and_then(|rest| rest.split(|byte| !byte.is_ascii_digit()).next());
        if let Some(count) = digits.and_then(number) {
            at += length;
            self.end = feed.window.offset_at(at).saturating_add(count);
            self.is_right = None;
        } else {
            // An article without a line of the batch, or the rest of one.
            self.floor = offset + 1;
            self.is_right = Some(false);
        }
        ControlFlow::Continue(at)
    }

    fn end(&mut self, at: usize, feed: &mut Feed) -> MessageEnd {
        let window = feed.window;
        self.is_right = self.is_right.or_else(|| self.lead(&window, at));
        match self.is_right {
            None => MessageEnd::NotBefore(at),
            Some(true) => MessageEnd::counted(&window, self.end),
            Some(false) => {
                let end = next_line(&window, at, self.floor);
                if let MessageEnd::At { end, .. } = end {
                    feed.diagnose(&diagnostic::RNEWS_RESYNC, end);
                }
                end
            }
        }
    }
}

impl Rnews {
    /// Tests whether the length ends at another line of the batch, or at the end.
    fn lead(&self, window: &Window, at: usize) -> Option<bool> {
        let end = usize::try_from(self.end - window.offset).unwrap_or(usize::MAX);
        if end.saturating_sub(at) > LOOK_AHEAD {
            // The length of a long article cannot be checked.
            return Some(true);
        }
        if !window.last && end.saturating_add(COUNT_LINE) > window.bytes.len() {
            return None;
        }
        Some(window.bytes.get(end..).is_some_and(|rest| {
            let next = rest[..rest.len().min(COUNT_LINE)].trim_ascii_start();
            next.starts_with(b"#! ") || next.is_empty() && rest.len() < COUNT_LINE
        }))
    }
}

/// Finds the next line of the batch, or the end.
fn next_line(window: &Window, at: usize, floor: u64) -> MessageEnd {
    let bytes = window.bytes;
    let found = memmem::find_iter(&bytes[at..], RNEWS)
        .map(|found| at + found)
        .find(|&found| window.offset_at(found) >= floor && found > 0 && bytes[found - 1] == b'\n');
    if found.is_some() || window.last {
        return MessageEnd::whole(found.unwrap_or(bytes.len()));
    }
    // The last line may become one with more bytes.
    let line = memrchr(b'\n', &bytes[at..]).map_or(at, |end| at + end + 1);
    let may_begin = RNEWS.starts_with(&bytes[line..]);
    MessageEnd::NotBefore(if may_begin { line } else { bytes.len() })
}

#[derive(Debug, Default)]
pub(super) struct Emlx {
    end: Option<u64>,
}

impl Framing for Emlx {
    fn begin(&mut self, mut at: usize, feed: &mut Feed) -> ControlFlow<usize, usize> {
        let Window { bytes, last, .. } = feed.window;
        if self.end.is_some() || bytes[at..].is_empty() {
            return ControlFlow::Break(bytes.len());
        }
        let Some((length, line)) = count_line(&bytes[at..], last) else {
            return ControlFlow::Break(at);
        };
        // Without a length the file is a message.
        let mut end = u64::MAX;
        let is_line = bytes[..at + length].ends_with(b"\n");
        if let Some(count) = number(line).filter(|_| is_line) {
            at += length;
            end = feed.window.offset_at(at).saturating_add(count);
        }
        self.end = Some(end);
        feed.begin(at, false);
        ControlFlow::Continue(at)
    }

    fn end(&mut self, _at: usize, feed: &mut Feed) -> MessageEnd {
        MessageEnd::counted(&feed.window, self.end.unwrap_or(u64::MAX))
    }
}
