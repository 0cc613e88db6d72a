//! Messages whose length in bytes stands before them: news batches and emlx files.

use memchr::{memchr, memmem};

use super::{ArchiveState, LOOK_AHEAD};
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::Events;
use crate::document::mail::tree::Ending;
use crate::document::mail::unquote::LineUnquoter;

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

impl Rnews {
    pub(super) fn scan(
        &mut self,
        window: Window<'_>,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> usize {
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
            let header = archive.tree.in_first_header();
            at = archive.feed(&window, at, stop, false, out);
            if !header || archive.tree.in_first_header() {
                return at;
            }
        }
    }

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
            archive.readers.tally.skip("application/x-compressed-news");
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

impl Emlx {
    pub(super) fn scan(
        &mut self,
        window: Window<'_>,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> usize {
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
            let header = archive.tree.in_first_header();
            at = archive.feed(&window, at, stop, false, out);
            if !header || archive.tree.in_first_header() {
                return at;
            }
        }
    }

    fn begin(&mut self, window: &Window<'_>, at: usize, count: u64, archive: &mut ArchiveState) {
        let offset = window.offset_at(at);
        self.end = Some(offset.saturating_add(count));
        archive.begin(offset, LineUnquoter::default());
    }
}
