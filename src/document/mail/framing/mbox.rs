//! The mbox family: mboxo, mboxrd, mboxcl, mboxcl2, and what other programs write.

use memchr::memmem;

use super::separator::{self, FromLine, PrecedingLine, SeparatorStyle};
use super::{ArchiveState, LOOK_AHEAD, SeparatorLines};
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::Events;
use crate::document::mail::tree::Ending;
use crate::document::mail::unquote::LineUnquoter;
use crate::document::{LineQuoting, SplitContext};

/// A mailbox in the making.
pub(super) struct Mbox {
    finder: memmem::Finder<'static>,
    stage: MboxStage,
    style: SeparatorStyle,
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
    lines: Option<SeparatorLines>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MboxStage {
    /// Before the first message.
    Start,
    /// In text before it.
    Junk,
    Message,
}

/// A separator ahead.
#[derive(Clone, Copy, Debug)]
enum SeparatorAhead {
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
            stage: MboxStage::Start,
            style: SeparatorStyle::Unknown,
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
    pub(super) fn share(share: SplitContext, lines: Option<SeparatorLines>) -> Self {
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
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> usize {
        let bytes = window.bytes;
        let mut at = window.start;
        if self.done {
            return bytes.len();
        }
        loop {
            if self.stage == MboxStage::Start {
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
                SeparatorAhead::None(safe) => {
                    if self.stage == MboxStage::Start {
                        if safe <= at && !window.last {
                            return at;
                        }
                        self.begin_junk(&window, at, archive, out);
                    }
                    if window.last {
                        let header = archive.tree.in_first_header();
                        if header && self.stage == MboxStage::Message {
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
                SeparatorAhead::Separator { end, line, next } => {
                    let header = archive.tree.in_first_header() && self.stage == MboxStage::Message;
                    if self.stage == MboxStage::Start && line > at {
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
                    if self.stage != MboxStage::Start {
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
        archive: &mut ArchiveState,
        out: &mut Events,
    ) {
        self.stage = MboxStage::Junk;
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
        archive: &mut ArchiveState,
    ) {
        if self.style == SeparatorStyle::Unknown {
            self.style = separator::style_of(&window.bytes[line..next]);
        }
        self.stage = MboxStage::Message;
        archive.readers.quoted = match &self.lines {
            Some(lines) => lines.quoting == LineQuoting::Some,
            None => false,
        };
        self.claimed = None;
        self.doubted = false;
        archive.begin(window.offset_at(line), LineUnquoter::mailbox());
    }

    /// Takes note of the length that the header claims.
    fn header_done(
        &mut self,
        header: bool,
        window: &Window<'_>,
        at: usize,
        archive: &mut ArchiveState,
    ) {
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
        archive: &mut ArchiveState,
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
        archive: &mut ArchiveState,
        out: &mut Events,
    ) -> SeparatorAhead {
        let bytes = window.bytes;
        let verified = usize::try_from(self.verified.saturating_sub(window.offset));
        let mut from = at.max(verified.unwrap_or(usize::MAX));
        if from >= bytes.len() && from > at {
            return SeparatorAhead::None(bytes.len());
        }
        loop {
            let start = self.stage == MboxStage::Start;
            let line = match &self.lines {
                Some(lines) => lines.next(window, from),
                None => {
                    let quoted = &mut archive.readers.quoted;
                    candidate(&self.finder, bytes, from, start, quoted)
                }
            };
            let Some(line) = line else {
                return SeparatorAhead::None(safe_end(bytes, at.max(window.start), window.last));
            };
            let before = before(bytes, line, window.offset);
            let end = message_end(bytes, at, line);
            let verdict = if self.stop == Some(window.offset_at(line)) {
                // Whoever cut the archive here has seen more of it.
                FromLine::Separator(0)
            } else {
                separator::judge(&bytes[line..], window.last, before, self.style)
            };
            match verdict {
                FromLine::Unknown => return SeparatorAhead::None(end),
                FromLine::Text => {
                    let offset = window.offset_at(line);
                    let told = offset < self.judged || self.stage != MboxStage::Message;
                    if !told && separator::is_candidate(&bytes[line..], true) {
                        let code = &diagnostic::FROM_LINE_IN_BODY;
                        archive.tree.diagnose(code, offset, out);
                    }
                    self.judged = self.judged.max(offset + 1);
                    from = (line + 4).min(bytes.len());
                }
                FromLine::Separator(length) => match self.claim(window, end, line) {
                    ContentLengthClaim::None => {
                        return SeparatorAhead::Separator {
                            end,
                            line,
                            next: line + length,
                        };
                    }
                    ContentLengthClaim::Unknown => return SeparatorAhead::None(end),
                    ContentLengthClaim::Verified(claimed) => {
                        self.verified = window.offset_at(claimed);
                        // Nobody looks at what it leads over.
                        archive.readers.quoted = true;
                        from = claimed;
                        if from >= bytes.len() {
                            return SeparatorAhead::None(bytes.len());
                        }
                    }
                },
            }
        }
    }

    /// What a Content-Length says of a separator: it is believed if it leads to another one, or to
    /// the end of the file.
    fn claim(&mut self, window: &Window<'_>, end: usize, line: usize) -> ContentLengthClaim {
        let Some(claimed) = self.claimed else {
            return ContentLengthClaim::None;
        };
        if window.offset_at(end) == claimed || window.offset_at(line) >= claimed {
            return ContentLengthClaim::None;
        }
        let beyond = self.stop.is_some_and(|stop| claimed > stop);
        if !beyond && claimed - window.offset_at(line) <= LOOK_AHEAD as u64 {
            let claimed = window.at_offset(claimed);
            if !window.last && claimed + LEAD > window.bytes.len() {
                return ContentLengthClaim::Unknown;
            }
            if leads(window.bytes, claimed, window.last) {
                return ContentLengthClaim::Verified(claimed);
            }
        }
        self.claimed = None;
        self.doubted = true;
        ContentLengthClaim::None
    }
}

impl SeparatorLines {
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

enum ContentLengthClaim {
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
pub(super) fn before(bytes: &[u8], line: usize, offset: u64) -> PrecedingLine {
    let text = &bytes[..line];
    let Some(text) = text.strip_suffix(b"\n") else {
        // The first line of the file, behind nothing but NULs.
        return PrecedingLine::Blank;
    };
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let blank = text.ends_with(b"\n") || (text.is_empty() && offset == 0);
    if blank {
        PrecedingLine::Blank
    } else {
        PrecedingLine::Text
    }
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
