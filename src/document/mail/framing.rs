//! Formats that hold messages otherwise than between `From ` lines, and what all framings share.

use memchr::{memchr, memchr2, memmem};

use super::part_scanners::PartScanners;
use super::tree::{Ending, MimeTree};
use super::unquote::LineUnquoter;
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::Events;
use crate::document::{PieceIndex, SplitContext};

/// How far ahead a framing may look for what a count of bytes leads to.
pub(super) const LOOK_AHEAD: usize = 4 << 20;

/// A way in which an archive holds messages.
pub(super) trait Framing: Default + Send {
    /// A framing for a piece of an archive.
    fn piece(_split: SplitContext, _index: Option<PieceIndex>) -> Self {
        Self::default()
    }

    /// Feeds messages to the archive's tree; returns the index up to which the window was taken.
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize;
}

/// The message at hand, and what its parts are read by.
pub(super) struct ArchiveState {
    pub(super) tree: MimeTree,
    pub(super) readers: PartScanners,
    /// Messages so far.
    pub(super) count: u64,
}

impl ArchiveState {
    /// The next message begins at `offset`.
    pub(super) fn begin(&mut self, offset: u64, clean: LineUnquoter) {
        self.count += 1;
        self.readers.counts.members += 1;
        self.tree.begin(self.count, offset, clean);
    }

    /// Begins message 0, which is the text before the first message.
    pub(super) fn begin_junk(&mut self, offset: u64, out: &mut Events) {
        self.tree.begin(0, offset, LineUnquoter::default());
        self.tree.begin_body(&mut self.readers, out);
        self.tree.diagnose(&diagnostic::LEADING_JUNK, offset, out);
    }

    /// Feeds `window[at..to]`, stopping behind the message's own header; returns where.
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
        at + self.tree.feed(bytes, offset, end, &mut self.readers, out)
    }

    /// Feeds `window[at..to]`, the header and the body; returns where it stopped.
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

    /// Feeds `window[at..to]` to its end, which is the message's end.
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
        self.tree.end(ending, &mut self.readers, out);
    }
}

/// The message in the making.
#[derive(Debug, Default)]
pub(super) struct SingleMessage {
    begun: bool,
    breaks: LineEndings,
    /// The window with its line ends as LF.
    copy: Vec<u8>,
}

/// How the lines of a file end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineEndings {
    #[default]
    Unknown,
    /// With LF or CR LF.
    Usual,
    /// With CR alone.
    CarriageReturn,
}

