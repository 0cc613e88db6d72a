//! The framing of messages in archives: the trait, and every framing but mbox.

use memchr::{memchr, memchr2, memmem};

use super::part_scanners::PartScanners;
use super::tree::{Ending, MimeTree};
use super::unquote::LineUnquoter;
use crate::bytes::lines::BYTE_ORDER_MARK;
use crate::bytes::window::Window;
use crate::document::diagnostic;
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

    /// Feeds messages to the archive's tree; returns the index up to which the window was consumed.
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize;
}

/// The current message of an archive, and the scanners for its parts.
pub(super) struct ArchiveState {
    pub(super) tree: MimeTree,
    pub(super) scanners: PartScanners,
    /// Messages that have begun.
    pub(super) count: u64,
}

impl ArchiveState {
    /// Begins the next message, at `offset`.
    pub(super) fn begin(&mut self, offset: u64, unquoter: LineUnquoter) {
        self.count += 1;
        self.scanners.counts.members += 1;
        self.tree.begin(self.count, offset, unquoter);
    }

    /// Begins message 0, which is the text before the first message.
    pub(super) fn begin_junk(&mut self, offset: u64, out: &mut Events) {
        self.tree.begin(0, offset, LineUnquoter::default());
        self.tree.begin_body(&mut self.scanners, out);
        self.tree.diagnose(&diagnostic::LEADING_JUNK, offset, out);
    }

    /// Feeds `window[at..to]` and returns the index where it stopped: behind the message's own
    /// header, if that ends.
    pub(super) fn feed(
        &mut self,
        window: &Window<'_>,
        at: usize,
        to: usize,
        end: bool,
        out: &mut Events,
    ) -> usize {
        let bytes = &window.bytes[at..to];
        let offset = window.offset_at(at);
        at + self.tree.feed(bytes, offset, end, &mut self.scanners, out)
    }

    /// Feeds `window[at..to]`, header and body, and returns the index where it stopped.
    fn feed_on(
        &mut self,
        window: &Window<'_>,
        mut at: usize,
        to: usize,
        out: &mut Events,
    ) -> usize {
        loop {
            let header = self.tree.in_first_header();
            at = self.feed(window, at, to, false, out);
            if !header || self.tree.in_first_header() {
                return at;
            }
        }
    }

    /// Feeds `window[at..to]` and ends the message at `to`.
    pub(super) fn finish(
        &mut self,
        window: &Window<'_>,
        mut at: usize,
        to: usize,
        ending: Ending,
        out: &mut Events,
    ) {
        loop {
            let header = self.tree.in_first_header();
            at = self.feed(window, at, to, true, out);
            if !header || at >= to {
                break;
            }
        }
        self.tree.end(ending, &mut self.scanners, out);
    }
}

/// The framing of a file that is one message.
#[derive(Debug, Default)]
pub(super) struct SingleMessage {
    has_begun: bool,
    endings: LineEndings,
    /// The window with each CR that ends a line replaced by LF.
    copy: Vec<u8>,
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
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let mut at = window.start;
        if !self.has_begun {
            let pending = &window.bytes[at..];
            if self.endings == LineEndings::Unknown {
                self.endings = line_endings(pending, window.last);
            }
            if self.endings == LineEndings::Unknown || pending.is_empty() {
                return at;
            }
            self.has_begun = true;
            archive.begin(window.offset_at(at), LineUnquoter::default());
            if pending.starts_with(BYTE_ORDER_MARK) {
                at += BYTE_ORDER_MARK.len();
            }
        }
        if self.endings != LineEndings::CarriageReturn {
            return feed_all(&window, at, archive, out);
        }
        let mut copy = std::mem::take(&mut self.copy);
        copy.clear();
        copy.extend_from_slice(window.bytes);
        if !window.last && copy.len() > at && copy.ends_with(b"\r") {
            // An LF may follow.
            copy.pop();
        }
        let length = copy.len();
        for index in at..length {
            if copy[index] == b'\r' && copy.get(index + 1) != Some(&b'\n') {
                copy[index] = b'\n';
            }
        }
        let translated = Window {
            bytes: &copy,
            ..window
        };
        let stopped = feed_all(&translated, at, archive, out);
        self.copy = copy;
        stopped
    }
}

fn feed_all(window: &Window<'_>, at: usize, archive: &mut ArchiveState, out: &mut Events) -> usize {
    let end = window.bytes.len();
    if window.last {
        archive.finish(window, at, end, Ending::Whole, out);
        return end;
    }
    archive.feed_on(window, at, end, out)
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
    is_open: bool,
    /// A separator has been read.
    has_begun: bool,
}

impl Framing for Mmdf {
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        loop {
            if !self.is_open {
                at += bytes[at..]
                    .iter()
                    .take_while(|&&byte| matches!(byte, b'\n' | b'\r'))
                    .count();
            }
            let found = separator(bytes, at, window.last);
            let end = match found {
                MmdfMark::At(line, _) | MmdfMark::Unknown(line) => line,
                MmdfMark::No => bytes.len(),
            };
            if !self.is_open && end > at {
                self.begin(&window, at, archive, out);
            }
            match found {
                MmdfMark::At(line, next) => {
                    if self.is_open {
                        archive.finish(&window, at, line, Ending::Whole, out);
                        self.is_open = false;
                    }
                    self.has_begun = true;
                    at = next;
                }
                MmdfMark::Unknown(_) | MmdfMark::No if !window.last => {
                    if !self.is_open {
                        return at;
                    }
                    return archive.feed_on(&window, at, end, out);
                }
                _ => {
                    if self.is_open {
                        archive.finish(&window, at, bytes.len(), Ending::Truncated, out);
                        self.is_open = false;
                    }
                    return bytes.len();
                }
            }
        }
    }
}

