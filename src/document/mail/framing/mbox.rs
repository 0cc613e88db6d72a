//! The mbox family: mboxo, mboxrd, mboxcl, mboxcl2, and what other programs write.

use memchr::memmem;

use super::separator::{self, Before, Style, Verdict};
use super::{Archive, LOOK_AHEAD, Lines};
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::Events;
use crate::document::mail::clean::Clean;
use crate::document::mail::tree::Ending;
use crate::document::{Quoting, Share};

/// A mailbox in the making.
pub(super) struct Mbox {
    finder: memmem::Finder<'static>,
    stage: Stage,
    style: Style,
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
    lines: Option<Lines>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before the first message.
    Start,
    /// In text before it.
    Junk,
    Message,
}

/// A separator ahead.
#[derive(Clone, Copy, Debug)]
enum Ahead {
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
            stage: Stage::Start,
            style: Style::Unknown,
            judged: 0,
            claimed: None,
            verified: 0,
            doubted: false,
            stop: None,
            done: false,
            lines: None,
        }
    }
}

impl Mbox {
    /// A piece of a mailbox.
    pub(super) fn share(share: Share, lines: Option<Lines>) -> Self {
        Mbox {
            lines,
            style: share.style,
            stop: share.end,
            ..Mbox::default()
        }
    }

    pub(super) fn scan(
        &mut self,
        window: Window<'_>,
        archive: &mut Archive,
        out: &mut Events,
    ) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        if self.done {
            return bytes.len();
        }
        loop {
            if self.stage == Stage::Start {
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
                Ahead::None(safe) => {
                    if self.stage == Stage::Start {
                        if safe <= at && !window.last {
                            return at;
                        }
                        self.begin_junk(&window, at, archive, out);
                    }
                    if window.last {
                        let header = archive.tree.in_first_header();
                        if header && self.stage == Stage::Message {
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
                Ahead::Separator { end, line, next } => {
                    let header = archive.tree.in_first_header() && self.stage == Stage::Message;
                    if self.stage == Stage::Start && line > at {
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
                    if self.stage != Stage::Start {
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

    fn begin_junk(
        &mut self,
        window: &Window<'_>,
        at: usize,
        archive: &mut Archive,
        out: &mut Events,
    ) {
        self.stage = Stage::Junk;
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
        archive: &mut Archive,
    ) {
        if self.style == Style::Unknown {
            self.style = separator::style_of(&window.bytes[line..next]);
        }
        self.stage = Stage::Message;
        archive.readers.quoted = match &self.lines {
            Some(lines) => lines.quoting == Quoting::Some,
            None => false,
        };
        self.claimed = None;
        self.doubted = false;
        archive.begin(window.offset_at(line), Clean::mailbox());
    }

    /// Takes note of the length that the header claims.
    fn header_done(&mut self, header: bool, window: &Window<'_>, at: usize, archive: &mut Archive) {
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
        archive: &mut Archive,
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
        archive: &mut Archive,
        out: &mut Events,
    ) -> Ahead {
        let bytes = window.bytes;
        let verified = usize::try_from(self.verified.saturating_sub(window.offset));
        let mut from = at.max(verified.unwrap_or(usize::MAX));
        if from >= bytes.len() && from > at {
            return Ahead::None(bytes.len());
        }
        loop {
            let start = self.stage == Stage::Start;
            let line = match &self.lines {
                Some(lines) => lines.next(window, from),
                None => {
                    let quoted = &mut archive.readers.quoted;
                    candidate(&self.finder, bytes, from, start, quoted)
                }
            };
            let Some(line) = line else {
                return Ahead::None(safe_end(bytes, at.max(window.start), window.last));
            };
            let before = before(bytes, line, window.offset);
            let end = message_end(bytes, at, line);
            let verdict = if self.stop == Some(window.offset_at(line)) {
                // Whoever cut the archive here has seen more of it.
                Verdict::Separator(0)
            } else {
                separator::judge(&bytes[line..], window.last, before, self.style)
            };
            match verdict {
                Verdict::Unknown => return Ahead::None(end),
                Verdict::Text => {
                    let offset = window.offset_at(line);
                    let told = offset < self.judged || self.stage != Stage::Message;
                    if !told && separator::is_candidate(&bytes[line..], true) {
                        let code = &diagnostic::FROM_LINE_IN_BODY;
                        archive.tree.diagnose(code, offset, out);
                    }
                    self.judged = self.judged.max(offset + 1);
                    from = (line + 4).min(bytes.len());
                }
                Verdict::Separator(length) => match self.claim(window, end, line) {
                    Claim::None => {
                        return Ahead::Separator {
                            end,
                            line,
                            next: line + length,
                        };
                    }
                    Claim::Unknown => return Ahead::None(end),
                    Claim::Verified(claimed) => {
                        self.verified = window.offset_at(claimed);
                        // Nobody looks at what it leads over.
                        archive.readers.quoted = true;
                        from = claimed;
                        if from >= bytes.len() {
                            return Ahead::None(bytes.len());
                        }
                    }
                },
            }
        }
    }

    /// What a Content-Length says of a separator: it is believed if it leads to another one, or to
    /// the end of the file.
    fn claim(&mut self, window: &Window<'_>, end: usize, line: usize) -> Claim {
        let Some(claimed) = self.claimed else {
            return Claim::None;
        };
        if window.offset_at(end) == claimed || window.offset_at(line) >= claimed {
            return Claim::None;
        }
        let beyond = self.stop.is_some_and(|stop| claimed > stop);
        if !beyond && claimed - window.offset_at(line) <= LOOK_AHEAD as u64 {
            let claimed = window.at_offset(claimed);
            if !window.last && claimed + LEAD > window.bytes.len() {
                return Claim::Unknown;
            }
            if leads(window.bytes, claimed, window.last) {
                return Claim::Verified(claimed);
            }
        }
        self.claimed = None;
        self.doubted = true;
        Claim::None
    }
}

impl Lines {
    /// The first of them from an index of the window on.
    fn next(&self, window: &Window<'_>, from: usize) -> Option<usize> {
        let from = window.offset_at(from);
        let index = self.offsets.partition_point(|&line| line < from);
        let line = self.offsets.get(index)? - window.offset;
        usize::try_from(line)
            .ok()
            .filter(|&line| line < window.bytes.len())
    }
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

enum Claim {
    /// There is none, or it says the same.
    None,
    /// More bytes are needed to tell.
    Unknown,
    /// The message ends here and not earlier.
    Verified(usize),
}

/// A blank line and the start of a separator.
pub(super) const LEAD: usize = 16;

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
pub(super) fn before(bytes: &[u8], line: usize, offset: u64) -> Before {
    let text = &bytes[..line];
    let Some(text) = text.strip_suffix(b"\n") else {
        // The first line of the file, behind nothing but NULs.
        return Before::Blank;
    };
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let blank = text.ends_with(b"\n") || (text.is_empty() && offset == 0);
    if blank { Before::Blank } else { Before::Text }
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
