//! One message in a file of its own.

use memchr::memchr2;

use super::ArchiveState;
use crate::bytes::window::Window;
use crate::document::events::Events;
use crate::document::mail::tree::Ending;
use crate::document::mail::unquote::LineUnquoter;

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

impl SingleMessage {
    pub(super) fn scan(
        &mut self,
        window: Window<'_>,
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> usize {
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
            return feed(&window, at, archive, out);
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
        let stopped = feed(&translated, at, archive, out);
        self.copy = copy;
        stopped
    }
}

fn feed(window: &Window<'_>, mut at: usize, archive: &mut ArchiveState, out: &mut Events) -> usize {
    let end = window.bytes.len();
    if window.last {
        archive.finish(window, at, end, Ending::Whole, out);
        return end;
    }
    loop {
        let header = archive.tree.in_first_header();
        at = archive.feed(window, at, end, false, out);
        if !header || archive.tree.in_first_header() {
            return at;
        }
    }
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