impl Mmdf {
    fn begin(
        &mut self,
        window: &Window<'_>,
        at: usize,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) {
        self.is_open = true;
        let offset = window.offset_at(at);
        if self.has_begun {
            archive.begin(offset, LineUnquoter::default());
        } else {
            archive.begin_junk(offset, out);
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
    /// Where the current article ends, and whether its count leads to another line of the batch.
    end: Option<(u64, RnewsHeader)>,
    /// No line of the batch before this offset ends the current article.
    floor: u64,
    /// The rest is compressed, and skipped.
    is_closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RnewsHeader {
    /// More bytes are needed to tell.
    Unknown,
    /// It does.
    Right,
    /// It does not: the article continues to the next such line.
    Wrong,
}

const RNEWS: &[u8] = b"#! rnews ";

impl Framing for Rnews {
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        loop {
            if self.is_closed {
                return bytes.len();
            }
            let Some((end, lead)) = self.end else {
                match self.line(&window, at, archive, out) {
                    Some(next) => {
                        at = next;
                        continue;
                    }
                    None => return at,
                }
            };
            let lead = if lead == RnewsHeader::Unknown {
                self.lead(&window, at, end)
            } else {
                lead
            };
            self.end = Some((end, lead));
            let (stop, whole) = match lead {
                RnewsHeader::Unknown => (at, false),
                RnewsHeader::Right => {
                    let end = usize::try_from(end - window.offset).unwrap_or(usize::MAX);
                    (end.min(bytes.len()), end <= bytes.len() || window.last)
                }
                RnewsHeader::Wrong => next_line(&window, at, self.floor),
            };
            if lead == RnewsHeader::Unknown {
                return at;
            }
            if whole {
                if lead == RnewsHeader::Wrong {
                    let offset = window.offset_at(stop);
                    archive
                        .tree
                        .diagnose(&diagnostic::RNEWS_RESYNC, offset, out);
                }
                archive.finish(&window, at, stop, Ending::Whole, out);
                self.end = None;
                at = stop;
                if at == bytes.len() && window.last {
                    return at;
                }
                continue;
            }
            return archive.feed_on(&window, at, stop, out);
        }
    }
}

impl Rnews {
    /// Reads the line of the batch at `at` and returns the index behind it; `None` if more bytes
    /// are needed or none are left.
    fn line(
        &mut self,
        window: &Window<'_>,
        at: usize,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> Option<usize> {
        let rest = &window.bytes[at..];
        let head = &rest[..rest.len().min(COUNT_LINE)];
        let length = match memchr(b'\n', head) {
            Some(end) => end + 1,
            None if head.is_empty() || (!window.last && head.len() < COUNT_LINE) => return None,
            None => head.len(),
        };
        let line = rest[..length].trim_ascii();
        if line.is_empty() {
            return Some(at + length);
        }
        let offset = window.offset_at(at);
        archive.begin(offset, LineUnquoter::default());
        if line == b"#! cunbatch" || line == b"#! gunbatch" || line == b"#! zunbatch" {
            archive
                .scanners
                .counts
                .skip("application/x-compressed-news");
            archive.tree.diagnose(&diagnostic::OPAQUE, offset, out);
            archive.finish(window, at, at, Ending::Whole, out);
            self.is_closed = true;
            return Some(window.bytes.len());
        }
        let count = line.strip_prefix(RNEWS).and_then(|rest| {
            let digits = rest.split(|byte| !byte.is_ascii_digit()).next()?;
            std::str::from_utf8(digits).ok()?.parse::<u64>().ok()
        });
        match count {
            Some(count) => {
                let start = window.offset_at(at + length);
                self.end = Some((start.saturating_add(count), RnewsHeader::Unknown));
                Some(at + length)
            }
            None => {
                // An article without a line of the batch, or the rest of one.
                self.end = Some((0, RnewsHeader::Wrong));
                self.floor = offset + 1;
                Some(at)
            }
        }
    }

    /// Tests whether the count leads to another line of the batch, or to the end.
    fn lead(&self, window: &Window<'_>, at: usize, end: u64) -> RnewsHeader {
        let end = usize::try_from(end - window.offset).unwrap_or(usize::MAX);
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
    is_done: bool,
}

impl Framing for Emlx {
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        loop {
            if self.is_done {
                return bytes.len();
            }
            let Some(end) = self.end else {
                let rest = &bytes[at..];
                let head = &rest[..rest.len().min(COUNT_LINE)];
                let Some(length) = memchr(b'\n', head) else {
                    if head.len() < COUNT_LINE && !window.last {
                        return at;
                    }
                    if rest.is_empty() {
                        return at;
                    }
                    self.begin(&window, at, u64::MAX, archive);
                    continue;
                };
                let count = std::str::from_utf8(head[..length].trim_ascii()).ok();
                match count.and_then(|count| count.parse::<u64>().ok()) {
                    Some(count) => {
                        at += length + 1;
                        self.begin(&window, at, count, archive);
                    }
                    // Without a count the file is a message.
                    None => self.begin(&window, at, u64::MAX, archive),
                }
                continue;
            };
            let stop = usize::try_from(end - window.offset).unwrap_or(usize::MAX);
            let stop = stop.min(bytes.len());
            if window.last || window.offset_at(stop) == end {
                archive.finish(&window, at, stop, Ending::Whole, out);
                self.is_done = true;
                continue;
            }
            return archive.feed_on(&window, at, stop, out);
        }
    }
}

impl Emlx {
    fn begin(&mut self, window: &Window<'_>, at: usize, count: u64, archive: &mut ArchiveState) {
        let offset = window.offset_at(at);
        self.end = Some(offset.saturating_add(count));
        archive.begin(offset, LineUnquoter::default());
    }
}