/// The first line break is looked for in so much.
const FIRST_LINE: usize = 64 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Framing for SingleMessage {
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let mut at = window.start;
        if !self.begun {
            let pending = &window.bytes[at..];
            if self.breaks == LineEndings::Unknown {
                self.breaks = breaks(pending, window.last);
            }
            if self.breaks == LineEndings::Unknown || pending.is_empty() {
                return at;
            }
            self.begun = true;
            archive.begin(window.offset_at(at), LineUnquoter::default());
            if pending.starts_with(BYTE_ORDER_MARK) {
                at += BYTE_ORDER_MARK.len();
            }
        }
        if self.breaks != LineEndings::CarriageReturn {
            return feed_all(&window, at, archive, out);
        }
        let mut copy = std::mem::take(&mut self.copy);
        copy.clear();
        copy.extend_from_slice(window.bytes);
        if !window.last && copy.len() > at && copy.ends_with(b"\r") {
            // Whether an LF follows is not known yet.
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

fn breaks(bytes: &[u8], last: bool) -> LineEndings {
    match memchr2(b'\r', b'\n', bytes) {
        Some(at) if bytes[at] == b'\n' => LineEndings::Usual,
        Some(at) => match bytes.get(at + 1) {
            Some(b'\n') => LineEndings::Usual,
            Some(_) => LineEndings::CarriageReturn,
            None if last => LineEndings::Usual,
            None => LineEndings::Unknown,
        },
        None if last || bytes.len() >= FIRST_LINE => LineEndings::Usual,
        None => LineEndings::Unknown,
    }
}

const SEPARATOR: &[u8] = b"\x01\x01\x01\x01";

/// Such an archive in the making.
#[derive(Debug, Default)]
pub(super) struct Mmdf {
    open: bool,
    /// A separator has come.
    begun: bool,
}

impl Framing for Mmdf {
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        loop {
            if !self.open {
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
            if !self.open && end > at {
                self.begin(&window, at, archive, out);
            }
            match found {
                MmdfMark::At(line, next) => {
                    if self.open {
                        archive.finish(&window, at, line, Ending::Whole, out);
                        self.open = false;
                    }
                    self.begun = true;
                    at = next;
                }
                MmdfMark::Unknown(_) | MmdfMark::No if !window.last => {
                    if !self.open {
                        return at;
                    }
                    return archive.feed_on(&window, at, end, out);
                }
                _ => {
                    if self.open {
                        archive.finish(&window, at, bytes.len(), Ending::Truncated, out);
                        self.open = false;
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
        self.open = true;
        let offset = window.offset_at(at);
        if self.begun {
            archive.begin(offset, LineUnquoter::default());
        } else {
            archive.begin_junk(offset, out);
        }
    }
}

enum MmdfMark {
    /// A separator line, from here to there.
    At(usize, usize),
    /// What may become one.
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

/// The longest line with a count.
const COUNT_LINE: usize = 1024;

/// A batch of news: `#! rnews N`, then N bytes, and so on.
#[derive(Debug, Default)]
pub(super) struct Rnews {
    /// Where the article at hand ends, and whether its count leads to another line of the batch.
    end: Option<(u64, RnewsHeader)>,
    /// Before this offset no line of the batch ends the article at hand.
    floor: u64,
    /// The rest is compressed, or otherwise none of ours.
    closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RnewsHeader {
    /// It may.
    Unknown,
    /// It does.
    Right,
    /// It does not: the article goes on to the next such line.
    Wrong,
}

const RNEWS: &[u8] = b"#! rnews ";

impl Framing for Rnews {
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        loop {
            if self.closed {
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
    /// Reads the line of the batch at `at`; none when more bytes are needed, or there is none.
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
            archive.readers.counts.skip("application/x-compressed-news");
            archive.tree.diagnose(&diagnostic::OPAQUE, offset, out);
            archive.finish(window, at, at, Ending::Whole, out);
            self.closed = true;
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
                // An article without its line, or the rest of one.
                self.end = Some((0, RnewsHeader::Wrong));
                self.floor = offset + 1;
                Some(at)
            }
        }
    }

    /// Whether the count leads to another line of the batch, or to the end.
    fn lead(&self, window: &Window<'_>, at: usize, end: u64) -> RnewsHeader {
        let end = usize::try_from(end - window.offset).unwrap_or(usize::MAX);
        if end.saturating_sub(at) > LOOK_AHEAD {
            // A long article is believed: nobody can look so far ahead.
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

/// The next line of the batch behind `at`, or the end; and whether it is one.
fn next_line(window: &Window<'_>, at: usize, floor: u64) -> (usize, bool) {
    let (bytes, last) = (window.bytes, window.last);
    let found = memmem::find_iter(&bytes[at..], RNEWS)
        .map(|found| at + found)
        .find(|&found| window.offset_at(found) >= floor && found > 0 && bytes[found - 1] == b'\n');
    match found {
        Some(line) => (line, true),
        None if last => (bytes.len(), true),
        None => {
            // The last line may become one.
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

/// An emlx file: the count, the message, a property list.
#[derive(Debug, Default)]
pub(super) struct Emlx {
    end: Option<u64>,
    done: bool,
}

impl Framing for Emlx {
    fn scan(&mut self, window: Window<'_>, archive: &mut ArchiveState, out: &mut Events) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        loop {
            if self.done {
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
                    // No count: the file is a message.
                    None => self.begin(&window, at, u64::MAX, archive),
                }
                continue;
            };
            let stop = usize::try_from(end - window.offset).unwrap_or(usize::MAX);
            let stop = stop.min(bytes.len());
            if window.last || window.offset_at(stop) == end {
                archive.finish(&window, at, stop, Ending::Whole, out);
                self.done = true;
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
